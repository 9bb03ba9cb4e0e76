/* Lists the methods of all algorithms. Estimates the times that `auto` compares for a
** function, its choice, and the memory, without running the function. */
#include "backend/devices.h"
#include "backend/model.h"
#include "device/services.h"
#include "device/weigh.h"
#include "graph/copy.h"
#include "ids/ids.h"
#include "gpugraph_algorithms.h"
#include "graph/graph.h"

#include <string.h>

#define DECLARE(name) extern const gg_algorithm gg_##name;
GG_ALGORITHMS(DECLARE)

#define ADDRESS(name) &gg_##name,
static const gg_algorithm *const algorithms[] = {GG_ALGORITHMS(ADDRESS)};

/* ---- methods ---- */

/* Counts *i down over the side's methods. Returns method *i, or NULL if the side has
** fewer. */
static const gpugraph_method *method_of_side(const algorithm_side *side, int *i) {
    for (const gg_method *m = side ? side->methods : NULL; m && m->is.name; m++)
        if ((*i)-- == 0)
            return &m->is;
    return NULL;
}

const gpugraph_method *gpugraph_method_at(int i) {
    for (int on = GPUGRAPH_CPU; i >= 0 && on <= GPUGRAPH_CUDA; on++)
        for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
            const gpugraph_method *m = method_of_side(algorithms[a]->side[on], &i);
            if (!m && on == GPUGRAPH_CUDA)
                m = method_of_side(algorithms[a]->several, &i);
            if (m)
                return m;
        }
    return NULL;
}

/* ---- functions ---- */

extern const gg_algorithm gg_dfs_ordered;

/* Variants of algorithms that have a name of their own only in estimates. */
static const struct form {
    const char *name;
    const gg_algorithm *algorithm;
} forms[] = {{"ordered_dfs", &gg_dfs_ordered},
             {"strong_components", &gg_strong_components}};

static const gg_algorithm *find_estimate(const char *function) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, function) == 0)
            return forms[i].algorithm;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (strcmp(algorithms[i]->name, function) == 0)
            return algorithms[i];
    return NULL;
}

static const char *begins(const gg_algorithm *a, gpugraph_backend on) {
    const gg_method *m = gg_find_method(a->side[on], NULL);
    return m ? m->is.name : NULL;
}

/* ---- memory ---- */

/* Returns the bytes of a CSR that the CPU must still make. */
static int64_t rows_bytes(const gpugraph_graph *graph, const gg_algorithm *a) {
    const uint64_t arcs = gg_missing_arcs(graph, a),
                   rows = arcs > 0 ? graph->n + 1ull : 0;
    return (int64_t)(arcs * sizeof(uint32_t) + rows * sizeof(uint64_t));
}

/* A result has one entry for each vertex. */
static int64_t result_bytes(const gpugraph_graph *graph) {
    return (int64_t)graph->n * (int64_t)sizeof(uint64_t);
}

/* Returns true if the graph exists; false if only its size is known. */
static bool is_made(const gpugraph_graph *graph) {
    return graph->source || gg_is_device_resident(graph) || gg_has_gaps(graph);
}

static int64_t graph_bytes(const gpugraph_graph *graph, const gpugraph_size *size) {
    int64_t host = 0, device = 0;
    if (is_made(graph) || !size)
        gpugraph_memory(graph, &host, &device);
    else
        host = gg_graph_bytes(graph) +
               (int64_t)(graph->m * (size->weighted * sizeof(uint32_t) +
                                     size->edge_ids * sizeof(int64_t)));
    return host;
}

/* ---- time ---- */

static struct stakes stakes_of(const gpugraph_graph *graph, const gg_algorithm *a,
                               const gpugraph_search *search, const gpugraph_run *run) {
    struct stakes s = gg_predict_stakes(graph, a, search, run);
    if (!is_made(graph)) { /* the function maps ids to numbers first */
        const struct stakes map = gg_map_stakes(graph->m, gg_threads(run, graph->m));
        s.cpu += map.cpu;
        s.cuda += map.cuda;
    }
    return s;
}

/* ---- time and memory ---- */

/* The second method of an algorithm may take as much memory as the graph and its rows. */
static void estimate_cpu(const gpugraph_graph *graph, const gg_algorithm *a,
                         const gpugraph_search *search, const gpugraph_size *size,
                         const gpugraph_run *run, gpugraph_estimate *e) {
    const bool second = gg_predict(graph, a, search, GPUGRAPH_CPU, run).second;
    const int64_t held = graph_bytes(graph, size) + rows_bytes(graph, a);
    e->backend = gg_backend_name[GPUGRAPH_CPU];
    e->method =
        second ? a->side[GPUGRAPH_CPU]->methods[1].is.name : begins(a, GPUGRAPH_CPU);
    e->host_bytes = (second ? 2 : 1) * held + result_bytes(graph);
}

static void estimate_cuda(const gpugraph_graph *graph, const struct sharing *s,
                          const gpugraph_size *size, const gpugraph_run *run,
                          gpugraph_estimate *e) {
    const algorithm_side *side = s->a->side[GPUGRAPH_CUDA];
    const bool together = e->devices > 1 && !s->searches;
    const algorithm_side *shared = s->a->several;
    const gg_method *several = together ? gg_find_method(shared, NULL) : NULL;
    e->backend = gg_backend_name[GPUGRAPH_CUDA];
    e->method = several ? several->is.name : begins(s->a, GPUGRAPH_CUDA);
    e->host_bytes = graph_bytes(graph, size) + result_bytes(graph);
    e->device_bytes = gg_held_on_device(graph, run) +
                      (together ? shared->several_bytes(graph, e->devices)
                                : gg_bytes_on_device(graph, run, side->bytes, false));
}

/* If an open device has too little memory, auto uses the CPU. */
static bool has_room(const gpugraph_estimate *e, const struct outlook *o,
                     const gpugraph_run *run) {
    gpugraph_device device;
    if (run->memory_limit > 0 && e->device_bytes > run->memory_limit)
        return false;
    return o->state != OPENING_OPEN || !gg_devices_asked()->at(run->device, &device) ||
           e->device_bytes <= device.memory;
}

int gpugraph_estimates(const char *function, const gpugraph_search *search,
                       const gpugraph_graph *graph, const gpugraph_size *size,
                       const gpugraph_run *run, gpugraph_estimate estimate[2]) {
    const gg_algorithm *a = function && estimate ? find_estimate(function) : NULL;
    gpugraph_graph planned = {.n = size ? size->vertices : 0,
                              .m = size ? size->edges : 0,
                              .distance_type = GPUGRAPH_UINT32};
    bool weighted = size && size->weighted;
    if (!a)
        return 0;
    planned.wide = gg_is_wide(planned.m);
    planned.edges.weight_type = weighted ? GPUGRAPH_INTEGER_WEIGHTS : GPUGRAPH_UNWEIGHTED;
    graph = graph ? graph : &planned;

    struct outlook o = gg_look_at_session(run);
    struct stakes s = stakes_of(graph, a, search, run);
    struct course c = gg_weigh(&s, &o);
    memset(estimate, 0, 2 * sizeof *estimate);
    estimate_cpu(graph, a, search, size, run, &estimate[0]);
    estimate[0].ms = s.cpu;
    estimate[0].chosen = run->backend != GPUGRAPH_CUDA;
    if (o.state == OPENING_FAILED || !begins(a, GPUGRAPH_CUDA))
        return 1;
    /* Devices share the searches of a matrix, one row each, by the method for one device.
    ** If devices share other work, the algorithm has a method for several devices. */
    const uint32_t searches = search && a->times ? (uint32_t)a->times(search) : 0;
    const struct sharing sharing = {.a = a, .search = search, .searches = searches};
    estimate[1].devices = gg_expected_devices(graph, &sharing, run, &s.cuda);
    estimate_cuda(graph, &sharing, size, run, &estimate[1]);
    estimate[1].ms = s.cuda + (o.state == OPENING_OPEN ? 0 : o.left_ms);
    bool goes = run->backend == GPUGRAPH_CUDA ||
                (run->backend == GPUGRAPH_AUTO && (c.on_device || c.wait_ms > 0) &&
                 has_room(&estimate[1], &o, run));
    estimate[0].chosen = !goes;
    estimate[1].chosen = goes;
    return 2;
}
