/* Shortest paths over parts, each on a device: parts.c by bitmaps. Arcs lie where their targets are masters, so
** whoever is lowered is lowered by its owner, and one exchange of distances tells the others.
**
**     distance  of each local; ghosts have their masters' of the last exchange
**     open      a bit for each local: its distance has fallen since its row was relaxed
**
**     round     slices    open rows nearer than the threshold; their bits are cleared (graph/frontier.cuh)
**               relax     an atomic minimum for each arc; who is lowered is open
**               values    of places, wire; a ghost that falls is open
**               agree     the least distance that is open anywhere: none ends the search, and one that is
**                         not near moves the threshold. It is known before ghosts fall, since their masters
**                         have fallen as far and are open
**
** Distances only fall and end as the least fixpoint, so they are the same to the bit as the CPU's. */
#include "parts.h"
#include "sssp.cuh"
#include "sssp.h"
#include "graph/frontier.cuh"
#include "multi/device.cuh"

#include <math.h>
#include <string.h>

struct part_tally {           /* what all parts are told, of whom the least words count */
    unsigned long long least; /* that is open */
    unsigned long long well;  /* 0: a sum left the range */
    uint32_t slices;
};

template <typename type> struct sssp_on_part {
    struct device_csr rows;
    typename type::word *distance;
    typename type::word most; /* nothing farther is stored */
    bool tight;               /* `most` is no end of the type's range */
    uint32_t *open;
    uint64_t *slice;
    struct part_tally *tally;
};

/* ---- kernels ---- */

template <typename type>
static __global__ void begin_at(const __grid_constant__ sssp_on_part<type> g,
                                const uint32_t *source, uint32_t sources) {
    for (uint32_t i = 0; i < sources; i++) {
        g.distance[source[i]] = 0;
        g.open[source[i] / 32] |= 1u << source[i] % 32;
    }
}

/* One thread per local, whole warps. */
template <typename type>
static __global__ void slice_near(const __grid_constant__ sssp_on_part<type> g,
                                  typename type::word threshold) {
    for (uint64_t v = gg_thread(); v < gg_whole_warps(g.rows.n);
         v += gg_threads_of_grid()) {
        const uint32_t word = g.open[v / GG_WARP];
        if (!word)
            continue;
        const bool near =
            v < g.rows.n && word >> gg_lane() & 1 && g.distance[v] < threshold;
        const uint32_t taken = __ballot_sync(ALL_LANES, near);
        gg_append_slices(g.rows, (uint32_t)v, near, g.slice, &g.tally->slices);
        if (gg_lane() == 0)
            g.open[v / GG_WARP] = word & ~taken;
    }
}

/* The whole grid walks the slices: one thread per arc. */
template <typename type>
static __global__ void __launch_bounds__(GG_BLOCK)
    relax(const __grid_constant__ sssp_on_part<type> g) {
    typedef typename type::word word;
    const typename type::weight *weight =
        static_cast<const typename type::weight *>(g.rows.weight);
    gg_walk<word>(
        g.rows, g.slice, g.tally->slices,
        [&](uint32_t u) { return gg_peek(&g.distance[u]); },
        [&](word from, uint64_t arc, bool live) {
            if (!live)
                return;
            const uint32_t v = g.rows.target[arc], bit = 1u << v % 32;
            const word sum = type::add(from, weight[arc]);
            if (sum > g.most) {
                if (!g.tight)
                    g.tally->well = 0;
            } else if (sum < gg_peek(&g.distance[v]) &&
                       sum < atomicMin(&g.distance[v], sum) &&
                       !(gg_peek(&g.open[v / 32]) & bit)) {
                atomicOr(&g.open[v / 32], bit);
            }
        });
}

/* One thread per place. */
template <typename word>
static __global__ void pick(const uint32_t *place, uint64_t places, const word *distance,
                            word *out) {
    for (uint64_t i = gg_thread(); i < places; i += gg_threads_of_grid())
        if (place[i] != GPUGRAPH_NONE)
            out[i] = distance[place[i]];
}

/* Ghosts first .. first + count - 1 of one peer. One thread per ghost. */
template <typename type>
static __global__ void lower_ghosts(const __grid_constant__ sssp_on_part<type> g,
                                    uint32_t first, uint32_t count,
                                    const typename type::word *in) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = first + (uint32_t)i;
        if (in[i] < g.distance[v]) {
            g.distance[v] = in[i];
            atomicOr(&g.open[v / 32], 1u << v % 32);
        }
    }
}

/* One thread per local, whole warps. */
template <typename type>
static __global__ void find_least(const __grid_constant__ sssp_on_part<type> g) {
    unsigned long long least = ~0ull;
    for (uint64_t v = gg_thread(); v < g.rows.n; v += gg_threads_of_grid())
        if (g.open[v / GG_WARP] >> v % GG_WARP & 1)
            least = min(least, (unsigned long long)g.distance[v]);
    __syncwarp();
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        least = min(least, __shfl_xor_sync(ALL_LANES, least, step));
    if (gg_lane() == 0 && least < gg_peek(&g.tally->least))
        atomicMin(&g.tally->least, least);
}

/* ---- driver ---- */

template <typename type> struct sssp_drive {
    typedef typename type::word word;
    struct cuda_job *job;
    gpugraph_part *p;
    struct sssp_part *s;
    struct sssp_on_part<type> g;
    uint32_t *source;
    uint32_t sources;
    word *out, *in;                        /* of places, of ghosts */
    unsigned long long (*all)[PART_TALLY]; /* of parts */
    double delta;
    word threshold; /* the same at all parts */
    uint64_t least; /* that is open at any part */
};

template <typename type> static void carve(sssp_drive<type> *b, struct workspace *space) {
    typedef typename type::word word;
    const struct part_device *d = b->p->device;
    const uint32_t parts = b->p->exchange->parts;
    b->g.tally = gg_carve<struct part_tally>(space, 1);
    b->all = gg_carve<unsigned long long[PART_TALLY]>(space, parts);
    b->g.distance = gg_carve<word>(space, d->locals);
    b->g.open = gg_carve<uint32_t>(space, ((uint64_t)d->locals + 31) / 32);
    b->g.slice = gg_carve<uint64_t>(space, gg_slices_at_most(d->locals, d->arcs));
    b->source = gg_carve<uint32_t>(space, (uint64_t)b->sources + 1);
    b->out = gg_carve<word>(space, d->first_out[parts]);
    b->in = gg_carve<word>(space, d->first_in[parts]);
}

template <typename type>
static bool prepare(sssp_drive<type> *b, const uint32_t *source) {
    const struct part_device *d = b->p->device;
    struct cuda_job *job = b->job;
    struct workspace space = {NULL, 0};
    carve(b, &space);
    if (!gg_workspace(job, &space))
        return false;
    carve(b, &space);
    b->g.rows = {d->locals, d->arcs, d->offset, d->target, d->weight};
    gg_fill(job, b->g.distance, 0xff, (uint64_t)d->locals * sizeof *b->g.distance);
    gg_fill(job, b->g.open, 0, ((uint64_t)d->locals + 31) / 32 * 4);
    return gg_upload(job, b->source, source, b->sources * sizeof *source);
}

/* Ghosts fall where their masters have. */
template <typename type> static bool tell(sssp_drive<type> *b) {
    gpugraph_part *p = b->p;
    struct cuda_job *job = b->job;
    const struct part_device *d = p->device;
    const uint64_t places = d->first_out[p->exchange->parts];
    if (places > 0 && gg_going(job)) {
        pick<<<gg_grid(job, places, 8), GG_BLOCK, 0, job->stream>>>(
            d->place, places, b->g.distance, b->out);
        gg_launched(job, "pick");
    }
    if (!part_wire_begin(job, p))
        return false;
    part_swap_places(job, p, b->out, b->in, sizeof *b->out);
    part_swap_tallies(job, p, &b->g.tally->least, b->all);
    if (!part_wire_end(job, p))
        return false;
    const auto launch = [&](uint32_t local, uint32_t ghosts, uint64_t at) {
        lower_ghosts<<<gg_grid(job, ghosts, 8), GG_BLOCK, 0, job->stream>>>(
            b->g, local, ghosts, b->in + at);
    };
    return part_put_ghosts_right(job, p, "lower_ghosts", launch);
}

/* delta beyond a distance, or as far as the type goes. */
template <typename type>
static typename type::word add(type, typename type::word least, double delta) {
    const typename type::word sum = least + type::from_real(delta < 1 ? 1 : delta);
    return sum < least ? type::unreached() : sum;
}
static real::word add(real, real::word least, double delta) {
    double from;
    memcpy(&from, &least, sizeof from);
    const double sum =
        from + delta; /* a width that is lost in rounding is the next double */
    return sum > from ? real::from_real(sum) : least + 1;
}

/* Tells, and learns the least distance that is open anywhere. */
template <typename type> static bool agree(sssp_drive<type> *b) {
    struct cuda_job *job = b->job;
    uint64_t word[PART_TALLY];
    find_least<<<gg_grid(job, b->g.rows.n + 1, 8), GG_BLOCK, 0, job->stream>>>(b->g);
    if (!gg_launched(job, "find_least") || !tell(b) ||
        !part_combine_tallies(job, b->p, b->all, GPUGRAPH_LEAST, word))
        return false;
    b->least = word[0];
    b->s->over |= word[1] == 0;
    return true;
}

/* Before what is tallied. */
template <typename type> static bool clear_tally(sssp_drive<type> *b) {
    struct part_tally *tally = b->g.tally;
    gg_fill(b->job, &tally->least, 0xff, PART_TALLY * sizeof tally->least);
    return gg_fill(b->job, &tally->slices, 0, sizeof tally->slices);
}

template <typename type> static bool one_round(sssp_drive<type> *b) {
    struct cuda_job *job = b->job;
    part_at(b->p, "round", b->s->rounds);
    if (b->least >= b->threshold)
        b->threshold = add(type(), (typename type::word)b->least, b->delta);
    if (!clear_tally(b))
        return false;
    slice_near<<<gg_grid(job, b->g.rows.n + 1, 8), GG_BLOCK, 0, job->stream>>>(
        b->g, b->threshold);
    if (!gg_launched(job, "slice_near"))
        return false;
    relax<<<8 * job->device->processors, GG_BLOCK, 0, job->stream>>>(b->g);
    b->s->rounds++;
    return gg_launched(job, "relax") && agree(b);
}

template <typename type>
static void search(struct cuda_job *job, struct sssp_part *s, const uint32_t *source,
                   uint32_t sources, typename type::word range, bool noted) {
    sssp_drive<type> b = {};
    b.job = job;
    b.p = s->p;
    b.s = s;
    b.sources = s->none ? 0 : sources;
    b.g.most = s->bound < range ? (typename type::word)s->bound : range;
    b.g.tight = s->within_range || !noted;
    b.delta = ldexp(1, s->exponent);
    if (!prepare(&b, source) || !clear_tally(&b))
        return;
    begin_at<<<1, 1, 0, job->stream>>>(b.g, b.source, b.sources);
    if (!gg_launched(job, "begin_at") || !agree(&b))
        return;
    while (b.least != UINT64_MAX)
        if (!one_round(&b))
            return;
    part_bring_locals(job, s->p, b.g.distance,
                      static_cast<typename type::word *>(s->distance));
}

gpugraph_status gg_cuda_part_sssp(struct sssp_part *s, const uint32_t *source,
                                  uint32_t sources) {
    struct cuda_job job;
    if (part_writes_ghosts(s->p))
        return gg_fail(s->run, GPUGRAPH_INVALID,
                       "shortest paths on devices are of parts by target");
    if (!part_job_open(&job, s->p, s->run))
        return s->run->status;
    if (s->layout == PART_NARROW) /* of which no sum that counts leaves the range */
        search<integer32>(&job, s, source, sources, UINT32_MAX - 1, false);
    else if (s->layout == PART_WHOLE)
        search<integer64>(&job, s, source, sources, INT64_MAX, true);
    else
        search<real>(&job, s, source, sources, real::from_real(DBL_MAX), true);
    return gg_job_close(&job);
}
