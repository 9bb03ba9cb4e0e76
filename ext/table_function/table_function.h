/* The table functions: one virtual table, and a descriptor for each function
** (function.h).
**
**   xBestIndex  plan.c       constraints     -> idxNum (plan bits), idxStr (words)
**   xFilter     arguments.c  argv by words   -> struct arguments (arguments.h)
**               acquire.c    edges, vertices -> graph
**               resolve.c    ids, numbers    -> vertex numbers, bounds
**               answer.c     arguments    -> struct answer (answer.h): arrays of a search
**               rows.c       answer       -> struct rows (rows.h): a range, a list, paths
**   xNext, xColumn           read arrays */
#ifndef GPUGRAPH_TABLE_FUNCTION_H
#define GPUGRAPH_TABLE_FUNCTION_H

#include "base/connection.h"

int table_functions_register(connection *c);

#endif
