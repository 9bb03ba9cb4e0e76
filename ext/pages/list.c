/* Lists a table's leaves: root -> level of pages -> level of pages -> leaves.
**
**     level    | page page page | page page page | page ...    portions, read by whoever is free
**                  |                |
**     below    | children       | children       | ...         each portion's own, put together
**
** The key above a portion's first page is known from the level before, so each portion looks
** after the order of its own keys. */
#include "format.h"
#include "team.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    PORTION = 16, /* interior pages, some 50 us: a team is woken for a few of them */
    DEEPEST = 20  /* levels; SQLite itself goes no deeper */
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

/* ---- a level, by a team ---- */

struct portion {
    struct level below;
    enum page_reason reason;
};

struct listing {
    const page_source *source;
    const page_layout *layout;
    const struct level *level;
    bool root; /* the level is the root */
    uint32_t portions;
    struct portion *portion;
    atomic_uint next;  /* the first portion that nobody has taken */
    atomic_int reason; /* why the team goes no further; PAGE_FINE: it does */
};

/* Reads the portion's pages by way of `page`. */
static enum page_reason read_portion(const struct listing *l, uint32_t p, uint8_t *page) {
    const struct level *level = l->level;
    const uint32_t first = p * PORTION;
    struct level *below = &l->portion[p].below;
    enum page_reason reason = PAGE_FINE;
    *below = (struct level){.range = level->range,
                            .any = first > 0,
                            .last = first > 0 ? level->child[first - 1].upper : 0};
    for (uint32_t i = first; i < level->count && i < first + PORTION && !reason; i++) {
        reason = page_source_read(l->source, l->layout, level->child[i].page, 1, page);
        if (!reason)
            reason = add_children(l->source, l->layout, page, l->root,
                                  level->child[i].upper, below);
    }
    return reason;
}

/* The first of the members asks whether to stop. */
static void take_portions(void *listing, int member, int team) {
    struct listing *l = listing;
    uint8_t *page = malloc(l->layout->page_size);
    double next_ms = 0;
    (void)team;
    if (!page)
        atomic_store(&l->reason, PAGE_NO_MEMORY);
    while (atomic_load(&l->reason) == PAGE_FINE) {
        const uint32_t p = atomic_fetch_add(&l->next, 1);
        if (p >= l->portions)
            break;
        if (member == 0 && page_source_stops(l->source, &next_ms, 0))
            l->portion[p].reason = PAGE_STOPPED;
        else
            l->portion[p].reason = read_portion(l, p, page);
        if (l->portion[p].reason)
            atomic_store(&l->reason, (int)l->portion[p].reason);
    }
    free(page);
}

/* Puts the portions' children together. */
static enum page_reason join(const struct listing *l, struct level *below) {
    size_t count = 0, at = 0;
    for (uint32_t p = 0; p < l->portions; p++)
        count += l->portion[p].below.count;
    if (count == 0 || count > l->source->pages)
        return PAGE_DAMAGED;
    *below = (struct level){.range = l->level->range,
                            .child = malloc(count * sizeof *below->child),
                            .count = (uint32_t)count};
    if (!below->child)
        return PAGE_NO_MEMORY;
    for (uint32_t p = 0; p < l->portions; p++) {
        const struct level *part = &l->portion[p].below;
        if (part->count)
            memcpy(below->child + at, part->child, part->count * sizeof *part->child);
        at += part->count;
    }
    return PAGE_FINE;
}

/* The level below: of several portions that have gone wrong the first one tells why. */
static enum page_reason descend(const page_source *source, const page_layout *layout,
                                const struct level *level, bool root,
                                struct level *below) {
    struct listing l = {.source = source,
                        .layout = layout,
                        .level = level,
                        .root = root,
                        .portions = (level->count + PORTION - 1) / PORTION};
    l.portion = calloc(l.portions, sizeof *l.portion);
    if (!l.portion)
        return PAGE_NO_MEMORY;
    gg_team(source->apart ? page_source_threads(source, l.portions) : 1, take_portions,
            &l);
    enum page_reason reason = PAGE_FINE;
    for (uint32_t p = 0; p < l.portions && !reason; p++)
        reason = l.portion[p].reason;
    if (!reason)
        reason = (enum page_reason)atomic_load(&l.reason);
    if (!reason)
        reason = join(&l, below);
    for (uint32_t p = 0; p < l.portions; p++)
        free(l.portion[p].below.child);
    free(l.portion);
    return reason;
}

/* ---- all levels ---- */

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
    struct level level = {.range = range};
    uint8_t *page = malloc(layout->page_size);
    enum page_reason reason = page ? PAGE_FINE : PAGE_NO_MEMORY;

    *leaves = (page_leaves){0};
    if (!reason)
        reason = level_add(&level, source, root, INT64_MAX);
    for (int depth = 0; !reason; depth++) {
        struct level below = {0};
        /* All leaves lie equally deep, so a level's first page speaks for the level. */
        reason = page_source_read(source, layout, level.child[0].page, 1, page);
        if (reason || page[0] == PAGE_LEAF)
            break;
        reason = depth < DEEPEST ? descend(source, layout, &level, depth == 0, &below)
                                 : PAGE_DAMAGED;
        free(level.child);
        level = below;
    }
    if (!reason)
        reason = finish_list(layout, &level, leaves);
    free(level.child);
    free(page);
    return reason;
}
