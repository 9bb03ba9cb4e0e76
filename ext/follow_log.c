/* What the log says: its ends, and which rows it names after a mirror's base.
**
**     seq     1 .. trimmed .. | first .................. position | ........ last |
**                                                  (the base)       ids
**/
#include "follow_mirror.h"
#include "statement.h"

int log_ends(connection *c, const followed *f, tail *t) {
    sqlite3_stmt *statement;
    int rc =
        statement_prepare(c->db, &statement,
                          OWN_SQL "SELECT (SELECT min(seq) FROM \"%w\".\"%w\"), "
                                  "(SELECT max(seq) FROM \"%w\".\"%w\")",
                          f->rows.table.schema, f->log, f->rows.table.schema, f->log);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        t->first = sqlite3_column_int64(statement, 0);
        t->last = sqlite3_column_int64(statement, 1);
    }
    int finish = sqlite3_finalize(statement);
    return rc ? rc : finish;
}

/* What takes an entry of the log in: NULL stands for any edge. */
typedef struct log_reading {
    loader loader;
    tail *t;
} log_reading;

static void take_entry(loader *l, sqlite3_value **value) {
    tail *t = ((log_reading *)l)->t;
    if (sqlite3_value_type(value[0]) == SQLITE_INTEGER)
        l->rc = id_list_add(&t->ids, sqlite3_value_int64(value[0]));
    else
        t->whole = true;
}

static int read_named(connection *c, const followed *f, tail *t) {
    sqlite3_stmt *statement;
    log_reading reading = {.loader = {.c = c,
                                      .function = f->name,
                                      .rows = &f->rows,
                                      .collected = 1,
                                      .take = take_entry},
                           .t = t};
    int rc = statement_prepare(
        c->db, &statement,
        OWN_SQL "SELECT gpugraph_collect(edge) FROM \"%w\".\"%w\" WHERE seq > ?1",
        f->rows.table.schema, f->log);
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, f->position);
        rc = loader_collect(&reading.loader, statement);
        t->whole |= reading.loader.calls != t->last - f->position;
    }
    sqlite3_free(reading.loader.error);
    sqlite3_finalize(statement);
    return rc;
}

int log_tail(connection *c, const followed *f, tail *t) {
    int rc = log_ends(c, f, t);
    t->whole = t->last < f->position || (t->last > 0 && t->first > f->position + 1);
    if (rc == SQLITE_OK && !t->whole && t->last > f->position)
        rc = read_named(c, f, t);
    for (int64_t i = 0; i < f->dirty.count && rc == SQLITE_OK; i++)
        rc = id_list_add(&t->ids, f->dirty.item[i]);
    return rc ? rc : id_list_sort(&t->ids);
}
