/* A connection lives as long as SQLite has modules or functions registered for it. */
#include "connection.h"

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT1
#endif

void connection_note(connection *c) {
    if (sqlite3_txn_state(c->db, NULL) != SQLITE_TXN_WRITE)
        c->unwritten_at = sqlite3_total_changes64(c->db);
}

static int there; /* connections of this process */

bool connections_are_several(void) {
    return __atomic_load_n(&there, __ATOMIC_RELAXED) > 1;
}

void connection_addref(connection *c) {
    if (c->references++ == 0)
        __atomic_fetch_add(&there, 1, __ATOMIC_RELAXED);
}

void connection_unref(void *connection_pointer) {
    connection *c = connection_pointer;
    if (--c->references > 0)
        return;
    c->ends->connection(c);
    sqlite3_free(c);
    __atomic_fetch_sub(&there, 1, __ATOMIC_RELAXED);
}
