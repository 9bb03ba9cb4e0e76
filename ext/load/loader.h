/* Rows on their way to a graph, as columns.
**
**     row        edge id  source  destination  weight
**                17       'AMS'   'LHR'        3.5
**     columns    edge_id[] | id[0].value[] | id[1].value[] | weight[]
**
** A TEXT id is its number among the texts, with a bit set in is_text. Edge ids are kept
** from the first one that is not the row's number, with texts of their own (row_ids.h);
** weights are integers up to the first REAL, then all doubles. */
#ifndef GPUGRAPH_LOADER_H
#define GPUGRAPH_LOADER_H

#include "cells.h"
#include "load.h"
#include "row_ids.h"

typedef union number {
    int64_t integer;
    double real;
} number;

/* The page reader alone brings value32. What it has read is whole: nothing is taken in after it,
** so only those who read entries need id_entry, and who appends finds `value`. */
typedef struct id_array {
    int64_t *value;
    uint8_t *is_text; /* NULL until the first text; then a bit for each entry */
    int32_t *value32; /* in place of value: ends of edges that fit */
} id_array;

static inline int64_t id_entry(const id_array *id, int64_t i) {
    return id->value32 ? id->value32[i] : id->value[i];
}
static inline bool id_is_text(const id_array *id, int64_t i) {
    return id->is_text && id->is_text[i / 8] >> i % 8 & 1;
}
/* Entry `at` of *to, which has room and where there are texts no bit set there, becomes entry i. */
static inline void id_put(id_array *to, int64_t at, const id_array *id, int64_t i) {
    to->value[at] = id_entry(id, i);
    if (id_is_text(id, i))
        to->is_text[at / 8] |= (uint8_t)(1u << at % 8);
}

typedef struct loader {
    connection *c;
    const char *function;
    const row_source *rows;   /* being read */
    bool edges;               /* else vertices */
    gpugraph_backend backend; /* of the search that the graph is for */
    gg_cells
        *cells; /* what is on a device of source and target, in place of id; or NULL */
    double told_ms; /* of phases within the reading */
    int collected;  /* arguments of gpugraph_collect */
    /* What takes in its rows; NULL: take_row, as of edges or vertices. Sets rc. */
    void (*take)(struct loader *l, sqlite3_value **value);
    int64_t calls;     /* of gpugraph_collect, by one statement */
    const char *rowid; /* the SQL name of the edge id that is the rowid; or NULL */
    /* edge columns, or the one column of vertices in id[0] */
    int64_t count, room;
    int64_t begun_at; /* count before its own rows */
    id_array id[2];
    number *weight;
    int32_t *weight32; /* in place of `weight`, as value32 of ids: INTEGERs */
    bool real_weight;
    bool two_ways; /* there is a reverse weight, and in either column what is negative is
                   ** closed */
    number *reverse;
    bool text_weight; /* some weight may be a text */
    bool from_pages;  /* the page reader has read them */
    bool has_ids;     /* edges have ids: the rowid or a column; vertices those of rows */
    id_array edge_id; /* value NULL while they are 1, 2, 3, ...; is_text: see row_ids.h */
    intern edge_texts;
    /* With row ids (row_ids.h): the rowid of each row, that of the row which is being taken in,
    ** and the SQL name of rowids that are read beside the edge ids, or NULL. */
    bool has_rows;
    int64_t *row, this_row;
    const char *row_name;
    enum weight_reading weights;
    char *weight_error;
    /* Rows with a NULL end (half_rows.c): the vertices that take in the other end; NULL: such
    ** a row is a fault. How many there were. Of the row being taken in, bit k: end k is NULL. */
    struct loader *lone;
    int64_t halves;
    unsigned missing;
    intern *texts; /* of edges and vertices together */
    double next_progress_ms, started_ms;
    int rc; /* sticky */
    char *error;
} loader;

void loader_start(loader *l, connection *c, const char *function, intern *texts,
                  const row_source *rows, bool edges, enum weight_reading weights);
/* Reads the rows by whichever reader serves. Sets rc. */
int loader_read(loader *l);
/* The columns as the library takes them; they stay the loader's. Closes the texts. */
gpugraph_edges loader_edges(const loader *edges, intern *texts);
/* The columns of the rows that have come in, as loops. */
gpugraph_edges half_edges(const loader *lone, intern *texts);
/* Takes a row in. id: the edge id, or NULL for none. value: source, destination, weight,
** reverse weight; of vertices the id alone. Returns l->rc. */
int take_row(loader *l, sqlite3_value *id, sqlite3_value **value);
/* A row of numbers alone: source, destination, and a weight that is allowed. */
int take_numbers(loader *l, int64_t id, const int64_t value[3], bool real);
/* Steps of that: room for one more entry; the number of what is no INTEGER; edge ids from
** here on. Return l->rc. */
int loader_room(loader *l);
int loader_put_number(loader *l, id_array *id, int64_t number);
int loader_begin_edge_ids(loader *l);
/* A row that has two ways has a number that can be doubled. */
int loader_check_row(loader *l, int64_t row);
/* Runs a statement of one row, which calls gpugraph_collect for each row that it reads. */
int loader_collect(loader *l, sqlite3_stmt *scan);
/* Called now and then while rows come: a line of progress for each second. */
void loader_pulse(loader *l);
/* Looks at weights that came past take_row. */
int check_weights(loader *l);
/* None is read. */
void loader_drop_weights(loader *l);
/* Sets rc and the sentence after the function's name; frees `sentence` (NULL: no memory).
** Returns rc. */
int loader_fail(loader *l, int rc, char *sentence);
void loader_clear(loader *l);

/* A table as the page reader takes it: its numbers, without texts. */
struct page_table loader_table(connection *c, const row_source *rows, bool weights);

/* ---- half_rows.c: rows with a NULL end. Return l->rc ---- */

/* Of the row that stands after the last edge. */
int half_row_take(loader *l, sqlite3_value *id);
/* Row i's ends become vertices. */
int half_row_ends(loader *l, int64_t i);
/* The number that an end of a row has among lone ones: the rowid, or where a row may have two,
** twice the rowid and one more for the destination. */
static inline int64_t half_row_number(bool two_ways, int64_t row, int end) {
    return two_ways ? 2 * row + end : row;
}
/* Of a row read again: adds an end that it holds, under this number, to `lone`. Returns lone->rc. */
int half_row_put(loader *lone, sqlite3_value *end, int64_t number);
/* Takes rows out of whole columns; half: as page_columns lists them. */
int half_rows_take_out(loader *l, const int64_t *half, int64_t halves);

/* ---- two_ways.c: rows with a reverse weight. Return l->rc ---- */

bool two_ways_are_real(const row_source *rows);
int two_ways_take(loader *l, sqlite3_value *id, sqlite3_value *forward,
                  sqlite3_value *back);
/* When all have been taken in: rows that are closed both ways bring vertices. */
int two_ways_close(loader *l);
/* Of a row that is read again: which ways are open, and which of them weighs less. False: it is
** none that an edge can be made of. */
typedef struct open_ways {
    bool open[2]; /* forth, back */
    bool real;    /* one of these is a REAL */
    int cheaper;  /* of the open ones */
} open_ways;
bool two_ways_look(sqlite3_value *forward, sqlite3_value *back, open_ways *ways);
/* The columns of a graph for direction 'both', or for the others. *to is to be cleared. */
int two_ways_lay_out(loader *l, bool undirected, loader *to);

/* ---- row_faults.c: sentences; NULL: no memory ---- */

char *fault_value(sqlite3_value *value);
/* "edge 17", "edge 'a-b'"; id NULL: it has none, "row 5" is the next one. */
char *fault_row(const loader *l, sqlite3_value *id);
/* "the weight of edge 17 in main.roads (column metres) is NULL; ...". Frees `row` and
** `is`. */
char *fault_sentence(const loader *l, int column, char *row, char *is);

#endif
