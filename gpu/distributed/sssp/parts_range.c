/* Shortest paths over parts: how far they may be, and who is farther. */
#include "parts.h"

#include <string.h>

/* ---- the bound ---- */

bool gg_sssp_set_bound(struct sssp_part *s, const void *max_distance) {
    const bool real = s->layout == PART_REAL;
    s->bound = real ? gg_real_word(DBL_MAX) : INT64_MAX;
    if (max_distance && real) {
        double most;
        memcpy(&most, max_distance, sizeof most);
        if (most != most)
            gg_fail(s->run, GPUGRAPH_INVALID, "max_distance is not a number");
        s->within_range = most <= DBL_MAX;
        s->none = most < 0;
        if (s->within_range)
            s->bound = gg_real_word(most + 0.0);
    } else if (max_distance) {
        int64_t most;
        memcpy(&most, max_distance, sizeof most);
        s->within_range = true;
        s->none = most < 0;
        s->bound = (uint64_t)most;
    }
    return !s->run->status;
}

/* ---- distances out of range ---- */

static void mark_beyond(struct part_rounds *r, uint32_t u) {
    const struct sssp_part *s = r->search;
    uint8_t *beyond = r->field.value;
    for (uint64_t a = r->p->offset[u]; a < r->p->offset[u + 1]; a++) {
        const uint32_t v = r->p->target[a];
        if (gg_sssp_at(s, s->distance, v) == UINT64_MAX && !beyond[v]) {
            beyond[v] = 1;
            part_note(&r->next, v);
        }
    }
}

/* Marks the vertices that can be reached and have no distance: the smallest number of
** them, UINT64_MAX: there is none. */
static bool find_lost(struct sssp_part *s, uint8_t *beyond, uint64_t *lost) {
    gpugraph_part *p = s->p;
    struct part_rounds r;
    uint32_t rounds;
    bool go = part_rounds_open(&r, p, s->run);
    r.field = (struct part_field){beyond, 1, part_most_8};
    r.visit = mark_beyond;
    r.search = s;
    for (uint32_t v = 0; go && v < p->masters; v++)
        if (gg_sssp_at(s, s->distance, v) != UINT64_MAX)
            part_note(&r.now, v);
    go = go && part_go_rounds(&r, UINT32_MAX, &rounds);
    *lost = UINT64_MAX;
    for (uint32_t v = 0; go && v < p->masters && *lost == UINT64_MAX; v++)
        if (beyond[v])
            *lost = p->number[v];
    go = go && !gg_combine(p->exchange, s->run, GPUGRAPH_LEAST, lost, 1);
    part_rounds_close(&r);
    return go;
}

bool gg_sssp_check_range(struct sssp_part *s) {
    uint64_t lost = UINT64_MAX;
    if (s->within_range)
        return true;
    s->over = s->over != 0;
    if (!part_sum(s->p, s->run, &s->over))
        return false;
    if (s->over == 0)
        return true;
    uint8_t *beyond = gg_alloc_zero(s->run, s->p->locals, sizeof *beyond);
    const bool go = beyond && !gg_broadcast(s->p, s->run, gg_sssp_distances(s), NULL) &&
                    find_lost(s, beyond, &lost);
    gg_release(beyond);
    const bool real = s->layout == PART_REAL;
    if (go && lost != UINT64_MAX)
        gg_fail(
            s->run, GPUGRAPH_RANGE,
            "the distance of vertex number %llu is over the %s; %s or bound the search "
            "by max_distance",
            (unsigned long long)lost,
            real ? "range of a REAL (1.79769e+308)"
                 : "INTEGER range (9223372036854775807)",
            real ? "scale the weights down" : "use smaller or REAL weights");
    return go && !s->run->status;
}
