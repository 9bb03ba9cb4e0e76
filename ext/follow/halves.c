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

static int change_rows_of_halves(connection *c, const graph_ref *mirror,
                                 row_changes *changes, intern *texts,
                                 half_changes *made) {
    gpugraph_run run;
    gpugraph_edges added = half_edges(&changes->lone, texts);
    gpugraph_changes batch = {.removed = changes->removed_halves.item,
                              .removed_count = changes->removed_halves.count,
                              .added = added.count ? &added : NULL};
    made->after = mirror->half_rows;
    if (batch.removed_count == 0 && !batch.added)
        return SQLITE_OK;
    connection_run(c, &run);
    run.phase = NULL; /* the phases of the graph itself report the change */
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

/* Lists the ends of removed edges that half rows keep. */
static int list_kept(const graph_ref *mirror, const id_list *removed,
                     half_changes *made) {
    if (!made->after)
        return SQLITE_OK;
    made->kept = malloc((2 * (size_t)removed->count + 1) * sizeof *made->kept);
    if (!made->kept)
        return SQLITE_NOMEM;
    for (int64_t i = 0; i < removed->count; i++) {
        uint64_t e = row_changes_edge(mirror, removed->item[i]);
        const gpugraph_edge edge = gpugraph_edge_of(mirror->graph, e);
        keep_end(mirror, edge.source, made);
        keep_end(mirror, edge.target, made);
    }
    return SQLITE_OK;
}

/* Lists the ends of removed half rows that no other half row keeps. */
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

void half_changes_clear(half_changes *made) {
    free(made->kept);
    free(made->loose);
    memset(made, 0, sizeof *made);
}

int half_changes_make(connection *c, const graph_ref *mirror, row_changes *changes,
                      intern *texts, half_changes *made) {
    memset(made, 0, sizeof *made);
    int rc = change_rows_of_halves(c, mirror, changes, texts, made);
    rc = rc ? rc : list_kept(mirror, &changes->removed, made);
    rc = rc ? rc : list_loose(mirror, &changes->removed_halves, made);
    if (rc && made->changed)
        gpugraph_free(made->after);
    if (rc)
        half_changes_clear(made);
    return rc;
}
