/* Facts about a column of weights before it becomes a graph's: the first weight that is
** not allowed, the largest, the sum. */
#include "cells.cuh"
#include "decode.h"

struct weigh_words {
    unsigned long long bad, largest, total;
};

/* One thread per weight; three atomics for each warp. */
static __global__ void weigh_rows(const int64_t *weight, uint64_t rows, bool real,
                                  weigh_words *words) {
    unsigned long long bad = rows, largest = 0, total = 0;
    for (uint64_t i = gg_thread(); i < rows; i += gg_threads_of_grid()) {
        const int64_t value = weight[i];
        const bool good = cells_weight_is_good(real, value);
        bad = !good && i < bad ? i : bad;
        largest = good && !real && (uint64_t)value > largest ? (uint64_t)value : largest;
        total += real ? 0 : cells_weight_counts(value);
    }
    for (int lanes = GG_WARP / 2; lanes > 0; lanes /= 2) {
        bad = min(bad, __shfl_down_sync(0xffffffff, bad, lanes));
        largest = max(largest, __shfl_down_sync(0xffffffff, largest, lanes));
        total += __shfl_down_sync(0xffffffff, total, lanes);
    }
    if (threadIdx.x % GG_WARP == 0) {
        atomicMin(&words->bad, bad);
        atomicMax(&words->largest, largest);
        atomicAdd(&words->total, total);
    }
}

bool gg_weigh_cells(struct cuda_job *job, const int64_t *weight, uint64_t rows,
                    gg_cell_weights *found) {
    weigh_words words = {rows, 0, 0}, *there;
    if (!gg_take_arrays(job, [&](workspace *s) { there = gg_carve<weigh_words>(s, 1); }))
        return false;
    gg_upload(job, there, &words, sizeof words);
    GG_LAUNCH(job, weigh_rows, gg_grid(job, rows, 8), weight, rows, found->real, there);
    const bool fetched = gg_fetch(job, &words, there, sizeof words);
    job->working = false;
    found->bad = words.bad;
    found->largest = words.largest;
    found->total = words.total;
    return fetched;
}
