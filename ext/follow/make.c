/* Makes, drops and renames what a followed graph has in the database (schema.c draws
** it). */
#include "blocks.h"
#include "sql.h"
#include "base/statement.h"
#include <stdarg.h>
#include <string.h>

/* ---- making ---- */

static int explain(char **error, int rc, const char *what) {
    if (rc == SQLITE_OK || rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT)
        return rc;
    char *sentence =
        sqlite3_mprintf("%s: %s", what, *error ? *error : sqlite3_errstr(rc));
    sqlite3_free(*error);
    *error = sentence;
    return sentence ? rc : SQLITE_NOMEM;
}

static int make_triggers(sqlite3 *db, definition *d, char **error) {
    trigger_list needed;
    int rc = follow_triggers(db, d, &needed, error);
    for (int i = 0; i < needed.count && rc == SQLITE_OK; i++)
        rc = statement_execute(db, error, "%s", needed.item[i].sql);
    trigger_list_clear(&needed);
    return explain(error, rc, "gpugraph: a trigger of the graph cannot be made");
}

/* Checks that the table can be followed from the graph's schema. */
static int check_place(const char *schema, const char *name, const edge_source *source,
                       char **error) {
    if (sqlite3_stricmp(schema, "temp") == 0)
        *error =
            sqlite3_mprintf("gpugraph: a graph cannot be TEMP, because TEMP triggers "
                            "see the writes of one connection only; "
                            "make %s in the schema of its table",
                            name);
    else if (source->schema && sqlite3_stricmp(source->schema, schema) != 0) {
        char *typed = table_as_sql(source->schema, name);
        if (typed)
            *error =
                sqlite3_mprintf("gpugraph: a graph lives in the schema of its table; "
                                "write CREATE VIRTUAL TABLE %s, or follow a table of "
                                "%s",
                                typed, schema);
        sqlite3_free(typed);
    } else
        return SQLITE_OK;
    return *error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Lists the tables that could be followed, without the graph, which is half made. */
static int list_tables(sqlite3 *db, const char *schema, sqlite3_str *list,
                       nearest *near) {
    sqlite3_stmt *statement = NULL;
    int count = 0;
    int rc = statement_prepare(
        db, &statement,
        OWN_SQL "SELECT name FROM pragma_table_list WHERE schema = %Q COLLATE NOCASE AND "
                "type = 'table' ORDER BY name",
        schema);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        if (!name)
            rc = SQLITE_NOMEM;
        else if (table_is_of_user(db, schema, name))
            rc = name_list_add_table(list, count++, NULL, name, near);
    }
    name_list_end(list, count);
    return statement_end(statement, rc);
}

static int no_table(sqlite3 *db, const definition *d, char **error) {
    sqlite3_str *list = sqlite3_str_new(NULL);
    nearest near = {.given = d->source.table};
    int rc = list_tables(db, d->schema, list, &near);
    char *sentence =
        sqlite3_mprintf("gpugraph: there is no table or view '%s' in %s to follow",
                        d->source.table, d->schema);
    sentence = say_with_names(sentence, &near, "tables there", list);
    if (rc == SQLITE_OK) {
        *error = sentence;
        return sentence ? SQLITE_ERROR : SQLITE_NOMEM;
    }
    sqlite3_free(sentence);
    return rc;
}

/* Checks that the name exists and is not the graph itself. */
static int check_table(sqlite3 *db, const definition *d, char **error) {
    sqlite3_stmt *statement = NULL;
    int rc = statement_prepare(db, &statement, OWN_SQL "PRAGMA \"%w\".table_list(%Q)",
                               d->schema, d->source.table);
    bool there = rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW &&
                 sqlite3_stricmp(d->source.table, d->name) != 0;
    rc = statement_end(statement, rc);
    return rc || there ? rc : no_table(db, d, error);
}

/* The name of a column; NULL: none. If a reverse weight follows the rowid, the rowid has
** a name, too. */
static const char *column_name(const row_source *rows, int i) {
    return i == EDGE_ID_COLUMN && rows->column[REVERSE_COLUMN] && !rows->column[i]
               ? source_row_name(rows)
               : rows->column[i];
}

/* Rows with a reverse weight are identified by an edge id. The sentence proposes any
** further column. */
static int check_edge_id(const row_source *rows, char **error) {
    const table_info *table = &rows->table;
    const char *id = rows->column[SOURCE_COLUMN];
    if (!rows->column[REVERSE_COLUMN] || column_name(rows, EDGE_ID_COLUMN))
        return SQLITE_OK;
    for (int i = table->columns - 1; i >= 0; i--) {
        bool further = true;
        for (int k = 0; k < EDGE_COLUMNS; k++)
            further &= table->column[i] != rows->column[k];
        id = further ? table->column[i] : id;
    }
    const char *const column[] = {
        rows->column[SOURCE_COLUMN], rows->column[TARGET_COLUMN],
        rows->column[WEIGHT_COLUMN], id, rows->column[REVERSE_COLUMN]};
    char *typed = source_as_typed(rows, column, EDGE_COLUMNS);
    *error =
        typed ? sqlite3_mprintf("gpugraph: %s has no rowid, and a graph with a reverse "
                                "weight needs an edge id; name the columns, as in %Q",
                                rows->name, typed)
              : NULL;
    sqlite3_free(typed);
    return *error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Sets the columns' names as the table has them; columns that are not given are found by
** name. */
static int settle_columns(connection *c, definition *d, char **error) {
    static const char *const kinds[] = {"a view", "a virtual table", "a graph"};
    const char letters[] = "vxg", *letter;
    row_source rows;
    scope none = {0};
    int rc = source_resolve(c, "gpugraph", "edges", &none, &d->source, &rows, error);
    if (rc) {
        row_source_clear(&rows);
        return rc;
    }
    letter = strchr(letters, rows.kind);
    if (letter) {
        rc = fail_with(error,
                       "gpugraph: %s is %s, which has no triggers that log "
                       "its changes; follow the table beneath it, or give its "
                       "name to the search itself",
                       rows.name, kinds[letter - letters]);
    }
    if (rc == SQLITE_OK)
        rc = check_edge_id(&rows, error);
    d->source.columns = 0;
    for (int i = 0; i < EDGE_COLUMNS && rc == SQLITE_OK; i++) {
        const char *name = column_name(&rows, i);
        sqlite3_free(d->source.column[i]);
        d->source.column[i] = name ? sqlite3_mprintf("%s", name) : NULL;
        if (name && !d->source.column[i])
            rc = SQLITE_NOMEM;
        if (name)
            d->source.columns = i + 1;
    }
    sqlite3_free(d->source.table);
    d->source.table = sqlite3_mprintf("%s", rows.table.name);
    row_source_clear(&rows);
    return d->source.table ? rc : SQLITE_NOMEM;
}

/* Takes over `sql`. */
static int make_table(sqlite3 *db, char *sql, const char *what, char **error) {
    int rc = sql ? statement_execute(db, error, "%s", sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return explain(error, rc, what);
}

/* Reads the table and writes the packed graph. */
static int make_blocks(connection *c, const definition *d, char **error) {
    scope none = {0};
    row_source rows;
    loaded got = {0}, other = {0};
    const graph_request request = {
        .function = "gpugraph", .backend = -1, .edges_here = true};
    int rc = make_table(c->db, follow_blocks_sql(d),
                        "gpugraph: the blocks of the graph cannot be made", error);
    if (rc == SQLITE_OK)
        rc = make_table(c->db, follow_saved_sql(d),
                        "gpugraph: the blocks of the graph cannot be made", error);
    if (rc)
        return rc;
    rc = definition_resolve(c, "gpugraph", &none, d, &rows, error);
    if (rc == SQLITE_OK)
        rc = graph_load(c, &request, &rows, NULL, READ_WEIGHTS, &got,
                        rows.column[REVERSE_COLUMN] ? &other : NULL, error);
    block_graphs graphs = {{got.graph, got.half_rows, got.row_ids, other.graph,
                            other.half_rows, other.row_ids}};
    if (rc == SQLITE_OK)
        rc = explain(error, blocks_write(c, d, &rows, &graphs, NULL, error),
                     "gpugraph: the packed graph cannot be written");
    loaded_clear(&got);
    loaded_clear(&other);
    row_source_clear(&rows);
    return rc;
}

int follow_create(connection *c, const char *schema, const char *name,
                  graph_arguments *arguments, char **error) {
    definition d;
    *error = NULL;
    int rc = definition_start(&d, schema, name);
    if (rc == SQLITE_OK)
        rc = check_place(schema, name, &arguments->source, error);
    if (rc == SQLITE_OK)
        rc = definition_take(&d, arguments);
    if (rc == SQLITE_OK)
        rc = check_table(c->db, &d, error);
    if (rc == SQLITE_OK)
        rc = settle_columns(c, &d, error);
    if (rc == SQLITE_OK)
        rc = make_table(c->db, follow_log_sql(&d),
                        "gpugraph: the log of the graph cannot be made", error);
    if (rc == SQLITE_OK)
        rc = make_triggers(c->db, &d, error);
    if (rc == SQLITE_OK && d.persist)
        rc = make_blocks(c, &d, error);
    definition_clear(&d);
    return rc;
}

/* ---- dropping ---- */

static int drop_triggers(sqlite3 *db, const char *schema, const char *log, char **error) {
    trigger_list list;
    int rc = present_read(db, schema, log, &list);
    for (int i = 0; i < list.count && rc == SQLITE_OK; i++)
        rc = statement_execute(db, error, "DROP TRIGGER \"%w\".\"%w\"", schema,
                               list.item[i].name);
    trigger_list_clear(&list);
    return rc;
}

int follow_drop(sqlite3 *db, const char *schema, const char *name, bool blocks,
                char **error) {
    char *log = sqlite3_mprintf("%s_log", name);
    int rc = log ? drop_triggers(db, schema, log, error) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = statement_execute(db, error,
                               "DROP TABLE IF EXISTS \"%w\".\"%w\"; DROP TABLE IF EXISTS "
                               "\"%w\".\"%w_marks\"",
                               schema, log, schema, name);
    if (rc == SQLITE_OK && blocks)
        rc = statement_execute(db, error,
                               "DROP TABLE IF EXISTS \"%w\".\"%w_blocks\"; DROP VIEW IF "
                               "EXISTS \"%w\".\"%w_saved\"",
                               schema, name, schema, name);
    sqlite3_free(log);
    return rc;
}

/* ---- renaming ---- */

/* Renames a table of the graph, if it is there. */
static int rename_table(sqlite3 *db, const char *name, const char *suffix,
                        const definition *d, bool *there, char **error) {
    char *table = sqlite3_mprintf("%s_%s", name, suffix);
    if (!table)
        return SQLITE_NOMEM;
    *there = sqlite3_table_column_metadata(db, d->schema, table, NULL, NULL, NULL, NULL,
                                           NULL, NULL) == SQLITE_OK;
    int rc = *there ? statement_execute(db, error,
                                        "ALTER TABLE \"%w\".\"%w\" RENAME TO \"%w_%s\"",
                                        d->schema, table, d->name, suffix)
                    : SQLITE_OK;
    sqlite3_free(table);
    return rc;
}

static int rename_saved(sqlite3 *db, const char *name, const definition *d,
                        char **error) {
    int rc = statement_execute(db, error, "DROP VIEW IF EXISTS \"%w\".\"%w_saved\"",
                               d->schema, name);
    return rc ? rc
              : make_table(db, follow_saved_sql(d),
                           "gpugraph: the blocks of the graph cannot be made", error);
}

/* The triggers are made anew, because an ALTER TABLE inside another one leaves their
** bodies unchanged. */
static int rename_parts(sqlite3 *db, const char *name, const char *log, definition *d,
                        char **error) {
    bool logged = false, marked = false, saved = false;
    int rc = drop_triggers(db, d->schema, log, error);
    if (rc == SQLITE_OK)
        rc = rename_table(db, name, "log", d, &logged, error);
    if (rc == SQLITE_OK)
        rc = rename_table(db, name, "marks", d, &marked, error);
    if (rc == SQLITE_OK && d->persist)
        rc = rename_table(db, name, "blocks", d, &saved, error);
    if (rc == SQLITE_OK && logged && marked)
        rc = make_triggers(db, d, error);
    if (rc == SQLITE_OK && saved)
        rc = rename_saved(db, name, d, error);
    return rc;
}

int follow_rename(sqlite3 *db, const char *schema, const char *name, const char *to,
                  char **error) {
    definition d;
    char *log = sqlite3_mprintf("%s_log", name);
    int rc = definition_start(&d, schema, to);
    if (!log)
        rc = SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = definition_read_renamed(db, log, &d, error);
    if (rc == SQLITE_OK)
        rc = rename_parts(db, name, log, &d, error);
    sqlite3_free(log);
    definition_clear(&d);
    return rc;
}
