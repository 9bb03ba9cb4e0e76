/* The descriptor of a function: its columns, its options and its search. One virtual
** table serves all functions. A new function needs a file with its descriptor and, if no
** other function has it, its search (search.h).
**
** SQLite gives the values in parentheses to the hidden columns in their order. A
** comparison such as `source = 7` reaches the same columns. Therefore the arguments in
** parentheses have columns of their own, "(edges)" and so on, whose names no statement
** contains by accident. A further column receives a value too many.
**
**     vertex depth parent edge | (edges) (source) (target) (further) | edges ... | arrays
**     visible                    positional                            fields
**
** A column or option that belongs to one function is described in that function's file
** (own_column, own_option). */
#ifndef GPUGRAPH_FUNCTION_H
#define GPUGRAPH_FUNCTION_H

#include "base/connection.h"
#include "source/source.h"
#include "gpugraph_functions.h"

/* ---- columns ---- */

enum { OWN_COLUMNS = 4, OWN_OPTIONS = 3 }; /* of one function, at most */

enum field {
    /* the columns of a row */
    F_VERTEX,
    F_DEPTH,
    F_DISTANCE,
    F_PARENT,
    F_EDGE,
    F_SEQ,
    F_COST,
    F_PREORDER,
    F_POSTORDER,
    F_OWN, /* the first of the function's own columns */
    F_OWN_LAST = F_OWN + OWN_COLUMNS - 1,
    F_ARRAYS, /* hidden: a number that stands for the arrays of the answer (hand_out.c) */
    /* the arguments: hidden columns */
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
    F_OPTION, /* the first of the function's own options */
    F_OPTION_LAST = F_OPTION + OWN_OPTIONS - 1,
    F_VERTICES,
    F_PARAMS,
    F_EDGE_FILTER,
    F_EDGE_PARAMS,
    F_VERTEX_FILTER,
    F_VERTEX_PARAMS,
    F_METHOD,
    F_BACKEND,
    F_FURTHER, /* a value in parentheses after the last argument that they take */
    FIELDS,
    F_FIRST_ARGUMENT = F_EDGES
};

static inline uint64_t field_bit(int field) {
    return (uint64_t)1 << field;
}

/* A column of one function. The first four kinds are items of an array of the search. */
typedef struct own_column {
    const char *name, *type; /* type "": no affinity, values compare as they are */
    enum own_kind {
        OWN_NUMBER, /* uint32_t; NONE: NULL */
        OWN_VERTEX, /* uint32_t, a vertex number, which SQL sees as its id */
        OWN_COUNT,  /* uint64_t */
        OWN_REAL,   /* double */
        OWN_PATH,   /* the number of the row's path, from 1 */
        OWN_FROM,   /* source and target of a cell of a matrix */
        OWN_TO,
        OWN_TAIL, /* ends and weight of the row's edge, as stored */
        OWN_HEAD,
        OWN_WEIGHT
    } kind;
} own_column;

/* An option: one of some words, or a number. */
typedef struct own_option {
    const char *name;
    const char *const
        *words; /* the first is the default, NULL ends the list; NULL: a number */
    bool real;  /* else an INTEGER */
    double least, most, standard;
} own_option;

/* ---- functions ---- */

typedef struct table_function {
    const char *name;           /* "gpu_bfs" */
    const unsigned char *field; /* enum field: the columns of a row, then the arguments */
    int fields, visible;        /* columns of a row; FUNCTION_FIELDS sets all three */
    int positional;             /* arguments that parentheses take */
    bool paths;                 /* rows are the steps of paths */
    bool many_paths;            /* with paths: several paths to each target */
    bool cells;                 /* rows are the cells of a matrix: sources by targets */
    bool ends_early;            /* bounds, targets and limits save work */
    bool needs_source;
    enum weight_need weight;
    /* unweighted_search runs if edges are searched without weights; NULL: search does. */
    const struct search_kind *search, *unweighted_search;
    gpugraph_direction direction; /* the default */
    const char *example;          /* a call, for error messages */
    const char *option;           /* an option, for error messages: "max_depth = 2" */
    own_column own[OWN_COLUMNS];
    own_option options[OWN_OPTIONS];
} table_function;

/* The columns of a row, and the arguments. Arguments of all functions follow them. */
#define FUNCTION_FIELDS(COLUMNS, ARGUMENTS)                                              \
    .field = ALL_FIELDS(COLUMNS, ARGUMENTS),                                             \
    .fields = sizeof(ALL_FIELDS(COLUMNS, ARGUMENTS)),                                    \
    .visible = sizeof((const unsigned char[]){FIELD_LIST COLUMNS})
#define ALL_FIELDS(COLUMNS, ARGUMENTS)                                                   \
    (const unsigned char[]) {                                                            \
        FIELD_LIST COLUMNS, FIELD_LIST ARGUMENTS, F_VERTICES, F_PARAMS, F_EDGE_FILTER,   \
            F_EDGE_PARAMS, F_VERTEX_FILTER, F_VERTEX_PARAMS, F_METHOD, F_BACKEND         \
    }
#define FIELD_LIST(...) __VA_ARGS__

/* SQL knows NAME_function as gpu_NAME. CMake finds the files (cmake/lists.cmake). */
#define DECLARE_FUNCTION(NAME) extern const table_function NAME##_function;
TABLE_FUNCTIONS(DECLARE_FUNCTION)
#undef DECLARE_FUNCTION

extern const table_function *const table_functions[];
extern const int table_function_count;

/* How many columns SQLite knows, and the field of each. */
int column_count(const table_function *f);
static inline enum field column_field(const table_function *f, int column) {
    if (column < f->visible + f->positional)
        return f->field[column];
    column -= f->positional > 0 ? f->positional + 1 : 0;
    return column < f->visible  ? F_FURTHER
           : column < f->fields ? f->field[column]
                                : F_ARRAYS;
}
/* Returns true if rows are vertices, so that a program may take arrays in place of
** rows. */
static inline bool has_arrays(const table_function *f) {
    return f->field[0] == F_VERTEX;
}
/* The type "" means no affinity, so that values compare as they are. */
const char *field_name(const table_function *f, int field);
const char *field_type(const table_function *f, int field);
/* The field of the argument with this name, or 0. */
int function_argument(const table_function *f, const char *name);
/* Returns true if parentheses fill the column. */
bool column_is_positional(const table_function *f, int column);
/* Returns true if the function runs searches of this gpugraph_method function. */
bool function_uses(const table_function *f, const char *method_function);

/* Registers all functions (table_function.c). */
int table_functions_register(connection *c);

/* ---- the caller of a function ---- */

/* Constant from a cursor's xOpen to its xClose. */
typedef struct caller {
    connection *c;
    const table_function *function;
    sqlite3_vtab *vtab; /* receives the sentence of an error */
    scope scope;
} caller;

/* Sets the sentence "gpu_bfs: ..." and returns rc; SQLITE_NOMEM if there is no memory for
** the sentence. */
int caller_fail(const caller *by, int rc, const char *format, ...);
/* Sets the complete sentence `error`, which it frees, and returns rc. SQLITE_INTERRUPT
** and SQLITE_NOMEM have no sentence. */
int caller_fail_with(const caller *by, int rc, char *error);
/* Removes the sentence, because the call continues after the error. */
void caller_forgive(const caller *by);

#endif
