/* Changes of the file outside of statements: incremental writes to blobs, older copies
** that replace the file, and copies that have a history of their own. */
#include "adversary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- blobs ---- */

static void write_blob(int who, sqlite3_int64 row) {
    sqlite3_blob *blob = NULL;
    const char *text = ONE_OF("a", "b", "3", "B");
    char told[120];
    int rc = sqlite3_blob_open(w.db[who], w.schema, w.table, w.a, row, 1, &blob);
    if (rc == SQLITE_OK)
        rc = sqlite3_blob_write(blob, text, 1, 0);
    int closed = sqlite3_blob_close(blob);
    sqlite3_snprintf(sizeof told, told, "-- sqlite3_blob_write to %s of row %lld: %s",
                     w.a, row, text);
    trace(who == KEEPER ? "keeper" : "second", told, rc || closed ? "refused" : "ok");
}

/* Replaces a text of one byte by another one, in a transaction or without. Skips followed
** graphs, because sqlite3_blob_write fires no triggers. */
void blob_any(void) {
    int who = (int)pick(2), agreement;
    char *again, *text;
    if (w.followed || !w.kind->rowids || w.kind->ids == 'i')
        return;
    count_kind("blob");
    sqlite3_int64 row = number_from(
        w.db[who],
        "SELECT max(rowid) FROM $t WHERE typeof($a) = 'text' AND length($a) = 1");
    if (row <= 0) {
        perform(who,
                "INSERT OR IGNORE INTO $t($a, $b, $w) VALUES ('a', 'b', 1), ('b', 2, "
                "2)");
        return;
    }
    if (pick(3) && sqlite3_get_autocommit(w.db[who]))
        perform(who, "BEGIN IMMEDIATE");
    text = any_question(who, &again, &agreement);
    ask_texts(w.db[who], "before a blob", text, again, agreement);
    write_blob(who, row);
    ask_texts(w.db[who], "after a blob", text, again, agreement);
    sqlite3_free(text);
    sqlite3_free(again);
}

/* ---- older copies replace the file ---- */

static char *beside(const char *suffix) {
    return sqlite3_mprintf("%s%s", w.file, suffix);
}

/* Overwrites the bytes, so the file keeps its inode. No connection has a lock. */
static void copy_bytes(const char *from, const char *to) {
    static char block[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "rb+");
    size_t bytes, all = 0;
    if (!out)
        out = fopen(to, "wb");
    if (!in || !out)
        wrong("no copy of %s", from);
    while ((bytes = fread(block, 1, sizeof block, in)) > 0)
        all += fwrite(block, 1, bytes, out);
    fclose(in);
    if (fclose(out) != 0 || truncate(to, (off_t)all) != 0)
        wrong("%s cannot be written", to);
    trace("-", "-- the file is copied over in place", to);
}

static void back_up(const char *from, const char *to) {
    sqlite3 *source = world_open(from, false), *target = world_open(to, false);
    sqlite3_backup *b = sqlite3_backup_init(target, "main", source, "main");
    int rc = b ? sqlite3_backup_step(b, -1) : SQLITE_ERROR;
    sqlite3_backup_finish(b);
    sqlite3_close(source);
    sqlite3_close(target);
    trace("-", "-- sqlite3_backup", to);
    if (rc != SQLITE_DONE)
        wrong("no backup into %s: %d", to, rc);
}

/* The counter by which SQLite detects changes of a file. */
static uint32_t change_counter(void) {
    unsigned char at[4] = {0};
    FILE *file = fopen(w.file, "rb");
    if (!file || fseek(file, 24, SEEK_SET) || fread(at, 1, 4, file) != 4)
        wrong("%s has no header", w.file);
    fclose(file);
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Lets all connections read before the counter has an old value again. */
static void everyone_looks(void) {
    for (int i = 0; i < CONNECTIONS; i++)
        number_from(w.db[i], "SELECT count(*) FROM $t");
}

static void change_some(uint32_t most) {
    for (uint32_t i = pick(most); i > 0; i--) {
        char *sql = any_write();
        perform(w.fires_functions ? SECOND : PLAIN, "%s", sql);
        sqlite3_free(sql);
    }
}

/* Restores an older copy and writes other rows. If the change counter then has the value
** that the keeper saw last, SQLite itself sees no difference, so the function writes once
** more. */
void restore_any(void) {
    bool in_place = pick(2);
    char *saved = beside("-saved");
    world_settle();
    if (w.wal && in_place) { /* the log beside the file would belong to another history */
        sqlite3_free(saved);
        return;
    }
    count_kind("restore");
    world_unlink(saved);
    (in_place ? copy_bytes : back_up)(w.file, saved);
    for (uint32_t i = 1 + pick(3); i > 0; i--) {
        change_some(4);
        ask_any(KEEPER);
    }
    ask_any(SECOND);
    everyone_looks();
    uint32_t seen = change_counter();
    (in_place ? copy_bytes : back_up)(saved, w.file);
    number_from(w.db[w.fires_functions ? SECOND : PLAIN], "SELECT count(*) FROM $t");
    change_some(6);
    for (uint32_t i = 1; !w.wal && change_counter() == seen; i++)
        must(PLAIN, "PRAGMA user_version = %u", i);
    everyone_looks();
    for (int i = 0; i < 3; i++)
        ask_any(pick(3) ? KEEPER : SECOND);
    world_unlink(saved);
    sqlite3_free(saved);
}

/* ---- a copy with a history of its own ---- */

static void run_in(sqlite3 *db, const char *sql) {
    char *error = NULL;
    sqlite3_exec(db, sql, NULL, NULL, &error);
    trace("copy", sql, error ? error : "ok");
    sqlite3_free(error);
}

/* Drops the graph's triggers. Returns the statements that make them again. */
static sqlite3_str *read_triggers(sqlite3 *db) {
    sqlite3_stmt *s = NULL;
    sqlite3_str *made = sqlite3_str_new(NULL), *gone = sqlite3_str_new(NULL);
    char *sql = sqlite3_mprintf("SELECT name, sql FROM sqlite_schema WHERE type = "
                                "'trigger' AND name GLOB '%q_*'",
                                w.graph);
    sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    while (sqlite3_step(s) == SQLITE_ROW) {
        sqlite3_str_appendf(gone, "DROP TRIGGER \"%w\";", sqlite3_column_text(s, 0));
        sqlite3_str_appendf(made, "%s;", sqlite3_column_text(s, 1));
    }
    sqlite3_finalize(s);
    sqlite3_free(sql);
    sql = sqlite3_str_finish(gone);
    run_in(db, sql ? sql : "");
    sqlite3_free(sql);
    return made;
}

static void ask_in(const char *file) {
    sqlite3 *db = world_open(file, true);
    world_asks(KEEPER); /* with the names of its main schema */
    for (int i = 0; i < 2; i++) {
        question q;
        question_begin(&q);
        if (i == 0)
            question_lookup(&q);
        else
            question_call(&q);
        ask(db, "in the copy", &q);
    }
    if (sqlite3_close(db) != SQLITE_OK)
        wrong("a connection to the copy cannot be closed");
}

/* Makes a backup, which has a lower schema version. Drops the triggers, writes rows,
** makes the triggers, and changes the schema until it has the version of the original. */
void move_any(void) {
    char *copy, *text;
    if (!w.persists || !w.followed || w.fires_functions || has(F_errors))
        return;
    copy = beside("-copy");
    count_kind("move");
    world_settle();
    world_unlink(copy);
    back_up(w.file, copy);
    sqlite3 *db = world_open(copy, false);
    sqlite3_str *triggers = read_triggers(db);
    for (int i = 0; i < 6; i++) {
        char *write = any_write();
        text = expand(write, false);
        run_in(db, text);
        sqlite3_free(write);
        sqlite3_free(text);
    }
    text = sqlite3_str_finish(triggers);
    run_in(db, text ? text : "");
    sqlite3_free(text);
    for (int i = 0; number_from(db, "PRAGMA schema_version") <= w.schema_version; i++) {
        if (number_from(db, "PRAGMA schema_version") >= w.schema_version - 2)
            ask_in(copy);
        run_in(db, i % 2 ? "DROP TABLE pad" : "CREATE TABLE pad(x)");
    }
    sqlite3_close(db);
    world_unlink(copy);
    sqlite3_free(copy);
}
