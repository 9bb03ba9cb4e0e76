/* The map of ext/: how a call gets from SQL to the graph library and back.
**
**   xFilter (table_function/table_function.c)
**     -> arguments, settled by the function's descriptor (table_function/function.h)
**     -> graph_acquire (acquire/acquire.c): the graph as this statement must see it
**          -> the cursor's scope (base/scope.c): which execution of a statement calls
**          -> edge_parse (source/edge_source.c): text -> table, columns or query
**          -> source_resolve (source/row_source.c): names -> tables and columns
**          -> stamp (kept/stamp.c): whether a kept graph still equals its table
**          -> graph_load (load/loader.c): rows -> gpugraph_create
**     -> search kept with the graph, or gpugraph_bfs and friends
**     -> rows straight from the result arrays
**
** Each sqlite3* has one struct connection, which owns everything (base/connection.h). The
** headers of a folder declare what other folders may use. This header declares what all
** of them need. */
#ifndef GPUGRAPH_EXT_H
#define GPUGRAPH_EXT_H

#ifdef SQLITE_CORE
#include <sqlite3.h>
#else
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#endif
#include "gpugraph.h"

/* The number of elements of an array. */
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
