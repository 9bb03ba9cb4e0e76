/* The private map of ext/: the way from SQL to the graph library and back.
**
**   xFilter (table_function/table_function.c)
**     -> arguments, settled by the function's descriptor (table_function/function.h)
**     -> graph_acquire (acquire/acquire.c): the graph as this statement must see it
**          -> the cursor's scope (base/scope.c): which statement execution is asking
**          -> edge_parse (source/edge_source.c): text -> table, columns or query
**          -> source_resolve (source/row_source.c): names -> what there is in the database
**          -> stamp (kept/stamp.c): is a kept graph still what the table holds?
**          -> graph_load (load/loader.c): rows -> gpugraph_create
**     -> search kept with the graph, or gpugraph_bfs and friends
**     -> rows straight from the result arrays
**
** Everything hangs on one struct connection for each sqlite3* (base/connection.h). What a room
** offers others is in a header of its name or of its part's; here is what all of them need. */
#ifndef GPUGRAPH_EXT_H
#define GPUGRAPH_EXT_H

#ifdef SQLITE_CORE
#include <sqlite3.h>
#else
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#endif
#include "gpugraph.h"

#endif
