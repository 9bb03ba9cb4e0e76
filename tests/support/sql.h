/* Asking SQL in tests: one in-memory database with the extension, and what statements
** are expected to say. Rows are written "1|2;'a'|-": columns, rows, texts in quotes,
** NULL as a dash. */
#ifndef SUPPORT_SQL_H
#define SUPPORT_SQL_H

#include <sqlite3.h>
#include <stdbool.h>

extern sqlite3 *db;

void sql_open(void);
void sql_close(void); /* fails where statements or cursors are left */
/* All formats are those of sqlite3_mprintf. */
void run(const char *format, ...);
/* The rows, or "error: sentence"; sqlite3_free. */
char *ask(const char *format, ...);
/* The same in another connection. */
char *ask_in(sqlite3 *c, const char *sql);
/* The rows that a prepared statement has yet to give; *rc is what ended them. */
char *rows_of(sqlite3_stmt *statement, int *rc);
void expect(const char *rows, const char *format, ...);
/* An error that begins with the function's name, once, and has the part in it. */
void expect_error(const char *function, const char *part, const char *format, ...);
/* Has this SQLite the module? Not every library has fts5 and rtree. */
bool sql_has_module(const char *name);
/* Two queries with the same rows in the same order, and no error. */
void expect_same(const char *first, const char *second);

/* roads(src, dst, weight): 1 -> 2 -> 3 -> 4, a dear short cut 1 -> 3, a loop at 2, and
** 8 -> 9 apart. */
void make_roads(void);
/* m random edges between vertices 1 .. n, weights 1 .. 9. */
void make_random(const char *name, int n, int m, unsigned seed);

#endif
