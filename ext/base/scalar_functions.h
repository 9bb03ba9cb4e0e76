/* Scalar SQL functions, registered from lists. */
#ifndef GPUGRAPH_SCALAR_FUNCTIONS_H
#define GPUGRAPH_SCALAR_FUNCTIONS_H

#include "connection.h"

typedef struct scalar_function {
    const char *name;
    int arguments, flags;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
} scalar_function;

/* Registers the functions; the user data of each is the connection. */
int scalar_functions_register(connection *c, const scalar_function *list, size_t count);
/* Makes the sentence the function's error and frees it; NULL: no memory. */
void function_fail(sqlite3_context *context, char *sentence);
/* Sets an SQLITE_ code and the sentence (may be NULL), which is freed. An interrupt shows
** no sentence. */
void function_fail_with(sqlite3_context *context, int rc, char *sentence);
/* True if the setting `refuse` lists the function; the context then holds the error. */
bool function_is_refused(sqlite3_context *context, const char *name);

#endif
