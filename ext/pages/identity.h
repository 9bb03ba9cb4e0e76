/* Which committed state of which file a transaction sees, in bytes: equal bytes are the same rows of
** the same table, for any two connections of one process. */
#ifndef GPUGRAPH_PAGE_IDENTITY_H
#define GPUGRAPH_PAGE_IDENTITY_H

#include "reader.h"
#include "base/wal_notes.h"

/* Compared as bytes, gaps included: zeros but for what is set. */
typedef struct page_identity {
    uint64_t library;       /* SQLite's: a process may have two */
    uint64_t device, inode; /* of the file that the connection has open */
    /* Without a write-ahead log, or while it is empty: the file as it is. */
    uint8_t first_page[100];
    int64_t size, changed_s, changed_ns;
    /* With one: what the transaction sees of it. */
    uint64_t index; /* where the process has mapped the log's index */
    wal_header log;
    /* What SQLite would read. */
    uint32_t root, longest;
    int32_t column[PAGE_COLUMNS];
} page_identity;

/* Inside a read transaction that a statement of the caller's holds: what page_read reads in it has
** this name. false: it has none, and is nobody else's to use. */
bool page_identify(const page_table *table, page_identity *identity);

#endif
