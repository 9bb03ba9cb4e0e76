/* Registers virtual tables with SQLite. Each table holds a reference to the
** connection. */
#include "module.h"

int module_connect(void *aux, const char *schema, int risk, sqlite3_vtab **made) {
    const module_table *registered = aux;
    connection *c = registered->c;
    int rc = sqlite3_declare_vtab(c->db, schema);
    if (rc == SQLITE_OK && risk)
        rc = sqlite3_vtab_config(c->db, risk);
    if (rc != SQLITE_OK)
        return rc;
    module_table *t = sqlite3_malloc64(sizeof *t);
    if (!t)
        return SQLITE_NOMEM;
    *t = *registered;
    /* when the extension is loaded again, SQLite drops the module before its tables */
    connection_addref(c);
    connection_table_opened(c);
    *made = &t->base;
    return SQLITE_OK;
}

int module_disconnect(sqlite3_vtab *table) {
    connection *c = ((module_table *)table)->c;
    connection_table_closed(c);
    connection_unref(c);
    sqlite3_free(table);
    return SQLITE_OK;
}

static void unregister(void *aux) {
    connection_unref(((module_table *)aux)->c);
    sqlite3_free(aux);
}

int module_register(connection *c, const char *name, const sqlite3_module *module,
                    const void *of) {
    module_table *registered = sqlite3_malloc64(sizeof *registered);
    if (!registered)
        return SQLITE_NOMEM;
    *registered = (module_table){.c = c, .of = of};
    connection_addref(c);
    return sqlite3_create_module_v2(c->db, name, module, registered, unregister);
}
