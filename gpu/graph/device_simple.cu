/* Makes SIMPLE on the device: ascending rows, without loops and repeats.
**
**     key = row << bits | column for both arcs of an edge; a loop gets the largest key
**     sorted, distinct keys are the arcs in the order of rows */
#include "device_copy.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

/* One thread per edge: writes key[2 e] and key[2 e + 1]. */
static __global__ void make_keys(device_edges edges, int bits, uint64_t *key) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint64_t s = edges.source[e], t = edges.target[e];
        key[2 * e] = s == t ? NO_ARC : s << bits | t;
        key[2 * e + 1] = s == t ? NO_ARC : t << bits | s;
    }
}

/* One thread per row, and one for the end: finds the first key that is at least the
** row's. */
static __global__ void find_rows_of_keys(const uint64_t *key, uint64_t count, int bits,
                                         uint32_t n, uint64_t *offset) {
    for (uint64_t row = gg_thread(); row <= n; row += gg_threads_of_grid()) {
        uint64_t low = 0, high = count;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (key[middle] < row << bits)
                low = middle + 1;
            else
                high = middle;
        }
        offset[row] = low;
    }
}

/* One thread per arc: extracts its target. */
static __global__ void take_columns(const uint64_t *key, uint64_t arcs, int bits,
                                    uint32_t *target) {
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (uint64_t i = gg_thread(); i < arcs; i += gg_threads_of_grid())
        target[i] = (uint32_t)(key[i] & mask);
}

void gg_carve_keys(struct workspace *space, struct arc_keys *k) {
    size_t sort = 0, unique = 0;
    uint64_t *none = NULL;
    cub::DoubleBuffer<uint64_t> both(none, none);
    cub::DeviceRadixSort::SortKeys(NULL, sort, both, (int64_t)k->count, 0, 2 * k->bits);
    cub::DeviceSelect::Unique(NULL, unique, none, none, none, (int64_t)k->count);
    k->cub_bytes = sort > unique ? sort : unique;
    k->key = gg_carve<uint64_t>(space, k->count);
    k->other = gg_carve<uint64_t>(space, k->count);
    k->unique = gg_carve<uint64_t>(space, 1);
    k->cub = gg_carve<unsigned char>(space, k->cub_bytes);
}

bool gg_sort_keys(struct cuda_job *job, struct arc_keys *k) {
    cub::DoubleBuffer<uint64_t> both(k->key, k->other);
    k->distinct = 0;
    if (k->count == 0)
        return gg_going(job);
    size_t bytes = k->cub_bytes;
    gg_note(job,
            cub::DeviceRadixSort::SortKeys(k->cub, bytes, both, (int64_t)k->count, 0,
                                           2 * k->bits, job->stream),
            "sort arcs");
    bytes = k->cub_bytes;
    if (gg_going(job))
        gg_note(job,
                cub::DeviceSelect::Unique(k->cub, bytes, both.Current(), both.Alternate(),
                                          k->unique, (int64_t)k->count, job->stream),
                "drop repeated arcs");
    k->key = both.Alternate();
    k->other = both.Current();
    return gg_fetch(job, &k->distinct, k->unique, sizeof k->distinct);
}

bool gg_offsets_of_keys(struct cuda_job *job, const struct arc_keys *k, uint32_t rows,
                        uint64_t *offset, uint64_t *arcs) {
    return gg_going(job) &&
           GG_LAUNCH(job, find_rows_of_keys, gg_grid(job, (uint64_t)rows + 1, 16), k->key,
                     k->distinct, k->bits, rows, offset) &&
           gg_fetch(job, arcs, offset + rows, sizeof *arcs);
}

bool gg_targets_of_keys(struct cuda_job *job, const struct arc_keys *k, uint64_t arcs,
                        uint32_t *target) {
    return gg_going(job) && GG_LAUNCH(job, take_columns, gg_grid(job, arcs, 16), k->key,
                                      arcs, k->bits, target);
}

bool gg_device_simple(struct cuda_job *job, struct device_rows *rows) {
    struct device_edges edges;
    struct device_part *part = &gg_device_copy_of(job->graph)->part;
    const uint32_t n = job->graph->n;
    struct arc_keys keys = {2 * job->graph->m, gg_key_bits(n)};
    if (!gg_device_edges(job, false, &edges) ||
        !gg_take_arrays(job,
                        [&](struct workspace *space) { gg_carve_keys(space, &keys); }) ||
        !GG_LAUNCH(job, make_keys, gg_grid(job, edges.m, 16), edges, keys.bits,
                   keys.key) ||
        !take(job, part, &rows->offset, (uint64_t)n + 1, sizeof *rows->offset) ||
        !gg_sort_keys(job, &keys) ||
        !gg_offsets_of_keys(job, &keys, n, rows->offset, &rows->arcs))
        return false;
    rows->room = rows->arcs;
    if (!take(job, part, &rows->target, rows->room, sizeof *rows->target))
        return false;
    gg_targets_of_keys(job, &keys, rows->arcs, rows->target);
    return gg_wait(job);
}
