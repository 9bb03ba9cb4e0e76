/* The way to a graph: texts -> kept, followed, or read now. */
#ifndef GPUGRAPH_ACQUIRE_H
#define GPUGRAPH_ACQUIRE_H

#include "kept/kept.h"

/* The graph as the calling statement must see it, with a reference to give back by
** graph_release. On failure an SQLITE_ code, and *error is the whole sentence
** (sqlite3_free). */
int graph_acquire(connection *c, const graph_request *request, graph_ref **ref,
                  char **error);

#endif
