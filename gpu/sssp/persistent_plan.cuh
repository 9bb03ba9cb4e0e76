/* The engine "persistent" on the host: sets the arguments of the kernel. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_PLAN_CUH
#define GPUGRAPH_SSSP_PERSISTENT_PLAN_CUH

#include "persistent.cuh"

/* Rows of more arcs are cut into slices of this size, as a power of 2. Shorter slices
** balance warps better, and more slices are listed, so graphs with many arcs have longer
** ones. */
#ifndef GG_PERSISTENT_SLICE /* a test has shorter ones */
#define GG_PERSISTENT_SLICE 8
#endif
#define GG_PERSISTENT_LONG_SLICE 9
#define GG_PERSISTENT_MANY_ARCS  (1u << 26)
/* A round of more than one vertex in this many sets a bound. */
#define GG_PERSISTENT_CROWD 256
/* Bucket width behind the bound, relative to the distance of the bound. Few vertices are
** left, and a round of few takes as long as one of some more. */
#define GG_PERSISTENT_AFTER_PULL 4.0
/* Factor for the bucket width if 8 arcs of each vertex are fixed, because relaxing them
** is cheaper (H100: mesh1m 4.34 to 4.17 ms; roads, with 4, are slower). */
#define GG_PERSISTENT_FIXED_WIDER 1.5

static uint32_t slice_of(uint64_t arcs) {
    return arcs < GG_PERSISTENT_MANY_ARCS ? GG_PERSISTENT_SLICE
                                          : GG_PERSISTENT_LONG_SLICE;
}

template <typename type> static void set_up(const sssp_search *s, persistent<type> *p) {
    const sssp_parameters *chosen = &s->parameters;
    const sssp_bound bound = gg_sssp_bound(s->wanted, type::distance_type);
    p->g = s->g;
    p->back = s->back;
    p->vertices = (uint64_t)s->g.n * type::ends;
    p->limits = {
        (typename type::word)bound.most, bound.tight, bound.none, s->wanted->source_count,
        s->wanted->target_count,         s->stop};
    p->limit = type::ends == 1 ? s->wanted->limit : 0;
    p->group = gg_arc_places(s->g.n, s->g.m); /* 4 or 8 lanes */
    p->fixed = can_be_fixed<type>() && chosen->local ? s->fixed : NULL;
    p->delta =
        chosen->delta * (p->fixed && p->group == 3 ? GG_PERSISTENT_FIXED_WIDER : 1);
    p->delta = p->delta > 1e-290 ? p->delta : 1e-290;
    p->local = chosen->local;
    p->fall = type::ends == 1 && !p->local ? chosen->fall : 0;
    p->transpose = s->transpose;
    p->light = can_be_fixed<type>() ? s->light : light_arcs{NULL, NULL, 0};
    p->reach = can_pull<type>() && s->transpose.begin && !p->local && p->limit == 0
                   ? chosen->pull
                   : 0;
    p->crowd = s->g.n / GG_PERSISTENT_CROWD;
    p->per_bucket_after =
        (typename type::span)(1 / (GG_PERSISTENT_AFTER_PULL * chosen->pull + 1e-290));
    if (p->reach > 0)
        p->fall = 0;
    p->first = 0;
}

#endif
