/* gpugraph: a graph in P partitions, one for each process; no process has the whole
** graph.
**
**     shares of edges, as they were read     64-bit vertex numbers
**            |  gpugraph_part_create          the ends of an arc decide its partition
**            v
**     gpugraph_part     master vertices        each vertex is a master in one partition
**                       ghost vertices         ends of local arcs, masters elsewhere
**                       rows over both         32-bit numbers within the partition
**            |  gpugraph_part_bfs, _sssp, _mis, _components, _pagerank
**            v
**     arrays with one entry for each master
**
** Every function here is collective unless its comment says otherwise: all partitions
** call it, in the same order and with the same arguments, except for arguments that a
** comment calls local. A step of a search works on rows. Then the values of ghosts are
** reduced into their masters, and masters are broadcast to their ghosts, as in Dathathri
** et al., "Gluon: A Communication-Optimizing Substrate for Distributed Heterogeneous
** Graph Analytics" (PLDI 2018). So an algorithm is written once for every kind of
** partition, and one struct of functions carries the messages.
**
** For every number and kind of partitions, the results equal those of the functions in
** gpugraph.h on the whole graph, bit for bit.
**
** Errors: a function that fails in one partition fails in all partitions, with the same
** message. */
#ifndef GPUGRAPH_PARTS_H
#define GPUGRAPH_PARTS_H

#include "gpugraph.h"

GPUGRAPH_BEGIN_DECLS

/* ---------------------------------------------------------------------------------------
** Messages. */

typedef struct gpugraph_exchange gpugraph_exchange;

/* The bytes of a message to or from one partition. Both partitions know `room`; if it is
** 0, there is no message. */
typedef struct gpugraph_parcel {
    void *bytes;
    uint64_t room, size; /* size: bytes sent or received, at most room */
} gpugraph_parcel;

/* One implementation of the exchange. `swap_and_gather` is collective and returns the
** run's status. If a partition has failed or has ended, it fails in all partitions. */
typedef struct gpugraph_exchange_calls {
    /* Copies out[q] of partition p to in[p] of partition q; both arrays have an entry for
    ** each partition, also for the caller's. A parcel with room may be empty. If `out` is
    ** NULL, the call sends no parcels. Also gathers `bytes` bytes of each partition, in
    ** order, in `all` of every partition, unless `bytes` is 0. One wait serves both. */
    gpugraph_status (*swap_and_gather)(gpugraph_exchange *, gpugraph_run *,
                                       const gpugraph_parcel *out, gpugraph_parcel *in,
                                       const void *mine, size_t bytes, void *all);
    /* Not collective. Reports the run's error to the other partitions; this partition
    ** makes no more calls. */
    void (*fail)(gpugraph_exchange *, const gpugraph_run *run);
} gpugraph_exchange_calls;

struct gpugraph_exchange { /* one for each partition */
    const gpugraph_exchange_calls *calls;
    uint32_t part, parts;
    uint64_t sent, received; /* bytes to and from other partitions so far */
    uint64_t waits;          /* calls so far that waited for other partitions */
    /* All partitions know of the failure, so each may end without the others. */
    bool agreed;
};

/* ---------------------------------------------------------------------------------------
** Partitions. */

typedef struct gpugraph_part gpugraph_part;

/* The rule that decides the partition of an arc. Blocks of successive vertex numbers are
** dealt to the partitions of their masters. */
typedef enum gpugraph_partition {
    GPUGRAPH_BY_SOURCE, /* the partition of the source's master: rows are whole there */
    GPUGRAPH_BY_TARGET, /* the partition of the target's master */
    /* Partitions form a grid. An arc's partition is in the row of the source's master and
    ** in the column of the target's master. A partition exchanges messages only with its
    ** row and its column. */
    GPUGRAPH_GRID
} gpugraph_partition;

/* The edges that this partition has read; all members are local. Each edge of the graph
** is in exactly one share. Every number below `vertices` is a vertex, with or without
** edges. Vertex numbers follow the order of ids. */
typedef struct gpugraph_share {
    uint64_t vertices; /* vertices of the whole graph */
    uint64_t count;
    const uint64_t *source, *target;
    gpugraph_weight_type weight_type;
    const void *weight; /* int64_t or double; NULL when unweighted */
    /* Distinct in the whole graph; NULL in all partitions: searches return no trees. */
    const int64_t *edge_id;
} gpugraph_share;

/* Creates the partition's rows: of edges (OUT), of reversed edges (IN), or of both
** (BOTH). If `simple`, which needs BOTH, the rows have no loops and no parallel arcs.
** *part is NULL after an error. Free it with gpugraph_part_free. */
gpugraph_status gpugraph_part_create(gpugraph_exchange *exchange,
                                     const gpugraph_share *share,
                                     gpugraph_partition partition,
                                     gpugraph_direction direction, bool simple,
                                     gpugraph_run *run, gpugraph_part **part);
/* Not collective; part may be NULL. */
void gpugraph_part_free(gpugraph_part *part);

/* Copies the partition's rows to a device. Process number `place` of a host uses device
** `place` of the host's devices, modulo their number. From then on these searches run on
** the device: gpugraph_part_mis, gpugraph_part_bfs and gpugraph_part_sssp
** for partitions by source, gpugraph_part_pagerank for partitions by target, with at most
** 16 partitions. Trees and components stay on the CPU. Data of other partitions goes
** through `exchange`. */
gpugraph_status gpugraph_part_to_device(gpugraph_part *part, int place,
                                        gpugraph_run *run);

/* Not collective. The number of masters, and their vertex numbers, ascending. */
uint32_t gpugraph_part_masters(const gpugraph_part *part);
const uint64_t *gpugraph_part_numbers(const gpugraph_part *part);

/* Delivers values to the masters. Each partition may name any vertices: value[i] becomes
** the value of vertex number[i]. Its partition stores the value in master[j], where j is
** the vertex's position among the masters. Masters that no partition names keep their
** values. */
gpugraph_status gpugraph_part_deliver(gpugraph_part *part, gpugraph_run *run,
                                      uint64_t count, const uint64_t *number,
                                      const uint64_t *value, uint64_t *master);

/* ---------------------------------------------------------------------------------------
** Searches. Arrays are local and have an entry for each master. UINT64_MAX stands for no
** vertex. tree: the tree of gpugraph_bfs or gpugraph_sssp by vertex numbers and edge ids;
** NULL: no tree. The partitions must have the direction of the search, and must not be
** simple, except for gpugraph_part_mis. */

typedef struct gpugraph_part_tree {
    uint64_t *parent; /* UINT64_MAX: a source, or a vertex that is not reached */
    int64_t *edge;    /* valid if there is a parent */
} gpugraph_part_tree;

/* depth: levels from the nearest source, up to max_depth; GPUGRAPH_NONE: not reached. */
gpugraph_status gpugraph_part_bfs(gpugraph_part *part, const uint64_t *source,
                                  uint32_t source_count, uint32_t max_depth,
                                  gpugraph_run *run, uint32_t *depth,
                                  const gpugraph_part_tree *tree);
/* hash: a hash of each master's id and the seed; NULL if the priority needs none. The
** partition must be simple. */
gpugraph_status gpugraph_part_mis(gpugraph_part *part, gpugraph_priority priority,
                                  const uint32_t *hash, gpugraph_run *run,
                                  uint8_t *member);
/* distance: int64_t (-1 if not reached) or double (infinite if not reached), the type of
** the weights. *max_distance has the same type; the search does not reach vertices beyond
** it. NULL: no bound. */
gpugraph_status gpugraph_part_sssp(gpugraph_part *part, const uint64_t *source,
                                   uint32_t source_count, const void *max_distance,
                                   gpugraph_run *run, void *distance,
                                   const gpugraph_part_tree *tree);
/* component: the smallest vertex number of the component. The partition may have any
** direction, but strong components need OUT or IN. */
gpugraph_status gpugraph_part_components(gpugraph_part *part,
                                         gpugraph_component_kind kind, gpugraph_run *run,
                                         uint64_t *component);
typedef struct gpugraph_part_ranks {
    double damping, tolerance;
    uint32_t iterations;
    const uint64_t *source; /* source_count 0: all vertices */
    uint64_t source_count;
} gpugraph_part_ranks;
/* *iterations: the number of iterations done. *change: the sum of absolute changes of
** ranks in the last iteration. */
gpugraph_status gpugraph_part_pagerank(gpugraph_part *part,
                                       const gpugraph_part_ranks *how, gpugraph_run *run,
                                       double *rank, uint32_t *iterations,
                                       double *change);

GPUGRAPH_END_DECLS
#endif
