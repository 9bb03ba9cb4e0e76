/* The command line.
**
**     gpugraph-mpi bfs --db roads.db --edges 'roads(a, b)' --source 1 --out r.db
**                  |   files          edges                 given[]    out */
#ifndef GPUGRAPH_MPI_OPTIONS_H
#define GPUGRAPH_MPI_OPTIONS_H

#include "ext.h"
#include "gpugraph_parts.h"

#include <glob.h>

typedef enum function {
    FUNCTION_BFS,
    FUNCTION_SSSP,
    FUNCTION_MIS,
    FUNCTION_COMPONENTS,
    FUNCTION_PAGERANK,
    FUNCTIONS
} function;

/* Options. Those from GIVEN_SOURCE on are hidden columns of the functions. */
typedef enum given {
    GIVEN_DB,
    GIVEN_EDGES,
    GIVEN_OUT,
    GIVEN_TABLE,
    GIVEN_PARTITION,
    GIVEN_THREADS,
    GIVEN_TIMINGS,
    GIVEN_HELP,
    GIVEN_SOURCE,
    GIVEN_SOURCES,
    GIVEN_DIRECTION,
    GIVEN_MAX_DEPTH,
    GIVEN_MAX_DISTANCE,
    GIVEN_PRIORITY,
    GIVEN_SEED,
    GIVEN_DAMPING,
    GIVEN_ITERATIONS,
    GIVEN_TOLERANCE,
    GIVEN_KIND,
    GIVEN_BACKEND,
    GIVENS
} given;

typedef struct options {
    function function;
    const char *name;          /* "bfs" */
    char sql_name[24];         /* "gpu_bfs" */
    const char *given[GIVENS]; /* NULL: not given; "": given, without a value */
    glob_t files;              /* of --db, by options_find_files */
    const char *edges, *out, *table;
    gpugraph_direction direction;
    gpugraph_partition partition;
    bool partition_given; /* otherwise by function and number of processes */
    int threads;          /* 0: a share of the cores */
    bool cuda;            /* each process has a device */
    int place;            /* index of this process on its host */
} options;

/* False: *error has a message, for sqlite3_free. All processes get the same message. */
bool options_read(options *o, int count, char **word, char **error);
/* Finds the files of --db. Each process looks for itself. */
bool options_find_files(options *o, char **error);
void options_clear(options *o);
/* Says what a path is if it is no regular file, because reading it might never end. NULL:
** the path is a regular file or does not exist. */
const char *not_a_file(const char *path);
/* How long a process waits for another one's lock on a database. */
enum { LOCK_PATIENCE_MS = 5000 };
void options_help(void);

/* Checks values by the SQL functions, on a table without rows. False: *error has a
** message. */
bool options_check(const options *o, char **error);
/* Binds a value as SQL would read it: 7 and 1.5 are numbers, '7' is a text, other words
** are texts. */
int bind_given(sqlite3_stmt *statement, int at, const char *text);
double given_number(const options *o, given g, double otherwise);
/* The index of the given word in a list that ends with NULL; 0 if none is given. */
int given_word(const options *o, given g, const char *const *words);

#endif
