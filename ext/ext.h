/* The private map of ext/: the way from SQL to the graph library and back.
**
**   xFilter (table_function.c)
**     -> arguments, settled by the function's descriptor (algorithms.c)
**     -> graph_acquire (cache.c): the graph as this statement must see it
**          -> edge_parse (edge_source.c): text -> table, columns or query
**          -> scope_now (scope.c): which statement execution is asking
**          -> graph_load (loader.c): rows -> gpugraph_create
**     -> search kept with the graph, or gpugraph_bfs and friends
**     -> rows straight from the result arrays
**
** Everything hangs on one struct connection for each sqlite3*, owned by the module
** registration. SQLite's own mutex serialises all of it. */
#ifndef GPUGRAPH_EXT_H
#define GPUGRAPH_EXT_H

#ifdef SQLITE_CORE
#include <sqlite3.h>
#else
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#endif
#include "gpugraph.h"

/* ---- edge_source.c: what the text of `edges` or `vertices` says ---- */

typedef struct edge_source {
    char *query;  /* a SELECT, WITH or VALUES; else NULL and the rest is set */
    char *schema; /* NULL: not given */
    char *table;
    char *column[3]; /* source, destination, weight as written; all NULL: find by name */
    int columns;     /* 0, 2 or 3 (vertices: 0 or 1) */
} edge_source;

/* Splits the text. Never touches a database. max_columns: 3 for edges, 1 for vertices.
** On failure returns SQLITE_ERROR (or SQLITE_NOMEM) and *error is a sentence without
** the function's name (sqlite3_free). */
int edge_parse(const char *text, int bytes, int max_columns, edge_source *source,
               char **error);
void edge_source_clear(edge_source *source);

/* ---- scope.c: which execution of which statement is calling ----
** The executing statements are those that are busy and hold no row (sqlite3_data_count 0): the caller and
** whatever it is nested in. (statement, its RUN counter) names an execution. */

typedef struct scope {
    int count;
    struct scope_entry {
        sqlite3_stmt *statement;
        int run;
    } entry
        [8]; /* deeper nestings share a scope with their eighth level's: never cached */
    bool overflow;
    sqlite3_int64 total_changes;
} scope;

void scope_now(sqlite3 *db, scope *now);
bool scope_equal(const scope *a, const scope *b);
/* Is every execution of the scope still under way? */
bool scope_alive(sqlite3 *db, const scope *s);
/* Does one of the executing statements contain this text as a literal, or hold it
** bound? */
bool scope_has_text(sqlite3 *db, const scope *now, const char *text);
/* Is any executing statement one that writes? */
bool scope_writes(const scope *now);

/* ---- one connection ---- */

typedef struct timing {
    char phase[24];
    double ms;
    sqlite3_int64 items;
    char *detail; /* sqlite3_malloc, may be NULL */
} timing;

typedef struct timings {
    timing *row;
    int count, room;
    double started_ms;
    bool failed; /* a row was lost to memory */
} timings;

typedef struct config {
    char backend[8]; /* auto, cpu, cuda */
    int device, threads;
    sqlite3_int64 memory_limit, cache_limit;
    int progress;
} config;

typedef struct connection {
    sqlite3 *db;
    config config;
    timings timings;          /* of the latest search */
    struct graph_ref *graphs; /* most recently used first */
    sqlite3_stmt *probe; /* stepped to learn of an interrupt; prepared on first use */
    int references;      /* modules and functions registered with this connection */
    unsigned long long clock; /* counts uses, for least recently used */
} connection;

void connection_addref(connection *c);
void connection_unref(void *c); /* an xDestroy */

/* interrupt.c: has the connection been interrupted? Steps a statement of a few hundred
** VDBE steps, so the host's progress handler runs too. Fits gpugraph_run.interrupted
** with the connection as listener. */
int connection_interrupted(void *connection);
/* A gpugraph_run set up from config: listener = c, phases go to c->timings, progress
** lines to stderr. */
void connection_run(connection *c, gpugraph_run *run);

/* timings.c */
void timings_start(timings *t); /* a new search: clears, starts the clock */
void timings_add(timings *t, const char *phase, double ms, sqlite3_int64 items,
                 const char *detail);
void timings_finish(timings *t); /* appends the row 'total' */
double now_ms(void);

/* ---- cache.c: graphs and searches, kept as long as they are surely right ---- */

/* A finished search, kept with its graph. key: bytes that name function and settled
** arguments. */
typedef struct search_ref {
    struct search_ref *next;
    void *key;
    int key_bytes;
    void *result; /* what the descriptor made */
    void (*free_result)(void *result);
    sqlite3_int64 bytes;
    unsigned long long used;
    int references; /* cursors that read it; freed at 0 once dropped */
    bool dropped;
} search_ref;

typedef struct graph_ref {
    struct graph_ref *next;
    gpugraph_graph *graph;
    char *edges, *vertices; /* the texts that name it; vertices may be NULL */
    bool has_weight;        /* weights were read */
    bool weight_column;     /* the source has a weight column */
    char *weight_error;   /* why the weights could not be read, when they were optional */
    char source_affinity; /* SQLITE_AFF-like letter: 'A' blob/none 'B' text 'C' numeric
                                   ** 'D' integer 'E' real */
    bool scoped;          /* belongs to one statement execution: */
    scope scope;
    struct stamp
        *stamp; /* else: what the tables looked like when it was read (cache.c) */
    search_ref *searches;
    unsigned long long used;
    int references; /* cursors and runs that use it */
    bool dropped;   /* no longer found; freed at 0 references */
} graph_ref;

enum weight_need { WEIGHT_NO, WEIGHT_IF_ANY, WEIGHT_YES };

typedef struct graph_request {
    const char *function; /* for sentences: "gpu_bfs" */
    const char *edges;    /* UTF-8 text */
    int edges_bytes;
    const char *vertices; /* or NULL */
    int vertices_bytes;
    enum weight_need weight;
} graph_request;

/* The graph as the calling statement must see it, with a reference to give back by
** graph_release. On failure an SQLITE_ code, and *error is the whole sentence
** (sqlite3_free). */
int graph_acquire(connection *c, const graph_request *request, graph_ref **ref,
                  char **error);
void graph_release(connection *c, graph_ref *ref);
/* A kept search of this graph, referenced, or NULL. */
search_ref *search_find(connection *c, graph_ref *graph, const void *key, int key_bytes);
/* Keeps a result (takes it over, also on failure: then NULL is returned and it is
** freed). Referenced. */
search_ref *search_keep(connection *c, graph_ref *graph, const void *key, int key_bytes,
                        void *result, sqlite3_int64 bytes, void (*free_result)(void *));
void search_release(connection *c, graph_ref *graph, search_ref *search);
/* Frees what is over cache_limit, least recently used first; never what a running
** statement may need. */
void cache_trim(connection *c);
/* Called by every xBestIndex: forgets graphs of statement executions that have ended. */
void cache_forget_ended(connection *c);
void cache_free(connection *c);

/* ---- loader.c: rows -> graph ---- */

typedef struct loaded {
    gpugraph_graph *graph;
    bool has_weight, weight_column;
    char *weight_error;
    char source_affinity;
} loaded;

/* Reads the source (resolved names) and builds the graph. optional_weight: a bad
** weight does not fail the load but is told in weight_error. Timings: "read" (detail:
** which reader and why), "map". */
int graph_load(connection *c, const graph_request *request, const edge_source *edges,
               const edge_source *vertices, bool optional_weight, const scope *caller,
               loaded *result, char **error);
/* The aggregate function that takes rows in: gpugraph_collect. Registered by
** extension.c. */
int loader_register(connection *c);

/* Schema, kind and columns of a table or view; used by loader and cache. kind: 't'
** rowid table, 'w' WITHOUT ROWID, 'v' view, 'x' virtual table, 'g' virtual table USING
** gpugraph. Returns SQLITE_ERROR with a sentence (no function name) that lists the
** tables or columns there are. */
typedef struct table_info {
    char *schema, *name; /* as stored; sqlite3_free through table_info_clear */
    char kind;
    int columns;
    char **column, **type; /* visible columns in order, with their declared types */
    char rowid_name
        [8]; /* rowid, oid or _rowid_, whichever no column hides; "" when none works */
    int integer_primary_key; /* column that is the rowid, or -1 */
} table_info;
int table_find(sqlite3 *db, const char *schema, const char *table, table_info *info,
               char **error);
void table_info_clear(table_info *info);
/* SQLite's affinity rules for a declared type: 'A' .. 'E' as in graph_ref. */
char affinity_of_type(const char *declared_type);

/* ---- table_function.c: one virtual table for all functions ---- */

struct algorithm; /* algorithms.c */
int table_functions_register(connection *c);

/* ---- inspect.c: gpugraph_version, _config, _devices, _methods, _graphs, _timings, _triangles ---- */
int inspect_register(connection *c);

#endif
