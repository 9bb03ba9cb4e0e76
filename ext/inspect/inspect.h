/* Functions and tables that look inside. */
#ifndef GPUGRAPH_INSPECT_H
#define GPUGRAPH_INSPECT_H

#include "base/connection.h"

/* gpugraph_version, _triangles, and those below */
int inspect_register(connection *c);

/* ---- grid.c: what a list shows, cell by cell ---- */

typedef struct cell {
    int type; /* SQLITE_TEXT, SQLITE_INTEGER, SQLITE_FLOAT or SQLITE_NULL */
    char *text;
    sqlite3_int64 integer;
    double real;
} cell;

/* Filled cell by cell; after a failure nothing more is added and rc says why, with a sentence or
** without one. */
typedef struct grid {
    cell *cell;
    int64_t count, room;
    int rc;
    char *error; /* sqlite3_free */
} grid;

void add_text(grid *g, const char *text); /* NULL: an SQL NULL */
void add_integer(grid *g, sqlite3_int64 integer);
void add_real(grid *g, double real);
void grid_clear(grid *g);

/* ---- estimate.c ---- */

/* The rows of gpugraph_estimate(edges, function) and its options; argument[i] NULL: not given. */
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
void fill_estimate(grid *g, connection *c, sqlite3_value *const *argument);

/* ---- lists.c: gpugraph_settings, _devices, _methods, _graphs, _timings, _estimate ---- */

int lists_register(connection *c);

/* ---- settings.c: one table of settings, which gpugraph_config sets and gpugraph_settings lists ---- */

/* A setting as it now holds. */
typedef struct setting_row {
    const char *name;
    char meaning[100];
    const char *text; /* NULL: the value is the integer */
    sqlite3_int64 integer;
} setting_row;

/* Setting number i; false past the last. */
bool setting_at(connection *c, int i, setting_row *row);
/* All settings get their defaults. */
void settings_reset(connection *c);
/* gpugraph_config */
int settings_register(connection *c);

#endif
