/* PageRank on several devices (devices/several.cuh). pagerank.cu is for one device; both
** use sums.cuh.
**
**     share[2]    of all places, on each device; a round reads one and writes the other
**     rank        of the device's own places
**
**     round 0     sums weights, lists hubs, computes the first ranks and their shares
**     round i     adds up own rows, stores new shares into all copies; the barrier adds
**                 up the lost rank and the change of all devices, 128 bits each
**
** One cooperative kernel does all rounds. Sums are exact, so ranks do not depend on the
** distribution of rows. Blocks add up a hub's row slice by slice. The thread that adds
** the last slice ends the row. */
#define RANK_SHARE(at) (*(at)) /* other devices write shares while the kernel runs */
#include "several.cuh"
#include "graph/graph.h"
#include "pagerank/sums.cuh"

#include <cooperative_groups.h>

enum { LOST = 0, CHANGE = 2 }; /* the first words of two 128-bit values of a report */

struct several_ranking {
    struct ranking r; /* the own rows; each round sets the share array */
    struct several_view view;
    several_array<double> share[2];
    several_array<int16_t> exponent; /* by place; only with weights */
    uint32_t vertices;               /* in the own segment; unused places follow */
    uint32_t *left;                  /* number of added slices of each hub */
    uint32_t iterations;
    double tolerance;
};

/* ---- kernel ---- */

/* Adds to the report of this round. The whole block calls. */
static __device__ __forceinline__ void
report_fixed(const several_ranking &s, uint64_t round, int word_at, gg_fixed part) {
    const several_barrier &m = s.view.barrier;
    uint64_t *words = &m.desk[m.me]->tally[round % 3].word[word_at];
    add_of_block(reinterpret_cast<device_fixed *>(words), part);
}

static __device__ __forceinline__ gg_fixed received_fixed(const several_ranking &s,
                                                          uint64_t round, int word_at) {
    return (gg_fixed)several_received(&s.view.barrier, round, word_at + 1) << 64 |
           several_received(&s.view.barrier, round, word_at);
}

static __device__ __forceinline__ void put_share(const several_ranking &s, int turn,
                                                 uint32_t v, double share) {
    several_put(s.view, s.share[turn], (uint64_t)s.view.first + v, share);
}

static __device__ __forceinline__ uint64_t degree_of(const several_ranking &s,
                                                     uint32_t v) {
    return s.r.out.end[v] - s.r.out.begin[v];
}

/* Round 0. The host has cleared the counters of hubs. */
static __device__ void begin_round(const several_ranking &s) {
    const ranking &r = s.r;
    const uint64_t whole = gg_whole_warps(s.vertices);
    gg_fixed lost = 0;
    for (uint64_t u = gg_thread() / GG_WARP; r.weighted && u < s.vertices;
         u += gg_threads_of_grid() / GG_WARP) {
        const int exponent = sum_weights_of(r, u);
        if (gg_lane() == 0)
            several_put(s.view, s.exponent, s.view.first + u, (int16_t)exponent);
    }
    if (r.weighted)
        cooperative_groups::this_grid().sync();
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool live = v < s.vertices;
        list_hub(r, v, live ? r.in.begin[v] : 0, live ? r.in.end[v] : 0);
        if (!live)
            continue;
        const double rank = first_rank(r, (uint32_t)v);
        r.rank[v] = rank;
        put_share(s, 0, (uint32_t)v,
                  share_of(r, (uint32_t)v, degree_of(s, (uint32_t)v), rank, &lost));
    }
    report_fixed(s, 0, LOST, lost);
}

/* The whole block adds up a slice of a hub's row. One thread ends the row after the last
** slice. */
static __device__ void pull_hubs(const several_ranking &s, const ranking &r,
                                 rank_gift gift, int turn, gg_fixed *change,
                                 gg_fixed *lost) {
    const uint32_t slices = r.state->slices;
    for (uint32_t k = blockIdx.x; k < slices; k += gridDim.x) {
        const hub_slice one = r.slice[k];
        add_of_block(&r.arrived[one.hub],
                     part_of_row(r, one.first + threadIdx.x, one.end, GG_BLOCK));
        if (threadIdx.x != 0)
            continue;
        const uint32_t v = r.hub[one.hub];
        const uint64_t arcs = r.in.end[v] - r.in.begin[v];
        const uint32_t all = (uint32_t)((arcs + HUB_ROW - 1) / HUB_ROW);
        __threadfence();
        if (atomicAdd(&s.left[one.hub], 1u) != all - 1)
            continue;
        __threadfence();
        device_fixed *arrived = &r.arrived[one.hub];
        const device_fixed sum = {gg_peek(&arrived->low), gg_peek(&arrived->high)};
        put_share(s, turn, v,
                  new_share(r, v, degree_of(s, v), r.rank[v], gg_unfix(fixed_of(sum)),
                            gift, change, lost));
        *arrived = device_fixed{0, 0};
        s.left[one.hub] = 0;
    }
}

static __device__ void pull_rows(const several_ranking &s, const ranking &r, warp_rows *w,
                                 rank_gift gift, int turn, gg_fixed *change,
                                 gg_fixed *lost) {
    const uint64_t whole = gg_whole_warps(s.vertices);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool live = v < s.vertices;
        const uint64_t first = live ? r.in.begin[v] : 0, end = live ? r.in.end[v] : 0;
        const uint64_t degree = live ? degree_of(s, (uint32_t)v) : 0;
        const double before = live ? r.rank[v] : 0;
        const double arrived = arrived_at(r, w, first, end);
        if (live && end - first <= HUB_ROW)
            put_share(
                s, turn, (uint32_t)v,
                new_share(r, (uint32_t)v, degree, before, arrived, gift, change, lost));
    }
}

/* True if the round is the last one, by the reports of its barrier. */
static __device__ __forceinline__ bool is_last(const several_ranking &s, uint64_t round) {
    return round >= s.iterations ||
           (round > 0 && s.tolerance > 0 &&
            gg_unfix(received_fixed(s, round, CHANGE)) <= s.tolerance);
}

/* The next round, as the reports of a round decide it. One thread of each block computes
** this struct. */
struct round_ahead {
    bool comes;
    rank_gift gift;
};

static __device__ __forceinline__ void
look_several_ahead(const several_ranking &s, uint64_t round, struct round_ahead *ahead) {
    __syncthreads();
    if (threadIdx.x == 0) {
        ahead->comes = !is_last(s, round);
        ahead->gift =
            gg_rank_gift(s.r.damping, received_fixed(s, round, LOST), s.r.places);
    }
    __syncthreads();
}

/* Cooperative. A warp adds up 32 rows, a block a slice of a hub's row. */
static __global__ void __launch_bounds__(GG_BLOCK)
    rank_rounds(const __grid_constant__ several_ranking s) {
    __shared__ warp_rows of_warp[WARPS];
    __shared__ struct round_ahead ahead;
    uint64_t round = several_round(s.view);
    if (round == 0) {
        begin_round(s);
        if (!several_barrier_wait(s.view, round))
            return;
        round++;
    }
    for (look_several_ahead(s, round - 1, &ahead); ahead.comes;
         look_several_ahead(s, round - 1, &ahead)) {
        const int turn = (int)(round % 2);
        const rank_gift gift = ahead.gift;
        ranking r = s.r;
        gg_fixed change = 0, lost = 0;
        r.share = s.share[1 - turn].at[s.view.me];
        pull_hubs(s, r, gift, turn, &change, &lost);
        pull_rows(s, r, &of_warp[threadIdx.x / GG_WARP], gift, turn, &change, &lost);
        report_fixed(s, round, CHANGE, change);
        report_fixed(s, round, LOST, lost);
        if (!several_barrier_wait(s.view, round))
            return;
        round++;
    }
}

/* ---- driver ---- */

static const struct cooperative_kernel kernel = {(const void *)rank_rounds, "rank_rounds",
                                                 GG_BLOCK, 0};
static const struct several_combining combining = {0, 1u << LOST | 1u << CHANGE};

struct shared_ranking {
    struct several_team *team;
    const struct several_parts *in, *out;
    const gpugraph_pagerank_options *how;
    const uint8_t *is_place; /* of each master here; NULL: how->source has the numbers */
    struct several_view view[SEVERAL_MOST];
    struct several_ranking of[SEVERAL_MOST];
    several_array<struct rank_state> state;
    several_array<double> share[2], rank, total;
    several_array<int16_t> exponent;
    several_array<uint32_t> hub, left, place;
    several_array<struct hub_slice> slice;
    several_array<struct device_fixed> arrived;
    uint64_t most_arcs; /* of one member */
};

static void carve_rank_arrays(struct shared_ranking *s, struct several_space *space) {
    const uint64_t all = several_all_places(&s->in->places), own = s->in->places.stride;
    const uint64_t hubs = most_hubs(s->most_arcs, own);
    for (int turn = 0; turn < 2; turn++)
        s->share[turn] = gg_several_carve<double>(space, all);
    s->exponent = gg_several_carve<int16_t>(space, s->how->weighted ? all : 0);
    s->state = gg_several_carve<struct rank_state>(space, 1);
    s->rank = gg_several_carve<double>(space, own);
    s->total = gg_several_carve<double>(space, s->how->weighted ? own : 0);
    s->hub = gg_several_carve<uint32_t>(space, hubs);
    s->left = gg_several_carve<uint32_t>(space, hubs);
    s->slice = gg_several_carve<struct hub_slice>(space, most_slices(s->most_arcs, own));
    s->arrived = gg_several_carve<struct device_fixed>(space, hubs);
    s->place = gg_several_carve<uint32_t>(space, s->how->source_count > 0 ? own / 32 : 0);
}

static void set_up_ranking(struct shared_ranking *s, gpugraph_distance_type type, int p) {
    struct several_ranking *one = &s->of[p];
    struct ranking *r = &one->r;
    one->view = s->view[p];
    one->vertices = s->in->vertices[p];
    for (int turn = 0; turn < 2; turn++)
        one->share[turn] = s->share[turn];
    one->exponent = s->exponent;
    one->left = s->left.at[p];
    one->iterations = s->how->iterations;
    one->tolerance = s->how->tolerance;
    r->in = gg_several_csr(s->in, p, one->vertices);
    r->out = gg_several_csr(s->out, p, one->vertices);
    r->type = type;
    r->damping = s->how->damping;
    r->weighted = s->how->weighted;
    r->places = s->how->source_count > 0 ? s->how->source_count : s->in->places.n;
    r->state = s->state.at[p];
    r->rank = s->rank.at[p];
    r->total = s->total.at[p];
    r->exponent = s->exponent.at[p];
    r->hub = s->hub.at[p];
    r->slice = s->slice.at[p];
    r->arrived = s->arrived.at[p];
    r->is_place = s->how->source_count > 0 ? s->place.at[p] : NULL;
}

static void set_bit(uint32_t *bits, uint64_t place) {
    bits[place / 32] |= 1u << place % 32;
}

/* Uploads bits of the places that jumps lead to. */
static bool send_places(struct shared_ranking *s) {
    const struct several_places *places = &s->in->places;
    const uint32_t words = places->stride / 32;
    const int first = s->team->first;
    if (s->how->source_count == 0)
        return true;
    uint32_t *bits = (uint32_t *)gg_alloc_zero(
        s->team->run, (uint64_t)words * places->parts, sizeof *bits);
    for (uint32_t i = 0; bits && !s->is_place && i < s->how->source_count; i++)
        set_bit(bits, several_place(places, s->how->source[i]));
    for (uint32_t v = 0; bits && s->is_place && v < s->in->vertices[first]; v++)
        if (s->is_place[v])
            set_bit(bits, several_first(places, (uint32_t)first) + v);
    for (int p = first; bits && p < s->team->end; p++)
        gg_upload(gg_several_on(s->team, p), s->place.at[p], bits + (uint64_t)p * words,
                  words * sizeof *bits);
    gg_several_wait(s->team);
    gg_release(bits);
    return gg_several_going(s->team);
}

static bool prepare_ranking(struct shared_ranking *s, gpugraph_distance_type type) {
    s->most_arcs = gg_several_most_arcs(s->in);
    const uint64_t hubs = most_hubs(s->most_arcs, s->in->places.stride);
    auto lay_out = [&](struct several_space *space) { carve_rank_arrays(s, space); };
    if (!gg_several_prepare(s->team, combining, &s->in->places, &kernel, s->view,
                            lay_out))
        return false;
    for (int p = s->team->first; p < s->team->end && gg_several_going(s->team); p++) {
        struct cuda_job *job = gg_several_on(s->team, p);
        set_up_ranking(s, type, p);
        gg_fill(job, s->state.at[p], 0, sizeof *s->state.at[p]);
        gg_fill(job, s->left.at[p], 0, hubs * sizeof *s->left.at[p]);
        gg_fill(job, s->arrived.at[p], 0, hubs * sizeof *s->arrived.at[p]);
    }
    return send_places(s) && gg_several_wait(s->team);
}

static bool send_segments(struct shared_ranking *s, uint64_t round) {
    const uint64_t stride = s->in->places.stride;
    return gg_several_segments(s->team, s->share[round % 2], stride) &&
           (round > 0 || !s->how->weighted ||
            gg_several_segments(s->team, s->exponent, stride));
}

static void set_end(pagerank_end *end, uint64_t round,
                    const struct several_outcome *outcome) {
    const gg_fixed change =
        (gg_fixed)outcome->word[CHANGE + 1] << 64 | outcome->word[CHANGE];
    end->iterations = (uint32_t)round;
    end->change = round > 0 ? gg_unfix(change) : 0;
}

/* Launches the kernel for each round, if devices cannot access each other's memory. */
static bool round_by_round(struct shared_ranking *s, pagerank_end *end) {
    struct several_outcome outcome;
    for (uint64_t round = 0;; round++) {
        if (!gg_several_launch(s->team, s->view, s->of, sizeof *s->of) ||
            !gg_several_barrier_on_host(s->team, &outcome))
            return false;
        set_end(end, round, &outcome);
        if (round >= s->how->iterations ||
            (round > 0 && s->how->tolerance > 0 && end->change <= s->how->tolerance))
            return true;
        if (!send_segments(s, round))
            return false;
    }
}

static bool all_rounds(struct shared_ranking *s, pagerank_end *end) {
    const int p = s->team->first;
    struct several_desk desk;
    if (!gg_several_launch(s->team, s->view, s->of, sizeof *s->of) ||
        !gg_download(gg_several_on(s->team, p), &desk, s->team->member[p].desk,
                     sizeof desk))
        return false;
    const uint64_t round = desk.opened / 2 - 1; /* `opened` is twice the rounds */
    set_end(end, round, &desk.outcome[round % 2]);
    return gg_several_going(s->team);
}

bool gg_pagerank_on_team(struct several_team *team, const struct several_parts *in,
                         const struct several_parts *out, gpugraph_distance_type type,
                         const gpugraph_pagerank_options *how, const uint8_t *is_place,
                         pagerank_end *end, several_array<double> *rank) {
    struct shared_ranking *s =
        (struct shared_ranking *)gg_alloc_zero(team->run, 1, sizeof *s);
    if (!s)
        return false;
    s->team = team;
    s->in = in;
    s->out = out;
    s->how = how;
    s->is_place = is_place;
    const bool done = prepare_ranking(s, type) &&
                      (team->peers ? all_rounds(s, end) : round_by_round(s, end));
    *rank = s->rank;
    gg_release(s);
    return done;
}

/* ---- graphs ---- */

static bool rank_team(struct several_team *team, const struct several_parts *in,
                      const struct several_parts *out, gpugraph_distance_type type,
                      const gpugraph_pagerank_options *how, const uint8_t *is_place,
                      double *rank, pagerank_end *end) {
    several_array<double> own;
    const double started = gg_now_ms();
    if (!gg_pagerank_on_team(team, in, out, type, how, is_place, end, &own))
        return false;
    gg_search_phase(team->run, started, (int64_t)in->arcs,
                    "%d parts, exchange %s, %u iterations, last change %.3g", team->parts,
                    gg_several_exchange_name(team), end->iterations, end->change);
    return gg_several_download(team, &in->places, own, rank, "ranks");
}

static gpugraph_status rank_on_several(gpugraph_graph *graph, gpugraph_run *run,
                                       const gpugraph_pagerank_options *how, double *rank,
                                       pagerank_end *end) {
    const enum csr_kind in_kind = gg_forward_kind(gg_opposite(how->direction));
    const enum csr_kind out_kind = gg_forward_kind(how->direction);
    struct several_team team;
    struct several_parts in, out;
    if (!gg_several_open_run(&team, graph, run))
        return run->status;
    if (gg_several_rows(&team, in_kind, how->weighted, &in) &&
        gg_several_rows(&team, out_kind, how->weighted, &out))
        rank_team(&team, &in, &out, graph->distance_type, how, NULL, rank, end);
    return gg_several_close(&team);
}

static int64_t bytes_on_several(const gpugraph_graph *graph, int parts) {
    const int64_t n = graph->n, share = n / parts + 2048;
    const int64_t hubs =
        (int64_t)most_hubs(2 * graph->m / (uint64_t)parts + graph->n, graph->n);
    return gg_several_rows_lack(graph, parts, CSR_IN, false) +
           gg_several_rows_lack(graph, parts, CSR_OUT, false) + 16 * (n + 2048 * parts) +
           8 * share + 96 * hubs + 65536;
}

/* ---- partitions ---- */

/* Uploads row offsets. Their differences are the out-degrees of the masters, and the
** kernel uses only these differences. */
static uint64_t *upload_degrees(struct several_team *team, const double *out,
                                uint32_t masters, uint64_t bytes) {
    const uint32_t entries = (uint32_t)(bytes / 8);
    struct cuda_job *job = gg_several_on(team, team->first);
    uint64_t *at = (uint64_t *)gg_take(job, bytes),
             *offset = (uint64_t *)gg_alloc(team->run, entries, sizeof *offset);
    for (uint32_t v = 0; offset && v < entries; v++)
        offset[v] = v == 0         ? 0
                    : v <= masters ? offset[v - 1] + (uint64_t)out[v - 1]
                                   : offset[v - 1];
    if (at && offset)
        gg_upload(job, at, offset, bytes);
    gg_release(offset);
    return at;
}

gpugraph_status gg_cuda_part_pagerank(gpugraph_part *p,
                                      const gpugraph_pagerank_options *how,
                                      const double *out, const uint8_t *is_place,
                                      gpugraph_run *run, double *rank,
                                      uint32_t *iterations, double *change) {
    struct several_team team;
    pagerank_end end = {0, 0};
    if (!gg_several_open_rank(&team, p, GPUGRAPH_BY_TARGET, run))
        return run->status;
    const struct several_parts in = p->device->parts;
    struct several_parts combining = in;
    const uint64_t bytes = ((uint64_t)in.places.stride + 1) * sizeof(uint64_t);
    uint64_t *degrees = upload_degrees(&team, out, p->masters, bytes);
    combining.rows[team.first].offset = degrees;
    if (gg_several_going(&team))
        rank_team(&team, &in, &combining, GPUGRAPH_UINT32, how, is_place, rank, &end);
    *iterations = end.iterations;
    *change = end.change;
    gg_give(gg_several_on(&team, team.first), degrees, bytes);
    return gg_several_close(&team);
}

GG_DISTRIBUTED_SIDE(gg_pagerank_distributed, pagerank_entry, rank_on_several,
                    bytes_on_several, "pagerank",
                    "pull, on several devices; new shares go to all of them")
