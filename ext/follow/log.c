/* Reads the log: the rowids that follow a mirror's base, the latest mark, and how far a
** mirror is behind the end of the log.
**
**     rowid   trimmed .. | ..... mark ...... position | ....... mark ....... last |
**                                ~~~~~~~~~~~ (the base)
**                                recent
**                                ids ............................................
**                                                                   recent of last
**
** If an entry has the same mark in two histories, they are equal before that entry. Later
** entries may differ: an older copy may have replaced the file, and new entries then use
** old numbers. So every row that either history names after the mark may differ.
**
** While a statement writes, the log may still lack some of its changes:
**
**     DELETE of a row    the row is deleted
**                          foreign keys: rows that refer to it are deleted, and their
**                          triggers fire
**                          RETURNING
**                          triggers, TEMP ones and the latest first ... the log's trigger
**
** So a call from one of these places must read the table. A call from the text of the
** statement itself happens between two rows, when the log is complete. */
#include "mirror.h"
#include "base/program.h"
#include "base/statement.h"
#include <stdlib.h>
#include <string.h>

/* ---- entries ---- */

/* The number of entries after the position. The difference is unsigned because any writer
** of the log can store any numbers. */
static uint64_t log_distance(sqlite3_int64 position, sqlite3_int64 last) {
    return (uint64_t)last - (uint64_t)position;
}

/* Reads one row of integers. Without a row, `number` keeps its values. */
static int read_numbers(sqlite3_stmt *statement, int count, sqlite3_int64 *number) {
    if (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < count; i++)
            number[i] = sqlite3_column_int64(statement, i);
    return sqlite3_finalize(statement);
}

int log_latest_mark(sqlite3 *db, const char *schema, const char *log, log_mark *mark) {
    sqlite3_stmt *statement;
    sqlite3_int64 number[2] = {0, 0};
    int rc =
        statement_prepare(db, &statement,
                          OWN_SQL "SELECT mark, rowid FROM \"%w\".\"%w\" WHERE mark IS "
                                  "NOT NULL ORDER BY rowid DESC LIMIT 1",
                          schema, log);
    rc = rc ? rc : read_numbers(statement, 2, number);
    *mark = (log_mark){number[0], number[1]};
    return rc;
}

/* The loader that takes in entries of the log. */
typedef struct log_reading {
    loader loader;
    log_mark from;
    tail *t;
} log_reading;

static int take_named(tail *t, sqlite3_int64 at, sqlite3_int64 edge) {
    int rc = id_list_add(&t->ids, edge);
    return rc == SQLITE_OK && at > t->mark.seq ? id_list_add(&t->recent, edge) : rc;
}

/* Entries come in ascending order or, under PRAGMA reverse_unordered_selects, descending.
** The entries read before a mark are older than the mark only in ascending order, when
** the mark's number is the largest so far. */
static void take_mark(tail *t, sqlite3_int64 at, sqlite3_int64 id) {
    if (at <= t->mark.seq || !id)
        return;
    t->mark = (log_mark){id, at};
    if (at > t->last)
        t->recent.count = 0;
}

static void take_entry(loader *l, sqlite3_value **value) {
    const log_reading *reading = (log_reading *)l;
    tail *t = reading->t;
    sqlite3_int64 at = sqlite3_value_int64(value[1]), id = sqlite3_value_int64(value[2]);
    if (at == reading->from.seq) {
        t->same_history = id == reading->from.id;
    } else {
        take_mark(t, at, id);
        if (sqlite3_value_type(value[0]) != SQLITE_INTEGER)
            t->incomplete = true;
        else
            l->rc = take_named(t, at, sqlite3_value_int64(value[0]));
    }
    t->last = at > t->last ? at : t->last;
}

/* Reads the entries from `mark` on. Sets t->incomplete if the mark's entry is missing or
** has another mark, an edge is no INTEGER, the last number is the largest possible one,
** or the log has gaps. */
static int read_from(connection *c, const followed *f, log_mark mark, tail *t) {
    sqlite3_stmt *statement;
    log_reading reading = {.loader = {.c = c,
                                      .function = f->name,
                                      .rows = &f->rows,
                                      .collected = 3,
                                      .take = take_entry},
                           .from = mark,
                           .t = t};
    t->mark = mark;
    t->last = mark.seq;
    int rc = statement_prepare(
        c->db, &statement,
        OWN_SQL
        "SELECT gpugraph_collect(edge, rowid, mark) FROM \"%w\".\"%w\" WHERE rowid >= ?1",
        f->rows.table.schema, f->log);
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, mark.seq);
        rc = loader_collect(&reading.loader, statement);
    }
    t->incomplete |=
        !t->same_history || t->last == INT64_MAX ||
        (uint64_t)reading.loader.calls != log_distance(mark.seq, t->last) + 1;
    sqlite3_free(reading.loader.error);
    sqlite3_finalize(statement);
    return rc;
}

int log_end(connection *c, const followed *f, tail *t) {
    log_mark latest;
    tail after = {0};
    int rc = log_latest_mark(c->db, f->rows.table.schema, f->log, &latest);
    if (rc == SQLITE_OK && latest.id)
        rc = read_from(c, f, latest, &after);
    if (after.incomplete)
        after.mark.id = 0; /* the changes after the mark are unknown */
    id_list_clear(&after.ids);
    id_list_clear(&t->recent);
    t->recent = after.recent;
    t->mark = after.mark;
    t->last = after.last;
    return rc;
}

static int add_all(id_list *to, const id_list *from) {
    int rc = SQLITE_OK;
    for (int64_t i = 0; i < from->count && rc == SQLITE_OK; i++)
        rc = id_list_add(to, from->item[i]);
    return rc;
}

int log_tail(connection *c, const followed *f, tail *t) {
    int rc = f->mark.id ? read_from(c, f, f->mark, t) : SQLITE_OK;
    t->incomplete |= !f->mark.id || t->last < f->position;
    rc = rc ? rc : add_all(&t->ids, &f->dirty);
    rc = rc ? rc : add_all(&t->ids, &f->recent);
    return rc ? rc : id_list_sort(&t->ids);
}

/* ---- has every statement logged its writes? ---- */

static int judge_writer(reading *r, const followed *f, sqlite3_stmt *statement,
                        bool *complete) {
    const bool returning = sqlite3_column_count(statement) > 0;
    if (programs_begun(statement) == 1 && !returning)
        return SQLITE_OK;
    const bool alone = r->scope->count == 1 && !r->scope->overflow;
    program p;
    int rc = program_read(r->c->db, sqlite3_sql(statement), f->rows.table.schema,
                          f->rows.table.name, &p);
    *complete &= !p.writes || (alone && !returning && !p.triggers_call);
    return rc;
}

int log_is_complete(reading *r, const followed *f, bool *complete) {
    sqlite3_stmt *statement = NULL;
    int rc = SQLITE_OK;
    *complete = true;
    while (rc == SQLITE_OK && *complete &&
           (statement = sqlite3_next_stmt(r->c->db, statement)) != NULL)
        if (is_executing(statement) && !sqlite3_stmt_readonly(statement))
            rc = judge_writer(r, f, statement, complete);
    return rc;
}

/* ---- the states for gpugraph_graphs ---- */

/* How far the mirror is behind the log's end, in words. */
static char *distance(connection *c, const followed *f) {
    sqlite3_stmt *statement;
    sqlite3_int64 number[2] = {0, 0}; /* the last entry, the entry of the base's mark */
    int rc = statement_prepare(
        c->db, &statement,
        OWN_SQL "SELECT max(rowid), (SELECT mark FROM \"%w\".\"%w\" WHERE rowid = "
                "%lld) FROM \"%w\".\"%w\"",
        f->rows.table.schema, f->log, f->mark.seq, f->rows.table.schema, f->log);
    rc = rc ? rc : read_numbers(statement, 2, number);
    if (rc || !f->mark.id || number[1] != f->mark.id || number[0] < f->position)
        return sqlite3_mprintf("behind");
    if (number[0] == f->position)
        return sqlite3_mprintf(f->dirty.count ? "behind" : "current");
    return sqlite3_mprintf("behind by %llu",
                           (unsigned long long)log_distance(f->position, number[0]));
}

static char *state_of(connection *c, const followed *f, const char *schema,
                      const char *name) {
    definition d;
    char *error = NULL, *state = NULL;
    if (definition_read(c->db, schema, name, &d, &error) != SQLITE_OK)
        return error ? error : sqlite3_mprintf("cannot be read now");
    stamp *now = NULL;
    if (d.trouble) {
        state = d.trouble;
        d.trouble = NULL;
    } else if (!f || !f->graph) {
        state = sqlite3_mprintf("not loaded");
    } else if (stamp_retake(c, f->base, &now) != SQLITE_OK ||
               stamp_compare(f->base, now) == STAMP_NEW_SCHEMA) {
        state = sqlite3_mprintf("stale");
    } else {
        state = distance(c, f);
    }
    stamp_free(now);
    definition_clear(&d);
    return state;
}

static int list_mirror(connection *c, const followed *f, const char *schema,
                       const char *name, followed_visit *each, void *context) {
    const graph_request request = {.by_graph = true};
    bool main = sqlite3_stricmp(schema, "main") == 0;
    char *state = state_of(c, f, schema, name);
    char *shown = sqlite3_mprintf("%s%s%s%s%s", main ? "" : schema, main ? "" : ".", name,
                                  f->filter ? " WHERE " : "", f->filter ? f->filter : "");
    int rc = state && shown ? SQLITE_OK : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        each(context, shown, followed_graph(f, &request),
             followed_other(f, followed_graph(f, &request)), state);
    sqlite3_free(state);
    sqlite3_free(shown);
    return rc;
}

/* Lists the mirror without a filter, loaded or not, and the loaded mirrors with one. */
static int list_graph(connection *c, const char *schema, const char *name,
                      followed_visit *each, void *context) {
    const followed *base = followed_of(c, schema, name);
    int rc = base ? list_mirror(c, base, schema, name, each, context) : SQLITE_NOMEM;
    for (const followed *f = c->followed; f && rc == SQLITE_OK; f = f->next)
        if (f->filter && f->graph && sqlite3_stricmp(f->schema, schema) == 0 &&
            sqlite3_stricmp(f->name, name) == 0)
            rc = list_mirror(c, f, schema, name, each, context);
    return rc;
}

static int list_schema(connection *c, const char *schema, followed_visit *each,
                       void *context) {
    sqlite3_stmt *statement = NULL;
    int rc = statement_prepare(c->db, &statement,
                               OWN_SQL "SELECT name FROM \"%w\".sqlite_schema WHERE type "
                                       "= 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%%' "
                                       "ORDER BY name",
                               schema);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        table_info info;
        char *error = NULL;
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        rc = name ? table_find(c->db, schema, name, &info, &error) : SQLITE_NOMEM;
        if (rc == SQLITE_OK && info.kind == 'g')
            rc = list_graph(c, schema, name, each, context);
        if (rc == SQLITE_ERROR) /* a virtual table of a module that is not loaded */
            rc = SQLITE_OK;
        sqlite3_free(error);
        table_info_clear(&info);
    }
    return statement_end(statement, rc);
}

int followed_list(connection *c, followed_visit *each, void *context) {
    const char *schema;
    int rc = SQLITE_OK;
    for (int i = 0; rc == SQLITE_OK && (schema = sqlite3_db_name(c->db, i)) != NULL; i++)
        if (i != 1)
            rc = list_schema(c, schema, each, context);
    return rc;
}
