/* Rowids bound to a parameter of a statement of our own, as rows.
**
**     row_list { row[count] } -> sqlite3_bind_pointer -> gpugraph_row_list(?1) -> row
**
** There is no text between, which SQLite would bound in length and read digit by digit. What is no
** such pointer, as anything that SQL itself can give, has no rows. */
#include "row_list.h"

#include <string.h>

enum { ROW, LIST }; /* columns */

typedef struct row_cursor {
    sqlite3_vtab_cursor base;
    const row_list *list; /* NULL: no rows */
    sqlite3_int64 at;
} row_cursor;

static int row_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **made, char **error) {
    (void)aux, (void)argc, (void)argv, (void)error;
    sqlite3_vtab *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    memset(table, 0, sizeof *table);
    int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(row INTEGER, list HIDDEN)");
    if (rc == SQLITE_OK)
        rc = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    if (rc)
        sqlite3_free(table);
    else
        *made = table;
    return rc;
}

static int row_disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

static int row_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    info->estimatedCost = 100;
    info->estimatedRows = 100;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *k = &info->aConstraint[i];
        if (k->iColumn != LIST || k->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!k->usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
    }
    return SQLITE_OK;
}

static int row_open(sqlite3_vtab *table, sqlite3_vtab_cursor **made) {
    (void)table;
    row_cursor *cur = sqlite3_malloc(sizeof *cur);
    if (!cur)
        return SQLITE_NOMEM;
    memset(cur, 0, sizeof *cur);
    *made = &cur->base;
    return SQLITE_OK;
}

static int row_close(sqlite3_vtab_cursor *base) {
    sqlite3_free(base);
    return SQLITE_OK;
}

static int row_filter(sqlite3_vtab_cursor *base, int plan, const char *words, int argc,
                      sqlite3_value **argv) {
    (void)plan, (void)words;
    row_cursor *cur = (row_cursor *)base;
    cur->list = argc ? sqlite3_value_pointer(argv[0], ROW_LIST) : NULL;
    cur->at = 0;
    return SQLITE_OK;
}

static int row_next(sqlite3_vtab_cursor *base) {
    ((row_cursor *)base)->at++;
    return SQLITE_OK;
}

static int row_eof(sqlite3_vtab_cursor *base) {
    const row_cursor *cur = (const row_cursor *)base;
    return !cur->list || cur->at >= cur->list->count;
}

static int row_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const row_cursor *cur = (const row_cursor *)base;
    if (column == ROW)
        sqlite3_result_int64(context, cur->list->row[cur->at]);
    return SQLITE_OK;
}

static int row_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    *rowid = ((const row_cursor *)base)->at;
    return SQLITE_OK;
}

static const sqlite3_module row_module = {
    .xConnect = row_connect,
    .xBestIndex = row_best_index,
    .xDisconnect = row_disconnect,
    .xOpen = row_open,
    .xClose = row_close,
    .xFilter = row_filter,
    .xNext = row_next,
    .xEof = row_eof,
    .xColumn = row_column,
    .xRowid = row_rowid,
};

int row_list_register(connection *c) {
    return sqlite3_create_module_v2(c->db, ROW_LIST, &row_module, NULL, NULL);
}
