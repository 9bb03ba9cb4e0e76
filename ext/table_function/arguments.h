/* The arguments of a call: given values, settled options, and the vertices that ids name.
**
**     gpu_bfs('roads', 7) WHERE target IN (3, 'x') AND direction = 'in' AND depth < 4
**
**     arguments_read       given     value[F_EDGES] 'roads', [F_SOURCE] 7, bound[0] < 4
**                          options   direction GPUGRAPH_IN, backend -1, ...
**     arguments_resolve    vertex numbers, once there is a graph
**                          sources {6}, targets {2}, bound {integer 3}
**                          unknown "target 'x' is no vertex" */
#ifndef GPUGRAPH_ARGUMENTS_H
#define GPUGRAPH_ARGUMENTS_H

#include "base/value.h"
#include "kept/kept.h"
#include "plan.h"

/* ---- numbers.c: lists of vertex numbers ----
** Functions return SQLITE_OK or SQLITE_NOMEM. */

typedef struct numbers {
    uint32_t *item; /* sqlite3_free; in order of the vertices' ids after numbers_settle */
    uint32_t count;
    int64_t room;
    uint32_t *ascending; /* the items by number, for numbers_has; NULL: item ascends */
} numbers;

int numbers_add(numbers *list, uint32_t number);
/* Makes the number the only one of the list. */
int numbers_set(numbers *list, uint32_t number);
/* Sorts the numbers, and drops repeats. */
int numbers_sort(numbers *list);
/* Sorts the numbers by the ids of the graph's vertices, and drops repeats. */
int numbers_settle(numbers *list, const gpugraph_graph *graph);
/* Returns true if the list, which is sorted or settled, has the number. */
bool numbers_has(const numbers *list, uint32_t number);
/* Drops the numbers that `only` does not have. */
void numbers_intersect(numbers *list, const numbers *only);
void numbers_clear(numbers *list);

/* Values of an IN list whose type differs from the type of the id that they name.
**
**     INTEGER column, vertex 7:   source IN (7, 8)      nothing
**                                 source IN ('7', 8)    {vertex number of 7, '7'}
**                                 source IN ('7', 7)    nothing
**
** SQLite may compare the column with the list again, so the column must return '7'. */
typedef struct retyped_id {
    uint32_t vertex; /* first, for compare_numbers */
    sqlite3_value *value;
} retyped_id;

typedef struct retyped_ids {
    retyped_id *item; /* sqlite3_free */
    uint32_t count;
    int64_t room;
} retyped_ids;

/* Adds a copy of the value. SQLITE_OK or SQLITE_NOMEM. */
int retyped_ids_add(retyped_ids *list, uint32_t vertex, sqlite3_value *value);
/* After the last value: sorts the list, keeps one value for each vertex, and none if the
** IN list has the id itself; ids: the vertices that it names so. */
int retyped_ids_settle(retyped_ids *list, numbers *ids);
/* The value for the vertex, or NULL. */
sqlite3_value *retyped_ids_find(const retyped_ids *list, uint32_t vertex);
/* Empties the list. Its memory stays. */
void retyped_ids_forget(retyped_ids *list);
void retyped_ids_clear(retyped_ids *list);

/* ---- the arguments ---- */

/* The bounds of a call together. */
typedef struct bound {
    bool given;
    bool nothing;     /* no value is within the bounds */
    uint64_t integer; /* the largest INTEGER within the bounds */
    double real;      /* the largest REAL within the bounds */
} bound;

/* Values as SQLite passes them, valid within xFilter. */
typedef struct given {
    sqlite3_value *value[FIELDS];
    sqlite3_value *limit, *offset;
    struct given_bound {
        sqlite3_value *value;
        bool strict;
    } bound[2];
    int bounds;
} given;

typedef struct options {
    gpugraph_direction direction;
    int weighted; /* 0 or 1; -1: not given */
    sqlite3_int64 seed;
    int backend;        /* gpugraph_backend; -1: not given */
    const char *method; /* NULL: auto */
    struct sql_number maximum;
    double own[OWN_OPTIONS]; /* a number, or the index of a word */
} options;

/* Ids that are no vertices. A join may bring any number of them, so the timings report
** those of the first calls of a cursor only. */
enum { UNKNOWN_NAMED = 3, UNKNOWN_CALLS = 3 };
typedef struct unknown_ids {
    int calls;                      /* calls with such ids */
    int count;                      /* such ids of this call */
    char text[UNKNOWN_NAMED * 300]; /* "source 77 is no vertex; ..." */
} unknown_ids;

typedef struct arguments {
    const caller *by;
    const char *words; /* idxStr, whose address is constant while the statement runs */
    word word[MOST_WORDS];
    unsigned plan;
    given given;
    /* Copies of the values of arguments. SQLite may compare an argument with its column
    ** again, as an outer term of an OR or in a second comparison, so the column returns
    ** the value as it was given. NULL: not given, or a list. */
    sqlite3_value *as_given[FIELDS];
    options options;
    bool no_rows;   /* an argument is NULL, or an id is no vertex */
    uint64_t lists; /* field_bit: IN passes all values at once */
    bool has_target;
    /* Resolved. Lists of vertex numbers are in order of ids, each number once. */
    uint32_t source;     /* GPUGRAPH_NONE: several, or none */
    uint64_t limit_rows; /* 0: no limit */
    bound bound;         /* the maximum and the pushed-down comparisons together */
    numbers sources, targets;
    numbers only;         /* of `vertex = ?` and `vertex IN (...)` */
    const numbers *asked; /* the vertices that may have rows; NULL: all */
    /* Of `source IN (...)`, and of `target IN (...)` of several paths. Rows of one source
    ** come after the rows of another; `sources` then holds the current source only. */
    numbers listed_sources, listed_targets;
    retyped_ids retyped_sources, retyped_targets; /* values in these lists */
    /* The texts that sources and targets were read from, kept from call to call. */
    text sources_text, targets_text;
    unknown_ids unknown;
} arguments;

extern const char *const backend_names[]; /* ends with NULL */

/* arguments.c: reads everything that does not depend on the graph. */
int arguments_read(arguments *a, int plan, const char *words, int argc,
                   sqlite3_value **argv);
void arguments_clear(arguments *a);
/* Returns true if IN passes all values of the field at once. */
static inline bool is_list(const arguments *a, int field) {
    return a->lists & field_bit(field);
}
/* Returns true if the argument has a value other than NULL. */
bool argument_given(const arguments *a, int field);
/* Returns true if the direction comes from the followed graph. A function with a default
** other than 'out' does not use the graph's direction. */
bool direction_is_the_graphs(const arguments *a);
/* Fails with "the argument direction must be <what>, not 'up'". */
int argument_must_be(const arguments *a, int field, const char *what);

/* resolve.c: turns ids into vertex numbers, and numbers into bounds. */
int arguments_resolve(arguments *a, const graph_ref *graph);
/* Discards the vertex numbers that are kept from call to call, because the graph
** changes. */
void arguments_forget_graph(arguments *a);

#endif
