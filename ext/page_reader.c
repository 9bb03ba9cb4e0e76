/* Decides whether a table's pages may be read past SQLite, and sees to it that what they
** say is what SQLite would say.
**
** What must hold, and how it is known:
**
**   the file is the database        a path, one of SQLite's own unix VFSs, and a first
**                                   page as the format defines it
**   its pages stay as they are      a statement of ours holds a read transaction; in a
**                                   rollback-journal mode nobody writes the file under
**                                   its SHARED lock
**   no newer pages elsewhere        in this connection's cache: only inside a write
**                                   transaction; in a shared cache: refused; in the
**                                   write-ahead log: see quiet_log
**   we read what SELECT reads       root page, record columns and affinity come from the
**                                   program that SQLite itself compiles for the SELECT:
**                                   only a plain scan of one rowid table is accepted,
**                                   so views, generated columns and whatever an
**                                   authorizer hides step aside
**   and a last look                 the first and the last row, read by SQL, must
** agree */
#include "page_format.h"

#include <stdlib.h>
#include <string.h>

static const char *const sentence[PAGE_REASONS] = {
    [PAGE_NO_ROWID] = "the table's rowid has no name that no column hides",
    [PAGE_NO_FILE] = "the table is in memory or in a temporary database",
    [PAGE_FOREIGN_VFS] = "the database is not in a file of SQLite's own unix VFS",
    [PAGE_NOT_READABLE] = "SQLite does not open the table",
    [PAGE_WRITING] = "this connection has a write transaction open",
    [PAGE_WAL] = "the write-ahead log holds pages "
                 "(PRAGMA wal_checkpoint(TRUNCATE) moves them to the table)",
    [PAGE_SHARED_CACHE] = "the connection shares its page cache",
    [PAGE_HEADER] = "the file's first page is of a kind not known here",
    [PAGE_NOT_PLAIN] = "SQLite does not read it by a plain scan of one rowid table",
    [PAGE_ID_TYPE] = "an id is not an INTEGER or a TEXT",
    [PAGE_UTF_16] = "an id is a text, and the database keeps texts in UTF-16",
    [PAGE_WEIGHT_TYPE] = "a weight is neither INTEGER nor REAL",
    [PAGE_SHORT_ROW] = "a row was written before a column was added to the table",
    [PAGE_OVERFLOW] = "a row's columns lie on an overflow page",
    [PAGE_DAMAGED] = "damaged page",
    [PAGE_READ_FAILED] = "a page could not be read",
    [PAGE_NO_MEMORY] = "no memory for whole columns at once",
    [PAGE_DISAGREES] = "the pages do not hold what SQLite reads",
};

/* ---- SQL about the table ---- */

/* Prepares SQL whose text is `before` SELECT rowid and columns FROM table `after`. */
static sqlite3_stmt *prepare_scan(const page_table *t, const char *before,
                                  const char *after) {
    sqlite3_stmt *statement = NULL;
    char *weight =
        t->column[2] ? sqlite3_mprintf(", e.\"%w\"", t->column[2]) : sqlite3_mprintf("");
    char *sql = sqlite3_mprintf(
        "%s SELECT e.\"%w\", e.\"%w\", e.\"%w\"%s FROM \"%w\".\"%w\" AS e NOT INDEXED "
        "ORDER BY e.\"%w\" %s",
        before, t->rowid, t->column[0], t->column[1], weight ? weight : "", t->schema,
        t->table, t->rowid, after);
    if (weight && sql &&
        sqlite3_prepare_v2(t->db, sql, -1, &statement, NULL) != SQLITE_OK)
        statement = NULL;
    sqlite3_free(weight);
    sqlite3_free(sql);
    return statement;
}

/* A statement that stands on a row of the schema and so keeps a read transaction. */
static enum page_reason hold_transaction(const page_table *t, sqlite3_stmt **hold) {
    char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\".sqlite_schema", t->schema);
    int rc = SQLITE_NOMEM;
    if (sql)
        rc = sqlite3_prepare_v2(t->db, sql, -1, hold, NULL);
    sqlite3_free(sql);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(*hold);
    if (rc == SQLITE_INTERRUPT)
        return PAGE_STOPPED;
    if (rc != SQLITE_ROW)
        return PAGE_NOT_READABLE;
    return sqlite3_txn_state(t->db, t->schema) == SQLITE_TXN_READ ? PAGE_FINE
                                                                  : PAGE_WRITING;
}

/* ---- SQLite's own program for the scan ---- */

enum { SCAN_COLUMNS = 4, NO_VALUE = -2 };

struct program {
    int root, schema;        /* OpenRead: root page, number of the schema */
    int from[SCAN_COLUMNS];  /* result column: record column, PAGE_IS_ROWID, NO_VALUE */
    bool real[SCAN_COLUMNS]; /* RealAffinity: integers are read as REAL */
    int opened, rows;        /* OpenRead and ResultRow instructions seen */
    int first_register;
    struct load {
        int to, from;
    } load[SCAN_COLUMNS];
    int loads, reals, real_register[SCAN_COLUMNS];
};

/* Takes note of one instruction. false: not part of a plain scan. */
static bool take_instruction(struct program *p, const char *opcode, int p1, int p2,
                             int p3, const char *p4, int columns) {
    static const char *const harmless[] = {"Init", "Noop", "Explain",     "Rewind",
                                           "Next", "Halt", "Transaction", "Goto"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(opcode, harmless[i]) == 0)
            return true;
    if (strcmp(opcode, "OpenRead") == 0) {
        /* An index, and a WITHOUT ROWID table, come with a key description in P4. */
        bool table = p4 && p4[0] >= '0' && p4[0] <= '9';
        p->root = p2;
        p->schema = p3;
        return table && p->opened++ == 0;
    }
    if (strcmp(opcode, "Rowid") == 0 || strcmp(opcode, "Column") == 0) {
        bool rowid = opcode[0] == 'R';
        if (p->loads == columns)
            return false;
        p->load[p->loads++] =
            rowid ? (struct load){p2, PAGE_IS_ROWID} : (struct load){p3, p2};
        return true;
    }
    if (strcmp(opcode, "RealAffinity") == 0) {
        if (p->reals == columns)
            return false;
        p->real_register[p->reals++] = p1;
        return true;
    }
    if (strcmp(opcode, "ResultRow") == 0) {
        p->first_register = p1;
        return p2 == columns && p->rows++ == 0;
    }
    return false;
}

/* From registers to result columns. false: a result column has no single origin. */
static bool finish_program(struct program *p, int columns) {
    if (p->opened != 1 || p->rows != 1 || p->loads != columns)
        return false;
    for (int c = 0; c < columns; c++)
        p->from[c] = NO_VALUE;
    for (int i = 0; i < p->loads; i++) {
        int c = p->load[i].to - p->first_register;
        if (c < 0 || c >= columns || p->from[c] != NO_VALUE)
            return false;
        p->from[c] = p->load[i].from;
    }
    for (int i = 0; i < p->reals; i++) {
        int c = p->real_register[i] - p->first_register;
        if (c < 0 || c >= columns)
            return false;
        p->real[c] = true;
    }
    return p->from[0] == PAGE_IS_ROWID;
}

/* What SQLite would do for the plain SELECT: the layout of records, and the root. */
static enum page_reason study_program(const page_table *t, page_layout *layout,
                                      uint32_t *root) {
    const int columns = t->column[2] ? 4 : 3;
    struct program p = {0};
    sqlite3_stmt *explain = prepare_scan(t, "EXPLAIN", "");
    bool plain = true, shared = false;
    int rc = sqlite3_errcode(t->db);

    while (explain && (rc = sqlite3_step(explain)) == SQLITE_ROW) {
        const char *opcode = (const char *)sqlite3_column_text(explain, 1);
        const char *p4 = (const char *)sqlite3_column_text(explain, 5);
        /* Only a database in a shared cache is locked table by table. */
        if (opcode && strcmp(opcode, "TableLock") == 0)
            shared = true;
        else
            plain = opcode && plain &&
                    take_instruction(&p, opcode, sqlite3_column_int(explain, 2),
                                     sqlite3_column_int(explain, 3),
                                     sqlite3_column_int(explain, 4), p4, columns);
    }
    sqlite3_finalize(explain);
    if (rc == SQLITE_INTERRUPT)
        return PAGE_STOPPED;
    if (rc != SQLITE_DONE)
        return PAGE_NOT_READABLE;
    if (shared)
        return PAGE_SHARED_CACHE;
    if (!plain || !finish_program(&p, columns))
        return PAGE_NOT_PLAIN;
    const char *schema = sqlite3_db_name(t->db, p.schema);
    if (!schema || sqlite3_stricmp(schema, t->schema) != 0)
        return PAGE_NOT_PLAIN;
    if (p.real[0] || p.real[1] || p.real[2])
        return PAGE_ID_TYPE;
    *root = (uint32_t)p.root;
    layout->weighted = columns == 4;
    layout->real = p.real[3];
    for (int k = 0; k < columns - 1; k++)
        layout->column[k] = p.from[k + 1];
    return PAGE_FINE;
}

/* ---- the file ---- */

static bool trusted_vfs(const page_table *t) {
    static const char *const known[] = {"unix", "unix-excl", "unix-dotfile", "unix-none"};
    char *name = NULL; /* a shim calls itself "shim/unix" */
    bool trusted = false;

    if (sqlite3_file_control(t->db, t->schema, SQLITE_FCNTL_VFSNAME, &name) ==
            SQLITE_OK &&
        name) {
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            trusted |= strcmp(name, known[i]) == 0;
        trusted |= t->vfs && strcmp(name, t->vfs) == 0;
    }
    sqlite3_free(name);
    return trusted;
}

static sqlite3_file *file_of(const page_table *t, int which) {
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(t->db, t->schema, which, &file) != SQLITE_OK || !file ||
        !file->pMethods)
        return NULL;
    return file;
}

/* In WAL mode: is the log empty, now that our read transaction is open? Frames that our
** snapshot needs cannot leave the log under it; so an empty log means that the snapshot
** is the database file, and the reader's mark that stands for "no frames" keeps every
** checkpointer, of whatever connection, from writing to the file until we are done.
** The log is asked through SQLite's file object: its path might name another file. */
static bool quiet_log(const page_table *t) {
    sqlite3_file *log = file_of(t, SQLITE_FCNTL_JOURNAL_POINTER);
    sqlite3_int64 size;
    return log && log->pMethods->xFileSize(log, &size) == SQLITE_OK && size == 0;
}

static enum page_reason study_file(const page_table *t, page_source *source,
                                   page_layout *layout) {
    page_geometry geometry;
    uint8_t header[100];
    sqlite3_int64 bytes;

    source->file = file_of(t, SQLITE_FCNTL_FILE_POINTER);
    if (!source->file)
        return PAGE_NO_FILE;
    const sqlite3_io_methods *io = source->file->pMethods;
    if (io->xFileSize(source->file, &bytes) != SQLITE_OK ||
        io->xRead(source->file, header, sizeof header, 0) != SQLITE_OK)
        return PAGE_READ_FAILED;
    if (header[PAGE_READ_VERSION] == PAGE_WAL_VERSION && !quiet_log(t))
        return PAGE_WAL;
    if (!page_geometry_read(header, &geometry))
        return PAGE_HEADER;
    sqlite3_int64 pages = bytes / geometry.page_size;
    if (pages > UINT32_MAX - 1)
        return PAGE_HEADER;
    source->pages = (uint32_t)pages;
    if (geometry.pages != 0 && geometry.pages > source->pages)
        return PAGE_DAMAGED;
    if (geometry.pages != 0)
        source->pages = geometry.pages;
    layout->page_size = geometry.page_size;
    layout->usable = geometry.usable;
    if (t->texts)
        layout->at_text = geometry.utf_8 ? PAGE_ID_TEXT : PAGE_UTF_16;
    else
        layout->at_text = PAGE_ID_TYPE;
    return PAGE_FINE;
}

/* ---- the last look ---- */

/* Is entry i of source (k 0) or target (k 1) what the statement stands on? */
static bool id_agrees(const page_columns *c, const intern *texts, int k, int64_t i,
                      sqlite3_stmt *row) {
    int64_t value = k == 0 ? c->source[i] : c->target[i];
    if (!c->text[k] || !(c->text[k][i / 8] >> i % 8 & 1))
        return sqlite3_column_type(row, 1 + k) == SQLITE_INTEGER &&
               sqlite3_column_int64(row, 1 + k) == value;
    if (sqlite3_column_type(row, 1 + k) != SQLITE_TEXT)
        return false;
    const unsigned char *text = sqlite3_column_text(row, 1 + k);
    size_t bytes = (size_t)sqlite3_column_bytes(row, 1 + k);
    const uint64_t *offset = &texts->offset[value];
    return text && offset[1] - offset[0] == bytes &&
           memcmp(texts->bytes + offset[0], text, bytes) == 0;
}

static bool row_agrees(const page_columns *c, const intern *texts, int64_t i,
                       sqlite3_stmt *row) {
    if (sqlite3_column_type(row, 0) != SQLITE_INTEGER ||
        sqlite3_column_int64(row, 0) != (c->rowid ? c->rowid[i] : i + 1) ||
        !id_agrees(c, texts, 0, i, row) || !id_agrees(c, texts, 1, i, row))
        return false;
    if (c->real_weight)
        return sqlite3_column_double(row, 3) == c->real_weight[i];
    return !c->weight || (sqlite3_column_type(row, 3) == SQLITE_INTEGER &&
                          sqlite3_column_int64(row, 3) == c->weight[i]);
}

/* Compares row i with the one that SQL finds first in the given order. */
static enum page_reason last_look(const page_table *t, const char *order,
                                  const page_columns *c, int64_t i) {
    sqlite3_stmt *row = prepare_scan(t, "", order);
    int rc = row ? sqlite3_step(row) : sqlite3_errcode(t->db);
    bool agrees = c->count == 0 ? rc == SQLITE_DONE
                                : rc == SQLITE_ROW && row_agrees(c, t->texts, i, row);
    sqlite3_finalize(row);
    if (rc == SQLITE_INTERRUPT)
        return PAGE_STOPPED;
    return agrees ? PAGE_FINE : PAGE_DISAGREES;
}

/* ---- all together ---- */

static enum page_reason read_columns(const page_table *t, page_source *source,
                                     page_layout *layout, uint32_t root,
                                     page_columns *columns) {
    page_leaves leaves = {0};
    enum page_reason reason = page_list(source, layout, root, &leaves);
    bool again = !reason;
    while (again) {
        page_layout_finish(layout);
        reason = page_collect(source, layout, &leaves, columns);
        again = reason == PAGE_WEIGHT_REAL || reason == PAGE_ID_TEXT;
        layout->real |= reason == PAGE_WEIGHT_REAL;
        layout->text |= reason == PAGE_ID_TEXT;
        if (again && source->texts)
            intern_clear(source->texts);
    }
    free(leaves.page);
    if (!reason)
        reason = last_look(t, "ASC LIMIT 1", columns, 0);
    if (!reason)
        reason = last_look(t, "DESC LIMIT 1", columns, columns->count - 1);
    return reason;
}

static enum page_reason decide_and_read(const page_table *t, page_source *source,
                                        page_columns *columns) {
    const char *path = sqlite3_db_filename(t->db, t->schema);
    page_layout layout = {0};
    sqlite3_stmt *hold = NULL;
    uint32_t root;

    if (!t->rowid || !t->rowid[0])
        return PAGE_NO_ROWID;
    if (!path || !path[0])
        return PAGE_NO_FILE;
    if (!trusted_vfs(t))
        return PAGE_FOREIGN_VFS;
    enum page_reason reason = hold_transaction(t, &hold);
    if (!reason)
        reason = study_program(t, &layout, &root);
    if (!reason)
        reason = study_file(t, source, &layout);
    if (!reason)
        reason = read_columns(t, source, &layout, root, columns);
    sqlite3_finalize(hold);
    return reason;
}

enum page_outcome page_read(const page_table *table, int threads,
                            int (*interrupted)(void *), void *listener,
                            page_columns *columns, const char **why_not) {
    sqlite3_mutex *mutex = sqlite3_db_mutex(table->db);
    page_source source = {.threads = threads,
                          .texts = table->texts,
                          .interrupted = interrupted,
                          .listener = listener,
                          .rows_read = table->rows_read};

    *columns = (page_columns){0};
    *why_not = NULL;
    sqlite3_mutex_enter(mutex);
    enum page_reason reason = decide_and_read(table, &source, columns);
    sqlite3_mutex_leave(mutex);
    if (reason == PAGE_FINE)
        return PAGE_READ;
    page_columns_clear(columns);
    if (table->texts)
        intern_clear(table->texts);
    if (reason == PAGE_STOPPED)
        return PAGE_INTERRUPTED;
    *why_not = sentence[reason];
    return PAGE_NOT_USED;
}
