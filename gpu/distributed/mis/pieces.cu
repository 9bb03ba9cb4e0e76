/* Maximal independent sets over parts on devices whose rows are in pieces: by target, or in a grid. Rounds of
** Algorithm 3 of Nke et al. (cuMIS, ICS 2026), as in parts.c:
**
**     degrees   of pieces, added up at masters -> words, as in mis.cuh -> ghosts
**     round     judge     every open local by its piece of the row: wait for an earlier neighbour, drop, or
**                         nothing against it
**               wire      verdicts of ghosts, two bits each, to their masters: the larger one prevails
**               apply     masters join and drop
**               wire      two bits of every place become words of ghosts
**               agree     how many are open
**
** A round sees what the last one has decided, so the earliest open vertex always joins. */
#include "several.cuh"
#include "distributed/partition/device.cuh"
#include "base/warp.h"

struct mis_on_part {
    const uint64_t *offset, *number;
    const uint32_t *target, *hash; /* hash NULL: the priority needs none */
    uint32_t *word;
    uint32_t masters, shift; /* leading zeros of the largest number, of 64 bits */
    gpugraph_priority priority;
    const uint32_t *stop;
    unsigned long long *open; /* masters that wait */
};

/* The upper 32 of the bits that numbers have: it ascends with them. */
static __device__ __forceinline__ uint32_t top_of(const mis_on_part &g, uint32_t v) {
    return (uint32_t)(g.number[v] << g.shift >> 32);
}

/* As mis_word has it, of whole keys that numbers of 64 bits are part of. */
static __device__ __forceinline__ uint32_t word_of(const mis_on_part &g, uint32_t v,
                                                   uint64_t degree) {
    uint64_t key = g.priority == GPUGRAPH_BY_DEGREE      ? degree << 32 | g.hash[v]
                   : g.priority == GPUGRAPH_BY_DEGREE_ID ? degree << 32 | top_of(g, v)
                   : g.priority == GPUGRAPH_BY_RANDOM    ? g.hash[v]
                                                         : top_of(g, v);
    if (g.priority == GPUGRAPH_BY_DEGREE || g.priority == GPUGRAPH_BY_DEGREE_ID) {
        int top = 63 - __clzll((long long)key);
        key = (uint64_t)(top - 32) << 27 | key << (64 - top) >> 37;
    }
    return (key < MIS_DROPPED - 2 ? (uint32_t)key : MIS_DROPPED - 2) + 1;
}

/* One thread per place, whole warps: is its master decided, has it joined? */
static __global__ void bits_of_places(const uint32_t *place, uint64_t places,
                                      const uint32_t *word, uint32_t *decided,
                                      uint32_t *joined) {
    for (uint64_t i = gg_thread(); i < gg_whole_warps(places);
         i += gg_threads_of_grid()) {
        const bool live = i < places && place[i] != GPUGRAPH_NONE;
        const uint32_t value = live ? word[place[i]] : 0;
        const bool joins = live && value == MIS_JOINED;
        const uint32_t ended = __ballot_sync(ALL_LANES,
                                             joins || (live && value == MIS_DROPPED)),
                       joining = __ballot_sync(ALL_LANES, joins);
        if (gg_lane() == 0 && i < places) {
            decided[i / GG_WARP] = ended;
            joined[i / GG_WARP] = joining;
        }
    }
}

/* Ghosts of one peer; a warp for 32 words of their bits. */
static __global__ void words_of_ghosts(uint32_t *word, uint32_t ghosts,
                                       const uint32_t *decided, const uint32_t *joined) {
    const uint32_t words = (ghosts + 31) / 32;
    for (uint64_t i = gg_thread(); i < gg_whole_warps(words); i += gg_threads_of_grid()) {
        const uint32_t ends = i < words ? decided[i] : 0, joins = ends ? joined[i] : 0;
        for (uint32_t left = __ballot_sync(ALL_LANES, ends != 0); left;
             left &= left - 1) {
            const int lane = __ffs((int)left) - 1;
            const uint32_t end = __shfl_sync(ALL_LANES, ends, lane),
                           join = __shfl_sync(ALL_LANES, joins, lane);
            if (end >> gg_lane() & 1)
                word[(i - gg_lane() + lane) * GG_WARP + gg_lane()] =
                    join >> gg_lane() & 1 ? MIS_JOINED : MIS_DROPPED;
        }
    }
}

/* One thread per master. */
static __global__ void members_of(const uint32_t *word, uint32_t masters,
                                  uint8_t *member) {
    for (uint64_t v = gg_thread(); v < masters; v += gg_threads_of_grid())
        member[v] = word[v] == MIS_JOINED;
}

/* What is decided goes to ghosts. out, in: two bitmaps each, of places and of ghosts. */
static bool tell_ghosts(struct cuda_job *job, gpugraph_part *p,
                        const struct mis_on_part *g, uint32_t *out, uint32_t *in) {
    const struct part_device *d = p->device;
    const uint64_t places = d->first_out[p->exchange->parts];
    const uint32_t *decided = in, *joined = in + part_words_in(p);
    if (places > 0 && gg_going(job)) {
        bits_of_places<<<gg_grid(job, places, 8), GG_BLOCK, 0, job->stream>>>(
            d->place, places, g->word, out, out + part_words_out(p));
        gg_launched(job, "bits_of_places");
    }
    const auto launch = [&](uint32_t local, uint32_t ghosts, uint64_t at) {
        words_of_ghosts<<<gg_grid(job, ghosts / 32 + GG_WARP, 8), GG_BLOCK, 0,
                          job->stream>>>(g->word + local, ghosts, decided + at / 32,
                                         joined + at / 32);
    };
    return part_swap_bits(job, p, out, in, 2) &&
           part_put_ghosts_right(job, p, "words_of_ghosts", launch);
}

static void mis_no_progress(struct cuda_job *job, const char *kernel, uint64_t open) {
    gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
            "the kernel %s makes no progress: %llu vertices wait for each other", kernel,
            (unsigned long long)open);
}

enum { MAY_JOIN = 0, MUST_WAIT = 1, MUST_DROP = 2 }; /* the larger prevails */
enum { LOOK_ARCS = 4096 }; /* steps along a row between looks at the stop word */

static __device__ __noinline__ bool is_earlier(const mis_on_part &g, uint32_t u,
                                               uint32_t v) {
    if (g.hash && g.hash[u] != g.hash[v])
        return g.hash[u] < g.hash[v];
    return g.number[u] < g.number[v];
}

/* ---- degrees and words ---- */

/* One thread per local. */
static __global__ void degrees_of_pieces(const uint64_t *offset, uint32_t locals,
                                         uint32_t *degree) {
    for (uint64_t v = gg_thread(); v < locals; v += gg_threads_of_grid())
        degree[v] = (uint32_t)(offset[v + 1] - offset[v]);
}

/* One thread per place. */
static __global__ void add_pieces(const uint32_t *place, uint64_t places,
                                  const uint32_t *room, uint32_t *degree) {
    for (uint64_t i = gg_thread(); i < places; i += gg_threads_of_grid())
        if (place[i] != GPUGRAPH_NONE)
            atomicAdd(&degree[place[i]], room[i]);
}

/* One thread per master. */
static __global__ void words_of_masters(const __grid_constant__ mis_on_part g,
                                        const uint32_t *degree) {
    for (uint64_t v = gg_thread(); v < g.masters; v += gg_threads_of_grid())
        g.word[v] = degree[v] ? word_of(g, (uint32_t)v, degree[v]) : MIS_JOINED;
}

/* ---- a round ---- */

/* The piece of v from `begin` to `end`, by a warp. Whoever is not open any more is in nobody's way. */
static __device__ uint32_t judge(const mis_on_part &g, uint32_t v, uint32_t own,
                                 uint64_t begin, uint64_t end) {
    uint32_t verdict = MAY_JOIN;
    for (uint64_t arc = begin; arc < end; arc += GG_WARP) {
        const bool live = arc + gg_lane() < end;
        const uint32_t u = live ? g.target[arc + gg_lane()] : v,
                       word = live ? g.word[u] : MIS_DROPPED;
        const bool open = word != MIS_JOINED && word != MIS_DROPPED;
        const bool waits = open && (word < own || (word == own && is_earlier(g, u, v)));
        if (__any_sync(ALL_LANES, word == MIS_JOINED))
            return MUST_DROP;
        if (__any_sync(ALL_LANES, waits))
            verdict = MUST_WAIT;
        if ((arc - begin) % (LOOK_ARCS * GG_WARP) == 0 && arc > begin) {
            const uint32_t stop = gg_lane() == 0 ? host_load(g.stop) : 0;
            if (__shfl_sync(ALL_LANES, stop, 0))
                return MUST_WAIT;
        }
    }
    return verdict;
}

/* A warp for 32 locals, of which it judges the open ones one by one. */
static __global__ void judge_pieces(const __grid_constant__ mis_on_part g,
                                    uint32_t locals, uint32_t *verdict) {
    const uint64_t warps = gg_threads_of_grid() / GG_WARP;
    for (uint64_t tile = gg_thread() / GG_WARP; tile * GG_WARP < locals; tile += warps) {
        const uint32_t first = (uint32_t)(tile * GG_WARP), v = first + gg_lane();
        const uint32_t own = v < locals ? g.word[v] : MIS_DROPPED;
        const bool open = own != MIS_JOINED && own != MIS_DROPPED;
        const uint64_t begin = open ? g.offset[v] : 0, end = open ? g.offset[v + 1] : 0;
        uint32_t mine = MAY_JOIN;
        for (uint32_t left = __ballot_sync(ALL_LANES, end > begin); left;
             left &= left - 1) {
            const int lane = __ffs((int)left) - 1;
            const uint32_t found = judge(
                g, first + (uint32_t)lane, __shfl_sync(ALL_LANES, own, lane),
                __shfl_sync(ALL_LANES, begin, lane), __shfl_sync(ALL_LANES, end, lane));
            mine = (int)gg_lane() == lane ? found : mine;
        }
        if (v < locals)
            verdict[v] = mine;
    }
}

/* One thread per ghost of a peer, whole warps. */
static __global__ void bits_of_verdicts(const uint32_t *verdict, uint32_t ghosts,
                                        uint32_t *waits, uint32_t *drops) {
    for (uint64_t i = gg_thread(); i < ((uint64_t)ghosts + 31) / 32 * 32;
         i += gg_threads_of_grid()) {
        const uint32_t mine = i < ghosts ? verdict[i] : MAY_JOIN;
        const uint32_t waiting = __ballot_sync(ALL_LANES, mine == MUST_WAIT),
                       dropping = __ballot_sync(ALL_LANES, mine == MUST_DROP);
        if (gg_lane() == 0) {
            waits[i / 32] = waiting;
            drops[i / 32] = dropping;
        }
    }
}

/* One thread per place. */
static __global__ void fold_verdicts(const uint32_t *place, uint64_t places,
                                     const uint32_t *waits, const uint32_t *drops,
                                     uint32_t *verdict) {
    for (uint64_t i = gg_thread(); i < places; i += gg_threads_of_grid()) {
        const uint32_t told = drops[i / 32] >> i % 32 & 1   ? MUST_DROP
                              : waits[i / 32] >> i % 32 & 1 ? MUST_WAIT
                                                            : MAY_JOIN;
        if (place[i] != GPUGRAPH_NONE && told != MAY_JOIN)
            atomicMax(&verdict[place[i]], told);
    }
}

/* One thread per master, whole warps. */
static __global__ void apply_verdicts(uint32_t *word, uint32_t masters,
                                      const uint32_t *verdict, unsigned long long *open) {
    for (uint64_t v = gg_thread(); v < ((uint64_t)masters + 31) / 32 * 32;
         v += gg_threads_of_grid()) {
        const bool is_open =
            v < masters && word[v] != MIS_JOINED && word[v] != MIS_DROPPED;
        const uint32_t mine = is_open ? verdict[v] : MAY_JOIN;
        if (is_open && mine != MUST_WAIT)
            word[v] = mine == MUST_DROP ? MIS_DROPPED : MIS_JOINED;
        const uint32_t left = __ballot_sync(ALL_LANES, mine == MUST_WAIT);
        if (gg_lane() == 0 && left)
            atomicAdd(open, (unsigned long long)__popc(left));
    }
}

/* ---- driver ---- */

struct pieces {
    struct cuda_job *job;
    gpugraph_part *p;
    struct mis_on_part g;
    uint32_t *hash, *room;     /* room: a word for each place */
    uint32_t *verdict;         /* of each local; at first its degree */
    uint32_t *places, *ghosts; /* two bitmaps each */
    uint8_t *member;
    uint64_t left; /* open, of all parts */
    uint32_t rounds;
};

static unsigned blocks_for(const struct pieces *m, uint64_t items) {
    return gg_grid(m->job, items + GG_WARP, 8);
}

static void carve_pieces(struct pieces *m, struct workspace *space) {
    const struct part_device *d = m->p->device;
    m->g.open = gg_carve<unsigned long long>(space, 1);
    m->g.word = gg_carve<uint32_t>(space, m->p->locals);
    m->hash = gg_carve<uint32_t>(space, m->p->locals);
    m->verdict = gg_carve<uint32_t>(space, m->p->locals);
    m->room = gg_carve<uint32_t>(space, d->first_out[m->p->exchange->parts]);
    m->places = gg_carve<uint32_t>(space, 2 * part_words_out(m->p));
    m->ghosts = gg_carve<uint32_t>(space, 2 * part_words_in(m->p));
    m->member = gg_carve<uint8_t>(space, m->p->masters);
}

static bool take_memory(struct pieces *m, gpugraph_priority priority) {
    const struct part_device *d = m->p->device;
    struct workspace space = {NULL, 0};
    const uint64_t largest = m->p->vertices > 1 ? m->p->vertices - 1 : 1;
    carve_pieces(m, &space);
    if (!gg_workspace(m->job, &space))
        return false;
    carve_pieces(m, &space);
    m->g.offset = d->offset;
    m->g.target = d->target;
    m->g.number = d->number;
    m->g.masters = m->p->masters;
    m->g.shift = (uint32_t)__builtin_clzll(largest);
    m->g.priority = priority;
    m->g.stop = m->job->device->device_stop;
    return true;
}

/* Hashes and words of masters, and of ghosts. */
static bool prepare_pieces(struct pieces *m, const uint32_t *hash) {
    struct cuda_job *job = m->job;
    const struct part_device *d = m->p->device;
    const uint64_t places = d->first_out[m->p->exchange->parts];
    if (hash) {
        m->g.hash = m->hash;
        gg_upload(job, m->hash, hash, m->p->masters * sizeof *hash);
        if (!part_send_values(job, m->p, m->hash, m->room))
            return false;
    }
    degrees_of_pieces<<<blocks_for(m, m->p->locals), GG_BLOCK, 0, job->stream>>>(
        d->offset, m->p->locals, m->verdict);
    if (!gg_launched(job, "degrees_of_pieces") ||
        !part_return_values(job, m->p, m->verdict, m->room))
        return false;
    add_pieces<<<blocks_for(m, places), GG_BLOCK, 0, job->stream>>>(d->place, places,
                                                                    m->room, m->verdict);
    words_of_masters<<<blocks_for(m, m->p->masters), GG_BLOCK, 0, job->stream>>>(
        m->g, m->verdict);
    return gg_launched(job, "words_of_masters") &&
           part_send_values(job, m->p, m->g.word, m->room);
}

/* Verdicts of ghosts go to their masters. */
static bool return_verdicts(struct pieces *m) {
    struct cuda_job *job = m->job;
    gpugraph_part *p = m->p;
    const struct part_device *d = p->device;
    const uint64_t places = d->first_out[p->exchange->parts];
    const auto launch = [&](uint32_t local, uint32_t ghosts, uint64_t at) {
        uint32_t *waits = m->ghosts + at / 32;
        bits_of_verdicts<<<blocks_for(m, ghosts), GG_BLOCK, 0, job->stream>>>(
            m->verdict + local, ghosts, waits, waits + part_words_in(p));
    };
    part_put_ghosts_right(job, p, "bits_of_verdicts", launch);
    if (!part_return_bits(job, p, m->ghosts, m->places, 2))
        return false;
    fold_verdicts<<<blocks_for(m, places), GG_BLOCK, 0, job->stream>>>(
        d->place, places, m->places, m->places + part_words_out(p), m->verdict);
    return gg_launched(job, "fold_verdicts");
}

static bool one_round(struct pieces *m) {
    struct cuda_job *job = m->job;
    const uint64_t before = m->left;
    uint64_t open;
    if (!gg_fill(job, m->g.open, 0, sizeof *m->g.open))
        return false;
    judge_pieces<<<blocks_for(m, m->p->locals), GG_BLOCK, 0, job->stream>>>(
        m->g, m->p->locals, m->verdict);
    if (!gg_launched(job, "judge_pieces") || !return_verdicts(m))
        return false;
    apply_verdicts<<<blocks_for(m, m->p->masters), GG_BLOCK, 0, job->stream>>>(
        m->g.word, m->p->masters, m->verdict, m->g.open);
    if (!gg_launched(job, "apply_verdicts") ||
        !tell_ghosts(job, m->p, &m->g, m->places, m->ghosts) ||
        !part_fetch(job, m->p, &open, m->g.open, sizeof open) ||
        !part_sum(m->p, job->run, &open))
        return false;
    m->left = open;
    m->rounds++;
    if (m->left > 0 && m->left >= before)
        mis_no_progress(job, "judge_pieces", m->left);
    return gg_going(job);
}

static bool search_pieces(struct pieces *m, uint8_t *member) {
    struct cuda_job *job = m->job;
    const uint32_t masters = m->p->masters;
    for (m->left = UINT64_MAX; m->left > 0;)
        if (!one_round(m))
            return false;
    if (masters == 0)
        return true;
    members_of<<<blocks_for(m, masters), GG_BLOCK, 0, job->stream>>>(m->g.word, masters,
                                                                     m->member);
    return gg_launched(job, "members_of") && gg_download(job, member, m->member, masters);
}

/* Words compare degrees below 2^28. Pieces of the longest row are no longer than these. */
static bool degrees_are_short(const gpugraph_part *p, gpugraph_run *run) {
    uint64_t longest = 0;
    for (uint32_t v = 0; v < p->locals; v++)
        longest = p->offset[v + 1] - p->offset[v] > longest
                      ? p->offset[v + 1] - p->offset[v]
                      : longest;
    if (p->exchange->calls->combine(p->exchange, run, GPUGRAPH_SUM, &longest, 1))
        return false;
    if (longest >= (uint64_t)1 << 28)
        gg_fail(
            run, GPUGRAPH_TOO_LARGE,
            "a vertex may have %llu neighbours, more than parts on devices can compare",
            (unsigned long long)longest);
    return run->status == GPUGRAPH_OK;
}

bool gg_mis_of_pieces(struct cuda_job *job, gpugraph_part *p, gpugraph_priority priority,
                      const uint32_t *hash, uint8_t *member) {
    struct pieces m = {};
    const bool hashed = priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM;
    m.job = job;
    m.p = p;
    if (!degrees_are_short(p, job->run) || !take_memory(&m, priority) ||
        !prepare_pieces(&m, hashed ? hash : NULL))
        return false;
    const double start = gg_now_ms();
    if (search_pieces(&m, member))
        gg_phase(job->run, "search", start, (int64_t)p->arcs,
                 "%u rounds over %u parts on devices, exchange %s", m.rounds,
                 p->exchange->parts, p->device->way);
    return gg_going(job);
}
