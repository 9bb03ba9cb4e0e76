/* From the schema of a table to the triggers that log its changes.
**
**     sql/follow/inserted.sql   ... AFTER INSERT ON {table} BEGIN INSERT INTO {log} ...
**     + a definition            {table} = "roads", {log} = "g_log", {new} = new."rowid"
**     = the trigger             SQL to execute, or to compare with a trigger
**
** SQLite rewrites the text of a trigger when the table or a column is renamed, so texts
** are compared token by token. */
#include "sql.h"
#include "source/source.h"
#include "gpugraph_follow_sql.h"
#include "base/room.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include <string.h>

/* ---- templates ---- */

typedef struct parts {
    const definition *d;
    const char *suffix; /* the end of the trigger's name */
    const char *replaceable;
} parts;

static void append_name(sqlite3_str *sql, const parts *p, const char *suffix) {
    sqlite3_str_appendf(sql, "\"%w_%w\"", p->d->name, suffix);
}

static void append_columns(sqlite3_str *sql, const parts *p) {
    for (int i = 0; i < p->d->source.columns; i++)
        sqlite3_str_appendf(sql, "%snew.\"%w\"", i ? ", " : "", p->d->source.column[i]);
    if (p->d->source.where)
        sqlite3_str_appendf(sql, " FROM \"%w\"", p->d->source.table);
    condition_append(sql, "WHERE 0 AND", p->d->source.where);
    if (p->d->reads)
        sqlite3_str_appendf(sql, " GROUP BY %s", p->d->reads);
}

/* old.rowid or new.rowid; NULL if the table has no rowid. */
static void append_edge(sqlite3_str *sql, const parts *p, const char *row) {
    if (*p->d->rowid)
        sqlite3_str_appendf(sql, "%s.\"%w\"", row, p->d->rowid);
    else
        sqlite3_str_appendall(sql, "NULL");
}

static void append_part(sqlite3_str *sql, const parts *p, const char *name, size_t n) {
    const definition *d = p->d;
    char key[24];
    sqlite3_snprintf(sizeof key, key, "%.*s", (int)n, name);
    if (strcmp(key, "schema") == 0)
        sqlite3_str_appendf(sql, "\"%w\"", d->schema);
    else if (strcmp(key, "table") == 0)
        sqlite3_str_appendf(sql, "\"%w\"", d->source.table);
    else if (strcmp(key, "log") == 0)
        sqlite3_str_appendf(sql, "\"%w\"", d->log);
    else if (strcmp(key, "columns") == 0)
        append_columns(sql, p);
    else if (strcmp(key, "new") == 0 || strcmp(key, "old") == 0)
        append_edge(sql, p, key);
    else if (strcmp(key, "replaceable") == 0)
        sqlite3_str_appendall(sql, p->replaceable);
    else if (strcmp(key, "moves") == 0 && *d->rowid)
        sqlite3_str_appendf(sql, "old.\"%w\" <> new.\"%w\"", d->rowid, d->rowid);
    else if (strcmp(key, "moves") == 0)
        sqlite3_str_appendall(sql, "0");
    else if (strcmp(key, "marks") == 0)
        append_name(sql, p, key);
    else
        append_name(sql, p, p->suffix ? p->suffix : key);
}

static char *expand_sql(const char *template, const parts *p) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    const char *open, *close;
    while ((open = strchr(template, '{')) != NULL &&
           (close = strchr(open, '}')) != NULL) {
        sqlite3_str_append(sql, template, (int)(open - template));
        append_part(sql, p, open + 1, (size_t)(close - open - 1));
        template = close + 1;
    }
    sqlite3_str_appendall(sql, template);
    return sqlite3_str_finish(sql);
}

char *follow_sql(const definition *d, enum follow_part part) {
    static const char *const templates[] = {log_sql, blocks_sql, saved_sql};
    return expand_sql(templates[part], &(parts){.d = d});
}

struct trigger *trigger_list_add(trigger_list *list) {
    if (!room_for_one(&list->item, list->count, &list->room, sizeof *list->item))
        return NULL;
    struct trigger *t = &list->item[list->count++];
    memset(t, 0, sizeof *t);
    return t;
}

static int add_sql(trigger_list *list, const char *template, const parts *p, char *what) {
    struct trigger *t = trigger_list_add(list);
    if (!t) {
        sqlite3_free(what);
        return SQLITE_NOMEM;
    }
    t->sql = expand_sql(template, p);
    t->name = what;
    return t->sql && t->name ? SQLITE_OK : SQLITE_NOMEM;
}

void trigger_list_clear(trigger_list *list) {
    for (int i = 0; i < list->count; i++) {
        sqlite3_free(list->item[i].name);
        sqlite3_free(list->item[i].sql);
        sqlite3_free(list->item[i].table);
    }
    sqlite3_free(list->item);
    memset(list, 0, sizeof *list);
}

/* ---- UNIQUE keys ---- */

/* The statement that lists the rows to be replaced. match NULL: any row may be
** replaced. */
static char *replaceable_rows(const definition *d, const char *match, bool update) {
    if (!match)
        return sqlite3_mprintf("VALUES (NULL)");
    char *self = update ? sqlite3_mprintf(" AND \"%w\" <> old.\"%w\"", d->rowid, d->rowid)
                        : sqlite3_mprintf("");
    char *rows = self ? sqlite3_mprintf("SELECT \"%w\" FROM \"%w\" WHERE %s%s", d->rowid,
                                        d->source.table, match, self)
                      : NULL;
    sqlite3_free(self);
    return rows;
}

/* The two triggers of one key. */
static int add_key(const definition *d, const char *index, int number, const char *match,
                   trigger_list *made) {
    int rc = SQLITE_OK;
    for (int update = 0; update < 2 && rc == SQLITE_OK; update++) {
        char *suffix =
            sqlite3_mprintf("replaced_by_%s_%d", update ? "update" : "insert", number);
        char *rows = replaceable_rows(d, match, update != 0);
        char *what = sqlite3_mprintf("one for rows that %s OR REPLACE deletes by the "
                                     "key %s",
                                     update ? "UPDATE" : "INSERT", index);
        parts p = {.d = d, .suffix = suffix, .replaceable = rows};
        if (suffix && rows) {
            rc = add_sql(made, update ? replaced_update_sql : replaced_insert_sql, &p,
                         what);
        } else {
            sqlite3_free(what);
            rc = SQLITE_NOMEM;
        }
        sqlite3_free(suffix);
        sqlite3_free(rows);
    }
    return rc;
}

static int add_keys(sqlite3 *db, const definition *d, trigger_list *made) {
    sqlite3_stmt *statement;
    int number = 0;
    int rc = statement_prepare(db, &statement, "PRAGMA \"%w\".index_list(%Q)", d->schema,
                               d->source.table);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        if (!sqlite3_column_int(statement, 2))
            continue;
        char *match = NULL;
        rc = key_match(db, d, statement_text(statement, 1),
                       sqlite3_column_int(statement, 4) != 0, &match);
        rc = rc ? rc : add_key(d, statement_text(statement, 1), ++number, match, made);
        sqlite3_free(match);
    }
    return statement_end(statement, rc);
}

/* ---- the triggers of a table ---- */

/* The trigger lists new."open" because ALTER TABLE DROP COLUMN takes a lone "open" for a
** text once the column is dropped. */
static int find_columns_read(sqlite3 *db, definition *d, const table_info *info,
                             char **error) {
    bool *used = NULL;
    int rc = condition_check(db, info, d->source.where, &used, error);
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (int i = 0; i < info->columns && rc == SQLITE_OK; i++)
        if (used[i])
            sqlite3_str_appendf(list, "%snew.\"%w\"",
                                sqlite3_str_length(list) ? ", " : "", info->column[i]);
    rc = rc ? rc : sqlite3_str_errcode(list);
    sqlite3_free(d->reads);
    d->reads = sqlite3_str_finish(list);
    sqlite3_free(used);
    return rc;
}

static int find_columns(sqlite3 *db, definition *d, char **error) {
    table_info info;
    char *fault = NULL;
    int rc = table_find(db, d->schema, d->source.table, &info, &fault);
    sqlite3_free(fault);
    sqlite3_free(d->key);
    d->key = NULL;
    if (rc == SQLITE_OK)
        sqlite3_snprintf(sizeof d->rowid, d->rowid, "%s",
                         info.kind == 't' ? info.rowid_name : "");
    if (rc == SQLITE_OK && info.integer_primary_key >= 0) {
        d->key = sqlite3_mprintf("%s", info.column[info.integer_primary_key]);
        rc = d->key ? SQLITE_OK : SQLITE_NOMEM;
    }
    if (rc == SQLITE_OK && d->source.where)
        rc = find_columns_read(db, d, &info, error);
    table_info_clear(&info);
    return rc;
}

int follow_triggers(sqlite3 *db, definition *d, trigger_list *made, char **error) {
    static const struct {
        const char *template, *suffix;
    } always[] = {{tended_sql, "tended"},
                  {inserted_sql, "inserted"},
                  {deleted_sql, "deleted"},
                  {updated_sql, "updated"},
                  {moved_sql, "moved"}};
    memset(made, 0, sizeof *made);
    int rc = find_columns(db, d, error);
    for (int i = 0; i < COUNT(always) && rc == SQLITE_OK; i++) {
        parts p = {.d = d, .suffix = always[i].suffix};
        rc = add_sql(made, always[i].template, &p,
                     sqlite3_mprintf("%s_%s", d->name, always[i].suffix));
    }
    if (rc == SQLITE_OK && *d->rowid)
        rc = add_keys(db, d, made);
    if (rc)
        trigger_list_clear(made);
    return rc;
}

/* ---- texts of triggers ---- */

static const char *after_name(const char *sql, const char *end) {
    sql_token token;
    const char *at = sql;
    do {
        sql = at;
        at = sql_next(at, end, &token);
    } while (token.kind != SQL_END && !sql_word_is(token.start, token.end, "AFTER") &&
             !sql_word_is(token.start, token.end, "BEFORE"));
    return sql;
}

/* When the column that is the rowid is renamed, ALTER TABLE replaces `rowid` by its name,
** too. */
static bool token_same(const definition *d, const sql_token *a, const sql_token *b) {
    if (a->kind == SQL_END || b->kind == SQL_END)
        return a->kind == b->kind;
    return sql_same_token(a, b) ||
           (d->key && *d->rowid && sql_names(a, d->rowid) && sql_names(b, d->key));
}

bool trigger_same(const definition *d, const char *sql, const char *other) {
    const char *end = sql + strlen(sql), *other_end = other + strlen(other);
    sql_token a, b;
    bool same;
    sql = after_name(sql, end);
    other = after_name(other, other_end);
    do {
        sql = sql_next(sql, end, &a);
        other = sql_next(other, other_end, &b);
        same = token_same(d, &a, &b);
    } while (same && a.kind != SQL_END);
    return same;
}

/* True for graph_inserted, graph_deleted and so on if the log is graph_log. */
static bool has_own_name(const char *name, const char *log) {
    static const char *const suffixes[] = {"inserted", "deleted", "updated",
                                           "moved",    "tended",  "replaced_by_"};
    int start = (int)strlen(log) - 3; /* "graph_" */
    if (sqlite3_strnicmp(name, log, start) != 0)
        return false;
    for (int i = 0; i < COUNT(suffixes); i++)
        if (sqlite3_strnicmp(name + start, suffixes[i], (int)strlen(suffixes[i])) == 0)
            return true;
    return false;
}

bool trigger_is_own(const char *name, const char *sql, const char *log) {
    const char *end = sql + strlen(sql);
    sql_token token;
    bool own = false;
    if (!has_own_name(name, log))
        return false;
    while (!own && (sql = sql_next(sql, end, &token), token.kind != SQL_END))
        own = sql_names(&token, log);
    return own;
}

int trigger_columns(const char *sql, char **column) {
    const char *end = sql + strlen(sql);
    sql_token token;
    int count = 0;
    sql = sql_find_word(sql, end, "SELECT", &token);
    while (count < EDGE_COLUMNS) { /* new . "a" , */
        sql = sql_next(sql, end, &token);
        if (!sql_word_is(token.start, token.end, "NEW"))
            break;
        sql = sql_next(sql, end, &token);
        sql = sql_next(sql, end, &token);
        if (token.kind != SQL_WORD && token.kind != SQL_QUOTED)
            break;
        column[count] = sql_unquote(&token);
        if (!column[count++])
            return -1;
        sql = sql_next(sql, end, &token);
        if (token.kind != SQL_OTHER || *token.start != ',')
            break;
    }
    return count;
}
