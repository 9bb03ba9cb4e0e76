/* Reads edges with the extension's loader, so its error messages are the ones of SQL. */
#include "columns.h"
#include "distributed/exchange/post.h"
#include "base/run.h"
#include "load/load.h"
#include "pages/wal_frames.h"
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

/* ---- a file ---- */

struct opened {
    sqlite3 *db;
    connection *c;
    row_source rows;
};

static void forget_columns(connection *c) {
    timings_clear(&c->timings);
    wal_notes_clear(&c->logs);
}

static void nothing_ended(connection *c, unsigned long long serial) {
    (void)c;
    (void)serial;
}

static const struct connection_ends ends = {.execution = nothing_ended,
                                            .connection = forget_columns};

static void close_file(struct opened *f) {
    row_source_clear(&f->rows);
    sqlite3_close(f->db);
    memset(f, 0, sizeof *f);
}

static bool fail_with_sentence(gpugraph_run *run, const char *path, char *sentence) {
    gg_fail(run, GPUGRAPH_INVALID, "%s (%s)", sentence ? sentence : "no memory", path);
    sqlite3_free(sentence);
    return false;
}

static bool open_connection(struct opened *f, const options *o, const char *path) {
    int rc = sqlite3_open_v2(path, &f->db, SQLITE_OPEN_READONLY, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_busy_timeout(f->db, LOCK_PATIENCE_MS);
    if (rc == SQLITE_OK) /* starts the snapshot of the file */
        rc = sqlite3_exec(f->db, "BEGIN; SELECT 1 FROM sqlite_schema", NULL, NULL, NULL);
    f->c = rc == SQLITE_OK ? sqlite3_malloc64(sizeof *f->c) : NULL;
    if (!f->c)
        return false;
    memset(f->c, 0, sizeof *f->c);
    f->c->db = f->db;
    f->c->ends = &ends;
    f->c->config.backend = GPUGRAPH_CPU;
    f->c->config.threads = o->threads;
    return loader_register(f->c) == SQLITE_OK;
}

static bool resolve_table(struct opened *f, const options *o, gpugraph_run *run,
                          const char *path) {
    edge_source source;
    char *error = NULL;
    if (edge_parse(o->edges, (int)strlen(o->edges), EDGE_COLUMNS, &source, &error))
        return fail_with_sentence(run, path, error);
    if (source.query) {
        edge_source_clear(&source);
        return fail_with_sentence(
            run, path,
            sqlite3_mprintf("%s: processes read ranges of rowids, so --edges is a "
                            "table, not a query",
                            o->sql_name));
    }
    const int rc =
        source_resolve(f->c, o->sql_name, "edges", NULL, &source, &f->rows, &error);
    edge_source_clear(&source);
    if (rc)
        return fail_with_sentence(run, path, error);
    if (!source_row_name(&f->rows))
        return fail_with_sentence(
            run, path,
            sqlite3_mprintf("%s: processes read ranges of rowids, and %s has none: "
                            "make a table of it, with CREATE TABLE ... AS SELECT",
                            o->sql_name, f->rows.name));
    if (o->function == FUNCTION_SSSP && !f->rows.column[WEIGHT_COLUMN]) {
        char *why = source_without_weight(&f->rows);
        error = sqlite3_mprintf("%s: %s", o->sql_name, why);
        sqlite3_free(why);
        return fail_with_sentence(run, path, error);
    }
    return true;
}

static bool open_file(struct opened *f, const options *o, gpugraph_run *run,
                      const char *path) {
    const char *other = not_a_file(path);
    memset(f, 0, sizeof *f);
    if (other || !open_connection(f, o, path)) {
        gg_fail(run, GPUGRAPH_INVALID, "%s cannot be read: %s", path,
                other   ? other
                : f->db ? sqlite3_errmsg(f->db)
                        : "no memory");
        return false;
    }
    return resolve_table(f, o, run, path);
}

/* ---- a range of rowids ---- */

/* The offset in the span of rowids where a partition's range starts. */
static unsigned __int128 place_in_span(const sqlite3_int64 span[2], uint32_t part,
                                       uint32_t parts) {
    const uint64_t width = (uint64_t)span[1] - (uint64_t)span[0];
    return ((unsigned __int128)width + 1) * part / parts;
}

/* Limits f->rows to the rowids of a partition. False: it has none, or the run failed. */
static bool choose_range(struct opened *f, gpugraph_run *run, uint32_t part,
                         uint32_t parts, int64_t range[2]) {
    sqlite3_int64 span[2];
    bool any;
    if (table_span(f->c, &f->rows, span, &any))
        gg_fail(run, GPUGRAPH_INVALID, "%s cannot be read: %s", f->rows.name,
                sqlite3_errmsg(f->db));
    if (!any)
        return false;
    const unsigned __int128 begin = place_in_span(span, part, parts),
                            end = place_in_span(span, part + 1, parts);
    range[0] = (int64_t)((uint64_t)span[0] + (uint64_t)begin);
    range[1] = (int64_t)((uint64_t)span[0] + (uint64_t)end - 1);
    if (begin == end)
        return false;
    f->rows.range = range;
    f->rows.where =
        sqlite3_mprintf("\"%w\" BETWEEN %lld AND %lld", source_row_name(&f->rows),
                        (sqlite3_int64)range[0], (sqlite3_int64)range[1]);
    if (!f->rows.where)
        gg_fail(run, GPUGRAPH_NO_MEMORY, "the memory of a process does not suffice");
    return f->rows.where != NULL;
}

/* ---- rows ---- */

/* Replaces rows with a reverse weight by edges. */
static int lay_two_ways_out(loader *e, bool undirected) {
    loader ways;
    memset(&ways, 0, sizeof ways);
    int rc = two_ways_close(e);
    if (rc == SQLITE_OK)
        rc = two_ways_lay_out(e, undirected, &ways);
    if (rc == SQLITE_OK) {
        const loader rows = *e;
        *e = ways;
        e->edge_texts = rows.edge_texts;
        ways = rows;
        memset(&ways.edge_texts, 0, sizeof ways.edge_texts);
    }
    loader_clear(&ways);
    return rc;
}

static bool take_file(columns *c, const options *o, gpugraph_run *run, struct opened *f,
                      uint32_t place) {
    share_file *s = &c->file[c->files++];
    loader *e = &s->edges;
    s->place = place;
    loader_start(e, f->c, o->sql_name, &s->texts, &f->rows, true,
                 c->weighted ? READ_WEIGHTS : READ_NO_WEIGHTS);
    loader_start(&s->lone, f->c, o->sql_name, &s->texts, &f->rows, false,
                 READ_NO_WEIGHTS);
    e->lone = &s->lone;
    e->backend = GPUGRAPH_CPU;
    int rc = loader_read(e);
    if (rc == SQLITE_OK && e->two_ways)
        rc = lay_two_ways_out(e, o->direction == GPUGRAPH_BOTH);
    if (rc == SQLITE_OK && o->function <= FUNCTION_SSSP && !e->edge_id.value &&
        e->count > 0)
        rc = loader_begin_edge_ids(e);
    if (rc != SQLITE_OK)
        gg_fail(run, GPUGRAPH_INVALID, "%s",
                e->error ? e->error
                : s->lone.error
                    ? s->lone.error
                    : "the table cannot be read: the memory does not suffice");
    intern_close(&s->texts);
    intern_close(&e->edge_texts);
    c->count += (uint64_t)e->count;
    c->real_weight |= e->real_weight;
    c->own_ids |= f->rows.column[EDGE_ID_COLUMN] != NULL;
    id_columns_clear(&c->ids);
    if (id_columns_find(&f->rows, NULL, &c->ids) != SQLITE_OK)
        gg_fail(run, GPUGRAPH_NO_MEMORY, "the memory of a process does not suffice");
    return run->status == GPUGRAPH_OK;
}

/* ---- all files ---- */

/* Reads share number `part` of `parts` of a file. */
static void read_file(columns *c, const options *o, gpugraph_run *run, uint32_t file,
                      uint32_t part, uint32_t parts) {
    struct opened f;
    int64_t range[2];
    if (open_file(&f, o, run, o->files.gl_pathv[file]) &&
        (parts == 1 || choose_range(&f, run, part, parts, range)))
        take_file(c, o, run, &f, file);
    close_file(&f);
}

/* Combines what processes have seen: REAL weights, a column of edge ids, types of ids.
** A process that has read no file has the least values. */
static bool agree_on_columns(columns *c, gpugraph_exchange *x, gpugraph_run *run) {
    uint64_t word[] = {c->real_weight, c->own_ids, (uint64_t)c->ids.affinity[0],
                       (uint64_t)c->ids.affinity[1], c->ids.mixed != NULL};
    if (gg_combine(x, run, GPUGRAPH_MOST, word, 5) != GPUGRAPH_OK)
        return false;
    c->real_weight = word[0];
    c->own_ids = word[1];
    c->ids.affinity[0] = (char)word[2];
    c->ids.affinity[1] = (char)word[3];
    c->may_mix = word[4];
    return true;
}

bool columns_read(columns *c, const options *o, gpugraph_exchange *x, gpugraph_run *run) {
    memset(c, 0, sizeof *c);
    c->ids.affinity[0] = c->ids.affinity[1] = 'A';
    c->weighted = o->function == FUNCTION_SSSP;
    c->file = gg_alloc_zero(run, o->files.gl_pathc, sizeof *c->file);
    if (!c->file) {
        x->calls->fail(x, run);
        return false;
    }
    const bool whole = o->files.gl_pathc >= x->parts;
    for (uint32_t f = whole ? x->part : 0; f < o->files.gl_pathc && !run->status;
         f += whole ? x->parts : 1)
        read_file(c, o, run, f, whole ? 0 : x->part, whole ? 1 : x->parts);
    return gg_all_agree(x, run) && agree_on_columns(c, x, run);
}

/* ---- weights, memory ---- */

static number weight_of_edge(const loader *e, int64_t i, bool real) {
    number weight;
    if (e->weight32)
        weight.integer = e->weight32[i];
    else
        weight = e->weight[i];
    if (real && !e->real_weight)
        weight.real = (double)weight.integer;
    return weight;
}

bool columns_join_weights(columns *c, gpugraph_run *run) {
    uint64_t at = 0;
    c->weight = gg_alloc(run, c->count + 1, sizeof *c->weight);
    for (uint32_t f = 0; c->weight && f < c->files; f++)
        for (int64_t i = 0; i < c->file[f].edges.count; i++)
            c->weight[at++] = weight_of_edge(&c->file[f].edges, i, c->real_weight);
    return c->weight != NULL;
}

void columns_drop_files(columns *c) {
    for (uint32_t f = 0; f < c->files; f++) {
        loader_clear(&c->file[f].edges);
        loader_clear(&c->file[f].lone);
        intern_clear(&c->file[f].texts);
    }
    c->files = 0;
}

void columns_clear(columns *c) {
    columns_drop_files(c);
    gg_release(c->file);
    gg_release(c->end[0]);
    gg_release(c->end[1]);
    gg_release(c->key);
    gg_release(c->weight);
    id_columns_clear(&c->ids);
    memset(c, 0, sizeof *c);
}
