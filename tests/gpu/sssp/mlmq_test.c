/* The multi-level multi-queue (gpu/sssp/mlmq/) on CPU threads: a thread is a warp one
** lane wide. Every pair of queues searches graphs of every shape, with segments that are
** large or of a single element. The result must be that of Dijkstra's algorithm, unless
** the queues are too small and the search says so. With TEST_WIDE_WARPS a thread is a
** warp of 32 lanes. With GPUGRAPH_SANITIZE=thread memory orders are checked, too. */
#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif

static void between_steps(void);
#define WARP_JITTER() between_steps()
#define MLMQ_PATIENCE patience
enum { MOST_PATIENCE = 1 << 26 };
static unsigned patience = MOST_PATIENCE; /* rounds of a wait */

#include "sssp/mlmq/work.h"
#include "as_warp.h"
#include "share.h"
#include "suite.h"

#include "dfs_rows.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { MOST_WARPS = 7 };

/* One case in this many is run, a different part for each pair of queues. Warps of 32
** lanes are slow and run fewer cases. */
#ifdef WARP_LANES
enum { EVERY = 31 };
#else
enum { EVERY = 3 };
#endif

#define MOST (UINT32_MAX - 1)

/* ---- weights ---- */

enum weights { EVEN, SPREAD, ZEROS, HEAVY, WEIGHTS };

static uint32_t weight_of(enum weights kind, uint64_t *seed) {
    uint32_t dice = random_below(seed, 1000);
    switch (kind) {
    case EVEN:
        return (dice % 255 + 1);
    case SPREAD: /* weights of all sizes */
        return 1u << dice % 18;
    case ZEROS:
        return (dice % 4 ? 0 : dice % 3);
    default:
        return (dice % 10 ? dice % 7 : 20000);
    }
}

/* ---- the right answer ---- */

/* Bellman and Ford's algorithm with a queue, in a plain array. */
static uint32_t *right_answer(const struct rows *g, const uint32_t *weight,
                              uint32_t source) {
    uint32_t *distance = need(g->n, sizeof *distance);
    uint32_t *queue = need(g->n, sizeof *queue), first = 0, count = 1;
    uint8_t *in = need(g->n, 1);
    for (uint32_t v = 0; v < g->n; v++)
        distance[v] = MLMQ_UNREACHED;
    distance[source] = 0;
    queue[0] = source;
    while (count > 0) {
        uint32_t u = queue[first];
        first = (first + 1) % g->n;
        count--;
        in[u] = 0;
        for (uint64_t arc = g->offset[u]; arc < g->offset[u + 1]; arc++) {
            uint32_t v = g->target[arc];
            uint32_t sum = mlmq_sum(distance[u], weight[arc]);
            if (sum >= distance[v] || sum > MOST)
                continue;
            distance[v] = sum;
            if (!in[v]) {
                queue[(first + count++) % g->n] = v;
                in[v] = 1;
            }
        }
    }
    free(queue);
    free(in);
    return distance;
}

/* ---- a search by threads ---- */

static struct memory *stopping; /* the host stops it after `steps` of all warps */
static uint32_t steps;

struct memory {
    struct mlmq m;
    struct mlmq_control *control;
    uint32_t *distance, source;
    uint32_t host_stop;
};

static struct memory *memory_new(const struct rows *g, const uint32_t *weight,
                                 struct mlmq how, uint64_t capacity, double delta,
                                 uint32_t source) {
    struct memory *s = need(1, sizeof *s);
    struct mlmq *m = &s->m;
    *m = how;
    m->n = g->n;
    m->begin = g->offset;
    m->end = g->offset + 1;
    m->target = g->target;
    m->weight = weight;
    m->most = MOST;
    m->scale = mlmq_scale_of(delta);
    struct mlmq_sizes size = mlmq_size(m, capacity, warp_width);
    m->slot = need(size.slots, sizeof *m->slot);
    memset(m->slot, 0xff, size.slots * sizeof *m->slot);
    m->directory = need(size.directory, sizeof *m->directory);
    m->next = need(size.segments, sizeof *m->next);
    m->consumed = need(size.directory, sizeof *m->consumed);
    s->source = source;
    m->source = &s->source;
    m->sources = 1;
    s->distance = need(g->n, sizeof *s->distance);
    for (uint32_t v = 0; v < g->n; v++)
        s->distance[v] = MLMQ_UNREACHED;
    m->distance = s->distance;
    m->control = s->control = need(1, sizeof *s->control);
    m->host_stop = &s->host_stop;
    mlmq_start(m, s->control);
    return s;
}

static void memory_free(struct memory *s) {
    free(s->m.slot);
    free(s->m.directory);
    free(s->m.next);
    free(s->m.consumed);
    free(s->distance);
    free(s->control);
    free(s);
}

struct thread {
    pthread_t id;
    struct memory *memory;
    uint32_t number;
    struct mlmq_shared *shared;
};

static void one_lane(void *argument) {
    struct thread *thread = argument;
    mlmq_run_warp(&thread->memory->m, thread->shared, thread->number);
}

static void *one_warp(void *argument) {
    struct thread *thread = argument;
    thread->shared = need(1, sizeof *thread->shared);
    run_as_warp(one_lane, thread);
    free(thread->shared);
    return NULL;
}

/* Threads yield in the middle of a change, and one of them is the host that stops the
** search. */
static void between_steps(void) {
    jitter();
    if (stopping && __atomic_sub_fetch(&steps, 1, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&stopping->host_stop, 1, __ATOMIC_RELAXED);
}

/* stop_after: steps after which the host stops the search; 0: never. */
static void run(struct memory *s, uint32_t stop_after) {
    struct thread thread[MOST_WARPS];
    stopping = stop_after ? s : NULL;
    steps = stop_after;
    for (uint32_t i = 0; i < s->m.warps; i++) {
        thread[i].memory = s;
        thread[i].number = i;
        ck_assert_int_eq(pthread_create(&thread[i].id, NULL, one_warp, &thread[i]), 0);
    }
    for (uint32_t i = 0; i < s->m.warps; i++)
        pthread_join(thread[i].id, NULL);
    stopping = NULL;
}

/* ---- what a finished search leaves ---- */

static const char *name_of(const struct mlmq *m) {
    return m->scale == 1 ? "L1V-L2V" : "L1V-L2DQ";
}

static void expect_nothing_left(const struct memory *s) {
    const struct mlmq *m = &s->m;
    const struct mlmq_control *control = s->control;
    const char *name = name_of(m);
    expect(control->over == MLMQ_DONE, "%s: over is %u", name, control->over);
    expect(control->failed == 0, "%s: gave up waiting, %u", name, control->failed);
    for (int i = 0; i < MLMQ_ACCOUNTS; i++)
        expect(control->tail[i] == control->done[i], "%s: account %d", name, i);
    for (int i = 0; i < MLMQ_FIFOS; i++) {
        expect(control->available[i] == 0, "%s: FIFO %d has elements", name, i);
        expect(control->head[i] == control->tail[i], "%s: FIFO %d", name, i);
        expect(control->floor[i] == control->tail[i] >> m->shift, "%s: floor %d", name,
               i);
    }
    for (uint64_t i = 0; i < (uint64_t)m->segments << m->shift; i++)
        expect(m->slot[i] == MLMQ_EMPTY, "%s: slot %u is not empty", name, (unsigned)i);
}

static void expect_distances(const struct memory *s, const uint32_t *right) {
    for (uint32_t v = 0; v < s->m.n; v++)
        expect(s->distance[v] == right[v], "%s: distance of %u", name_of(&s->m), v);
}

/* ---- the cases ---- */

static const struct {
    uint64_t capacity;
    uint32_t shift, warps;
    bool l0;
    uint32_t l1_capacity, write_back, bnum, cooperative;
} sizes[] = {{100000, 6, 4, true, 64, 16, 4, 4},
             {20000, 1, 5, false, 3, 2, 1, 0},
             {10000, 0, 7, true, 1, 0, 31, 100},
             {30000, 2, 2, true, 7, 5, 2, 2}};

enum { L2V, L2DQ, PAIRS }; /* pairs of queues */

static struct mlmq how_of(size_t size, int pair) {
    struct mlmq how;
    memset(&how, 0, sizeof how);
    how.shift = sizes[size].shift;
    how.warps = sizes[size].warps;
    how.l0 = sizes[size].l0;
    how.l1_capacity = sizes[size].l1_capacity;
    how.write_back = sizes[size].write_back;
    how.bnum = pair == L2DQ ? sizes[size].bnum : 1;
    how.cooperative = sizes[size].cooperative;
    return how;
}

/* One bucket makes L2V. */
static double width_of(int pair, double delta) {
    return pair == L2V ? INFINITY : delta;
}

static uint32_t *weights_of(const struct rows *g, enum weights kind, uint64_t seed) {
    uint32_t *weight = need(g->offset[g->n] + 1, sizeof *weight);
    for (uint64_t arc = 0; arc < g->offset[g->n]; arc++)
        weight[arc] = weight_of(kind, &seed);
    return weight;
}

static double delta_of(enum weights kind, uint64_t seed) {
    static const double deltas[] = {1, 30, 700, 1e-3, 1e15};
    return kind == SPREAD ? deltas[seed % 5] * 100 : deltas[seed % 4];
}

/* Loop: pairs of queues. */
START_TEST(all_distances) {
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int kind = 0; kind < WEIGHTS; kind++) {
            uint64_t seed = (uint64_t)(shape * WEIGHTS + kind) * 977 + (uint64_t)_i;
            struct rows g = make((enum shape)shape, 200, shape % 2);
            uint32_t *weight = weights_of(&g, (enum weights)kind, seed);
            uint32_t source = random_below(&seed, g.n);
            uint32_t *right = right_answer(&g, weight, source);
            for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
                if (((size_t)(shape * WEIGHTS + kind) * 4 + size + (size_t)_i) % EVERY)
                    continue;
                struct memory *s = memory_new(
                    &g, weight, how_of(size, _i), sizes[size].capacity,
                    width_of(_i, delta_of((enum weights)kind, seed + size)), source);
                run(s, 0);
                expect_nothing_left(s);
                expect_distances(s, right);
                memory_free(s);
            }
            free(right);
            free(weight);
            rows_free(&g);
        }
    }
}
END_TEST

/* Searches of tiny graphs, with queues of a few elements, some of which have no room. */
START_TEST(stress) {
    uint64_t seed = 5;
    int full = 0;
    for (int i = 0; i < 600; i += EVERY) {
        uint32_t n = random_below(&seed, 40) + 2, source = random_below(&seed, n);
        struct rows g = make((enum shape)(i % SHAPES), n, i & 1);
        uint32_t *weight = weights_of(&g, (enum weights)(i % WEIGHTS), seed);
        uint32_t *right = right_answer(&g, weight, source % g.n);
        size_t size = 1 + random_below(&seed, 2);
        struct memory *s =
            memory_new(&g, weight, how_of(size, i % PAIRS), random_below(&seed, 60),
                       width_of(i % PAIRS, delta_of(EVEN, (uint64_t)i)), source % g.n);
        run(s, 0);
        if (s->control->over == MLMQ_FULL) {
            full++;
        } else {
            expect_nothing_left(s);
            expect_distances(s, right);
        }
        memory_free(s);
        free(right);
        free(weight);
        rows_free(&g);
    }
    expect(full > 0 && full < 600 / EVERY, "%d searches had no room", full);
}
END_TEST

/* Distances within a bound are right. Loop: pairs. */
START_TEST(bounds) {
    uint64_t seed = 99;
    for (int i = _i % EVERY; i < 24; i += EVERY) {
        struct rows g = make(GRID, 400, true);
        uint32_t *weight = weights_of(&g, i % 2 ? EVEN : ZEROS, seed);
        uint32_t source = random_below(&seed, g.n);
        uint32_t *right = right_answer(&g, weight, source);
        struct memory *s = memory_new(&g, weight, how_of((size_t)i % 4, _i),
                                      sizes[i % 4].capacity, width_of(_i, 40), source);
        uint32_t bound = right[random_below(&seed, g.n)];
        if (bound != MLMQ_UNREACHED) {
            s->m.most = bound;
            s->m.tight = true;
        }
        run(s, 0);
        expect_nothing_left(s);
        for (uint32_t v = 0; v < g.n; v++)
            expect(s->distance[v] == (right[v] <= bound ? right[v] : MLMQ_UNREACHED),
                   "%s: distance of %u", name_of(&s->m), v);
        memory_free(s);
        free(right);
        free(weight);
        rows_free(&g);
    }
}
END_TEST

#ifndef WARP_LANES /* this one plays several warps in turns, each of one lane */
/* One warp has taken a position and stops; others write and read as much as they can. Its
** segment must still be found. Loop: the warp was about to read; or to write, and another
** one waits to read its element. */
START_TEST(overtaken) {
    struct rows g = make(GRID, 400, true);
    uint32_t *weight = weights_of(&g, EVEN, 7);
    struct memory *s = memory_new(&g, weight, how_of(1, L2V), 40, INFINITY, 0);
    struct mlmq_control *control = s->control;
    struct mlmq_warp w;
    memset(&w, 0, sizeof w);
    w.m = &s->m;
    w.segment_number = MLMQ_NONE;
    mlmq_look(&w);
    struct mlmq_element e = {3, 1}, got = {0, 0};
    bool valid;
    patience = 1u << 16; /* no other warp works */
    if (_i == 0) {
        mlmq_fifo_write(&w, e, warp_lane() == 0, 0);
        device_take(&control->available[0], UINT32_MAX);
    } else {
        device_take(&control->tail[0], 1);
    }
    uint32_t position = device_take(&control->head[0], 1);
    uint32_t moved = 0;
    for (int i = 0; i < 10000 && mlmq_has_room(&s->m, 0); i++) {
        mlmq_fifo_write(&w, e, warp_lane() == 0, 0);
        moved += mlmq_fifo_read(&w, &got, &valid);
        mlmq_settle(&w);
    }
    uint32_t number = position >> s->m.shift;
    expect(!mlmq_has_room(&s->m, 0), "the window has no end");
    mlmq_fifo_write(&w, e, true, 0);
    expect(control->over == MLMQ_FULL, "over is %u", control->over);
    expect(moved > s->m.segments << s->m.shift, "%u elements went past", moved);
    expect(control->floor[0] == number, "the floor is %u", control->floor[0]);
    expect(*mlmq_directory(&s->m, 0, number) >> 32 == (_i == 0 ? number + 1 : 0),
           "overtaken");
    patience = MOST_PATIENCE;
    memory_free(s);
    free(weight);
    rows_free(&g);
}
END_TEST
#endif

/* The host stops a search. */
START_TEST(stops) {
    struct rows g = make(GRID, 40000, true);
    uint32_t *weight = weights_of(&g, EVEN, 3);
    for (int pair = 0; pair < PAIRS; pair++) {
        struct memory *s =
            memory_new(&g, weight, how_of(0, pair), 100000, width_of(pair, 30), 0);
        run(s, 2000);
        expect(s->control->over == MLMQ_STOPPED, "%s: over is %u", name_of(&s->m),
               s->control->over);
        memory_free(s);
    }
    free(weight);
    rows_free(&g);
}
END_TEST

/* Keys ascend with distances. */
START_TEST(keys) {
    static const double deltas[] = {1e-3, 1, 2, 3, 100, 1e6, 1e18, 1e300};
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        struct memory s;
        memset(&s, 0, sizeof s);
        s.m.scale = mlmq_scale_of(deltas[i]);
        uint32_t step = MOST / 1000, distance = 0;
        uint32_t before = 0;
        for (int k = 0; k < 1000; k++, distance += step) {
            uint32_t key = mlmq_key(&s.m, distance);
            expect(key >= before, "keys of %g do not ascend", deltas[i]);
            before = key;
        }
    }
}
END_TEST

const struct suite suite = {
    "mlmq",
    {{"mlmq", .timeout = 240, /* ends a hang */
      .cases = {{&keys},
                {&all_distances, PAIRS},
                {&bounds, PAIRS},
#ifndef WARP_LANES
                {&overtaken, 2},
#endif
                {&stress},
                {&stops}}}},
};
