/* Independent sets over parts on devices: what parts of whole rows (parts.cu) and of pieces (pieces.cu) share:
** words of vertices, as in mis.cuh, and their way from masters to ghosts. */
#ifndef GPUGRAPH_MIS_PARTS_CUH
#define GPUGRAPH_MIS_PARTS_CUH

#include "mis/mis.cuh"
#include "distributed/partition/device.cuh"

struct mis_on_part {
    const uint64_t *offset, *number;
    const uint32_t *target, *hash; /* hash NULL: the priority needs none */
    const uint32_t *degree;        /* of ghosts, where rows are whole */
    uint32_t *word;
    uint32_t *known; /* a bit for each master: others have been told that it is decided */
    uint32_t masters, first_ghost, locals,
        shift; /* shift: leading zeros of the largest number, of 64 bits */
    gpugraph_priority priority;
    const uint32_t *stop;
    struct waiting *list;
    uint32_t room;  /* entries of the list, for each warp */
    uint32_t *left; /* of each warp: entries that a round has left in its list */
    bool resume;    /* lists are there */
    unsigned long long *open; /* a tally, whose first word it is */
};

static __device__ __noinline__ bool earlier(const mis_on_part *g, uint32_t u,
                                            uint32_t v) {
    if (g->hash && g->hash[u] != g->hash[v])
        return g->hash[u] < g->hash[v];
    return g->number[u] < g->number[v];
}

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

/* A warp for 32 words of masters, of which those are read that are not known to be decided all. What is new goes to
** places: is it decided, has it joined. */
static __global__ void news_of_masters(const uint32_t *word, uint32_t *known,
                                       const __grid_constant__ part_told t,
                                       uint32_t *decided, uint32_t *joined) {
    for (uint64_t i = gg_thread(); i < gg_whole_warps(t.words);
         i += gg_threads_of_grid()) {
        const uint32_t before = i < t.words ? known[i] : UINT32_MAX;
        uint32_t ends = before, joins = 0;
        for (uint32_t left = __ballot_sync(ALL_LANES, before != UINT32_MAX); left;
             left &= left - 1) {
            const uint32_t lane = (uint32_t)__ffs((int)left) - 1;
            const uint32_t value = word[(i - gg_lane() + lane) * GG_WARP + gg_lane()];
            const uint32_t end =
                __ballot_sync(ALL_LANES, value == MIS_JOINED || value == MIS_DROPPED);
            const uint32_t join = __ballot_sync(ALL_LANES, value == MIS_JOINED);
            ends = gg_lane() == lane ? end : ends;
            joins = gg_lane() == lane ? join : joins;
        }
        if (ends != before) {
            known[i] = ends;
            part_tell(t, i, ends & ~before, decided);
            part_tell(t, i, joins & ~before, joined);
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

/* What is decided goes to ghosts, and how many are open here to all parts. out, in: two bitmaps each, of places
** and of ghosts; all: a tally of each part. */
static bool mis_tell_ghosts(struct cuda_job *job, gpugraph_part *p,
                            const struct mis_on_part *g, uint32_t *out, uint32_t *in,
                            unsigned long long (*all)[PART_TALLY]) {
    const struct part_told told = part_told_of(p);
    const uint32_t *decided = in, *joined = in + part_words_in(p);
    if (!gg_fill(job, out, 0, 2 * part_words_out(p) * sizeof *out))
        return false;
    news_of_masters<<<gg_grid(job, told.words + GG_WARP, 8), GG_BLOCK, 0, job->stream>>>(
        g->word, g->known, told, out, out + part_words_out(p));
    if (!gg_launched(job, "news_of_masters") || !part_wire_begin(job, p))
        return false;
    part_swap_bits(job, p, out, in, 2);
    part_swap_tallies(job, p, g->open, all);
    if (!part_wire_end(job, p))
        return false;
    const auto launch = [&](uint32_t local, uint32_t ghosts, uint64_t at) {
        words_of_ghosts<<<gg_grid(job, ghosts / 32 + GG_WARP, 8), GG_BLOCK, 0,
                          job->stream>>>(g->word + local, ghosts, decided + at / 32,
                                         joined + at / 32);
    };
    return part_put_ghosts_right(job, p, "words_of_ghosts", launch);
}

static void mis_no_progress(struct cuda_job *job, const char *kernel, uint64_t open) {
    gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
            "the kernel %s makes no progress: %llu vertices wait for each other", kernel,
            (unsigned long long)open);
}

/* Pieces of rows: by target, or in a grid. The job is open. (pieces.cu) */
bool gg_mis_of_pieces(struct cuda_job *job, gpugraph_part *p, gpugraph_priority priority,
                      const uint32_t *hash, uint8_t *member);
/* Whole rows, of processes whose devices reach each other. False: they do not. (parts_shared.cu) */
bool gg_mis_of_shared_parts(struct cuda_job *job, gpugraph_part *p,
                            gpugraph_priority priority, const uint32_t *hash,
                            uint8_t *member);

#endif
