/* The declared types of id columns.
**
**     emp(id INTEGER, manager_id TEXT)       2 and '2' may both be ids: mixed */
#include "source.h"
#include <string.h>

/* A column of ids. */
typedef struct id_column {
    const char *table, *name, *type;
    char affinity;
} id_column;

static id_column id_column_of(const row_source *rows, int place) {
    const table_info *table = &rows->table;
    id_column id = {rows->name, rows->column[place], "", 0};
    for (int i = 0; i < table->columns; i++)
        if (table->column[i] == id.name)
            id.type = table->type[i];
    id.affinity = affinity_of_type(id.type);
    return id;
}

int id_columns_find(const row_source *edges, const row_source *vertices,
                    id_columns *made) {
    const id_column id[] = {id_column_of(edges, SOURCE_COLUMN),
                            id_column_of(edges, TARGET_COLUMN),
                            id_column_of(vertices ? vertices : edges, SOURCE_COLUMN)};
    const id_column *number = NULL, *text = NULL; /* the first column of each kind */
    memset(made, 0, sizeof *made);
    for (int i = 2; i >= 0; i--) {
        if (id[i].affinity > 'B')
            number = &id[i];
        else if (id[i].affinity == 'B')
            text = &id[i];
    }
    for (int end = 0; end < 2; end++)
        made->affinity[end] = id[end].affinity;
    if (!number || !text)
        return SQLITE_OK;
    made->mixed = sqlite3_mprintf(
        "would be two vertices, since column %s of %s is %s and column %s of %s is %s; "
        "CAST one of them in %s to merge ids, or put a prefix before the ids of one to "
        "keep them apart",
        number->name, number->table, number->type, text->name, text->table, text->type,
        edges->followed ? "another table" : "a query");
    return made->mixed ? SQLITE_OK : SQLITE_NOMEM;
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
