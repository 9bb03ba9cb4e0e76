/* Inserts and deletes edges through the library, without SQL: in a multigraph, edges have
** ids and weights, like rows of a table.
**
**     cc changing.c $(pkg-config --cflags --libs --static gpugraph)
**
**     batch of columns   source[], target[], id[], weight[]
**        |  insert, delete, query: one call for many edges
**     multigraph         on a device if there is one, otherwise on CPU threads
**        |  rows
**     arrays             offset[n + 1], target[m], id[m], weight[m] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpugraph.h"

enum { VERTICES = 4, MOST = 8 };

static void check(gpugraph_status status, const gpugraph_run *run) {
    if (status == GPUGRAPH_OK)
        return;
    fprintf(stderr, "changing: %s\n", run->message);
    exit(1);
}

/* Prints all edges, row by row. The order of targets in a row is undefined. */
static void print_rows(gpugraph_multigraph *graph, gpugraph_run *run) {
    uint64_t offset[VERTICES + 1];
    uint32_t target[MOST];
    int64_t id[MOST], weight[MOST];
    check(gpugraph_multigraph_rows(graph, run, offset, target, id, weight), run);
    for (uint32_t v = 0; v < VERTICES; v++)
        for (uint64_t i = offset[v]; i < offset[v + 1]; i++)
            printf("  edge %" PRId64 ": %u -> %u, weight %" PRId64 "\n", id[i], v,
                   target[i], weight[i]);
}

int main(void) {
    gpugraph_run run = {0}; /* any backend, all threads */
    gpugraph_multigraph *graph;
    gpugraph_dynamic_options options = {.vertices = VERTICES};
    check(gpugraph_multigraph_create(&options, &run, &graph), &run);

    /* Edges 11 and 12 are parallel. */
    uint32_t source[] = {0, 1, 1, 2}, target[] = {1, 2, 2, 3};
    int64_t id[] = {10, 11, 12, 13}, weight[] = {7, 5, 6, 2};
    uint64_t added, removed;
    check(gpugraph_multigraph_insert(graph, 4, source, target, id, weight, &run, &added),
          &run);
    printf("inserted %" PRIu64 " edges:\n", added);
    print_rows(graph, &run);

    /* The id selects one of the two parallel edges for deletion. */
    check(gpugraph_multigraph_delete(graph, 1, &source[1], &target[1], &id[1], &run,
                                     &removed),
          &run);
    printf("deleted %" PRIu64 " edge:\n", removed);
    print_rows(graph, &run);

    /* A repeated insertion adds no edge: the existing edge receives the new weight. */
    weight[2] = 60;
    check(gpugraph_multigraph_insert(graph, 1, &source[2], &target[2], &id[2], &weight[2],
                                     &run, &added),
          &run);
    printf("inserted %" PRIu64 " edges, %" PRIu64 " in all:\n", added,
           gpugraph_multigraph_edge_count(graph));
    print_rows(graph, &run);

    gpugraph_multigraph_free(graph);
    return 0;
}
