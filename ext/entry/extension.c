/* The entry point: makes a struct connection for an sqlite3*, and registers everything
** that SQL can call. This source makes the loadable gpugraph.so and, with SQLITE_CORE,
** the static library.
**
**     sqlite3_gpugraph_init
**       -> connection, which lives as long as a module or function refers to it
**       -> loader, table functions, inspection */
#include "entry.h"
#include "graph_table/functions.h"
#include "inspect/inspect.h"
#include "follow/follow.h"
#include "pages/wal_frames.h"
#include "table_function/rows.h"
#include "gpugraph_extension.h"
#include "mutex.h"

#include <string.h>

/* sqlite3_vtab_in and sqlite3_vtab_rhs_value need 3.38. The oldest version that is tested
** is 3.40.1. */
#define OLDEST_SQLITE      3040001
#define OLDEST_SQLITE_TEXT "3.40.1"

/* print: the mprintf of the calling library, which frees the sentence. */
static int refuse_old(int number, const char *version, char *(*print)(const char *, ...),
                      char **error) {
    if (number >= OLDEST_SQLITE)
        return SQLITE_OK;
    *error = print(
        "gpugraph needs SQLite " OLDEST_SQLITE_TEXT " or later, and this is %s", version);
    return SQLITE_ERROR;
}

#ifndef SQLITE_CORE
/* All calls of SQLite go through the pointer sqlite3_api, which a loaded file has once.
** The pointer belongs to the first SQLite library that loads the file. A second library
** has a different table of functions and gets an error. */
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
    /* An error during the registration must not free c. */
    connection_addref(c);
    rc = loader_register(c);
    rc = rc ? rc : table_functions_register(c);
    rc = rc ? rc : graph_table_register(c);
    rc = rc ? rc : graph_functions_register(c);
    rc = rc ? rc : inspect_register(c);
    connection_unref(c);
    if (rc != SQLITE_OK)
        return rc;
#ifdef SQLITE_CORE
    return SQLITE_OK; /* sqlite3_auto_extension treats any other code as an error */
#else
    /* dlclose would end neither worker threads nor a device context. */
    return SQLITE_OK_LOAD_PERMANENTLY;
#endif
}
