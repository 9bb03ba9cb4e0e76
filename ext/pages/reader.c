/* Decides whether the pages of a table give exactly what SQLite would give, and reads
** them.
**
** What must hold, and how the reader checks it:
**
**     the file is the database    It has a path and one of SQLite's own unix VFSs, and
**                                 its first page is as the format defines it. (file.c)
**     its pages do not change     A statement of the reader holds a read transaction. In
**                                 a rollback-journal mode no connection writes the file
**                                 under its SHARED lock.
**     no newer pages elsewhere    This connection's cache has newer pages only inside a
**                                 write transaction, and only of tables that it has
**                                 written (page_table.unwritten). A shared cache is
**                                 refused. Pages in the write-ahead log are found there.
**                                 (wal_frames.c)
**     it reads what SELECT reads  Root page, record columns and affinity come from the
**                                 program that SQLite compiles for the SELECT, which must
**                                 be a plain scan of one rowid table. (program.c)
**     a last look                 The ids of the first and the last row, read by SQL,
**                                 must agree.
**
** The reader finds some values only in the pages: a REAL weight, a text, a NULL end, a
** row older than a column, a number that does not fit 4 bytes. It then starts again. */
#include "condition.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>

static const char *const sentence[PAGE_REASONS] = {
    [PAGE_NOT_SIMPLE] = "SQLite must evaluate the filter",
    [PAGE_FILTER_VALUE] = "SQLite must evaluate the filter for some row",
    [PAGE_NO_ROWID] = "columns of the table hide every name of its rowid",
    [PAGE_NO_FILE] = "the table is in memory or in a temporary database",
    [PAGE_FOREIGN_VFS] = "the database is not in a file of SQLite's own unix VFS",
    [PAGE_NOT_READABLE] = "SQLite does not open the table",
    [PAGE_WRITING] = "this connection has a write transaction open",
    [PAGE_WAL] = "the write-ahead log holds pages that may be newer than what this "
                 "transaction sees",
    [PAGE_SHARED_CACHE] = "the connection shares its page cache",
    [PAGE_HEADER] = "the file's first page has an unknown form",
    [PAGE_NOT_PLAIN] = "SQLite does not read it by a plain scan of one rowid table",
    [PAGE_ID_TYPE] = "an id is not an INTEGER or a TEXT",
    [PAGE_UTF_16] = "the database stores texts as UTF-16",
    [PAGE_WEIGHT_TYPE] = "a weight is not a number",
    [PAGE_EDGE_ID_TYPE] = "an edge id is not an INTEGER",
    [PAGE_TOO_LONG] = "a row may be longer than this connection's limit",
    [PAGE_CHAIN] = "a long row has several overflow pages in an auto_vacuum database",
    [PAGE_DAMAGED] = "damaged page",
    [PAGE_READ_FAILED] = "a page could not be read",
    [PAGE_NO_MEMORY] = "there is no memory for whole columns",
    [PAGE_DISAGREES] = "the pages differ from what SQLite reads",
};

/* ---- the last look ---- */

/* The NULL ends of row i, the first or the last, as bits. */
static unsigned nulls_of(const page_columns *c, int64_t i) {
    if (c->halves == 0)
        return 0;
    int64_t half = c->half[i == 0 ? 0 : c->halves - 1];
    return half >> 2 == i ? (unsigned)half & 3 : 0;
}

/* True if row i and the statement's row have equal ids at end k. */
static bool id_agrees(const page_columns *c, const intern *texts, int k, int64_t i,
                      sqlite3_stmt *row) {
    int64_t value = c->cells ? c->ends[i != 0][k] : page_id_at(c, k, i), whole;
    if (nulls_of(c, i) >> k & 1)
        return sqlite3_column_type(row, 1 + k) == SQLITE_NULL;
    if (sqlite3_column_type(row, 1 + k) == SQLITE_FLOAT)
        return whole_number(sqlite3_column_double(row, 1 + k), &whole) && whole == value;
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

/* True if row i, the first or the last, equals the statement's row. Weights are not
** compared. */
static bool row_agrees(const page_table *t, const page_columns *c, int64_t i,
                       sqlite3_stmt *row) {
    const int edge_id = 3 + (t->column[PAGE_WEIGHT] != NULL);
    return sqlite3_column_type(row, 0) == SQLITE_INTEGER &&
           sqlite3_column_int64(row, 0) == (c->rowid ? c->rowid[i] : i + 1) &&
           id_agrees(c, t->texts, 0, i, row) && id_agrees(c, t->texts, 1, i, row) &&
           (!c->edge_id || (sqlite3_column_type(row, edge_id) == SQLITE_INTEGER &&
                            sqlite3_column_int64(row, edge_id) == c->edge_id[i]));
}

/* Compares row i with the first row that SQL finds in a range, in the given order. */
static enum page_reason last_look(const page_table *t, const int64_t *range,
                                  const char *order, const page_columns *c, int64_t i) {
    sqlite3_stmt *row = page_scan(t, "", range, order);
    int rc = row ? sqlite3_step(row) : sqlite3_errcode(t->db);
    bool agrees =
        c->count == 0 ? rc == SQLITE_DONE : rc == SQLITE_ROW && row_agrees(t, c, i, row);
    sqlite3_finalize(row);
    if (rc == SQLITE_INTERRUPT)
        return PAGE_STOPPED;
    return agrees ? PAGE_FINE : PAGE_DISAGREES;
}

/* Compares the first or the last row. The leaves of a range may have rows outside the
** range. */
static enum page_reason look_at_end(const page_table *t, const page_columns *c,
                                    bool last) {
    const int64_t i = last ? c->count - 1 : 0;
    if (!t->range)
        return last_look(t, NULL, last ? "DESC LIMIT 1" : "ASC LIMIT 1", c, i);
    if (c->count == 0)
        return PAGE_FINE;
    const int64_t row = c->rowid ? c->rowid[i] : i + 1, only[2] = {row, row};
    return last_look(t, only, "", c, i);
}

/* ---- what a restart needs ---- */

/* Takes the value that SQLite gives for a column that is newer than the row. */
static enum page_reason take_default(sqlite3_stmt *row, int column, int k,
                                     page_missing *missing) {
    sqlite3_value *value = sqlite3_column_value(row, column);
    missing->type =
        page_is_weight(k) ? sqlite3_value_numeric_type(value) : sqlite3_value_type(value);
    missing->integer = sqlite3_value_int64(value);
    missing->real = sqlite3_value_double(value);
    const void *text =
        missing->type == SQLITE_TEXT && k < 2 ? sqlite3_value_text(value) : NULL;
    if (text) {
        missing->length = (uint32_t)sqlite3_value_bytes(value);
        missing->text = malloc(missing->length + 1);
        if (missing->text)
            memcpy(missing->text, text, missing->length + 1);
    }
    missing->known = missing->type != SQLITE_TEXT || k >= 2 || missing->text;
    return missing->known ? PAGE_FINE : PAGE_NO_MEMORY;
}

/* Asks SQLite for the values of the columns that a row with only `columns` columns does
** not have. These are constants of the table, so any such row shows them. */
static enum page_reason ask_defaults(const page_table *t, page_layout *layout,
                                     const page_short *old) {
    sqlite3_stmt *row;
    enum page_reason reason = page_scan_row(t, old->rowid, &row);
    for (int k = 0, column = 1; k < layout->columns && !reason; k++) {
        if (layout->column[k] >= old->columns && !layout->missing[k].known)
            reason = take_default(row, column, k, &layout->missing[k]);
        column += layout->column[k] != PAGE_NO_COLUMN;
    }
    sqlite3_finalize(row);
    return reason || !layout->filter ? reason
                                     : page_condition_ask(layout->filter, t, old);
}

static void close_numbers(page_source *source) {
    for (int i = 0; source->numbers && i < source->threads; i++)
        page_numbers_close(source->numbers[i]);
    free(source->numbers);
    source->numbers = NULL;
}

/* Opens a private connection for each thread. This thread opens them all, because opening
** calls the functions registered by sqlite3_auto_extension. */
static enum page_reason open_numbers(page_source *source) {
    source->threads = gg_team_limit(source->threads);
    source->numbers = calloc((size_t)source->threads, sizeof *source->numbers);
    if (!source->numbers)
        return PAGE_NO_MEMORY;
    for (int i = 0; i < source->threads; i++) {
        source->numbers[i] = page_numbers_open();
        if (!source->numbers[i])
            return PAGE_NO_MEMORY;
    }
    return PAGE_FINE;
}

/* Prepares another attempt after this reason, or returns the reason. */
static enum page_reason prepare_again(const page_table *t, page_source *source,
                                      page_layout *layout, const page_short *old,
                                      enum page_reason reason) {
    if (source->texts)
        intern_clear(source->texts);
    switch (reason) {
    case PAGE_ID_WIDE:
        layout->wide |= PAGE_WIDE_IDS;
        return PAGE_FINE;
    case PAGE_WEIGHT_WIDE:
        layout->wide |= PAGE_WIDE_WEIGHTS;
        return PAGE_FINE;
    case PAGE_WEIGHT_REAL:
        layout->real = true;
        return PAGE_FINE;
    case PAGE_WEIGHT_TEXT:
        layout->ask = true;
        return open_numbers(source);
    case PAGE_ID_TEXT:
        layout->text = true;
        return PAGE_FINE;
    case PAGE_ID_NULL:
        layout->null = true;
        return PAGE_FINE;
    case PAGE_SHORT_ROW:
        return ask_defaults(t, layout, old);
    default:
        return reason;
    }
}

/* ---- all together ---- */

static enum page_reason read_columns(const page_table *t, page_source *source,
                                     page_layout *layout, uint32_t root,
                                     page_columns *columns) {
    page_leaves leaves = {0};
    page_short old = {0};
    const page_wanted wanted = {.range = t->range};
    enum page_reason reason = page_list(source, root, &wanted, &leaves);
    bool send = t->place != NULL;
    while (!reason) {
        page_layout_finish(layout);
        reason = send ? page_send(t, source, &leaves, columns, &old)
                      : page_collect(source, &leaves, columns, &old);
        if (!reason)
            break;
        if (send && reason != PAGE_STOPPED && reason >= PAGE_NOT_SENT) {
            send = false; /* threads decode the table and find the fault */
            reason = PAGE_FINE;
        } else {
            reason = prepare_again(t, source, layout, &old, reason);
        }
    }
    free(leaves.page);
    close_numbers(source);
    for (int last = 0; last < 2 && !reason; last++)
        reason = look_at_end(t, columns, last);
    return reason;
}

/* Compares row i of the wanted rows, the first or the last, with what SQL finds. */
static enum page_reason look_again(const page_table *t, const int64_t *rowid,
                                   const page_found *found, int64_t i) {
    int64_t row = rowid[i];
    const int64_t only[2] = {row, row};
    if (found->state[i] == PAGE_ROW_ODD)
        return PAGE_FINE;
    const page_columns one = {
        .count = found->state[i] == PAGE_ROW_NUMBERS,
        .rowid = &row,
        .id = {&found->value[PAGE_SOURCE][i], &found->value[PAGE_TARGET][i]}};
    return last_look(t, only, "", &one, 0);
}

/* The rows to read, and the arrays for them. */
struct request {
    const int64_t *rowid; /* NULL: all rows, to columns; otherwise these rows, to found */
    page_columns *columns;
    page_found *found;
};

static enum page_reason find_wanted_rows(const page_table *t, page_source *source,
                                         page_layout *layout, uint32_t root,
                                         const struct request *r) {
    if (layout->columns > PAGE_EDGE_ID)
        return PAGE_NOT_PLAIN;
    r->found->real = layout->real |= r->found->real;
    layout->at_text = PAGE_ID_TYPE;
    page_layout_finish(layout);
    enum page_reason reason = page_find_rows(source, root, r->rowid, r->found);
    reason = reason ? reason : look_again(t, r->rowid, r->found, 0);
    reason = reason ? reason : look_again(t, r->rowid, r->found, r->found->count - 1);
    return reason;
}

static enum page_reason decide_and_read(const page_table *t, page_source source,
                                        const struct request *r) {
    struct page_snapshot *snapshot = NULL;
    page_layout layout = {0};
    uint32_t root;
    source.layout = &layout;
    if (!t->rowid || !t->rowid[0])
        return PAGE_NO_ROWID;
    enum page_reason reason = page_file_known(t);
    reason = reason ? reason : page_file_hold(t, &snapshot);
    reason = reason ? reason : page_program(t, &layout, &root);
    reason = reason ? reason : page_file_study(t, snapshot, &source, &layout);
    if (!reason && t->filter)
        reason = page_condition_make(
            t, layout.numbers_alone || layout.encoding != PAGE_UTF_8, &layout.filter);
    layout.null = layout.filter != NULL;
    if (!reason)
        reason = r->rowid ? find_wanted_rows(t, &source, &layout, root, r)
                          : read_columns(t, &source, &layout, root, r->columns);
    reason = reason ? reason : page_file_settle(snapshot);
    page_layout_clear(&layout);
    page_file_release(snapshot);
    return reason;
}

/* Reads under the connection's mutex. */
static enum page_outcome read_locked(const page_table *t, page_source source,
                                     const struct request *r, const char **why_not) {
    sqlite3_mutex *mutex = sqlite3_db_mutex(t->db);
    *why_not = NULL;
    sqlite3_mutex_enter(mutex);
    const enum page_reason reason = decide_and_read(t, source, r);
    sqlite3_mutex_leave(mutex);
    if (reason == PAGE_FINE)
        return PAGE_READ;
    if (reason == PAGE_STOPPED)
        return PAGE_INTERRUPTED;
    *why_not = sentence[reason];
    return PAGE_NOT_USED;
}

enum page_outcome page_read(const page_table *table, int threads,
                            int (*interrupted)(void *), void *listener,
                            page_columns *columns, const char **why_not) {
    const page_source source = {.threads = threads,
                                .texts = table->texts,
                                .interrupted = interrupted,
                                .listener = listener,
                                .rows_read = table->rows_read};
    const struct request all = {.columns = columns};
    *columns = (page_columns){0};
    const enum page_outcome outcome = read_locked(table, source, &all, why_not);
    if (outcome != PAGE_READ) {
        page_columns_clear(columns);
        if (table->texts)
            intern_clear(table->texts);
    }
    return outcome;
}

enum page_outcome page_find(const page_table *table, const int64_t *rowid, int threads,
                            int (*interrupted)(void *), void *listener, page_found *found,
                            const char **why_not) {
    const page_source source = {
        .threads = threads, .interrupted = interrupted, .listener = listener};
    const struct request some = {.rowid = rowid, .found = found};
    return read_locked(table, source, &some, why_not);
}
