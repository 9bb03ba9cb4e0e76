#include "graphs.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t shape_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void give_up(const char *name, const char *why) {
    fprintf(stderr, "%s: %s\n", name, why);
    abort();
}

static void *room_for(int64_t count, size_t size) {
    void *block = calloc((size_t)count + 1, size);
    if (!block)
        give_up("shape", "out of memory");
    return block;
}

/* ---- shapes ---- */

static shape shape_new(const char *name, uint32_t vertices, int64_t room) {
    shape s = {.name = name, .vertices = vertices, .room = room};
    s.source = room_for(room, sizeof *s.source);
    s.target = room_for(room, sizeof *s.target);
    return s;
}

void shape_free(shape *s) {
    free(s->source);
    free(s->target);
    *s = (shape){0};
}

void shape_add(shape *s, uint32_t source, uint32_t target) {
    if (s->edges == s->room) {
        s->room = 2 * s->room + 16;
        s->source = realloc(s->source, (size_t)s->room * sizeof *s->source);
        s->target = realloc(s->target, (size_t)s->room * sizeof *s->target);
        if (!s->source || !s->target)
            give_up(s->name, "out of memory");
    }
    s->source[s->edges] = source;
    s->target[s->edges++] = target;
}

shape shape_empty(uint32_t vertices) {
    return shape_new("empty", vertices, 0);
}

shape shape_path(uint32_t vertices) {
    shape s = shape_new("path", vertices, vertices);
    for (uint32_t v = 1; v < vertices; v++)
        shape_add(&s, v - 1, v);
    return s;
}

shape shape_cycle(uint32_t vertices) {
    shape s = shape_path(vertices);
    s.name = "cycle";
    shape_add(&s, vertices - 1, 0);
    return s;
}

shape shape_star(uint32_t leaves) {
    shape s = shape_new("star", leaves + 1, leaves);
    for (uint32_t v = 1; v <= leaves; v++)
        shape_add(&s, 0, v);
    return s;
}

shape shape_comb(uint32_t spine, uint32_t tooth) {
    shape s = shape_path(spine);
    s.name = "comb";
    s.vertices = spine * (1 + tooth);
    for (uint32_t v = 0; v < spine; v++)
        for (uint32_t i = 0; i < tooth; i++) {
            uint32_t at = spine + v * tooth + i;
            shape_add(&s, i == 0 ? v : at - 1, at);
        }
    return s;
}

shape shape_binary_tree(uint32_t levels) {
    uint32_t n = (1u << levels) - 1;
    shape s = shape_new("binary tree", n, n);
    for (uint32_t v = 1; v < n; v++)
        shape_add(&s, (v - 1) / 2, v);
    return s;
}

shape shape_grid(uint32_t rows, uint32_t columns) {
    shape s = shape_new("grid", rows * columns, 2 * (int64_t)rows * columns);
    for (uint32_t v = 0; v < s.vertices; v++) {
        if ((v + 1) % columns != 0)
            shape_add(&s, v, v + 1);
        if (v + columns < s.vertices)
            shape_add(&s, v, v + columns);
    }
    return s;
}

shape shape_complete(uint32_t vertices) {
    shape s = shape_new("complete", vertices, (int64_t)vertices * vertices / 2);
    for (uint32_t u = 0; u < vertices; u++)
        for (uint32_t v = u + 1; v < vertices; v++)
            shape_add(&s, u, v);
    return s;
}

shape shape_rmat(uint32_t scale, uint32_t edge_factor, uint64_t seed) {
    uint32_t n = 1u << scale;
    shape s = shape_new("rmat", n, (int64_t)n * edge_factor);
    for (int64_t e = 0; e < s.room; e++) {
        uint32_t source = 0, target = 0;
        for (uint32_t bit = 0; bit < scale; bit++) {
            uint64_t dice = shape_random(&seed) % 100; /* 57, 19, 19, 5 of 100 */
            source = source << 1 | (dice >= 76);
            target = target << 1 | ((dice >= 57 && dice < 76) || dice >= 95);
        }
        shape_add(&s, source, target);
    }
    return s;
}

shape shape_random_edges(uint32_t vertices, int64_t edges, uint64_t seed) {
    shape s = shape_new("random", vertices, edges);
    for (int64_t e = 0; e < edges; e++) {
        uint32_t source = (uint32_t)(shape_random(&seed) % vertices);
        shape_add(&s, source, (uint32_t)(shape_random(&seed) % vertices));
    }
    return s;
}

shape shape_beside(const char *name, shape first, shape second) {
    shape s =
        shape_new(name, first.vertices + second.vertices, first.edges + second.edges);
    for (int64_t e = 0; e < first.edges; e++)
        shape_add(&s, (uint32_t)first.source[e], (uint32_t)first.target[e]);
    for (int64_t e = 0; e < second.edges; e++)
        shape_add(&s, first.vertices + (uint32_t)second.source[e],
                  first.vertices + (uint32_t)second.target[e]);
    shape_free(&first);
    shape_free(&second);
    return s;
}

/* ---- changes ---- */

void shape_renumber(shape *s, uint64_t seed) {
    int64_t *number = room_for(s->vertices, sizeof *number);
    for (uint32_t v = 0; v < s->vertices; v++) {
        uint32_t other = (uint32_t)(shape_random(&seed) % (v + 1));
        number[v] = number[other];
        number[other] = v;
    }
    for (int64_t e = 0; e < s->edges; e++) {
        s->source[e] = number[s->source[e]];
        s->target[e] = number[s->target[e]];
    }
    free(number);
}

void shape_shuffle(shape *s, uint64_t seed) {
    for (int64_t e = s->edges - 1; e > 0; e--) {
        int64_t other = (int64_t)(shape_random(&seed) % (uint64_t)(e + 1));
        int64_t source = s->source[e], target = s->target[e];
        s->source[e] = s->source[other];
        s->target[e] = s->target[other];
        s->source[other] = source;
        s->target[other] = target;
    }
}

struct ends {
    int64_t source, target;
};

static int by_ends(const void *a, const void *b) {
    const struct ends *x = a, *y = b;
    int64_t before = x->source != y->source ? x->source : x->target;
    int64_t after = x->source != y->source ? y->source : y->target;
    return (before > after) - (before < after);
}

void shape_sort(shape *s) {
    struct ends *edge = room_for((uint64_t)s->edges + 1, sizeof *edge);
    for (int64_t e = 0; e < s->edges; e++)
        edge[e] = (struct ends){s->source[e], s->target[e]};
    qsort(edge, (size_t)s->edges, sizeof *edge, by_ends);
    for (int64_t e = 0; e < s->edges; e++) {
        s->source[e] = edge[e].source;
        s->target[e] = edge[e].target;
    }
    free(edge);
}

/* ---- the list of small shapes ---- */

/* Every kind of edge between two vertices, and one isolated vertex. */
static shape knot(void) {
    shape s = shape_new("knot", 4, 8);
    shape_add(&s, 1, 1);
    shape_add(&s, 1, 3);
    shape_add(&s, 1, 3);
    shape_add(&s, 3, 1);
    shape_add(&s, 3, 0);
    shape_add(&s, 0, 0);
    shape_add(&s, 0, 0);
    return s;
}

static shape one_loop(void) {
    shape s = shape_new("loop", 1, 1);
    shape_add(&s, 0, 0);
    return s;
}

static shape small_shape(int i, uint64_t seed) {
    switch (i) {
    case 0:
        return shape_empty(0);
    case 1:
        return shape_empty(1);
    case 2:
        return one_loop();
    case 3:
        return shape_empty(5);
    case 4:
        return knot();
    case 5:
        return shape_path(2);
    case 6:
        return shape_path(70);
    case 7:
        return shape_cycle(65);
    case 8:
        return shape_star(150);
    case 9:
        return shape_comb(20, 4);
    case 10:
        return shape_binary_tree(7);
    case 11:
        return shape_grid(9, 11);
    case 12:
        return shape_complete(24);
    case 13:
        return shape_rmat(7, 6, seed);
    case 14:
        return shape_random_edges(6, 20, seed);
    case 15:
        return shape_random_edges(90, 60, seed);
    case 16:
        return shape_random_edges(90, 300, seed);
    case 17:
        return shape_beside("two components", shape_grid(6, 6), shape_comb(9, 3));
    default:
        return shape_beside("many components", shape_random_edges(60, 30, seed),
                            shape_random_edges(50, 150, seed + 1));
    }
}

bool shape_small(int i, uint64_t seed, shape *s) {
    enum { SMALL = 19 };
    if (i >= 2 * SMALL)
        return false;
    *s = small_shape(i % SMALL, seed);
    if (i >= SMALL) {
        shape_renumber(s, seed + 2);
        shape_shuffle(s, seed + 3);
    }
    return true;
}

/* ---- graphs ---- */

gpugraph_edges shape_edges(const shape *s, int64_t *vertex) {
    for (uint32_t v = 0; v < s->vertices; v++)
        vertex[v] = v;
    gpugraph_edges edges = {.count = s->edges,
                            .source = {.value = s->source},
                            .target = {.value = s->target},
                            .vertex_count = s->vertices,
                            .vertex = {.value = vertex}};
    return edges;
}

gpugraph_graph *shape_weighed(const shape *s, bool changes, const int64_t *whole,
                              const double *real) {
    int64_t *vertex = room_for(s->vertices, sizeof *vertex);
    gpugraph_edges edges = shape_edges(s, vertex);
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    edges.vertex_count = changes ? 0 : edges.vertex_count;
    edges.weight = whole ? (const void *)whole : (const void *)real;
    edges.weight_type = whole  ? GPUGRAPH_INTEGER_WEIGHTS
                        : real ? GPUGRAPH_REAL_WEIGHTS
                               : GPUGRAPH_UNWEIGHTED;
    gpugraph_create(&edges, &run, &graph);
    if (run.status != GPUGRAPH_OK)
        give_up(s->name, run.message);
    free(vertex);
    return graph;
}

gpugraph_graph *shape_graph(const shape *s) {
    return shape_weighed(s, false, NULL, NULL);
}
