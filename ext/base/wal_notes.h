/* Notes of a connection about write-ahead logs, taken between transactions
** (pages/wal_frames.h). */
#ifndef GPUGRAPH_WAL_NOTES_H
#define GPUGRAPH_WAL_NOTES_H

#include "ext.h"
#include <stdint.h>

/* The index of the log begins with a header of 12 words, twice. Then it has the number of
** the last backfilled frame. These words of the header matter here: */
enum wal_word {
    WAL_VERSION = 0,
    WAL_PAGE_SIZE = 3, /* in its upper half; 1: 65536 bytes */
    WAL_LAST_FRAME = 4,
    WAL_PAGES = 5, /* pages of the database */
    WAL_SALT = 8,  /* words 8 and 9 */
    WAL_CHECKSUM = 10,
    WAL_WORDS = 12
};

typedef struct wal_header {
    uint32_t word[WAL_WORDS];
} wal_header;

/* The header that the index of a file had while no transaction was open. */
typedef struct wal_note {
    sqlite3_file *file;
    wal_header header;
} wal_note;

/* The notes of all databases of a connection. */
typedef struct wal_notes {
    wal_note *note;
    int count;
    int64_t room;
} wal_notes;

#endif
