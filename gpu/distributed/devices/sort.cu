/* From an owner's arcs to its rows: sorted, repeats dropped where the kind wants that, found by
** binary search. make.cuh has the drawing. */
#include "make.cuh"
#include "graph/in_order.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

/* ---- kernels ---- */

/* One thread per row, and one for the end: the first key that is not before the row. */
static __global__ void find_rows(const uint64_t *key, uint64_t count, uint32_t bits,
                                 uint32_t low, uint32_t high, uint64_t before,
                                 uint64_t *offset) {
    for (uint64_t row = low + gg_thread(); row <= high; row += gg_threads_of_grid())
        offset[row] = before + gg_first_at_least(key, 0, count, row << bits);
}

/* One thread per arc. */
static __global__ void take_targets(const uint64_t *key, uint64_t count, uint32_t bits,
                                    uint32_t *target) {
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        target[i] = (uint32_t)(key[i] & mask);
}

/* One thread per row. */
static __global__ void find_longest(const uint64_t *offset, uint32_t rows,
                                    unsigned long long *most) {
    unsigned long long longest = 0;
    for (uint64_t row = gg_thread(); row < rows; row += gg_threads_of_grid()) {
        unsigned long long arcs = offset[row + 1] - offset[row];
        longest = arcs > longest ? arcs : longest;
    }
    for (int step = GG_WARP / 2; step > 0; step /= 2) {
        unsigned long long other = __shfl_down_sync(0xffffffffu, longest, step);
        longest = other > longest ? other : longest;
    }
    if (threadIdx.x % GG_WARP == 0 && longest > 0)
        atomicMax(most, longest);
}

/* ---- sorting ---- */

/* Rows alone are sorted where the order within one does not matter. */
static int first_bit(struct several_bits bits, bool simple) {
    return simple ? 0 : (int)bits.place;
}

template <typename weight_type>
static cudaError_t sort_pairs(void *cub, size_t *bytes, cub::DoubleBuffer<uint64_t> *key,
                              void *weight, void *other, uint64_t arcs, int from, int to,
                              cudaStream_t stream, void **sorted) {
    cub::DoubleBuffer<weight_type> both((weight_type *)weight, (weight_type *)other);
    cudaError_t error = cub::DeviceRadixSort::SortPairs(cub, *bytes, *key, both,
                                                        (int64_t)arcs, from, to, stream);
    if (sorted)
        *sorted = both.Current();
    return error;
}

static cudaError_t sort(void *cub, size_t *bytes, cub::DoubleBuffer<uint64_t> *key,
                        const struct several_arcs *a, uint64_t arcs, int from, int to,
                        size_t weight_bytes, cudaStream_t stream, void **sorted) {
    if (weight_bytes == sizeof(uint32_t))
        return sort_pairs<uint32_t>(cub, bytes, key, a->weight, a->other_weight, arcs,
                                    from, to, stream, sorted);
    if (weight_bytes == sizeof(uint64_t))
        return sort_pairs<uint64_t>(cub, bytes, key, a->weight, a->other_weight, arcs,
                                    from, to, stream, sorted);
    return cub::DeviceRadixSort::SortKeys(cub, *bytes, *key, (int64_t)arcs, from, to,
                                          stream);
}

size_t gg_several_sort_bytes(uint64_t arcs, struct several_bits bits,
                             size_t weight_bytes) {
    size_t sorting = 0, unique = 0;
    uint64_t *none = NULL;
    struct several_arcs a = {};
    cub::DoubleBuffer<uint64_t> key(none, none);
    sort(NULL, &sorting, &key, &a, arcs, 0, (int)(bits.place + bits.row), weight_bytes, 0,
         NULL);
    cub::DeviceSelect::Unique(NULL, unique, none, none, none, (int64_t)arcs);
    return sorting > unique ? sorting : unique;
}

/* Sorted keys and weights; *arcs becomes less where repeats go. NULL: the job must end. */
static const uint64_t *in_order(struct cuda_job *job, const struct several_arcs *a,
                                uint64_t *arcs, struct several_bits bits, bool simple,
                                size_t weight_bytes, void **weight) {
    cub::DoubleBuffer<uint64_t> key(a->key, a->other);
    size_t bytes = a->cub_bytes;
    *weight = a->weight;
    if (*arcs == 0)
        return a->key;
    gg_note(job,
            sort(a->cub, &bytes, &key, a, *arcs, first_bit(bits, simple),
                 (int)(bits.place + bits.row), weight_bytes, job->stream, weight),
            "sort arcs");
    if (!simple)
        return gg_going(job) ? key.Current() : NULL;
    bytes = a->cub_bytes;
    if (gg_going(job))
        gg_note(job,
                cub::DeviceSelect::Unique(a->cub, bytes, key.Current(), key.Alternate(),
                                          a->count, (int64_t)*arcs, job->stream),
                "drop repeated arcs");
    return gg_fetch(job, arcs, a->count, sizeof *arcs) ? key.Alternate() : NULL;
}

bool gg_several_sort(struct cuda_job *job, const struct several_arcs *a, uint64_t arcs,
                     struct several_bits bits, bool simple, size_t weight_bytes,
                     uint32_t low, uint32_t high, uint64_t before,
                     struct several_rows *rows, uint64_t *made) {
    void *weight;
    const uint64_t *key = in_order(job, a, &arcs, bits, simple, weight_bytes, &weight);
    if (!key)
        return false;
    *made = arcs;
    find_rows<<<gg_grid(job, high - low + 1, 16), GG_BLOCK, 0, job->stream>>>(
        key, arcs, bits.place, low, high, before, rows->offset);
    if (!gg_launched(job, "find_rows"))
        return false;
    take_targets<<<gg_grid(job, arcs, 16), GG_BLOCK, 0, job->stream>>>(
        key, arcs, bits.place, rows->target + before);
    if (gg_launched(job, "take_targets") && weight_bytes > 0 && arcs > 0)
        gg_note(job,
                cudaMemcpyAsync((unsigned char *)rows->weight + before * weight_bytes,
                                weight, arcs * weight_bytes, cudaMemcpyDeviceToDevice,
                                job->stream),
                "move weights");
    return gg_going(job);
}

bool gg_several_longest(struct cuda_job *job, const struct several_rows *rows,
                        uint32_t count_of_rows, uint64_t *count, uint64_t *most) {
    gg_fill(job, count, 0, sizeof *count);
    if (gg_going(job))
        find_longest<<<gg_grid(job, count_of_rows, 16), GG_BLOCK, 0, job->stream>>>(
            rows->offset, count_of_rows, (unsigned long long *)count);
    return gg_launched(job, "find_longest") && gg_fetch(job, most, count, sizeof *most);
}
