/* One search of the graph library: what it is asked, and the arrays that it fills.
**
**     question    kind | sources, targets, bounds, limit | method, backend | wants
**                   |
**     kind        make(question, arrays): bfs.c, sssp.c, path.c, dfs.c, mis.c
**                   |
**     arrays      vertex        0  1  2 ... n-1
**                 A_VALUE       0  1  1           depth or distance
**                 A_TREE_EDGE   -  0  3           edge numbers
**                 ...           NULL: no plan has wanted it yet
**                 path          3  7  4  9        or paths, and no arrays: three edges, 7, 4 and 9
**
** Where a search has reached little, arrays have an entry for what it has reached alone (listed.c):
**
**     listed        3 17 90
**     A_VALUE       1  0  1 */
#ifndef GPUGRAPH_SEARCH_H
#define GPUGRAPH_SEARCH_H

#include "function.h"

/* ---- what a search fills ---- */

enum array_name {
    A_TREE_EDGE, /* edge numbers; the first four in the order of the plan's bits */
    A_ROOT,      /* uint32_t */
    A_PREORDER,  /* uint32_t */
    A_POSTORDER, /* uint32_t */
    A_VALUE,     /* depth or distance, of the arrays' type */
    A_PARENT,    /* uint32_t; gpu_dfs */
    A_MEMBER,    /* uint8_t; gpu_mis, which has no values; and beside tombstones */
    A_OWN,       /* of the function's own columns, by their place; without A_VALUE and
                 ** A_MEMBER every vertex is a row */
    A_OWN_LAST = A_OWN + OWN_COLUMNS - 1,
    ARRAYS,
    NO_ARRAY = ARRAYS
};

/* The array that holds the values of a column; NO_ARRAY: they are found otherwise. */
enum array_name column_array(const table_function *f, enum field field);

/* An array has an entry for each vertex, or for each of a list. It is NULL until a plan wants it. What is there never
** changes, so any number of cursors may read it; where other connections read it, nothing is added. */
typedef struct arrays {
    uint32_t n; /* entries of each */
    /* Of each entry the vertex, ascending; from array_block_for. NULL: the entry's number. */
    uint32_t *listed;
    gpugraph_distance_type type;
    const table_function
        *function;       /* whose own columns they have; NULL: there are none */
    void *array[ARRAYS]; /* from array_block_for */
    size_t edge_size;    /* bytes of an edge number (gpugraph_edge_size) */
    /* In place of arrays: the edges of paths in the order of travel, one path after the other, each
    ** after the number of its edges. Entries have edge_size bytes. */
    void *path;
    uint32_t path_entries;
    struct order {
        uint32_t *vertex; /* entries that have a row, in that order */
        uint32_t count;
    } order[ARRAYS + 1];  /* by the items of an array, equal ones by vertex; by vertex */
    gpugraph_cycle cycle; /* why it has failed; count 0: for another reason */
    int holders;          /* who has them beside the search that made them; atomic */
    struct arrays *base;  /* whose arrays these begin with, and hold; NULL: none */
} arrays;

/* What the items of an array are: OWN_NUMBER, OWN_VERTEX, OWN_COUNT or OWN_REAL; of A_TREE_EDGE
** and A_MEMBER the result is of no use. */
enum own_kind arrays_kind(const arrays *s, enum array_name array);
/* Bytes of one item of an array. */
size_t arrays_item_size(const arrays *s, enum array_name array);
sqlite3_int64 arrays_bytes(const arrays *s);
/* A new run for a call that has these arrays: they count against its host_memory_limit. */
void arrays_count(const arrays *s, gpugraph_run *run);
/* The vertex's entry in each array; GPUGRAPH_NONE: it has none. (listed.c) */
uint32_t arrays_entry(const arrays *s, uint32_t vertex);
/* All zeros; NULL: no memory. */
arrays *arrays_new(void);
/* Arrays that begin with what is there now, to be added to; NULL: no memory. */
arrays *arrays_upon(arrays *base);
/* Somebody else, perhaps in another thread, keeps what is there now, and calls arrays_free. */
void arrays_hold(arrays *s);
void arrays_free(void *s);

/* ---- what a search is asked ---- */

/* Settled. Its bytes are the key by which a kept answer is found, so that every field counts:
** made by question_ask, copied by memcpy. */
typedef struct question {
    const struct search_kind *kind;
    bool weighted;          /* values are sums of weights, not counts of edges */
    gpugraph_search search; /* for gpu_dfs: source[0] or none */
    const char *method;     /* the list's own string, or NULL */
    gpugraph_backend backend;
    bool path; /* one source, one target, and nothing but the way between them */
    sqlite3_int64 seed;
    double own[OWN_OPTIONS]; /* the function's own options */
    unsigned wants;          /* bit i: array i, of the first four */
    bool whole;              /* arrays have an entry for each vertex */
} question;

/* ---- searching ---- */

/* A search under way: what is asked, and the arrays that it adds to. */
typedef struct making {
    gpugraph_graph *graph;
    const table_function *function;
    const question *q;
    gpugraph_run *run;
    arrays *made;
} making;

typedef struct search_kind {
    const char *name; /* in gpugraph_method */
    void (*make)(making *m);
    bool lists;       /* may fill arrays of what it reaches alone (listed.c) */
    bool has_parents; /* fills A_PARENT: parents need no tree edges */
    /* Another run may give other rows unless the function's first own option is set. */
    bool varies_by_default;
    /* NUMBERS_IN_ORDER: what it says of each vertex stays the same with further vertices that
    ** have no edges. NUMBERS_ANY: nor does it depend on the order of vertices. */
    enum vertex_numbers numbers;
} search_kind;

extern const search_kind bfs_search, sssp_search; /* of gpu_path, too */

static inline const search_kind *search_of(const table_function *f, bool weighted) {
    return weighted || !f->unweighted_search ? f->search : f->unweighted_search;
}

/* Runs the search for what the question wants and the arrays lack: new ones lack everything, others
** what their base lacks. On failure they are of no use. */
gpugraph_status arrays_make(gpugraph_graph *graph, const table_function *f,
                            const question *q, gpugraph_run *run, arrays *made);
/* ---- for those who make ---- */

/* Arrays by a list; false: arrays by vertex are to be made. (listed.c) */
bool make_listed(making *m);

/* A new array of what is made; NULL: the run has a status. */
void *make_array(making *m, enum array_name array);
/* The same if the plan wants it and it is not there; else NULL, "not wanted". */
void *make_wanted(making *m, enum array_name array);
/* A new array of the function's own column at that place. If rows are vertices, arrays_make
** makes those of all columns before the search, which own_array returns. */
void *make_own(making *m, int place);
static inline void *own_array(const making *m, int place) {
    return m->made->array[A_OWN + place];
}
/* The type of the distances that the question asks for. */
static inline gpugraph_distance_type question_type(const making *m) {
    return m->q->weighted ? gpugraph_distance_type_of(m->graph) : GPUGRAPH_UINT32;
}
/* Depths or distances, as the question says, with a tree and roots: gpu_bfs and gpu_sssp. */
void make_distances(making *m);
/* Sets an entry of the paths. */
void put_path_entry(arrays *a, uint32_t at, uint64_t entry);
/* path.c: the question's one path. */
void make_path(making *m);

#endif
