/* What a connection keeps of write-ahead logs between transactions. (pages/wal_frames.h) */
#ifndef GPUGRAPH_WAL_NOTES_H
#define GPUGRAPH_WAL_NOTES_H

#include "ext.h"
#include <stdint.h>

/* The header of the index: the same 12 words twice, then the number of the last
** backfilled frame. Words that matter here: */
enum wal_word {
    WAL_VERSION = 0,
    WAL_PAGE_SIZE = 3, /* its upper half; 1: 65536 */
    WAL_LAST_FRAME = 4,
    WAL_PAGES = 5, /* of the database */
    WAL_SALT = 8,  /* and 9 */
    WAL_CHECKSUM = 10,
    WAL_WORDS = 12
};

typedef struct wal_header {
    uint32_t word[WAL_WORDS];
} wal_header;

/* What is known of a database file at a moment at which no transaction was open. */
typedef struct wal_note {
    sqlite3_file *file;
    wal_header header;
} wal_note;

/* Of all databases of a connection. */
typedef struct wal_notes {
    wal_note *note;
    int count;
    int64_t room;
} wal_notes;

#endif
