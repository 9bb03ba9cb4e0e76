/* Orders vertices by the values of a result, and sorts (key, value) pairs.
**
** Both are stable counting sorts. Each thread counts the digits of its slice. The counts
** become starting points, by digit and then by thread. Then each thread writes its slice:
**
**     slice of thread 0       slice of thread 1          count[thread][digit]
**     3 1 3 2                 1 1 2 3
**                                                        1: 0.. 1..   starts
**     1 1 1 2 2 3 3 3   <-  to[count[thread][digit]++]   2: 3.. 4..
**                                                        3: 5.. 7..
**
** A result with a small largest value (depths) takes one such pass over the vertices. Any
** other result is mapped to unsigned keys of the same order, and takes a pass for each
** digit in which keys differ. */
#include "graph_data.h"

#include <math.h>
#include <string.h>

enum {
    /* Bits of a digit of the radix sort: 2048 write streams still fit the second-level
    ** cache. Below RADIX_SMALL items, to clear 2048 counters costs more than another
    ** pass. */
    RADIX_BITS = 11,
    RADIX_SMALL_BITS = 8,
    RADIX_SMALL = 8192,
    /* One counting pass orders values below this limit, such as depths. */
    COUNTED_VALUES = 16384
};

/* ---- starting points ---- */

void gg_counts_to_starts(int threads, uint64_t parts, uint64_t *start, uint64_t *begin) {
    uint64_t at = 0;
    for (uint64_t p = 0; p < parts; p++) {
        if (begin)
            begin[p] = at;
        for (int t = 0; t < threads; t++) {
            uint64_t *count = &start[(uint64_t)t * parts + p], here = *count;
            *count = at;
            at += here;
        }
    }
    if (begin)
        begin[parts] = at;
}

/* ---- pairs ---- */

typedef struct pairs {
    uint64_t *key;
    void *value; /* uint32_t, or uint64_t if values are wide */
} pairs;

/* A survey of the keys: the bits in which keys differ, and whether keys are in order. */
typedef struct key_survey {
    gpugraph_run *run;
    const uint64_t *key;
    uint64_t varying;
    bool falls;
} key_survey;

static void survey_order(void *job, uint64_t low, uint64_t high) {
    key_survey *s = job;
    const uint64_t *key = s->key, first = key[0];
    uint64_t varying = 0;
    bool falls = false;
    for (uint64_t i = low; i < high && !gg_leave(s->run, i); i++) {
        varying |= key[i] ^ first;
        falls |= i > 0 && key[i - 1] > key[i];
    }
    __atomic_fetch_or(&s->varying, varying, __ATOMIC_RELAXED);
    if (falls)
        __atomic_store_n(&s->falls, true, __ATOMIC_RELAXED);
}

/* A pass for one digit: from -> to. */
typedef struct radix_pass {
    gpugraph_run *run;
    pairs from, to;
    uint64_t n, *count; /* [slices][digits] */
    bool wide;
    int shift, slices;
    size_t digits;
} radix_pass;

static void count_digits(void *pass, uint64_t slice) {
    const radix_pass *p = pass;
    const uint64_t *key = p->from.key, mask = p->digits - 1;
    uint64_t *mine = p->count + slice * p->digits;
    uint64_t end = gg_slice(p->n, (int)slice + 1, p->slices);
    memset(mine, 0, sizeof *mine * p->digits);
    for (uint64_t i = gg_slice(p->n, (int)slice, p->slices);
         i < end && !gg_leave(p->run, i); i++)
        mine[key[i] >> p->shift & mask]++;
}

/* Moves the pairs of a slice to the next positions of their digits. */
static void move_pairs(void *pass, uint64_t slice) {
    const radix_pass *p = pass;
    const pairs from = p->from, to = p->to;
    const bool wide = p->wide;
    const size_t digits = p->digits;
    const int shift = p->shift;
    uint64_t *next = p->count + slice * digits;
    uint64_t end = gg_slice(p->n, (int)slice + 1, p->slices);
    for (uint64_t i = gg_slice(p->n, (int)slice, p->slices);
         i < end && !gg_leave(p->run, i); i++) {
        uint64_t place = next[from.key[i] >> shift & (digits - 1)]++;
        to.key[place] = from.key[i];
        if (wide)
            ((uint64_t *)to.value)[place] = ((const uint64_t *)from.value)[i];
        else
            ((uint32_t *)to.value)[place] = ((const uint32_t *)from.value)[i];
    }
}

static void run_pass(radix_pass *p) {
    gg_parts(p->slices, (uint64_t)p->slices, count_digits, p);
    if (gg_stopping(p->run))
        return;
    gg_counts_to_starts(p->slices, p->digits, p->count, NULL);
    gg_parts(p->slices, (uint64_t)p->slices, move_pairs, p);
}

gpugraph_status gg_sort_pairs(gpugraph_run *run, bool wide, uint64_t count, uint64_t *key,
                              void *value, uint64_t *key_scratch, void *value_scratch) {
    if (count < 2)
        return run->status;
    int threads = gg_threads(run, count);
    int bits = count < RADIX_SMALL ? RADIX_SMALL_BITS : RADIX_BITS;
    key_survey keys = {.run = run, .key = key};
    gg_slices(threads, count, survey_order, &keys);
    if (gg_stopping(run))
        return gg_stopped(run);
    if (!keys.falls)
        return run->status;

    uint64_t few[1 << RADIX_SMALL_BITS], *counts = few;
    if (threads > 1 || bits > RADIX_SMALL_BITS)
        counts = gg_alloc(run, (uint64_t)threads << bits, sizeof *counts);
    if (!counts)
        return run->status;
    radix_pass pass = {.run = run,
                       .from = {key, value},
                       .to = {key_scratch, value_scratch},
                       .n = count,
                       .count = counts,
                       .wide = wide,
                       .slices = threads,
                       .digits = (size_t)1 << bits};
    for (; pass.shift < 64 && !gg_stopping(run); pass.shift += bits) {
        if ((keys.varying >> pass.shift & (pass.digits - 1)) == 0)
            continue;
        run_pass(&pass);
        pairs swap = pass.from;
        pass.from = pass.to;
        pass.to = swap;
    }
    if (counts != few)
        gg_release(counts);
    if (gg_stopping(run))
        return gg_stopped(run);
    if (pass.from.key != key) {
        memcpy(key, pass.from.key, sizeof *key * count);
        memcpy(value, pass.from.value, gg_edge_size(wide) * count);
    }
    return run->status;
}

/* ---- the order of a result ---- */

/* Maps value[v] to a key; all ones if v is not reached. The bits of doubles that are not
** negative have the order of the doubles. */
static inline uint64_t key_order_of(gpugraph_distance_type type, const void *value,
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

typedef struct ordering {
    gpugraph_distance_type type;
    const void *value;
    uint32_t n;
    gpugraph_run *run;
    int slices;
    uint64_t *reached; /* [slices]: reached vertices; later the slice's first position */
    uint64_t largest;  /* the largest key of a reached vertex */
    size_t digits;
    uint64_t *count; /* [slices][digits] */
    bool places;     /* the counts are starting points */
    uint32_t *order;
    pairs to; /* reached vertices and their keys, without gaps */
} ordering;

/* Counts the reached vertices of a slice. If `to` is set, also writes them to `to`. */
static void count_or_collect(void *job, uint64_t slice) {
    ordering *o = job;
    uint64_t at = o->reached[slice], top = 0;
    uint64_t *to = o->to.key, end = gg_slice(o->n, (int)slice + 1, o->slices);
    uint32_t *vertex = o->to.value;
    for (uint64_t v = gg_slice(o->n, (int)slice, o->slices);
         v < end && !gg_leave(o->run, v); v++) {
        uint64_t key = key_order_of(o->type, o->value, v);
        if (key == UINT64_MAX)
            continue;
        if (to) {
            to[at] = key;
            vertex[at] = (uint32_t)v;
        }
        at++;
        top = key > top ? key : top;
    }
    o->reached[slice] = at;
    gg_raise(&o->largest, top);
}

/* Counts the keys of a slice, or writes its vertices to the positions of their keys. */
static void count_or_place(void *job, uint64_t slice) {
    const ordering *o = job;
    uint64_t *mine = o->count + slice * o->digits;
    uint64_t end = gg_slice(o->n, (int)slice + 1, o->slices);
    for (uint64_t v = gg_slice(o->n, (int)slice, o->slices);
         v < end && !gg_leave(o->run, v); v++) {
        uint64_t key = key_order_of(o->type, o->value, v);
        if (key == UINT64_MAX)
            continue;
        if (o->places)
            o->order[mine[key]] = (uint32_t)v;
        mine[key]++;
    }
}

/* Orders keys below `digits` by one counting pass over the vertices. */
static void order_counting(ordering *o) {
    gg_parts(o->slices, (uint64_t)o->slices, count_or_place, o);
    if (gg_stopping(o->run))
        return;
    gg_counts_to_starts(o->slices, o->digits, o->count, NULL);
    o->places = true;
    gg_parts(o->slices, (uint64_t)o->slices, count_or_place, o);
}

static void order_radix(ordering *o, uint64_t count) {
    gpugraph_run *run = o->run;
    uint32_t *order = o->order;
    uint64_t *key = gg_alloc(run, count, sizeof *key);
    uint64_t *key_scratch = key ? gg_alloc(run, count, sizeof *key) : NULL;
    uint32_t *value_scratch = key_scratch ? gg_alloc(run, count, sizeof *order) : NULL;
    if (value_scratch) {
        gg_counts_to_starts(o->slices, 1, o->reached, NULL);
        o->to = (pairs){key, order};
        gg_parts(o->slices, (uint64_t)o->slices, count_or_collect, o);
        if (!gg_stopping(run))
            gg_sort_pairs(run, false, count, key, order, key_scratch, value_scratch);
    }
    gg_release(key);
    gg_release(key_scratch);
    gg_release(value_scratch);
}

static void order_values(gpugraph_distance_type type, const void *value, uint32_t n,
                         gpugraph_run *run, uint32_t *order, uint32_t *count) {
    double start = gg_now_ms();
    const int slices = gg_threads(run, n);
    ordering o = {.type = type,
                  .value = value,
                  .n = n,
                  .run = run,
                  .slices = slices,
                  .order = order};
    uint64_t total = 0;
    *count = 0;
    o.reached = gg_alloc_zero(run, (uint64_t)slices, sizeof *o.reached);
    if (!o.reached)
        return;
    gg_parts(slices, (uint64_t)slices, count_or_collect, &o);
    for (int t = 0; t < slices; t++)
        total += o.reached[t];
    if (!gg_stopping(run) && o.largest < COUNTED_VALUES && o.largest <= total) {
        o.digits = (size_t)o.largest + 1;
        o.count = gg_alloc_zero(run, o.digits * (uint64_t)slices, sizeof *o.count);
        if (o.count)
            order_counting(&o);
        gg_release(o.count);
    } else if (!gg_stopping(run)) {
        order_radix(&o, total);
    }
    gg_release(o.reached);
    if (gg_stopping(run)) {
        gg_stopped(run);
        return;
    }
    *count = (uint32_t)total;
    gg_phase(run, "order", start, (int64_t)total, "%u vertices", n);
}

gpugraph_status gpugraph_order(gpugraph_distance_type type, const void *value, uint32_t n,
                               gpugraph_run *run, uint32_t *order, uint32_t *count) {
    gg_begin(run);
    if (!gg_needs(run, value, n, "value") || !gg_needs(run, order, n, "order") ||
        !gg_needs(run, count, 1, "count"))
        return run->status;
    gg_begin_counting(run);
    order_values(type, value, n, run, order, count);
    gg_end_counting(run);
    return run->status;
}
