/* Label propagation: the public function and the CPU backend.
**
**     label    3  7  3  3  1      of an iteration, read by all threads
**     next     3  3  3  1  3      written once for each vertex, by the thread that counts
**                                 its row
**
**     tally    label  7  3  -  1  for each thread: an open table of the labels in a row,
**              count  1  3     1  with their counts; the best so far is kept beside it
**
** Iterations are synchronous: an iteration reads the array that the one before has
** written. So labels do not depend on the order of threads. In a short row a thread
** compares all labels with each other. It counts the labels of a longer row in a table
** that is at most half full. An iteration that changes nothing is the last one, because
** the next would give the same labels.
**
** After Raghavan, Albert, Kumara (Phys. Rev. E 76, 2007), synchronous and deterministic
** as in LDBC Graphalytics. */
#include "labels.h"
#include "graph/graph.h"

#include <string.h>

enum { LABELS_ITERATIONS = 10 }; /* predicted */

enum {
    CHUNK = 256, /* vertices that a thread takes at a time */
    FEW = 8,     /* arcs up to which all labels are compared with each other */
    LEAST_BITS = 5,
    FIRST_BITS = 15 /* slots of a thread's first table, as a power of two: 256 KiB */
};

struct slot {
    uint32_t label, count;
};

struct tally {
    struct slot *slot; /* 2^bits; between two rows all are empty: count 0 */
    int bits;
};

struct spreading {
    csr rows;
    gpugraph_run *run;
    const uint32_t *label;
    uint32_t *next;
    struct tally *tally; /* one for each thread */
    uint32_t odd;        /* the odd number of the placing hash */
    uint64_t taken;
    uint32_t changed;
    int threads;
};

struct best {
    uint32_t label, count;
};

static inline void offer_label(struct best *best, uint32_t label, uint32_t count) {
    if (count > best->count || (count == best->count && label < best->label))
        *best = (struct best){label, count};
}

/* ---- a row ---- */

static struct best count_few(const struct spreading *s, uint32_t v) {
    uint32_t seen[FEW], arcs = 0;
    struct best best = {0, 0};
    for (uint64_t i = s->rows.begin[v]; i < s->rows.end[v]; i++)
        if (s->rows.target[i] != v)
            seen[arcs++] = s->label[s->rows.target[i]];
    for (uint32_t i = 0; i < arcs; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < arcs; j++)
            same += seen[j] == seen[i];
        offer_label(&best, seen[i], same);
    }
    return best;
}

/* Returns a table for that number of labels. It is at most half full up to 2^31 labels.
** NULL: the run must end. */
static struct slot *table_for(const struct spreading *s, struct tally *tally,
                              uint64_t labels, int *bits) {
    *bits = LEAST_BITS;
    while (*bits < 32 && (uint64_t)1 << *bits < 2 * labels)
        ++*bits;
    if (*bits > tally->bits || !tally->slot) {
        gg_release(tally->slot);
        tally->bits = *bits > FIRST_BITS ? *bits : FIRST_BITS;
        tally->slot =
            gg_alloc_zero(s->run, (uint64_t)1 << tally->bits, sizeof *tally->slot);
    }
    return tally->slot;
}

static struct best count_in_table(const struct spreading *s, uint32_t v,
                                  struct tally *tally) {
    const uint64_t first = s->rows.begin[v], end = s->rows.end[v];
    const uint64_t labels = end - first < s->rows.n ? end - first : s->rows.n;
    struct best best = {0, 0};
    int bits;
    struct slot *slot = table_for(s, tally, labels, &bits);
    const uint32_t last = (uint32_t)(((uint64_t)1 << bits) - 1);
    for (uint64_t i = first, pause; slot && i < end && !gg_stopping(s->run);) {
        pause = end - i > GG_POLL_ITEMS ? i + GG_POLL_ITEMS : end;
        for (; i < pause; i++) {
            const uint32_t u = s->rows.target[i], label = s->label[u];
            uint32_t at = gg_place_number(s->odd, label) >> (32 - bits);
            if (u == v)
                continue;
            while (slot[at].count > 0 && slot[at].label != label)
                at = (at + 1) & last;
            slot[at].label = label;
            offer_label(&best, label, ++slot[at].count);
        }
        if (i < end)
            gg_pause(s->run);
    }
    if (slot)
        memset(slot, 0, ((size_t)last + 1) * sizeof *slot);
    return best;
}

/* ---- an iteration ---- */

static void spread_some(void *spreading, int member, int team) {
    struct spreading *s = spreading;
    struct tally *tally = &s->tally[member];
    bool changed = false;
    uint64_t since = 0, v, end;
    (void)team;
    while (!gg_pause(s->run) && gg_take_chunk(&s->taken, s->rows.n, CHUNK, &v, &end))
        for (; v < end; v++) {
            const uint64_t arcs = s->rows.end[v] - s->rows.begin[v];
            if (gg_worked(s->run, &since, arcs + 1))
                break;
            const struct best best = arcs <= FEW ? count_few(s, (uint32_t)v)
                                                 : count_in_table(s, (uint32_t)v, tally);
            s->next[v] = best.count > 0 ? best.label : s->label[v];
            changed |= s->next[v] != s->label[v];
        }
    if (changed)
        __atomic_store_n(&s->changed, 1, __ATOMIC_RELAXED);
}

/* Alternates between both arrays. *label is the array with the last labels. Returns the
** number of iterations. */
static uint32_t iterate_labels(struct spreading *s, uint32_t iterations, uint32_t **label,
                               uint32_t **next) {
    uint32_t done = 0;
    for (s->changed = 1; done < iterations && s->changed && !gg_stopping(s->run);
         done++) {
        uint32_t *written = *next;
        s->label = *label;
        s->next = written;
        s->taken = 0;
        s->changed = 0;
        gg_team(s->threads, spread_some, s);
        *next = *label;
        *label = written;
    }
    return done;
}

/* ---- the driver ---- */

static void own_labels(void *label, uint64_t low, uint64_t high) {
    for (uint64_t v = low; v < high; v++)
        ((uint32_t *)label)[v] = (uint32_t)v;
}

static gpugraph_status spread_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                                     uint32_t iterations, gpugraph_direction direction,
                                     uint32_t *label) {
    struct spreading s = {.run = run, .odd = (uint32_t)gg_placing().odd};
    if (gg_rows(graph, (enum csr_kind)direction, false, false, run, &s.rows))
        return run->status;
    double start = gg_now_ms();
    s.threads = gg_threads(run, s.rows.m + s.rows.n);
    s.tally = gg_alloc_zero(run, (uint64_t)s.threads, sizeof *s.tally);
    uint32_t *other = gg_alloc(run, s.rows.n, sizeof *other), *now = label, *next = other;
    uint32_t done = 0;
    if (s.tally && other) {
        gg_slices(s.threads, s.rows.n, own_labels, label);
        done = iterate_labels(&s, iterations, &now, &next);
        if (now != label && !gg_stopping(run))
            gg_copy(run, label, now, (size_t)s.rows.n * sizeof *label);
    }
    for (int i = 0; s.tally && i < s.threads; i++)
        gg_release(s.tally[i].slot);
    gg_release(s.tally);
    gg_release(other);
    return gg_search_phase(run, start, (int64_t)s.rows.m, "%d thread(s), %u iterations",
                           s.threads, done);
}

/* ---- the descriptor ---- */

static double arcs(const gpugraph_graph *graph) {
    return LABELS_ITERATIONS * gg_arcs_twice(graph);
}

const gg_algorithm gg_label_propagation = {
    .name = "label_propagation",
    .rows = CSR_BOTH,
    .arcs = arcs,
    /* cpu_ns, cuda_ns: per arc and iteration. step_us: all iterations. */
    .cpu_ns = 5,
    .cuda_ns = 0.06,
    .step_us = LABELS_ITERATIONS * 40,
    .side = {[GPUGRAPH_CPU] = GG_ONE_METHOD(labels_entry, spread_on_cpu,
                                            "label_propagation", "counting",
                                            "threads count the labels of each row in a "
                                            "table"),
             [GPUGRAPH_CUDA] = &gg_label_propagation_cuda},
};

/* ---- the public function ---- */

gpugraph_status gpugraph_label_propagation(gpugraph_graph *graph, uint32_t iterations,
                                           gpugraph_direction direction,
                                           gpugraph_run *run, uint32_t *label) {
    gg_enter_graph(graph, run);
    if (gg_check_direction(run, direction) && gg_needs(run, label, graph->n, "label"))
        GG_RUN(labels_entry, &gg_label_propagation, NULL, graph, run,
               (graph, run, iterations, direction, label));
    return gg_leave_graph(graph, run);
}
