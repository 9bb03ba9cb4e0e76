/* The vertices that a search has found, if these are few: a list of vertices, and a table
** that finds a vertex in it. No array has an entry for each vertex of the graph.
**
**     at       vertex   17   3  90   4  88 ...     as they are found
**              value     0   1   1   2   2
**              edge      -   5   0   2   9
**     table    17+0  .  90+2  .  .  3+1  ...     vertex and its place in the list, at the
**                                                 vertex's hash or behind it; at most a
**                                                 quarter full
**
** The first vertices lie in the struct itself, so that a tiny search allocates
** nothing. */
#ifndef GPUGRAPH_FOUND_H
#define GPUGRAPH_FOUND_H

#include "base/run.h"

#include <stdlib.h>
#include <string.h>

enum { FOUND_FIRST = 64, FOUND_FIRST_TABLE = 4 * FOUND_FIRST };

struct found_vertex {
    uint64_t value; /* depth or distance; a REAL distance as its bits */
    uint64_t edge;  /* tree edge; NO_EDGE: none yet */
    uint32_t vertex, mark;
};

struct found {
    gpugraph_run *run;
    struct found_vertex *at;
    uint64_t *table; /* vertex << 32 | place + 1; 0: free */
    uint64_t places; /* entries of the table, a power of 2 */
    uint32_t odd;    /* multiplier of the hash */
    uint32_t count, room, most;
    bool too_many; /* the search has found more than `most` vertices */
    struct found_vertex first[FOUND_FIRST];
    uint64_t first_table[FOUND_FIRST_TABLE];
};

static inline void gg_found_begin(struct found *f, gpugraph_run *run, uint32_t most) {
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

static inline void gg_found_end(struct found *f) {
    if (f->at != f->first) {
        gg_release(f->at);
        gg_release(f->table);
    }
    f->at = f->first;
}

/* The entry of the table that has the vertex, or the free entry for it. */
static inline uint64_t *gg_found_entry(const struct found *f, uint32_t vertex) {
    uint64_t i = gg_place_number(f->odd, vertex) * f->places >> 32;
    for (;; i++) {
        uint64_t *entry = &f->table[i & (f->places - 1)];
        if (*entry == 0 || *entry >> 32 == vertex)
            return entry;
    }
}

/* The vertex's place in the list; NONE: it is not there. */
static inline uint32_t gg_found_place(const struct found *f, uint32_t vertex) {
    return (uint32_t)*gg_found_entry(f, vertex) - 1;
}

/* Makes room for four times as many vertices, or for `most`. False: there is no memory,
** and the run has failed. */
static inline bool gg_found_grow(struct found *f) {
    const uint32_t room = f->most / 4 > f->room ? 4 * f->room : f->most;
    struct found_vertex *at = gg_alloc(f->run, room, sizeof *at);
    uint64_t *table = gg_alloc_zero(f->run, 4 * f->places, sizeof *table);
    if (!at || !table) {
        gg_release(at);
        gg_release(table);
        return false;
    }
    memcpy(at, f->at, f->count * sizeof *at);
    gg_found_end(f);
    f->at = at;
    f->room = room;
    f->table = table;
    f->places *= 4;
    for (uint32_t i = 0; i < f->count; i++)
        *gg_found_entry(f, at[i].vertex) = (uint64_t)at[i].vertex << 32 | (i + 1);
    return true;
}

/* Adds a vertex that is not in the list, and returns its place. NONE: the list is full,
** or there is no memory and the run has failed. */
static inline uint32_t gg_found_add(struct found *f, uint32_t vertex, uint64_t value) {
    f->too_many |= f->count == f->most;
    if (f->too_many || (f->count == f->room && !gg_found_grow(f)))
        return GPUGRAPH_NONE;
    const uint32_t place = f->count++;
    f->at[place] = (struct found_vertex){value, GPUGRAPH_NO_EDGE, vertex, 0};
    *gg_found_entry(f, vertex) = (uint64_t)vertex << 32 | (place + 1);
    return place;
}

static inline int gg_by_vertex(const void *a, const void *b) {
    const struct found_vertex *x = a, *y = b;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Sorts the list by vertex. The places in the table are then stale. */
static inline void gg_found_sort(struct found *f) {
    qsort(f->at, f->count, sizeof *f->at, gg_by_vertex);
}

#endif
