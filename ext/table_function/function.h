/* What SQL sees of a function, and the descriptor that says so. One virtual table serves them
** all; adding a function is a file with its columns, its descriptor and, if it is new, its
** search (search.h).
**
** Brackets fill hidden columns in their order, whatever these are called, and a column that
** something else is to be compared with is no different. So what brackets take has columns
** of its own, which nobody can name by accident, and one that catches what is too much.
**
**     vertex depth parent edge | (edges) (source) (target) | (further) | edges source ... | arrays
**     visible                    bracketed                               fields
**
** A column or an option that one function alone has is described where the function is
** (own_column, own_option): nobody else need know it. */
#ifndef GPUGRAPH_FUNCTION_H
#define GPUGRAPH_FUNCTION_H

#include "source/request.h"
#include "gpugraph_functions.h"

/* ---- columns ---- */

enum { OWN_COLUMNS = 4, OWN_OPTIONS = 3 }; /* at most */

enum field {
    /* what a row says */
    F_VERTEX,
    F_DEPTH,
    F_DISTANCE,
    F_PARENT,
    F_EDGE,
    F_SEQ,
    F_COST,
    F_PREORDER,
    F_POSTORDER,
    F_OWN, /* the function's own columns, by their place */
    F_OWN_LAST = F_OWN + OWN_COLUMNS - 1,
    F_ARRAYS, /* hidden: a number for the arrays that rows are read from (hand_out.h) */
    /* what was asked: hidden columns, the arguments */
    F_EDGES,
    F_SOURCE,
    F_TARGET,
    F_SOURCES,
    F_TARGETS,
    F_MAX_DEPTH,
    F_MAX_DISTANCE,
    F_DIRECTION,
    F_WEIGHTED,
    F_SEED,
    F_OPTION, /* the function's own options, by their place */
    F_OPTION_LAST = F_OPTION + OWN_OPTIONS - 1,
    F_VERTICES,
    F_PARAMS,
    F_METHOD,
    F_BACKEND,
    F_FURTHER, /* what stands in the brackets behind the last argument that they take */
    FIELDS,
    F_FIRST_ARGUMENT = F_EDGES
};

/* A column of the function's own says what an array of the search holds for the vertex. */
typedef struct own_column {
    const char *name, *type; /* type: "" for none, so that values compare as they are */
    enum own_kind {
        OWN_NUMBER, /* uint32_t; NONE: NULL */
        OWN_VERTEX, /* uint32_t, a vertex number: its id is said */
        OWN_COUNT,  /* uint64_t */
        OWN_REAL,   /* double */
        OWN_PATH,   /* the number of a row's path, from 1; there is no array */
        OWN_FROM,   /* of a cell of a matrix: its source, its target; nor here */
        OWN_TO,
        OWN_TAIL, /* of a row's edge: its ends and its weight, as stored; nor here */
        OWN_HEAD,
        OWN_WEIGHT
    } kind;
} own_column;

/* An option of its own: one of some words, or a number. */
typedef struct own_option {
    const char *name;
    const char *const
        *words; /* the first is the default, the last is NULL; NULL: a number */
    bool real;  /* else an INTEGER */
    double least, most, standard;
} own_option;

/* ---- functions ---- */

typedef struct table_function {
    const char *name;           /* "gpu_bfs" */
    const unsigned char *field; /* enum field: what a row says, then the arguments */
    int fields,
        visible;     /* FUNCTION_FIELDS sets the first two; visible: columns of a row */
    int bracketed;   /* so many of the arguments; 0: they have no columns of their own */
    bool paths;      /* rows are the steps of paths */
    bool many_paths; /* with paths: several to each target */
    bool cells;      /* rows are cells: from each of sources to each of targets */
    bool ends_early; /* bounds, targets and limits save work */
    bool needs_source;
    enum weight_need weight;
    /* unweighted_search: where edges are searched without weights; NULL: the same */
    const struct search_kind *search, *unweighted_search;
    gpugraph_direction direction; /* where none is asked for */
    const char *example;          /* for sentences */
    const char *option;           /* one that brackets do not take: "max_depth = 2" */
    own_column own[OWN_COLUMNS];
    own_option options[OWN_OPTIONS];
} table_function;

/* The fields of a function, and the arguments that every function has. */
#define FUNCTION_FIELDS(...)                                                             \
    .field = (const unsigned char[]){FIELD_LIST(__VA_ARGS__)},                           \
    .fields = sizeof((const unsigned char[]){FIELD_LIST(__VA_ARGS__)})
#define FIELD_LIST(...) __VA_ARGS__, F_VERTICES, F_PARAMS, F_METHOD, F_BACKEND

/* Each is in a file that cmake finds (cmake/lists.cmake): SQL calls NAME_function gpu_NAME. */
#define DECLARE_FUNCTION(NAME) extern const table_function NAME##_function;
TABLE_FUNCTIONS(DECLARE_FUNCTION)
#undef DECLARE_FUNCTION

extern const table_function *const table_functions[];
extern const int table_function_count;

/* The columns that SQLite knows, and what each of them is. */
int column_count(const table_function *f);
static inline enum field column_field(const table_function *f, int column) {
    if (column < f->visible + f->bracketed)
        return f->field[column];
    column -= f->bracketed > 0 ? f->bracketed + 1 : 0;
    return column < f->visible  ? F_FURTHER
           : column < f->fields ? f->field[column]
                                : F_ARRAYS;
}
/* Has it a row for each vertex, so that arrays can take the place of rows? */
static inline bool has_arrays(const table_function *f) {
    return f->field[0] == F_VERTEX;
}
/* "" as a type is none, so that values compare as they are. */
const char *field_name(const table_function *f, int field);
const char *field_type(const table_function *f, int field);
/* The field of the argument with this name; 0: the function has none. */
int function_argument(const table_function *f, const char *name);
/* Is it one that brackets fill? */
bool column_is_bracketed(const table_function *f, int column);
/* Does the function use searches of this gpugraph_method function? */
bool function_uses(const table_function *f, const char *method_function);

#endif
