/* Makes the graphs of training_graphs.cuh: draws the undirected edges of a family and a
** weight for each edge, drops loops and repeats, and makes the CSR and the sources. */
#include "training_graphs.cuh"
#include "training_families.cuh"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

/* ---- the table: add new shapes at the end, because graphs have fixed numbers ---- */

static const shape shapes[] = {
    {GRID, 50, 50, 1},
    {GRID, 100, 100, 1},
    {GRID, 180, 250, 1},
    {GRID, 300, 300, 1},
    {GRID, 700, 700, 1},
    {GRID, 20, 4000, 1},
    {GRID, 400, 400, .7},
    {GRID, 900, 900, .85},
    {ROAD, 100, 100, .62},
    {ROAD, 200, 200, .60},
    {ROAD, 350, 350, .65},
    {ROAD, 500, 500, .60},
    {ROAD, 800, 800, .65},
    {ROAD, 1300, 1300, .62},
    {ROAD, 2000, 2000, .63},
    {ROAD, 100, 2500, .7},
    {MESH, 150, 150, 1},
    {MESH, 250, 250, 1},
    {MESH, 400, 400, 1},
    {MESH, 700, 700, 1},
    {MESH, 1200, 500, 1},
    {MESH, 1500, 1500, 1},
    {CUBE, 24, 24, 1},
    {CUBE, 36, 36, 1},
    {CUBE, 50, 50, 1},
    {CUBE, 80, 80, 1},
    {CUBE, 64, 64, .7},
    {CUBE, 16, 400, .8},
    {GEOMETRIC, 20000, 0, 7},
    {GEOMETRIC, 60000, 0, 10},
    {GEOMETRIC, 150000, 0, 6},
    {GEOMETRIC, 100000, 0, 14},
    {GEOMETRIC, 50000, 0, 30},
    {GEOMETRIC, 100000, 0, 22},
    {GEOMETRIC, 400000, 0, 9},
    {RANDOM, 10000, 0, 5},
    {RANDOM, 40000, 0, 4},
    {RANDOM, 300000, 0, 3},
    {RANDOM, 600000, 0, 4},
    {RANDOM, 100000, 0, 8},
    {RANDOM, 200000, 0, 12},
    {RANDOM, 80000, 0, 24},
    {RANDOM, 50000, 0, 40},
    {RANDOM, 20000, 0, 100},
    {RANDOM, 8000, 0, 200},
    {RMAT, 13, 16, .57},
    {RMAT, 14, 8, .57},
    {RMAT, 15, 8, .57},
    {RMAT, 16, 16, .57},
    {RMAT, 17, 8, .45},
    {RMAT, 16, 32, .50},
    {RMAT, 18, 6, .60},
    {RMAT, 18, 16, .57},
    {RMAT, 17, 4, .57},
    {RMAT, 19, 4, .57},
    {SMALL_WORLD, 20000, 2, .1},
    {SMALL_WORLD, 50000, 3, .05},
    {SMALL_WORLD, 100000, 4, .03},
    {SMALL_WORLD, 200000, 4, .01},
    {SMALL_WORLD, 100000, 8, .1},
    {SMALL_WORLD, 60000, 12, .3},
    {PREFERENTIAL, 30000, 3, 0},
    {PREFERENTIAL, 100000, 4, 0},
    {PREFERENTIAL, 100000, 8, 0},
    {PREFERENTIAL, 40000, 16, 0},
    {PREFERENTIAL, 200000, 3, 0},
    {PREFERENTIAL, 400000, 2, 0},
    {BIPARTITE, 300, 3000, 0},
    {BIPARTITE, 600, 1500, 0},
    {BIPARTITE, 1000, 1000, 0},
    {COMB, 1500, 1, 0},
    {COMB, 3000, 1, 0},
    {COMB, 1000, 10, 0},
    {COMB, 500, 40, 0},
    {STARS, 200, 1000, 0},
    {STARS, 100, 500, 0},
    {STARS, 500, 300, 0},
    {STARS, 2500, 50, 0},
    {STARS, 5000, 30, 0},
    {TREE, 300000, 2, 0},
    {TREE, 100000, 3, 0},
    {TREE, 400000, 4, 0},
    {TREE, 200000, 8, 0},
    {TREE, 100000, 16, 0},
    /* graph 252 and later: intermediate sizes, and more families */
    {GRID, 70, 70, 1},
    {GRID, 60, 600, 1},
    {GRID, 130, 130, .8},
    {GRID, 40, 250, 1},
    {ROAD, 140, 140, .6},
    {ROAD, 60, 60, .65},
    {ROAD, 50, 900, .68},
    {ROAD, 280, 280, .62},
    {ROAD, 700, 700, .61},
    {MESH, 80, 80, 1},
    {MESH, 60, 500, 1},
    {MESH, 110, 220, 1},
    {MESH, 90, 1200, 1},
    {CUBE, 30, 30, 1},
    {CUBE, 42, 42, 1},
    {CUBE, 60, 60, 1},
    {CUBE, 48, 48, .6},
    {CUBE, 32, 32, .8},
    {CUBE, 16, 150, 1},
    {CUBE, 12, 400, .9},
    {CUBE, 30, 120, .7},
    {CUBE, 24, 300, .8},
    {GEOMETRIC, 10000, 0, 11},
    {GEOMETRIC, 20000, 0, 17},
    {GEOMETRIC, 40000, 0, 8},
    {GEOMETRIC, 40000, 0, 20},
    {GEOMETRIC, 80000, 0, 7},
    {GEOMETRIC, 30000, 0, 40},
    {GEOMETRIC, 15000, 0, 60},
    {GEOMETRIC, 70000, 0, 18},
    {GEOMETRIC, 120000, 0, 9},
    {GEOMETRIC, 220000, 0, 6},
    {GEOMETRIC, 25000, 0, 28},
    {GEOMETRIC, 200000, 0, 7.5},
    {RANDOM, 5000, 0, 6},
    {RANDOM, 20000, 0, 3},
    {RANDOM, 15000, 0, 8},
    {RANDOM, 100000, 0, 3},
    {RANDOM, 40000, 0, 6},
    {RANDOM, 150000, 0, 5},
    {RANDOM, 30000, 0, 12},
    {RANDOM, 70000, 0, 16},
    {RANDOM, 40000, 0, 32},
    {RANDOM, 25000, 0, 60},
    {RANDOM, 10000, 0, 120},
    {RANDOM, 200000, 0, 4},
    {RANDOM, 5000, 0, 30},
    {RMAT, 12, 8, .57},
    {RMAT, 12, 24, .5},
    {RMAT, 13, 8, .57},
    {RMAT, 13, 4, .6},
    {RMAT, 14, 16, .57},
    {RMAT, 14, 4, .5},
    {RMAT, 14, 30, .45},
    {RMAT, 15, 4, .57},
    {RMAT, 15, 16, .52},
    {RMAT, 15, 8, .45},
    {RMAT, 15, 12, .64},
    {RMAT, 16, 4, .57},
    {RMAT, 16, 8, .57},
    {RMAT, 16, 8, .5},
    {RMAT, 16, 6, .62},
    {RMAT, 17, 3, .5},
    {RMAT, 17, 6, .57},
    {SMALL_WORLD, 15000, 3, .3},
    {SMALL_WORLD, 40000, 2, .02},
    {SMALL_WORLD, 30000, 5, .1},
    {SMALL_WORLD, 60000, 4, .004},
    {SMALL_WORLD, 50000, 8, .03},
    {SMALL_WORLD, 25000, 16, .1},
    {SMALL_WORLD, 40000, 12, .01},
    {SMALL_WORLD, 80000, 6, .2},
    {SMALL_WORLD, 100000, 3, .1},
    {SMALL_WORLD, 150000, 2, .05},
    {SMALL_WORLD, 40000, 10, .6},
    {SMALL_WORLD, 100000, 2, .002},
    {SMALL_WORLD, 120000, 5, .02},
    {PREFERENTIAL, 10000, 4, 0},
    {PREFERENTIAL, 20000, 8, 0},
    {PREFERENTIAL, 50000, 2, 0},
    {PREFERENTIAL, 50000, 5, 0},
    {PREFERENTIAL, 60000, 10, 0},
    {PREFERENTIAL, 20000, 25, 0},
    {PREFERENTIAL, 120000, 2, 0},
    {PREFERENTIAL, 150000, 4, 0},
    {PREFERENTIAL, 70000, 3, 0},
    {PREFERENTIAL, 10000, 40, 0},
    {BIPARTITE, 200, 2000, 0},
    {BIPARTITE, 100, 5000, 0},
    {BIPARTITE, 500, 800, 0},
    {BIPARTITE, 800, 900, 0},
    {BIPARTITE, 400, 1800, 0},
    {BIPARTITE, 50, 8000, 0},
    {BIPARTITE, 2000, 2000, .1},
    {BIPARTITE, 10000, 10000, .002},
    {BIPARTITE, 1000, 20000, .01},
    {BIPARTITE, 500, 50000, .004},
    {BIPARTITE, 3000, 3000, .06},
    {BIPARTITE, 20000, 40000, .0002},
    {COMB, 700, 1, 0},
    {COMB, 300, 100, 0},
    {COMB, 600, 4, 0},
    {STARS, 50, 1000, 0},
    {STARS, 60, 3000, 0},
    {STARS, 150, 250, 0},
    {STARS, 300, 600, 0},
    {STARS, 800, 60, 0},
    {STARS, 1500, 100, 0},
    {TREE, 30000, 2, 0},
    {TREE, 100000, 2, 0},
    {TREE, 600000, 2, 0},
    {TREE, 20000, 3, 0},
    {TREE, 300000, 3, 0},
    {TREE, 100000, 4, 0},
    {TREE, 200000, 5, 0},
    {TREE, 50000, 6, 0},
    {TREE, 100000, 8, 0},
    {TREE, 400000, 8, 0},
    {TREE, 30000, 12, 0},
    {TREE, 300000, 20, 0},
    {TREE, 200000, 32, 0},
    {REGULAR, 10000, 4, 0},
    {REGULAR, 50000, 4, 0},
    {REGULAR, 100000, 6, 0},
    {REGULAR, 30000, 16, 0},
    {REGULAR, 20000, 50, 0},
    {REGULAR, 200000, 4, 0},
    {SHOOTS, 100000, 100000, 0},
    {SHOOTS, 300000, 300000, 0},
    {SHOOTS, 50000, 1000, 0},
    {SHOOTS, 150000, 6000, 0},
    {SHOOTS, 30000, 200, 0},
    {SHOOTS, 200000, 40000, 0},
    {LAYERS, 20, 2000, 3},
    {LAYERS, 50, 1000, 4},
    {LAYERS, 100, 300, 6},
    {LAYERS, 150, 600, 3},
    {LAYERS, 10, 5000, 8},
    {LAYERS, 30, 400, 12},
    {COMMUNITIES, 500, 20, .1},
    {COMMUNITIES, 100, 60, .05},
    {COMMUNITIES, 2000, 10, .3},
    {COMMUNITIES, 50, 140, .02},
    {COMMUNITIES, 3000, 12, .1},
    {POWER, 30000, 4, .5},
    {POWER, 60000, 8, .4},
    {POWER, 100000, 3, .6},
    {POWER, 20000, 20, .5},
    {POWER, 15000, 6, .7},
    {POWER, 200000, 2, .45},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, WEIGHTS_EACH = 3 };

enum weights { BYTE, UNIT, FEW, WIDE, SKEWED, HUGE_RANGE, KINDS };
static const char *const weight_names[] = {"byte", "unit",   "few",
                                           "wide", "skewed", "huge"};

static uint32_t draw_weight(enum weights kind, dice &d) {
    switch (kind) {
    case UNIT:
        return 1;
    case FEW:
        return 1 + d.below(12);
    case WIDE:
        return 1 + d.below(20000);
    case SKEWED: /* most weights are small */
        return 1 + (uint32_t)(1000 * pow(d.real(), 4));
    case HUGE_RANGE: /* sums do not fit 32 bits */
        return 1 + (d.below(1u << 31) >> d.below(12));
    default:
        return 1 + d.below(255);
    }
}

/* ---- edges become a graph ---- */

struct weighted {
    uint32_t u, v, weight;
    bool operator<(const weighted &other) const {
        return u != other.u ? u < other.u : v < other.v;
    }
};

/* Adds all reversed edges, sorts, and keeps the first of parallel edges. */
static void both_ways(std::vector<weighted> &all) {
    size_t count = all.size();
    for (size_t i = 0; i < count; i++)
        all.push_back({all[i].v, all[i].u, all[i].weight});
    std::stable_sort(all.begin(), all.end());
    auto same = [](const weighted &a, const weighted &b) {
        return a.u == b.u && a.v == b.v;
    };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
}

static uint32_t *array_of(size_t count) {
    uint32_t *array = static_cast<uint32_t *>(malloc((count + 1) * sizeof *array));
    if (!array) {
        fprintf(stderr, "training_graphs: out of memory\n");
        exit(1);
    }
    return array;
}

/* Returns the number of vertices that a search from v reaches. */
static uint32_t reach(const bench_graph *g, uint32_t v) {
    std::vector<bool> seen(g->n);
    std::queue<uint32_t> queue;
    uint32_t count = 0;
    seen[v] = true;
    for (queue.push(v); !queue.empty(); queue.pop(), count++)
        for (uint64_t e = g->offset[queue.front()]; e < g->offset[queue.front() + 1]; e++)
            if (!seen[g->target[e]]) {
                seen[g->target[e]] = true;
                queue.push(g->target[e]);
            }
    return count;
}

/* Draws four sources and repeats them. Each source reaches at least a tenth of the
** vertices; after 100 tries in all any vertex is taken. */
static void draw_starts(bench_graph *g, dice &d) {
    int tries = 0;
    for (int i = 0; i < BENCH_SOURCES; i++) {
        g->start[i] = d.below(g->n);
        if (i >= 4)
            g->start[i] = g->start[i % 4];
        else if (tries++ < 100 && reach(g, g->start[i]) < g->n / 10)
            i--;
    }
}

static void make(uint32_t n, std::vector<weighted> &all, dice &d, bench_graph *g) {
    both_ways(all);
    memset(g, 0, sizeof *g);
    g->n = n;
    g->m = all.size();
    g->source = array_of(all.size());
    g->target = array_of(all.size());
    g->weight = array_of(all.size());
    g->offset = static_cast<uint64_t *>(calloc((size_t)n + 1, sizeof *g->offset));
    for (size_t e = 0; e < all.size(); e++) {
        g->source[e] = all[e].u;
        g->target[e] = all[e].v;
        g->weight[e] = all[e].weight;
        g->offset[all[e].u + 1]++;
    }
    for (uint32_t v = 0; v < n; v++)
        g->offset[v + 1] += g->offset[v];
    draw_starts(g, d);
}

int training_graph_count(void) {
    return SHAPES * WEIGHTS_EACH;
}

void training_graph_make(int i, std::string *name, bench_graph *graph) {
    const shape &s = shapes[i / WEIGHTS_EACH];
    /* Each shape makes three graphs: one with weights of a byte, two with other kinds of
    ** weights, which take turns from shape to shape. */
    int turn = i % WEIGHTS_EACH, first = i / WEIGHTS_EACH * 2;
    enum weights kind =
        turn == 0 ? BYTE : (enum weights)(1 + (first + turn - 1) % (KINDS - 1));
    dice d = {(uint64_t)(i / WEIGHTS_EACH) + 1};
    edges drawn;
    std::vector<weighted> all;
    uint32_t n = draw_edges(s, d, drawn);
    std::vector<uint32_t> number(n);
    for (uint32_t v = 0; v < n; v++)
        number[v] = v;
    bool mixed = s.family == MESH || s.family == RMAT || (i / WEIGHTS_EACH) % 4 == 3;
    for (uint32_t v = n; mixed && v > 1; v--)
        std::swap(number[v - 1], number[d.below(v)]);
    for (const edge &e : drawn) {
        uint32_t weight = draw_weight(kind, d);
        if (e.length > 0 && kind == BYTE)
            weight = 1 + (uint32_t)(254 * e.length);
        if (e.u != e.v)
            all.push_back({number[e.u], number[e.v], weight});
    }
    char text[100];
    snprintf(text, sizeof text, "%s-%u-%u-%g-%s", family_name(s.family), s.a, s.b, s.p,
             weight_names[kind]);
    *name = text;
    make(n, all, d, graph);
}

bool training_graph_read(const char *path, bench_graph *graph) {
    FILE *file = fopen(path, "r");
    std::vector<weighted> all;
    char line[200];
    uint32_t n = 0;
    dice d = {1};
    while (file && fgets(line, sizeof line, file)) {
        unsigned long u, v;
        double weight;
        const char *at = strncmp(line, "a ", 2) == 0 ? line + 2 : line;
        int found = sscanf(at, "%lu %lu %lf", &u, &v, &weight);
        if (found < 2 || u == v)
            continue;
        uint32_t w = found == 3 ? (uint32_t)(weight + .5) : draw_weight(BYTE, d);
        all.push_back({(uint32_t)u, (uint32_t)v, w > 0 ? w : 1});
        n = std::max(n, (uint32_t)std::max(u, v) + 1);
    }
    if (file)
        fclose(file);
    if (n > 0)
        make(n, all, d, graph);
    return n > 0;
}
