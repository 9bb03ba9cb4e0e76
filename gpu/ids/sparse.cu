/* Maps ids far apart to vertex numbers on the device (on the host: sparse.c).
**
**     id      minus the first id, so that few bits differ
**     sorted  (id, entry) by a stable radix sort of these bits
**     head    1 for the first entry of each id; the prefix sum minus one is the number */
#include "ids.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

/* One thread per entry: subtracts the first id in place, and writes entry[i] = i. */
static __global__ void number_entries(uint64_t *id, uint64_t count, int64_t first,
                                      uint32_t *entry) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        id[i] -= (uint64_t)first;
        entry[i] = (uint32_t)i;
    }
}

/* One thread per sorted id: marks the first entry of each id. */
static __global__ void mark_heads(const uint64_t *key, uint64_t count, uint32_t *head) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        head[i] = i == 0 || key[i] != key[i - 1];
}

/* One thread per sorted id. sum[i]: the number of heads among entries 0 .. i. */
static __global__ void place_numbers(const uint64_t *key, const uint32_t *entry,
                                     const uint32_t *sum, uint64_t count, uint64_t m,
                                     int64_t first, uint32_t *source, uint32_t *target,
                                     int64_t *integer) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        uint32_t v = sum[i] - 1;
        uint64_t e = entry[i];
        if (e < m)
            source[e] = v;
        else if (e < 2 * m)
            target[e - m] = v;
        if (i == 0 || sum[i - 1] == v)
            integer[v] = (int64_t)(key[i] + (uint64_t)first);
    }
}

struct sparse_scratch {
    uint64_t *key;
    uint32_t *entry, *sorted_entry, *sum;
    unsigned char *cub;
    size_t cub_bytes;
};

static void carve_sparse(struct workspace *space, uint64_t entries, int bits,
                         struct sparse_scratch *s) {
    size_t sort = 0, scan = 0;
    const uint64_t *key = NULL;
    const uint32_t *entry = NULL;
    cub::DeviceRadixSort::SortPairs(NULL, sort, key, (uint64_t *)NULL, entry,
                                    (uint32_t *)NULL, (int64_t)entries, 0, bits);
    cub::DeviceScan::InclusiveSum(NULL, scan, entry, (uint32_t *)NULL, (int64_t)entries);
    s->cub_bytes = sort > scan ? sort : scan;
    s->key = gg_carve<uint64_t>(space, entries);
    s->entry = gg_carve<uint32_t>(space, entries);
    s->sorted_entry = gg_carve<uint32_t>(space, entries);
    s->cub = gg_carve<unsigned char>(space, s->cub_bytes);
    s->sum = s->entry; /* the sort no longer needs s->entry */
}

static bool sort_entries(struct id_job *w, const struct sparse_scratch *s, int bits) {
    struct cuda_job *job = &w->job;
    unsigned grid = gg_grid(job, w->entries, 16);
    size_t bytes = s->cub_bytes;
    if (GG_LAUNCH(job, number_entries, grid, (uint64_t *)w->id, w->entries, w->first,
                  s->entry))
        gg_note(job,
                cub::DeviceRadixSort::SortPairs(s->cub, bytes, (const uint64_t *)w->id,
                                                s->key, (const uint32_t *)s->entry,
                                                s->sorted_entry, (int64_t)w->entries, 0,
                                                bits, job->stream),
                "sort ids");
    bytes = s->cub_bytes;
    if (gg_going(job) && GG_LAUNCH(job, mark_heads, grid, s->key, w->entries, s->sum))
        gg_note(job,
                cub::DeviceScan::InclusiveSum(s->cub, bytes, s->sum, s->sum,
                                              (int64_t)w->entries, job->stream),
                "count ids");
    return gg_going(job);
}

void gg_number_by_sorting(struct id_job *w) {
    struct cuda_job *job = &w->job;
    struct sparse_scratch s;
    int bits = 64 - __builtin_clzll(w->span - 1); /* a span of 1 uses the bitmap */
    uint32_t distinct;
    w->mapper->mode = IDS_SPARSE;
    if (!gg_take_arrays(job,
                        [&](workspace *to) { carve_sparse(to, w->entries, bits, &s); }) ||
        !sort_entries(w, &s, bits) ||
        !gg_fetch(job, &distinct, s.sum + w->entries - 1, sizeof distinct) ||
        !gg_make_ends(w, distinct))
        return;
    if (GG_LAUNCH(job, place_numbers, gg_grid(job, w->entries, 16), s.key, s.sorted_entry,
                  s.sum, w->entries, w->m, w->first, w->ends->source, w->ends->target,
                  w->id))
        bring(w, &job->graph->id.integer, (const int64_t *)w->id, distinct);
    gg_wait(job);
}
