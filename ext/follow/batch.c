/* Rows that the log names, read again, compared with the mirror, and put into it.
**
**     ids   ->  rows  ->  what has changed  ->  gpugraph_update, of the mirror itself or, where
**                                               a running statement looks at it, of a copy that
**                                               takes its place
**
**     row in the table    edge in the mirror
**     no                  no                    inserted and deleted since
**     no                  yes                   removed
**     yes                 no                    added
**     yes                 another               removed and added: changed
**     yes                 the same              nothing
**
** A row with a NULL end is no edge, and its other end is a vertex as long as the row is there.
** So which vertices such rows hold must be known when edges go: they are edges of a second
** graph, half_rows, that is updated by batches, cloned and packed likewise; nobody searches it.
**
**     rows          7: 1 -> 2    8: NULL -> 3    9: 3 -> NULL    10: 4 -> 3
**     the graph     edge 7, edge 10; vertices 1 2 3 4
**     half_rows     edges 8 and 9, loops at 3
**
**     row 10 goes   4 vanishes; 3 loses its last edge and is kept, since half_rows has it
**     row 8 goes    9 still holds 3
**     row 9 goes    3 is loose: it vanishes unless an edge names it */
#include "mirror.h"
#include "source/condition.h"
#include "base/whole_number.h"
#include <stdlib.h>
#include <string.h>

/* What has become of edges of the mirror, and which rows have come in. */
typedef struct row_changes {
    const graph_ref *mirror;
    id_list removed;
    loader added;
    /* The same of rows with a NULL end, which are no edges: lone is their other ends, by
    ** rowid. */
    id_list removed_halves;
    loader lone;
    intern texts;
    bool unfit; /* some row is not what an edge can be made of: the whole table must be
                ** read, which says so as it does */
} row_changes;

/* ---- is a row what the mirror holds? ---- */

static bool same_vertex(const gpugraph_ids *ids, uint32_t v, sqlite3_value *value) {
    if (v < ids->integer_count) {
        int type = sqlite3_value_type(value);
        int64_t id = ids->integer ? ids->integer[v] : ids->first_integer + v, whole;
        if (type == SQLITE_FLOAT)
            return whole_number(sqlite3_value_double(value), &whole) && whole == id;
        return type == SQLITE_INTEGER && sqlite3_value_int64(value) == id;
    }
    if (sqlite3_value_type(value) != SQLITE_TEXT)
        return false;
    uint64_t at = ids->texts.offset[v - ids->integer_count];
    uint64_t bytes = ids->texts.offset[v - ids->integer_count + 1] - at;
    const void *text = sqlite3_value_text(value);
    return text && (uint64_t)sqlite3_value_bytes(value) == bytes &&
           memcmp(text, ids->texts.bytes + at, (size_t)bytes) == 0;
}

/* A number in a mirror of REAL weights may stand for an INTEGER: which of them are REAL is
** settled elsewhere. */
static bool same_weight(const gpugraph_edge_list *edges, uint64_t e,
                        sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type == SQLITE_TEXT)
        type = sqlite3_value_numeric_type(value);
    if (edges->weight_real)
        return (type == SQLITE_FLOAT || type == SQLITE_INTEGER) &&
               sqlite3_value_double(value) == edges->weight_real[e];
    return type == SQLITE_INTEGER &&
           sqlite3_value_int64(value) ==
               (edges->weight32 ? (int64_t)edges->weight32[e] : edges->weight64[e]);
}

bool row_is_edge(const graph_ref *mirror, uint64_t e, sqlite3_value **value) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(mirror->graph);
    const gpugraph_ids *ids = gpugraph_vertex_ids(mirror->graph);
    return same_vertex(ids, edges->source[e], value[0]) &&
           same_vertex(ids, edges->target[e], value[1]) &&
           (!mirror->has_weight || same_weight(edges, e, value[2]));
}

/* ---- rows read again ---- */

/* Rows that one run of the statement looks up. */
enum { LOOKUPS = 64 };

/* gpugraph_collect(id, rowid, source, destination [, weight]): rowid is NULL where there is
** no such row. Looked up so, inside SQLite's own loop, rows cost half of what they cost by
** a statement each. */
static int prepare(connection *c, const row_source *rows, int lookups, int *arguments,
                   sqlite3_stmt **row) {
    const char *rowid = rows->table.rowid_name;
    sqlite3_str *text = sqlite3_str_new(c->db);
    sqlite3_str_appendf(text, OWN_SQL "SELECT gpugraph_collect(v.column1, e.\"%w\"",
                        rowid);
    *arguments = 2;
    for (int i = 0; i < 3 && rows->column[i]; i++, ++*arguments)
        sqlite3_str_appendf(text, ", e.\"%w\"", rows->column[i]);
    sqlite3_str_appendall(text, ") FROM (VALUES (?)");
    for (int i = 1; i < lookups; i++)
        sqlite3_str_appendall(text, ", (?)");
    sqlite3_str_appendf(text,
                        ") AS v LEFT JOIN \"%w\".\"%w\" AS e NOT INDEXED ON e.\"%w\" = "
                        "v.column1",
                        rows->table.schema, rows->table.name, rowid);
    condition_append(text, "AND", rows->where, "e.");
    char *sql = sqlite3_str_finish(text);
    *row = NULL;
    int rc = sql ? sqlite3_prepare_v3(c->db, sql, -1, 0, row, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
}

/* The end that is there, of a row with a NULL end. NULL: it has neither, or both. */
static sqlite3_value *lone_end(sqlite3_value **value) {
    bool none[] = {sqlite3_value_type(value[0]) == SQLITE_NULL,
                   sqlite3_value_type(value[1]) == SQLITE_NULL};
    return none[0] == none[1] ? NULL : value[none[0]];
}

/* Notes that the row is not, or no longer, the one of half_rows. *same: it is that very one. */
static int compare_half(row_changes *changes, int64_t id, sqlite3_value *end,
                        bool *same) {
    const gpugraph_graph *rows = changes->mirror->half_rows;
    uint64_t e = rows ? gpugraph_find_edge(rows, id) : GPUGRAPH_NO_EDGE;
    *same =
        e != GPUGRAPH_NO_EDGE && end &&
        same_vertex(gpugraph_vertex_ids(rows), gpugraph_edges_of(rows)->source[e], end);
    return e == GPUGRAPH_NO_EDGE || *same ? SQLITE_OK
                                          : id_list_add(&changes->removed_halves, id);
}

static int compare_row(row_changes *changes, int64_t id, sqlite3_value *rowid,
                       sqlite3_value **value) {
    const graph_ref *mirror = changes->mirror;
    uint64_t e = gpugraph_find_edge(mirror->graph, id);
    bool there = sqlite3_value_type(rowid) != SQLITE_NULL, same;
    if (e != GPUGRAPH_NO_EDGE && there && row_is_edge(mirror, e, value))
        return SQLITE_OK;
    if (e != GPUGRAPH_NO_EDGE && id_list_add(&changes->removed, id))
        return SQLITE_NOMEM;
    if (compare_half(changes, id, there ? lone_end(value) : NULL, &same))
        return SQLITE_NOMEM;
    return there && !same ? take_row(&changes->added, rowid, value) : SQLITE_OK;
}

/* What gpugraph_collect calls, of the loader in row_changes. */
static void take_changed(loader *l, sqlite3_value **value) {
    row_changes *changes = (row_changes *)((char *)l - offsetof(row_changes, added));
    if (sqlite3_value_type(value[0]) == SQLITE_INTEGER) /* the last run has places over */
        l->rc = compare_row(changes, sqlite3_value_int64(value[0]), value[1], value + 2);
    changes->unfit = l->rc && l->rc != SQLITE_NOMEM;
}

/* The loader leaves ids out as long as they count from 1. */
static int complete_ids(loader *added) {
    if (added->edge_id.value || added->count == 0)
        return SQLITE_OK;
    int64_t *id = malloc((size_t)added->count * sizeof *id);
    for (int64_t i = 0; id && i < added->count; i++)
        id[i] = i + 1;
    added->edge_id.value = id;
    return id ? SQLITE_OK : SQLITE_NOMEM;
}

/* Looks up the ids from `at` on. */
static int look_up(const id_list *ids, int64_t at, int lookups, loader *l,
                   sqlite3_stmt *row) {
    for (int k = 0; k < lookups; k++) {
        if (at + k < ids->count)
            sqlite3_bind_int64(row, k + 1, ids->item[at + k]);
        else
            sqlite3_bind_null(row, k + 1);
    }
    int rc = loader_collect(l, row);
    sqlite3_reset(row);
    return rc;
}

/* Those that are in the mirror as they are in the table are no change. */
static int row_changes_read(connection *c, const char *function, const row_source *rows,
                            const graph_ref *mirror, const id_list *ids,
                            row_changes *changes) {
    int lookups = sqlite3_limit(c->db, SQLITE_LIMIT_VARIABLE_NUMBER, -1);
    lookups = lookups < LOOKUPS ? lookups : LOOKUPS;
    lookups = ids->count < lookups ? (int)ids->count : lookups;
    sqlite3_stmt *row = NULL;
    memset(changes, 0, sizeof *changes);
    loader *l = &changes->added;
    loader_start(l, c, function, &changes->texts, rows, true, READ_WEIGHTS);
    l->take = take_changed;
    l->lone = &changes->lone;
    loader_start(l->lone, c, function, &changes->texts, rows, false, READ_NO_WEIGHTS);
    l->lone->has_ids = true;
    changes->mirror = mirror;
    int rc = lookups ? prepare(c, rows, lookups, &l->collected, &row) : SQLITE_OK;
    for (int64_t at = 0; at < ids->count && rc == SQLITE_OK; at += lookups)
        rc = look_up(ids, at, lookups, l, row);
    sqlite3_finalize(row);
    if (changes->unfit)
        return SQLITE_OK;
    return rc ? rc : complete_ids(l);
}

static void row_changes_clear(row_changes *changes) {
    id_list_clear(&changes->removed);
    id_list_clear(&changes->removed_halves);
    loader_clear(&changes->added);
    loader_clear(&changes->lone);
    intern_clear(&changes->texts);
}

/* ---- rows with a NULL end ---- */

/* What a batch of rows means to such rows, and to the vertices that they hold. */
typedef struct half_changes {
    gpugraph_graph *after; /* NULL: there are none afterwards */
    bool changed; /* after is another graph than the mirror's, and the caller's */
    uint32_t *kept, *loose;
    int64_t kept_count, loose_count;
} half_changes;

/* A vertex of one graph in another one; GPUGRAPH_NONE: it is none there. */
static uint32_t find_in(const gpugraph_graph *other, const gpugraph_graph *graph,
                        uint32_t v) {
    const gpugraph_ids *ids = gpugraph_vertex_ids(graph);
    if (v < ids->integer_count)
        return gpugraph_find_integer(other, ids->integer ? ids->integer[v]
                                                         : ids->first_integer + v);
    const uint64_t *at = ids->texts.offset + (v - ids->integer_count);
    return gpugraph_find_text(other, ids->texts.bytes + at[0], at[1] - at[0]);
}

static int change_rows(connection *c, const graph_ref *mirror, row_changes *changes,
                       half_changes *made) {
    gpugraph_run run;
    gpugraph_edges added = half_edges(&changes->lone, &changes->texts);
    gpugraph_changes batch = {.removed = changes->removed_halves.item,
                              .removed_count = changes->removed_halves.count,
                              .added = added.count ? &added : NULL};
    made->after = mirror->half_rows;
    if (batch.removed_count == 0 && !batch.added)
        return SQLITE_OK;
    connection_run(c, &run);
    run.phase = NULL; /* the graph's own phases tell of the change */
    made->after = NULL;
    made->changed = true;
    if (!mirror->half_rows)
        return code_of_status(gpugraph_create(&added, &run, &made->after));
    gpugraph_status status = gpugraph_clone(mirror->half_rows, &run, &made->after);
    if (status == GPUGRAPH_OK)
        status = gpugraph_update(made->after, &batch, &run);
    if (status == GPUGRAPH_OK && gpugraph_edge_count(made->after) > 0)
        return SQLITE_OK;
    gpugraph_free(made->after);
    made->after = NULL;
    return status == GPUGRAPH_INVALID ? SQLITE_MISMATCH : code_of_status(status);
}

static void keep_end(const graph_ref *mirror, uint32_t v, half_changes *made) {
    if (find_in(made->after, mirror->graph, v) != GPUGRAPH_NONE)
        made->kept[made->kept_count++] = v;
}

/* Ends of edges that go. */
static int list_kept(const graph_ref *mirror, const id_list *removed,
                     half_changes *made) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(mirror->graph);
    if (!made->after)
        return SQLITE_OK;
    made->kept = malloc((2 * (size_t)removed->count + 1) * sizeof *made->kept);
    if (!made->kept)
        return SQLITE_NOMEM;
    for (int64_t i = 0; i < removed->count; i++) {
        uint64_t e = gpugraph_find_edge(mirror->graph, removed->item[i]);
        keep_end(mirror, edges->source[e], made);
        keep_end(mirror, edges->target[e], made);
    }
    return SQLITE_OK;
}

/* Ends of rows that go, and that no other row holds. */
static int list_loose(const graph_ref *mirror, const id_list *removed,
                      half_changes *made) {
    made->loose = malloc(((size_t)removed->count + 1) * sizeof *made->loose);
    if (!made->loose)
        return SQLITE_NOMEM;
    for (int64_t i = 0; i < removed->count; i++) {
        const gpugraph_graph *rows = mirror->half_rows;
        uint64_t e = gpugraph_find_edge(rows, removed->item[i]);
        uint32_t held = gpugraph_edges_of(rows)->source[e];
        uint32_t v = find_in(mirror->graph, rows, held);
        bool still = made->after && find_in(made->after, rows, held) != GPUGRAPH_NONE;
        if (!still && v != GPUGRAPH_NONE)
            made->loose[made->loose_count++] = v;
    }
    return SQLITE_OK;
}

/* Frees what is in it, but not `after`. */
static void half_changes_clear(half_changes *made) {
    free(made->kept);
    free(made->loose);
    memset(made, 0, sizeof *made);
}

/* The mirror is not touched. SQLITE_MISMATCH: the whole table must be read. */
static int half_changes_make(connection *c, const graph_ref *mirror, row_changes *changes,
                             half_changes *made) {
    memset(made, 0, sizeof *made);
    int rc = change_rows(c, mirror, changes, made);
    if (rc == SQLITE_OK)
        rc = list_kept(mirror, &changes->removed, made);
    if (rc == SQLITE_OK)
        rc = list_loose(mirror, &changes->removed_halves, made);
    if (rc && made->changed)
        gpugraph_free(made->after);
    if (rc)
        half_changes_clear(made);
    return rc;
}

/* ---- the change ---- */

/* Weights are REAL as long as one of them is: is one known, and not among those that may
** have changed? Looks for another; *found false: there may be none. A graph that has no REAL
** weights, or no vertices any more, has no row to remember; one without edges may have vertices
** beside NULL ends, whose distances are then INTEGERs. */
static int find_real(reading *r, followed *f, const id_list *ids, bool *found) {
    bool needed = gpugraph_weights(f->graph->graph) == GPUGRAPH_REAL_WEIGHTS &&
                  gpugraph_vertex_count(f->graph->graph) > 0;
    f->has_real &= needed && !id_list_has(ids, f->real);
    *found = !needed || f->has_real;
    if (*found)
        return SQLITE_OK;
    sqlite3_stmt *statement = NULL;
    sqlite3_str *text = sqlite3_str_new(r->c->db);
    sqlite3_str_appendf(text,
                        OWN_SQL "SELECT \"%w\" FROM \"%w\".\"%w\" NOT INDEXED WHERE "
                                "typeof(\"%w\") = 'real' AND \"%w\" IS NOT NULL AND "
                                "\"%w\" IS NOT NULL",
                        f->rows.table.rowid_name, f->rows.table.schema,
                        f->rows.table.name, f->rows.column[2], f->rows.column[0],
                        f->rows.column[1]);
    condition_append(text, "AND", f->rows.where, "");
    sqlite3_str_appendall(text, " LIMIT 1");
    char *sql = sqlite3_str_finish(text);
    int rc = sql ? sqlite3_prepare_v2(r->c->db, sql, -1, &statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        f->real = sqlite3_column_int64(statement, 0);
        f->has_real = *found = true;
    }
    int finish = sqlite3_finalize(statement);
    return rc ? rc : finish;
}

static void drop_searches(graph_ref *g) {
    while (g->searches) {
        search_ref *next = g->searches->next;
        search_free(g->searches);
        g->searches = next;
    }
}

/* The graph to change: the mirror itself, or a copy where a running statement looks at
** it. */
static int writable(connection *c, followed *f, gpugraph_run *run, graph_ref **made) {
    *made = f->graph;
    if (f->graph->references == 0 && f->graph->bindings == 0)
        return SQLITE_OK;
    graph_ref *g = mirror_frame(f);
    if (!g)
        return SQLITE_NOMEM;
    gpugraph_status status = gpugraph_clone(f->graph->graph, run, &g->graph);
    if (status == GPUGRAPH_OK && f->graph->half_rows)
        status = gpugraph_clone(f->graph->half_rows, run, &g->half_rows);
    if (status != GPUGRAPH_OK) {
        graph_free(g);
        return code_of_status(status);
    }
    g->has_weight = f->graph->has_weight;
    graph_list(c, g);
    *made = g;
    return SQLITE_OK;
}

static void take_half_rows(graph_ref *g, const half_changes *halves) {
    if (!halves->changed)
        return;
    gpugraph_free(g->half_rows);
    g->half_rows = halves->after;
}

/* *done false: the whole table must be read. */
static int update(reading *r, followed *f, const gpugraph_changes *batch,
                  const half_changes *halves, bool *done) {
    gpugraph_run run;
    graph_ref *g;
    connection_run(r->c, &run);
    int rc = writable(r->c, f, &run, &g);
    if (rc)
        return rc;
    gpugraph_status status = gpugraph_update(g->graph, batch, &run);
    *done = status == GPUGRAPH_OK;
    if (*done) {
        take_half_rows(g, halves);
        drop_searches(g);
        mirror_set(r->c, f, g);
        return SQLITE_OK;
    }
    if (g != f->graph)
        graph_drop(r->c, g);
    return status == GPUGRAPH_INTERRUPTED || status == GPUGRAPH_NO_MEMORY
               ? code_of_status(status)
               : SQLITE_OK;
}

static int apply(reading *r, followed *f, row_changes *changes, bool *done) {
    half_changes halves;
    gpugraph_edges added = loader_edges(&changes->added, &changes->texts);
    gpugraph_edges lone = half_edges(&changes->lone, &changes->texts);
    added.vertex = lone.source;
    added.vertex_count = lone.count;
    gpugraph_changes batch = {.removed = changes->removed.item,
                              .removed_count = changes->removed.count,
                              .added = added.count || lone.count ? &added : NULL};
    *done = true;
    if (batch.removed_count + changes->removed_halves.count == 0 && !batch.added)
        return SQLITE_OK;
    int rc = half_changes_make(r->c, f->graph, changes, &halves);
    *done = rc != SQLITE_MISMATCH;
    if (rc)
        return rc == SQLITE_MISMATCH ? SQLITE_OK : rc;
    batch.kept = halves.kept;
    batch.kept_count = halves.kept_count;
    batch.loose = halves.loose;
    batch.loose_count = halves.loose_count;
    rc = update(r, f, &batch, &halves, done);
    if ((rc || !*done) && halves.changed)
        gpugraph_free(halves.after);
    half_changes_clear(&halves);
    return rc;
}

int mirror_change(reading *r, followed *f, const id_list *ids, bool *done) {
    row_changes changes;
    double started = now_ms();
    int rc =
        row_changes_read(r->c, r->request->function, &f->rows, f->graph, ids, &changes);
    timings_add(&r->c->timings, "follow", now_ms() - started, ids->count,
                "rows that the log names, read again");
    *done = false;
    if (rc == SQLITE_OK && !changes.unfit)
        rc = apply(r, f, &changes, done);
    if (rc == SQLITE_OK && *done)
        rc = find_real(r, f, ids, done);
    if (rc == SQLITE_ERROR && !*r->error) {
        *r->error = changes.added.error;
        changes.added.error = NULL;
    }
    row_changes_clear(&changes);
    return rc;
}
