/* The name of what a transaction sees. Two connections that have the same name see the same rows,
** because
**
**   the file        is the one that this connection has open: the device and inode of its path,
**                   where SQLite says that the path still leads there (SQLITE_FCNTL_HAS_MOVED).
**                   In WAL mode SQLite itself maps one index for each file of a process
**   without a log   readers hold a SHARED lock and nothing more, so nobody writes. The first page
**                   has the change counter, which every commit moves, and by which SQLite
**                   decides whether what it keeps of the file in memory is still good. The time
**                   of the file's latest change moves with every write, whoever makes it; it is
**                   trusted only once it lies so far back that no later write can have it, too
**   with a log      the index's header names the last frame, the salts of the log, which are
**                   drawn at random, and a checksum over all frames. What was there before the
**                   transaction began and is there now, unchanged, is what it sees
**   an empty log    has nothing to tell states apart by: then the file counts, as without one
**   the table       is the root page and the columns of records in the program that SQLite
**                   compiles for this connection, authorizer, limits and all
**
** Whatever cannot be told so has no name: an EXCLUSIVE lock (several commits then share a change
** counter), immutable files and those without locks, other VFSes, a file that was renamed. */
#include "identity.h"
#include "base/ext_limits.h"
#include "format.h"
#include "wal_frames.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* A file system's clock goes on in steps of up to 10 ms. */

enum { LOCK_SHARED = 1 }; /* SQLITE_FCNTL_LOCKSTATE */

/* Files whose place in the file system SQLite knows itself. */
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

/* Can no later write have the same time? */
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
