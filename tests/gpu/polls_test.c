/* Every function and method polls for an interrupt often enough, whatever the shape of
** the graph: between two polls it enters at most MOST_BLOCKS basic blocks
** (support/blocks.h).
**
** The clock leaps whenever it is read (--wrap), so that no poll is left out for coming
** too soon after the one before it. One thread runs: the only one that polls. */
/* ctest: unsanitized wrap=clock_gettime */
#include "blocks.h"
#include "calls.h"
#include "expect.h"
#include "graphs.h"
#include "leaping_clock.h"
#include "suite.h"
#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 1 << 19 };

/* ---- shapes ---- */

static shape tiny_components(void) {
    shape s = shape_empty(EDGES / 2 * 3);
    s.name = "tiny components";
    for (uint32_t v = 0; v < s.vertices; v += 3) {
        shape_add(&s, v, v + 1);
        shape_add(&s, v + 1, v + 2);
    }
    return s;
}

static shape random_edges(void) {
    shape s = shape_random_edges(EDGES / 4, EDGES, 7);
    for (int64_t i = 0; i < s.edges; i++) { /* without a cycle, connected */
        const int64_t a = s.source[i], b = s.target[i];
        s.source[i] = a < b ? a : b;
        s.target[i] = a == b ? (a == s.vertices - 1 ? a : a + 1) : a < b ? b : a;
        if (s.source[i] == s.target[i])
            s.source[i]--;
    }
    for (uint32_t v = 1; v < s.vertices; v++)
        shape_add(&s, v - 1, v);
    s.name = "random";
    return s;
}

/* A row of all edges: searched along them, nothing else is. */
static shape huge_row(void) {
    shape s = shape_star(EDGES);
    s.name = "huge row";
    return s;
}

static shape ladder(uint32_t vertices) {
    shape s = shape_path(vertices);
    for (uint32_t v = 1; v < vertices; v++)
        shape_add(&s, v - 1, v);
    s.name = "ladder";
    return s;
}

/* Few vertices, so that a loop that counts these hardly polls. */
static shape dense(void) {
    shape s = shape_complete(1024);
    s.name = "dense";
    return s;
}

enum { CHAIN, HUGE_ROW, RANDOM, GRID, TINY, DENSE, LADDER, SHAPES };

static shape shape_at(int i) {
    switch (i) {
    case CHAIN:
        return shape_path(EDGES + 1);
    case HUGE_ROW:
        return huge_row();
    case RANDOM:
        return random_edges();
    case GRID:
        return shape_grid(512, 512);
    case TINY:
        return tiny_components();
    case DENSE:
        return dense();
    default:
        return ladder(1 << 14);
    }
}

static int64_t *weights_of(const shape *s) {
    int64_t *weight = malloc((size_t)s->edges * sizeof *weight);
    uint64_t state = 11;
    ck_assert_ptr_nonnull(weight);
    for (int64_t i = 0; i < s->edges; i++)
        weight[i] = 1 + (int64_t)(shape_random(&state) % 9);
    return weight;
}

static world make_world(int i) {
    shape s = shape_at(i);
    int64_t *weight = weights_of(&s);
    world w = {.name = s.name,
               .graph = shape_weighed(&s, false, weight, NULL),
               .n = s.vertices,
               .m = (uint64_t)s.edges,
               .far = s.vertices - 1,
               .direction = i == HUGE_ROW ? GPUGRAPH_OUT : GPUGRAPH_BOTH,
               .sources = 1};
    if (i == TINY) {
        w.far = 2;
        w.sources = w.n / 3;
    }
    w.source = calloc(w.sources, sizeof *w.source);
    for (uint32_t k = 0; k < w.sources; k++)
        w.source[k] = 3 * k;
    world_fill(&w);
    free(weight);
    shape_free(&s);
    return w;
}

/* ---- between two polls ---- */

/* Contracting a star takes a square of its edges: a call ends after that many polls. */
enum { MATRIX_POLLS = 500 };
static uint64_t polls, most_polls;

static int poll(void *unused) {
    (void)unused;
    blocks_end_gap();
    return ++polls == most_polls;
}

static void ask_one(const world *w, const question *q, const char *method,
                    const char *backend) {
    gpugraph_run run = {.threads = 1,
                        .method = method,
                        .backend =
                            strcmp(backend, "cpu") == 0 ? GPUGRAPH_CPU : GPUGRAPH_CUDA,
                        .interrupted = poll};
    polls = 0;
    most_polls = strcmp(q->function, "matrix") == 0 ? MATRIX_POLLS : 0;
    leaping = true;
    blocks_begin();
    q->ask(w, &run);
    const uint64_t longest = blocks_end();
    leaping = false;
    if (run.status == GPUGRAPH_INVALID) /* a method for another form of the function */
        return;
    expect(run.status == GPUGRAPH_OK || run.status == GPUGRAPH_INTERRUPTED,
           "%s, %s by %s: %s", w->name, q->function, method, run.message);
    expect(longest <= MOST_BLOCKS, "%s, %s by %s: %llu blocks without a poll", w->name,
           q->function, method, (unsigned long long)longest);
}

static bool present(const char *backend) {
    const char *backends = getenv("GPUGRAPH_TEST_BACKENDS");
    return strstr(backends ? backends : "cpu", backend) != NULL;
}

static void ask_by_all_methods(const world *w, const question *q) {
    const gpugraph_method *m;
    bool any = false;
    for (int i = 0; (m = gpugraph_method_at(i)); i++) {
        if (strcmp(m->function, q->function) != 0)
            continue;
        any = true;
        if (present(m->backend))
            ask_one(w, q, m->name, m->backend);
    }
    if (!any)
        ask_one(w, q, "auto", "cpu");
}

START_TEST(every_function_polls) {
    if ((_i == GRID || _i == LADDER) && left_out_of((uint64_t)_i, 3))
        return;
    world w = make_world(_i);
    for (int i = 0; i < question_count; i++) /* some read the answers of earlier ones */
        ask_by_all_methods(&w, &questions[i]);
    world_free(&w);
}
END_TEST

/* ---- memory ---- */

/* Every limit that is too small ends the call, the next one that is not lets it
** through, and whatever the call has taken it has given back. */
static void raise_limits(const world *w, const question *q, const char *method) {
    for (int64_t limit = 1;; limit *= 4) {
        gpugraph_run run = {.threads = 2,
                            .method = method,
                            .backend = GPUGRAPH_CPU,
                            .host_memory_limit = limit};
        q->ask(w, &run);
        if (run.status == GPUGRAPH_INVALID)
            return;
        expect(run.status == GPUGRAPH_OK ||
                   (run.status == GPUGRAPH_HOST_MEMORY &&
                    strstr(run.message, "host_memory_limit is exhausted")),
               "%s, %s by %s, limit %lld: %s", w->name, q->function, method,
               (long long)limit, run.message);
        expect(run.host_memory == 0 && run.held == 0,
               "%s, %s by %s, limit %lld: %lld bytes are left", w->name, q->function,
               method, (long long)limit, (long long)run.held);
        if (run.status == GPUGRAPH_OK)
            return;
    }
}

START_TEST(every_function_keeps_to_a_limit) {
    const gpugraph_method *m;
    world w = make_world(DENSE);
    for (int k = 0; k < question_count; k++) {
        raise_limits(&w, &questions[k], "auto");
        for (int i = 0; (m = gpugraph_method_at(i)); i++)
            if (strcmp(m->function, questions[k].function) == 0 &&
                strcmp(m->backend, "cpu") == 0)
                raise_limits(&w, &questions[k], m->name);
    }
    world_free(&w);
}
END_TEST

const struct suite suite = {
    "polls",
    {{"polls", .timeout = 240,
      .cases = {{&every_function_polls, SHAPES}, {&every_function_keeps_to_a_limit}}}},
};
