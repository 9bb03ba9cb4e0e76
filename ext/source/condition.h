/* The condition on the rows of a table that are edges: condition.c. */
#ifndef GPUGRAPH_CONDITION_H
#define GPUGRAPH_CONDITION_H

#include "base/table_info.h"

/* " WHERE (...)", or whatever stands before the bracket. Nothing where the condition is NULL. */
void condition_append(sqlite3_str *sql, const char *before, const char *condition);
/* Reads the condition out of the text of a trigger, which ALTER TABLE keeps up to date with the
** columns' names. *condition is NULL where the trigger has none; sqlite3_free. */
int condition_of_trigger(const char *sql, char **condition);
/* Must succeed before any statement has the condition in it. (*used)[i]: the condition reads column
** i of the table; sqlite3_free, also after an error. *error: a sentence without a function's
** name. */
int condition_check(sqlite3 *db, const table_info *table, const char *condition,
                    bool **used, char **error);
/* "main"."roads" with what keeps SQLite from reading an index in its place, whichever columns
** are read, so that rows come in the order of their keys; perhaps with ORDER BY. */
void append_table_in_order(sqlite3_str *sql, const table_info *info, const char *where);

#endif
