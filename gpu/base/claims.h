/* A thread's buffer of vertices that it has found, for a list that all threads fill: one
** atomic addition reserves entries for many vertices. */
#ifndef GPUGRAPH_CLAIMS_H
#define GPUGRAPH_CLAIMS_H

#include <stdint.h>
#include <string.h>

enum { GG_CLAIMS = 1024 }; /* 4 KiB of vertices */

struct gg_claims { /* count: 0 at first */
    uint32_t count;
    uint32_t vertex[GG_CLAIMS];
};

/* Appends the buffer to the list. *tail: the list's length, which all threads change. */
static inline void gg_hand_claims_over(struct gg_claims *c, uint32_t *list,
                                       uint64_t *tail) {
    if (c->count == 0)
        return;
    uint64_t at = __atomic_fetch_add(tail, c->count, __ATOMIC_RELAXED);
    memcpy(list + at, c->vertex, c->count * sizeof *c->vertex);
    c->count = 0;
}

static inline void gg_claim(struct gg_claims *c, uint32_t v, uint32_t *list,
                            uint64_t *tail) {
    if (c->count == GG_CLAIMS)
        gg_hand_claims_over(c, list, tail);
    c->vertex[c->count++] = v;
}

#endif
