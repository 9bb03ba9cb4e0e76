/* Edge sources: the text of `edges` or `vertices`, and what it names in the database.
**
**     'roads(a, b, m)'    edge_parse     -> edge_source   table roads, columns a, b, m
**                         source_resolve -> row_source    main.roads, its columns, ... */
#ifndef GPUGRAPH_SOURCE_H
#define GPUGRAPH_SOURCE_H

#include "base/connection.h"
#include "base/table_info.h"

/* ---- edge_source.c: the parsed text ---- */

/* The columns of an edge. With a reverse weight a row is two arcs (load/two_ways.c). */
enum {
    SOURCE_COLUMN,
    TARGET_COLUMN,
    WEIGHT_COLUMN,
    EDGE_ID_COLUMN,
    REVERSE_COLUMN,
    EDGE_COLUMNS
};

typedef struct edge_source {
    /* a SELECT, WITH or VALUES; NULL: a table, and the other fields are set */
    char *query;
    char *schema; /* NULL: not given */
    char *table;
    /* as written; all NULL: find them by name */
    char *column[EDGE_COLUMNS];
    int columns; /* 0, 2 .. EDGE_COLUMNS (vertices: 0 or 1) */
    /* the condition of a followed graph (condition.c); NULL: all rows are edges */
    char *where;
    char *filter; /* the filter of the call (filter.c); NULL: none */
} edge_source;

/* Parses the text without a database. max_columns: EDGE_COLUMNS, or 1 for vertices. After
** SQLITE_ERROR *error (sqlite3_free) is a sentence without the function's name. */
int edge_parse(const char *text, int bytes, int max_columns, edge_source *source,
               char **error);
void edge_source_clear(edge_source *source);

/* ---- row_source.c: a source with resolved names ---- */

typedef struct row_source {
    char kind;        /* 'q' for a query, otherwise the table's kind */
    table_info table; /* for a query: column names only */
    bool searched;    /* the table was named without its schema */
    char *name;       /* for sentences: "main.roads" or "the query in edges" */
    /* In the order of the enum above; NULL: none. Only the first one for vertices. The
    ** edge id is NULL if it is the table's rowid. The table owns the texts. */
    char *column[EDGE_COLUMNS];
    /* the text names the columns; false: they were found by their usual names */
    bool columns_named;
    bool weight_unclear; /* no column has a usual name for weights, but some may be one */
    bool followed;       /* the graph is followed: rows with a NULL end are kept */
    bool unwritten; /* a write transaction is open, and has not written to the table */
    int schema_version; /* the schema version that the write transaction sees */
    char *where;        /* condition on the rows (condition.c); NULL: all rows */
    char *filter;       /* rows for which it is not true are no edges; NULL: none */
    /* which columns of the table the condition and the filter read; NULL: there is
    ** neither */
    bool *where_reads;
    /* The first and the last rowid if `where` is exactly this range, else NULL. The
    ** caller owns the array. */
    const int64_t *range;
    sqlite3_stmt *query;
} row_source;

/* Resolves the names, and checks and prepares a query. what: "edges" or "vertices".
** *error is a whole sentence. Call row_source_clear, also after an error. */
int source_resolve(connection *c, const char *function, const char *what, const scope *s,
                   const edge_source *source, row_source *rows, char **error);
void row_source_clear(row_source *rows);
/* The SQL name of the rowid if it is the edge id; otherwise NULL. */
const char *source_rowid(const row_source *rows);
/* True if a followed graph keeps rowids beside edge ids (load/row_ids.h): edge ids come
** from a column, or there is a reverse weight. */
bool source_has_row_ids(const row_source *rows);
/* The SQL name of the table's rowid, or NULL. The rowid need not be the edge id. */
const char *source_row_name(const row_source *rows);

/* The text of the source with these columns, as in a call: aux."my roads"(a, b)
** (sqlite3_free). NULL: no memory. */
char *source_as_typed(const row_source *rows, const char *const *column, int columns);

/* ---- id_columns.c: the declared types of id columns ---- */

typedef struct id_columns {
    char affinity[2]; /* affinity_of_type of source and destination */
    /* If one id column is TEXT and another one is numeric: a sentence about an id that
    ** occurs in both, without that id in front. NULL: the columns have one kind of type,
    ** or declare none. */
    char *mixed;
} id_columns;

/* Finds the types of the id columns. `vertices` may be NULL. */
int id_columns_find(const row_source *edges, const row_source *vertices,
                    id_columns *made);
int id_columns_copy(const id_columns *from, id_columns *made);
void id_columns_clear(id_columns *columns);

/* ---- right.c: the right to read a table ---- */

/* An SQL text that tests whether the connection may read the columns that a table's graph
** uses (sqlite3_free). NULL: no memory. */
char *right_text(const row_source *rows);
/* Runs that text. *holds is true if no authorizer denies or hides one of the columns.
** kept: NULL, or a statement that is compiled once, run again, and finalized by the
** caller. A kept statement notices a new authorizer, but not an authorizer that changes
** its answer. Returns SQLITE_NOMEM, SQLITE_INTERRUPT or SQLITE_OK. */
int right_holds(sqlite3 *db, const char *text, sqlite3_stmt **kept, bool *holds);

/* ---- weight.c ---- */

/* Finds weight and reverse weight by their names, in a table or view whose ends were
** found by name. */
void source_find_weight(row_source *rows);
/* Sets weight_unclear for a followed graph without weights, by its columns. */
void source_doubt_weight(row_source *rows);
/* The sentence, without a function's name, for a search by weight of edges without
** weights. NULL: no memory. */
char *source_without_weight(const row_source *rows);
/* The end of that sentence for a search that also takes edges without weights. */
#define SOURCE_OR_NO_WEIGHT ", or name the two ends alone to count edges"

/* ---- condition.c: the condition that rows must meet to be edges ---- */

/* Appends " BEFORE (CONDITION)", for example with WHERE before the parenthesis. Appends
** nothing if the condition is NULL. */
void condition_append(sqlite3_str *sql, const char *before, const char *condition);
/* Reads the condition from the text of a trigger. ALTER TABLE updates that text when a
** column is renamed. *condition (sqlite3_free) is NULL if the trigger has none. */
int condition_of_trigger(const char *sql, char **condition);
/* Checks the condition. It must succeed before a statement contains the condition.
** (*used)[i] says whether the condition reads column i of the table; free it by
** sqlite3_free, also after an error. *error is a sentence without a function's name. */
int condition_check(sqlite3 *db, const table_info *table, const char *condition,
                    bool **used, char **error);
/* expression.c: checks that the text is one expression over columns of the table,
** constants and functions, and that every program and every connection gets the same
** answer at any time. used[i] is set for each column that the expression reads; the array
** has table->columns entries, all false before. If the result is SQLITE_ERROR, *fault
** (sqlite3_free) is a clause for the caller's sentence, as "uses LIKE, whose ...". */
int expression_check(sqlite3 *db, const table_info *table, const char *text, bool *used,
                     char **fault);
/* Appends "main"."roads" and a clause that makes SQLite read the rows in the order of
** their keys: NOT INDEXED, or an index and ORDER BY. */
void append_table_in_order(sqlite3_str *sql, const table_info *info, const char *where);

/* ---- a request for a graph: function, texts, demands on the graph ---- */

enum weight_need {
    WEIGHT_NO,
    WEIGHT_IF_ANY,   /* results show weights if there are some */
    WEIGHT_IF_CLEAR, /* results show weights; an unclear weight column is an error */
    WEIGHT_YES
};

/* The vertex numbers of a followed graph that the caller can handle. */
enum vertex_numbers {
    NUMBERS_COMPACT,  /* the numbers of a new graph */
    NUMBERS_IN_ORDER, /* some numbers may be tombstones */
    NUMBERS_ANY       /* also later vertices, which are not in order of ids */
};

typedef struct graph_request {
    const char *function; /* for sentences, for example "gpu_bfs" */
    const char *edges;    /* UTF-8 text */
    int edges_bytes;
    const char *vertices; /* NULL: none */
    int vertices_bytes;
    const char *params; /* for the query in edges; NULL: none */
    int params_bytes;
    const char *filter; /* the result of filter_close; NULL: none */
    const char *vertex_filter, *vertex_params; /* NULL: none */
    enum weight_need weight;
    bool undirected; /* direction is 'both' */
    /* the caller needs the edges in host memory */
    bool edges_here;
    enum vertex_numbers numbers;
    /* no direction is given, so that of the followed graph applies */
    bool by_graph;
    int backend; /* a gpugraph_backend for mapping ids; -1: as configured */
    const scope
        *scope; /* the scope of the cursor; NULL: this call is a scope of its own */
    struct followed *followed; /* a mirror that is current, or NULL */
} graph_request;

/* filter.c: makes the filter of a call from edge_filter and the JSON array edge_params,
** either of which may be NULL. *filter (sqlite3_free): the text with the values in the
** places of its parameters; NULL: no filter. If the result is SQLITE_ERROR, *fault
** (sqlite3_free) is a sentence without the function's name. */
int filter_close(sqlite3 *db, const char *text, const char *params, char **filter,
                 char **fault);

/* filter.c: appends a comma and a column that is 1 if the filter is true, else NULL. */
void filter_append(sqlite3_str *sql, const char *filter);

/* Values for the parameters of a query, and the names of both arguments. */
typedef struct query_params {
    const char *query;  /* "edges" */
    const char *name;   /* "params" */
    const char *values; /* a JSON array; NULL: none */
    int bytes;
} query_params;

/* query_params.c: binds the values to the parameters of the query; query NULL: the
** argument is no query. If the result is SQLITE_ERROR, *fault (sqlite3_free) is a
** sentence without the function's name. */
int query_params_bind(sqlite3 *db, sqlite3_stmt *query, const query_params *p,
                      char **fault);

#endif
