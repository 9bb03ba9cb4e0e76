/* What a followed graph has in the database: made, found again, checked, taken away.
**
**     sqlite_schema   table     g       CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b))
**                     table     g_log   an ordinary one: triggers write it, and under
**                                       SQLITE_DBCONFIG_DEFENSIVE none could write a
**                                       shadow table
**                     trigger   g_inserted, g_deleted, ... on roads
**
** ALTER TABLE rewrites triggers, but not the arguments of g: so what g follows is what its
** triggers say, and the arguments count only where there is no trigger left. */
#include "follow_blocks.h"
#include "follow_sql.h"
#include <stdarg.h>
#include <string.h>

int follow_execute(sqlite3 *db, char **error, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values);
    va_end(values);
    if (!sql)
        return SQLITE_NOMEM;
    sqlite3_free(*error);
    *error = NULL;
    int rc = sqlite3_exec(db, sql, NULL, NULL, error);
    sqlite3_free(sql);
    return rc;
}

static int prepare(sqlite3 *db, sqlite3_stmt **statement, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values);
    va_end(values);
    *statement = NULL;
    int rc = sql ? sqlite3_prepare_v2(db, sql, -1, statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
}

static const char *text_of(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

/* ---- the triggers that are there ---- */

typedef struct present {
    struct present_trigger {
        char *name, *table, *sql;
    } * item;
    int count, room;
} present;

static void present_clear(present *list) {
    for (int i = 0; i < list->count; i++) {
        sqlite3_free(list->item[i].name);
        sqlite3_free(list->item[i].table);
        sqlite3_free(list->item[i].sql);
    }
    sqlite3_free(list->item);
    memset(list, 0, sizeof *list);
}

static int present_add(present *list, sqlite3_stmt *row) {
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 16;
        void *item =
            sqlite3_realloc64(list->item, (sqlite3_uint64)room * sizeof *list->item);
        if (!item)
            return SQLITE_NOMEM;
        list->item = item;
        list->room = room;
    }
    struct present_trigger *t = &list->item[list->count++];
    t->name = sqlite3_mprintf("%s", text_of(row, 0));
    t->table = sqlite3_mprintf("%s", text_of(row, 1));
    t->sql = sqlite3_mprintf("%s", text_of(row, 2));
    return t->name && t->table && t->sql ? SQLITE_OK : SQLITE_NOMEM;
}

/* Every trigger of the schema that names the log. */
static int present_read(sqlite3 *db, const char *schema, const char *log, present *list) {
    sqlite3_stmt *statement;
    memset(list, 0, sizeof *list);
    int rc = prepare(db, &statement,
                     "SELECT name, tbl_name, sql FROM \"%w\".sqlite_schema WHERE type = "
                     "'trigger'",
                     schema);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        int names = trigger_names(text_of(statement, 2), log);
        if (names)
            rc = names < 0 ? SQLITE_NOMEM : present_add(list, statement);
    }
    int finish = sqlite3_finalize(statement);
    rc = rc ? rc : finish;
    if (rc)
        present_clear(list);
    return rc;
}

/* ---- the definition ---- */

void definition_clear(definition *d) {
    sqlite3_free(d->schema);
    sqlite3_free(d->name);
    sqlite3_free(d->log);
    sqlite3_free(d->trouble);
    edge_source_clear(&d->source);
    memset(d, 0, sizeof *d);
}

static int definition_start(definition *d, const char *schema, const char *name) {
    memset(d, 0, sizeof *d);
    d->schema = sqlite3_mprintf("%s", schema);
    d->name = sqlite3_mprintf("%s", name);
    d->log = sqlite3_mprintf("%s_log", name);
    return d->schema && d->name && d->log ? SQLITE_OK : SQLITE_NOMEM;
}

/* The arguments' options, and their source until triggers say otherwise. */
static int take_arguments(definition *d, graph_arguments *arguments) {
    edge_source_clear(&d->source);
    d->source = arguments->source;
    memset(&arguments->source, 0, sizeof arguments->source);
    d->direction = arguments->direction;
    d->persist = arguments->persist;
    sqlite3_free(d->source.schema);
    d->source.schema = sqlite3_mprintf("%s", d->schema);
    return d->source.schema ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_arguments(sqlite3 *db, definition *d, char **error) {
    sqlite3_stmt *statement;
    graph_arguments arguments;
    bool there = false;
    int rc =
        prepare(db, &statement,
                "SELECT sql FROM \"%w\".sqlite_schema WHERE type = 'table' AND name = "
                "%Q COLLATE NOCASE",
                d->schema, d->name);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        there = true;
        rc = graph_arguments_of_sql(text_of(statement, 0), &arguments, error);
        if (rc == SQLITE_OK)
            rc = take_arguments(d, &arguments);
    }
    int finish = sqlite3_finalize(statement);
    rc = rc ? rc : finish;
    if (rc == SQLITE_OK && !there) {
        *error = sqlite3_mprintf("there is no graph '%s' in %s", d->name, d->schema);
        rc = *error ? SQLITE_ERROR : SQLITE_NOMEM;
    }
    return rc;
}

static int take_columns(definition *d, const char *sql) {
    char *column[3] = {NULL, NULL, NULL};
    int count = trigger_columns(sql, column);
    for (int i = 0; i < 3; i++) {
        sqlite3_free(count > 0 ? d->source.column[i] : column[i]);
        if (count > 0)
            d->source.column[i] = column[i];
    }
    if (count > 0)
        d->source.columns = count;
    return count < 0 ? SQLITE_NOMEM : SQLITE_OK;
}

/* What the triggers say of table and columns. */
static int take_triggers(definition *d, const present *list) {
    int rc = SQLITE_OK;
    for (int i = 0; i < list->count && rc == SQLITE_OK; i++) {
        const struct present_trigger *t = &list->item[i];
        if (sqlite3_stricmp(t->table, d->log) == 0)
            continue;
        char *table = sqlite3_mprintf("%s", t->table);
        if (!table)
            return SQLITE_NOMEM;
        sqlite3_free(d->source.table);
        d->source.table = table;
        rc = take_columns(d, t->sql);
    }
    return rc;
}

/* Notes what is missing. */
static int find_trouble(sqlite3 *db, definition *d, const present *list) {
    trigger_list needed;
    sqlite3_str *missing = sqlite3_str_new(NULL);
    int count = 0, rc = follow_triggers(db, d, &needed);
    for (int i = 0; i < needed.count && rc == SQLITE_OK; i++) {
        int found = 0;
        for (int j = 0; j < list->count && found == 0; j++)
            found = trigger_same(needed.item[i].sql, list->item[j].sql);
        if (found < 0)
            rc = SQLITE_NOMEM;
        else if (!found)
            name_list_add(missing, count++, needed.item[i].what);
    }
    trigger_list_clear(&needed);
    char *names = sqlite3_str_finish(missing);
    if (rc == SQLITE_OK && count)
        d->trouble = sqlite3_mprintf("read afresh each time, since triggers are missing "
                                     "or were changed (%s); DROP TABLE %s and create it "
                                     "again",
                                     names, d->name);
    if (rc == SQLITE_OK && count && !d->trouble)
        rc = SQLITE_NOMEM;
    sqlite3_free(names);
    return rc;
}

static int find_log(sqlite3 *db, definition *d) {
    sqlite3_stmt *statement;
    int rc = prepare(db, &statement,
                     "SELECT 1 FROM pragma_table_info(%Q, %Q) WHERE name IN ('seq', "
                     "'edge') LIMIT 1 OFFSET 1",
                     d->log, d->schema);
    if (rc == SQLITE_OK && sqlite3_step(statement) != SQLITE_ROW) {
        d->trouble =
            sqlite3_mprintf("read afresh each time, since its log %s is missing; "
                            "DROP TABLE %s and create it again",
                            d->log, d->name);
        rc = d->trouble ? SQLITE_OK : SQLITE_NOMEM;
    }
    int finish = sqlite3_finalize(statement);
    return rc ? rc : finish;
}

int definition_read(sqlite3 *db, const char *schema, const char *name, definition *made,
                    char **error) {
    present list = {NULL, 0, 0};
    *error = NULL;
    int rc = definition_start(made, schema, name);
    if (rc == SQLITE_OK)
        rc = read_arguments(db, made, error);
    if (rc == SQLITE_OK)
        rc = present_read(db, schema, made->log, &list);
    if (rc == SQLITE_OK)
        rc = take_triggers(made, &list);
    if (rc == SQLITE_OK)
        rc = find_log(db, made);
    if (rc == SQLITE_OK && !made->trouble) {
        rc = find_trouble(db, made, &list);
        if (rc == SQLITE_ERROR) { /* the table is gone, which reading it will say */
            made->trouble =
                sqlite3_mprintf("%s.%s, which it follows, is gone; DROP TABLE "
                                "%s",
                                schema, made->source.table, name);
            rc = made->trouble ? SQLITE_OK : SQLITE_NOMEM;
        }
    }
    present_clear(&list);
    if (rc)
        definition_clear(made);
    return rc;
}

/* ---- making and taking away ---- */

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
    int rc = follow_triggers(db, d, &needed);
    for (int i = 0; i < needed.count && rc == SQLITE_OK; i++)
        rc = follow_execute(db, error, "%s", needed.item[i].sql);
    trigger_list_clear(&needed);
    return explain(error, rc, "gpugraph: a trigger of the graph cannot be made");
}

/* Is the table one that can be followed from the graph's schema? */
static int check_place(const char *schema, const char *name, const edge_source *source,
                       char **error) {
    if (sqlite3_stricmp(schema, "temp") == 0)
        *error = sqlite3_mprintf("gpugraph: a graph cannot be TEMP, since triggers there "
                                 "see what one connection writes; "
                                 "make %s in the schema of its table",
                                 name);
    else if (source->schema && sqlite3_stricmp(source->schema, schema) != 0)
        *error = sqlite3_mprintf("gpugraph: a graph lives in the schema of its table; "
                                 "write CREATE VIRTUAL TABLE %s.%s "
                                 "USING gpugraph(%s ...), or follow a table of %s",
                                 source->schema, name, source->table, schema);
    else
        return SQLITE_OK;
    return *error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* The columns' names as the table has them, found by name where none are given. */
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
        *error = sqlite3_mprintf("gpugraph: %s is %s, which has no triggers that tell of "
                                 "its changes; follow the table beneath it, or give its "
                                 "name to the search itself",
                                 rows.name, kinds[letter - letters]);
        rc = *error ? SQLITE_ERROR : SQLITE_NOMEM;
    }
    for (int i = 0; i < 3 && rc == SQLITE_OK; i++) {
        sqlite3_free(d->source.column[i]);
        d->source.column[i] =
            rows.column[i] ? sqlite3_mprintf("%s", rows.column[i]) : NULL;
        if (rows.column[i] && !d->source.column[i])
            rc = SQLITE_NOMEM;
        if (rows.column[i])
            d->source.columns = i + 1;
    }
    sqlite3_free(d->source.table);
    d->source.table = sqlite3_mprintf("%s", rows.table.name);
    row_source_clear(&rows);
    return d->source.table ? rc : SQLITE_NOMEM;
}

/* Takes the statement over. */
static int make_table(sqlite3 *db, char *sql, const char *what, char **error) {
    int rc = sql ? follow_execute(db, error, "%s", sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return explain(error, rc, what);
}

/* The packed graph, right away. */
static int make_blocks(connection *c, const definition *d, char **error) {
    scope none = {0};
    row_source rows;
    loaded got = {0};
    int rc = make_table(c->db, follow_blocks_sql(d),
                        "gpugraph: the blocks of the graph cannot be made", error);
    if (rc)
        return rc;
    rc = source_resolve(c, "gpugraph", "edges", &none, &d->source, &rows, error);
    if (rc == SQLITE_OK)
        rc = graph_load(c, "gpugraph", &rows, NULL, READ_WEIGHTS, -1, &got, error);
    if (rc == SQLITE_OK)
        rc = explain(error, blocks_write(c, d, got.graph, error),
                     "gpugraph: the packed graph cannot be written");
    gpugraph_free(got.graph);
    sqlite3_free(got.weight_error);
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
        rc = take_arguments(&d, arguments);
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

static int drop_triggers(sqlite3 *db, const char *schema, const char *log, char **error) {
    present list;
    int rc = present_read(db, schema, log, &list);
    for (int i = 0; i < list.count && rc == SQLITE_OK; i++)
        rc = follow_execute(db, error, "DROP TRIGGER \"%w\".\"%w\"", schema,
                            list.item[i].name);
    present_clear(&list);
    return rc;
}

int follow_drop(sqlite3 *db, const char *schema, const char *name, char **error) {
    char *log = sqlite3_mprintf("%s_log", name);
    int rc = log ? drop_triggers(db, schema, log, error) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = follow_execute(db, error,
                            "DROP TABLE IF EXISTS \"%w\".\"%w\"; DROP TABLE IF EXISTS "
                            "\"%w\".\"%w_blocks\"",
                            schema, log, schema, name);
    sqlite3_free(log);
    return rc;
}

static bool table_is_there(sqlite3 *db, const char *schema, const char *name) {
    return sqlite3_table_column_metadata(db, schema, name, NULL, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

/* What is followed, when sqlite_schema has the new name already and log and triggers the
** old one. Leaves the new names in d. */
static int read_renamed(sqlite3 *db, const char *log, definition *d, char **error) {
    present list;
    int rc = read_arguments(db, d, error);
    if (rc)
        return rc;
    rc = present_read(db, d->schema, log, &list);
    if (rc)
        return rc;
    char *made = d->log;
    d->log = (char *)log;
    rc = take_triggers(d, &list);
    d->log = made;
    present_clear(&list);
    return rc;
}

/* Triggers are made anew: inside an ALTER TABLE, another one leaves their bodies alone. */
static int rename_parts(sqlite3 *db, const char *name, const char *log, definition *d,
                        char **error) {
    char *blocks = sqlite3_mprintf("%s_blocks", name);
    int rc = blocks ? drop_triggers(db, d->schema, log, error) : SQLITE_NOMEM;
    bool logged = rc == SQLITE_OK && table_is_there(db, d->schema, log);
    if (logged)
        rc = follow_execute(db, error, "ALTER TABLE \"%w\".\"%w\" RENAME TO \"%w\"",
                            d->schema, log, d->log);
    if (rc == SQLITE_OK && table_is_there(db, d->schema, blocks))
        rc =
            follow_execute(db, error, "ALTER TABLE \"%w\".\"%w\" RENAME TO \"%w_blocks\"",
                           d->schema, blocks, d->name);
    if (rc == SQLITE_OK && logged)
        rc = make_triggers(db, d, error);
    sqlite3_free(blocks);
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
        rc = read_renamed(db, log, &d, error);
    if (rc == SQLITE_OK)
        rc = rename_parts(db, name, log, &d, error);
    sqlite3_free(log);
    definition_clear(&d);
    return rc;
}
