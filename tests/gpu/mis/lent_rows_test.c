/* Rows that a device reads in host memory (method "out-of-core" of gpu_mis) are returned
** before they change, move or are freed. A block that was not returned could not be lent
** again at its address, and its contents would be lost. The test checks both after each
** way of changing a graph. Without a device, rows are only marked as lent. */
/* ctest: threads-elsewhere */
#include "expect.h"
#include "graphs.h"
#include "suite.h"
#include "graph_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 400000, EDGES = 1000000, FEW = 10, MANY = EDGES / 4, SHORT = 28 << 20 };

typedef struct story {
    shape s;      /* edge i has the id i + 1 and a weight of i % 9 + 1 */
    int64_t gone; /* the number of first edges that are no longer in the graph */
    gpugraph_graph *graph;
    int64_t memory_limit;
    bool device, lends;
} story;

static gpugraph_edges edges_of(const shape *s, int64_t first, int64_t **columns) {
    int64_t count = s->edges - first, *id = malloc(sizeof *id * 2 * (size_t)count);
    ck_assert_ptr_nonnull(id);
    for (int64_t i = 0; i < count; i++) {
        id[i] = first + i + 1;
        id[count + i] = (first + i) % 9 + 1;
    }
    *columns = id;
    return (gpugraph_edges){.count = count,
                            .source.value = s->source + first,
                            .target.value = s->target + first,
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = id + count,
                            .edge_id = id};
}

static gpugraph_graph *graph_of(const shape *s, int64_t first) {
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    int64_t *columns;
    gpugraph_edges edges = edges_of(s, first, &columns);
    gpugraph_create(&edges, &run, &graph);
    ck_assert_msg(!run.status, "%s", run.message);
    free(columns);
    return graph;
}

static struct csr_slot *rows(const story *t) {
    return &t->graph->csr[CSR_SIMPLE];
}

static void find_set(gpugraph_graph *graph, bool device, int64_t memory_limit,
                     uint8_t *member) {
    gpugraph_run run = {.backend = device ? GPUGRAPH_CUDA : GPUGRAPH_CPU,
                        .method = device ? "out-of-core" : "rounds",
                        .memory_limit = memory_limit};
    gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 3, &run, member);
    ck_assert_msg(!run.status, "%s", run.message);
}

/* The set equals that of a graph made of the same edges, and rows are lent as at
** first. */
static void search(story *t, const char *when) {
    gpugraph_graph *other = graph_of(&t->s, t->gone);
    uint8_t *got = calloc(VERTICES, 1), *wanted = calloc(VERTICES, 1);
    gpugraph_run run = {0};
    ck_assert_int_eq(gpugraph_compact(t->graph, &run), GPUGRAPH_OK);
    find_set(t->graph, t->device, t->memory_limit, got);
    find_set(other, false, 0, wanted);
    expect(memcmp(got, wanted, VERTICES) == 0, "%s: another set", when);
    if (!t->device)
        rows(t)->lent = true;
    expect(rows(t)->lent == t->lends, "%s: lent %d", when, rows(t)->lent);
    free(got);
    free(wanted);
    gpugraph_free(other);
}

/* Removes the first `removed` edges and adds `added` edges. */
static void change(story *t, int64_t removed, int64_t added) {
    int64_t *gone = malloc(sizeof *gone * (size_t)(removed + 1)), *columns;
    gpugraph_run run = {0};
    for (int64_t i = 0; i < removed; i++)
        gone[i] = ++t->gone;
    uint64_t state = (uint64_t)t->s.edges;
    int64_t first = t->s.edges;
    for (int64_t i = 0; i < added; i++)
        shape_add(&t->s, (uint32_t)(shape_random(&state) % VERTICES),
                  (uint32_t)(shape_random(&state) % VERTICES));
    gpugraph_edges edges = edges_of(&t->s, first, &columns);
    gpugraph_changes changes = {
        .removed = gone, .removed_count = removed, .added = &edges};
    gpugraph_update(t->graph, &changes, &run);
    ck_assert_msg(!run.status, "%s", run.message);
    expect(!rows(t)->lent, "still lent after an update");
    free(columns);
    free(gone);
}

/* Gives an edge another weight, and removes an edge that does not exist. */
static void change_no_row(story *t) {
    int64_t id = t->gone + 1, weight = 7;
    gpugraph_run run = {0};
    gpugraph_edges same = {.count = 1,
                           .source.value = t->s.source + t->gone,
                           .target.value = t->s.target + t->gone,
                           .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                           .weight = &weight,
                           .edge_id = &id};
    gpugraph_changes changes = {.removed = &id, .removed_count = 1, .added = &same};
    struct csr_slot before = *rows(t);
    gpugraph_update(t->graph, &changes, &run);
    ck_assert_msg(!run.status, "%s", run.message);
    id = t->s.edges + 5;
    changes.added = NULL;
    ck_assert_int_eq(gpugraph_update(t->graph, &changes, &run), GPUGRAPH_INVALID);
    expect(memcmp(rows(t), &before, sizeof before) == 0, "rows that stay were touched");
}

/* INTEGER weights become REAL: the graph is rebuilt. */
static void change_weights(story *t) {
    const double weight = 0.5;
    gpugraph_run run = {0};
    shape_add(&t->s, 0, 1);
    gpugraph_edges one = {.count = 1,
                          .source.value = t->s.source + t->s.edges - 1,
                          .target.value = t->s.target + t->s.edges - 1,
                          .weight_type = GPUGRAPH_REAL_WEIGHTS,
                          .weight = &weight,
                          .edge_id = &t->s.edges};
    gpugraph_changes changes = {.added = &one};
    gpugraph_update(t->graph, &changes, &run);
    ck_assert_msg(!run.status, "%s", run.message);
    expect(!rows(t)->lent, "still lent after weights became REAL");
}

static void look_at_clone(const story *t) {
    gpugraph_graph *copy;
    gpugraph_run run = {0};
    ck_assert_int_eq(gpugraph_clone(t->graph, &run, &copy), GPUGRAPH_OK);
    expect(!copy->csr[CSR_SIMPLE].lent && rows(t)->lent == t->lends, "a clone is lent");
    gpugraph_free(copy);
}

static void tell_story(bool device, int64_t memory_limit) {
    story t = {.s = shape_random_edges(VERTICES, EDGES, 4),
               .device = device,
               .memory_limit = memory_limit,
               .lends = true};
    t.graph = graph_of(&t.s, 0);
    if (device) {
        uint8_t *member = calloc(VERTICES, 1);
        find_set(t.graph, true, memory_limit, member);
        t.lends = rows(&t)->lent;
        printf("rows are %s\n", t.lends ? "lent" : "copied: they cannot be registered");
        free(member);
    }
    search(&t, "at first");
    change_no_row(&t);
    search(&t, "after a change of weights");
    look_at_clone(&t);
    change(&t, FEW, FEW);
    search(&t, "after a small change");
    change(&t, 0, MANY);
    search(&t, "after blocks have moved");
    change(&t, MANY, 0);
    search(&t, "after many edges have gone");
    gpugraph_release_device(t.graph);
    expect(!device || !rows(&t)->lent, "still lent after the device was released");
    search(&t, "after that");
    change_weights(&t);
    search(&t, "after weights became REAL");
    gpugraph_free(t.graph);
    shape_free(&t.s);
}

START_TEST(without_a_device) {
    tell_story(false, 0);
}
END_TEST

START_TEST(targets) {
    if (gpugraph_cuda_usable(NULL))
        tell_story(true, 0);
}
END_TEST

START_TEST(with_little_memory) {
    if (gpugraph_cuda_usable(NULL))
        tell_story(true, SHORT);
}
END_TEST

const struct suite suite = {
    "lent_rows",
    {{"lent_rows", .timeout = 240,
      .cases = {{&without_a_device}, {&targets}, {&with_little_memory}}}},
};
