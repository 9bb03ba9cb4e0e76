/* Tests the concurrent half of the device's depth-first search (gpu/dfs/deque.h,
** gpu/dfs/crew.h), compiled for CPU threads. A thread plays a warp with one lane, and an
** array plays shared memory. Rings and batches are tiny, so that each path of flush,
** refill and theft runs thousands of times. GPUGRAPH_SANITIZE=thread also checks memory
** orders. */
static void jitter(void);
#define WARP_JITTER() jitter()
#include "dfs/crew.h"
#include "dfs_rows.h"
#include "suite.h"
#include "share.h"
#include "workers.h"

#include <pthread.h>

enum { MOST_WORKERS = 12, MOST_RING = 64, MOST_COLD = 64 };

/* ---- a crew of threads ---- */

struct memory {
    struct dfs_crew crew;
    struct dfs_control control;
    uint64_t word[MOST_WORKERS], entry[MOST_WORKERS * MOST_RING];
    uint32_t busy[MOST_WORKERS];
    uint64_t cold[MOST_WORKERS], under[MOST_WORKERS];
    uint32_t cold_chunk[MOST_WORKERS * MOST_COLD];
    uint32_t host_stop;
};

static struct memory *crew_new(const struct rows *g, struct dfs_shape shape,
                               uint32_t blocks, uint32_t block_workers) {
    struct memory *m = need(1, sizeof *m);
    struct dfs_crew *crew = &m->crew;
    crew->begin = g->offset;
    crew->end = g->offset + 1;
    crew->target = g->target;
    crew->n = g->n;
    crew->workers = blocks * block_workers;
    crew->block_workers = block_workers;
    crew->shape = shape;
    crew->control = &m->control;
    crew->cold = m->cold;
    crew->under = m->under;
    crew->cold_chunk = m->cold_chunk;
    crew->host_stop = &m->host_stop;
    crew->depth = need(g->n, sizeof(uint32_t));
    crew->parent = need(g->n, sizeof(uint32_t));
    memset(crew->depth, 0xff, (size_t)g->n * sizeof(uint32_t));
    memset(crew->parent, 0xff, (size_t)g->n * sizeof(uint32_t));
    memset(m->under, 0xff, sizeof m->under);
    crew->pool.chunks = g->n / shape.batch + 1 + 3 * crew->workers;
    crew->pool.batch = shape.batch;
    crew->pool.entry = need((size_t)crew->pool.chunks * shape.batch, sizeof(uint64_t));
    crew->pool.next = need(crew->pool.chunks, sizeof(uint32_t));
    crew->pool.free = &m->control.free;
    crew->pool.touched = &m->control.touched;
    m->control.free = UINT64_MAX;
    m->control.busy = crew->workers;
    for (uint32_t block = 0; block < blocks; block++)
        m->busy[block] = block_workers;
    return m;
}

static void crew_free(struct memory *m) {
    free(m->crew.depth);
    free(m->crew.parent);
    free(m->crew.pool.entry);
    free(m->crew.pool.next);
    free(m);
}

static void one_of_crew(void *memory, uint32_t number) {
    struct memory *m = memory;
    uint32_t workers = m->crew.block_workers, block = number / workers;
    struct dfs_block view = {m->word + block * workers,
                             m->entry + (size_t)block * workers * m->crew.shape.ring,
                             m->busy + block};
    dfs_work(m->crew, view, number);
}

static void crew_run(struct memory *m, uint32_t stop_after_us) {
    run_workers(m->crew.workers, one_of_crew, m, &m->host_stop, stop_after_us);
}

/* ---- promises of a finished search ---- */

static void expect_tree(const struct memory *m, const struct rows *g,
                        const uint32_t *owner) {
    uint32_t reached = expect_rows_tree(g, owner, m->crew.depth, m->crew.parent);
    expect(m->control.reached == reached, "%u counted, %u reached", m->control.reached,
           reached);
}

static void expect_nothing_left(const struct memory *m) {
    expect(m->control.exhausted == 0, "the pool was exhausted");
    expect(m->control.busy == 0, "%u are busy at the end", m->control.busy);
    for (uint32_t i = 0; i < m->crew.workers; i++) {
        expect(dfs_count(m->word[i]) == 0, "ring %u is not empty", i);
        expect(dfs_count(m->cold[i]) == 0, "cold chunks of %u are left", i);
        expect(dfs_first(m->under[i]) == DFS_NO_CHUNK, "list %u is not empty", i);
    }
}

static const struct dfs_shape shapes[] = {
    {2, 1, 2, 1, 1}, {4, 2, 2, 2, 2}, {8, 2, 4, 4, 8}, {64, 32, 4, 32, 64}};
static const uint32_t crews[][2] = {{1, 1}, {1, 4}, {4, 1}, {2, 3}, {3, 4}};

/* A search from vertex 0. */
START_TEST(tree_of_one_source) {
    struct rows g = make((enum shape)_i, 6000 / SANITIZED_PART, true);
    uint32_t *owner = need(g.n, sizeof *owner), source = 0, stolen = 0;
    memset(owner, 0xff, g.n * sizeof *owner);
    reach(&g, source, owner);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (size_t c = 0; c < sizeof crews / sizeof *crews; c++) {
            if (left_out_of(s * (sizeof crews / sizeof *crews) + c + (size_t)_i, 3))
                continue;
            struct memory *m = crew_new(&g, shapes[s], crews[c][0], crews[c][1]);
            m->crew.root = &source;
            m->crew.roots = 1;
            m->crew.depth[source] = 0;
            crew_run(m, 0);
            expect_tree(m, &g, owner);
            expect_nothing_left(m);
            stolen += m->control.stolen;
            crew_free(m);
        }
    }
    /* The deques of a path and of a star have no entries to steal. */
    expect(SANITIZED_PART > 1 || _i == PATH || _i == STAR || stolen > 0,
           "no worker ever stole");
    free(owner);
    rows_free(&g);
}
END_TEST

/* Small random graphs, each from another vertex. */
START_TEST(many_seeds) {
    uint32_t stolen = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        if (left_out_of(seed, 7))
            continue;
        struct rows g = make_seeded(seed % 3 ? RANDOM : SPARSE, 300, seed % 2, seed);
        uint32_t *owner = need(g.n, sizeof *owner), source = (uint32_t)(seed * 131 % 300);
        memset(owner, 0xff, g.n * sizeof *owner);
        reach(&g, source, owner);
        struct memory *m = crew_new(&g, shapes[seed % 4], 1 + seed % 3, 1 + seed % 4);
        m->crew.root = &source;
        m->crew.roots = 1;
        m->crew.depth[source] = 0;
        crew_run(m, 0);
        expect_tree(m, &g, owner);
        expect_nothing_left(m);
        stolen += m->control.stolen;
        crew_free(m);
        free(owner);
        rows_free(&g);
    }
    expect(stolen > 0, "nobody ever stole");
}
END_TEST

/* Directed arcs: the search takes one root after the other in the order of numbers, as a
** serial pass does. */
START_TEST(forest) {
    struct rows g = make((enum shape)_i, 1500 / SANITIZED_PART, false);
    uint32_t *owner = need(g.n, sizeof *owner);
    memset(owner, 0xff, g.n * sizeof *owner);
    for (uint32_t v = 0; v < g.n; v++)
        if (owner[v] == DFS_NONE)
            reach(&g, v, owner);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (size_t c = 0; c < sizeof crews / sizeof *crews; c++) {
            if (left_out_of(s * (sizeof crews / sizeof *crews) + c + (size_t)_i, 3))
                continue;
            struct memory *m = crew_new(&g, shapes[s], crews[c][0], crews[c][1]);
            m->crew.all_vertices = true;
            crew_run(m, 0);
            expect_tree(m, &g, owner);
            expect_nothing_left(m);
            crew_free(m);
        }
    }
    free(owner);
    rows_free(&g);
}
END_TEST

/* Arcs both ways: the trees of all components grow at the same time. */
START_TEST(components_at_once) {
    struct rows g = make(SPARSE, 3000, true);
    uint32_t *owner = need(g.n, sizeof *owner), *root = need(g.n, sizeof *root);
    uint32_t roots = 0;
    memset(owner, 0xff, g.n * sizeof *owner);
    for (uint32_t v = 0; v < g.n; v++) {
        if (owner[v] == DFS_NONE) {
            reach(&g, v, owner);
            root[roots++] = v;
        }
    }
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct memory *m = crew_new(&g, shapes[s], 3, 4);
        m->crew.root = root;
        m->crew.roots = roots;
        for (uint32_t i = 0; i < roots; i++)
            m->crew.depth[root[i]] = 0;
        crew_run(m, 0);
        expect_tree(m, &g, owner);
        expect_nothing_left(m);
        crew_free(m);
    }
    free(root);
    free(owner);
    rows_free(&g);
}
END_TEST

/* All workers leave when the host stops the search, at any time. */
START_TEST(stop) {
    struct rows g = make(_i % 2 ? RANDOM : PATH, 200000 / SANITIZED_PART, true);
    uint32_t source = 0;
    struct memory *m = crew_new(&g, shapes[_i % 4], 2, 3);
    m->crew.root = &source;
    m->crew.roots = 1;
    m->crew.depth[source] = 0;
    m->crew.all_vertices = _i % 3 == 0;
    m->host_stop = _i == 0;
    crew_run(m, _i ? (uint32_t)_i * 300 : 0);
    expect(m->control.exhausted == 0, "the pool was exhausted");
    crew_free(m);
    rows_free(&g);
}
END_TEST

/* ---- the deque alone ---- */

/* One owner pushes, pops, flushes and refills. The other threads steal from its ring and
** its list. Each entry comes out once. */
enum { ENTRIES = 20000, THIEVES = 3 };

struct deque {
    struct dfs_shape shape;
    struct dfs_pool pool;
    uint64_t word[THIEVES + 1], entry[(THIEVES + 1) * MOST_RING];
    uint64_t cold, under, free;
    uint32_t cold_chunk[MOST_COLD], touched, out;
    uint8_t *seen;
};

struct thief {
    pthread_t id;
    struct deque *deque;
    uint32_t place;
};

static struct dfs_ring ring_at(struct deque *d, uint32_t place) {
    struct dfs_ring ring = {d->word + place, d->entry + place * d->shape.ring,
                            d->shape.ring};
    return ring;
}

static struct dfs_cold cold_of(struct deque *d) {
    struct dfs_cold cold = {&d->cold, &d->under, d->cold_chunk, d->shape.cold};
    return cold;
}

static void take_out(struct deque *d, uint64_t entry) {
    expect(__atomic_fetch_add(&d->seen[entry], 1, __ATOMIC_RELAXED) == 0,
           "entry %llu came out twice", (unsigned long long)entry);
    __atomic_fetch_add(&d->out, 1, __ATOMIC_RELAXED);
}

static void *rob(void *argument) {
    struct thief *thief = argument;
    struct deque *d = thief->deque;
    struct dfs_ring own = ring_at(d, thief->place), victim = ring_at(d, 0);
    uint64_t entry;
    uint32_t turn = 0;
    while (__atomic_load_n(&d->out, __ATOMIC_RELAXED) < ENTRIES) {
        if (turn++ % 2) {
            dfs_steal(victim, own, d->shape);
        } else {
            uint32_t chunk = dfs_refill(own, cold_of(d), false, d->pool);
            if (chunk != DFS_NO_CHUNK)
                dfs_list_push(d->pool.free, d->pool, chunk);
        }
        while (dfs_pop(own, &entry))
            take_out(d, entry);
        warp_rest(turn);
    }
    return NULL;
}

static void own(struct deque *d) {
    struct dfs_ring ring = ring_at(d, 0);
    uint64_t state = 3, entry, next = 0;
    while (__atomic_load_n(&d->out, __ATOMIC_RELAXED) < ENTRIES) {
        uint32_t pushes = random_below(&state, 2 * d->shape.ring);
        for (; pushes > 0 && next < ENTRIES; pushes--, next++) {
            while (!dfs_push(ring, next)) {
                uint32_t chunk = dfs_take_chunk(d->pool);
                ck_assert_uint_ne(chunk, DFS_NO_CHUNK);
                if (!dfs_flush(ring, cold_of(d), d->pool, chunk))
                    dfs_list_push(d->pool.free, d->pool, chunk);
            }
        }
        for (uint32_t pops = random_below(&state, 2 * d->shape.ring); pops > 0; pops--) {
            if (dfs_pop(ring, &entry)) {
                take_out(d, entry);
            } else {
                uint32_t chunk = dfs_refill(ring, cold_of(d), true, d->pool);
                if (chunk != DFS_NO_CHUNK)
                    dfs_list_push(d->pool.free, d->pool, chunk);
            }
        }
    }
}

START_TEST(every_entry_once) {
    struct deque *d = need(1, sizeof *d);
    struct thief thief[THIEVES];
    d->shape = shapes[_i];
    d->under = d->free = UINT64_MAX;
    d->seen = need(ENTRIES, 1);
    d->pool.batch = d->shape.batch;
    d->pool.chunks = ENTRIES / d->shape.batch + 3 * (THIEVES + 1);
    d->pool.entry = need((size_t)d->pool.chunks * d->shape.batch, sizeof(uint64_t));
    d->pool.next = need(d->pool.chunks, sizeof(uint32_t));
    d->pool.free = &d->free;
    d->pool.touched = &d->touched;
    for (uint32_t i = 0; i < THIEVES; i++) {
        thief[i].deque = d;
        thief[i].place = i + 1;
        ck_assert_int_eq(pthread_create(&thief[i].id, NULL, rob, &thief[i]), 0);
    }
    own(d);
    for (uint32_t i = 0; i < THIEVES; i++)
        pthread_join(thief[i].id, NULL);
    for (uint32_t i = 0; i < ENTRIES; i++)
        expect(d->seen[i] == 1, "entry %u came out %u times", i, d->seen[i]);
    free(d->pool.entry);
    free(d->pool.next);
    free(d->seen);
    free(d);
}
END_TEST

/* The owner gets its newest chunk, a thief the oldest one. The oldest chunks may be in
** the list `under` instead of the array; a thief then gets the newest of this list. */
START_TEST(ends_of_cold_chunks) {
    enum { CHUNKS = 7 };
    uint64_t word = 0, under = UINT64_MAX;
    uint32_t place[4], next[CHUNKS];
    struct dfs_cold cold = {&word, &under, place, 4};
    struct dfs_pool pool = {.next = next, .chunks = CHUNKS};
    for (uint32_t chunk = 0; chunk < 4; chunk++)
        dfs_cold_push(cold, pool, chunk);
    ck_assert_uint_eq(dfs_cold_newest(cold, pool), 3);
    ck_assert_uint_eq(dfs_cold_oldest(cold, pool), 0);
    for (uint32_t chunk = 3; chunk < CHUNKS; chunk++)
        dfs_cold_push(cold, pool, chunk); /* 1 and 2 go under */
    ck_assert_uint_eq(dfs_cold_newest(cold, pool), 6);
    ck_assert_uint_eq(dfs_cold_oldest(cold, pool), 2);
    ck_assert_uint_eq(dfs_cold_oldest(cold, pool), 1);
    ck_assert_uint_eq(dfs_cold_oldest(cold, pool), 3);
    ck_assert_uint_eq(dfs_cold_newest(cold, pool), 5);
    ck_assert_uint_eq(dfs_cold_newest(cold, pool), 4);
    ck_assert_uint_eq(dfs_cold_newest(cold, pool), DFS_NO_CHUNK);
    ck_assert_uint_eq(dfs_cold_oldest(cold, pool), DFS_NO_CHUNK);
}
END_TEST

const struct suite suite = {
    "dfs_crew",
    {{"dfs_crew", .timeout = 120,
      .cases = {{&ends_of_cold_chunks},
                {&every_entry_once, 4},
                {&tree_of_one_source, SHAPES},
                {&many_seeds},
                {&forest, SHAPES},
                {&components_at_once},
                {&stop, 12}}}},
};
