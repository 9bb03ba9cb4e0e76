/* A mirror of a table's edges, and how it catches up.
**
** What is known of a mirror:
**
**     base    a committed state of the table: schema, data version, last entry p of the log
**     dirty   rowids; the mirror is the base, except perhaps for these edges
**
** To catch up with what this connection sees now, which is a later committed state or such
** a state with this connection's own uncommitted changes: every row in which that differs
** from the base is named in the log after p, as it reads now, since log and table are
** written by the same statements and rolled back together. So the mirror differs from the
** table in rows that are dirty, or in the log after p, and in no others. These are read
** again. Then
**
**     nothing is being written   this state is the base; p is the log's end; none is dirty
**     a write transaction        base and p stay; all rows just read are dirty
**
** so that ROLLBACK and ROLLBACK TO, which leave no trace and let the log's numbers come
** again, need none: numbers of the log are compared with p only, which is committed. What
** this leans on:
**
** - Committed states follow one another, and each has its own p. Not so where a backup is
**   restored over the file or another file takes its place: the schema version (which
**   sqlite3_backup moves in its destination), the file's name, and the count of expiries
**   (which DETACH moves) show that, and then everything is read anew. A database that
**   sqlite3_deserialize may replace has no mirror, nor has what read_uncommitted shows.
** - Uncommitted changes of schema: the mirror is dropped at sight of another schema
**   version, and a new one is begun in a committed state only.
** - The log has no gaps. Writers trim its old end: a mirror from before that is read anew,
**   and so is one whose log has fewer entries than numbers.
**
** Where there is no mirror to catch up, the table is read for the statement alone. */
#include "follow.h"
#include "follow_blocks.h"
#include "follow_rows.h"
#include <string.h>

/* Texts that have led to the graph, so that the next call need not look names up. */
enum { ALIASES = 4 };

struct followed {
    followed *next;
    char *schema, *name;
    row_source rows; /* the table it follows */
    char *log;
    gpugraph_direction direction;
    bool persist;
    graph_ref *graph; /* the mirror; NULL: none */
    stamp *base;
    sqlite3_int64 position; /* in the log, of the base */
    id_list dirty;
    bool has_real; /* of REAL weights: a row is known that makes them so */
    int64_t real;
    struct alias {
        char *text;
        stamp *stamp;
    } alias[ALIASES];
    int next_alias;
};

/* ---- the list of them ---- */

followed *followed_of(connection *c, const char *schema, const char *name) {
    followed *f = c->followed;
    while (f && (sqlite3_stricmp(f->schema, schema) || sqlite3_stricmp(f->name, name)))
        f = f->next;
    if (f)
        return f;
    f = sqlite3_malloc(sizeof *f);
    if (!f)
        return NULL;
    memset(f, 0, sizeof *f);
    f->schema = sqlite3_mprintf("%s", schema);
    f->name = sqlite3_mprintf("%s", name);
    if (!f->schema || !f->name) {
        sqlite3_free(f->schema);
        sqlite3_free(f->name);
        sqlite3_free(f);
        return NULL;
    }
    f->next = c->followed;
    return c->followed = f;
}

/* The mirror becomes another graph, or none. */
static void set_graph(connection *c, followed *f, graph_ref *g) {
    graph_ref *before = f->graph;
    if (g == before)
        return;
    f->graph = g;
    if (g)
        g->followed = true;
    if (before) {
        before->followed = false;
        graph_settle(c, before);
    }
}

static void forget_aliases(followed *f) {
    for (int i = 0; i < ALIASES; i++) {
        sqlite3_free(f->alias[i].text);
        stamp_free(f->alias[i].stamp);
    }
    memset(f->alias, 0, sizeof f->alias);
}

void followed_forget(connection *c, followed *f) {
    set_graph(c, f, NULL);
    row_source_clear(&f->rows);
    sqlite3_free(f->log);
    f->log = NULL;
    stamp_free(f->base);
    f->base = NULL;
    id_list_clear(&f->dirty);
    f->has_real = false;
    forget_aliases(f);
}

void followed_free_all(connection *c) {
    while (c->followed) {
        followed *f = c->followed;
        c->followed = f->next;
        followed_forget(c, f);
        sqlite3_free(f->schema);
        sqlite3_free(f->name);
        sqlite3_free(f);
    }
}

graph_ref *followed_graph(followed *f) {
    return f->graph;
}

bool followed_is_current(connection *c, const followed *f) {
    return f->graph && f->dirty.count == 0 && stamp_stands(c, f->base);
}

/* ---- the log ---- */

typedef struct tail {
    sqlite3_int64 first, last; /* numbers in the log; 0: it is empty */
    id_list ids;               /* named after the base, or dirty */
    bool whole;                /* these are not all that may have changed */
} tail;

static int prepare(connection *c, sqlite3_stmt **statement, const char *format,
                   const followed *f) {
    char *sql = sqlite3_mprintf(format, f->rows.table.schema, f->log,
                                f->rows.table.schema, f->log);
    *statement = NULL;
    int rc = sql ? sqlite3_prepare_v2(c->db, sql, -1, statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
}

static int read_ends(connection *c, const followed *f, tail *t) {
    sqlite3_stmt *statement;
    int rc = prepare(c, &statement,
                     OWN_SQL "SELECT (SELECT min(seq) FROM \"%w\".\"%w\"), "
                             "(SELECT max(seq) FROM \"%w\".\"%w\")",
                     f);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        t->first = sqlite3_column_int64(statement, 0);
        t->last = sqlite3_column_int64(statement, 1);
    }
    int finish = sqlite3_finalize(statement);
    return rc ? rc : finish;
}

static int read_named(connection *c, const followed *f, tail *t) {
    sqlite3_stmt *statement;
    sqlite3_int64 count = 0;
    int rc = prepare(c, &statement,
                     OWN_SQL "SELECT edge FROM \"%w\".\"%w\" WHERE seq > ?1", f);
    sqlite3_bind_int64(statement, 1, f->position);
    while (rc == SQLITE_OK && !t->whole && sqlite3_step(statement) == SQLITE_ROW) {
        count++;
        if (sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
            rc = id_list_add(&t->ids, sqlite3_column_int64(statement, 0));
        else
            t->whole = true;
    }
    int finish = sqlite3_finalize(statement);
    t->whole |= count != t->last - f->position;
    return rc ? rc : finish;
}

static int read_tail(connection *c, const followed *f, tail *t) {
    int rc = read_ends(c, f, t);
    t->whole = t->last < f->position || (t->last > 0 && t->first > f->position + 1);
    if (rc == SQLITE_OK && !t->whole && t->last > f->position)
        rc = read_named(c, f, t);
    for (int64_t i = 0; i < f->dirty.count && rc == SQLITE_OK; i++)
        rc = id_list_add(&t->ids, f->dirty.item[i]);
    id_list_sort(&t->ids);
    return rc;
}

/* ---- reading the whole table ---- */

static graph_ref *mirror_frame(const followed *f) {
    graph_ref *g = sqlite3_malloc(sizeof *g);
    if (!g)
        return NULL;
    memset(g, 0, sizeof *g);
    g->edges = sqlite3_mprintf("\"%w\".\"%w\"", f->schema, f->name);
    g->source_affinity = f->rows.affinity;
    g->direction = f->direction;
    g->weight_column = f->rows.column[2] != NULL;
    if (!g->weight_column)
        g->weight_error = source_without_weight(&f->rows);
    if (g->edges && (g->weight_column || g->weight_error))
        return g;
    graph_free(g);
    return NULL;
}

/* Reads the mirror anew; what base it has is for the caller to settle. */
static int renew(reading *r, followed *f) {
    loaded got;
    graph_ref *g = mirror_frame(f);
    if (!g)
        return SQLITE_NOMEM;
    check_done(r);
    int rc = graph_load(r->c, r->request->function, &f->rows, NULL, TRY_WEIGHTS,
                        r->request->backend, &got, r->error);
    if (rc) {
        graph_free(g);
        return rc;
    }
    g->graph = got.graph;
    g->has_weight = got.has_weight;
    if (got.weight_error)
        g->weight_error = got.weight_error;
    graph_list(r->c, g);
    set_graph(r->c, f, g);
    f->has_real = false;
    return SQLITE_OK;
}

/* ---- one batch ---- */

/* Weights are REAL as long as one of them is: is one known, and not among those that may
** have changed? Looks for another; *found false: there may be none. */
static int find_real(reading *r, followed *f, const id_list *ids, bool *found) {
    *found = gpugraph_weights(f->graph->graph) != GPUGRAPH_REAL_WEIGHTS ||
             gpugraph_edge_count(f->graph->graph) == 0 ||
             (f->has_real && !id_list_has(ids, f->real));
    if (*found)
        return SQLITE_OK;
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf(OWN_SQL "SELECT \"%w\" FROM \"%w\".\"%w\" NOT INDEXED "
                                        "WHERE typeof(\"%w\") = 'real' LIMIT 1",
                                f->rows.table.rowid_name, f->rows.table.schema,
                                f->rows.table.name, f->rows.column[2]);
    int rc = sql ? sqlite3_prepare_v2(r->c->db, sql, -1, &statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        f->real = sqlite3_column_int64(statement, 0);
        f->has_real = *found = true;
    }
    int finish = sqlite3_finalize(statement);
    return rc ? rc : finish;
}

static void drop_searches(graph_ref *g) {
    while (g->searches) {
        search_ref *next = g->searches->next;
        search_free(g->searches);
        g->searches = next;
    }
}

/* The graph to change: the mirror itself, or a copy where a running statement looks at
** it. */
static int writable(connection *c, followed *f, gpugraph_run *run, graph_ref **made) {
    *made = f->graph;
    if (f->graph->references == 0 && f->graph->bindings == 0)
        return SQLITE_OK;
    graph_ref *g = mirror_frame(f);
    if (!g)
        return SQLITE_NOMEM;
    gpugraph_status status = gpugraph_clone(f->graph->graph, run, &g->graph);
    if (status != GPUGRAPH_OK) {
        graph_free(g);
        return code_of_status(status);
    }
    g->has_weight = f->graph->has_weight;
    graph_list(c, g);
    *made = g;
    return SQLITE_OK;
}

/* *done false: the whole table must be read. */
static int apply(reading *r, followed *f, row_changes *changes, bool *done) {
    gpugraph_run run;
    gpugraph_edges added = loader_edges(&changes->added, &changes->texts);
    gpugraph_changes batch = {.removed = changes->removed.item,
                              .removed_count = changes->removed.count,
                              .added = added.count ? &added : NULL};
    graph_ref *g;
    connection_run(r->c, &run);
    *done = true;
    if (batch.removed_count == 0 && !batch.added)
        return SQLITE_OK;
    int rc = writable(r->c, f, &run, &g);
    if (rc)
        return rc;
    gpugraph_status status = gpugraph_update(g->graph, &batch, &run);
    if (status == GPUGRAPH_OK) {
        drop_searches(g);
        set_graph(r->c, f, g);
        return SQLITE_OK;
    }
    if (g != f->graph)
        graph_drop(r->c, g);
    if (status == GPUGRAPH_INTERRUPTED || status == GPUGRAPH_NO_MEMORY)
        return code_of_status(status);
    *done = false;
    return SQLITE_OK;
}

static int change(reading *r, followed *f, const id_list *ids, bool *done) {
    row_changes changes;
    double started = now_ms();
    int rc =
        row_changes_read(r->c, r->request->function, &f->rows, f->graph, ids, &changes);
    timings_add(&r->c->timings, "follow", now_ms() - started, ids->count,
                "rows that the log names, read again");
    *done = false;
    if (rc == SQLITE_OK && !changes.unfit)
        rc = apply(r, f, &changes, done);
    if (rc == SQLITE_OK && *done)
        rc = find_real(r, f, ids, done);
    row_changes_clear(&changes);
    return rc;
}

/* ---- catching up ---- */

/* Rows read one by one cost ten times as much as rows read in order. */
static bool worth_following(const followed *f, int64_t ids) {
    enum { FEW = 64, PART = 8 };
    bool bad_weights = f->graph->weight_column && f->graph->weight_error;
    return !bad_weights && ids <= FEW + gpugraph_edge_count(f->graph->graph) / PART;
}

/* What the table holds now is committed, and the mirror is that. */
static int settle_base(reading *r, followed *f, const tail *t) {
    stamp *base;
    int rc = stamp_retake(r->c, r->hold, &base);
    if (rc) {
        followed_forget(r->c, f);
        return rc;
    }
    stamp_settle(base);
    stamp_free(f->base);
    f->base = base;
    f->position = t->last;
    f->dirty.count = 0;
    return SQLITE_OK;
}

static int renew_because(reading *r, followed *f, const char *why) {
    r->why = why;
    return renew(r, f);
}

/* The mirror differs from the table in the rows of `dirty` alone. */
static int follow_dirty(reading *r, followed *f) {
    bool done = false;
    if (!worth_following(f, f->dirty.count))
        return renew_because(r, f, "more has changed than is worth following");
    r->why = "the log says what has changed";
    check_done(r);
    int rc = change(r, f, &f->dirty, &done);
    return rc || done ? rc : renew_because(r, f, "weights or ids are of other kinds now");
}

/* There is a mirror, and the schema is the same. *found stays NULL: the log does not say
** what has changed, and nothing may be kept of what is read now. */
static int follow_log(reading *r, followed *f, graph_ref **found) {
    tail t = {0};
    bool writing = stamp_writing(r->hold);
    int rc = read_tail(r->c, f, &t);
    if (rc == SQLITE_OK && t.whole && !writing) {
        rc = renew_because(r, f, "the log does not say all that has changed");
    } else if (rc == SQLITE_OK && !t.whole) {
        id_list before = f->dirty; /* all of it is among t.ids */
        f->dirty = t.ids;
        t.ids = before;
        rc = follow_dirty(r, f);
    }
    if (rc == SQLITE_OK && !writing)
        rc = settle_base(r, f, &t);
    if (rc == SQLITE_OK && !(t.whole && writing))
        *found = f->graph;
    id_list_clear(&t.ids);
    return rc;
}

/* The mirror as it was kept in the file, with its position; f->graph stays NULL where
** there is none to rely on. */
static int load_blocks(reading *r, followed *f) {
    gpugraph_graph *graph;
    int rc = blocks_read(r->c, f->schema, f->name, &graph, &f->position);
    if (rc || !graph)
        return rc;
    bool weighted = gpugraph_weights(graph) != GPUGRAPH_UNWEIGHTED;
    graph_ref *g = mirror_frame(f);
    if (!g || (gpugraph_edge_count(graph) > 0 && weighted != g->weight_column)) {
        gpugraph_free(graph);
        if (g)
            graph_free(g);
        return g ? SQLITE_OK : SQLITE_NOMEM;
    }
    g->graph = graph;
    g->has_weight = g->weight_column;
    graph_list(r->c, g);
    set_graph(r->c, f, g);
    return SQLITE_OK;
}

static int begin_mirror(reading *r, followed *f, graph_ref **found) {
    tail t = {0};
    int rc = f->persist ? load_blocks(r, f) : SQLITE_OK;
    if (rc == SQLITE_OK && f->graph) { /* a committed state: go on from there */
        rc = follow_log(r, f, found);
        if (rc)
            followed_forget(r->c, f);
        return rc;
    }
    if (rc == SQLITE_OK)
        rc = read_ends(r->c, f, &t);
    if (rc == SQLITE_OK)
        rc = renew_because(r, f, "the graph has not been read since the schema changed");
    if (rc == SQLITE_OK)
        rc = settle_base(r, f, &t);
    *found = rc == SQLITE_OK ? f->graph : NULL;
    return rc;
}

static int catch_up(reading *r, followed *f, graph_ref **found) {
    int rc = SQLITE_OK;
    if (!stamp_trusted(r->c, r->hold))
        return SQLITE_OK;
    if (f->graph && stamp_compare(f->base, r->hold) == STAMP_SAME &&
        f->dirty.count == 0) {
        r->why = "the graph is current";
        check_done(r);
        *found = f->graph;
    } else if (f->graph) {
        rc = follow_log(r, f, found);
    } else if (!stamp_writing(r->hold)) {
        rc = begin_mirror(r, f, found);
    }
    if (rc && !*r->error)
        return explain_lock(r, rc, f->name);
    return rc;
}

static int add_alias(reading *r, followed *f) {
    struct alias *a = &f->alias[f->next_alias];
    f->next_alias = (f->next_alias + 1) % ALIASES;
    sqlite3_free(a->text);
    stamp_free(a->stamp);
    a->text = sqlite3_mprintf("%.*s", r->request->edges_bytes, r->request->edges);
    a->stamp = NULL;
    int rc = a->text ? stamp_retake(r->c, r->hold, &a->stamp) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        stamp_settle(a->stamp);
    return rc;
}

/* Takes the table over from the reading. */
static int take_table(reading *r, followed *f) {
    row_source_clear(&f->rows);
    f->rows = r->edges;
    memset(&r->edges, 0, sizeof r->edges);
    f->direction = r->follow->direction;
    f->persist = r->follow->persist;
    sqlite3_free(f->log);
    f->log = sqlite3_mprintf("%s", r->follow->log);
    return f->log ? SQLITE_OK : SQLITE_NOMEM;
}

int followed_catch_up(reading *r, graph_ref **found) {
    followed *f = followed_of(r->c, r->follow->schema, r->follow->name);
    if (!f)
        return SQLITE_NOMEM;
    if (r->follow->trouble)
        followed_forget(r->c, f);
    if (r->follow->trouble || !r->hold || r->request->vertices)
        return SQLITE_OK;
    if (f->graph && stamp_compare(f->base, r->hold) == STAMP_NEW_SCHEMA)
        followed_forget(r->c, f);
    int rc = take_table(r, f);
    if (rc == SQLITE_OK)
        rc = catch_up(r, f, found);
    if (rc == SQLITE_OK && *found)
        return add_alias(r, f);
    if (rc)
        return rc;
    bool searched = f->rows.searched; /* it is read as if nobody followed it */
    rc = source_resolve(r->c, r->request->function, "edges", r->scope, &r->follow->source,
                        &r->edges, r->error);
    r->edges.searched = searched;
    return rc;
}

/* The graph that these texts have led to, if they still do. */
static struct alias *find_alias(reading *r, followed **of) {
    const graph_request *q = r->request;
    for (followed *f = r->c->followed; f; f = f->next) {
        for (int i = 0; f->graph && i < ALIASES; i++) {
            const char *text = f->alias[i].text;
            *of = f;
            if (text && strlen(text) == (size_t)q->edges_bytes &&
                memcmp(text, q->edges, (size_t)q->edges_bytes) == 0)
                return &f->alias[i];
        }
    }
    return NULL;
}

int followed_find(reading *r, graph_ref **found) {
    followed *f;
    struct alias *a = r->request->vertices ? NULL : find_alias(r, &f);
    if (!a)
        return SQLITE_OK;
    int rc = stamp_retake(r->c, a->stamp, &r->hold);
    if (rc == SQLITE_OK && stamp_same_names(a->stamp, r->hold) &&
        stamp_compare(f->base, r->hold) != STAMP_NEW_SCHEMA)
        rc = catch_up(r, f, found);
    else if (rc == SQLITE_OK || rc == SQLITE_ERROR) { /* the schema is gone, perhaps */
        forget_aliases(f);
        rc = SQLITE_OK;
    }
    if (!*found) {
        stamp_free(r->hold);
        r->hold = NULL;
    }
    return rc == SQLITE_OK || *r->error ? rc : explain_lock(r, rc, r->request->edges);
}

/* ---- names ---- */

/* Takes the whole of r->edges, which names the virtual table, and puts its table there. */
int followed_redirect(reading *r) {
    char *error = NULL;
    bool searched = r->edges.searched;
    if (!r->follow) {
        r->follow = sqlite3_malloc(sizeof *r->follow);
        if (!r->follow)
            return SQLITE_NOMEM;
        memset(r->follow, 0, sizeof *r->follow);
    }
    definition_clear(r->follow);
    int rc = definition_read(r->c->db, r->edges.table.schema, r->edges.table.name,
                             r->follow, &error);
    row_source_clear(&r->edges);
    if (rc == SQLITE_OK)
        rc = source_resolve(r->c, r->request->function, "edges", r->scope,
                            &r->follow->source, &r->edges, r->error);
    else if (error)
        *r->error = sqlite3_mprintf("%s: %s", r->request->function, error);
    r->edges.searched = searched;
    sqlite3_free(error);
    return rc;
}

static char *say(const char *words) {
    return sqlite3_mprintf("%s", words);
}

/* How far the mirror is behind the log. */
static char *distance(connection *c, const followed *f) {
    tail t = {0};
    if (read_ends(c, f, &t) != SQLITE_OK || t.last < f->position ||
        t.first > f->position + 1)
        return say("behind");
    if (t.last == f->position)
        return say(f->dirty.count ? "behind" : "current");
    return sqlite3_mprintf("behind by %lld", t.last - f->position);
}

static char *state_of(connection *c, const char *schema, const char *name) {
    definition d;
    char *error = NULL, *state = NULL;
    if (definition_read(c->db, schema, name, &d, &error) != SQLITE_OK)
        return error ? error : say("not to be read now");
    followed *f = followed_of(c, schema, name);
    stamp *now = NULL;
    if (d.trouble) {
        state = d.trouble;
        d.trouble = NULL;
    } else if (!f || !f->graph) {
        state = say("not loaded");
    } else if (stamp_retake(c, f->base, &now) != SQLITE_OK ||
               stamp_compare(f->base, now) == STAMP_NEW_SCHEMA) {
        state = say("stale");
    } else {
        state = distance(c, f);
    }
    stamp_free(now);
    definition_clear(&d);
    return state;
}

static int list_graph(connection *c, const char *schema, const char *name,
                      void (*each)(void *, const char *, const graph_ref *, const char *),
                      void *context) {
    bool main = sqlite3_stricmp(schema, "main") == 0;
    followed *f = followed_of(c, schema, name);
    char *state = f ? state_of(c, schema, name) : NULL;
    char *shown = sqlite3_mprintf("%s%s%s", main ? "" : schema, main ? "" : ".", name);
    int rc = state && shown ? SQLITE_OK : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        each(context, shown, f->graph, state);
    sqlite3_free(state);
    sqlite3_free(shown);
    return rc;
}

static int list_schema(connection *c, const char *schema,
                       void (*each)(void *, const char *, const graph_ref *,
                                    const char *),
                       void *context) {
    sqlite3_stmt *statement = NULL;
    char *sql =
        sqlite3_mprintf(OWN_SQL "SELECT name FROM \"%w\".sqlite_schema WHERE type "
                                "= 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%%' "
                                "ORDER BY name",
                        schema);
    int rc = sql ? sqlite3_prepare_v2(c->db, sql, -1, &statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        table_info info;
        char *error = NULL;
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        rc = name ? table_find(c->db, schema, name, &info, &error) : SQLITE_NOMEM;
        if (rc == SQLITE_OK && info.kind == 'g')
            rc = list_graph(c, schema, name, each, context);
        if (rc == SQLITE_ERROR) /* of a module that is not loaded */
            rc = SQLITE_OK;
        sqlite3_free(error);
        table_info_clear(&info);
    }
    int finish = sqlite3_finalize(statement);
    return rc ? rc : finish;
}

int followed_list(connection *c,
                  void (*each)(void *context, const char *name, const graph_ref *mirror,
                               const char *state),
                  void *context) {
    const char *schema;
    int rc = SQLITE_OK;
    for (int i = 0; rc == SQLITE_OK && (schema = sqlite3_db_name(c->db, i)) != NULL; i++)
        if (i != 1)
            rc = list_schema(c, schema, each, context);
    return rc;
}
