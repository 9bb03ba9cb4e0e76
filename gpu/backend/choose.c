/* Which backend runs a search, and by which method.
**
**     run->backend, run->method         what the caller asks for
**        |  settled against the algorithm's two lists of methods
**        v
**     cpu, cuda, or free to choose      'auto' weighs predicted times (tuning.h):
**        |
**        |     CPU    arcs * ns / threads
**        |     CUDA   context start + upload + dependent steps + arcs * ns
**        v
**     backend, used_method, why         told in the phase "search"
**
** What an algorithm costs and needs is in its descriptor; no algorithm is known here. A small
** graph never touches CUDA: where the CPU needs less than the start of a context, nobody asks
** whether there is a device. */
#include "graph/copy.h"
#include "device/services.h"
#include "algorithm.h"
#include "tuning.h"

#include <stdio.h>
#include <string.h>

const char *const gg_backend_name[] = {"auto", "cpu", "cuda"};

/* ---- methods ---- */

static bool equal(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

const gpugraph_method *gg_find_method(const algorithm_side *side, const char *name) {
    for (const gpugraph_method *m = side->methods; m && m->function; m++)
        if (!name || equal(m->name, name))
            return m;
    return NULL;
}

bool gg_has_method(const gg_algorithm *a, const char *name) {
    return gg_find_method(a->side[GPUGRAPH_CPU], name) ||
           gg_find_method(a->side[GPUGRAPH_CUDA], name);
}

size_t gg_add_methods(const gg_algorithm *a, char *list, size_t size, size_t used) {
    for (int on = GPUGRAPH_CPU; on <= GPUGRAPH_CUDA; on++) {
        const gpugraph_method *m = a->side[on]->methods;
        for (; m && m->function && used < size; m++)
            if (on == GPUGRAPH_CPU || !gg_find_method(a->side[GPUGRAPH_CPU], m->name))
                used += (size_t)snprintf(list + used, size - used, ", %s", m->name);
    }
    return used;
}

bool gg_method_is(const gpugraph_run *run, const char *name) {
    return run->used_method && equal(run->used_method, name);
}

bool gg_method_is_auto(const gpugraph_run *run) {
    return !run->method || equal(run->method, "auto");
}

static void no_method(const gg_algorithm *a, const char *method, gpugraph_run *run) {
    char list[320] = "auto";
    gg_add_methods(a, list, sizeof list, strlen(list));
    gg_fail(run, GPUGRAPH_INVALID, "%s has no method '%s'; its methods are: %s", a->name,
            method, list);
}

/* ---- predicted times ---- */

static double arcs_of_rows(const gpugraph_graph *graph, const gg_algorithm *a) {
    return a->rows == CSR_SIMPLE ? gg_arcs_twice(graph) : gg_arcs_once(graph);
}

static bool has_rows(const gpugraph_graph *graph, const gg_algorithm *a) {
    if (a->rows == CSR_SIMPLE)
        return gg_csr_made(graph, CSR_SIMPLE);
    return a->rows == CSR_KINDS || gg_csr_made(graph, CSR_OUT) ||
           gg_csr_made(graph, CSR_IN) || gg_csr_made(graph, CSR_BOTH);
}

double gg_cpu_ms(const gpugraph_graph *graph, const gg_algorithm *a,
                 const gpugraph_run *run) {
    double arcs = a->arcs(graph), ns = a->cpu_ns;
    double row_ns = a->rows == CSR_SIMPLE ? GG_COST_SIMPLE : GG_COST_CSR;
    double rows = has_rows(graph, a) ? 0 : row_ns * arcs_of_rows(graph, a);
    int threads = gg_threads(run, (uint64_t)arcs);
    int searching = a->alone && a->alone(graph) ? 1 : threads;
    return (arcs * ns / searching + rows / threads) * 1e-6;
}

static int64_t held(const gpugraph_graph *graph) {
    return graph->device ? gg_copies.held(graph) : 0;
}

static double cuda_ms(const gpugraph_graph *graph, const gg_algorithm *a) {
    double arcs = a->arcs(graph);
    double result = (double)graph->n * sizeof(uint64_t) / GG_UPLOAD_BYTES_PER_MS;
    double ms = a->steps(graph) * a->step_us * 1e-3 + arcs * a->cuda_ns * 1e-6 + result;
    if (!gg_devices.is_open())
        ms += GG_CUDA_START_MS;
    if (held(graph) == 0)
        ms += (double)graph->m * 2 * sizeof(uint32_t) / GG_UPLOAD_BYTES_PER_MS +
              arcs * GG_COST_DEVICE * 1e-6;
    return ms;
}

/* ---- the choice ---- */

typedef struct request {
    const gg_algorithm *a;
    const char *method; /* NULL for auto */
    const gpugraph_method *on_cpu, *on_cuda;
} request;

static gpugraph_backend settle(gpugraph_graph *graph, gpugraph_run *run,
                               gpugraph_backend on, const gpugraph_method *method) {
    run->used_backend = gg_backend_name[on];
    run->used_method = method->name;
    gg_count_searches(graph, 1);
    return on;
}

/* Is there that device, and room on it, be it by the method that needs least? If not,
** run->why says why. */
static gpugraph_status cuda_ready(const gpugraph_graph *graph, const gg_algorithm *a,
                                  bool frugal, gpugraph_run *run) {
    const char *why = "";
    gpugraph_device device;
    if (!gg_devices.usable(&why)) {
        snprintf(run->why, sizeof run->why, "%s", why);
        return GPUGRAPH_NO_DEVICE;
    }
    if (run->device < 0 || !gg_devices.at(run->device, &device)) {
        snprintf(run->why, sizeof run->why, "there is no CUDA device number %d",
                 run->device);
        return GPUGRAPH_NO_DEVICE;
    }
    const algorithm_side *cuda = a->side[GPUGRAPH_CUDA];
    int64_t needed = cuda->bytes ? cuda->bytes(graph, frugal) : 0, room = device.free;
    if (run->memory_limit > 0) {
        int64_t rest = run->memory_limit - held(graph);
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

static gpugraph_backend choose_cuda(gpugraph_graph *graph, const request *r,
                                    gpugraph_run *run) {
    gpugraph_status status = cuda_ready(graph, r->a, true, run);
    if (status == GPUGRAPH_DEVICE_MEMORY) {
        gg_fail(run, status, "%s; %s", run->why, gg_memory_cure(run));
    } else if (status) {
        gg_fail(run, status,
                "no CUDA device can be used: %s; use backend 'cpu' or 'auto'", run->why);
    } else if (!r->on_cuda) {
        gg_fail(run, GPUGRAPH_INVALID,
                "method '%s' of %s runs on backend 'cpu', not on 'cuda'; leave one of "
                "the two 'auto'",
                r->method, r->a->name);
    }
    return run->status ? GPUGRAPH_AUTO : settle(graph, run, GPUGRAPH_CUDA, r->on_cuda);
}

static gpugraph_backend choose_auto(gpugraph_graph *graph, const request *r,
                                    gpugraph_run *run, bool *fallback) {
    double on_cpu = gg_cpu_ms(graph, r->a, run);
    bool open = gg_devices.is_open();
    if (!r->on_cuda || (r->method && equal(r->method, "serial"))) {
        run->why[0] = 0; /* nothing to weigh: one thread is a CPU's */
    } else if (!open && on_cpu < GG_CUDA_START_MS) {
        snprintf(run->why, sizeof run->why,
                 "auto: %.3g ms predicted, less than a device takes to start", on_cpu);
    } else {
        double on_cuda = cuda_ms(graph, r->a);
        if (on_cuda < on_cpu && cuda_ready(graph, r->a, false, run) == GPUGRAPH_OK) {
            snprintf(run->why, sizeof run->why,
                     "auto: %.3g ms predicted, %.3g ms on the CPU", on_cuda, on_cpu);
            *fallback = true;
            return settle(graph, run, GPUGRAPH_CUDA, r->on_cuda);
        }
        if (on_cuda >= on_cpu)
            snprintf(run->why, sizeof run->why,
                     "auto: %.3g ms predicted, %.3g ms on the device", on_cpu, on_cuda);
    }
    return settle(graph, run, GPUGRAPH_CPU, r->on_cpu);
}

/* method: NULL for auto's. */
static const gpugraph_method *method_on(const gg_algorithm *a, gpugraph_backend on,
                                        const char *method) {
    return gg_find_method(a->side[on], method ? method : a->begins[on]);
}

gpugraph_backend gg_choose(gpugraph_graph *graph, const gg_algorithm *a,
                           gpugraph_run *run, bool *fallback) {
    request r = {.a = a, .method = gg_method_is_auto(run) ? NULL : run->method};
    r.on_cpu = method_on(a, GPUGRAPH_CPU, r.method);
    r.on_cuda = method_on(a, GPUGRAPH_CUDA, r.method);
    *fallback = false;
    run->why[0] = 0;

    if ((unsigned)run->backend > GPUGRAPH_CUDA) {
        gg_fail(run, GPUGRAPH_INVALID, "backend is %d, not one of auto, cpu and cuda",
                (int)run->backend);
        return GPUGRAPH_AUTO;
    }
    if (!r.on_cpu && !r.on_cuda) {
        bool absent = run->backend == GPUGRAPH_CUDA && !gg_devices.usable(NULL);
        if (absent)
            return choose_cuda(graph, &r, run);
        (a->no_method ? a->no_method : no_method)(a, r.method, run);
        return GPUGRAPH_AUTO;
    }
    if (run->backend == GPUGRAPH_CPU && !r.on_cpu) {
        gg_fail(run, GPUGRAPH_INVALID,
                "method '%s' of %s runs on backend 'cuda', not on 'cpu'; leave one of "
                "the two 'auto'",
                r.method, a->name);
        return GPUGRAPH_AUTO;
    }
    if (run->backend == GPUGRAPH_CUDA || !r.on_cpu)
        return choose_cuda(graph, &r, run);
    if (run->backend == GPUGRAPH_CPU)
        return settle(graph, run, GPUGRAPH_CPU, r.on_cpu);
    return choose_auto(graph, &r, run, fallback);
}

bool gg_fall_back(gpugraph_run *run, const gg_algorithm *a, bool fallback) {
    const algorithm_side *cpu = a->side[GPUGRAPH_CPU];
    if (!fallback || run->status != GPUGRAPH_DEVICE_MEMORY)
        return false;
    const gpugraph_method *method =
        gg_method_is_auto(run) ? NULL : gg_find_method(cpu, run->used_method);
    if (!method)
        method = method_on(a, GPUGRAPH_CPU, NULL);
    char why[sizeof run->why];
    int fact = (int)strcspn(run->message, ";"); /* behind it a cure, which is under way */
    snprintf(why, sizeof why, "device memory did not suffice: %.*s",
             fact < 160 ? fact : 160, run->message);
    memcpy(run->why, why, sizeof why);
    gg_begin(run);
    run->used_backend = gg_backend_name[GPUGRAPH_CPU];
    run->used_method = method->name;
    return true;
}

void gg_search_phase(gpugraph_run *run, double since_ms, int64_t items,
                     const char *more) {
    gg_phase(run, "search", since_ms, items, "%s on %s%s%s%s%s", run->used_method,
             run->used_backend, more && *more ? "; " : "", more ? more : "",
             run->why[0] ? "; " : "", run->why);
}
