/* The entry point: one struct connection for each sqlite3*, and everything that SQL
** can call registered with it. The same source makes the loadable gpugraph.so and,
** with SQLITE_CORE, the static library.
**
**     sqlite3_gpugraph_init
**       -> connection, kept alive by one reference from each module and function
**       -> loader, table functions, inspection */
#include "entry.h"
#include "graph_table/functions.h"
#include "inspect/inspect.h"
#include "follow/follow.h"
#include "pages/wal_frames.h"
#include "table_function/hand_out.h"
#include "table_function/table_function.h"
#include "gpugraph_extension.h"
#include "mutex.h"

#include <string.h>

/* sqlite3_vtab_in and sqlite3_vtab_rhs_value came with 3.38; what every probe of the
** design was tried on is 3.40.1. */
#define OLDEST_SQLITE      3040001
#define OLDEST_SQLITE_TEXT "3.40.1"

/* print: the calling library's own, since the caller frees what it makes. */
static int refuse_old(int number, const char *version, char *(*print)(const char *, ...),
                      char **error) {
    if (number >= OLDEST_SQLITE)
        return SQLITE_OK;
    *error = print(
        "gpugraph needs SQLite " OLDEST_SQLITE_TEXT " or later, and this is %s", version);
    return SQLITE_ERROR;
}

#ifndef SQLITE_CORE
/* Every call of SQLite goes through sqlite3_api, of which a loaded file has one. The first
** library that loads the file keeps it. Of another one, which is known by a table of its
** own, nothing is called but what makes the sentence. */
static int take_library(const sqlite3_api_routines *api, char **error) {
    static gg_mutex first;
    int rc = refuse_old(api->libversion_number(), api->libversion(), api->mprintf, error);
    if (rc)
        return rc;
    gg_mutex_lock(&first);
    if (!sqlite3_api)
        sqlite3_api = api;
    const sqlite3_api_routines *taken = sqlite3_api;
    gg_mutex_unlock(&first);
    if (taken == api)
        return SQLITE_OK;
    *error = api->mprintf("gpugraph: another SQLite library of this process (%s) has "
                          "loaded this file, which serves one library; let this one (%s) "
                          "load a copy of the file in another folder",
                          taken->libversion(), api->libversion());
    return SQLITE_ERROR;
}
#else
static int take_library(const struct sqlite3_api_routines *api, char **error) {
    (void)api;
    return refuse_old(sqlite3_libversion_number(), sqlite3_libversion(), sqlite3_mprintf,
                      error);
}
#endif

static void forget_all(connection *c) {
    cache_unbind(c);
    followed_free_all(c);
    cache_free(c);
    hand_out_forget(c);
    timings_clear(&c->timings);
    wal_notes_clear(&c->logs);
}

const struct connection_ends connection_ends = {
    .execution = cache_execution_ended,
    .connection = forget_all,
};

static connection *connection_open(sqlite3 *db) {
    connection *c = sqlite3_malloc64(sizeof *c);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    c->db = db;
    c->ends = &connection_ends;
    settings_reset(c);
    return c;
}

__attribute__((visibility("default"))) int
sqlite3_gpugraph_init(sqlite3 *db, char **error, const struct sqlite3_api_routines *api) {
    int rc = take_library(api, error);
    if (rc)
        return rc;
    connection *c = connection_open(db);
    if (!c)
        return SQLITE_NOMEM;
    connection_addref(
        c); /* held while registering: a failure half way must not free it early */
    rc = loader_register(c);
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
