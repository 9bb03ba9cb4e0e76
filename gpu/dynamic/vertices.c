/* The vertices of a dynamic graph: more of them, numbers that are free again, and batches
** that delete some.
**
**     rows of the vertices -> delete the edges back, one lane for each -> clear the tables */
#include "dynamic.h"
#include "base/run.h"

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

/* ---- free numbers ---- */

/* False: it was so already. */
static bool set_free(struct vacant_numbers *free, uint32_t vertex, bool is_free) {
    uint64_t bit = 1ull << vertex % 64, *word = &free->bits[vertex / 64];
    if (((*word & bit) != 0) == is_free)
        return false;
    *word ^= bit;
    free->alive = is_free ? free->alive + 1 : free->alive - 1;
    return true;
}

gpugraph_status gpugraph_dynamic_add_vertex(gpugraph_dynamic *d, gpugraph_run *run,
                                            uint32_t *vertex) {
    struct vacant_numbers *free = &d->vacant;
    gg_begin(run);
    if (!gg_needs(run, vertex, 1, "vertex"))
        return run->status;
    *vertex = GPUGRAPH_NONE;
    while (free->count > 0) {
        uint32_t number = free->number[--free->count];
        if (!set_free(free, number, false))
            continue; /* an edge has named it since */
        *vertex = number;
        return GPUGRAPH_OK;
    }
    uint32_t next = d->slabs.n;
    if (gpugraph_dynamic_reserve(d, next + 1, run) == GPUGRAPH_OK)
        *vertex = next;
    return run->status;
}

void gg_dynamic_occupy(gpugraph_dynamic *d, uint64_t count, const uint32_t *vertex) {
    for (uint64_t i = 0; d->vacant.alive > 0 && i < count; i++)
        if (vertex[i] / 64 < d->vacant.words)
            set_free(&d->vacant, vertex[i], false);
}

/* A block with more room in place of another, whose entries it has; the rest is 0. NULL: there is no
** memory, and the other stays. */
static void *enlarged(gpugraph_dynamic *d, void *block, uint64_t entries, uint64_t wanted,
                      size_t size) {
    void *larger = gg_alloc_zero(d->run, wanted, size);
    if (!larger)
        return NULL;
    if (entries > 0)
        memcpy(larger, block, entries * size);
    gg_release(block);
    return larger;
}

/* Takes out numbers that are not free any more, and such as are listed twice. */
static void weed(struct vacant_numbers *free) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < free->count; i++)
        if (set_free(free, free->number[i], false))
            free->number[kept++] = free->number[i];
    for (uint64_t i = 0; i < kept; i++)
        set_free(free, free->number[i], true);
    free->count = kept;
}

static void reserve_bits(gpugraph_dynamic *d) {
    struct vacant_numbers *free = &d->vacant;
    uint64_t words = ((uint64_t)d->slabs.n + 63) / 64;
    if (!gg_dynamic_going(d) || words <= free->words)
        return;
    uint64_t *bits = enlarged(d, free->bits, free->words, words, sizeof *bits);
    if (!bits)
        return;
    free->bits = bits;
    free->words = words;
}

/* Room for so many more. */
static void reserve_numbers(gpugraph_dynamic *d, uint64_t count) {
    struct vacant_numbers *free = &d->vacant;
    reserve_bits(d);
    if (!gg_dynamic_going(d) || free->count + count <= free->room)
        return;
    weed(free);
    uint64_t room = (free->count + count) / 2 * 3 + 1;
    if (room <= free->room)
        return;
    uint32_t *number = enlarged(d, free->number, free->count, room, sizeof *number);
    if (!number)
        return;
    free->number = number;
    free->room = room;
}

/* The numbers of deleted vertices are free, each once. */
static void free_numbers(gpugraph_dynamic *d, uint64_t count, const uint32_t *vertex) {
    for (uint64_t i = 0; i < count; i++)
        if (set_free(&d->vacant, vertex[i], true))
            d->vacant.number[d->vacant.count++] = vertex[i];
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
    if (!gg_needs(run, vertex, count, "vertex") || !gg_dynamic_match(d, side[1], run))
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
