/* One search of the graph library: the question, and the arrays that the search fills.
**
**     question    kind | sources, targets, bounds, limit | method, backend | wants
**                   |
**     kind        make(question, arrays): bfs.c, sssp.c, path.c, dfs.c, mis.c
**                   |
**     arrays      vertex        0  1  2 ... n-1
**                 A_VALUE       0  1  1           depth or distance
**                 A_TREE_EDGE   -  0  3           edge numbers
**                 ...           NULL: no plan has needed the array yet
**                 path          3  7  4  9        in place of arrays: 3 edges, 7, 4 and 9
**
** If a search reaches few vertices, the arrays have entries for these vertices only
** (listed.c):
**
**     listed        3 17 90
**     A_VALUE       1  0  1 */
#ifndef GPUGRAPH_SEARCH_H
#define GPUGRAPH_SEARCH_H

#include "function.h"

/* ---- arrays ---- */

enum array_name {
    A_TREE_EDGE, /* edge numbers; the first four arrays are bits of a plan */
    A_ROOT,      /* uint32_t */
    A_PREORDER,  /* uint32_t */
    A_POSTORDER, /* uint32_t */
    A_VALUE,     /* depths or distances of the arrays' type */
    A_PARENT,    /* uint32_t; gpu_dfs */
    A_MEMBER, /* uint8_t, 1: the vertex has a row; gpu_mis, and graphs with tombstones */
    A_OWN,    /* own columns; without A_VALUE and A_MEMBER each vertex has a row */
    A_OWN_LAST = A_OWN + OWN_COLUMNS - 1,
    ARRAYS,
    NO_ARRAY = ARRAYS
};

/* The array that holds the values of a column, or NO_ARRAY. */
enum array_name column_array(const table_function *f, enum field field);

/* An array has an entry for each vertex, or for each vertex of a list. It is NULL until a
** plan needs it. An array that is there never changes, so any number of cursors may read
** it. */
typedef struct arrays {
    uint32_t n; /* entries of each array */
    /* The vertex of each entry, ascending; from array_block_for. NULL: the entry's
    ** number. */
    uint32_t *listed;
    gpugraph_distance_type type;
    const table_function *function; /* the own columns are this function's */
    void *array[ARRAYS];            /* from array_block_for */
    size_t edge_size;               /* bytes of an edge number (gpugraph_edge_size) */
    /* Paths, in place of arrays. Each path is the number of its edges, then its edges in
    ** the order of travel. An entry has edge_size bytes. */
    void *path;
    uint32_t path_entries;
    /* order[k]: entries sorted by array k, then by vertex id. [NO_ARRAY]: by vertex id */
    struct order {
        uint32_t *vertex; /* entries that have a row */
        uint32_t count;
    } order[ARRAYS + 1];
    gpugraph_cycle cycle; /* the cycle that made the search fail; count 0: none */
    int holders;          /* users beside the search that owns the arrays; atomic */
    struct arrays *base;  /* older arrays, which these contain and hold; NULL: none */
} arrays;

/* The kind of an array's items: OWN_NUMBER, OWN_VERTEX, OWN_COUNT or OWN_REAL.
** A_TREE_EDGE and A_MEMBER have no kind, and the result means nothing. */
enum own_kind arrays_kind(const arrays *s, enum array_name array);
/* Bytes of one item of an array. */
size_t arrays_item_size(const arrays *s, enum array_name array);
/* Bytes of all arrays together. */
sqlite3_int64 arrays_bytes(const arrays *s);
/* Counts the arrays against the host_memory_limit of a new run. */
void arrays_count(const arrays *s, gpugraph_run *run);
/* The entry of a vertex, or GPUGRAPH_NONE (listed.c). */
uint32_t arrays_entry(const arrays *s, uint32_t vertex);
/* New arrays, all zeros; NULL: no memory. */
arrays *arrays_new(void);
/* New arrays that contain those of the base, so that a search can add to them; NULL: no
** memory. */
arrays *arrays_upon(arrays *base);
/* Adds a user, perhaps in another thread. Each user calls arrays_free once. */
void arrays_hold(arrays *s);
void arrays_free(void *s);

/* ---- questions ---- */

/* The bytes of a question are the key of a kept search, gaps between fields included.
** Therefore question_ask clears a question first, and memcpy copies it. */
typedef struct question {
    const struct search_kind *kind;
    bool weighted;          /* values are sums of weights, not counts of edges */
    gpugraph_search search; /* gpu_dfs: one source or none */
    const char *method;     /* the library's own string; NULL: auto */
    gpugraph_backend backend;
    bool path; /* the answer is one path, from one source to one target */
    sqlite3_int64 seed;
    double own[OWN_OPTIONS]; /* the function's own options */
    unsigned wants;          /* bit i: array i is needed, of the first four */
    bool whole;              /* arrays must have an entry for each vertex */
} question;

/* ---- searching ---- */

/* A search that runs: its question, and the arrays that it adds to. */
typedef struct making {
    gpugraph_graph *graph;
    const question *q;
    gpugraph_run *run;
    arrays *made;
} making;

/* Depths, and trees unless tree is NULL, of one search from each source. */
typedef gpugraph_status each_search(gpugraph_graph *graph, const gpugraph_search *search,
                                    gpugraph_run *run, uint32_t *const *depth,
                                    void *const *tree);

typedef struct search_kind {
    const char *name; /* the function in gpugraph_method */
    void (*make)(making *m);
    /* The numbers of vertices that the search can handle. NUMBERS_IN_ORDER: further
    ** vertices without edges change no result. NUMBERS_ANY: the order of vertices changes
    ** no result either. */
    enum vertex_numbers numbers;
    bool lists; /* can fill arrays of the vertices that it reaches only (listed.c) */
    each_search *each; /* NULL: many searches at once are not faster */
    bool has_parents;  /* fills A_PARENT, so parents need no tree edges */
    /* Another run may give other rows, unless the function's first own option is set. */
    bool varies_by_default;
} search_kind;

/* A kind of search with the defaults of all other fields. */
#define SEARCH(NAME, MAKE, NUMBERS)                                                      \
    &(const search_kind) {                                                               \
        .name = NAME, .make = MAKE, .numbers = NUMBERS                                   \
    }

extern const search_kind bfs_search, sssp_search; /* gpu_path uses both */

static inline const search_kind *search_of(const table_function *f, bool weighted) {
    return weighted || !f->unweighted_search ? f->search : f->unweighted_search;
}

/* Runs the search and fills the arrays that the question needs and that are NULL. After a
** failure the caller frees the arrays. */
gpugraph_status arrays_make(gpugraph_graph *graph, const table_function *f,
                            const question *q, gpugraph_run *run, arrays *made);
/* Runs one search from each of q's sources, by the kind's `each`, into empty arrays.
** After a failure the caller frees them. */
gpugraph_status arrays_make_each(gpugraph_graph *graph, const table_function *f,
                                 const question *q, gpugraph_run *run, arrays **each);

/* ---- memory for arrays ----
** Large blocks have huge pages, because the system takes longer to clear small pages than
** a search takes to fill them. free() releases a block. */

/* A block for count items, not initialised. The block counts against the
** host_memory_limit of the run. NULL: the run has the error. */
void *array_block_for(gpugraph_run *run, uint64_t count, size_t size);
/* Grows a block of array_block_grown, or NULL, from `from` items to `to` items. NULL: the
** block is unchanged, and the run has the error. */
void *array_block_grown(gpugraph_run *run, void *block, uint64_t from, uint64_t to,
                        size_t size);
/* Shrinks a block to its first bytes. If memory is short, the block keeps its size. */
void *array_block_cut(void *block, size_t bytes);

/* ---- for the functions that fill arrays ---- */

/* Fills arrays of the vertices that the search reaches. Returns false if the search must
** fill arrays with an entry for each vertex (listed.c). */
bool make_listed(making *m);

/* A new array; NULL: the run has the error. */
void *make_array(making *m, enum array_name array);
/* A new array if the question needs it and it is not there, else NULL. */
void *make_wanted(making *m, enum array_name array);
/* The array of one of the function's own columns. If rows are vertices, arrays_make makes
** the arrays of all own columns before the search runs. */
static inline void *own_array(const making *m, int place) {
    return m->made->array[A_OWN + place];
}
/* The type of depths or distances. */
static inline gpugraph_distance_type question_type(const making *m) {
    return m->q->weighted ? gpugraph_distance_type_of(m->graph) : GPUGRAPH_UINT32;
}
/* Searches for depths or distances, with a tree and roots if needed: gpu_bfs and
** gpu_sssp. */
void make_distances(making *m);
/* Sets an entry of the array `path`. */
void put_path_entry(arrays *a, uint32_t at, uint64_t entry);
/* Searches for one path (path.c). */
void make_path(making *m);

#endif
