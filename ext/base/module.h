/* What SQL can call: virtual tables that exist without CREATE, with one module for each
** descriptor, and scalar functions, registered from lists. */
#ifndef GPUGRAPH_MODULE_H
#define GPUGRAPH_MODULE_H

#include "connection.h"

typedef struct module_table {
    sqlite3_vtab base;
    connection *c;
    const void *of; /* the descriptor */
} module_table;

int module_register(connection *c, const char *name, const sqlite3_module *module,
                    const void *of);
/* Implements xConnect. aux: the pointer that module_register gave to SQLite. risk: 0 or
** an SQLITE_VTAB_ setting. */
int module_connect(void *aux, const char *schema, int risk, sqlite3_vtab **made);
int module_disconnect(sqlite3_vtab *table);

/* ---- scalar functions ---- */

typedef struct scalar_function {
    const char *name;
    int arguments, flags;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
} scalar_function;

/* Registers the functions; the user data of each is the connection. */
int scalar_functions_register(connection *c, const scalar_function *list, int count);
/* Makes the sentence the function's error and frees it; NULL: no memory. */
void function_fail(sqlite3_context *context, char *sentence);
/* Sets an SQLITE_ code and the sentence (may be NULL), which is freed. An interrupt shows
** no sentence. */
void function_fail_with(sqlite3_context *context, int rc, char *sentence);
/* True if the setting `refuse` lists the function; the context then holds the error. */
bool function_is_refused(sqlite3_context *context, const char *name);

#endif
