/* The scope of the statement in which a scalar function runs. SQLite releases the scope
** when the statement ends. */
#ifndef GPUGRAPH_FUNCTION_SCOPE_H
#define GPUGRAPH_FUNCTION_SCOPE_H

#include "base/connection.h"

/* NULL: no memory. */
const scope *statement_scope(sqlite3_context *context, connection *c);

#endif
