/* Shortest paths over parts, each on a device: parts.c by bitmaps. Arcs lie where their targets are masters, so
** whoever is lowered is lowered by its owner, and one exchange tells the others.
**
**     distance  of each local; ghosts have what they were told last
**     open      a bit for each local: its distance has fallen since its row was relaxed
**     sent      of each place: the distance that its ghost was told
**
**     round     slices    open rows nearer than the threshold; their bits are cleared (graph/frontier.cuh)
**               relax     an atomic minimum for each arc; who is lowered is open
**               pack      of places whose distance is not what was sent, and is less than a bucket beyond the
**                         threshold: those that may be relaxed soon (partition/message.cuh)
**               wire      messages; a ghost that falls is open
**               agree     the least distance that is open or was told: none ends the search, and one that is
**                         not near moves the threshold
**
** Whoever is relaxed is told of in the same round at the latest, so that ghosts have their masters' distances at the
** end. A message that is too short is followed by one with the rest.
**
** Distances only fall and end as the least fixpoint, so they are the same to the bit as the CPU's. */
#include "parts.h"
#include "sssp/sssp.cuh"
#include "sssp/sssp.h"
#include "graph/frontier.cuh"
#include "distributed/partition/changes.cuh"

#include <math.h>
#include <string.h>

struct part_tally {
    unsigned long long least; /* that is open, or is told */
    unsigned long long fits;  /* 0: a message is too short */
    unsigned long long well;  /* 0: a sum left the range; in all rounds */
    uint32_t slices;
};

struct sssp_told { /* what one part tells another; least words count of the first two */
    unsigned long long least, fits;
    unsigned long long changed; /* values that are in the message, or should be */
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

/* The lanes' least goes to the tally. All lanes of the warp call. */
static __device__ __forceinline__ void tell_least(struct part_tally *tally,
                                                  unsigned long long least) {
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        least = min(least, __shfl_xor_sync(ALL_LANES, least, step));
    if (gg_lane() == 0 && least < gg_peek(&tally->least))
        atomicMin(&tally->least, least);
}

/* Places of one peer, a block for each chunk. */
template <typename type>
static __global__ void __launch_bounds__(GG_BLOCK)
    pack_changes(const __grid_constant__ sssp_on_part<type> g,
                 const __grid_constant__ part_message message, const uint32_t *place,
                 typename type::word limit, typename type::word *sent) {
    unsigned long long least = ~0ull;
    part_pack(message, place, g.distance, limit, sent,
              [&](typename type::word distance, bool fits) {
                  least = min(least, (unsigned long long)distance);
                  if (!fits)
                      g.tally->fits = 0;
              });
    __syncwarp();
    tell_least(g.tally, least);
}

/* One thread per part. changed[] begins anew. */
static __global__ void address(const struct part_tally *tally,
                               unsigned long long *changed, struct sssp_told *told,
                               struct sssp_told *heard, uint32_t part, uint32_t parts) {
    for (uint64_t q = gg_thread(); q < parts; q += gg_threads_of_grid()) {
        told[q] = {tally->least, tally->fits, changed[q]};
        changed[q] = 0;
        if (q == part)
            heard[q] = told[q];
    }
}

/* Ghosts of one peer, of which the first is local `first`. */
template <typename type>
static __global__ void __launch_bounds__(GG_BLOCK)
    lower_ghosts(const __grid_constant__ sssp_on_part<type> g,
                 const __grid_constant__ part_message message, uint32_t first) {
    part_take<typename type::word>(message,
                                   [&](uint32_t ghost, typename type::word distance) {
                                       const uint32_t v = first + ghost;
                                       if (distance < g.distance[v]) {
                                           g.distance[v] = distance;
                                           atomicOr(&g.open[v / 32], 1u << v % 32);
                                       }
                                   });
}

/* One thread per local, whole warps. */
template <typename type>
static __global__ void find_least(const __grid_constant__ sssp_on_part<type> g) {
    unsigned long long least = ~0ull;
    for (uint64_t v = gg_thread(); v < g.rows.n; v += gg_threads_of_grid())
        if (g.open[v / GG_WARP] >> v % GG_WARP & 1)
            least = min(least, (unsigned long long)g.distance[v]);
    __syncwarp();
    tell_least(g.tally, least);
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
    struct part_rooms rooms;
    word *sent;                  /* of places */
    unsigned char *out, *in;     /* messages */
    unsigned long long *changed; /* values for each part */
    struct sssp_told *told;      /* to each part; behind them, from each */
    double delta;
    word threshold; /* the same at all parts */
    uint64_t least; /* that is open at any part */
};

template <typename type> static void carve(sssp_drive<type> *b, struct workspace *space) {
    typedef typename type::word word;
    const struct part_device *d = b->p->device;
    const uint32_t parts = b->p->exchange->parts;
    b->g.tally = gg_carve<struct part_tally>(space, 1);
    b->changed = gg_carve<unsigned long long>(space, parts);
    b->told = gg_carve<struct sssp_told>(space, 2 * (uint64_t)parts);
    b->g.distance = gg_carve<word>(space, d->locals);
    b->g.open = gg_carve<uint32_t>(space, ((uint64_t)d->locals + 31) / 32);
    b->g.slice = gg_carve<uint64_t>(space, gg_slices_at_most(d->locals, d->arcs));
    b->source = gg_carve<uint32_t>(space, (uint64_t)b->sources + 1);
    b->sent = gg_carve<word>(space, d->first_out[parts]);
    b->out = gg_carve<unsigned char>(space, b->rooms.first_out[parts]);
    b->in = gg_carve<unsigned char>(space, b->rooms.first_in[parts]);
}

template <typename type>
static bool prepare(sssp_drive<type> *b, const uint32_t *source) {
    const struct part_device *d = b->p->device;
    const uint32_t parts = b->p->exchange->parts;
    struct cuda_job *job = b->job;
    struct workspace space = {NULL, 0};
    if (!part_rooms_open(b->p, job->run, sizeof *b->sent, &b->rooms))
        return false;
    carve(b, &space);
    if (!gg_workspace(job, &space))
        return false;
    carve(b, &space);
    b->g.rows = {d->locals, d->arcs, d->offset, d->target, d->weight};
    gg_fill(job, b->g.distance, 0xff, (uint64_t)d->locals * sizeof *b->g.distance);
    gg_fill(job, b->g.open, 0, ((uint64_t)d->locals + 31) / 32 * 4);
    gg_fill(job, b->sent, 0xff, d->first_out[parts] * sizeof *b->sent);
    gg_fill(job, b->changed, 0, parts * sizeof *b->changed);
    gg_fill(job, &b->g.tally->well, 0xff, sizeof b->g.tally->well);
    return gg_upload(job, b->source, source, b->sources * sizeof *source);
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

/* Messages with distances below the limit that have changed. */
template <typename type>
static bool pack(sssp_drive<type> *b, typename type::word limit) {
    const gpugraph_part *p = b->p;
    struct cuda_job *job = b->job;
    const struct part_device *d = p->device;
    for (uint32_t q = 0; q < p->exchange->parts && gg_going(job); q++) {
        struct part_message message = part_message_to(p, &b->rooms, q, b->out);
        message.count = &b->changed[q];
        if (message.room == 0)
            continue;
        pack_changes<<<gg_grid(job, message.places / MESSAGE_EACH + 1, 8), GG_BLOCK, 0,
                       job->stream>>>(b->g, message, d->place + d->first_out[q], limit,
                                      b->sent + d->first_out[q]);
        gg_launched(job, "pack_changes");
    }
    return gg_going(job);
}

/* Ghosts fall where their masters have. */
template <typename type> static bool lower(sssp_drive<type> *b) {
    const gpugraph_part *p = b->p;
    const uint32_t parts = p->exchange->parts;
    struct cuda_job *job = b->job;
    for (uint32_t q = 0; q < parts && gg_going(job); q++) {
        struct part_message message = part_message_from(p, &b->rooms, q, b->in);
        message.count = &b->told[parts + q].changed;
        if (message.room == 0)
            continue;
        lower_ghosts<<<gg_grid(job, message.places / MESSAGE_EACH + 1, 8), GG_BLOCK, 0,
                       job->stream>>>(b->g, message, part_first_ghost(p, q));
        gg_launched(job, "lower_ghosts");
    }
    return gg_going(job);
}

/* What messages had no room for. */
template <typename type>
static bool tell_rest(sssp_drive<type> *b, typename type::word limit) {
    const uint32_t parts = b->p->exchange->parts;
    return pack(b, limit) && part_swap_messages(b->job, b->p, &b->rooms, b->out, b->in) &&
           lower(b) && gg_fill(b->job, b->changed, 0, parts * sizeof *b->changed);
}

/* Waits, and takes in what all parts have told; *fits: no message was too short. gone, come: values to and
** from each part. */
template <typename type>
static bool hear(sssp_drive<type> *b, bool *fits, uint64_t *gone, uint64_t *come) {
    const uint32_t parts = b->p->exchange->parts;
    struct sssp_told *told = static_cast<struct sssp_told *>(
        gg_alloc(b->job->run, 2 * (uint64_t)parts, sizeof *told));
    b->least = UINT64_MAX;
    *fits = true;
    if (told && part_fetch(b->job, b->p, told, b->told, 2 * parts * sizeof *told))
        for (uint32_t q = 0; q < parts; q++) {
            const struct sssp_told *heard = &told[parts + q];
            b->least = heard->least < b->least ? heard->least : b->least;
            *fits = *fits && heard->fits != 0;
            gone[q] = told[q].changed;
            come[q] = heard->changed;
        }
    gg_release(told);
    return gg_going(b->job);
}

/* Tells, and learns the least distance that is open anywhere. */
template <typename type> static bool tell(sssp_drive<type> *b, uint64_t *counts) {
    gpugraph_part *p = b->p;
    const uint32_t parts = p->exchange->parts;
    uint64_t *gone = counts, *come = counts + parts;
    struct cuda_job *job = b->job;
    const typename type::word limit = add(type(), b->threshold, 2 * b->delta);
    bool fits;
    if (!pack(b, limit))
        return false;
    address<<<1, GG_WARP, 0, job->stream>>>(b->g.tally, b->changed, b->told,
                                            b->told + parts, p->exchange->part, parts);
    if (!gg_launched(job, "address") || !part_wire_begin(job, p))
        return false;
    part_swap_messages(job, p, &b->rooms, b->out, b->in);
    part_swap_records(job, p, b->told, b->told + parts, sizeof *b->told);
    if (!part_wire_end(job, p) || !lower(b) || !hear(b, &fits, gone, come))
        return false;
    if (!fits) {
        part_rooms_of_rest(p, &b->rooms, gone, come);
        tell_rest(b, limit);
    }
    part_rooms_of_next(p, &b->rooms, gone, come);
    return gg_going(job);
}

template <typename type> static bool agree(sssp_drive<type> *b) {
    struct cuda_job *job = b->job;
    uint64_t *counts = static_cast<uint64_t *>(
        gg_alloc(job->run, b->p->exchange->parts, 2 * sizeof *counts));
    find_least<<<gg_grid(job, b->g.rows.n + 1, 8), GG_BLOCK, 0, job->stream>>>(b->g);
    const bool told = counts && gg_launched(job, "find_least") && tell(b, counts);
    gg_release(counts);
    return told;
}

/* Before what is tallied. */
template <typename type> static bool clear_tally(sssp_drive<type> *b) {
    struct part_tally *tally = b->g.tally;
    gg_fill(b->job, &tally->least, 0xff, sizeof tally->least + sizeof tally->fits);
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

/* Has a sum of this part's left the range? */
template <typename type> static void note_range(sssp_drive<type> *b) {
    unsigned long long well = 1;
    if (gg_fetch(b->job, &well, &b->g.tally->well, sizeof well))
        b->s->over |= well == 0;
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
    if (prepare(&b, source) && clear_tally(&b)) {
        begin_at<<<1, 1, 0, job->stream>>>(b.g, b.source, b.sources);
        bool going = gg_launched(job, "begin_at") && agree(&b);
        while (going && b.least != UINT64_MAX)
            going = one_round(&b);
        if (going && part_bring_locals(job, s->p, b.g.distance,
                                       static_cast<typename type::word *>(s->distance)))
            note_range(&b);
    }
    part_rooms_close(&b.rooms);
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
