/* Who is asked for an answer as a list, before arrays with an entry for each vertex are made.
**
**     the CPU       in time of what is looked at: sssp/found.h       where it would search
**     the device    arrays as ever, of which a list comes home        where it would search
**     nobody        arrays are made                                   else */
#include "backend/devices.h"
#include "base/limits.h"
#include "device/services.h"
#include "graph/copy.h"
#include "reached.h"
#include "graph/graph.h"

#include <string.h>

/* Searches for which no list is asked after one whose list was too long: that search is
** run twice. Its rows, a 64th of the vertices at least, mostly cost more; a search that
** needs few of them pays once in a while. */
enum { LISTS_SKIPPED = 7 };

static bool rows_are_made(const gpugraph_graph *graph, enum csr_kind kind,
                          bool by_weight) {
    return by_weight ? gg_csr_weighted(graph, kind) : gg_csr_made(graph, kind);
}

bool gg_lists_serve(gpugraph_graph *graph, const gpugraph_search *search,
                    const gpugraph_run *run, const char *method, bool by_weight,
                    bool tree) {
    if (!gg_method_is_auto(run) && strcmp(run->method, method) != 0)
        return false;
    if (gg_is_away(graph) || (tree && !gg_edge_rows_made(graph) &&
                              gg_searches(graph) <= gg_limits.path_prepare_after))
        return false;
    return run->backend == GPUGRAPH_CPU ||
           (run->backend == GPUGRAPH_AUTO &&
            rows_are_made(graph, gg_forward_kind(search->direction), by_weight));
}

static bool may_ask(gpugraph_graph *graph, const gg_algorithm *a,
                    const gpugraph_search *search, const gpugraph_run *run) {
    if (run->backend == GPUGRAPH_CPU || graph->n < gg_limits.reached_least)
        return false;
    const uint32_t skip = __atomic_load_n(&graph->known.lists_to_skip, __ATOMIC_RELAXED);
    if (skip > 0) {
        __atomic_store_n(&graph->known.lists_to_skip, skip - 1, __ATOMIC_RELAXED);
        return false;
    }
    return run->backend == GPUGRAPH_CUDA
               ? gg_devices_asked()->usable(NULL)
               : gg_devices_asked()->state(run->device, NULL) == OPENING_OPEN &&
                     gg_copy_is_there(graph, run) &&
                     gg_prefers_device(graph, a, search, run);
}

void gg_list_on_device(gpugraph_graph *graph, const gg_algorithm *a,
                       const gpugraph_search *search, bool is_short, gpugraph_run *run,
                       struct reached_list *to) {
    bool fallback;
    to->count = GPUGRAPH_NONE;
    if (!(is_short || search->limit > 0) || !may_ask(graph, a, search, run))
        return;
    const gpugraph_backend on = gg_choose(graph, a, search, run, &fallback);
    if (!on || !a->side[on]->list || run->used_devices > 1 ||
        gg_find_method(a->several, run->used_method))
        return;
    a->side[on]->list(graph, search, run, to);
    if (run->status == GPUGRAPH_OK && to->count == GPUGRAPH_NONE) {
        __atomic_store_n(&graph->known.lists_to_skip, LISTS_SKIPPED, __ATOMIC_RELAXED);
        run->chosen_at_ms = 0; /* what it has taken is half a search */
    }
    gg_fall_back(run, a, fallback);
}

void gg_settle_on_cpu(gpugraph_graph *graph, gpugraph_run *run, const char *method) {
    run->searched = graph;
    gg_use_one_device(run, false);
    run->used_backend = gg_backend_name[GPUGRAPH_CPU];
    run->used_method = method;
    run->chosen_at_ms = 0;
    run->why[0] = 0;
    gg_count_searches(graph, 1);
}
