/* Host functions that use the device copies of a graph. */
#include "copy.h"
#include "graph.h"
#include "ids/ids.h"

void gpugraph_release_device(gpugraph_graph *graph) {
    gpugraph_run run = {.device = 0};
    if (!graph->device)
        return;
    gg_begin(&run);
    gg_bring_edges(graph, &run);
    gg_copies.release(graph);
}

void gg_rows_back(gpugraph_graph *graph) {
    struct csr_slot *slot = &graph->csr[CSR_SIMPLE];
    if (slot->lent && graph->device)
        gg_copies.rows_back(graph);
    slot->lent = false;
}

int64_t gg_bytes_on_device(const gpugraph_graph *graph, const gpugraph_run *run,
                           int64_t (*bytes)(const gpugraph_graph *graph, bool frugal),
                           bool frugal) {
    if (!bytes || !graph->device)
        return bytes ? bytes(graph, frugal) : 0;
    const int before = gg_copies.look_at(run->device);
    const int64_t needed = bytes(graph, frugal);
    gg_copies.look_at(before);
    return needed;
}

int64_t gg_held_on_device(const gpugraph_graph *graph, const gpugraph_run *run) {
    return graph->device ? gg_copies.held_on(graph, run->device) : 0;
}

bool gg_copy_is_there(const gpugraph_graph *graph, const gpugraph_run *run) {
    return graph->device && gg_copies.has_copy(graph, run->device);
}

/* ---- derived data ---- */

/* The caller's function and its listener. */
struct derived_listener {
    gpugraph_hear_derived *hear;
    void *listener;
};

static void hear_if_any(void *to, const char *name, int device, int64_t bytes) {
    const struct derived_listener *l = to;
    if (bytes > 0)
        l->hear(l->listener, name, device, bytes);
}

void gpugraph_list_derived(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                           void *listener) {
    struct derived_listener l = {hear, listener};
    gg_list_rows(graph, hear_if_any, &l);
    gg_list_arcs(graph, hear_if_any, &l);
    hear_if_any(&l, "places of TEXT ids", -1, (int64_t)gg_text_index_bytes(graph));
    if (graph->device)
        gg_copies.list_parts(graph, hear_if_any, &l);
}

static void add_derived(void *bytes, const char *name, int device, int64_t more) {
    (void)name;
    ((int64_t *)bytes)[device >= 0] += more;
}

void gpugraph_memory(const gpugraph_graph *graph, int64_t *host_bytes,
                     int64_t *device_bytes) {
    int64_t bytes[2] = {__atomic_load_n(&graph->host_bytes, __ATOMIC_RELAXED), 0};
    gpugraph_list_derived(graph, add_derived, bytes);
    *host_bytes = bytes[0];
    *device_bytes = bytes[1];
}
