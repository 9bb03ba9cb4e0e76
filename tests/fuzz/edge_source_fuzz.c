/* Takes any bytes as `edges`, `vertices` and the other arguments. The call must not crash
** or leak, and every failure must have a sentence.
**
**     input    up to the first zero byte: edges; then vertices, source, sources,
**              direction, params
**
** The test first checks answers of the parser alone. Then it calls the table functions on
** a small database, with bound texts, so that queries are allowed. Seeds:
** edge_source_fuzz/ beside this file. */
#include "source/source.h"
#include "gpugraph_extension.h"
#include <stdlib.h>
#include <string.h>

static void check(int holds) {
    if (!holds)
        abort();
}

/* The parser must understand a name again when it is quoted. */
static void check_name(const char *name) {
    edge_source again;
    char *error, *quoted = sqlite3_mprintf("\"%w\"", name);
    check(edge_parse(quoted, (int)strlen(quoted), EDGE_COLUMNS, &again, &error) ==
          SQLITE_OK);
    check(again.query == NULL && again.columns == 0 && strcmp(again.table, name) == 0);
    edge_source_clear(&again);
    sqlite3_free(quoted);
}

static void parse(const char *text, int bytes, int columns) {
    edge_source source;
    char *error;
    int rc = edge_parse(text, bytes, columns, &source, &error);
    check((rc == SQLITE_OK) == (error == NULL));
    check(rc == SQLITE_OK || (rc == SQLITE_ERROR && *error));
    sqlite3_free(error);
    if (rc)
        return;
    check((source.query != NULL) != (source.table != NULL));
    check(source.columns <= columns && (columns == 1 || source.columns != 1));
    if (source.table)
        check_name(source.table);
    for (int i = 0; i < source.columns; i++)
        check_name(source.column[i]);
    edge_source_clear(&source);
}

/* Queries that the fuzzer makes may run forever. */
static int stop(void *left) {
    return --*(int *)left < 0;
}

static sqlite3 *open_database(void) {
    sqlite3 *db;
    check(sqlite3_open(":memory:", &db) == SQLITE_OK);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    check(sqlite3_gpugraph_init(db, NULL, NULL) == SQLITE_OK);
    check(sqlite3_exec(
              db,
              "CREATE TABLE roads(src, dst, weight);"
              "INSERT INTO roads VALUES (1, 2, 3), (2, 'a', 1.5), ('a', 1, 0), (4, 4, 1);"
              "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (NULL, 3);"
              "CREATE VIEW v AS SELECT src, dst FROM roads;"
              "CREATE TABLE ids(a, b, w, id); INSERT INTO ids VALUES (1, 2, 3, 'x'),"
              "(2, 3, 4, 9), (3, 1, 5, NULL), (1, 3, 5, 2.0);"
              "CREATE VIEW i AS SELECT a AS src, b AS dst, id FROM ids;"
              "CREATE TABLE places(id); INSERT INTO places VALUES (9), ('z')",
              NULL, NULL, NULL) == SQLITE_OK);
    return db;
}

enum { PARTS = 6 };

static void search(sqlite3 *db, const char *sql, const char *const *part,
                   const int *bytes) {
    sqlite3_stmt *statement;
    int left = 2000;
    check(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
    sqlite3_progress_handler(db, 100, stop, &left);
    for (int i = 0; i < sqlite3_bind_parameter_count(statement); i++) {
        if (part[i])
            sqlite3_bind_text(statement, i + 1, part[i], bytes[i], SQLITE_STATIC);
    }
    int rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
        ;
    check(rc == SQLITE_DONE || *sqlite3_errmsg(db));
    check(rc != SQLITE_ERROR || strcmp(sqlite3_errmsg(db), "SQL logic error") != 0);
    sqlite3_finalize(statement);
    sqlite3_progress_handler(db, 0, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sqlite3 *db;
    if (size > 4096)
        return 0;
    parse((const char *)data, (int)size, EDGE_COLUMNS);
    parse((const char *)data, (int)size, 1);
    const char *part[PARTS] = {NULL}, *at = (const char *)data, *end = at + size;
    int bytes[PARTS] = {0};
    for (int i = 0; i < PARTS && at <= end; i++) {
        const char *zero =
            i + 1 < PARTS && at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        part[i] = at;
        bytes[i] = (int)((zero ? zero : end) - at);
        at += bytes[i] + 1;
    }
    if (!db)
        db = open_database();
    search(db,
           "SELECT * FROM gpu_bfs(?1, ?3) WHERE vertices = ?2 AND direction = ?5 AND "
           "params = ?6",
           part, bytes);
    search(db, "SELECT * FROM gpu_sssp(?1) WHERE vertices = ?2 AND sources = ?4", part,
           bytes);
    search(db, "SELECT * FROM gpu_mis(?1) WHERE vertices = ?2 AND priority = ?3", part,
           bytes);
    return 0;
}
