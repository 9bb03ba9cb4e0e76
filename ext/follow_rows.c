/* Rows that the log names, read again and compared with the mirror.
**
**     row in the table    edge in the mirror
**     no                  no                    inserted and deleted since
**     no                  yes                   removed
**     yes                 no                    added
**     yes                 another               removed and added: changed
**     yes                 the same              nothing
**/
#include "follow_rows.h"
#include <stdlib.h>
#include <string.h>

/* ---- edge ids ---- */

int id_list_add(id_list *list, int64_t id) {
    if (list->count == list->room) {
        int64_t room = list->room ? 2 * list->room : 64;
        int64_t *item =
            sqlite3_realloc64(list->item, (sqlite3_uint64)room * sizeof *item);
        if (!item)
            return SQLITE_NOMEM;
        list->item = item;
        list->room = room;
    }
    list->item[list->count++] = id;
    return SQLITE_OK;
}

static int compare_ids(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void id_list_sort(id_list *list) {
    int64_t kept = 0;
    bool sorted = true;
    for (int64_t i = 1; i < list->count && sorted; i++)
        sorted = list->item[i - 1] < list->item[i];
    if (sorted)
        return;
    qsort(list->item, (size_t)list->count, sizeof *list->item, compare_ids);
    for (int64_t i = 0; i < list->count; i++)
        if (kept == 0 || list->item[i] != list->item[kept - 1])
            list->item[kept++] = list->item[i];
    list->count = kept;
}

bool id_list_has(const id_list *list, int64_t id) {
    return list->count > 0 && bsearch(&id, list->item, (size_t)list->count,
                                      sizeof *list->item, compare_ids) != NULL;
}

void id_list_clear(id_list *list) {
    sqlite3_free(list->item);
    memset(list, 0, sizeof *list);
}

/* ---- is a row what the mirror holds? ---- */

static bool same_vertex(const gpugraph_ids *ids, uint32_t v, sqlite3_value *value) {
    if (v < ids->integer_count)
        return sqlite3_value_type(value) == SQLITE_INTEGER &&
               sqlite3_value_int64(value) ==
                   (ids->integer ? ids->integer[v] : ids->first_integer + v);
    if (sqlite3_value_type(value) != SQLITE_TEXT)
        return false;
    uint64_t at = ids->texts.offset[v - ids->integer_count];
    uint64_t bytes = ids->texts.offset[v - ids->integer_count + 1] - at;
    const void *text = sqlite3_value_text(value);
    return text && (uint64_t)sqlite3_value_bytes(value) == bytes &&
           memcmp(text, ids->texts.bytes + at, (size_t)bytes) == 0;
}

/* A number in a mirror of REAL weights may stand for an INTEGER: which of them are REAL is
** settled elsewhere. */
static bool same_weight(const gpugraph_edge_list *edges, uint32_t e,
                        sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type == SQLITE_TEXT)
        type = sqlite3_value_numeric_type(value);
    if (edges->weight_real)
        return (type == SQLITE_FLOAT || type == SQLITE_INTEGER) &&
               sqlite3_value_double(value) == edges->weight_real[e];
    return type == SQLITE_INTEGER &&
           sqlite3_value_int64(value) ==
               (edges->weight32 ? (int64_t)edges->weight32[e] : edges->weight64[e]);
}

bool row_is_edge(const graph_ref *mirror, uint32_t e, sqlite3_value **value) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(mirror->graph);
    const gpugraph_ids *ids = gpugraph_vertex_ids(mirror->graph);
    return same_vertex(ids, edges->source[e], value[0]) &&
           same_vertex(ids, edges->target[e], value[1]) &&
           (!mirror->has_weight || same_weight(edges, e, value[2]));
}

/* ---- reading ---- */

static int prepare(connection *c, const row_source *rows, sqlite3_stmt **row) {
    sqlite3_str *text = sqlite3_str_new(c->db);
    sqlite3_str_appendf(text, OWN_SQL "SELECT \"%w\"", rows->table.rowid_name);
    for (int i = 0; i < 3 && rows->column[i]; i++)
        sqlite3_str_appendf(text, ", \"%w\"", rows->column[i]);
    sqlite3_str_appendf(text, " FROM \"%w\".\"%w\" WHERE \"%w\" = ?1", rows->table.schema,
                        rows->table.name, rows->table.rowid_name);
    char *sql = sqlite3_str_finish(text);
    *row = NULL;
    int rc = sql ? sqlite3_prepare_v3(c->db, sql, -1, 0, row, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
}

static int take(row_changes *changes, const graph_ref *mirror, sqlite3_stmt *row,
                int64_t id, bool there) {
    uint32_t e = gpugraph_find_edge(mirror->graph, id);
    sqlite3_value *value[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3 && there && i + 1 < sqlite3_column_count(row); i++)
        value[i] = sqlite3_column_value(row, i + 1);
    if (e != GPUGRAPH_NONE && there && row_is_edge(mirror, e, value))
        return SQLITE_OK;
    if (e != GPUGRAPH_NONE && id_list_add(&changes->removed, id))
        return SQLITE_NOMEM;
    if (!there ||
        take_row(&changes->added, sqlite3_column_value(row, 0), value) == SQLITE_OK)
        return SQLITE_OK;
    changes->unfit = changes->added.rc != SQLITE_NOMEM;
    return changes->unfit ? SQLITE_OK : SQLITE_NOMEM;
}

/* The loader leaves ids out as long as they count from 1. */
static int complete_ids(loader *added) {
    if (added->edge_id || added->count == 0)
        return SQLITE_OK;
    added->edge_id = malloc((size_t)added->count * sizeof *added->edge_id);
    for (int64_t i = 0; added->edge_id && i < added->count; i++)
        added->edge_id[i] = i + 1;
    return added->edge_id ? SQLITE_OK : SQLITE_NOMEM;
}

int row_changes_read(connection *c, const char *function, const row_source *rows,
                     const graph_ref *mirror, const id_list *ids, row_changes *changes) {
    sqlite3_stmt *row;
    memset(changes, 0, sizeof *changes);
    loader_start(&changes->added, c, function, &changes->texts, rows, true, READ_WEIGHTS);
    int rc = prepare(c, rows, &row);
    for (int64_t i = 0; i < ids->count && rc == SQLITE_OK && !changes->unfit; i++) {
        sqlite3_bind_int64(row, 1, ids->item[i]);
        int step = sqlite3_step(row);
        if (step == SQLITE_ROW || step == SQLITE_DONE)
            rc = take(changes, mirror, row, ids->item[i], step == SQLITE_ROW);
        int reset = sqlite3_reset(row);
        rc = rc ? rc : reset;
    }
    sqlite3_finalize(row);
    return rc ? rc : complete_ids(&changes->added);
}

void row_changes_clear(row_changes *changes) {
    id_list_clear(&changes->removed);
    loader_clear(&changes->added);
    intern_clear(&changes->texts);
}
