/* SQL queries in tests: one in-memory database with the extension, and expected answers.
** Rows are written "1|2;'a'|-": columns, rows, texts in quotes, NULL as a dash. */
#ifndef SUPPORT_SQL_H
#define SUPPORT_SQL_H

#include <sqlite3.h>
#include <stdbool.h>

extern sqlite3 *db;

void sql_open(void);
void sql_close(void); /* fails if statements or cursors are left */
/* All formats are those of sqlite3_mprintf. */
void run(const char *format, ...);
/* The rows, or "error: message"; free with sqlite3_free. */
char *ask(const char *format, ...);
/* Like ask, in another connection. */
char *ask_in(sqlite3 *c, const char *sql);
/* The remaining rows of a prepared statement; *rc is its last result code. */
char *rows_of(sqlite3_stmt *statement, int *rc);
void expect(const char *rows, const char *format, ...);
/* Expects an error that begins with the function's name, once, and contains `part`. */
void expect_error(const char *function, const char *part, const char *format, ...);
/* True if this SQLite has the module; some libraries lack fts5 or rtree. */
bool sql_has_module(const char *name);
/* Expects two queries to give equal rows in equal order, without error. */
void expect_same(const char *first, const char *second);

/* roads(src, dst, weight): 1 -> 2 -> 3 -> 4, an expensive short cut 1 -> 3, a loop at 2,
** and a separate edge 8 -> 9. */
void make_roads(void);
/* m random edges between vertices 1 .. n, weights 1 .. 9. */
void make_random(const char *name, int n, int m, unsigned seed);

#endif
