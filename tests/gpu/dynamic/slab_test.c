/* The tables of gpu/dynamic/slab.h on CPU threads that interrupt each other in the middle
** of every operation. Tables are tiny and crowded, batches have many repeats, and the
** arena ends often; the model is a matrix. With GPUGRAPH_SANITIZE=thread the accesses are
** checked, too.
**
** A thread is a warp of one lane; with TEST_WIDE_WARPS, of 32 lanes, which switch in the
** middle of operations. */
#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif

#include <sched.h>
#include <stdint.h>

static void jitter(void);
static void forget_latest(uint32_t *word);
#define WARP_JITTER()      jitter()
#define SLAB_EARLIER(word) forget_latest(word)
#define SLAB_HUGE          16
#define SLAB_PART          8
#include "dynamic/slab_tile.h"

#include "expect.h"
#include "luck.h"
#include "share.h"
#include "suite.h"
#include "workers.h"

#include <stdlib.h>
#include <string.h>

enum {
    VERTICES = 6,
    TARGETS = 300,
    BATCH = 400,
    MOST_THREADS = 6,
    MOST_SECTORS = 1 << 14
};

#define ABSENT UINT32_MAX

static __thread bool working; /* in a phase */

static void jitter(void) {
    if (draw(8) > 0)
        return;
#ifdef WARP_LANES
    if (working && draw(4) > 0) {
        lane_gives_way();
        return;
    }
#endif
    sched_yield();
}

/* A sector as it may have been some insertions ago. Some entries were filled when the
** phase began; code that cannot distinguish these from others must reach the same
** result. */
static void forget_latest(uint32_t *word) {
    if (draw(3) > 0)
        return;
    for (uint32_t i = (uint32_t)draw(SLAB_WORDS / 2) * 2; i < SLAB_WORDS; i++)
        word[i] = SLAB_NONE;
}

enum phase {
    ANNOUNCE,
    PLAN,
    REHASH,
    FINISH,
    INSERT,
    ATTEMPT,
    INSERT_LATER,
    CLAIM,
    SETTLE,
    DELETE,
    CLEAR,
    ROWS
};

enum way { ANNOUNCED, ATTEMPTED };

struct world {
    struct slab_graph g;
    struct slab_pool pool;
    bool valued, unsorted;
    uint32_t count, source[BATCH], target[BATCH], value[BATCH], claimed[BATCH];
    uint32_t later[BATCH];
    uint32_t model[VERTICES][TARGETS];
    uint32_t row[VERTICES][TARGETS], row_value[VERTICES][TARGETS];
    /* the running phase */
    enum phase phase;
    uint32_t next, items, changed;
    uint32_t team, turns; /* counts of a rehash of short tables */
};

static struct world w;

static void finish_insertion(uint32_t i, enum slab_outcome outcome) {
    const struct slab_graph *g = &w.g;
    uint32_t from = w.source[i];
    if (outcome == SLAB_ADDED) {
        device_take(&g->vertex[from].used, 1);
        device_take(&w.changed, 1);
    } else if (outcome == SLAB_FOUND && w.valued && w.unsorted) {
        slab_mark(g, from, w.target[i]);
    } else if (outcome == SLAB_LATER) {
        w.later[device_take(&w.pool.later, 1)] = i;
        if (slab_put_off(g, from))
            slab_list_growing(g, from, slab_vertex_now(g, from).sectors);
    }
}

/* A lane takes its own pieces; unneeded pieces stay in its hand, or not. */
static void attempt(uint32_t i) {
    const struct slab_graph *g = &w.g;
    uint64_t pair = slab_pair(w.target[i], w.value[i]);
    struct slab_hand hand = slab_empty_hand(w.source[i]);
    enum slab_outcome outcome;
    while ((outcome = slab_attempt(g, pair, w.valued, &hand)) == SLAB_WANTS)
        if (!slab_take_in_hand(g, &hand))
            return;
    slab_give_back(g, &hand);
    finish_insertion(i, outcome);
}

static void insert_item(uint32_t i) {
    const struct slab_graph *g = &w.g;
    uint32_t from = w.source[i];
    finish_insertion(i, slab_put(g, slab_vertex_now(g, from),
                                 slab_pair(w.target[i], w.value[i]), w.valued,
                                 w.unsorted ? SLAB_KEEP : SLAB_REPLACE, SLAB_LATELY));
}

static void one_item(uint32_t i) {
    const struct slab_graph *g = &w.g;
    uint32_t from = i < w.count ? w.source[i] : 0, target = i < w.count ? w.target[i] : 0;
    uint32_t sector;
    switch (w.phase) {
    case ANNOUNCE:
        if (slab_announce(g, from, device_reserve(&g->incoming[from], 1), w.valued,
                          &sector))
            slab_list_growing(g, from, sector);
        break;
    case ATTEMPT:
        attempt(i);
        break;
    case INSERT_LATER:
        insert_item(w.later[i]);
        break;
    case INSERT:
        insert_item(i);
        break;
    case CLAIM:
        w.claimed[i] =
            slab_is_marked(g, from, target) ? slab_claim(g, from, target, i) : SLAB_NONE;
        break;
    case SETTLE:
        if (w.claimed[i] != SLAB_NONE)
            slab_settle_claim(g, w.claimed[i], target, i, w.value[i]);
        break;
    case DELETE:
        if (slab_delete(g, from, target, w.valued)) {
            device_take(&g->vertex[from].dead, 1);
            device_take(&w.changed, 1);
        }
        break;
    default:
        break;
    }
}

static void clear(uint32_t v) {
    uint32_t edges = slab_clear_vertex(&w.g, v);
    if (warp_lane() == 0)
        device_take(&w.changed, edges);
}

static void copy_row(uint32_t v) {
    slab_copy_row(&w.g, slab_vertex_of(&w.g, v), w.valued, w.row[v],
                  w.valued ? w.row_value[v] : NULL, 0);
}

/* Short tables that a warp rehashes together, by teams, and the number of turns. */
static uint32_t tables_together(void) {
    return w.turns * (warp_width / w.team);
}
static uint32_t small_groups(void) {
    return (w.pool.growing[0] + tables_together() - 1) / tables_together();
}

static uint32_t items(void) { /* as the phase begins */
    switch (w.phase) {
    case PLAN:
        return w.pool.growing[2];
    case REHASH:
        return small_groups() + w.pool.growing[1] + w.pool.parts;
    case FINISH:
        return w.pool.parts;
    case ROWS:
        return VERTICES;
    case INSERT_LATER:
        return w.pool.later;
    default:
        return w.count;
    }
}

/* Tables of one list, or parts of huge ones. */
static void rehash(uint32_t i) {
    static __thread uint32_t word[warp_width * SLAB_SIZE],
        filled[warp_width * SLAB_SECTORS];
    const struct slab_graph *g = &w.g;
    const uint32_t groups = small_groups(), lane = warp_lane();
    const uint32_t team = i < groups ? w.team : warp_width, first = lane / team * team;
    const struct slab_desk desk = {word + first * SLAB_SIZE,
                                   filled + first * SLAB_SECTORS};
    uint32_t vertex = SLAB_NONE, at = i * tables_together() + lane;
    if (i >= groups + w.pool.growing[1]) {
        slab_move_part(g, g, i - groups - w.pool.growing[1], &desk, w.valued);
        return;
    }
    if (i < groups && lane < tables_together() && at < w.pool.growing[0])
        vertex = g->growing[at];
    else if (i >= groups && lane == 0)
        vertex = g->growing[g->n - 1 - (i - groups)];
    slab_rehash(g, g, vertex, i < groups ? w.turns : 1, team, &desk, w.valued);
}

/* Runs an operation of a whole warp. Returns false if the phase has none. */
static bool one_together(uint32_t i) {
    const struct slab_graph *g = &w.g;
    switch (w.phase) {
    case PLAN:
        slab_plan_move(g, g, i, w.valued);
        return true;
    case REHASH:
        rehash(i);
        return true;
    case FINISH:
        slab_finish_part(g, g, i);
        return true;
    case CLEAR:
        clear(w.source[i]);
        return true;
    case ROWS:
        copy_row(i);
        return true;
    default:
        return false;
    }
}

/* A warp's walk through the items of a phase: one for all lanes, or one for each. */
static void shift(void *unused) {
    bool together = w.phase == PLAN || w.phase == REHASH || w.phase == FINISH ||
                    w.phase == CLEAR || w.phase == ROWS;
    const uint32_t share = together ? 1 : warp_width;
    (void)unused;
    for (;;) {
        uint32_t first = 0;
        if (warp_lane() == 0)
            first = device_take(&w.next, share);
        first = warp_from(first, 0);
        if (first >= w.items)
            return;
        if (!one_together(first) && first + warp_lane() < w.items)
            one_item(first + warp_lane());
        warp_sync();
    }
}

static void work(void *seed, uint32_t number) {
    luck = *(uint64_t *)seed + number;
    working = true;
#ifdef WARP_LANES
    lanes_run(shift, NULL);
#else
    shift(NULL);
#endif
    working = false;
}

static void run_phase(enum phase phase, int threads) {
    uint64_t seed = (uint64_t)draw(1000000) * MOST_THREADS;
    w.phase = phase;
    w.team = warp_width >> (warp_width > 1 ? draw(4) : 0);
    w.turns = 1 + draw(w.team);
    w.items = items();
    w.next = 0;
    run_workers((uint32_t)threads, work, &seed, NULL, 0);
}

static void end_phase(void) {
    slab_end_phase(&w.g);
}

static void begin(bool valued, float load) {
    struct slab_graph *g = &w.g;
    memset(&w, 0, sizeof w);
    memset(w.model, 0xff, sizeof w.model);
    w.valued = valued;
    g->pool = &w.pool;
    g->n = VERTICES;
    g->load = load;
    g->slack = (float)draw(2) / 2;
    g->capacity = 16;
    g->vertex = calloc(VERTICES, sizeof *g->vertex);
    g->word = malloc((size_t)MOST_SECTORS * SLAB_WORDS * 4);
    memset(g->word, 0xff, (size_t)MOST_SECTORS * SLAB_WORDS * 4);
    g->incoming = calloc(VERTICES, sizeof(uint32_t));
    g->growing = calloc(VERTICES, sizeof(uint32_t));
    g->huge = calloc(MOST_SECTORS / SLAB_HUGE + 1, sizeof *g->huge);
    g->part = calloc(3 * (MOST_SECTORS / SLAB_HUGE + 1), sizeof *g->part);
    g->filter = calloc(SLAB_FILTER_BITS / 32, sizeof(uint32_t));
    for (int kind = 0; kind < SLAB_LISTS; kind++) {
        g->room[kind] = MOST_SECTORS;
        g->list[kind] = calloc(MOST_SECTORS, sizeof(uint32_t));
    }
}

static void end(void) {
    struct slab_graph *g = &w.g;
    free(g->vertex);
    free(g->word);
    free(g->incoming);
    free(g->growing);
    free(g->huge);
    free(g->part);
    free(g->filter);
    for (int kind = 0; kind < SLAB_LISTS; kind++)
        free(g->list[kind]);
}

static void random_batch(void) {
    uint32_t span = 1 + draw(TARGETS);
    w.count = 1 + draw(BATCH);
    for (uint32_t i = 0; i < w.count; i++) {
        w.source[i] = draw(2) ? 0 : draw(VERTICES);
        w.target[i] = draw(span);
        w.value[i] = w.valued ? draw(1000) : 0;
    }
    w.unsorted = true;
    if (draw(4) == 0) { /* in order, without repeats: some edges of one vertex */
        w.count = w.count < span ? w.count : span;
        for (uint32_t i = 0; i < w.count; i++) {
            w.source[i] = w.source[0];
            w.target[i] = i;
        }
        w.unsorted = false;
    }
}

/* The table has every edge of the model once, with its value, and no other edge. */
static void check(int threads) {
    const struct slab_graph *g = &w.g;
    run_phase(ROWS, threads);
    for (uint32_t v = 0; v < VERTICES; v++) {
        struct slab_vertex vertex = g->vertex[v];
        struct slab_walk walk = slab_walk_from(vertex, 0, 1);
        uint32_t word[SLAB_WORDS], entries, used = 0, dead = 0, expected = 0;
        bool seen[TARGETS] = {false};
        while (slab_step(g, &walk, SLAB_FROZEN, word, &entries))
            for (uint32_t i = 0; i < entries; i += w.valued ? 2 : 1) {
                used += word[i] != SLAB_NONE;
                dead += word[i] == SLAB_DEAD;
                if (!slab_is_entry(word[i]))
                    continue;
                expect(word[i] < TARGETS, "a target of %u", word[i]);
                expect(!seen[word[i]], "edge %u -> %u is there twice", v, word[i]);
                seen[word[i]] = true;
                if (w.valued)
                    ck_assert_uint_eq(word[i + 1], w.model[v][word[i]]);
            }
        for (uint32_t t = 0; t < TARGETS; t++) {
            expect(seen[t] == (w.model[v][t] != ABSENT), "edge %u -> %u", v, t);
            expected += seen[t];
        }
        ck_assert_uint_eq(vertex.used, used);
        ck_assert_uint_eq(vertex.dead, dead);
        ck_assert_uint_eq(used - dead, expected);
        for (uint32_t i = 0; i < expected; i++) { /* copied by a warp, each once */
            uint32_t target = w.row[v][i];
            expect(target < TARGETS && seen[target], "row of %u: %u", v, target);
            seen[target] = false;
            if (w.valued)
                ck_assert_uint_eq(w.row_value[v][i], w.model[v][target]);
        }
    }
}

static uint32_t edges(void) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < VERTICES; v++)
        for (uint32_t t = 0; t < TARGETS; t++)
            count += w.model[v][t] != ABSENT;
    return count;
}

static void rehash_listed(int threads) {
    run_phase(PLAN, threads);
    run_phase(REHASH, threads);
    run_phase(FINISH, threads);
}

/* Runs the steps of a batch. Returns false if the arena has ended. */
static bool insert_once(enum way way, int threads) {
    const bool announced = way == ANNOUNCED;
    w.pool.report.full = 0;
    if (announced) {
        memset(w.g.incoming, 0, VERTICES * sizeof(uint32_t));
        run_phase(ANNOUNCE, threads);
    } else {
        w.unsorted = true; /* for all that is known */
        run_phase(ATTEMPT, threads);
    }
    rehash_listed(threads);
    if (!w.pool.report.full)
        run_phase(announced ? INSERT : INSERT_LATER, threads);
    if (!announced)
        for (uint32_t v = 0; v < VERTICES; v++)
            ck_assert_uint_eq(w.g.incoming[v], 0);
    run_phase(CLAIM, threads);
    run_phase(SETTLE, threads);
    memset(w.g.filter, 0, SLAB_FILTER_BITS / 8);
    end_phase();
    return !w.pool.report.full;
}

static void insert_by(enum way way, int threads) {
    uint32_t before = edges();
    for (uint32_t i = 0; i < w.count; i++)
        w.model[w.source[i]][w.target[i]] = w.value[i];
    w.changed = 0;
    if (way != ANNOUNCED)
        memset(w.g.incoming, 0, VERTICES * sizeof(uint32_t));
    while (!insert_once(way, threads)) {
        if (w.pool.end > w.g.capacity)
            w.pool.end = w.g.capacity;
        w.g.capacity += w.g.capacity / 2;
        ck_assert_uint_le(w.g.capacity, MOST_SECTORS);
    }
    ck_assert_uint_eq(w.changed, edges() - before);
}

static void insert(int threads) {
    insert_by((enum way)draw(2), threads);
}

static void delete (int threads) {
    uint32_t removed = 0;
    for (uint32_t i = 0; i < w.count; i++) {
        removed += w.model[w.source[i]][w.target[i]] != ABSENT;
        w.model[w.source[i]][w.target[i]] = ABSENT;
    }
    w.changed = 0;
    run_phase(DELETE, threads);
    ck_assert_uint_eq(w.changed, removed);
}

static void clear_vertices(int threads) {
    uint32_t removed = 0;
    w.count = w.count % 4;
    for (uint32_t i = 0; i < w.count; i++)
        for (uint32_t t = 0; t < TARGETS; t++) {
            removed += w.model[w.source[i]][t] != ABSENT;
            w.model[w.source[i]][t] = ABSENT;
        }
    w.changed = 0;
    run_phase(CLEAR, threads);
    end_phase();
    ck_assert_uint_eq(w.changed, removed);
}

START_TEST(batches_of_many_threads) {
    static const float loads[] = {0.3f, 0.7f, 2, 6};
    if (left_out((uint64_t)_i))
        return;
    luck = (uint64_t)_i + 1;
    begin(_i % 2, loads[_i / 2 % 4]);
    for (int round = 0; round < 25; round++) {
        int threads = 1 + (int)draw(MOST_THREADS);
        random_batch();
        switch (draw(8)) {
        case 0:
            clear_vertices(threads);
            break;
        case 1:
        case 2:
            delete (threads);
            break;
        default:
            insert(threads);
        }
        check(threads);
    }
    ck_assert_uint_eq(w.pool.spilled, 0);
    end();
}
END_TEST

/* A phase may take pieces that the phase before has freed, and no piece is taken
** twice. */
START_TEST(lists_close_up) {
    begin(true, 0.7f);
    w.g.capacity = 64;
    uint32_t taken[8];
    for (int i = 0; i < 8; i++)
        taken[i] = slab_take(&w.g, 2);
    ck_assert_uint_eq(w.pool.end, 32);
    end_phase();
    for (int i = 0; i < 5; i++)
        slab_free_piece(&w.g, 2, taken[i]);
    ck_assert_uint_eq(slab_take(&w.g, 2),
                      32); /* freed in this phase: not available yet */
    end_phase();
    ck_assert_uint_eq(w.pool.count[2], 5);
    uint32_t seen = 0;
    seen |= 1u << slab_take(&w.g, 2) / 4;
    seen |= 1u << slab_take(&w.g, 2) / 4;
    slab_free_piece(&w.g, 2, taken[5]);
    slab_free_piece(&w.g, 2, taken[6]);
    slab_free_piece(&w.g, 2, taken[7]);
    end_phase();
    ck_assert_uint_eq(w.pool.count[2], 6);
    for (int i = 0; i < 6; i++)
        seen |= 1u << slab_take(&w.g, 2) / 4;
    ck_assert_uint_eq(seen, 0xff);
    ck_assert_uint_eq(slab_take(&w.g, 2), 36);
    end();
}
END_TEST

/* A batch of the edges low .. high - 1 of vertex 0. */
static void edges_of_one(uint32_t low, uint32_t high) {
    w.unsorted = false;
    w.count = high - low;
    for (uint32_t i = 0; i < w.count; i++) {
        w.source[i] = 0;
        w.target[i] = w.value[i] = low + i;
    }
}

/* An arena that does not grow: the batch ends, reports it, and existing edges are intact;
** with room the batch inserts the rest. */
START_TEST(a_full_arena_says_so) {
    begin(true, 0.7f);
    edges_of_one(0, 20);
    insert(2);
    w.g.capacity = w.pool.end;
    edges_of_one(10, 200);
    for (int again = 0; again < 3; again++) {
        w.pool.report.full = 0;
        memset(w.g.incoming, 0, VERTICES * sizeof(uint32_t));
        run_phase(ANNOUNCE, 3);
        rehash_listed(3);
        ck_assert_uint_eq(w.pool.report.full, 1);
        end_phase();
        check(2);
    }
    w.pool.end = w.g.capacity;
    insert(3);
    check(2);
    ck_assert_uint_eq(w.g.vertex[0].used, 200);
    end();
}
END_TEST

static bool has_chain(uint32_t v) {
    const struct slab_vertex *vertex = &w.g.vertex[v];
    for (uint32_t slab = 0; slab < vertex->sectors / SLAB_SECTORS; slab++) {
        uint32_t last = vertex->base + (slab + 1) * SLAB_SECTORS - 1;
        if (w.g.word[(size_t)last * SLAB_WORDS + SLAB_LINK] != SLAB_NONE)
            return true;
    }
    return false;
}

/* A slab of 15 entries may have 22, 7 of them in a chain; with entry 23 the vertex gets a
** larger base, and slab and chain are free. */
START_TEST(chains_are_rehashed) {
    begin(true, 0.7f);
    w.g.slack = 0;
    w.g.capacity = MOST_SECTORS; /* lanes take more pieces than they need */
    edges_of_one(0, 15);
    insert_by(ANNOUNCED, 1);
    ck_assert_uint_eq(w.g.vertex[0].sectors, SLAB_SECTORS);
    ck_assert(!has_chain(0));
    edges_of_one(15, 22);
    insert_by(ANNOUNCED, 1);
    ck_assert_uint_eq(w.g.vertex[0].sectors, SLAB_SECTORS);
    ck_assert(has_chain(0));
    edges_of_one(22, 23);
    insert_by(ANNOUNCED, 1);
    ck_assert_uint_gt(w.g.vertex[0].sectors, SLAB_SECTORS);
    ck_assert_uint_ge(w.pool.count[2], 2);
    check(1);
    end();
}
END_TEST

/* Unannounced: 1 sector of 3 entries, behind it 2 of 7. Then the base is too small, and
** an item without room waits for a larger one. */
START_TEST(short_bases_have_short_chains) {
    begin(true, 0.7f);
    for (uint32_t degree = 1; degree <= 11; degree++) {
        edges_of_one(degree - 1, degree);
        insert_by(ATTEMPTED, 1);
        ck_assert_uint_eq(w.g.vertex[0].sectors, degree <= 10 ? 1 : SLAB_SECTORS);
        ck_assert_uint_eq(w.pool.end, degree <= 3 ? 1 : degree <= 10 ? 3 : 7);
        check(1);
    }
    ck_assert_uint_eq(w.pool.count[0], 1);
    ck_assert_uint_eq(w.pool.count[1], 1);
    end();
}
END_TEST

/* While the arena does not end, the sectors of tables and lists are all that were ever
** taken. */
static void check_sectors(void) {
    uint64_t known = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        struct slab_walk walk = slab_walk_from(w.g.vertex[v], 0, 1);
        uint32_t word[SLAB_WORDS], entries;
        while (slab_step(&w.g, &walk, SLAB_FROZEN, word, &entries))
            known++;
    }
    for (uint32_t kind = 0; kind < SLAB_LISTS; kind++)
        known += (uint64_t)w.pool.count[kind] << kind;
    ck_assert_uint_eq(known, w.pool.end);
}

START_TEST(nothing_is_lost) {
    for (uint64_t seed = 0; seed < 40; seed++) {
        if (left_out(seed))
            continue;
        luck = seed;
        begin(seed % 2, draw(2) ? 0.7f : 3);
        w.g.capacity = MOST_SECTORS;
        for (int round = 0; round < 20; round++) {
            random_batch();
            if (draw(3) > 0)
                insert(1 + (int)draw(MOST_THREADS));
            else
                delete (1 + (int)draw(MOST_THREADS));
            check_sectors();
        }
        end();
    }
}
END_TEST

/* All items of a batch for one vertex: those beyond its first pieces wait together. */
START_TEST(a_crowd_waits) {
    begin(_i % 2, 0.7f);
    for (int round = 0; round < 3; round++) {
        edges_of_one(0, TARGETS);
        insert_by(ATTEMPTED, 4);
        check(2);
        ck_assert_uint_eq(w.g.vertex[0].used, TARGETS);
    }
    ck_assert_uint_ge(w.g.vertex[0].sectors, TARGETS / 30 * SLAB_SECTORS);
    end();
}
END_TEST

const struct suite suite = {
    "slab",
    {{"slab", .timeout = 60,
      .cases = {{&batches_of_many_threads, 40},
                {&lists_close_up},
                {&a_full_arena_says_so},
                {&chains_are_rehashed},
                {&short_bases_have_short_chains},
                {&nothing_is_lost},
                {&a_crowd_waits, 2}}}},
};
