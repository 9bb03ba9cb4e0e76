/* Calls gpugraph_unpack with arbitrary bytes.
**
**     input     the first byte, then the file; if bit 0 of the first byte is set, the
**               test corrects all checksums of the file
**
** The test searches, packs and updates each graph that is unpacked. */
#include "memory_stream.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void search(gpugraph_graph *graph, gpugraph_run *run) {
    uint32_t n = gpugraph_vertex_count(graph), source = 0;
    uint32_t *depth = calloc(n + 1, 4), *tree = calloc(n + 1, 4);
    uint64_t *distance = calloc(n + 1, 8);
    gpugraph_search how = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    if (depth && tree && distance && n) {
        gpugraph_bfs(graph, &how, run, depth, tree);
        gpugraph_sssp(graph, &how, run, distance, tree);
    }
    free(depth);
    free(tree);
    free(distance);
}

/* Deletes the first edge, and inserts an edge from 1 to 2 with the id of that edge. */
static void change(gpugraph_graph *graph, gpugraph_run *run) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    static const int64_t ends[] = {1, 2}, weight[] = {5};
    if (gpugraph_edge_count(graph) == 0)
        return;
    int64_t id = edges->edge_id ? edges->edge_id[0] : 1;
    gpugraph_edges added = {
        .count = 1, .source = {ends, NULL}, .target = {ends + 1, NULL}, .edge_id = &id};
    if (edges->weight_type) {
        added.weight_type = GPUGRAPH_INTEGER_WEIGHTS;
        added.weight = weight;
    }
    gpugraph_changes changes = {.removed = &id, .removed_count = 1, .added = &added};
    gpugraph_update(graph, &changes, run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gpugraph_run run = {.threads = 1, .backend = GPUGRAPH_CPU};
    gpugraph_graph *graph;
    memory_file file, again;
    if (size < 1)
        return 0;
    memory_writer(&file, size - 1);
    memcpy(file.bytes, data + 1, size - 1);
    if (data[0] & 1)
        memory_sign(&file);
    gpugraph_stream from = memory_reader(&file);
    gpugraph_unpack(&run, &from, file.size, &graph);
    if (graph) {
        search(graph, &run);
        memory_pack(graph, &again);
        memory_file_free(&again);
        change(graph, &run);
        search(graph, &run);
    }
    gpugraph_free(graph);
    memory_file_free(&file);
    return 0;
}
