/* The description of an algorithm, by which a backend is chosen, and the functions of the choice.
**
**     gg_algorithm         in NAME/NAME.c: name, predicted cost, one side for each backend
**       side[CPU]          in NAME/NAME.c: methods, functions
**       side[CUDA]         in NAME/NAME.cu: methods, functions, bytes of device memory
**
** backend/ chooses a side by what is in the struct, and knows no algorithm. cmake/lists.cmake lists them
** all. (backend/no_cuda.c stands for every .cu where there is no nvcc.) */
#ifndef GPUGRAPH_ALGORITHM_H
#define GPUGRAPH_ALGORITHM_H

#include "graph_data.h"

#ifdef __cplusplus
extern "C" {
#endif

struct reached_list; /* sssp/sssp.h */

/* A method: a row of its side's table. A task is the algorithm's own struct of one search. */
typedef struct gg_method {
    gpugraph_method is;
    /* May auto choose it for the task? auto takes the first row that may. NULL: it never takes it. */
    bool (*may)(const void *task);
    bool (*run)(void *task); /* NULL: the side has one way to search */
    bool on_host; /* true for a method of a device's side that runs on the host */
} gg_method;

typedef void gg_function(void);

/* Entries of sides are written with GG_CALLS, whose conditional expression compares the
** types, and called by GG_CALL_OF. */
#define GG_CALLS(type, function) ((gg_function *)(1 ? (function) : (type *)0))
#define GG_CALL_OF(type, side)   ((type *)(side)->call)

/* A side of the CPU with one way to search, for a descriptor. */
#define GG_ONE_METHOD(type, function, algorithm, method, description)                    \
    &(const algorithm_side) {                                                            \
        .methods = (const gg_method[]){{.is = {algorithm, method, "cpu", description}},  \
                                       {.is = {0}}},                                     \
        .call = GG_CALLS(type, function),                                                \
    }

#ifdef __CUDACC__
/* A device's side with one way to search: body(&job, ...) in a job of its own. */
#define GG_CUDA_SIDE(name, type, body, bytes_of, algorithm, method, description)         \
    static const gg_method name##_methods[] = {                                          \
        {.is = {algorithm, method, "cuda", description}}, {}};                           \
    extern "C" const algorithm_side name = {                                             \
        .methods = name##_methods,                                                       \
        .call = GG_CALLS(type, gg_job_call<body>::entry),                                \
        .bytes = bytes_of,                                                               \
    };
#endif

typedef struct algorithm_side {
    /* They end with a NULL name, and the first is what auto begins with; NULL: none. */
    const gg_method *methods;
    /* Searches: a function of the type that the algorithm's header names. */
    gg_function *call;
    /* Device bytes that a run carves and that the graph lacks there. frugal: by the method that
    ** is content with least. NULL: it takes none. */
    int64_t (*bytes)(const gpugraph_graph *graph, bool frugal);
    /* For a distributed side on devices: the bytes that each of `devices` still needs, and whether
    ** the graph's rows lie there in as many partitions. */
    int64_t (*several_bytes)(const gpugraph_graph *graph, int parts);
    bool (*several_ready)(const gpugraph_graph *graph, int parts);
    /* A search by one device that returns a list; NULL: there is none. If the caller must make arrays
    ** instead, to->count is NONE. */
    gpugraph_status (*list)(gpugraph_graph *graph, const gpugraph_search *search,
                            gpugraph_run *run, struct reached_list *to);
} algorithm_side;

typedef struct gg_algorithm {
    const char *name; /* as methods and messages have it */
    bool
        brings_edges; /* it asks for gg_bring_edges where it looks at edges on the host */
    enum csr_kind rows; /* that it walks; CSR_KINDS: the list of edges is enough */
    double (*arcs)(const gpugraph_graph *); /* that it looks at */
    /* That wait for one another on a device. NULL: step_us is the time of all. */
    double (*steps)(const gpugraph_graph *);
    bool (*alone)(const gpugraph_graph *); /* is one thread all that helps? NULL: never */
    /* Predicted: for an arc by one thread, for an arc by all of a device, for a step there. */
    double cpu_ns, cuda_ns, step_us;
    /* If several devices share the graph: for an arc by all of the device that has it, for a step with
    ** an exchange. 0: auto takes several devices for their memory only. */
    double several_ns, several_step_us;
    /* Multiple of that work which this search takes; NULL: 1. */
    double (*times)(const gpugraph_search *);
    /* Milliseconds of the CPU's second method in the list, which auto takes where it is quicker; infinite:
    ** it cannot answer. NULL: auto decides among the methods of the CPU by itself. */
    double (*second_ms)(const gpugraph_graph *, const gpugraph_search *);
    /* Behind the list of methods, where a run asks for none of them; NULL: nothing. */
    const char *more_methods;
    const algorithm_side *side[GPUGRAPH_CUDA + 1]; /* by gpugraph_backend; AUTO: NULL */
    /* By several devices that share the graph: the folder distributed/ has these sides. NULL, or
    ** without methods: there is no such form. */
    const algorithm_side *several;
} gg_algorithm;

/* The names of backends, by gpugraph_backend. (backend/choose.c) */
extern const char *const gg_backend_name[GPUGRAPH_CUDA + 1];

/* Which backend runs the algorithm: settles run->method against run->backend, weighs predicted
** times for auto, sets run->used_backend and run->used_method. GPUGRAPH_AUTO after gg_fail.
** search: NULL where it is of the whole graph. *fallback: auto would leave the device for the CPU on
** GPUGRAPH_DEVICE_MEMORY. */
gpugraph_backend gg_choose(gpugraph_graph *graph, const gg_algorithm *a,
                           const gpugraph_search *search, gpugraph_run *run,
                           bool *fallback);
/* gg_choose for so many searches, each by itself: several devices share them out (device/share.h), each
** with a copy of the graph. */
gpugraph_backend gg_choose_shared(gpugraph_graph *graph, const gg_algorithm *a,
                                  const gpugraph_search *search, uint32_t searches,
                                  gpugraph_run *run, bool *fallback);
/* A form for several devices has ended with an error. True: of a device, and the caller left their
** number to auto: the error is cleared, and the search goes on with run->device alone. */
bool gg_go_on_alone(gpugraph_run *run, const gg_algorithm *a);
/* After the algorithm has run: what it took corrects later predictions. True when that
** ended with GPUGRAPH_DEVICE_MEMORY and fallback (from gg_choose) is set. The error is then
** cleared, used_backend and used_method say the CPU, and the caller runs the CPU's side. */
bool gg_fall_back(gpugraph_run *run, const gg_algorithm *a, bool fallback);
/* Runs an algorithm, if the graph has vertices: by the side that gg_choose settles, by one
** device if several have failed (gg_go_on_alone), and by the CPU if the device's memory did not
** suffice. `arguments` are those of the entry:
**     GG_RUN(cores_entry, &gg_cores, NULL, graph, run, (graph, run, core)); */
#define GG_RUN(type, a, search, graph, run, arguments)                                   \
    do {                                                                                 \
        bool gg_fallback;                                                                \
        const gpugraph_backend gg_on = gg_choose(graph, a, search, run, &gg_fallback);   \
        if (gg_on && (graph)->n > 0) {                                                   \
            const algorithm_side *gg_side = gg_chosen_side(a, gg_on, run);               \
            GG_CALL_OF(type, gg_side) arguments;                                         \
            if (gg_side == (a)->several && gg_go_on_alone(run, a))                       \
                GG_CALL_OF(type, (a)->side[GPUGRAPH_CUDA]) arguments;                    \
            if (gg_fall_back(run, a, gg_fallback))                                       \
                GG_CALL_OF(type, (a)->side[GPUGRAPH_CPU]) arguments;                     \
        }                                                                                \
    } while (0)
/* Milliseconds that the CPU is predicted to take. */
double gg_cpu_ms(const gpugraph_graph *graph, const gg_algorithm *a,
                 const gpugraph_run *run);
/* The method of that name, or the side's first; NULL: it has none, or side is NULL. */
const gg_method *gg_find_method(const algorithm_side *side, const char *name);
/* The side that gg_choose has settled: of a backend, or of several devices. */
const algorithm_side *gg_chosen_side(const gg_algorithm *a, gpugraph_backend on,
                                     const gpugraph_run *run);
bool gg_has_method(const gg_algorithm *a, const char *name);
/* The row by which a side does its task: for auto the first that may, which becomes run->used_method, else
** that of run->used_method. NULL: none is. */
const gg_method *gg_settle_method(gpugraph_run *run, const gg_method *methods,
                                  const void *task);
bool gg_may_always(const void *task); /* for `may` */
/* Did the caller leave the method open? */
bool gg_method_is_auto(const gpugraph_run *run);
/* Phase "search": the detail is "<used_method> on <used_backend>", what the format (NULL:
** nothing) says, and why gg_choose (or gg_fall_back) came to that backend. */
void gg_search_phase(gpugraph_run *run, double since_ms, int64_t items,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Parts of predictions. (backend/model.c) */
/* Levels of a search by depth, of a graph that is not thin. */
enum { GG_FEW_LEVELS = 20 };
double gg_arcs_once(const gpugraph_graph *graph);  /* every edge */
double gg_arcs_twice(const gpugraph_graph *graph); /* every edge, from both ends */
bool gg_is_thin(const gpugraph_graph *graph);      /* roads, chains */

#ifdef __cplusplus
}
#endif
#endif
