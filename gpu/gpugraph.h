/* gpugraph: graph searches on CPU threads or a CUDA device.
**
**     edge columns (ids, weights)            what SQL, or a C program, holds
**            |  gpugraph_create              ids become vertex numbers 0 .. n-1
**            v
**     gpugraph_graph                         host arrays; CSRs and device copies made on first need
**            |  gpugraph_bfs, _sssp, _dfs, _mis, _triangles, _degrees
**            v
**     arrays the caller owns, one entry for each vertex number
**
** Vertex numbers follow the order of ids: INTEGER ids ascending, then TEXT ids by
** their bytes. Edge numbers 0 .. m-1 follow the order of edge ids (equal ids: in
** the order of the input). So "the smallest id" is everywhere the smallest
** number, and every answer except the unordered DFS tree is the same whatever the
** backend, the number of threads, or, where no edge id repeats, the order of the input.
**
** Ownership: result arrays belong to the caller, who sizes them before the call; NULL
** leaves an array out where a comment says so. Several threads may search one graph at a time,
** each with a run of its own, and what they ask for first is made once; gpugraph_update,
** gpugraph_pack, gpugraph_clone, gpugraph_release_device and gpugraph_free are for a moment at
** which nobody else uses it.
**
** Errors: every function that can fail returns a gpugraph_status; the sentence that
** explains it is in run->message. After an error the graph is still usable. An argument that is NULL where entries
** are to be read or written, or a struct is, makes GPUGRAPH_INVALID, unless a comment says what NULL means. Arrays
** without entries may be NULL. The graph (or part, or iterator) and the run may not be NULL. */
#ifndef GPUGRAPH_H
#define GPUGRAPH_H

#include "gpugraph_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define GPUGRAPH_VERSION "0.1.0"

/* ---------------------------------------------------------------------------------------------
** Graphs. */

typedef struct gpugraph_graph gpugraph_graph;

typedef enum gpugraph_weight_type {
    GPUGRAPH_UNWEIGHTED = 0,
    GPUGRAPH_INTEGER_WEIGHTS, /* int64_t, 0 .. INT64_MAX */
    GPUGRAPH_REAL_WEIGHTS     /* double, finite, not negative (-0.0 is taken as 0.0) */
} gpugraph_weight_type;

/* A column of ids. Entry i is the INTEGER value[i], or, where is_text is not NULL and
** bit i of it (is_text[i / 8] >> (i % 8) & 1) is set, text number value[i] of the
** edges' texts. Where all of these fit 32 bits, value32 may have them in place of value, which is
** NULL then: half the bytes, and a column that is taken over is as large as the graph's own array,
** which it becomes. Each column has its own width. */
typedef struct gpugraph_id_column {
    const int64_t *value;
    const uint8_t *is_text; /* NULL: no text in this column */
    const int32_t *value32; /* NULL: value has the entries */
} gpugraph_id_column;

/* Distinct texts, any bytes, NUL included: number t begins at bytes[offset[t]] and ends where the
** next one begins. */
typedef struct gpugraph_texts {
    int64_t count;
    const uint64_t *offset; /* count + 1 */
    const char *bytes;
} gpugraph_texts;

/* Where text number t begins, and its length. */
static inline const char *gpugraph_text(const gpugraph_texts *texts, uint64_t t,
                                        uint64_t *length) {
    const uint64_t begin = texts->offset[t];
    *length = texts->offset[t + 1] - begin;
    return texts->bytes + begin;
}

/* Edges as columns, read by gpugraph_create and not kept, unless it takes them over.
** Parallel edges and loops are allowed. */
typedef struct gpugraph_edges {
    int64_t count;
    gpugraph_id_column source, target;
    gpugraph_weight_type weight_type;
    const void *weight; /* int64_t or double by weight_type; NULL when unweighted */
    /* INTEGER weights that all fit 32 bits may be here in place of `weight`, which is NULL then: half the
    ** bytes, and a column that is taken over becomes the graph's own array where no path is too long for it. */
    const int32_t *weight32;
    const int64_t *edge_id; /* NULL: 1 .. count */
    gpugraph_texts texts;   /* the texts of all three id columns */
    int64_t vertex_count;   /* vertices beyond the endpoints; repeats are allowed */
    gpugraph_id_column vertex;
    /* The arrays of source, target, weights and edge_id (not the texts, not vertex) are
    ** blocks of malloc, no two the same, and belong to gpugraph_create, also when it fails:
    ** it turns each into the graph's own array, or frees it, as soon as it has been read.
    ** So columns and graph are never both held in full. */
    bool take_over;
    /* NULL; or what the extension's page reader has decoded on a device (cells.h): source and
    ** target are there, and above NULL, as may be the weights; ids are INTEGERs, and there is no further
    ** vertex. It goes with the columns that are taken over, which they then are. The graph's
    ** edges stay there until somebody here looks at them (gpugraph_bring_edges). */
    struct gg_cells *cells;
    /* Where ids become numbers on a device, those of source and target may stay there in the same way. */
    bool stay;
} gpugraph_edges;

/* Makes a graph from edge columns. *graph is NULL on failure. GPUGRAPH_INVALID for a
** negative, NaN or infinite weight. Phase "map". Free with gpugraph_free. */
gpugraph_status gpugraph_create(const gpugraph_edges *edges, gpugraph_run *run,
                                gpugraph_graph **graph);
void gpugraph_free(gpugraph_graph *graph); /* NULL is allowed */

/* Says that about so many edges are about to be read for a graph, with this run's backend, device
** and threads. Comes back at once. Where a device is worth it, one is being opened meanwhile, so that
** gpugraph_create and the first search may find it open. False: no number of edges would change
** anything, so they need not be counted. */
bool gpugraph_expect(uint64_t edges, const gpugraph_run *run);

uint32_t gpugraph_vertex_count(const gpugraph_graph *graph);
uint64_t gpugraph_edge_count(const gpugraph_graph *graph);
gpugraph_weight_type gpugraph_weights(const gpugraph_graph *graph);
/* Calls hear for each structure that has been derived from the graph and is kept beside its edges and
** ids: a name that tells what it is, the device on which it lies (-1: the host), its bytes. Names are
** static; one may come several times. What lies on a device is listed with the copy of the edges. */
typedef void gpugraph_hear_derived(void *listener, const char *name, int device,
                                   int64_t bytes);
void gpugraph_list_derived(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                           void *listener);
/* Bytes held now: host arrays and CSRs, device copies. */
void gpugraph_memory(const gpugraph_graph *graph, int64_t *host_bytes,
                     int64_t *device_bytes);
/* Gives device copies back; the next search on a device uploads again. Edges that are on the
** device alone come here first; where that fails they are lost. */
void gpugraph_release_device(gpugraph_graph *graph);
/* Sees to it that the arrays of edges are in this host's memory: of a graph whose pages were decoded
** on a device, or whose numbers of vertices may stay there, they come with the first call, or the first search on the CPU, that looks at them
** (phase "download"). Other graphs have them from the start. Gaps between edges, which an update may
** leave, stay. GPUGRAPH_DEVICE_FAILED where the device
** is gone, in a child of fork(), say. */
gpugraph_status gpugraph_bring_edges(gpugraph_graph *graph, gpugraph_run *run);
/* Are they on a device alone that this process cannot use? Then the graph is to be made anew. */
bool gpugraph_is_lost(const gpugraph_graph *graph);

/* The id of one vertex. */
typedef struct gpugraph_id {
    bool is_text;
    int64_t integer;  /* of an INTEGER */
    const char *text; /* of a TEXT: `length` bytes */
    uint64_t length;
} gpugraph_id;

/* The ids, to be read in place; valid until the graph is changed or freed. Vertex
** v < integer_count is the INTEGER integer[v], or first_integer + v where integer is NULL; the
** next ones are the texts. These are in order of ids. Behind them come the vertices that later
** changes have brought, in no order (gpugraph_compact). gpugraph_id_of reads any of them. */
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

/* The vertex number of an id, or GPUGRAPH_NONE. */
uint32_t gpugraph_find_integer(const gpugraph_graph *graph, int64_t id);
uint32_t gpugraph_find_text(const gpugraph_graph *graph, const char *bytes,
                            size_t length);

/* The edges by edge number, to be read in place; valid until the graph is changed or freed. A graph that
** gpugraph_update has changed a little may keep gaps between its edges, which gpugraph_edges_of closes:
** work for all edges, once. */
typedef struct gpugraph_edge_list {
    const uint32_t *source,
        *target;            /* vertex numbers; NULL while they are on a device alone */
    const int64_t *edge_id; /* NULL: edge e has the id e + 1 */
    gpugraph_weight_type weight_type;
    const uint32_t *weight32; /* exactly one of these three is set when weighted: */
    const int64_t *weight64;  /* which one follows gpugraph_distance_type_of */
    const double *weight_real;
} gpugraph_edge_list;
const gpugraph_edge_list *gpugraph_edges_of(const gpugraph_graph *graph);

/* One edge, which is in this host's memory (gpugraph_bring_edges). Gaps between edges stay as they are, as
** they do for gpugraph_find_edge. gpugraph_edge_id_of: its id alone. */
typedef struct gpugraph_edge {
    uint32_t source, target;
    int64_t id;
    int64_t weight; /* INTEGER ones; 0 where there are none */
    double real;    /* REAL ones */
} gpugraph_edge;
gpugraph_edge gpugraph_edge_of(const gpugraph_graph *graph, uint64_t e);
int64_t gpugraph_edge_id_of(const gpugraph_graph *graph, uint64_t e);

/* Arrays of edge numbers (tree edges, paths, the edges from a vertex) are as wide as the
** graph asks for: up to 2^32 - 2 edges they are uint32_t, and no edge is GPUGRAPH_NONE; of
** a larger graph they are uint64_t, and no edge is GPUGRAPH_NO_EDGE. Bytes of an entry: 4 or
** 8; gpugraph_update can change them. Entry i of such an array, or GPUGRAPH_NO_EDGE. */
size_t gpugraph_edge_size(const gpugraph_graph *graph);
uint64_t gpugraph_edge_at(const gpugraph_graph *graph, const void *edge, uint64_t i);

/* ---------------------------------------------------------------------------------------------
** Graphs that change, that are looked into, that are kept in a file. */

/* One batch of changes to a graph's edges. */
typedef struct gpugraph_changes {
    const int64_t
        *removed; /* edge ids, strictly ascending, each of one edge of the graph */
    int64_t removed_count;
    /* NULL: none. Edge ids are given and strictly ascending, and none of them stays in the
    ** graph beside it: one that is removed, too, is changed. take_over is false. vertex:
    ** vertices that the graph has afterwards, whether an edge names them or not. */
    const gpugraph_edges *added;
    /* Of a graph whose edges have no ids but their numbers (1 .. m, before and after): each added
    ** edge stands before the edge of this number, ascending; edge_count: after all. The id of an
    ** added edge is then 0, or that of the removed edge which it is, changed. NULL: ids tell. */
    const uint64_t *before;
    /* Numbers before the change, in any order. A vertex beyond the ends of edges stays as long
    ** as nobody says otherwise; one that edges name goes with the last of them, unless it is
    ** kept. */
    const uint32_t *kept; /* vertices that need no edge */
    int64_t kept_count;
    const uint32_t
        *loose; /* vertices that needed none, and go unless an edge names them */
    int64_t loose_count;
} gpugraph_changes;

/* Changes the graph. Afterwards every answer equals that of a graph which gpugraph_create makes
** of the edges. A vertex keeps its number: a new one gets the next number, whatever its id, and
** one that goes leaves a tombstone, which it fills when it comes back. When tombstones and
** later vertices are too many, the graph is compacted (gpugraph_compact). Edge numbers are in
** order of edge ids, as those of a new graph. Rows that were made change in place, or, in a
** large batch, are made anew by the next search. Costs moves of whole arrays, at memory speed,
** and work for what has changed.
** After an error the graph is what it was; pointers into a graph hold until it is changed.
** A copy on a device is changed there (phase "patch"); where that fails, or weights change
** their width, it is released, which is no error.
**
** Weights stay of their type, with one way on: INTEGER ones become REAL when REAL ones
** are added, and stay REAL from then on (the library does not know which of them were
** INTEGERs). INTEGER ones added to REAL ones become REAL. Weighted and unweighted edges do
** not mix; a graph without edges, or with none left, takes the type of what is added.
**
** GPUGRAPH_INVALID for an edge id that is not there, or there more than once, to be
** removed; for one to be added that is there already; for a vertex that is none to be kept
** or loose. Phase "update". */
gpugraph_status gpugraph_update(gpugraph_graph *graph, const gpugraph_changes *changes,
                                gpugraph_run *run);

/* Tombstones: numbers of vertices that have gone. Returns how many; *vertex, unless it is NULL:
** which ones, ascending, to be read in place. gpugraph_vertex_count counts them,
** gpugraph_find_integer and gpugraph_find_text do not find them, and to searches they are
** vertices without edges. */
uint64_t gpugraph_tombstones(const gpugraph_graph *graph, const uint32_t **vertex);

/* Vertices that changes have brought since the graph was made or compacted, and that do not
** stand in order of ids: the last numbers. Where an algorithm prefers the smaller of two
** vertices (independent sets, labels, depth-first search, topological order) or adds up REALs (ranks)
** it goes by numbers: compact the graph first. */
uint32_t gpugraph_later_vertices(const gpugraph_graph *graph);

/* Writes the places of `count` vertices, which ascend by number, in order of their ids: INTEGERs,
** then TEXTs by their bytes. vertex NULL: all vertices. place: `count` entries. */
gpugraph_status gpugraph_sort_by_id(const gpugraph_graph *graph, const uint32_t *vertex,
                                    uint32_t count, gpugraph_run *run, uint32_t *place);

/* Gives the vertices the numbers that they have in a new graph: in order of ids, without
** tombstones. Rows, the copy on a device and all else that is derived from the graph is made
** anew on need. Work for all edges, at memory speed. After an error the graph is what it was.
** Phase "compact". */
gpugraph_status gpugraph_compact(gpugraph_graph *graph, gpugraph_run *run);

/* A copy of the host's side: edges, ids, the CSRs made so far. *copy is NULL on failure. */
gpugraph_status gpugraph_clone(const gpugraph_graph *graph, gpugraph_run *run,
                               gpugraph_graph **copy);

/* The numbers of the edges that leave v, in order of (target, edge number), to be read in
** place (gpugraph_edge_at). What that needs is made on first need (phase "csr"), and kept. */
gpugraph_status gpugraph_edges_from(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                    const void **edge, uint64_t *count);
/* The numbers of all edges, by their sources, then their targets: m of them, to be read in place. After
** a change the call closes the gaps between rows, and nobody else may use the graph meanwhile. */
gpugraph_status gpugraph_edges_by_source(gpugraph_graph *graph, gpugraph_run *run,
                                         const void **edge);
/* Of the edges that leave v, the ones that end at `to`: a binary search. */
gpugraph_status gpugraph_edges_between(gpugraph_graph *graph, uint32_t v, uint32_t to,
                                       gpugraph_run *run, const void **edge,
                                       uint64_t *count);
/* Arcs that leave one vertex, to be read in place. They are kept by the ids of their edges, so that
** a change of the graph costs what it changes of them; what they need is made on first need
** (phase "csr"), and then follows every update. */
typedef struct gpugraph_arcs {
    const uint32_t *target; /* ascending */
    const uint32_t *id; /* of the edge, less first_id; ascending among equal targets */
    uint64_t count;
    int64_t first_id;
} gpugraph_arcs;
/* Edge ids differ, and by less than 2^32. */
bool gpugraph_keeps_arcs(const gpugraph_graph *graph);
/* Of a graph that keeps them; GPUGRAPH_INVALID for any other. */
gpugraph_status gpugraph_arcs_from(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                   gpugraph_arcs *arcs);
gpugraph_status gpugraph_arcs_between(gpugraph_graph *graph, uint32_t v, uint32_t to,
                                      gpugraph_run *run, gpugraph_arcs *arcs);
/* The edges that enter v, as arcs back to their sources. */
gpugraph_status gpugraph_arcs_into(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                   gpugraph_arcs *arcs);
/* Are the arcs that have been made those of the edges, and no others? *edge: that of the first edge
** which has none, or GPUGRAPH_NO_EDGE. GPUGRAPH_INVALID and a sentence where they are not. */
gpugraph_status gpugraph_check_arcs(gpugraph_graph *graph, gpugraph_run *run,
                                    uint64_t *edge);
/* Asks for slab tables of a graph's edges, where the graph's copy on a device lies: every
** gpugraph_update puts its batch there first. They are made now where the graph has a copy
** on a device (phase "tables"), else by a later call or change. They never decide an answer:
** where they cannot be had, or follow, they are given back, and the copy is changed without
** them. GPUGRAPH_INTERRUPTED, or GPUGRAPH_OK also where they cannot be had. gpugraph_memory
** counts their bytes. */
gpugraph_status gpugraph_make_tables(gpugraph_graph *graph, gpugraph_run *run);
/* Is the copy on a device that of the graph? Its edges are compared with the host's, its rows
** with its edges, and tables that have been made with the host's edges. GPUGRAPH_INVALID and
** a sentence where they differ; nothing is asked where there is no copy. */
gpugraph_status gpugraph_check_copy(gpugraph_graph *graph, gpugraph_run *run);
/* The edge number of an edge id (the first of several), or GPUGRAPH_NO_EDGE. */
uint64_t gpugraph_find_edge(const gpugraph_graph *graph, int64_t edge_id);
/* The same for each of several ids, and what the edges are, as gpugraph_edge_of says; of an id without an edge
** edge[i] stays what it was. Memory is waited for once for some of them, so that they take a part of the time of
** single ones. */
void gpugraph_find_edges(const gpugraph_graph *graph, const int64_t *edge_id,
                         int64_t count, uint64_t *number, gpugraph_edge *edge);

/* Where packed bytes go to, or come from: moves `count` bytes between `bytes` and place
** `at` of the file. Called from the calling thread; places ascend without gaps. Not 0:
** stop. */
typedef struct gpugraph_stream {
    int (*transfer)(void *context, void *bytes, size_t count, uint64_t at);
    void *context;
} gpugraph_stream;

/* The packed form of a graph: edges, ids and its OUT CSR, as bytes that a file can hold,
** under checksums; for processors of the same byte order. pack/pack.c draws it. gpugraph_pack
** makes the OUT CSR if it has to. Phases "pack", "unpack". A transfer that fails makes
** GPUGRAPH_INVALID, unless the run was interrupted; so does a graph that is not compact. */
uint64_t gpugraph_packed_size(const gpugraph_graph *graph);
gpugraph_status gpugraph_pack(gpugraph_graph *graph, gpugraph_run *run,
                              const gpugraph_stream *to);
/* `size` bytes become a graph. GPUGRAPH_INVALID and a sentence for what is damaged, cut
** short or foreign. *graph is NULL on failure. */
gpugraph_status gpugraph_unpack(gpugraph_run *run, const gpugraph_stream *from,
                                uint64_t size, gpugraph_graph **graph);

/* ---------------------------------------------------------------------------------------------
** Searches. */

typedef enum gpugraph_direction {
    GPUGRAPH_OUT = 0, /* along edges, source to target */
    GPUGRAPH_IN,      /* against them */
    GPUGRAPH_BOTH     /* undirected */
} gpugraph_direction;

/* The type of distances follows the graph: UINT32 where the sum of each vertex's
** largest weight shows that no shortest path can reach 2^32 - 1, else UINT64, and REAL
** for REAL weights. */
typedef enum gpugraph_distance_type {
    GPUGRAPH_UINT32 = 0, /* uint32_t, not reached: UINT32_MAX */
    GPUGRAPH_UINT64, /* uint64_t, not reached: UINT64_MAX; reached: at most INT64_MAX */
    GPUGRAPH_REAL    /* double, not reached: INFINITY */
} gpugraph_distance_type;
gpugraph_distance_type gpugraph_distance_type_of(const gpugraph_graph *graph);

/* Where a search starts and ends. */
typedef struct gpugraph_search {
    const uint32_t *source; /* vertex numbers; repeats are allowed */
    uint32_t source_count;  /* at least 1 */
    const uint32_t *target; /* the search may stop once all of these are final; */
    uint32_t target_count;  /* 0: all vertices are searched for */
    gpugraph_direction direction;
    uint32_t max_depth;    /* gpugraph_bfs: no vertex deeper; GPUGRAPH_NONE: no bound */
    bool bounded;          /* gpugraph_sssp: no vertex farther than max_distance */
    uint64_t max_distance; /* integer distances */
    double max_real_distance; /* REAL distances */
    uint64_t limit; /* the search may stop once that many vertices are final; they are the
                               ** nearest ones (ties at the end complete or not); 0: no limit */
} gpugraph_search;

/* Breadth-first search. depth[n]: edges on a shortest path from the nearest source,
** GPUGRAPH_NONE where not reached (or, after an early end by target, bound or limit,
** not known to be final). tree_edge (NULL leaves it out): n edge numbers, as wide as
** gpugraph_edge_size says: the edge by which a vertex was reached, by the deterministic
** rule: the smallest edge number among those from a vertex one step nearer; no edge at
** sources and where not reached. Direction-optimizing BFS after Beamer, Asanovic, Patterson
** (SC 2012). */
gpugraph_status gpugraph_bfs(gpugraph_graph *graph, const gpugraph_search *search,
                             gpugraph_run *run, uint32_t *depth, void *tree_edge);

/* A breadth-first search from each of the sources by itself: what gpugraph_bfs finds from
** source[i] alone, with the same targets, bound and limit, goes to depth[i], n entries, and
** its tree to tree_edge[i]; NULL leaves the trees out. So there are
** source_count pointers in each, to arrays of the caller's that do not overlap. Repeats of a
** source have rows of their own. Method "multi-source", on the CPU: up to 64 searches at once, bit by
** bit, after Then et al., "The More the Merrier" (VLDB 2014), which holds 32 bytes for each
** vertex meanwhile; any other: one search after the other. After an error what the arrays
** hold is not defined. Phases as for gpugraph_bfs, "search" once for each batch. */
gpugraph_status gpugraph_bfs_each(gpugraph_graph *graph, const gpugraph_search *search,
                                  gpugraph_run *run, uint32_t *const *depth,
                                  void *const *tree_edge);

/* What gpugraph_bfs finds, as a list of the vertices that are reached, where these are few: in time of
** what is looked at, not of the graph. vertex, depth, tree_edge (NULL leaves it out): room for `room` entries,
** ascending by vertex; *count: how many. GPUGRAPH_NONE, and GPUGRAPH_OK, where gpugraph_bfs is to be called
** instead: more than `room` are reached, or so many arcs looked at that arrays are quicker; a device may be
** the better one (backend auto, before a search on the CPU); methods other than "auto" and "top-down"; trees of a
** graph that was not searched often yet, since their edges are looked up in rows that are made once for it.
** On a device, where it is open and would search: any method; the arrays are there as ever, and the list is what
** comes home, if the graph has many vertices and the search a bound or a limit, or else targets. In the latter case
** these alone are listed, on a device, and on the CPU *count is GPUGRAPH_NONE. */
gpugraph_status gpugraph_bfs_list(gpugraph_graph *graph, const gpugraph_search *search,
                                  gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                  uint32_t *depth, void *tree_edge, uint32_t *count);

/* Shortest paths by weight. distance: n entries of gpugraph_distance_type_of(graph).
** tree_edge as above; among edges equally good the smallest number from a strictly
** nearer vertex; where all of them tie at the same distance (zero weights, or weights
** lost to rounding) the one with fewest such steps from a strictly nearer vertex, then
** the smallest number. GPUGRAPH_INVALID without weights, GPUGRAPH_RANGE where a vertex
** of the answer is reached only beyond INT64_MAX (or the largest double). Delta-stepping
** after Meyer and Sanders (J. Algorithms 49, 2003); Dijkstra where the graph is small. */
gpugraph_status gpugraph_sssp(gpugraph_graph *graph, const gpugraph_search *search,
                              gpugraph_run *run, void *distance, void *tree_edge);

/* What gpugraph_sssp finds, as a list of the vertices that are reached, where these are few: as gpugraph_bfs_list, on the CPU by "auto" and
** "dijkstra". GPUGRAPH_NONE in *count, too, where a sum leaves the range and no bound keeps it out, and where a tree
** has edges between vertices at one distance. */
gpugraph_status gpugraph_sssp_list(gpugraph_graph *graph, const gpugraph_search *search,
                                   gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                   void *distance, void *tree_edge, uint32_t *count);

/* One shortest path, by weight (as gpugraph_sssp, else as gpugraph_bfs), from the one source
** to the one target of the search: the edges of the target's chain of tree edges, in the
** order of travel. edge: room for n edge numbers; *count: how many, 0 where source and target
** are the same, GPUGRAPH_NONE where there is no path. The distance of each vertex on it is the sum
** of the weights before it, added up in that order. */
gpugraph_status gpugraph_path(gpugraph_graph *graph, const gpugraph_search *search,
                              bool weighted, gpugraph_run *run, void *edge,
                              uint32_t *count);

/* Distances from each source of the search to each of its targets: row by row, distance[i * target_count + j]
** is from source[i] to target[j], what gpugraph_sssp finds from source[i] alone, to the last bit, or by
** gpugraph_bfs where weighted is false (uint32_t then, GPUGRAPH_NONE where there is no way). Not reached, and
** farther than the bound of the search (max_distance by weight, max_depth): as there. There must be a target;
** the limit is not looked at. GPUGRAPH_RANGE where a distance that is asked for leaves the range. */
gpugraph_status gpugraph_matrix(gpugraph_graph *graph, const gpugraph_search *search,
                                bool weighted, gpugraph_run *run, void *distance);

/* Takes the next path: its edge numbers in the order of travel, which are gone when it returns. Not 0:
** no more; the call then fails. */
typedef int gpugraph_take_path(void *context, const uint64_t *edge, uint64_t count);
/* The k shortest paths without a repeated vertex from the one source to the one target of the search, or as
** many as there are: in order of distance, equal ones by their lists of edge numbers. Parallel edges make
** different paths. Distances are by weight, or edges each counting 1; the sum of a path is made in the order
** of travel. Where source and target are the same there is one path, without an edge. GPUGRAPH_RANGE where
** the distance of one of them leaves the range. */
gpugraph_status gpugraph_paths(gpugraph_graph *graph, const gpugraph_search *search,
                               bool weighted, uint32_t k, gpugraph_run *run,
                               gpugraph_take_path *take_path, void *context);

/* The source each vertex belongs to, from a tree of bfs or sssp: follows tree edges to
** their root. root[n]; GPUGRAPH_NONE where not reached. reached(v) is tree_edge[v] or
** v being a source. */
gpugraph_status gpugraph_roots(gpugraph_graph *graph, const gpugraph_search *search,
                               gpugraph_run *run, const void *tree_edge, uint32_t *root);

/* The end of edge e that is not v: v's parent when e is v's tree edge. After
** gpugraph_bring_edges. */
uint32_t gpugraph_other_end(const gpugraph_graph *graph, uint64_t e, uint32_t v);

/* Depth-first search. source: a vertex number, or GPUGRAPH_NONE for a forest over all
** vertices. ordered: the lexicographic tree (neighbours by vertex number; roots by
** vertex number); else any DFS-like spanning tree found by parallel workers. Each
** array has n entries; NULL leaves one out, depth excepted. preorder and postorder
** number the returned tree from 0 (a forest is numbered through); GPUGRAPH_NONE where
** not reached. tree_edge: the smallest edge number from the parent, as wide as
** gpugraph_edge_size says. */
typedef struct gpugraph_dfs_tree {
    uint32_t *depth, *parent;
    void *tree_edge;
    uint32_t *preorder, *postorder;
} gpugraph_dfs_tree;
gpugraph_status gpugraph_dfs(gpugraph_graph *graph, uint32_t source, bool ordered,
                             gpugraph_direction direction, gpugraph_run *run,
                             const gpugraph_dfs_tree *tree);

/* More of a tree found earlier: from its depth and parent makes those of tree_edge, preorder
** and postorder that are not NULL. So an unordered tree, which another search would find
** differently, can be asked for the rest later. */
gpugraph_status gpugraph_complete_tree(gpugraph_graph *graph,
                                       gpugraph_direction direction, gpugraph_run *run,
                                       const gpugraph_dfs_tree *tree);

/* The maximal independent set that a greedy pass in order of priority chooses, on the
** undirected simple graph. member[n]: 1 or 0. */
typedef enum gpugraph_priority {
    GPUGRAPH_BY_DEGREE =
        0, /* fewest distinct neighbours first, then hash(id, seed), then id */
    GPUGRAPH_BY_DEGREE_ID, /* fewest distinct neighbours first, then id */
    GPUGRAPH_BY_RANDOM,    /* hash(id, seed), then id */
    GPUGRAPH_BY_ID         /* lowest id first */
} gpugraph_priority;
gpugraph_status gpugraph_mis(gpugraph_graph *graph, gpugraph_priority priority,
                             int64_t seed, gpugraph_run *run, uint8_t *member);

/* component[v]: the vertex of v's component whose id comes first, which without later vertices has the
** smallest number. Weak: edges lead both ways. Strong: each of two vertices reaches the other along
** the edges. */
typedef enum gpugraph_component_kind {
    GPUGRAPH_WEAK = 0,
    GPUGRAPH_STRONG
} gpugraph_component_kind;
gpugraph_status gpugraph_components(gpugraph_graph *graph, gpugraph_component_kind kind,
                                    gpugraph_run *run, uint32_t *component);

/* PageRank: the share of time that a walker spends at each vertex who follows an arc, any of a
** vertex alike or by weight, and with probability 1 - damping, or where no arc leads out, jumps to
** any vertex, or to any source, alike. rank[n]: they sum to 1, and every bit is the same on every
** backend and number of threads. Starts with what a jump brings, and ends after `iterations`, or when
** the sum of absolute changes is at most tolerance (0: never). The phase "search" tells both. */
typedef struct gpugraph_pagerank_options {
    double damping, tolerance; /* 0 .. 1; 0 or more */
    uint32_t iterations;
    bool weighted; /* the graph must have weights */
    gpugraph_direction direction;
    const uint32_t
        *source; /* ascending vertex numbers, each once; source_count 0: all vertices */
    uint32_t source_count;
} gpugraph_pagerank_options;
gpugraph_status gpugraph_pagerank(gpugraph_graph *graph,
                                  const gpugraph_pagerank_options *how, gpugraph_run *run,
                                  double *rank);

/* Label propagation, synchronous. Every vertex begins with its own number as its label. In each of
** at most `iterations` iterations every vertex takes the label that most of its neighbours have had
** before it, the smallest of those that are equally frequent; one without a neighbour keeps its own.
** OUT: the neighbours are those that its edges lead to, IN: those that edges come from, BOTH: either.
** Parallel edges count each, loops do not. Ends early where nothing changes. label[n]. */
gpugraph_status gpugraph_label_propagation(gpugraph_graph *graph, uint32_t iterations,
                                           gpugraph_direction direction,
                                           gpugraph_run *run, uint32_t *label);

/* Topological order of a graph without cycles. level[n]: edges of the longest path that ends there, so
** that all edges lead to a higher level; position[n] (NULL leaves it out): 0 .. n - 1, by level, then
** by vertex number. direction: OUT, or IN for edges taken backwards. GPUGRAPH_INVALID where there is a
** cycle, a loop included; *cycle (NULL is allowed) then has its edge numbers in the order of travel,
** from the smallest on, as many of them as there is room for. count is 0 where there is none. */
#define GPUGRAPH_CYCLE_EDGES 10
typedef struct gpugraph_cycle {
    uint64_t count; /* of all edges of the cycle */
    uint64_t edge[GPUGRAPH_CYCLE_EDGES];
} gpugraph_cycle;
gpugraph_status gpugraph_topological_order(gpugraph_graph *graph,
                                           gpugraph_direction direction,
                                           gpugraph_run *run, uint32_t *level,
                                           uint32_t *position, gpugraph_cycle *cycle);

/* core[n]: the core number of each vertex in the undirected simple graph: the largest k for which the vertex
** is in a part of the graph where each has at least k neighbours of that part. */
gpugraph_status gpugraph_cores(gpugraph_graph *graph, gpugraph_run *run, uint32_t *core);

/* The minimum spanning forest of the undirected graph: of all sets of edges that connect what the graph
** connects, the one with the smallest sum of weights, or, where weighted is false, of edges that each count
** 1. Edges of equal weight come in the order of their numbers, so there is one such set. edge: room for n
** edge numbers, as wide as gpugraph_edge_size says; the forest's, ascending. *count: how many.
** component[n] (NULL leaves it out): the smallest vertex number of the tree of each vertex, as
** GPUGRAPH_WEAK components have it. */
gpugraph_status gpugraph_spanning_forest(gpugraph_graph *graph, bool weighted,
                                         gpugraph_run *run, void *edge, uint32_t *count,
                                         uint32_t *component);

/* Triangles of the undirected simple graph, each counted once. */
gpugraph_status gpugraph_triangles(gpugraph_graph *graph, gpugraph_run *run,
                                   uint64_t *count);

/* Of each vertex in the undirected simple graph: its triangles, its degree, and its clustering
** coefficient, the share of its pairs of neighbours that are neighbours of each other (0 below degree
** 2). With a direction of OUT or IN the coefficient is that of LDBC for directed graphs: of the ordered
** pairs of its neighbours the share that have an arc, from the first to the second; parallel edges are one arc. Arrays of n;
** NULL leaves one out. */
typedef struct gpugraph_triangle_counts {
    uint64_t *triangles;
    uint32_t *degree;
    double *coefficient;
} gpugraph_triangle_counts;
gpugraph_status gpugraph_vertex_triangles(gpugraph_graph *graph,
                                          gpugraph_direction direction, gpugraph_run *run,
                                          const gpugraph_triangle_counts *counts);

/* degree[n]: edges that leave (OUT), enter (IN) or touch (BOTH; a loop counts twice)
** each vertex. */
gpugraph_status gpugraph_degrees(gpugraph_graph *graph, gpugraph_direction direction,
                                 gpugraph_run *run, uint32_t *degree);

/* The reached vertices in ascending order of value, equal values by vertex number.
** value: n entries of the type; order: room for n; *count: how many are reached. */
gpugraph_status gpugraph_order(gpugraph_distance_type type, const void *value, uint32_t n,
                               gpugraph_run *run, uint32_t *order, uint32_t *count);

/* ---------------------------------------------------------------------------------------------
** What there is. */

typedef struct gpugraph_method {
    /* "bfs", "sssp", "path" (beside those of bfs and sssp), "dfs", "mis", "triangles",
    ** "components", "pagerank", "label_propagation", "vertex_triangles", "degrees" */
    const char *function;
    const char *name;
    const char *backend; /* "cpu" or "cuda" */
    const char *description;
} gpugraph_method;
/* Method number i of this build, on backends present or not; NULL past the last. */
const gpugraph_method *gpugraph_method_at(int i);

typedef struct gpugraph_device {
    const char *backend; /* "cpu" or "cuda" */
    char name[256];
    int64_t memory, free; /* bytes */
} gpugraph_device;
/* Device number i: the CPU is 0, CUDA devices follow. false past the last. Opens no
** context for devices it only counts; memory and free of a CUDA device do open one. */
bool gpugraph_device_at(int i, gpugraph_device *device);

/* What `auto` weighs: a function on one of the backends. */
typedef struct gpugraph_estimate {
    const char *backend,
        *method; /* static strings: what `auto` begins with there, or is predicted to end with */
    int devices; /* CUDA devices that it runs on */
    int64_t host_bytes,
        device_bytes; /* the graph, and what the function takes beside it */
    double
        ms; /* with the start of a device that is not open, and all that is not there yet */
    bool chosen;
} gpugraph_estimate;
/* A graph that has not been read: about how large it is. */
typedef struct gpugraph_size {
    uint64_t edges;
    uint32_t vertices;
    bool weighted;
    bool edge_ids; /* they are not 1 .. edges */
} gpugraph_size;
/* What would happen now, without running it. function: as in gpugraph_method, or "ordered_dfs" or
** "strong_components", which are forms of two of these. search: how many sources and targets, and whether it is
** bounded; no vertex is looked at; NULL: from one source, to all that it reaches. graph NULL: of one of
** that size, whose edges are there as columns. Fills estimate[0] for the CPU, [1] for a device;
** returns how many: 1 where there is no device to be used, 0 where there is no such function. A
** device that nobody has asked for is taken to be there. */
int gpugraph_estimates(const char *function, const gpugraph_search *search,
                       const gpugraph_graph *graph, const gpugraph_size *size,
                       const gpugraph_run *run, gpugraph_estimate estimate[2]);

/* Whether a CUDA device can be used now; if not, *why (when not NULL) is a static
** sentence. */
bool gpugraph_cuda_usable(const char **why);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "gpugraph_dynamic.h" /* graphs that change by batches of edges */

#endif
