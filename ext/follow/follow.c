/* A mirror of a table's edges, and how it catches up.
**
** What is known of a mirror:
**
**     base    a committed state of the table: schema, data version, the latest mark m of
**             the log, last entry
**     recent  rowids that the log names after m, as far as the base knows
**     dirty   rowids; the mirror is the base, except perhaps for these edges
**
** To catch up is to make the mirror equal to the state that this connection sees now: a committed
** one, perhaps with its own uncommitted changes. Let m still be in the log. Then three sets of rows
** hold all differences between mirror and state:
**
**     dirty     between mirror and base
**     recent    between base and the table as it was when m was written
**     logged    between that table and the state: named in the log after m, because log and
**               table are written by the same statements and rolled back together
**
** These rows are read again. Then
**
**     nothing is being written   this state is the base, with the latest mark that it has;
**                                none is dirty
**     a write transaction        the base stays; all rows just read are dirty
**
** so that ROLLBACK and ROLLBACK TO, which leave no trace and let the log's numbers come
** again, need none. What this leans on:
**
** - A mark is random, so what has it has the history before it. A file that is put back in
**   place (cp of an older one over it), and written to since, has other marks or goes on from
**   one that the mirror knows. SQLite must notice that the file is another one: its data
**   version moves.
** - While the schema version and the file's name are the same, the triggers have been there.
**   sqlite3_backup moves that version in its destination; what DETACH has made another file
**   is known by the count of expiries. A database that sqlite3_deserialize may replace has no
**   mirror, nor has what read_uncommitted shows.
** - Uncommitted changes of schema: the mirror is dropped at sight of another schema
**   version, and a new one is begun in a committed state only.
** - The log has no gaps. Writers trim its old end: a mirror from before that is read anew,
**   and so is one whose log has fewer entries than numbers. VACUUM and .dump give entries
**   other numbers, where there is such an old end: then no mark stands where it stood.
**
** Where there is no mirror to catch up, the table is read for the statement alone. */
#include "blocks.h"
#include "mirror.h"
#include <string.h>

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

static void forget_aliases(followed *f) {
    for (int i = 0; i < ALIASES; i++) {
        sqlite3_free(f->alias[i].text);
        stamp_free(f->alias[i].stamp);
    }
    memset(f->alias, 0, sizeof f->alias);
}

void mirror_set(connection *c, followed *f, graph_ref *g) {
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

void followed_forget(connection *c, followed *f) {
    mirror_set(c, f, NULL);
    row_source_clear(&f->rows);
    sqlite3_free(f->log);
    f->log = NULL;
    stamp_free(f->base);
    f->base = NULL;
    id_list_clear(&f->dirty);
    id_list_clear(&f->recent);
    f->mark = (log_mark){0, 0};
    f->has_real = false;
    sqlite3_free(f->judged);
    f->judged = NULL;
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

/* ---- a whole read ---- */

graph_ref *mirror_frame(const followed *f) {
    graph_ref *g = sqlite3_malloc(sizeof *g);
    if (!g)
        return NULL;
    memset(g, 0, sizeof *g);
    g->edges = sqlite3_mprintf("\"%w\".\"%w\"", f->schema, f->name);
    g->source_affinity = f->rows.affinity;
    g->direction = f->direction;
    g->weight_column = f->rows.column[2] != NULL;
    g->weight_unclear = f->rows.weight_unclear;
    if (!g->weight_column)
        g->weight_error = source_without_weight(&f->rows);
    const bool has_ids = source_rowid(&f->rows) != NULL;
    if (!has_ids)
        g->names = edge_names_none();
    if (g->edges && (g->weight_column || g->weight_error) && (has_ids || g->names))
        return g;
    graph_free(g);
    return NULL;
}

int mirror_renew(reading *r, followed *f, const char *why) {
    loaded got;
    graph_ref *g = mirror_frame(f);
    if (!g)
        return SQLITE_NOMEM;
    r->why = why;
    check_done(r);
    int rc =
        graph_load(r->c, r->request, &f->rows, NULL, TRY_WEIGHTS, &got, NULL, r->error);
    if (rc) {
        graph_free(g);
        return rc;
    }
    g->graph = got.graph;
    edge_names_free(g->names);
    g->names = got.names;
    g->half_rows = got.half_rows;
    g->has_weight = got.has_weight;
    if (got.weight_error)
        g->weight_error = got.weight_error;
    graph_list(r->c, g);
    mirror_set(r->c, f, g);
    f->has_real = false;
    return SQLITE_OK;
}

/* ---- catching up ---- */

/* Rows read one by one cost ten times as much as rows read in order. */
static bool worth_following(const followed *f, int64_t ids) {
    enum { FEW = 64, PART = 8 };
    bool bad_weights = f->graph->weight_column && f->graph->weight_error;
    return !bad_weights &&
           ids <= FEW + (int64_t)gpugraph_edge_count(f->graph->graph) / PART;
}

/* What the table holds now is committed, and the mirror is that. */
static int settle_base(reading *r, followed *f, tail *t) {
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
    f->mark = t->mark;
    id_list_clear(&f->recent);
    f->recent = t->recent;
    memset(&t->recent, 0, sizeof t->recent);
    f->dirty.count = 0;
    return SQLITE_OK;
}

/* The mirror differs from the table in the rows of `dirty` alone. */
static int follow_dirty(reading *r, followed *f) {
    bool done = false;
    if (!worth_following(f, f->dirty.count))
        return mirror_renew(r, f, "more has changed than is worth following");
    r->why = "the log says what has changed";
    check_done(r);
    int rc = mirror_change(r, f, &f->dirty, &done);
    return rc || done ? rc : mirror_renew(r, f, "weights or ids are of other kinds now");
}

/* There is a mirror, and the schema is the same. *found stays NULL: the log does not say
** what has changed, and nothing may be kept of what is read now. */
static int follow_log(reading *r, followed *f, graph_ref **found) {
    tail t = {0};
    bool writing = stamp_writing(r->hold);
    int rc = log_tail(r->c, f, &t);
    if (rc == SQLITE_OK && t.whole && !writing) {
        rc = mirror_renew(r, f, "the log does not say all that has changed");
        rc = rc ? rc : log_end(r->c, f, &t);
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
    id_list_clear(&t.recent);
    return rc;
}

/* The mirror as it was kept in the file, with its position; f->graph stays NULL where
** there is none to rely on. */
static int load_blocks(reading *r, followed *f) {
    block_graphs saved;
    int rc = blocks_read(r->c, r->follow, &saved, &f->position, &f->mark);
    gpugraph_graph *graph = saved.graph;
    if (rc || !graph)
        return rc;
    bool weighted = gpugraph_weights(graph) != GPUGRAPH_UNWEIGHTED;
    graph_ref *g = mirror_frame(f);
    if (!g || (gpugraph_edge_count(graph) > 0 && weighted != g->weight_column)) {
        gpugraph_free(graph);
        gpugraph_free(saved.half_rows);
        if (g)
            graph_free(g);
        return g ? SQLITE_OK : SQLITE_NOMEM;
    }
    g->graph = graph;
    g->half_rows = saved.half_rows;
    g->has_weight = g->weight_column;
    graph_list(r->c, g);
    mirror_set(r->c, f, g);
    return SQLITE_OK;
}

static int begin_mirror(reading *r, followed *f, graph_ref **found) {
    tail t = {0};
    int rc = f->persist ? load_blocks(r, f) : SQLITE_OK;
    if (rc == SQLITE_OK && f->graph) { /* a committed state: go on from there */
        rc = follow_log(r, f, found);
    } else {
        if (rc == SQLITE_OK)
            rc = mirror_renew(r, f,
                              "the graph has not been read since the schema changed");
        if (rc == SQLITE_OK)
            rc = log_end(r->c, f, &t);
        if (rc == SQLITE_OK)
            rc = settle_base(r, f, &t);
        id_list_clear(&t.recent);
        *found = rc == SQLITE_OK ? f->graph : NULL;
    }
    if (rc) /* it may have a graph by now, but no base */
        followed_forget(r->c, f);
    return rc;
}

static int catch_up(reading *r, followed *f, graph_ref **found) {
    bool complete = true;
    int rc = SQLITE_OK;
    *found = f->graph ? graph_seen(r->c, r->scope, f->graph->edges) : NULL;
    if (*found)
        return SQLITE_OK;
    if (!stamp_trusted(r->c, r->hold))
        return SQLITE_OK;
    if (f->graph && stamp_compare(f->base, r->hold) == STAMP_SAME &&
        f->dirty.count == 0) {
        r->why = "the graph is current";
        check_done(r);
        *found = f->graph;
    } else if (f->graph) {
        if (stamp_writing(r->hold))
            rc = log_is_complete(r, f, &complete);
        if (rc == SQLITE_OK && complete)
            rc = follow_log(r, f, found);
        r->why = "a statement under way may have written what it has not logged yet";
    } else if (!stamp_writing(r->hold)) {
        rc = begin_mirror(r, f, found);
    }
    if (rc && !*r->error)
        return explain_lock(r, rc, f->name);
    return rc;
}

static int add_alias(reading *r, followed *f) {
    struct alias *a = &f->alias[f->next_alias];
    stamp *now;
    int rc = stamp_retake(r->c, r->hold, &now);
    if (rc)
        return rc;
    stamp_settle(now);
    f->next_alias = (f->next_alias + 1) % ALIASES;
    sqlite3_free(a->text);
    stamp_free(a->stamp);
    a->text = sqlite3_mprintf("%.*s", r->request->edges_bytes, r->request->edges);
    a->stamp = now;
    return a->text ? SQLITE_OK : SQLITE_NOMEM;
}

/* Takes the table over from the reading; without memory f stays what it is. */
static int take_table(reading *r, followed *f) {
    char *log = sqlite3_mprintf("%s", r->follow->log);
    if (!log)
        return SQLITE_NOMEM;
    row_source_clear(&f->rows);
    f->rows = r->edges;
    memset(&r->edges, 0, sizeof r->edges);
    f->direction = r->follow->direction;
    f->persist = r->follow->persist;
    sqlite3_free(f->log);
    f->log = log;
    return SQLITE_OK;
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
    rc = definition_resolve(r->c, r->request->function, r->scope, r->follow, &r->edges,
                            r->error);
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
    struct alias *a =
        r->request->vertices || r->request->params ? NULL : find_alias(r, &f);
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
        rc = definition_resolve(r->c, r->request->function, r->scope, r->follow,
                                &r->edges, r->error);
    else if (error)
        *r->error = sqlite3_mprintf("%s: %s", r->request->function, error);
    r->edges.searched = searched;
    sqlite3_free(error);
    return rc;
}
