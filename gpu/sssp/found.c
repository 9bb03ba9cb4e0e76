/* The vertices that a search has found: a list and a hash table. */
#include "found.h"
#include "base/run.h"

#include <stdlib.h>
#include <string.h>

void gg_found_begin(struct found *f, gpugraph_run *run, uint32_t most) {
    f->run = run;
    f->at = f->first;
    f->table = f->first_table;
    f->places = FOUND_FIRST_TABLE;
    f->odd = (uint32_t)gg_placing().odd;
    f->count = 0;
    f->room = FOUND_FIRST;
    f->most = most;
    f->too_many = false;
    memset(f->first_table, 0, sizeof f->first_table);
}

static void free_blocks(struct found *f) {
    if (f->at != f->first) {
        gg_release(f->at);
        gg_release(f->table);
    }
}

void gg_found_end(struct found *f) {
    free_blocks(f);
    f->at = f->first;
}

/* Makes room for four times as many vertices, or for `most`. False: there is no memory,
** and the run has failed. */
static bool grow_found(struct found *f) {
    const uint32_t room = f->most / 4 > f->room ? 4 * f->room : f->most;
    struct found_vertex *at = gg_alloc(f->run, room, sizeof *at);
    uint64_t *table = gg_alloc_zero(f->run, 4 * f->places, sizeof *table);
    if (!at || !table) {
        gg_release(at);
        gg_release(table);
        return false;
    }
    memcpy(at, f->at, f->count * sizeof *at);
    free_blocks(f);
    f->at = at;
    f->room = room;
    f->table = table;
    f->places *= 4;
    for (uint32_t i = 0; i < f->count; i++)
        *gg_found_entry(f, at[i].vertex) = (uint64_t)at[i].vertex << 32 | (i + 1);
    return true;
}

uint32_t gg_found_add(struct found *f, uint32_t vertex, uint64_t value) {
    if (f->count == f->most) {
        f->too_many = true;
        return GPUGRAPH_NONE;
    }
    if (f->count == f->room && !grow_found(f))
        return GPUGRAPH_NONE;
    const uint32_t place = f->count++;
    f->at[place] = (struct found_vertex){value, GPUGRAPH_NO_EDGE, vertex, 0};
    *gg_found_entry(f, vertex) = (uint64_t)vertex << 32 | (place + 1);
    return place;
}

static int by_vertex(const void *a, const void *b) {
    const struct found_vertex *x = a, *y = b;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

void gg_found_sort(struct found *f) {
    qsort(f->at, f->count, sizeof *f->at, by_vertex);
}
