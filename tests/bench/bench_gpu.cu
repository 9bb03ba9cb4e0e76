/* Times the searches of gpugraph.h on the benchmark graphs (gengraph.cuh).
**
**     bench_gpu GRAPH ALGORITHM [METHOD [BACKEND [SOURCES [REPEATS]]]]
**
** GRAPH: a name of gengraph.cuh, or path:N (one path of N vertices, arcs both ways),
** pairs:N (N components of two vertices and one arc), rings:N (pairs with a second arc
** back). METHOD and BACKEND: as for gpugraph_run, default auto; several, separated by
** commas, run one after the other. SOURCES: the number of the graph's sixteen sources,
** default 5; REPEATS: searches from each source, default 3.
**
** ALGORITHM: several, separated by commas, or all.
**
**     bfs sssp dfs mis degrees pagerank cores triangles
**     components, strong       weak and strong components
**     forest                   the spanning forest by weight
**     topological_order        of a graph without cycles, as with DAG=1
**     matrix                   from 100 vertices to 100 others, the same in every run
**     corners, clustering      triangles of each vertex, without and with directions
**     labels                   ten iterations, as for pagerank
**     paths                    between SOURCES random pairs of vertices that have arcs,
**                              by depth and by weight
**     csr                      makes each CSR REPEATS times: medians of the phases upload
**                              and csr
**     first                    searches by depth of a graph that has just left the
**                              device, REPEATS times from each source: medians of the
**                              phases upload, csr and prepare, and of the kernels
**     each                     8, 16 and 64 sources by one gpugraph_bfs_each
**     breakdown                dfs by METHOD, or by each of its methods on the device,
**                              once from each source; after BREAKDOWN_MS a method gets
**                              no further source
**     plain                    the serial search of plain_dfs.h
**
** Environment:
**
**     TREE=1     also tree edges            ORDERED=1   dfs: the lexicographic tree
**     NUMBERS=1  dfs: pre- and postorder    FOREST=1    dfs: no source
**     PHASES=1   every phase, to stderr     DEVICE=1    only the phase "search"
**     DAG=1      keeps, of two arcs between a pair of vertices, the arc from the smaller
**                number; ONE_WAY=1: one of them, by a hash of the ends
**     SHUFFLE=1  edges in random order instead of by source and target
**     OPEN=1     opens the device first, so that `auto` does not count its start
**     PRIORITY=degree-id, random or id, SEED=number    of mis
**     BOTH_ENDS_AFTER=1000000  paths: the number of searches after which `auto` makes the
**                index of a search from both ends
**     DELTA=0.5,1,2    repeats everything with each bucket width of sssp and paths,
**                relative to the default
**     BLOCKS=0.5       the number of blocks of sssp, relative; FALL=0,0.9: repeats
**                everything with wider buckets once the remaining work is below that
**                share
**     PULL=0,1         repeats everything with vertices that pull beyond that multiple of
**                the distance; 0: never, otherwise from the second search on
**     DEVICES=1,2      repeats everything on each number of devices; 2?: `auto` chooses
**                up to two. With TURNS=1 the entries take turns for each source, and each
**                source has a line for each entry
**     PARTS=1,4,10     repeats everything without a limit of device memory, then with a
**                quarter, then with a tenth of the bytes of the rows of OUT
**
** The device makes the graph; the host downloads it and passes it to gpugraph_create. The
** first search, which uploads the graph and makes the CSR, is not timed. Prints lines,
** with times in milliseconds of the whole call:
**
**     RES,method,backend,algorithm,graph,source,runs,median,least,most,
**         reached,edges,sum,largest                            (all in one line)
**     FIRST,method,graph,source,runs,upload,csr,prepare,kernels,sum
**     PATHS,method,backend,depth or weight,graph,pairs,median,least,most of whole calls,
**         medians of the phases search, parents and walk,steps,sum  (all in one line)
**     EACH,method,backend,graph,sources,runs,median,least,most,sum     whole calls
**     BREAKDOWN,method,graph,sources,median,least,most of the phase search
**
** edges: the arcs from reached vertices. sum: a hash in 16 hexadecimal digits over the
** pairs (vertex, value) of all reached vertices, with TREE=1 also over their edges, equal
** for every method and backend. largest: the largest value. mis: the members count as
** reached, with value 0. triangles: `reached` is their number. An unordered dfs uses the
** value 0 for each vertex, because its values differ between runs. */
#include "graph_data.h"
#include "gengraph.cuh"
#include "peers/plain_dfs.h"
#include "sssp/choice/choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct turn { /* an entry of DEVICES */
    int devices;
    bool all;
};

struct bench {
    std::vector<struct turn> turns; /* with TURNS=1: the entries of DEVICES */
    const char *graph_name;
    bench_graph edges;
    gpugraph_graph *graph;
    gpugraph_run run;
    int sources, repeats;
    bool tree, phases, device, ordered, forest;
    double upload_ms, csr_ms, prepare_ms;
    char csr[100];                         /* how the CSR was made */
    double device_ms;                      /* kernels of the latest search */
    double search_ms, parents_ms, walk_ms; /* phases of the latest call */
    gpugraph_priority priority;
    int64_t seed;
};

static double now_ms(void) {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

static void note_phase(void *listener, const char *name, double ms, int64_t items,
                       const char *detail) {
    struct bench *b = (struct bench *)listener;
    const char *kernels = strstr(detail, "kernels ");
    if (strcmp(name, "search") == 0)
        b->device_ms = kernels ? atof(kernels + strlen("kernels ")) : ms;
    b->search_ms += strcmp(name, "search") == 0 ? ms : 0;
    b->parents_ms += strcmp(name, "parents") == 0 ? ms : 0;
    b->walk_ms += strcmp(name, "walk") == 0 ? ms : 0;
    if (strcmp(name, "upload") == 0)
        b->upload_ms += ms;
    if (strcmp(name, "prepare") == 0)
        b->prepare_ms += ms;
    if (strcmp(name, "csr") == 0) {
        b->csr_ms = ms;
        snprintf(b->csr, sizeof b->csr, "%s", detail);
    }
    if (b->phases)
        fprintf(stderr, "    %-10s %10.3f ms %12lld  %s\n", name, ms, (long long)items,
                detail);
}

static gpugraph_priority priority_named(const char *name) {
    return !name                            ? GPUGRAPH_BY_DEGREE
           : strcmp(name, "degree-id") == 0 ? GPUGRAPH_BY_DEGREE_ID
           : strcmp(name, "random") == 0    ? GPUGRAPH_BY_RANDOM
           : strcmp(name, "id") == 0        ? GPUGRAPH_BY_ID
                                            : GPUGRAPH_BY_DEGREE;
}

static void need(const struct bench *b, gpugraph_status status) {
    if (status != GPUGRAPH_OK) {
        fprintf(stderr, "bench_gpu: %s\n", b->run.message);
        exit(1);
    }
}

/* Moves successive edges m * 0.618 positions apart, modulo m. */
static void shuffle(int64_t *column, uint64_t m) {
    const std::vector<int64_t> from(column, column + m);
    uint64_t step = (uint64_t)((double)m * 0.618034) | 1, at = 0;
    while (std::gcd(step, m) != 1)
        step++;
    for (uint64_t i = 0; i < m; i++) {
        column[i] = from[at];
        at = at + step < m ? at + step : at + step - m;
    }
}

/* Returns a block of malloc with the numbers in 64 bits. All threads fill it, because the
** first touch of new pages is slow. */
static int64_t *widened(const uint32_t *from, uint64_t count) {
    int64_t *column = (int64_t *)malloc((count + 1) * sizeof *column);
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> crew;
    for (uint64_t t = 0; t < threads; t++)
        crew.emplace_back([=] {
            for (uint64_t i = count * t / threads; i < count * (t + 1) / threads; i++)
                column[i] = from[i];
        });
    for (std::thread &one : crew)
        one.join();
    return column;
}

/* `lean`: frees weights and the generator's edges. */
static void bring_in(struct bench *b, bool lean) {
    bench_graph *g = &b->edges;
    std::vector<int64_t> vertex(g->n);
    std::iota(vertex.begin(), vertex.end(), 0);
    gpugraph_edges edges = gpugraph_edges();
    edges.count = (int64_t)g->m;
    edges.vertex_count = g->n;
    edges.vertex.value = vertex.data();
    edges.take_over = true;
    uint32_t **columns[] = {&g->source, &g->target, &g->weight};
    int64_t *column[3] = {NULL, NULL, NULL};
    for (int i = 0; i < (lean ? 2 : 3); i++) {
        column[i] = widened(*columns[i], g->m);
        if (getenv("SHUFFLE"))
            shuffle(column[i], g->m);
    }
    for (int i = 0; lean && i < 3; i++) {
        free(*columns[i]);
        *columns[i] = NULL;
    }
    edges.source.value = column[0];
    edges.target.value = column[1];
    edges.weight = column[2];
    edges.weight_type = lean ? GPUGRAPH_UNWEIGHTED : GPUGRAPH_INTEGER_WEIGHTS;
    need(b, gpugraph_create(&edges, &b->run, &b->graph));
}

/* ---- the result of a search ---- */

struct finding {
    uint64_t reached, edges, sum;
    double largest;
};

/* The finalizer of MurmurHash3. */
static uint64_t hash(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

static void add(const struct bench *b, struct finding *f, uint32_t v, uint64_t value) {
    f->reached++;
    f->edges += b->edges.offset[v + 1] - b->edges.offset[v];
    f->sum += hash(v * 0x9E3779B97F4A7C15ULL + value);
    f->largest = std::max(f->largest, (double)value);
}

/* ---- one search of each kind ---- */

enum { MATRIX_ENDS = 100 };

/* Draws vertices that have arcs: sources, then targets. */
static std::vector<uint32_t> matrix_ends(const struct bench *b) {
    std::vector<uint32_t> end;
    for (uint64_t i = 0; end.size() < 2 * MATRIX_ENDS; i++) {
        uint32_t v = (uint32_t)(hash(i) % b->edges.n);
        if (b->edges.offset[v + 1] > b->edges.offset[v])
            end.push_back(v);
    }
    return end;
}

struct results {
    std::vector<uint32_t> word, edge; /* depths, degrees, distances of 32 bits */
    std::vector<uint32_t> parent, preorder, postorder;
    std::vector<uint64_t> wide; /* other distances */
    std::vector<double> rank;
    std::vector<uint8_t> member;
    std::vector<uint64_t> cell;
    uint64_t count;
    uint32_t edges; /* edges of a forest; `wide` has their numbers */
};

static struct finding look_at_cells(const struct bench *b, const struct results *r) {
    struct finding f = {0, 0, 0, 0};
    const bool narrow = gpugraph_distance_type_of(b->graph) == GPUGRAPH_UINT32;
    for (uint64_t i = 0; i < MATRIX_ENDS * MATRIX_ENDS; i++) {
        uint64_t d = narrow ? ((const uint32_t *)r->cell.data())[i] : r->cell[i];
        if (d == (narrow ? UINT32_MAX : UINT64_MAX))
            continue;
        f.reached++;
        f.sum += hash(i * 0x9E3779B97F4A7C15ULL + d);
        f.largest = std::max(f.largest, (double)d);
    }
    return f;
}

static void search(struct bench *b, const char *algorithm, uint32_t source,
                   struct results *r) {
    gpugraph_search s = gpugraph_search();
    s.source = &source;
    s.source_count = 1;
    s.max_depth = GPUGRAPH_NONE;
    bool wide = gpugraph_distance_type_of(b->graph) != GPUGRAPH_UINT32;
    uint32_t *edge = b->tree ? r->edge.data() : NULL;
    void *distance = wide ? (void *)r->wide.data() : (void *)r->word.data();
    if (strcmp(algorithm, "bfs") == 0) {
        need(b, gpugraph_bfs(b->graph, &s, &b->run, r->word.data(), edge));
    } else if (strcmp(algorithm, "sssp") == 0) {
        need(b, gpugraph_sssp(b->graph, &s, &b->run, distance, edge));
    } else if (strcmp(algorithm, "dfs") == 0) {
        bool numbers = getenv("NUMBERS") != NULL;
        uint32_t *before = numbers ? r->preorder.data() : NULL;
        uint32_t *after = numbers ? r->postorder.data() : NULL;
        uint32_t *parent = b->ordered ? r->parent.data() : NULL;
        gpugraph_dfs_tree tree = {r->word.data(), parent, edge, before, after};
        need(b, gpugraph_dfs(b->graph, b->forest ? GPUGRAPH_NONE : source, b->ordered,
                             GPUGRAPH_OUT, &b->run, &tree));
    } else if (strcmp(algorithm, "mis") == 0) {
        need(b, gpugraph_mis(b->graph, b->priority, b->seed, &b->run, r->member.data()));
    } else if (strcmp(algorithm, "triangles") == 0) {
        need(b, gpugraph_triangles(b->graph, &b->run, &r->count));
    } else if (strcmp(algorithm, "components") == 0 || strcmp(algorithm, "strong") == 0) {
        need(b, gpugraph_components(b->graph,
                                    *algorithm == 's' ? GPUGRAPH_STRONG : GPUGRAPH_WEAK,
                                    &b->run, r->word.data()));
    } else if (strcmp(algorithm, "corners") == 0 ||
               strcmp(algorithm, "clustering") == 0) {
        const gpugraph_triangle_counts counts = {r->wide.data(), r->word.data(),
                                                 r->rank.data()};
        need(b, gpugraph_vertex_triangles(
                    b->graph, algorithm[1] == 'l' ? GPUGRAPH_OUT : GPUGRAPH_BOTH, &b->run,
                    &counts));
    } else if (strcmp(algorithm, "labels") == 0) {
        need(b, gpugraph_label_propagation(b->graph, 10, GPUGRAPH_OUT, &b->run,
                                           r->word.data()));
    } else if (strcmp(algorithm, "matrix") == 0) {
        std::vector<uint32_t> end = matrix_ends(b);
        s.source = end.data();
        s.target = end.data() + MATRIX_ENDS;
        s.source_count = s.target_count = MATRIX_ENDS;
        r->cell.resize(MATRIX_ENDS * MATRIX_ENDS);
        need(b, gpugraph_matrix(b->graph, &s, true, &b->run, r->cell.data()));
    } else if (strcmp(algorithm, "cores") == 0) {
        need(b, gpugraph_cores(b->graph, &b->run, r->word.data()));
    } else if (strcmp(algorithm, "forest") == 0) {
        need(b, gpugraph_spanning_forest(b->graph, true, &b->run, r->wide.data(),
                                         &r->edges, r->word.data()));
    } else if (strcmp(algorithm, "topological_order") == 0) {
        need(b, gpugraph_topological_order(b->graph, GPUGRAPH_OUT, &b->run,
                                           r->word.data(), r->preorder.data(), NULL));
    } else if (strcmp(algorithm, "pagerank") == 0) {
        gpugraph_pagerank_options how = gpugraph_pagerank_options();
        how.damping = 0.85;
        how.iterations = 10;
        need(b, gpugraph_pagerank(b->graph, &how, &b->run, r->rank.data()));
    } else {
        need(b, gpugraph_degrees(b->graph, GPUGRAPH_OUT, &b->run, r->word.data()));
    }
}

static struct finding look_at(const struct bench *b, const char *algorithm,
                              const struct results *r) {
    struct finding f = {0, 0, 0, 0};
    bool sssp = strcmp(algorithm, "sssp") == 0, mis = strcmp(algorithm, "mis") == 0;
    bool wide = sssp && gpugraph_distance_type_of(b->graph) != GPUGRAPH_UINT32;
    if (strcmp(algorithm, "triangles") == 0) {
        f.reached = r->count;
        return f;
    }
    if (strcmp(algorithm, "matrix") == 0)
        return look_at_cells(b, r);
    const bool corners = strcmp(algorithm, "corners") == 0 ||
                         strcmp(algorithm, "clustering") == 0,
               real = corners || strcmp(algorithm, "pagerank") == 0;
    for (uint32_t v = 0; real && v < b->edges.n; v++) {
        uint64_t bits;
        memcpy(&bits, &r->rank[v], sizeof bits);
        add(b, &f, v, corners ? hash(bits + r->word[v]) + r->wide[v] : bits);
    }
    if (real)
        return f;
    for (uint32_t v = 0; v < b->edges.n; v++) {
        if (mis    ? !r->member[v]
            : wide ? r->wide[v] == UINT64_MAX
                   : r->word[v] == UINT32_MAX)
            continue;
        bool shapeless = mis || (strcmp(algorithm, "dfs") == 0 && !b->ordered);
        add(b, &f, v, shapeless ? 0 : wide ? r->wide[v] : r->word[v]);
        if (strcmp(algorithm, "forest") == 0 && v < r->edges)
            f.sum += hash(hash(v) + gpugraph_edge_at(b->graph, r->wide.data(), v));
        if (strcmp(algorithm, "topological_order") == 0)
            f.sum += hash(hash(v) + r->preorder[v]);
        if (b->tree && !shapeless)
            f.sum += hash(hash(v) + r->edge[v]);
    }
    return f;
}

/* Prints a line before the lines of a number of devices. */
static void take_turn(struct bench *b, const struct turn *turn, bool tells) {
    static const int ordinal[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    b->run.devices = ordinal;
    b->run.device_count = turn->devices;
    b->run.all_devices = turn->all;
    if (tells)
        printf("DEVICES,%s,%d\n", b->graph_name, turn->devices);
}

static void time_source(struct bench *b, const char *algorithm, uint32_t source) {
    struct results r;
    const size_t turns = b->turns.empty() ? 1 : b->turns.size();
    r.word.resize(b->edges.n);
    r.edge.resize(b->edges.n);
    r.parent.resize(b->edges.n);
    r.preorder.resize(b->edges.n);
    r.postorder.resize(b->edges.n);
    r.wide.resize(b->edges.n);
    r.rank.resize(b->edges.n);
    r.member.resize(b->edges.n);
    r.count = 0;
    std::vector<std::vector<double>> times(turns);
    /* The first search of each is not timed; the result of the last one is checked. */
    for (int i = 0; i <= b->repeats; i++)
        for (size_t turn = 0; turn < turns; turn++) {
            std::vector<double> &ms = times[turn];
            const bool last = i == b->repeats;
            if (!b->turns.empty())
                take_turn(b, &b->turns[turn], last);
            double began = now_ms();
            search(b, algorithm, source, &r);
            if (i > 0)
                ms.push_back(b->device ? b->device_ms : now_ms() - began);
            if (!last)
                continue;
            std::sort(ms.begin(), ms.end());
            size_t half = ms.size() / 2;
            double median = ms.size() % 2 ? ms[half] : (ms[half - 1] + ms[half]) / 2;
            struct finding f = look_at(b, algorithm, &r);
            printf("RES,%s,%s,%s,%s,%u,%zu,%.4f,%.4f,%.4f,%llu,%llu,%016llx,%.0f\n",
                   b->run.used_method, b->run.used_backend, algorithm, b->graph_name,
                   source, ms.size(), median, ms.front(), ms.back(),
                   (unsigned long long)f.reached, (unsigned long long)f.edges,
                   (unsigned long long)f.sum, f.largest);
            fflush(stdout);
        }
}

static double median_of(std::vector<double> *ms) {
    std::sort(ms->begin(), ms->end());
    return (*ms)[ms->size() / 2];
}

/* Times a search that ends at its source, in each direction, by edges and by weight, on a
** graph that has just left the device. */
static void time_csr(struct bench *b) {
    std::vector<uint64_t> result(b->edges.n);
    gpugraph_search s = gpugraph_search();
    s.source = &b->edges.start[0];
    s.source_count = 1;
    s.bounded = true;
    for (int kind = 0; kind < 6; kind++) {
        std::vector<double> upload, csr;
        s.direction = (gpugraph_direction)(kind % 3);
        for (int i = 0; i < b->repeats; i++) {
            gpugraph_release_device(b->graph);
            b->upload_ms = b->csr_ms = 0;
            if (kind < 3)
                need(b, gpugraph_bfs(b->graph, &s, &b->run, (uint32_t *)result.data(),
                                     NULL));
            else
                need(b, gpugraph_sssp(b->graph, &s, &b->run, result.data(), NULL));
            upload.push_back(b->upload_ms);
            csr.push_back(b->csr_ms);
        }
        printf("CSR,%s,%d,%.3f,%.3f,%s\n", b->graph_name, b->repeats, median_of(&upload),
               median_of(&csr), b->csr);
        fflush(stdout);
    }
}

/* Times a search by depth from each source, on a graph that has just left the device. */
static void time_first(struct bench *b) {
    struct results r;
    r.word.resize(b->edges.n);
    for (int i = 0; i < b->sources; i++) {
        std::vector<double> upload, csr, prepare, kernels;
        for (int k = 0; k < b->repeats; k++) {
            gpugraph_release_device(b->graph);
            b->upload_ms = b->csr_ms = b->prepare_ms = 0;
            search(b, "bfs", b->edges.start[i], &r);
            upload.push_back(b->upload_ms);
            csr.push_back(b->csr_ms);
            prepare.push_back(b->prepare_ms);
            kernels.push_back(b->device_ms);
        }
        printf("FIRST,%s,%s,%u,%d,%.3f,%.3f,%.3f,%.4f,%016llx\n", b->run.used_method,
               b->graph_name, b->edges.start[i], b->repeats, median_of(&upload),
               median_of(&csr), median_of(&prepare), median_of(&kernels),
               (unsigned long long)look_at(b, "bfs", &r).sum);
        fflush(stdout);
    }
}

static void time_algorithm(struct bench *b, const char *algorithm) {
    bool from_sources = strcmp(algorithm, "bfs") == 0 || strcmp(algorithm, "sssp") == 0 ||
                        strcmp(algorithm, "dfs") == 0;
    for (int i = 0; i < (from_sources ? b->sources : 1); i++)
        time_source(b, algorithm, b->edges.start[i]);
}

/* ---- many sources ---- */

/* Draws vertices with arcs, the same in every run. */
static std::vector<uint32_t> draw_sources(const struct bench *b, uint32_t count) {
    std::vector<uint32_t> source;
    for (uint64_t i = 0; source.size() < count; i++)
        source.push_back(b->edges.source[hash(i + 1) % b->edges.m]);
    return source;
}

static void time_each(struct bench *b, uint32_t count) {
    const std::vector<uint32_t> source = draw_sources(b, count);
    const uint32_t n = b->edges.n;
    std::vector<std::vector<uint32_t>> word(b->tree ? 2 * (size_t)count : count);
    std::vector<uint32_t *> row;
    std::vector<void *> tree;
    for (std::vector<uint32_t> &one : word) {
        one.resize(n);
        if (row.size() < count)
            row.push_back(one.data());
        else
            tree.push_back(one.data());
    }
    gpugraph_search s = gpugraph_search();
    s.source = source.data();
    s.source_count = count;
    s.max_depth = GPUGRAPH_NONE;
    std::vector<double> ms;
    for (int i = -1; i < b->repeats; i++) {
        double began = now_ms();
        need(b, gpugraph_bfs_each(b->graph, &s, &b->run, row.data(),
                                  b->tree ? tree.data() : NULL));
        if (i >= 0)
            ms.push_back(now_ms() - began);
    }
    std::sort(ms.begin(), ms.end());
    uint64_t sum = 0;
    for (size_t i = 0; i < word.size(); i++)
        for (uint64_t v = 0; v < n; v++)
            sum += hash((i * n + v) * 0x9E3779B97F4A7C15ULL + word[i][v]);
    printf("EACH,%s,%s,%s,%u,%zu,%.3f,%.3f,%.3f,%016llx\n", b->run.used_method,
           b->run.used_backend, b->graph_name, count, ms.size(), ms[ms.size() / 2],
           ms.front(), ms.back(), (unsigned long long)sum);
    fflush(stdout);
}

/* ---- paths ---- */

struct path_times {
    std::vector<double> whole, search, parents, walk;
    uint64_t steps, sum;
};

static void time_path(struct bench *b, bool weighted, const uint32_t ends[2],
                      std::vector<uint64_t> *edge, struct path_times *t) {
    gpugraph_search s = gpugraph_search();
    uint32_t count;
    s.source = ends;
    s.target = ends + 1;
    s.source_count = s.target_count = 1;
    s.max_depth = GPUGRAPH_NONE;
    b->search_ms = b->parents_ms = b->walk_ms = 0;
    double began = now_ms();
    need(b, gpugraph_path(b->graph, &s, weighted, &b->run, edge->data(), &count));
    t->whole.push_back(now_ms() - began);
    t->search.push_back(b->search_ms);
    t->parents.push_back(b->parents_ms);
    t->walk.push_back(b->walk_ms);
    const uint32_t *narrow = reinterpret_cast<const uint32_t *>(edge->data());
    for (uint32_t i = 0; count != GPUGRAPH_NONE && i < count; i++)
        t->sum += hash(hash(t->steps++) + narrow[i]);
}

/* The first pair, which makes all derived data, is not timed. */
static void time_paths(struct bench *b, bool weighted) {
    const uint32_t pairs = (uint32_t)b->sources;
    const std::vector<uint32_t> end = draw_sources(b, 2 * pairs);
    std::vector<uint64_t> edge(b->edges.n);
    struct path_times first = path_times(), t = path_times();
    time_path(b, weighted, end.data(), &edge, &first);
    for (uint32_t i = 0; i < pairs; i++)
        time_path(b, weighted, end.data() + 2 * i, &edge, &t);
    double whole = median_of(&t.whole);
    printf("PATHS,%s,%s,%s,%s,%u,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%llu,%016llx\n",
           b->run.used_method, b->run.used_backend, weighted ? "weight" : "depth",
           b->graph_name, pairs, whole, t.whole.front(), t.whole.back(),
           median_of(&t.search), median_of(&t.parents), median_of(&t.walk),
           (unsigned long long)t.steps, (unsigned long long)t.sum);
    fflush(stdout);
}

/* ---- depth-first search beside others ---- */

static void time_plain(struct bench *b) {
    std::vector<plain_frame> stack;
    std::vector<uint32_t> parent;
    for (int i = 0; i < b->sources; i++) {
        std::vector<double> ms;
        uint32_t reached = plain_dfs(&b->edges, b->edges.start[i], stack, parent);
        for (int k = 0; k < b->repeats; k++) {
            double began = now_ms();
            reached = plain_dfs(&b->edges, b->edges.start[i], stack, parent);
            ms.push_back(now_ms() - began);
        }
        std::sort(ms.begin(), ms.end());
        printf("RES,plain,host,dfs,%s,%u,%zu,%.4f,%.4f,%.4f,%u,0,0,0\n", b->graph_name,
               b->edges.start[i], ms.size(), ms[ms.size() / 2], ms.front(), ms.back(),
               reached);
        fflush(stdout);
    }
}

enum { BREAKDOWN_MS = 1500 }; /* a method that has taken longer gets no further source */

static void break_method_down(struct bench *b, struct results *r) {
    std::vector<double> ms;
    const double began = now_ms();
    for (int i = 0; i < b->sources && (i == 0 || now_ms() - began < BREAKDOWN_MS); i++) {
        search(b, "dfs", b->edges.start[i], r);
        ms.push_back(b->device_ms);
    }
    const double median = median_of(&ms);
    printf("BREAKDOWN,%s,%s,%zu,%.3f,%.3f,%.3f\n", b->run.used_method, b->graph_name,
           ms.size(), median, ms.front(), ms.back());
    fflush(stdout);
}

static void break_down(struct bench *b) {
    static const char *const methods[] = {"work-stealing", "many-paths"};
    const char *only = strcmp(b->run.method, "auto") == 0 ? NULL : b->run.method;
    struct results r;
    r.word.resize(b->edges.n);
    b->run.phase = note_phase;
    b->run.backend = GPUGRAPH_CUDA;
    b->run.method = "many-paths"; /* uploads */
    search(b, "dfs", b->edges.start[0], &r);
    for (const char *method : methods) {
        if (only && strcmp(only, method) != 0)
            continue;
        b->run.method = method;
        break_method_down(b, &r);
    }
}

static double delta_factor = 1, fall = -1, pull_factor = -1;

static void change_parameters(struct sssp_parameters *p) {
    const char *blocks = getenv("BLOCKS");
    p->delta *= delta_factor;
    p->blocks *= blocks ? atof(blocks) : 1;
    p->fall = fall >= 0 ? fall : p->fall;
    if (pull_factor >= 0) {
        p->pull *= pull_factor;
        p->turn_after = 1;
    }
}

/* ---- graphs of equal components ---- */

static bool make_pieces(const char *name, bench_graph *g) {
    unsigned long long count;
    bool path = sscanf(name, "path:%llu", &count) == 1;
    bool rings = !path && sscanf(name, "rings:%llu", &count) == 1;
    if (!path && !rings && sscanf(name, "pairs:%llu", &count) != 1)
        return false;
    *g = bench_graph();
    g->n = (uint32_t)(path ? count : 2 * count);
    g->component = path ? g->n : 2;
    uint64_t room = 2 * (uint64_t)g->n;
    g->source = (uint32_t *)malloc(room * sizeof *g->source);
    g->target = (uint32_t *)malloc(room * sizeof *g->target);
    g->weight = (uint32_t *)malloc(room * sizeof *g->weight);
    g->offset = (uint64_t *)malloc((g->n + 1ull) * sizeof *g->offset);
    for (uint32_t v = 0; v < g->n; v++) {
        bool back = path ? v > 0 : rings && v % 2 == 1;
        bool on = path ? v + 1 < g->n : v % 2 == 0;
        g->offset[v] = g->m;
        for (int to = 0; to < 2; to++) {
            if (to == 0 ? !back : !on)
                continue;
            g->source[g->m] = v;
            g->weight[g->m] = 1;
            g->target[g->m++] = to == 0 ? v - 1 : v + 1;
        }
    }
    g->offset[g->n] = g->m;
    return true;
}

/* True if the arc from u to v stays and the arc from v to u is dropped. */
static bool goes_from(bool one_way, uint32_t u, uint32_t v) {
    if (!one_way)
        return u < v;
    const uint64_t low = std::min(u, v), high = std::max(u, v);
    return (hash(high << 32 | low) & 1) == (u < v);
}

/* Drops one of every two arcs: the arc to a smaller number, or one by a hash of the ends.
** */
static void orient(bench_graph *g, bool one_way) {
    uint64_t kept = 0, e = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        uint64_t end = g->offset[v + 1];
        g->offset[v] = kept;
        for (; e < end; e++) {
            if (g->target[e] == v || !goes_from(one_way, v, g->target[e]))
                continue;
            g->source[kept] = v;
            g->target[kept] = g->target[e];
            g->weight[kept++] = g->weight[e];
        }
    }
    g->offset[g->n] = g->m = kept;
}

/* ---- arguments ---- */

static const char *const algorithms[] = {
    "bfs",       "sssp",    "dfs",        "mis",
    "triangles", "degrees", "components", "strong",
    "pagerank",  "labels",  "corners",    "clustering",
    "matrix",    "cores",   "forest",     "topological_order"};

/* True if the list of names, separated by commas, has this name. */
static bool asked(const char *list, const char *name) {
    std::stringstream names(list);
    for (std::string one; std::getline(names, one, ',');)
        if (one == name)
            return true;
    return false;
}

static bool known(const char *list) {
    std::stringstream names(list);
    bool all = true;
    for (std::string one; std::getline(names, one, ',');) {
        bool found = asked("all,csr,first,each,paths,plain,breakdown", one.c_str());
        for (const char *algorithm : algorithms)
            found = found || one == algorithm;
        all = all && found;
    }
    return all;
}

static int number(int argc, char **argv, int i, int otherwise, int most) {
    int value = i < argc ? atoi(argv[i]) : otherwise;
    return value < 1 ? 1 : value > most ? most : value;
}

static void open_graph(struct bench *b, bool lean) {
    double began = now_ms();
    if (!make_pieces(b->graph_name, &b->edges) &&
        !bench_graph_make(b->graph_name, &b->edges)) {
        fprintf(stderr, "bench_gpu: no graph %s; there are: %s\n", b->graph_name,
                bench_graph_names());
        exit(2);
    }
    if (getenv("DAG") || getenv("ONE_WAY"))
        orient(&b->edges, getenv("ONE_WAY") != NULL);
    double made = now_ms();
    bring_in(b, lean);
    printf("GRAPH,%s,n=%u,m=%llu,isolated=%u,component=%u,made_s=%.1f,created_s=%.1f\n",
           b->graph_name, b->edges.n, (unsigned long long)b->edges.m, b->edges.isolated,
           b->edges.component, (made - began) / 1e3, (now_ms() - made) / 1e3);
    fflush(stdout);
}

static void limit_memory(struct bench *b, int part) {
    int64_t rows = (int64_t)(b->edges.m * 4 + (b->edges.n + 1ull) * 8);
    b->run.memory_limit = part > 1 ? rows / part : 0;
    if (part > 1) {
        gpugraph_release_device(b->graph);
        printf("LIMIT,%s,%lld\n", b->graph_name, (long long)b->run.memory_limit);
    }
}

static void time_methods(struct bench *b, const char *list, const char *named) {
    std::stringstream methods(named);
    for (std::string method; std::getline(methods, method, ',');) {
        b->run.method = method.c_str();
        for (const char *algorithm : algorithms)
            if (asked(list, algorithm) ||
                (asked(list, "all") && strcmp(algorithm, "topological_order") != 0))
                time_algorithm(b, algorithm);
        if (asked(list, "first"))
            time_first(b);
        for (uint32_t count : {8u, 16u, 64u})
            if (asked(list, "each"))
                time_each(b, count);
        for (int weighted = 0; weighted < 2; weighted++)
            if (asked(list, "paths"))
                time_paths(b, weighted);
    }
}

static void time_devices(struct bench *b, const char *list, const char *methods) {
    const char *named = getenv("DEVICES");
    std::stringstream counts(named ? named : "");
    std::vector<struct turn> turns;
    for (std::string count; std::getline(counts, count, ',');) {
        const int devices = atoi(count.c_str());
        turns.push_back({devices, devices > 1 && count.back() != '?'});
    }
    if (turns.empty() || getenv("TURNS")) {
        b->turns = turns;
        time_methods(b, list, methods);
        return;
    }
    for (const struct turn &turn : turns) {
        take_turn(b, &turn, true);
        time_methods(b, list, methods);
    }
}

static void time_on_backends(struct bench *b, const char *list, const char *methods,
                             const char *named) {
    std::stringstream backends(named);
    for (std::string backend; std::getline(backends, backend, ',');) {
        b->run.backend = backend == "cuda"  ? GPUGRAPH_CUDA
                         : backend == "cpu" ? GPUGRAPH_CPU
                                            : GPUGRAPH_AUTO;
        time_devices(b, list, methods);
    }
}

static void time_backends(struct bench *b, const char *list, const char *methods,
                          const char *named) {
    std::stringstream pulls(getenv("PULL") ? getenv("PULL") : "-1");
    for (std::string pull; std::getline(pulls, pull, ',');) {
        pull_factor = atof(pull.c_str());
        if (getenv("PULL"))
            printf("PULL,%s\n", pull.c_str());
        time_on_backends(b, list, methods, named);
    }
}

int main(int argc, char **argv) {
    struct bench b = bench();
    if (argc < 3 || !known(argv[2])) {
        fprintf(stderr,
                "usage: bench_gpu GRAPH "
                "bfs|sssp|dfs|mis|triangles|degrees|components|strong|pagerank|labels|"
                "corners|clustering|matrix|cores|forest|topological_order|all|"
                "csr|first|each|paths|plain|breakdown [METHOD "
                "[BACKEND [SOURCES [REPEATS]]]]\n");
        return 2;
    }
    b.graph_name = argv[1];
    bool csr = asked(argv[2], "csr") || asked(argv[2], "first");
    bool paths = asked(argv[2], "paths");
    b.sources = number(argc, argv, 5, 5, paths ? 10000 : BENCH_SOURCES);
    b.repeats = number(argc, argv, 6, 3, 1000);
    b.tree = getenv("TREE") != NULL;
    b.phases = getenv("PHASES") != NULL;
    b.device = getenv("DEVICE") != NULL;
    b.ordered = getenv("ORDERED") != NULL;
    b.forest = getenv("FOREST") != NULL;
    b.priority = priority_named(getenv("PRIORITY"));
    b.seed = getenv("SEED") ? atoll(getenv("SEED")) : 0;
    b.run.listener = &b;
    if (getenv("BOTH_ENDS_AFTER"))
        gg_limits.path_prepare_after = (uint32_t)atoi(getenv("BOTH_ENDS_AFTER"));
    gg_limits.sssp_adjust = change_parameters;
    const char *methods = argc > 3 ? argv[3] : "auto";
    b.run.method = methods;
    if (b.phases || b.device || csr || paths)
        b.run.phase = note_phase;
    open_graph(&b, strcmp(argv[2], "mis") == 0);
    if (getenv("OPEN")) {
        gpugraph_run first = gpugraph_run();
        first.backend = GPUGRAPH_CUDA;
        std::vector<uint32_t> degree(b.edges.n);
        gpugraph_degrees(b.graph, GPUGRAPH_OUT, &first, degree.data());
    }
    if (asked(argv[2], "plain"))
        time_plain(&b);
    if (asked(argv[2], "breakdown"))
        break_down(&b);
    std::stringstream parts(getenv("PARTS") ? getenv("PARTS") : "1");
    for (std::string part; std::getline(parts, part, ',');) {
        limit_memory(&b, std::max(1, atoi(part.c_str())));
        std::stringstream factors(getenv("DELTA") ? getenv("DELTA") : "1");
        for (std::string factor; std::getline(factors, factor, ',');) {
            delta_factor = atof(factor.c_str());
            if (getenv("DELTA"))
                printf("DELTA,%s\n", factor.c_str());
            std::stringstream falls(getenv("FALL") ? getenv("FALL") : "-1");
            for (std::string share; std::getline(falls, share, ',');) {
                fall = atof(share.c_str());
                if (getenv("FALL"))
                    printf("FALL,%s\n", share.c_str());
                time_backends(&b, argv[2], methods, argc > 4 ? argv[4] : "auto");
            }
        }
    }
    b.run.method = methods;
    if (asked(argv[2], "csr"))
        time_csr(&b);
    gpugraph_free(b.graph);
    bench_graph_free(&b.edges);
    return 0;
}
