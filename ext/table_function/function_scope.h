/* The scope of the statement that a scalar function runs in, held as long as the statement. */
#ifndef GPUGRAPH_FUNCTION_SCOPE_H
#define GPUGRAPH_FUNCTION_SCOPE_H

#include "base/connection.h"

/* NULL: no memory. */
const scope *statement_scope(sqlite3_context *context, connection *c);

#endif
