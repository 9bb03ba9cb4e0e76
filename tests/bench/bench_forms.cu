/* Compares the two forms that a search may read if slab tables hold the edges of a graph,
** after 0 to 1,000,000 changes.
**
**     bench_forms [REPEATS [GRAPH ...]]
**
** GRAPH: names of gengraph.cuh, default all eight. Half of the changes remove an edge of
** the graph, half insert an edge between ends of two of its edges. Prints for each number
** of changes medians over REPEATS batches (default 3), in milliseconds of wall time:
**
**     FORMS,graph,changes,batch,all,slabs,rows
**
**     batch     deletions and insertions into the tables
**     all       all rows read from the tables
**     slabs     a breadth-first search over the tables
**     rows      a breadth-first search over rows
**
** The search is the simplest possible: a warp for each vertex of the frontier, one launch
** for each level. So a change and a search cost batch + slabs, or batch + all + rows. If
** depths differ, the program ends with status 1.
**
**     BUILD,graph,vertices,edges,ms,bytes for an edge of tables,of rows */
#include "device/cuda.cuh"
#include "dynamic/slab_walk.h"
#include "gengraph.cuh"
#include "store/store.h"
#include "graph_data.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static const uint64_t counts[] = {0, 1, 100, 10000, 1000000};
enum { BLOCK = 256, SEARCHES = 3 };

static double now_ms() {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

static uint64_t state = 1;

static uint64_t draw() { /* SplitMix64 (Steele, Lea, Flood 2014) */
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void need(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "bench_forms: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void check(const gpugraph_run *run) {
    if (!run->status)
        return;
    fprintf(stderr, "bench_forms: %s\n", run->message);
    exit(1);
}

template <typename type> static type *there(uint64_t count, const type *from) {
    type *to;
    need(cudaMalloc(&to, (count + 1) * sizeof *to));
    if (from)
        need(cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyHostToDevice));
    return to;
}

static double median(std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
}

/* ---- the search ---- */

struct level {
    const uint32_t *frontier;
    uint32_t count, depth;
    uint32_t *depths, *next, *next_count;
};

static __device__ void reach(const level &l, uint32_t v) {
    if (l.depths[v] == UINT32_MAX &&
        atomicCAS(&l.depths[v], UINT32_MAX, l.depth) == UINT32_MAX)
        l.next[atomicAdd(l.next_count, 1)] = v;
}

/* One warp for each vertex of the frontier. */
static __global__ void over_rows(level l, const uint64_t *offset,
                                 const uint32_t *target) {
    uint32_t lane = threadIdx.x % 32;
    for (uint32_t i = (blockIdx.x * BLOCK + threadIdx.x) / 32; i < l.count;
         i += gridDim.x * (BLOCK / 32)) {
        uint32_t v = l.frontier[i];
        for (uint64_t k = offset[v] + lane; k < offset[v + 1]; k += 32)
            reach(l, target[k]);
    }
}

static __global__ void over_slabs(level l, const __grid_constant__ slab_graph g) {
    for (uint32_t i = (blockIdx.x * BLOCK + threadIdx.x) / 32; i < l.count;
         i += gridDim.x * (BLOCK / 32)) {
        slab_walk walk =
            slab_walk_from(slab_vertex_of(&g, l.frontier[i]), threadIdx.x % 32, 32);
        uint32_t word[SLAB_WORDS], entries;
        while (slab_step(&g, &walk, SLAB_FROZEN, word, &entries))
            for (uint32_t k = 0; k < entries; k += 2)
                if (slab_is_entry(word[k]))
                    reach(l, word[k]);
    }
}

struct searcher {
    uint32_t n, *depths, *frontier[2], *count;
    uint32_t *count_here; /* in host memory that the device writes */
    cudaStream_t stream;
};

/* Returns milliseconds. */
static double search(const searcher *s, uint32_t start, const chain_rows *r,
                     const slab_graph *g) {
    double began = now_ms();
    const uint32_t none = 0;
    level l = {s->frontier[0], 1, 1, s->depths, s->frontier[1], s->count};
    need(cudaMemsetAsync(s->depths, 0xff, s->n * sizeof *s->depths, s->stream));
    need(cudaMemcpyAsync(s->depths + start, &none, sizeof none, cudaMemcpyHostToDevice,
                         s->stream));
    need(cudaMemcpyAsync(s->frontier[0], &start, sizeof start, cudaMemcpyHostToDevice,
                         s->stream));
    for (uint32_t side = 0; l.count > 0; side ^= 1, l.depth++) {
        unsigned blocks =
            std::min<uint64_t>(((uint64_t)l.count * 32 + BLOCK - 1) / BLOCK, 132 * 16);
        l.frontier = s->frontier[side];
        l.next = s->frontier[side ^ 1];
        need(cudaMemsetAsync(s->count, 0, sizeof *s->count, s->stream));
        if (r)
            over_rows<<<blocks, BLOCK, 0, s->stream>>>(l, r->offset, r->target);
        else
            over_slabs<<<blocks, BLOCK, 0, s->stream>>>(l, *g);
        need(cudaGetLastError());
        need(cudaMemcpyAsync(s->count_here, s->count, sizeof *s->count,
                             cudaMemcpyDeviceToHost, s->stream));
        need(cudaStreamSynchronize(s->stream));
        l.count = *s->count_here;
    }
    return now_ms() - began;
}

static std::vector<uint32_t> depths_of(const searcher *s) {
    std::vector<uint32_t> depths(s->n);
    need(cudaMemcpy(depths.data(), s->depths, s->n * sizeof *s->depths,
                    cudaMemcpyDeviceToHost));
    return depths;
}

/* ---- changes ---- */

struct changing {
    const bench_graph *graph;
    std::vector<bool> removed; /* for each edge of the graph */
    int64_t last_id;
};

struct batch {
    std::vector<uint32_t> gone_source, gone_target, come_source, come_target;
    std::vector<int64_t> gone_id, come_id, weight;
};

static store_changes make_batch(changing *c, uint64_t changes, batch *b) {
    const bench_graph *g = c->graph;
    *b = batch();
    for (uint64_t i = 0; i < changes; i++) {
        uint64_t e = draw() % g->m, f = draw() % g->m;
        if (i % 2 && !c->removed[e]) {
            c->removed[e] = true;
            b->gone_source.push_back(g->source[e]);
            b->gone_target.push_back(g->target[e]);
            b->gone_id.push_back((int64_t)e + 1);
        } else {
            b->come_source.push_back(g->source[e]);
            b->come_target.push_back(g->target[f]);
            b->come_id.push_back(++c->last_id);
            b->weight.push_back((int64_t)(draw() % 255) + 1);
        }
    }
    store_changes s = {};
    s.gone = b->gone_id.size();
    s.come = b->come_id.size();
    s.gone_source = b->gone_source.data();
    s.gone_target = b->gone_target.data();
    s.gone_id = b->gone_id.data();
    s.come_source = b->come_source.data();
    s.come_target = b->come_target.data();
    s.come_id = b->come_id.data();
    s.come_weight = b->weight.data();
    s.vertices = g->n;
    return s;
}

/* ---- the forms ---- */

struct forms {
    const char *name;
    bench_graph graph;
    cuda_job job;
    gpugraph_run run;
    edge_store store;
    chain_rows whole;
    std::vector<uint32_t> all; /* vertices */
    searcher s;
    changing changes;
};

static double all_rows(forms *f, chain_rows *r) {
    double began = now_ms();
    gg_multigraph_list_rows(f->store.side[GPUGRAPH_OUT], f->graph.n, f->all.data(), false,
                            &f->run, r);
    gg_wait(&f->job);
    check(&f->run);
    return now_ms() - began;
}

static double put(forms *f, const store_changes *c) {
    double began = now_ms();
    gg_store_change(&f->store, c, &f->run);
    gg_wait(&f->job);
    check(&f->run);
    return now_ms() - began;
}

static void expect_same(const forms *f, const std::vector<uint32_t> &want,
                        const char *what) {
    if (depths_of(&f->s) == want)
        return;
    fprintf(stderr, "bench_forms: %s: depths over %s differ\n", f->name, what);
    exit(1);
}

static void time_changes(forms *f, uint64_t changes, int repeats) {
    std::vector<double> batch_ms, all, slabs, over;
    const slab_graph *g = &f->store.side[GPUGRAPH_OUT]->pairs->slabs;
    for (int i = 0; i < repeats; i++) {
        batch b;
        store_changes c = make_batch(&f->changes, changes, &b);
        batch_ms.push_back(changes ? put(f, &c) : 0);
        all.push_back(all_rows(f, &f->whole));
        uint32_t start = f->graph.start[i % BENCH_SOURCES];
        for (int k = 0; k < SEARCHES; k++)
            slabs.push_back(search(&f->s, start, NULL, g));
        const std::vector<uint32_t> want = depths_of(&f->s);
        for (int k = 0; k < SEARCHES; k++)
            over.push_back(search(&f->s, start, &f->whole, NULL));
        expect_same(f, want, "rows");
    }
    printf("FORMS,%s,%llu,%.3f,%.3f,%.3f,%.3f\n", f->name, (unsigned long long)changes,
           median(batch_ms), median(all), median(slabs), median(over));
    fflush(stdout);
}

static void build(forms *f) {
    const bench_graph *g = &f->graph;
    uint32_t *source = there(g->m, g->source), *target = there(g->m, g->target),
             *weight = there(g->m, g->weight);
    const chain_edges edges = {g->m, source, target, NULL, weight, sizeof *weight};
    double began = now_ms();
    gg_store_fill(&f->store, g->n, &edges, gg_cuda_dynamic, &f->job, &f->run);
    gg_wait(&f->job);
    check(&f->run);
    printf("BUILD,%s,%u,%llu,%.3f,%.1f,%.1f\n", f->name, g->n, (unsigned long long)g->m,
           now_ms() - began, (double)gg_store_bytes(&f->store) / (double)g->m,
           8 * (1 + (double)g->n / (double)g->m));
    need(cudaFree(source));
    need(cudaFree(target));
    need(cudaFree(weight));
}

static void time_graph(const char *name, int repeats) {
    forms f = {};
    f.name = name;
    if (!bench_graph_make(name, &f.graph)) {
        fprintf(stderr, "%s is none of %s\n", name, bench_graph_names());
        exit(2);
    }
    f.run.backend = GPUGRAPH_CUDA;
    if (!gg_job_open(&f.job, NULL, &f.run))
        check(&f.run);
    const uint32_t n = f.graph.n;
    f.all.resize(n);
    std::iota(f.all.begin(), f.all.end(), 0u);
    build(&f);
    f.changes = {&f.graph, std::vector<bool>(f.graph.m), (int64_t)f.graph.m};
    f.s = {n,
           there<uint32_t>(n, NULL),
           {there<uint32_t>(n, NULL), there<uint32_t>(n, NULL)},
           there<uint32_t>(1, NULL),
           NULL,
           f.job.stream};
    need(cudaMallocHost(&f.s.count_here, sizeof *f.s.count_here));
    for (uint64_t changes : counts)
        time_changes(&f, changes, repeats);
    gg_store_free(&f.store);
    gg_job_close(&f.job);
    check(&f.run);
    cudaFree(f.s.depths);
    cudaFree(f.s.frontier[0]);
    cudaFree(f.s.frontier[1]);
    cudaFree(f.s.count);
    cudaFreeHost(f.s.count_here);
    bench_graph_free(&f.graph);
}

int main(int argc, char **argv) {
    static const char *const names[] = {"rmat20", "rmat22", "rmat24",  "road1m",
                                        "road4m", "mesh1m", "road24m", "mesh16m"};
    int repeats = argc > 1 ? atoi(argv[1]) : 3;
    if (repeats < 1) {
        fprintf(stderr, "bench_forms: REPEATS is a number from 1 on\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        time_graph(argv[i], repeats);
    for (int i = 0; argc < 3 && i < 8; i++)
        time_graph(names[i], repeats);
    return 0;
}
