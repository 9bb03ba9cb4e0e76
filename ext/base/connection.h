/* One struct for each sqlite3*, owned by the module registration: everything hangs on it. SQLite's
** own mutex serialises all of it. */
#ifndef GPUGRAPH_CONNECTION_H
#define GPUGRAPH_CONNECTION_H

#include "scope.h"
#include "timings.h"
#include "wal_notes.h"

enum { MOST_DEVICES = 16 };

#define DEFAULT_CACHE_LIMIT                                                              \
    ((sqlite3_int64)4 << 30) /* 60 M edges, and on a device again */

/* Each field is a setting, inspect/settings.c. */
typedef struct config {
    int backend; /* gpugraph_backend */
    int device, threads;
    char devices[5 * MOST_DEVICES]; /* auto, all, or ids: "0,2" */
    int id[MOST_DEVICES], ids;      /* of such a list, ascending; 0: it is none */
    sqlite3_int64 memory_limit, host_memory_limit, cache_limit;
    int progress;
    sqlite3_int64 time_limit_ms;
    char refuse[64]; /* names of functions, commas between them */
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
    sqlite3_int64 handed; /* table_function/hand_out.c: the latest number; 0: none */
    /* sqlite3_total_changes64 when no transaction of this connection wrote anywhere. While it is
    ** the same, no statement that has ended has written what is not committed. */
    sqlite3_int64 unwritten_at;
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

/* Takes note of what can be told only while no transaction writes: unwritten_at. */
void connection_note(connection *c);
void connection_addref(connection *c);
void connection_unref(void *c); /* an xDestroy */
bool connections_are_several(void);
/* Every xConnect and xCreate that succeeds; every xDisconnect and xDestroy. A prepared
** statement that is kept makes sqlite3_close fail; SQLite disconnects virtual tables
** first, so one is kept only between the two. Without a connected table no graph is kept
** from one statement to the next. */
void connection_table_opened(connection *c);
void connection_table_closed(connection *c);

/* base/interrupt.c: must the running call end? Steps a statement of a few hundred VDBE
** steps, so the host's progress handler runs too. Fits gpugraph_run.interrupted with the
** connection as listener. */
int connection_interrupted(void *connection);
/* True if the running call has taken longer than the setting time_limit_ms. */
bool connection_is_late(const connection *c);
#define LATE_FAULT                                                                       \
    "the call has taken longer than the %lld ms that the setting 'time_limit_ms' allows"
/* Counts the times that SQLite has expired this connection's prepared statements, which
** DETACH does: what was known of an attached file is then void. 0: not to be known
** now. */
unsigned long long connection_expiries(connection *c);
/* A gpugraph_run set up from config: listener = c, phases go to c->timings, progress
** lines to stderr. */
void connection_run(connection *c, gpugraph_run *run);
/* The SQLITE_ code for a status of the library. */
int code_of_status(gpugraph_status status);
/* That of a run that has ended. *error: where it is SQLITE_ERROR the library's sentence, after the
** function's name unless that is NULL (sqlite3_free). */
int code_of_run(const gpugraph_run *run, const char *function, char **error);
/* A line on stderr for work over a second, where config.progress asks for it and stderr
** is a terminal. */
void connection_progress(connection *c, const char *phase, double ms,
                         sqlite3_int64 items);

#endif
