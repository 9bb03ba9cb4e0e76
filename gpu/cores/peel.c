/* Passes of peeling. peel.h has the meaning. */
#include "peel.h"
#include "base/claims.h"

enum { CHUNK = 256 }; /* vertices of a pass that a thread takes at a time */

/* Removes the vertices of the queue from `first` to `end`. shared: other threads remove
** other vertices of the pass. */
static inline __attribute__((always_inline)) void take_vertices(struct gg_peeling *p,
                                                                uint64_t first,
                                                                uint64_t end, bool shared,
                                                                uint64_t *since) {
    const uint32_t k = p->k;
    struct gg_claims c;
    uint64_t tail = shared ? 0 : p->tail;
    c.count = 0;
    for (uint64_t i = first; i < end; i++) {
        const uint64_t row = p->rows.begin[p->queue[i]],
                       row_end = p->rows.end[p->queue[i]];
        if (gg_worked(p->run, since, row_end - row + 1))
            break;
        for (uint64_t a = row; a < row_end && !gg_leave(p->run, a); a++) {
            const uint32_t u = p->rows.target[a];
            uint32_t *left = &p->left[u];
            uint32_t before = __atomic_load_n(left, __ATOMIC_RELAXED);
            if (!shared) {
                *left = before - (before > k);
            } else if (before > k) {
                before = __atomic_fetch_sub(left, 1, __ATOMIC_RELAXED);
                if (before <= k)
                    __atomic_fetch_add(left, 1, __ATOMIC_RELAXED);
            }
            if (before != k + 1)
                continue;
            if (p->level)
                p->level[u] = p->pass + 1;
            if (shared)
                gg_claim(&c, u, p->queue, &p->tail);
            else
                p->queue[tail++] = u;
        }
    }
    if (shared)
        gg_hand_claims_over(&c, p->queue, &p->tail);
    else
        p->tail = tail;
}

static void take_shared_vertices(void *peeling, uint64_t low, uint64_t high) {
    struct gg_peeling *p = peeling;
    uint64_t since = GG_POLL_ITEMS; /* the first row polls: chunks may have few arcs */
    take_vertices(p, p->first + low, p->first + high, true, &since);
}

void gg_peel_queue(struct gg_peeling *p) {
    for (; p->last < p->tail && !gg_stopping(p->run); p->pass++) {
        p->first = p->last;
        p->last = p->tail;
        if (p->threads > 1 && p->last - p->first >= GG_PEEL_WIDE)
            gg_chunks(p->threads, p->last - p->first, CHUNK, take_shared_vertices, p);
        else
            take_vertices(p, p->first, p->last, false, &p->since);
    }
}
