/* What SQL sees of a function, and the descriptor that says so. One virtual table serves them
** all; adding a function is a file with its columns, its descriptor and, if it is new, its
** search (search.h), and a line in function_list.h.
**
** Brackets fill hidden columns in their order, whatever these are called, and a column that
** something else is to be compared with is no different. So what brackets take has columns
** of its own, which nobody can name by accident, and one that catches what is too much.
**
**     vertex depth parent edge | (edges) (source) (target) | (further) | edges source ...
**     visible                    bracketed                               fields */
#ifndef GPUGRAPH_FUNCTION_H
#define GPUGRAPH_FUNCTION_H

#include "source/request.h"

/* ---- columns ---- */

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
    /* what was asked: hidden columns, the arguments */
    F_EDGES,
    F_SOURCE,
    F_TARGET,
    F_SOURCES,
    F_MAX_DEPTH,
    F_MAX_DISTANCE,
    F_DIRECTION,
    F_WEIGHTED,
    F_ORDERED,
    F_PRIORITY,
    F_SEED,
    F_VERTICES,
    F_PARAMS,
    F_METHOD,
    F_BACKEND,
    F_FURTHER, /* what stands in the brackets behind the last argument that they take */
    FIELDS,
    F_FIRST_ARGUMENT = F_EDGES
};

extern const struct field_text {
    const char *name, *type; /* type: "" for none, so that values compare as they are */
} field_text[FIELDS];

/* ---- functions ---- */

typedef struct table_function {
    const char *name;           /* "gpu_bfs" */
    const unsigned char *field; /* enum field: what a row says, then the arguments */
    int fields, visible;
    int bracketed;   /* so many of the arguments; 0: they have no columns of their own */
    bool paths;      /* rows are the steps of paths */
    bool ends_early; /* bounds, targets and limits save work */
    bool needs_source;
    enum weight_need weight;
    const struct search_kind *search, *unweighted_search;
    const char *example; /* for sentences */
    const char *option;  /* one that brackets do not take: "max_depth = 2" */
} table_function;

extern const table_function *const table_functions[];
extern const int table_function_count;

/* The columns that SQLite knows, and what each of them is. */
int column_count(const table_function *f);
enum field column_field(const table_function *f, int column);
/* Is it one that brackets fill? */
bool column_is_bracketed(const table_function *f, int column);
/* Does the function use searches of this gpugraph_method function? */
bool function_uses(const table_function *f, const char *method_function);

#endif
