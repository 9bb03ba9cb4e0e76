/* The condition that rows must meet to be edges: condition.c has the overview. */
#ifndef GPUGRAPH_CONDITION_H
#define GPUGRAPH_CONDITION_H

#include "base/table_info.h"

/* Appends " BEFORE (CONDITION)", for example with WHERE before the parenthesis. Appends
** nothing if the condition is NULL. */
void condition_append(sqlite3_str *sql, const char *before, const char *condition);
/* Reads the condition from the text of a trigger. ALTER TABLE updates that text when a
** column is renamed. *condition (sqlite3_free) is NULL if the trigger has none. */
int condition_of_trigger(const char *sql, char **condition);
/* Checks the condition. It must succeed before a statement contains the condition.
** (*used)[i] says whether the condition reads column i of the table; free it by
** sqlite3_free, also after an error. *error is a sentence without a function's name. */
int condition_check(sqlite3 *db, const table_info *table, const char *condition,
                    bool **used, char **error);
/* expression.c: checks that the text is one expression over columns of the table,
** constants and functions, and that every program and every connection gets the same
** answer at any time. used[i] is set for each column that the expression reads; the array
** has table->columns entries, all false before. If the result is SQLITE_ERROR, *fault
** (sqlite3_free) is a clause for the caller's sentence, as "calls random, which ...". */
int expression_check(sqlite3 *db, const table_info *table, const char *text, bool *used,
                     char **fault);
/* Appends "main"."roads" and a clause that makes SQLite read the rows in the order of
** their keys: NOT INDEXED, or an index and ORDER BY. */
void append_table_in_order(sqlite3_str *sql, const table_info *info, const char *where);

#endif
