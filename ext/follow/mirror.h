/* The mirror of a followed table, shared by follow.c (how it catches up), mirror.c (its
** graphs), log.c (the log) and batch.c (changes of its rows). */
#ifndef GPUGRAPH_FOLLOW_MIRROR_H
#define GPUGRAPH_FOLLOW_MIRROR_H

#include "follow.h"
#include "load/loader.h"
#include "base/id_list.h"

struct followed {
    followed *next;
    char *schema, *name;
    char *filter;    /* the mirror of calls with this filter; NULL: no filter */
    int catching_up; /* calls, nested ones included, that catch up the mirror */
    row_source rows; /* the table that it follows */
    char *log;
    gpugraph_direction direction;
    bool persist;
    graph_ref *graph; /* the mirror's graph; NULL: none */
    graph_ref *both;  /* for rows with a reverse weight: the graph for direction 'both' */
    stamp *base;
    sqlite3_int64 position; /* the last entry of the log when the base was read */
    log_mark mark;          /* the latest mark up to `position` */
    id_list recent;         /* rowids that the log names after `mark`, up to `position` */
    id_list dirty;
    /* how often this mirror has left its graph to other connections (mirror.c) */
    int left;
    /* the base is new since the mirror last looked for another connection's graph */
    bool may_rejoin;
    double changed_ms; /* the time at which a changed row was last found */
    /* for REAL weights: `real` is the rowid of a row with a REAL weight */
    bool has_real;
    int64_t real;
    /* The latest text that has led to the graph. The next call with this text resolves no
    ** names. */
    char *alias;
    stamp *alias_stamp;
};

/* ---- log.c ---- */

typedef struct tail {
    sqlite3_int64 last; /* the log's last entry */
    bool same_history;  /* the log has the base's mark */
    log_mark mark;      /* the latest mark */
    /* rowids that are dirty, or that the log names after the base's mark */
    id_list ids;
    id_list recent;  /* rowids that the log names after the latest mark */
    bool incomplete; /* `ids` may lack rows that have changed */
} tail;

/* Reads what has been logged since the base. The caller clears the lists. */
int log_tail(connection *c, const followed *f, tail *t);
/* Reads last, mark and recent alone, for a mirror that equals the table. */
int log_end(connection *c, const followed *f, tail *t);
int log_latest_mark(sqlite3 *db, const char *schema, const char *log, log_mark *mark);

/* *complete: every running statement has logged all that it has written to the table. */
int log_is_complete(reading *r, const followed *f, bool *complete);

/* ---- mirror.c ---- */

/* Replaces the mirror's graphs. g NULL: none; both NULL: the mirror has one graph. */
void mirror_set(connection *c, followed *f, graph_ref *g, graph_ref *both);
/* Reads the whole table into the mirror. The caller sets the base. */
int mirror_renew(reading *r, followed *f, const char *why);
/* True if the mirror's graphs can be changed: no other connection uses one of them. */
bool mirror_make_own(followed *f);
/* True if the mirror's graph is shared and was made by the parent of this process. */
bool mirror_is_foreign(const followed *f);
/* Loads the mirror and its position from the blocks in the file. f->graph stays NULL if
** there are no reliable blocks. */
int mirror_load_blocks(reading *r, followed *f);
/* Lets a mirror that equals the table share one graph with other connections, if no row
** has changed for some time. */
void mirror_rejoin(reading *r, followed *f);

/* ---- batch.c ---- */

/* Reads these rows again and changes the mirror where they differ. *done false: the whole
** table must be read instead. */
int mirror_change(reading *r, followed *f, const id_list *ids, bool *done);

#endif
