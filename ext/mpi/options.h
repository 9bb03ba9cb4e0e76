/* What the command line says.
**
**     gpugraph-mpi bfs --db roads.db --edges 'roads(a, b)' --source 1 --out r.db
**                  |   files          edges                 given[]    out          */
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

/* Options; from GIVEN_SOURCE on they are hidden columns of the functions. */
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
    const char *given[GIVENS]; /* NULL: not given; "": an option without a value is */
    glob_t files;              /* of --db: options_find_files */
    const char *edges, *out, *table;
    gpugraph_direction direction;
    gpugraph_partition partition;
    bool partition_given; /* else it follows from function and processes */
    int threads;          /* 0: a share of the cores */
    bool cuda;            /* each process has a device */
    int place;            /* of this process among those of its host */
} options;

/* False: *error is a sentence (sqlite3_free). The same at every process. */
bool options_read(options *o, int count, char **word, char **error);
/* The files that --db names; each process looks for itself. */
bool options_find_files(options *o, char **error);
void options_clear(options *o);
/* What the path is, where it is no plain file, of which reading might never end; NULL:
** it is one, or nothing. */
const char *not_a_file(const char *path);
/* For which another process may hold a lock on a database. */
enum { LOCK_PATIENCE_MS = 5000 };
void options_help(void);

/* Do the functions of SQL take these values? They are asked, with no edges. */
bool options_check(const options *o, char **error);
/* Binds the value as it would stand in SQL: 7 and 1.5 are numbers, '7' is a text, any other word as it
** is. */
int bind_given(sqlite3_stmt *statement, int at, const char *text);
double given_number(const options *o, given g, double otherwise);
/* The place of what is given in a list that ends with NULL; 0 when nothing is. */
int given_word(const options *o, given g, const char *const *words);

#endif
