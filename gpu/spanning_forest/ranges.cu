/* Which edges come on a list: a few for each vertex first, then what there is room for. A pivot says so, a place in the
** order of edges, taken from a sample. */
#include "spanning_forest.cuh"
#include "base/limits.h"

/* Edges for each vertex on the first list, and the share of its room that a later list is
** to fill. (H100, R-MAT 24: 23.9 ms, and 26.1 with 3 on each list. R-MAT 22: 5.90 ms;
** with 3 on each 6.07; with 1 and then 3, which takes a third list, 6.90.) */
#define FOREST_FIRST 2
#define FOREST_FILL  0.9

/* ---- the sample ---- */

static __global__ void forget_best(const __grid_constant__ forest f, int live) {
    const uint32_t count = f.state->live[live];
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        f.best[f.live[live][i]] = NOWHERE;
}

/* A thread per edge of the sample, which may be listed; else its place is NOWHERE. */
static __global__ void draw(const __grid_constant__ forest f, uint32_t count,
                            uint64_t salt) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint64_t e = gg_fixed_hash(i + 1 + salt) % f.edges.m;
        const forest_place place = edge_place(f, e), none = {NOWHERE, NOWHERE};
        const bool apart = f.parent[f.edges.source[e]] != f.parent[f.edges.target[e]];
        f.sample[i] = apart && (f.first || gg_comes_before(f.low, place)) ? place : none;
    }
}

/* ---- which edges ---- */

/* About half of the range that there was; of one edge: that. */
static void halve_range(struct forest *f) {
    const struct forest_place low = f->first ? forest_place{0, 0} : f->low;
    struct forest_place *high = &f->high;
    if (high->edge > f->edges.m)
        high->edge = f->edges.m;
    if (high->weight - low.weight > 1)
        *high = {low.weight + (high->weight - low.weight) / 2, f->edges.m};
    else if (high->weight > low.weight && low.edge < f->edges.m)
        *high = {low.weight, f->edges.m};
    else if (high->weight > low.weight)
        high->edge /= 2;
    else
        high->edge = low.edge + (high->edge - low.edge) / 2;
}

/* The share of all edges that the next list is to have: a few for each vertex on the first one, then what there is
** room for, since a later list mostly has all that are left, and each list costs a look at all edges. A sample errs. */
static double share_to_list(const struct forest *f) {
    const double m = (double)f->edges.m;
    if (gg_first_share(f->edges.n, f->edges.m) >= 1)
        return 1;
    return f->first ? FOREST_FIRST * (double)f->edges.n / m
                    : FOREST_FILL * (double)f->room / m;
}

/* Of a sample, those that may be listed: so many edges of all are to be. Returns the place's number among
** them, and moves them to the front; all may come: *places is 0. */
static uint32_t choose_high(struct forest_course *c, struct forest_place *place,
                            uint32_t *places) {
    struct forest *f = c->f;
    const double share = share_to_list(f);
    const uint32_t count = gg_limits.forest.sample;
    uint32_t found = 0;
    f->high = {NOWHERE, NOWHERE};
    *places = 0;
    if (share >= 1)
        return 0;
    if (!GG_LAUNCH(c->job, draw, grid(c, count), *f, count, c->lists * 4096ull) ||
        !gg_download(c->job, place, f->sample, count * sizeof *place))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (place[i].edge != NOWHERE)
            place[found++] = place[i];
    *places = found;
    const uint32_t number = (uint32_t)(share * count);
    if (number < found)
        f->high = gg_place_at(place, found, number);
    return number < found ? number : found;
}

/* Lists that do not fit are made again of fewer edges. */
bool gg_make_next_list(struct forest_course *c) {
    struct forest *f = c->f;
    struct forest_place place[GG_FOREST_SAMPLE];
    uint32_t places, number = choose_high(c, place, &places);
    while (gg_going(c->job) && gg_list_in_range(c) && c->state.listed[0] > f->room) {
        number /= 2;
        if (number > 0 && places > 0)
            f->high = gg_place_at(place, places, number);
        else
            halve_range(f);
        GG_LAUNCH(c->job, forget_best, grid(c, c->state.live[c->live]), *f, c->live);
    }
    return gg_going(c->job);
}
