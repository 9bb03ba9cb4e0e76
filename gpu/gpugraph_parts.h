/* gpugraph: a graph in P parts, each in a process of its own, none with all of it.
**
**     shares of edges, as they were read           by numbers of vertices, 64 bits
**            |  gpugraph_part_create               every arc goes to one part, which its ends decide
**            v
**     gpugraph_part     master vertices            each vertex of the graph is master in one part
**                       ghost vertices            ends of its arcs whose masters are elsewhere
**                       rows over both             numbers of 32 bits within the part
**            |  gpugraph_part_bfs, _sssp, _mis, _components, _pagerank
**            v
**     arrays with one entry for each master
**
** All parts run the same program: every function here is collective, which means that all parts call
** it, in the same order and with the same arguments but for what is called theirs. A step of a search
** is work on rows, then ghosts are reduced into their masters and masters broadcast to their ghosts,
** as in Dathathri et al., "Gluon: A Communication-Optimizing Substrate for Distributed Heterogeneous
** Graph Analytics" (PLDI 2018). So an algorithm is written once for every partition, and what carries
** messages is one struct of functions.
**
** Answers are those of the functions in gpugraph.h on the whole graph, bit for bit, however many
** parts there are and whatever the partition.
**
** Errors: a function that fails at one part fails at all of them, with the same sentence. */
#ifndef GPUGRAPH_PARTS_H
#define GPUGRAPH_PARTS_H

#include "gpugraph.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---------------------------------------------------------------------------------------------
** Messages. */

typedef struct gpugraph_exchange gpugraph_exchange;

/* The bytes that go to one part or come from it. Both parts know the room; 0: there is no
** message. */
typedef struct gpugraph_parcel {
    void *bytes;
    uint64_t room, size; /* size: that are sent, or that have come; at most room */
} gpugraph_parcel;

/* One way of exchanging. `swap_and_gather` is collective; the status is of the run, and a
** part that has failed, or that is gone, makes it fail at all parts. */
typedef struct gpugraph_exchange_calls {
    /* out[q] of part p becomes in[p] of part q: arrays with an entry for each part. The
    ** own entry is copied likewise. A parcel may be empty where it has room. out NULL: no
    ** parcels move. `bytes` of each part, by part, come to all; bytes 0: none do. Both
    ** take one wait. */
    gpugraph_status (*swap_and_gather)(gpugraph_exchange *, gpugraph_run *,
                                       const gpugraph_parcel *out, gpugraph_parcel *in,
                                       const void *mine, size_t bytes, void *all);
    /* Not collective: has another part failed? Then this one has, with its sentence. */
    bool (*hear)(gpugraph_exchange *, gpugraph_run *run);
    /* Not collective: this part has failed, as run says, and makes no call any more. */
    void (*fail)(gpugraph_exchange *, const gpugraph_run *run);
} gpugraph_exchange_calls;

struct gpugraph_exchange { /* one for each part */
    const gpugraph_exchange_calls *calls;
    uint32_t part, parts;
    uint64_t sent, received; /* bytes to and from other parts so far */
    uint64_t meetings;       /* calls so far that waited for others */
    bool agreed; /* all parts know that one has failed: each may end by itself */
};

/* ---------------------------------------------------------------------------------------------
** Parts. */

typedef struct gpugraph_part gpugraph_part;

/* Which part has an arc. Masters are spread by a hash of their numbers. */
typedef enum gpugraph_partition {
    GPUGRAPH_BY_SOURCE = 0, /* the one of its source's master: rows are whole there */
    GPUGRAPH_BY_TARGET,     /* the one of its target's master */
    /* Parts in rows and columns: the one in the row of its source's master and the column of its
    ** target's, so that a part exchanges with those of its row and its column alone. */
    GPUGRAPH_GRID
} gpugraph_partition;

/* Edges that this part has read: theirs. Each edge of the graph is in one share, whichever. Every number
** below `vertices` is a vertex, with edges or without; numbers follow the order of ids. */
typedef struct gpugraph_share {
    uint64_t vertices; /* of the whole graph */
    uint64_t count;
    const uint64_t *source, *target;
    gpugraph_weight_type weight_type;
    const void *weight; /* int64_t or double; NULL when unweighted */
    /* No two edges of the graph have the same; NULL, at all parts: no trees are asked for. */
    const int64_t *edge_id;
} gpugraph_share;

/* The arcs of a part: edges as they are (OUT), the other way (IN), both ways (BOTH); `simple`, with BOTH:
** without loops and parallel arcs. */
gpugraph_status gpugraph_part_create(gpugraph_exchange *exchange,
                                     const gpugraph_share *share,
                                     gpugraph_partition partition,
                                     gpugraph_direction direction, bool simple,
                                     gpugraph_run *run, gpugraph_part **part);
/* Not collective; NULL is allowed. Parts on devices may have mapped each other's memory: then no other part may be
** in the middle of a call, as after a call that all have come back from. */
void gpugraph_part_free(gpugraph_part *part);

/* The part's rows are copied to a device: devices of a host are dealt in turn to its processes, of
** which this is number `place`. Searches run there from now on: of parts by source
** gpugraph_part_mis, gpugraph_part_bfs and gpugraph_part_sssp, of parts by target
** gpugraph_part_pagerank, each of at most 16 parts. Trees and components are the cores'. Kernels
** of processes of one host reach each other's device memory, where the driver allows it; otherwise
** data goes through `exchange`. Collective. */
gpugraph_status gpugraph_part_to_device(gpugraph_part *part, int place,
                                        gpugraph_run *run);
/* "peer" or "host"; "none" for a single part; NULL: the part is on no device. */
const char *gpugraph_part_way(const gpugraph_part *part);

/* Not collective. Master i has the number gpugraph_part_numbers(part)[i], ascending. */
uint32_t gpugraph_part_masters(const gpugraph_part *part);
uint32_t gpugraph_part_ghosts(const gpugraph_part *part);
uint64_t gpugraph_part_arcs(const gpugraph_part *part);
const uint64_t *gpugraph_part_numbers(const gpugraph_part *part);

/* Brings values of vertices to where they are masters: value[i] of vertex number[i], from whatever part,
** becomes master[j] there, j being its place among the masters. Masters that no part names keep what
** they have. */
gpugraph_status gpugraph_part_deliver(gpugraph_part *part, gpugraph_run *run,
                                      uint64_t count, const uint64_t *number,
                                      const uint64_t *value, uint64_t *master);

/* ---------------------------------------------------------------------------------------------
** Searches. Arrays have an entry for each master, and are theirs. No vertex: UINT64_MAX. parent and
** edge: NULL leaves both out; the tree of gpugraph_bfs and gpugraph_sssp, by numbers and edge ids. Parts are
** those of the direction that is searched, not simple but for gpugraph_part_mis. */

typedef struct gpugraph_part_tree {
    uint64_t *parent; /* UINT64_MAX at a source, and where not reached */
    int64_t *edge;    /* where there is a parent */
} gpugraph_part_tree;

gpugraph_status gpugraph_part_bfs(gpugraph_part *part, const uint64_t *source,
                                  uint32_t source_count, uint32_t max_depth,
                                  gpugraph_run *run, uint32_t *depth,
                                  const gpugraph_part_tree *tree);
/* hash: of each master's id and the seed; NULL where the priority needs
** none. The part is simple. */
gpugraph_status gpugraph_part_mis(gpugraph_part *part, gpugraph_priority priority,
                                  const uint32_t *hash, gpugraph_run *run,
                                  uint8_t *member);
/* distance: int64_t, -1 where not reached, or double, infinite there, as the weights are. A vertex
** farther than max_distance (of the same type; NULL: no bound) is not reached. */
gpugraph_status gpugraph_part_sssp(gpugraph_part *part, const uint64_t *source,
                                   uint32_t source_count, const void *max_distance,
                                   gpugraph_run *run, void *distance,
                                   const gpugraph_part_tree *tree);
/* component: the smallest number. The part may be of any direction, for strong ones not BOTH. */
gpugraph_status gpugraph_part_components(gpugraph_part *part,
                                         gpugraph_component_kind kind, gpugraph_run *run,
                                         uint64_t *component);
typedef struct gpugraph_part_ranks {
    double damping, tolerance;
    uint32_t iterations;
    const uint64_t *source; /* source_count 0: all vertices */
    uint64_t source_count;
} gpugraph_part_ranks;
gpugraph_status gpugraph_part_pagerank(gpugraph_part *part,
                                       const gpugraph_part_ranks *how, gpugraph_run *run,
                                       double *rank, uint32_t *iterations,
                                       double *change);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
