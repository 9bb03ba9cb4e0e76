/* Shortest paths from several sources, each by itself.
**
**     sources  ->  one after the other, or shared out over the devices of the run (device/share.h)
**     rows     ->  what gpugraph_sssp finds from each source alone */
#include "sssp.h"
#include "device/share.h"
#include "graph/graph.h"

struct each {
    gpugraph_graph *graph;
    const gpugraph_search *search;
    void *const *distance, *const *tree_edge; /* tree_edge NULL: no trees */
    gpugraph_backend on;
};

/* A search that the host had to settle says so in the run; the next one is the device's again. */
static void search_one(const struct each *e, gpugraph_run *run, uint32_t i) {
    const algorithm_side *side = gg_chosen_side(&gg_sssp, e->on, run);
    const char *backend = run->used_backend;
    const int devices = run->used_devices;
    const uint32_t set = run->device_set;
    gpugraph_search part = *e->search;
    part.source += i;
    part.source_count = 1;
    sssp_entry *call = GG_CALL_OF(sssp_entry, side);
    call(e->graph, &part, run, e->distance[i], e->tree_edge ? e->tree_edge[i] : NULL);
    run->used_backend = backend;
    run->used_devices = devices;
    run->device_set = set;
}

static void search_portion(void *each, gpugraph_run *run, uint32_t low, uint32_t high) {
    const struct each *e = each;
    for (uint32_t i = low; i < high && run->status == GPUGRAPH_OK; i++) {
        if (gg_poll(run)) { /* a search of a small graph ends before it asks */
            gg_stopped(run);
            return;
        }
        search_one(e, run, i);
        gg_count_searches(e->graph, i > 0);
    }
}

/* One by one, so that none waits long for another. */
static void search_each(struct each *e, gpugraph_run *run) {
    const struct shared_work work = {
        .items = e->search->source_count, .portion = 1, .part = search_portion, .of = e};
    if (run->used_devices > 1)
        gg_share_out(run, &work);
    else
        search_portion(e, run, 0, work.items);
}

static void each_checked(struct each *e, gpugraph_run *run) {
    bool fallback = false;
    const uint32_t n = e->graph->n;
    if (gg_check_sssp(e->graph, e->search, run))
        return;
    const uint32_t sources = e->search->source_count;
    if (!gg_needs_rows(run, (const void *const *)e->distance, sources, n, "distance") ||
        (e->tree_edge &&
         !gg_needs_rows(run, (const void *const *)e->tree_edge, sources, n, "tree_edge")))
        return;
    e->on = gg_choose_shared(e->graph, &gg_sssp, NULL, e->search->source_count, run,
                             &fallback);
    if (!e->on)
        return;
    run->chosen_at_ms = 0; /* what many take says nothing of one */
    search_each(e, run);
    if (gg_fall_back(run, &gg_sssp, fallback)) {
        e->on = GPUGRAPH_CPU;
        search_each(e, run);
    }
}

gpugraph_status gpugraph_sssp_each(gpugraph_graph *graph, const gpugraph_search *search,
                                   gpugraph_run *run, void *const *distance,
                                   void *const *tree_edge) {
    struct each e = {graph, search, distance, tree_edge, GPUGRAPH_AUTO};
    gg_enter_graph(graph, run);
    each_checked(&e, run);
    return gg_leave_graph(graph, run);
}
