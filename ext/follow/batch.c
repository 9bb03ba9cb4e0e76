/* Rows that the log names, read again, compared with the mirror, and put into it.
**
**     ids -> rows -> changes -> gpugraph_update of the mirror or, if a running statement
**                               looks at it, of a copy that replaces it
**
**     row in the table    edge in the mirror
**     no                  no                    inserted and deleted since
**     no                  yes                   removed
**     yes                 no                    added
**     yes                 another               removed and added: changed
**     yes                 equal                 nothing
**
** Half rows are compared likewise (halves.c). If edges have ids of their own, or a row
** may be two edges, the changes go into one graph or two, each with the row_ids that find
** the edges of rows (load/row_ids.h, places.c). */
#include "batch.h"
#include "base/ext_limits.h"
#include "source/source.h"
#include "base/value.h"
#include "base/vertex_id.h"
#include "pages/reader.h"
#include "base/statement.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- comparing a row with an edge of the mirror ---- */

static bool same_vertex(const gpugraph_ids *ids, uint32_t v, sqlite3_value *value) {
    const gpugraph_id id = gpugraph_id_of(ids, v);
    return id_is_value(&id, value);
}

/* A number in a mirror of REAL weights may stand for an INTEGER; find_real (follow.c)
** finds out whether any weight is REAL. */
static bool same_weight(const gpugraph_graph *graph, const gpugraph_edge *edge,
                        sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type == SQLITE_TEXT)
        type = sqlite3_value_numeric_type(value);
    if (gpugraph_distance_type_of(graph) == GPUGRAPH_REAL)
        return (type == SQLITE_FLOAT || type == SQLITE_INTEGER) &&
               sqlite3_value_double(value) == edge->real;
    return type == SQLITE_INTEGER && sqlite3_value_int64(value) == edge->weight;
}

/* True if the row (source, destination, weight) equals edge number e of the mirror. */
static bool row_is_edge(const graph_ref *mirror, uint64_t e, sqlite3_value **value) {
    const gpugraph_edge edge = gpugraph_edge_of(mirror->graph, e);
    const gpugraph_ids *ids = gpugraph_vertex_ids(mirror->graph);
    return same_vertex(ids, edge.source, value[0]) &&
           same_vertex(ids, edge.target, value[1]) &&
           (!mirror->has_weight || same_weight(mirror->graph, &edge, value[2]));
}

uint64_t row_changes_edge(const graph_ref *mirror, int64_t number) {
    return mirror->row_ids ? row_ids_edge(mirror->row_ids, number)
                           : gpugraph_find_edge(mirror->graph, number);
}

/* ---- rows read again ---- */

/* rows that one run of the statement looks up */
enum { LOOKUPS = 64 };

/* the graph and, with a reverse weight, the one for direction 'both' */
enum { PARTS = 2 };

typedef struct rereading {
    loader rows; /* the loader that the statement's rows go to */
    const row_source *source;
    row_changes part[PARTS];
    int parts;
    intern texts; /* the texts of all parts */
    bool found;   /* most rows were found in their pages */
    /* a row is not valid as an edge: the whole table must be read, which reports the
    ** error */
    bool unfit;
} rereading;

/* gpugraph_collect(id, rowid, source, destination [, weight [, reverse]] [, edge id] [,
** filter]): rowid is NULL if there is no such row. A look-up in SQLite's own loop takes
** half the time of a statement for each row. The condition is in a subquery, where its
** names mean columns of the table and nothing else; SQLite merges the subquery into the
** join. */
static int prepare_batch(connection *c, const row_source *rows, int lookups,
                         int *arguments, sqlite3_stmt **row) {
    static const int order[] = {SOURCE_COLUMN, TARGET_COLUMN, WEIGHT_COLUMN,
                                REVERSE_COLUMN, EDGE_ID_COLUMN};
    const char *rowid = rows->table.rowid_name;
    sqlite3_str *text = sqlite3_str_new(c->db);
    sqlite3_str_appendall(text, OWN_SQL "SELECT gpugraph_collect(v.column1, e.r");
    *arguments = 2;
    for (int i = 0; i < EDGE_COLUMNS; i++)
        if (rows->column[order[i]])
            sqlite3_str_appendf(text, ", e.c%d", (*arguments)++);
    if (rows->filter)
        sqlite3_str_appendf(text, ", e.c%d", (*arguments)++);
    sqlite3_str_appendall(text, ") FROM (VALUES (?)");
    for (int i = 1; i < lookups; i++)
        sqlite3_str_appendall(text, ", (?)");
    sqlite3_str_appendf(text, ") AS v LEFT JOIN (SELECT \"%w\" AS r", rowid);
    int argument = 2;
    for (int i = 0; i < EDGE_COLUMNS; i++)
        if (rows->column[order[i]])
            sqlite3_str_appendf(text, ", \"%w\" AS c%d", rows->column[order[i]],
                                argument++);
    if (rows->filter) {
        filter_append(text, rows->filter);
        sqlite3_str_appendf(text, " AS c%d", argument);
    }
    sqlite3_str_appendf(text, " FROM \"%w\".\"%w\" NOT INDEXED", rows->table.schema,
                        rows->table.name);
    condition_append(text, "WHERE", rows->where);
    sqlite3_str_appendall(text, ") AS e ON e.r = v.column1");
    return statement_prepare_text(c->db, row, text);
}

/* A row as an edge of one graph; not open: the row is no edge. */
typedef struct row_arc {
    bool open;
    sqlite3_value *value[3], *id; /* source, destination, weight; the edge id */
} row_arc;

static int compare_arc(row_changes *changes, int64_t number, row_arc *arc) {
    const graph_ref *mirror = changes->mirror;
    uint64_t e = row_changes_edge(mirror, number);
    bool known = e != GPUGRAPH_NO_EDGE;
    bool named = known && arc->open &&
                 (!mirror->row_ids || row_ids_same(mirror->row_ids, e, arc->id));
    if (named && row_is_edge(mirror, e, arc->value))
        return SQLITE_OK;
    if (known && id_list_add(&changes->removed, number))
        return SQLITE_NOMEM;
    if (!arc->open)
        return SQLITE_OK;
    if (mirror->row_ids && id_list_add(&changes->stays, named))
        return SQLITE_NOMEM;
    changes->added.this_row = number;
    return take_row(&changes->added, arc->id, arc->value);
}

/* end NULL: the row keeps no vertex under this number. */
static int compare_half(row_changes *changes, int64_t number, sqlite3_value *end) {
    const gpugraph_graph *rows = changes->mirror->half_rows;
    uint64_t e = rows ? gpugraph_find_edge(rows, number) : GPUGRAPH_NO_EDGE;
    if (e != GPUGRAPH_NO_EDGE && end &&
        same_vertex(gpugraph_vertex_ids(rows), gpugraph_edges_of(rows)->source[e], end))
        return SQLITE_OK;
    if (e != GPUGRAPH_NO_EDGE && id_list_add(&changes->removed_halves, number))
        return SQLITE_NOMEM;
    return end ? half_row_put(&changes->lone, end, number) : SQLITE_OK;
}

/* Compares the ends of a row that is no edge, or is there no more. */
static int compare_ends(row_changes *changes, int64_t row, const bool none[2],
                        bool is_edge, sqlite3_value **value) {
    int rc = SQLITE_OK;
    for (int k = 0; k < 2 && rc == SQLITE_OK; k++)
        rc = compare_half(changes, half_row_number(true, row, k),
                          none[k] || is_edge ? NULL : value[k]);
    return rc;
}

static bool has_two_numbers(int64_t row) {
    return row >= ROW_LEAST && row <= ROW_MOST;
}

/* Compares a row without a reverse weight. passes: the filter is true. */
static int compare_row(rereading *r, int64_t row, sqlite3_value *id, bool there,
                       bool passes, sqlite3_value **value) {
    row_changes *changes = &r->part[0];
    const bool none[] = {!there || sqlite3_value_type(value[0]) == SQLITE_NULL,
                         !there || sqlite3_value_type(value[1]) == SQLITE_NULL};
    row_arc arc = {
        passes && !none[0] && !none[1],
        {value[0], value[1], r->source->column[WEIGHT_COLUMN] ? value[2] : NULL},
        id};
    if (r->source->filter && !has_two_numbers(row))
        return there ? SQLITE_ERROR : SQLITE_OK;
    int rc = compare_arc(changes, row, &arc);
    if (rc == SQLITE_OK && r->source->filter)
        return compare_ends(changes, row, none, arc.open, value);
    return rc ? rc
              : compare_half(changes, row, none[0] != none[1] ? value[none[0]] : NULL);
}

static bool is_edge_id(sqlite3_value *id) {
    int64_t whole;
    int type = sqlite3_value_type(id);
    return type != SQLITE_BLOB &&
           (type != SQLITE_FLOAT || whole_number(sqlite3_value_double(id), &whole));
}

/* True if the row, with these weights, can be an edge of graphs with the mirror's type of
** weights. */
static bool fits(const graph_ref *mirror, int64_t row, sqlite3_value *id,
                 sqlite3_value **weight, open_ways *ways) {
    return has_two_numbers(row) && is_edge_id(id) &&
           two_ways_look(weight[0], weight[1], ways) &&
           (!ways->real || gpugraph_weights(mirror->graph) == GPUGRAPH_REAL_WEIGHTS);
}

static int compare_ways(row_changes *changes, int64_t row, sqlite3_value *id,
                        sqlite3_value **value, const open_ways *ways) {
    sqlite3_value *weight[] = {value[2], value[3]};
    int rc = SQLITE_OK;
    if (changes->mirror->undirected) {
        row_arc arc = {ways->open[0] || ways->open[1],
                       {value[0], value[1], weight[ways->cheaper]},
                       id};
        return compare_arc(changes, row, &arc);
    }
    for (int back = 0; back < 2 && rc == SQLITE_OK; back++) {
        row_arc arc = {ways->open[back], {value[back], value[!back], weight[back]}, id};
        rc = compare_arc(changes, 2 * row + back, &arc);
    }
    return rc;
}

/* Compares a row with a reverse weight. A row that is closed both ways keeps both
** ends. */
static int compare_two_ways(rereading *r, int64_t row, sqlite3_value *id, bool there,
                            bool passes, sqlite3_value **value) {
    const bool none[] = {!there || sqlite3_value_type(value[0]) == SQLITE_NULL,
                         !there || sqlite3_value_type(value[1]) == SQLITE_NULL};
    open_ways ways = {.real = false};
    int rc = SQLITE_OK;
    if (passes && !none[0] && !none[1] &&
        !fits(r->part[0].mirror, row, id, value + 2, &ways))
        return SQLITE_ERROR;
    if (!has_two_numbers(row))
        return there ? SQLITE_ERROR : SQLITE_OK;
    for (int k = 0; k < r->parts && rc == SQLITE_OK; k++)
        rc = compare_ways(&r->part[k], row, id, value, &ways);
    for (int k = 0; k < r->parts && rc == SQLITE_OK; k++)
        rc = compare_ends(&r->part[k], row, none, ways.open[0] || ways.open[1], value);
    return rc;
}

/* Called by gpugraph_collect with the loader of a rereading. In the last run of the
** statement some parameters may be NULL. */
static void take_changed(loader *l, sqlite3_value **value) {
    rereading *r = (rereading *)((char *)l - offsetof(rereading, rows));
    if (sqlite3_value_type(value[0]) != SQLITE_INTEGER)
        return;
    const bool there = sqlite3_value_type(value[1]) != SQLITE_NULL,
               has_id = r->source->column[EDGE_ID_COLUMN] != NULL,
               filtered = r->source->filter != NULL;
    const int last = l->collected - 1;
    const bool passes = there && (!filtered || sqlite3_value_int(value[last]));
    sqlite3_value *id = has_id ? value[last - filtered] : value[1];
    int64_t row = sqlite3_value_int64(value[0]);
    l->rc = l->two_ways ? compare_two_ways(r, row, id, there, passes, value + 2)
                        : compare_row(r, row, id, there, passes, value + 2);
    r->unfit = l->rc && l->rc != SQLITE_NOMEM;
}

/* Looks up the ids from `at` on. */
static int look_batch_up(const id_list *ids, int64_t at, int lookups, loader *l,
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

/* ---- rows found in their pages ---- */

enum { FOUND_AT_ONCE = 128 }; /* rows whose edges are looked up together */

static bool may_find(const rereading *r, const id_list *ids) {
    const row_source *rows = r->source;
    const graph_ref *mirror = r->part[0].mirror;
    return ids->count >= ext_limits.mirror_find_from && ids->count > 0 &&
           ids->count < INT32_MAX && !rows->where && !rows->filter &&
           !source_has_row_ids(rows) &&
           mirror->has_weight == (rows->column[WEIGHT_COLUMN] != NULL);
}

static bool same_numbers(const graph_ref *mirror, const gpugraph_edge *edge,
                         const int64_t *value, bool real) {
    const gpugraph_ids *ids = gpugraph_vertex_ids(mirror->graph);
    const uint32_t end[2] = {edge->source, edge->target};
    double weight;
    for (int k = 0; k < 2; k++) {
        const gpugraph_id id = gpugraph_id_of(ids, end[k]);
        if (id.is_text || value[k] != id.integer)
            return false;
    }
    memcpy(&weight, &value[2], sizeof weight);
    return !mirror->has_weight ||
           (real ? weight == edge->real : value[2] == edge->weight);
}

/* edge NULL: the mirror has no edge for the row. */
static int compare_found(rereading *r, const page_found *found, int64_t i, int64_t row,
                         const gpugraph_edge *edge) {
    row_changes *changes = &r->part[0];
    const int64_t value[] = {found->value[0][i], found->value[1][i], found->value[2][i]};
    const bool there = found->state[i] == PAGE_ROW_NUMBERS;
    if (!edge || !there || !same_numbers(changes->mirror, edge, value, found->real)) {
        if (edge && id_list_add(&changes->removed, row))
            return SQLITE_NOMEM;
        if (there && take_numbers(&changes->added, row, value, found->real))
            return changes->added.rc;
    }
    return compare_half(changes, row, NULL);
}

/* True if the weight is invalid, or the mirror cannot store it. */
static bool is_odd(const rereading *r, const page_found *found, int64_t i) {
    double weight;
    memcpy(&weight, &found->value[2][i], sizeof weight);
    return found->state[i] == PAGE_ROW_ODD ||
           (found->state[i] == PAGE_ROW_NUMBERS && r->part[0].mirror->has_weight &&
            (found->real ? !(weight >= 0 && weight <= DBL_MAX) : found->value[2][i] < 0));
}

/* Compares the found rows in the order of rowids. */
static int take_found(rereading *r, const id_list *ids, const page_found *found) {
    uint64_t number[FOUND_AT_ONCE];
    gpugraph_edge edge[FOUND_AT_ONCE];
    int rc = SQLITE_OK;
    for (int64_t at = 0, some; at < ids->count && rc == SQLITE_OK; at += some) {
        some = ids->count - at < FOUND_AT_ONCE ? ids->count - at : FOUND_AT_ONCE;
        gpugraph_find_edges(r->part[0].mirror->graph, ids->item + at, some, number, edge);
        for (int64_t k = 0; k < some && rc == SQLITE_OK; k++)
            rc = compare_found(r, found, at + k, ids->item[at + k],
                               number[k] == GPUGRAPH_NO_EDGE ? NULL : &edge[k]);
    }
    return rc;
}

/* True if all rows are numbers that the mirror can store. */
static bool are_plain(const rereading *r, const page_found *found) {
    for (int64_t i = 0; i < found->count; i++)
        if (is_odd(r, found, i))
            return false;
    return true;
}

/* *done false: no row was compared, and SQLite must read all rows. */
static int find_again(rereading *r, connection *c, const id_list *ids, bool *done) {
    const size_t count = (size_t)ids->count;
    const bool real =
        gpugraph_distance_type_of(r->part[0].mirror->graph) == GPUGRAPH_REAL;
    page_table table = loader_table(c, r->source, true);
    /* rows that this connection's open transaction has written are in its cache */
    table.unwritten = false;
    page_found found = {.count = ids->count, .real = real};
    const char *why_not;
    int64_t *values = malloc(count * PAGE_FOUND_COLUMNS * sizeof *values);
    found.state = values ? malloc(count) : NULL;
    for (int k = 0; k < PAGE_FOUND_COLUMNS; k++)
        found.value[k] = values ? values + (size_t)k * count : NULL;
    enum page_outcome result = PAGE_NOT_USED;
    if (found.state)
        result = page_find(&table, ids->item, c->config.threads, connection_interrupted,
                           c, &found, &why_not);
    int rc = result == PAGE_INTERRUPTED ? SQLITE_INTERRUPT : SQLITE_OK;
    r->found = *done = result == PAGE_READ && found.real == real && are_plain(r, &found);
    if (*done)
        rc = take_found(r, ids, &found);
    free(values);
    free(found.state);
    return rc;
}

static void begin_part(rereading *r, connection *c, const char *function,
                       const graph_ref *mirror) {
    row_changes *changes = &r->part[r->parts++];
    loader *l = &changes->added;
    changes->mirror = mirror;
    loader_start(l, c, function, &r->texts, r->source, true, READ_WEIGHTS);
    /* compare_ways adds each direction by itself, and compare_half each end */
    l->two_ways = l->two_ends = false;
    loader_start(&changes->lone, c, function, &r->texts, r->source, false,
                 READ_NO_WEIGHTS);
    changes->lone.has_ids = true;
}

/* Reads the rows again and collects those that differ from the mirror. */
static int read_again(rereading *r, connection *c, const char *function,
                      const followed *f, const id_list *ids) {
    int lookups = sqlite3_limit(c->db, SQLITE_LIMIT_VARIABLE_NUMBER, -1);
    lookups = lookups < LOOKUPS ? lookups : LOOKUPS;
    lookups = ids->count < lookups ? (int)ids->count : lookups;
    sqlite3_stmt *row = NULL;
    memset(r, 0, sizeof *r);
    r->source = &f->rows;
    loader_start(&r->rows, c, function, &r->texts, r->source, true, READ_WEIGHTS);
    r->rows.take = take_changed;
    begin_part(r, c, function, f->graph);
    if (f->both)
        begin_part(r, c, function, f->both);
    bool done = false;
    int rc = may_find(r, ids) ? find_again(r, c, ids, &done) : SQLITE_OK;
    if (rc == SQLITE_OK && lookups && !done)
        rc = prepare_batch(c, r->source, lookups, &r->rows.collected, &row);
    for (int64_t at = 0; at < ids->count && rc == SQLITE_OK && !done; at += lookups)
        rc = look_batch_up(ids, at, lookups, &r->rows, row);
    sqlite3_finalize(row);
    if (r->unfit)
        return SQLITE_OK;
    for (int k = 0; k < r->parts && rc == SQLITE_OK; k++) {
        loader *added = &r->part[k].added;
        if (added->count && !added->edge_id.value) /* default ids count from 1 */
            rc = loader_begin_edge_ids(added);
    }
    return rc;
}

static void rereading_clear(rereading *r) {
    for (int k = 0; k < r->parts; k++) {
        row_changes *changes = &r->part[k];
        id_list_clear(&changes->removed);
        id_list_clear(&changes->stays);
        id_list_clear(&changes->removed_halves);
        loader_clear(&changes->added);
        loader_clear(&changes->lone);
    }
    loader_clear(&r->rows);
    intern_clear(&r->texts);
}

/* ---- the change ---- */

static bool is_in_use(const graph_ref *g) {
    return g && (g->references > 0 || g->bindings > 0);
}

/* Changes one graph. */
static int change_batch(connection *c, graph_ref *g, row_changes *changes, intern *texts,
                        half_changes *halves) {
    gpugraph_run run;
    place_batch places = {.removed = NULL};
    gpugraph_edges added = loader_edges(&changes->added, texts), lone = {.count = 0};
    if (changes->lone.count)
        lone = half_edges(&changes->lone, texts);
    gpugraph_changes batch = {.removed = changes->removed.item,
                              .removed_count = changes->removed.count,
                              .kept = halves->kept,
                              .kept_count = halves->kept_count,
                              .loose = halves->loose,
                              .loose_count = halves->loose_count};
    int rc = SQLITE_OK;
    if (g->row_ids)
        rc = place_batch_make(c, g, changes, &added, &batch, &places);
    added.vertex = lone.source;
    added.vertex_count = lone.count;
    batch.added = added.count || lone.count ? &added : NULL;
    connection_run(c, &run);
    gpugraph_status status = rc ? GPUGRAPH_OK : gpugraph_update(g->graph, &batch, &run);
    if (rc == SQLITE_OK && status == GPUGRAPH_OK)
        mixed_ids_added(g, batch.added);
    place_batch_clear(&places);
    if (rc)
        return rc;
    if (status == GPUGRAPH_OK)
        halves->changed = false; /* the graph and its half rows agree */
    /* after an error, too: vertices may have been renumbered */
    graph_changed(g);
    return status == GPUGRAPH_INTERRUPTED || status == GPUGRAPH_NO_MEMORY
               ? code_of_status(status)
           : status ? SQLITE_MISMATCH
                    : SQLITE_OK;
}

static bool is_empty(const row_changes *changes) {
    return changes->removed.count + changes->added.count + changes->removed_halves.count +
               changes->lone.count ==
           0;
}

/* Changes one graph and its half rows. *torn: an error left them different. */
static int change_rows(connection *c, graph_ref *g, row_changes *changes, intern *texts,
                       bool *torn) {
    half_changes halves;
    if (is_empty(changes))
        return SQLITE_OK;
    int rc = half_changes_make(c, g, changes, texts, &halves);
    rc = rc ? rc : change_batch(c, g, changes, texts, &halves);
    *torn |= rc != SQLITE_OK && halves.changed;
    half_changes_clear(&halves);
    return rc;
}

/* Changes the mirror's own graphs or, if a running statement looks at one of them, copies
** that replace them. */
static int change_all(connection *c, followed *f, rereading *r) {
    graph_ref *own[PARTS] = {f->graph, f->both}, *g[PARTS] = {f->graph, f->both};
    const bool used = is_in_use(f->graph) || is_in_use(f->both);
    bool torn = r->parts > 1 || f->graph->row_ids;
    int rc = SQLITE_OK;
    for (int k = 0; k < r->parts && rc == SQLITE_OK && used; k++)
        rc = graph_copy(c, own[k], &g[k]);
    for (int k = 0; k < r->parts && rc == SQLITE_OK; k++)
        rc = change_rows(c, g[k], &r->part[k], &r->texts, &torn);
    f->changed_ms = gg_now_ms();
    if (rc && !used && torn)
        mirror_set(c, f, NULL, NULL); /* one graph may have changed, and another not */
    for (int k = 0; k < r->parts && used; k++) {
        if (rc == SQLITE_OK)
            graph_list(c, g[k]);
        else if (g[k] != own[k])
            graph_free(g[k]);
    }
    if (rc == SQLITE_OK && used)
        mirror_set(c, f, g[0], g[1]);
    return rc;
}

/* *done false: the whole table must be read. */
static int apply_batch(connection *c, followed *f, rereading *r, bool *done) {
    bool empty = true;
    for (int k = 0; k < r->parts; k++)
        empty &= is_empty(&r->part[k]);
    *done = empty || mirror_make_own(f);
    if (empty || !*done)
        return SQLITE_OK;
    int rc = change_all(c, f, r);
    *done = rc != SQLITE_MISMATCH;
    return *done ? rc : SQLITE_OK;
}

int mirror_change(reading *r, followed *f, const id_list *ids, bool *done) {
    rereading rows;
    double started = gg_now_ms();
    int rc = read_again(&rows, r->c, r->request->function, f, ids);
    timings_add(&r->c->timings, "follow", gg_now_ms() - started, ids->count,
                rows.found ? "rows that the log names, found in their pages"
                           : "rows that the log names, read again");
    *done = false;
    if (rc == SQLITE_OK && !rows.unfit)
        rc = apply_batch(r->c, f, &rows, done);
    if (rc == SQLITE_ERROR && !*r->error) {
        *r->error = rows.rows.error;
        rows.rows.error = NULL;
    }
    rereading_clear(&rows);
    return rc;
}
