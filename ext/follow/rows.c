/* Rows that the log names, read again and compared with the mirror.
**
**     row in the table    edge in the mirror
**     no                  no                    inserted and deleted since
**     no                  yes                   removed
**     yes                 no                    added
**     yes                 another               removed and added: changed
**     yes                 the same              nothing
**
** A row with a NULL end is no edge: it is compared in the same way with the mirror's half_rows
** (halves.c). */
#include "rows.h"
#include "source/condition.h"
#include "base/whole_number.h"
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

/* One pass of a radix sort: by the byte `shift` bits above the lowest. */
static void sort_by_byte(const int64_t *from, int64_t *to, int64_t count, int64_t least,
                         int shift) {
    int64_t place[257] = {0};
    for (int64_t i = 0; i < count; i++)
        place[(((uint64_t)from[i] - (uint64_t)least) >> shift & 255) + 1]++;
    for (int b = 0; b < 256; b++)
        place[b + 1] += place[b];
    for (int64_t i = 0; i < count; i++)
        to[place[((uint64_t)from[i] - (uint64_t)least) >> shift & 255]++] = from[i];
}

/* By as many bytes as the ids differ in. */
static int sort_ids(id_list *list, int64_t least, int64_t most) {
    uint64_t span = (uint64_t)most - (uint64_t)least;
    id_list other = {.room = list->count};
    other.item = sqlite3_malloc64((sqlite3_uint64)list->count * sizeof *other.item);
    if (!other.item)
        return SQLITE_NOMEM;
    other.count = list->count;
    for (int shift = 0; shift < 64 && span >> shift; shift += 8) {
        sort_by_byte(list->item, other.item, list->count, least, shift);
        id_list sorted = other;
        other = *list;
        *list = sorted;
    }
    sqlite3_free(other.item);
    return SQLITE_OK;
}

int id_list_sort(id_list *list) {
    int64_t kept = 0, least = INT64_MAX, most = INT64_MIN;
    bool sorted = true;
    for (int64_t i = 0; i < list->count; i++) {
        int64_t id = list->item[i];
        sorted &= i == 0 || list->item[i - 1] < id;
        least = id < least ? id : least;
        most = id > most ? id : most;
    }
    if (sorted)
        return SQLITE_OK;
    if (sort_ids(list, least, most))
        return SQLITE_NOMEM;
    for (int64_t i = 0; i < list->count; i++)
        if (kept == 0 || list->item[i] != list->item[kept - 1])
            list->item[kept++] = list->item[i];
    list->count = kept;
    return SQLITE_OK;
}

static int compare_ids(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
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
    if (v < ids->integer_count) {
        int type = sqlite3_value_type(value);
        int64_t id = ids->integer ? ids->integer[v] : ids->first_integer + v, whole;
        if (type == SQLITE_FLOAT)
            return whole_number(sqlite3_value_double(value), &whole) && whole == id;
        return type == SQLITE_INTEGER && sqlite3_value_int64(value) == id;
    }
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
static bool same_weight(const gpugraph_edge_list *edges, uint64_t e,
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

bool row_is_edge(const graph_ref *mirror, uint64_t e, sqlite3_value **value) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(mirror->graph);
    const gpugraph_ids *ids = gpugraph_vertex_ids(mirror->graph);
    return same_vertex(ids, edges->source[e], value[0]) &&
           same_vertex(ids, edges->target[e], value[1]) &&
           (!mirror->has_weight || same_weight(edges, e, value[2]));
}

/* ---- reading ---- */

/* Rows that one run of the statement looks up. */
enum { LOOKUPS = 64 };

/* gpugraph_collect(id, rowid, source, destination [, weight]): rowid is NULL where there is
** no such row. Looked up so, inside SQLite's own loop, rows cost half of what they cost by
** a statement each. */
static int prepare(connection *c, const row_source *rows, int lookups, int *arguments,
                   sqlite3_stmt **row) {
    const char *rowid = rows->table.rowid_name;
    sqlite3_str *text = sqlite3_str_new(c->db);
    sqlite3_str_appendf(text, OWN_SQL "SELECT gpugraph_collect(v.column1, e.\"%w\"",
                        rowid);
    *arguments = 2;
    for (int i = 0; i < 3 && rows->column[i]; i++, ++*arguments)
        sqlite3_str_appendf(text, ", e.\"%w\"", rows->column[i]);
    sqlite3_str_appendall(text, ") FROM (VALUES (?)");
    for (int i = 1; i < lookups; i++)
        sqlite3_str_appendall(text, ", (?)");
    sqlite3_str_appendf(text,
                        ") AS v LEFT JOIN \"%w\".\"%w\" AS e NOT INDEXED ON e.\"%w\" = "
                        "v.column1",
                        rows->table.schema, rows->table.name, rowid);
    condition_append(text, "AND", rows->where, "e.");
    char *sql = sqlite3_str_finish(text);
    *row = NULL;
    int rc = sql ? sqlite3_prepare_v3(c->db, sql, -1, 0, row, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
}

/* The end that is there, of a row with a NULL end. NULL: it has neither, or both. */
static sqlite3_value *lone_end(sqlite3_value **value) {
    bool none[] = {sqlite3_value_type(value[0]) == SQLITE_NULL,
                   sqlite3_value_type(value[1]) == SQLITE_NULL};
    return none[0] == none[1] ? NULL : value[none[0]];
}

/* Notes that the row is not, or no longer, the one of half_rows. *same: it is that very one. */
static int compare_half(row_changes *changes, int64_t id, sqlite3_value *end,
                        bool *same) {
    const gpugraph_graph *rows = changes->mirror->half_rows;
    uint64_t e = rows ? gpugraph_find_edge(rows, id) : GPUGRAPH_NO_EDGE;
    *same =
        e != GPUGRAPH_NO_EDGE && end &&
        same_vertex(gpugraph_vertex_ids(rows), gpugraph_edges_of(rows)->source[e], end);
    return e == GPUGRAPH_NO_EDGE || *same ? SQLITE_OK
                                          : id_list_add(&changes->removed_halves, id);
}

static int compare_row(row_changes *changes, int64_t id, sqlite3_value *rowid,
                       sqlite3_value **value) {
    const graph_ref *mirror = changes->mirror;
    uint64_t e = gpugraph_find_edge(mirror->graph, id);
    bool there = sqlite3_value_type(rowid) != SQLITE_NULL, same;
    if (e != GPUGRAPH_NO_EDGE && there && row_is_edge(mirror, e, value))
        return SQLITE_OK;
    if (e != GPUGRAPH_NO_EDGE && id_list_add(&changes->removed, id))
        return SQLITE_NOMEM;
    if (compare_half(changes, id, there ? lone_end(value) : NULL, &same))
        return SQLITE_NOMEM;
    return there && !same ? take_row(&changes->added, rowid, value) : SQLITE_OK;
}

/* What gpugraph_collect calls, of the loader in row_changes. */
static void take_changed(loader *l, sqlite3_value **value) {
    row_changes *changes = (row_changes *)((char *)l - offsetof(row_changes, added));
    if (sqlite3_value_type(value[0]) == SQLITE_INTEGER) /* the last run has places over */
        l->rc = compare_row(changes, sqlite3_value_int64(value[0]), value[1], value + 2);
    changes->unfit = l->rc && l->rc != SQLITE_NOMEM;
}

/* The loader leaves ids out as long as they count from 1. */
static int complete_ids(loader *added) {
    if (added->edge_id.value || added->count == 0)
        return SQLITE_OK;
    int64_t *id = malloc((size_t)added->count * sizeof *id);
    for (int64_t i = 0; id && i < added->count; i++)
        id[i] = i + 1;
    added->edge_id.value = id;
    return id ? SQLITE_OK : SQLITE_NOMEM;
}

/* Looks up the ids from `at` on. */
static int look_up(const id_list *ids, int64_t at, int lookups, loader *l,
                   sqlite3_stmt *row) {
    for (int k = 0; k < lookups; k++) {
        if (at + k < ids->count)
            sqlite3_bind_int64(row, k + 1, ids->item[at + k]);
        else
            sqlite3_bind_null(row, k + 1);
    }
    int rc = loader_collect(l, row);
    sqlite3_reset(row);
    return rc;
}

int row_changes_read(connection *c, const char *function, const row_source *rows,
                     const graph_ref *mirror, const id_list *ids, row_changes *changes) {
    int lookups = sqlite3_limit(c->db, SQLITE_LIMIT_VARIABLE_NUMBER, -1);
    lookups = lookups < LOOKUPS ? lookups : LOOKUPS;
    lookups = ids->count < lookups ? (int)ids->count : lookups;
    sqlite3_stmt *row = NULL;
    memset(changes, 0, sizeof *changes);
    loader *l = &changes->added;
    loader_start(l, c, function, &changes->texts, rows, true, READ_WEIGHTS);
    l->take = take_changed;
    l->lone = &changes->lone;
    loader_start(l->lone, c, function, &changes->texts, rows, false, READ_NO_WEIGHTS);
    l->lone->has_ids = true;
    changes->mirror = mirror;
    int rc = lookups ? prepare(c, rows, lookups, &l->collected, &row) : SQLITE_OK;
    for (int64_t at = 0; at < ids->count && rc == SQLITE_OK; at += lookups)
        rc = look_up(ids, at, lookups, l, row);
    sqlite3_finalize(row);
    if (changes->unfit)
        return SQLITE_OK;
    return rc ? rc : complete_ids(l);
}

void row_changes_clear(row_changes *changes) {
    id_list_clear(&changes->removed);
    id_list_clear(&changes->removed_halves);
    loader_clear(&changes->added);
    loader_clear(&changes->lone);
    intern_clear(&changes->texts);
}
