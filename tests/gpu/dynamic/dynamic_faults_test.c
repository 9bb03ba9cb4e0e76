/* Every allocation of every call on a dynamic graph fails once, and every call is
** interrupted at every point. After the failure the graph has exactly the edges that it
** should have, its counts are right, and the call works when it is repeated; nothing
** leaks. The calls come from random histories, so that arenas must grow and must be
** compacted. (Check allocates wherever it asserts, so the test uses expect.) */
/* ctest: whole-batches wrap=memory wrap=clock_gettime */
#include "dynamic_model.h"
#include "suite.h"
#include "failing_memory.h"
#include "leaping_clock.h"
#include "share.h"
#include "graph_data.h"

/* ---- lives: a graph and its reverse, and calls drawn for them ---- */

enum call { INSERT, DELETE, CLEAN, VERTICES, QUERY, ROWS, TRIANGLES, RESERVE, ADD };

struct life {
    gpugraph_dynamic *graph, *reverse;
    gpugraph_dynamic_options options;
    uint32_t most; /* edges of a batch */
    bool swings;   /* fills and empties: arenas end, or have mostly free pieces */
    int threads;
    struct model model;
    /* the next call */
    enum call call;
    uint32_t gone[8], gone_count, vertices;
};

static struct batch batch, turned; /* the next call's */

static void all_edges(const struct model *m) {
    batch.count = 0;
    for (uint32_t u = 0; u < SIDE; u++)
        for (uint32_t v = 0; v < SIDE; v++)
            if (m->value[u][v] != ABSENT) {
                batch.source[batch.count] = u;
                batch.target[batch.count++] = v;
            }
}

/* The edges of a batch that is longer than random ones. */
static void lengthen(uint32_t n, uint32_t count) {
    for (; batch.count < count; batch.count++) {
        batch.source[batch.count] = draw(n);
        batch.target[batch.count] = draw(n);
        batch.value[batch.count] = draw(1000000);
    }
}

static void draw_call(struct life *l, int round) {
    static const enum call often[] = {INSERT,  INSERT, INSERT,  DELETE, DELETE,
                                      CLEAN,   CLEAN,  QUERY,   ROWS,   TRIANGLES,
                                      RESERVE, ADD,    VERTICES};
    static const enum call swing[] = {INSERT, DELETE, CLEAN};
    const uint32_t n = l->model.n;
    l->call = l->swings    ? swing[round % 3]
              : round == 0 ? INSERT
                           : often[draw(sizeof often / sizeof *often)];
    if (l->call == ADD && n + 2 > SIDE)
        l->call = CLEAN;
    random_batch(&batch, n, l->most);
    if (l->most == MOST_BATCH || (l->swings && draw(2)))
        lengthen(n, l->most);
    if (draw(3) == 0)
        sort_batch(&batch);
    if (l->call == DELETE && (l->swings || draw(2)))
        all_edges(&l->model);
    turn_batch(&batch, &turned);
    l->gone_count = draw(8);
    for (uint32_t i = 0; i < l->gone_count; i++)
        l->gone[i] = draw(n);
    l->vertices = n + draw(SIDE + 1 - n);
}

static gpugraph_status call_insert(gpugraph_dynamic *d, const struct batch *b,
                                   bool valued, gpugraph_run *run) {
    uint64_t before = gpugraph_dynamic_edge_count(d), added = 0;
    gpugraph_dynamic_insert(d, b->count, b->source, b->target, valued ? b->value : NULL,
                            run, &added);
    expect(gpugraph_dynamic_edge_count(d) == before + added, "insert: %s", run->message);
    return run->status;
}

static gpugraph_status call_delete(gpugraph_dynamic *d, const struct batch *b,
                                   gpugraph_run *run) {
    uint64_t before = gpugraph_dynamic_edge_count(d), removed = 0;
    gpugraph_dynamic_delete(d, b->count, b->source, b->target, run, &removed);
    expect(gpugraph_dynamic_edge_count(d) == before - removed, "delete: %s",
           run->message);
    return run->status;
}

/* Part 0 of the call changes the graph, part 1 its reverse. */
static gpugraph_status call_part(struct life *l, int part, gpugraph_run *run) {
    static uint64_t offset[SIDE + 1], count;
    static uint32_t target[SIDE * SIDE], value[SIDE * SIDE], vertex;
    gpugraph_dynamic *d = part ? l->reverse : l->graph;
    const struct batch *b = part ? &turned : &batch;
    switch (l->call) {
    case INSERT:
        return call_insert(d, b, l->options.valued, run);
    case DELETE:
        return call_delete(d, b, run);
    case CLEAN:
        return gpugraph_dynamic_clean(d, run);
    case VERTICES: /* both at once */
        return part ? GPUGRAPH_OK
                    : gpugraph_dynamic_delete_vertices(d, l->reverse, l->gone_count,
                                                       l->gone, run);
    case QUERY:
        return gpugraph_dynamic_query(d, b->count, b->source, b->target, run,
                                      batch.answer);
    case ROWS:
        return gpugraph_dynamic_rows(d, run, offset, target, value);
    case TRIANGLES:
        return gpugraph_dynamic_triangles(d, run, &count);
    case RESERVE:
        return gpugraph_dynamic_reserve(d, l->vertices, run);
    default: /* ADD: the reverse follows */
        return part ? gpugraph_dynamic_reserve(d, gpugraph_dynamic_vertex_count(l->graph),
                                               run)
                    : gpugraph_dynamic_add_vertex(d, run, &vertex);
    }
}

static gpugraph_status make_call(struct life *l, gpugraph_run *run) {
    return call_part(l, 0, run) ? run->status : call_part(l, 1, run);
}

static void model_call(struct life *l) {
    struct model *m = &l->model;
    if (l->call == INSERT)
        model_insert(m, &batch, l->options.valued);
    if (l->call == DELETE)
        model_delete(m, &batch);
    for (uint32_t i = 0; l->call == VERTICES && i < l->gone_count; i++)
        model_delete_vertex(m, l->gone[i]);
    m->n = l->call == RESERVE ? l->vertices : gpugraph_dynamic_vertex_count(l->graph);
}

static void check_life(const struct life *l) {
    static struct model reversed;
    turn_model(&l->model, &reversed);
    check_rows(l->graph, &l->model, l->options.valued);
    check_rows(l->reverse, &reversed, l->options.valued);
}

static bool in_batch(const struct batch *b, uint32_t u, uint32_t v, uint32_t value) {
    for (uint32_t i = 0; i < b->count; i++)
        if (b->source[i] == u && b->target[i] == v && b->value[i] == value)
            return true;
    return false;
}

/* After a failure each edge is as before, or as the call should have made it (or as an
** item of the batch for that edge). */
static void check_between(gpugraph_dynamic *d, const struct model *before,
                          const struct model *after, const struct batch *b, bool valued) {
    static struct model got;
    read_model(d, &got, valued);
    for (uint32_t u = 0; u < SIDE; u++)
        for (uint32_t v = 0; v < SIDE; v++) {
            uint32_t is = got.value[u][v], was = before->value[u][v];
            uint32_t should = after->value[u][v];
            expect(is == was || is == should ||
                       (is != ABSENT && should != ABSENT && in_batch(b, u, v, is)),
                   "%u -> %u is %u, was %u, should be %u", u, v, is, was, should);
        }
}

/* ---- faults ---- */

static bool of_memory;
static int askings; /* interrupts: the poll that returns 1; 0 and below: none */

static int answer(void *listener) {
    (void)listener;
    return --askings == 0;
}

static void fault_at(int n) {
    askings = 0;
    if (of_memory)
        fail_from(n, false);
    else
        askings = n;
    leaping = !of_memory;
}

/* Was there one? */
static bool fault_over(void) {
    leaping = false;
    return of_memory ? fail_no_more() : askings <= 0;
}

static void play(struct life *l, int rounds) {
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = l->threads};
    clear_model(&l->model, l->options.vertices);
    expect(!gpugraph_dynamic_create(&l->options, &run, &l->graph), "%s", run.message);
    expect(!gpugraph_dynamic_create(&l->options, &run, &l->reverse), "%s", run.message);
    for (int round = 0; round < rounds; round++) {
        draw_call(l, round);
        expect(make_call(l, &run) == GPUGRAPH_OK, "round %d: %s", round, run.message);
        model_call(l);
    }
}

static void end(struct life *l) {
    gpugraph_dynamic_free(l->graph);
    gpugraph_dynamic_free(l->reverse);
}

/* Runs the n-th fault in the call of that round. Returns false if the call has fewer. */
static bool fail_call(struct life l, uint64_t seed, int round, int n) {
    static struct model before, turned_before, turned_after;
    gpugraph_run run = {.threads = l.threads, .interrupted = answer};
    luck = seed;
    long held = heap_blocks();
    play(&l, round);
    before = l.model;
    draw_call(&l, round);
    fault_at(n);
    gpugraph_status status = make_call(&l, &run);
    bool hit = fault_over(), valued = l.options.valued;
    gpugraph_status wanted = !hit        ? GPUGRAPH_OK
                             : of_memory ? GPUGRAPH_NO_MEMORY
                                         : GPUGRAPH_INTERRUPTED;
    expect(status == wanted, "round %d, call %d, fault %d: %s", round, l.call, n,
           run.message);
    model_call(&l);
    if (hit) {
        turn_model(&before, &turned_before);
        turn_model(&l.model, &turned_after);
        check_between(l.graph, &before, &l.model, &batch, valued);
        check_between(l.reverse, &turned_before, &turned_after, &turned, valued);
        expect(make_call(&l, &run) == GPUGRAPH_OK, "again: %s", run.message);
        model_call(&l);
    }
    check_life(&l);
    for (int i = 0; hit && i < 2; i++) { /* no number is returned twice */
        draw_call(&l, 0);
        expect(make_call(&l, &run) == GPUGRAPH_OK, "and after it: %s", run.message);
        model_call(&l);
        check_life(&l);
    }
    end(&l);
    expect(heap_blocks() == held, "round %d, call %d, fault %d: %ld blocks leak", round,
           l.call, n, heap_blocks() - held);
    return hit;
}

static void fail_everywhere(int seed, bool swings, uint32_t most, int rounds) {
    static const double loads[] = {0, 0.3, 3, 8};
    struct life l = {.most = most, .swings = swings, .threads = 1};
    luck = (uint64_t)seed;
    l.options.vertices = swings ? SIDE : 1 + draw(SIDE);
    l.options.valued = seed % 2;
    l.options.load = loads[seed / 2 % 4];
    if (!of_memory && seed % 3 == 0)
        l.threads = 3;
    for (int round = 0; round < rounds; round++)
        for (int n = 1;
             left_out((uint64_t)(n + round)) || fail_call(l, (uint64_t)seed, round, n);
             n++)
            ;
}

START_TEST(allocations) {
    of_memory = true;
    fail_everywhere(_i, _i >= 8, 3000, _i >= 8 ? 10 : 14);
}
END_TEST

/* Long batches, for interrupts in their middle; and short ones, for rare steps. */
START_TEST(interrupts) {
    of_memory = false;
    if (_i < 4)
        fail_everywhere(_i, false, MOST_BATCH, 5);
    else
        fail_everywhere(_i, _i % 2, 3000, 10);
}
END_TEST

START_TEST(creations) {
    of_memory = true;
    gpugraph_dynamic_options options = {SIDE, _i, 0};
    bool hit = true;
    for (int n = 1; hit; n++) {
        gpugraph_run run = {.backend = GPUGRAPH_CPU};
        gpugraph_dynamic *d;
        long held = heap_blocks();
        fault_at(n);
        gpugraph_dynamic_create(&options, &run, &d);
        hit = fault_over();
        expect(run.status == (hit ? GPUGRAPH_NO_MEMORY : GPUGRAPH_OK), "%s", run.message);
        expect(!d == hit, "allocation %d", n);
        gpugraph_dynamic_free(d);
        expect(heap_blocks() == held, "allocation %d: %ld blocks leak", n,
               heap_blocks() - held);
    }
}
END_TEST

const struct suite suite = {
    "dynamic_faults",
    {{"all", .timeout = 240,
      .cases = {{&creations, 2}, {&allocations, 16}, {&interrupts, 12}}}},
};
