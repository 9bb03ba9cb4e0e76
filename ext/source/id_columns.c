/* What the declarations of id columns mean for ids.
**
**     emp(id INTEGER, manager_id TEXT)       2 and '2' may both be ids: mixed
**     e(src TEXT COLLATE NOCASE, dst TEXT)   'Rome' and 'rome' are two ids: collation */
#include "source.h"
#include <string.h>

/* A column of ids. */
typedef struct id_column {
    const row_source *rows;
    int place; /* SOURCE_COLUMN or TARGET_COLUMN */
} id_column;

static const char *name_of(const id_column *id) {
    return id->rows->column[id->place];
}

static const char *type_of(const id_column *id) {
    const table_info *table = &id->rows->table;
    for (int i = 0; i < table->columns; i++)
        if (table->column[i] == name_of(id))
            return table->type[i];
    return "";
}

static char affinity_of(const id_column *id) {
    return affinity_of_type(type_of(id));
}

/* The first TEXT column, or the first numeric one; NULL: there is none. */
static const id_column *first_of(const id_column *id, int count, bool numeric) {
    for (int i = 0; i < count; i++)
        if (numeric ? affinity_of(&id[i]) > 'B' : affinity_of(&id[i]) == 'B')
            return &id[i];
    return NULL;
}

/* A whole REAL as TEXT would be '7.0'. */
static void append_as_text(sqlite3_str *sql, const id_column *id) {
    const char affinity = affinity_of(id);
    sqlite3_str_appendall(sql, affinity == 'E'   ? "CAST(CAST("
                               : affinity == 'B' ? ""
                                                 : "CAST(");
    append_sql_name(sql, name_of(id));
    sqlite3_str_appendall(sql, affinity == 'E'   ? " AS INTEGER) AS TEXT)"
                               : affinity == 'B' ? ""
                                                 : " AS TEXT)");
}

/* A query that reads the ids of these rows as TEXT. */
static void append_example(sqlite3_str *sql, const row_source *rows, int columns) {
    sqlite3_str_appendall(sql, ", as in 'SELECT ");
    for (int i = 0; i < columns; i++) {
        sqlite3_str_appendall(sql, i ? ", " : "");
        append_as_text(sql, &(id_column){rows, i});
    }
    sqlite3_str_appendall(sql, " FROM ");
    source_append_table(sql, rows);
    sqlite3_str_appendall(sql, "'");
}

static int say_mixed(const id_column *number, const id_column *text, int columns,
                     char **sentence) {
    const bool followed = number->rows->followed;
    sqlite3_str *say = sqlite3_str_new(NULL);
    sqlite3_str_appendf(
        say,
        "would be two vertices, since column %s of %s is %s and column %s of %s is %s; "
        "CAST one of them%s to merge ids",
        name_of(number), number->rows->name, type_of(number), name_of(text),
        text->rows->name, type_of(text), followed ? " in another table" : "");
    if (!followed && number->rows->kind != 'q')
        append_example(say, number->rows, columns);
    sqlite3_str_appendall(say,
                          ", or put a prefix before the ids of one to keep them apart");
    *sentence = sqlite3_str_finish(say);
    return *sentence ? SQLITE_OK : SQLITE_NOMEM;
}

static int say_collation(sqlite3 *db, const id_column *id, char **sentence) {
    char *collation;
    int rc = table_collation(db, &id->rows->table, name_of(id), &collation);
    if (rc || !collation)
        return rc;
    *sentence = sqlite3_mprintf("ids are compared by their bytes, not by the collation "
                                "%s that column %s of %s declares",
                                collation, name_of(id), id->rows->name);
    sqlite3_free(collation);
    return *sentence ? SQLITE_OK : SQLITE_NOMEM;
}

int id_columns_find(sqlite3 *db, const row_source *edges, const row_source *vertices,
                    id_columns *made) {
    const id_column id[] = {
        {edges, SOURCE_COLUMN}, {edges, TARGET_COLUMN}, {vertices, SOURCE_COLUMN}};
    const int count = vertices ? 3 : 2;
    const id_column *number = first_of(id, count, true),
                    *text = first_of(id, count, false);
    int rc = SQLITE_OK;
    memset(made, 0, sizeof *made);
    for (int end = 0; end < 2; end++)
        made->affinity[end] = affinity_of(&id[end]);
    if (number && text)
        rc = say_mixed(number, text, number->rows == edges ? 2 : 1, &made->mixed);
    for (int end = 0; end < 2 && rc == SQLITE_OK && !made->collation; end++)
        rc = say_collation(db, &id[end], &made->collation);
    if (rc)
        id_columns_clear(made);
    return rc;
}

static int copy_text(const char *from, char **to) {
    *to = from ? sqlite3_mprintf("%s", from) : NULL;
    return from && !*to ? SQLITE_NOMEM : SQLITE_OK;
}

int id_columns_copy(const id_columns *from, id_columns *made) {
    memcpy(made, from, sizeof *made);
    made->mixed = made->collation = NULL;
    int rc = copy_text(from->mixed, &made->mixed);
    return rc ? rc : copy_text(from->collation, &made->collation);
}

void id_columns_clear(id_columns *columns) {
    sqlite3_free(columns->mixed);
    sqlite3_free(columns->collation);
    memset(columns, 0, sizeof *columns);
}
