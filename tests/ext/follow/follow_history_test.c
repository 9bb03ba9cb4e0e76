/* Logs that have other entries than those that triggers have written since the mirror was
** made: false numbers, or the entries of another history of the file. */
/* ctest: serial gaps */
#include "follow_graph.h"
#include "share.h"
#include "suite.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A program that can write the log can store false entries. False numbers never lead the
** extension out of range, and it reads the table if the log cannot be valid. */
START_TEST(any_numbers_in_the_log) {
    static const char *const logs[] = {
        "INSERT INTO g_log(rowid, edge) VALUES (9223372036854775807, 1)",
        "INSERT INTO g_log(rowid, edge) VALUES (-9223372036854775808, 1)",
        "INSERT INTO g_log(rowid, edge) VALUES (-9223372036854775808, 1), "
        "(9223372036854775807, 2)",
        "INSERT INTO g_log(rowid, edge) VALUES (9223372036854775806, 1); INSERT INTO "
        "g_log(edge) "
        "VALUES "
        "(2)",
        "UPDATE g_log SET rowid = rowid - 9223372036854775807",
        "DELETE FROM g_log; INSERT INTO g_log(rowid) VALUES (-9223372036854775808)",
        "DELETE FROM g_log",
        "INSERT INTO g_log(edge) VALUES ('text'), (1.5), (x'00'), (NULL), (1e300)",
        "INSERT INTO g_log(edge) VALUES (9223372036854775807), (-9223372036854775808)",
    };
    const int count = sizeof logs / sizeof *logs;
    for (int twice = 0; twice < count; twice++) {
        open_graph();
        run("INSERT INTO roads VALUES (4, 5, 6)");
        expect("5", "SELECT count(*) FROM g");
        for (int i = 0; i < 2; i++) {
            sqlite3_free(ask("%s", logs[i ? twice : _i])); /* some fail if repeated */
            expect("1", "SELECT length(state) > 0 FROM gpugraph_graphs");
            graph_is("g", "roads");
            run("BEGIN");
            expect("5", "SELECT count(*) FROM g");
            run("COMMIT");
            run("UPDATE roads SET metres = metres + 1 WHERE rowid = 2");
            graph_is("g", "roads");
        }
        sql_close();
    }
}
END_TEST

/* ---- a file that is put back ---- */

static char file[64], saved[80];

static const char *const kinds[] = {
    "CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres)",
    "CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, UNIQUE(id, a))",
    /* the log does not name the changed rows, so any row may have changed */
    "CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, twice AS (id * 2) UNIQUE)",
};

static sqlite3 *open_file(const char *name, bool extension) {
    sqlite3 *opened;
    ck_assert_int_eq(sqlite3_open(name, &opened), SQLITE_OK);
    sqlite3_exec(opened, "PRAGMA synchronous = off", NULL, NULL, NULL);
    if (extension)
        ck_assert_int_eq(sqlite3_gpugraph_init(opened, NULL, NULL), SQLITE_OK);
    return opened;
}

static void run_on(sqlite3 *on, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values), *error = NULL;
    va_end(values);
    ck_assert_msg(sqlite3_exec(on, sql, NULL, NULL, &error) == SQLITE_OK, "%s: %s", sql,
                  error);
    sqlite3_free(sql);
}

/* A program that has not loaded the extension. */
static void elsewhere(const char *sql) {
    sqlite3 *other = open_file(file, false);
    run_on(other, "%s", sql);
    ck_assert_int_eq(sqlite3_close(other), SQLITE_OK);
}

static void make_file(const char *table, const char *options) {
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-history-%d.db", (int)getpid());
    snprintf(saved, sizeof saved, "%s-saved", file);
    unlink(file);
    db = open_file(file, true);
    run("%s", table);
    run("INSERT INTO roads(a, b, metres) VALUES (1, 2, 5), (2, 3, 7), (3, 4, 1)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres)%s)", options);
}

static void remove_file(void) {
    sql_close();
    unlink(file);
    unlink(saved);
}

static void look(void) {
    expect_same("SELECT src, dst, weight, edge FROM g ORDER BY edge",
                "SELECT a, b, metres, id FROM roads ORDER BY id");
    expect("'ok'", "SELECT gpugraph_check('g')");
}

/* Copies in another process, because closing the file here would end SQLite's locks. */
static void copy_bytes(const char *from, const char *to) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        execlp("cp", "cp", from, to, (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void copy_pages(sqlite3 *from, sqlite3 *to) {
    sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");
    ck_assert_ptr_nonnull(b);
    ck_assert_int_eq(sqlite3_backup_step(b, -1), SQLITE_DONE);
    sqlite3_backup_finish(b);
}

static void put_back_bytes(void) {
    copy_bytes(saved, file);
}

static void put_back_pages(void) {
    sqlite3 *from = open_file(saved, false), *to = open_file(file, false);
    copy_pages(from, to);
    sqlite3_close(from);
    sqlite3_close(to);
}

/* The shell's .restore into the connection that has the mirror. */
static void put_back_here(void) {
    sqlite3 *from = open_file(saved, false);
    copy_pages(from, db);
    sqlite3_close(from);
}

/* The connection continues with the old file, to which the name no longer refers. */
static void put_back_by_name(void) {
    char made[96];
    sqlite3 *from = open_file(saved, false);
    snprintf(made, sizeof made, "%s-made", saved);
    unlink(made);
    run_on(from, "VACUUM INTO %Q", made);
    sqlite3_close(from);
    ck_assert_int_eq(rename(made, file), 0);
}

static void (*const put_back[])(void) = {put_back_bytes, put_back_pages, put_back_here,
                                         put_back_by_name};

/* Writes rows of history number `which` in one transaction, then commits `which` more
** transactions. So the histories end with different change counters; SQLite does not
** notice that a file was replaced if its counter is equal. */
static void write_history(int entries, int which) {
    sqlite3 *other = open_file(file, false);
    run_on(other, "BEGIN");
    for (int i = 0; i < entries; i++) {
        int what = (i + which / 3) % 3, row = (i * which) % 7;
        if (what == 0)
            run_on(other, "INSERT INTO roads(a, b, metres) VALUES (%d, %d, %d)", which,
                   i % 5, which);
        else if (what == 1)
            run_on(other, "UPDATE roads SET b = %d WHERE id = %d", which + i, row);
        else
            run_on(other, "UPDATE roads SET metres = %d WHERE id = %d", which * 10 + i,
                   row);
    }
    run_on(other, "COMMIT");
    for (int i = 0; i < which; i++)
        run_on(other, "PRAGMA user_version = %d", which + i);
    ck_assert_int_eq(sqlite3_close(other), SQLITE_OK);
}

START_TEST(another_history) {
    static const int lengths[] = {0, 1, 2, 7, 15, 31, 32, 33, 50};
    const int count = sizeof lengths / sizeof *lengths, ways = 4;
    int way = _i % ways, before = lengths[_i / ways % count];
    for (int lost = 1; lost < count; lost += 1 + _i % 3) {
        for (int made = lost > 2 ? lost - 2 : 0; made < count && made < lost + 3;
             made++) {
            if (left_out((uint64_t)(_i + 7 * lost + made)))
                continue;
            make_file(kinds[(_i + lost + made) % 3], "");
            look();
            write_history(before, 1);
            look();
            copy_bytes(file, saved);
            write_history(lengths[lost], 2);
            look();
            put_back[way]();
            if (made % 4 == 3)
                look();
            write_history(lengths[made], 3);
            look();
            elsewhere("INSERT INTO roads(a, b, metres) VALUES (7, 8, 9)");
            look();
            sqlite3_close(db);
            db = open_file(file, true);
            look();
            remove_file();
        }
    }
}
END_TEST

/* Restores an older file between two queries, several times with one mirror. */
START_TEST(back_and_forth) {
    make_file(kinds[_i % 3], _i & 1 ? ", persist = 1" : "");
    look();
    for (int i = 0; i < 12; i++) {
        copy_bytes(file, saved);
        write_history(1 + i, 1);
        look();
        put_back[_i % 2]();
        write_history(1 + i % 4, 2);
        look();
    }
    remove_file();
}
END_TEST

/* An entry without a rowid, after which any edge may have changed, causes one reading of
** the table. Later commits cause none. */
START_TEST(any_change_is_read_once) {
    make_file(kinds[2], "");
    elsewhere("CREATE TABLE another(x)");
    look();
    for (int i = 0; i < 5; i++) {
        elsewhere("INSERT INTO roads(a, b, metres) VALUES (7, 8, 9)");
        look();
        elsewhere("INSERT INTO another VALUES (1)");
        run("SELECT count(*) FROM gpu_bfs('g', 1)");
        expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    }
    expect("1", "SELECT count(*) FROM g_marks");
    remove_file();
}
END_TEST

/* The test uses no table function, because after sqlite3_deserialize SQLite 3.40 still
** has the tables of table functions in the schema of the replaced file. */
START_TEST(an_image_in_memory) {
    sqlite3_int64 size;
    make_file(kinds[0], "");
    look();
    write_history(5, 1);
    look();
    unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
    write_history(5, 2);
    look();
    ck_assert_int_eq(sqlite3_deserialize(db, "main", image, size, size,
                                         SQLITE_DESERIALIZE_FREEONCLOSE |
                                             SQLITE_DESERIALIZE_RESIZEABLE),
                     SQLITE_OK);
    look();
    run("UPDATE roads SET b = b + 1");
    look();
    remove_file();
}
END_TEST

/* ---- blocks ---- */

static int schema_version(sqlite3 *of) {
    sqlite3_stmt *statement;
    sqlite3_prepare_v2(of, "PRAGMA schema_version", -1, &statement, NULL);
    sqlite3_step(statement);
    int version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return version;
}

/* Drops the triggers, changes rows, and makes the triggers again. */
static void change_unseen(sqlite3 *other, const char *triggers) {
    enum { MOST = 16 };
    char *name[MOST], *sql[MOST];
    int count = 0;
    sqlite3_stmt *statement;
    sqlite3_prepare_v2(other, triggers, -1, &statement, NULL);
    for (; sqlite3_step(statement) == SQLITE_ROW && count < MOST; count++) {
        name[count] = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
        sql[count] = sqlite3_mprintf("%s", sqlite3_column_text(statement, 1));
    }
    sqlite3_finalize(statement);
    ck_assert_int_gt(count, 2);
    run_on(other, "BEGIN");
    for (int i = 0; i < count; i++)
        run_on(other, "DROP TRIGGER %Q", name[i]);
    run_on(other, "UPDATE roads SET b = b + 10");
    for (int i = 0; i < count; i++) {
        run_on(other, "%s", sql[i]);
        sqlite3_free(name[i]);
        sqlite3_free(sql[i]);
    }
    run_on(other, "COMMIT");
}

/* The schema version of a copy starts low and reaches the version at which the blocks
** were written. */
START_TEST(blocks_of_another_schema) {
    static const char *const triggers[] = {
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid DESC",
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = "
        "'roads'"};
    make_file(kinds[0], ", persist = 1");
    for (int i = 0; i < 40; i++)
        run("CREATE VIEW churn AS SELECT 1; DROP VIEW churn");
    if (_i & 1)
        run("VACUUM");
    if (_i & 2)
        run("ALTER TABLE g RENAME TO h; ALTER TABLE h RENAME TO g");
    expect("1", "SELECT gpugraph_save('g') > 0");
    look();
    int version = schema_version(db);
    unlink(saved);
    sqlite3 *copy = open_file(saved, false);
    copy_pages(db, copy);
    change_unseen(copy, triggers[_i / 4]);
    for (int i = 0; schema_version(copy) < version; i++)
        run_on(copy, i % 2 ? "DROP VIEW churn" : "CREATE VIEW churn AS SELECT 1");
    ck_assert_int_eq(schema_version(copy), version);
    sqlite3_close(copy);
    sqlite3_close(db);
    db = open_file(saved, true);
    look();
    expect("1", "SELECT count(*) > 0 FROM roads WHERE b > 10");
    expect("1", "SELECT gpugraph_save('g') > 0");
    sqlite3_close(db);
    db = open_file(saved, true);
    look();
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    remove_file();
}
END_TEST

const struct suite suite = {
    "follow_history",
    {{"history", .timeout = 60,
      .cases = {{&any_numbers_in_the_log, 9},
                {&another_history, 36},
                {&back_and_forth, 6},
                {&any_change_is_read_once},
                {&an_image_in_memory},
                {&blocks_of_another_schema, 12}}}},
};
