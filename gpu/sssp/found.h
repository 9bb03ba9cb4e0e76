/* What a search has found, where that is little: a list of vertices and a table that finds each of them, so that
** nothing has an entry for each vertex of the graph.
**
**     at       vertex   17   3  90   4  88 ...     as they are found
**              value     0   1   1   2   2
**              edge      -   5   0   2   9
**     table    17+0  .  90+2  .  .  3+1  ...        vertex and its place in the list, by a placing hash of the
**                                                   vertex, or else behind it; at most a quarter full
**
** The first vertices lie in the struct itself: the least searches take no memory. */
#ifndef GPUGRAPH_FOUND_H
#define GPUGRAPH_FOUND_H

#include "gpugraph.h"
#include "hash.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FOUND_FIRST = 64, FOUND_FIRST_TABLE = 4 * FOUND_FIRST };

struct found_vertex {
    uint64_t value; /* depth; distance, of a REAL one its bits */
    uint64_t edge;  /* of the tree; NO_EDGE: none yet */
    uint32_t vertex, mark;
};

struct found {
    gpugraph_run *run;
    struct found_vertex *at;
    uint64_t *table; /* vertex << 32 | place + 1; 0: free */
    uint64_t places; /* of the table, a power of 2 */
    uint32_t odd;    /* of the placing hash */
    uint32_t count, room, most;
    bool too_many; /* more than `most` would be needed */
    struct found_vertex first[FOUND_FIRST];
    uint64_t first_table[FOUND_FIRST_TABLE];
};

void gg_found_begin(struct found *f, gpugraph_run *run, uint32_t most);
void gg_found_end(struct found *f);
/* Adds a vertex that is not there: its place. NONE: there are too many, or no memory, which the run says. */
uint32_t gg_found_add(struct found *f, uint32_t vertex, uint64_t value);
/* Ascending by vertex; places are then no longer those of the table. */
void gg_found_sort(struct found *f);

/* The entry of the table that is the vertex's, or would be. */
static inline uint64_t *gg_found_entry(const struct found *f, uint32_t vertex) {
    uint64_t i = gg_place_number(f->odd, vertex) * f->places >> 32;
    for (;; i++) {
        uint64_t *entry = &f->table[i & (f->places - 1)];
        if (*entry == 0 || *entry >> 32 == vertex)
            return entry;
    }
}

/* The vertex's place; NONE: it was not found. */
static inline uint32_t gg_found_place(const struct found *f, uint32_t vertex) {
    return (uint32_t)*gg_found_entry(f, vertex) - 1;
}

#ifdef __cplusplus
}
#endif
#endif
