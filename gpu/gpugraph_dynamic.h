/* gpugraph: graphs that change, in batches of edges; a part of gpugraph.h.
**
**     gpugraph_dynamic      an edge (source, target) is there once at most: a set of edges, or a
**                           map from edges to values of 32 bits
**     gpugraph_multigraph   edges have ids and weights of 64 bits, as rows of a table have; any
**                           number of them may join the same two vertices
**
** Vertices are numbers below the vertex count. One hash table in slabs for each vertex, after
** Awad, Ashkiani, Porumbescu, Owens, "Dynamic Graphs on the GPU" (IPDPS 2020). Batches are
** idempotent: the same one again changes nothing. After an error a batch may be done in part;
** counts are exact all the same. All arrays are the caller's and on the host. Phases "upload",
** "download", "room" (memory made larger before a batch) and the operation's name; its ms are those
** of the operation alone, on the device by the device's clock. */
#ifndef GPUGRAPH_DYNAMIC_PUBLIC_H
#define GPUGRAPH_DYNAMIC_PUBLIC_H

#include "gpugraph_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- edges that are there once: sets and maps ----
**
**     batch of arrays  ->  gpugraph_dynamic_insert, _delete, _delete_vertices
**     gpugraph_dynamic ->  gpugraph_dynamic_query, _rows, _triangles */

typedef struct gpugraph_dynamic gpugraph_dynamic;

typedef struct gpugraph_dynamic_options {
    uint32_t vertices; /* numbers in use from the start: 0 .. vertices - 1 */
    bool valued;       /* map: a 32-bit value for each edge; else a set of edges */
    double load;       /* entries over places of a table when it is made; 0: 0.7 */
} gpugraph_dynamic_options;

/* run->backend says where it lives: GPUGRAPH_AUTO is CUDA where a device can be used. There
** it stays on run->device, which later runs name, too. */
gpugraph_status gpugraph_dynamic_create(const gpugraph_dynamic_options *options,
                                        gpugraph_run *run, gpugraph_dynamic **graph);
void gpugraph_dynamic_free(gpugraph_dynamic *graph); /* NULL is allowed */

/* More vertices: the dictionary is copied, the tables stay where they are. */
gpugraph_status gpugraph_dynamic_reserve(gpugraph_dynamic *graph, uint32_t vertices,
                                         gpugraph_run *run);
/* A number without edges: of a deleted vertex that no insertion has named since, if there is one, else a
** new one. Of a graph with a reverse ask the graph, and reserve as many in the reverse. */
gpugraph_status gpugraph_dynamic_add_vertex(gpugraph_dynamic *graph, gpugraph_run *run,
                                            uint32_t *vertex);

/* Puts edges in, or replaces their values; the last of a batch counts. value: of a map; of
** a set it is not looked at. *added (may be NULL): how many were not there. */
gpugraph_status gpugraph_dynamic_insert(gpugraph_dynamic *graph, uint64_t count,
                                        const uint32_t *source, const uint32_t *target,
                                        const uint32_t *value, gpugraph_run *run,
                                        uint64_t *added);
gpugraph_status gpugraph_dynamic_delete(gpugraph_dynamic *graph, uint64_t count,
                                        const uint32_t *source, const uint32_t *target,
                                        gpugraph_run *run, uint64_t *removed);
/* value[i]: of edge i, of a set 0; GPUGRAPH_NONE where there is none (a map should hold
** other values). */
gpugraph_status gpugraph_dynamic_query(gpugraph_dynamic *graph, uint64_t count,
                                       const uint32_t *source, const uint32_t *target,
                                       gpugraph_run *run, uint32_t *value);
/* Deletes all edges from and to these vertices, whose numbers are then free. reverse: the
** transpose, a graph of its own; NULL: this graph, being symmetric. */
gpugraph_status gpugraph_dynamic_delete_vertices(gpugraph_dynamic *graph,
                                                 gpugraph_dynamic *reverse,
                                                 uint64_t count, const uint32_t *vertex,
                                                 gpugraph_run *run);
/* Rehashes every vertex that has tombstones, which gives their room back. */
gpugraph_status gpugraph_dynamic_clean(gpugraph_dynamic *graph, gpugraph_run *run);

/* All edges as compressed sparse rows, in no promised order in a row: offset has one entry
** more than there are vertices, target and value (may be NULL) one for each edge; offset
** alone when target is NULL. */
gpugraph_status gpugraph_dynamic_rows(gpugraph_dynamic *graph, gpugraph_run *run,
                                      uint64_t *offset, uint32_t *target,
                                      uint32_t *value);
/* Rows of some vertices alone, one after the other as they are named: offset has count + 1 entries.
** First with target NULL: how long the others will be. */
gpugraph_status gpugraph_dynamic_rows_of(gpugraph_dynamic *graph, uint64_t count,
                                         const uint32_t *vertex, gpugraph_run *run,
                                         uint64_t *offset, uint32_t *target,
                                         uint32_t *value);
/* degree[i]: edges from vertex[i]. */
gpugraph_status gpugraph_dynamic_degrees(gpugraph_dynamic *graph, uint64_t count,
                                         const uint32_t *vertex, gpugraph_run *run,
                                         uint32_t *degree);
/* found[i]: is edge i there? (gpugraph_dynamic_query tells its value, too.) */
gpugraph_status gpugraph_dynamic_exists(gpugraph_dynamic *graph, uint64_t count,
                                        const uint32_t *source, const uint32_t *target,
                                        gpugraph_run *run, bool *found);
/* Triangles of a graph that holds every edge in both directions and no loops: by queries,
** two edges of each being asked for the third. */
gpugraph_status gpugraph_dynamic_triangles(gpugraph_dynamic *graph, gpugraph_run *run,
                                           uint64_t *count);

uint32_t gpugraph_dynamic_vertex_count(const gpugraph_dynamic *graph);
uint64_t gpugraph_dynamic_edge_count(const gpugraph_dynamic *graph);
int64_t gpugraph_dynamic_bytes(const gpugraph_dynamic *graph); /* where it lives */

/* ---- edges with ids: multigraphs ----
**
** The value that the tables hold for (source, target) is the slot of an edge in a table of
** edges, and each slot names the next one between the same two vertices, by ascending ids. So
** of parallel edges one can go while the others stay. What a call does to the edges between two
** vertices takes time in proportion to how many they are. */

typedef struct gpugraph_multigraph gpugraph_multigraph;

/* options->valued is not looked at. Where it lives: as gpugraph_dynamic_create says. */
gpugraph_status gpugraph_multigraph_create(const gpugraph_dynamic_options *options,
                                           gpugraph_run *run,
                                           gpugraph_multigraph **graph);
void gpugraph_multigraph_free(gpugraph_multigraph *graph); /* NULL is allowed */

gpugraph_status gpugraph_multigraph_reserve(gpugraph_multigraph *graph, uint32_t vertices,
                                            gpugraph_run *run);
gpugraph_status gpugraph_multigraph_add_vertex(gpugraph_multigraph *graph,
                                               gpugraph_run *run, uint32_t *vertex);

/* Puts edges in. Of an edge whose id is there already, between the same two vertices, the
** weight is replaced; the last of a batch counts. (An id between other vertices is another
** edge.) weight: integers, or doubles by their bits; NULL: all 0. *added (may be NULL): how
** many were not there. */
gpugraph_status gpugraph_multigraph_insert(gpugraph_multigraph *graph, uint64_t count,
                                           const uint32_t *source, const uint32_t *target,
                                           const int64_t *id, const int64_t *weight,
                                           gpugraph_run *run, uint64_t *added);
gpugraph_status gpugraph_multigraph_delete(gpugraph_multigraph *graph, uint64_t count,
                                           const uint32_t *source, const uint32_t *target,
                                           const int64_t *id, gpugraph_run *run,
                                           uint64_t *removed);
/* found[i]: is edge i there? weight[i] (may be NULL): its weight, else 0. */
gpugraph_status gpugraph_multigraph_query(gpugraph_multigraph *graph, uint64_t count,
                                          const uint32_t *source, const uint32_t *target,
                                          const int64_t *id, gpugraph_run *run,
                                          bool *found, int64_t *weight);
/* Deletes all edges from and to these vertices, whose numbers are then free. reverse: the
** transpose, a graph with the same edge ids; NULL: this graph. */
gpugraph_status gpugraph_multigraph_delete_vertices(gpugraph_multigraph *graph,
                                                    gpugraph_multigraph *reverse,
                                                    uint64_t count,
                                                    const uint32_t *vertex,
                                                    gpugraph_run *run);
/* All edges as compressed sparse rows: offset has one entry more than there are vertices,
** target, id and weight (each may be NULL) one for each edge. Edges between the same two
** vertices follow one another, by ascending ids; otherwise a row is in no promised order. */
gpugraph_status gpugraph_multigraph_rows(gpugraph_multigraph *graph, gpugraph_run *run,
                                         uint64_t *offset, uint32_t *target, int64_t *id,
                                         int64_t *weight);

/* Rows of some vertices alone, one after the other as they are named: offset has count + 1 entries.
** First with the others NULL: how long these will be. */
gpugraph_status gpugraph_multigraph_rows_of(gpugraph_multigraph *graph, uint64_t count,
                                            const uint32_t *vertex, gpugraph_run *run,
                                            uint64_t *offset, uint32_t *target,
                                            int64_t *id, int64_t *weight);
/* degree[i]: edges from vertex[i], parallel ones each. */
gpugraph_status gpugraph_multigraph_degrees(gpugraph_multigraph *graph, uint64_t count,
                                            const uint32_t *vertex, gpugraph_run *run,
                                            uint64_t *degree);
/* found[i]: is there any edge from source[i] to target[i]? */
gpugraph_status gpugraph_multigraph_exists(gpugraph_multigraph *graph, uint64_t count,
                                           const uint32_t *source, const uint32_t *target,
                                           gpugraph_run *run, bool *found);

uint32_t gpugraph_multigraph_vertex_count(const gpugraph_multigraph *graph);
uint64_t gpugraph_multigraph_edge_count(const gpugraph_multigraph *graph);
int64_t gpugraph_multigraph_bytes(const gpugraph_multigraph *graph); /* where it lives */

/* ---- one edge after the other ----
**
**     iterate -> next, next, ... false -> free
**
** An iterator fetches rows as it comes to them, some 65,536 edges at a time or the row of one vertex,
** so that no more of the graph is ever on the host. A vertex's row is what it was at one moment;
** what changes meanwhile in rows that are still to come is seen. */

typedef struct gpugraph_edge_iterator gpugraph_edge_iterator;

typedef struct gpugraph_dynamic_edge {
    uint32_t source, target;
    uint32_t value;     /* of a map */
    int64_t id, weight; /* of a multigraph */
} gpugraph_dynamic_edge;

/* The edges from vertices first .. end - 1, or up to the last one there is. *made is NULL on
** failure. */
gpugraph_status gpugraph_dynamic_iterate(gpugraph_dynamic *graph, uint32_t first,
                                         uint32_t end, gpugraph_run *run,
                                         gpugraph_edge_iterator **made);
gpugraph_status gpugraph_multigraph_iterate(gpugraph_multigraph *graph, uint32_t first,
                                            uint32_t end, gpugraph_run *run,
                                            gpugraph_edge_iterator **made);
/* False: there is none left, or run->status tells why it cannot be had; then the same edge may be
** asked for again. */
bool gpugraph_next_edge(gpugraph_edge_iterator *iterator, gpugraph_run *run,
                        gpugraph_dynamic_edge *edge);
void gpugraph_edge_iterator_free(gpugraph_edge_iterator *iterator); /* NULL is allowed */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
