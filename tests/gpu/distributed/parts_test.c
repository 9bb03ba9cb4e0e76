/* Partitions against whole graphs: every function and kind of partition, 1 to 16
** partitions in threads, each with a slice of the edges; late partitions, failures,
** interrupts. */
#include "part_threads.h"
#include "distributed/partition/part.h"
#include "ids/ids.h"

#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PARTS = 16 };

/* ---- a shape in partitions ---- */

typedef struct job {
    const shape *s;
    uint64_t *source, *target; /* the edges of the shape, as shares have them */
    int64_t *edge_id;
    gpugraph_partition partition;
    gpugraph_direction direction;
    bool tree, late;
    uint64_t from[3];
    uint32_t from_count, max_depth;
    gpugraph_priority priority;
    const uint32_t *hash; /* a hash of each vertex */
    gpugraph_weight_type weights;
    const void *weight;
    const void *most; /* the largest distance, or NULL */
    gpugraph_component_kind kind;
    gpugraph_part_ranks ranks;
    /* by number */
    uint32_t *depth;
    uint64_t *parent;
    int64_t *edge;
    uint8_t *member;
    uint64_t *value; /* distances, components, ranks */
    uint64_t arcs;   /* sum over all partitions */
} job;

static void *block(uint64_t count, size_t size) {
    void *b = calloc(count + 1, size);
    ck_assert_ptr_nonnull(b);
    return b;
}

static job new_job(const shape *s) {
    const uint64_t n = s->vertices, m = (uint64_t)s->edges;
    job j = {.s = s,
             .source = block(m, 8),
             .target = block(m, 8),
             .edge_id = block(m, 8),
             .depth = block(n, 4),
             .parent = block(n, 8),
             .edge = block(n, 8),
             .member = block(n, 1),
             .value = block(n, 8)};
    for (uint64_t e = 0; e < m; e++) {
        j.source[e] = (uint64_t)s->source[e];
        j.target[e] = (uint64_t)s->target[e];
        j.edge_id[e] = (int64_t)e;
    }
    return j;
}

static void free_job(job *j) {
    void *blocks[] = {j->source, j->target, j->edge_id, j->depth,
                      j->parent, j->edge,   j->member,  j->value};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

static gpugraph_status part_of(const job *j, gpugraph_exchange *x, gpugraph_run *run,
                               bool simple, gpugraph_part **part) {
    const uint64_t m = (uint64_t)j->s->edges;
    const uint64_t low = gg_slice(m, (int)x->part, (int)x->parts),
                   high = gg_slice(m, (int)x->part + 1, (int)x->parts);
    const gpugraph_share share = {.vertices = j->s->vertices,
                                  .count = high - low,
                                  .source = j->source + low,
                                  .target = j->target + low,
                                  .weight_type = j->weights,
                                  .weight = j->weight ? (const uint64_t *)j->weight + low
                                                      : NULL,
                                  .edge_id = j->edge_id + low};
    if (j->late && x->part % 2)
        usleep(2000);
    gpugraph_status status =
        gpugraph_part_create(x, &share, j->partition,
                             simple ? GPUGRAPH_BOTH : j->direction, simple, run, part);
    return status;
}

static gpugraph_status search_part(void *job_, gpugraph_exchange *x, gpugraph_run *run) {
    job *j = job_;
    gpugraph_part *p;
    if (part_of(j, x, run, false, &p) != GPUGRAPH_OK)
        return run->status;
    const uint32_t n = gpugraph_part_masters(p);
    uint32_t *depth = calloc(n + 1, sizeof *depth);
    const gpugraph_part_tree tree = {calloc(n + 1, 8), calloc(n + 1, 8)};
    gpugraph_part_bfs(p, j->from, j->from_count, j->max_depth, run, depth,
                      j->tree ? &tree : NULL);
    for (uint32_t i = 0; run->status == GPUGRAPH_OK && i < n; i++) {
        const uint64_t v = gpugraph_part_numbers(p)[i];
        j->depth[v] = depth[i];
        j->parent[v] = tree.parent[i];
        j->edge[v] = tree.edge[i];
    }
    __atomic_fetch_add(&j->arcs, p->arcs, __ATOMIC_RELAXED);
    free(depth);
    free(tree.parent);
    free(tree.edge);
    gpugraph_part_free(p);
    return run->status;
}

static gpugraph_status choose_part(void *job_, gpugraph_exchange *x, gpugraph_run *run) {
    job *j = job_;
    gpugraph_part *p;
    if (part_of(j, x, run, true, &p) != GPUGRAPH_OK)
        return run->status;
    const uint32_t n = gpugraph_part_masters(p);
    uint8_t *member = calloc(n + 1, 1);
    uint32_t *hash = calloc(n + 1, 4);
    uint64_t *delivered = calloc(n + 1, 8);
    /* Each partition delivers a slice of the hashes by number. */
    const uint64_t low = gg_slice(j->s->vertices, (int)x->part, (int)x->parts),
                   high = gg_slice(j->s->vertices, (int)x->part + 1, (int)x->parts);
    uint64_t *number = calloc(high - low + 1, 8), *value = calloc(high - low + 1, 8);
    for (uint64_t v = low; v < high; v++) {
        number[v - low] = v;
        value[v - low] = j->hash[v];
    }
    if (gpugraph_part_deliver(p, run, high - low, number, value, delivered) ==
        GPUGRAPH_OK) {
        for (uint32_t i = 0; i < n; i++)
            hash[i] = (uint32_t)delivered[i];
        gpugraph_part_mis(p, j->priority, hash, run, member);
    }
    for (uint32_t i = 0; run->status == GPUGRAPH_OK && i < n; i++)
        j->member[gpugraph_part_numbers(p)[i]] = member[i];
    free(member);
    free(hash);
    free(delivered);
    free(number);
    free(value);
    gpugraph_part_free(p);
    return run->status;
}

/* Distances with their tree, components, ranks. */
static gpugraph_status value_part(void *job_, gpugraph_exchange *x, gpugraph_run *run,
                                  gpugraph_status find(const job *, gpugraph_part *,
                                                       gpugraph_run *, uint64_t *,
                                                       const gpugraph_part_tree *)) {
    job *j = job_;
    gpugraph_part *p;
    if (part_of(j, x, run, false, &p) != GPUGRAPH_OK)
        return run->status;
    const uint32_t n = gpugraph_part_masters(p);
    uint64_t *value = calloc(n + 1, 8);
    const gpugraph_part_tree tree = {calloc(n + 1, 8), calloc(n + 1, 8)};
    find(j, p, run, value, &tree);
    for (uint32_t i = 0; run->status == GPUGRAPH_OK && i < n; i++) {
        const uint64_t v = gpugraph_part_numbers(p)[i];
        j->value[v] = value[i];
        j->parent[v] = tree.parent[i];
        j->edge[v] = tree.edge[i];
    }
    free(value);
    free(tree.parent);
    free(tree.edge);
    gpugraph_part_free(p);
    return run->status;
}

static gpugraph_status distances(const job *j, gpugraph_part *p, gpugraph_run *run,
                                 uint64_t *value, const gpugraph_part_tree *tree) {
    return gpugraph_part_sssp(p, j->from, j->from_count, j->most, run, value, tree);
}
static gpugraph_status components(const job *j, gpugraph_part *p, gpugraph_run *run,
                                  uint64_t *value, const gpugraph_part_tree *tree) {
    (void)tree;
    return gpugraph_part_components(p, j->kind, run, value);
}
static gpugraph_status ranks(const job *j, gpugraph_part *p, gpugraph_run *run,
                             uint64_t *value, const gpugraph_part_tree *tree) {
    uint32_t iterations;
    double change;
    (void)tree;
    return gpugraph_part_pagerank(p, &j->ranks, run, (double *)value, &iterations,
                                  &change);
}
static gpugraph_status distance_part(void *j, gpugraph_exchange *x, gpugraph_run *run) {
    return value_part(j, x, run, distances);
}
static gpugraph_status component_part(void *j, gpugraph_exchange *x, gpugraph_run *run) {
    return value_part(j, x, run, components);
}
static gpugraph_status rank_part(void *j, gpugraph_exchange *x, gpugraph_run *run) {
    return value_part(j, x, run, ranks);
}

/* ---- compared with the whole ---- */

static const char *const partition_name[] = {"by source", "by target", "grid"};

static void check_search(job *j, gpugraph_graph *graph, uint32_t parts) {
    const uint32_t n = j->s->vertices;
    uint32_t source[3], *depth = block(n, 4), *edge = block(n, 4);
    for (uint32_t i = 0; i < j->from_count; i++)
        source[i] = (uint32_t)j->from[i];
    const gpugraph_search whole = {.source = source,
                                   .source_count = j->from_count,
                                   .direction = j->direction,
                                   .max_depth = j->max_depth};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_bfs(graph, &whole, &run, depth, edge), GPUGRAPH_OK);
    run = (gpugraph_run){.threads = 1};
    expect(gpugraph_in_parts(parts, search_part, j, &run) == GPUGRAPH_OK, "%s: %s",
           j->s->name, run.message);
    for (uint32_t v = 0; v < n; v++) {
        expect(j->depth[v] == depth[v],
               "%s, %u parts %s, direction %d: %u is at %u, not %u", j->s->name, parts,
               partition_name[j->partition], j->direction, v, j->depth[v], depth[v]);
        if (!j->tree)
            continue;
        const bool root = edge[v] == GPUGRAPH_NONE;
        expect(root ? j->parent[v] == UINT64_MAX
                    : j->edge[v] == edge[v] &&
                          j->parent[v] == gpugraph_other_end(graph, edge[v], v),
               "%s, %u parts %s: %u is reached by %lld from %lld, not by %u", j->s->name,
               parts, partition_name[j->partition], v, (long long)j->edge[v],
               (long long)j->parent[v], edge[v]);
    }
    free(depth);
    free(edge);
}

static void check_set(job *j, gpugraph_graph *graph, uint32_t parts, int64_t seed) {
    const uint32_t n = j->s->vertices;
    uint8_t *member = block(n, 1);
    uint32_t *hash = block(n, 4);
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_mis(graph, j->priority, seed, &run, member), GPUGRAPH_OK);
    ck_assert_int_eq(gg_hash_ids(graph, seed, &run, hash), GPUGRAPH_OK);
    j->hash = hash;
    run = (gpugraph_run){.threads = 1};
    expect(gpugraph_in_parts(parts, choose_part, j, &run) == GPUGRAPH_OK, "%s: %s",
           j->s->name, run.message);
    for (uint32_t v = 0; v < n; v++)
        expect(j->member[v] == member[v],
               "%s, %u parts %s, priority %d: %u is %d, not %d", j->s->name, parts,
               partition_name[j->partition], j->priority, v, j->member[v], member[v]);
    free(member);
    free(hash);
}

/* A distance of one graph, as partitions have it. */
static uint64_t as_word(gpugraph_distance_type type, const void *distance, uint32_t v) {
    if (type == GPUGRAPH_UINT32) {
        const uint32_t d = ((const uint32_t *)distance)[v];
        return d == UINT32_MAX ? UINT64_MAX : d;
    }
    return ((const uint64_t *)distance)[v];
}

static void check_distances(job *j, gpugraph_graph *graph, uint32_t parts) {
    const uint32_t n = j->s->vertices;
    uint32_t source[3], *edge = block(n, 4);
    uint64_t *distance = block(n, 8);
    for (uint32_t i = 0; i < j->from_count; i++)
        source[i] = (uint32_t)j->from[i];
    const gpugraph_search whole = {
        .source = source,
        .source_count = j->from_count,
        .direction = j->direction,
        .bounded = j->most != NULL,
        .max_distance = j->most ? *(const int64_t *)j->most : 0,
        .max_real_distance = j->most ? *(const double *)j->most : 0,
        .max_depth = UINT32_MAX};
    const gpugraph_distance_type type = gpugraph_distance_type_of(graph);
    gpugraph_run run = {.backend = GPUGRAPH_CPU}, together = {.threads = 1};
    gpugraph_sssp(graph, &whole, &run, distance, edge);
    expect(gpugraph_in_parts(parts, distance_part, j, &together) == run.status,
           "%s: %s, not %s", j->s->name, together.message, run.message);
    for (uint32_t v = 0; run.status == GPUGRAPH_OK && v < n; v++) {
        expect(j->value[v] == as_word(type, distance, v),
               "%s, %u parts %s, direction %d: %u is at %llx, not %llx", j->s->name,
               parts, partition_name[j->partition], j->direction, v,
               (unsigned long long)j->value[v],
               (unsigned long long)as_word(type, distance, v));
        expect(edge[v] == GPUGRAPH_NONE
                   ? j->parent[v] == UINT64_MAX
                   : j->edge[v] == edge[v] &&
                         j->parent[v] == gpugraph_other_end(graph, edge[v], v),
               "%s, %u parts %s: %u is reached by %lld from %lld, not by %u", j->s->name,
               parts, partition_name[j->partition], v, (long long)j->edge[v],
               (long long)j->parent[v], edge[v]);
    }
    free(distance);
    free(edge);
}

static void check_components(job *j, gpugraph_graph *graph, uint32_t parts) {
    uint32_t *component = block(j->s->vertices, 4);
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_components(graph, j->kind, &run, component), GPUGRAPH_OK);
    run = (gpugraph_run){.threads = 1};
    expect(gpugraph_in_parts(parts, component_part, j, &run) == GPUGRAPH_OK, "%s: %s",
           j->s->name, run.message);
    for (uint32_t v = 0; v < j->s->vertices; v++)
        expect(j->value[v] == component[v],
               "%s, %u parts %s, kind %d: %u is in %llu, not %u", j->s->name, parts,
               partition_name[j->partition], j->kind, v, (unsigned long long)j->value[v],
               component[v]);
    free(component);
}

static void check_ranks(job *j, gpugraph_graph *graph, uint32_t parts) {
    double *rank = block(j->s->vertices, 8);
    const uint32_t source[2] = {0, j->s->vertices - 1};
    const uint64_t place[2] = {0, j->s->vertices - 1};
    const uint32_t places = j->s->vertices < 2 || parts % 2 ? 0 : 2;
    const gpugraph_pagerank_options how = {.damping = 0.85,
                                           .tolerance = 1e-5,
                                           .iterations = 12,
                                           .direction = j->direction,
                                           .source = source,
                                           .source_count = places};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_pagerank(graph, &how, &run, rank), GPUGRAPH_OK);
    j->ranks = (gpugraph_part_ranks){0.85, 1e-5, 12, place, places};
    run = (gpugraph_run){.threads = 1};
    expect(gpugraph_in_parts(parts, rank_part, j, &run) == GPUGRAPH_OK, "%s: %s",
           j->s->name, run.message);
    for (uint32_t v = 0; v < j->s->vertices; v++)
        expect(memcmp(&j->value[v], &rank[v], sizeof *rank) == 0,
               "%s, %u parts %s, direction %d: %u has rank %.17g, not %.17g", j->s->name,
               parts, partition_name[j->partition], j->direction, v,
               ((const double *)j->value)[v], rank[v]);
    free(rank);
}

/* Weights: small ones, often 0; fractions that sums round; whole numbers whose sums leave
** the range. */
enum { SMALL, FRACTIONS, LOST, KINDS };

static void check_weights(const shape *s, uint64_t seed, uint32_t parts) {
    const uint64_t m = (uint64_t)s->edges;
    for (int kind = 0; kind < KINDS; kind++) {
        int64_t *whole = block(m, 8);
        double *real = block(m, 8);
        for (uint64_t e = 0; e < m; e++) {
            const uint64_t x = shape_random(&seed);
            whole[e] = kind == LOST ? (int64_t)(x >> 2) : (int64_t)(x % 5);
            real[e] = x % 3 == 0 ? 0 : x % 3 == 1 ? 1e-9 : (double)(x % 1000) / 7;
        }
        gpugraph_graph *graph = shape_weighed(s, false, kind == FRACTIONS ? NULL : whole,
                                              kind == FRACTIONS ? real : NULL);
        job j = new_job(s);
        const int64_t far = 6;
        const double farther = 100;
        j.weights = kind == FRACTIONS ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
        j.weight = kind == FRACTIONS ? (void *)real : (void *)whole;
        for (int i = 0; i < 4; i++) {
            j.partition = (gpugraph_partition)((seed + (uint64_t)i) % 3);
            j.direction = (gpugraph_direction)((seed + (uint64_t)i / 2) % 3);
            j.from_count = 1 + (uint32_t)i % 3;
            j.most = i < 3               ? NULL
                     : kind == FRACTIONS ? (const void *)&farther
                                         : (const void *)&far;
            for (uint32_t k = 0; k < j.from_count; k++)
                j.from[k] = shape_random(&seed) % s->vertices;
            check_distances(&j, graph, parts);
            if (i < 2)
                check_ranks(&j, graph, parts);
        }
        free_job(&j);
        gpugraph_free(graph);
        free(whole);
        free(real);
    }
}

static void check_shape(const shape *s, uint64_t seed, uint32_t parts) {
    gpugraph_graph *graph = shape_graph(s);
    job j = new_job(s);
    for (int i = 0; i < 6; i++) {
        j.partition = (gpugraph_partition)(i % 3);
        j.direction = (gpugraph_direction)((seed + (uint64_t)i / 3) % 3);
        j.late = i == 4;
        j.tree = i != 5;
        j.from_count = 1 + (uint32_t)(seed % 3);
        j.max_depth = i == 3 ? 3 : UINT32_MAX;
        for (uint32_t k = 0; k < j.from_count; k++)
            j.from[k] = s->vertices ? shape_random(&seed) % s->vertices : 0;
        if (s->vertices)
            check_search(&j, graph, parts);
        j.priority = (gpugraph_priority)((seed + (uint64_t)i) % 4);
        check_set(&j, graph, parts, (int64_t)seed);
        j.kind = i % 2 ? GPUGRAPH_STRONG : GPUGRAPH_WEAK;
        gg_limits.part_gathered = i < 4 ? 0 : 1 << 20;
        if (j.kind == GPUGRAPH_STRONG && j.direction == GPUGRAPH_BOTH)
            j.direction = GPUGRAPH_IN;
        check_components(&j, graph, parts);
        if (s->vertices && i > 3)
            check_ranks(&j, graph, parts);
    }
    if (s->vertices)
        check_weights(s, seed, parts);
    free_job(&j);
    gpugraph_free(graph);
}

START_TEST(small_shapes) {
    shape s;
    for (int i = 0; shape_small(i, (uint64_t)_i + 1, &s); i++) {
        if (!left_out((uint64_t)i))
            check_shape(&s, (uint64_t)(i + _i), 1 + (uint32_t)(i + 5 * _i) % MOST_PARTS);
        shape_free(&s);
    }
}
END_TEST

START_TEST(random_graphs) {
    uint64_t seed = (uint64_t)_i + 7;
    for (int i = 0; i < 30; i++) {
        const uint32_t n = (uint32_t)(shape_random(&seed) % 300) + 1;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (5 * n)), seed);
        if (!left_out((uint64_t)i))
            check_shape(&s, seed, 1 + (uint32_t)(shape_random(&seed) % MOST_PARTS));
        shape_free(&s);
    }
}
END_TEST

START_TEST(large_shapes) {
    shape shapes[] = {shape_rmat(11, 12, 5), shape_grid(40, 50), shape_grid(90, 100),
                      shape_star(3000), shape_comb(30, 20)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape_renumber(&shapes[i], i);
        check_shape(&shapes[i], i, 2 + (uint32_t)i);
        shape_free(&shapes[i]);
    }
}
END_TEST

/* Every arc is in one partition, whatever the kind of partition. */
START_TEST(arcs_are_in_one_part) {
    shape s = shape_rmat(9, 8, 3);
    job j = new_job(&s);
    j.from_count = 1;
    for (int i = 0; i < 9; i++) {
        gpugraph_run run = {.threads = 1};
        j.partition = (gpugraph_partition)(i % 3);
        j.direction = i / 3 < 2 ? (gpugraph_direction)(i / 3) : GPUGRAPH_BOTH;
        j.arcs = 0;
        ck_assert_int_eq(gpugraph_in_parts(6, search_part, &j, &run), GPUGRAPH_OK);
        uint64_t arcs = 0;
        for (int64_t e = 0; e < s.edges; e++)
            arcs += j.direction == GPUGRAPH_BOTH && s.source[e] != s.target[e] ? 2 : 1;
        ck_assert_uint_eq(j.arcs, arcs);
    }
    free_job(&j);
    shape_free(&s);
}
END_TEST

/* ---- failures ---- */

struct unlucky {
    job j;
    uint32_t who;
    int when; /* calls of the partition that succeed */
};

static gpugraph_status fail_sometime(void *unlucky, gpugraph_exchange *x,
                                     gpugraph_run *run) {
    struct unlucky *u = unlucky;
    uint64_t word[4] = {x->part, 1, 2, 3}, all[MOST_PARTS];
    for (int i = 0; i < 5; i++) {
        if (x->part == u->who && i == u->when)
            return gg_fail(run, GPUGRAPH_RANGE, "part %u stumbles", x->part);
        gpugraph_status status =
            i % 2 ? gg_combine(x, run, (gpugraph_combination)i, word, 4)
                  : gg_gather(x, run, word, sizeof *all, all);
        if (status != GPUGRAPH_OK)
            return status;
    }
    return GPUGRAPH_OK;
}

/* All partitions notice one that fails, or that leaves too early. */
START_TEST(one_part_fails) {
    for (uint32_t who = 0; who < 4; who++)
        for (int when = 0; when < 5; when++) {
            struct unlucky u = {.who = who, .when = when};
            gpugraph_run run = {.threads = 1};
            ck_assert_int_eq(gpugraph_in_parts(4, fail_sometime, &u, &run),
                             GPUGRAPH_RANGE);
            ck_assert_ptr_nonnull(strstr(run.message, "stumbles"));
        }
}
END_TEST

static gpugraph_status leave_early(void *nothing, gpugraph_exchange *x,
                                   gpugraph_run *run) {
    uint64_t word = 0;
    (void)nothing;
    return x->part == 1 ? GPUGRAPH_OK : gg_combine(x, run, GPUGRAPH_SUM, &word, 1);
}

START_TEST(one_part_leaves) {
    gpugraph_run run = {.threads = 1};
    ck_assert_int_eq(gpugraph_in_parts(3, leave_early, NULL, &run), GPUGRAPH_INVALID);
    ck_assert_int_eq(gpugraph_in_parts(0, leave_early, NULL, &run), GPUGRAPH_INVALID);
}
END_TEST

static gpugraph_status wrong_arguments(void *job_, gpugraph_exchange *x,
                                       gpugraph_run *run) {
    job *j = job_;
    gpugraph_part *p;
    uint8_t member[64];
    uint32_t depth[64];
    const gpugraph_part_tree tree = {NULL, NULL};
    const uint64_t beyond = j->s->vertices, *from = j->from;
    if (part_of(j, x, run, j->tree, &p) != GPUGRAPH_OK)
        return run->status;
    switch (j->max_depth) {
    case 0:
        gpugraph_part_bfs(p, &beyond, 1, 9, run, depth, NULL);
        break;
    case 1:
        gpugraph_part_mis(p, GPUGRAPH_BY_ID, NULL, run, member);
        break;
    case 2:
        gpugraph_part_mis(p, GPUGRAPH_BY_DEGREE, NULL, run, member);
        break;
    case 3:
        gpugraph_part_mis(p, (gpugraph_priority)9, NULL, run, member);
        break;
    default:
        gpugraph_part_bfs(p, from, 1, 9, run, depth, &tree);
    }
    const gpugraph_status status = run->status;
    gpugraph_part_free(p);
    return status;
}

START_TEST(arguments) {
    static const char *const sentence[] = {
        "source 5 is no vertex", "need a simple partition",
        "this priority needs a hash of each master", "there is no priority 9",
        "a tree needs edge ids"};
    shape s = shape_path(5);
    for (uint32_t i = 0; i < 5; i++) {
        job j = new_job(&s);
        gpugraph_run run = {.threads = 1};
        j.max_depth = i;
        j.tree = i > 1;
        ck_assert_int_eq(gpugraph_in_parts(2, wrong_arguments, &j, &run),
                         GPUGRAPH_INVALID);
        expect(strstr(run.message, sentence[i]) != NULL, "%s", run.message);
        free_job(&j);
    }
    job j = new_job(&s);
    gpugraph_run run = {.threads = 1};
    j.target[3] = 5;
    ck_assert_int_eq(gpugraph_in_parts(2, search_part, &j, &run), GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "is not below the 5 vertices"));
    free_job(&j);
    shape_free(&s);
}
END_TEST

static int after_some(void *left) {
    return --*(int *)left < 0;
}

START_TEST(interrupts) {
    shape s = shape_grid(100, 100);
    for (int i = 0; i < 4; i++) {
        job j = new_job(&s);
        int left = i;
        gpugraph_run run = {.threads = 1, .interrupted = after_some, .listener = &left};
        j.from_count = 1;
        j.max_depth = UINT32_MAX;
        j.partition = GPUGRAPH_GRID;
        const gpugraph_status status = gpugraph_in_parts(3, search_part, &j, &run);
        ck_assert(status == GPUGRAPH_INTERRUPTED || (i > 0 && status == GPUGRAPH_OK));
        free_job(&j);
    }
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "parts",
    {{"parts", .timeout = 240,
      .cases = {{&small_shapes, 3},
                {&random_graphs, 3},
                {&large_shapes},
                {&arcs_are_in_one_part},
                {&one_part_fails},
                {&one_part_leaves},
                {&arguments},
                {&interrupts}}}},
};
