/* Finds rows of a table by their rowids.
**
**     wanted    3 5 | 901 | 977 978 990           ascending
**     list.c    lists the leaves that may have wanted rows, each with its largest rowid
**     leaves    [ 1 3 5 ] [ 880 .. 901 .. ] [ 976 977 .. 990 ]
**                                                 threads search leaves by bisection
**
** SQLite must read rows with values other than numbers (PAGE_ROW_ODD). */
#include "format.h"
#include "team.h"

#include <stdlib.h>

enum { PORTION = 16, PAGES_A_THREAD = 64 }; /* leaves taken at a time; per thread */

struct finding {
    const page_source *source;
    const int64_t *wanted;
    const page_leaves *leaves;
    /* for each leaf, the index of the first wanted rowid that it may have; the last entry
    ** is the number of wanted rowids */
    const uint32_t *low;
    page_found *found;
    atomic_uint next;  /* the next leaf that no thread has taken */
    atomic_int reason; /* enum page_reason: why the threads stop */
};

/* Finds the position and the rowid of a cell. False: it lies outside the page. */
static bool look_at_cell(const page_layout *layout, const uint8_t *page, uint32_t cells,
                         uint32_t cell, const uint8_t **at, int64_t *rowid) {
    const uint8_t *end = page + layout->usable;
    const uint32_t offset = get2(page + PAGE_LEAF_HEADER + 2 * cell);
    uint64_t payload, key;
    if (offset < PAGE_LEAF_HEADER + 2 * cells || offset >= layout->usable)
        return false;
    *at = page + offset;
    const int used = get_varint(*at, end, &payload);
    if (!used || !get_varint(*at + used, end, &key))
        return false;
    *rowid = (int64_t)key;
    return true;
}

static enum page_reason find_row(struct finding *f, const uint8_t *page, uint32_t cells,
                                 uint32_t *low, uint32_t i, page_helper *helper) {
    const page_layout *layout = f->source->layout;
    const uint8_t *at, *hit = NULL;
    int64_t rowid;
    f->found->state[i] = PAGE_ROW_ABSENT;
    for (uint32_t high = cells; *low < high;) {
        const uint32_t middle = *low + (high - *low) / 2;
        if (!look_at_cell(layout, page, cells, middle, &at, &rowid))
            return PAGE_DAMAGED;
        hit = rowid == f->wanted[i] ? at : hit;
        if (rowid < f->wanted[i])
            *low = middle + 1;
        else
            high = middle;
    }
    if (!hit)
        return PAGE_FINE;
    page_values row = {0};
    const enum page_reason reason =
        page_cell(layout, hit, page + layout->usable, helper, &rowid, &row);
    page_store_empty(&helper->store);
    if (reason == PAGE_DAMAGED || reason == PAGE_NO_MEMORY)
        return reason;
    const bool plain = !reason && !row.text && !row.null && !row.out;
    f->found->state[i] = plain ? PAGE_ROW_NUMBERS : PAGE_ROW_ODD;
    for (int k = 0; k < PAGE_FOUND_COLUMNS; k++)
        f->found->value[k][i] = row.value[k];
    return PAGE_FINE;
}

static enum page_reason find_in_leaf(struct finding *f, uint32_t leaf,
                                     page_helper *helper) {
    uint8_t *page = helper->pages;
    uint32_t low = 0;
    enum page_reason reason = page_source_read(f->source, f->leaves->page[leaf], 1, page);
    if (reason)
        return reason;
    const int cells = page_leaf_cells(f->source->layout, page);
    if (cells < 0)
        return PAGE_DAMAGED;
    for (uint32_t i = f->low[leaf]; i < f->low[leaf + 1] && !reason; i++)
        reason = find_row(f, page, (uint32_t)cells, &low, i, helper);
    return reason;
}

/* Member 0 asks whether to stop. */
static void take_leaves(void *job, int member, int members) {
    struct finding *f = job;
    page_helper helper;
    double next_ms = 0;
    (void)members;
    if (!page_helper_open(&helper, f->source, 1))
        page_stop(&f->reason, PAGE_NO_MEMORY);
    while (atomic_load(&f->reason) == PAGE_FINE) {
        const uint32_t first = atomic_fetch_add(&f->next, PORTION);
        if (first >= f->leaves->count)
            break;
        if (member == 0 && page_source_stops(f->source, &next_ms, first))
            page_stop(&f->reason, PAGE_STOPPED);
        for (uint32_t i = first; i < first + PORTION && i < f->leaves->count; i++)
            page_stop(&f->reason, find_in_leaf(f, i, &helper));
    }
    page_helper_clear(&helper);
}

/* Fills finding.low. Returns NULL if there is no memory. */
static uint32_t *divide(const page_leaves *leaves, const page_wanted *wanted) {
    uint32_t *low = malloc(((size_t)leaves->count + 1) * sizeof *low);
    int64_t at = 0;
    for (uint32_t i = 0; low && i < leaves->count; i++) {
        low[i] = (uint32_t)at;
        while (at < wanted->count && wanted->rowid[at] <= leaves->upper[i])
            at++;
    }
    if (low)
        low[leaves->count] = (uint32_t)at;
    return low;
}

enum page_reason page_find_rows(const page_source *source, uint32_t root,
                                const int64_t *wanted, page_found *found) {
    const page_wanted all = {.rowid = wanted, .count = found->count};
    page_leaves leaves;
    enum page_reason reason = page_list(source, root, &all, &leaves);
    uint32_t *low = reason ? NULL : divide(&leaves, &all);
    struct finding f = {.source = source,
                        .wanted = wanted,
                        .leaves = &leaves,
                        .low = low,
                        .found = found};
    if (low) {
        /* One thread reads if reads cannot run in parallel. */
        gg_team(source->lock
                    ? 1
                    : page_source_threads(source, leaves.count / PAGES_A_THREAD + 1),
                take_leaves, &f);
        reason = (enum page_reason)atomic_load(&f.reason);
    } else if (!reason) {
        reason = PAGE_NO_MEMORY;
    }
    free(low);
    free(leaves.page);
    free(leaves.upper);
    return reason;
}
