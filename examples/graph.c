/* A graph without SQL: reads a list of edges, and searches it through gpugraph.h.
**
**     cc graph.c $(pkg-config --cflags --libs --static gpugraph)
**     ./a.out examples/data/manhattan-streets.csv 186275
**
**     file      source target [weight]     a line for each edge; spaces, tabs or commas
**                                          separate
**        |                                 the numbers; other lines are ignored
**     columns   source[m], target[m], weight[m]
**        |  gpugraph_create
**     graph     vertices 0 .. n - 1, in the order of their ids
**        |  gpugraph_bfs, gpugraph_sssp, gpugraph_mis
**     arrays    depth[n], distance[n], member[n]: the caller owns them */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpugraph.h"

struct columns {
    int64_t count, capacity;
    int64_t *source, *target;
    double *weight;
    bool weighted; /* every line so far had a weight */
};

static void die(const char *sentence) {
    fflush(stdout);
    fprintf(stderr, "graph: %s\n", sentence);
    exit(1);
}

static void *grown(void *array, int64_t count, size_t size) {
    array = realloc(array, (size_t)count * size);
    if (array == NULL)
        die("out of memory");
    return array;
}

static void add_edge(struct columns *c, int64_t source, int64_t target, double weight) {
    if (c->count == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 1024;
        c->source = grown(c->source, c->capacity, sizeof(int64_t));
        c->target = grown(c->target, c->capacity, sizeof(int64_t));
        c->weight = grown(c->weight, c->capacity, sizeof(double));
    }
    c->source[c->count] = source;
    c->target[c->count] = target;
    c->weight[c->count++] = weight;
}

static struct columns read_edges(const char *name) {
    struct columns c = {.weighted = true};
    FILE *file = fopen(name, "r");
    if (file == NULL)
        die("the file of edges cannot be opened");
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        long long source, target;
        double weight = 1;
        int found =
            sscanf(line, "%lld%*[, \t]%lld%*[, \t]%lf", &source, &target, &weight);
        if (found < 2)
            continue;
        c.weighted = c.weighted && found == 3;
        add_edge(&c, source, target, weight);
    }
    fclose(file);
    return c;
}

static gpugraph_graph *make_graph(const struct columns *c, gpugraph_run *run) {
    gpugraph_edges edges = {
        .count = c->count,
        .source = {.value = c->source},
        .target = {.value = c->target},
        .weight_type = c->weighted ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_UNWEIGHTED,
        .weight = c->weighted ? c->weight : NULL,
    };
    gpugraph_graph *graph;
    if (gpugraph_create(&edges, run, &graph) != GPUGRAPH_OK)
        die(run->message);
    return graph;
}

/* The id of a vertex; all ids are numbers here. */
static int64_t id_of(const gpugraph_graph *graph, uint32_t v) {
    const gpugraph_ids *ids = gpugraph_vertex_ids(graph);
    return ids->integer != NULL ? ids->integer[v] : ids->first_integer + v;
}

static void print_depths(gpugraph_graph *graph, const gpugraph_search *search,
                         gpugraph_run *run) {
    uint32_t n = gpugraph_vertex_count(graph), reached = 0, deepest = 0;
    uint32_t *depth = grown(NULL, n, sizeof *depth);
    if (gpugraph_bfs(graph, search, run, depth, NULL) != GPUGRAPH_OK)
        die(run->message);
    for (uint32_t v = 0; v < n; v++) {
        if (depth[v] == GPUGRAPH_NONE)
            continue;
        reached++;
        deepest = depth[v] > deepest ? depth[v] : deepest;
    }
    printf("%u vertices are reached, the last after %u edges\n", reached, deepest);
    free(depth);
}

/* Prints the farthest vertex, and the length of its path: a tree edge leads from each
** vertex to its parent. */
static void print_farthest(gpugraph_graph *graph, const gpugraph_search *search,
                           gpugraph_run *run) {
    uint32_t n = gpugraph_vertex_count(graph), farthest = search->source[0], edges = 0;
    double *distance = grown(NULL, n, sizeof *distance); /* the weights are REAL */
    void *tree = grown(NULL, n, gpugraph_edge_size(graph));
    if (gpugraph_sssp(graph, search, run, distance, tree) != GPUGRAPH_OK)
        die(run->message);
    for (uint32_t v = 0; v < n; v++)
        if (isfinite(distance[v]) && distance[v] > distance[farthest])
            farthest = v;
    uint64_t edge;
    for (uint32_t v = farthest;
         (edge = gpugraph_edge_at(graph, tree, v)) != GPUGRAPH_NO_EDGE;
         v = gpugraph_other_end(graph, edge, v))
        edges++;
    printf("the farthest is %lld, %.1f away over %u edges\n",
           (long long)id_of(graph, farthest), distance[farthest], edges);
    free(distance);
    free(tree);
}

static void print_set(gpugraph_graph *graph, gpugraph_run *run) {
    uint32_t n = gpugraph_vertex_count(graph), members = 0;
    uint8_t *member = grown(NULL, n, sizeof *member);
    if (gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 0, run, member) != GPUGRAPH_OK)
        die(run->message);
    for (uint32_t v = 0; v < n; v++)
        members += member[v];
    printf("%u vertices, of which no two are neighbours\n", members);
    free(member);
}

int main(int argc, char **argv) {
    if (argc != 3)
        die("usage: graph FILE SOURCE");
    gpugraph_run run = {0}; /* any backend, all threads, no progress callback */
    struct columns c = read_edges(argv[1]);
    gpugraph_graph *graph = make_graph(&c, &run);
    printf("%u vertices, %llu edges\n", gpugraph_vertex_count(graph),
           (unsigned long long)gpugraph_edge_count(graph));

    uint32_t source = gpugraph_find_integer(graph, atoll(argv[2]));
    if (source == GPUGRAPH_NONE)
        die("the source is no vertex");
    gpugraph_search search = {.source = &source,
                              .source_count = 1,
                              .direction = GPUGRAPH_BOTH,
                              .max_depth = GPUGRAPH_NONE};
    print_depths(graph, &search, &run);
    if (c.weighted)
        print_farthest(graph, &search, &run);
    print_set(graph, &run);

    gpugraph_free(graph);
    free(c.source);
    free(c.target);
    free(c.weight);
    return 0;
}
