/* Rows with a weight for each direction, as in pgRouting's tables.
**
**     row 7   a -> b   weight 4   reverse 9          out, in            both
**                                                    a -> b  4  #7      a - b  4  #7
**                                                    b -> a  9  #7
**     row 8   b -> c   weight 5   reverse -1         b -> c  5  #8      b - c  5  #8
**     row 9   c -> d   weight NULL   reverse -1      c and d are vertices
**
** NULL or a negative number closes a direction. For direction 'both' a row is one edge,
** with the smaller weight of its open directions. */
#include "loader.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- taking in rows ---- */

typedef struct way {
    bool real;
    number number; /* INTEGER -1 if this direction is closed */
} way;

/* Reads the weight of one direction. False: the value is not allowed. */
static bool read_way(sqlite3_value *value, way *to) {
    const int type = sqlite3_value_numeric_type(value);
    const double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
    *to = (way){.number.integer = -1};
    if (type == SQLITE_INTEGER)
        to->number.integer = sqlite3_value_int64(value);
    else if (type == SQLITE_FLOAT && real >= 0)
        *to = (way){.real = true, .number.real = real};
    return type != SQLITE_TEXT && type != SQLITE_BLOB && real <= DBL_MAX;
}

static int take_way(loader *l, int column, sqlite3_value *id, sqlite3_value *value,
                    way *to) {
    l->text_weight |= sqlite3_value_type(value) == SQLITE_TEXT;
    if (read_way(value, to))
        return SQLITE_OK;
    return loader_fail(l, SQLITE_ERROR,
                       fault_sentence(l, column, fault_row(l, id), fault_value(value)));
}

static open_ways compare_ways(bool real, number forward, number back) {
    const bool forth = real ? forward.real >= 0 : forward.integer >= 0;
    const bool backward = real ? back.real >= 0 : back.integer >= 0;
    const bool dearer = real ? forward.real > back.real : forward.integer > back.integer;
    return (open_ways){{forth, backward}, real, backward && (!forth || dearer)};
}

static open_ways ways_of_row(const loader *l, int64_t i) {
    return compare_ways(l->real_weight, l->weight[i], l->reverse[i]);
}

static void make_ways_real(way w[2]) {
    for (int i = 0; i < 2; i++)
        if (!w[i].real)
            w[i].number.real = (double)w[i].number.integer;
}

bool two_ways_look(sqlite3_value *forward, sqlite3_value *back, open_ways *ways) {
    way w[2];
    if (!read_way(forward, &w[0]) || !read_way(back, &w[1]))
        return false;
    const bool real = w[0].real || w[1].real;
    if (real)
        make_ways_real(w);
    *ways = compare_ways(real, w[0].number, w[1].number);
    return true;
}

int two_ways_take(loader *l, sqlite3_value *id, sqlite3_value *forward,
                  sqlite3_value *back) {
    way w[2];
    if (take_way(l, WEIGHT_COLUMN, id, forward, &w[0]) ||
        take_way(l, REVERSE_COLUMN, id, back, &w[1]))
        return l->rc;
    if (!l->real_weight && (w[0].real || w[1].real))
        loader_make_real(l);
    if (l->real_weight)
        make_ways_real(w);
    l->weight[l->count] = w[0].number;
    l->reverse[l->count] = w[1].number;
    return SQLITE_OK;
}

/* Every weight in a column of REAL affinity is read as a REAL. */
bool two_ways_are_real(const row_source *rows) {
    static const int columns[] = {WEIGHT_COLUMN, REVERSE_COLUMN};
    bool real = false;
    for (int i = 0; i < 2 && strchr("tw", rows->kind); i++) {
        int column = table_column(&rows->table, rows->column[columns[i]]);
        real |= column >= 0 && affinity_of_type(rows->table.type[column]) == 'E';
    }
    return real;
}

/* ---- making edges ---- */

/* Refuses infinity, which the page reader accepts. */
static int check_row(loader *l, int64_t i) {
    static const int columns[] = {WEIGHT_COLUMN, REVERSE_COLUMN};
    const number weight[] = {l->weight[i], l->reverse[i]};
    for (int k = 0; k < 2 && l->real_weight; k++)
        if (weight[k].real > DBL_MAX) {
            int64_t id = l->edge_id.value ? l->edge_id.value[i] : i + 1;
            return loader_fail(
                l, SQLITE_ERROR,
                fault_sentence(l, columns[k],
                               sqlite3_mprintf("edge %lld", (sqlite3_int64)id),
                               sqlite3_mprintf("the REAL %!.15g", weight[k].real)));
        }
    return SQLITE_OK;
}

enum { POLL_ROWS = 1 << 20 }; /* rows between two polls for an interrupt */

static bool stops(loader *l, int64_t i) {
    if (i % POLL_ROWS == 0 && connection_interrupted(l->c))
        l->rc = SQLITE_INTERRUPT;
    return l->rc != SQLITE_OK;
}

int two_ways_close(loader *l) {
    for (int64_t i = 0; i < l->count && !stops(l, i); i++) {
        const open_ways ways = ways_of_row(l, i);
        if (check_row(l, i) == SQLITE_OK && !ways.open[0] && !ways.open[1])
            half_row_ends(l, i);
    }
    return l->rc;
}

/* Adds row i as an edge; back: from its destination to its source. */
static int add_edge_of_row(loader *to, const loader *from, int64_t i, bool back,
                           number weight, int64_t row) {
    if (loader_room(to) || loader_copy_id(to, &to->id[0], &from->id[back], i) ||
        loader_copy_id(to, &to->id[1], &from->id[!back], i) ||
        (from->has_ids && !to->edge_id.value && loader_begin_edge_ids(to)))
        return to->rc;
    to->weight[to->count] = weight;
    if (from->edge_id.value && loader_copy_id(to, &to->edge_id, &from->edge_id, i))
        return to->rc;
    if (from->has_ids && !from->edge_id.value)
        to->edge_id.value[to->count] = i + 1;
    if (to->has_rows)
        to->row[to->count] = row;
    to->count++;
    return SQLITE_OK;
}

static int add_edges_of_row(loader *to, const loader *from, int64_t i, bool undirected) {
    const number weight[] = {from->weight[i], from->reverse[i]};
    const open_ways ways = ways_of_row(from, i);
    const int64_t row = from->row ? from->row[i] : 0;
    if (undirected && (ways.open[0] || ways.open[1]))
        return add_edge_of_row(to, from, i, false, weight[ways.cheaper], row);
    for (int back = 0; back < 2 && !undirected && to->rc == SQLITE_OK; back++)
        if (ways.open[back])
            add_edge_of_row(to, from, i, back, weight[back], 2 * row + back);
    return to->rc;
}

int two_ways_lay_out(loader *l, bool undirected, loader *to) {
    *to = (loader){.c = l->c,
                   .edges = true,
                   .weights = l->weights,
                   .has_ids = l->has_ids,
                   .has_rows = l->has_rows};
    for (int64_t i = 0; i < l->count && !stops(l, i); i++)
        l->rc = add_edges_of_row(to, l, i, undirected);
    to->real_weight = l->real_weight && to->count > 0;
    return l->rc;
}
