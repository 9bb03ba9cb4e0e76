/* Functions and tables that show the state of the extension. */
#ifndef GPUGRAPH_INSPECT_H
#define GPUGRAPH_INSPECT_H

#include "base/connection.h"

/* Registers gpugraph_version, gpugraph_triangles and everything below. */
int inspect_register(connection *c);

/* ---- lists.c: the rows of a list, cell by cell ---- */

typedef struct cell {
    int type; /* SQLITE_TEXT, SQLITE_INTEGER, SQLITE_FLOAT or SQLITE_NULL */
    char *text;
    sqlite3_int64 integer;
    double real;
} cell;

/* The arguments of gpugraph_estimate; other lists have none. */
enum estimate_argument {
    ESTIMATE_EDGES,
    ESTIMATE_FUNCTION,
    ESTIMATE_TARGET,
    ESTIMATE_SOURCES,
    ESTIMATE_TARGETS,
    ESTIMATE_MAX_DEPTH,
    ESTIMATE_MAX_DISTANCE,
    ESTIMATE_ORDERED,
    ESTIMATE_KIND,
    ESTIMATE_ARGUMENTS
};

/* After a failure no more cells are added. rc is then the error, and `error` a sentence
** or NULL. */
typedef struct grid {
    connection *c;
    sqlite3_value *argument[ESTIMATE_ARGUMENTS]; /* NULL: not given */
    cell *cell;
    int64_t count, room;
    int rc;
    char *error; /* sqlite3_free */
} grid;

void add_text(grid *g, const char *text); /* NULL: an SQL NULL */
void add_integer(grid *g, sqlite3_int64 integer);
void add_real(grid *g, double real);

/* ---- estimate.c ---- */

/* Fills the rows of gpugraph_estimate(edges, function). */
void fill_estimate(grid *g);

/* ---- lists.c: gpugraph_settings, _devices, _methods, _graphs, _timings, _estimate
** ---- */

int lists_register(connection *c);

/* ---- settings.c: gpugraph_config sets settings, gpugraph_settings lists them ---- */

/* Fills the rows of gpugraph_settings. */
void fill_settings(grid *g);
/* Gives all settings their defaults. */
void settings_reset(connection *c);
/* gpugraph_config(key) and gpugraph_config(key, value) return the current value. The
** value NULL sets the default. */
void gpugraph_config(sqlite3_context *context, int argc, sqlite3_value **argv);

#endif
