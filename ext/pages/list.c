/* Lists a table's leaves: root -> level of pages -> level of pages -> leaves.
**
**     level    | page page page | page page page | page ...    portions, read by whoever is free
**                  |                |
**     below    | children       | children       | ...         each portion's own, put together
**                  |                |                          for the next level; of leaves
**     leaves   | number number ... | number ...                the numbers alone, by whoever is free
**
** The key above a portion's first page is known from the level before, so each portion looks
** after the order of its own keys. */
#include "format.h"
#include "team.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    PORTION = 4, /* interior pages, some 20 us: a team is woken for a few of them */
    DEEPEST = 20 /* levels; SQLite itself goes no deeper */
};

/* ---- interior pages ---- */

/* Pages of one level in order, each with the largest rowid that may lie below it: those of the level
** that may hold a row that is wanted. */
struct level {
    const page_wanted *wanted;
    int64_t next; /* of a list of rowids: the first that is not below the next page */
    int64_t last; /* the upper of the page before, kept or not */
    bool any;     /* there was one */
    struct child {
        uint32_t page;
        int64_t upper;
    } * child;
    uint32_t count;
    size_t room;
    /* Were they leaves, the rows that the keys leave room for: each holds rowids over the upper of the
    ** one before, up to its own. */
    int64_t most_rows;
};

static void count_rows_of_list(struct level *level, int64_t most, int64_t upper) {
    const uint64_t range = (uint64_t)upper - (uint64_t)level->last;
    level->most_rows += level->any && range < (uint64_t)most ? (int64_t)range : most;
}

/* Of the page whose rowids are above the last upper, up to this one. */
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

/* most: rows of a leaf. */
static enum page_reason level_add(struct level *level, const page_source *source,
                                  int64_t most, uint32_t page, int64_t upper) {
    /* No more children than pages: so a circle ends. Uppers ascend: see most_rows. */
    if (page < 2 || page > source->pages || level->count >= source->pages)
        return PAGE_DAMAGED;
    if (level->any && upper <= level->last)
        return PAGE_DAMAGED;
    const bool kept = is_wanted(level, upper);
    if (kept)
        count_rows_of_list(level, most, upper);
    level->any = true;
    level->last = upper;
    if (!kept)
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
    const int64_t most = page_most_rows(layout);
    int cells = page_interior_cells(layout, page);
    enum page_reason reason = PAGE_FINE;
    uint32_t child;
    int64_t key;

    if (cells < 0 || (cells == 0 && !is_root))
        return PAGE_DAMAGED;
    for (int i = 0; i < cells && !reason; i++) {
        if (!page_child(layout, page, i, &child, &key) || key > upper)
            return PAGE_DAMAGED;
        reason = level_add(below, source, most, child, key);
    }
    return reason ? reason : level_add(below, source, most, page_rightmost(page), upper);
}

/* ---- a level, by a team ---- */

struct portion {
    struct level below;
    uint32_t at; /* its first child among all */
    enum page_reason reason;
};

struct listing {
    const page_source *source;
    const page_layout *layout;
    const struct level *level;
    bool root; /* the level is the root */
    uint32_t portions;
    struct portion *portion;
    uint32_t count;    /* children of all */
    atomic_uint next;  /* the first portion that nobody has taken */
    atomic_int reason; /* why the team goes no further; PAGE_FINE: it does */
};

/* The first rowid of the list that is above `last`. */
static int64_t first_above(const page_wanted *w, int64_t last) {
    int64_t low = 0, high = w->rowid ? w->count : 0;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (w->rowid[middle] <= last)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Reads the portion's pages by way of `page`. */
static enum page_reason read_portion(const struct listing *l, uint32_t p, uint8_t *page) {
    const struct level *level = l->level;
    const uint32_t first = p * PORTION;
    struct level *below = &l->portion[p].below;
    enum page_reason reason = PAGE_FINE;
    *below = (struct level){.wanted = level->wanted,
                            .any = first > 0,
                            .last = first > 0 ? level->child[first - 1].upper : 0};
    if (below->any)
        below->next = first_above(level->wanted, below->last);
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

/* Reads the level's pages. Of several portions that have gone wrong the first one tells why. */
static enum page_reason read_level(struct listing *l) {
    l->portions = (l->level->count + PORTION - 1) / PORTION;
    l->portion = calloc(l->portions, sizeof *l->portion);
    if (!l->portion)
        return PAGE_NO_MEMORY;
    gg_team(l->source->lock ? 1 : page_source_threads(l->source, l->portions),
            take_portions, l);
    uint64_t count = 0;
    for (uint32_t p = 0; p < l->portions; p++) {
        if (l->portion[p].reason)
            return l->portion[p].reason;
        l->portion[p].at = (uint32_t)count;
        count += l->portion[p].below.count;
    }
    l->count = (uint32_t)count;
    if (!atomic_load(&l->reason) && (count == 0 || count > l->source->pages))
        return PAGE_DAMAGED;
    return (enum page_reason)atomic_load(&l->reason);
}

static void clear_listing(struct listing *l) {
    for (uint32_t p = 0; p < l->portions && l->portion; p++)
        free(l->portion[p].below.child);
    free(l->portion);
}

/* The next level. */
static enum page_reason join_list(const struct listing *l, struct level *below) {
    *below = (struct level){.wanted = l->level->wanted,
                            .child = malloc(l->count * sizeof *below->child),
                            .count = l->count};
    if (!below->child)
        return PAGE_NO_MEMORY;
    for (uint32_t p = 0; p < l->portions; p++) {
        const struct level *part = &l->portion[p].below;
        if (part->count)
            memcpy(below->child + l->portion[p].at, part->child,
                   part->count * sizeof *part->child);
    }
    return PAGE_FINE;
}

/* ---- leaves ---- */

struct numbering {
    const struct listing *listing;
    uint32_t *page;
    int64_t *upper; /* or NULL */
};

static void number_portion(void *numbering, uint64_t p) {
    const struct numbering *n = numbering;
    const struct portion *portion = &n->listing->portion[p];
    for (uint32_t i = 0; i < portion->below.count; i++)
        n->page[portion->at + i] = portion->below.child[i].page;
    for (uint32_t i = 0; i < portion->below.count && n->upper; i++)
        n->upper[portion->at + i] = portion->below.child[i].upper;
}

/* False: no memory. */
static bool take_leaves_arrays(page_leaves *leaves, const page_wanted *wanted) {
    leaves->page = malloc(leaves->count * sizeof *leaves->page);
    leaves->upper = wanted->rowid ? malloc(leaves->count * sizeof *leaves->upper) : NULL;
    return leaves->page && (leaves->upper || !wanted->rowid);
}

/* The level below are leaves. */
static enum page_reason list_leaves(const struct listing *l, page_leaves *leaves) {
    *leaves = (page_leaves){.count = l->count};
    if (!take_leaves_arrays(leaves, l->level->wanted))
        return PAGE_NO_MEMORY;
    struct numbering n = {l, leaves->page, leaves->upper};
    gg_parts(page_source_threads(l->source, l->portions), l->portions, number_portion,
             &n);
    for (uint32_t p = 0; p < l->portions; p++)
        leaves->most_rows += l->portion[p].below.most_rows;
    return PAGE_FINE;
}

/* The table is one leaf. */
static enum page_reason list_root(const page_layout *layout, uint32_t root,
                                  const page_wanted *wanted, page_leaves *leaves) {
    *leaves = (page_leaves){.count = 1, .most_rows = page_most_rows(layout)};
    if (!take_leaves_arrays(leaves, wanted))
        return PAGE_NO_MEMORY;
    leaves->page[0] = root;
    if (leaves->upper)
        leaves->upper[0] = INT64_MAX;
    return PAGE_FINE;
}

/* ---- all levels ---- */

/* Goes a level down. All leaves lie equally deep, so a level's first page, which is read to `page`,
** speaks for the level. */
static enum page_reason descend(struct listing *l, uint8_t *page, struct level *below,
                                page_leaves *leaves) {
    enum page_reason reason = read_level(l);
    for (uint32_t p = 0; p < l->portions && !reason; p++)
        if (l->portion[p].below.count) {
            reason = page_source_read(l->source, l->layout,
                                      l->portion[p].below.child[0].page, 1, page);
            break;
        }
    if (!reason)
        reason = page[0] == PAGE_LEAF ? list_leaves(l, leaves) : join_list(l, below);
    clear_listing(l);
    return reason;
}

enum page_reason page_list(const page_source *source, const page_layout *layout,
                           uint32_t root, const page_wanted *wanted,
                           page_leaves *leaves) {
    struct level level = {.wanted = wanted};
    uint8_t *page = malloc(layout->page_size);
    enum page_reason reason = page ? PAGE_FINE : PAGE_NO_MEMORY;

    *leaves = (page_leaves){0};
    if (!reason)
        reason = level_add(&level, source, page_most_rows(layout), root, INT64_MAX);
    if (!reason)
        reason = page_source_read(source, layout, root, 1, page);
    if (!reason && page[0] == PAGE_LEAF)
        reason = list_root(layout, root, wanted, leaves);
    for (int depth = 0; !reason && !leaves->page; depth++) {
        struct level below = {0};
        struct listing l = {
            .source = source, .layout = layout, .level = &level, .root = depth == 0};
        reason = depth < DEEPEST ? descend(&l, page, &below, leaves) : PAGE_DAMAGED;
        free(level.child);
        level = below;
    }
    free(level.child);
    free(page);
    return reason;
}
