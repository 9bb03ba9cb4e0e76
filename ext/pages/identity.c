/* Names the state that a transaction sees. Two connections with equal names see equal
** rows:
**
**     the file       The device and inode of the path. SQLite says that the path still
**                    leads to the open file (SQLITE_FCNTL_HAS_MOVED). In WAL mode SQLite
**                    itself maps one index for each file of a process.
**     no log         A reader holds a SHARED lock, so no connection writes. Each commit
**                    changes the change counter in the first page, by which SQLite itself
**                    validates its cache. Each write, by any program, changes the file's
**                    time of last change. The time counts only if it is so old that no
**                    later write can have the same one.
**     a log          The index header has the last frame, the random salts of the log and
**                    a checksum over all frames. If it was the same before the
**                    transaction began, the transaction sees that state.
**     an empty log   Nothing in it tells states apart, so the state is that of the file.
**     the table      The root page, and the columns of records in the program that SQLite
**                    compiles for this connection with its authorizer and limits.
**
** A state has no name under an EXCLUSIVE lock (several commits then share a change
** counter), in immutable files, in files without locks, under other VFSs, in renamed
** files. */
#include "base/ext_limits.h"
#include "format.h"
#include "wal_frames.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LOCK_SHARED = 1 }; /* a value of SQLITE_FCNTL_LOCKSTATE */

/* True if the VFS of the file is unix or unix-excl. */
static bool is_plain_file(sqlite3 *db, const char *schema) {
    char *name = NULL;
    bool plain =
        sqlite3_file_control(db, schema, SQLITE_FCNTL_VFSNAME, &name) == SQLITE_OK &&
        name && (strcmp(name, "unix") == 0 || strcmp(name, "unix-excl") == 0);
    sqlite3_free(name);
    return plain;
}

static bool is_in_place(sqlite3 *db, const char *schema) {
    int moved = 1;
    return sqlite3_file_control(db, schema, SQLITE_FCNTL_HAS_MOVED, &moved) ==
               SQLITE_OK &&
           !moved;
}

static bool name_file(const page_table *t, struct stat *file, page_identity *identity) {
    const char *path = sqlite3_db_filename(t->db, t->schema);
    int lock = 0;
    if (!is_plain_file(t->db, t->schema) || !is_in_place(t->db, t->schema) ||
        stat(path, file) != 0 || !is_in_place(t->db, t->schema) ||
        sqlite3_file_control(t->db, t->schema, SQLITE_FCNTL_LOCKSTATE, &lock) !=
            SQLITE_OK ||
        lock != LOCK_SHARED)
        return false;
    identity->device = (uint64_t)file->st_dev;
    identity->inode = (uint64_t)file->st_ino;
    return true;
}

/* True if the time of last change is so old that every later write has a later time. */
static bool is_settled(const struct stat *file) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double ms = (double)(now.tv_sec - file->st_ctim.tv_sec) * 1e3 +
                (double)(now.tv_nsec - file->st_ctim.tv_nsec) * 1e-6;
    return ms > ext_limits.page_settled_ms;
}

static bool name_content(const struct stat *file, const page_view *seen,
                         page_identity *identity) {
    if (seen->log) {
        identity->index = (uint64_t)wal_index_place(seen->file);
        identity->log = *seen->log;
        if (seen->log->word[WAL_LAST_FRAME] > 0)
            return identity->index != 0;
    }
    memcpy(identity->first_page, seen->first_page, sizeof identity->first_page);
    identity->size = (int64_t)file->st_size;
    identity->changed_s = (int64_t)file->st_ctim.tv_sec;
    identity->changed_ns = (int64_t)file->st_ctim.tv_nsec;
    return is_settled(file);
}

static bool name_table(const page_table *t, page_identity *identity) {
    page_layout layout = {0};
    bool plain = page_program(t, &layout, &identity->root) == PAGE_FINE;
    for (int k = 0; k < PAGE_COLUMNS; k++)
        identity->column[k] = layout.column[k];
    identity->longest = (uint32_t)sqlite3_limit(t->db, SQLITE_LIMIT_LENGTH, -1);
    page_layout_clear(&layout);
    return plain;
}

bool page_identify(const page_table *table, page_identity *identity) {
    sqlite3_mutex *mutex = sqlite3_db_mutex(table->db);
    struct page_snapshot *snapshot = NULL;
    struct stat file;
    page_view seen;
    memset(identity, 0, sizeof *identity);
    if (!table->rowid || !table->rowid[0])
        return false;
    sqlite3_mutex_enter(mutex);
    identity->library = (uint64_t)(uintptr_t)sqlite3_sourceid();
    bool named = page_file_known(table) == PAGE_FINE &&
                 sqlite3_txn_state(table->db, table->schema) == SQLITE_TXN_READ &&
                 page_file_hold(table, &snapshot) == PAGE_FINE &&
                 page_file_view(snapshot, &seen) && name_file(table, &file, identity) &&
                 name_content(&file, &seen, identity) && name_table(table, identity);
    page_file_release(snapshot);
    sqlite3_mutex_leave(mutex);
    return named;
}
