/* The walk over the rows of a CSR, and over the arcs that go and come, in order.
**
**     row of v   | 7 2 9 4 |      2 and 4 go, 5 comes: it takes the place of the first
**                | 7 5 9 |        that goes; more would go to the end of the row
**     sorted     | 2 4 7 9 |      5 comes before 7, the place that its target asks for
**
** Arcs that go are found in their rows by target and weight; of equal ones any will do, except
** where numbers of edges tell them apart. */
#include "rows.h"

/* ---- arcs that go ---- */

/* Is an arc (column, weight) among going low .. high - 1, one that is not matched yet? */
static bool match(row_walk *w, uint64_t low, uint64_t high, uint32_t column,
                  uint64_t weight) {
    uint64_t end = high;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (gg_compare_arc(w, middle, column, weight) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == end || gg_compare_arc(w, low, column, weight) != 0)
        return false;
    uint64_t next = low + w->matched[low];
    if (next == end || gg_compare_arc(w, next, column, weight) != 0)
        return false;
    w->matched[low]++;
    return true;
}

/* Finds going low .. high - 1 among arcs begin .. end - 1 of the slot. */
static void match_range(row_walk *w, uint64_t low, uint64_t high, uint64_t begin,
                        uint64_t end) {
    const struct csr_slot *slot = w->slot;
    size_t size = gg_old_weight_size(w);
    uint64_t left = high - low;
    for (uint64_t k = begin; k < end && left && !gg_leave(w->u->run, k); k++) {
        uint64_t weight = slot->weight ? gg_weight_at(slot->weight, k, size) : 0;
        if (high - low == 1
                ? slot->target[k] != w->column[low] || weight != w->weight[low]
                : !match(w, low, high, slot->target[k], weight))
            continue;
        w->p->removed_at[w->p->removed++] = k;
        left--;
    }
    if (left)
        gg_fail(w->u->run, GPUGRAPH_INVALID,
                "edge %lld is not in the rows of the graph, which is damaged",
                (long long)w->u->removed_id[w->going[low] / 2]);
}

/* The first arc of begin .. end - 1, ascending by target, that is not below `target`. */
static uint64_t lower(const struct csr_slot *slot, uint64_t begin, uint64_t end,
                      uint64_t target) {
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        if (slot->target[middle] < target)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Going low .. high - 1 leave row v. */
static void match_row(row_walk *w, uint32_t v, uint64_t low, uint64_t high) {
    if (w->going_at) {
        while (low < high)
            w->p->removed_at[w->p->removed++] = w->going_at[low++];
        return;
    }
    uint64_t begin = w->slot->offset[v], end = w->slot->offset[v + (uint64_t)1];
    if (!w->slot->sorted) {
        match_range(w, low, high, begin, end);
        return;
    }
    for (uint64_t i = low, next; i < high && !gg_stopping(w->u->run); i = next) {
        for (next = i + 1; next < high && w->column[next] == w->column[i];)
            next++;
        uint64_t first = lower(w->slot, begin, end, w->column[i]);
        begin = lower(w->slot, first, end, w->column[i] + (uint64_t)1);
        match_range(w, i, next, first, begin);
    }
}

/* ---- arcs that come ---- */

static void put_arc(row_walk *w, end_ref ref, uint64_t at) {
    row_plan *p = w->p;
    uint64_t i = p->inserted++;
    p->inserted_at[i] = at;
    p->target[i] = w->u->end[ref ^ 1].new;
    if (p->numbers)
        gg_put_edge(p->weight, w->u->graph->wide, i, w->u->added_edge[ref / 2]);
    else if (p->weight_size == sizeof(uint32_t))
        ((uint32_t *)p->weight)[i] = ((const uint32_t *)w->u->weight)[ref / 2];
    else if (p->weight_size)
        ((uint64_t *)p->weight)[i] = ((const uint64_t *)w->u->weight)[ref / 2];
}

/* Where an arc belongs in a sorted row of old targets. Among equal ones edge numbers
** ascend. */
static uint64_t sorted_place(const row_walk *w, end_ref ref, uint64_t begin,
                             uint64_t end) {
    const added_end *to = &w->u->end[ref ^ 1];
    uint64_t low = lower(w->slot, begin, end, to->place);
    if (to->old == GPUGRAPH_NONE)
        return low;
    uint64_t high = lower(w->slot, low, end, to->place + (uint64_t)1);
    if (!w->p->numbers)
        return high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        uint64_t edge = gg_edge_at(w->slot->weight, w->u->graph->wide, middle);
        if (edge < w->u->added_at[ref / 2])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Coming low .. high - 1 enter arcs begin .. end - 1; those found to go from place `freed`
** of removed_at on have left there. */
static void put_row(row_walk *w, uint64_t low, uint64_t high, uint64_t begin,
                    uint64_t end, uint64_t freed) {
    for (uint64_t k = low; k < high; k++) {
        uint64_t at = end;
        if (w->slot->sorted)
            at = sorted_place(w, w->coming[k], begin, end);
        else if (freed < w->p->removed)
            at = w->p->removed_at[freed++];
        put_arc(w, w->coming[k], at);
    }
}

/* ---- rows in order ---- */

/* Where a row begins, or the row before ends, as coming k wants to know it. */
static uint64_t row_start(const row_walk *w, uint64_t row, uint64_t k) {
    return w->coming_at ? w->coming_at[k] : w->slot->offset[row];
}

static void add_event(row_plan *p, uint64_t at, int64_t by) {
    if (!by)
        return;
    p->event_at[p->events] = at;
    p->event_by[p->events++] = by;
}

void gg_fill_row_plan(row_walk *w) {
    row_plan *p = w->p;
    uint64_t i = 0, k = 0;
    while ((i < w->goings || k < w->comings) && !gg_stopping(w->u->run)) {
        uint64_t old_row = i < w->goings ? gg_going_row(w, i) : UINT64_MAX, next = i;
        const added_end *come = k < w->comings ? &w->u->end[w->coming[k]] : NULL;
        uint64_t row = come ? come->place : UINT64_MAX, more = k, freed = p->removed;
        bool fresh = come && come->old == GPUGRAPH_NONE;
        while (come && row <= old_row && more < w->comings &&
               w->u->end[w->coming[more]].new == come->new)
            more++;
        if (fresh && row <= old_row) {
            uint64_t at = row_start(w, row, k);
            put_row(w, k, more, at, at, freed);
            p->fresh_start[come->fresh] = more - k;
            add_event(p, row, (int64_t)(more - k));
            k = more;
            continue;
        }
        row = row < old_row ? row : old_row;
        while (next < w->goings && gg_going_row(w, next) == row)
            next++;
        if (next > i)
            match_row(w, (uint32_t)row, i, next);
        if (more > k)
            put_row(w, k, more, w->slot->sorted ? w->slot->offset[row] : 0,
                    row_start(w, row + 1, k), freed);
        add_event(p, row + 1, (int64_t)(more - k) - (int64_t)(next - i));
        i = next;
        k = more;
    }
}
