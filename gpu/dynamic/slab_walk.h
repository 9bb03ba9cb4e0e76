/* Walks over all entries of a table of slab.h, to clear it or to copy it to a row. */
#ifndef GPUGRAPH_SLAB_WALK_H
#define GPUGRAPH_SLAB_WALK_H

#include "slab_table.h"

/* ---- runs: the slabs of a base (or a short base), each with its chain ---- */

WARP_FUNCTION uint32_t slab_runs(uint32_t sectors) {
    return sectors < SLAB_SECTORS ? sectors > 0 : sectors / SLAB_SECTORS;
}

/* One lane's walk through the sectors of a base: rank, rank + size, ...; the chain of a
** run follows the run's last sector. */
struct slab_walk {
    uint32_t base, sectors, next, size;
    /* in a chain: the next sector, and the sectors left in its piece */
    uint32_t chain, left;
    uint32_t width; /* width of the piece */
};

WARP_FUNCTION struct slab_walk slab_walk_from(struct slab_vertex v, uint32_t rank,
                                              uint32_t size) {
    struct slab_walk w = {v.base, v.sectors, rank, size, SLAB_NONE, 0, 0};
    return w;
}

/* Reads the next sector; *entries: the number of words that may hold entries. Returns
** false at the end. */
WARP_FUNCTION bool slab_step(const struct slab_graph *g, struct slab_walk *w,
                             enum slab_view view, uint32_t *word, uint32_t *entries) {
    bool last;
    if (w->chain != SLAB_NONE) {
        slab_read(g, w->chain++, view, word);
        last = --w->left == 0;
    } else {
        if (w->next >= w->sectors)
            return false;
        w->width = w->sectors < SLAB_SECTORS ? w->sectors : SLAB_SECTORS;
        slab_read(g, w->base + w->next, view, word);
        last = w->next % w->width == w->width - 1;
        w->next += w->size;
    }
    *entries = last ? SLAB_LINK : SLAB_WORDS;
    if (last) {
        w->chain = word[SLAB_LINK];
        w->left = w->width = slab_next_width(w->width);
    }
    return true;
}

WARP_FUNCTION bool slab_is_entry(uint32_t word) {
    return word != SLAB_NONE && word != SLAB_DEAD;
}

/* Cleans a chain and frees it. first: a piece of that width, or SLAB_NONE. */
WARP_FUNCTION void slab_clear_chain(const struct slab_graph *g, uint32_t first,
                                    uint32_t width) {
    while (first != SLAB_NONE) {
        uint32_t *link = g->word + (uint64_t)(first + width - 1) * SLAB_WORDS + SLAB_LINK;
        uint32_t next = device_load(link);
        slab_clean(g, first, width);
        slab_free_piece(g, width / 2, first);
        first = next;
        width = slab_next_width(width);
    }
}

/* ---- a few lanes of a team, at most as many as a slab has sectors, for a run ---- */

struct slab_few {
    uint32_t size, count; /* lanes in this group; groups in the team */
    uint32_t rank;        /* rank of this lane in the group */
    uint32_t number;      /* number of the group in the team */
};

WARP_FUNCTION struct slab_few slab_few_of(uint32_t team) {
    uint32_t size = team < SLAB_SECTORS ? team : SLAB_SECTORS;
    uint32_t lane = warp_lane() % team;
    struct slab_few few = {size, team / size, lane % size, lane / size};
    return few;
}

struct slab_piece { /* a piece of a run; first: SLAB_NONE behind the end of the run */
    uint32_t first, width;
};

/* run: SLAB_NONE for none. */
WARP_FUNCTION struct slab_piece slab_first_piece(struct slab_vertex v, uint32_t run) {
    struct slab_piece piece = {SLAB_NONE, 0};
    piece.width = v.sectors < SLAB_SECTORS ? v.sectors : SLAB_SECTORS;
    if (run != SLAB_NONE)
        piece.first = v.base + run * SLAB_SECTORS;
    return piece;
}

WARP_FUNCTION bool slab_has_sector(const struct slab_piece *piece, uint32_t i) {
    return piece->first != SLAB_NONE && i < piece->width;
}

/* Called by all lanes of a warp. link: the link that the lane with the piece's last
** sector has read. */
WARP_FUNCTION void slab_next_piece(struct slab_piece *piece, const struct slab_few *few,
                                   uint32_t link) {
    uint32_t last = piece->width > 0 ? (piece->width - 1) % few->size : 0;
    piece->first = warp_from(link, warp_lane() - few->rank + last);
    piece->width = slab_next_width(piece->width);
}

/* Cleans a base and frees its pieces. Called by all lanes of a warp, whether their base
** is cleared or not. */
WARP_FUNCTION void slab_clear_by_few(const struct slab_graph *g, struct slab_vertex v,
                                     uint32_t team, bool clears) {
    const struct slab_few few = slab_few_of(team);
    const uint32_t runs = clears ? slab_runs(v.sectors) : 0;
    for (uint32_t run = few.number; warp_ballot(run < runs); run += few.count) {
        struct slab_piece piece = slab_first_piece(v, run < runs ? run : SLAB_NONE);
        while (warp_ballot(piece.first != SLAB_NONE)) {
            uint32_t link = SLAB_NONE;
            for (uint32_t i = few.rank; slab_has_sector(&piece, i); i += few.size) {
                uint64_t sector = piece.first + i;
                if (i + 1 == piece.width)
                    link = device_load(g->word + sector * SLAB_WORDS + SLAB_LINK);
                slab_clean(g, (uint32_t)sector, 1);
            }
            warp_sync();
            if (few.rank == 0 && piece.first != SLAB_NONE)
                slab_free_piece(g, piece.width / 2, piece.first);
            slab_next_piece(&piece, &few, link);
        }
    }
}

/* Cleans and frees the runs of a base by a warp. The warp takes warp_width runs together:
** the first ones from run `first` on, the next ones `size` runs later, and so on. */
WARP_FUNCTION void slab_clear_together(const struct slab_graph *g, struct slab_vertex v,
                                       uint32_t first, uint32_t size) {
    uint32_t runs = slab_runs(v.sectors);
    if (v.sectors < SLAB_SECTORS) {
        slab_clear_by_few(g, v, warp_width, first == 0);
        return;
    }
    for (; first < runs; first += size) {
        uint32_t share = runs - first < warp_width ? runs - first : warp_width, at = 0;
        uint32_t slab = v.base + (first + warp_lane()) * SLAB_SECTORS, chain = SLAB_NONE;
        if (warp_lane() < share)
            chain = device_load(
                g->word + (uint64_t)(slab + SLAB_SECTORS - 1) * SLAB_WORDS + SLAB_LINK);
        warp_sync();
        for (uint32_t i = warp_lane(); i < share * SLAB_SECTORS; i += warp_width)
            slab_clean(g, v.base + first * SLAB_SECTORS + i, 1);
        slab_clear_chain(g, chain, SLAB_SECTORS);
        if (warp_lane() == 0)
            at = g->pool->count[2] + device_take(&g->pool->pushed[2], share);
        at = warp_from(at, 0) + warp_lane();
        if (warp_lane() < share)
            slab_join_list(g, 2, at, slab);
    }
}

/* ---- deletion of a vertex ---- */

/* Deletes the table of a vertex, by a warp; lane 0 receives the number of its edges. If
** several warps get one vertex, one warp deletes the table. */
WARP_FUNCTION uint32_t slab_clear_vertex(const struct slab_graph *g, uint32_t number) {
    struct slab_vertex *at = &g->vertex[number], v = {0, 0, 0, 0};
    bool mine = false;
    if (warp_lane() == 0) {
        v.sectors = device_load(&at->sectors);
        mine = v.sectors > 0 && device_try(&at->sectors, &v.sectors, 0);
    }
    if (!warp_ballot(mine))
        return 0;
    v.base = at->base;
    v.sectors = warp_from(v.sectors, 0);
    slab_clear_together(g, v, 0, warp_width);
    warp_sync();
    if (!mine)
        return 0;
    uint32_t edges = at->used - at->dead;
    at->used = at->dead = 0;
    return edges;
}

/* ---- rows ---- */

/* Copies the vertex's entries to target[at ..] and value[at ..] (NULL: not wanted), by a
** warp. */
WARP_FUNCTION void slab_copy_row(const struct slab_graph *g, struct slab_vertex v,
                                 bool valued, uint32_t *target, uint32_t *value,
                                 uint64_t at) {
    struct slab_walk walk = slab_walk_from(v, warp_lane(), warp_width);
    const uint32_t step = valued ? 2 : 1;
    for (;;) {
        uint32_t word[SLAB_WORDS], entries = 0, count = 0, all;
        bool more = slab_step(g, &walk, SLAB_FROZEN, word, &entries);
        if (!warp_ballot(more))
            return;
        if (!more)
            entries = 0;
        for (uint32_t i = 0; i < entries; i += step)
            count += slab_is_entry(word[i]);
        uint64_t to = at + warp_sum_before(count, &all);
        for (uint32_t i = 0; i < entries; i += step) {
            if (!slab_is_entry(word[i]))
                continue;
            target[to] = word[i];
            if (value)
                value[to] = word[i | 1];
            to++;
        }
        at += all;
    }
}

/* Copies a row, by one lane. */
WARP_FUNCTION void slab_copy_short_row(const struct slab_graph *g, struct slab_vertex v,
                                       bool valued, uint32_t *target, uint32_t *value,
                                       uint64_t at) {
    struct slab_walk walk = slab_walk_from(v, 0, 1);
    uint32_t word[SLAB_WORDS], entries;
    while (slab_step(g, &walk, SLAB_FROZEN, word, &entries))
        for (uint32_t i = 0; i < entries; i += valued ? 2 : 1)
            if (slab_is_entry(word[i])) {
                target[at] = word[i];
                if (value)
                    value[at] = word[i | 1];
                at++;
            }
}

#endif
