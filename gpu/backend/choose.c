/* Which backend runs a search, and by which method.
**
**     run->backend, run->method         what the caller asks for
**        |  settled against the two lists of methods
**        v
**     cpu, cuda, or free to choose      'auto' weighs predicted times (tuning.h):
**        |
**        |     CPU    arcs * ns / threads
**        |     CUDA   context start + upload + dependent steps + arcs * ns
**        v
**     backend, used_method, why         told in the phase "search"
**
** A small graph never touches CUDA: where the CPU needs less than the start of a context,
** nobody asks whether there is a device. */
#include "backend.h"
#include "tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- methods ---- */

static const backend *const backends[] = {&gg_cpu_backend, &gg_cuda_backend};

enum { BACKENDS = sizeof backends / sizeof backends[0] };

static bool equal(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

/* The method of that name, or the function's first; NULL: the backend has none. */
static const gpugraph_method *find_method(const backend *on, const char *function,
                                          const char *name) {
    for (const gpugraph_method *m = on->methods; m->function; m++)
        if (equal(m->function, function) && (!name || equal(m->name, name)))
            return m;
    return NULL;
}

/* ", direction-optimizing, top-down" behind `used` bytes of a list: each name once. */
static size_t add_methods(const char *function, char *list, size_t size, size_t used) {
    for (int b = 0; b < BACKENDS; b++) {
        for (const gpugraph_method *m = backends[b]->methods; m->function; m++) {
            bool told = b > 0 && find_method(backends[0], function, m->name);
            if (equal(m->function, function) && !told && used < size)
                used += (size_t)snprintf(list + used, size - used, ", %s", m->name);
        }
    }
    return used;
}

bool gg_method_is(const gpugraph_run *run, const char *name) {
    return run->used_method && equal(run->used_method, name);
}

const gpugraph_method *gpugraph_method_at(int i) {
    if (i < 0)
        return NULL;
    for (int b = 0; b < BACKENDS; b++)
        for (const gpugraph_method *m = backends[b]->methods; m->function; m++)
            if (i-- == 0)
                return m;
    return NULL;
}

/* ---- devices ---- */

bool gpugraph_device_at(int i, gpugraph_device *device) {
    if (i < 0)
        return false;
    return i == 0 ? gg_cpu_backend.device_at(0, device)
                  : gg_cuda_backend.device_at(i - 1, device);
}

bool gpugraph_cuda_usable(const char **why) {
    return gg_cuda_backend.usable(why);
}

void gpugraph_release_device(gpugraph_graph *graph) {
    if (graph->device)
        gg_cuda_backend.release(graph);
}

void gg_rows_back(gpugraph_graph *graph) {
    struct csr_slot *slot = &graph->csr[CSR_SIMPLE];
    if (slot->lent && graph->device)
        gg_cuda_backend.rows_back(graph);
    slot->lent = false;
}

void gpugraph_memory(const gpugraph_graph *graph, int64_t *host_bytes,
                     int64_t *device_bytes) {
    *host_bytes =
        graph->host_bytes + gg_csr_bytes(graph) + (int64_t)gg_text_index_bytes(graph);
    *device_bytes = graph->device ? gg_cuda_backend.held(graph) : 0;
}

/* ---- predicted times ---- */

static const struct cost {
    const char *function;
    double cpu_ns, cuda_ns, cuda_step_us;
} costs[] = {GG_COST_BFS, GG_COST_SSSP,      GG_COST_DFS,    GG_COST_DFS_ORDERED,
             GG_COST_MIS, GG_COST_TRIANGLES, GG_COST_DEGREES};

static const struct cost *cost_of(const char *function) {
    size_t i = 0;
    while (i + 1 < sizeof costs / sizeof costs[0] && !equal(costs[i].function, function))
        i++;
    return &costs[i];
}

static bool undirected(const char *function) {
    return equal(function, "mis") || equal(function, "triangles");
}

static bool depth_first(const char *function) {
    return equal(function, "dfs") || equal(function, "dfs-ordered");
}

static double arcs_of(const gpugraph_graph *graph, const char *function) {
    if (depth_first(function))
        return (double)graph->m + (double)graph->n * GG_DFS_VERTEX_ARCS;
    return (double)graph->m * (undirected(function) ? 2 : 1);
}

static bool has_csr(const gpugraph_graph *graph, const char *function) {
    if (undirected(function))
        return gg_csr_made(graph, CSR_SIMPLE);
    return equal(function, "degrees") || gg_csr_made(graph, CSR_OUT) ||
           gg_csr_made(graph, CSR_IN) || gg_csr_made(graph, CSR_BOTH);
}

/* Perhaps one path or a few, or a depth-first search has found it so. */
static bool chains(const gpugraph_graph *graph) {
    return graph->thin || (double)graph->m < (double)graph->n * GG_CHAIN_DEGREE;
}

double gg_cpu_ms(const gpugraph_graph *graph, const char *function,
                 const gpugraph_run *run) {
    double arcs = arcs_of(graph, function), ns = cost_of(function)->cpu_ns;
    double csr = undirected(function) ? GG_COST_SIMPLE : GG_COST_CSR;
    int threads = gg_threads(run, (uint64_t)arcs), searching = threads;
    if (equal(function, "dfs-ordered") || (equal(function, "dfs") && chains(graph)))
        searching = 1;
    csr *=
        has_csr(graph, function) ? 0 : (double)graph->m * (undirected(function) ? 2 : 1);
    return (arcs * ns / searching + csr / threads) * 1e-6;
}

/* What a search has found out counts for more than what degrees let expect. */
static double depth_first_steps(const gpugraph_graph *graph, bool ordered) {
    double n = graph->n, m = graph->m;
    if (graph->thin)
        return GG_FEW_LEVELS + n;
    if (chains(graph))
        return GG_FEW_LEVELS + n / GG_CHAIN_STEPS;
    if (ordered || m < n * GG_PATH_DEGREE)
        return GG_FEW_LEVELS + sqrt(n) * GG_THIN_PATHS;
    return GG_FEW_LEVELS;
}

static double dependent_steps(const gpugraph_graph *graph, const char *function) {
    bool thin = (double)graph->m < (double)graph->n * GG_THIN_DEGREE;
    if (equal(function, "degrees") || equal(function, "triangles"))
        return 1;
    if (depth_first(function))
        return depth_first_steps(graph, equal(function, "dfs-ordered"));
    if (!thin || equal(function, "mis"))
        return GG_FEW_LEVELS;
    return GG_FEW_LEVELS +
           sqrt(graph->n) * (equal(function, "bfs") ? GG_THIN_LEVELS : GG_THIN_ROUNDS);
}

static double cuda_ms(const gpugraph_graph *graph, const char *function) {
    const struct cost *cost = cost_of(function);
    double arcs = arcs_of(graph, function);
    double result = (double)graph->n * sizeof(uint64_t) / GG_UPLOAD_BYTES_PER_MS;
    double ms = dependent_steps(graph, function) * cost->cuda_step_us * 1e-3 +
                arcs * cost->cuda_ns * 1e-6 + result;
    if (!gg_cuda_backend.context_open())
        ms += GG_CUDA_START_MS;
    if (!graph->device || gg_cuda_backend.held(graph) == 0)
        ms += (double)graph->m * 2 * sizeof(uint32_t) / GG_UPLOAD_BYTES_PER_MS +
              arcs * GG_COST_DEVICE * 1e-6;
    return ms;
}

/* ---- the choice ---- */

typedef struct request {
    const char *function, *priced; /* priced: the line of costs */
    const char *method;            /* NULL for auto */
    const gpugraph_method *on_cpu, *on_cuda;
} request;

static const backend *settle(gpugraph_graph *graph, gpugraph_run *run, const backend *on,
                             const gpugraph_method *method) {
    run->used_backend = on->name;
    run->used_method = method->name;
    graph->searches++;
    return on;
}

/* Is there that device, and room on it, be it by the method that needs least? If not,
** run->why says why. */
static gpugraph_status cuda_ready(const gpugraph_graph *graph, const char *function,
                                  bool frugal, gpugraph_run *run) {
    const char *why = "";
    gpugraph_device device;
    if (!gg_cuda_backend.usable(&why)) {
        snprintf(run->why, sizeof run->why, "%s", why);
        return GPUGRAPH_NO_DEVICE;
    }
    if (run->device < 0 || !gg_cuda_backend.device_at(run->device, &device)) {
        snprintf(run->why, sizeof run->why, "there is no CUDA device number %d",
                 run->device);
        return GPUGRAPH_NO_DEVICE;
    }
    int64_t needed = gg_cuda_backend.needs(graph, function, frugal), room = device.free;
    if (run->memory_limit > 0) {
        int64_t rest = run->memory_limit - gg_cuda_backend.held(graph);
        room = rest < room ? (rest > 0 ? rest : 0) : room;
    }
    if (needed <= room)
        return GPUGRAPH_OK;
    snprintf(run->why, sizeof run->why,
             "device memory does not suffice: %lld bytes are needed and %lld are free%s",
             (long long)needed, (long long)room,
             run->memory_limit > 0 ? " under memory_limit" : "");
    return GPUGRAPH_DEVICE_MEMORY;
}

static const backend *choose_cuda(gpugraph_graph *graph, const request *r,
                                  gpugraph_run *run) {
    gpugraph_status status = cuda_ready(graph, r->function, true, run);
    if (status == GPUGRAPH_DEVICE_MEMORY) {
        gg_fail(run, status, "%s; %s", run->why, gg_memory_cure(run));
    } else if (status) {
        gg_fail(run, status,
                "no CUDA device can be used: %s; use backend 'cpu' or 'auto'", run->why);
    } else if (!r->on_cuda) {
        gg_fail(run, GPUGRAPH_INVALID,
                "method '%s' of %s runs on backend 'cpu', not on 'cuda'; leave one of "
                "the two 'auto'",
                r->method, r->function);
    }
    return run->status ? NULL : settle(graph, run, &gg_cuda_backend, r->on_cuda);
}

static const backend *choose_auto(gpugraph_graph *graph, const request *r,
                                  gpugraph_run *run, bool *fallback) {
    double on_cpu = gg_cpu_ms(graph, r->priced, run);
    bool open = gg_cuda_backend.context_open();
    if (!r->on_cuda || (r->method && equal(r->method, "serial"))) {
        run->why[0] = 0; /* nothing to weigh: one thread is a CPU's */
    } else if (!open && on_cpu < GG_CUDA_START_MS) {
        snprintf(run->why, sizeof run->why,
                 "auto: %.3g ms predicted, less than a device takes to start", on_cpu);
    } else {
        double on_cuda = cuda_ms(graph, r->priced);
        if (on_cuda < on_cpu &&
            cuda_ready(graph, r->function, false, run) == GPUGRAPH_OK) {
            snprintf(run->why, sizeof run->why,
                     "auto: %.3g ms predicted, %.3g ms on the CPU", on_cuda, on_cpu);
            *fallback = true;
            return settle(graph, run, &gg_cuda_backend, r->on_cuda);
        }
        if (on_cuda >= on_cpu)
            snprintf(run->why, sizeof run->why,
                     "auto: %.3g ms predicted, %.3g ms on the device", on_cpu, on_cuda);
    }
    return settle(graph, run, &gg_cpu_backend, r->on_cpu);
}

/* ---- where ids become numbers ---- */

static bool device_maps_faster(const gpugraph_edges *edges, const gpugraph_run *run) {
    double m = (double)edges->count;
    double host_ns = GG_COST_MAP / gg_threads(run, (uint64_t)edges->count);
    if (host_ns < GG_COST_MAP_LEAST)
        host_ns = GG_COST_MAP_LEAST;
    return GG_COST_MAP_DEVICE_MS + m * GG_COST_MAP_DEVICE * 1e-6 < m * host_ns * 1e-6;
}

bool gg_map_on_device(gpugraph_graph *graph, const gpugraph_edges *edges,
                      gpugraph_run *run) {
    const backend *on = &gg_cuda_backend;
    uint64_t entries = 2 * (uint64_t)edges->count + (uint64_t)edges->vertex_count;
    bool able = on->map_ids && !edges->texts.count && entries > 0 && entries < UINT32_MAX;
    bool wanted = run->backend == GPUGRAPH_CUDA ||
                  (run->backend == GPUGRAPH_AUTO && able && on->context_open() &&
                   device_maps_faster(edges, run));
    if (!able || !wanted || !on->usable(NULL) || !on->device_at(run->device, NULL))
        return false;
    if (on->open(graph, run))
        return true;
    if (run->status != GPUGRAPH_INTERRUPTED)
        gg_begin(run); /* whoever asked for the device will hear of it from the search */
    return false;
}

static bool is_method(const char *function, const char *name) {
    return find_method(&gg_cpu_backend, function, name) ||
           find_method(&gg_cuda_backend, function, name);
}

/* A path has methods of its own and those of its search, which the other search's name tells. */
static void fail_method(const request *r, gpugraph_run *run) {
    const char *name = r->method ? r->method : "auto";
    char list[320] = "auto";
    size_t used = add_methods(r->function, list, sizeof list, strlen(list));
    bool path = equal(r->function, "path");
    bool by_weight = path && is_method("bfs", name);
    bool by_depth = path && is_method("sssp", name);
    if (by_weight || by_depth)
        add_methods(by_weight ? "sssp" : "bfs", list, sizeof list, used);
    gg_fail(run, GPUGRAPH_INVALID, "%s%s has no method '%s'; its methods are: %s%s",
            r->function,
            by_weight  ? " by weight"
            : by_depth ? " by depth"
                       : "",
            name, list,
            path && !by_weight && !by_depth ? ", and those of bfs or sssp" : "");
}

static const backend *choose(gpugraph_graph *graph, const request *r, gpugraph_run *run,
                             bool *fallback) {
    *fallback = false;
    run->why[0] = 0;

    if ((unsigned)run->backend > GPUGRAPH_CUDA) {
        gg_fail(run, GPUGRAPH_INVALID, "backend is %d, not one of auto, cpu and cuda",
                (int)run->backend);
        return NULL;
    }
    if (!r->on_cpu && !r->on_cuda) {
        bool absent = run->backend == GPUGRAPH_CUDA && !gpugraph_cuda_usable(NULL);
        if (absent)
            return choose_cuda(graph, r, run);
        fail_method(r, run);
        return NULL;
    }
    if (run->backend == GPUGRAPH_CPU && !r->on_cpu) {
        gg_fail(run, GPUGRAPH_INVALID,
                "method '%s' of %s runs on backend 'cuda', not on 'cpu'; leave one of "
                "the two 'auto'",
                r->method, r->function);
        return NULL;
    }
    if (run->backend == GPUGRAPH_CUDA || !r->on_cpu)
        return choose_cuda(graph, r, run);
    if (run->backend == GPUGRAPH_CPU)
        return settle(graph, run, &gg_cpu_backend, r->on_cpu);
    return choose_auto(graph, r, run, fallback);
}

const backend *gg_choose(gpugraph_graph *graph, const char *function, gpugraph_run *run,
                         bool *fallback) {
    request r = {.function = function, .priced = function, .method = run->method};
    if (r.method && equal(r.method, "auto"))
        r.method = NULL;
    r.on_cpu = find_method(&gg_cpu_backend, function, r.method);
    r.on_cuda = find_method(&gg_cuda_backend, function, r.method);
    return choose(graph, &r, run, fallback);
}

const backend *gg_choose_of(gpugraph_graph *graph, const char *function,
                            const char *priced, const char *cpu_method,
                            const char *cuda_method, gpugraph_run *run, bool *fallback) {
    request r = {.function = function, .priced = priced};
    r.on_cpu = find_method(&gg_cpu_backend, function, cpu_method);
    r.on_cuda = find_method(&gg_cuda_backend, function, cuda_method);
    return choose(graph, &r, run, fallback);
}

bool gg_fall_back(gpugraph_run *run, const char *function, bool fallback) {
    if (!fallback || run->status != GPUGRAPH_DEVICE_MEMORY)
        return false;
    const gpugraph_method *method =
        find_method(&gg_cpu_backend, function, run->used_method);
    if (!method || !run->method || equal(run->method, "auto"))
        method = find_method(&gg_cpu_backend, function, NULL);
    char why[sizeof run->why];
    int fact = (int)strcspn(run->message, ";"); /* behind it a cure, which is under way */
    snprintf(why, sizeof why, "device memory did not suffice: %.*s",
             fact < 160 ? fact : 160, run->message);
    memcpy(run->why, why, sizeof why);
    gg_begin(run);
    run->used_backend = gg_cpu_backend.name;
    run->used_method = method->name;
    return true;
}

void gg_search_phase(gpugraph_run *run, double since_ms, int64_t items,
                     const char *more) {
    gg_phase(run, "search", since_ms, items, "%s on %s%s%s%s%s", run->used_method,
             run->used_backend, more && *more ? "; " : "", more ? more : "",
             run->why[0] ? "; " : "", run->why);
}
