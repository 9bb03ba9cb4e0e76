/* Makes, drops and renames what a followed graph has in the database (schema.c draws
** it). */
#include "sql.h"
#include "base/statement.h"
#include <stdarg.h>
#include <string.h>

/* ---- making ---- */

static int explain(char **error, int rc, const char *what) {
    if (rc == SQLITE_OK || rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT)
        return rc;
    *error = *error ? sqlite3_mprintf("%s: %z", what, *error)
                    : sqlite3_mprintf("%s: %s", what, sqlite3_errstr(rc));
    return *error ? rc : SQLITE_NOMEM;
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
static int check_place(const definition *d, char **error) {
    const char *schema = d->schema, *table_schema = d->source.schema;
    if (sqlite3_stricmp(schema, "temp") == 0)
        *error =
            sqlite3_mprintf("gpugraph: a graph cannot be TEMP, because TEMP triggers "
                            "see the writes of one connection only; "
                            "make %s in the schema of its table",
                            d->name);
    else if (table_schema && sqlite3_stricmp(table_schema, schema) != 0) {
        char *typed = table_as_sql(table_schema, d->name);
        if (typed)
            *error =
                sqlite3_mprintf("gpugraph: a graph lives in the schema of its table; "
                                "write CREATE VIRTUAL TABLE %z, or follow a table of "
                                "%s",
                                typed, schema);
    } else
        return SQLITE_OK;
    return *error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Checks that the table exists and is not the graph itself. The sentence lists the tables
** that could be followed, without the graph, which is half made. */
static int check_table(sqlite3 *db, const definition *d, char **error) {
    sqlite3_stmt *statement = NULL;
    sqlite3_str *list = sqlite3_str_new(NULL);
    nearest near = {.given = d->source.table};
    int count = 0;
    bool there = false;
    int rc = statement_prepare(
        db, &statement,
        OWN_SQL "SELECT name, type FROM pragma_table_list WHERE schema = %Q COLLATE "
                "NOCASE AND name <> %Q COLLATE NOCASE ORDER BY name",
        d->schema, d->name);
    while (rc == SQLITE_OK && !there && sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = statement_text(statement, 0);
        there = sqlite3_stricmp(name, d->source.table) == 0;
        if (strcmp(statement_text(statement, 1), "table") == 0 &&
            table_is_of_user(db, d->schema, name))
            rc = name_list_add_table(list, count++, NULL, name, &near);
    }
    rc = statement_end(statement, rc);
    name_list_end(list, count);
    char *sentence =
        sqlite3_mprintf("gpugraph: there is no table or view '%s' in %s to follow",
                        d->source.table, d->schema);
    sentence = say_with_names(sentence, &near, "tables there", list);
    if (rc == SQLITE_OK && !there && sentence) {
        *error = sentence;
        return SQLITE_ERROR;
    }
    rc = rc || sentence ? rc : SQLITE_NOMEM;
    sqlite3_free(sentence);
    return rc;
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
    rc = rc ? rc : check_edge_id(&rows, error);
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
    int rc = sql ? statement_execute(db, error, "%z", sql) : SQLITE_NOMEM;
    return explain(error, rc, what);
}

static const char no_blocks[] = "gpugraph: the blocks of the graph cannot be made";

/* Reads the table and writes the packed graph. */
static int make_blocks(connection *c, const definition *d, char **error) {
    scope none = {0};
    row_source rows;
    loaded got[2] = {{.graph = NULL}};
    const graph_request request = {
        .function = "gpugraph", .backend = -1, .edges_here = true};
    int rc = make_table(c->db, follow_sql(d, FOLLOW_BLOCKS), no_blocks, error);
    rc = rc ? rc : make_table(c->db, follow_sql(d, FOLLOW_SAVED), no_blocks, error);
    if (rc)
        return rc;
    rc = definition_resolve(c, "gpugraph", &none, d, &rows, error);
    if (rc == SQLITE_OK)
        rc = graph_load(c, &request, &rows, NULL, READ_WEIGHTS, &got[0],
                        rows.column[REVERSE_COLUMN] ? &got[1] : NULL, error);
    if (rc == SQLITE_OK)
        rc = explain(error, blocks_write(c, d, &rows, got, NULL, error),
                     "gpugraph: the packed graph cannot be written");
    loaded_clear(&got[0]);
    loaded_clear(&got[1]);
    row_source_clear(&rows);
    return rc;
}

int follow_create(connection *c, const char *schema, const char *name, int count,
                  const char *const *argument, char **error) {
    definition d;
    char *fault = NULL;
    *error = NULL;
    int rc = definition_start(&d, schema, name);
    rc = rc ? rc : definition_parse(&d, count, argument, &fault);
    if (fault)
        *error = sqlite3_mprintf("gpugraph: %z", fault);
    rc = rc ? rc : check_place(&d, error);
    rc = rc ? rc : definition_set_schema(&d);
    rc = rc ? rc : check_table(c->db, &d, error);
    rc = rc ? rc : settle_columns(c, &d, error);
    if (rc == SQLITE_OK)
        rc = make_table(c->db, follow_sql(&d, FOLLOW_LOG),
                        "gpugraph: the log of the graph cannot be made", error);
    rc = rc ? rc : make_triggers(c->db, &d, error);
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

/* Renames a table of the graph. *there: it is there. */
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

/* The triggers are made again, because an ALTER TABLE inside another one leaves their
** bodies unchanged. */
static int rename_tables(sqlite3 *db, const char *name, const char *log, definition *d,
                         char **error) {
    static const char *const suffix[] = {"log", "marks", "blocks"};
    bool there[3] = {false};
    int rc = drop_triggers(db, d->schema, log, error);
    for (int i = 0; i < 2 + d->persist && rc == SQLITE_OK; i++)
        rc = rename_table(db, name, suffix[i], d, &there[i], error);
    if (rc == SQLITE_OK && there[0] && there[1])
        rc = make_triggers(db, d, error);
    if (rc || !there[2])
        return rc;
    rc = statement_execute(db, error, "DROP VIEW IF EXISTS \"%w\".\"%w_saved\"",
                           d->schema, name);
    return rc ? rc : make_table(db, follow_sql(d, FOLLOW_SAVED), no_blocks, error);
}

int follow_rename(sqlite3 *db, const char *schema, const char *name, const char *to,
                  char **error) {
    definition d;
    char *log = sqlite3_mprintf("%s_log", name);
    int rc = definition_start(&d, schema, to);
    if (!log)
        rc = SQLITE_NOMEM;
    rc = rc ? rc : definition_read_renamed(db, log, &d, error);
    rc = rc ? rc : rename_tables(db, name, log, &d, error);
    sqlite3_free(log);
    definition_clear(&d);
    return rc;
}
