/* gpugraph: types and constants that all calls share: numbers for no vertex and no edge,
** status codes, and the run. gpugraph.h and gpugraph_dynamic.h include this header. */
#ifndef GPUGRAPH_TYPES_H
#define GPUGRAPH_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/* These macros surround public declarations: C names, visible outside the library. */
#define GPUGRAPH_BEGIN_DECLS _Pragma("GCC visibility push(default)") extern "C" {
#define GPUGRAPH_END_DECLS                                                               \
    }                                                                                    \
    _Pragma("GCC visibility pop")
#else
#define GPUGRAPH_BEGIN_DECLS _Pragma("GCC visibility push(default)")
#define GPUGRAPH_END_DECLS   _Pragma("GCC visibility pop")
#endif

GPUGRAPH_BEGIN_DECLS

/* In arrays of 32-bit vertex numbers or depths: no vertex, or not reached. */
#define GPUGRAPH_NONE UINT32_MAX
/* As an argument or result that is one edge number: no edge. */
#define GPUGRAPH_NO_EDGE UINT64_MAX
/* As the device_count of a run: all devices of the machine. */
#define GPUGRAPH_ALL_DEVICES (-1)

typedef enum gpugraph_status {
    GPUGRAPH_OK = 0,
    GPUGRAPH_NO_MEMORY,     /* the host's memory is exhausted */
    GPUGRAPH_DEVICE_MEMORY, /* the device's memory, or memory_limit, is exhausted */
    GPUGRAPH_NO_DEVICE,     /* backend 'cuda' was requested, and no device can be used */
    GPUGRAPH_DEVICE_FAILED, /* the CUDA runtime reported an error */
    GPUGRAPH_INTERRUPTED,   /* run->interrupted returned a value other than 0 */
    GPUGRAPH_INVALID,       /* an argument is not allowed */
    GPUGRAPH_RANGE,         /* a distance leaves the range of its type */
    /* more than 2^32 - 2 vertices, or more than 2^32 - 1 edges at one vertex */
    GPUGRAPH_TOO_LARGE,
    GPUGRAPH_HOST_MEMORY /* host_memory_limit is exhausted */
} gpugraph_status;

typedef enum gpugraph_backend {
    GPUGRAPH_AUTO = 0,
    GPUGRAPH_CPU,
    GPUGRAPH_CUDA
} gpugraph_backend;

/* ---------------------------------------------------------------------------------------
** A run holds the settings of a call, and the call's report. Set the struct to zero, then
** fill in the members that you need. All zero means: backend auto, all threads, no
** limits, no callbacks. A run can serve many calls, one after the other. */
typedef struct gpugraph_run {
    /* given */
    gpugraph_backend backend;
    const char *method;   /* NULL or "auto", or a name that gpugraph_method_at lists */
    int threads;          /* CPU threads; 0: one for each core */
    int device;           /* ordinal of the CUDA device that a call on one device uses */
    int64_t memory_limit; /* bytes that this process may hold on a device; 0: no limit */
    /* Bytes of host memory that one call may hold in addition to the graph; 0: no limit.
    ** The limit does not count the graph's own edges, ids, CSRs and tables, nor the
    ** memory for making them. Calls that create or change a graph, and calls on
    ** partitions, have no limit. */
    int64_t host_memory_limit;
    /* Bytes that the caller itself holds for the call, such as result arrays. They count
    ** against host_memory_limit. The caller sets the number before the call and may add
    ** to it during the call (gpugraph_hold_memory). */
    int64_t host_memory;
    /* Ordinals of the devices that one search may use together, ascending; `device` must
    ** be one of them. device_count 0: `device` alone. GPUGRAPH_ALL_DEVICES: all devices;
    ** the list is ignored. A search that several devices can share uses the number of
    ** devices with the shortest predicted time. With all_devices it uses all of them, and
    ** fails if one of them cannot be used. */
    const int *devices;
    int device_count;
    bool all_devices;
    /* Called about every 10 ms, only from the calling thread. A return value other than 0
    ** interrupts the call. May be NULL. */
    int (*interrupted)(void *listener);
    /* Called from the calling thread after every finished phase: "map", "csr", "upload",
    ** "search", "parents" and others. items: the number of edges or vertices that the
    ** phase handled; detail: a sentence or "". May be NULL. */
    void (*phase)(void *listener, const char *name, double ms, int64_t items,
                  const char *detail);
    void *listener;
    /* reported */
    gpugraph_status status;  /* status of the latest call */
    char message[400];       /* one sentence that explains the status; "" after success */
    const char *used_method; /* method of the latest search, a static string */
    const char *used_backend; /* backend of the latest search: "cpu" or "cuda", static */
    int used_devices;         /* devices that the latest search used; 0 on the CPU */
    /* private to the library */
    int stop; /* 1 after an interrupt or an error; worker threads and kernels read it */
    uintptr_t caller; /* the calling thread, the only one that calls `interrupted` */
    double next_poll_ms;
    int64_t held; /* bytes beside the graph that this call holds */
    /* The run that counted the calling thread's memory before this call. */
    struct gpugraph_run *around;
    char why[200]; /* the reason for the backend of the latest search */
    /* Backend, start and predicted times of the running search. */
    gpugraph_backend chosen;
    double chosen_at_ms, search_ms, stays_ms;
    int like; /* the class of this search among the learned times */
    struct gpugraph_graph *searched; /* the graph of the latest search */
    uint32_t device_set;             /* devices of the search: a bit for each ordinal */
} gpugraph_run;

/* Adds bytes to run->host_memory, or subtracts them if `bytes` is negative. A callback
** that runs during a call (gpugraph_take_path) reports the memory that it takes this way.
** Fails with GPUGRAPH_HOST_MEMORY, and adds nothing, if the sum exceeds
** run->host_memory_limit. */
gpugraph_status gpugraph_hold_memory(gpugraph_run *run, int64_t bytes);

GPUGRAPH_END_DECLS

#endif
