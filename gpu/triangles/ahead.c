/* Rows of neighbours that rank higher: ahead.h. */
#include "ahead.h"

enum { CHUNK = 64 }; /* vertices that a thread takes at a time */

/* Writes what is ahead of v, where `to` is not NULL. Returns how many. */
static uint64_t look_ahead(const csr *g, uint32_t v, uint32_t *to, gpugraph_run *run) {
    uint64_t degree = gg_simple_degree(g, v), count = 0;
    for (uint64_t i = g->begin[v]; i < g->end[v] && !gg_leave(run, i); i++) {
        uint32_t u = g->target[i];
        uint64_t other = gg_simple_degree(g, u);
        if (other > degree || (other == degree && u > v)) {
            if (to)
                to[count] = u;
            count++;
        }
    }
    return count;
}

bool gg_take_vertices(struct ahead *a, uint32_t *first, uint32_t *end) {
    if (gg_pause(a->run))
        return false;
    uint64_t n = a->simple.n, at = __atomic_fetch_add(&a->taken, CHUNK, __ATOMIC_RELAXED);
    if (at >= n)
        return false;
    *first = (uint32_t)at;
    *end = (uint32_t)(n - at < CHUNK ? n : at + CHUNK);
    return true;
}

static void look_ahead_of_some(void *ahead, int member, int team) {
    struct ahead *a = ahead;
    (void)member, (void)team;
    for (uint32_t v, end; gg_take_vertices(a, &v, &end);)
        for (; v < end; v++) {
            if (a->target)
                look_ahead(&a->simple, v, a->target + a->offset[v], a->run);
            else
                a->offset[v + 1] = look_ahead(&a->simple, v, NULL, a->run);
        }
}

/* target NULL: counts into offset[v + 1]; else fills the rows. */
static bool look_ahead_of_all(struct ahead *a) {
    a->taken = 0;
    gg_team(a->threads, look_ahead_of_some, a);
    return !gg_stopping(a->run);
}

bool gg_make_ahead(struct ahead *a) {
    a->offset = gg_alloc(a->run, (uint64_t)a->simple.n + 1, sizeof *a->offset);
    if (!a->offset || !look_ahead_of_all(a))
        return false;
    a->offset[0] = 0;
    for (uint32_t v = 0; v < a->simple.n; v++)
        a->offset[v + 1] += a->offset[v];
    a->target = gg_alloc(a->run, a->offset[a->simple.n], sizeof *a->target);
    return a->target && look_ahead_of_all(a);
}

void gg_free_ahead(struct ahead *a) {
    gg_release(a->target);
    gg_release(a->offset);
}
