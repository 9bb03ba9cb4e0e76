/* Through all entries of a table of slab.h: it is cleared, moved to a new base, or copied to
** a row. */
#ifndef GPUGRAPH_SLAB_WALK_H
#define GPUGRAPH_SLAB_WALK_H

#include "slab_table.h"

/* ---- runs: the slabs of a base (or a short base), each with its chain ---- */

WARP_FUNCTION uint32_t slab_runs(uint32_t sectors) {
    return sectors < SLAB_SECTORS ? sectors > 0 : sectors / SLAB_SECTORS;
}

/* One lane's way through the sectors of a base: rank, rank + size, ...; the chain of a run
** comes behind the run's last sector. */
struct slab_walk {
    uint32_t base, sectors, next, size;
    uint32_t chain, left; /* in a chain: the next sector, sectors left of its piece */
    uint32_t width;       /* of the piece */
};

WARP_FUNCTION struct slab_walk slab_walk_from(struct slab_vertex v, uint32_t rank,
                                              uint32_t size) {
    struct slab_walk w = {v.base, v.sectors, rank, size, SLAB_NONE, 0, 0};
    return w;
}

/* The next sector's words; *entries: words of it that may hold entries. False: no more. */
WARP_FUNCTION bool slab_step(const struct slab_graph *g, struct slab_walk *w, bool frozen,
                             uint32_t *word, uint32_t *entries) {
    bool last;
    if (w->chain != SLAB_NONE) {
        slab_read(g, w->chain++, frozen, word);
        last = --w->left == 0;
    } else {
        if (w->next >= w->sectors)
            return false;
        w->width = w->sectors < SLAB_SECTORS ? w->sectors : SLAB_SECTORS;
        slab_read(g, w->base + w->next, frozen, word);
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

/* Leaves a run and its chain clean and frees them, perhaps by way of a bag. */
WARP_FUNCTION void slab_clear_run(const struct slab_graph *g, struct slab_vertex v,
                                  uint32_t run, struct slab_bag *bag) {
    uint32_t width = v.sectors < SLAB_SECTORS ? v.sectors : SLAB_SECTORS;
    uint32_t first = v.base + run * SLAB_SECTORS;
    while (first != SLAB_NONE) {
        uint32_t *link = g->word + (uint64_t)(first + width - 1) * SLAB_WORDS + SLAB_LINK;
        uint32_t next = device_load(link);
        slab_clean(g, first, width);
        slab_put_away(g, bag, width / 2, first);
        first = next;
        width = slab_next_width(width);
    }
}

/* ---- rehash: the lanes of a team, each for its share of the runs ---- */

/* What the vertex needs: its living entries and those that come. */
WARP_FUNCTION uint32_t slab_wanted(const struct slab_graph *g, uint32_t v,
                                   struct slab_vertex from, bool valued) {
    uint32_t entries = from.used - from.dead + g->incoming[v];
    if (entries > slab_places(SLAB_SECTORS, valued))
        entries += (uint32_t)((float)entries * g->slack);
    return slab_sectors_for(entries, g->load, valued);
}

/* Puts this lane's share of the entries in `old` into the new base, one by one. */
WARP_FUNCTION bool slab_copy_entries(const struct slab_graph *old,
                                     struct slab_vertex from, const struct slab_graph *g,
                                     struct slab_vertex to, uint32_t rank, uint32_t size,
                                     bool valued) {
    struct slab_walk walk = slab_walk_from(from, rank, size);
    uint32_t word[SLAB_WORDS], entries;
    while (slab_step(old, &walk, false, word, &entries))
        for (uint32_t i = 0; i < entries; i += valued ? 2 : 1)
            if (slab_is_entry(word[i]) &&
                slab_put(g, to, slab_pair(word[i], valued ? word[i | 1] : 0), valued,
                         SLAB_KEEP) == SLAB_FULL)
                return false;
    return true;
}

/* The last piece of a run that one lane fills, and how many words of each sector are: bytes.
** All pieces before it are full. */
struct slab_filling {
    uint32_t first, width, words;
};

/* Puts an entry where its probe would find the first empty place. */
WARP_FUNCTION bool slab_fill(const struct slab_graph *g, struct slab_filling *f,
                             uint32_t hash, uint64_t pair, bool valued) {
    struct slab_probe p = {hash, f->first, f->width};
    for (;;) {
        for (uint32_t turn = 0; turn < p.width; turn++) {
            uint32_t sector = slab_turn(p, turn), words = f->words >> 8 * sector & 0xff;
            if (words >= slab_entry_words(p, turn))
                continue;
            uint32_t *at = g->word + (uint64_t)(p.first + sector) * SLAB_WORDS + words;
            f->words += (valued ? 2u : 1u) << 8 * sector;
            if (valued)
                device_store_64((uint64_t *)at, pair);
            else
                device_store(at, (uint32_t)pair);
            return true;
        }
        uint32_t width = slab_next_width(p.width), next = slab_take(g, width / 2);
        if (next == SLAB_NONE)
            return false;
        device_store(slab_link_of(g, p), next);
        p.first = f->first = next;
        p.width = f->width = width;
        f->words = 0;
    }
}

/* Fills one run of the new base, which nobody else touches, from those of the old one that its
** hashes may be in: they are next to each other, in both. */
WARP_FUNCTION bool slab_fill_run(const struct slab_graph *old, struct slab_vertex from,
                                 const struct slab_graph *g, struct slab_vertex to,
                                 uint32_t run, bool valued) {
    uint64_t runs = slab_runs(to.sectors), before = slab_runs(from.sectors);
    uint64_t low = (((uint64_t)run << 32) + runs - 1) / runs;
    uint64_t high = (((uint64_t)(run + 1) << 32) + runs - 1) / runs - 1;
    uint32_t width = to.sectors < SLAB_SECTORS ? to.sectors : SLAB_SECTORS;
    struct slab_filling f = {to.base + run * width, width, 0};
    struct slab_walk walk = slab_walk_from(from, (uint32_t)(low * before >> 32), 1);
    if (before > 1 || from.sectors == SLAB_SECTORS) {
        walk.next *= SLAB_SECTORS;
        walk.sectors = ((uint32_t)(high * before >> 32) + 1) * SLAB_SECTORS;
    }
    uint32_t word[SLAB_WORDS], entries;
    while (slab_step(old, &walk, false, word, &entries))
        for (uint32_t i = 0; i < entries; i += valued ? 2 : 1) {
            uint32_t hash = slab_hash(word[i]);
            if (slab_is_entry(word[i]) && hash * runs >> 32 == run &&
                !slab_fill(g, &f, hash, slab_pair(word[i], valued ? word[i | 1] : 0),
                           valued))
                return false;
        }
    return true;
}

/* This lane's share of a rehash, from `old` to the new base. False: the arena has ended. */
WARP_FUNCTION bool slab_copy_runs(const struct slab_graph *old, struct slab_vertex from,
                                  const struct slab_graph *g, struct slab_vertex to,
                                  uint32_t rank, uint32_t size, bool valued) {
    uint32_t runs = slab_runs(to.sectors);
    if (from.sectors == 0 || from.used == from.dead)
        return true;
    if (runs / SLAB_MANY > slab_runs(from.sectors)) /* most of them remain empty */
        return slab_copy_entries(old, from, g, to, rank, size, valued);
    for (uint32_t run = rank; run < runs; run += size)
        if (!slab_fill_run(old, from, g, to, run, valued))
            return false;
    return true;
}

WARP_FUNCTION void slab_clear_runs(const struct slab_graph *g, struct slab_vertex v,
                                   uint32_t rank, uint32_t size, struct slab_bag *bag) {
    for (uint32_t run = rank; run < slab_runs(v.sectors); run += size)
        slab_clear_run(g, v, run, bag);
}

/* A new base for the vertex, in the same arena as before or in another one; by a warp. It stays
** where it is when the arena has ended. */
WARP_FUNCTION void slab_rehash(const struct slab_graph *old, const struct slab_graph *g,
                               uint32_t v, bool valued) {
    struct slab_vertex from = slab_vertex_of(old, v), to = {SLAB_NONE, 0, 0, 0};
    to.sectors = slab_wanted(g, v, from, valued);
    to.used = from.used - from.dead;
    if (warp_lane() == 0)
        to.base = slab_take_base(g, to.sectors);
    to.base = warp_from(to.base, 0);
    if (warp_lane() == 0)
        g->incoming[v] = 0; /* all lanes have read it */
    if (to.base == SLAB_NONE)
        return;
    bool copied = slab_copy_runs(old, from, g, to, warp_lane(), warp_width, valued);
    copied = !warp_ballot(!copied);
    if (!copied || old->word == g->word)
        slab_clear_runs(g, copied ? from : to, warp_lane(), warp_width, NULL);
    if (copied && warp_lane() == 0)
        g->vertex[v] = to;
}

/* ---- rehash of a huge base: three steps, each by any warps ----
**
**     plan      a warp for a vertex: the new base; what parts there are
**     move      a warp for a part: its share of the rehash
**     finish    a warp for a part: leaves its share of the old base clean, or where not all
**               parts were moved of the new one; the first sets the vertex */

WARP_FUNCTION void slab_plan_move(const struct slab_graph *old,
                                  const struct slab_graph *g, uint32_t number,
                                  bool valued) {
    struct slab_move *move = &g->huge[number];
    uint32_t v = move->vertex, first = 0, parts = 0;
    struct slab_vertex from = slab_vertex_of(old, v), to = {SLAB_NONE, 0, 0, 0};
    to.sectors = slab_wanted(g, v, from, valued);
    to.used = from.used - from.dead;
    warp_sync();
    if (warp_lane() == 0) {
        g->incoming[v] = 0;
        to.base = slab_take_base(g, to.sectors);
        if (to.base != SLAB_NONE)
            parts = to.sectors / SLAB_PART + 1;
        first = device_take(&g->pool->parts, parts);
        move->from = from;
        move->to = to;
        move->first = first;
        move->parts = move->left = parts;
    }
    first = warp_from(first, 0);
    parts = warp_from(parts, 0);
    for (uint32_t i = warp_lane(); i < parts; i += warp_width)
        g->part[first + i] = number;
}

WARP_FUNCTION void slab_move_part(const struct slab_graph *old,
                                  const struct slab_graph *g, uint32_t part,
                                  bool valued) {
    struct slab_move *move = &g->huge[g->part[part]];
    uint32_t rank = (part - move->first) * warp_width + warp_lane();
    bool copied = slab_copy_runs(old, move->from, g, move->to, rank,
                                 move->parts * warp_width, valued);
    copied = !warp_ballot(!copied);
    if (copied && warp_lane() == 0)
        device_take(&move->left, UINT32_MAX); /* one less */
}

WARP_FUNCTION void slab_finish_part(const struct slab_graph *old,
                                    const struct slab_graph *g, uint32_t part) {
    const struct slab_move *move = &g->huge[g->part[part]];
    uint32_t rank = (part - move->first) * warp_width + warp_lane();
    bool moved = move->left == 0;
    if (!moved || old->word == g->word)
        slab_clear_runs(g, moved ? move->from : move->to, rank, move->parts * warp_width,
                        NULL);
    if (moved && rank == 0)
        g->vertex[move->vertex] = move->to;
}

/* ---- deletion of a vertex ---- */

/* By a warp, of which lane 0 learns how many edges it had. Of several warps that are given the
** same vertex one does it. */
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
    slab_clear_runs(g, v, warp_lane(), warp_width, NULL);
    warp_sync();
    if (!mine)
        return 0;
    uint32_t edges = at->used - at->dead;
    at->used = at->dead = 0;
    return edges;
}

/* ---- rows ---- */

/* The vertex's entries to target[at ..] and value[at ..] (NULL: not wanted), by a warp. */
WARP_FUNCTION void slab_copy_row(const struct slab_graph *g, struct slab_vertex v,
                                 bool valued, uint32_t *target, uint32_t *value,
                                 uint64_t at) {
    struct slab_walk walk = slab_walk_from(v, warp_lane(), warp_width);
    const uint32_t step = valued ? 2 : 1;
    for (;;) {
        uint32_t word[SLAB_WORDS], entries = 0, count = 0, all;
        bool more = slab_step(g, &walk, true, word, &entries);
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

/* The same by one lane. */
WARP_FUNCTION void slab_copy_short_row(const struct slab_graph *g, struct slab_vertex v,
                                       bool valued, uint32_t *target, uint32_t *value,
                                       uint64_t at) {
    struct slab_walk walk = slab_walk_from(v, 0, 1);
    uint32_t word[SLAB_WORDS], entries;
    while (slab_step(g, &walk, true, word, &entries))
        for (uint32_t i = 0; i < entries; i += valued ? 2 : 1)
            if (slab_is_entry(word[i])) {
                target[at] = word[i];
                if (value)
                    value[at] = word[i | 1];
                at++;
            }
}

#endif
