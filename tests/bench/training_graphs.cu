/* See training_graphs.cuh. A family draws undirected edges (repeats and loops go), then
** weights are drawn for them, then rows and sources are made. */
#include "training_graphs.cuh"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

struct dice {
    uint64_t state;
    /* splitmix64 */
    uint64_t next() {
        uint64_t x = state += 0x9E3779B97F4A7C15ULL;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }
    uint32_t below(uint64_t n) {
        return (uint32_t)((next() >> 32) * n >> 32);
    }
    double real() { /* 0 .. 1 */
        return (double)(next() >> 11) * 0x1p-53;
    }
};

struct edge {
    uint32_t u, v;
    double length; /* for GEOMETRIC; else 0 */
};
typedef std::vector<edge> edges;

/* ---- families: n and edges; a and b are sizes, p a probability or the like ---- */

static uint32_t draw_grid(uint32_t a, uint32_t b, double p, double diagonal, dice &d,
                          edges &out) {
    for (uint32_t r = 0; r < a; r++)
        for (uint32_t c = 0; c < b; c++) {
            uint32_t v = r * b + c;
            if (c + 1 < b && d.real() < p)
                out.push_back({v, v + 1, 0});
            if (r + 1 < a && d.real() < p)
                out.push_back({v, v + b, 0});
            if (r + 1 < a && c + 1 < b && d.real() < diagonal)
                out.push_back({v, v + b + 1, 0});
        }
    return a * b;
}

static uint32_t draw_cube(uint32_t a, uint32_t b, double p, dice &d, edges &out) {
    for (uint32_t z = 0; z < b; z++)
        for (uint32_t y = 0; y < a; y++)
            for (uint32_t x = 0; x < a; x++) {
                uint32_t v = (z * a + y) * a + x;
                if (x + 1 < a && d.real() < p)
                    out.push_back({v, v + 1, 0});
                if (y + 1 < a && d.real() < p)
                    out.push_back({v, v + a, 0});
                if (z + 1 < b && d.real() < p)
                    out.push_back({v, v + a * a, 0});
            }
    return a * a * b;
}

/* Points in a square, joined within a radius that gives p neighbours on average. */
static uint32_t draw_geometric(uint32_t n, double p, dice &d, edges &out) {
    double radius = sqrt(p / 3.14159265 / n);
    uint32_t cells = (uint32_t)(1 / radius);
    std::vector<double> x(n), y(n);
    std::vector<std::vector<uint32_t>> cell((size_t)cells * cells);
    for (uint32_t v = 0; v < n; v++) {
        x[v] = d.real();
        y[v] = d.real();
        cell[(size_t)(y[v] * cells) * cells + (size_t)(x[v] * cells)].push_back(v);
    }
    for (uint32_t r = 0; r < cells; r++)
        for (uint32_t c = 0; c < cells; c++)
            for (uint32_t v : cell[(size_t)r * cells + c])
                for (uint32_t i = r ? r - 1 : 0; i < cells && i <= r + 1; i++)
                    for (uint32_t j = c ? c - 1 : 0; j < cells && j <= c + 1; j++)
                        for (uint32_t u : cell[(size_t)i * cells + j]) {
                            double apart = hypot(x[u] - x[v], y[u] - y[v]);
                            if (u < v && apart <= radius)
                                out.push_back({u, v, apart / radius});
                        }
    return n;
}

static uint32_t draw_random(uint32_t n, double p, dice &d, edges &out) {
    for (uint64_t i = 0; i < (uint64_t)(n * p / 2); i++)
        out.push_back({d.below(n), d.below(n), 0});
    return n;
}

static uint32_t draw_rmat(uint32_t scale, uint32_t factor, double p, dice &d,
                          edges &out) {
    double side = (1 - p) * 0.45; /* p: the share of the first quadrant */
    for (uint64_t i = 0; i < (uint64_t)factor << scale; i++) {
        uint32_t u = 0, v = 0;
        for (uint32_t level = 0; level < scale; level++) {
            double x = d.real();
            u = 2 * u + (x >= p + side);
            v = 2 * v + ((x >= p && x < p + side) || x >= p + 2 * side);
        }
        out.push_back({u, v, 0});
    }
    return 1u << scale;
}

static uint32_t draw_small_world(uint32_t n, uint32_t near, double p, dice &d,
                                 edges &out) {
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t i = 1; i <= near; i++)
            out.push_back({v, d.real() < p ? d.below(n) : (v + i) % n, 0});
    return n;
}

/* Each new vertex is joined to `near` ends of edges that are there. */
static uint32_t draw_preferential(uint32_t n, uint32_t near, dice &d, edges &out) {
    out.push_back({0, 1, 0});
    for (uint32_t v = 2; v < n; v++)
        for (uint32_t i = 0; i < near; i++) {
            const edge &e = out[d.below(out.size())];
            out.push_back({v, d.next() & 1 ? e.u : e.v, 0});
        }
    return n;
}

static uint32_t draw_bipartite(uint32_t a, uint32_t b, edges &out) {
    for (uint32_t u = 0; u < a; u++)
        for (uint32_t v = 0; v < b; v++)
            out.push_back({u, a + v, 0});
    return a + b;
}

/* A spine of a vertices, a tooth of b - 1 on each: b = 1 is a path. */
static uint32_t draw_comb(uint32_t a, uint32_t b, edges &out) {
    for (uint32_t s = 0; s < a; s++) {
        if (s + 1 < a)
            out.push_back({s * b, (s + 1) * b, 0});
        for (uint32_t i = 1; i < b; i++)
            out.push_back({s * b + i - 1, s * b + i, 0});
    }
    return a * b;
}

/* a stars of b leaves, the centres on a ring. */
static uint32_t draw_stars(uint32_t a, uint32_t b, edges &out) {
    for (uint32_t s = 0; s < a; s++) {
        out.push_back({s, (s + 1) % a, 0});
        for (uint32_t i = 0; i < b; i++)
            out.push_back({s, a + s * b + i, 0});
    }
    return a + a * b;
}

static uint32_t draw_tree(uint32_t n, uint32_t children, edges &out) {
    for (uint32_t v = 1; v < n; v++)
        out.push_back({(v - 1) / children, v, 0});
    return n;
}

/* ---- the table ---- */

enum family {
    GRID,
    ROAD,
    MESH,
    CUBE,
    GEOMETRIC,
    RANDOM,
    RMAT,
    SMALL_WORLD,
    PREFERENTIAL,
    BIPARTITE,
    COMB,
    STARS,
    TREE
};
static const char *const family_names[] = {
    "grid",       "road",         "mesh",      "cube", "geometric", "random", "rmat",
    "smallworld", "preferential", "bipartite", "comb", "stars",     "tree"};

static const struct shape {
    enum family family;
    uint32_t a, b;
    double p;
} shapes[] = {
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
    case SKEWED: /* many small ones, few large */
        return 1 + (uint32_t)(1000 * pow(d.real(), 4));
    case HUGE_RANGE: /* sums do not fit 32 bits */
        return 1 + (d.below(1u << 31) >> d.below(12));
    default:
        return 1 + d.below(255);
    }
}

static uint32_t draw_edges(const shape &s, dice &d, edges &out) {
    switch (s.family) {
    case GRID:
        return draw_grid(s.a, s.b, s.p, 0, d, out);
    case ROAD:
        return draw_grid(s.a, s.b, s.p, .05, d, out);
    case MESH:
        return draw_grid(s.a, s.b, 1, 1, d, out);
    case CUBE:
        return draw_cube(s.a, s.b, s.p, d, out);
    case GEOMETRIC:
        return draw_geometric(s.a, s.p, d, out);
    case RANDOM:
        return draw_random(s.a, s.p, d, out);
    case RMAT:
        return draw_rmat(s.a, s.b, s.p, d, out);
    case SMALL_WORLD:
        return draw_small_world(s.a, s.b, s.p, d, out);
    case PREFERENTIAL:
        return draw_preferential(s.a, s.b, d, out);
    case BIPARTITE:
        return draw_bipartite(s.a, s.b, out);
    case COMB:
        return draw_comb(s.a, s.b, out);
    case STARS:
        return draw_stars(s.a, s.b, out);
    default:
        return draw_tree(s.a, s.b, out);
    }
}

/* ---- edges become a graph ---- */

struct weighted {
    uint32_t u, v, weight;
    bool operator<(const weighted &other) const {
        return u != other.u ? u < other.u : v < other.v;
    }
};

/* Both ways, sorted, the first of equal ones. */
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

/* Vertices that a search from v reaches. */
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

/* Sources from which at least a tenth of the vertices is reached, where some are found. */
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
    /* Bytes always, and two of the other kinds in turn. */
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
    snprintf(text, sizeof text, "%s-%u-%u-%g-%s", family_names[s.family], s.a, s.b, s.p,
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
