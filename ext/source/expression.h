/* SQL expressions over the columns of one row: expression.c. */
#ifndef GPUGRAPH_EXPRESSION_H
#define GPUGRAPH_EXPRESSION_H

#include "base/table_info.h"

/* Checks that the text is one expression over columns of the table, constants and functions that
** give every program and every connection the same answer at any time. used[i] is set for each
** column of the table that the expression reads; the array has table->columns entries, all false.
** SQLITE_ERROR: *fault is a clause for the caller's sentence ("calls random, which ...");
** sqlite3_free. */
int expression_check(sqlite3 *db, const table_info *table, const char *text, bool *used,
                     char **fault);

#endif
