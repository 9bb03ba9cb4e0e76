/* Maps rows to edges: row_ids.h has the overview. */
#include "row_ids.h"
#include "base/value.h"
#include "base/vertex_id.h"
#include <stdlib.h>
#include <string.h>

enum { TEXT_MARK = 't', NULL_MARK = 'u' };

/* ---- making ---- */

int64_t row_id_intern(intern *texts, const char *text, size_t bytes) {
    char small[64] = {TEXT_MARK}, *marked = small;
    if (!text)
        return intern_text(texts, &(char){NULL_MARK}, 1);
    if (bytes + 1 > sizeof small)
        marked = malloc(bytes + 1);
    if (!marked)
        return -1;
    *marked = TEXT_MARK;
    memcpy(marked + 1, text, bytes);
    int64_t number = intern_text(texts, marked, bytes + 1);
    if (marked != small)
        free(marked);
    return number;
}

/* The arcs of the graph of rows, from its first vertex on. NULL: there are none. */
static const void *arcs_of(gpugraph_graph *rows) {
    gpugraph_run run = {.threads = 1};
    const void *arc = NULL;
    gpugraph_edges_by_source(rows, &run, &arc);
    return arc;
}

int row_ids_settle(connection *c, gpugraph_graph *rows) {
    gpugraph_run run;
    const void *arc;
    connection_run(c, &run);
    run.phase = NULL;
    return code_of_status(gpugraph_edges_by_source(rows, &run, &arc));
}

enum { POLL_ROWS = 1 << 20 }; /* rows between two polls for an interrupt */

/* Writes the numbers of the rows' edges. If rows ascend, row i is edge i of the loops;
** otherwise each row is looked up. */
static int write_edge_numbers(connection *c, int64_t count, const int64_t *row,
                              int64_t *id, gpugraph_graph *rows) {
    bool ascending = true;
    const void *arc = arcs_of(rows);
    for (int64_t i = 1; i < count; i++)
        ascending &= row[i - 1] < row[i];
    for (int64_t i = 0; i < count; i++) {
        if (i % POLL_ROWS == 0 && connection_interrupted(c))
            return SQLITE_INTERRUPT;
        if (ascending)
            id[gpugraph_edge_at(rows, arc, (uint64_t)i)] = i + 1;
        else
            id[i] = (int64_t)row_ids_edge(rows, row[i]) + 1;
    }
    return SQLITE_OK;
}

int row_ids_make(connection *c, const char *function, int64_t count, const int64_t *row,
                 int64_t *id, const uint8_t *is_text, intern *texts,
                 gpugraph_graph **rows, char **error) {
    gpugraph_run run;
    intern_close(texts);
    const gpugraph_edges loops = {
        .count = count,
        .source = {.value = id, .is_text = is_text},
        .target = {.value = id, .is_text = is_text},
        .edge_id = row,
        .texts = {.count = texts->count, .offset = texts->offset, .bytes = texts->bytes}};
    connection_run(c, &run);
    run.phase = NULL; /* the phases of the main graph cover the rows */
    run.backend = GPUGRAPH_CPU;
    gpugraph_create(&loops, &run, rows);
    int rc = code_of_run(&run, function, error);
    rc = rc ? rc : row_ids_settle(c, *rows);
    return rc ? rc : write_edge_numbers(c, count, row, id, *rows);
}

/* ---- lookups ---- */

/* The position of a vertex's first arc among all arcs. Sets *arc, *count to its row. */
static uint64_t first_arc(gpugraph_graph *rows, uint32_t v, const void **arc,
                          uint64_t *count) {
    gpugraph_run run = {.threads = 1};
    const char *first = arcs_of(rows); /* first, because it closes gaps */
    *count = 0;
    if (gpugraph_edges_from(rows, v, &run, arc, count) != GPUGRAPH_OK)
        return 0;
    return (uint64_t)((const char *)*arc - first) / gpugraph_edge_size(rows);
}

uint64_t row_ids_edge(gpugraph_graph *rows, int64_t row) {
    const void *arc;
    uint64_t r = gpugraph_find_edge(rows, row), low = 0, high, count;
    if (r == GPUGRAPH_NO_EDGE)
        return GPUGRAPH_NO_EDGE;
    uint64_t first = first_arc(rows, gpugraph_edges_of(rows)->source[r], &arc, &count);
    high = count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (gpugraph_edge_at(rows, arc, middle) < r)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && gpugraph_edge_at(rows, arc, low) == r ? first + low
                                                                : GPUGRAPH_NO_EDGE;
}

int64_t row_ids_row(gpugraph_graph *rows, uint64_t e) {
    const gpugraph_edge_list *loops = gpugraph_edges_of(rows);
    uint64_t r = gpugraph_edge_at(rows, arcs_of(rows), e);
    return loops->edge_id ? loops->edge_id[r] : (int64_t)r + 1;
}

/* The edge id as it is stored: a TEXT or NULL begins with its mark. */
static gpugraph_id edge_id_of(gpugraph_graph *rows, uint64_t e) {
    const uint64_t row = gpugraph_edge_at(rows, arcs_of(rows), e);
    return gpugraph_id_of(gpugraph_vertex_ids(rows),
                          gpugraph_edges_of(rows)->source[row]);
}

/* A damaged file may have any bytes here. A text without the mark counts as NULL. */
static bool is_text(const gpugraph_id *id) {
    return id->length > 0 && *id->text == TEXT_MARK;
}

void result_row_id(sqlite3_context *context, gpugraph_graph *rows, uint64_t e) {
    const gpugraph_id id = edge_id_of(rows, e);
    if (!id.is_text)
        sqlite3_result_int64(context, id.integer);
    else if (is_text(&id))
        sqlite3_result_text64(context, id.text + 1, id.length - 1, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
}

bool append_row_id(sqlite3_str *to, gpugraph_graph *rows, uint64_t e) {
    const gpugraph_id id = edge_id_of(rows, e);
    if (!id.is_text)
        sqlite3_str_appendf(to, "%lld", (sqlite3_int64)id.integer);
    else if (is_text(&id))
        sqlite3_str_append(to, id.text + 1, (int)id.length - 1);
    return !id.is_text || is_text(&id);
}

bool row_ids_same(gpugraph_graph *rows, uint64_t e, sqlite3_value *id) {
    gpugraph_id is = edge_id_of(rows, e);
    if (is.is_text && !is_text(&is))
        return sqlite3_value_type(id) == SQLITE_NULL;
    if (is.is_text) {
        is.text++; /* the mark */
        is.length--;
    }
    return id_is_value(&is, id);
}

static void add_range(gpugraph_graph *rows, uint32_t v, row_ids_range *range,
                      int *ranges) {
    const void *arc;
    if (v == GPUGRAPH_NONE)
        return;
    row_ids_range *r = &range[(*ranges)++];
    r->first = first_arc(rows, v, &arc, &r->count);
}

/* Finds the vertex of a text, or of the text that SQLite makes of a number. */
static int find_as_text(gpugraph_graph *rows, sqlite3_value *id, uint32_t *v) {
    sqlite3_value *copy = sqlite3_value_dup(id);
    const char *text = copy ? (const char *)sqlite3_value_text(copy) : NULL;
    const size_t bytes = text ? (size_t)sqlite3_value_bytes(copy) : 0;
    char *marked = text ? malloc(bytes + 1) : NULL;
    if (marked) {
        *marked = TEXT_MARK;
        memcpy(marked + 1, text, bytes);
        *v = gpugraph_find_text(rows, marked, bytes + 1);
    }
    free(marked);
    sqlite3_value_free(copy);
    return marked ? SQLITE_OK : SQLITE_NOMEM;
}

int row_ids_find(gpugraph_graph *rows, sqlite3_value *id,
                 row_ids_range range[ROW_IDS_MEANINGS], int *ranges) {
    struct sql_number number;
    char digits[24] = {TEXT_MARK};
    uint32_t v = GPUGRAPH_NONE;
    int type = sqlite3_value_type(id), rc = number_of(id, &number);
    *ranges = 0;
    if (rc || type == SQLITE_NULL || type == SQLITE_BLOB)
        return rc;
    number_to_integer(&number);
    if (number.type == SQLITE_INTEGER) {
        sqlite3_snprintf(sizeof digits - 1, digits + 1, "%lld",
                         (long long)number.integer);
        add_range(rows, gpugraph_find_integer(rows, number.integer), range, ranges);
        if (type != SQLITE_TEXT)
            add_range(rows, gpugraph_find_text(rows, digits, strlen(digits)), range,
                      ranges);
    }
    if (type != SQLITE_INTEGER)
        rc = find_as_text(rows, id, &v);
    if (rc == SQLITE_OK)
        add_range(rows, v, range, ranges);
    return rc;
}
