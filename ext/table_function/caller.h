/* Who calls: what stays the same from a cursor's xOpen to its xClose. */
#ifndef GPUGRAPH_CALLER_H
#define GPUGRAPH_CALLER_H

#include "function.h"
#include "base/connection.h"

typedef struct caller {
    connection *c;
    const table_function *function;
    sqlite3_vtab *vtab; /* takes the sentence of an error */
    scope scope;
} caller;

/* Sets the sentence "gpu_bfs: ..." and returns rc; SQLITE_NOMEM where there is no room
** for it. */
int caller_fail(const caller *by, int rc, const char *format, ...);
/* The same of a sentence in *error, which it frees; an interrupt or no memory has
** none. */
int caller_fail_with(const caller *by, int rc, char *error);
/* Takes the sentence of an error back: the call goes on. */
void caller_forgive(const caller *by);

#endif
