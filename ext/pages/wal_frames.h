/* Which pages a read transaction finds in the write-ahead log, and which in the database
** file.
**
**     log      header 32 | frame 1 | frame 2 | ... | frame 7 | frame 8 | ...
**                        |<- backfilled ->|<--- sure --->|<- unsure ->|
**     index    pages:       3    2    3      9    2    4    4    2
**
** The newest frame of a page, up to the newest commit, decides: backfilled (a checkpoint
** has written it to the file) or none: the page is read from the file; sure: the
** transaction sees that frame; unsure: it may be newer than the transaction.
**
** Why that is certain, with others writing and checkpointing all the while. A reader in WAL
** mode holds one of two kinds of lock, and it need not be known which:
**
**   a mark m > 0     the log is not started anew, and nothing beyond the reader's own
**                    last frame is written to the file. Frames up to `backfilled` are
**                    therefore the reader's; where a page's newest frame is among them
**                    the file has it, and will not get another while the lock is held
**   the mark 0       everything the reader sees was in the file when it began, and no
**                    checkpoint runs while the lock is held: the file is right whatever
**                    the log says
**
** Frames are taken from the log only up to `sure`, the last one of a header of the index that was
** seen when the connection had no transaction open, and so no newer than what it saw when
** it began. Started anew, the log gets new salts: they are compared in every frame and in
** the index after the last read. Frames that another checkpoint overwrites in between
** are never used so.
**
** The index is read through SQLite's own file object (xShmMap without growing it), and
** only where that object has it open, which unlocking a lock not held tells. */
#ifndef GPUGRAPH_WAL_FRAMES_H
#define GPUGRAPH_WAL_FRAMES_H

#include "reader.h"
#include "base/wal_notes.h"

/* Notes the header of each database in WAL mode that has no transaction open. */
void wal_notes_take(wal_notes *notes, sqlite3 *db);
void wal_notes_clear(wal_notes *notes);
/* NULL: none. */
const wal_header *wal_notes_find(const wal_notes *notes, const sqlite3_file *file);

/* One of SQLite's file objects of a schema (SQLITE_FCNTL_FILE_POINTER, _JOURNAL_POINTER),
** if it is open; else NULL. */
sqlite3_file *wal_file_of(sqlite3 *db, const char *schema, int which);
/* Is it a file of SQLite's own unix VFS? */
bool wal_vfs_known(sqlite3 *db, const char *schema);
/* May a file object of that VFS read on several threads at once? One with pread does: it
** moves no place in the file, and touches nothing of the object but its descriptor, the
** mapping of the file, which stays in a read transaction, and, after an error, the number of
** that error. One that seeks first does not. */
bool wal_vfs_reads_apart(sqlite3 *db, const char *schema);
/* Has the file object a shared index open? */
bool wal_index_open(sqlite3_file *file);
/* Where the process has it mapped, for all connections to the file; 0: not for sure. */
uintptr_t wal_index_place(sqlite3_file *file);
/* Copies the header as it is now. false: it is being written all the time, or not as it is
** known here. */
bool wal_index_look(sqlite3_file *file, wal_header *header);

typedef struct wal_frames {
    sqlite3_file *file, *log;
    uint32_t page_size;
    wal_header header; /* within the transaction */
    uint32_t sure;
    uint64_t *entry; /* page << 32 | newest frame, ascending; those not backfilled */
    uint32_t count;
} wal_frames;

enum { WAL_NO_FRAME = 0, WAL_FRAME_HEADER = 24 };
#define WAL_UNSURE UINT32_MAX

/* Lists the pages in the log. `before`: a note of the header, or NULL. */
enum page_reason wal_frames_list(wal_frames *frames, sqlite3_file *file,
                                 sqlite3_file *log, const wal_header *before,
                                 uint32_t page_size);
void wal_frames_clear(wal_frames *frames);
/* Where a page is: WAL_NO_FRAME (in the file), WAL_UNSURE, or a frame. */
uint32_t wal_frames_find(const wal_frames *frames, uint32_t page);
/* Reads a page from its frame. */
enum page_reason wal_frames_read(const wal_frames *frames, uint32_t page, uint32_t frame,
                                 uint8_t *to);
/* After the last read: is the log still the one that was listed? */
bool wal_frames_hold(const wal_frames *frames);

#endif
