/* Makes the graphs of gengraph.cuh.
**
**     draw                             key[2 i], key[2 i + 1]: edge i both ways, as
**                                      source << 32 | target, or NO_EDGE
**     sort, unique                     the edges, ascending; NO_EDGE at the end is
**                                      dropped
**     split                            source[], target[], weight[]
**     union-find                       the largest component, which has the sources
**
** The arithmetic of drawn_rmat.cuh and of the kernels that draw defines the graphs. If
** you change it, benchmarks get other graphs. */
#include "gengraph.cuh"
#include "drawn_rmat.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define NO_EDGE UINT64_MAX
enum { GRID = 132 * 16, BLOCK = 256, EDGE_FACTOR = 16, CELL_KEYS = 6 };

enum family { RMAT, ROAD, MESH };

static const struct {
    const char *name;
    enum family family;
    uint32_t size; /* RMAT: bits of n; ROAD: side; MESH: bits of the side */
} known[] = {{"rmat20", RMAT, 20},   {"rmat22", RMAT, 22},   {"rmat24", RMAT, 24},
             {"road1m", ROAD, 1024}, {"road4m", ROAD, 2048}, {"road24m", ROAD, 4900},
             {"mesh1m", MESH, 10},   {"mesh16m", MESH, 12}};

const char *bench_graph_names(void) {
    return "rmat20 rmat22 rmat24 road1m road4m road24m mesh1m mesh16m";
}

static void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "gengraph: %s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

template <typename type> static type *on_device(uint64_t count) {
    void *block = NULL;
    check(cudaMalloc(&block, count * sizeof(type) + 1), "cudaMalloc");
    return static_cast<type *>(block);
}

template <typename type> static type *on_host(uint64_t count) {
    type *block = static_cast<type *>(malloc(count * sizeof(type) + 1));
    if (!block) {
        fprintf(stderr, "gengraph: out of memory\n");
        exit(1);
    }
    return block;
}

template <typename type> static type *to_host(const type *array, uint64_t count) {
    type *copy = on_host<type>(count);
    check(cudaMemcpy(copy, array, count * sizeof(type), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return copy;
}

/* ---- keys ---- */

static __device__ uint64_t edge_key(uint32_t source, uint32_t target) {
    return (uint64_t)source << 32 | target;
}

static __device__ void put(uint64_t *key, uint32_t u, uint32_t v, bool there) {
    key[0] = there ? edge_key(u, v) : NO_EDGE;
    key[1] = there ? edge_key(v, u) : NO_EDGE;
}

static __device__ uint64_t thread() {
    return blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
}

static __device__ uint64_t threads() {
    return (uint64_t)gridDim.x * blockDim.x;
}

/* ---- drawing ---- */

/* One thread per edge. */
static __global__ void draw_rmat(uint64_t *key, uint64_t edges, int scale) {
    for (uint64_t i = thread(); i < edges; i += threads()) {
        uint32_t u, v;
        draw_rmat_edge(i, scale, &u, &v);
        put(key + 2 * i, u, v, u != v);
    }
}

struct grid {
    uint32_t side;
    int scramble_bits; /* 0: numbered row by row */
    float edge, diagonal;
    bool all; /* every edge, and the same diagonal in every cell */
};

static __device__ uint32_t number(grid g, uint64_t row, uint64_t column) {
    uint32_t v = (uint32_t)(row * g.side + column);
    return g.scramble_bits ? scramble(v, g.scramble_bits) : v;
}

/* One thread per cell: the edge to the right, the edge down, and a diagonal. */
static __global__ void draw_grid(uint64_t *key, grid g) {
    uint64_t n = (uint64_t)g.side * g.side;
    for (uint64_t i = thread(); i < n; i += threads()) {
        uint32_t r = (uint32_t)(i / g.side), c = (uint32_t)(i % g.side);
        uint64_t hash = draw_number(i), other = mix(hash);
        float x1 = (uint32_t)(hash >> 32) * 2.3283064e-10f;
        float x2 = (uint32_t)hash * 2.3283064e-10f;
        float x3 = (uint32_t)(other >> 32) * 2.3283064e-10f;
        bool flip = other & 1, right = c + 1 < g.side, down = r + 1 < g.side;
        uint64_t *out = key + CELL_KEYS * i;
        put(out, number(g, r, c), right ? number(g, r, c + 1) : 0,
            right && (g.all || x1 < g.edge));
        put(out + 2, number(g, r, c), down ? number(g, r + 1, c) : 0,
            down && (g.all || x2 < g.edge));
        bool diagonal = right && down && (g.all || x3 < g.diagonal);
        if (!diagonal)
            put(out + 4, 0, 0, false);
        else if (g.all || !flip)
            put(out + 4, number(g, r, c), number(g, r + 1, c + 1), true);
        else
            put(out + 4, number(g, r, c + 1), number(g, r + 1, c), true);
    }
}

/* One thread per edge. */
static __global__ void split(const uint64_t *key, uint64_t m, uint32_t *source,
                             uint32_t *target, uint32_t *weight) {
    for (uint64_t i = thread(); i < m; i += threads()) {
        uint32_t u = (uint32_t)(key[i] >> 32), v = (uint32_t)key[i];
        uint32_t low = u < v ? u : v, high = u < v ? v : u;
        source[i] = u;
        target[i] = v;
        weight[i] = 1 + (uint32_t)(mix(((uint64_t)low << 32 | high) ^ 0xABCDEFULL) % 255);
    }
}

/* ---- components ---- */

static __device__ uint32_t find(volatile uint32_t *parent, uint32_t x) {
    for (;;) {
        uint32_t up = parent[x];
        if (up == x)
            return x;
        uint32_t above = parent[up];
        if (above != up)
            parent[x] = above;
        x = up;
    }
}

static __global__ void part(uint32_t *parent, uint32_t n) {
    for (uint64_t v = thread(); v < n; v += threads())
        parent[v] = (uint32_t)v;
}

/* One thread for each edge. Each edge occurs both ways; one of them counts. */
static __global__ void unite(const uint64_t *key, uint64_t m, uint32_t *parent) {
    for (uint64_t i = thread(); i < m; i += threads()) {
        uint32_t u = (uint32_t)(key[i] >> 32), v = (uint32_t)key[i];
        if (u > v)
            continue;
        uint32_t a = find(parent, u), b = find(parent, v);
        while (a != b) {
            uint32_t larger = a > b ? a : b, lower = a > b ? b : a;
            uint32_t was = atomicCAS(&parent[larger], larger, lower);
            if (was == larger)
                break;
            a = find(parent, was);
            b = find(parent, lower);
        }
    }
}

static __global__ void flatten(uint32_t *parent, uint32_t n, uint32_t *size) {
    for (uint64_t v = thread(); v < n; v += threads()) {
        uint32_t root = find(parent, (uint32_t)v);
        parent[v] = root;
        atomicAdd(&size[root], 1u);
    }
}

/* ---- steps ---- */

struct plan {
    enum family family;
    uint32_t size, factor;
};

static void draw(struct plan plan, uint64_t *key, uint32_t n) {
    uint32_t size = plan.size;
    if (plan.family == RMAT) {
        draw_rmat<<<GRID, BLOCK>>>(key, plan.factor * (uint64_t)n, (int)size);
    } else {
        grid road = {size, 0, 0.60f, 0.05f, false};
        grid mesh = {1u << (size % 32), (int)(2 * size), 1, 1, true};
        draw_grid<<<GRID, BLOCK>>>(key, plan.family == ROAD ? road : mesh);
    }
    check(cudaGetLastError(), "draw");
    check(cudaDeviceSynchronize(), "draw");
}

/* Returns the distinct edges among the drawn `keys`, in one of the two arrays. */
static uint64_t *sort_unique(uint64_t *key, uint64_t *other, uint64_t keys, uint64_t *m) {
    cub::DoubleBuffer<uint64_t> both(key, other);
    uint64_t *count = on_device<uint64_t>(1), last;
    size_t sort = 0, unique = 0;
    cub::DeviceRadixSort::SortKeys(NULL, sort, both, (int64_t)keys);
    cub::DeviceSelect::Unique(NULL, unique, key, other, count, (int64_t)keys);
    size_t bytes = sort > unique ? sort : unique;
    unsigned char *scratch = on_device<unsigned char>(bytes);
    size_t used = bytes;
    check(cub::DeviceRadixSort::SortKeys(scratch, used, both, (int64_t)keys), "sort");
    used = bytes;
    check(cub::DeviceSelect::Unique(scratch, used, both.Current(), both.Alternate(),
                                    count, (int64_t)keys),
          "unique");
    uint64_t *edges = both.Alternate();
    check(cudaMemcpy(m, count, sizeof *m, cudaMemcpyDeviceToHost), "count");
    check(cudaMemcpy(&last, edges + *m - 1, sizeof last, cudaMemcpyDeviceToHost), "last");
    if (last == NO_EDGE)
        --*m;
    cudaFree(scratch);
    cudaFree(count);
    return edges;
}

static void fetch_edges(const uint64_t *key, bench_graph *graph) {
    uint32_t *column[3];
    for (int i = 0; i < 3; i++)
        column[i] = on_device<uint32_t>(graph->m);
    split<<<GRID, BLOCK>>>(key, graph->m, column[0], column[1], column[2]);
    check(cudaGetLastError(), "split");
    graph->source = to_host(column[0], graph->m);
    graph->target = to_host(column[1], graph->m);
    graph->weight = to_host(column[2], graph->m);
    for (int i = 0; i < 3; i++)
        cudaFree(column[i]);
}

static void count_rows(bench_graph *graph) {
    graph->offset = on_host<uint64_t>((uint64_t)graph->n + 1);
    memset(graph->offset, 0, ((uint64_t)graph->n + 1) * sizeof *graph->offset);
    for (uint64_t e = 0; e < graph->m; e++)
        graph->offset[graph->source[e] + 1]++;
    graph->isolated = 0;
    for (uint32_t v = 0; v < graph->n; v++) {
        graph->isolated += graph->offset[v + 1] == 0;
        graph->offset[v + 1] += graph->offset[v];
    }
}

/* Draws sixteen vertices of the largest component; of equally large ones, the first. */
static void draw_sources(const uint64_t *key, bench_graph *graph) {
    uint32_t *parent = on_device<uint32_t>(graph->n),
             *size = on_device<uint32_t>(graph->n);
    check(cudaMemset(size, 0, (uint64_t)graph->n * sizeof *size), "memset");
    part<<<GRID, BLOCK>>>(parent, graph->n);
    unite<<<GRID, BLOCK>>>(key, graph->m, parent);
    flatten<<<GRID, BLOCK>>>(parent, graph->n, size);
    check(cudaGetLastError(), "components");
    uint32_t *root = to_host(parent, graph->n), *sizes = to_host(size, graph->n);
    uint32_t largest = 0;
    for (uint32_t v = 1; v < graph->n; v++)
        if (sizes[v] > sizes[largest])
            largest = v;
    graph->component = sizes[largest];
    uint64_t random = 777;
    for (int drawn = 0; drawn < BENCH_SOURCES;) {
        random = mix(random);
        uint32_t v = (uint32_t)(random % graph->n);
        if (root[v] == largest)
            graph->start[drawn++] = v;
    }
    free(root);
    free(sizes);
    cudaFree(parent);
    cudaFree(size);
}

static bool make_plan(const char *name, struct plan *plan) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) {
            *plan = {known[i].family, known[i].size, EDGE_FACTOR};
            return true;
        }
    plan->family = RMAT;
    return sscanf(name, "rmat:%u:%u", &plan->size, &plan->factor) == 2 &&
           plan->size >= 2 && plan->size <= 31 && plan->factor >= 1;
}

bool bench_graph_make(const char *name, bench_graph *graph) {
    struct plan plan;
    if (!make_plan(name, &plan))
        return false;
    const enum family family = plan.family;
    const uint32_t size = plan.size;
    graph->n = family == RMAT   ? 1u << size
               : family == ROAD ? size * size
                                : 1u << 2 * size;
    uint64_t keys = (uint64_t)graph->n * (family == RMAT ? 2 * plan.factor : CELL_KEYS);
    uint64_t *key = on_device<uint64_t>(keys), *other = on_device<uint64_t>(keys);
    draw(plan, key, graph->n);
    uint64_t *edges = sort_unique(key, other, keys, &graph->m);
    cudaFree(edges == key ? other : key);
    fetch_edges(edges, graph);
    count_rows(graph);
    draw_sources(edges, graph);
    cudaFree(edges);
    return true;
}

void bench_graph_free(bench_graph *graph) {
    free(graph->source);
    free(graph->target);
    free(graph->weight);
    free(graph->offset);
}
