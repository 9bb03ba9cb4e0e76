/* The scope of a scalar function's calls, in SQLite's auxiliary data:
**
**     OF_THIS_CALL    one call in the statement's text, over all rows
**     OF_ALL_CALLS    all calls in the text; each firing of a trigger has its own
**
** SQLite releases both when the statement or the firing ends. A call sees one graph for
** all rows. Several calls in a text see the same graph, unless a trigger fires between
** them. */
#include "connection.h"

/* Keys of auxiliary data. Other functions in the text may use small negative numbers. */
enum { OF_ALL_CALLS = -20230817, OF_THIS_CALL = 0 };

typedef struct held_scope {
    connection *c;
    scope scope;
    int holders;
} held_scope;

static void release_function_scope(void *pointer) {
    held_scope *held = pointer;
    if (--held->holders > 0)
        return;
    scope_close(held->c, &held->scope);
    sqlite3_free(held);
}

/* Returns the scope that all calls share if it is still the current one, else a new
** scope, which they share from now on. Adds a holder. NULL: no memory. */
static held_scope *find_or_open(sqlite3_context *context, connection *c) {
    scope now;
    if (scope_open(c, &now, NULL) != SQLITE_OK)
        return NULL;
    held_scope *held = sqlite3_get_auxdata(context, OF_ALL_CALLS);
    if (held && scope_equal(&held->scope, &now)) {
        scope_close(c, &now);
        held->holders++;
        return held;
    }
    held = sqlite3_malloc64(sizeof *held);
    if (!held) {
        scope_close(c, &now);
        return NULL;
    }
    *held = (held_scope){c, now, 2};
    sqlite3_set_auxdata(context, OF_ALL_CALLS, held, release_function_scope);
    return held;
}

const scope *statement_scope(sqlite3_context *context, connection *c) {
    held_scope *held = sqlite3_get_auxdata(context, OF_THIS_CALL);
    if (held)
        return &held->scope;
    held = find_or_open(context, c);
    if (!held)
        return NULL;
    sqlite3_set_auxdata(context, OF_THIS_CALL, held, release_function_scope);
    held = sqlite3_get_auxdata(context, OF_THIS_CALL); /* NULL: SQLite had no memory */
    return held ? &held->scope : NULL;
}
