/* Some rows of a table by their rowids: down its b-tree once for all of them, then the leaves that hold any.
**
**     asked     3 5 | 901 | 977 978 990           ascending
**     interior  [ 5 | 400 | 950 | ]               each page is read once, for the rowids that lie below it;
**                                                 a level of many pages by several threads
**     leaves    [ 1 3 5 ] [ 880 .. 901 .. ] [ 976 977 .. 990 ]
**                                                 by several threads; in a leaf each is found by halving
**
** What a row holds beyond numbers is left to SQLite (PAGE_ROW_ODD): a text, a NULL, a record that goes on
** behind its page. */
#include "bytes.h"
#include "format.h"
#include "team.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { DEEPEST = 20 }; /* levels; SQLite itself goes no deeper */

/* A page, and the rowids that are looked for below it. */
struct span {
    uint32_t page, low, high; /* of the rowids looked for: low .. high - 1 */
    int64_t upper;            /* the largest that may lie below */
};

struct level {
    struct span *span;
    uint32_t count;
    size_t room;
};

static enum page_reason level_add(struct level *level, const page_source *source,
                                  struct span span) {
    if (span.page < 2 || span.page > source->pages || level->count >= source->pages)
        return PAGE_DAMAGED;
    if (level->count == level->room) {
        const size_t room = level->room ? level->room * 2 : 256;
        struct span *spans = realloc(level->span, room * sizeof *spans);
        if (!spans)
            return PAGE_NO_MEMORY;
        level->span = spans;
        level->room = room;
    }
    level->span[level->count++] = span;
    return PAGE_FINE;
}

/* How many of the wanted low .. high - 1 are not above `upper`. */
static uint32_t wanted_to(const int64_t *wanted, uint32_t low, uint32_t high,
                          int64_t upper) {
    const uint32_t first = low;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (wanted[middle] <= upper)
            low = middle + 1;
        else
            high = middle;
    }
    return low - first;
}

/* The first child from `low` on whose rowids are not all below the wanted one; cells: the rightmost. */
static enum page_reason find_child(const page_layout *layout, const uint8_t *page,
                                   int cells, int low, int64_t wanted, int *found) {
    int high = cells;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        uint32_t child;
        int64_t key;
        if (!page_child(layout, page, middle, &child, &key))
            return PAGE_DAMAGED;
        if (key < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low;
    return PAGE_FINE;
}

static enum page_reason add_children(const page_source *source, const page_layout *layout,
                                     const uint8_t *page, const int64_t *wanted,
                                     struct span above, struct level *below) {
    const int cells = page_interior_cells(layout, page);
    int cell = 0;
    if (cells < 0)
        return PAGE_DAMAGED;
    for (uint32_t at = above.low, count; at < above.high; at += count) {
        struct span span = {
            .page = page_rightmost(page), .low = at, .upper = above.upper};
        enum page_reason reason =
            find_child(layout, page, cells, cell, wanted[at], &cell);
        if (!reason && cell < cells &&
            (!page_child(layout, page, cell, &span.page, &span.upper) ||
             span.upper > above.upper))
            reason = PAGE_DAMAGED;
        count = wanted_to(wanted, at, above.high, span.upper);
        if (!reason && count == 0)
            reason = PAGE_DAMAGED;
        span.high = at + count;
        if (!reason)
            reason = level_add(below, source, span);
        if (reason)
            return reason;
    }
    return PAGE_FINE;
}

/* ---- the levels above ---- */

enum { PORTION = 16 }; /* pages that a thread takes at a time */

/* The pages of a level in portions; children of each, to be put together in order. */
struct descent {
    const page_source *source;
    const page_layout *layout;
    const int64_t *wanted;
    const struct level *level;
    struct level *below; /* of each portion */
    atomic_uint next;    /* portion */
    atomic_int reason;   /* enum page_reason: the first */
};

static void stop(atomic_int *of, enum page_reason reason) {
    int none = PAGE_FINE;
    if (reason)
        atomic_compare_exchange_strong(of, &none, (int)reason);
}

static enum page_reason descend_portion(const struct descent *d, uint32_t portion,
                                        uint8_t *page) {
    const uint32_t first = portion * PORTION, left = d->level->count - first;
    const struct span *span = d->level->span + first;
    enum page_reason reason = PAGE_FINE;
    for (uint32_t i = 0; i < PORTION && i < left && !reason; i++) {
        reason = page_source_read(d->source, d->layout, span[i].page, 1, page);
        if (!reason)
            reason = add_children(d->source, d->layout, page, d->wanted, span[i],
                                  &d->below[portion]);
    }
    return reason;
}

static uint32_t portions_of(const struct level *level) {
    return (level->count + PORTION - 1) / PORTION;
}

/* The first of the members asks whether to stop. */
static void take_portions(void *job, int member, int members) {
    struct descent *d = job;
    uint8_t *page = calloc(1, (size_t)d->layout->page_size + PAGE_PAD);
    double next_ms = 0;
    (void)members;
    if (!page)
        stop(&d->reason, PAGE_NO_MEMORY);
    while (atomic_load(&d->reason) == PAGE_FINE) {
        const uint32_t portion = atomic_fetch_add(&d->next, 1);
        if (portion >= portions_of(d->level))
            break;
        if (member == 0 && page_source_stops(d->source, &next_ms, 0))
            stop(&d->reason, PAGE_STOPPED);
        stop(&d->reason, descend_portion(d, portion, page));
    }
    free(page);
}

/* Where reads may not go side by side one thread does all. */
static int threads_for(const page_source *source, uint32_t pages) {
    enum { PAGES_A_THREAD = 64 };
    return source->apart ? page_source_threads(source, pages / PAGES_A_THREAD + 1) : 1;
}

static enum page_reason descend(const page_source *source, const page_layout *layout,
                                const int64_t *wanted, const struct level *level,
                                struct level *below) {
    const uint32_t portions = portions_of(level);
    struct descent d = {.source = source,
                        .layout = layout,
                        .wanted = wanted,
                        .level = level,
                        .below = calloc(portions, sizeof *d.below)};
    below->count = 0;
    if (!d.below)
        return PAGE_NO_MEMORY;
    gg_team(threads_for(source, level->count), take_portions, &d);
    enum page_reason reason = (enum page_reason)atomic_load(&d.reason);
    for (uint32_t p = 0; p < portions; p++) {
        for (uint32_t i = 0; i < d.below[p].count && !reason; i++)
            reason = level_add(below, source, d.below[p].span[i]);
        free(d.below[p].span);
    }
    free(d.below);
    return reason;
}

/* ---- the leaves ---- */

struct finding {
    const page_source *source;
    const page_layout *layout;
    const int64_t *wanted;
    const struct level *leaves;
    page_found *found;
    atomic_uint next;  /* leaf */
    atomic_int reason; /* enum page_reason: the first that is for good */
};

/* What is not on the page is not looked for. */
static enum page_reason fetch_nothing(void *owner, uint32_t page, uint8_t *to) {
    (void)owner, (void)page, (void)to;
    return PAGE_TOO_LONG;
}

static bool is_for_good(enum page_reason reason) {
    return reason == PAGE_DAMAGED || reason == PAGE_NO_MEMORY;
}

/* The rowid of a cell, and where it is; false: it lies outside the page. */
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
    const page_layout *layout = f->layout;
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
    if (is_for_good(reason))
        return reason;
    const bool plain = !reason && !row.text && !row.null;
    f->found->state[i] = plain ? PAGE_ROW_NUMBERS : PAGE_ROW_ODD;
    for (int k = 0; k < PAGE_FOUND_COLUMNS; k++)
        f->found->value[k][i] = row.value[k];
    return PAGE_FINE;
}

static enum page_reason find_in_leaf(struct finding *f, const struct span *leaf,
                                     uint8_t *page, page_helper *helper) {
    uint32_t low = 0;
    enum page_reason reason = page_one_read(f->source, f->layout, leaf->page, page);
    if (reason)
        return reason;
    const int cells = page_leaf_cells(f->layout, page);
    if (cells < 0)
        return PAGE_DAMAGED;
    for (uint32_t i = leaf->low; i < leaf->high && !reason; i++)
        reason = find_row(f, page, (uint32_t)cells, &low, i, helper);
    return reason;
}

/* The first of the members asks whether to stop. */
static void take_leaves(void *job, int member, int members) {
    struct finding *f = job;
    page_helper helper = {.fetch = fetch_nothing};
    uint8_t *room = calloc(1, PAGE_BEFORE + (size_t)f->layout->page_size + PAGE_PAD);
    uint8_t *page = room ? room + PAGE_BEFORE : NULL;
    double next_ms = 0;
    (void)members;
    helper.pages = f->source->pages;
    helper.overflow = malloc(f->layout->page_size);
    helper.map = malloc(f->layout->page_size);
    if (!page || !helper.overflow || !helper.map)
        stop(&f->reason, PAGE_NO_MEMORY);
    while (atomic_load(&f->reason) == PAGE_FINE) {
        const uint32_t first = atomic_fetch_add(&f->next, PORTION);
        if (first >= f->leaves->count)
            break;
        if (member == 0 && page_source_stops(f->source, &next_ms, first))
            stop(&f->reason, PAGE_STOPPED);
        for (uint32_t i = first; i < first + PORTION && i < f->leaves->count; i++)
            stop(&f->reason, find_in_leaf(f, &f->leaves->span[i], page, &helper));
    }
    free(room);
    free(helper.overflow);
    free(helper.map);
    page_store_clear(&helper.store);
}

static enum page_reason find_in_leaves(struct finding *f) {
    gg_team(threads_for(f->source, f->leaves->count), take_leaves, f);
    return (enum page_reason)atomic_load(&f->reason);
}

/* ---- all together ---- */

enum page_reason page_find_rows(const page_source *source, const page_layout *layout,
                                uint32_t root, const int64_t *wanted, page_found *found) {
    struct level level = {0}, below = {0};
    uint8_t *page = calloc(1, (size_t)layout->page_size + PAGE_PAD);
    enum page_reason reason = page ? PAGE_FINE : PAGE_NO_MEMORY;
    struct span all = {root, 0, (uint32_t)found->count, INT64_MAX};
    if (!reason)
        reason = level_add(&level, source, all);
    for (int depth = 0; !reason; depth++) {
        /* All leaves lie equally deep, so a level's first page speaks for the level. */
        reason = page_source_read(source, layout, level.span[0].page, 1, page);
        if (reason || page[0] == PAGE_LEAF)
            break;
        reason = depth == DEEPEST ? PAGE_DAMAGED : PAGE_FINE;
        if (!reason)
            reason = descend(source, layout, wanted, &level, &below);
        struct level swap = level;
        level = below;
        below = swap;
    }
    struct finding f = {.source = source,
                        .layout = layout,
                        .wanted = wanted,
                        .leaves = &level,
                        .found = found};
    if (!reason)
        reason = find_in_leaves(&f);
    free(level.span);
    free(below.span);
    free(page);
    return reason;
}
