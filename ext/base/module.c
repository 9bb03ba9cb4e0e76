/* Registers virtual tables and scalar functions with SQLite. Each table and each function
** holds a reference to the connection. */
#include "module.h"

#include <string.h>

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
    c->tables++;
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

/* ---- scalar functions ---- */

int scalar_functions_register(connection *c, const scalar_function *list, int count) {
    int rc = SQLITE_OK;
    for (int i = 0; i < count && rc == SQLITE_OK; i++) {
        connection_addref(c);
        rc = sqlite3_create_function_v2(c->db, list[i].name, list[i].arguments,
                                        SQLITE_UTF8 | list[i].flags, c, list[i].call,
                                        NULL, NULL, connection_unref);
    }
    return rc;
}

void function_fail(sqlite3_context *context, char *sentence) {
    function_fail_with(context, sentence ? SQLITE_ERROR : SQLITE_NOMEM, sentence);
}

void function_fail_with(sqlite3_context *context, int rc, char *sentence) {
    if (rc == SQLITE_NOMEM) {
        sqlite3_result_error_nomem(context);
    } else {
        if (sentence && rc != SQLITE_INTERRUPT)
            sqlite3_result_error(context, sentence, -1);
        sqlite3_result_error_code(context, rc);
    }
    sqlite3_free(sentence);
}

bool function_is_refused(sqlite3_context *context, const char *name) {
    const connection *c = sqlite3_user_data(context);
    if (!strstr(c->config.refuse, name))
        return false;
    function_fail(context,
                  sqlite3_mprintf("%s: this connection does not allow calls that change "
                                  "anything; its setting 'refuse' lists this function",
                                  name));
    return true;
}
