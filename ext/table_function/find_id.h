/* From an id in SQL to a vertex number: base/vertex_id.h has the rules. */
#ifndef GPUGRAPH_FIND_ID_H
#define GPUGRAPH_FIND_ID_H

#include "ext.h"

/* The vertex that the value means in a column of this affinity, or GPUGRAPH_NONE. */
int find_vertex(const gpugraph_graph *graph, char affinity, sqlite3_value *value,
                uint32_t *vertex);
/* The vertex that an argument names, or GPUGRAPH_NONE. affinity: of source and destination.
** SQLITE_ERROR with *fault (sqlite3_free) where it can be no id: "is the REAL 1.5; ..." */
int find_id(const gpugraph_graph *graph, const char affinity[2], sqlite3_value *id,
            uint32_t *vertex, char **fault);
/* Of an id that is no vertex: is the same number a vertex as "INTEGER", or as "TEXT"? NULL:
** no. */
int find_other_type(const gpugraph_graph *graph, sqlite3_value *id, const char **type);

#endif
