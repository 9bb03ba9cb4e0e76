/* The families of training_families.cuh. a and b are sizes, p is a probability or a
** mean. */
#include "training_families.cuh"

#include <math.h>

#include <algorithm>
#include <utility>

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

/* Each new vertex is joined to `near` ends of existing edges. */
static uint32_t draw_preferential(uint32_t n, uint32_t near, dice &d, edges &out) {
    out.push_back({0, 1, 0});
    for (uint32_t v = 2; v < n; v++)
        for (uint32_t i = 0; i < near; i++) {
            const edge &e = out[d.below(out.size())];
            out.push_back({v, d.next() & 1 ? e.u : e.v, 0});
        }
    return n;
}

/* All pairs if p is 0, otherwise a random share p of them. */
static uint32_t draw_bipartite(uint32_t a, uint32_t b, double p, dice &d, edges &out) {
    for (uint32_t u = 0; u < a && p == 0; u++)
        for (uint32_t v = 0; v < b; v++)
            out.push_back({u, a + v, 0});
    for (uint64_t i = 0; i < (uint64_t)(p * a * b); i++) {
        uint32_t u = d.below(a);
        out.push_back({u, a + d.below(b), 0});
    }
    return a + b;
}

/* A spine of `a` vertices, each with a tooth of b - 1 vertices. b = 1 makes a path. */
static uint32_t draw_comb(uint32_t a, uint32_t b, edges &out) {
    for (uint32_t s = 0; s < a; s++) {
        if (s + 1 < a)
            out.push_back({s * b, (s + 1) * b, 0});
        for (uint32_t i = 1; i < b; i++)
            out.push_back({s * b + i - 1, s * b + i, 0});
    }
    return a * b;
}

/* `a` stars of b leaves. Their centres form a ring. */
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

/* `degree` / 2 random circles, each through all vertices. */
static uint32_t draw_regular(uint32_t n, uint32_t degree, dice &d, edges &out) {
    std::vector<uint32_t> circle(n);
    for (uint32_t v = 0; v < n; v++)
        circle[v] = v;
    for (uint32_t i = 0; i < degree / 2; i++) {
        for (uint32_t v = n; v > 1; v--)
            std::swap(circle[v - 1], circle[d.below(v)]);
        for (uint32_t v = 0; v < n; v++)
            out.push_back({circle[v], circle[(v + 1) % n], 0});
    }
    return n;
}

/* A tree: the parent of each new vertex is one of the latest b vertices, so the height is
** about n / b. */
static uint32_t draw_shoots(uint32_t n, uint32_t b, dice &d, edges &out) {
    for (uint32_t v = 1; v < n; v++)
        out.push_back({v - 1 - d.below(std::min(v, b)), v, 0});
    return n;
}

/* `a` layers of b vertices. A vertex has p edges to the next layer on average. */
static uint32_t draw_layers(uint32_t a, uint32_t b, double p, dice &d, edges &out) {
    for (uint32_t layer = 0; layer + 1 < a; layer++)
        for (uint64_t i = 0; i < (uint64_t)(b * p); i++) {
            uint32_t u = layer * b + d.below(b);
            out.push_back({u, (layer + 1) * b + d.below(b), 0});
        }
    return a * b;
}

/* `a` cliques of b members in a ring. With probability p a member has an edge to a random
** vertex. */
static uint32_t draw_communities(uint32_t a, uint32_t b, double p, dice &d, edges &out) {
    for (uint32_t v = 0; v < a * b; v++) {
        for (uint32_t u = v + 1; u < (v / b + 1) * b; u++)
            out.push_back({v, u, 0});
        if (v % b == 0)
            out.push_back({v, (v + b + 1) % (a * b), 0});
        if (d.real() < p)
            out.push_back({v, d.below((uint64_t)a * b), 0});
    }
    return a * b;
}

/* b edges for each vertex, ends drawn in proportion to 1 / (number of the vertex) ^ p. */
static uint32_t draw_power(uint32_t n, uint32_t b, double p, dice &d, edges &out) {
    auto end = [&] { return (uint32_t)((n - 1) * pow(d.real(), 1 / (1 - p))); };
    for (uint64_t i = 0; i < (uint64_t)n * b; i++) {
        uint32_t u = end();
        out.push_back({u, end(), 0});
    }
    return n;
}

/* ---- by name ---- */

const char *family_name(enum family family) {
    static const char *const names[] = {
        "grid", "road",       "mesh",         "cube",      "geometric",   "random",
        "rmat", "smallworld", "preferential", "bipartite", "comb",        "stars",
        "tree", "regular",    "shoots",       "layers",    "communities", "power"};
    return names[family];
}

uint32_t draw_edges(const shape &s, dice &d, edges &out) {
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
        return draw_bipartite(s.a, s.b, s.p, d, out);
    case COMB:
        return draw_comb(s.a, s.b, out);
    case STARS:
        return draw_stars(s.a, s.b, out);
    case TREE:
        return draw_tree(s.a, s.b, out);
    case REGULAR:
        return draw_regular(s.a, s.b, d, out);
    case SHOOTS:
        return draw_shoots(s.a, s.b, d, out);
    case LAYERS:
        return draw_layers(s.a, s.b, s.p, d, out);
    case COMMUNITIES:
        return draw_communities(s.a, s.b, s.p, d, out);
    default:
        return draw_power(s.a, s.b, s.p, d, out);
    }
}
