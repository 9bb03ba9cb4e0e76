/* A graph's data on devices: a list of parts for each device. A part belongs to one
** folder, and only this folder reads its members. The list knows the part's bytes, the
** data that the part depends on, and the function that frees it.
**
**     gpugraph_graph
**       device -> device_graph
**                   ordinal 0
**                   first -> hubs     ->  light arcs     ->  edges and rows
**                   next     of bfs/      of sssp/         of graph/
**                     |      bytes        bytes            bytes
**                     v      drop         drop             drop
**                 device_graph
**                   ordinal 1
**                   first -> hubs     ->  edges and rows
**
** The first list belongs to the graph's primary device: device-resident edges are there,
** and a graph that changes keeps its copy there. Each device has a whole copy, which its
** own jobs make.
**
** The functions here act on the device that this thread has selected; an open job selects
** its device. If no device is selected, they act on the graph's primary device.
**
** The struct of a part begins with a device_part and is zero at first. It stays in the
** list until the whole list is freed; its arrays are freed when data that they depend on
** changes or memory is short. So a pointer to the struct stays valid while a job
** allocates memory. All functions are called in the device's turn (turn.h), except
** functions that return bytes, which any thread that uses the graph may call. */
#ifndef GPUGRAPH_PARTS_CUH
#define GPUGRAPH_PARTS_CUH

#include "cuda.cuh"

/* The data that a part depends on, in bits. */
enum part_ground {
    PART_ON_EDGES = 1,    /* the set of edges */
    PART_ON_VERTICES = 2, /* the numbers of vertices */
    PART_ON_WEIGHTS = 4,
    PART_ON_ROOM = 8,    /* free memory: the part only saves time */
    PART_ON_DEVICE = 16, /* the device: every part depends on it */
    PART_GROUNDS = 31
};

struct device_part_kind { /* one for each owner; its address identifies the part */
    const char *name;     /* shown by gpugraph_list_derived */
    size_t size;          /* bytes of the owner's struct */
    unsigned stands_on;
    /* Frees the arrays that depend on `gone`; the device is current and idle. */
    void (*drop)(gpugraph_graph *graph, struct device_part *part, unsigned gone);
};

struct device_part {
    const struct device_part_kind *kind;
    struct device_part *next;
    int64_t bytes; /* on the device */
};

struct device_graph {
    int ordinal; /* the device's ordinal */
    struct device_part *first;
    struct device_graph *next; /* of another device */
};

#define GG_NOWHERE (-1)
/* Selects a device, or GG_NOWHERE, for this thread. Returns the previous selection. A job
** selects its device when it opens, and the previous job's device when it closes. */
int gg_look_at_device(int ordinal);
/* Returns the graph's list on a device, or NULL if there is none. GG_NOWHERE: the graph's
** primary device. */
struct device_graph *gg_device_list(const gpugraph_graph *graph, int ordinal);

/* Returns the graph's part of this kind, made on first need; NULL if the job must end. */
struct device_part *gg_device_part(struct cuda_job *job,
                                   const struct device_part_kind *kind);
/* Returns the part; NULL if it was not made. */
struct device_part *gg_device_part_of(const gpugraph_graph *graph,
                                      const struct device_part_kind *kind);
/* Returns the bytes of the parts that depend on any of `grounds`. */
int64_t gg_device_part_bytes(const gpugraph_graph *graph, unsigned grounds);
/* Reports the parts on all devices to gpugraph_list_derived's listener. */
void gg_list_parts(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                   void *listener);
void gg_drop_device_parts(gpugraph_graph *graph, unsigned gone);
/* Drops all parts and frees the list; no other thread may use the graph. forget: the
** device's memory is lost already (in a child of fork()). */
void gg_device_graph_free(gpugraph_graph *graph, bool forget);

/* ---- arrays of a part ---- */

static inline void add_bytes(struct device_part *part, int64_t more) {
    __atomic_fetch_add(&part->bytes, more, __ATOMIC_RELAXED);
}

static inline uint64_t block_bytes(uint64_t count, size_t size) {
    return gg_rounded(count * size);
}

/* Allocates an array of the part. Returns false if the job must end. */
template <typename type>
static inline bool take(struct cuda_job *job, struct device_part *part, type **array,
                        uint64_t count, size_t size) {
    const uint64_t bytes = block_bytes(count, size);
    *array = static_cast<type *>(gg_take(job, bytes));
    if (*array)
        add_bytes(part, (int64_t)bytes);
    return *array != NULL;
}

static inline void give(struct device_part *part, void *array, uint64_t count,
                        size_t size) {
    if (!array)
        return;
    gg_free_block(array, block_bytes(count, size));
    add_bytes(part, -(int64_t)block_bytes(count, size));
}

#endif
