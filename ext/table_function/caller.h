/* The caller of a function: what stays constant from a cursor's xOpen to its xClose. */
#ifndef GPUGRAPH_CALLER_H
#define GPUGRAPH_CALLER_H

#include "function.h"
#include "base/connection.h"

typedef struct caller {
    connection *c;
    const table_function *function;
    sqlite3_vtab *vtab; /* receives the sentence of an error */
    scope scope;
} caller;

/* Sets the sentence "gpu_bfs: ..." and returns rc; SQLITE_NOMEM if there is no memory for
** the sentence. */
int caller_fail(const caller *by, int rc, const char *format, ...);
/* Sets the complete sentence `error`, which it frees, and returns rc. SQLITE_INTERRUPT
** and SQLITE_NOMEM have no sentence. */
int caller_fail_with(const caller *by, int rc, char *error);
/* Removes the sentence, because the call continues after the error. */
void caller_forgive(const caller *by);

#endif
