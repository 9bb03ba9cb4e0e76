/* Graphs that follow their table: CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres)).
**
**     writer (any process)   roads --trigger--> g_log(edge, mark): which rowids were touched,
**                                               in which history
**     reader                 mirror at position p, log up to q
**                              -> reads the rows named between p and q again, from roads
**                              -> gpugraph_update with the difference -> mirror at q
**
** arguments.c: what is asked for; schema.c: what is in the database (log, triggers); make.c:
** made and taken away; sql.c, keys.c: its SQL; follow.c: the mirror and how it catches up;
** mirror.c: its graphs; log.c: what has been logged; batch.c: rows read again, and put into the
** mirror, halves.c, places.c: those that are no edges, and edges with ids of their own; blocks.c:
** the mirror in the file; graph_table/graph_table.c: the virtual table; graph_table/functions.c:
** gpugraph_check and others. */
#ifndef GPUGRAPH_FOLLOW_H
#define GPUGRAPH_FOLLOW_H

#include "kept/cache.h"

/* ---- arguments.c: what stands between the brackets of USING gpugraph(...) ---- */

typedef struct graph_arguments {
    edge_source source; /* as written when the graph was made */
    gpugraph_direction direction;
    bool persist;
} graph_arguments;

/* *error is a sentence without a function's name. */
int graph_arguments_parse(int count, const char *const *argument, graph_arguments *made,
                          char **error);
/* Arguments from the text of the CREATE VIRTUAL TABLE. */
int graph_arguments_of_sql(const char *sql, graph_arguments *made, char **error);
void graph_arguments_clear(graph_arguments *arguments);

/* ---- schema.c: log and triggers ---- */

/* A followed graph as it is in the database now. */
typedef struct definition {
    char *schema, *name; /* of the virtual table */
    char *log;           /* its log, an ordinary table */
    edge_source source;  /* the table and its columns, by the names they have now */
    bool by_name;        /* the table was named without its columns */
    char rowid[8];       /* how triggers name the rowid; "": edges are not told apart,
                              ** and every change means another read of the table */
    char *key;           /* the column that is the rowid; NULL: none */
    char *reads;         /* new."a", new."b": columns of the condition; NULL: none */
    gpugraph_direction direction;
    bool persist;
    sqlite3_int64 latest_trigger; /* the last one's row of sqlite_schema */
    char *trouble;                /* why the log is not to be relied on; NULL: it is */
} definition;

int definition_read(sqlite3 *db, const char *schema, const char *name, definition *made,
                    char **error);
void definition_clear(definition *d);
/* source_resolve of the table that the graph follows. */
int definition_resolve(connection *c, const char *function, const scope *s,
                       const definition *d, row_source *rows, char **error);

/* A random number in the log, and the entry (its rowid) that it was given to; id 0: none. */
typedef struct log_mark {
    sqlite3_int64 id, seq;
} log_mark;

/* ---- make.c ---- */

/* Makes log and triggers for what the arguments say, whose source it takes over; *error is
** a whole sentence. */
int follow_create(connection *c, const char *schema, const char *name,
                  graph_arguments *arguments, char **error);
/* Takes away whatever follow_create has made; blocks where the graph has some. */
int follow_drop(sqlite3 *db, const char *schema, const char *name, bool blocks,
                char **error);
int follow_rename(sqlite3 *db, const char *schema, const char *name, const char *to,
                  char **error);

/* ---- follow.c: mirrors ---- */

typedef struct followed followed;

/* The mirror of this name, which need not be there yet; NULL: no memory. It lives as long
** as the connection. */
followed *followed_of(connection *c, const char *schema, const char *name);
/* Nothing known of it holds any more. */
void followed_forget(connection *c, followed *f);
/* Is the mirror surely what the table holds in this read transaction? Never after a
** change of the file behind the schema's name, which whoever asks must rule out; nor where an
** authorizer denies the table (right: as right_holds keeps it). */
bool followed_is_current(connection *c, const followed *f, sqlite3_stmt **right);
/* A mirror that was found under these texts before, caught up. *found stays NULL where
** there is none. */
int followed_find(reading *r, graph_ref **found);
/* Of a reading whose texts have turned out to name a followed graph. *found stays NULL
** where the table must be read as if nobody followed it. */
int followed_catch_up(reading *r, graph_ref **found);
/* Its graph for the request's direction, and the one for the others where there are two. */
graph_ref *followed_graph(const followed *f, const graph_request *request);
graph_ref *followed_other(const followed *f, const graph_ref *graph);
/* Puts what the definition says in the place of the virtual table. */
int followed_redirect(reading *r);
void followed_free_all(connection *c);

/* ---- log.c ---- */

/* Calls each() for every followed graph that any attached schema has: its mirror (NULL:
** none here), the mirror's other graph where there are two, and its state ("current" and so
** on). */
typedef void followed_visit(void *context, const char *name, const graph_ref *mirror,
                            const graph_ref *other, const char *state);
int followed_list(connection *c, followed_visit *each, void *context);

/* ---- batch.c ---- */

/* Is the row (source, destination, weight) edge number e of the mirror? */
bool row_is_edge(const graph_ref *mirror, uint64_t e, sqlite3_value **value);

#endif
