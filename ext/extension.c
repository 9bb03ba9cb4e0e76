/* The entry point: one struct connection for each sqlite3*, and everything that SQL
** can call registered with it. The same source makes the loadable gpugraph.so and,
** with SQLITE_CORE, the static library.
**
**     sqlite3_gpugraph_init
**       -> connection, kept alive by one reference from each module and function
**       -> loader, table functions, inspection */
#include "table_function.h"
#include "gpugraph_extension.h"

#include <string.h>

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT1
#endif

/* sqlite3_vtab_in and sqlite3_vtab_rhs_value came with 3.38; what every probe of the
** design was tried on is 3.40.1. */
#define OLDEST_SQLITE      3040001
#define OLDEST_SQLITE_TEXT "3.40.1"

void connection_addref(connection *c) {
    c->references++;
}

void connection_unref(void *connection_pointer) {
    connection *c = connection_pointer;
    if (--c->references > 0)
        return;
    cache_free(c);
    timings_clear(&c->timings);
    wal_notes_clear(&c->logs);
    sqlite3_free(c);
}

static connection *connection_open(sqlite3 *db) {
    connection *c = sqlite3_malloc64(sizeof *c);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    c->db = db;
    strcpy(c->config.backend, "auto");
    c->config.cache_limit = DEFAULT_CACHE_LIMIT;
    return c;
}

__attribute__((visibility("default"))) int
sqlite3_gpugraph_init(sqlite3 *db, char **error, const struct sqlite3_api_routines *api) {
#ifndef SQLITE_CORE
    SQLITE_EXTENSION_INIT2(api);
#else
    (void)api;
#endif
    if (sqlite3_libversion_number() < OLDEST_SQLITE) {
        *error = sqlite3_mprintf("gpugraph needs SQLite " OLDEST_SQLITE_TEXT
                                 " or later, and this is %s",
                                 sqlite3_libversion());
        return SQLITE_ERROR;
    }
    connection *c = connection_open(db);
    if (!c)
        return SQLITE_NOMEM;
    connection_addref(
        c); /* held while registering: a failure half way must not free it early */
    int rc = loader_register(c);
    if (rc == SQLITE_OK)
        rc = table_functions_register(c);
    if (rc == SQLITE_OK)
        rc = graph_table_register(c);
    if (rc == SQLITE_OK)
        rc = graph_functions_register(c);
    if (rc == SQLITE_OK)
        rc = inspect_register(c);
    connection_unref(c);
    if (rc != SQLITE_OK)
        return rc;
#ifdef SQLITE_CORE
    return SQLITE_OK; /* sqlite3_auto_extension takes anything else for a failure */
#else
    /* Worker threads and a device context do not survive dlclose. */
    return SQLITE_OK_LOAD_PERMANENTLY;
#endif
}
