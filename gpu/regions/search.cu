/* The driver of the search by regions. search.cuh has the kernel. */
#include "search.cuh"

#include <stdio.h>

/* One thread per vertex. */
static __global__ void bring_regions_back(const __grid_constant__ device_regions r,
                                          const __grid_constant__ region_search s,
                                          uint32_t *distance) {
    const uint64_t whole = gg_whole_warps(r.n);
    uint32_t reached = 0, deepest = 0;
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const uint32_t d = v < r.n ? s.distance[r.rank[v]] : UINT32_MAX;
        if (v < r.n)
            distance[v] = d;
        reached += d != UINT32_MAX;
        deepest = d != UINT32_MAX && d > deepest ? d : deepest;
    }
    reached = __reduce_add_sync(ALL_LANES, reached);
    deepest = __reduce_max_sync(ALL_LANES, deepest);
    if (gg_lane() == 0 && reached > 0) {
        atomicAdd(&s.found->reached, (unsigned long long)reached);
        if (deepest > gg_peek(&s.found->deepest))
            atomicMax(&s.found->deepest, deepest);
    }
}

/* ---- driver ---- */

static uint32_t slots_for(uint32_t regions) {
    uint32_t slots = 1024; /* slots that blocks have not emptied yet, and all regions */
    while (slots < regions + 1024)
        slots *= 2;
    return slots;
}

static void carve_region_search(struct workspace *space, const struct device_regions *r,
                                struct region_search *s) {
    const uint64_t slots = slots_for(r->count);
    s->queue.board = gg_carve<struct regions_board>(space, 1);
    s->queue.slot = gg_carve<uint32_t>(space, slots * BUCKETS);
    s->queue.news = gg_carve<uint32_t>(space, r->count);
    s->queue.least = gg_carve<uint32_t>(space, r->count);
    s->found = gg_carve<struct regions_found>(space, 1);
    s->distance = gg_carve<uint32_t>(space, r->n);
    s->received = gg_carve<uint32_t>(space, r->n);
    s->queue.mask = (uint32_t)slots - 1;
}

uint64_t gg_regions_bytes(const struct device_regions *regions) {
    struct workspace space = {NULL, 0};
    struct region_search s;
    carve_region_search(&space, regions, &s);
    return space.used;
}

static void lay_out_for(const struct device_regions *r, struct region_search *s) {
    s->vertices = (r->most_vertices + 7) / 8 * 8;
    s->arcs = (r->most_arcs + 2 * 8 + 7) / 8 * 8; /* blocks copy whole uint4 words */
}

bool gg_regions_fit(const struct cuda_job *job, const struct device_regions *regions,
                    bool by_weight) {
    struct region_search s;
    lay_out_for(regions, &s);
    const uint32_t bytes = by_weight ? shared_bytes<true>(s.vertices, s.arcs)
                                     : shared_bytes<false>(s.vertices, s.arcs);
    return bytes + job->device->shared_unused <= job->device->shared_bytes;
}

static bool start_region_search(struct cuda_job *job, const struct device_regions *r,
                                const struct region_search *s) {
    const uint64_t n = r->n, regions = r->count;
    gg_fill(job, s->queue.board, 0, sizeof *s->queue.board);
    gg_fill(job, s->queue.slot, 0xff, (s->queue.mask + 1ull) * BUCKETS * 4);
    gg_fill(job, s->queue.news, 0, regions * sizeof *s->queue.news);
    gg_fill(job, s->queue.least, 0xff, regions * sizeof *s->queue.least);
    gg_fill(job, s->found, 0, sizeof *s->found);
    gg_fill(job, s->distance, 0xff, n * sizeof *s->distance);
    return gg_fill(job, s->received, 0xff, n * sizeof *s->received);
}

template <bool by_weight>
static bool launch_region_search(struct cuda_job *job, const struct device_regions *r,
                                 const struct region_search *s,
                                 struct regions_outcome *out) {
    const uint32_t bytes = shared_bytes<by_weight>(s->vertices, s->arcs);
    const struct cooperative_kernel k = {(const void *)search_regions<by_weight>,
                                         "search_regions", THREADS, bytes};
    uint32_t at_once = (uint32_t)gg_blocks_at_once(job, &k);
    at_once = at_once < 2 ? at_once : 2; /* three are as fast */
    at_once *= (uint32_t)job->device->processors;
    out->blocks = at_once < r->count ? at_once : r->count;
    search_regions<by_weight><<<out->blocks, THREADS, bytes, job->stream>>>(*r, *s);
    return gg_launched(job, "search_regions");
}

bool gg_search_regions(struct cuda_job *job, const struct device_regions *r,
                       const uint32_t *source, uint32_t sources, uint32_t width,
                       uint32_t *distance, struct workspace *space,
                       struct regions_outcome *out) {
    struct region_search s;
    struct regions_board board;
    struct regions_found found;
    carve_region_search(space, r, &s);
    s.queue.width = width;
    s.stop = job->device->device_stop;
    lay_out_for(r, &s);
    gg_mark(job, GG_BEGAN);
    if (!start_region_search(job, r, &s))
        return false;
    if (!GG_LAUNCH(job, gg_plant_regions, gg_grid(job, sources, 2), *r, s, source,
                   sources) ||
        !(r->arc ? launch_region_search<true>(job, r, &s, out)
                 : launch_region_search<false>(job, r, &s, out)))
        return false;
    if (!GG_LAUNCH(job, bring_regions_back, gg_grid(job, r->n, 16), *r, s, distance) ||
        !gg_mark(job, GG_ENDED) || !gg_wait(job) ||
        !gg_fetch(job, &found, s.found, sizeof found) ||
        !gg_download(job, &board, s.queue.board, sizeof board))
        return false;
    if (board.end == REGIONS_STOPPED) {
        gg_stopped(job->run);
        return false;
    }
    out->reached = found.reached;
    out->deepest = found.deepest;
    out->visits = board.visits;
    out->rounds = board.rounds;
    out->lost = board.lost != 0;
    return gg_going(job);
}

void gg_tell_regions(struct cuda_job *job, const struct device_regions *regions,
                     const struct regions_outcome *out, char *more, size_t size) {
    snprintf(more, size,
             "kernels %.4f ms; %u blocks, %.2f visits to each of %u regions, %.1f rounds "
             "a visit",
             gg_marked_ms(job), out->blocks, (double)out->visits / regions->count,
             regions->count, out->visits ? (double)out->rounds / out->visits : 0.0);
}
