/* Values of a query's parameters, from a JSON array. */
#ifndef GPUGRAPH_QUERY_PARAMS_H
#define GPUGRAPH_QUERY_PARAMS_H

#include "request.h"

/* Binds the values of the request. query is NULL if `edges` is no query. If the result is
** SQLITE_ERROR, *fault (sqlite3_free) is a sentence without the function's name. */
int query_params_bind(sqlite3 *db, sqlite3_stmt *query, const graph_request *request,
                      char **fault);

#endif
