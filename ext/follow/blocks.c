/* The mirror's copy in the file: g_blocks, a shadow table that only the module writes.
**
**     rowid 1     is never written. VACUUM may renumber these rows from 1 on, and also
**                 renumber the edges: if there is a row 1, the blocks are invalid
**     rowid 2     "gpugraph 4 SCHEMA POSITION MARK SEQ SIZE ...": schema version, last
**                 entry of the log, the log's latest mark and its entry, bytes of each
**                 graph in the order of blocks_write
**     rowid 3..   the packed graphs, one after the other, in pieces of 4 MiB
**
** Blocks and log are in one file and are written in one transaction, so a restored file
** has both. The blocks are therefore the table at POSITION in the history of this file,
** and the log has all later changes. A changed schema invalidates the blocks, because
** triggers may have been missing for a while. The schema version detects the change, but
** sqlite3_backup writes another version into its destination. So blocks are also invalid
** if a trigger comes after the view g_saved in the schema. CREATE VIRTUAL TABLE and
** gpugraph_save write blocks; a query never does. */
#include "mirror.h"
#include "sql.h"
#include "base/statement.h"
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4 << 20, HEADER_ROW = 2, BLOCK_GRAPHS = 6 };

/* Graph number k in the order of the file. */
static gpugraph_graph **graph_of_blocks(loaded graphs[2], int k) {
    loaded *l = &graphs[k / 3];
    return k % 3 == 0 ? &l->graph : k % 3 == 1 ? &l->half_rows : &l->row_ids;
}

/* ---- writing ---- */

typedef struct writer {
    sqlite3 *db;
    sqlite3_stmt *insert;
    char *piece;
    int filled, rc;
    sqlite3_int64 row;
} writer;

static void flush_piece(writer *w) {
    if (w->rc || w->filled == 0)
        return;
    sqlite3_bind_int64(w->insert, 1, w->row++);
    sqlite3_bind_blob(w->insert, 2, w->piece, w->filled, SQLITE_STATIC);
    sqlite3_step(w->insert);
    w->rc = sqlite3_reset(w->insert);
    w->filled = 0;
}

static int write_bytes_of_blocks(void *context, void *bytes, size_t count, uint64_t at) {
    (void)at;
    writer *w = context;
    const char *from = bytes;
    while (count > 0 && w->rc == SQLITE_OK) {
        size_t part =
            (size_t)(PIECE - w->filled) < count ? (size_t)(PIECE - w->filled) : count;
        memcpy(w->piece + w->filled, from, part);
        w->filled += (int)part;
        from += part;
        count -= part;
        if (w->filled == PIECE)
            flush_piece(w);
    }
    return w->rc;
}

static int write_header(sqlite3 *db, const definition *d, sqlite3_stmt *insert,
                        const uint64_t size[BLOCK_GRAPHS]) {
    sqlite3_int64 schema = 0, position = 0;
    log_mark mark = {0, 0};
    int rc = statement_integer(db, &schema, "PRAGMA \"%w\".schema_version", d->schema);
    if (rc == SQLITE_OK)
        rc = statement_integer(db, &position, "SELECT max(rowid) FROM \"%w\".\"%w\"",
                               d->schema, d->log);
    rc = rc ? rc : log_latest_mark(db, d->schema, d->log, &mark);
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "gpugraph 4 %lld %lld %lld %lld", schema, position, mark.id,
                        mark.seq);
    for (int k = 0; k < BLOCK_GRAPHS; k++)
        sqlite3_str_appendf(text, " %llu", size[k]);
    char *header = sqlite3_str_finish(text);
    if (rc == SQLITE_OK && header) {
        sqlite3_bind_int64(insert, 1, HEADER_ROW);
        sqlite3_bind_text(insert, 2, header, -1, SQLITE_STATIC);
        sqlite3_step(insert);
        rc = sqlite3_reset(insert);
    }
    sqlite3_free(header);
    return header ? rc : SQLITE_NOMEM;
}

/* *stand: every trigger of the graph precedes the view in the schema. */
static int triggers_stand(sqlite3 *db, const definition *d, bool *stand) {
    sqlite3_int64 found = 0;
    int rc = statement_integer(db, &found,
                               "SELECT 1 FROM \"%w\".sqlite_schema WHERE type = 'view' "
                               "AND name = '%q_saved' COLLATE NOCASE AND rowid > %lld",
                               d->schema, d->name, d->latest_trigger);
    *stand = found != 0;
    return rc;
}

/* Creates the view again, and so behind all triggers, if a trigger follows it. */
static int put_view(sqlite3 *db, const definition *d, char **error) {
    bool stand;
    int rc = triggers_stand(db, d, &stand);
    if (rc || stand)
        return rc;
    char *sql = follow_sql(d, FOLLOW_SAVED);
    return sql ? statement_execute(db, error,
                                   "DROP VIEW IF EXISTS \"%w\".\"%w_saved\"; %z",
                                   d->schema, d->name, sql)
               : SQLITE_NOMEM;
}

static int write_graph(connection *c, gpugraph_graph *graph, writer *w, uint64_t *size,
                       char **error) {
    gpugraph_run run;
    gpugraph_stream to = {write_bytes_of_blocks, w};
    *size = 0;
    if (!graph)
        return SQLITE_OK;
    connection_run(c, &run);
    if (gpugraph_compact(graph, &run) == GPUGRAPH_OK)
        gpugraph_pack(graph, &run, &to);
    *size = gpugraph_packed_size(graph);
    return w->rc ? w->rc : code_of_run(&run, NULL, error);
}

static int write_all(connection *c, const definition *d, loaded graphs[2], writer *w,
                     uint64_t size[BLOCK_GRAPHS], char **error) {
    int rc = SQLITE_OK;
    for (int k = 0; k < BLOCK_GRAPHS && rc == SQLITE_OK; k++)
        rc = write_graph(c, *graph_of_blocks(graphs, k), w, &size[k], error);
    if (rc)
        return rc;
    flush_piece(w);
    return w->rc ? w->rc : write_header(c->db, d, w->insert, size);
}

/* Fails if an authorizer hides columns from this connection. The blocks would lack their
** values, which other connections may read. */
static int check_right(sqlite3 *db, const row_source *rows, char **error) {
    bool holds;
    char *right = right_text(rows);
    int rc = right ? right_holds(db, right, NULL, &holds) : SQLITE_NOMEM;
    sqlite3_free(right);
    if (rc || holds)
        return rc;
    return fail_with(error,
                     "an authorizer hides columns of %s from this connection; save "
                     "the graph from a connection that may read them",
                     rows->name);
}

int blocks_write(connection *c, const definition *d, const row_source *rows,
                 loaded graphs[2], uint64_t *bytes, char **error) {
    uint64_t size[BLOCK_GRAPHS] = {0};
    writer w = {.db = c->db, .row = HEADER_ROW + 1};
    char *blocks = sqlite3_mprintf("%s_blocks", d->name);
    int rc = blocks ? check_right(c->db, rows, error) : SQLITE_NOMEM;
    rc = rc ? rc : put_view(c->db, d, error);
    if (rc == SQLITE_OK)
        rc = statement_execute(c->db, error, "DELETE FROM \"%w\".\"%w\"", d->schema,
                               blocks);
    if (rc == SQLITE_OK)
        rc = statement_prepare(c->db, &w.insert,
                               "INSERT INTO \"%w\".\"%w\"(rowid, data) VALUES (?1, ?2)",
                               d->schema, blocks);
    w.piece = rc == SQLITE_OK ? malloc(PIECE) : NULL;
    if (rc == SQLITE_OK)
        rc = w.piece ? write_all(c, d, graphs, &w, size, error) : SQLITE_NOMEM;
    for (int k = 0; k < BLOCK_GRAPHS && bytes; k++)
        *bytes = (k ? *bytes : 0) + size[k];
    if (rc && rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT && !*error)
        *error = sqlite3_mprintf("%s", sqlite3_errmsg(c->db));
    sqlite3_finalize(w.insert);
    free(w.piece);
    sqlite3_free(blocks);
    return rc;
}

/* ---- reading ---- */

typedef struct reader {
    sqlite3 *db;
    const char *schema, *blocks;
    sqlite3_blob *blob;
    sqlite3_int64 row; /* the row of the open blob */
    uint64_t start;    /* the first byte of the packed graph that is being read */
} reader;

static int open_piece(reader *r, sqlite3_int64 row) {
    if (r->blob && r->row == row)
        return SQLITE_OK;
    r->row = row;
    return r->blob
               ? sqlite3_blob_reopen(r->blob, row)
               : sqlite3_blob_open(r->db, r->schema, r->blocks, "data", row, 0, &r->blob);
}

static int read_bytes(void *context, void *bytes, size_t count, uint64_t at) {
    reader *r = context;
    char *to = bytes;
    at += r->start;
    while (count > 0) {
        size_t start = (size_t)(at % PIECE),
               part = PIECE - start < count ? PIECE - start : count;
        int rc = open_piece(r, HEADER_ROW + 1 + (sqlite3_int64)(at / PIECE));
        rc = rc ? rc : sqlite3_blob_read(r->blob, to, (int)part, (int)start);
        if (rc)
            return rc;
        to += part;
        at += part;
        count -= part;
    }
    return SQLITE_OK;
}

enum { SCHEMA, POSITION, MARK, MARK_SEQ, SIZE, NUMBERS = SIZE + BLOCK_GRAPHS };

/* Reads the numbers of the header. False: there is no valid header. */
static bool read_header(sqlite3 *db, const char *schema, const char *blocks,
                        sqlite3_int64 number[NUMBERS]) {
    sqlite3_stmt *statement;
    bool found = false;
    int rc = statement_prepare(
        db, &statement,
        "SELECT rowid, data FROM \"%w\".\"%w\" WHERE rowid <= 2 ORDER BY rowid", schema,
        blocks);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW &&
        sqlite3_column_int64(statement, 0) == HEADER_ROW) {
        static const char mark[] = "gpugraph 4 ";
        const char *text = (const char *)sqlite3_column_text(statement, 1);
        found = text && strncmp(text, mark, sizeof mark - 1) == 0;
        char *at = found ? (char *)text + sizeof mark - 1 : NULL;
        for (int i = 0; i < NUMBERS && found; i++) {
            number[i] = strtoll(at, &at, 10);
            found = number[i] >= 0 && (*at == ' ' || *at == 0);
        }
    }
    sqlite3_finalize(statement);
    return found;
}

/* True if the triggers have logged every change since the blocks were written. */
static bool are_continued(sqlite3 *db, const definition *d, sqlite3_int64 schema) {
    sqlite3_int64 version = -1;
    bool stand;
    return statement_integer(db, &version, "PRAGMA \"%w\".schema_version", d->schema) ==
               SQLITE_OK &&
           version == schema && triggers_stand(db, d, &stand) == SQLITE_OK && stand;
}

/* *graph stays NULL if the packed graph is not valid. */
static int read_graph_at(connection *c, reader *r, uint64_t start, uint64_t size,
                         gpugraph_graph **graph) {
    gpugraph_run run;
    gpugraph_stream from = {read_bytes, r};
    connection_run(c, &run);
    r->start = start;
    gpugraph_status status = gpugraph_unpack(&run, &from, size, graph);
    return status == GPUGRAPH_NO_MEMORY || status == GPUGRAPH_INTERRUPTED
               ? code_of_status(status)
               : SQLITE_OK;
}

static int read_graphs(connection *c, reader *r, const sqlite3_int64 number[NUMBERS],
                       loaded graphs[2]) {
    uint64_t at = 0;
    int rc = SQLITE_OK;
    bool all = true;
    for (int k = 0; k < BLOCK_GRAPHS && rc == SQLITE_OK && all; k++) {
        const uint64_t size = (uint64_t)number[SIZE + k];
        gpugraph_graph **graph = graph_of_blocks(graphs, k);
        if (size)
            rc = read_graph_at(c, r, at, size, graph);
        all = !size || *graph;
        at += size;
    }
    for (int k = 0; k < 2 && (rc || !all); k++)
        loaded_clear(&graphs[k]);
    return rc;
}

int blocks_read(connection *c, const definition *d, loaded graphs[2],
                sqlite3_int64 *position, log_mark *mark) {
    sqlite3_int64 number[NUMBERS];
    char *blocks = sqlite3_mprintf("%s_blocks", d->name);
    memset(graphs, 0, 2 * sizeof *graphs);
    if (!blocks)
        return SQLITE_NOMEM;
    reader r = {.db = c->db, .schema = d->schema, .blocks = blocks};
    int rc = SQLITE_OK;
    if (read_header(c->db, d->schema, blocks, number) &&
        are_continued(c->db, d, number[SCHEMA])) {
        rc = read_graphs(c, &r, number, graphs);
        *position = number[POSITION];
        *mark = (log_mark){number[MARK], number[MARK_SEQ]};
    }
    sqlite3_blob_close(r.blob);
    sqlite3_free(blocks);
    return rc;
}
