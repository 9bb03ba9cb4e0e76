/* PageRank over parts, each on a device: pagerank.cu's rows, of masters. Arcs lie where their targets are masters, so
** every rank is found by its owner, and one exchange brings new shares to ghosts.
**
**     share     of each local, read; next_share of masters, written, and then of ghosts
**     in        the transpose, of masters; made by the host, which keeps none
**
** Whole sums are added up over all parts by the exchange, as parts.c does. */
#include "parts.h"
#include "pagerank/pagerank.h"
#include "pagerank/sums.cuh"
#include "distributed/partition/device.cuh"

struct rank_on_part {
    struct ranking r;
    const double *out; /* arcs that lead from each master, in all parts */
};

/* ---- kernels ---- */

static __global__ void find_hubs(const __grid_constant__ rank_on_part g) {
    const uint64_t whole = gg_whole_warps(g.r.in.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid())
        list_hub(g.r, v, v < g.r.in.n ? g.r.in.offset[v] : 0,
                 v < g.r.in.n ? g.r.in.offset[v + 1] : 0);
}

/* v's new rank and share. */
static __device__ __forceinline__ void end_row(const rank_on_part &g, uint32_t v,
                                               double before, double arrived,
                                               rank_gift gift, gg_fixed *change,
                                               gg_fixed *lost) {
    g.r.next_share[v] =
        new_share(g.r, v, (uint64_t)g.out[v], before, arrived, gift, change, lost);
}

/* A warp takes the rows of 32 masters. */
static __global__ void __launch_bounds__(GG_BLOCK)
    pull_part(const __grid_constant__ rank_on_part g,
              const __grid_constant__ rank_gift gift) {
    __shared__ warp_rows of_warp[WARPS];
    const uint64_t whole = gg_whole_warps(g.r.in.n);
    gg_fixed change = 0, lost = 0;
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool live = v < g.r.in.n;
        const uint64_t first = live ? g.r.in.offset[v] : 0,
                       end = live ? g.r.in.offset[v + 1] : 0;
        const double before = live ? g.r.rank[v] : 0;
        const double arrived =
            arrived_at(g.r, &of_warp[threadIdx.x / GG_WARP], first, end);
        if (live && end - first <= HUB_ROW)
            end_row(g, (uint32_t)v, before, arrived, gift, &change, &lost);
    }
    add_of_block(&g.r.state->change, change);
    add_of_block(&g.r.state->lost[0], lost);
}

/* A block for each slice of a hub's row. */
static __global__ void __launch_bounds__(GG_BLOCK)
    pull_hubs(const __grid_constant__ rank_on_part g) {
    for (uint32_t k = blockIdx.x; k < g.r.state->slices; k += gridDim.x) {
        const hub_slice s = g.r.slice[k];
        add_of_block(&g.r.arrived[s.hub],
                     part_of_row(g.r, s.first + threadIdx.x, s.end, GG_BLOCK));
    }
}

static __global__ void __launch_bounds__(GG_BLOCK)
    end_hubs(const __grid_constant__ rank_on_part g,
             const __grid_constant__ rank_gift gift) {
    gg_fixed change = 0, lost = 0;
    for (uint64_t h = gg_thread(); h < g.r.state->hubs; h += gg_threads_of_grid()) {
        const uint32_t v = g.r.hub[h];
        end_row(g, v, g.r.rank[v], gg_unfix(fixed_of(g.r.arrived[h])), gift, &change,
                &lost);
        g.r.arrived[h] = device_fixed{0, 0};
    }
    add_of_block(&g.r.state->change, change);
    add_of_block(&g.r.state->lost[0], lost);
}

/* One thread per place. */
static __global__ void pick(const uint32_t *place, uint64_t places, const double *share,
                            double *out) {
    for (uint64_t i = gg_thread(); i < places; i += gg_threads_of_grid())
        if (place[i] != GPUGRAPH_NONE)
            out[i] = share[place[i]];
}

/* ---- driver ---- */

struct rank_drive {
    struct cuda_job *job;
    struct part_ranking *ranks;
    struct rank_on_part g;
    uint64_t *offset; /* of the transpose */
    uint32_t *source, *place;
    double *out, *sent, *come; /* sent, come: of places, of ghosts */
};

static void carve(struct rank_drive *b, struct workspace *space) {
    const gpugraph_part *p = b->ranks->p;
    const struct part_device *d = p->device;
    const uint32_t n = d->masters, parts = p->exchange->parts;
    struct ranking *r = &b->g.r;
    r->state = gg_carve<struct rank_state>(space, 1);
    r->rank = gg_carve<double>(space, n);
    r->share = gg_carve<double>(space, d->locals);
    r->next_share = gg_carve<double>(space, d->locals);
    r->hub = gg_carve<uint32_t>(space, most_hubs(d->arcs, n));
    r->slice = gg_carve<hub_slice>(space, most_slices(d->arcs, n));
    r->arrived = gg_carve<device_fixed>(space, most_hubs(d->arcs, n));
    b->place = gg_carve<uint32_t>(space, (uint64_t)n / 32 + 1);
    b->offset = gg_carve<uint64_t>(space, (uint64_t)n + 1);
    b->source = gg_carve<uint32_t>(space, d->arcs);
    b->out = gg_carve<double>(space, n);
    b->sent = gg_carve<double>(space, d->first_out[parts]);
    b->come = gg_carve<double>(space, d->first_in[parts]);
}

/* Bits of the masters that jumps lead to. */
static bool upload_places(struct rank_drive *b) {
    const uint8_t *is_place = b->ranks->is_place;
    const uint32_t n = b->ranks->p->masters;
    uint32_t *bits = static_cast<uint32_t *>(
        gg_alloc_zero(b->job->run, (uint64_t)n / 32 + 1, sizeof *bits));
    for (uint32_t v = 0; bits && v < n; v++)
        bits[v / 32] |= (uint32_t)(is_place[v] != 0) << v % 32;
    if (bits)
        gg_upload(b->job, b->place, bits, ((uint64_t)n / 32 + 1) * sizeof *bits);
    gg_release(bits);
    b->g.r.is_place = b->place;
    return gg_going(b->job);
}

/* Rows of the transpose, of masters, whose sources are the device's locals. */
static bool upload_rows(struct rank_drive *b) {
    const gpugraph_part *p = b->ranks->p;
    const uint32_t gap = p->device->first_ghost - p->masters;
    struct part_transpose t;
    if (part_transpose_open(p, b->job->run, false, &t)) {
        for (uint64_t a = 0; a < p->arcs; a++)
            t.source[a] += t.source[a] >= p->masters ? gap : 0;
        gg_upload(b->job, b->offset, t.offset,
                  ((uint64_t)p->masters + 1) * sizeof *b->offset);
        gg_upload(b->job, b->source, t.source, p->arcs * sizeof *b->source);
    }
    part_transpose_close(&t);
    return gg_going(b->job);
}

/* Shares of masters become those of ghosts. */
static bool tell(struct rank_drive *b, double *share) {
    gpugraph_part *p = b->ranks->p;
    struct cuda_job *job = b->job;
    const struct part_device *d = p->device;
    const uint64_t places = d->first_out[p->exchange->parts];
    if (places > 0 && gg_going(job)) {
        pick<<<gg_grid(job, places, 8), GG_BLOCK, 0, job->stream>>>(d->place, places,
                                                                    share, b->sent);
        gg_launched(job, "pick");
    }
    if (!part_swap_places(job, p, b->sent, b->come, sizeof *b->sent))
        return false;
    for (uint32_t q = 0; q < p->exchange->parts && gg_going(job); q++)
        if (p->peer[q].ghosts > 0)
            gg_note(job,
                    cudaMemcpyAsync(share + part_first_ghost(p, q),
                                    b->come + d->first_in[q],
                                    p->peer[q].ghosts * sizeof *share,
                                    cudaMemcpyDeviceToDevice, job->stream),
                    "copy shares");
    return gg_going(job);
}

static bool prepare(struct rank_drive *b) {
    const struct part_ranking *s = b->ranks;
    const struct part_device *d = s->p->device;
    struct cuda_job *job = b->job;
    struct workspace space = {NULL, 0};
    struct ranking *r = &b->g.r;
    carve(b, &space);
    if (!gg_workspace(job, &space))
        return false;
    carve(b, &space);
    r->in = {d->masters, d->arcs, b->offset, b->source, NULL};
    r->damping = s->how->damping;
    b->g.out = b->out;
    gg_fill(job, r->state, 0, sizeof *r->state);
    gg_fill(job, r->arrived, 0, most_hubs(d->arcs, d->masters) * sizeof *r->arrived);
    gg_upload(job, r->rank, s->rank, d->masters * sizeof *r->rank);
    gg_upload(job, r->share, s->share, d->masters * sizeof *r->share);
    gg_upload(job, b->out, s->out, d->masters * sizeof *b->out);
    if ((s->is_place && !upload_places(b)) || !upload_rows(b) || !gg_going(job))
        return false;
    find_hubs<<<gg_grid(job, (uint64_t)d->masters + 1, ROW_BLOCKS), GG_BLOCK, 0,
                job->stream>>>(b->g);
    return gg_launched(job, "find_hubs") && tell(b, r->share) && part_wait(job, s->p);
}

/* Sums of this part's masters go to s->lost and s->change. */
static bool one_iteration(struct rank_drive *b, const struct rank_state *hubs) {
    struct part_ranking *s = b->ranks;
    struct cuda_job *job = b->job;
    struct ranking *r = &b->g.r;
    const rank_gift gift = gg_rank_gift(s->how->damping, s->lost, s->places);
    struct rank_state state;
    gg_fill(job, r->state->lost, 0, sizeof r->state->lost);
    if (!gg_fill(job, &r->state->change, 0, sizeof r->state->change))
        return false;
    pull_part<<<gg_grid(job, (uint64_t)r->in.n + 1, ROW_BLOCKS), GG_BLOCK, 0,
                job->stream>>>(b->g, gift);
    gg_launched(job, "pull_part");
    if (hubs->hubs > 0 && gg_going(job)) {
        pull_hubs<<<gg_grid(job, (uint64_t)hubs->slices * GG_BLOCK, ROW_BLOCKS), GG_BLOCK,
                    0, job->stream>>>(b->g);
        end_hubs<<<gg_grid(job, hubs->hubs, 1), GG_BLOCK, 0, job->stream>>>(b->g, gift);
        gg_launched(job, "end_hubs");
    }
    if (!tell(b, r->next_share) || !part_wait(job, s->p) ||
        !gg_fetch(job, &state, r->state, sizeof state))
        return false;
    double *const shares = r->share;
    r->share = r->next_share;
    r->next_share = shares;
    s->lost = (gg_fixed)state.lost[0].high << 64 | state.lost[0].low;
    s->change = (gg_fixed)state.change.high << 64 | state.change.low;
    return true;
}

static bool iterate(struct rank_drive *b, uint32_t *iterations, double *change) {
    struct part_ranking *s = b->ranks;
    struct rank_state hubs;
    if (!gg_fetch(b->job, &hubs, b->g.r.state, sizeof hubs))
        return false;
    while (*iterations < s->how->iterations) {
        part_at(s->p, "iteration", *iterations);
        if (!one_iteration(b, &hubs) || !part_rank_add_up(s))
            return false;
        ++*iterations;
        *change = gg_unfix(s->change);
        if (s->how->tolerance > 0 && *change <= s->how->tolerance)
            break;
    }
    return true;
}

gpugraph_status gg_cuda_part_pagerank(struct part_ranking *s, uint32_t *iterations,
                                      double *change) {
    struct cuda_job job;
    struct rank_drive b = {};
    if (part_writes_ghosts(s->p))
        return gg_fail(s->run, GPUGRAPH_INVALID,
                       "PageRank on devices is of parts by target");
    if (!part_job_open(&job, s->p, s->run))
        return s->run->status;
    b.job = &job;
    b.ranks = s;
    if (prepare(&b) && iterate(&b, iterations, change))
        gg_download(&job, s->rank, b.g.r.rank, s->p->masters * sizeof *s->rank);
    return gg_job_close(&job);
}
