/* The vertices of a dynamic graph: more of them, numbers that are free again, and batches
** that delete some.
**
**     rows of the vertices -> delete the edges back, one lane for each -> clear the tables */
#include "dynamic.h"

#include <stdlib.h>
#include <string.h>

gpugraph_status gpugraph_dynamic_reserve(gpugraph_dynamic *d, uint32_t vertices,
                                         gpugraph_run *run) {
    if (vertices > SLAB_MOST_VERTICES) {
        gg_begin(run);
        return gg_fail(run, GPUGRAPH_TOO_LARGE,
                       "a dynamic graph has at most %u vertices; %u are asked for",
                       SLAB_MOST_VERTICES, vertices);
    }
    if (!gg_dynamic_open(d, run))
        return gg_dynamic_close(d);
    gg_dynamic_grow_vertices(d, vertices);
    if (gg_dynamic_going(d) && vertices > d->slabs.n)
        d->slabs.n = vertices;
    return gg_dynamic_close(d);
}

gpugraph_status gpugraph_dynamic_add_vertex(gpugraph_dynamic *d, gpugraph_run *run,
                                            uint32_t *vertex) {
    gg_begin(run);
    *vertex = GPUGRAPH_NONE;
    if (d->free_count > 0) {
        *vertex = d->free_vertex[--d->free_count];
        return GPUGRAPH_OK;
    }
    uint32_t next = d->slabs.n;
    if (gpugraph_dynamic_reserve(d, next + 1, run) == GPUGRAPH_OK)
        *vertex = next;
    return run->status;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Room for so many more free numbers. */
static void reserve_numbers(gpugraph_dynamic *d, uint64_t count) {
    uint64_t room = d->free_count + count;
    if (!gg_dynamic_going(d) || room <= d->free_room)
        return;
    uint32_t *larger = gg_alloc(d->run, room, sizeof *larger);
    if (!larger)
        return;
    if (d->free_count > 0)
        memcpy(larger, d->free_vertex, d->free_count * sizeof *larger);
    gg_release(d->free_vertex);
    d->free_vertex = larger;
    d->free_room = room;
}

/* The numbers of deleted vertices are free, each once. */
static void free_numbers(gpugraph_dynamic *d, uint64_t count, const uint32_t *vertex) {
    uint64_t all = d->free_count + count, kept = 0;
    uint32_t *number = d->free_vertex;
    if (all == 0)
        return;
    memcpy(number + d->free_count, vertex, count * sizeof *number);
    qsort(number, all, sizeof *number, ascending);
    for (uint64_t i = 0; i < all; i++)
        if (kept == 0 || number[kept - 1] != number[i])
            number[kept++] = number[i];
    d->free_count = kept;
}

/* ---- batches ---- */

/* From the other direction's tables deletes what leads back to the vertices. */
static void unlink_vertices(gpugraph_dynamic *d, gpugraph_dynamic *other,
                            const struct dynamic_batch *b) {
    struct dynamic_batch rows = *b, edges = {0};
    rows.name_rows = true;
    edges.count = gg_dynamic_count_edges(d, b);
    if (edges.count == 0 || !gg_dynamic_make_rows(d, edges.count, true, &rows))
        return;
    edges.source = rows.row_target;
    edges.target = rows.row_value;
    gg_dynamic_step(other, STEP_DELETE, &edges);
}

bool gg_dynamic_match(const gpugraph_dynamic *d, const gpugraph_dynamic *reverse,
                      gpugraph_run *run) {
    if (reverse->place == d->place && reverse->slabs.n == d->slabs.n &&
        (d->place->host || reverse->device == d->device))
        return true;
    gg_fail(run, GPUGRAPH_INVALID,
            "a graph and its reverse have the same backend, device and vertices");
    return false;
}

gpugraph_status gpugraph_dynamic_delete_vertices(gpugraph_dynamic *d,
                                                 gpugraph_dynamic *reverse,
                                                 uint64_t count, const uint32_t *vertex,
                                                 gpugraph_run *run) {
    struct dynamic_batch b;
    bool directed = reverse && reverse != d;
    gpugraph_dynamic *const side[2] = {d, directed ? reverse : d};
    gg_begin(run);
    if (!gg_dynamic_match(d, side[1], run))
        return run->status;
    if (!gg_dynamic_begin(d, run, count, vertex, NULL, NULL, &b))
        return gg_dynamic_close(d);
    b.vertex = b.source;
    reserve_numbers(d, count);
    for (int i = 0; i <= directed; i++) {
        side[i]->run = run;
        side[i]->job = d->job;
        gg_dynamic_make_lists(side[i]);
        gg_dynamic_new_report(side[i]);
    }
    d->place->mark(d, 0);
    for (int i = 0; i <= directed; i++)
        unlink_vertices(side[i], side[1 - i], &b);
    for (int i = 0; i <= directed; i++) {
        gg_dynamic_step(side[i], STEP_CLEAR, &b);
        gg_dynamic_step(side[i], STEP_END, &b);
    }
    d->place->mark(d, 1);
    double ms = d->place->elapsed(d);
    for (int i = 0; i <= directed; i++)
        gg_dynamic_count(side[i]);
    if (directed) {
        gg_dynamic_drop(reverse, &reverse->rows);
        reverse->run = NULL;
        reverse->job = NULL;
    }
    if (gg_dynamic_going(d))
        free_numbers(d, count, vertex);
    gg_dynamic_end(d, "delete vertices", ms, count);
    if (directed)
        gg_dynamic_mend(reverse, run);
    return run->status;
}
