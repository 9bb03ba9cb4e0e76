/* The name of a committed state, in bytes. If two connections of one process have equal
** names, they see the same rows of the same table. */
#ifndef GPUGRAPH_PAGE_IDENTITY_H
#define GPUGRAPH_PAGE_IDENTITY_H

#include "reader.h"
#include "base/wal_notes.h"

/* Names are compared as bytes, padding included. Fields that do not apply are zero. */
typedef struct page_identity {
    uint64_t library;       /* the SQLite library; a process may have two */
    uint64_t device, inode; /* the file that the connection has open */
    /* The state of the file. Only without a write-ahead log, or while it is empty. */
    uint8_t first_page[100];
    int64_t size, changed_s, changed_ns;
    /* The state of the log that the transaction sees. */
    uint64_t index; /* address at which the process has mapped the log's index */
    wal_header log;
    /* The table: what SQLite would read. */
    uint32_t root, longest;
    int32_t column[PAGE_COLUMNS];
} page_identity;

/* Names the state that page_read reads, inside a read transaction that a statement of the
** caller holds. False: the state has no name, so other connections must not use it. */
bool page_identify(const page_table *table, page_identity *identity);

#endif
