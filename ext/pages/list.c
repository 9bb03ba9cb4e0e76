/* Lists a table's leaves, level by level from the root.
**
**     level    | page page page ... | page page page ... |  a team reads each batch, and
**                  |                                        one thread looks at its pages
**     below    | page page page page ...                      their children
**
** All leaves have the same depth, so the first page of a level shows whether the level
** has leaves. */
#include "format.h"
#include "team.h"

#include <stdlib.h>

enum {
    BATCH = 256,  /* interior pages that are read at a time */
    PORTION = 4,  /* pages that a woken thread reads, about 20 us of work */
    DEEPEST = 20, /* levels; SQLite has the same limit */
    /* bytes of a child on an interior page: pointer, page number, key of one byte */
    LEAST_CHILD = 7
};

/* The pages of one level that may have wanted rows below them, in order. upper is the
** largest rowid that a page may have below it. */
struct level {
    const page_wanted *wanted;
    int64_t next; /* in a list of rowids: the first that is not below an earlier page */
    int64_t last; /* upper of the previous page, listed or not */
    bool any;     /* there was a previous page */
    struct child {
        uint32_t page;
        int64_t upper;
    } * child;
    uint32_t count, room;
    /* The largest number of rows if these pages are leaves. Each page has rowids above
    ** the previous page's upper, up to its own. */
    int64_t most_rows;
};

/* True if a row is wanted whose rowid is above the last upper and at most this one. */
static bool is_wanted(struct level *level, int64_t upper) {
    const page_wanted *w = level->wanted;
    if (w->rowid) {
        while (level->any && level->next < w->count &&
               w->rowid[level->next] <= level->last)
            level->next++;
        return level->next < w->count && w->rowid[level->next] <= upper;
    }
    const bool beyond = w->range && level->any && level->last >= w->range[1];
    return !beyond && (!w->range || upper >= w->range[0]);
}

/* Opens a level with space for the children of this number of pages. */
static enum page_reason open_level(struct level *level, const page_source *source,
                                   const page_wanted *wanted, uint32_t pages) {
    const uint64_t most = (uint64_t)pages * (source->layout->usable / LEAST_CHILD + 1);
    *level = (struct level){
        .wanted = wanted, .room = most < source->pages ? (uint32_t)most : source->pages};
    level->child = malloc((size_t)level->room * sizeof *level->child);
    return level->child ? PAGE_FINE : PAGE_NO_MEMORY;
}

/* most: the largest number of rows of a leaf. */
static enum page_reason level_add(struct level *level, const page_source *source,
                                  int64_t most, uint32_t page, int64_t upper) {
    /* A level with more children than the file has pages is damaged: this ends cycles. */
    if (page < 2 || page > source->pages || level->count == level->room)
        return PAGE_DAMAGED;
    if (level->any && upper <= level->last)
        return PAGE_DAMAGED;
    const uint64_t range = (uint64_t)upper - (uint64_t)level->last;
    if (is_wanted(level, upper)) {
        level->most_rows += level->any && range < (uint64_t)most ? (int64_t)range : most;
        level->child[level->count++] = (struct child){page, upper};
    }
    level->any = true;
    level->last = upper;
    return PAGE_FINE;
}

static enum page_reason add_children(const page_source *source, const uint8_t *page,
                                     bool is_root, int64_t upper, struct level *below) {
    const int64_t most = page_most_rows(source->layout);
    int cells = page_interior_cells(source->layout, page);
    enum page_reason reason = PAGE_FINE;
    uint32_t child;
    int64_t key;
    if (cells < 0 || (cells == 0 && !is_root))
        return PAGE_DAMAGED;
    for (int i = 0; i < cells && !reason; i++) {
        if (!page_child(source->layout, page, i, &child, &key) || key > upper)
            return PAGE_DAMAGED;
        reason = level_add(below, source, most, child, key);
    }
    return reason ? reason : level_add(below, source, most, page_rightmost(page), upper);
}

/* ---- a level ---- */

/* Pages that a team reads at a time. */
struct batch {
    const page_source *source;
    const struct child *child;
    uint8_t *pages;
    enum page_reason reason[BATCH];
};

static void read_page(void *batch, uint64_t i) {
    struct batch *b = batch;
    b->reason[i] = page_source_read(b->source, b->child[i].page, 1,
                                    b->pages + i * b->source->layout->page_size);
}

/* Lists the children of a level. `pages` is a buffer for a batch of its pages. */
static enum page_reason descend(const page_source *source, const struct level *level,
                                bool is_root, uint8_t *pages, struct level *below) {
    struct batch b = {.source = source, .pages = pages};
    enum page_reason reason = open_level(below, source, level->wanted, level->count);
    double next_ms = 0;
    for (uint32_t at = 0; at < level->count && !reason; at += BATCH) {
        const uint32_t left = level->count - at, count = left < BATCH ? left : BATCH;
        b.child = level->child + at;
        if (page_source_stops(source, &next_ms, 0))
            return PAGE_STOPPED;
        gg_parts(source->lock
                     ? 1
                     : page_source_threads(source, (count + PORTION - 1) / PORTION),
                 count, read_page, &b);
        for (uint32_t i = 0; i < count && !reason; i++) {
            reason = b.reason[i];
            if (!reason)
                reason =
                    add_children(source, pages + i * (size_t)source->layout->page_size,
                                 is_root, b.child[i].upper, below);
        }
    }
    return reason ? reason : below->count ? PAGE_FINE : PAGE_DAMAGED;
}

static enum page_reason take_leaves(const struct level *level, page_leaves *leaves) {
    const size_t count = level->count;
    *leaves = (page_leaves){.page = malloc(count * sizeof *leaves->page),
                            .count = level->count,
                            .most_rows = level->most_rows};
    if (level->wanted->rowid)
        leaves->upper = malloc(count * sizeof *leaves->upper);
    if (!leaves->page || (level->wanted->rowid && !leaves->upper))
        return PAGE_NO_MEMORY;
    for (uint32_t i = 0; i < level->count; i++)
        leaves->page[i] = level->child[i].page;
    for (uint32_t i = 0; i < level->count && leaves->upper; i++)
        leaves->upper[i] = level->child[i].upper;
    return PAGE_FINE;
}

enum page_reason page_list(const page_source *source, uint32_t root,
                           const page_wanted *wanted, page_leaves *leaves) {
    struct level level, below;
    uint32_t page = root; /* the first page of a level */
    uint8_t *pages = malloc((size_t)BATCH * source->layout->page_size);
    enum page_reason reason = open_level(&level, source, wanted, 1);
    *leaves = (page_leaves){0};
    if (!pages)
        reason = PAGE_NO_MEMORY;
    if (!reason)
        reason =
            level_add(&level, source, page_most_rows(source->layout), root, INT64_MAX);
    for (int depth = 0; !reason; depth++) {
        reason = page_source_read(source, page, 1, pages);
        if (reason || pages[0] == PAGE_LEAF)
            break;
        if (depth == DEEPEST) {
            reason = PAGE_DAMAGED;
            break;
        }
        reason = descend(source, &level, depth == 0, pages, &below);
        free(level.child);
        level = below;
        page = reason ? 0 : level.child[0].page;
    }
    reason = reason ? reason : take_leaves(&level, leaves);
    free(level.child);
    free(pages);
    return reason;
}
