/* The scope of a scalar function's calls.
**
**     auxiliary data    of one call in the statement's text, over all rows
**                       of all calls in that text: each trigger's firing has its own
**
** Both hold the scope until the statement, or the firing, ends. One call sees one graph. So do
** several of one text, unless a trigger has come between them that may have seen another. */
#include "function_scope.h"

/* Names what all calls share; other functions in the text may use small negative numbers. */
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

/* What all calls share, if that is still the scope; else a new one, which they share from now
** on. With one holder more; NULL: no memory. */
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
    held = sqlite3_get_auxdata(context, OF_THIS_CALL); /* freed where memory is short */
    return held ? &held->scope : NULL;
}
