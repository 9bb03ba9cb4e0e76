/* The vertices of a dynamic graph: new vertices, free numbers, and batches that delete
** vertices.
**
**     rows of the vertices -> delete the edges back, one lane each -> clear the tables */
#include "dynamic.h"
#include "base/run.h"

#include <string.h>

gpugraph_status gpugraph_dynamic_reserve(gpugraph_dynamic *d, uint32_t vertices,
                                         gpugraph_run *run) {
    if (vertices > SLAB_MOST_VERTICES) {
        gg_begin(run);
        return gg_fail(run, GPUGRAPH_TOO_LARGE,
                       "a dynamic graph has at most %u vertices; %u are requested",
                       SLAB_MOST_VERTICES, vertices);
    }
    if (!gg_dynamic_open(d, run))
        return gg_dynamic_close(d);
    gg_dynamic_grow_vertices(d, vertices);
    if (gg_dynamic_going(d) && vertices > d->slabs.n)
        d->slabs.n = vertices;
    return gg_dynamic_close(d);
}

/* ---- free numbers ---- */

static void set_free(struct vacant_numbers *free, uint32_t vertex, bool is_free) {
    const uint64_t bit = 1ull << vertex % 64, at = vertex / 64;
    if (((free->bits[at] & bit) != 0) == is_free)
        return;
    free->bits[at] ^= bit;
    free->count = is_free ? free->count + 1 : free->count - 1;
    free->first = is_free && at < free->first ? at : free->first;
}

/* Returns the lowest free number; there is one. */
static uint32_t lowest_free(struct vacant_numbers *free) {
    while (free->bits[free->first] == 0)
        free->first++;
    return (uint32_t)(free->first * 64) +
           (uint32_t)__builtin_ctzll(free->bits[free->first]);
}

gpugraph_status gpugraph_dynamic_add_vertex(gpugraph_dynamic *d, gpugraph_run *run,
                                            uint32_t *vertex) {
    gg_begin(run);
    if (!gg_needs(run, vertex, 1, "vertex"))
        return run->status;
    *vertex = GPUGRAPH_NONE;
    if (d->vacant.count > 0) {
        *vertex = lowest_free(&d->vacant);
        set_free(&d->vacant, *vertex, false);
        return GPUGRAPH_OK;
    }
    uint32_t next = d->slabs.n;
    if (gpugraph_dynamic_reserve(d, next + 1, run) == GPUGRAPH_OK)
        *vertex = next;
    return run->status;
}

void gg_dynamic_occupy(gpugraph_dynamic *d, uint64_t count, const uint32_t *vertex) {
    for (uint64_t i = 0; d->vacant.count > 0 && i < count; i++)
        if (vertex[i] / 64 < d->vacant.words)
            set_free(&d->vacant, vertex[i], false);
}

/* Enlarges the bitmap to a bit for each vertex. */
static void reserve_free_bits(gpugraph_dynamic *d) {
    struct vacant_numbers *free = &d->vacant;
    const uint64_t words = ((uint64_t)d->slabs.n + 63) / 64;
    if (!gg_dynamic_going(d) || words <= free->words)
        return;
    uint64_t *bits = gg_alloc_zero(d->run, words, sizeof *bits);
    if (!bits)
        return;
    if (free->words > 0)
        memcpy(bits, free->bits, free->words * sizeof *bits);
    gg_release(free->bits);
    free->bits = bits;
    free->words = words;
}

/* ---- batches ---- */

/* Deletes the reverse of each edge of the batch's vertices from the tables of `other`. */
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

/* Returns true if one graph can be the other's reverse; otherwise fails. */
static bool can_be_reverse(const gpugraph_dynamic *d, const gpugraph_dynamic *reverse,
                           gpugraph_run *run) {
    if (reverse->place == d->place && reverse->slabs.n == d->slabs.n &&
        (d->place->host || reverse->device == d->device))
        return true;
    gg_fail(run, GPUGRAPH_INVALID,
            "a graph and its reverse must have the same backend, device and vertices");
    return false;
}

gpugraph_status gpugraph_dynamic_delete_vertices(gpugraph_dynamic *d,
                                                 gpugraph_dynamic *reverse,
                                                 uint64_t count, const uint32_t *vertex,
                                                 gpugraph_run *run) {
    static const struct dynamic_batch none;
    struct dynamic_batch b;
    bool directed = reverse && reverse != d;
    gpugraph_dynamic *const side[2] = {d, directed ? reverse : d};
    gg_begin(run);
    if (!gg_needs(run, vertex, count, "vertex") || !can_be_reverse(d, side[1], run))
        return run->status;
    if (!gg_dynamic_begin(d, run, count, vertex, NULL, NULL, &b))
        return gg_dynamic_close(d);
    b.vertex = b.source;
    reserve_free_bits(d);
    for (int i = 0; i <= directed; i++) {
        side[i]->run = run;
        side[i]->job = d->job;
        gg_dynamic_make_lists(side[i]);
        gg_dynamic_new_report(side[i]);
    }
    gg_dynamic_start(d);
    for (int i = 0; i <= directed; i++)
        unlink_vertices(side[i], side[1 - i], &b);
    for (int i = 0; i <= directed; i++) {
        gg_dynamic_step(side[i], STEP_CLEAR, &b);
        gg_dynamic_step(side[i], STEP_SETTLE, &none);
    }
    gg_dynamic_stop(d);
    for (int i = 0; i <= directed; i++)
        gg_dynamic_count(side[i]);
    if (directed) {
        gg_dynamic_drop(reverse, &reverse->rows);
        reverse->run = NULL;
        reverse->job = NULL;
    }
    for (uint64_t i = 0; gg_dynamic_going(d) && i < count; i++)
        set_free(&d->vacant, vertex[i], true);
    gg_dynamic_end(d, "delete vertices", count);
    if (directed)
        gg_dynamic_mend(reverse, run);
    return run->status;
}
