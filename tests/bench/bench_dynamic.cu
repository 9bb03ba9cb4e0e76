/* Measures dynamic graphs in million edges (or vertices) per second. Events measure the
** time on a device, and batches are in device memory before the clock starts.
**
**     bench_dynamic GRAPH [REPEATS] [BACKEND]     operations on a map of the graph
**     bench_dynamic GRAPH load                    the load of tables: time and memory
**     bench_dynamic GRAPH growth                  builds from empty, in batches
**     bench_dynamic GRAPH triangles               triangles of a static graph, and after
**                                                 each of five batches: by queries of a
**                                                 set, and by intersection of rows made
**                                                 from the tables
**     bench_dynamic GRAPH ids                     operations on a multigraph: edges with
**                                                 ids
**
** GRAPH: a name of gengraph.cuh. BACKEND: cuda (default) or cpu. Batches are uniformly
** random pairs of vertices, with repeats and absent edges. SORTED=n in the environment:
** batches of n insertions and more are counted before they are inserted. */
#include "base/limits.h"
#include "gengraph.cuh"
#include "gpugraph.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef std::vector<uint32_t> column;

static uint64_t state = 1;

static uint64_t draw() { /* SplitMix64 (Steele, Lea, Flood 2014) */
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static double last_ms; /* ms of the latest operation */
static double room_ms; /* ms of making space for batches, in all */
static double rows_ms; /* ms of the latest making of rows */

static void listen(void *, const char *name, double ms, int64_t, const char *) {
    if (strcmp(name, "room") == 0)
        room_ms += ms;
    else if (strcmp(name, "csr") == 0)
        rows_ms = ms;
    else if (strcmp(name, "upload") != 0 && strcmp(name, "download") != 0)
        last_ms = ms;
}

static gpugraph_run run;

static void check(gpugraph_status status) {
    if (!status)
        return;
    fprintf(stderr, "%s\n", run.message);
    exit(1);
}

static double median(std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
}

static void report(const char *what, uint64_t items, const std::vector<double> &ms) {
    double middle = median(ms);
    printf("%-28s %10llu items %9.3f ms %9.0f M/s\n", what, (unsigned long long)items,
           middle, (double)items / middle * 1e-3);
    fflush(stdout);
}

struct edges {
    uint32_t n;
    column source, target, value;
};

static edges load(const char *name) {
    bench_graph g;
    if (!bench_graph_make(name, &g)) {
        fprintf(stderr, "%s is none of %s\n", name, bench_graph_names());
        exit(1);
    }
    edges e;
    e.n = g.n;
    e.source.assign(g.source, g.source + g.m);
    e.target.assign(g.target, g.target + g.m);
    e.value.assign(g.weight, g.weight + g.m);
    bench_graph_free(&g);
    return e;
}

static edges shuffled(edges e) {
    for (uint64_t i = e.source.size() - 1; i > 0; i--) {
        uint64_t j = draw() % (i + 1);
        std::swap(e.source[i], e.source[j]);
        std::swap(e.target[i], e.target[j]);
        std::swap(e.value[i], e.value[j]);
    }
    return e;
}

static edges random_batch(uint32_t n, uint64_t count) {
    edges e;
    e.n = n;
    for (uint64_t i = 0; i < count; i++) {
        e.source.push_back((uint32_t)(draw() % n));
        e.target.push_back((uint32_t)(draw() % n));
        e.value.push_back((uint32_t)(draw() % 255));
    }
    return e;
}

static gpugraph_dynamic *make(uint32_t n, bool valued, double load) {
    gpugraph_dynamic_options options = {n, valued, load};
    gpugraph_dynamic *d;
    check(gpugraph_dynamic_create(&options, &run, &d));
    return d;
}

/* Inserts the edges in batches of `batch`. Returns the sum of the times in ms. */
static double insert(gpugraph_dynamic *d, const edges &e, uint64_t batch) {
    double ms = 0;
    for (uint64_t i = 0; i < e.source.size(); i += batch) {
        uint64_t count = std::min<uint64_t>(batch, e.source.size() - i);
        check(gpugraph_dynamic_insert(d, count, &e.source[i], &e.target[i], &e.value[i],
                                      &run, NULL));
        ms += last_ms;
    }
    return ms;
}

static gpugraph_dynamic *build(const edges &e, bool valued, double load, double *ms) {
    gpugraph_dynamic *d = make(e.n, valued, load);
    *ms = insert(d, e, UINT64_MAX);
    return d;
}

/* Builds from empty, with the edges shuffled. */
static void growth(const edges &e, int repeats) {
    std::vector<double> ms(repeats);
    double bytes = 0;
    for (int bits = 20; bits <= 22; bits += 2) {
        room_ms = 0;
        for (double &one : ms) {
            gpugraph_dynamic *d = make(e.n, true, 0);
            one = insert(d, e, (uint64_t)1 << bits);
            bytes = (double)gpugraph_dynamic_bytes(d);
            gpugraph_dynamic_free(d);
        }
        char name[64];
        snprintf(name, sizeof name, "from empty, batches of 2^%d", bits);
        report(name, e.source.size(), ms);
        printf("%-28s %27.3f ms, elapsed; then %.1f bytes for a directed edge\n",
               "  making room beside it", room_ms / repeats,
               bytes / (double)e.source.size());
    }
}

static void operations(edges e, int repeats) {
    uint64_t m = e.source.size();
    std::vector<double> ms(repeats);
    gpugraph_dynamic *d = NULL;
    for (double &one : ms) {
        gpugraph_dynamic_free(d);
        d = build(e, true, 0, &one);
    }
    report("build, edges in order", m, ms);
    printf("%-28s %10.1f for a directed edge\n", "bytes",
           (double)gpugraph_dynamic_bytes(d) / (double)m);
    std::vector<uint64_t> offset((uint64_t)e.n + 1);
    column target(m), value(m);
    for (double &one : ms) {
        check(gpugraph_dynamic_rows(d, &run, offset.data(), target.data(), value.data()));
        one = last_ms;
    }
    report("all edges to CSR", m, ms);
    for (int bits = 16; bits <= 22; bits += bits == 16 ? 4 : 2) {
        uint64_t count = (uint64_t)1 << bits;
        std::vector<double> inserts, deletes, queries;
        column answer(count);
        /* the first turn loads the kernels and makes space */
        for (int i = 0; i <= repeats; i++) {
            edges b = random_batch(e.n, count);
            inserts.push_back(insert(d, b, count));
            check(gpugraph_dynamic_query(d, count, b.source.data(), b.target.data(), &run,
                                         answer.data()));
            queries.push_back(last_ms);
            check(gpugraph_dynamic_delete(d, count, b.source.data(), b.target.data(),
                                          &run, NULL));
            deletes.push_back(last_ms);
        }
        printf("%-28s %10llu items %9.3f ms %9.0f M/s\n", "insert, the first",
               (unsigned long long)count, inserts[0], (double)count / inserts[0] * 1e-3);
        for (std::vector<double> *times : {&inserts, &queries, &deletes})
            times->erase(times->begin());
        report("insert", count, inserts);
        report("query", count, queries);
        report("delete", count, deletes);
    }
    for (int bits = 16; bits <= 20; bits += 4) {
        uint64_t count = std::min<uint64_t>((uint64_t)1 << bits, e.n);
        column gone(count);
        for (int i = 0; i < repeats; i++) {
            gpugraph_dynamic_free(d);
            d = build(e, true, 0, &ms[i]);
            for (uint32_t &v : gone)
                v = (uint32_t)(draw() % e.n);
            check(gpugraph_dynamic_delete_vertices(d, NULL, count, gone.data(), &run));
            ms[i] = last_ms;
        }
        report("delete vertices", count, ms);
    }
    gpugraph_dynamic_free(d);
    e = shuffled(std::move(e));
    for (double &one : ms)
        gpugraph_dynamic_free(build(e, true, 0, &one));
    report("build, any order", m, ms);
    growth(e, repeats);
}

static void loads(const edges &e) {
    uint64_t m = e.source.size();
    printf("load  build M/s  query M/s  bytes/edge\n");
    edges b = random_batch(e.n, 1 << 22);
    column answer(b.source.size());
    for (double load : {0.2, 0.35, 0.5, 0.7, 0.85, 1.0, 1.5, 2.0, 3.0, 5.0}) {
        double ms;
        gpugraph_dynamic *d = build(e, true, load, &ms);
        check(gpugraph_dynamic_query(d, answer.size(), b.source.data(), b.target.data(),
                                     &run, answer.data()));
        printf("%4.2f %10.0f %10.0f %11.1f\n", load, (double)m / ms * 1e-3,
               (double)answer.size() / last_ms * 1e-3,
               (double)gpugraph_dynamic_bytes(d) / (double)m);
        gpugraph_dynamic_free(d);
    }
}

/* Counts triangles by intersection of sorted rows. Returns the ms of the search; rows_ms
** has those of the rows. */
static double intersect(const edges &e, uint64_t *count) {
    std::vector<int64_t> source(e.source.begin(), e.source.end());
    std::vector<int64_t> target(e.target.begin(), e.target.end());
    gpugraph_edges columns = {};
    gpugraph_graph *graph;
    columns.count = (int64_t)source.size();
    columns.source.value = source.data();
    columns.target.value = target.data();
    check(gpugraph_create(&columns, &run, &graph));
    run.method = "intersection";
    check(gpugraph_triangles(graph, &run, count));
    run.method = NULL;
    gpugraph_free(graph);
    return last_ms;
}

/* Draws random edges in both directions, without loops. */
static edges random_pairs(uint32_t n, uint64_t count) {
    edges b = random_batch(n, count);
    for (uint64_t i = 0; i < count; i++) {
        if (b.source[i] == b.target[i])
            b.target[i] = (b.target[i] + 1) % n;
        b.source.push_back(b.target[i]);
        b.target.push_back(b.source[i]);
        b.value.push_back(0);
    }
    return b;
}

static void triangles(edges e) {
    double ms;
    uint64_t count, same;
    gpugraph_dynamic *d = build(e, false, 0, &ms);
    for (int batch = 0; batch <= 5; batch++) {
        double inserted = 0;
        if (batch > 0) {
            edges b = random_pairs(e.n, 1 << 21);
            inserted = insert(d, b, UINT64_MAX);
            e.source.insert(e.source.end(), b.source.begin(), b.source.end());
            e.target.insert(e.target.end(), b.target.begin(), b.target.end());
        }
        check(gpugraph_dynamic_triangles(d, &run, &count));
        double queries = last_ms, met = intersect(e, &same);
        printf("batch %d: insert %8.3f ms, by queries %9.3f ms; rows %8.3f ms, by "
               "intersection %9.3f ms: %llu%s\n",
               batch, inserted, queries, rows_ms, met, (unsigned long long)count,
               count == same ? "" : ", which differ");
        fflush(stdout);
    }
    gpugraph_dynamic_free(d);
}

/* Ids ascend, as those of rows of a table. */
static std::vector<int64_t> new_ids(uint64_t count) {
    static int64_t last;
    std::vector<int64_t> id(count);
    for (int64_t &one : id)
        one = ++last;
    return id;
}

static void with_ids(const edges &e, int repeats) {
    gpugraph_dynamic_options options = {e.n, true, 0};
    gpugraph_multigraph *g;
    std::vector<int64_t> id = new_ids(e.source.size());
    check(gpugraph_multigraph_create(&options, &run, &g));
    check(gpugraph_multigraph_insert(g, id.size(), e.source.data(), e.target.data(),
                                     id.data(), id.data(), &run, NULL));
    report("build, edges in order", id.size(), {last_ms});
    printf("%-28s %10.1f for a directed edge\n", "bytes",
           (double)gpugraph_multigraph_bytes(g) / (double)id.size());
    for (int bits = 16; bits <= 22; bits += bits == 16 ? 4 : 2) {
        uint64_t count = (uint64_t)1 << bits;
        std::vector<double> inserts, deletes, queries;
        bool *found = new bool[count];
        for (int i = 0; i <= repeats; i++) {
            edges b = random_batch(e.n, count);
            id = new_ids(count);
            check(gpugraph_multigraph_insert(g, count, b.source.data(), b.target.data(),
                                             id.data(), id.data(), &run, NULL));
            inserts.push_back(last_ms);
            check(gpugraph_multigraph_query(g, count, b.source.data(), b.target.data(),
                                            id.data(), &run, found, NULL));
            queries.push_back(last_ms);
            check(gpugraph_multigraph_delete(g, count, b.source.data(), b.target.data(),
                                             id.data(), &run, NULL));
            deletes.push_back(last_ms);
        }
        for (std::vector<double> *times : {&inserts, &queries, &deletes})
            times->erase(times->begin());
        report("insert", count, inserts);
        report("query", count, queries);
        report("delete", count, deletes);
        delete[] found;
    }
    gpugraph_multigraph_free(g);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr,
                "usage: %s GRAPH [REPEATS|load|growth|triangles|ids] [cuda|cpu]\n",
                argv[0]);
        return 1;
    }
    run.backend = argc > 3 && strcmp(argv[3], "cpu") == 0 ? GPUGRAPH_CPU : GPUGRAPH_CUDA;
    run.phase = listen;
    if (getenv("SORTED"))
        gg_limits.announced_items = strtoull(getenv("SORTED"), NULL, 10);
    edges e = load(argv[1]);
    printf("%s: %u vertices, %zu directed edges\n", argv[1], e.n, e.source.size());
    if (argc > 2 && strcmp(argv[2], "load") == 0)
        loads(e);
    else if (argc > 2 && strcmp(argv[2], "growth") == 0)
        growth(shuffled(e), 3);
    else if (argc > 2 && strcmp(argv[2], "triangles") == 0)
        triangles(e);
    else if (argc > 2 && strcmp(argv[2], "ids") == 0)
        with_ids(e, 5);
    else
        operations(e, argc > 2 ? std::max(1, atoi(argv[2])) : 5);
    return 0;
}
