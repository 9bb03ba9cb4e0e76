/* One struct for each sqlite3*, owned by the module's registration, holds the state of
** the extension. SQLite's mutex serialises the access. */
#ifndef GPUGRAPH_CONNECTION_H
#define GPUGRAPH_CONNECTION_H

#include "scope.h"
#include "timings.h"
#include "wal_notes.h"

enum { MOST_DEVICES = 16 };

/* Enough for 60 M edges, in host memory and on a device. */
#define DEFAULT_CACHE_LIMIT ((sqlite3_int64)4 << 30)

/* Each field is a setting (inspect/settings.c). */
typedef struct config {
    int backend; /* gpugraph_backend */
    int device, threads;
    char devices[5 * MOST_DEVICES]; /* auto, all, or ids: "0,2" */
    int id[MOST_DEVICES], ids;      /* these ids, ascending; ids 0: `devices` has none */
    sqlite3_int64 memory_limit, host_memory_limit, cache_limit;
    int progress;
    sqlite3_int64 time_limit_ms;
    char refuse[64]; /* names of functions, separated by commas */
} config;

struct connection {
    sqlite3 *db;
    config config;
    timings timings;           /* the phases of the latest search */
    struct graph_ref *graphs;  /* most recently used first */
    struct followed *followed; /* follow/follow.c */
    /* kept/cache.c: the graphs that running statements have seen */
    struct binding *bindings;
    struct execution *executions; /* base/scope.c */
    scope *opened;       /* base/scope.c: the scope of the cursor that was opened last */
    sqlite3_stmt *probe; /* base/interrupt.c; exists only while tables > 0 */
    int tables;          /* connected virtual tables of this extension */
    int readings;        /* edge sources that are being read: one may read another */
    unsigned long long expiries; /* expiries that finalized probes have counted */
    /* the logs' states when the latest statement was prepared; its transaction sees
    ** these states or later ones */
    wal_notes logs;
    sqlite3_int64 handed; /* table_function/hand_out.c: the latest number; 0: none */
    /* sqlite3_total_changes64 at a moment when no write transaction of this connection
    ** was open. While the count is unchanged, no ended statement has written anything
    ** that is not committed. */
    sqlite3_int64 unwritten_at;
    struct loader *collecting; /* load/loader.c: the loader that gpugraph_collect feeds */
    int references;            /* modules and functions registered for this connection */
    const struct connection_ends *ends;
    unsigned long long clock; /* counts uses and executions */
};

/* Functions of higher folders, called at the end of an execution or a connection. */
struct connection_ends {
    /* an execution of a statement has ended (scope.c) */
    void (*execution)(connection *c, unsigned long long serial);
    /* frees the connection's graphs and state */
    void (*connection)(connection *c);
};

/* Sets unwritten_at if no write transaction is open. */
void connection_note(connection *c);
void connection_addref(connection *c);
void connection_unref(void *c); /* for xDestroy */
bool connections_are_several(void);
/* Called by every xDisconnect and xDestroy; every xConnect and xCreate that succeeds has
** added 1 to `tables`. A kept prepared statement makes sqlite3_close fail, and SQLite
** disconnects virtual tables first, so a statement is kept only while a table is
** connected. While none is, no graph is kept from one statement to the next. */
void connection_table_closed(connection *c);

/* base/interrupt.c: 1 if the running call must end. Steps a statement of a few hundred
** VDBE steps, so the host's progress handler runs, too. The function fits
** gpugraph_run.interrupted, with the connection as listener. */
int connection_interrupted(void *connection);
/* True if the running call has taken longer than the setting time_limit_ms. */
bool connection_is_late(const connection *c);
#define LATE_FAULT                                                                       \
    "the call has taken longer than the %lld ms that the setting 'time_limit_ms' allows"
/* Counts how often SQLite has expired this connection's prepared statements (DETACH does
** so). A new count invalidates what is known of attached files. 0: unknown. */
unsigned long long connection_expiries(connection *c);
/* Sets up a gpugraph_run from config. The connection is its listener: phases go to
** c->timings, and lines of progress go to stderr. */
void connection_run(connection *c, gpugraph_run *run);
/* The SQLITE_ code for a status of the library. */
int code_of_status(gpugraph_status status);
/* The SQLITE_ code of a run that has ended. *error: for SQLITE_ERROR the library's
** sentence, after the function's name unless that is NULL (sqlite3_free). */
int code_of_run(const gpugraph_run *run, const char *function, char **error);
/* Writes a line to stderr for work of more than a second, if config.progress is set and
** stderr is a terminal. */
void connection_progress(connection *c, const char *phase, double ms,
                         sqlite3_int64 items);

#endif
