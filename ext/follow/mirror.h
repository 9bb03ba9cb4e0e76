/* What a mirror is, shared by follow.c (how it catches up), mirror.c (its graphs), log.c (what
** the log says) and batch.c (how it changes). */
#ifndef GPUGRAPH_FOLLOW_MIRROR_H
#define GPUGRAPH_FOLLOW_MIRROR_H

#include "follow.h"
#include "load/loader.h"
#include "base/id_list.h"
#include "pages/identity.h"

struct followed {
    followed *next;
    char *schema, *name;
    row_source rows; /* the table it follows */
    char *log;
    gpugraph_direction direction;
    bool persist;
    graph_ref *graph; /* the mirror; NULL: none */
    graph_ref *both;  /* of rows with a reverse weight: the one for direction 'both' */
    stamp *base;
    sqlite3_int64 position; /* in the log, of the base */
    log_mark mark;          /* the latest up to there */
    id_list recent;         /* named between the two */
    id_list dirty;
    int left;          /* how often the graph was left to other connections (mirror.c) */
    bool may_meet;     /* others', since the base has become another (meet.c) */
    double changed_ms; /* when a row of it was last found changed */
    bool has_real;     /* of REAL weights: a row is known that makes them so */
    int64_t real;
    /* The latest text that has led to the graph, so that the next call need not look names up. */
    char *alias;
    stamp *alias_stamp;
};

/* ---- log.c ---- */

typedef struct tail {
    sqlite3_int64 last; /* number in the log */
    bool same_history;  /* the base's mark is there */
    log_mark mark;      /* the latest one */
    id_list ids;        /* named after the base's mark, or dirty */
    id_list recent;     /* named after the latest mark */
    bool whole;         /* these are not all that may have changed */
} tail;

/* What has been logged since the base; the lists are the caller's to clear. */
int log_tail(connection *c, const followed *f, tail *t);
/* Of a mirror that is the table as it is now: last, mark and recent alone. */
int log_end(connection *c, const followed *f, tail *t);
int log_latest_mark(sqlite3 *db, const char *schema, const char *log, log_mark *mark);
/* The log's last number, and whether the base's mark is there. */
int log_last(connection *c, const followed *f, sqlite3_int64 *last, bool *same_history);
/* How many entries there are after the position. */
uint64_t log_distance(sqlite3_int64 position, sqlite3_int64 last);

/* Has every statement that is under way logged all that it has written to the table? */
int log_is_complete(reading *r, const followed *f, bool *complete);

/* ---- mirror.c ---- */

/* A graph of the mirror, which takes over what was read, and `shared`, whose graph that is unless
** it is NULL. NULL: no memory. */
graph_ref *mirror_take(const followed *f, bool undirected, struct shared_graph *shared,
                       loaded *got);
/* The mirror becomes another graph, or none; both NULL where there is but one. */
void mirror_set(connection *c, followed *f, graph_ref *g, graph_ref *both);
/* Reads the whole table; what base the mirror has then is for the caller to settle. */
int mirror_renew(reading *r, followed *f, const char *why);
/* Is what this transaction sees a committed state that other connections may have a graph of? Then its
** name. */
bool mirror_name(const reading *r, const followed *f, page_identity *rows);
/* The text that goes with it: sqlite3_free. NULL: no memory. */
char *mirror_source(const followed *f);
/* Can the mirror's graphs be changed? Not where other connections use one. */
bool mirror_make_own(followed *f);
/* Is it of the parent of this process, and other connections' as well? */
bool mirror_is_foreign(const followed *f);
/* The mirror as it was kept in the file, with its position; f->graph stays NULL where there is
** none to rely on. */
int mirror_load_blocks(reading *r, followed *f);

/* ---- meet.c ---- */

/* Of a mirror that is what the table holds now: it becomes one with other connections', if no row has
** changed for some time. */
void mirror_meet(reading *r, followed *f);

/* ---- batch.c ---- */

/* Reads these rows again and changes the mirror where they differ. *done false: it cannot
** be done so, and the whole table must be read. */
int mirror_change(reading *r, followed *f, const id_list *ids, bool *done);

#endif
