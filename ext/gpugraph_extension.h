/* gpugraph for programs that embed SQLite. Link libgpugraph.a, and call the entry point
** for one connection, or register it for all later connections:
**
**     sqlite3_auto_extension((void (*)(void))sqlite3_gpugraph_init);
**
** The loadable file gpugraph.so has the same entry point. SQLite then passes its
** functions in api. */
#ifndef GPUGRAPH_EXTENSION_H
#define GPUGRAPH_EXTENSION_H

#include <sqlite3.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3_api_routines;

/* Registers all functions and tables of gpugraph with a connection. api: NULL in a
** program that is linked with SQLite. Returns SQLITE_OK, or for the loadable file
** SQLITE_OK_LOAD_PERMANENTLY. On failure it returns another code, and *error is a
** sentence, which the caller frees by sqlite3_free, or NULL. */
int sqlite3_gpugraph_init(sqlite3 *db, char **error,
                          const struct sqlite3_api_routines *api);

/* The arrays of a search, in place of rows. Each array has an entry for each vertex of
** the graph, in order of ids. A function whose rows are vertices has a hidden column
** `arrays`, a number that stands for the arrays of the answer:
**
**     SELECT arrays, parent FROM gpu_bfs('roads', 1)     one row is enough
**
** The columns parent, edge and source are among the arrays if the statement names them.
** The arrays of the search are not copied. */
typedef enum gpugraph_array_kind {
    GPUGRAPH_ARRAY_NUMBER, /* unsigned; the largest value: the vertex has no row */
    GPUGRAPH_ARRAY_VERTEX, /* uint32_t, the index of a vertex; the largest value: none */
    GPUGRAPH_ARRAY_REAL,   /* double; infinity: the vertex has no row */
    GPUGRAPH_ARRAY_EDGE, /* int64_t, the id of an edge; undefined if there is no parent */
    GPUGRAPH_ARRAY_MEMBER /* uint8_t, 1: the vertex has a row */
} gpugraph_array_kind;

typedef struct gpugraph_array {
    const char *name; /* the column's name */
    const void *item;
    int32_t item_bytes;
    int32_t kind; /* gpugraph_array_kind */
} gpugraph_array;

typedef struct gpugraph_arrays {
    uint64_t count;         /* vertices */
    uint64_t integer_count; /* the first integer_count vertices have INTEGER ids */
    const int64_t *integer; /* their ids */
    /* Vertex integer_count + t has the TEXT id text[text_offset[t]] to text[text_offset[t
    ** + 1] - 1]. */
    const uint64_t *text_offset;
    const char *text;
    uint64_t columns;
    gpugraph_array column[8];
} gpugraph_arrays;

/* Takes the arrays that a number stands for. Returns NULL if there are none under the
** number. A connection keeps arrays until a program takes them, a statement asks for
** others, or the connection closes. The caller owns the arrays that it takes, may use
** them in any thread and after the connection is closed, and frees them by
** gpugraph_free_arrays. */
const gpugraph_arrays *gpugraph_take_arrays(sqlite3_int64 number);
/* Frees arrays that gpugraph_take_arrays has returned; NULL is allowed. */
void gpugraph_free_arrays(const gpugraph_arrays *arrays);

#ifdef __cplusplus
}
#endif
#endif
