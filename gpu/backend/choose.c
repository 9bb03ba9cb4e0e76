/* Chooses the backend and the method of a search.
**
**     run->backend, run->method         the caller's request
**        |  compared with the algorithm's two lists of methods
**        v
**     cpu, cuda, or free to choose      'auto' compares predicted times (model.h) and
**        |                              considers the earlier searches (weigh.h)
**        v
**     backend, used_method, why         reported in the phase "search"; the model learns
**                                       the time that the search took
**
** This file names no algorithm: each descriptor holds the costs of its algorithm. 'auto'
** opens a closed device in the background if that pays. It waits for the device only if
** the search still ends earlier than on the CPU. */
#include "device/services.h"
#include "device/weigh.h"
#include "devices.h"
#include "graph/copy.h"
#include "model.h"
#include "graph/graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const gg_backend_name[] = {"auto", "cpu", "cuda"};

/* ---- methods ---- */

const gg_method *gg_find_method(const algorithm_side *side, const char *name) {
    for (const gg_method *m = side ? side->methods : NULL; m && m->is.function; m++)
        if (!name || strcmp(m->is.name, name) == 0)
            return m;
    return NULL;
}

/* Finds a method of the backend, or of several devices. If `name` is NULL, returns the
** backend's first method. */
static const gg_method *find_on_backend(const gg_algorithm *a, gpugraph_backend on,
                                        const char *name) {
    const gg_method *m = gg_find_method(a->side[on], name);
    return m || !name || on == GPUGRAPH_CPU ? m : gg_find_method(a->several, name);
}

bool gg_has_method(const gg_algorithm *a, const char *name) {
    return gg_find_method(a->side[GPUGRAPH_CPU], name) ||
           find_on_backend(a, GPUGRAPH_CUDA, name);
}

const algorithm_side *gg_chosen_side(const gg_algorithm *a, gpugraph_backend on,
                                     const gpugraph_run *run) {
    const bool several =
        on == GPUGRAPH_CUDA && gg_find_method(a->several, run->used_method);
    return several ? a->several : a->side[on];
}

/* Appends the methods of `side` that `listed` lacks to the `used` bytes of `list`. */
static size_t add_methods_of(const algorithm_side *side, const algorithm_side *listed,
                             char *list, size_t size, size_t used) {
    for (const gg_method *m = side ? side->methods : NULL;
         m && m->is.function && used < size; m++)
        if (!gg_find_method(listed, m->is.name))
            used += (size_t)snprintf(list + used, size - used, ", %s", m->is.name);
    return used;
}

bool gg_method_is_auto(const gpugraph_run *run) {
    return !run->method || strcmp(run->method, "auto") == 0;
}

bool gg_may_always(const void *task) {
    (void)task;
    return true;
}

const gg_method *gg_settle_method(gpugraph_run *run, const gg_method *methods,
                                  const void *task) {
    const bool by_name = !gg_method_is_auto(run);
    for (const gg_method *m = methods; m->is.name; m++)
        if (by_name ? run->used_method && strcmp(m->is.name, run->used_method) == 0
                    : m->may && m->may(task)) {
            run->used_method = m->is.name;
            return m;
        }
    return NULL;
}

static void no_method(const gg_algorithm *a, const char *method, gpugraph_run *run) {
    const algorithm_side *cpu = a->side[GPUGRAPH_CPU];
    char list[320] = "auto";
    size_t used = add_methods_of(cpu, NULL, list, sizeof list, strlen(list));
    used = add_methods_of(a->side[GPUGRAPH_CUDA], cpu, list, sizeof list, used);
    add_methods_of(a->several, cpu, list, sizeof list, used);
    gg_fail(run, GPUGRAPH_INVALID, "%s has no method '%s'; its methods are: %s%s",
            a->name, method, list, a->more_methods ? a->more_methods : "");
}

/* ---- the choice ---- */

typedef struct request {
    struct sharing by;
    const char *method; /* NULL: auto */
    const gg_method *on_cpu, *on_cuda;
} request;

static gpugraph_backend settle_choose(gpugraph_graph *graph, const request *r,
                                      gpugraph_run *run, gpugraph_backend on,
                                      const gg_method *method) {
    run->searched = graph;
    if (on == GPUGRAPH_CPU)
        gg_use_one_device(run, false);
    const bool several = run->used_devices > 1;
    if (((gg_is_device_resident(graph) &&
          (on == GPUGRAPH_CPU || several ||
           !gg_copies_asked()->are_on(graph, run->device))) ||
         (gg_has_gaps(graph) && (several || !r->by.a->brings_edges))) &&
        gg_bring_edges(graph, run))
        return GPUGRAPH_AUTO;
    run->used_backend = gg_backend_name[on];
    run->used_method = method->is.name;
    run->chosen_at_ms = 0;
    if (!r->method && !(r->by.searches && several)) {
        run->chosen = several ? GG_SEVERAL : on;
        struct prediction p = gg_predict(graph, r->by.a, r->by.search, run->chosen, run);
        run->search_ms = p.search_ms;
        run->stays_ms = p.stays_ms;
        run->like = gg_like(graph, r->by.search);
        run->chosen_at_ms = gg_now_ms();
    }
    gg_count_searches(graph, 1);
    return on;
}

/* Chooses the devices of the search, and its method on several devices. If no device is
** usable or has enough memory, run->why gets the reason. */
static gpugraph_status take_devices(gpugraph_graph *graph, request *r, bool frugal,
                                    gpugraph_run *run) {
    const gg_method *several = gg_find_method(r->by.a->several, NULL);
    r->by.only_one =
        r->method && !r->by.searches && !gg_find_method(r->by.a->several, r->method);
    r->by.frugal = frugal;
    const gpugraph_status status = gg_take_devices(graph, &r->by, run);
    if (!status && run->used_devices > 1 && !r->by.searches && !r->method && several)
        r->on_cuda = several;
    return status;
}

/* Fails because the method runs only on another backend. */
static gpugraph_backend wrong_backend(const request *r, gpugraph_backend has,
                                      gpugraph_run *run) {
    const bool cpu = has == GPUGRAPH_CPU;
    gg_fail(run, GPUGRAPH_INVALID,
            "method '%s' of %s runs on backend '%s', not on '%s'; leave one of the two "
            "'auto'",
            r->method, r->by.a->name, cpu ? "cpu" : "cuda", cpu ? "cuda" : "cpu");
    return GPUGRAPH_AUTO;
}

static gpugraph_backend choose_cuda(gpugraph_graph *graph, request *r,
                                    gpugraph_run *run) {
    if (gg_devices_asked()->state(run->device, NULL) == OPENING_UNDER_WAY) {
        gg_await_device(run, -1);
        if (gg_stopping(run))
            gg_stopped(run);
        if (run->status)
            return GPUGRAPH_AUTO;
    }
    gpugraph_status status = take_devices(graph, r, true, run);
    if (status == GPUGRAPH_DEVICE_MEMORY) {
        gg_fail(run, status, "%s; %s", run->why, gg_memory_cure(run));
    } else if (status) {
        gg_fail(run, status,
                "no CUDA device can be used: %s; use backend 'cpu' or 'auto'", run->why);
    } else if (!r->on_cuda) {
        wrong_backend(r, GPUGRAPH_CPU, run);
    }
    return run->status ? GPUGRAPH_AUTO
                       : settle_choose(graph, r, run, GPUGRAPH_CUDA, r->on_cuda);
}

/* ---- auto ---- */

/* Writes the reason why the CPU runs the search. */
static void say_why_cpu(const struct stakes *s, enum opening_state state, const char *why,
                        gpugraph_run *run) {
    static const char *const device[] = {
        [OPENING_CLOSED] = "a device would open too late or save too little",
        [OPENING_UNDER_WAY] = "a device is being opened",
        [OPENING_FAILED] = "no device: "};
    if (state == OPENING_OPEN)
        snprintf(run->why, sizeof run->why,
                 "auto: %.3g ms predicted, %.3g ms on the device", s->cpu, s->cuda);
    else
        snprintf(run->why, sizeof run->why, "auto: %.3g ms on the CPU; %s%.120s", s->cpu,
                 device[state], why);
}

static gpugraph_backend choose_auto(gpugraph_graph *graph, request *r, gpugraph_run *run,
                                    bool *fallback) {
    if (!r->on_cuda || r->on_cuda->on_host) {
        run->why[0] = 0; /* no method runs on a device: no choice to explain */
        return settle_choose(graph, r, run, GPUGRAPH_CPU, r->on_cpu);
    }
    const char *why;
    struct stakes s = gg_predict_stakes(graph, r->by.a, r->by.search, run);
    struct course c = gg_take_course(run, &s);
    if (gg_stopping(run)) {
        gg_stopped(run);
        return GPUGRAPH_AUTO;
    }
    if (c.on_device && take_devices(graph, r, false, run) == GPUGRAPH_OK) {
        snprintf(run->why, sizeof run->why,
                 "auto: %.3g ms predicted%s, %.3g ms on the CPU", s.cuda,
                 run->used_devices > 1 ? " on one device" : "", s.cpu);
        *fallback = true;
        return settle_choose(graph, r, run, GPUGRAPH_CUDA, r->on_cuda);
    }
    enum opening_state state = gg_devices_asked()->state(run->device, &why);
    if (!c.on_device) /* otherwise take_devices has written the reason */
        say_why_cpu(&s, state, why, run);
    return settle_choose(graph, r, run, GPUGRAPH_CPU, r->on_cpu);
}

gpugraph_backend gg_choose(gpugraph_graph *graph, const gg_algorithm *a,
                           const gpugraph_search *search, uint32_t searches,
                           gpugraph_run *run, bool *fallback) {
    request r = {.by = {.a = a, .search = search, .searches = searches},
                 .method = gg_method_is_auto(run) ? NULL : run->method};
    r.on_cpu = find_on_backend(a, GPUGRAPH_CPU, r.method);
    r.on_cuda = find_on_backend(a, GPUGRAPH_CUDA, r.method);
    *fallback = false;
    run->why[0] = 0;

    if ((unsigned)run->backend > GPUGRAPH_CUDA) {
        gg_fail(run, GPUGRAPH_INVALID, "backend is %d, not one of auto, cpu and cuda",
                (int)run->backend);
        return GPUGRAPH_AUTO;
    }
    if (run->backend != GPUGRAPH_CPU && gg_check_devices(run))
        return GPUGRAPH_AUTO;
    if (!r.on_cpu && !r.on_cuda &&
        (run->backend != GPUGRAPH_CUDA || gg_devices_asked()->usable(NULL))) {
        no_method(a, r.method, run);
        return GPUGRAPH_AUTO;
    }
    if (run->backend == GPUGRAPH_CPU && !r.on_cpu)
        return wrong_backend(&r, GPUGRAPH_CUDA, run);
    if (run->backend == GPUGRAPH_CUDA || !r.on_cpu)
        return choose_cuda(graph, &r, run);
    if (run->backend == GPUGRAPH_CPU)
        return settle_choose(graph, &r, run, GPUGRAPH_CPU, r.on_cpu);
    return choose_auto(graph, &r, run, fallback);
}

/* Reports the search's time to the model, if the search ran on the chosen backend. */
static void report_time(const gpugraph_run *run, const gg_algorithm *a) {
    const gpugraph_backend on = run->used_devices > 1    ? GG_SEVERAL
                                : run->used_devices == 1 ? GPUGRAPH_CUDA
                                                         : GPUGRAPH_CPU;
    const struct prediction p = {.search_ms = run->search_ms, .stays_ms = run->stays_ms};
    if (run->chosen_at_ms > 0 && run->status == GPUGRAPH_OK && on == run->chosen)
        gg_report_time(a, run->like, on, &p, gg_now_ms() - run->chosen_at_ms);
}

/* Clears the error; its message becomes the reason for the second attempt. */
static void begin_again(gpugraph_run *run, const char *what) {
    int fact = (int)strcspn(run->message, ";"); /* behind it: the cure, now applied */
    snprintf(run->why, sizeof run->why, "%s: %.*s", what, fact < 160 ? fact : 160,
             run->message);
    gg_begin(run);
}

bool gg_fall_back(gpugraph_run *run, const gg_algorithm *a, bool fallback) {
    const algorithm_side *cpu = a->side[GPUGRAPH_CPU];
    report_time(run, a);
    if (!fallback || run->status != GPUGRAPH_DEVICE_MEMORY)
        return false;
    const gg_method *method =
        gg_method_is_auto(run) ? NULL : gg_find_method(cpu, run->used_method);
    method = method ? method : gg_find_method(cpu, NULL);
    begin_again(run, "device memory did not suffice");
    run->used_backend = gg_backend_name[GPUGRAPH_CPU];
    run->used_method = method->is.name;
    gg_use_one_device(run, false);
    return !run->searched || gg_bring_edges(run->searched, run) == GPUGRAPH_OK;
}

bool gg_go_on_alone(gpugraph_run *run, const gg_algorithm *a) {
    if (run->used_devices <= 1 || run->all_devices || !gg_method_is_auto(run) ||
        !gg_is_of_a_device(run->status))
        return false;
    begin_again(run, "not on several devices");
    gg_use_one_device(run, true);
    run->used_method = gg_find_method(a->side[GPUGRAPH_CUDA], NULL)->is.name;
    return true;
}

gpugraph_status gg_search_phase(gpugraph_run *run, double since_ms, int64_t items,
                                const char *format, ...) {
    char devices[24] = "", more[300] = "";
    va_list arguments;
    if (gg_stopping(run))
        return gg_stopped(run);
    if (!run->phase)
        return run->status;
    if (run->used_devices > 1)
        snprintf(devices, sizeof devices, ", %d devices", run->used_devices);
    va_start(arguments, format);
    if (format)
        vsnprintf(more, sizeof more, format, arguments);
    va_end(arguments);
    gg_phase(run, "search", since_ms, items, "%s on %s%s%s%s%s%s", run->used_method,
             run->used_backend, devices, more[0] ? "; " : "", more,
             run->why[0] ? "; " : "", run->why);
    return run->status;
}
