/* A mirror of a table's edges, and how it catches up with the table.
**
** A mirror knows:
**
**     base    a committed state of the table: schema, data version, the log's latest mark
**             m and its last entry
**     recent  rowids that the log names after m, as far as the base knows
**     dirty   rowids; the mirror equals the base, except perhaps for these edges
**
** If m is still in the log, three sets of rows hold all differences between the mirror
** and the state that this connection sees: dirty, recent, and the rows that the log names
** after m. The mirror reads these rows again. Then
**
**     no write transaction   this state is the new base, with its latest mark; no row is
**                            dirty
**     a write transaction    the base stays; all rows just read are dirty
**
** So ROLLBACK and ROLLBACK TO, which leave no trace and reuse the log's numbers, need no
** hook. docs/internals/followed_graphs.md has the proof and the facts that it needs. If
** there is no mirror to catch up, the table is read for the statement alone. */
#include "mirror.h"
#include "source/source.h"
#include "base/statement.h"
#include <string.h>

/* ---- the list of mirrors ---- */

static bool is_named(const followed *f, const char *schema, const char *name) {
    return sqlite3_stricmp(f->schema, schema) == 0 && sqlite3_stricmp(f->name, name) == 0;
}

static void mirror_free(connection *c, followed *f) {
    followed_forget(c, f);
    sqlite3_free(f->schema);
    sqlite3_free(f->name);
    sqlite3_free(f->filter);
    sqlite3_free(f);
}

static bool is_looked_at(const graph_ref *g) {
    return g && (g->references > 0 || g->bindings > 0);
}

/* Frees the mirror with a filter whose use is longest ago, if there are too many. */
static void drop_filtered(connection *c) {
    enum { MOST_FILTERED = 16 };
    followed **oldest = NULL;
    unsigned long long used = 0;
    int count = 0;
    for (followed **at = &c->followed; *at; at = &(*at)->next) {
        const followed *f = *at;
        count += f->filter != NULL;
        if (!f->filter || f->catching_up || is_looked_at(f->graph) ||
            is_looked_at(f->both))
            continue;
        if (!oldest || !f->graph || f->graph->used < used) {
            oldest = at;
            used = f->graph ? f->graph->used : 0;
        }
    }
    if (count < MOST_FILTERED || !oldest)
        return;
    followed *f = *oldest;
    *oldest = f->next;
    mirror_free(c, f);
}

followed *followed_filtered(connection *c, const char *schema, const char *name,
                            const char *filter) {
    followed *f = c->followed;
    while (f && !(is_named(f, schema, name) && same_filter(f->filter, filter)))
        f = f->next;
    if (f)
        return f;
    if (filter)
        drop_filtered(c);
    f = sqlite3_malloc(sizeof *f);
    if (!f)
        return NULL;
    memset(f, 0, sizeof *f);
    f->schema = sqlite3_mprintf("%s", schema);
    f->name = sqlite3_mprintf("%s", name);
    f->filter = filter ? sqlite3_mprintf("%s", filter) : NULL;
    if (!f->schema || !f->name || !f->filter != !filter) {
        mirror_free(c, f);
        return NULL;
    }
    f->next = c->followed;
    return c->followed = f;
}

followed *followed_of(connection *c, const char *schema, const char *name) {
    return followed_filtered(c, schema, name, NULL);
}

void followed_forget_name(connection *c, const char *schema, const char *name) {
    for (followed *f = c->followed; f; f = f->next)
        if (is_named(f, schema, name))
            followed_forget(c, f);
}

static void forget_alias(followed *f) {
    sqlite3_free(f->alias);
    stamp_free(f->alias_stamp);
    f->alias = NULL;
    f->alias_stamp = NULL;
}

void followed_forget(connection *c, followed *f) {
    mirror_set(c, f, NULL, NULL);
    row_source_clear(&f->rows);
    sqlite3_free(f->log);
    f->log = NULL;
    stamp_free(f->base);
    f->base = NULL;
    id_list_clear(&f->dirty);
    id_list_clear(&f->recent);
    f->mark = (log_mark){0, 0};
    f->has_real = false;
    forget_alias(f);
}

void followed_free_all(connection *c) {
    while (c->followed) {
        followed *f = c->followed;
        c->followed = f->next;
        mirror_free(c, f);
    }
}

graph_ref *followed_graph(const followed *f, const graph_request *request) {
    const bool undirected =
        request->by_graph ? f->direction == GPUGRAPH_BOTH : request->undirected;
    return f->both && undirected ? f->both : f->graph;
}

graph_ref *followed_other(const followed *f, const graph_ref *graph) {
    return graph == f->graph ? f->both : graph == f->both ? f->graph : NULL;
}

bool followed_is_current(connection *c, const followed *f, sqlite3_stmt **right) {
    return f->graph && f->dirty.count == 0 && stamp_stands(c, f->base, right) &&
           !mirror_is_foreign(f);
}

/* ---- catching up ---- */

/* Rows that are looked up one by one cost ten times as much as rows read in order. */
static bool worth_following(const followed *f, int64_t ids) {
    enum { FEW = 64, PART = 8 };
    bool bad_weights = f->graph->weight_column && f->graph->weight_error;
    return !bad_weights &&
           ids <= FEW + (int64_t)gpugraph_edge_count(f->graph->graph) / PART;
}

/* Returns the graph for the request's direction. The other one is bound to the statement,
** too. */
static graph_ref *found_in(reading *r, const followed *f) {
    graph_ref *g = followed_graph(f, r->request);
    r->twin = followed_other(f, g);
    return g;
}

/* Makes the present state of the table the base: it is committed, and the mirror equals
** it. */
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
    f->may_rejoin = true;
    return SQLITE_OK;
}

/* The weight of a closed direction may be of any type. */
static void append_is_real(sqlite3_str *text, const row_source *rows) {
    const char *weight = rows->column[WEIGHT_COLUMN],
               *reverse = rows->column[REVERSE_COLUMN];
    if (reverse)
        sqlite3_str_appendf(text,
                            "((typeof(\"%w\") = 'real' AND \"%w\" >= 0) OR "
                            "(typeof(\"%w\") = 'real' AND \"%w\" >= 0))",
                            weight, weight, reverse, reverse);
    else
        sqlite3_str_appendf(text, "typeof(\"%w\") = 'real'", weight);
}

/* All weights are REAL while one of them is. Looks for a row that keeps them REAL: the
** row f->real, unless `ids` has it, or another row. *found: there is such a row, or the
** graph needs none because it has no REAL weights or no vertices. A graph without edges
** may have vertices beside NULL ends; their distances are then INTEGERs. */
static int find_real(reading *r, followed *f, const id_list *ids, bool *found) {
    const gpugraph_graph *graph = f->graph->graph;
    bool typed = f->rows.column[REVERSE_COLUMN] && two_ways_are_real(&f->rows) &&
                 gpugraph_edge_count(graph) > 0; /* any stored weight is REAL */
    bool needed = gpugraph_weights(graph) == GPUGRAPH_REAL_WEIGHTS &&
                  gpugraph_vertex_count(graph) > gpugraph_tombstones(graph, NULL) &&
                  !typed;
    f->has_real &= needed && !id_list_has(ids, f->real);
    *found = !needed || f->has_real;
    if (*found)
        return SQLITE_OK;
    sqlite3_stmt *statement = NULL;
    sqlite3_str *text = sqlite3_str_new(r->c->db);
    sqlite3_str_appendf(text,
                        OWN_SQL "SELECT \"%w\" FROM \"%w\".\"%w\" NOT INDEXED WHERE "
                                "\"%w\" IS NOT NULL AND \"%w\" IS NOT NULL AND ",
                        f->rows.table.rowid_name, f->rows.table.schema,
                        f->rows.table.name, f->rows.column[0], f->rows.column[1]);
    append_is_real(text, &f->rows);
    condition_append(text, "AND", f->rows.where);
    condition_append(text, "AND", f->rows.filter);
    sqlite3_str_appendall(text, " LIMIT 1");
    int rc = statement_prepare_text(r->c->db, &statement, text);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        f->real = sqlite3_column_int64(statement, 0);
        f->has_real = *found = true;
    }
    return statement_end(statement, rc);
}

/* Catches up a mirror that differs from the table in the rows of `dirty` alone. */
static int follow_dirty(reading *r, followed *f) {
    bool done = false;
    if (!worth_following(f, f->dirty.count))
        return mirror_renew(r, f, "too many rows have changed to read them one by one");
    r->why = "the log says what has changed";
    check_done(r);
    int rc = mirror_change(r, f, &f->dirty, &done);
    if (rc == SQLITE_OK && done)
        rc = find_real(r, f, &f->dirty, &done);
    const char *why = f->graph && f->graph->shared
                          ? "other connections use the graph without the changes"
                          : "the type of weights or ids has changed";
    return rc || done ? rc : mirror_renew(r, f, why);
}

/* Catches up a mirror whose schema is unchanged, or reads its graph if it has none.
** *found stays NULL if the log does not say what has changed in a write transaction;
** then nothing that is read now may be kept. */
static int follow_log(reading *r, followed *f, graph_ref **found) {
    tail t = {0};
    const bool writing = stamp_writing(r->hold);
    int rc = log_tail(r->c, f, &t);
    t.incomplete |= !f->graph;
    if (rc == SQLITE_OK && t.incomplete && !writing) {
        rc = mirror_renew(r, f,
                          f->graph
                              ? "the log does not have all changes"
                              : "the graph has not been read since the schema changed");
        rc = rc ? rc : log_end(r->c, f, &t);
    } else if (rc == SQLITE_OK && !t.incomplete) {
        id_list before = f->dirty; /* t.ids contains all of them */
        f->dirty = t.ids;
        t.ids = before;
        rc = follow_dirty(r, f);
    }
    if (rc == SQLITE_OK && !writing)
        rc = settle_base(r, f, &t);
    if (rc == SQLITE_OK && !(t.incomplete && writing))
        *found = found_in(r, f);
    id_list_clear(&t.ids);
    id_list_clear(&t.recent);
    return rc;
}

static int catch_up(reading *r, followed *f, graph_ref **found) {
    const bool writing = stamp_writing(r->hold);
    bool complete = !writing;
    int rc = SQLITE_OK;
    *found = f->graph ? graph_seen(r->c, r->scope, f->graph->edges, r->request) : NULL;
    if (*found || !stamp_trusted(r->c, r->hold))
        return SQLITE_OK;
    if (f->graph && stamp_compare(f->base, r->hold) == STAMP_SAME &&
        f->dirty.count == 0) {
        r->why = "the graph is current";
        mirror_rejoin(r, f);
        check_done(r);
        *found = found_in(r, f);
        return SQLITE_OK;
    }
    if (f->graph && writing) {
        r->why = "a running statement may have written rows that it has not logged yet";
        rc = log_is_complete(r, f, &complete);
    } else if (!f->graph && !writing && f->persist) {
        /* the blocks have a committed state, from which the log continues */
        rc = mirror_load_blocks(r, f);
    }
    if (rc == SQLITE_OK && complete)
        rc = follow_log(r, f, found);
    if (rc && !f->base) /* a graph without a base is useless */
        followed_forget(r->c, f);
    return rc && !*r->error ? explain_lock(r, rc, f->name) : rc;
}

/* Calls catch_up. A handler of the host may run SQL meanwhile, and nothing that it does
** frees the mirror. */
static int catch_up_undisturbed(reading *r, followed *f, graph_ref **found) {
    f->catching_up++;
    if (f->graph)
        f->graph->place = NULL;
    int rc = catch_up(r, f, found);
    f->catching_up--;
    if (f->graph && f->catching_up == 0) {
        f->graph->acquired = false;
        if (f->filter && !f->both) /* a mirror of two graphs needs both */
            f->graph->place = &f->graph;
    }
    return rc;
}

static int set_alias(reading *r, followed *f) {
    forget_alias(f);
    int rc = stamp_retake(r->c, r->hold, &f->alias_stamp);
    if (rc)
        return rc;
    stamp_settle(f->alias_stamp);
    f->alias = sqlite3_mprintf("%.*s", r->request->edges_bytes, r->request->edges);
    return f->alias ? SQLITE_OK : SQLITE_NOMEM;
}

/* Takes over the table from the reading. Without memory f is unchanged. */
static int take_table_of_follow(reading *r, followed *f) {
    char *log = sqlite3_mprintf("%s", r->follow->log);
    if (!log)
        return SQLITE_NOMEM;
    row_source_clear(&f->rows);
    f->rows = r->edges;
    memset(&r->edges, 0, sizeof r->edges);
    f->direction = r->follow->direction;
    f->persist = r->follow->persist && !f->filter;
    sqlite3_free(f->log);
    f->log = log;
    return SQLITE_OK;
}

int followed_catch_up(reading *r, graph_ref **found) {
    followed *f =
        followed_filtered(r->c, r->follow->schema, r->follow->name, r->request->filter);
    if (!f)
        return SQLITE_NOMEM;
    if (r->follow->trouble)
        followed_forget(r->c, f);
    if (r->follow->trouble || !r->hold || r->request->vertices)
        return SQLITE_OK;
    if (f->graph &&
        (stamp_compare(f->base, r->hold) == STAMP_NEW_SCHEMA || mirror_is_foreign(f)))
        followed_forget(r->c, f);
    int rc = take_table_of_follow(r, f);
    rc = rc ? rc : catch_up_undisturbed(r, f, found);
    if (rc == SQLITE_OK && *found)
        return set_alias(r, f);
    if (rc)
        return rc;
    bool searched = f->rows.searched; /* the table is read as if it were not followed */
    rc = definition_resolve(r->c, r->request->function, r->scope, r->follow, &r->edges,
                            r->error);
    r->edges.searched = searched;
    return rc;
}

/* The mirror that this text has led to before; NULL: none. */
static followed *find_alias(const reading *r) {
    const graph_request *q = r->request;
    followed *f = q->vertices || q->params ? NULL : r->c->followed;
    while (f && !(f->graph && same_filter(f->filter, q->filter) && f->alias &&
                  strlen(f->alias) == (size_t)q->edges_bytes &&
                  memcmp(f->alias, q->edges, (size_t)q->edges_bytes) == 0))
        f = f->next;
    return f;
}

int followed_find(reading *r, graph_ref **found) {
    followed *f = find_alias(r);
    if (f && mirror_is_foreign(f)) {
        followed_forget(r->c, f);
        f = NULL;
    }
    if (!f)
        return SQLITE_OK;
    int rc = stamp_retake(r->c, f->alias_stamp, &r->hold);
    if (rc == SQLITE_OK && stamp_same_names(f->alias_stamp, r->hold) &&
        stamp_compare(f->base, r->hold) != STAMP_NEW_SCHEMA)
        rc = catch_up_undisturbed(r, f, found);
    else if (rc == SQLITE_OK || rc == SQLITE_ERROR) { /* the schema may be detached */
        forget_alias(f);
        rc = SQLITE_OK;
    }
    if (!*found) {
        stamp_free(r->hold);
        r->hold = NULL;
    }
    return rc == SQLITE_OK || *r->error ? rc : explain_lock(r, rc, r->request->edges);
}

/* ---- names ---- */

/* Replaces r->edges, which names the virtual table, by the table that it follows. */
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
    if (rc == SQLITE_OK && r->edges_text.filter) {
        r->follow->source.filter = sqlite3_mprintf("%s", r->edges_text.filter);
        rc = r->follow->source.filter ? SQLITE_OK : SQLITE_NOMEM;
    }
    if (rc == SQLITE_OK)
        rc = definition_resolve(r->c, r->request->function, r->scope, r->follow,
                                &r->edges, r->error);
    else if (error)
        rc = explain_fault(r, rc, error);
    r->edges.searched = searched;
    return rc;
}
