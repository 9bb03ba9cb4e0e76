/* An edge source: what the text of `edges` or `vertices` says, and what that is in the database.
**
**     'roads(a, b, metres)'  edge_parse      -> edge_source   table roads, columns a, b, metres
**                            source_resolve  -> row_source    main.roads, its columns, ... */
#ifndef GPUGRAPH_SOURCE_H
#define GPUGRAPH_SOURCE_H

#include "base/connection.h"
#include "base/table_info.h"

/* ---- edge_source.c: the text, split ---- */

/* What an edge may have; with a reverse weight it is two arcs (load/two_ways.c). */
enum {
    SOURCE_COLUMN,
    TARGET_COLUMN,
    WEIGHT_COLUMN,
    EDGE_ID_COLUMN,
    REVERSE_COLUMN,
    EDGE_COLUMNS
};

typedef struct edge_source {
    char *query;  /* a SELECT, WITH or VALUES; else NULL and the rest is set */
    char *schema; /* NULL: not given */
    char *table;
    /* as written; all NULL: find by name */
    char *column[EDGE_COLUMNS];
    int columns; /* 0, 2 .. EDGE_COLUMNS (vertices: 0 or 1) */
    char *
        where; /* of a followed graph: which rows are edges (source/condition.h); NULL: all */
} edge_source;

/* Splits the text. Never touches a database. max_columns: EDGE_COLUMNS, 1 for vertices.
** On failure returns SQLITE_ERROR (or SQLITE_NOMEM) and *error is a sentence without
** the function's name (sqlite3_free). */
int edge_parse(const char *text, int bytes, int max_columns, edge_source *source,
               char **error);
void edge_source_clear(edge_source *source);

/* ---- row_source.c: a source whose names are settled ---- */

typedef struct row_source {
    char kind;        /* 'q' a query, else the table's kind */
    table_info table; /* of a query: column names alone */
    bool searched;    /* the table was named without its schema */
    char *name;       /* for sentences: "main.roads" or "the query in edges" */
    /* By the numbers of edge_source; NULL: none. The edge id is not here where it is the
    ** table's rowid. Of vertices the first alone. Owned by table. */
    char *column[EDGE_COLUMNS];
    bool columns_named;  /* in the text, not found by the names they have */
    bool weight_unclear; /* no weight is known by its name, and others may be meant */
    bool followed;       /* of a followed graph: rows with a NULL end are told apart */
    bool unwritten; /* a transaction that writes is under way, and has written no row of
                         ** the table so far */
    int schema_version; /* then: of its schema, as that transaction sees it */
    char *where;        /* which rows there are (source/condition.h); NULL: all */
    bool *where_reads;  /* by the table's columns; NULL: there is no condition */
    const int64_t
        *range; /* what `where` says, and nothing else: the first and the last rowid;
                          ** or NULL. The caller's */
    sqlite3_stmt *query;
} row_source;

/* Looks the names up; checks and prepares a query. what: "edges" or "vertices". *error is
** the whole sentence. Cleared by row_source_clear, also after an error. */
int source_resolve(connection *c, const char *function, const char *what, const scope *s,
                   const edge_source *source, row_source *rows, char **error);
void row_source_clear(row_source *rows);
/* The name of the table as SQL text, with its schema where the text of the source gives one. */
void source_append_table(sqlite3_str *sql, const row_source *rows);
/* The name by which SQL asks for the rowid that is the edge id; NULL: it is none. */
const char *source_rowid(const row_source *rows);
/* Of a followed graph whose edges' ids are not the table's rowids, or which has a reverse weight:
** rowid and edge id are told apart (load/row_ids.h). */
bool source_has_row_ids(const row_source *rows);
/* The name by which SQL asks for the table's rowid, edge id or not; NULL: it has none. */
const char *source_row_name(const row_source *rows);

/* The source with so many columns, as an argument writes it: aux."my roads"(a, b)
** (sqlite3_free); NULL: no memory. */
char *source_as_typed(const row_source *rows, const char *const *column, int columns);

/* ---- id_columns.c: what the declarations of id columns mean for ids ---- */

typedef struct id_columns {
    char affinity[2]; /* of source and destination: affinity_of_type */
    /* One column of ids is TEXT and another one numeric: a sentence about an id that is in both, from
    ** the text of that id on. NULL: the columns agree, or declare no types. */
    char *mixed;
} id_columns;

/* vertices may be NULL. */
int id_columns_find(const row_source *edges, const row_source *vertices,
                    id_columns *made);
int id_columns_copy(const id_columns *from, id_columns *made);
void id_columns_clear(id_columns *columns);

/* ---- right.c ---- */

/* The question whether the connection may read the columns of a table that its graph is made of;
** sqlite3_free. NULL: no memory. */
char *right_text(const row_source *rows);
/* *holds: an authorizer neither denies nor hides any of them now. kept: a statement that is compiled
** once and asked again, the caller's to finalize; it hears of an authorizer that is set, not of one that
** changes its mind. NULL: none. SQLITE_NOMEM, SQLITE_INTERRUPT or SQLITE_OK. */
int right_holds(sqlite3 *db, const char *text, sqlite3_stmt **kept, bool *holds);

/* ---- weight.c ---- */

/* Finds the weight, and the reverse weight, of a table or view whose ends have been found by
** name. */
void source_find_weight(row_source *rows);
/* Of a followed graph without weights, whose table was named without its columns: may a
** weight be meant? */
void source_doubt_weight(row_source *rows);
/* The sentence (no function name) for a search by weight of edges without; NULL: no
** memory. */
char *source_without_weight(const row_source *rows);
/* The end of that sentence for a search that also takes edges without weights. */
#define SOURCE_OR_NO_WEIGHT ", or name the two ends alone to count edges"

#endif
