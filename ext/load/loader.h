/* Rows as columns, on the way to a graph.
**
**     row        edge id  source  destination  weight
**                17       'AMS'   'LHR'        3.5
**     columns    edge_id[] | id[0].value[] | id[1].value[] | weight[]
**
** A TEXT id is stored as its number among the texts, with a bit in is_text. Edge ids are
** stored if one differs from its row's number; their texts are separate (row_ids.h). The
** first REAL converts all weights to doubles. */
#ifndef GPUGRAPH_LOADER_H
#define GPUGRAPH_LOADER_H

#include "cells.h"
#include "load.h"
#include "row_ids.h"

typedef union number {
    int64_t integer;
    double real;
} number;

/* Only the page reader fills value32. No row is added to a column that it has read, so
** functions that append use `value`, and others use id_entry. */
typedef struct id_array {
    int64_t *value;
    uint8_t *is_text; /* NULL until the first text; then one bit for each entry */
    int32_t *value32; /* in place of value if all ends fit */
} id_array;

static inline int64_t id_entry(const id_array *id, int64_t i) {
    return id->value32 ? id->value32[i] : id->value[i];
}
static inline bool id_is_text(const id_array *id, int64_t i) {
    return id->is_text && id->is_text[i / 8] >> i % 8 & 1;
}

/* Copies entry i of *id to entry `at` of *to, which has space for the entry. The text bit
** at `at` must be 0. */
static inline void id_put(id_array *to, int64_t at, const id_array *id, int64_t i) {
    to->value[at] = id_entry(id, i);
    if (id_is_text(id, i))
        to->is_text[at / 8] |= (uint8_t)(1u << at % 8);
}

typedef struct loader {
    connection *c;
    const char *function;
    const row_source *rows;   /* the rows to read */
    bool edges;               /* false: vertices */
    gpugraph_backend backend; /* for the search that needs the graph */
    /* columns on a device, source and target among them, in place of id; or NULL */
    gg_cells *cells;
    double reported_ms; /* ms that are reported as separate phases */
    int collected;      /* the number of arguments of gpugraph_collect */
    /* Takes in the arguments of gpugraph_collect and sets rc. NULL: take_row does so. */
    void (*take)(struct loader *l, sqlite3_value **value);
    int64_t calls; /* calls of gpugraph_collect by one statement */
    /* the SQL name of the rowid if the rowid is the edge id; or NULL */
    const char *rowid;
    /* The columns of edges, or in id[0] the only column of vertices. room: capacity. */
    int64_t count, room;
    int64_t begun_at; /* count when the present source began */
    id_array id[2];
    number *weight;
    int32_t *weight32; /* in place of weight if all INTEGERs fit */
    bool real_weight;
    /* there is a reverse weight; a negative number in either column closes a direction */
    bool two_ways;
    number *reverse;
    bool text_weight; /* some weight may be a text */
    bool from_pages;  /* the page reader has read the rows */
    /* edges have ids, from the rowid or a column; vertices have numbers of rows */
    bool has_ids;
    /* value is NULL while ids are 1, 2, 3, ...; is_text: see row_ids.h */
    id_array edge_id;
    intern edge_texts;
    /* With row ids (row_ids.h): the rowids of all rows and of the current row. row_name:
    ** the SQL name of the rowid if it is read beside the edge id, or NULL. */
    bool has_rows;
    int64_t *row, this_row;
    const char *row_name;
    enum weight_reading weights;
    char *weight_error;
    /* Rows that are no edges (half_rows.c). lone: takes in their ends, as vertices; NULL:
    ** a NULL end is a fault. halves: the number of rows with a NULL end. left_out: the
    ** number of other rows for which the filter is not true. two_ends: a row may have two
    ** ends in `lone`. For the current row, missing: bit k if end k is NULL; leaves: the
    ** filter is not true. */
    struct loader *lone;
    int64_t halves, left_out;
    bool two_ends, leaves;
    unsigned missing;
    intern *texts; /* of edges and vertices together */
    double next_progress_ms, started_ms;
    int rc; /* sticky */
    char *error;
} loader;

void loader_start(loader *l, connection *c, const char *function, intern *texts,
                  const row_source *rows, bool edges, enum weight_reading weights);
/* Reads the rows by the fastest reader that is possible. Returns l->rc. */
int loader_read(loader *l);
/* The columns in the library's form, owned by the loader. Closes the texts. */
gpugraph_edges loader_edges(const loader *edges, intern *texts);
/* The rows that are no edges, as loops at their ends. */
gpugraph_edges half_edges(const loader *lone, intern *texts);
/* Takes in a row. id: the edge id, or NULL if there is none. value: source, destination,
** weight and reverse weight; for vertices the id. Returns l->rc. */
int take_row(loader *l, sqlite3_value *id, sqlite3_value **value);
/* Takes in a row of numbers: source, destination and a weight that is allowed. */
int take_numbers(loader *l, int64_t id, const int64_t value[3], bool real);
/* Steps of take_row: make space for one more entry; store the number of a text; copy
** entry i of another column; start to store edge ids. Each returns l->rc. */
int loader_room(loader *l);
int loader_put_number(loader *l, id_array *id, int64_t number);
int loader_copy_id(loader *l, id_array *id, const id_array *from, int64_t i);
int loader_begin_edge_ids(loader *l);
/* With a reverse weight, checks that the rowid can be doubled. Returns l->rc. */
int loader_check_row(loader *l, int64_t row);
/* Runs a statement of one row that calls gpugraph_collect for each row that it reads. */
int loader_collect(loader *l, sqlite3_stmt *scan);
/* Reports progress once a second. Call it often while rows are read. */
void loader_pulse(loader *l);
/* Checks weights that take_row has not checked. */
int check_weights(loader *l);
/* Converts all weights to doubles when the first REAL comes. */
void loader_make_real(loader *l);
/* Stops reading weights. */
void loader_drop_weights(loader *l);
/* Sets rc, and the error to the function's name and `sentence`, which it frees (NULL: no
** memory). Returns rc. */
int loader_fail(loader *l, int rc, char *sentence);
void loader_clear(loader *l);

/* The table for the page reader, numbers only: texts is NULL. */
struct page_table loader_table(connection *c, const row_source *rows, bool weights);

/* ---- half_rows.c: rows that are no edges; functions return l->rc ---- */

/* Takes in the current row, which is stored after the last edge. */
int half_row_take(loader *l, sqlite3_value *id);
/* Adds both ends of row i as vertices. */
int half_row_ends(loader *l, int64_t i);
/* The number of an end in `lone`: the rowid; if a row may have two such ends, twice the
** rowid, plus 1 for the destination. */
static inline int64_t half_row_number(bool two_ways, int64_t row, int end) {
    return two_ways ? 2 * row + end : row;
}
/* Adds an end of a row that is read again to `lone`. Returns lone->rc. */
int half_row_put(loader *lone, sqlite3_value *end, int64_t number);
/* Removes rows from complete columns. half: the rows, in the form of page_columns. */
int half_rows_take_out(loader *l, const int64_t *half, int64_t halves);
/* Removes rows whose rowids are outside a range. l->row has all rowids, ascending. Ends
** of removed rows may stay in `lone`. */
int loader_keep_range(loader *l, const int64_t range[2]);

/* ---- two_ways.c: rows with a reverse weight; functions return l->rc ---- */

bool two_ways_are_real(const row_source *rows);
int two_ways_take(loader *l, sqlite3_value *id, sqlite3_value *forward,
                  sqlite3_value *back);
/* Adds the ends of rows that are closed in both directions. Call it after the last
** row. */
int two_ways_close(loader *l);
/* Finds the open directions of a row and the cheaper one. False: a weight is not allowed,
** so the row makes no edge. */
typedef struct open_ways {
    bool open[2]; /* forward, back */
    bool real;    /* one of the open ones is a REAL */
    int cheaper;  /* the open direction that weighs less */
} open_ways;
bool two_ways_look(sqlite3_value *forward, sqlite3_value *back, open_ways *ways);
/* Makes the columns of a graph for direction 'both' (undirected), or for 'out' and 'in'.
** The caller clears *to by loader_clear, also after an error. */
int two_ways_lay_out(loader *l, bool undirected, loader *to);

/* ---- row_faults.c: sentences; NULL: no memory ---- */

char *fault_value(sqlite3_value *value);
/* "edge 17" or "edge 'a-b'". If id is NULL or an SQL NULL: "row 5". */
char *fault_row(const loader *l, sqlite3_value *id);
/* "the weight of edge 17 in main.roads (column metres) is NULL; ...". Frees `row` and
** `is`, either of which may be NULL. */
char *fault_sentence(const loader *l, int column, char *row, char *is);

#endif
