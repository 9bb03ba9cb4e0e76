/* Rows on their way to a graph, as columns.
**
**     row        edge id  source  destination  weight
**                17       'AMS'   'LHR'        3.5
**     columns    edge_id[] | id[0].value[] | id[1].value[] | weight[]
**
** A TEXT id is its number among the texts, with a bit set in is_text. Edge ids are kept
** from the first one that is not the row's number; weights are integers up to the first
** REAL, then all doubles. */
#ifndef GPUGRAPH_LOADER_H
#define GPUGRAPH_LOADER_H

#include "ext.h"
#include "intern.h"

typedef union number {
    int64_t integer;
    double real;
} number;

typedef struct id_array {
    int64_t *value;
    uint8_t *is_text; /* NULL until the first text; then a bit for each entry */
} id_array;

typedef struct loader {
    connection *c;
    const char *function;
    const row_source *rows; /* being read */
    bool edges;             /* else vertices */
    int collected;          /* arguments of gpugraph_collect */
    /* What takes in its rows; NULL: take_row, as of edges or vertices. Sets rc. */
    void (*take)(struct loader *l, sqlite3_value **value);
    int64_t calls;     /* of gpugraph_collect, by one statement */
    const char *rowid; /* the SQL name of the edge id; NULL: the row's number */
    /* edge columns, or the one column of vertices in id[0] */
    int64_t count, room;
    id_array id[2];
    number *weight;
    bool real_weight;
    int64_t *edge_id; /* NULL while they are 1, 2, 3, ... */
    enum weight_reading weights;
    char *weight_error;
    intern *texts; /* of edges and vertices together */
    double next_progress_ms, started_ms;
    int rc; /* sticky */
    char *error;
} loader;

void loader_start(loader *l, connection *c, const char *function, intern *texts,
                  const row_source *rows, bool edges, enum weight_reading weights);
/* The columns as the library takes them; they stay the loader's. Closes the texts. */
gpugraph_edges loader_edges(const loader *edges, intern *texts);
/* Takes a row in. id: the edge id, or NULL for the row's number. value: source,
** destination, weight; of vertices the id alone. Returns l->rc. */
int take_row(loader *l, sqlite3_value *id, sqlite3_value **value);
/* Runs a statement of one row, which calls gpugraph_collect for each row that it reads. */
int loader_collect(loader *l, sqlite3_stmt *scan);
/* Called now and then while rows come: a line of progress for each second. */
void loader_pulse(loader *l);
/* Looks at weights that came past take_row. */
int check_weights(loader *l);
/* Sets rc and the sentence after the function's name; frees `sentence` (NULL: no memory).
** Returns rc. */
int loader_fail(loader *l, int rc, char *sentence);
void loader_clear(loader *l);

#endif
