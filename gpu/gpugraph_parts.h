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
** call it, in the same order and with the same arguments, except for arguments that are
** said to be local. A step of a search works on rows. Then the values of ghosts are
** reduced into their masters, and masters are broadcast to their ghosts, as in Dathathri
** et al., "Gluon: A Communication-Optimizing Substrate for Distributed Heterogeneous
** Graph Analytics" (PLDI 2018). So an algorithm is written once for every kind of
** partition, and one struct of functions carries the messages.
**
** Answers equal those of the functions in gpugraph.h on the whole graph, bit for bit, for
** every number and kind of partitions.
**
** Errors: a function that fails in one partition fails in all of them, with the same
** sentence. */
#ifndef GPUGRAPH_PARTS_H
#define GPUGRAPH_PARTS_H

#include "gpugraph.h"

GPUGRAPH_BEGIN_DECLS

/* ---------------------------------------------------------------------------------------
** Messages. */

typedef struct gpugraph_exchange gpugraph_exchange;

/* The bytes of a message to or from one partition. Both partitions know the room; with
** room 0 there is no message. */
typedef struct gpugraph_parcel {
    void *bytes;
    uint64_t room, size; /* size: bytes sent or received, at most room */
} gpugraph_parcel;

/* One implementation of the exchange. `swap_and_gather` is collective. Its status is
** that of the run; a partition that has failed, or has ended, makes it fail in all
** partitions. */
typedef struct gpugraph_exchange_calls {
    /* Copies out[q] of partition p to in[p] of partition q; both arrays have an entry for
    ** each partition, the own one included. A parcel may be empty although it has room.
    ** out NULL: no parcels are sent. Also gathers `bytes` bytes of each partition, in
    ** order, in `all` of every partition; bytes 0: none. Both need one wait. */
    gpugraph_status (*swap_and_gather)(gpugraph_exchange *, gpugraph_run *,
                                       const gpugraph_parcel *out, gpugraph_parcel *in,
                                       const void *mine, size_t bytes, void *all);
    /* Not collective. Reports that this partition has failed, as the run says, and makes
    ** no more calls. */
    void (*fail)(gpugraph_exchange *, const gpugraph_run *run);
} gpugraph_exchange_calls;

struct gpugraph_exchange { /* one for each partition */
    const gpugraph_exchange_calls *calls;
    uint32_t part, parts;
    uint64_t sent, received; /* bytes to and from other partitions so far */
    uint64_t waits;          /* calls so far that waited for other partitions */
    /* all partitions know that one has failed, so each may end by itself */
    bool agreed;
};

/* ---------------------------------------------------------------------------------------
** Partitions. */

typedef struct gpugraph_part gpugraph_part;

/* Which partition has an arc. A hash of the vertex number decides the partition of a
** master. */
typedef enum gpugraph_partition {
    GPUGRAPH_BY_SOURCE, /* the partition of the source's master: rows are whole there */
    GPUGRAPH_BY_TARGET, /* the partition of the target's master */
    /* Partitions form a grid: the one in the row of the source's master and in the column
    ** of the target's master. A partition exchanges messages only with its row and its
    ** column. */
    GPUGRAPH_GRID
} gpugraph_partition;

/* The edges that this partition has read; all members are local. Each edge of the graph
** is in one share, no matter which. Every number below `vertices` is a vertex, with or
** without edges. Vertex numbers follow the order of ids. */
typedef struct gpugraph_share {
    uint64_t vertices; /* vertices of the whole graph */
    uint64_t count;
    const uint64_t *source, *target;
    gpugraph_weight_type weight_type;
    const void *weight; /* int64_t or double; NULL when unweighted */
    /* Distinct in the whole graph. NULL, in all partitions: no trees can be requested. */
    const int64_t *edge_id;
} gpugraph_share;

/* Creates the partition's rows: of edges (OUT), of reversed edges (IN), or of both
** (BOTH). simple, with BOTH: without loops and parallel arcs. *part is NULL after an
** error. Free it with gpugraph_part_free. */
gpugraph_status gpugraph_part_create(gpugraph_exchange *exchange,
                                     const gpugraph_share *share,
                                     gpugraph_partition partition,
                                     gpugraph_direction direction, bool simple,
                                     gpugraph_run *run, gpugraph_part **part);
/* Not collective; part may be NULL. */
void gpugraph_part_free(gpugraph_part *part);

/* Copies the partition's rows to a device. The processes of a host are assigned its
** devices in turn; this process is number `place` of its host. From then on these
** searches run on the device: gpugraph_part_mis, gpugraph_part_bfs and gpugraph_part_sssp
** for partitions by source, gpugraph_part_pagerank for partitions by target, with at most
** 16 partitions. Trees and components stay on the CPU. Data of other partitions goes
** through `exchange`. */
gpugraph_status gpugraph_part_to_device(gpugraph_part *part, int place,
                                        gpugraph_run *run);

/* Not collective. The number of masters, and their vertex numbers, ascending. */
uint32_t gpugraph_part_masters(const gpugraph_part *part);
const uint64_t *gpugraph_part_numbers(const gpugraph_part *part);

/* Delivers values to the masters: value[i], local to any partition, becomes the value of
** vertex number[i]: master[j], where j is the place of the vertex among the masters of
** its partition. Masters that no partition names keep their values. */
gpugraph_status gpugraph_part_deliver(gpugraph_part *part, gpugraph_run *run,
                                      uint64_t count, const uint64_t *number,
                                      const uint64_t *value, uint64_t *master);

/* ---------------------------------------------------------------------------------------
** Searches. Arrays are local and have an entry for each master. UINT64_MAX stands for no
** vertex. tree: the tree of gpugraph_bfs or gpugraph_sssp by vertex numbers and edge ids;
** NULL: no tree. The partitions must have the direction that is searched, and must not be
** simple, except for gpugraph_part_mis. */

typedef struct gpugraph_part_tree {
    uint64_t *parent; /* UINT64_MAX at a source and where not reached */
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
/* distance: int64_t (-1 if not reached) or double (infinite if not reached), as the
** weights are. max_distance has the same type; vertices beyond it are not reached; NULL:
** no bound. */
gpugraph_status gpugraph_part_sssp(gpugraph_part *part, const uint64_t *source,
                                   uint32_t source_count, const void *max_distance,
                                   gpugraph_run *run, void *distance,
                                   const gpugraph_part_tree *tree);
/* component: the smallest vertex number of the component. The partition may have any
** direction; for strong components not BOTH. */
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
