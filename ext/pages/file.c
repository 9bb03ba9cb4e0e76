/* Decides whether a database file can be read without SQLite, and finds the snapshot.
**
**     page_file_known     checks for a path and one of SQLite's own unix VFSs
**     page_file_hold      opens a read transaction by a statement; in WAL mode it lists
**                         the frames that the transaction sees (wal_frames.h)
**     page_file_study     reads sizes and encoding from the first page
**       ... pages are read ...
**     page_file_settle    checks that the log is still the same
**     page_file_release */
#include "format.h"
#include "wal_frames.h"

#include <stdlib.h>
#include <string.h>

struct page_snapshot {
    const page_table *table;
    sqlite3_stmt *hold;
    sqlite3_file *file;
    /* the connection has a write transaction, which has not written the table */
    bool writing;
    bool has_log; /* the database is in WAL mode, and frames are listed */
    bool exact;   /* the frames are exactly those that the transaction sees */
    wal_frames frames;
    uint8_t header[100]; /* the first 100 bytes of the first page */
    gg_mutex read_lock;
};

enum page_reason page_file_known(const page_table *t) {
    const char *path = sqlite3_db_filename(t->db, t->schema);
    if (!path || !path[0])
        return PAGE_NO_FILE;
    return wal_vfs_known(t->db, t->schema) ? PAGE_FINE : PAGE_FOREIGN_VFS;
}

/* ---- the transaction ---- */

/* Steps a statement to a row of the schema, which keeps a read transaction open. */
static enum page_reason hold_transaction(struct page_snapshot *s) {
    const page_table *t = s->table;
    char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\".sqlite_schema", t->schema);
    int rc = SQLITE_NOMEM;
    if (sql)
        rc = sqlite3_prepare_v2(t->db, sql, -1, &s->hold, NULL);
    sqlite3_free(sql);
    rc = rc ? rc : sqlite3_step(s->hold);
    if (rc == SQLITE_INTERRUPT)
        return PAGE_STOPPED;
    if (rc != SQLITE_ROW)
        return PAGE_NOT_READABLE;
    s->writing = sqlite3_txn_state(t->db, t->schema) != SQLITE_TXN_READ;
    return s->writing && !t->unwritten ? PAGE_WRITING : PAGE_FINE;
}

static void end_transaction(struct page_snapshot *s) {
    sqlite3_finalize(s->hold);
    s->hold = NULL;
    if (s->has_log)
        wal_frames_clear(&s->frames);
    s->has_log = false;
}

/* ---- the log ---- */

/* An empty database that has just been switched to WAL mode may have its first page only
** in the log. Sizes and encoding never change afterwards, so any valid copy serves. */
static enum page_reason study_first_page(struct page_snapshot *s) {
    const uint32_t size = s->frames.page_size;
    uint32_t frame = wal_frames_find(&s->frames, 1);
    if (frame == WAL_NO_FRAME || frame == WAL_UNSURE)
        return PAGE_FINE;
    uint8_t *page = malloc(size);
    enum page_reason reason = page ? PAGE_FINE : PAGE_NO_MEMORY;
    if (page && wal_frames_read(&s->frames, 1, frame, page))
        reason = PAGE_READ_FAILED;
    if (!reason)
        memcpy(s->header, page, sizeof s->header);
    free(page);
    return reason;
}

/* Without an index in shared memory (PRAGMA locking_mode = EXCLUSIVE) the frames of a
** transaction are unknown. If the log is empty, the snapshot is the database file. */
static enum page_reason study_log(struct page_snapshot *s, const wal_header *before) {
    const page_table *t = s->table;
    sqlite3_file *log = wal_file_of(t->db, t->schema, SQLITE_FCNTL_JOURNAL_POINTER);
    sqlite3_int64 size;
    if (!log)
        return PAGE_WAL;
    if (!wal_index_open(s->file))
        return log->pMethods->xFileSize(log, &size) == SQLITE_OK && size == 0 ? PAGE_FINE
                                                                              : PAGE_WAL;
    enum page_reason reason =
        wal_frames_list(&s->frames, s->file, log, before, page_size_of(s->header));
    s->has_log = !reason;
    return reason ? reason : study_first_page(s);
}

/* True if the transaction sees the newest state in the index. */
static bool is_newest(const struct page_snapshot *s) {
    return !s->has_log || s->frames.count == 0 ||
           s->frames.sure == s->frames.header.word[WAL_LAST_FRAME];
}

static enum page_reason try_hold(struct page_snapshot *s) {
    const page_table *t = s->table;
    const bool begins = sqlite3_txn_state(t->db, t->schema) == SQLITE_TXN_NONE;
    const wal_header *before = NULL;
    wal_header noted;
    sqlite3_file *file = wal_file_of(t->db, t->schema, SQLITE_FCNTL_FILE_POINTER);
    if (!file)
        return PAGE_NO_FILE;
    if (!begins)
        before = wal_notes_find(t->wal, file);
    else if (wal_index_open(file) && wal_index_look(file, &noted))
        before = &noted;
    enum page_reason reason = hold_transaction(s);
    if (reason)
        return reason;
    s->file = wal_file_of(t->db, t->schema, SQLITE_FCNTL_FILE_POINTER);
    if (!s->file)
        return PAGE_NO_FILE;
    if (s->file->pMethods->xRead(s->file, s->header, sizeof s->header, 0) != SQLITE_OK)
        return PAGE_READ_FAILED;
    if (s->header[PAGE_READ_VERSION] != PAGE_WAL_VERSION)
        return PAGE_FINE;
    before = s->file == file ? before : NULL;
    /* A write transaction sees the newest state, and no other transaction writes. */
    if (s->writing && wal_index_open(s->file) && wal_index_look(s->file, &noted))
        before = &noted;
    reason = study_log(s, before);
    s->exact =
        s->has_log && before && memcmp(before, &s->frames.header, sizeof *before) == 0;
    return reason;
}

/* Tries again if another connection has just committed, or if the transaction was the
** first to open the log. A transaction that outlives this statement (after BEGIN) cannot
** be begun again. */
enum page_reason page_file_hold(const page_table *t, struct page_snapshot **snapshot) {
    enum { TRIES = 20 };
    struct page_snapshot *s = calloc(1, sizeof *s);
    *snapshot = s;
    if (!s)
        return PAGE_NO_MEMORY;
    s->table = t;
    enum page_reason reason = try_hold(s);
    for (int i = 1; i < TRIES && !reason && !is_newest(s); i++) {
        sqlite3_finalize(s->hold);
        s->hold = NULL;
        if (sqlite3_txn_state(t->db, t->schema) != SQLITE_TXN_NONE)
            return hold_transaction(s);
        end_transaction(s);
        reason = try_hold(s);
    }
    return reason;
}

bool page_file_view(const struct page_snapshot *s, page_view *view) {
    const bool wal = s->header[PAGE_READ_VERSION] == PAGE_WAL_VERSION;
    *view = (page_view){s->file, s->header, s->has_log ? &s->frames.header : NULL};
    return !wal || s->exact;
}

void page_file_release(struct page_snapshot *s) {
    if (s)
        end_transaction(s);
    free(s);
}

/* ---- pages ---- */

/* True if the pages of a table that the open write transaction has not written are in
** their places. SQLite keeps the changed first page in memory until the commit, so the
** file has the old one. A change of schema may have dropped the table. With auto_vacuum,
** a new table moves another table's page to make space for its root. */
static bool pages_stand(const page_table *t, const struct page_snapshot *s,
                        const page_layout *layout) {
    return !s->writing ||
           (!layout->auto_vacuum &&
            get4(s->header + PAGE_SCHEMA_VERSION) == (uint32_t)t->schema_version);
}

enum page_reason page_file_study(const page_table *t, struct page_snapshot *s,
                                 page_source *source, page_layout *layout) {
    const bool wal = s->header[PAGE_READ_VERSION] == PAGE_WAL_VERSION;
    uint32_t counted;
    sqlite3_int64 bytes;
    if (s->file->pMethods->xFileSize(s->file, &bytes) != SQLITE_OK)
        return PAGE_READ_FAILED;
    if (!page_header_read(s->header, layout, &counted))
        return s->has_log && s->frames.count > 0 ? PAGE_WAL : PAGE_HEADER;
    if (!pages_stand(t, s, layout))
        return PAGE_WRITING;
    sqlite3_int64 pages = bytes / layout->page_size;
    if (pages > UINT32_MAX - 1)
        return PAGE_HEADER;
    /* In WAL mode the file's first page may be older or newer than the transaction. */
    if (wal)
        counted = 0;
    if (counted > pages)
        return PAGE_DAMAGED;
    source->file = s->file;
    source->lock = wal_vfs_reads_apart(t->db, t->schema) ? NULL : &s->read_lock;
    source->pages = counted ? counted : (uint32_t)pages;
    if (s->has_log && s->frames.count > 0) {
        source->wal = &s->frames;
        if (s->frames.header.word[WAL_PAGES] > source->pages)
            source->pages = s->frames.header.word[WAL_PAGES];
    }
    /* No counter covers sqlite3_blob_write, but that function cannot change a number. */
    layout->numbers_alone = s->writing;
    layout->at_text = s->writing                       ? PAGE_WRITING
                      : layout->encoding != PAGE_UTF_8 ? PAGE_UTF_16
                      : t->texts                       ? PAGE_ID_TEXT
                                                       : PAGE_ID_TYPE;
    layout->longest = (uint32_t)sqlite3_limit(t->db, SQLITE_LIMIT_LENGTH, -1);
    return layout->longest < layout->page_size ? PAGE_TOO_LONG : PAGE_FINE;
}

enum page_reason page_file_settle(const struct page_snapshot *s) {
    bool used = s->has_log && s->frames.count > 0;
    return !used || wal_frames_hold(&s->frames) ? PAGE_FINE : PAGE_WAL;
}
