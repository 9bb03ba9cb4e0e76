/* What the log says: its ends, and which rows it names after a mirror's base.
**
**     seq     1 .. trimmed .. | first ..... mark ..... position | .............. last |
**                                           ~~~~     (the base)
**                                           recent .....
**                                           ids .....................................
**
** What came before a mark is the same wherever that mark is. After it an older file may have
** been put in the place of this one, and other rows may have been written since, under the same
** numbers. So whatever has been named after the mark, here and there, may differ. */
#include "follow_mirror.h"
#include "statement.h"

/* Whoever can write the log can put any numbers there. */
uint64_t log_distance(const tail *t, sqlite3_int64 position) {
    return (uint64_t)t->last - (uint64_t)position;
}

/* After its last number the log has no next one. */
bool log_reaches(const tail *t, sqlite3_int64 position) {
    bool from_there =
        t->first <= position || (uint64_t)t->first - (uint64_t)position == 1;
    return t->last >= position && t->last < INT64_MAX && (t->last == 0 || from_there);
}

int log_ends(connection *c, const followed *f, tail *t) {
    const char *schema = f->rows.table.schema;
    sqlite3_stmt *statement;
    int rc = statement_prepare(
        c->db, &statement,
        OWN_SQL "SELECT e.first, e.last, (SELECT seq FROM \"%w\".\"%w_marks\" WHERE mark "
                "= ?1), m.mark, m.seq FROM (SELECT (SELECT min(seq) FROM \"%w\".\"%w\") "
                "AS first, (SELECT max(seq) FROM \"%w\".\"%w\") AS last) AS e LEFT JOIN "
                "\"%w\".\"%w_marks\" AS m ON m.mark = (SELECT mark FROM "
                "\"%w\".\"%w_marks\" WHERE seq <= ifnull(e.last, 0) ORDER BY seq DESC "
                "LIMIT 1)",
        schema, f->name, schema, f->log, schema, f->log, schema, f->name, schema,
        f->name);
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, f->mark.id);
        rc = sqlite3_step(statement) == SQLITE_ROW ? SQLITE_OK : SQLITE_ERROR;
    }
    if (rc == SQLITE_OK) {
        t->first = sqlite3_column_int64(statement, 0);
        t->last = sqlite3_column_int64(statement, 1);
        t->same_history = f->mark.id != 0 &&
                          sqlite3_column_type(statement, 2) == SQLITE_INTEGER &&
                          sqlite3_column_int64(statement, 2) == f->mark.seq;
        t->mark.id = sqlite3_column_int64(statement, 3);
        t->mark.seq = sqlite3_column_int64(statement, 4);
    }
    int finish = sqlite3_finalize(statement);
    return finish ? finish : rc;
}

/* What takes an entry of the log in: NULL stands for any edge. */
typedef struct log_reading {
    loader loader;
    tail *t;
} log_reading;

static void take_entry(loader *l, sqlite3_value **value) {
    tail *t = ((log_reading *)l)->t;
    sqlite3_int64 edge = sqlite3_value_int64(value[0]);
    if (sqlite3_value_type(value[0]) != SQLITE_INTEGER)
        t->whole = true;
    else
        l->rc = id_list_add(&t->ids, edge);
    if (l->rc == SQLITE_OK && sqlite3_value_int64(value[1]) > t->mark.seq)
        l->rc = id_list_add(&t->recent, edge);
}

/* The entries after that one. */
static int read_named(connection *c, const followed *f, sqlite3_int64 position, tail *t) {
    sqlite3_stmt *statement;
    log_reading reading = {.loader = {.c = c,
                                      .function = f->name,
                                      .rows = &f->rows,
                                      .collected = 2,
                                      .take = take_entry},
                           .t = t};
    int rc = statement_prepare(
        c->db, &statement,
        OWN_SQL "SELECT gpugraph_collect(edge, seq) FROM \"%w\".\"%w\" WHERE seq > ?1",
        f->rows.table.schema, f->log);
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, position);
        rc = loader_collect(&reading.loader, statement);
        t->whole |= (uint64_t)reading.loader.calls != log_distance(t, position);
    }
    sqlite3_free(reading.loader.error);
    sqlite3_finalize(statement);
    return rc;
}

int log_recent(connection *c, const followed *f, tail *t) {
    tail after = {.first = t->first, .last = t->last, .mark = t->mark};
    int rc = t->mark.id && log_reaches(t, t->mark.seq)
                 ? read_named(c, f, t->mark.seq, &after)
                 : SQLITE_OK;
    if (after.whole)
        t->mark.id = 0; /* there is no telling what has changed after it */
    id_list_clear(&t->recent);
    id_list_clear(&after.ids);
    t->recent = after.recent;
    return rc;
}

static int add_all(id_list *to, const id_list *from) {
    int rc = SQLITE_OK;
    for (int64_t i = 0; i < from->count && rc == SQLITE_OK; i++)
        rc = id_list_add(to, from->item[i]);
    return rc;
}

int log_tail(connection *c, const followed *f, tail *t) {
    int rc = log_ends(c, f, t);
    t->whole = !t->same_history || t->last < f->position || !log_reaches(t, f->mark.seq);
    if (rc == SQLITE_OK && !t->whole && t->last > f->mark.seq)
        rc = read_named(c, f, f->mark.seq, t);
    if (rc == SQLITE_OK)
        rc = add_all(&t->ids, &f->dirty);
    if (rc == SQLITE_OK)
        rc = add_all(&t->ids, &f->recent);
    return rc ? rc : id_list_sort(&t->ids);
}
