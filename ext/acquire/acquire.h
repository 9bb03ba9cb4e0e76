/* Acquires the graph that the texts of a call name: a kept graph, a followed one, or one
** that is read now. */
#ifndef GPUGRAPH_ACQUIRE_H
#define GPUGRAPH_ACQUIRE_H

#include "kept/kept.h"

/* Sets *ref to the graph as the calling statement must see it. The caller releases the
** reference by graph_release. On failure returns an SQLITE_ code, and *error is a
** complete sentence, which the caller frees by sqlite3_free. */
int graph_acquire(connection *c, const graph_request *request, graph_ref **ref,
                  char **error);

#endif
