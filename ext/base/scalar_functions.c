/* How scalar functions are made known to SQLite: each holds the connection. */
#include "scalar_functions.h"

int scalar_functions_register(connection *c, const scalar_function *list, size_t count) {
    int rc = SQLITE_OK;
    for (size_t i = 0; i < count && rc == SQLITE_OK; i++) {
        connection_addref(c);
        rc = sqlite3_create_function_v2(c->db, list[i].name, list[i].arguments,
                                        SQLITE_UTF8 | list[i].flags, c, list[i].call,
                                        NULL, NULL, connection_unref);
    }
    return rc;
}
