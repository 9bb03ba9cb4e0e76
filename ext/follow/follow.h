/* Graphs that follow their table: CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b,
** metres)).
**
**     writer (any process)   roads --trigger--> g_log(edge, mark): the rowids that were
**                                               written to, and marks of the history
**     reader                 mirror at position p, log up to q
**                              -> reads the rows named between p and q again, from roads
**                              -> gpugraph_update with the difference -> mirror at q
**
** arguments.c parses the arguments of USING gpugraph. schema.c reads the log and the
** triggers from the database; make.c makes, drops and renames them; sql.c and keys.c
** write their SQL. follow.c has the mirror and catches up; mirror.c makes its graphs;
** log.c reads the log. batch.c reads rows again and changes the mirror; halves.c handles
** rows that are no edges, places.c edges with ids of their own. blocks.c stores the
** mirror in the file. ext/graph_table has the virtual table and its functions. */
#ifndef GPUGRAPH_FOLLOW_H
#define GPUGRAPH_FOLLOW_H

#include "kept/cache.h"

/* ---- schema.c: log and triggers ---- */

/* The definition of a followed graph, as the database has it. */
typedef struct definition {
    char *schema, *name; /* the virtual table */
    char *log;           /* its log, an ordinary table */
    edge_source source;  /* the table and its columns, by the names they have now */
    bool by_name;        /* the table was named without its columns */
    /* the triggers' name of the rowid; "": the table has none, so every change means that
    ** the whole table is read */
    char rowid[8];
    char *key; /* the column that is the rowid; NULL: there is none */
    /* new."a", new."b": the columns of the condition; NULL: there is no condition */
    char *reads;
    gpugraph_direction direction;
    bool persist;
    sqlite3_int64 latest_trigger; /* the rowid in sqlite_schema of the newest trigger */
    /* why the log is not reliable; NULL: the log is reliable */
    char *trouble;
} definition;

/* After an error *made is empty except for `persist`. */
int definition_read(sqlite3 *db, const char *schema, const char *name, definition *made,
                    char **error);
void definition_clear(definition *d);
/* arguments.c: parses the arguments of USING gpugraph(...) into an empty definition.
** *error: a sentence without a function's name. */
int definition_parse(definition *d, int count, const char *const *argument, char **error);
/* Parses the arguments in the text of a CREATE VIRTUAL TABLE. */
int definition_parse_sql(definition *d, const char *sql, char **error);
/* Resolves the table that the graph follows, as source_resolve does. */
int definition_resolve(connection *c, const char *function, const scope *s,
                       const definition *d, row_source *rows, char **error);

/* A mark of the log: a random number and the rowid of its entry; id 0: no mark. */
typedef struct log_mark {
    sqlite3_int64 id, seq;
} log_mark;

/* ---- make.c ---- */

/* Makes the log and the triggers that the arguments of USING gpugraph(...) ask for.
** *error: a whole sentence. */
int follow_create(connection *c, const char *schema, const char *name, int count,
                  const char *const *argument, char **error);
/* Drops what follow_create has made. blocks: the graph has blocks, which go, too. */
int follow_drop(sqlite3 *db, const char *schema, const char *name, bool blocks,
                char **error);
int follow_rename(sqlite3 *db, const char *schema, const char *name, const char *to,
                  char **error);

/* ---- follow.c: mirrors ---- */

typedef struct followed followed;

/* The mirror of this name, which is made if there is none; NULL: no memory. It lives as
** long as the connection. */
followed *followed_of(connection *c, const char *schema, const char *name);
/* The mirror for calls with this filter (NULL: none). A connection has few mirrors with
** filters: a new one may take the place of the one whose use is longest ago. */
followed *followed_filtered(connection *c, const char *schema, const char *name,
                            const char *filter);
/* Calls followed_forget for all mirrors of this name. */
void followed_forget_name(connection *c, const char *schema, const char *name);
/* Forgets the graphs of the mirror and everything known about them. */
void followed_forget(connection *c, followed *f);
/* True if the mirror surely equals the table in this read transaction. False if an
** authorizer denies the table (right: the statement that right_holds keeps). The caller
** must rule out that the schema's name stands for another file now. */
bool followed_is_current(connection *c, const followed *f, sqlite3_stmt **right);
/* Catches up the mirror that these texts have led to before. *found stays NULL if there
** is none. */
int followed_find(reading *r, graph_ref **found);
/* Catches up the mirror of the followed graph that the texts of the reading name. *found
** stays NULL if the table must be read as if it were not followed. */
int followed_catch_up(reading *r, graph_ref **found);
/* The mirror's graph for the request's direction, and its other graph (NULL: the mirror
** has one graph). */
graph_ref *followed_graph(const followed *f, const graph_request *request);
graph_ref *followed_other(const followed *f, const graph_ref *graph);
/* Replaces the virtual table in r->edges by the table that it follows. */
int followed_redirect(reading *r);
void followed_free_all(connection *c);

/* ---- log.c ---- */

/* Calls each() for every followed graph of all attached schemas, with its mirror (NULL:
** this connection has none), the mirror's other graph (NULL: none) and its state
** ("current" and so on). */
typedef void followed_visit(void *context, const char *name, const graph_ref *mirror,
                            const graph_ref *other, const char *state);
int followed_list(connection *c, followed_visit *each, void *context);

/* ---- blocks.c: packed graphs in the database ---- */

/* Writes the graphs, which must equal the table in this transaction, to the shadow table:
** graphs[0] and, for rows with a reverse weight, graphs[1], the graph for direction
** 'both'; each with its half rows and row_ids. After an error some blocks may have been
** written, so the caller must roll back. *bytes: the size of all graphs; may be NULL.
** *error: a sentence without a function's name. */
int blocks_write(connection *c, const definition *d, const row_source *rows,
                 loaded graphs[2], uint64_t *bytes, char **error);
/* Reads the graphs. They equal the table at the time when the log ended at *position and
** *mark was its latest mark. All are NULL if there are no reliable blocks. SQLITE_OK,
** SQLITE_NOMEM or SQLITE_INTERRUPT. */
int blocks_read(connection *c, const definition *d, loaded graphs[2],
                sqlite3_int64 *position, log_mark *mark);

#endif
