/* What lies on devices for a graph: for each device a list of parts. A part belongs to a room that
** alone knows its inside; the list knows how many bytes it holds, what it stands on, and how to have
** it given back.
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
** The first list is the graph's home: edges that are nowhere else lie there, and a graph that
** changes keeps its copy there. Each device's copy is whole, made by jobs of its own.
**
** What is called here is about one device: that which this thread looks at, as it does while a job
** is open, else each graph's home.
**
** The struct of a part begins with a device_part, and is zeros at first. It stays in the list until
** the whole list goes; when what it stands on changes, or memory is short, it is emptied. So a
** pointer to it stays good while a job takes memory. All of it is called in the device's turn
** (turn.h), but for the bytes, which another thread that uses the graph may ask for. */
#ifndef GPUGRAPH_PARTS_CUH
#define GPUGRAPH_PARTS_CUH

#include "cuda.cuh"

enum part_ground {                       /* what a part stands on, in bits */
                   PART_ON_EDGES = 1,    /* which edges there are */
                   PART_ON_VERTICES = 2, /* the numbers of vertices */
                   PART_ON_WEIGHTS = 4,
                   PART_ON_ROOM = 8,    /* it saves time, and goes when memory is short */
                   PART_ON_DEVICE = 16, /* every part does: all of them go */
                   PART_GROUNDS = 31
};

struct device_part_kind { /* of one owner, by whose address a part is found */
    const char *name;     /* shown by gpugraph_list_derived */
    size_t size;          /* bytes of the owner's struct */
    unsigned stands_on;
    /* Gives back what stood on `gone`; the device is current and idle. */
    void (*drop)(gpugraph_graph *graph, struct device_part *part, unsigned gone);
};

struct device_part {
    const struct device_part_kind *kind;
    struct device_part *next;
    int64_t bytes; /* on the device */
};

struct device_graph {
    int ordinal; /* of the device */
    struct device_part *first;
    struct device_graph *next; /* of another device */
};

#define GG_NOWHERE (-1)
/* From now on this thread looks at that device, or at none. Returns the one before. Opening a job does
** so; closing it goes back to that of the job before. */
int gg_look_at_device(int ordinal);
/* NULL: nothing lies there. Of GG_NOWHERE: the graph's home. */
struct device_graph *gg_device_list(const gpugraph_graph *graph, int ordinal);

/* The graph's part of that kind, made on first need; NULL when the job must end. */
struct device_part *gg_device_part(struct cuda_job *job,
                                   const struct device_part_kind *kind);
/* NULL: none was made. */
struct device_part *gg_device_part_of(const gpugraph_graph *graph,
                                      const struct device_part_kind *kind);
/* Of the parts that stand on any of that. */
int64_t gg_device_part_bytes(const gpugraph_graph *graph, unsigned grounds);
/* Part of gpugraph_list_derived: the parts on all devices. */
void gg_list_parts(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                   void *listener);
void gg_drop_device_parts(gpugraph_graph *graph, unsigned gone);
/* Drops all parts and ends the list, of a graph that nobody else uses. forget: the device's memory is
** gone already (a child of fork). */
void gg_device_graph_free(gpugraph_graph *graph, bool forget);

/* ---- arrays of a part ---- */

static inline void add_bytes(struct device_part *part, int64_t more) {
    __atomic_fetch_add(&part->bytes, more, __ATOMIC_RELAXED);
}

static inline uint64_t block_bytes(uint64_t count, size_t size) {
    uint64_t bytes = count * size;
    return bytes == 0 ? 256 : (bytes + 255) / 256 * 256;
}

/* False when the job must end. */
template <typename type>
static inline bool take(struct cuda_job *job, struct device_part *part, type **array,
                        uint64_t count, size_t size) {
    uint64_t bytes = block_bytes(count, size);
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
