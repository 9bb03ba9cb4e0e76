/* Virtual tables that exist without CREATE, with one module for each descriptor. */
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

#endif
