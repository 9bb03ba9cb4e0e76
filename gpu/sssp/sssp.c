/* Shortest paths: the public function and its CPU backend.
**
**     bucket        0          1          2         ...   one for each delta of distance
**     queue    [ v v v v ] [ v v      ] [ v ]             bucket_queue.h, one per thread
**                  ^ current: served in rounds until it stays empty
**
** A vertex waits in the bucket of its tentative distance. The search serves the current
** bucket until it stays empty. Its distances are then final, since no weight is negative.
** With buckets of a width over 1 this is delta-stepping (Meyer and Sanders, J. Algorithms
** 49, 2003), with buckets of a single distance it is Dijkstra's algorithm. One driver
** does both.
**
** A round takes the current bucket out of all queues and relaxes its arcs. Threads share
** a long round (team.h). Each of them continues with the vertices that fall into its own
** current bucket while these are few ("bucket fusion": Zhang et al., "Optimizing Ordered
** Graph Algorithms with GraphIt", CGO 2020). The calling thread does a short round alone,
** because on roads a barrier of threads costs more than the work between two barriers.
**
** A sum above INT64_MAX, or an infinite one, is not stored. The search only notes that
** one occurred. The call fails with GPUGRAPH_RANGE if a wanted vertex then has no
** distance although a path leads to it. */
#include "sssp.h"
#include "work.h"
#include "tree/tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- buckets of REAL distances ---- */

/* If d * scale exceeds this number, buckets follow the bits of the double, which ascend
** with d. The keys of both kinds fit 64 bits. */
#define BUCKETS_BY_SCALE 4611686018427387904.0 /* 2^62 */

static inline uint64_t real_key(const struct sssp *s, double d) {
    if (s->scale == 0)
        return gg_real_word(d);
    double scaled = d * s->scale;
    if (scaled < BUCKETS_BY_SCALE)
        return (uint64_t)scaled;
    return ((uint64_t)1 << 62) + gg_real_word(d) / 4;
}

#define NAMED(x)           x##_uint32
#define DISTANCE           uint32_t
#define WEIGHT             uint32_t
#define UNREACHED          UINT32_MAX
#define KEY(s, d)          ((uint64_t)(d) >> (s)->shift)
#define BOUND(s)           (s)->bound
#define NOTE_SUM(top, sum) (void)(top)
#define IS_OVER(s, top)                                                                  \
    false /* graph/graph.c chose 32 bits because no sum can leave them */
#include "typed.h"

/* The sum of two numbers up to INT64_MAX does not wrap a uint64_t. */
#define NAMED(x)           x##_uint64
#define DISTANCE           uint64_t
#define WEIGHT             int64_t
#define UNREACHED          UINT64_MAX
#define KEY(s, d)          ((d) >> (s)->shift)
#define BOUND(s)           (s)->bound
#define NOTE_SUM(top, sum) (top) |= (sum)
#define IS_OVER(s, top)    ((top) > INT64_MAX)
#include "typed.h"

#define NAMED(x)           x##_real
#define DISTANCE           double
#define WEIGHT             double
#define UNREACHED          INFINITY
#define KEY(s, d)          real_key(s, d)
#define BOUND(s)           (s)->real_bound
#define NOTE_SUM(top, sum) (top) = (sum) > (top) ? (sum) : (top)
#define IS_OVER(s, top)    ((top) > DBL_MAX)
#include "typed.h"

/* ---- rounds ---- */

/* Threads share a round of at least this many chunks, of 125 vertices each. A barrier of
** threads takes some microseconds. */
#define SHARED_CHUNKS 8

/* Makes room for one more chunk in the list of the round. False after gg_fail. */
static bool grow_work(struct sssp *s) {
    if (s->work_count < s->work_room)
        return true;
    uint64_t room = s->work_room ? s->work_room * 2 : 64;
    struct bucket_chunk **work = gg_alloc(s->run, room, sizeof *work);
    if (!work)
        return false;
    if (s->work_count)
        memcpy(work, s->work, s->work_count * sizeof *work);
    gg_release(s->work);
    s->work = work;
    s->work_room = room;
    return true;
}

/* Takes one bin out of every queue as the work of the next round. */
static bool gather_round(struct sssp *s, int level, int slot) {
    s->work_count = 0;
    for (int t = 0; t < s->threads; t++) {
        struct bucket_chunk *chunk = bucket_take(&s->queue[t], level, slot);
        for (; chunk; chunk = chunk->next) {
            if (!grow_work(s))
                return false;
            s->work[s->work_count++] = chunk;
        }
    }
    return s->work_count > 0;
}

static void round_alone(struct sssp *s) {
    for (uint64_t i = 0; i < s->work_count && !gg_stopping(s->run); i++)
        s->layout->scan_alone(s, &s->queue[0], s->work[i], &s->tally);
}

/* Continues with the thread's own share of the current bucket while that is at most a
** chunk. */
static void fuse_bucket(struct sssp *s, struct bucket_queue *queue, struct tally *tally) {
    int slot = (int)(s->current % BUCKET_SLOTS);
    while (queue->bin[0][slot] && !queue->bin[0][slot]->next && !gg_stopping(s->run)) {
        struct bucket_chunk *chunk = bucket_take(queue, 0, slot);
        s->layout->scan_shared(s, queue, chunk, tally);
    }
}

/* One thread's part of a shared round. */
static void join_round(void *job, int member, int team) {
    struct sssp *s = job;
    struct bucket_queue *queue = &s->queue[member];
    struct tally tally = {.pause_at = GG_POLL_ITEMS};
    (void)team;
    while (!gg_stopping(s->run)) {
        uint64_t i = __atomic_fetch_add(&s->work_taken, 1, __ATOMIC_RELAXED);
        if (i >= s->work_count)
            break;
        s->layout->scan_shared(s, queue, s->work[i], &tally);
    }
    fuse_bucket(s, queue, &tally);
    __atomic_fetch_add(&s->tally.vertices, tally.vertices, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->tally.arcs, tally.arcs, __ATOMIC_RELAXED);
}

/* Serves the current bucket until it stays empty. */
static void serve_bucket(struct sssp *s) {
    s->buckets++;
    while (!gg_stopping(s->run) && gather_round(s, 0, (int)(s->current % BUCKET_SLOTS))) {
        s->rounds++;
        if (s->threads > 1 && s->work_count >= SHARED_CHUNKS) {
            s->work_taken = 0;
            gg_team(s->threads, join_round, s);
        } else {
            round_alone(s);
        }
        pause_now(s, &s->tally);
    }
}

/* ---- from bucket to bucket ---- */

/* The first slot of a level that any queue occupies; BUCKET_SLOTS: none. */
static int first_slot(const struct sssp *s, int level) {
    int first = BUCKET_SLOTS;
    for (int t = 0; t < s->threads; t++) {
        int slot = bucket_first(&s->queue[t], level, 0);
        first = slot < first ? slot : first;
    }
    return first;
}

/* True if an entry of a bin is not stale. Without its `level` lowest bytes, the key of an
** entry that is not stale is `prefix`. */
static inline bool entry_stands(const struct sssp *s, uint32_t v, int level,
                                uint64_t prefix, uint64_t *key) {
    *key = s->layout->key_of(s, v);
    return *key >> 8 * level == prefix;
}

/* Moves the entries of a bin of an upper level down. The current key becomes the smallest
** of them. False: all entries were stale. */
static bool move_down(struct sssp *s, int level, int slot) {
    uint64_t prefix = level == BUCKET_LEVELS - 1
                          ? (uint64_t)slot
                          : s->current >> 8 * (level + 1) << 8 | (uint64_t)slot;
    uint64_t key, lowest = UINT64_MAX;
    bool any = false;
    gather_round(s, level, slot);
    for (uint64_t i = 0; i < s->work_count; i++) {
        for (uint32_t k = 0; k < s->work[i]->count; k++) {
            if (entry_stands(s, s->work[i]->vertex[k], level, prefix, &key)) {
                lowest = key < lowest ? key : lowest;
                any = true;
            }
        }
    }
    if (any)
        s->current = lowest;
    for (uint64_t i = 0; i < s->work_count; i++) {
        for (uint32_t k = 0; k < s->work[i]->count; k++) {
            uint32_t v = s->work[i]->vertex[k];
            if (entry_stands(s, v, level, prefix, &key))
                bucket_add(&s->queue[0], s->current, key, v);
        }
        bucket_give_back(&s->queue[0], s->work[i]);
    }
    return any;
}

/* Makes the next bucket that has entries the current one. False: there is none. */
static bool next_bucket(struct sssp *s) {
    for (int level = 0; level < BUCKET_LEVELS;) {
        int slot = first_slot(s, level);
        if (slot == BUCKET_SLOTS) {
            level++;
        } else if (level == 0) {
            s->current = s->current / BUCKET_SLOTS * BUCKET_SLOTS + (uint64_t)slot;
            return true;
        } else {
            if (gg_pause(s->run))
                return false;
            if (move_down(s, level, slot))
                level = 0;
        }
    }
    return false;
}

static uint64_t count_final(const struct sssp *s) {
    uint64_t count = 0;
    for (uint32_t v = 0; v < s->arcs.n; v++)
        count += gg_sssp_reached(s, v) && s->layout->key_of(s, v) <= s->current;
    return count;
}

/* True if as many vertices are final as the limit asks for. Some vertices are served
** twice. So the number of served vertices is an upper bound of the final ones. */
static bool limit_reached(struct sssp *s) {
    if (s->search->limit == 0 || s->tally.vertices < s->count_at)
        return false;
    uint64_t count = count_final(s);
    if (count >= s->search->limit)
        return true;
    s->count_at = s->tally.vertices + s->search->limit - count;
    return false;
}

/* True if the search may end after this bucket. */
static bool is_search_done(struct sssp *s) {
    const gpugraph_search *search = s->search;
    while (s->pending > 0) {
        uint32_t v = search->target[s->pending - 1];
        if (!gg_sssp_reached(s, v) || s->layout->key_of(s, v) > s->current)
            break;
        s->pending--;
    }
    return (search->target_count > 0 && s->pending == 0) || limit_reached(s);
}

/* ---- method, bucket width and bound ---- */

/* The mean degree of the vertex at the end of an arc, over a sample of arcs. It estimates
** how fast a frontier grows. A hub counts once for each arc that leads to it. */
static double branching(const struct sssp *s) {
    uint64_t step = s->arcs.m / GG_SSSP_SAMPLE + 1, arcs = 0, count = 0;
    for (uint64_t arc = 0; arc < s->arcs.m; arc += step) {
        uint32_t v = s->arcs.target[arc];
        arcs += s->arcs.end[v] - s->arcs.begin[v];
        count++;
    }
    return count && arcs > count ? (double)arcs / (double)count : 1;
}

/* Makes buckets as wide as a power of two near GG_SSSP_DELTA typical weights, divided by
** the mean degree at the end of an arc. A wider bucket reaches more of its own vertices,
** and serves them again when their distances fall. */
static void set_buckets(struct sssp *s) {
    if (s->one_by_one)
        return; /* buckets of one distance each: shift and scale stay 0 */
    double delta = s->layout->typical_weight(s) * GG_SSSP_DELTA / branching(s);
    if (s->type == GPUGRAPH_REAL) {
        int exponent = delta > 0 ? ilogb(delta) : 0;
        exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
        s->scale = ldexp(1, -exponent);
    } else if (delta > 1) {
        s->shift = ilogb(delta) < 62 ? ilogb(delta) : 62;
    }
}

/* Up to this many arcs, one thread with a bucket for each distance is as fast. */
#define SMALL_ARCS 4096

/* A search with a limit, or of a small graph, has one bucket for each distance. It hardly
** serves a vertex twice, and can end after each distance. */
static bool is_large(const void *task) {
    const struct sssp *s = task;
    return s->search->limit == 0 && s->arcs.m > SMALL_ARCS;
}

static const gg_method methods[] = {
    {.is = {"sssp", "delta-stepping", "cpu",
            "threads relax all vertices of a bucket of distances at once"},
     .may = is_large},
    {.is = {"sssp", "dijkstra", "cpu", "one thread, nearest vertex first"},
     .may = gg_may_always},
    {.is = {0}},
};

void gg_sssp_plan(struct sssp *s) {
    s->one_by_one = gg_settle_method(s->run, methods, s) == &methods[1];
    const struct sssp_bound bound = gg_sssp_bound(s->search, s->type);
    s->bound = bound.most;
    s->real_bound = bound.none ? -1 : gg_word_real(bound.most);
    s->within_range = bound.tight;
    set_buckets(s);
}

/* ---- driver ---- */

bool gg_sssp_serve(struct sssp *s) {
    while (next_bucket(s)) {
        serve_bucket(s);
        if (gg_stopping(s->run))
            return false;
        if (is_search_done(s))
            return true;
    }
    return false;
}

static gpugraph_status search_paths(struct sssp *s, gpugraph_graph *graph) {
    s->threads = s->one_by_one ? 1 : gg_threads(s->run, s->arcs.m);
    s->queue = gg_alloc_zero(s->run, (uint64_t)s->threads, sizeof *s->queue);
    if (!s->queue)
        return s->run->status;
    for (int t = 0; t < s->threads; t++)
        s->queue[t].run = s->run;
    gg_slices(gg_threads(s->run, s->arcs.n / GG_FILL_ITEMS), s->arcs.n, s->layout->clear,
              s);
    s->layout->start(s, s->search->source, s->search->source_count);
    s->early = gg_sssp_serve(s);
    for (int t = 0; t < s->threads; t++)
        bucket_queue_free(&s->queue[t]);
    gg_release(s->queue);
    gg_release(s->work);
    if (gg_stopping(s->run))
        return gg_stopped(s->run);
    if (s->early)
        s->layout->keep_final(s);
    else if (s->over && !s->within_range)
        return gg_check_range(s, graph);
    return GPUGRAPH_OK;
}

void gg_sssp_set_layout(struct sssp *s, gpugraph_distance_type type) {
    static const struct layout *const layouts[] = {&layout_uint32, &layout_uint64,
                                                   &layout_real};
    s->type = type;
    s->layout = layouts[type];
}

gpugraph_status gg_cpu_sssp(gpugraph_graph *graph, const gpugraph_search *search,
                            gpugraph_run *run, void *distance, void *tree_edge) {
    struct sssp s = {.run = run, .search = search, .distance = distance};
    if (gg_rows(graph, gg_forward_kind(search->direction), true, false, run, &s.arcs))
        return run->status;
    double started = gg_now_ms();
    gg_sssp_set_layout(&s, graph->distance_type);
    s.pending = search->target_count;
    s.count_at = search->limit;
    s.tally.pause_at = GG_POLL_ITEMS;
    gg_sssp_plan(&s);
    if (search_paths(&s, graph))
        return run->status;
    gg_search_phase(run, started, (int64_t)s.tally.arcs,
                    "%llu vertices served in %llu buckets, %llu rounds",
                    (unsigned long long)s.tally.vertices, (unsigned long long)s.buckets,
                    (unsigned long long)s.rounds);
    return tree_edge ? gg_distance_tree(graph, search, run, distance, tree_edge)
                     : GPUGRAPH_OK;
}

double gg_sssp_rounds(const gpugraph_graph *graph) {
    double rows = gg_is_thin(graph) ? sqrt(graph->n) : 0; /* side of a square grid */
    return GG_FEW_LEVELS + rows * 3;
}

/* ---- the descriptor ---- */

static const algorithm_side cpu_side = {
    .methods = methods,
    .call = GG_CALLS(sssp_entry, gg_cpu_sssp),
};

const gg_algorithm gg_sssp = {
    .name = "sssp",
    .brings_edges = true,
    .rows = CSR_OUT,
    .arcs = gg_arcs_once,
    .steps = gg_sssp_rounds,
    /* Measured with R-MATs of scale 16 and 20 and a grid, on one thread and an H200. */
    .cpu_ns = 15,
    .cuda_ns = 0.04,
    .step_us = 2,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &gg_sssp_cuda},
    .several = &gg_sssp_distributed,
};

/* ---- the public function ---- */

gpugraph_status gg_check_sssp(const gpugraph_graph *graph, const gpugraph_search *search,
                              gpugraph_run *run) {
    if (graph->edges.weight_type == GPUGRAPH_UNWEIGHTED)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "shortest paths need weights, but the graph has none");
    if (gg_check_search(graph, search, run))
        return run->status;
    if (search->bounded && isnan(search->max_real_distance))
        return gg_fail(run, GPUGRAPH_INVALID, "max_distance is not a number");
    return run->status;
}

gpugraph_status gpugraph_sssp(gpugraph_graph *graph, const gpugraph_search *search,
                              gpugraph_run *run, void *distance, void *tree_edge) {
    gg_enter_graph(graph, run);
    if (!gg_check_sssp(graph, search, run) &&
        gg_needs(run, distance, graph->n, "distance"))
        GG_RUN(sssp_entry, &gg_sssp, search, graph, run,
               (graph, search, run, distance, tree_edge));
    return gg_leave_graph(graph, run);
}
