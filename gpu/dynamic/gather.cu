/* Sorts large announced batches that are not in order, by the highest bits of their
** sources. The radix sort keeps the order of items of one edge. Lanes that run at the
** same time then access memory close together, so that a sector stays in the cache until
** all of its entries are inserted. */
#include "dynamic.cuh"
#include "graph_data.h"

#include <cub/device/device_radix_sort.cuh>

enum {
    LEAST_ITEMS = 1 << 21, /* a batch with fewer items is not sorted */
    RANGE_BITS = 16,       /* bits of the sources: two passes */
    SAMPLES = 4096,
    MOST_IN_DISORDER = SAMPLES / 8
};

/* One block: counts sampled pairs of neighbouring items that are not in order. */
static __global__ void count_disorder(dynamic_batch b, uint32_t *disorder) {
    uint32_t mine = 0;
    for (uint64_t k = threadIdx.x; k < SAMPLES; k += blockDim.x) {
        uint64_t i = (b.count - 2) * k / SAMPLES;
        uint32_t u = b.source[i], next = b.source[i + 1];
        mine += u > next || (u == next && b.target[i] >= b.target[i + 1]);
    }
    mine = __reduce_add_sync(0xffffffffu, mine);
    if (threadIdx.x % GG_WARP == 0 && mine > 0)
        atomicAdd(disorder, mine);
}

/* True if a sample of the batch is not in order. The counter is in the results array. */
static bool in_disorder(struct cuda_job *job, const dynamic_batch &b) {
    uint32_t disorder = 0, *counter = b.result;
    gg_fill(job, counter, 0, sizeof *counter);
    count_disorder<<<1, GG_BLOCK, 0, job->stream>>>(b, counter);
    gg_launched(job, "look at a batch's order");
    return gg_fetch(job, &disorder, counter, sizeof disorder) &&
           disorder > MOST_IN_DISORDER;
}

static __global__ void pack_pairs(dynamic_batch b, uint64_t *pair) {
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid())
        pair[i] = slab_pair(b.target[i], b.value[i]);
}

/* The arrays, and the scratch memory of the sort. */
struct gather_space {
    uint32_t *source, *target; /* target: for a set */
    uint64_t *packed, *pair;   /* for a map */
    void *scratch;
    size_t scratch_bytes;
    int first_bit, bits;
    bool valued;
};

static void carve_gather_space(workspace *space, uint64_t items, gather_space *s) {
    s->source = gg_carve<uint32_t>(space, items);
    s->target = gg_carve<uint32_t>(space, s->valued ? 0 : items);
    s->packed = gg_carve<uint64_t>(space, s->valued ? items : 0);
    s->pair = s->valued ? gg_carve<uint64_t>(space, items) : NULL;
    s->scratch = gg_carve<unsigned char>(space, s->scratch_bytes);
}

/* With scratch NULL, returns in *bytes the scratch memory that it needs. */
static cudaError_t sort_by_range(const gather_space &s, void *scratch, size_t *bytes,
                                 const dynamic_batch &b, cudaStream_t stream) {
    const uint32_t count = (uint32_t)b.count;
    return s.valued ? cub::DeviceRadixSort::SortPairs(scratch, *bytes, b.source, s.source,
                                                      s.packed, s.pair, count,
                                                      s.first_bit, s.bits, stream)
                    : cub::DeviceRadixSort::SortPairs(scratch, *bytes, b.source, s.source,
                                                      b.target, s.target, count,
                                                      s.first_bit, s.bits, stream);
}

/* Returns true if that much memory is free, in addition to the needs of the batch: an
** arena of twice the size, and a sector for each item. */
static bool has_memory(const gpugraph_dynamic *d, uint64_t bytes, uint64_t items) {
    const uint64_t sector = SLAB_WORDS * sizeof(uint32_t);
    uint64_t arena = (2 * (uint64_t)d->end + items) * sector;
    return (int64_t)(bytes + arena) <= gg_device_room(d->job);
}

/* Returns false if there is not enough memory. */
static bool make_gather_space(gpugraph_dynamic *d, const dynamic_batch &b,
                              gather_space *s) {
    struct cuda_job *job = d->job;
    workspace space = {NULL, 0};
    s->scratch_bytes = 0;
    s->valued = d->valued;
    for (s->bits = 1; s->bits < 32 && (d->slabs.n - 1) >> s->bits;)
        s->bits++;
    s->first_bit = s->bits > RANGE_BITS ? s->bits - RANGE_BITS : 0;
    gg_note(job, sort_by_range(*s, NULL, &s->scratch_bytes, b, job->stream),
            "ask what a sort needs");
    carve_gather_space(&space, b.count, s);
    if (!has_memory(d, space.used, b.count) || !gg_workspace(job, &space))
        return false;
    carve_gather_space(&space, b.count, s);
    return true;
}

static void sort_batch(struct cuda_job *job, const gather_space &s, dynamic_batch *b) {
    size_t bytes = s.scratch_bytes;
    if (s.valued) {
        unsigned grid = gg_grid(job, b->count, GG_DYNAMIC_GRID);
        pack_pairs<<<grid, GG_BLOCK, 0, job->stream>>>(*b, s.packed);
        gg_launched(job, "pack a batch");
    }
    gg_note(job, sort_by_range(s, s.scratch, &bytes, *b, job->stream), "sort a batch");
    b->source = s.source;
    b->target = s.target; /* in a map the pair has it */
    b->pair = s.pair;
    b->unsorted = true;
}

void gg_dynamic_gather(gpugraph_dynamic *d, dynamic_batch *b) {
    struct cuda_job *job = d->job;
    gather_space s = {};
    if (b->count < LEAST_ITEMS || b->ordered || !gg_going(job) || !in_disorder(job, *b))
        return;
    if (make_gather_space(d, *b, &s))
        sort_batch(job, s, b);
}
