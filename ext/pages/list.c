/* Lists a table's leaves: root -> level of pages -> level of pages -> leaves, on one
** thread. */
#include "format.h"

#include <stdlib.h>

enum {
    POLL_PAGES = 256, /* interior pages between two looks at the clock */
    DEEPEST = 20      /* levels; SQLite itself goes no deeper */
};

/* ---- interior pages ---- */

/* Pages of one level in order, each with the largest rowid that may lie below it. Either all of the level, or
** those that may hold rowids of a range. */
struct level {
    const int64_t *range; /* NULL: all */
    int64_t last;         /* the upper of the page before, kept or not */
    bool any;             /* there was one */
    struct child {
        uint32_t page;
        int64_t upper;
    } * child;
    uint32_t count;
    size_t room;
};

static enum page_reason level_add(struct level *level, const page_source *source,
                                  uint32_t page, int64_t upper) {
    /* No more children than pages: so a circle ends. Uppers ascend: see most_rows. */
    if (page < 2 || page > source->pages || level->count >= source->pages)
        return PAGE_DAMAGED;
    if (level->any && upper <= level->last)
        return PAGE_DAMAGED;
    const bool beyond = level->range && level->any && level->last >= level->range[1];
    level->any = true;
    level->last = upper;
    if (beyond || (level->range && upper < level->range[0]))
        return PAGE_FINE;
    if (level->count == level->room) {
        size_t room = level->room ? level->room * 2 : 1024;
        struct child *child = realloc(level->child, room * sizeof *child);
        if (!child)
            return PAGE_NO_MEMORY;
        level->child = child;
        level->room = room;
    }
    level->child[level->count++] = (struct child){page, upper};
    return PAGE_FINE;
}

static enum page_reason add_children(const page_source *source, const page_layout *layout,
                                     const uint8_t *page, bool is_root, int64_t upper,
                                     struct level *below) {
    int cells = page_interior_cells(layout, page);
    enum page_reason reason = PAGE_FINE;
    uint32_t child;
    int64_t key;

    if (cells < 0 || (cells == 0 && !is_root))
        return PAGE_DAMAGED;
    for (int i = 0; i < cells && !reason; i++) {
        if (!page_child(layout, page, i, &child, &key) || key > upper)
            return PAGE_DAMAGED;
        reason = level_add(below, source, child, key);
    }
    return reason ? reason : level_add(below, source, page_rightmost(page), upper);
}

/* The rows that the keys leave room for: each leaf holds rowids over the upper of the
** leaf before, up to its own. */
static int64_t most_rows(const page_layout *layout, const struct level *leaves) {
    int64_t most = page_most_rows(layout), sum = most;
    for (uint32_t i = 1; i < leaves->count; i++) {
        uint64_t range =
            (uint64_t)leaves->child[i].upper - (uint64_t)leaves->child[i - 1].upper;
        sum += range < (uint64_t)most ? (int64_t)range : most;
    }
    return sum;
}

static enum page_reason finish_list(const page_layout *layout, const struct level *level,
                                    page_leaves *leaves) {
    leaves->page = malloc(level->count * sizeof *leaves->page);
    if (!leaves->page)
        return PAGE_NO_MEMORY;
    for (uint32_t i = 0; i < level->count; i++)
        leaves->page[i] = level->child[i].page;
    leaves->count = level->count;
    leaves->most_rows = most_rows(layout, level);
    return PAGE_FINE;
}

enum page_reason page_list(const page_source *source, const page_layout *layout,
                           uint32_t root, const int64_t *range, page_leaves *leaves) {
    struct level level = {.range = range}, below = {.range = range};
    uint8_t *page = malloc(layout->page_size);
    enum page_reason reason = page ? PAGE_FINE : PAGE_NO_MEMORY;
    uint32_t polls = 0;
    double next_ms = 0;

    *leaves = (page_leaves){0};
    if (!reason)
        reason = level_add(&level, source, root, INT64_MAX);
    for (int depth = 0; !reason; depth++) {
        /* All leaves lie equally deep, so a level's first page speaks for the level. */
        reason = page_source_read(source, layout, level.child[0].page, 1, page);
        if (reason || page[0] == PAGE_LEAF)
            break;
        if (depth == DEEPEST)
            reason = PAGE_DAMAGED;
        below.count = 0;
        below.any = false;
        for (uint32_t i = 0; i < level.count && !reason; i++) {
            if (polls++ % POLL_PAGES == 0 && page_source_stops(source, &next_ms, 0))
                reason = PAGE_STOPPED;
            else if (i > 0)
                reason = page_source_read(source, layout, level.child[i].page, 1, page);
            if (!reason)
                reason = add_children(source, layout, page, depth == 0,
                                      level.child[i].upper, &below);
        }
        struct level swap = level;
        level = below;
        below = swap;
    }
    if (!reason)
        reason = finish_list(layout, &level, leaves);
    free(level.child);
    free(below.child);
    free(page);
    return reason;
}
