/* Finds the pages that a read transaction sees in the write-ahead log; it sees all others
** in the database file.
**
**     log      header 32 | frame 1 | frame 2 | ... | frame 7 | frame 8 | ...
**                        |<- backfilled ->|<--- sure --->|<- unsure ->|
**     index    pages:       3    2    3      9    2    4    4    2
**
** The newest frame of a page, up to the newest commit, decides. If there is no frame, or
** a checkpoint has written the frame to the file (it is backfilled), the page is read
** from the file. If the frame is sure, the transaction sees it. If it is unsure, it may
** be newer than the transaction.
**
** This rule holds while other connections write and run checkpoints. A reader in WAL mode
** holds one of two kinds of lock, and the rule is right for both:
**
**     a mark m > 0   The log is not restarted, and no checkpoint writes a frame behind
**                    the reader's last one. So the reader sees all frames up to
**                    `backfilled`. If the newest frame of a page is among them, the file
**                    has it and gets no other while the lock is held.
**     the mark 0     Everything that the reader sees was in the file when the transaction
**                    began, and no checkpoint runs while the lock is held. So the file is
**                    right, even if the log has frames.
**
** A sure frame is not behind the last frame of an index header that was read while the
** connection had no transaction open. That header is never newer than a later
** transaction. A log that is restarted gets new salts. Salts are compared in each frame
** that is read, and in the index after the last read, so overwritten frames are never
** used.
**
** The index is read through SQLite's own file object, by xShmMap without extending it,
** and only if the object has it open. The release of a lock that is not held shows
** whether the index is open. */
#ifndef GPUGRAPH_WAL_FRAMES_H
#define GPUGRAPH_WAL_FRAMES_H

#include "reader.h"
#include "base/wal_notes.h"

/* Notes the index header of each database in WAL mode that has no transaction open. Older
** notes stay for databases with an open transaction. */
void wal_notes_take(wal_notes *notes, sqlite3 *db);
void wal_notes_clear(wal_notes *notes);
/* NULL: there is no note. */
const wal_header *wal_notes_find(const wal_notes *notes, const sqlite3_file *file);

/* A file object of SQLite's for a schema (SQLITE_FCNTL_FILE_POINTER or _JOURNAL_POINTER).
** NULL: it is not open. */
sqlite3_file *wal_file_of(sqlite3 *db, const char *schema, int which);
/* True if one of SQLite's unix VFSs reads the file. */
bool wal_vfs_known(sqlite3 *db, const char *schema);
/* True if several threads may read by one file object of that VFS at once. They may if it
** reads by pread: pread does not move the file offset. It uses only the descriptor, the
** mapping of the file, which a read transaction keeps, and the error number. A VFS that
** seeks before it reads must be locked. */
bool wal_vfs_reads_apart(sqlite3 *db, const char *schema);
/* True if the file object has a shared index open. */
bool wal_index_open(sqlite3_file *file);
/* The address at which the process has mapped the index for all connections to the file.
** 0: it is unknown. */
uintptr_t wal_index_place(sqlite3_file *file);
/* Copies the current header. False: it keeps changing, or its form is unknown. */
bool wal_index_look(sqlite3_file *file, wal_header *header);

typedef struct wal_frames {
    sqlite3_file *file, *log;
    uint32_t page_size;
    wal_header header; /* read within the transaction */
    uint32_t sure;
    uint64_t *entry; /* page << 32 | frame, ascending, without backfilled frames */
    uint32_t count;
} wal_frames;

enum { WAL_NO_FRAME = 0, WAL_FRAME_HEADER = 24 };
#define WAL_UNSURE UINT32_MAX

/* Lists the pages in the log. `before`: a noted header, or NULL. */
enum page_reason wal_frames_list(wal_frames *frames, sqlite3_file *file,
                                 sqlite3_file *log, const wal_header *before,
                                 uint32_t page_size);
void wal_frames_clear(wal_frames *frames);
/* The frame of a page, WAL_NO_FRAME (the page is in the file) or WAL_UNSURE. */
uint32_t wal_frames_find(const wal_frames *frames, uint32_t page);
/* Reads a page from its frame. */
enum page_reason wal_frames_read(const wal_frames *frames, uint32_t page, uint32_t frame,
                                 uint8_t *to);
/* True if the log is still the one that was listed. Call it after the last read. */
bool wal_frames_hold(const wal_frames *frames);

#endif
