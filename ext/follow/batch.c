/* How a mirror changes: as a whole, or by one batch of changed edges.
**
**     ids   -> rows read again (rows.c) -> gpugraph_update, of the mirror itself or,
**              where a running statement looks at it, of a copy that takes its place
**     table -> graph_load -> another mirror */
#include "mirror.h"
#include "source/condition.h"
#include "halves.h"
#include <string.h>

void mirror_set(connection *c, followed *f, graph_ref *g) {
    graph_ref *before = f->graph;
    if (g == before)
        return;
    f->graph = g;
    if (g)
        g->followed = true;
    if (before) {
        before->followed = false;
        graph_settle(c, before);
    }
}

graph_ref *mirror_frame(const followed *f) {
    graph_ref *g = sqlite3_malloc(sizeof *g);
    if (!g)
        return NULL;
    memset(g, 0, sizeof *g);
    g->edges = sqlite3_mprintf("\"%w\".\"%w\"", f->schema, f->name);
    g->source_affinity = f->rows.affinity;
    g->direction = f->direction;
    g->weight_column = f->rows.column[2] != NULL;
    g->weight_unclear = f->rows.weight_unclear;
    if (!g->weight_column)
        g->weight_error = source_without_weight(&f->rows);
    const bool has_ids = source_rowid(&f->rows) != NULL;
    if (!has_ids)
        g->names = edge_names_none();
    if (g->edges && (g->weight_column || g->weight_error) && (has_ids || g->names))
        return g;
    graph_free(g);
    return NULL;
}

int mirror_renew(reading *r, followed *f, const char *why) {
    loaded got;
    graph_ref *g = mirror_frame(f);
    if (!g)
        return SQLITE_NOMEM;
    r->why = why;
    check_done(r);
    int rc =
        graph_load(r->c, r->request, &f->rows, NULL, TRY_WEIGHTS, &got, NULL, r->error);
    if (rc) {
        graph_free(g);
        return rc;
    }
    g->graph = got.graph;
    edge_names_free(g->names);
    g->names = got.names;
    g->half_rows = got.half_rows;
    g->has_weight = got.has_weight;
    if (got.weight_error)
        g->weight_error = got.weight_error;
    graph_list(r->c, g);
    mirror_set(r->c, f, g);
    f->has_real = false;
    return SQLITE_OK;
}

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
