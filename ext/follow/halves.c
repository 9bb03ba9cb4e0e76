/* Half rows in a mirror: rows with a NULL end and, with a reverse weight, rows that are
** closed both ways. They are no edges, but their ends are vertices as long as the rows
** exist. So when edges are removed, the batch must say which vertices half rows still
** keep.
**
**     rows          7: 1 -> 2    8: NULL -> 3    9: 3 -> NULL    10: 4 -> 3
**     the graph     edge 7, edge 10; vertices 1 2 3 4
**     half_rows     edges 8 and 9, loops at 3
**
**     row 10 goes   4 vanishes; 3 loses its last edge, and half_rows keeps it
**     row 8 goes    9 still keeps 3
**     row 9 goes    3 is loose: it vanishes unless an edge names it
**
** half_rows is a graph that is updated by batches, cloned and packed; no search uses it.
** A loop's id is half_row_number() of its row. */
#include "batch.h"
#include <stdlib.h>
#include <string.h>

/* The number in another graph of a graph's vertex; GPUGRAPH_NONE: none. */
static uint32_t find_in(const gpugraph_graph *other, const gpugraph_graph *graph,
                        uint32_t v) {
    const gpugraph_id id = gpugraph_id_of(gpugraph_vertex_ids(graph), v);
    return id.is_text ? gpugraph_find_text(other, id.text, id.length)
                      : gpugraph_find_integer(other, id.integer);
}

/* Lists the vertices of g->graph that removed half rows keep. */
static int list_loose(const graph_ref *g, const id_list *removed, half_changes *made) {
    const gpugraph_graph *rows = g->half_rows;
    made->loose = calloc((size_t)removed->count + 1, sizeof *made->loose);
    if (!made->loose)
        return SQLITE_NOMEM;
    for (int64_t i = 0; i < removed->count; i++) {
        uint64_t e = gpugraph_find_edge(rows, removed->item[i]);
        uint32_t v = find_in(g->graph, rows, gpugraph_edges_of(rows)->source[e]);
        if (v != GPUGRAPH_NONE)
            made->loose[made->loose_count++] = v;
    }
    return SQLITE_OK;
}

static int change_half_rows(connection *c, graph_ref *g, row_changes *changes,
                            intern *texts) {
    gpugraph_run run;
    gpugraph_edges added = half_edges(&changes->lone, texts);
    gpugraph_changes batch = {.removed = changes->removed_halves.item,
                              .removed_count = changes->removed_halves.count,
                              .added = added.count ? &added : NULL};
    if (batch.removed_count == 0 && !batch.added)
        return SQLITE_OK;
    connection_run(c, &run);
    run.phase = NULL; /* the phases of the graph itself report the change */
    gpugraph_status status = g->half_rows ? gpugraph_update(g->half_rows, &batch, &run)
                                          : gpugraph_create(&added, &run, &g->half_rows);
    if (status == GPUGRAPH_OK && gpugraph_edge_count(g->half_rows) == 0) {
        gpugraph_free(g->half_rows);
        g->half_rows = NULL;
    }
    return status == GPUGRAPH_INVALID ? SQLITE_MISMATCH : code_of_status(status);
}

static bool half_rows_keep(const graph_ref *g, uint32_t v) {
    return g->half_rows && find_in(g->half_rows, g->graph, v) != GPUGRAPH_NONE;
}

/* Lists the ends of removed edges that half rows keep. */
static int list_kept(const graph_ref *g, const id_list *removed, half_changes *made) {
    made->kept = malloc((2 * (size_t)removed->count + 1) * sizeof *made->kept);
    if (!made->kept)
        return SQLITE_NOMEM;
    for (int64_t i = 0; i < removed->count; i++) {
        uint64_t e = row_changes_edge(g, removed->item[i]);
        const gpugraph_edge edge = gpugraph_edge_of(g->graph, e);
        const uint32_t end[2] = {edge.source, edge.target};
        for (int k = 0; k < 2; k++)
            if (half_rows_keep(g, end[k]))
                made->kept[made->kept_count++] = end[k];
    }
    return SQLITE_OK;
}

/* Removes from the list the vertices that other half rows still keep. */
static void drop_kept(const graph_ref *g, half_changes *made) {
    int64_t loose = 0;
    for (int64_t i = 0; i < made->loose_count; i++)
        if (!half_rows_keep(g, made->loose[i]))
            made->loose[loose++] = made->loose[i];
    made->loose_count = loose;
}

void half_changes_clear(half_changes *made) {
    free(made->kept);
    free(made->loose);
    memset(made, 0, sizeof *made);
}

int half_changes_make(connection *c, graph_ref *g, row_changes *changes, intern *texts,
                      half_changes *made) {
    memset(made, 0, sizeof *made);
    if (!g->half_rows && changes->lone.count == 0)
        return SQLITE_OK;
    int rc = g->half_rows ? list_loose(g, &changes->removed_halves, made) : SQLITE_OK;
    rc = rc ? rc : change_half_rows(c, g, changes, texts);
    made->changed = rc == SQLITE_OK;
    rc = rc ? rc : list_kept(g, &changes->removed, made);
    if (rc == SQLITE_OK)
        drop_kept(g, made);
    return rc;
}
