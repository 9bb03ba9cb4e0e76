/* gpugraph for programs that carry SQLite inside: link libgpugraph.a and either call
** the entry point for one connection, or for every connection to come:
**
**     sqlite3_auto_extension((void (*)(void))sqlite3_gpugraph_init);
**
** The loadable file gpugraph.so has the same entry point; there SQLite passes its own
** functions as api. */
#ifndef GPUGRAPH_EXTENSION_H
#define GPUGRAPH_EXTENSION_H

#include <sqlite3.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3_api_routines;

/* Registers gpu_bfs, gpu_sssp, gpu_path, gpu_dfs, gpu_mis and the gpugraph_ functions
** with db. On failure *error is a sentence for sqlite3_free. api is NULL in a program
** linked with SQLite. */
int sqlite3_gpugraph_init(sqlite3 *db, char **error,
                          const struct sqlite3_api_routines *api);

/* The arrays of a search, whole, in place of rows: an entry for each vertex of the graph, in the
** order of ids. Functions with a row for each vertex have a hidden column `arrays`, a number that
** stands for them:
**
**     SELECT arrays, parent FROM gpu_bfs('roads', 1)     one row of it is enough
**
** Of parent, edge and source, those are there that the statement names. What the search has made is
** not copied. */
typedef enum gpugraph_array_kind {
    GPUGRAPH_ARRAY_NUMBER, /* unsigned; largest value: none, a vertex that has no row */
    GPUGRAPH_ARRAY_VERTEX, /* uint32_t, the place of a vertex; largest value: none */
    GPUGRAPH_ARRAY_REAL,   /* double; infinite: none, a vertex that has no row */
    GPUGRAPH_ARRAY_EDGE,   /* int64_t, an edge's id; nothing where there is no parent */
    GPUGRAPH_ARRAY_MEMBER  /* uint8_t, 1: the vertex has a row */
} gpugraph_array_kind;

typedef struct gpugraph_array {
    const char *name; /* the column's */
    const void *item;
    int32_t item_bytes;
    int32_t kind; /* gpugraph_array_kind */
} gpugraph_array;

typedef struct gpugraph_arrays {
    uint64_t count, integer_count; /* vertices; the first so many have INTEGER ids */
    const int64_t *integer;
    const uint64_t *text_offset; /* of the others: text[text_offset[t]], and so on */
    const char *text;
    uint64_t columns;
    gpugraph_array column[8];
} gpugraph_arrays;

/* What the number stands for, once; NULL: nothing any more. A connection keeps it until it is taken,
** others are asked for, or the connection is closed. From then on it is the caller's, from any
** thread, whatever becomes of the connection. */
const gpugraph_arrays *gpugraph_take_arrays(sqlite3_int64 number);
void gpugraph_free_arrays(const gpugraph_arrays *arrays);

#ifdef __cplusplus
}
#endif
#endif
