/* The descriptor of an algorithm, and the functions that choose its backend and method.
**
**     gg_algorithm         in NAME/NAME.c: name, predicted cost, a side for each backend
**       side[CPU]          in NAME/NAME.c: methods, functions
**       side[CUDA]         in NAME/NAME.cu: methods, functions, bytes of device memory
**
** The folder backend/ reads only this struct; cmake/lists.cmake lists the algorithms. In
** a build without nvcc, backend/no_cuda.c replaces every .cu file. */
#ifndef GPUGRAPH_ALGORITHM_H
#define GPUGRAPH_ALGORITHM_H

#include "graph_data.h"

GG_BEGIN_C

struct reached_list; /* sssp/sssp.h */

/* A method: a row of its side's table. A task is the algorithm's struct of one search. */
typedef struct gg_method {
    gpugraph_method is;
    /* True if auto may take this row for the task: auto takes the first. NULL: never. */
    bool (*may)(const void *task);
    bool (*run)(void *task); /* NULL: the side has only one way to search */
    bool on_host; /* true for a method of a device's side that runs on the host */
} gg_method;

typedef void gg_function(void);

/* GG_CALLS writes the entry of a side and checks its type by a conditional expression;
** GG_CALL_OF reads it. */
#define GG_CALLS(type, function) ((gg_function *)(1 ? (function) : (type *)0))
#define GG_CALL_OF(type, side)   ((type *)(side)->call)

/* A CPU side with one method, for a descriptor. */
#define GG_ONE_METHOD(type, function, algorithm, method, description)                    \
    &(const algorithm_side) {                                                            \
        .methods = (const gg_method[]){{.is = {algorithm, method, "cpu", description}},  \
                                       {.is = {0}}},                                     \
        .call = GG_CALLS(type, function),                                                \
    }

#ifdef __CUDACC__
/* A CUDA side with one method: body(&job, ...) runs in a job of its own. */
#define GG_CUDA_SIDE(name, type, body, bytes_of, algorithm, method, description)         \
    static const gg_method name##_methods[] = {                                          \
        {.is = {algorithm, method, "cuda", description}}, {}};                           \
    extern const algorithm_side name = {                                                 \
        .methods = name##_methods,                                                       \
        .call = GG_CALLS(type, gg_job_call<body>::entry),                                \
        .bytes = bytes_of,                                                               \
    };
#endif

typedef struct algorithm_side {
    /* The last row has a NULL name; auto tries the first row first. NULL: no methods. */
    const gg_method *methods;
    /* The function that searches; the algorithm's header names its type. */
    gg_function *call;
    /* Device bytes that a run still needs: workspace and missing parts of the graph.
    ** frugal: for the method that needs least. NULL: a run needs no bytes. */
    int64_t (*bytes)(const gpugraph_graph *graph, bool frugal);
    /* For a side that distributes the search: the bytes that each device still needs, and
    ** whether the graph is already distributed over that many devices. */
    int64_t (*several_bytes)(const gpugraph_graph *graph, int parts);
    bool (*several_ready)(const gpugraph_graph *graph, int parts);
    /* Searches on one device and returns a list; NULL: not available. If the result does
    ** not fit a list, to->count is NONE and the caller needs arrays. */
    gpugraph_status (*list)(gpugraph_graph *graph, const gpugraph_search *search,
                            gpugraph_run *run, struct reached_list *to);
} algorithm_side;

typedef struct gg_algorithm {
    const char *name; /* as in methods and messages */
    /* The CPU side calls gg_bring_edges before it reads edges. */
    bool brings_edges;
    enum csr_kind rows; /* rows that a search needs; CSR_KINDS: only the edge list */
    double (*arcs)(const gpugraph_graph *); /* arcs that a search examines */
    /* Consecutive steps on a device. NULL: step_us is the time of all steps. */
    double (*steps)(const gpugraph_graph *);
    /* true if only one thread can work; NULL: never */
    bool (*alone)(const gpugraph_graph *);
    /* Predicted times: per arc by one CPU thread, per arc by a whole device, per device
    ** step. */
    double cpu_ns, cuda_ns, step_us;
    /* For several devices: time per arc by the device that holds the arc, and per step
    ** with an exchange. 0: auto uses several devices only to have enough memory. */
    double several_ns, several_step_us;
    /* Factor by which this search multiplies the work; NULL: 1. */
    double (*times)(const gpugraph_search *);
    /* Milliseconds of the CPU's second method, which auto takes if it is faster; infinity
    ** if it cannot answer. NULL: the CPU side chooses among its methods. */
    double (*second_ms)(const gpugraph_graph *, const gpugraph_search *);
    /* Text after the list of methods in the error for an unknown method; NULL: none. */
    const char *more_methods;
    const algorithm_side *side[GPUGRAPH_CUDA + 1]; /* by gpugraph_backend; AUTO: NULL */
    /* The side for several devices, defined in distributed/. NULL or without methods: not
    ** supported. */
    const algorithm_side *several;
} gg_algorithm;

/* The names of backends, by gpugraph_backend. (backend/choose.c) */
extern const char *const gg_backend_name[GPUGRAPH_CUDA + 1];

/* Chooses the backend: checks run->method against run->backend, compares predicted times
** for auto, sets run->used_backend and run->used_method. GPUGRAPH_AUTO after gg_fail.
** search: NULL if the algorithm takes the whole graph. searches: 0, or the number of
** independent searches that device/share.h distributes to devices, each of which has a
** copy of the graph. *fallback: true if GPUGRAPH_DEVICE_MEMORY should lead to the CPU. */
gpugraph_backend gg_choose(gpugraph_graph *graph, const gg_algorithm *a,
                           const gpugraph_search *search, uint32_t searches,
                           gpugraph_run *run, bool *fallback);
/* Call it after a run on several devices. If a device failed and auto has chosen several,
** clears the error, selects run->device alone, and returns true: run the search again. */
bool gg_go_on_alone(gpugraph_run *run, const gg_algorithm *a);
/* Call it after a run, whose time corrects later predictions. If the run ended with
** GPUGRAPH_DEVICE_MEMORY and fallback (from gg_choose) is set, clears the error, sets
** used_backend and used_method for the CPU, and returns true: run the CPU side. */
bool gg_fall_back(gpugraph_run *run, const gg_algorithm *a, bool fallback);
/* Runs an algorithm if the graph has vertices: the side that gg_choose selects, then one
** device if several have failed (gg_go_on_alone), or the CPU if device memory did not
** suffice. `arguments` are those of the entry:
**     GG_RUN(cores_entry, &gg_cores, NULL, graph, run, (graph, run, core)); */
#define GG_RUN(type, a, search, graph, run, arguments)                                   \
    do {                                                                                 \
        bool gg_fallback;                                                                \
        const gpugraph_backend gg_on =                                                   \
            gg_choose(graph, a, search, 0, run, &gg_fallback);                           \
        if (gg_on && (graph)->n > 0) {                                                   \
            const algorithm_side *gg_side = gg_chosen_side(a, gg_on, run);               \
            GG_CALL_OF(type, gg_side) arguments;                                         \
            if (gg_side == (a)->several && gg_go_on_alone(run, a))                       \
                GG_CALL_OF(type, (a)->side[GPUGRAPH_CUDA]) arguments;                    \
            if (gg_fall_back(run, a, gg_fallback))                                       \
                GG_CALL_OF(type, (a)->side[GPUGRAPH_CPU]) arguments;                     \
        }                                                                                \
    } while (0)
/* Returns the method with this name, or the first method if name is NULL; NULL: none. */
const gg_method *gg_find_method(const algorithm_side *side, const char *name);
/* Returns the side that gg_choose has selected: of a backend, or of several devices. */
const algorithm_side *gg_chosen_side(const gg_algorithm *a, gpugraph_backend on,
                                     const gpugraph_run *run);
bool gg_has_method(const gg_algorithm *a, const char *name);
/* Returns the row of run->used_method. For auto, returns the first row that may run the
** task, and sets run->used_method to its name. NULL: no row fits. */
const gg_method *gg_settle_method(gpugraph_run *run, const gg_method *methods,
                                  const void *task);
bool gg_may_always(const void *task); /* for gg_method.may */
/* True if the caller left the method to auto. */
bool gg_method_is_auto(const gpugraph_run *run);
/* Ends a search. A run that must end fails by gg_stopped. Otherwise phase "search" is
** reported with the detail "<used_method> on <used_backend>", the formatted text (NULL:
** none), and the reason for the choice of the backend. Returns the status of the run. */
gpugraph_status gg_search_phase(gpugraph_run *run, double since_ms, int64_t items,
                                const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Parts of predictions. (backend/model.c) */
/* Levels of a search by depth in a graph that is not thin. */
enum { GG_FEW_LEVELS = 20 };
double gg_arcs_once(const gpugraph_graph *graph);  /* every edge */
double gg_arcs_twice(const gpugraph_graph *graph); /* every edge, from both ends */
bool gg_is_thin(const gpugraph_graph *graph);      /* roads, chains */

GG_END_C

#endif
