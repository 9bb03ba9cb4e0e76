/* Checks SQL expressions over the columns of one row: expression.c has the overview. */
#ifndef GPUGRAPH_EXPRESSION_H
#define GPUGRAPH_EXPRESSION_H

#include "base/table_info.h"

/* Checks that the text is one expression over columns of the table, constants and
** functions, and that every program and every connection gets the same answer at any
** time.
**
** used[i] is set for each column that the expression reads; the array has table->columns
** entries, all false before. If the result is SQLITE_ERROR, *fault (sqlite3_free) is a
** clause for the caller's sentence, as "calls random, which ...". */
int expression_check(sqlite3 *db, const table_info *table, const char *text, bool *used,
                     char **fault);

#endif
