/* A batch by places, for a graph whose edges have ids of their own. There edges are in
** the order of (edge id, row), like the loops of row_ids (load/row_ids.h).
**
**     removed rows      the numbers of their edges before the change
**     row_ids           is updated
**     added rows        the numbers of their edges afterwards, and so the earlier edge
**                       that each one precedes
**
**     before    a5 b7 c7 e9          b7 goes, a5 and c7 change their weights, d8 comes
**     removed   a5 b7 c7
**     added     a5 in the place of a5, c7 in that of c7, d8 before e9
**
** An edge that is removed and added with one id keeps its place. */
#include "batch.h"
#include <stdlib.h>
#include <string.h>

/* An edge of the batch by its number, before or after the change. */
typedef struct place {
    uint64_t edge;
    int64_t of; /* its index in the batch */
} place;

static int compare_places(const void *a, const void *b) {
    const place *x = a, *y = b;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* The edge numbers of these rows, in order. NULL: no memory or, with *lost, a row without
** an edge. */
static place *find_places(gpugraph_graph *rows, const int64_t *row, int64_t count,
                          bool *lost) {
    place *list = malloc(((size_t)count + 1) * sizeof *list);
    for (int64_t i = 0; list && i < count; i++) {
        list[i] = (place){row_ids_edge(rows, row[i]), i};
        *lost |= list[i].edge == GPUGRAPH_NO_EDGE;
    }
    if (list && *lost) {
        free(list);
        return NULL;
    }
    if (list)
        qsort(list, (size_t)count, sizeof *list, compare_places);
    return list;
}

static int change_rows(connection *c, gpugraph_graph *rows, row_changes *changes) {
    gpugraph_run run;
    loader *l = &changes->added;
    intern_close(&l->edge_texts);
    const gpugraph_id_column id = {.value = l->edge_id.value,
                                   .is_text = l->edge_id.is_text};
    const gpugraph_edges added = {.count = l->count,
                                  .source = id,
                                  .target = id,
                                  .edge_id = l->row,
                                  .texts = {.count = l->edge_texts.count,
                                            .offset = l->edge_texts.offset,
                                            .bytes = l->edge_texts.bytes}};
    const gpugraph_changes batch = {.removed = changes->removed.item,
                                    .removed_count = changes->removed.count,
                                    .added = l->count ? &added : NULL};
    connection_run(c, &run);
    run.phase = NULL; /* the phases of the graph itself report the change */
    gpugraph_status status = gpugraph_update(rows, &batch, &run);
    if (status == GPUGRAPH_OK && gpugraph_later_vertices(rows) > 0)
        status = gpugraph_compact(rows, &run); /* their order is that of edge ids */
    if (status == GPUGRAPH_INVALID)
        return SQLITE_MISMATCH;
    return status ? code_of_status(status) : row_ids_settle(c, rows);
}

/* All arrays lie in one block of memory, which begins with `removed`. */
static bool take_arrays_of_places(place_batch *made, size_t removed, size_t added) {
    const size_t bits = added / 64 + 1;
    int64_t *at = calloc(removed + 5 * added + 2 * bits, sizeof *at);
    made->removed = at;
    if (!at)
        return false;
    made->edge_id = at += removed;
    made->before = (uint64_t *)(at += added);
    made->weight = (number *)(at += added);
    for (int k = 0; k < 2; k++) {
        made->end[k].value = at += added;
        made->end[k].is_text = (uint8_t *)(at + added);
        at += bits;
    }
    return true;
}

/* Copies entry i of the loader to entry `at` of the batch's columns. */
static void put_places(place_batch *made, int64_t at, const loader *l, int64_t i) {
    for (int k = 0; k < 2; k++)
        id_put(&made->end[k], at, &l->id[k], i);
    if (l->weight)
        made->weight[at] = l->weight[i];
}

/* fixed[i]: the earlier number of added edge i if it keeps its place, else
** GPUGRAPH_NO_EDGE; dropped: the earlier numbers of all other removed edges,
** ascending. */
static void fill_places(place_batch *made, const row_changes *changes, const place *new,
                        const uint64_t *fixed, const uint64_t *dropped,
                        uint64_t dropped_count) {
    const loader *l = &changes->added;
    uint64_t passed = 0, fresh = 0;
    for (int64_t at = 0; at < l->count; at++) {
        const uint64_t e = fixed[new[at].of];
        put_places(made, at, l, new[at].of);
        if (e != GPUGRAPH_NO_EDGE) {
            made->before[at] = e;
            made->edge_id[at] = (int64_t)e + 1;
            continue;
        }
        const uint64_t staying = new[at].edge - fresh++; /* edges before it that stay */
        while (passed < dropped_count && dropped[passed] - passed <= staying)
            passed++;
        made->before[at] = staying + passed;
    }
}

/* Fills fixed and dropped. Returns the number of edges in dropped. */
static uint64_t split_removed(const row_changes *changes, const place *old,
                              uint64_t *of_row, uint64_t *fixed, uint64_t *dropped) {
    const id_list *removed = &changes->removed;
    uint64_t count = 0;
    for (int64_t i = 0; i < removed->count; i++)
        of_row[old[i].of] = old[i].edge;
    for (int64_t i = 0, r = 0; i < changes->added.count; i++) {
        while (r < removed->count && removed->item[r] < changes->added.row[i])
            r++;
        fixed[i] = changes->stays.item[i] ? of_row[r] : GPUGRAPH_NO_EDGE;
        if (changes->stays.item[i])
            of_row[r] = GPUGRAPH_NO_EDGE;
    }
    for (int64_t i = 0; i < removed->count; i++)
        if (of_row[old[i].of] != GPUGRAPH_NO_EDGE)
            dropped[count++] = old[i].edge;
    return count;
}

static int find_all(const row_changes *changes, const place *old, const place *new,
                    place_batch *made) {
    const size_t go = (size_t)changes->removed.count, come = (size_t)changes->added.count;
    uint64_t *of_row = malloc((2 * go + come + 1) * sizeof *of_row);
    const bool taken = of_row && take_arrays_of_places(made, go, come);
    if (taken) {
        uint64_t *dropped = of_row + go, *fixed = dropped + go;
        uint64_t count = split_removed(changes, old, of_row, fixed, dropped);
        fill_places(made, changes, new, fixed, dropped, count);
        for (size_t i = 0; i < go; i++)
            made->removed[i] = (int64_t)old[i].edge + 1;
    }
    free(of_row);
    return taken ? SQLITE_OK : SQLITE_NOMEM;
}

static void take_columns_of_places(const place_batch *made, gpugraph_edges *added,
                                   gpugraph_changes *batch) {
    added->source = (gpugraph_id_column){made->end[0].value, made->end[0].is_text, NULL};
    added->target = (gpugraph_id_column){made->end[1].value, made->end[1].is_text, NULL};
    added->weight = added->weight ? made->weight : NULL;
    added->edge_id = made->edge_id;
    batch->removed = made->removed;
    batch->before = made->before;
}

int place_batch_make(connection *c, graph_ref *graph, row_changes *changes,
                     gpugraph_edges *added, gpugraph_changes *batch, place_batch *made) {
    bool lost = false;
    place *new = NULL, *old = find_places(graph->row_ids, changes->removed.item,
                                          changes->removed.count, &lost);
    int rc = old ? change_rows(c, graph->row_ids, changes) : SQLITE_NOMEM;
    if (rc == SQLITE_OK) {
        new =
            find_places(graph->row_ids, changes->added.row, changes->added.count, &lost);
        rc = new ? find_all(changes, old, new, made) : SQLITE_NOMEM;
    }
    if (rc == SQLITE_OK)
        take_columns_of_places(made, added, batch);
    free(old);
    free(new);
    return lost ? SQLITE_MISMATCH : rc;
}

void place_batch_clear(place_batch *made) {
    free(made->removed);
    memset(made, 0, sizeof *made);
}
