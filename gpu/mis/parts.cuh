/* Independent sets over parts on devices: what parts of whole rows (parts.cu) and of pieces (pieces.cu) share:
** words of vertices, as in mis.cuh, and their way from masters to ghosts. */
#ifndef GPUGRAPH_MIS_PARTS_CUH
#define GPUGRAPH_MIS_PARTS_CUH

#include "mis.cuh"
#include "multi/device.cuh"

struct mis_on_part {
    const uint64_t *offset, *number;
    const uint32_t *target, *hash; /* hash NULL: the priority needs none */
    uint32_t *word;
    uint32_t masters, first_ghost,
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

/* One thread per place, whole warps. */
static __global__ void bits_of_places(const uint32_t *place, uint64_t places,
                                      const uint32_t *word, uint32_t *decided,
                                      uint32_t *joined) {
    for (uint64_t i = gg_thread(); i < places; i += gg_threads_of_grid()) {
        uint32_t value = place[i] != GPUGRAPH_NONE ? word[place[i]] : 1;
        uint32_t ends =
            __ballot_sync(ALL_LANES, value == MIS_JOINED || value == MIS_DROPPED);
        uint32_t joins = __ballot_sync(ALL_LANES, value == MIS_JOINED);
        if (gg_lane() == 0) {
            decided[i / GG_WARP] = ends;
            joined[i / GG_WARP] = joins;
        }
    }
}

/* One thread per ghost of a peer. */
static __global__ void words_of_ghosts(uint32_t *word, uint32_t ghosts,
                                       const uint32_t *decided, const uint32_t *joined) {
    for (uint64_t i = gg_thread(); i < ghosts; i += gg_threads_of_grid())
        if (decided[i / 32] >> i % 32 & 1)
            word[i] = joined[i / 32] >> i % 32 & 1 ? MIS_JOINED : MIS_DROPPED;
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
    const struct part_device *d = p->device;
    const uint64_t places = d->first_out[p->exchange->parts];
    const uint32_t *decided = in, *joined = in + part_words_in(p);
    if (places > 0 && gg_going(job)) {
        bits_of_places<<<gg_grid(job, places, 8), GG_BLOCK, 0, job->stream>>>(
            d->place, places, g->word, out, out + part_words_out(p));
        gg_launched(job, "bits_of_places");
    }
    if (!part_wire_begin(job, p))
        return false;
    part_swap_bits(job, p, out, in, 2);
    part_swap_tallies(job, p, g->open, all);
    if (!part_wire_end(job, p))
        return false;
    const auto launch = [&](uint32_t local, uint32_t ghosts, uint64_t at) {
        words_of_ghosts<<<gg_grid(job, ghosts, 8), GG_BLOCK, 0, job->stream>>>(
            g->word + local, ghosts, decided + at / 32, joined + at / 32);
    };
    return part_put_ghosts_right(job, p, "words_of_ghosts", launch);
}

static void mis_no_progress(struct cuda_job *job, const char *kernel, uint64_t open) {
    gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
            "the kernel %s makes no progress: %llu vertices wait for each other", kernel,
            (unsigned long long)open);
}

#endif
