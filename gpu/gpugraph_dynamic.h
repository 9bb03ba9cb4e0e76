/* gpugraph: graphs that change, in batches of edges; gpugraph.h includes this header.
**
**     gpugraph_dynamic      a set of edges, or a map from edges to 32-bit values:
**                           each pair (source, target) occurs at most once
**     gpugraph_multigraph   edges with ids and 64-bit weights, like rows of a table: any
**                           number of edges may join the same two vertices
**
** Vertices are numbers below the vertex count. Each vertex has a hash table in slabs,
** after Awad, Ashkiani, Porumbescu, Owens, "Dynamic Graphs on the GPU" (IPDPS 2020).
** Batches are idempotent: applying a batch again changes nothing. After an error a batch
** may be applied in part; counts stay exact. All arrays belong to the caller and lie in
** host memory. Phases: "upload", "download", "room" (memory grows before a batch), and
** the name of the operation, with the time of the operation alone; on a device this is
** the time of the device's clock. */
#ifndef GPUGRAPH_DYNAMIC_PUBLIC_H
#define GPUGRAPH_DYNAMIC_PUBLIC_H

#include "gpugraph_types.h"

GPUGRAPH_BEGIN_DECLS

/* ---- sets and maps of edges ----
**
**     batch of arrays  ->  gpugraph_dynamic_insert, _delete, _delete_vertices
**     gpugraph_dynamic ->  gpugraph_dynamic_query, _rows, _triangles */

typedef struct gpugraph_dynamic gpugraph_dynamic;

typedef struct gpugraph_dynamic_options {
    uint32_t vertices; /* initial vertices: 0 .. vertices - 1 */
    /* true: a map with a 32-bit value for each edge; false: a set */
    bool valued;
    double load; /* entries divided by slots in a new table; 0: 0.7 */
} gpugraph_dynamic_options;

/* Creates an empty graph on the backend of the run; GPUGRAPH_AUTO is CUDA if a device can
** be used. A graph on a device stays on run->device, and later runs must name the same
** device. *graph is NULL after an error. Free the graph with gpugraph_dynamic_free. */
gpugraph_status gpugraph_dynamic_create(const gpugraph_dynamic_options *options,
                                        gpugraph_run *run, gpugraph_dynamic **graph);
void gpugraph_dynamic_free(gpugraph_dynamic *graph); /* NULL is allowed */

/* Enlarges the graph to `vertices` vertices. Existing tables do not move. */
gpugraph_status gpugraph_dynamic_reserve(gpugraph_dynamic *graph, uint32_t vertices,
                                         gpugraph_run *run);
/* Returns a vertex number without edges: the number of a deleted vertex that no insertion
** has named since, or else a new number. For a graph with a reverse, call this for the
** graph, and reserve as many vertices in the reverse. */
gpugraph_status gpugraph_dynamic_add_vertex(gpugraph_dynamic *graph, gpugraph_run *run,
                                            uint32_t *vertex);

/* Inserts edges, or replaces their values. If a batch names an edge several times, the
** last item wins. value: ignored for a set. *added (may be NULL): the number of edges
** that did not exist. */
gpugraph_status gpugraph_dynamic_insert(gpugraph_dynamic *graph, uint64_t count,
                                        const uint32_t *source, const uint32_t *target,
                                        const uint32_t *value, gpugraph_run *run,
                                        uint64_t *added);
gpugraph_status gpugraph_dynamic_delete(gpugraph_dynamic *graph, uint64_t count,
                                        const uint32_t *source, const uint32_t *target,
                                        gpugraph_run *run, uint64_t *removed);
/* value[i]: the value of edge i (0 in a set), or GPUGRAPH_NONE if the edge does not
** exist. The values of a map should therefore differ from GPUGRAPH_NONE. */
gpugraph_status gpugraph_dynamic_query(gpugraph_dynamic *graph, uint64_t count,
                                       const uint32_t *source, const uint32_t *target,
                                       gpugraph_run *run, uint32_t *value);
/* Deletes all edges from and to these vertices; their numbers are then free. reverse:
** another graph, which is the transpose; NULL if this graph is symmetric. */
gpugraph_status gpugraph_dynamic_delete_vertices(gpugraph_dynamic *graph,
                                                 gpugraph_dynamic *reverse,
                                                 uint64_t count, const uint32_t *vertex,
                                                 gpugraph_run *run);
/* Rehashes every vertex that has tombstones, which frees the space that they occupy. */
gpugraph_status gpugraph_dynamic_clean(gpugraph_dynamic *graph, gpugraph_run *run);

/* All edges as compressed sparse rows; the order within a row is unspecified. offset:
** vertex count + 1 entries. target and value (may be NULL): one entry for each edge. If
** target is NULL, only offset is filled. */
gpugraph_status gpugraph_dynamic_rows(gpugraph_dynamic *graph, gpugraph_run *run,
                                      uint64_t *offset, uint32_t *target,
                                      uint32_t *value);
/* The rows of the given vertices, one after the other. offset: count + 1 entries; the
** differences of its entries are degrees. Call it with target NULL first:
** offset[count] is the length of target and value. */
gpugraph_status gpugraph_dynamic_rows_of(gpugraph_dynamic *graph, uint64_t count,
                                         const uint32_t *vertex, gpugraph_run *run,
                                         uint64_t *offset, uint32_t *target,
                                         uint32_t *value);
/* *count: the number of triangles of a graph that has every edge in both directions and
** no loops. For every two edges of a vertex a query looks for the third edge. */
gpugraph_status gpugraph_dynamic_triangles(gpugraph_dynamic *graph, gpugraph_run *run,
                                           uint64_t *count);

uint32_t gpugraph_dynamic_vertex_count(const gpugraph_dynamic *graph);
uint64_t gpugraph_dynamic_edge_count(const gpugraph_dynamic *graph);
int64_t gpugraph_dynamic_bytes(const gpugraph_dynamic *graph);

/* ---- multigraphs: edges with ids ----
**
** The tables map a pair (source, target) to a slot in an array of edges, and each slot
** names the next slot of this pair, by ascending ids. So a caller can delete one of
** several parallel edges. The cost of an operation on a pair is proportional to its
** number of edges. */

typedef struct gpugraph_multigraph gpugraph_multigraph;

/* Creates an empty multigraph, as gpugraph_dynamic_create does. options->valued is
** ignored. */
gpugraph_status gpugraph_multigraph_create(const gpugraph_dynamic_options *options,
                                           gpugraph_run *run,
                                           gpugraph_multigraph **graph);
void gpugraph_multigraph_free(gpugraph_multigraph *graph); /* NULL is allowed */

gpugraph_status gpugraph_multigraph_reserve(gpugraph_multigraph *graph, uint32_t vertices,
                                            gpugraph_run *run);

/* Inserts edges. If an edge with the same id between the same two vertices exists, its
** weight is replaced; the last item of a batch wins. An id between other vertices names
** another edge. weight: integers, or doubles by their bits; NULL: all 0. *added (may be
** NULL): the number of edges that did not exist. */
gpugraph_status gpugraph_multigraph_insert(gpugraph_multigraph *graph, uint64_t count,
                                           const uint32_t *source, const uint32_t *target,
                                           const int64_t *id, const int64_t *weight,
                                           gpugraph_run *run, uint64_t *added);
gpugraph_status gpugraph_multigraph_delete(gpugraph_multigraph *graph, uint64_t count,
                                           const uint32_t *source, const uint32_t *target,
                                           const int64_t *id, gpugraph_run *run,
                                           uint64_t *removed);
/* found[i]: true if edge i exists. weight[i] (may be NULL): its weight, or 0. */
gpugraph_status gpugraph_multigraph_query(gpugraph_multigraph *graph, uint64_t count,
                                          const uint32_t *source, const uint32_t *target,
                                          const int64_t *id, gpugraph_run *run,
                                          bool *found, int64_t *weight);
/* All edges, as gpugraph_dynamic_rows returns them; every array but offset may be NULL.
** Edges between the same two vertices follow one another, by ascending ids. */
gpugraph_status gpugraph_multigraph_rows(gpugraph_multigraph *graph, gpugraph_run *run,
                                         uint64_t *offset, uint32_t *target, int64_t *id,
                                         int64_t *weight);
/* The rows of the given vertices, as gpugraph_dynamic_rows_of returns them. Call it with
** all arrays but offset NULL first. */
gpugraph_status gpugraph_multigraph_rows_of(gpugraph_multigraph *graph, uint64_t count,
                                            const uint32_t *vertex, gpugraph_run *run,
                                            uint64_t *offset, uint32_t *target,
                                            int64_t *id, int64_t *weight);
uint32_t gpugraph_multigraph_vertex_count(const gpugraph_multigraph *graph);
uint64_t gpugraph_multigraph_edge_count(const gpugraph_multigraph *graph);
/* Bytes on the host, or on the device of the multigraph. */
int64_t gpugraph_multigraph_bytes(const gpugraph_multigraph *graph);

GPUGRAPH_END_DECLS
#endif
