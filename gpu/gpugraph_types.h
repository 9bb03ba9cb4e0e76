/* gpugraph: what all calls have in common: no vertex, no edge, what a call is given beside its
** arguments, and what it reports. A part of gpugraph.h and of gpugraph_dynamic.h. */
#ifndef GPUGRAPH_TYPES_H
#define GPUGRAPH_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* No vertex, not reached: in every array of 32-bit vertex numbers or depths. */
#define GPUGRAPH_NONE UINT32_MAX
/* No edge, where a function takes or returns an edge number. */
#define GPUGRAPH_NO_EDGE UINT64_MAX
/* Of a run: as many devices as there are. */
#define GPUGRAPH_ALL_DEVICES (-1)

typedef enum gpugraph_status {
    GPUGRAPH_OK = 0,
    GPUGRAPH_NO_MEMORY,     /* the host's memory is exhausted */
    GPUGRAPH_DEVICE_MEMORY, /* the device's memory, or memory_limit, is exhausted */
    GPUGRAPH_NO_DEVICE,     /* backend 'cuda' was asked for and there is none */
    GPUGRAPH_DEVICE_FAILED, /* the CUDA runtime reported an error */
    GPUGRAPH_INTERRUPTED,   /* run->interrupted said so */
    GPUGRAPH_INVALID,       /* an argument is out of its range */
    GPUGRAPH_RANGE,         /* a distance leaves the range of its type */
    /* more than 2^32 - 2 vertices, or 2^32 - 1 edges at one of them */
    GPUGRAPH_TOO_LARGE,
    GPUGRAPH_HOST_MEMORY /* host_memory_limit is exhausted */
} gpugraph_status;

typedef enum gpugraph_backend {
    GPUGRAPH_AUTO = 0,
    GPUGRAPH_CPU,
    GPUGRAPH_CUDA
} gpugraph_backend;

/* ---------------------------------------------------------------------------------------------
** A run: what a call is given beside its arguments, and what it reports. Zero it, then fill in
** what you need; all zero is "auto, all threads, no limit, nobody listens". One run serves many
** calls, one after the other. */
typedef struct gpugraph_run {
    /* given */
    gpugraph_backend backend;
    const char *method;   /* NULL or "auto", else a name that gpugraph_method_at lists */
    int threads;          /* CPU threads, 0: one for each core */
    int device;           /* CUDA device ordinal: of what takes one device */
    int64_t memory_limit; /* bytes that this process may hold on a device, 0: no limit */
    /* Bytes of this host's memory that one call may hold beside the graph, 0: no limit. What
    ** belongs to the graph is not counted: its edges, ids, CSRs and tables, and what making them
    ** takes. Calls that make or change a graph, and those over parts, have no limit. */
    int64_t host_memory_limit;
    /* Of these, what the caller holds itself for the call: its result arrays, say. The caller
    ** sets it, and may add to it during the call (gpugraph_hold_memory). */
    int64_t host_memory;
    /* Ordinals of devices that a search may use together, ascending, `device` among them.
    ** device_count 0: `device` alone; GPUGRAPH_ALL_DEVICES: all that there are, whatever the
    ** list. A search that several can share uses as many of them as pay, or, with all_devices,
    ** every one, and ends with a sentence where one of them cannot. */
    const int *devices;
    int device_count;
    bool all_devices;
    /* Asked about every 10 ms, only from the calling thread; not 0: stop. May be NULL. */
    int (*interrupted)(void *listener);
    /* Told of every finished phase, from the calling thread: "map", "csr", "upload",
    ** "search", "parents", ... items: edges or vertices handled; detail: a sentence or
    ** "". May be NULL. */
    void (*phase)(void *listener, const char *name, double ms, int64_t items,
                  const char *detail);
    void *listener;
    /* reported */
    gpugraph_status status;   /* of the latest call */
    char message[400];        /* the sentence that goes with it, "" when ok */
    const char *used_method;  /* static strings: what the latest search ran on */
    const char *used_backend; /* "cpu" or "cuda" */
    int used_devices;         /* 0 on the CPU, else `device` and so many others */
    /* private to the library */
    int stop;         /* read by worker threads and kernels: 1 after an interrupt */
    uintptr_t caller; /* the thread whose call it is, the only one that asks the host */
    double next_poll_ms;
    int64_t held; /* bytes beside the graph that this call has taken */
    struct gpugraph_run
        *around;             /* the run that this thread's blocks counted for before */
    char why[200];           /* why the latest search ran where it did */
    gpugraph_backend chosen; /* of a search under way: where, when, what was predicted */
    double chosen_at_ms, search_ms, stays_ms;
    int like;                        /* what it is compared with */
    struct gpugraph_graph *searched; /* by a search that has chosen its backend */
    uint32_t device_set;             /* used_devices of them: a bit for each ordinal */
} gpugraph_run;

/* Adds bytes to run->host_memory, or, negative, gives them back. A function that is called
** during a call (gpugraph_take_path) says so what it takes. GPUGRAPH_HOST_MEMORY and a sentence
** where that is more than the limit leaves: nothing has been added. */
gpugraph_status gpugraph_hold_memory(gpugraph_run *run, int64_t bytes);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
