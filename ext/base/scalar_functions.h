/* Scalar functions of SQL, by lists. */
#ifndef GPUGRAPH_SCALAR_FUNCTIONS_H
#define GPUGRAPH_SCALAR_FUNCTIONS_H

#include "connection.h"

typedef struct scalar_function {
    const char *name;
    int arguments, flags;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
} scalar_function;

/* The user data of each is the connection. */
int scalar_functions_register(connection *c, const scalar_function *list, size_t count);

#endif
