/* Compares multigraphs with a model: a weight or none for each pair of vertices and each
** id. Batches are random, with repeats. In some histories every allocation fails once, in
** others every call is interrupted once. The repeated call must then work. */
/* ctest: whole-batches wrap=memory wrap=clock_gettime */
#include "expect.h"
#include "failing_memory.h"
#include "gpugraph.h"
#include "leaping_clock.h"
#include "luck.h"
#include "share.h"
#include "suite.h"
#include "graph_data.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 20, IDS = 48, BATCH = 4000, CELLS = SIDE * SIDE * IDS };

static const gpugraph_backend test_backends[] = {GPUGRAPH_CPU, GPUGRAPH_CUDA};
enum { BACKENDS = sizeof test_backends / sizeof *test_backends };

static bool absent(int backend) {
    return test_backends[backend] == GPUGRAPH_CUDA && !gpugraph_cuda_usable(NULL);
}

/* ---- the model ---- */

struct cell {
    bool there;
    int64_t weight;
};

struct model {
    uint32_t n;
    struct cell cell[SIDE][SIDE][IDS];
};

/* Ids ascend with their numbers, on both sides of 0 and to the extremes. */
static int64_t id_of(uint32_t number) {
    int64_t middle = (int64_t)number - IDS / 2;
    return number == 0         ? INT64_MIN
           : number == IDS - 1 ? INT64_MAX
                               : middle * (middle % 3 == 0 ? 4000000000 : 1000000007);
}

static uint32_t number_of(int64_t id) {
    for (uint32_t number = 0; number < IDS; number++)
        if (id_of(number) == id)
            return number;
    ck_abort_msg("an id of %lld", (long long)id);
    return 0;
}

struct batch {
    uint32_t count, source[BATCH], target[BATCH], number[BATCH];
    int64_t id[BATCH], weight[BATCH], answer[BATCH];
    bool found[BATCH];
};

static void random_batch(struct batch *b, uint32_t n) {
    uint32_t hub = draw(n), most = 1 + draw(BATCH), ids = 1 + draw(IDS);
    bool skewed = draw(3) == 0, ascending = draw(3) == 0;
    b->count = draw(most);
    for (uint32_t i = 0; i < b->count; i++) {
        b->source[i] = skewed && draw(4) ? hub : draw(n);
        b->target[i] = skewed && draw(4) ? hub : draw(n);
        b->number[i] =
            ascending ? (uint32_t)((uint64_t)i * ids / b->count) : IDS - 1 - draw(ids);
        b->id[i] = id_of(b->number[i]);
        b->weight[i] = (int64_t)((uint64_t)draw(1 << 30) << 33) - draw(1000);
    }
}

static struct cell *cell_of(struct model *m, const struct batch *b, uint32_t i,
                            bool transposed) {
    uint32_t u = b->source[i], v = b->target[i];
    return &m->cell[transposed ? v : u][transposed ? u : v][b->number[i]];
}

static void model_insert(struct model *m, const struct batch *b, bool weighted,
                         bool transposed) {
    for (uint32_t i = 0; i < b->count; i++)
        *cell_of(m, b, i, transposed) = (struct cell){true, weighted ? b->weight[i] : 0};
}

static void model_delete(struct model *m, const struct batch *b, bool transposed) {
    for (uint32_t i = 0; i < b->count; i++)
        *cell_of(m, b, i, transposed) = (struct cell){false, 0};
}

/* ---- what is there ---- */

/* Checks the graph by its rows: no edge twice, the ids of a pair together and
** ascending. */
static void read_model(gpugraph_multigraph *g, struct model *m) {
    static uint64_t offset[SIDE + 1];
    static uint32_t target[CELLS];
    static int64_t id[CELLS], weight[CELLS];
    gpugraph_run run = {.threads = 2};
    uint64_t count = gpugraph_multigraph_edge_count(g);
    memset(m, 0, sizeof *m);
    m->n = gpugraph_multigraph_vertex_count(g);
    expect(count <= CELLS, "%llu edges", (unsigned long long)count);
    gpugraph_status status =
        gpugraph_multigraph_rows(g, &run, offset, target, id, weight);
    expect(status == GPUGRAPH_OK, "rows: %s", run.message);
    expect(offset[m->n] == count, "%llu edges in rows, %llu counted",
           (unsigned long long)offset[m->n], (unsigned long long)count);
    for (uint32_t u = 0; u < m->n; u++)
        for (uint64_t i = offset[u]; i < offset[u + 1]; i++) {
            expect(target[i] < m->n, "a target of %u", target[i]);
            struct cell *cell = &m->cell[u][target[i]][number_of(id[i])];
            expect(!cell->there, "%u -> %u, id %lld is there twice", u, target[i],
                   (long long)id[i]);
            *cell = (struct cell){true, weight[i]};
            for (uint64_t j = offset[u]; j < i; j++)
                expect(target[j] != target[i] ||
                           (target[j] == target[i - 1] && id[i - 1] < id[i]),
                       "%u -> %u: edges out of order", u, target[i]);
        }
}

static void check_rows(gpugraph_multigraph *g, const struct model *m) {
    static struct model got;
    read_model(g, &got);
    expect(got.n == m->n, "%u vertices, not %u", got.n, m->n);
    const struct cell *is = &got.cell[0][0][0], *should = &m->cell[0][0][0];
    for (int i = 0; i < CELLS; i++)
        expect(is[i].there == should[i].there && is[i].weight == should[i].weight,
               "%d -> %d, number %d: %d, %lld, not %d, %lld", i / IDS / SIDE,
               i / IDS % SIDE, i % IDS, is[i].there, (long long)is[i].weight,
               should[i].there, (long long)should[i].weight);
}

/* Checks rows of some vertices against the model. */
static void check_some(gpugraph_multigraph *g, const struct model *m, gpugraph_run *run) {
    static uint32_t target[SIDE * SIDE * IDS];
    static int64_t id[SIDE * SIDE * IDS], weight[SIDE * SIDE * IDS];
    uint32_t vertex[SIDE];
    uint64_t offset[SIDE + 1];
    const uint32_t count = draw(SIDE);
    for (uint32_t i = 0; i < count; i++)
        vertex[i] = draw(m->n);
    ck_assert_int_eq(
        gpugraph_multigraph_rows_of(g, count, vertex, run, offset, target, id, weight),
        GPUGRAPH_OK);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t cells = 0;
        for (uint32_t v = 0; v < SIDE; v++)
            for (uint32_t k = 0; k < IDS; k++)
                cells += m->cell[vertex[i]][v][k].there;
        expect(offset[i + 1] - offset[i] == cells, "vertex %u has not %llu edges",
               vertex[i], (unsigned long long)cells);
        for (uint64_t k = offset[i]; k < offset[i + 1]; k++) {
            const struct cell *cell = &m->cell[vertex[i]][target[k]][number_of(id[k])];
            expect(cell->there && cell->weight == weight[k], "%u -> %u", vertex[i],
                   target[k]);
        }
    }
}

static void check_queries(gpugraph_multigraph *g, struct model *m, gpugraph_run *run) {
    static struct batch b;
    random_batch(&b, m->n);
    gpugraph_status status = gpugraph_multigraph_query(g, b.count, b.source, b.target,
                                                       b.id, run, b.found, b.answer);
    expect(status == GPUGRAPH_OK, "query: %s", run->message);
    for (uint32_t i = 0; i < b.count; i++) {
        const struct cell *cell = cell_of(m, &b, i, false);
        expect(b.found[i] == cell->there && b.answer[i] == cell->weight,
               "%u -> %u, id %lld: %d, %lld", b.source[i], b.target[i],
               (long long)b.id[i], b.found[i], (long long)b.answer[i]);
    }
}

/* ---- lives: a graph and its reverse, or a symmetric one; calls drawn for them ---- */

enum call { INSERT, DELETE, QUERY, ROWS, RESERVE, CALLS };

struct life {
    gpugraph_multigraph *graph, *reverse; /* reverse: NULL for a symmetric graph */
    struct model model, transposed;
    enum call call;
    bool weighted;
    uint32_t vertices;
};

static struct batch batch;

static void begin_life(struct life *l, uint64_t seed, gpugraph_run *run) {
    static const double loads[] = {0, 0.3, 3, 8};
    luck = seed;
    memset(l, 0, sizeof *l);
    gpugraph_dynamic_options options = {1 + draw(SIDE), false, loads[seed / 2 % 4]};
    l->model.n = l->transposed.n = options.vertices;
    expect(!gpugraph_multigraph_create(&options, run, &l->graph), "%s", run->message);
    if (seed % 3)
        expect(!gpugraph_multigraph_create(&options, run, &l->reverse), "%s",
               run->message);
}

static void end_life(struct life *l) {
    gpugraph_multigraph_free(l->graph);
    gpugraph_multigraph_free(l->reverse);
}

static void draw_call(struct life *l, int round) {
    static const enum call often[] = {INSERT, INSERT, INSERT, DELETE,
                                      DELETE, QUERY,  ROWS,   RESERVE};
    l->call = round == 0 ? INSERT : often[draw(sizeof often / sizeof *often)];
    random_batch(&batch, l->model.n);
    l->weighted = draw(4) > 0;
    l->vertices = l->model.n + draw(SIDE + 1 - l->model.n);
}

/* Part 0 of the call changes the graph, part 1 the transpose. */
static gpugraph_status call_part(struct life *l, int part, gpugraph_run *run) {
    static uint64_t offset[SIDE + 1];
    gpugraph_multigraph *g = part && l->reverse ? l->reverse : l->graph;
    const uint32_t *from = part ? batch.target : batch.source;
    const uint32_t *to = part ? batch.source : batch.target;
    const int64_t *weight = l->weighted ? batch.weight : NULL;
    uint64_t before = gpugraph_multigraph_edge_count(g), changed = 0;
    switch (l->call) {
    case INSERT:
        gpugraph_multigraph_insert(g, batch.count, from, to, batch.id, weight, run,
                                   &changed);
        expect(gpugraph_multigraph_edge_count(g) == before + changed, "insert");
        break;
    case DELETE:
        gpugraph_multigraph_delete(g, batch.count, from, to, batch.id, run, &changed);
        expect(gpugraph_multigraph_edge_count(g) == before - changed, "delete");
        break;
    case QUERY:
        gpugraph_multigraph_query(g, batch.count, from, to, batch.id, run, batch.found,
                                  NULL);
        break;
    case ROWS:
        gpugraph_multigraph_rows(g, run, offset, NULL, NULL, NULL);
        break;
    default:
        gpugraph_multigraph_reserve(g, l->vertices, run);
    }
    return run->status;
}

static gpugraph_status make_call(struct life *l, gpugraph_run *run) {
    return call_part(l, 0, run) ? run->status : call_part(l, 1, run);
}

/* For a symmetric graph both models describe the one graph. */
static void model_call(struct life *l) {
    struct model *side[2] = {&l->model, l->reverse ? &l->transposed : &l->model};
    for (int part = 0; part < 2; part++) {
        if (l->call == INSERT)
            model_insert(side[part], &batch, l->weighted, part);
        if (l->call == DELETE)
            model_delete(side[part], &batch, part);
        if (l->call == RESERVE)
            side[part]->n = l->vertices;
    }
}

static void check_life(struct life *l) {
    check_rows(l->graph, &l->model);
    if (l->reverse)
        check_rows(l->reverse, &l->transposed);
}

START_TEST(random_lives) {
    if (absent(_i))
        return;
    static struct life l;
    for (uint64_t seed = 0; seed < 60; seed++) {
        gpugraph_run run = {.backend = test_backends[_i], .threads = 1 + (int)seed % 4};
        if (left_out(seed))
            continue;
        begin_life(&l, seed, &run);
        for (int round = 0; round < 12; round++) {
            draw_call(&l, round);
            for (int again = draw(3) == 0; again >= 0; again--)
                expect(make_call(&l, &run) == GPUGRAPH_OK, "%s", run.message);
            model_call(&l);
            check_life(&l);
            check_queries(l.graph, &l.model, &run);
            check_some(l.graph, &l.model, &run);
        }
        end_life(&l);
    }
}
END_TEST

/* Deleting one of two parallel edges keeps the other; its slot is used again. */
START_TEST(one_of_two) {
    if (absent(_i))
        return;
    gpugraph_run run = {.backend = test_backends[_i]};
    gpugraph_dynamic_options options = {2, false, 0};
    gpugraph_multigraph *g;
    const uint32_t source[] = {0, 0}, target[] = {1, 1};
    const int64_t id[] = {8, 7}, weight[] = {80, -70};
    uint64_t changed, offset[3];
    int64_t left, of;
    ck_assert_int_eq(gpugraph_multigraph_create(&options, &run, &g), GPUGRAPH_OK);
    gpugraph_multigraph_insert(g, 2, source, target, id, weight, &run, &changed);
    ck_assert_uint_eq(changed, 2);
    for (int i = 0; i < 100; i++) {
        gpugraph_multigraph_delete(g, 1, source, target, id + i % 2, &run, &changed);
        ck_assert_uint_eq(changed, 1);
        ck_assert_uint_eq(gpugraph_multigraph_edge_count(g), 1);
        gpugraph_multigraph_rows(g, &run, offset, NULL, &left, &of);
        ck_assert_int_eq(left, id[1 - i % 2]);
        ck_assert_int_eq(of, weight[1 - i % 2]);
        gpugraph_multigraph_insert(g, 1, source, target, id + i % 2, weight + i % 2, &run,
                                   &changed);
        ck_assert_uint_eq(changed, 1);
    }
    int64_t bytes = 0;
    for (int i = 0; i < 500; i++) {
        gpugraph_multigraph_delete(g, 2, source, target, id, &run, &changed);
        ck_assert_uint_eq(changed, 2);
        gpugraph_multigraph_insert(g, 2, source, target, id, weight, &run, &changed);
        if (i == 50)
            bytes = gpugraph_multigraph_bytes(g);
    }
    ck_assert_int_le(gpugraph_multigraph_bytes(g), bytes + 4096);
    gpugraph_multigraph_free(g);
}
END_TEST

/* Many edges between the same two vertices, and many vertices with one edge each. */
START_TEST(long_chains_and_short_ones) {
    if (absent(_i))
        return;
    enum { MANY = 50000 };
    gpugraph_run run = {.backend = test_backends[_i], .threads = 2};
    gpugraph_dynamic_options options = {MANY, false, 0};
    gpugraph_multigraph *g;
    uint32_t *source = calloc(2 * MANY, sizeof *source);
    uint32_t *target = calloc(2 * MANY, sizeof *target);
    int64_t *id = calloc(2 * MANY, sizeof *id);
    bool *found = calloc(2 * MANY, sizeof *found);
    uint64_t changed;
    for (uint32_t i = 0; i < MANY; i++) {
        source[i] = 3;
        target[i] = 5;
        source[MANY + i] = i;
        target[MANY + i] = (uint32_t)((uint64_t)i * 7919 % MANY);
        id[i] = id[MANY + i] = (int64_t)((uint64_t)i * 48271 % MANY);
    }
    ck_assert_int_eq(gpugraph_multigraph_create(&options, &run, &g), GPUGRAPH_OK);
    gpugraph_multigraph_insert(g, 2 * MANY, source, target, id, NULL, &run, &changed);
    uint64_t expected = 2 * MANY - (target[MANY + 3] == 5); /* not the same edge twice */
    ck_assert_uint_eq(changed, expected);
    gpugraph_multigraph_delete(g, MANY, source, target, id, &run, &changed);
    ck_assert_uint_eq(changed, MANY);
    gpugraph_multigraph_query(g, 2 * MANY, source, target, id, &run, found, NULL);
    for (uint32_t i = 0; i < 2 * MANY; i++)
        expect(found[i] == (i >= MANY), "edge %u", i);
    gpugraph_multigraph_free(g);
    free(source);
    free(target);
    free(id);
    free(found);
}
END_TEST

/* ---- faults ---- */

static int askings; /* the poll that returns 1; 0 and below: none */

static int answer(void *listener) {
    (void)listener;
    return --askings == 0;
}

/* After a failure each edge is as before the call or as after it. In a symmetric graph
** the second half of the call may not yet have set the weight. */
static void check_between(gpugraph_multigraph *g, const struct model *before,
                          const struct model *after, bool symmetric) {
    static struct model got;
    read_model(g, &got);
    const struct cell *is = &got.cell[0][0][0], *was = &before->cell[0][0][0];
    const struct cell *should = &after->cell[0][0][0];
    for (int i = 0; i < CELLS; i++)
        expect((is[i].there == was[i].there && is[i].weight == was[i].weight) ||
                   (is[i].there == should[i].there &&
                    (is[i].weight == should[i].weight || symmetric)),
               "cell %d after a failure", i);
}

/* Makes step n of the call in this round fail. Returns false if it has fewer steps. */
static bool fail_call(uint64_t seed, int round, int n, bool of_memory) {
    static struct life l;
    static struct model before, transposed;
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = 1};
    long held = heap_blocks();
    begin_life(&l, seed, &run);
    for (int past = 0; past < round; past++) {
        draw_call(&l, past);
        expect(make_call(&l, &run) == GPUGRAPH_OK, "round %d: %s", past, run.message);
        model_call(&l);
    }
    before = l.model;
    transposed = l.transposed;
    draw_call(&l, round);
    run.interrupted = answer;
    askings = of_memory ? 0 : n;
    if (of_memory)
        fail_from(n, false);
    leaping = !of_memory;
    gpugraph_status status = make_call(&l, &run);
    leaping = false;
    bool hit = of_memory ? fail_no_more() : askings <= 0;
    gpugraph_status wanted = !hit        ? GPUGRAPH_OK
                             : of_memory ? GPUGRAPH_NO_MEMORY
                                         : GPUGRAPH_INTERRUPTED;
    expect(status == wanted, "seed %d, round %d, call %d, fault %d: %s", (int)seed, round,
           l.call, n, run.message);
    askings = 0;
    model_call(&l);
    if (hit) {
        check_between(l.graph, &before, &l.model, !l.reverse);
        if (l.reverse)
            check_between(l.reverse, &transposed, &l.transposed, false);
        expect(make_call(&l, &run) == GPUGRAPH_OK, "again: %s", run.message);
    }
    check_life(&l);
    end_life(&l);
    expect(heap_blocks() == held, "call %d, fault %d: %ld blocks leak", l.call, n,
           heap_blocks() - held);
    return hit;
}

START_TEST(allocations) {
    for (int round = 0; round < 10; round++)
        for (int n = 1;
             left_out((uint64_t)(n + round)) || fail_call((uint64_t)_i, round, n, true);
             n++)
            ;
}
END_TEST

START_TEST(interrupts) {
    for (int round = 0; round < 6; round++)
        for (int n = 1;
             left_out((uint64_t)(n + round)) || fail_call((uint64_t)_i, round, n, false);
             n++)
            ;
}
END_TEST

START_TEST(creations) {
    gpugraph_dynamic_options options = {SIDE, false, 0};
    bool hit = true;
    for (int n = 1; hit; n++) {
        gpugraph_run run = {.backend = GPUGRAPH_CPU};
        gpugraph_multigraph *g;
        long held = heap_blocks();
        fail_from(n, false);
        gpugraph_multigraph_create(&options, &run, &g);
        hit = fail_no_more();
        expect(run.status == (hit ? GPUGRAPH_NO_MEMORY : GPUGRAPH_OK), "%s", run.message);
        expect(!g == hit, "allocation %d", n);
        gpugraph_multigraph_free(g);
        expect(heap_blocks() == held, "allocation %d leaks", n);
    }
}
END_TEST

START_TEST(wrong_arguments) {
    if (absent(_i))
        return;
    gpugraph_run run = {.backend = test_backends[_i]};
    gpugraph_dynamic_options options = {3, false, 0};
    gpugraph_multigraph *g;
    const uint32_t source[] = {0, 1}, target[] = {1, 3};
    const int64_t id[] = {1, 2};
    ck_assert_int_eq(gpugraph_multigraph_create(&options, &run, &g), GPUGRAPH_OK);
    ck_assert_int_eq(
        gpugraph_multigraph_insert(g, 2, source, target, id, NULL, &run, NULL),
        GPUGRAPH_INVALID);
    ck_assert_str_eq(run.message,
                     "vertex 3 is named, but the graph has 3: reserve it first");
    ck_assert_uint_eq(gpugraph_multigraph_edge_count(g), 0);
    ck_assert_int_eq(gpugraph_multigraph_insert(g, 0, NULL, NULL, NULL, NULL, &run, NULL),
                     GPUGRAPH_OK);
    gpugraph_multigraph_free(g);
    gpugraph_multigraph_free(NULL);
}
END_TEST

const struct suite suite = {
    "multigraph",
    {{"multigraph", .timeout = 120,
      .cases = {{&random_lives, BACKENDS},
                {&one_of_two, BACKENDS},
                {&long_chains_and_short_ones, BACKENDS},
                {&wrong_arguments, BACKENDS}}},
     {"faults", .tags = "serial", .timeout = 120,
      .cases = {{&creations}, {&allocations, CALLS}, {&interrupts, CALLS}}}},
};
