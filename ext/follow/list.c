/* What gpugraph_graphs says of followed graphs, those that are not loaded included. */
#include "mirror.h"

static char *say(const char *words) {
    return sqlite3_mprintf("%s", words);
}

/* How far the mirror is behind the log. */
static char *distance(connection *c, const followed *f) {
    sqlite3_int64 last;
    bool same_history;
    if (log_last(c, f, &last, &same_history) != SQLITE_OK || !same_history ||
        last < f->position)
        return say("behind");
    if (last == f->position)
        return say(f->dirty.count ? "behind" : "current");
    return sqlite3_mprintf("behind by %llu",
                           (unsigned long long)log_distance(f->position, last));
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
