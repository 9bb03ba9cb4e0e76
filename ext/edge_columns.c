/* Rows taken in as columns: see loader.h. What is wrong with a row is said here, with its
** edge id. */
#include "loader.h"
#include "big_block.h"
#include <float.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_ROWS = 1 << 20 };

/* ---- what a row may be wrong about ---- */

int loader_fail(loader *l, int rc, char *sentence) {
    l->rc = sentence ? rc : SQLITE_NOMEM;
    l->error = sentence ? sqlite3_mprintf("%s: %s", l->function, sentence) : NULL;
    sqlite3_free(sentence);
    if (!l->error)
        l->rc = SQLITE_NOMEM;
    return l->rc;
}

/* "NULL", "2.5 (REAL)", "a BLOB", "'x' (TEXT)" */
static char *describe(sqlite3_value *value) {
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return sqlite3_mprintf("NULL");
    case SQLITE_BLOB:
        return sqlite3_mprintf("a BLOB");
    case SQLITE_FLOAT:
        return sqlite3_mprintf("the REAL %!.15g", sqlite3_value_double(value));
    case SQLITE_INTEGER:
        return sqlite3_mprintf("%lld", sqlite3_value_int64(value));
    default:
        return sqlite3_mprintf("the text '%.40s'", sqlite3_value_text(value));
    }
}

/* "the weight of edge 17 in main.roads (column metres) is NULL; ...". Frees `is`. */
static char *complaint(const loader *l, int column, int64_t edge_id, char *is) {
    static const char *const what[] = {"source", "destination", "weight", "edge id"};
    static const char *const rule[] = {
        "a vertex id is an INTEGER or a TEXT", "a vertex id is an INTEGER or a TEXT",
        "a weight is a number, finite and not negative", "an edge id is an INTEGER"};
    bool by_id = column != 3 && (l->rowid || (l->edges && l->rows->column[3]));
    const char *name = column == 3 && l->rowid ? l->rowid : l->rows->column[column];
    char *text = is ? sqlite3_mprintf("the %s of %s %lld in %s (column %s) is %s; %s",
                                      l->edges ? what[column] : "vertex id",
                                      by_id ? "edge" : "row", (sqlite3_int64)edge_id,
                                      l->rows->name, name, is, rule[column])
                    : NULL;
    sqlite3_free(is);
    return text;
}

static int bad_id(loader *l, int column, int64_t edge_id, sqlite3_value *value) {
    return loader_fail(l, SQLITE_ERROR, complaint(l, column, edge_id, describe(value)));
}

/* Weights that nobody may want are given up, with the reason. */
static int bad_weight(loader *l, char *text) {
    if (l->weights == READ_WEIGHTS || !text)
        return loader_fail(l, SQLITE_ERROR, text);
    l->weight_error = text;
    l->weights = READ_NO_WEIGHTS;
    free(l->weight);
    l->weight = NULL;
    l->real_weight = false;
    return SQLITE_OK;
}

/* ---- taking a row in ---- */

static bool resize(void **array, int64_t count, size_t size) {
    void *larger = big_realloc(*array, (size_t)count * size);
    if (larger)
        *array = larger;
    return larger != NULL;
}

static bool resize_bits(uint8_t **bits, int64_t from, int64_t to) {
    if (!*bits)
        return true;
    if (!resize((void **)bits, to / 8, 1))
        return false;
    memset(*bits + from / 8, 0, (size_t)(to - from) / 8);
    return true;
}

void loader_pulse(loader *l) {
    double now = now_ms();
    if (now < l->next_progress_ms)
        return;
    connection_progress(l->c, "reading", now - l->started_ms, l->count);
    l->next_progress_ms = now + 1000;
}

static bool grow(loader *l) {
    int64_t room = l->room ? 2 * l->room : 1024;
    int columns = l->edges ? 2 : 1;
    bool ok = true;
    for (int i = 0; i < columns && ok; i++)
        ok = resize((void **)&l->id[i].value, room, sizeof(int64_t)) &&
             resize_bits(&l->id[i].is_text, l->room, room);
    if (ok && l->edges && l->weights != READ_NO_WEIGHTS)
        ok = resize((void **)&l->weight, room, sizeof *l->weight);
    if (ok && l->edge_id)
        ok = resize((void **)&l->edge_id, room, sizeof *l->edge_id);
    if (ok)
        l->room = room;
    else
        l->rc = SQLITE_NOMEM;
    return ok;
}

/* The UTF-8 bytes of a text. sqlite3_value_text would copy each one to end it with a
** zero. */
static const char *bytes_of(sqlite3_value *value, size_t *count) {
    bool as_it_is = sqlite3_value_encoding(value) == SQLITE_UTF8;
    const char *text =
        as_it_is ? sqlite3_value_blob(value) : (const char *)sqlite3_value_text(value);
    *count = (size_t)sqlite3_value_bytes(value);
    return as_it_is && *count == 0 ? "" : text;
}

static int take_text(loader *l, int column, sqlite3_value *value) {
    id_array *id = &l->id[column];
    size_t count;
    const char *text = bytes_of(value, &count);
    if (text && !id->is_text)
        id->is_text = calloc((size_t)l->room / 8, 1);
    if (!text || !id->is_text)
        return l->rc = SQLITE_NOMEM;
    int64_t number = intern_text(l->texts, text, count);
    if (number < 0)
        return l->rc = SQLITE_NOMEM;
    id->value[l->count] = number;
    id->is_text[l->count / 8] |= (uint8_t)(1 << l->count % 8);
    return SQLITE_OK;
}

static inline int take_id(loader *l, int column, int64_t edge_id, sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type == SQLITE_INTEGER) {
        l->id[column].value[l->count] = sqlite3_value_int64(value);
        return SQLITE_OK;
    }
    return type == SQLITE_TEXT ? take_text(l, column, value)
                               : bad_id(l, column, edge_id, value);
}

/* From the first REAL on, every weight is one. */
static void make_weights_real(loader *l) {
    for (int64_t i = 0; i < l->count; i++)
        l->weight[i].real = (double)l->weight[i].integer;
    l->real_weight = true;
}

static inline int take_weight(loader *l, int64_t edge_id, sqlite3_value *value) {
    number *weight = &l->weight[l->count];
    int type = sqlite3_value_type(value);
    if (type == SQLITE_TEXT)
        type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_INTEGER) {
        int64_t integer = sqlite3_value_int64(value);
        if (integer < 0)
            return bad_weight(l, complaint(l, 2, edge_id, describe(value)));
        if (l->real_weight)
            weight->real = (double)integer;
        else
            weight->integer = integer;
        return SQLITE_OK;
    }
    double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : -1;
    if (!(real >= 0 && real <= DBL_MAX))
        return bad_weight(l, complaint(l, 2, edge_id, describe(value)));
    if (!l->real_weight)
        make_weights_real(l);
    weight->real = real;
    return SQLITE_OK;
}

/* The first edge id that is not the row's number: from here on they are kept. */
static int begin_edge_ids(loader *l) {
    l->edge_id = malloc((size_t)l->room * sizeof *l->edge_id);
    if (!l->edge_id)
        return l->rc = SQLITE_NOMEM;
    for (int64_t i = 0; i < l->count; i++)
        l->edge_id[i] = i + 1;
    return SQLITE_OK;
}

/* id: the edge id or NULL. value: source, destination, weight; of vertices the id
** alone. */
int take_row(loader *l, sqlite3_value *id, sqlite3_value **value) {
    if (l->count == l->room && !grow(l))
        return l->rc;
    int64_t edge_id = l->count + 1;
    if (id) {
        if (!l->rowid && sqlite3_value_type(id) != SQLITE_INTEGER)
            return bad_id(l, 3, edge_id, id);
        edge_id = sqlite3_value_int64(id);
    }
    if (take_id(l, 0, edge_id, value[0]))
        return l->rc;
    if (l->edges) {
        if (take_id(l, 1, edge_id, value[1]))
            return l->rc;
        if (l->weights != READ_NO_WEIGHTS && take_weight(l, edge_id, value[2]))
            return l->rc;
        if (!l->edge_id && edge_id != l->count + 1 && begin_edge_ids(l))
            return l->rc;
        if (l->edge_id)
            l->edge_id[l->count] = edge_id;
    }
    if (++l->count % CHECK_ROWS == 0)
        loader_pulse(l);
    return SQLITE_OK;
}

/* The first row whose weight is not allowed; count: none. */
static int64_t first_bad_weight(const loader *l) {
    int64_t bad = l->count, count = l->weight ? l->count : 0;
    int threads = l->c->config.threads > 0 ? l->c->config.threads : omp_get_num_procs();
#pragma omp parallel for num_threads(threads) reduction(min : bad) if (count > 1 << 20)
    for (int64_t i = 0; i < count; i++) {
        bool good = l->real_weight
                        ? l->weight[i].real >= 0 && l->weight[i].real <= DBL_MAX
                        : l->weight[i].integer >= 0;
        bad = !good && i < bad ? i : bad;
    }
    return bad;
}

/* The weight of an edge as take_weight would see it: a column of REALs may hold integers
** and texts too. NULL: it cannot be read. */
static char *describe_stored(const loader *l, sqlite3_int64 edge_id) {
    const row_source *rows = l->rows;
    sqlite3_stmt *row = NULL;
    char *text = NULL;
    char *sql = sqlite3_mprintf("SELECT \"%w\" FROM \"%w\".\"%w\" WHERE \"%w\" = %lld",
                                rows->column[2], rows->table.schema, rows->table.name,
                                l->rowid, edge_id);
    if (sql && sqlite3_prepare_v2(l->c->db, sql, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        sqlite3_value *value = sqlite3_value_dup(sqlite3_column_value(row, 0));
        if (value) {
            sqlite3_value_numeric_type(value);
            text = describe(value);
        }
        sqlite3_value_free(value);
    }
    sqlite3_finalize(row);
    sqlite3_free(sql);
    return text;
}

int check_weights(loader *l) {
    int64_t i = first_bad_weight(l);
    if (i == l->count)
        return SQLITE_OK;
    sqlite3_int64 id = l->edge_id ? l->edge_id[i] : i + 1;
    char *text = l->real_weight
                     ? describe_stored(l, id)
                     : sqlite3_mprintf("%lld", (sqlite3_int64)l->weight[i].integer);
    return bad_weight(l, complaint(l, 2, id, text));
}

void loader_clear(loader *l) {
    for (int i = 0; i < 2; i++) {
        free(l->id[i].value);
        free(l->id[i].is_text);
    }
    free(l->weight);
    free(l->edge_id);
    sqlite3_free(l->weight_error);
    sqlite3_free(l->error);
    memset(l, 0, sizeof *l);
}
