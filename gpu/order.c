/* Sorting: the order of a result, and the radix sort of (key, value) pairs that ids and
** edges are ordered by.
**
** Both are stable counting sorts. Each thread counts the digits of its slice, the counts
** become starting points (by digit, then by thread), and each thread writes its slice:
**
**     slice of thread 0       slice of thread 1          count[thread][digit]
**     3 1 3 2                 1 1 2 3
**                                                        1: 0.. 1..   starts
**     1 1 1 2 2 3 3 3   <-  to[count[thread][digit]++]   2: 3.. 4..
**                                                        3: 5.. 7..
**
** A result whose largest value is small (depths) takes one such pass over the vertices;
** any other is turned into unsigned keys that sort alike, and takes a pass for each
** digit in which keys differ. */
#include "backend.h"
#include "tuning.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- starting points ---- */

/* Turns count[thread][digit] into the place where that thread writes its first item of
** that digit. Returns the number of items. */
static uint64_t counts_to_starts(uint64_t *count, int threads, size_t digits) {
    uint64_t start = 0;
    for (size_t d = 0; d < digits; d++) {
        for (int t = 0; t < threads; t++) {
            uint64_t here = count[(size_t)t * digits + d];
            count[(size_t)t * digits + d] = start;
            start += here;
        }
    }
    return start;
}

/* ---- pairs ---- */

typedef struct pairs {
    uint64_t *key;
    void *value; /* uint32_t, or uint64_t where values are wide */
} pairs;

/* The bits in which keys differ; *sorted: are they in order already? */
static uint64_t survey(gpugraph_run *run, const uint64_t *key, uint64_t count,
                       int threads, bool *sorted) {
    uint64_t varying = 0;
    int falls = 0;
#pragma omp parallel num_threads(threads) reduction(| : varying, falls)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        uint64_t end = gg_slice(count, t + 1, team);
        for (uint64_t i = gg_slice(count, t, team); i < end && !gg_leave(run, i); i++) {
            varying |= key[i] ^ key[0];
            falls |= i > 0 && key[i - 1] > key[i];
        }
    }
    *sorted = !falls;
    return varying;
}

/* Pairs low .. high - 1 go to the next places of their digits. `wide` is known where this is
** inlined. */
static inline __attribute__((always_inline)) void
move_pairs(gpugraph_run *run, uint64_t low, uint64_t high, pairs from, pairs to,
           int shift, size_t digits, uint64_t *next, bool wide) {
    for (uint64_t i = low; i < high && !gg_leave(run, i); i++) {
        uint64_t place = next[from.key[i] >> shift & (digits - 1)]++;
        to.key[place] = from.key[i];
        if (wide)
            ((uint64_t *)to.value)[place] = ((const uint64_t *)from.value)[i];
        else
            ((uint32_t *)to.value)[place] = ((const uint32_t *)from.value)[i];
    }
}

/* One digit: from -> to. count has room for threads << bits. */
static void radix_pass(gpugraph_run *run, bool wide, uint64_t n, pairs from, pairs to,
                       int shift, int bits, int threads, uint64_t *count) {
    size_t digits = (size_t)1 << bits;
    memset(count, 0, sizeof *count * digits * (size_t)threads);
    /* The slices are of `threads`, not of the team, which may turn out smaller. */
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        uint64_t *mine = count + (size_t)t * digits;
        uint64_t end = gg_slice(n, t + 1, threads);
        for (uint64_t i = gg_slice(n, t, threads); i < end && !gg_leave(run, i); i++) {
            mine[from.key[i] >> shift & (digits - 1)]++;
        }
    }
    if (gg_stopping(run))
        return;
    counts_to_starts(count, threads, digits);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        uint64_t *mine = count + (size_t)t * digits;
        uint64_t begin = gg_slice(n, t, threads), end = gg_slice(n, t + 1, threads);
        if (wide)
            move_pairs(run, begin, end, from, to, shift, digits, mine, true);
        else
            move_pairs(run, begin, end, from, to, shift, digits, mine, false);
    }
}

gpugraph_status gg_sort_edges(gpugraph_run *run, bool wide, uint64_t count, uint64_t *key,
                              void *value, uint64_t *key_scratch, void *value_scratch) {
    if (count < 2)
        return run->status;
    int threads = gg_threads(run, count);
    int bits = count < GG_RADIX_SMALL ? GG_RADIX_SMALL_BITS : GG_RADIX_BITS;
    bool sorted;
    uint64_t varying = survey(run, key, count, threads, &sorted);
    if (gg_stopping(run))
        return gg_stopped(run);
    if (sorted)
        return run->status;

    uint64_t few[1 << GG_RADIX_SMALL_BITS], *counts = few;
    if (threads > 1 || bits > GG_RADIX_SMALL_BITS)
        counts = gg_alloc(run, (uint64_t)threads << bits, sizeof *counts);
    if (!counts)
        return run->status;
    pairs from = {key, value}, to = {key_scratch, value_scratch};
    for (int shift = 0; shift < 64 && !gg_stopping(run); shift += bits) {
        if ((varying >> shift & (((uint64_t)1 << bits) - 1)) == 0)
            continue;
        radix_pass(run, wide, count, from, to, shift, bits, threads, counts);
        pairs swap = from;
        from = to;
        to = swap;
    }
    if (counts != few)
        gg_release(counts);
    if (gg_stopping(run))
        return gg_stopped(run);
    if (from.key != key) {
        memcpy(key, from.key, sizeof *key * count);
        memcpy(value, from.value, gg_edge_size(wide) * count);
    }
    return run->status;
}

gpugraph_status gg_sort_pairs(gpugraph_run *run, uint64_t count, uint64_t *key,
                              uint32_t *value, uint64_t *key_scratch,
                              uint32_t *value_scratch) {
    return gg_sort_edges(run, false, count, key, value, key_scratch, value_scratch);
}

/* ---- the order of a result ---- */

/* value[v] as a key: all ones where v is not reached. Doubles that are not negative sort
** as their bits. */
static inline uint64_t key_of(gpugraph_distance_type type, const void *value,
                              uint64_t v) {
    if (type == GPUGRAPH_UINT32) {
        uint32_t depth = ((const uint32_t *)value)[v];
        return depth == GPUGRAPH_NONE ? UINT64_MAX : depth;
    }
    if (type == GPUGRAPH_UINT64)
        return ((const uint64_t *)value)[v];
    double real = ((const double *)value)[v] + 0.0; /* -0.0 + 0.0 is 0.0 */
    uint64_t key;
    memcpy(&key, &real, sizeof key);
    return isinf(real) ? UINT64_MAX : key;
}

/* reached[t]: vertices reached in slice t. *largest: the largest key among them. */
static void count_reached(gpugraph_distance_type type, const void *value, uint32_t n,
                          gpugraph_run *run, int threads, uint64_t *reached,
                          uint64_t *largest) {
    uint64_t top = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(max : top)
    for (int t = 0; t < threads; t++) {
        uint64_t count = 0, end = gg_slice(n, t + 1, threads);
        for (uint64_t v = gg_slice(n, t, threads); v < end && !gg_leave(run, v); v++) {
            uint64_t key = key_of(type, value, v);
            if (key != UINT64_MAX) {
                count++;
                top = key > top ? key : top;
            }
        }
        reached[t] = count;
    }
    *largest = top;
}

/* All keys are below `digits`: one counting pass over the vertices. */
static void order_counting(gpugraph_distance_type type, const void *value, uint32_t n,
                           gpugraph_run *run, int threads, size_t digits, uint64_t *count,
                           uint32_t *order) {
    for (int write = 0; write < 2 && !gg_stopping(run); write++) {
        if (write)
            counts_to_starts(count, threads, digits);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (int t = 0; t < threads; t++) {
            uint64_t *mine = count + (size_t)t * digits;
            uint64_t end = gg_slice(n, t + 1, threads);
            for (uint64_t v = gg_slice(n, t, threads); v < end && !gg_leave(run, v);
                 v++) {
                uint64_t key = key_of(type, value, v);
                if (key == UINT64_MAX)
                    continue;
                if (write)
                    order[mine[key]] = (uint32_t)v;
                mine[key]++;
            }
        }
    }
}

/* The reached vertices and their keys, closed up; reached[t] is turned into starts. */
static void collect(gpugraph_distance_type type, const void *value, uint32_t n,
                    gpugraph_run *run, int threads, uint64_t *reached, pairs to) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        uint64_t place = reached[t], end = gg_slice(n, t + 1, threads);
        uint32_t *vertex = to.value;
        for (uint64_t v = gg_slice(n, t, threads); v < end && !gg_leave(run, v); v++) {
            uint64_t key = key_of(type, value, v);
            if (key == UINT64_MAX)
                continue;
            to.key[place] = key;
            vertex[place++] = (uint32_t)v;
        }
    }
}

static void order_radix(gpugraph_distance_type type, const void *value, uint32_t n,
                        gpugraph_run *run, int threads, uint64_t *reached, uint64_t count,
                        uint32_t *order) {
    uint64_t *key = gg_alloc(run, count, sizeof *key);
    uint64_t *key_scratch = key ? gg_alloc(run, count, sizeof *key) : NULL;
    uint32_t *value_scratch = key_scratch ? gg_alloc(run, count, sizeof *order) : NULL;
    if (value_scratch) {
        counts_to_starts(reached, threads, 1);
        collect(type, value, n, run, threads, reached, (pairs){key, order});
        if (!gg_stopping(run))
            gg_sort_pairs(run, count, key, order, key_scratch, value_scratch);
    }
    gg_release(key);
    gg_release(key_scratch);
    gg_release(value_scratch);
}

gpugraph_status gpugraph_order(gpugraph_distance_type type, const void *value, uint32_t n,
                               gpugraph_run *run, uint32_t *order, uint32_t *count) {
    gg_begin(run);
    double start = gg_now_ms();
    int threads = gg_threads(run, n);
    uint64_t largest, total = 0;
    *count = 0;
    uint64_t *reached = gg_alloc(run, (uint64_t)threads, sizeof *reached);
    if (!reached)
        return run->status;
    count_reached(type, value, n, run, threads, reached, &largest);
    for (int t = 0; t < threads; t++)
        total += reached[t];
    if (gg_stopping(run)) {
        /* reported below */
    } else if (largest < GG_COUNTED_VALUES && largest <= total) {
        size_t digits = (size_t)largest + 1;
        uint64_t *counts = gg_alloc_zero(run, digits * (uint64_t)threads, sizeof *counts);
        if (counts)
            order_counting(type, value, n, run, threads, digits, counts, order);
        gg_release(counts);
    } else {
        order_radix(type, value, n, run, threads, reached, total, order);
    }
    gg_release(reached);
    if (gg_stopping(run))
        return gg_stopped(run);
    *count = (uint32_t)total;
    gg_phase(run, "order", start, (int64_t)total, "%u vertices", n);
    return run->status;
}
