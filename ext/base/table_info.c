/* Finds a table in the schema: its database, its kind and its columns.
**
**     PRAGMA table_list('roads')        schema, kind (temp before main before attached)
**     PRAGMA main.table_xinfo('roads')  visible columns, their types, primary key
**     main.sqlite_schema                the module of a virtual table
**/
#include "table_info.h"
#include "base/names.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include <string.h>

enum { LISTED_NAMES = 12 };

void name_list_add(sqlite3_str *list, int count, const char *name) {
    if (count < LISTED_NAMES)
        sqlite3_str_appendf(list, "%s%s", count ? ", " : "", name);
}

int name_list_add_table(sqlite3_str *list, int count, const char *schema,
                        const char *table, nearest *near) {
    char *typed = table_as_sql(schema, table);
    if (!typed)
        return SQLITE_NOMEM;
    name_list_add(list, count, typed);
    nearest_look(near, table, typed);
    sqlite3_free(typed);
    return SQLITE_OK;
}

void name_list_end(sqlite3_str *list, int count) {
    if (count > LISTED_NAMES)
        sqlite3_str_appendf(list, " and %d more", count - LISTED_NAMES);
    else if (count == 0)
        sqlite3_str_appendall(list, "none");
}

char *say_with_names(char *sentence, const nearest *near, const char *what,
                     sqlite3_str *list) {
    char *names = sqlite3_str_finish(list);
    char *text = names && sentence
                     ? sqlite3_mprintf("%s%s (%s: %s)", sentence, near->told, what, names)
                     : NULL;
    sqlite3_free(names);
    sqlite3_free(sentence);
    return text;
}

static int say_failure(sqlite3 *db, int rc, const char *name, char **error) {
    if (rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
        *error = sqlite3_mprintf("the schema of '%s' cannot be read: %s", name,
                                 sqlite3_errmsg(db));
    return rc;
}

static int schema_rank(sqlite3 *db, const char *schema) {
    const char *name;
    for (int i = 0; (name = sqlite3_db_name(db, i)) != NULL; i++) {
        if (sqlite3_stricmp(name, schema) == 0)
            return i == 1 ? -1 : i; /* temp, number 1, is searched first */
    }
    return -2;
}

static int no_schema(sqlite3 *db, const char *schema, char **error) {
    sqlite3_str *list = sqlite3_str_new(db);
    nearest near = {.given = schema};
    const char *name;
    int count = 0, rc = SQLITE_OK;
    for (int i = 0; rc == SQLITE_OK && (name = sqlite3_db_name(db, i)) != NULL; i++)
        rc = name_list_add_table(list, count++, NULL, name, &near);
    name_list_end(list, count);
    *error = say_with_names(sqlite3_mprintf("there is no database '%s'", schema), &near,
                            "attached", list);
    return rc == SQLITE_OK && *error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Sets kind 'g' if the virtual table belongs to this extension. */
static int find_module(sqlite3 *db, table_info *info) {
    char *sql;
    int rc = statement_string(
        db, &sql,
        "SELECT sql FROM \"%w\".sqlite_schema WHERE type = 'table' AND name = %Q",
        info->schema, info->name);
    if (rc == SQLITE_OK && sql) {
        const char *end = sql + strlen(sql);
        sql_token token;
        const char *at = sql_find_word(sql, end, "USING", &token);
        sql_next(at, end, &token);
        char *module = sql_unquote(&token);
        if (!module)
            rc = SQLITE_NOMEM;
        else if (sqlite3_stricmp(module, "gpugraph") == 0)
            info->kind = 'g';
        sqlite3_free(module);
    }
    sqlite3_free(sql);
    return rc;
}

static char kind_of(const char *type, bool without_rowid) {
    if (strcmp(type, "view") == 0)
        return 'v';
    if (strcmp(type, "virtual") == 0)
        return 'x';
    return without_rowid ? 'w' : 't';
}

/* Sets schema, name and kind; name stays NULL if there is no such table. */
static int find_place_of_table_info(sqlite3 *db, const char *schema, const char *table,
                                    table_info *info) {
    sqlite3_stmt *statement;
    int rc = schema ? statement_prepare(db, &statement, "PRAGMA \"%w\".table_list(%Q)",
                                        schema, table)
                    : statement_prepare(db, &statement, "PRAGMA table_list(%Q)", table);
    int best = 0;
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        int rank = schema_rank(db, statement_text(statement, 0));
        if (info->name && rank >= best)
            continue;
        best = rank;
        sqlite3_free(info->schema);
        sqlite3_free(info->name);
        info->schema = sqlite3_mprintf("%s", statement_text(statement, 0));
        info->name = sqlite3_mprintf("%s", statement_text(statement, 1));
        info->kind =
            kind_of(statement_text(statement, 2), sqlite3_column_int(statement, 4) != 0);
        info->strict = sqlite3_column_int(statement, 5) != 0;
        if (!info->schema || !info->name)
            rc = SQLITE_NOMEM;
    }
    rc = statement_end(statement, rc);
    return rc == SQLITE_OK && info->kind == 'x' ? find_module(db, info) : rc;
}

/* True if the name is the name of a followed graph with this suffix. */
static bool is_part_of_graph(sqlite3 *db, const char *schema, const char *name,
                             const char *suffix) {
    int length = (int)strlen(name) - (int)strlen(suffix);
    table_info info = {0};
    if (length <= 0 || sqlite3_stricmp(name + length, suffix) != 0)
        return false;
    char *graph = sqlite3_mprintf("%.*s", length, name);
    bool is_graph = graph &&
                    find_place_of_table_info(db, schema, graph, &info) == SQLITE_OK &&
                    info.name && info.kind == 'g';
    table_info_clear(&info);
    sqlite3_free(graph);
    return is_graph;
}

bool table_is_of_user(sqlite3 *db, const char *schema, const char *name) {
    return sqlite3_strnicmp(name, "sqlite_", 7) != 0 &&
           !is_part_of_graph(db, schema, name, "_log") &&
           !is_part_of_graph(db, schema, name, "_marks") &&
           !is_part_of_graph(db, schema, name, "_saved");
}

/* The sentence lists tables of main by bare names, and tables of other schemas as
** "aux.roads". */
static int no_table(sqlite3 *db, const char *schema, const char *table, char **error) {
    sqlite3_str *list = sqlite3_str_new(db);
    nearest near = {.given = table};
    sqlite3_stmt *statement;
    int count = 0;
    int rc = schema
                 ? statement_prepare(db, &statement, "PRAGMA \"%w\".table_list", schema)
                 : statement_prepare(db, &statement, "PRAGMA table_list");
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        const char *in = statement_text(statement, 0),
                   *name = statement_text(statement, 1);
        if (strcmp(statement_text(statement, 2), "shadow") == 0 ||
            !table_is_of_user(db, in, name))
            continue;
        rc = name_list_add_table(list, count++, in, name, &near);
    }
    rc = statement_end(statement, rc);
    name_list_end(list, count);
    char *sentence =
        schema ? sqlite3_mprintf("there is no table or view '%s' in %s", table, schema)
               : sqlite3_mprintf("there is no table or view '%s'", table);
    sentence = say_with_names(sentence, &near, schema ? "tables there" : "tables", list);
    if (rc) {
        sqlite3_free(sentence);
        return say_failure(db, rc, table, error);
    }
    *error = sentence;
    return sentence ? SQLITE_ERROR : SQLITE_NOMEM;
}

int table_add_column(table_info *info, const char *name, const char *type) {
    sqlite3_uint64 bytes = (sqlite3_uint64)(info->columns + 1) * sizeof(char *);
    char **columns = sqlite3_realloc64(info->column, bytes);
    if (columns)
        info->column = columns;
    char **types = sqlite3_realloc64(info->type, bytes);
    if (types)
        info->type = types;
    if (!columns || !types)
        return SQLITE_NOMEM;
    columns[info->columns] = sqlite3_mprintf("%s", name ? name : "");
    types[info->columns] = sqlite3_mprintf("%s", type);
    info->columns++;
    return columns[info->columns - 1] && types[info->columns - 1] ? SQLITE_OK
                                                                  : SQLITE_NOMEM;
}

static const char *const rowid_names[] = {"rowid", "oid", "_rowid_"};

/* A lone INTEGER PRIMARY KEY is the rowid unless it has a separate index (declared DESC).
** In a WITHOUT ROWID table the primary key's index holds the rows. */
static int find_key_index(sqlite3 *db, table_info *info) {
    if (info->integer_primary_key < 0 && info->kind != 'w')
        return SQLITE_OK;
    sqlite3_stmt *statement;
    int rc = statement_prepare(db, &statement, "PRAGMA \"%w\".index_list(%Q)",
                               info->schema, info->name);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        if (strcmp(statement_text(statement, 3), "pk") != 0)
            continue;
        info->integer_primary_key = -1;
        if (info->kind != 'w')
            continue;
        info->key_index = sqlite3_mprintf("%s", statement_text(statement, 1));
        rc = info->key_index ? SQLITE_OK : SQLITE_NOMEM;
    }
    return statement_end(statement, rc);
}

static int find_columns(sqlite3 *db, table_info *info) {
    sqlite3_stmt *statement;
    int rc = statement_prepare(db, &statement, "PRAGMA \"%w\".table_xinfo(%Q)",
                               info->schema, info->name);
    int keys = 0;
    unsigned hidden_names = 0; /* bit i: a column is called rowid_names[i] */
    info->integer_primary_key = -1;
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = statement_text(statement, 1),
                   *type = statement_text(statement, 2);
        for (int i = 0; i < 3; i++)
            hidden_names |= (unsigned)(sqlite3_stricmp(name, rowid_names[i]) == 0) << i;
        if (sqlite3_column_int(statement, 6) == 1)
            continue;
        if (info->strict && sqlite3_stricmp(type, "ANY") == 0)
            type = ""; /* no affinity; in tables that are not STRICT, NUMERIC affinity */
        rc = table_add_column(info, name, type);
        if (sqlite3_column_int(statement, 5) > 0) {
            bool alias = info->kind == 't' && sqlite3_stricmp(type, "INTEGER") == 0;
            info->integer_primary_key = alias && keys == 0 ? info->columns - 1 : -1;
            keys++;
        }
    }
    int finish = sqlite3_finalize(statement);
    for (int i = 2; i >= 0 && info->kind == 't'; i--) {
        if (!(hidden_names >> i & 1))
            sqlite3_snprintf(sizeof info->rowid_name, info->rowid_name, "%s",
                             rowid_names[i]);
    }
    rc = rc ? rc : finish;
    return rc ? rc : find_key_index(db, info);
}

/* Appends the columns of the index that holds the rows, as in ORDER BY. */
static int append_key_order(sqlite3 *db, const table_info *info, sqlite3_str *order) {
    sqlite3_stmt *statement;
    int rc = statement_prepare(db, &statement, "PRAGMA \"%w\".index_xinfo(%Q)",
                               info->schema, info->key_index);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        if (sqlite3_column_int(statement, 5))
            sqlite3_str_appendf(
                order, "%s\"%w\" COLLATE \"%w\"%s", sqlite3_str_length(order) ? ", " : "",
                statement_text(statement, 2), statement_text(statement, 4),
                sqlite3_column_int(statement, 3) ? " DESC" : "");
    }
    return statement_end(statement, rc);
}

/* Sets key_order under PRAGMA reverse_unordered_selects, which makes SQLite read the last
** row first if a SELECT has no ORDER BY. */
static int find_key_order(sqlite3 *db, table_info *info) {
    sqlite3_int64 reversed = 0;
    int rc = SQLITE_OK;
    if (strchr("tw", info->kind))
        rc = statement_integer(db, &reversed, "PRAGMA reverse_unordered_selects");
    if (rc || !reversed)
        return rc;
    sqlite3_str *order = sqlite3_str_new(db);
    if (info->key_index)
        rc = append_key_order(db, info, order);
    else if (*info->rowid_name)
        sqlite3_str_appendf(order, "\"%w\"", info->rowid_name);
    rc = rc ? rc : sqlite3_str_errcode(order);
    info->key_order = sqlite3_str_finish(order); /* NULL: the order cannot be written */
    return rc;
}

int table_find(sqlite3 *db, const char *schema, const char *table, table_info *info,
               char **error) {
    memset(info, 0, sizeof *info);
    if (schema && schema_rank(db, schema) == -2)
        return no_schema(db, schema, error);
    int rc = find_place_of_table_info(db, schema, table, info);
    if (rc == SQLITE_OK && !info->name)
        return no_table(db, schema, table, error);
    rc = rc ? rc : find_columns(db, info);
    rc = rc ? rc : find_key_order(db, info);
    if (rc) {
        rc = say_failure(db, rc, table, error);
        table_info_clear(info);
    }
    return rc;
}

void table_info_clear(table_info *info) {
    for (int i = 0; i < info->columns; i++) {
        sqlite3_free(info->column[i]);
        sqlite3_free(info->type[i]);
    }
    sqlite3_free(info->column);
    sqlite3_free(info->type);
    sqlite3_free(info->schema);
    sqlite3_free(info->name);
    sqlite3_free(info->key_index);
    sqlite3_free(info->key_order);
    memset(info, 0, sizeof *info);
}

int table_column(const table_info *info, const char *name) {
    for (int i = 0; i < info->columns; i++) {
        if (sqlite3_stricmp(info->column[i], name) == 0)
            return i;
    }
    return -1;
}

bool texts_sort_as_utf8(sqlite3 *db) {
    char *encoding;
    bool yes = statement_string(db, &encoding, "PRAGMA encoding") == SQLITE_OK &&
               encoding && strcmp(encoding, "UTF-8") == 0;
    sqlite3_free(encoding);
    return yes;
}

/* pattern: a part of the type, as in LIKE. */
static bool contains(const char *type, const char *pattern) {
    return sqlite3_strlike(pattern, type, 0) == 0;
}

/* Tests types in SQLite's order: CHARINT is an integer, TEXTBLOB is text. */
char affinity_of_type(const char *type) {
    if (!type || !*type)
        return 'A';
    if (contains(type, "%INT%"))
        return 'D';
    if (contains(type, "%CHAR%") || contains(type, "%CLOB%") || contains(type, "%TEXT%"))
        return 'B';
    if (contains(type, "%BLOB%"))
        return 'A';
    if (contains(type, "%REAL%") || contains(type, "%FLOA%") || contains(type, "%DOUB%"))
        return 'E';
    return 'C';
}
