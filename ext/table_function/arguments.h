/* What a call says: values as they are given, options as they are settled, and the vertices
** that ids turned out to name.
**
**     gpu_bfs('roads', 7) WHERE target IN (3, 'x') AND direction = 'in' AND depth < 4
**
**     arguments_read       given     value[F_EDGES] 'roads', [F_SOURCE] 7, bound[0] < 4 ...
**                          options   direction GPUGRAPH_IN, backend -1, ...
**     arguments_resolve    vertex numbers, once there is a graph
**                          sources {6}, targets {2}, bound {integer 3}
**                          strangers "target 'x' is no vertex" */
#ifndef GPUGRAPH_ARGUMENTS_H
#define GPUGRAPH_ARGUMENTS_H

#include "base/value.h"
#include "kept/kept.h"
#include "caller.h"
#include "numbers.h"
#include "plan.h"

typedef struct bound {
    bool given;
    bool nothing;     /* no value qualifies */
    uint64_t integer; /* the largest value that does, for each type of value */
    double real;
} bound;

/* Valid within xFilter. */
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
    int weighted; /* 0, 1; -1: by the source */
    sqlite3_int64 seed;
    int backend;        /* gpugraph_backend, or -1: as configured */
    const char *method; /* NULL: auto */
    struct sql_number maximum;
    double own[OWN_OPTIONS]; /* the place of a word, or a number */
} options;

/* Ids that are no vertices. A join may bring any number of them: the timings tell of a few
** calls of the cursor. */
enum { STRANGERS_NAMED = 3, STRANGERS_CALLS = 3 };
typedef struct strangers {
    int calls;                        /* calls that had some */
    int count;                        /* in this call */
    char text[STRANGERS_NAMED * 300]; /* "source 77 is no vertex; ..." */
} strangers;

typedef struct arguments {
    const caller *by;
    const char *words; /* idxStr, which stays where it is while the statement runs */
    word word[MOST_WORDS];
    unsigned plan;
    given given;
    /* Copies of the values of arguments. SQLite may compare an argument again with what its
    ** column returns: an outer term of an OR, a second comparison. So the column returns the
    ** value as it was given. NULL: not given, or a list. */
    sqlite3_value *as_given[FIELDS];
    options options;
    bool no_rows; /* a NULL, or an id that is no vertex */
    /* given by IN: all values come at once */
    bool target_list, vertex_list;
    bool has_target;
    /* resolved */
    uint32_t source;             /* GPUGRAPH_NONE: several, or none */
    uint64_t limit_rows;         /* 0: none */
    bound bound;                 /* maximum and the pushed-down comparisons together */
    numbers sources, targets;    /* vertex numbers, ascending, each once */
    numbers only;                /* of `vertex = ?` and `vertex IN (...)`, the same */
    const numbers *asked;        /* vertices that may have rows; NULL: all */
    retyped_ids retyped_targets; /* of `target IN (...)` */
    /* what sources and targets were read from; kept from call to call */
    text sources_text, targets_text;
    strangers strangers;
} arguments;

extern const char *const backend_names[]; /* the last is NULL */

/* arguments.c. Everything that can be settled without the graph. */
int arguments_read(arguments *a, int plan, const char *words, int argc,
                   sqlite3_value **argv);
void arguments_clear(arguments *a);
/* Is there a value, and not NULL? */
bool argument_given(const arguments *a, int field);
/* Does the direction come from a graph that follows its table? A function with a default of its own
** does not ask it. */
bool direction_is_the_graphs(const arguments *a);
/* "the argument direction must be <what>, not 'up'" */
int argument_must_be(const arguments *a, int field, const char *what);

/* resolve.c. Ids to vertex numbers, bounds. */
int arguments_resolve(arguments *a, const graph_ref *graph);
/* Another graph will come: what the last one made of ids is forgotten. */
void arguments_forget_graph(arguments *a);

#endif
