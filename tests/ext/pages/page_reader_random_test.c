/* Compares the page reader with SELECT on tables made by random statements, on files and
** logs with random damage, and with a failure of each allocation. The reader may give up
** only if the reason that it gives is true. */
#include "page_compare.h"
#include <math.h>
#include "share.h"
#include "suite.h"
#include "pages/format.h"
#include "pages/wal_frames.h"

/* Seeds for each test. PAGE_READER_SEEDS=N in the environment sets another number. */
enum { SEEDS = 60, STEPS = 25 };

static uint64_t random_state;

static uint32_t pick(uint32_t below) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)((z ^ z >> 31) >> 33) % below;
}

static const char *pick_text(const char *const *text, uint32_t count) {
    return text[pick(count)];
}

#define PICK(...)                                                                        \
    pick_text((const char *const[]){__VA_ARGS__},                                        \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static int seeds(void) {
    const char *wanted = getenv("PAGE_READER_SEEDS");
    return wanted ? atoi(wanted) : SEEDS;
}

/* ---- random tables ---- */

static bool with_texts; /* ids may be texts in this table */
static bool without_rowid;

static const char *random_text(void) {
    return PICK("'v' || n % 500", "'v' || n", "''", "hex(n)", "char(n % 900 + 1)",
                "substr(hex(zeroblob(40)), 1, n % 70)", "'a' || char(0) || n % 50",
                "hex(zeroblob(n % 400))", "char(n * 40503 % 65536, n % 3000)",
                "CASE n % 50 WHEN 7 THEN hex(zeroblob(n * 31 % 3000)) ELSE 'k' || n END",
                "CASE n % 3 WHEN 0 THEN n ELSE 'x' || n END", "CAST(n % 300 AS TEXT)",
                "CASE n % 100 WHEN 0 THEN 'rare' ELSE n END");
}

static const char *random_id(void) {
    if (pick(6) == 0)
        return PICK("CASE n % 7 WHEN 0 THEN NULL ELSE n END", "NULL", "n * 1.0",
                    "CASE n % 9 WHEN 0 THEN n * 1e15 WHEN 1 THEN NULL ELSE -n END",
                    "CASE n % 400 WHEN 399 THEN NULL ELSE n END", "-1.0 * (n << 40)");
    if (with_texts && pick(3))
        return random_text();
    return PICK("n", "n * 7919 % 1000", "0", "1", "n % 3", "-n", "n << 8", "n << 20",
                "n << 33", "n << 48", "random()", "9223372036854775807 - n % 2",
                "-9223372036854775807 - n % 2", "128 - n % 3", "32768 - n % 3");
}

static const char *random_weight(void) {
    return PICK("n", "1", "0", "n % 2", "n * 0.5", "n * 0.1", "random()", "9e999", "7.0",
                "CAST(n AS TEXT)", "n || '.' || n % 100", "'0.' || abs(random())",
                "CASE n % 5 WHEN 0 THEN NULL ELSE n END", "n % 3 - 1", "'1e' || n % 400",
                "CASE n % 90 WHEN 0 THEN ' 5' ELSE n END");
}

static const char *random_filler(void) {
    return PICK("NULL", "1", "'x'", "2.5", "zeroblob(n % 50)", "hex(zeroblob(40))",
                "zeroblob(300)", "hex(zeroblob(n % 700))", "zeroblob(n * 7919 % 9000)",
                "CASE n % 60 WHEN 0 THEN zeroblob(70000) END");
}

/* A simple condition on columns that every table has, without truth values of texts. */
static const char *random_filter(void) {
    return PICK("n % 3", "w > 1", "w IS NOT NULL AND w >= 0", "n < 200 OR src = 7",
                "src <> 0 AND dst <> 0", "id BETWEEN -5 AND 100", "back NOT IN (1, 0.5)",
                "NOT (dst > 100)", "src = dst", "w = '5' OR n <= 50", "src IS NOT 'v7'",
                "n IS NULL OR n > 12");
}

static const char *random_default(void) {
    return PICK("5", "'text'", "'0.25'", "1.5", "-3", "''", "'12'", "NULL", "x'00'",
                "'caf\u00e9'", "9223372036854775807", "0");
}

static const char *random_type(char role) {
    if (role == 'w')
        return PICK("", "INT", "NUMERIC", "REAL", "TEXT");
    return with_texts ? PICK("", "TEXT", "VARCHAR(20)", "INT")
                      : PICK("", "INT", "INTEGER", "NUMERIC", "REAL");
}

static void add_fillers(sqlite3_str *sql, int *fillers) {
    while (pick(4) == 0)
        sqlite3_str_appendf(sql, "f%d, ", (*fillers)++);
}

/* Makes a table with the wanted columns in random order and random columns between them.
** Adds columns from number `late` on after rows. */
static void create_table(sqlite3 *db) {
    static const char *const names[6][3] = {{"src", "dst", "w"}, {"src", "dst", "w"},
                                            {"src", "dst", "w"}, {"dst", "src", "w"},
                                            {"w", "src", "dst"}, {"w", "dst", "src"}};
    const char *const *name = names[pick(6)];
    const uint32_t late = pick(3) || without_rowid ? 3 : pick(3);
    sqlite3_str *sql = sqlite3_str_new(NULL);
    int fillers = 0;

    sqlite3_str_appendall(sql, "CREATE TABLE e(");
    for (uint32_t i = 0; i < late; i++) {
        add_fillers(sql, &fillers);
        sqlite3_str_appendf(sql, "%s %s, ", name[i], random_type(name[i][0]));
    }
    sqlite3_str_appendall(sql, without_rowid
                                   ? "n, PRIMARY KEY(n, src, dst, w)) WITHOUT ROWID"
                               : pick(3) ? "n, id, back)"
                                         : "n, id, tail, back REAL)");
    char *text = sqlite3_str_finish(sql);
    run_sql(db, "%s", text);
    sqlite3_free(text);
    for (uint32_t i = late; i < 3; i++) {
        run_sql(
            db,
            "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < "
            "%d) INSERT INTO e(n) SELECT %s FROM i",
            (int)pick(400) + 1, random_filler());
        for (uint32_t k = 0; k < i; k++)
            run_sql(db, "UPDATE e SET %s = 1 WHERE %s IS NULL", name[k], name[k]);
        run_sql(db, "ALTER TABLE e ADD COLUMN %s %s DEFAULT %s", name[i],
                random_type(name[i][0]), random_default());
    }
}

static void random_insert(sqlite3 *db) {
    try_sql(
        db,
        "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)"
        " INSERT INTO e(n, src, dst, w, id, back) SELECT n, %s, %s, %s, %s, %s FROM i",
        (int)pick(pick(4) ? 300 : 6000) + 1, random_id(), random_id(), random_weight(),
        PICK("n", "n", "-n", "n % 9", "random()"), random_weight());
}

static void change_filler(sqlite3 *db) {
    static const char *const name[] = {"f0", "f1", "tail", "added"};
    try_sql(db,
            "WITH i(n) AS (VALUES(%d)) UPDATE e SET %s = (SELECT %s FROM i) "
            "WHERE n %% %d = 0 OR n IS NULL",
            (int)pick(500), name[pick(4)], random_filler(), (int)pick(5) + 1);
}

/* Runs one statement. An impossible statement fails and changes nothing. */
static void random_step(sqlite3 *db, sqlite3 *second) {
    static int renamed;
    switch (pick(21)) {
    case 0:
    case 1:
    case 2:
    case 3:
        random_insert(db);
        break;
    case 4:
    case 5:
        try_sql(db, "DELETE FROM e WHERE rowid %% %d = 0", (int)pick(40) + 2);
        break;
    case 6:
        try_sql(db, "DELETE FROM e WHERE rowid > %d", (int)pick(3000));
        break;
    case 7:
    case 8:
    case 9:
        change_filler(db);
        break;
    case 10:
        try_sql(db, "UPDATE e SET %s = %s WHERE rowid = %d", PICK("src", "dst", "w"),
                PICK("NULL", "'t'", "x'00'", "1.5", "4", "'5'", "hex(zeroblob(40000))"),
                (int)pick(1000));
        break;
    case 11:
        try_sql(db,
                "DELETE FROM e WHERE NOT is_end(src, %d) OR NOT is_end(dst, %d) OR NOT "
                "is_number(w) OR NOT is_number(back) OR typeof(id) <> 'integer'",
                with_texts, with_texts);
        break;
    case 12:
        try_sql(db, "ALTER TABLE e ADD COLUMN added %s",
                PICK("", "DEFAULT 5", "TEXT DEFAULT 'x'"));
        break;
    case 20:
        try_sql(db, "UPDATE e SET w = %s WHERE rowid %% %d = 1", random_weight(),
                (int)pick(9) + 1);
        break;
    case 13:
        try_sql(db, "ALTER TABLE e DROP COLUMN %s", PICK("f0", "f1", "tail", "added"));
        break;
    case 14:
        try_sql(db, "ALTER TABLE e RENAME COLUMN tail TO tail%d", renamed++);
        break;
    case 15:
        try_sql(db, "%s", PICK("VACUUM", "PRAGMA incremental_vacuum", "REINDEX"));
        break;
    case 16:
        try_sql(db, "%s",
                PICK("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s",
                     "RELEASE s"));
        break;
    case 17:
        try_sql(db, "PRAGMA wal_checkpoint(%s)", PICK("TRUNCATE", "PASSIVE", "RESTART"));
        break;
    case 18:
        try_sql(second, "%s",
                PICK("UPDATE e SET src = dst",
                     "INSERT INTO e(src, dst, w) "
                     "VALUES(1, 2, 3)",
                     "DELETE FROM e WHERE rowid < 50",
                     "CREATE TABLE IF NOT EXISTS o AS SELECT * FROM e",
                     "PRAGMA wal_checkpoint(TRUNCATE)"));
        break;
    default:
        try_sql(db, "UPDATE e SET rowid = rowid + %d WHERE rowid > %d", (int)pick(200),
                (int)pick(5000));
    }
}

/* is_end(src, texts): true if the value may be an end of an edge, or a NULL end. */
static void is_end(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count;
    int type = sqlite3_value_type(value[0]);
    double real = type == SQLITE_FLOAT ? sqlite3_value_double(value[0]) : 0;
    sqlite3_result_int(context, type == SQLITE_INTEGER || type == SQLITE_NULL ||
                                    (type == SQLITE_FLOAT && real == floor(real) &&
                                     real >= -0x1p63 && real < 0x1p63) ||
                                    (type == SQLITE_TEXT && sqlite3_value_int(value[1])));
}

/* is_number(w): true if sqlite3_value_numeric_type takes the value as a number. */
static void is_number(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count;
    int type = sqlite3_value_numeric_type(value[0]);
    sqlite3_result_int(context, type == SQLITE_INTEGER || type == SQLITE_FLOAT);
}

static int count_of(sqlite3 *db, const char *format, const char *a, const char *b) {
    sqlite3_stmt *one = NULL;
    char *sql = sqlite3_mprintf(format, a, b);
    int count = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &one, NULL) == SQLITE_OK &&
        sqlite3_step(one) == SQLITE_ROW)
        count = sqlite3_column_int(one, 0);
    sqlite3_finalize(one);
    sqlite3_free(sql);
    return count;
}

/* Checks that the reader's reason is true. began: the transaction was open before the
** latest statement. */
static void check_reason(const page_table *t, const char *why, bool began) {
    const char *text = t->texts ? "1" : "0";
    char *edge = sqlite3_mprintf(" IS NOT NULL AND (%s)", t->filter ? t->filter : "1");
    bool holds = false;
    if (strstr(why, "an id"))
        holds = count_of(t->db,
                         "SELECT count(*) FROM e WHERE NOT is_end(src, %s) OR NOT "
                         "is_end(dst, %s)",
                         text, text) > 0;
    else if (strstr(why, "an edge id"))
        holds =
            t->column[PAGE_EDGE_ID] &&
            count_of(t->db, "SELECT count(*) FROM e WHERE typeof(id) <> 'integer'%s%s",
                     "", "") > 0;
    else if (strstr(why, "a weight"))
        holds = t->column[PAGE_WEIGHT] &&
                count_of(t->db,
                         t->column[PAGE_REVERSE]
                             ? "SELECT count(*) FROM e WHERE (NOT (is_number(w) OR w IS "
                               "NULL) OR NOT (is_number(back) OR back IS NULL)) AND %s%s"
                             : "SELECT count(*) FROM e WHERE NOT is_number(w) AND %s%s",
                         "src IS NOT NULL AND dst", edge) > 0;
    else if (strstr(why, "write transaction"))
        holds = sqlite3_txn_state(t->db, "main") == SQLITE_TXN_WRITE;
    else if (strstr(why, "write-ahead log"))
        holds = began;
    else if (strstr(why, "the filter for some row")) /* texts */
        holds = sqlite3_txn_state(t->db, "main") == SQLITE_TXN_WRITE;
    else if (strstr(why, "evaluate the filter"))
        holds = strchr(t->filter, '%') || strcmp(t->filter, "src = dst") == 0;
    else if (strstr(why, "auto_vacuum"))
        holds = count_of(t->db, "PRAGMA auto_vacuum%s%s", "", "") > 0;
    else if (strstr(why, "does not open"))
        holds = without_rowid;
    sqlite3_free(edge);
    ck_assert_msg(holds, "the reader gave up: %s", why);
}

static sqlite3 *open_random(void) {
    sqlite3 *db = open_db(scratch, 0, NULL);
    int reserve = pick(3) == 0 ? (int)pick(32) : 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
    sqlite3_create_function(db, "is_number", 1, SQLITE_UTF8, NULL, is_number, NULL, NULL);
    sqlite3_create_function(db, "is_end", 2, SQLITE_UTF8, NULL, is_end, NULL, NULL);
    run_sql(db,
            "PRAGMA page_size = %d; PRAGMA auto_vacuum = %d; "
            "PRAGMA journal_mode = %s; PRAGMA cache_size = %d;"
            "PRAGMA wal_autocheckpoint = %d",
            512 << pick(8), (int)pick(3),
            PICK("DELETE", "TRUNCATE", "PERSIST", "WAL", "WAL", "WAL"), (int)pick(60) + 1,
            (int)pick(3) * 20);
    return db;
}

START_TEST(test_random_tables) {
    int used = 0, taken = 0;
    intern texts = {0};
    wal_notes notes = {0};
    for (int seed = 0; seed < seeds(); seed++) {
        if (left_out((uint64_t)seed))
            continue;
        taken++;
        random_state = (uint64_t)seed;
        with_texts = seed % 2;
        without_rowid = seed % 20 == 19;
        sqlite3 *db = open_random();
        create_table(db);
        sqlite3 *second = open_db(scratch, 0, NULL);
        page_table t = {
            .db = db,
            .schema = "main",
            .table = "e",
            .rowid = "rowid",
            .column = {"src", "dst", pick(4) ? "w" : NULL, pick(3) == 0 ? "id" : NULL},
            .texts = with_texts ? &texts : NULL,
            .wal = &notes};
        if (t.column[PAGE_WEIGHT] && pick(3) == 0)
            t.column[PAGE_REVERSE] = "back";
        if (pick(3) == 0)
            t.filter = random_filter();
        for (int step = 0; step < STEPS; step++) {
            wal_notes_take(&notes, db);
            const bool began = sqlite3_txn_state(db, "main") != SQLITE_TXN_NONE;
            random_step(db, second);
            wal_notes_take(&notes, db);
            const char *why = compare(&t, NULL);
            if (why)
                check_reason(&t, why, began);
            used += !why;
        }
        sqlite3_close(second);
        ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
        unlink(scratch);
    }
    wal_notes_clear(&notes);
    ck_assert(taken < 4 || (of_width[0] > taken && of_width[1] > taken));
    /* If the reader always gives up, the comparison above proves nothing. The few tables
    ** of a small share may all make it give up. */
    ck_assert(taken < 4 || used > taken * STEPS / 3);
}
END_TEST

/* ---- damaged files ---- */

static long file_size(FILE *file) {
    fseek(file, 0, SEEK_END);
    return ftell(file);
}

/* Changes bytes on the table's pages, mostly in headers of pages, overflow pages and
** cells. */
static void damage(FILE *file, long page_size) {
    long pages = file_size(file) / page_size;
    for (int changes = (int)pick(4) + 1; changes > 0; changes--) {
        long page = pick(3) ? 1 + pick((uint32_t)pages - 1) : 1;
        long at = page * page_size + pick(pick(2) ? 16 : (uint32_t)page_size);
        fseek(file, at, SEEK_SET);
        fputc((int)(pick(3) ? pick(256) : pick(2) * 255), file);
    }
    if (pick(20) == 0)
        ck_assert_int_eq(ftruncate(fileno(file), page_size * (1 + pick(4))), 0);
}

/* A table of a few pages, some with long values. Returns the page size. */
static int make_victim(const char *journal) {
    const int page_size = 512 << pick(3);
    sqlite3 *db = open_db(scratch, 0, NULL);
    run_sql(db,
            "PRAGMA page_size = %d; PRAGMA auto_vacuum = %d; "
            "PRAGMA journal_mode = %s; PRAGMA wal_autocheckpoint = 0;"
            "CREATE TABLE e(src, f, dst, w)",
            page_size, (int)pick(3), journal);
    run_sql(db,
            "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i "
            "WHERE n < %d) INSERT INTO e SELECT %s, %s, %s, %s FROM i",
            (int)pick(3000) + 100, random_id(), pick(2) ? "NULL" : random_filler(),
            random_id(), random_weight());
    sqlite3_close(db);
    return page_size;
}

static int tally[2]; /* damaged tables: the reader gave up; the reader read them */

static void compare_victim(sqlite3 *db, intern *texts) {
    page_table t = {.db = db,
                    .schema = "main",
                    .table = "e",
                    .rowid = "rowid",
                    .column = {"src", "dst", "w"},
                    .texts = with_texts ? texts : NULL};
    if (pick(3) == 0)
        t.filter = PICK("w > 1", "f IS NULL OR dst > 5", "w IS NOT 0.5 AND src > 5");
    tally[compare(&t, NULL) == NULL]++;
}

START_TEST(test_damaged_files) {
    intern texts = {0};
    for (int seed = 0; seed < 20 * seeds(); seed++) {
        if (left_out((uint64_t)seed))
            continue;
        random_state = 1000000 + (uint64_t)seed;
        with_texts = seed % 2;
        const int page_size = make_victim("DELETE");
        FILE *file = fopen(scratch, "r+b");
        damage(file, page_size);
        fclose(file);
        sqlite3 *db = open_db(scratch, 0, NULL);
        compare_victim(db, &texts);
        ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
        unlink(scratch);
    }
    ck_assert(tally[1] > 0 || left_out(0)); /* bytes without a meaning were changed */
    ck_assert_int_gt(tally[0], tally[1] / 4);
}
END_TEST

/* Damages frames of a log. One connection stays open and keeps the index of the log; then
** another connection, which has no cached pages, reads. */
START_TEST(test_damaged_logs) {
    char log[128];
    intern texts = {0};
    for (int seed = 0; seed < 5 * seeds(); seed++) {
        if (left_out((uint64_t)seed))
            continue;
        random_state = 2000000 + (uint64_t)seed;
        with_texts = seed % 2;
        const int page_size = make_victim("WAL");
        sqlite3 *keeper = open_db(scratch, 0, NULL);
        run_sql(keeper,
                "PRAGMA wal_autocheckpoint = 0; UPDATE e SET w = %s FROM (SELECT 5 "
                "AS n) WHERE e.rowid %% %d = 0",
                random_weight(), (int)pick(3) + 1);
        snprintf(log, sizeof log, "%s-wal", scratch);
        FILE *file = fopen(log, "r+b");
        long frames = (file_size(file) - 32) / (page_size + 24);
        for (int changes = (int)pick(4); changes > 0 && frames > 0; changes--) {
            long at = 32 + pick((uint32_t)frames) * (page_size + 24L);
            fseek(file, at + pick(pick(2) ? 40 : (uint32_t)page_size + 24), SEEK_SET);
            fputc((int)pick(256), file);
        }
        if (pick(20) == 0 && frames > 0)
            ck_assert_int_eq(
                ftruncate(fileno(file), 32 + pick((uint32_t)frames) * (page_size + 24L)),
                0);
        fclose(file);
        sqlite3 *db = open_db(scratch, 0, NULL);
        compare_victim(db, &texts);
        ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
        sqlite3_close(keeper);
        unlink(scratch);
        unlink(log);
    }
    /* A share of the seeds may have no table of one kind. */
    ck_assert(tally[0] > 0 || left_out(0));
    ck_assert(tally[1] > 0 || left_out(0));
}
END_TEST

/* ---- no memory ---- */

/* Allocations of this executable's own code fail from number allocations_left on; those
** of libraries do not. The sanitizers have an allocator of their own. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern char __executable_start, etext;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
static int allocations_left = -1;

static bool fails(const char *caller) {
    if (allocations_left < 0 || caller < &__executable_start || caller >= &etext)
        return false;
    return allocations_left == 0 || allocations_left-- == 0;
}

void *malloc(size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, bytes);
}

START_TEST(test_failing_allocations) {
    sqlite3 *db = open_db(scratch, 0, NULL);
    intern texts = {0};
    page_table t = {.db = db,
                    .schema = "main",
                    .table = "e",
                    .rowid = "rowid",
                    .column = {"src", "dst", "w"},
                    .filter = "n > 5 AND (w IN ('0.5', 'text') OR NOT id < 'x')",
                    .texts = &texts};
    page_columns c;
    const char *why = NULL;
    enum page_outcome outcome;
    int n = 0;

    sqlite3_create_function(db, "is_number", 1, SQLITE_UTF8, NULL, is_number, NULL, NULL);
    run_sql(db,
            "PRAGMA page_size = 512;"
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
            "CREATE TABLE e(n, src, dst, id, back); INSERT INTO e(n, src, dst) VALUES(0, "
            "1, 2);"
            "ALTER TABLE e ADD COLUMN w DEFAULT 'a text'; UPDATE e SET w = 1;"
            "ALTER TABLE e RENAME COLUMN w TO was; ALTER TABLE e ADD COLUMN w DEFAULT "
            "'0.5'");
    with_texts = true;
    for (int i = 0; i < 20; i++)
        random_insert(db);
    run_sql(db, "DELETE FROM e WHERE rowid %% 7 = 6 OR NOT is_number(w)");
    do {
        allocations_left = n++;
        outcome = page_read(&t, 2, NULL, NULL, &c, &why);
        allocations_left = -1;
        ck_assert(outcome == PAGE_READ || strstr(why, "memory"));
    } while (outcome != PAGE_READ);
    check_columns(&t, &c);
    ck_assert(c.text[0] && c.text[1]);
    page_columns_clear(&c);
    intern_clear(&texts);
    ck_assert_int_gt(n, 6);
    sqlite3_close(db);
}
END_TEST
#endif

const struct suite suite = {
    "page_reader_random",
    {{"random", .timeout = 600, .setup = scratch_make, .teardown = scratch_remove,
      .cases = {{&test_random_tables},
                {&test_damaged_files},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
                {&test_failing_allocations},
#endif
                {&test_damaged_logs}}}},
    .needs_device = ON_DEVICE,
    .no_forks = ON_DEVICE,
};
