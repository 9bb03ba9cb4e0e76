/* The private map of ext/: the way from SQL to the graph library and back.
**
**   xFilter (table_function/table_function.c)
**     -> arguments, settled by the function's descriptor (table_function/function.h)
**     -> graph_acquire (acquire/acquire.c): the graph as this statement must see it
**          -> the cursor's scope (base/scope.c): which statement execution is asking
**          -> edge_parse (source/edge_source.c): text -> table, columns or query
**          -> source_resolve (source/row_source.c): names -> what there is in the database
**          -> stamp (kept/stamp.c): is a kept graph still what the table holds?
**          -> graph_load (load/loader.c): rows -> gpugraph_create
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
#include "base/wal_notes.h"

/* ---- source/edge_source.c: what the text of `edges` or `vertices` says ---- */

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

/* ---- base/scope.c: which execution of which statement is calling ----
** The executing statements are those that are busy and hold no row (sqlite3_data_count
** 0): the caller and whatever it is nested in. An execution lives as long as cursors of
** this extension that it opened: SQLite closes them all when a statement ends (those of a
** trigger's body when that firing ends), and never closes the last of them before. */

typedef struct scope {
    int count;
    struct scope_entry {
        sqlite3_stmt *statement;
        unsigned long long serial; /* names the execution: the statement may run again */
    } entry[8];
    bool overflow; /* nested deeper: equal to no scope, so nothing is shared with it */
    const void *table; /* of a cursor: its virtual table */
} scope;

typedef struct connection connection;

/* Every cursor holds the scope it was opened in: scope_open in xOpen, scope_settle in
** xFilter, scope_close in xClose; table: the cursor's. A scalar function keeps one for its
** statement by sqlite3_set_auxdata; table is NULL there. After scope_close, or on a zeroed
** scope, scope_close does nothing. */
int scope_open(connection *c, scope *s, const void *table);
void scope_settle(connection *c);
void scope_close(connection *c, scope *s);
bool scope_equal(const scope *a, const scope *b);
/* How SQL text of this extension's own making begins, for those who look at statements.
** No other meaning hangs on it: anybody may write it. */
#define OWN_SQL "/* gpugraph */ "
/* Does an executing statement contain the query as this argument ("edges", "vertices") of a
** call of this function (base/query_origin.h)? 1, 0, or -1: no memory. */
int scope_has_query(connection *c, const scope *s, const char *function,
                    const char *argument, const char *query);
/* Is it in the middle of sqlite3_step? */
bool is_executing(sqlite3_stmt *statement);
/* How many programs the statement has begun, ever: each time it runs its own, and that of
** each trigger that fires. */
int programs_begun(sqlite3_stmt *statement);
/* The scope's statements that are still there, one after the other, from NULL to NULL. */
sqlite3_stmt *scope_next(connection *c, const scope *s, sqlite3_stmt *statement);
/* Is any statement of the scope one that writes? */
bool scope_writes(connection *c, const scope *s);

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
    bool
        open; /* started and not finished: what is added otherwise belongs to no search */
    bool failed; /* a row was lost to memory */
} timings;

enum { MOST_DEVICES = 16 };

#define DEFAULT_CACHE_LIMIT ((sqlite3_int64)1 << 30)

/* Each field is a setting, inspect/settings.c. */
typedef struct config {
    int backend; /* gpugraph_backend */
    int device, threads;
    char devices[5 * MOST_DEVICES]; /* auto, all, or ids: "0,2" */
    sqlite3_int64 memory_limit, cache_limit;
    int progress;
} config;

struct connection {
    sqlite3 *db;
    config config;
    timings timings;           /* of the latest search */
    struct graph_ref *graphs;  /* most recently used first */
    struct followed *followed; /* follow/follow.c */
    struct binding *bindings; /* kept/cache.c: which graph a running statement has seen */
    struct execution *executions; /* base/scope.c */
    scope *opened;       /* base/scope.c: of the cursor that was opened just now */
    sqlite3_stmt *probe; /* base/interrupt.c; there only while tables > 0 */
    int tables;          /* virtual tables of this extension that are connected */
    int readings;        /* edge sources being read: one may read another */
    unsigned long long expiries; /* of probes that are gone */
    wal_notes
        logs; /* taken when a statement is prepared: what its transaction sees at least */
    struct loader *collecting; /* load/loader.c: whose rows gpugraph_collect takes in */
    int references;            /* modules and functions registered with this connection */
    const struct connection_ends *ends;
    unsigned long long clock; /* counts uses and executions */
};

/* What rooms above do at the ends of things. */
struct connection_ends {
    void (*execution)(connection *c,
                      unsigned long long serial); /* a statement's; scope.c */
    void (*connection)(connection *c);            /* frees what hangs on it */
};

void connection_addref(connection *c);
void connection_unref(void *c); /* an xDestroy */
/* Every xConnect and xCreate that succeeds; every xDisconnect and xDestroy. A prepared
** statement that is kept makes sqlite3_close fail; SQLite disconnects virtual tables
** first, so one is kept only between the two. Without a connected table no graph is kept
** from one statement to the next. */
void connection_table_opened(connection *c);
void connection_table_closed(connection *c);

/* base/interrupt.c: has the connection been interrupted? Steps a statement of a few hundred
** VDBE steps, so the host's progress handler runs too. Fits gpugraph_run.interrupted
** with the connection as listener. */
int connection_interrupted(void *connection);
/* Counts the times that SQLite has expired this connection's prepared statements, which
** DETACH does: what was known of an attached file is then void. 0: not to be known
** now. */
unsigned long long connection_expiries(connection *c);
/* A gpugraph_run set up from config: listener = c, phases go to c->timings, progress
** lines to stderr. */
void connection_run(connection *c, gpugraph_run *run);
/* The SQLITE_ code for a status of the library. */
int code_of_status(gpugraph_status status);
/* A line on stderr for work over a second, where config.progress asks for it and stderr
** is a terminal. */
void connection_progress(connection *c, const char *phase, double ms,
                         sqlite3_int64 items);

/* base/timings.c */
void timings_start(timings *t); /* a new search: clears, starts the clock */
void timings_add(timings *t, const char *phase, double ms, sqlite3_int64 items,
                 const char *detail);
void timings_finish(
    timings *t); /* appends 'other', the time between the phases, and 'total' */
void timings_clear(timings *t); /* frees the rows */
double now_ms(void);

/* The timings that were there when a search began. They come back if it turns out that
** there was nothing to do, or that the search is a step of another one. */
typedef struct search_watch {
    timings earlier;
} search_watch;

void watch_begin(search_watch *watch, connection *c);
void watch_end(search_watch *watch, connection *c);

/* ---- source/table_info.c: what the schema says ---- */

/* kind: 't' rowid table, 'w' WITHOUT ROWID, 'v' view, 'x' virtual table, 'g' virtual
** table USING gpugraph. */
typedef struct table_info {
    char *schema, *name; /* as stored; sqlite3_free through table_info_clear */
    char kind;
    bool strict;
    int columns;
    char **column, **type;   /* visible columns in order, with their declared types */
    char rowid_name[8];      /* rowid, oid or _rowid_, whichever no column hides; "" when
                             ** none works */
    int integer_primary_key; /* the column that is the rowid, or -1 */
    char *key_index;         /* WITHOUT ROWID: the index that holds the rows */
    char *key_order; /* ORDER BY of the rows as they are held, where SQLite would go the
                     ** other way; else NULL */
} table_info;

/* schema NULL: temp, main, then attached ones, as SQLite looks. SQLITE_ERROR with a
** sentence (no function name) that lists the tables there are. */
int table_find(sqlite3 *db, const char *schema, const char *table, table_info *info,
               char **error);
void table_info_clear(table_info *info);
/* Not SQLite's own, nor the log, the marks and the view of a followed graph. */
bool table_is_of_user(sqlite3 *db, const char *schema, const char *name);
/* "main"."roads" with what keeps SQLite from reading an index in its place, whichever columns
** are read, so that rows come in the order of their keys; perhaps with ORDER BY. */
void append_table_in_order(sqlite3_str *sql, const table_info *info, const char *where);
int table_add_column(table_info *info, const char *name, const char *type);
/* Case-insensitive, as SQL is; -1: none. */
int table_column(const table_info *info, const char *name);
/* SQLite's affinity rules for a declared type (may be NULL): 'A' .. 'E' as in
** graph_ref. */
char affinity_of_type(const char *declared_type);
/* Does SQLite sort texts as their UTF-8 bytes do? Not where databases hold UTF-16. */
bool texts_sort_as_utf8(sqlite3 *db);
/* Name number `count` of a list for a sentence, then its end: "a, b, c and 9 more". */
void name_list_add(sqlite3_str *list, int count, const char *name);
void name_list_end(sqlite3_str *list, int count);

/* ---- source/row_source.c: a source whose names are settled ---- */

typedef struct row_source {
    char kind;        /* 'q' a query, else the table's kind */
    table_info table; /* of a query: column names alone */
    bool searched;    /* the table was named without its schema */
    char *name;       /* for sentences: "main.roads" or "the query in edges" */
    /* By the numbers of edge_source; NULL: none. The edge id is not here where it is the
    ** table's rowid. Of vertices the first alone. Owned by table. */
    char *column[EDGE_COLUMNS];
    char affinity;       /* of the first column */
    bool columns_named;  /* in the text, not found by the names they have */
    bool weight_unclear; /* no weight is known by its name, and others may be meant */
    bool followed;       /* of a followed graph: rows with a NULL end are told apart */
    char *where;         /* which rows there are (source/condition.h); NULL: all */
    sqlite3_stmt *query;
} row_source;

/* Looks the names up; checks and prepares a query. what: "edges" or "vertices". *error is
** the whole sentence. Cleared by row_source_clear, also after an error. */
int source_resolve(connection *c, const char *function, const char *what, const scope *s,
                   const edge_source *source, row_source *rows, char **error);
void row_source_clear(row_source *rows);
/* The name by which SQL asks for the rowid that is the edge id; NULL: it is none. */
const char *source_rowid(const row_source *rows);

/* ---- source/weight.c ---- */

/* Of a table or view whose ends have been found by name. */
void source_find_weight(row_source *rows);
/* Of a followed graph without weights, whose table was named without its columns: may a
** weight be meant? */
void source_doubt_weight(row_source *rows);
/* The sentence (no function name) for a search by weight of edges without; NULL: no
** memory. */
char *source_without_weight(const row_source *rows);

/* ---- load/edge_names.c: edge ids that the library does not know ---- */

typedef struct edge_names edge_names;

/* What SQL calls the edge that has this id in the library. */
void result_edge_name(sqlite3_context *context, const edge_names *names, int64_t id);
/* Names of edges that all have none; NULL: no memory. */
edge_names *edge_names_none(void);
int64_t edge_names_bytes(const edge_names *names); /* NULL is allowed, here and below */
edge_names *edge_names_share(edge_names *names);   /* to be freed once more */
void edge_names_free(edge_names *names);

/* ---- kept/stamp.c: has a table changed? ---- */

/* What a schema looks like now; made inside the read transaction it holds open. */
typedef struct stamp stamp;

/* Of plain tables, edges and perhaps vertices (else NULL). The read transactions stay
** open until stamp_settle. */
int stamp_take(connection *c, const row_source *edges, const row_source *vertices,
               stamp **made);
/* Of the same schemas as an earlier stamp. */
int stamp_retake(connection *c, const stamp *earlier, stamp **made);
void stamp_settle(stamp *s);
void stamp_free(stamp *s); /* NULL is allowed */
/* Do the tables hold now what they held when the kept stamp was taken? */
bool stamp_agrees(stamp *kept, const stamp *now);
/* May what is read now outlive the statement? */
bool stamp_keepable(connection *c, const stamp *now);
/* The same, but for a write transaction under way. */
bool stamp_trusted(connection *c, const stamp *now);
/* Do names mean what they meant: the same files, the same schemas? */
bool stamp_same_names(const stamp *kept, const stamp *now);
/* What has become of the schema that the edges are in. SAME: no transaction has been
** committed since, and none that writes is under way. */
enum stamp_change { STAMP_SAME, STAMP_WRITTEN, STAMP_NEW_SCHEMA };
enum stamp_change stamp_compare(const stamp *kept, const stamp *now);
/* Is it still SAME, inside a read transaction that is open, provided that the schema is the
** same? Cheap. */
bool stamp_stands(connection *c, const stamp *kept);
/* Is a write transaction under way where the tables are? */
bool stamp_writing(const stamp *now);

/* ---- kept/cache.c: graphs and searches, kept as long as they are surely right ---- */

/* A finished search, kept with its graph. key: bytes that name function and settled
** arguments. */
typedef struct search_ref {
    struct search_ref *next;
    void *key;
    int key_bytes;
    unsigned hash;       /* of the key */
    bool irreproducible; /* may be set after search_keep: another run may give other rows,
                         ** so it stays while a running statement may ask again */
    void *result;        /* what the descriptor made */
    void (*free_result)(void *result);
    sqlite3_int64 bytes;
    unsigned long long used;
    int references; /* cursors that read it */
} search_ref;

typedef struct graph_ref {
    struct graph_ref *next;
    gpugraph_graph *graph;
    char *edges, *vertices, *params; /* the texts that name it; the others may be NULL */
    edge_names *names;               /* NULL: edge ids are the library's */
    gpugraph_graph *half_rows; /* of a followed graph (follow/halves.c); NULL: none */
    bool has_weight;           /* weights were read */
    bool has_text;             /* something that was read may be a TEXT */
    bool weight_column;        /* the source has a weight column */
    bool weight_unclear;       /* as in row_source */
    bool two_ways;             /* there is a reverse weight, and this is the graph ... */
    bool undirected;           /* ... for direction 'both', or the one for the others */
    char *weight_error; /* a bad weight that nobody needed yet: a sentence, no function */
    char source_affinity; /* SQLITE_AFF-like letter: 'A' blob/none 'B' text 'C' numeric
                                   ** 'D' integer 'E' real */
    gpugraph_direction direction; /* of searches that are given none */
    bool followed; /* the mirror of a followed graph (follow/follow.c), which keeps it */
    struct stamp
        *stamp;   /* what the tables looked like when it was read (kept/stamp.c); NULL:
                         ** the graph belongs to the statements it is bound to */
    int bindings; /* running statements that have seen it */
    search_ref *searches;
    unsigned long long used;
    int references; /* cursors and runs that use it */
    bool dropped;   /* no longer found; freed at 0 references */
} graph_ref;

enum weight_need {
    WEIGHT_NO,
    WEIGHT_IF_ANY,   /* to be shown */
    WEIGHT_IF_CLEAR, /* the same, and an error where it is not clear which is meant */
    WEIGHT_YES
};

typedef struct graph_request {
    const char *function; /* for sentences: "gpu_bfs" */
    const char *edges;    /* UTF-8 text */
    int edges_bytes;
    const char *vertices; /* or NULL */
    int vertices_bytes;
    const char *params; /* of a query in edges; or NULL */
    int params_bytes;
    const char *params_example; /* how a call gives them, for sentences; NULL: by WHERE */
    enum weight_need weight;
    bool undirected;    /* direction is 'both' */
    int backend;        /* gpugraph_backend, or -1: as configured; where ids are mapped */
    const scope *scope; /* the cursor's; NULL: one for this call alone */
    struct followed *followed; /* a mirror that is known to be current; or NULL */
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
/* Called by scope_close: the execution has ended; what only it could see is freed. */
void cache_execution_ended(connection *c, unsigned long long serial);
/* For gpugraph_graphs: "current", "stale" or "this statement". Reads no edges. */
const char *graph_state(connection *c, graph_ref *graph);
/* At the end of the connection: no statement runs any more; then, every graph that nobody else
** keeps. */
void cache_unbind(connection *c);
void cache_free(connection *c);

/* ---- load/loader.c: rows -> graph ---- */

typedef struct loaded {
    gpugraph_graph *graph;
    edge_names *names;         /* NULL: edge ids are the library's */
    gpugraph_graph *half_rows; /* of a followed graph: rows with a NULL end */
    bool has_weight;
    bool has_text; /* something that was read may be a TEXT */
    char *weight_error;
} loaded;

enum weight_reading {
    READ_NO_WEIGHTS,
    TRY_WEIGHTS, /* a bad weight does not fail the load: weight_error tells it */
    READ_WEIGHTS
};

/* Reads the rows and builds the graph, for the request's function, direction and backend;
** of two ways (load/two_ways.c) also the other one where that is not NULL. vertices may be NULL.
** Timings: "read" (detail: which reader and why), "map". */
int graph_load(connection *c, const graph_request *request, const row_source *edges,
               const row_source *vertices, enum weight_reading weights, loaded *result,
               loaded *other, char **error);
/* The aggregate function that takes rows in: gpugraph_collect. Registered by
** entry/extension.c. */
int loader_register(connection *c);

/* ---- base/scalar_functions.c ---- */

typedef struct scalar_function {
    const char *name;
    int arguments, flags;
    void (*call)(sqlite3_context *, int, sqlite3_value **);
} scalar_function;

/* The user data of each is the connection. */
int scalar_functions_register(connection *c, const scalar_function *list, size_t count);

/* ---- graph_table/graph_table.c, graph_table/functions.c: USING gpugraph; gpugraph_check and others ---- */
int graph_table_register(connection *c);
int graph_functions_register(connection *c);

/* ---- inspect/inspect.c: gpugraph_version, _triangles; inspect/settings.c: _config; inspect/lists.c: _settings,
** _devices, _methods, _graphs, _timings ---- */
int inspect_register(connection *c);

#endif
