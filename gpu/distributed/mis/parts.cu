/* Maximal independent sets over parts, each on a device: parts.c by words of vertices instead of states. Of
** parts by source, which have whole rows; pieces.cu has the others.
**
**     words     of locals by degree and hash, as in mis.cuh; of ghosts both have been sent
**     round     passes    every part looks at its own open vertices, as one_launch.cu does, until some passes of
**                         a warp decide nothing; who waits, and how far its look has come, stays in the lists
**               bits      of places: is it decided since the last round, has it joined
**               wire      bits of places become words of ghosts
**               agree     how many are open
**
** A word becomes final for a reason that stays true: so a ghost's may be late and is never wrong, and the set is that
** of the greedy pass. Equal words have equal degrees as long as these are below 2^28; then hashes, and then numbers, are
** compared, which ghosts have, too. */
#include "mis/keep.cuh"
#include "mis/mis.h"
#include "parts.cuh"

#define MIS_GRAPH            struct mis_on_part
#define MIS_PUT(g, v, value) gg_put(&(g)->word[v], value)
#define MIS_EARLIER(g, u, v) earlier(g, u, v)
#include "mis/balanced.h"

/* Passes in vain after which a warp leaves the rest of its list to the next round, which is an exchange. */
enum { PATIENCE = 8 };

/* ---- kernels ---- */

/* One thread per local; the gap behind masters has joined. */
static __global__ void first_words(const __grid_constant__ mis_on_part g) {
    for (uint64_t v = gg_thread(); v < g.locals; v += gg_threads_of_grid()) {
        uint64_t degree = v < g.masters        ? g.offset[v + 1] - g.offset[v]
                          : v >= g.first_ghost ? g.degree[v - g.first_ghost]
                                               : 0;
        g.word[v] = degree ? word_of(g, (uint32_t)v, degree) : MIS_JOINED;
    }
}

/* Passes of a warp over its list, in the first round after one over its tiles of masters, until the list is empty or
** some passes have decided nothing: other warps may be at what it waits for. The list stays for the next round. */
static __global__ void __launch_bounds__(GG_BLOCK, GG_MIS_BALANCED_BLOCKS)
    pass_on_part(const __grid_constant__ mis_on_part g) {
    const uint64_t warp = gg_thread() / GG_WARP, step = gg_threads_of_grid() / GG_WARP;
    waiting *list = g.list + warp * g.room;
    uint32_t count = g.resume ? g.left[warp] : g.room, pass = g.resume, vain = 0;
    while (count > 0 && pass < GG_MIS_PASSES) {
        uint32_t kept = 0;
        uint64_t longest = pass == 0 ? GG_MIS_FIRST_DEGREE : UINT64_MAX;
        for (uint32_t i = 0; i < count; i += GG_WARP) {
            uint64_t local = (warp + i / GG_WARP * step) * GG_WARP + gg_lane();
            bool live = pass > 0 ? i + gg_lane() < count : local < g.masters;
            waiting w = {live ? (uint32_t)local : 0, GPUGRAPH_NONE, 0};
            if (live && pass > 0)
                w = list[i + gg_lane()];
            bool waits = mis_look_balanced(&g, live, longest, &w, mis_room_for_notes());
            kept = mis_keep(list, kept, waits, w);
        }
        pass++;
        vain = kept == count && pass > 2 ? vain + 1 : 0;
        count = kept;
        if (vain == PATIENCE ||
            (pass % GG_MIS_STOP_PASSES == 0 && host_load(g.stop) != 0))
            pass = GG_MIS_PASSES;
        else if (vain > 0)
            __nanosleep(GG_MIS_REST_NS);
        pass = __shfl_sync(ALL_LANES, pass, 0);
    }
    if (gg_lane() == 0) {
        g.left[warp] = count;
        if (count > 0)
            atomicAdd(g.open, (unsigned long long)count);
    }
}

/* ---- driver ---- */

static const struct cooperative_kernel passes = {(const void *)pass_on_part,
                                                 "pass_on_part", GG_BLOCK, 0};

struct mis_drive {
    struct cuda_job *job;
    gpugraph_part *p;
    struct mis_on_part g;
    unsigned blocks;
    uint32_t *hash, *room;                 /* room: a word for each place */
    uint32_t *out, *in;                    /* two bitmaps each */
    unsigned long long (*all)[PART_TALLY]; /* of parts */
    uint8_t *member;
    uint64_t open; /* of all parts */
    uint32_t rounds;
};

static void carve(struct mis_drive *m, struct workspace *space) {
    const struct part_device *d = m->p->device;
    const uint64_t warps = (uint64_t)m->blocks * (GG_BLOCK / GG_WARP),
                   tiles = ((uint64_t)d->masters + GG_WARP - 1) / GG_WARP;
    const uint64_t places = d->first_out[m->p->exchange->parts];
    m->g.room = (uint32_t)((tiles + warps - 1) / warps * GG_WARP);
    m->g.open = gg_carve<unsigned long long>(space, PART_TALLY);
    m->all = gg_carve<unsigned long long[PART_TALLY]>(space, m->p->exchange->parts);
    m->g.list = gg_carve<struct waiting>(space, warps * m->g.room);
    m->g.left = gg_carve<uint32_t>(space, warps);
    m->g.word = gg_carve<uint32_t>(space, d->locals);
    m->g.known = gg_carve<uint32_t>(space, part_words_of_masters(m->p));
    m->hash = gg_carve<uint32_t>(space, d->locals);
    m->room = gg_carve<uint32_t>(space, places);
    m->out = gg_carve<uint32_t>(space, 2 * part_words_out(m->p));
    m->in = gg_carve<uint32_t>(space, 2 * part_words_in(m->p));
    m->member = gg_carve<uint8_t>(space, d->masters);
}

static bool prepare(struct mis_drive *m, gpugraph_priority priority,
                    const uint32_t *hash) {
    const struct part_device *d = m->p->device;
    struct workspace space = {NULL, 0};
    const uint64_t largest = m->p->vertices > 1 ? m->p->vertices - 1 : 1;
    m->blocks = (unsigned)gg_blocks_at_once(m->job, &passes) *
                (unsigned)m->job->device->processors;
    carve(m, &space);
    if (!gg_workspace(m->job, &space))
        return false;
    carve(m, &space);
    m->g.offset = d->offset;
    m->g.target = d->target;
    m->g.number = d->number;
    m->g.masters = d->masters;
    m->g.first_ghost = d->first_ghost;
    m->g.locals = d->locals;
    m->g.degree = d->degree;
    m->g.shift = (uint32_t)__builtin_clzll(largest);
    m->g.priority = priority;
    m->g.stop = m->job->device->device_stop;
    if (priority != GPUGRAPH_BY_DEGREE && priority != GPUGRAPH_BY_RANDOM)
        return gg_going(m->job);
    m->g.hash = m->hash;
    gg_upload(m->job, m->hash, hash, d->masters * sizeof *hash);
    return part_send_values(m->job, m->p, m->hash, m->room) && part_wait(m->job, m->p);
}

/* Passes here, then what all parts have left. */
static bool one_round(struct mis_drive *m) {
    struct cuda_job *job = m->job;
    const uint64_t before = m->open;
    uint64_t sum[PART_TALLY];
    part_at(m->p, "round", m->rounds);
    if (!gg_fill(job, m->g.open, 0, PART_TALLY * sizeof *m->g.open))
        return false;
    pass_on_part<<<m->blocks, GG_BLOCK, 0, job->stream>>>(m->g);
    if (!gg_launched(job, "pass_on_part") ||
        !mis_tell_ghosts(m->job, m->p, &m->g, m->out, m->in, m->all) ||
        !part_combine_tallies(job, m->p, m->all, GPUGRAPH_SUM, sum))
        return false;
    m->open = sum[0];
    m->g.resume = true;
    m->rounds++;
    if (m->open > 0 && m->open >= before)
        mis_no_progress(job, "pass_on_part", m->open);
    return gg_going(job);
}

static bool search(struct mis_drive *m) {
    struct cuda_job *job = m->job;
    const uint32_t masters = m->p->device->masters;
    if (!gg_fill(job, m->g.known, 0, part_words_of_masters(m->p) * sizeof *m->g.known))
        return false;
    first_words<<<gg_grid(job, m->g.locals + 1, 8), GG_BLOCK, 0, job->stream>>>(m->g);
    if (!gg_launched(job, "first_words"))
        return false;
    for (m->open = UINT64_MAX; m->open > 0;)
        if (!one_round(m))
            return false;
    if (masters == 0)
        return true;
    members_of<<<gg_grid(job, masters, 8), GG_BLOCK, 0, job->stream>>>(m->g.word, masters,
                                                                       m->member);
    return gg_launched(job, "members_of") && part_wait(job, m->p);
}

static void check(const gpugraph_part *p, gpugraph_run *run) {
    uint64_t longest = 0;
    for (uint32_t v = 0; v < p->masters; v++)
        longest = p->offset[v + 1] - p->offset[v] > longest
                      ? p->offset[v + 1] - p->offset[v]
                      : longest;
    if (longest >= (uint64_t)1 << 28)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "a vertex has %llu neighbours, more than parts on devices can compare",
                (unsigned long long)longest);
}

gpugraph_status gg_cuda_part_mis(gpugraph_part *p, gpugraph_priority priority,
                                 const uint32_t *hash, gpugraph_run *run,
                                 uint8_t *member) {
    struct cuda_job job;
    struct mis_drive m = {};
    check(p, run);
    const bool whole = !part_reads_ghosts(p);
    if (run->status != GPUGRAPH_OK ||
        !(whole ? part_job_open_shared(&job, p, run) : part_job_open(&job, p, run)))
        return run->status;
    m.job = &job;
    m.p = p;
    if (!whole) {
        gg_mis_of_pieces(&job, p, priority, hash, member);
    } else if (gg_mis_of_shared_parts(&job, p, priority, hash, member)) {
        /* in each other's memory */
    } else if (prepare(&m, priority, hash)) {
        double start = gg_now_ms();
        if (search(&m))
            gg_phase(run, "search", start, (int64_t)p->arcs,
                     "%u rounds over %u parts on devices, exchange %s", m.rounds,
                     p->exchange->parts, p->device->way);
        start = gg_now_ms();
        if (gg_download(&job, member, m.member, p->masters))
            gg_phase(run, "download", start, p->masters, "members");
    }
    return gg_job_close(&job);
}
