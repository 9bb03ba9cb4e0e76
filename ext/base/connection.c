/* A connection lives as long as what SQLite has registered of it. */
#include "connection.h"

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT1
#endif

void connection_note(connection *c) {
    if (sqlite3_txn_state(c->db, NULL) != SQLITE_TXN_WRITE)
        c->unwritten_at = sqlite3_total_changes64(c->db);
}

void connection_addref(connection *c) {
    c->references++;
}

void connection_unref(void *connection_pointer) {
    connection *c = connection_pointer;
    if (--c->references > 0)
        return;
    c->ends->connection(c);
    sqlite3_free(c);
}
