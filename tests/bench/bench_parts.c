/* Measures the exchange of partitions, its rounds, and the balance of partitions.
**
**     bench_parts [MOST] GRAPH ...
**     bench_parts owners [MOST] GRAPH ...
**
** GRAPH: as in bench_graphs.h. P = 1, 2, 4, ... MOST (64 by default) partitions, each in
** a thread; all share the cores of this machine. Prints a Markdown table with a line for
** each kind of partition and P: ghosts for each vertex; arcs of the largest partition
** divided by the mean; bytes of the largest partition, as a percentage of the bytes of a
** single partition. Further columns are for independent sets by degree, and for
** breadth-first search with a tree from the source of the first edge: rounds, bytes sent
** by all partitions and by the one that sends most, and milliseconds (median of three).
** Sets and depths must equal those of the whole graph.
**
** "owners" compares rules for the owners of vertices, without searches: a hash of the
** number; the rank by degree modulo P; a hash of the number divided by 16, 128 or
** 1024. */
#include "ids/ids.h"
#include "distributed/partition/part.h"
#include "base/run.h"
#include "bench_graphs.h"
#include "part_threads.h"

enum { MOST_PARTS = 64, CALLS = 3 };

static const char *const partition_name[] = {"by source", "by target", "grid"};

struct whole {
    const char *name;
    uint32_t vertices;
    uint64_t edges;
    uint64_t *source, *target;
    int64_t *edge_id;
    uint32_t *hash;
    /* the expected answers */
    uint8_t *member;
    uint32_t *depth, *edge;
};

/* One search over partitions. */
struct figures {
    uint64_t sent[MOST_PARTS];
    double ms[CALLS];
    uint32_t rounds;
};

struct trial {
    const struct whole *w;
    gpugraph_partition partition;
    uint64_t ghosts[MOST_PARTS], arcs[MOST_PARTS], bytes[MOST_PARTS];
    struct figures mis, bfs;
};

/* ---- the graph ---- */

static void *column(uint64_t count, size_t size) {
    return need(calloc(count + 1, size));
}

static struct whole read_whole(const char *name) {
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_graph *graph = make_graph(name, &run);
    struct whole w = {.name = name,
                      .vertices = gpugraph_vertex_count(graph),
                      .edges = gpugraph_edge_count(graph)};
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    w.source = column(w.edges, sizeof *w.source);
    w.target = column(w.edges, sizeof *w.target);
    w.edge_id = column(w.edges, sizeof *w.edge_id);
    w.hash = column(w.vertices, sizeof *w.hash);
    w.member = column(w.vertices, sizeof *w.member);
    w.depth = column(w.vertices, sizeof *w.depth);
    w.edge = column(w.vertices, sizeof *w.edge);
    for (uint64_t e = 0; e < w.edges; e++) {
        w.source[e] = edges->source[e];
        w.target[e] = edges->target[e];
        w.edge_id[e] = (int64_t)e;
    }
    const uint32_t first = (uint32_t)w.source[0];
    const gpugraph_search search = {.source = &first,
                                    .source_count = 1,
                                    .direction = GPUGRAPH_BOTH,
                                    .max_depth = UINT32_MAX};
    gg_hash_ids(graph, 0, &run, w.hash);
    give_up_on_error(&run);
    gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 0, &run, w.member);
    give_up_on_error(&run);
    gpugraph_bfs(graph, &search, &run, w.depth, w.edge);
    give_up_on_error(&run);
    gpugraph_free(graph);
    return w;
}

static void free_whole(struct whole *w) {
    void *columns[] = {w->source, w->target, w->edge_id, w->hash,
                       w->member, w->depth,  w->edge};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        free(columns[i]);
}

/* ---- partitions ---- */

static void keep_rounds(void *figures, const char *name, double ms, int64_t items,
                        const char *detail) {
    (void)ms, (void)items;
    if (strcmp(name, "search") == 0)
        sscanf(detail, "%u rounds", &((struct figures *)figures)->rounds);
}

static gpugraph_status make_part(struct trial *t, gpugraph_exchange *x, gpugraph_run *run,
                                 bool simple, gpugraph_part **part) {
    const struct whole *w = t->w;
    const uint64_t low = w->edges * x->part / x->parts,
                   high = w->edges * (x->part + 1) / x->parts;
    const gpugraph_share share = {.vertices = w->vertices,
                                  .count = high - low,
                                  .source = w->source + low,
                                  .target = w->target + low,
                                  .edge_id = simple ? NULL : w->edge_id + low};
    return gpugraph_part_create(x, &share, t->partition, GPUGRAPH_BOTH, simple, run,
                                part);
}

/* Calls `search` once for each partition, and keeps its figures. */
static gpugraph_status measure(struct figures *f, gpugraph_exchange *x, gpugraph_run *run,
                               gpugraph_status (*search)(struct trial *, gpugraph_part *,
                                                         gpugraph_run *, void *),
                               struct trial *t, gpugraph_part *part, void *result) {
    uint64_t nothing = 0;
    for (int i = 0; run->status == GPUGRAPH_OK && i < CALLS; i++) {
        if (gg_combine(x, run, GPUGRAPH_SUM, &nothing, 1) != GPUGRAPH_OK)
            break;
        const uint64_t sent = x->sent;
        const double start = now_ms();
        search(t, part, run, result);
        if (x->part == 0)
            f->ms[i] = now_ms() - start;
        f->sent[x->part] = x->sent - sent;
    }
    return run->status;
}

static void give_up(const struct trial *t, const char *what, uint64_t vertex) {
    fprintf(stderr, "%s, %s: %s of vertex %llu is wrong\n", t->w->name,
            partition_name[t->partition], what, (unsigned long long)vertex);
    exit(1);
}

struct set {
    uint32_t *hash;
    uint8_t *member;
};

static gpugraph_status choose(struct trial *t, gpugraph_part *part, gpugraph_run *run,
                              void *set) {
    struct set *s = set;
    if (run->phase)
        run->listener = &t->mis;
    return gpugraph_part_mis(part, GPUGRAPH_BY_DEGREE, s->hash, run, s->member);
}

static uint64_t bytes_of_part(const gpugraph_part *p) {
    const uint64_t weight = p->weight ? 8 : 0,
                   arc = sizeof *p->target + weight + (p->edge_id ? 8 : 0);
    uint64_t bytes = p->arcs * arc + (uint64_t)p->locals * 16 + (uint64_t)p->masters * 8;
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        bytes += p->peer[q].masters * (sizeof *p->peer[q].master + sizeof *p->link);
    return bytes;
}

static gpugraph_status sets(void *trial, gpugraph_exchange *x, gpugraph_run *run) {
    struct trial *t = trial;
    gpugraph_part *part;
    if (make_part(t, x, run, true, &part) != GPUGRAPH_OK)
        return run->status;
    const uint64_t n = gpugraph_part_masters(part);
    const uint64_t *number = gpugraph_part_numbers(part);
    struct set s = {column(n, sizeof *s.hash), column(n, sizeof *s.member)};
    for (uint64_t i = 0; i < n; i++)
        s.hash[i] = t->w->hash[number[i]];
    measure(&t->mis, x, run, choose, t, part, &s);
    for (uint64_t i = 0; run->status == GPUGRAPH_OK && i < n; i++)
        if (s.member[i] != t->w->member[number[i]])
            give_up(t, "membership", number[i]);
    t->ghosts[x->part] = part->locals - part->masters;
    t->arcs[x->part] = part->arcs;
    t->bytes[x->part] = bytes_of_part(part);
    gpugraph_part_free(part);
    free(s.hash);
    free(s.member);
    return run->status;
}

struct levels {
    uint32_t *depth;
    gpugraph_part_tree tree;
};

static gpugraph_status descend(struct trial *t, gpugraph_part *part, gpugraph_run *run,
                               void *levels) {
    struct levels *l = levels;
    return gpugraph_part_bfs(part, t->w->source, 1, UINT32_MAX, run, l->depth, &l->tree);
}

static gpugraph_status depths(void *trial, gpugraph_exchange *x, gpugraph_run *run) {
    struct trial *t = trial;
    gpugraph_part *part;
    if (make_part(t, x, run, false, &part) != GPUGRAPH_OK)
        return run->status;
    const uint64_t n = gpugraph_part_masters(part);
    const uint64_t *number = gpugraph_part_numbers(part);
    struct levels l = {
        column(n, sizeof *l.depth),
        {column(n, sizeof *l.tree.parent), column(n, sizeof *l.tree.edge)}};
    measure(&t->bfs, x, run, descend, t, part, &l);
    for (uint64_t i = 0; run->status == GPUGRAPH_OK && i < n; i++) {
        if (l.depth[i] != t->w->depth[number[i]])
            give_up(t, "depth", number[i]);
        if (l.tree.parent[i] != UINT64_MAX ? l.tree.edge[i] != t->w->edge[number[i]]
                                           : t->w->edge[number[i]] != GPUGRAPH_NONE)
            give_up(t, "tree edge", number[i]);
    }
    gpugraph_part_free(part);
    free(l.depth);
    free(l.tree.parent);
    free(l.tree.edge);
    return run->status;
}

/* ---- the table ---- */

static uint64_t sum(const uint64_t *x, uint32_t count) {
    uint64_t s = 0;
    for (uint32_t i = 0; i < count; i++)
        s += x[i];
    return s;
}

static uint64_t most(const uint64_t *x, uint32_t count) {
    uint64_t m = 0;
    for (uint32_t i = 0; i < count; i++)
        m = x[i] > m ? x[i] : m;
    return m;
}

static double median(const double ms[CALLS]) {
    const double low = ms[0] < ms[1] ? ms[0] : ms[1],
                 high = ms[0] < ms[1] ? ms[1] : ms[0];
    return ms[2] < low ? low : ms[2] > high ? high : ms[2];
}

static void print_search(const struct figures *f, uint32_t parts) {
    printf(" %u | %.3f | %.3f | %.1f |", f->rounds, (double)sum(f->sent, parts) * 1e-6,
           (double)most(f->sent, parts) * 1e-6, median(f->ms));
}

static void try_parts(const struct whole *w, gpugraph_partition partition, uint32_t parts,
                      uint64_t *alone) {
    static struct trial t;
    t = (struct trial){.w = w, .partition = partition};
    gpugraph_run run = {.threads = 1, .phase = keep_rounds, .listener = &t.mis};
    gpugraph_in_parts(parts, sets, &t, &run);
    give_up_on_error(&run);
    run.listener = &t.bfs;
    gpugraph_in_parts(parts, depths, &t, &run);
    give_up_on_error(&run);
    for (uint32_t v = 0; v < w->vertices; v++)
        if (w->depth[v] != GPUGRAPH_NONE && w->depth[v] > t.bfs.rounds)
            t.bfs.rounds = w->depth[v];
    if (parts == 1)
        *alone = t.bytes[0];
    const double mean = (double)sum(t.arcs, parts) / parts;
    printf("| `%s` | %s | %u | %.2f | %.3f | %.1f |", w->name, partition_name[partition],
           parts, (double)sum(t.ghosts, parts) / w->vertices,
           (double)most(t.arcs, parts) / mean,
           100.0 * (double)most(t.bytes, parts) / (double)*alone);
    print_search(&t.mis, parts);
    print_search(&t.bfs, parts);
    printf("\n");
    fflush(stdout);
}

static void compare_partitions(const struct whole *w, uint32_t limit) {
    for (int partition = 0; partition < 3; partition++) {
        uint64_t alone = 0;
        for (uint32_t parts = 1; parts <= limit; parts *= 2)
            try_parts(w, (gpugraph_partition)partition, parts, &alone);
    }
}

/* ---- owners ---- */

enum { RULES = 5 };

struct owners {
    const char *name;
    uint64_t *key; /* of each vertex: its owner is key % P */
};

static uint32_t columns_of(uint32_t parts) {
    uint32_t columns = 1;
    while (columns * columns < parts || parts % columns)
        columns++;
    return columns;
}

static uint32_t part_of(gpugraph_partition partition, uint32_t from, uint32_t to,
                        uint32_t columns) {
    return partition == GPUGRAPH_BY_SOURCE   ? from
           : partition == GPUGRAPH_BY_TARGET ? to
                                             : from / columns * columns + to % columns;
}

static void try_owners(const struct whole *w, const struct owners *o,
                       gpugraph_partition partition, uint32_t parts) {
    uint64_t arcs[MOST_PARTS] = {0}, ghosts[MOST_PARTS] = {0};
    uint64_t *seen = column(w->vertices, sizeof *seen); /* a bit for each partition */
    const uint32_t columns = columns_of(parts);
    for (uint64_t e = 0; e < 2 * w->edges; e++) {
        const bool back = e >= w->edges;
        const uint64_t i = back ? e - w->edges : e;
        const uint64_t u = back ? w->target[i] : w->source[i],
                       v = back ? w->source[i] : w->target[i];
        if (u == v)
            continue;
        const uint32_t part = part_of(partition, (uint32_t)(o->key[u] % parts),
                                      (uint32_t)(o->key[v] % parts), columns);
        arcs[part]++;
        seen[u] |= (uint64_t)1 << part;
        seen[v] |= (uint64_t)1 << part;
    }
    for (uint32_t v = 0; v < w->vertices; v++)
        for (uint32_t part = 0; part < parts; part++)
            ghosts[part] += seen[v] >> part & 1 && part != o->key[v] % parts;
    printf("| `%s` | %s | %u | %s | %.3f | %.3f | %.3f |\n", w->name,
           partition_name[partition], parts, o->name,
           (double)most(arcs, parts) * parts / (double)sum(arcs, parts),
           (double)sum(ghosts, parts) / w->vertices,
           (double)most(ghosts, parts) * parts /
               (double)(sum(ghosts, parts) + !ghosts[0]));
    free(seen);
}

static uint32_t *ranked_degree; /* the order of by_degree */

static int by_degree(const void *a, const void *b) {
    const uint32_t u = *(const uint32_t *)a, v = *(const uint32_t *)b;
    return ranked_degree[u] != ranked_degree[v]
               ? (ranked_degree[u] > ranked_degree[v] ? -1 : 1)
               : (u > v) - (u < v);
}

static void compare_owners(const struct whole *w, uint32_t limit) {
    struct owners rule[RULES] = {{"hash", NULL},
                                 {"rank by degree", NULL},
                                 {"hash of 16", NULL},
                                 {"hash of 128", NULL},
                                 {"hash of 1024", NULL}};
    uint32_t *order = column(w->vertices, sizeof *order);
    ranked_degree = column(w->vertices, sizeof *ranked_degree);
    for (uint64_t e = 0; e < w->edges; e++) {
        ranked_degree[w->source[e]]++;
        ranked_degree[w->target[e]]++;
    }
    for (uint32_t v = 0; v < w->vertices; v++) {
        order[v] = v;
    }
    for (int r = 0; r < RULES; r++)
        rule[r].key = column(w->vertices, sizeof *rule[r].key);
    for (uint32_t v = 0; v < w->vertices; v++) {
        rule[0].key[v] = gg_fixed_hash((uint64_t)v + 1);
        rule[2].key[v] = gg_fixed_hash((uint64_t)v / 16 + 1);
        rule[3].key[v] = gg_fixed_hash((uint64_t)v / 128 + 1);
        rule[4].key[v] = gg_fixed_hash((uint64_t)v / 1024 + 1);
    }
    qsort(order, w->vertices, sizeof *order, by_degree);
    for (uint32_t i = 0; i < w->vertices; i++)
        rule[1].key[order[i]] = i;
    for (int partition = 0; partition < 3; partition++)
        for (uint32_t parts = 4; parts <= limit; parts *= 4)
            for (int r = 0; r < RULES; r++)
                try_owners(w, &rule[r], (gpugraph_partition)partition, parts);
    for (int r = 0; r < RULES; r++)
        free(rule[r].key);
    free(order);
    free(ranked_degree);
}

int main(int argc, char **argv) {
    const bool owners = argc > 1 && strcmp(argv[1], "owners") == 0;
    int i = 1 + owners;
    const long given = i < argc ? strtol(argv[i], NULL, 10) : 0;
    const uint32_t limit =
        given > 0 && given <= MOST_PARTS ? (uint32_t)given : MOST_PARTS;
    i += given > 0;
    if (i >= argc) {
        fprintf(stderr, "usage: bench_parts [owners] [MOST] GRAPH ...\n");
        return 2;
    }
    if (owners)
        printf(
            "| graph | partition | P | owner | most arcs / mean | ghosts a vertex | most "
            "ghosts / mean |\n| --- | --- | ---: | --- | ---: | ---: | ---: |\n");
    else
        printf("| graph | partition | P | ghosts a vertex | most arcs / mean | largest "
               "part, %% | MIS: rounds | MB sent | by one | ms | BFS: levels | MB sent | "
               "by one | ms |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | "
               "---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (; i < argc; i++) {
        struct whole w = read_whole(argv[i]);
        if (owners)
            compare_owners(&w, limit);
        else
            compare_partitions(&w, limit);
        free_whole(&w);
    }
    return 0;
}
