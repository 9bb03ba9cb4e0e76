/* Half rows are no edges, but their ends are vertices: rows with a NULL end, which refers
** to no vertex, and rows for which the filter is not true.
**
**     rows       1 -> 2   NULL -> 7   3 -> NULL   2 -> 3   4 -> 5
**     filter     true     true        true        true     false
**     edges      1 -> 2                           2 -> 3
**     lone                7           3                    4 5
**
** In a followed graph each lone end is stored with a number (half_row_number). */
#include "loader.h"
#include <string.h>

static void clear_text(id_array *id, int64_t i) {
    if (id->is_text)
        id->is_text[i / 8] &= (uint8_t) ~(1u << i % 8);
}

/* Adds entry i of the column `end` to l->lone. row: the result of half_row_number. */
static int add_lone(loader *l, int end, int64_t i, int64_t row) {
    loader *to = l->lone;
    if (loader_room(to) || loader_copy_id(to, &to->id[0], &l->id[end], i) ||
        (to->has_ids && !to->edge_id.value && loader_begin_edge_ids(to)))
        return l->rc = to->rc;
    if (to->has_ids)
        to->edge_id.value[to->count] = row;
    to->count++;
    return SQLITE_OK;
}

static int add_lone_ends(loader *l, int64_t i, unsigned missing, int64_t row) {
    for (int end = 0; end < 2 && l->rc == SQLITE_OK; end++)
        if (!(missing >> end & 1))
            add_lone(l, end, i, half_row_number(l->two_ends, row, end));
    return l->rc;
}

int half_row_ends(loader *l, int64_t i) {
    return add_lone_ends(l, i, 0, l->has_rows ? l->row[i] : 0);
}

int half_row_take(loader *l, sqlite3_value *id) {
    const unsigned missing = l->missing;
    const int64_t row = l->has_rows ? l->this_row : id ? sqlite3_value_int64(id) : 0;
    l->missing = 0;
    l->leaves = false;
    if (loader_check_row(l, row))
        return l->rc;
    l->halves += missing != 0;
    l->left_out += missing == 0;
    int rc = add_lone_ends(l, l->count, missing, row);
    clear_text(&l->id[0], l->count);
    clear_text(&l->id[1], l->count);
    return rc;
}

int half_row_put(loader *lone, sqlite3_value *end, int64_t number) {
    if (take_row(lone, NULL, &end))
        return lone->rc;
    if (!lone->edge_id.value && loader_begin_edge_ids(lone))
        return lone->rc;
    lone->edge_id.value[lone->count - 1] = number;
    return SQLITE_OK;
}

/* ---- removing rows from complete columns ---- */

static void move_texts(id_array *id, int64_t to, int64_t from, int64_t count) {
    for (int64_t i = 0; i < count && id->is_text; i++) {
        bool text = id_is_text(id, from + i);
        clear_text(id, to + i);
        id->is_text[(to + i) / 8] |= (uint8_t)(text << (to + i) % 8);
    }
}

/* Moves `count` entries of every column, from position `from` to position `to`. */
static void move_rows(loader *l, int64_t to, int64_t from, int64_t count) {
    void *const column[] = {l->id[0].value, l->id[1].value,   l->weight,
                            l->reverse,     l->edge_id.value, l->row};
    for (int k = 0; k < COUNT(column); k++)
        if (column[k])
            memmove((int64_t *)column[k] + to, (int64_t *)column[k] + from,
                    (size_t)count * sizeof(int64_t));
    int32_t *const narrow[] = {l->id[0].value32, l->id[1].value32, l->weight32};
    for (int k = 0; k < COUNT(narrow); k++)
        if (narrow[k])
            memmove(narrow[k] + to, narrow[k] + from, (size_t)count * sizeof(int32_t));
    for (int end = 0; end < 2; end++)
        move_texts(&l->id[end], to, from, count);
}

/* Removes the entries of half rows from a column of 4 or 8 bytes an entry. */
#define TAKE_OUT(column, half, halves, count)                                            \
    for (int64_t i = 0, to = 0, h = 0; (column) && i < (count); i++) {                   \
        if (h < (halves) && (half)[h] >> 2 == i)                                         \
            h++;                                                                         \
        else                                                                             \
            (column)[to++] = (column)[i];                                                \
    }

static void take_out_of_columns(loader *l, const int64_t *half, int64_t halves) {
    int64_t *const wide[] = {l->id[0].value,       l->id[1].value,
                             (int64_t *)l->weight, (int64_t *)l->reverse,
                             l->edge_id.value,     l->row};
    int32_t *const narrow[] = {l->id[0].value32, l->id[1].value32, l->weight32};
    for (int k = 0; k < COUNT(wide); k++)
        TAKE_OUT(wide[k], half, halves, l->count)
    for (int k = 0; k < COUNT(narrow); k++)
        TAKE_OUT(narrow[k], half, halves, l->count)
    for (int64_t i = 0, to = 0, h = 0; i < l->count; i++) {
        if (h < halves && half[h] >> 2 == i) {
            h++;
            continue;
        }
        for (int end = 0; end < 2; end++)
            move_texts(&l->id[end], to, i, 1);
        to++;
    }
}

int half_rows_take_out(loader *l, const int64_t *half, int64_t halves) {
    if (halves && !l->edge_id.value && loader_begin_edge_ids(l))
        return l->rc;
    const int64_t *number = l->has_rows ? l->row : l->edge_id.value;
    for (int64_t h = 0; h < halves; h++) {
        const int64_t row = half[h] >> 2;
        const unsigned missing = (unsigned)half[h] & 3;
        l->halves += missing != 0;
        l->left_out += missing == 0;
        if (loader_check_row(l, number[row]) ||
            add_lone_ends(l, row, missing, number[row]))
            return l->rc;
    }
    if (halves)
        take_out_of_columns(l, half, halves);
    l->count -= halves;
    return SQLITE_OK;
}

/* The first row whose rowid is at least `least`. */
static int64_t first_row_from(const loader *l, int64_t least) {
    int64_t low = 0, high = l->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (l->row[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int loader_keep_range(loader *l, const int64_t range[2]) {
    const int64_t front = first_row_from(l, range[0]);
    const int64_t end =
        range[1] == INT64_MAX ? l->count : first_row_from(l, range[1] + 1);
    const int64_t count = end > front ? end - front : 0;
    if (front > 0 && !l->edge_id.value && loader_begin_edge_ids(l))
        return l->rc;
    move_rows(l, 0, front, count);
    l->count = count;
    return SQLITE_OK;
}

gpugraph_edges half_edges(const loader *lone, intern *texts) {
    gpugraph_edges rows = loader_edges(lone, texts);
    rows.target = rows.source;
    return rows;
}
