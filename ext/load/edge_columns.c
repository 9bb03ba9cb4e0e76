/* Takes in rows as columns: loader.h has the overview. */
#include "loader.h"
#include "base/room.h"
#include "base/statement.h"
#include "team.h"
#include "base/value.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_ROWS = 1 << 20 };

/* ---- faults of a row ---- */

int loader_fail(loader *l, int rc, char *sentence) {
    l->error = sentence ? sqlite3_mprintf("%s: %z", l->function, sentence) : NULL;
    return l->rc = l->error ? rc : SQLITE_NOMEM;
}

static int bad_id(loader *l, int column, sqlite3_value *id, sqlite3_value *value) {
    return loader_fail(l, SQLITE_ERROR,
                       fault_sentence(l, column, fault_row(l, id), fault_value(value)));
}

void loader_drop_weights(loader *l) {
    l->weights = READ_NO_WEIGHTS;
    free(l->weight);
    free(l->weight32);
    l->weight = NULL;
    l->weight32 = NULL;
    l->real_weight = false;
}

/* Fails with the sentence. If weights are only tried, drops them instead, and keeps the
** sentence. */
static int give_up_weights(loader *l, char *text) {
    if (l->weights == READ_WEIGHTS || !text)
        return loader_fail(l, SQLITE_ERROR, text);
    l->weight_error = text;
    loader_drop_weights(l);
    return SQLITE_OK;
}

static int bad_weight(loader *l, sqlite3_value *id, sqlite3_value *value) {
    return give_up_weights(
        l, fault_sentence(l, WEIGHT_COLUMN, fault_row(l, id), fault_value(value)));
}

/* ---- taking in a row ---- */

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
    double now = gg_now_ms();
    if (now < l->next_progress_ms)
        return;
    connection_progress(l->c, "reading", now - l->started_ms, l->count);
    l->next_progress_ms = now + 1000;
}

static int grow_edge_columns(loader *l) {
    int64_t room = l->room ? 2 * l->room : 1024;
    int columns = l->edges ? 2 : 1;
    bool ok = true;
    for (int i = 0; i < columns && ok; i++)
        ok = resize((void **)&l->id[i].value, room, sizeof(int64_t)) &&
             resize_bits(&l->id[i].is_text, l->room, room);
    if (ok && l->edges && l->weights != READ_NO_WEIGHTS)
        ok = resize((void **)&l->weight, room, sizeof *l->weight);
    if (ok && l->two_ways)
        ok = resize((void **)&l->reverse, room, sizeof *l->reverse);
    if (ok && l->has_rows)
        ok = resize((void **)&l->row, room, sizeof *l->row);
    if (ok && l->edge_id.value)
        ok = resize((void **)&l->edge_id.value, room, sizeof(int64_t)) &&
             resize_bits(&l->edge_id.is_text, l->room, room);
    if (!ok)
        return l->rc = SQLITE_NOMEM;
    l->room = room;
    return SQLITE_OK;
}

int loader_room(loader *l) {
    return l->count < l->room ? SQLITE_OK : grow_edge_columns(l);
}

/* The UTF-8 bytes of a text. sqlite3_value_text would copy it to add a zero. */
static const char *utf8_of_value(sqlite3_value *value, size_t *count) {
    bool as_it_is = sqlite3_value_encoding(value) == SQLITE_UTF8;
    const char *text =
        as_it_is ? sqlite3_value_blob(value) : (const char *)sqlite3_value_text(value);
    *count = (size_t)sqlite3_value_bytes(value);
    return as_it_is && *count == 0 ? "" : text;
}

int loader_put_number(loader *l, id_array *id, int64_t number) {
    if (!id->is_text)
        id->is_text = calloc((size_t)l->room / 8, 1);
    if (!id->is_text)
        return l->rc = SQLITE_NOMEM;
    id->value[l->count] = number;
    id->is_text[l->count / 8] |= (uint8_t)(1 << l->count % 8);
    return SQLITE_OK;
}

int loader_copy_id(loader *l, id_array *id, const id_array *from, int64_t i) {
    if (id_is_text(from, i))
        return loader_put_number(l, id, id_entry(from, i));
    id->value[l->count] = id_entry(from, i);
    return SQLITE_OK;
}

static int take_text(loader *l, id_array *id, sqlite3_value *value) {
    size_t count;
    const char *text = utf8_of_value(value, &count);
    int64_t number = text ? intern_text(l->texts, text, count) : -1;
    return number < 0 ? (l->rc = SQLITE_NOMEM) : loader_put_number(l, id, number);
}

/* Takes in an id that is neither INTEGER nor TEXT. */
static int take_unusual_id(loader *l, int column, sqlite3_value *id,
                           sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL && l->lone) {
        l->missing |= 1u << column;
        return SQLITE_OK;
    }
    if (type == SQLITE_FLOAT &&
        whole_number(sqlite3_value_double(value), &l->id[column].value[l->count]))
        return SQLITE_OK;
    return bad_id(l, column, id, value);
}

static inline int take_id(loader *l, int column, sqlite3_value *id,
                          sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type == SQLITE_INTEGER) {
        l->id[column].value[l->count] = sqlite3_value_int64(value);
        return SQLITE_OK;
    }
    return type == SQLITE_TEXT ? take_text(l, &l->id[column], value)
                               : take_unusual_id(l, column, id, value);
}

void loader_make_real(loader *l) {
    for (int64_t i = 0; i < l->count && l->weight; i++)
        l->weight[i].real = (double)l->weight[i].integer;
    for (int64_t i = 0; i < l->count && l->reverse; i++)
        l->reverse[i].real = (double)l->reverse[i].integer;
    l->real_weight = true;
}

static inline int take_weight(loader *l, sqlite3_value *id, sqlite3_value *value) {
    number *weight = &l->weight[l->count];
    int type = sqlite3_value_type(value);
    if (type == SQLITE_TEXT) {
        l->text_weight = true;
        type = sqlite3_value_numeric_type(value);
    }
    if (type == SQLITE_INTEGER) {
        int64_t integer = sqlite3_value_int64(value);
        if (integer < 0)
            return bad_weight(l, id, value);
        if (l->real_weight)
            weight->real = (double)integer;
        else
            weight->integer = integer;
        return SQLITE_OK;
    }
    double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : -1;
    if (!(real >= 0 && real <= DBL_MAX))
        return bad_weight(l, id, value);
    if (!l->real_weight)
        loader_make_real(l);
    weight->real = real;
    return SQLITE_OK;
}

/* Starts to store edge ids. Each earlier id is the number of its row. */
int loader_begin_edge_ids(loader *l) {
    int64_t *value = malloc((size_t)l->room * sizeof *value);
    if (!value)
        return l->rc = SQLITE_NOMEM;
    for (int64_t i = 0; i < l->count; i++)
        value[i] = i + 1;
    l->edge_id.value = value;
    return SQLITE_OK;
}

/* Takes in an edge id that is a TEXT or NULL, which is stored as a text (row_ids.h). */
static int take_text_edge_id(loader *l, sqlite3_value *id) {
    size_t count = 0;
    const char *text = NULL;
    if (sqlite3_value_type(id) == SQLITE_TEXT && !(text = utf8_of_value(id, &count)))
        return l->rc = SQLITE_NOMEM;
    int64_t number = row_id_intern(&l->edge_texts, text, count);
    return number < 0 ? (l->rc = SQLITE_NOMEM)
                      : loader_put_number(l, &l->edge_id, number);
}

static inline int take_edge_id(loader *l, sqlite3_value *id) {
    int type = sqlite3_value_type(id);
    int64_t integer = type == SQLITE_INTEGER ? sqlite3_value_int64(id) : -1;
    if (type == SQLITE_FLOAT && whole_number(sqlite3_value_double(id), &integer))
        type = SQLITE_INTEGER;
    if (!l->edge_id.value && integer != l->count + 1 && loader_begin_edge_ids(l))
        return l->rc;
    if (type == SQLITE_TEXT || type == SQLITE_NULL)
        return take_text_edge_id(l, id);
    if (type != SQLITE_INTEGER)
        return bad_id(l, EDGE_ID_COLUMN, NULL, id);
    if (l->edge_id.value)
        l->edge_id.value[l->count] = integer;
    return SQLITE_OK;
}

int loader_check_row(loader *l, int64_t row) {
    const bool has_rowid = l->row_name || l->rowid;
    if (!l->two_ends || !l->rows->followed || !has_rowid ||
        (row >= ROW_LEAST && row <= ROW_MOST))
        return l->rc;
    return loader_fail(
        l, SQLITE_ERROR,
        sqlite3_mprintf("the row %lld of %s is out of range: a graph that follows rows "
                        "with %s takes rowids from -2^62 to 2^62 - 1",
                        (sqlite3_int64)row, l->rows->name,
                        l->two_ways ? "a reverse weight" : "a filter"));
}

int take_row(loader *l, sqlite3_value *id, sqlite3_value **value) {
    if (loader_room(l) || (l->has_rows && loader_check_row(l, l->this_row)))
        return l->rc;
    if (take_id(l, 0, id, value[0]))
        return l->rc;
    if (l->edges) {
        if (take_id(l, 1, id, value[1]))
            return l->rc;
        if (l->missing || l->leaves)
            return half_row_take(l, id);
        if (l->two_ways && two_ways_take(l, id, value[2], value[3]))
            return l->rc;
        if (!l->two_ways && l->weights != READ_NO_WEIGHTS && take_weight(l, id, value[2]))
            return l->rc;
        if (id && take_edge_id(l, id))
            return l->rc;
        if (l->has_rows)
            l->row[l->count] = l->this_row;
    }
    if (++l->count % CHECK_ROWS == 0)
        loader_pulse(l);
    return SQLITE_OK;
}

int take_numbers(loader *l, int64_t id, const int64_t value[3], bool real) {
    if (loader_room(l) ||
        (!l->edge_id.value && id != l->count + 1 && loader_begin_edge_ids(l)))
        return l->rc;
    number weight = {.integer = value[2]};
    if (real && !l->real_weight && l->weight)
        loader_make_real(l);
    if (!real && l->real_weight)
        weight.real = (double)value[2];
    for (int k = 0; k < 2; k++)
        l->id[k].value[l->count] = value[k];
    if (l->weight)
        l->weight[l->count] = weight;
    if (l->edge_id.value)
        l->edge_id.value[l->count] = id;
    l->count++;
    return SQLITE_OK;
}

/* Returns INTEGER weight i. */
static int64_t weight_entry(const loader *l, int64_t i) {
    return l->weight32 ? l->weight32[i] : l->weight[i].integer;
}

struct weight_check {
    const loader *l;
    /* the first row with a weight that is not allowed; count: there is none */
    uint64_t bad;
};

static bool is_allowed(const loader *l, uint64_t i) {
    return l->real_weight ? l->weight[i].real >= 0 && l->weight[i].real <= DBL_MAX
                          : weight_entry(l, (int64_t)i) >= 0;
}

/* True if one of these INTEGERs is negative. The compiler vectorizes these loops. */
static bool any_negative(const loader *l, uint64_t low, uint64_t high) {
    const int32_t *narrow = l->weight32;
    int64_t all = 0;
    if (narrow)
        for (uint64_t i = low; i < high; i++)
            all |= narrow[i];
    else
        for (uint64_t i = low; i < high; i++)
            all |= l->weight[i].integer;
    return all < 0;
}

static void check_some_weights(void *job, uint64_t low, uint64_t high) {
    struct weight_check *check = job;
    const loader *l = check->l;
    uint64_t bad = low;
    if (!l->real_weight && !any_negative(l, low, high))
        return;
    while (bad < high && is_allowed(l, bad))
        bad++;
    if (bad < high)
        gg_lower(&check->bad, bad);
}

static int64_t first_bad_weight(const loader *l) {
    enum { MANY = 1 << 20 }; /* if there are more rows, several threads check weights */
    struct weight_check check = {l, (uint64_t)l->count};
    int threads = l->count > MANY ? gg_team_limit(l->c->config.threads) : 1;
    if (l->weight || l->weight32)
        gg_slices(threads, (uint64_t)l->count, check_some_weights, &check);
    return (int64_t)check.bad;
}

/* Describes the stored weight of an edge, because a REAL column may also store integers
** and texts. Returns NULL if the weight cannot be read. */
static char *describe_stored(const loader *l, sqlite3_int64 edge_id) {
    const row_source *rows = l->rows;
    sqlite3_stmt *row = NULL;
    char *text = NULL;
    if (statement_prepare(l->c->db, &row,
                          "SELECT \"%w\" FROM \"%w\".\"%w\" WHERE \"%w\" = %lld",
                          rows->column[2], rows->table.schema, rows->table.name, l->rowid,
                          edge_id) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        sqlite3_value *value = sqlite3_column_value(row, 0);
        sqlite3_value_numeric_type(value);
        text = fault_value(value);
    }
    sqlite3_finalize(row);
    return text;
}

int check_weights(loader *l) {
    int64_t i = first_bad_weight(l);
    if (i == l->count)
        return SQLITE_OK;
    sqlite3_int64 id = l->edge_id.value ? l->edge_id.value[i] : i + 1;
    char *text = !l->real_weight
                     ? sqlite3_mprintf("%lld", (sqlite3_int64)weight_entry(l, i))
                 : l->rowid ? describe_stored(l, id)
                            : sqlite3_mprintf("the REAL %!.15g", l->weight[i].real);
    return give_up_weights(
        l, fault_sentence(l, WEIGHT_COLUMN, sqlite3_mprintf("edge %lld", id), text));
}

void loader_clear(loader *l) {
    for (int i = 0; i < 2; i++) {
        free(l->id[i].value);
        free(l->id[i].value32);
        free(l->id[i].is_text);
    }
    free(l->weight);
    free(l->weight32);
    free(l->reverse);
    free(l->edge_id.value);
    free(l->edge_id.is_text);
    if (l->cells)
        l->cells->place->free(l->cells);
    free(l->row);
    intern_clear(&l->edge_texts);
    sqlite3_free(l->weight_error);
    sqlite3_free(l->error);
    memset(l, 0, sizeof *l);
}
