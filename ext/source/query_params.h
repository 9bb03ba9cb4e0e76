/* The values of a query's parameters, out of a JSON array. */
#ifndef GPUGRAPH_QUERY_PARAMS_H
#define GPUGRAPH_QUERY_PARAMS_H

#include "request.h"

/* Binds those of the request; query NULL: edges is none. After SQLITE_ERROR *fault is a
** sentence without the function's name (sqlite3_free). */
int query_params_bind(sqlite3 *db, sqlite3_stmt *query, const graph_request *request,
                      char **fault);

#endif
