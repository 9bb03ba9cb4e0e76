/* The declared types of id columns.
**
**     emp(id INTEGER, manager_id TEXT)       2 and '2' may both be ids: mixed */
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

/* The first TEXT column, or the first numeric one. NULL: there is none. */
static const id_column *first_of(const id_column *id, int count, bool numeric) {
    for (int i = 0; i < count; i++)
        if (numeric ? affinity_of(&id[i]) > 'B' : affinity_of(&id[i]) == 'B')
            return &id[i];
    return NULL;
}

static int say_mixed(const id_column *number, const id_column *text, char **sentence) {
    *sentence = sqlite3_mprintf(
        "would be two vertices, since column %s of %s is %s and column %s of %s is %s; "
        "CAST one of them in %s to merge ids, or put a prefix before the ids of one to "
        "keep "
        "them apart",
        name_of(number), number->rows->name, type_of(number), name_of(text),
        text->rows->name, type_of(text),
        number->rows->followed ? "another table" : "a query");
    return *sentence ? SQLITE_OK : SQLITE_NOMEM;
}

int id_columns_find(const row_source *edges, const row_source *vertices,
                    id_columns *made) {
    const id_column id[] = {
        {edges, SOURCE_COLUMN}, {edges, TARGET_COLUMN}, {vertices, SOURCE_COLUMN}};
    const int count = vertices ? 3 : 2;
    const id_column *number = first_of(id, count, true),
                    *text = first_of(id, count, false);
    memset(made, 0, sizeof *made);
    for (int end = 0; end < 2; end++)
        made->affinity[end] = affinity_of(&id[end]);
    return number && text ? say_mixed(number, text, &made->mixed) : SQLITE_OK;
}

int id_columns_copy(const id_columns *from, id_columns *made) {
    memcpy(made, from, sizeof *made);
    made->mixed = from->mixed ? sqlite3_mprintf("%s", from->mixed) : NULL;
    return from->mixed && !made->mixed ? SQLITE_NOMEM : SQLITE_OK;
}

void id_columns_clear(id_columns *columns) {
    sqlite3_free(columns->mixed);
    memset(columns, 0, sizeof *columns);
}
