/* gpugraph: graph searches on CPU threads or a CUDA device.
**
**     edge columns (ids, weights)            from SQL or a C program
**            |  gpugraph_create              maps ids to vertex numbers 0 .. n - 1
**            v
**     gpugraph_graph                         host arrays; CSRs and copies on devices
**            |  gpugraph_bfs, _sssp, _dfs, _mis, _triangles, _degrees, ...
**            v
**     arrays that the caller owns, one entry for each vertex number
**
** Numbers: vertex numbers follow the order of ids: INTEGER ids ascending, then TEXT ids
** by their bytes. Vertices that gpugraph_update adds have the last numbers, until
** gpugraph_compact. Edge numbers 0 .. m - 1 follow the order of edge ids; edges with
** equal ids keep the order of the input. Every answer except the unordered depth-first
** tree is the same on every backend and for every number of threads. If no edge id
** repeats, it is also the same for every order of the input.
**
** Ownership: the caller owns result arrays and sizes them before the call. NULL leaves an
** array out where a comment says so. Several threads may search one graph at the same
** time, each with its own run; a structure that several threads need is made once. Call
** gpugraph_update, _compact, _pack, _clone, _release_device and _free only while no other
** thread uses the graph.
**
** Errors: every function that can fail returns a gpugraph_status, and run->message has
** one sentence that explains the error. The graph can still be used afterwards. A NULL
** pointer to a struct, or to an array that has entries, is GPUGRAPH_INVALID unless a
** comment says what NULL means. Arrays without entries may be NULL. The graph (or
** partition, or iterator) and the run must not be NULL. */
#ifndef GPUGRAPH_H
#define GPUGRAPH_H

#include "gpugraph_types.h"

GPUGRAPH_BEGIN_DECLS

#define GPUGRAPH_VERSION "0.1.0"

/* ---------------------------------------------------------------------------------------
** Graphs. */

typedef struct gpugraph_graph gpugraph_graph;

typedef enum gpugraph_weight_type {
    GPUGRAPH_UNWEIGHTED = 0,
    GPUGRAPH_INTEGER_WEIGHTS, /* int64_t, 0 .. INT64_MAX */
    GPUGRAPH_REAL_WEIGHTS     /* double, finite, not negative (-0.0 is taken as 0.0) */
} gpugraph_weight_type;

/* A column of ids. Entry i is the INTEGER value[i]. If is_text is not NULL and its bit i
** (is_text[i / 8] >> (i % 8) & 1) is set, entry i is text number value[i] of the edges'
** texts. If all entries fit 32 bits, the column may use value32 instead of value, which
** is then NULL; take_over makes a narrow column the graph's own array. */
typedef struct gpugraph_id_column {
    const int64_t *value;
    const uint8_t *is_text; /* NULL: the column has no text */
    const int32_t *value32; /* NULL: value has the entries */
} gpugraph_id_column;

/* Distinct texts of any bytes, NUL included: text t begins at bytes[offset[t]] and ends
** where text t + 1 begins. */
typedef struct gpugraph_texts {
    int64_t count;
    const uint64_t *offset; /* count + 1 entries */
    const char *bytes;
} gpugraph_texts;

/* Returns where text t begins, and its length in bytes. */
static inline const char *gpugraph_text(const gpugraph_texts *texts, uint64_t t,
                                        uint64_t *length) {
    const uint64_t begin = texts->offset[t];
    *length = texts->offset[t + 1] - begin;
    return texts->bytes + begin;
}

/* Edges as columns. gpugraph_create reads them and, unless take_over is set, does not
** keep them. Parallel edges and loops are allowed. */
typedef struct gpugraph_edges {
    int64_t count;
    gpugraph_id_column source, target;
    gpugraph_weight_type weight_type;
    const void *weight; /* int64_t or double by weight_type; NULL when unweighted */
    /* INTEGER weights that all fit 32 bits may be here instead of in `weight`, which is
    ** then NULL. If no path is too long for 32 bits, take_over makes the column the
    ** graph's own array. */
    const int32_t *weight32;
    const int64_t *edge_id;    /* NULL: 1 .. count */
    gpugraph_texts texts;      /* the texts that the three id columns refer to */
    int64_t vertex_count;      /* entries of `vertex` */
    gpugraph_id_column vertex; /* vertices besides the ends of edges; may repeat */
    /* If true, gpugraph_create owns the arrays of source, target, weights and edge_id,
    ** even if it fails. They must be different blocks of malloc. gpugraph_create makes
    ** each array the graph's own, or frees it after reading it. The caller still owns the
    ** texts and `vertex`. */
    bool take_over;
    /* NULL, or edges that the extension's page reader has decoded on a device (cells.h).
    ** Then source.value and target.value are NULL, weights may be on the device too, all
    ** ids are INTEGERs, and `vertex` is empty. gpugraph_create takes `cells` over
    ** together with the columns. The edges are device-resident until a function on the
    ** host needs them (gpugraph_bring_edges). */
    struct gg_cells *cells;
    bool stay; /* source and target that a device numbers may be device-resident, too */
} gpugraph_edges;

/* Creates a graph from edge columns. *graph is NULL after an error. A negative, NaN or
** infinite weight is GPUGRAPH_INVALID. Phase "map". Free the graph with gpugraph_free. */
gpugraph_status gpugraph_create(const gpugraph_edges *edges, gpugraph_run *run,
                                gpugraph_graph **graph);
void gpugraph_free(gpugraph_graph *graph); /* NULL is allowed */

/* Announces that about `edges` edges will be read for a graph, with the backend, device
** and threads of this run, and returns at once. If a device is predicted to pay, the
** library opens it in the background. Returns false if no number of edges makes a
** difference; then the caller need not count edges. */
bool gpugraph_expect(uint64_t edges, const gpugraph_run *run);

uint32_t gpugraph_vertex_count(const gpugraph_graph *graph);
uint64_t gpugraph_edge_count(const gpugraph_graph *graph);
gpugraph_weight_type gpugraph_weights(const gpugraph_graph *graph);
/* Calls hear for each structure that is derived from the graph and kept: its static name,
** the device on which it lies (-1: the host), and its bytes. A name may occur several
** times. The copy of the edges on a device is listed, too. */
typedef void gpugraph_hear_derived(void *listener, const char *name, int device,
                                   int64_t bytes);
void gpugraph_list_derived(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                           void *listener);
/* Returns the bytes that the graph holds now: host arrays and CSRs, and device copies. */
void gpugraph_memory(const gpugraph_graph *graph, int64_t *host_bytes,
                     int64_t *device_bytes);
/* Frees the device copies; the next search on a device uploads the graph again. Edges
** that are device-resident are first copied to the host; if that fails, they are lost. */
void gpugraph_release_device(gpugraph_graph *graph);
/* Downloads device-resident edges (phase "download"), which a device has decoded, or
** whose ends it has numbered and kept (gpugraph_edges.stay). The first function that
** needs them on the host calls this one. Gaps that updates have left between edges stay.
** GPUGRAPH_DEVICE_FAILED if the device can no longer be used, for example in a child of
** fork(). */
gpugraph_status gpugraph_bring_edges(gpugraph_graph *graph, gpugraph_run *run);
/* Returns true if the edges are device-resident and this process can no longer use the
** device. The caller must then create the graph again. */
bool gpugraph_is_lost(const gpugraph_graph *graph);

/* The id of a vertex. */
typedef struct gpugraph_id {
    bool is_text;
    int64_t integer;  /* the value of an INTEGER id */
    const char *text; /* the `length` bytes of a TEXT id */
    uint64_t length;
} gpugraph_id;

/* The ids of all vertices, to be read in place; valid until the graph is changed or
** freed. Vertex v < integer_count has the id integer[v], or first_integer + v if integer
** is NULL. The texts follow in order, then `later`: ids that changes have added, in no
** order. gpugraph_id_of returns the id of any vertex. */
typedef struct gpugraph_ids {
    uint32_t integer_count;
    int64_t first_integer;
    const int64_t *integer;
    gpugraph_texts texts;
    const gpugraph_id *later;
} gpugraph_ids;
static inline gpugraph_id gpugraph_id_of(const gpugraph_ids *ids, uint32_t v) {
    gpugraph_id id = {.is_text = v >= ids->integer_count};
    const uint64_t t = (uint64_t)v - ids->integer_count;
    if (!id.is_text)
        id.integer = ids->integer ? ids->integer[v] : ids->first_integer + v;
    else if (t < (uint64_t)ids->texts.count)
        id.text = gpugraph_text(&ids->texts, t, &id.length);
    else
        id = ids->later[t - (uint64_t)ids->texts.count];
    return id;
}
const gpugraph_ids *gpugraph_vertex_ids(const gpugraph_graph *graph);

/* Returns the vertex number of an id, or GPUGRAPH_NONE. */
uint32_t gpugraph_find_integer(const gpugraph_graph *graph, int64_t id);
uint32_t gpugraph_find_text(const gpugraph_graph *graph, const char *bytes,
                            size_t length);

/* The edges by edge number, to be read in place; valid until the graph is changed or
** freed. gpugraph_edges_of closes the gaps that a small gpugraph_update may leave between
** edges, in one pass over all edges. */
typedef struct gpugraph_edge_list {
    /* vertex numbers; NULL while the edges are device-resident */
    const uint32_t *source, *target;
    const int64_t *edge_id; /* NULL: edge e has the id e + 1 */
    gpugraph_weight_type weight_type;
    /* With weights exactly one of these is not NULL (gpugraph_distance_type_of). */
    const uint32_t *weight32;
    const int64_t *weight64;
    const double *weight_real;
} gpugraph_edge_list;
const gpugraph_edge_list *gpugraph_edges_of(const gpugraph_graph *graph);

/* Returns one edge, or only its id. The edges must be on the host
** (gpugraph_bring_edges). These functions and gpugraph_find_edge leave gaps between edges
** as they are. */
typedef struct gpugraph_edge {
    uint32_t source, target;
    int64_t id;
    int64_t weight; /* INTEGER weight; 0 without weights */
    double real;    /* REAL weight */
} gpugraph_edge;
gpugraph_edge gpugraph_edge_of(const gpugraph_graph *graph, uint64_t e);
int64_t gpugraph_edge_id_of(const gpugraph_graph *graph, uint64_t e);

/* Arrays of edge numbers (tree edges, paths, the edges of a vertex) have uint32_t entries
** up to 2^32 - 2 edges, and GPUGRAPH_NONE stands for no edge; larger graphs have uint64_t
** entries, and GPUGRAPH_NO_EDGE. gpugraph_update can change the width. gpugraph_edge_size
** returns the bytes of an entry, gpugraph_edge_at entry i or GPUGRAPH_NO_EDGE. */
size_t gpugraph_edge_size(const gpugraph_graph *graph);
uint64_t gpugraph_edge_at(const gpugraph_graph *graph, const void *edge, uint64_t i);

/* ---------------------------------------------------------------------------------------
** Changes, look-ups, and graphs as bytes. */

/* One batch of changes to a graph's edges. */
typedef struct gpugraph_changes {
    /* edge ids, strictly ascending; each belongs to exactly one edge of the graph */
    const int64_t *removed;
    int64_t removed_count;
    /* The edges to add; NULL: none. Their edge ids are given and strictly ascending. No
    ** edge that stays in the graph has such an id; an edge that is also in `removed` is
    ** changed. take_over is false. vertex: vertices that belong to the graph afterwards
    ** even if no edge names them. */
    const gpugraph_edges *added;
    /* For a graph whose edge ids are the edge numbers plus one (1 .. m, before and after
    ** the change): added edge i comes before the old edge number before[i], or last if
    ** before[i] is the number of edges. The numbers ascend. The id of an added edge is 0,
    ** or the id of the removed edge that it replaces. NULL: edge ids define the order. */
    const uint64_t *before;
    /* Vertex numbers before the change, in any order. A vertex leaves the graph with its
    ** last edge, unless it is in `kept`. A vertex without edges stays in the graph until
    ** it is in `loose`. */
    const uint32_t *kept; /* vertices that stay even without an edge */
    int64_t kept_count;
    const uint32_t *loose; /* kept vertices that leave unless an edge names them */
    int64_t loose_count;
} gpugraph_changes;

/* Applies a batch of changes. Afterwards every answer equals that of a graph which
** gpugraph_create makes of the edges. A vertex keeps its number. A new vertex gets the
** next number, whatever its id; a deleted vertex leaves a tombstone, and gets its number
** back if its id is added again. If there are too many tombstones and later vertices, the
** call compacts the graph (gpugraph_compact). Edge numbers are in the order of edge ids,
** as in a new graph. CSRs that were made change in place; after a large batch the next
** search makes them again. The cost is a few moves of whole arrays at memory speed, plus
** work in proportion to the batch. After an error the graph is unchanged. Pointers into
** the graph are invalid afterwards. A copy on a device changes in place (phase "patch").
** If this fails, or weights change their width, the copy is freed, which is no error.
**
** Weights keep their type, with one exception: INTEGER weights become REAL if REAL
** weights are added, and stay REAL afterwards, because the library does not keep which
** weights were INTEGERs. INTEGER weights that are added to REAL weights become REAL.
** Weighted and unweighted edges do not mix. A graph without edges, or with none left,
** takes the type of the added edges.
**
** GPUGRAPH_INVALID if an edge id to remove does not exist or is not unique, if an edge id
** to add exists already, or if a kept or loose vertex does not exist. Phase "update". */
gpugraph_status gpugraph_update(gpugraph_graph *graph, const gpugraph_changes *changes,
                                gpugraph_run *run);

/* Returns how many tombstones, the numbers of deleted vertices, the graph has. Unless
** vertex is NULL, *vertex is the ascending list, to be read in place.
** gpugraph_vertex_count counts tombstones. gpugraph_find_integer and gpugraph_find_text
** do not find them. Searches treat them as vertices without edges. */
uint64_t gpugraph_tombstones(const gpugraph_graph *graph, const uint32_t **vertex);

/* Returns how many vertices were added by changes since the graph was created or
** compacted. They have the last numbers, which are not in the order of ids. Algorithms
** that prefer the smaller of two vertices (independent sets, labels, depth-first search,
** topological order) or add up REALs (ranks) use the order of numbers. Compact the graph
** before you call them. */
uint32_t gpugraph_later_vertices(const gpugraph_graph *graph);

/* Sorts `count` vertices by id: INTEGERs, then TEXTs by their bytes. vertex: ascending
** numbers; NULL: all vertices. place: `count` entries; receives the positions of the
** vertices in `vertex`, in the order of their ids. */
gpugraph_status gpugraph_sort_by_id(const gpugraph_graph *graph, const uint32_t *vertex,
                                    uint32_t count, gpugraph_run *run, uint32_t *place);

/* Compacts the graph: vertices get the numbers that they have in a new graph, in the
** order of ids and without tombstones. CSRs, the copy on a device and all other derived
** data are made again on need. The cost is proportional to the graph, at memory speed.
** After an error the graph is unchanged. Phase "compact". */
gpugraph_status gpugraph_compact(gpugraph_graph *graph, gpugraph_run *run);

/* Copies the host's side of a graph: edges, ids, and the CSRs made so far. *copy is NULL
** after an error. Free the copy with gpugraph_free. */
gpugraph_status gpugraph_clone(const gpugraph_graph *graph, gpugraph_run *run,
                               gpugraph_graph **copy);

/* Returns the numbers of the edges that leave v, ordered by (target, edge number), to be
** read in place (gpugraph_edge_at). The index that this needs is made on first need
** (phase "csr") and kept. */
gpugraph_status gpugraph_edges_from(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                    const void **edge, uint64_t *count);
/* Returns the numbers of all m edges, ordered by source, then by target, to be read in
** place. After a change the call closes the gaps between rows, and no other thread may
** use the graph meanwhile. */
gpugraph_status gpugraph_edges_by_source(gpugraph_graph *graph, gpugraph_run *run,
                                         const void **edge);
/* Returns the numbers of the edges from v to `to`, by a binary search. */
gpugraph_status gpugraph_edges_between(gpugraph_graph *graph, uint32_t v, uint32_t to,
                                       gpugraph_run *run, const void **edge,
                                       uint64_t *count);
/* Arcs of one vertex with the ids of their edges, to be read in place. The index is made
** on first need (phase "csr"). Every gpugraph_update then changes it at a cost
** proportional to the change. */
typedef struct gpugraph_arcs {
    const uint32_t *target; /* ascending */
    const uint32_t *id;     /* edge id - first_id; ascending among equal targets */
    uint64_t count;
    int64_t first_id;
} gpugraph_arcs;
/* Returns true if the graph can keep such an index: its edge ids are distinct and differ
** by less than 2^32. */
bool gpugraph_keeps_arcs(const gpugraph_graph *graph);
/* The arcs that leave v, and those of them that end at `to`. GPUGRAPH_INVALID if
** gpugraph_keeps_arcs is false. */
gpugraph_status gpugraph_arcs_from(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                   gpugraph_arcs *arcs);
gpugraph_status gpugraph_arcs_between(gpugraph_graph *graph, uint32_t v, uint32_t to,
                                      gpugraph_run *run, gpugraph_arcs *arcs);
/* The edges that enter v, as arcs to their sources. */
gpugraph_status gpugraph_arcs_into(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                   gpugraph_arcs *arcs);
/* Checks that the indexes of arcs that exist have exactly the graph's edges, and that
** kept degrees are right. GPUGRAPH_INVALID if they differ; *edge is then the first edge
** that has no arc, or GPUGRAPH_NO_EDGE. */
gpugraph_status gpugraph_check_arcs(gpugraph_graph *graph, gpugraph_run *run,
                                    uint64_t *edge);
/* Makes slab tables of the graph's edges on the device that has the graph's copy (phase
** "tables"). Every later gpugraph_update first applies its batch to the tables. Without a
** copy the call does nothing. Tables never affect an answer: if they cannot be made or
** changed, they are freed, which is not an error. Returns GPUGRAPH_OK or
** GPUGRAPH_INTERRUPTED. gpugraph_memory counts the bytes of tables. */
gpugraph_status gpugraph_make_tables(gpugraph_graph *graph, gpugraph_run *run);
/* Checks the copy on a device: its edges against the host's edges, its rows against its
** edges, and its tables, if there are any, against the host's edges. GPUGRAPH_INVALID if
** they differ. A graph without a copy passes. */
gpugraph_status gpugraph_check_copy(gpugraph_graph *graph, gpugraph_run *run);
/* Returns the edge number of an edge id (the smallest if several edges have the id), or
** GPUGRAPH_NO_EDGE. */
uint64_t gpugraph_find_edge(const gpugraph_graph *graph, int64_t edge_id);
/* Finds the edges of several ids: number[i] as gpugraph_find_edge, edge[i] as
** gpugraph_edge_of; edge[i] stays unchanged if no edge has the id. The memory accesses of
** the look-ups overlap, so they take a fraction of the time of single look-ups. */
void gpugraph_find_edges(const gpugraph_graph *graph, const int64_t *edge_id,
                         int64_t count, uint64_t *number, gpugraph_edge *edge);

/* The destination or the source of packed bytes: transfer moves `count` bytes between
** `bytes` and offset `at` of the file, in the calling thread, with ascending offsets
** without gaps. A return value other than 0 ends the call. */
typedef struct gpugraph_stream {
    int (*transfer)(void *context, void *bytes, size_t count, uint64_t at);
    void *context;
} gpugraph_stream;

/* The packed form of a graph: its edges and ids as bytes with checksums, for processors
** of the same byte order (pack/packed.h has a drawing). gpugraph_packed_size returns the
** number of bytes. gpugraph_pack writes them (phase "pack"). GPUGRAPH_INVALID if a
** transfer fails and the run was not interrupted, or if the graph is not compact
** (gpugraph_compact). */
uint64_t gpugraph_packed_size(const gpugraph_graph *graph);
gpugraph_status gpugraph_pack(gpugraph_graph *graph, gpugraph_run *run,
                              const gpugraph_stream *to);
/* Creates a graph from `size` packed bytes (phase "unpack"). GPUGRAPH_INVALID if the
** bytes are damaged, cut short or of another format. *graph is NULL after an error. */
gpugraph_status gpugraph_unpack(gpugraph_run *run, const gpugraph_stream *from,
                                uint64_t size, gpugraph_graph **graph);

/* ---------------------------------------------------------------------------------------
** Searches. */

typedef enum gpugraph_direction {
    GPUGRAPH_OUT = 0, /* from source to target */
    GPUGRAPH_IN,      /* from target to source */
    GPUGRAPH_BOTH     /* both ways */
} gpugraph_direction;

/* The type of distances depends on the graph: REAL for REAL weights; UINT32 if the sum
** over all vertices of the largest weight of their edges is below 2^32 - 1, so that every
** shortest path fits; otherwise UINT64. */
typedef enum gpugraph_distance_type {
    GPUGRAPH_UINT32 = 0, /* uint32_t; not reached: UINT32_MAX */
    GPUGRAPH_UINT64, /* uint64_t; not reached: UINT64_MAX; reached: at most INT64_MAX */
    GPUGRAPH_REAL    /* double; not reached: INFINITY */
} gpugraph_distance_type;
gpugraph_distance_type gpugraph_distance_type_of(const gpugraph_graph *graph);

/* Sources, targets and bounds of a search. */
typedef struct gpugraph_search {
    const uint32_t *source; /* vertex numbers; repeats are allowed */
    uint32_t source_count;  /* at least 1 */
    const uint32_t *target; /* the search may end once all targets are final */
    uint32_t target_count;  /* 0: all vertices are targets */
    gpugraph_direction direction;
    uint32_t max_depth;    /* gpugraph_bfs: the largest depth; GPUGRAPH_NONE: no bound */
    bool bounded;          /* gpugraph_sssp: max_distance is the largest distance */
    uint64_t max_distance; /* for integer distances */
    double max_real_distance; /* for REAL distances */
    /* The search may end when this number of vertices is final: the nearest vertices;
    ** of several vertices at the last distance, some may be missing. 0: no limit. */
    uint64_t limit;
} gpugraph_search;

/* Breadth-first search. depth[n]: the number of edges on a shortest path from the nearest
** source; GPUGRAPH_NONE if the vertex is not reached, or not known to be final when the
** search ended early (target, bound, limit). tree_edge[n], of gpugraph_edge_size entries
** (NULL leaves it out): the smallest edge number among the edges from a vertex one step
** nearer; no edge at sources and at vertices that are not reached. Direction-optimizing
** search after Beamer, Asanovic, Patterson (SC 2012). */
gpugraph_status gpugraph_bfs(gpugraph_graph *graph, const gpugraph_search *search,
                             gpugraph_run *run, uint32_t *depth, void *tree_edge);

/* Breadth-first searches from each source separately: depth[i], with n entries, is the
** result of gpugraph_bfs from source[i] alone, with the same targets, bound and limit;
** tree_edge[i] is its tree (tree_edge NULL leaves all trees out). Both have source_count
** pointers to arrays that do not overlap. A repeated source has its own arrays. Method
** "multi-source", on the CPU, runs up to 64 searches at once, one bit each, after Then et
** al., "The More the Merrier" (VLDB 2014), and holds 32 bytes for each vertex meanwhile;
** any other method runs one search after the other. After an error the arrays are
** undefined. Phases as for gpugraph_bfs, with one "search" for each batch. */
gpugraph_status gpugraph_bfs_each(gpugraph_graph *graph, const gpugraph_search *search,
                                  gpugraph_run *run, uint32_t *const *depth,
                                  void *const *tree_edge);

/* The result of gpugraph_bfs as a list, for searches that reach few vertices: the cost is
** proportional to the part of the graph that the search looks at. vertex, depth and
** tree_edge (NULL leaves it out) have room for `room` entries, ascending by vertex;
** *count is the number of entries.
** If gpugraph_bfs is the better choice, *count is GPUGRAPH_NONE and the status
** GPUGRAPH_OK: the search reaches more than `room` vertices, or looks at more arcs than
** pay for a list; a device may be faster (backend auto, before a search on the
** CPU); the method is neither "auto" nor "top-down"; or a tree is requested and the graph
** was searched rarely, since looking up tree edges needs rows that are made once.
** An open device that would run the search accepts any method. It fills arrays as usual,
** and only the list is downloaded, if the graph has many vertices and the search has a
** bound, a limit or targets. If there are targets, only they are listed; on the CPU
** *count is then GPUGRAPH_NONE. */
gpugraph_status gpugraph_bfs_list(gpugraph_graph *graph, const gpugraph_search *search,
                                  gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                  uint32_t *depth, void *tree_edge, uint32_t *count);

/* Shortest paths by weight. distance: n entries of gpugraph_distance_type_of(graph).
** tree_edge[n], as for gpugraph_bfs: the smallest edge number among the best edges from a
** strictly nearer vertex. If all best edges come from vertices at the same distance (zero
** weights, or weights lost to rounding), the edge with the fewest such steps from a
** strictly nearer vertex, then the smallest number. GPUGRAPH_INVALID without weights.
** GPUGRAPH_RANGE if the distance of a reached vertex exceeds INT64_MAX, or the largest
** double. Delta-stepping after Meyer and Sanders (J. Algorithms 49, 2003); Dijkstra on
** small graphs. */
gpugraph_status gpugraph_sssp(gpugraph_graph *graph, const gpugraph_search *search,
                              gpugraph_run *run, void *distance, void *tree_edge);

/* The result of gpugraph_sssp as a list, under the rules of gpugraph_bfs_list; on the CPU
** for the methods "auto" and "dijkstra". *count is also GPUGRAPH_NONE if a sum leaves the
** range and no bound excludes it, and if the tree has edges between vertices at the same
** distance. */
gpugraph_status gpugraph_sssp_list(gpugraph_graph *graph, const gpugraph_search *search,
                                   gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                   void *distance, void *tree_edge, uint32_t *count);

/* One shortest path, by weight (gpugraph_sssp) or by number of edges (gpugraph_bfs), from
** the single source to the single target of the search: the target's chain of tree edges
** in the order of travel. edge: room for n edge numbers. *count: the number of edges; 0
** if source and target are equal; GPUGRAPH_NONE if there is no path. The distance of each
** vertex on the path is the sum of the weights before it, added in this order. */
gpugraph_status gpugraph_path(gpugraph_graph *graph, const gpugraph_search *search,
                              bool weighted, gpugraph_run *run, void *edge,
                              uint32_t *count);

/* Distances from each source to each target of the search: distance[i * target_count + j]
** is the distance from source[i] to target[j], bit by bit as gpugraph_sssp finds it from
** source[i] alone. If weighted is false, it is the depth that gpugraph_bfs finds
** (uint32_t). Vertices that are not reached, or beyond max_distance or max_depth, have
** the values that these functions give. There must be a target; the limit is ignored.
** GPUGRAPH_RANGE if a requested distance leaves the range. */
gpugraph_status gpugraph_matrix(gpugraph_graph *graph, const gpugraph_search *search,
                                bool weighted, gpugraph_run *run, void *distance);

/* Receives the next path: its edge numbers in the order of travel, valid only during the
** call. A return value other than 0 ends gpugraph_paths, which then fails. */
typedef int gpugraph_take_path(void *context, const uint64_t *edge, uint64_t count);
/* The k shortest paths without a repeated vertex from the single source to the single
** target of the search, or all of them if there are fewer. take_path receives them
** ordered by distance, equal distances by their lists of edge numbers. Parallel edges
** make different paths. Distances are sums of weights in the order of travel, or numbers
** of edges. If source and target are equal, there is one path without edges.
** GPUGRAPH_RANGE if the distance of a path leaves the range. */
gpugraph_status gpugraph_paths(gpugraph_graph *graph, const gpugraph_search *search,
                               bool weighted, uint32_t k, gpugraph_run *run,
                               gpugraph_take_path *take_path, void *context);

/* root[n]: the source from which a tree of gpugraph_bfs or gpugraph_sssp reaches each
** vertex, found by following tree_edge; GPUGRAPH_NONE if the vertex is not reached. A
** vertex is reached if it has a tree edge or is a source. */
gpugraph_status gpugraph_roots(gpugraph_graph *graph, const gpugraph_search *search,
                               gpugraph_run *run, const void *tree_edge, uint32_t *root);

/* Returns the end of edge e that is not v: the parent of v if e is the tree edge of v.
** The edges must be on the host (gpugraph_bring_edges). */
uint32_t gpugraph_other_end(const gpugraph_graph *graph, uint64_t e, uint32_t v);

/* Depth-first search. source: a vertex number, or GPUGRAPH_NONE for a forest over all
** vertices. ordered: the lexicographic tree, in which neighbours and roots are visited by
** vertex number; otherwise any spanning tree that parallel depth-first workers find. Each
** array of `tree` has n entries; any of them except depth may be NULL. preorder and
** postorder number the vertices of the returned tree from 0 (a forest is numbered
** through); GPUGRAPH_NONE where not reached. tree_edge: the smallest edge number from the
** parent, of gpugraph_edge_size bytes. */
typedef struct gpugraph_dfs_tree {
    uint32_t *depth, *parent;
    void *tree_edge;
    uint32_t *preorder, *postorder;
} gpugraph_dfs_tree;
gpugraph_status gpugraph_dfs(gpugraph_graph *graph, uint32_t source, bool ordered,
                             gpugraph_direction direction, gpugraph_run *run,
                             const gpugraph_dfs_tree *tree);

/* Completes a tree of gpugraph_dfs: computes those of tree_edge, preorder and postorder
** that are not NULL from depth and parent. So a caller can ask for the rest of an
** unordered tree; another search might find another tree. */
gpugraph_status gpugraph_complete_tree(gpugraph_graph *graph,
                                       gpugraph_direction direction, gpugraph_run *run,
                                       const gpugraph_dfs_tree *tree);

/* The maximal independent set that a greedy pass in order of priority chooses, on the
** undirected simple graph. member[n]: 1 or 0. */
typedef enum gpugraph_priority {
    GPUGRAPH_BY_DEGREE,    /* fewest distinct neighbours, then hash(id, seed), then id */
    GPUGRAPH_BY_DEGREE_ID, /* fewest distinct neighbours, then id */
    GPUGRAPH_BY_RANDOM,    /* hash(id, seed), then id */
    GPUGRAPH_BY_ID         /* lowest id first */
} gpugraph_priority;
gpugraph_status gpugraph_mis(gpugraph_graph *graph, gpugraph_priority priority,
                             int64_t seed, gpugraph_run *run, uint8_t *member);

/* component[n]: for each vertex the vertex of its component with the smallest id, which
** has the smallest number in a graph without later vertices. Weak components ignore the
** direction of edges. In a strong component every vertex reaches every other along
** edges. */
typedef enum gpugraph_component_kind {
    GPUGRAPH_WEAK = 0,
    GPUGRAPH_STRONG
} gpugraph_component_kind;
gpugraph_status gpugraph_components(gpugraph_graph *graph, gpugraph_component_kind kind,
                                    gpugraph_run *run, uint32_t *component);

/* PageRank: the share of time that a random walker spends at each vertex. At each step
** the walker follows an arc of its vertex, chosen uniformly or by weight. With
** probability 1 - damping, or at a vertex without arcs, it jumps to a uniformly chosen
** vertex, or source. rank[n] sums to 1, and every bit is the same on every backend and
** for every number of threads. The first ranks are the probabilities after one jump. The
** iteration ends after `iterations` steps, or when the sum of absolute changes is at most
** `tolerance` (0: never). The detail of phase "search" has the steps and this sum. */
typedef struct gpugraph_pagerank_options {
    double damping, tolerance; /* damping 0 .. 1; tolerance at least 0 */
    uint32_t iterations;
    bool weighted; /* requires weights */
    gpugraph_direction direction;
    const uint32_t *source; /* distinct vertex numbers, ascending */
    uint32_t source_count;  /* 0: all vertices are sources */
} gpugraph_pagerank_options;
gpugraph_status gpugraph_pagerank(gpugraph_graph *graph,
                                  const gpugraph_pagerank_options *how, gpugraph_run *run,
                                  double *rank);

/* Synchronous label propagation. Every vertex starts with its own number as its label. In
** each of at most `iterations` iterations every vertex takes the most frequent label of
** its neighbours, or the smallest of several such labels; a vertex without neighbours
** keeps its own. Neighbours are the targets of a vertex's edges (OUT), the sources (IN),
** or both (BOTH). Each parallel edge counts, loops do not. The iteration ends early if no
** label changes. label[n]. */
gpugraph_status gpugraph_label_propagation(gpugraph_graph *graph, uint32_t iterations,
                                           gpugraph_direction direction,
                                           gpugraph_run *run, uint32_t *label);

/* Topological order of a graph without cycles. level[n]: the number of edges on the
** longest path that ends at the vertex, so every edge leads to a higher level.
** position[n] (NULL leaves it out): 0 .. n - 1, by level, then by vertex number.
** direction: OUT, or IN to reverse the edges. GPUGRAPH_INVALID if there is a cycle or a
** loop; *cycle (may be NULL) then has the cycle's edge numbers in the order of travel,
** beginning with the smallest, as many as fit. Without a cycle cycle->count is 0. */
#define GPUGRAPH_CYCLE_EDGES 10
typedef struct gpugraph_cycle {
    uint64_t count; /* edges of the whole cycle */
    uint64_t edge[GPUGRAPH_CYCLE_EDGES];
} gpugraph_cycle;
gpugraph_status gpugraph_topological_order(gpugraph_graph *graph,
                                           gpugraph_direction direction,
                                           gpugraph_run *run, uint32_t *level,
                                           uint32_t *position, gpugraph_cycle *cycle);

/* core[n]: the core number of each vertex in the undirected simple graph: the largest k
** such that the vertex belongs to a subgraph in which every vertex has at least k
** neighbours. */
gpugraph_status gpugraph_cores(gpugraph_graph *graph, gpugraph_run *run, uint32_t *core);

/* The minimum spanning forest of the undirected graph: the edges with the smallest sum of
** weights that connect the vertices of each component. If weighted is false, every edge
** has weight 1. Edges of equal weight are ordered by number, so the forest is unique.
** edge: room for n edge numbers of gpugraph_edge_size bytes; receives the numbers of the
** forest's edges, ascending. *count: their number. component[n] (NULL leaves it out): the
** smallest vertex number of each vertex's tree, as for GPUGRAPH_WEAK components. */
gpugraph_status gpugraph_spanning_forest(gpugraph_graph *graph, bool weighted,
                                         gpugraph_run *run, void *edge, uint32_t *count,
                                         uint32_t *component);

/* *count: the number of triangles of the undirected simple graph. */
gpugraph_status gpugraph_triangles(gpugraph_graph *graph, gpugraph_run *run,
                                   uint64_t *count);

/* For each vertex of the undirected simple graph: its triangles, its degree, and its
** clustering coefficient, the share of its pairs of neighbours that are neighbours of
** each other (0 below degree 2). With direction OUT or IN the coefficient is LDBC's for
** directed graphs: the share of ordered pairs of neighbours with an arc from the first to
** the second; parallel edges count once. Arrays of n entries; NULL leaves one out. */
typedef struct gpugraph_triangle_counts {
    uint64_t *triangles;
    uint32_t *degree;
    double *coefficient;
} gpugraph_triangle_counts;
gpugraph_status gpugraph_vertex_triangles(gpugraph_graph *graph,
                                          gpugraph_direction direction, gpugraph_run *run,
                                          const gpugraph_triangle_counts *counts);

/* degree[n]: the number of edges that leave (OUT), enter (IN) or touch (BOTH) each
** vertex. For BOTH a loop counts twice. */
gpugraph_status gpugraph_degrees(gpugraph_graph *graph, gpugraph_direction direction,
                                 gpugraph_run *run, uint32_t *degree);

/* Orders the reached vertices by value, equal values by vertex number. value: n entries
** of the given type. order: room for n vertex numbers. *count: the number of reached
** vertices. */
gpugraph_status gpugraph_order(gpugraph_distance_type type, const void *value, uint32_t n,
                               gpugraph_run *run, uint32_t *order, uint32_t *count);

/* ---------------------------------------------------------------------------------------
** Methods, devices, estimates. */

typedef struct gpugraph_method {
    const char *function; /* "bfs", "sssp", "dfs", "mis" and others */
    const char *name;
    const char *backend; /* "cpu" or "cuda" */
    const char *description;
} gpugraph_method;
/* Returns method number i of this build, whether its backend is present or not; NULL
** beyond the last. */
const gpugraph_method *gpugraph_method_at(int i);

typedef struct gpugraph_device {
    const char *backend; /* "cpu" or "cuda" */
    char name[256];
    int64_t memory, free; /* bytes */
} gpugraph_device;
/* Describes device number i: 0 is the CPU, CUDA devices follow. Returns false beyond the
** last. With device NULL the function opens no context; memory and free of a CUDA device
** require one. */
bool gpugraph_device_at(int i, gpugraph_device *device);

/* What `auto` compares: a function on one backend. */
typedef struct gpugraph_estimate {
    const char *backend; /* a static string */
    const char *method;  /* static: `auto` begins, or is predicted to end, with it */
    int devices;         /* CUDA devices that the function uses */
    int64_t host_bytes, device_bytes; /* with the graph's bytes */
    double ms; /* predicted; includes the start of a device and missing derived data */
    bool chosen;
} gpugraph_estimate;
/* The estimated size of a graph that has not been read. */
typedef struct gpugraph_size {
    uint64_t edges;
    uint32_t vertices;
    bool weighted;
    bool edge_ids; /* edge ids are not 1 .. edges */
} gpugraph_size;
/* Estimates a call without running it. function: a name of gpugraph_method, or
** "ordered_dfs" or "strong_components", variants of two of these functions. search: the
** numbers of sources and targets, and the bounds; the call reads no vertex numbers. NULL:
** one source, and all vertices as targets. graph NULL: a graph of the given size, whose
** edges exist as columns. Fills estimate[0] for the CPU and estimate[1] for a device.
** Returns the number of estimates: 1 if no device can be used, 0 if the function does not
** exist. A device that was never used is assumed to exist. */
int gpugraph_estimates(const char *function, const gpugraph_search *search,
                       const gpugraph_graph *graph, const gpugraph_size *size,
                       const gpugraph_run *run, gpugraph_estimate estimate[2]);

/* Returns true if a CUDA device can be used now. If not, *why (unless why is NULL) is a
** static sentence. */
bool gpugraph_cuda_usable(const char **why);

GPUGRAPH_END_DECLS

#include "gpugraph_dynamic.h" /* graphs that change by batches of edges */

#endif
