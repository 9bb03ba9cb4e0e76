/* Registers scalar functions with SQLite. Each function holds a reference to the
** connection. */
#include "scalar_functions.h"

#include <string.h>

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

void function_fail(sqlite3_context *context, char *sentence) {
    if (sentence)
        sqlite3_result_error(context, sentence, -1);
    else
        sqlite3_result_error_nomem(context);
    sqlite3_free(sentence);
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
