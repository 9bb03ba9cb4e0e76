/* Rehash of tables of slab.h: the lanes of a team assemble a part of the new base on
** their desk, in memory that is close to them, and write it out at once.
**
**     clear      the desk
**     collect    reads the old runs that may have entries of this part. They are adjacent
**                in the old base. Each entry goes where its probe will find it
**     flush      the slabs to the new base
**
** All lanes take part in each step, with a barrier between the steps. A slab that is full
** gets a chain in the arena at once. */
#ifndef GPUGRAPH_SLAB_TILE_H
#define GPUGRAPH_SLAB_TILE_H

#include "slab_walk.h"

enum { SLAB_SIZE = SLAB_SECTORS * SLAB_WORDS }; /* words of a slab */

struct slab_desk {  /* a slab for each lane of the team */
    uint32_t *word; /* SLAB_SIZE words for each lane: the slabs */
    /* SLAB_SECTORS for each lane: reserved words of each sector */
    uint32_t *filled;
};

struct slab_tile { /* the part on the desk */
    struct slab_vertex from, to;
    uint32_t first, runs; /* runs of the new base */
};

/* Returns the team's tile that begins at run `first`. */
WARP_FUNCTION struct slab_tile slab_tile_at(struct slab_vertex from,
                                            struct slab_vertex to, uint32_t first,
                                            uint32_t size) {
    uint32_t left = slab_runs(to.sectors) - first;
    struct slab_tile tile = {from, to, first, left < size ? left : size};
    return tile;
}

WARP_FUNCTION void slab_clear_desk(const struct slab_desk *desk, uint32_t rank,
                                   uint32_t size) {
#ifdef __CUDA_ARCH__
    const uint4 empty = {SLAB_NONE, SLAB_NONE, SLAB_NONE, SLAB_NONE}, none = {0, 0, 0, 0};
    for (uint32_t i = 0; i < SLAB_SIZE / 4; i++)
        reinterpret_cast<uint4 *>(desk->word)[i * size + rank] = empty;
    reinterpret_cast<uint4 *>(desk->filled)[rank] = none;
#else
    for (uint32_t i = 0; i < SLAB_SIZE; i++)
        desk->word[i * size + rank] = SLAB_NONE;
    for (uint32_t i = 0; i < SLAB_SECTORS; i++)
        desk->filled[i * size + rank] = 0;
#endif
}

/* Inserts an entry into the chain behind the slab at `slab`. Returns false if the arena
** has ended. */
WARP_FUNCTION bool slab_put_behind(const struct slab_graph *g, uint32_t *slab,
                                   uint32_t width, uint64_t pair, bool valued) {
    uint32_t *link = slab + width * SLAB_WORDS - (SLAB_WORDS - SLAB_LINK);
    uint32_t longer = slab_next_width(width), next = block_load(link);
    if (next == SLAB_NONE) {
        uint32_t piece = slab_take(g, longer / 2);
        if (piece == SLAB_NONE)
            return false;
        if (block_try(link, &next, piece))
            next = piece;
        else
            slab_free_piece(g, longer / 2, piece);
    }
    struct slab_vertex chain = {next, longer, 0, 0};
    return slab_put(g, chain, pair, valued, SLAB_KEEP, SLAB_NOW) != SLAB_FULL;
}

/* Inserts an entry into the run that begins at that sector of the desk. */
WARP_FUNCTION bool slab_put_on_desk(const struct slab_graph *g,
                                    const struct slab_desk *desk, uint32_t first,
                                    uint32_t width, uint32_t hash, uint64_t pair,
                                    bool valued) {
    uint32_t *slab = desk->word + first * SLAB_WORDS;
    const struct slab_probe p = {hash, 0, width};
    for (uint32_t turn = 0; turn < width; turn++) {
        uint32_t sector = slab_turn(p, turn);
        uint32_t words = block_take(&desk->filled[first + sector], valued ? 2 : 1);
        if (words >= slab_entry_words(p, turn))
            continue;
        slab_write_own(slab + sector * SLAB_WORDS + words, pair, valued);
        return true;
    }
    return slab_put_behind(g, slab, width, pair, valued);
}

/* Computes the old runs, from *first up to *end, that entries of the tile may come
** from. */
WARP_FUNCTION void slab_old_runs(const struct slab_tile *tile, uint32_t *first,
                                 uint32_t *end) {
    uint64_t runs = slab_runs(tile->to.sectors), before = slab_runs(tile->from.sectors);
    uint64_t behind = (uint64_t)tile->first + tile->runs;
    uint64_t low = (((uint64_t)tile->first << 32) + runs - 1) / runs;
    uint64_t high = ((behind << 32) + runs - 1) / runs - 1;
    *first = (uint32_t)(low * before >> 32);
    *end = (uint32_t)(high * before >> 32) + 1;
}

/* Inserts the entries of a sector that belong to the tile. Returns false if the arena has
** ended. */
WARP_FUNCTION bool slab_put_sector(const struct slab_graph *g,
                                   const struct slab_tile *tile,
                                   const struct slab_desk *desk, const uint32_t *word,
                                   uint32_t entries, bool valued) {
    const uint64_t runs = slab_runs(tile->to.sectors);
    const uint32_t width =
        tile->to.sectors < SLAB_SECTORS ? tile->to.sectors : SLAB_SECTORS;
    bool fits = true;
    for (uint32_t i = 0; i < SLAB_WORDS; i += valued ? 2 : 1) {
        uint32_t hash = slab_hash(g, word[i]);
        uint32_t number = (uint32_t)(hash * runs >> 32) - tile->first;
        if (i < entries && slab_is_entry(word[i]) && number < tile->runs)
            fits =
                slab_put_on_desk(g, desk, number * SLAB_SECTORS, width, hash,
                                 slab_pair(word[i], valued ? word[i | 1] : 0), valued) &&
                fits;
    }
    return fits;
}

/* Collects the entries of the tile, by a warp; a few lanes of a team read a run, and then
** its chain, piece by piece. Returns false if the arena has ended. */
WARP_FUNCTION bool slab_collect(const struct slab_graph *old, const struct slab_graph *g,
                                const struct slab_tile *tile,
                                const struct slab_desk *desk, uint32_t size, bool here,
                                bool valued) {
    const struct slab_few few = slab_few_of(size);
    uint32_t run = 0, end = 0;
    bool fits = true;
    if (here)
        slab_old_runs(tile, &run, &end);
    for (run += few.number; warp_ballot(run < end); run += few.count) {
        struct slab_piece piece =
            slab_first_piece(tile->from, run < end ? run : SLAB_NONE);
        while (warp_ballot(piece.first != SLAB_NONE)) {
            uint32_t word[SLAB_WORDS], link = SLAB_NONE;
            for (uint32_t i = few.rank; slab_has_sector(&piece, i); i += few.size) {
                bool last = i + 1 == piece.width;
                slab_read(old, piece.first + i, SLAB_NOW, word);
                link = last ? word[SLAB_LINK] : link;
                fits = slab_put_sector(g, tile, desk, word, last ? SLAB_LINK : SLAB_WORDS,
                                       valued) &&
                       fits;
            }
            slab_next_piece(&piece, &few, link);
        }
    }
    return fits;
}

/* Copies the first sectors of the desk to the arena. */
WARP_FUNCTION void slab_write_out(const struct slab_graph *g, uint64_t first,
                                  uint32_t sectors, const struct slab_desk *desk,
                                  uint32_t rank, uint32_t size) {
    uint32_t *to = g->word + first * SLAB_WORDS;
    uint32_t words = sectors * SLAB_WORDS;
#ifdef __CUDA_ARCH__
    for (uint32_t i = rank; i < words / 4; i += size)
        reinterpret_cast<uint4 *>(to)[i] = reinterpret_cast<const uint4 *>(desk->word)[i];
#else
    for (uint32_t i = rank; i < words; i += size)
        device_store(to + i, desk->word[i]);
#endif
}

WARP_FUNCTION void slab_flush(const struct slab_graph *g, const struct slab_tile *tile,
                              const struct slab_desk *desk, uint32_t rank,
                              uint32_t size) {
    uint64_t first = tile->to.base + (uint64_t)tile->first * SLAB_SECTORS;
    uint32_t width = tile->to.sectors < SLAB_SECTORS ? tile->to.sectors : SLAB_SECTORS;
    slab_write_out(g, first, tile->runs * width, desk, rank, size);
}

/* Returns true if there are entries to move. */
WARP_FUNCTION bool slab_has_entries(struct slab_vertex from) {
    return from.sectors > 0 && from.used > from.dead;
}

/* Moves the tiles that begin at runs first, first + stride, ... A warp calls; each of its
** teams has a table. Lanes may return different values: false if the arena has ended. */
WARP_FUNCTION bool slab_move_tiles(const struct slab_graph *old, struct slab_vertex from,
                                   const struct slab_graph *g, struct slab_vertex to,
                                   const struct slab_desk *desk, uint32_t first,
                                   uint32_t stride, uint32_t size, bool valued) {
    const uint32_t rank = warp_lane() % size;
    const uint32_t runs = slab_has_entries(from) ? slab_runs(to.sectors) : 0;
    bool fits = true, here;
    for (; warp_ballot(here = first < runs); first += stride) {
        struct slab_tile tile = slab_tile_at(from, to, first, size);
        if (here)
            slab_clear_desk(desk, rank, size);
        warp_sync();
        fits = slab_collect(old, g, &tile, desk, size, here, valued) && fits;
        warp_sync();
        if (here)
            slab_flush(g, &tile, desk, rank, size);
        warp_sync();
    }
    return fits;
}

/* ---- rehash ---- */

/* Returns the sectors that the vertex needs for its entries and the announced ones. */
WARP_FUNCTION uint32_t slab_wanted(const struct slab_graph *g, uint32_t v,
                                   struct slab_vertex from, bool valued) {
    uint32_t entries = from.used - from.dead + g->incoming[v];
    if (entries > slab_places(SLAB_SECTORS, valued))
        entries += (uint32_t)((float)entries * g->slack);
    return slab_sectors_for(entries, g->load, valued);
}

WARP_FUNCTION struct slab_vertex slab_vertex_from(struct slab_vertex v, unsigned lane) {
    struct slab_vertex there = {warp_from(v.base, lane), warp_from(v.sectors, lane),
                                warp_from(v.used, lane), warp_from(v.dead, lane)};
    return there;
}

/* Moves the tables of the vertices in the first lanes of a warp (SLAB_NONE: none) to new
** bases, in the same arena or another one. In each of `turns` turns, each team of `size`
** lanes moves one table by its desk. If the arena has ended, a table stays in place. */
WARP_FUNCTION void slab_rehash(const struct slab_graph *old, const struct slab_graph *g,
                               uint32_t vertex, uint32_t turns, uint32_t size,
                               const struct slab_desk *desk, bool valued) {
    const uint32_t teams = warp_width / size, team = warp_lane() / size;
    struct slab_vertex from_mine = {0, 0, 0, 0}, to_mine = {SLAB_NONE, 0, 0, 0};
    if (vertex != SLAB_NONE) {
        from_mine = slab_vertex_of(old, vertex);
        to_mine.sectors = slab_wanted(g, vertex, from_mine, valued);
        to_mine.used = from_mine.used - from_mine.dead;
        g->incoming[vertex] = 0;
    }
    to_mine.base = slab_take_bases(g, to_mine.sectors);
    for (uint32_t turn = 0; turn < turns; turn++) {
        unsigned lane = turn * teams + team, failed;
        uint32_t v = warp_from(vertex, lane);
        struct slab_vertex from = slab_vertex_from(from_mine, lane);
        struct slab_vertex to = slab_vertex_from(to_mine, lane);
        bool moves = v != SLAB_NONE && to.base != SLAB_NONE;
        if (!moves)
            from.sectors = 0;
        failed =
            warp_ballot(!slab_move_tiles(old, from, g, to, desk, 0, size, size, valued));
        bool copied = moves && (failed >> team * size & (UINT32_MAX >> (32 - size))) == 0;
        bool clears = moves && (!copied || old->word == g->word);
        if (size == warp_width) {
            if (clears)
                slab_clear_together(g, copied ? from : to, 0, size);
        } else {
            slab_clear_by_few(g, copied ? from : to, size, clears);
        }
        if (copied && warp_lane() % size == 0)
            g->vertex[v] = to;
        warp_sync();
    }
}

/* ---- rehash of a huge base: three steps, each by any warps ----
**
**     plan      a warp for a vertex: the new base, and the parts
**     move      a warp for a part: its share of the rehash
**     finish    a warp for a part: cleans its share of the old base or, if not all parts
**               were moved, of the new one; the first warp sets the vertex */

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
                                  const struct slab_desk *desk, bool valued) {
    struct slab_move *move = &g->huge[g->part[part]];
    bool copied = slab_move_tiles(old, move->from, g, move->to, desk,
                                  (part - move->first) * warp_width,
                                  move->parts * warp_width, warp_width, valued);
    copied = !warp_ballot(!copied);
    if (copied && warp_lane() == 0)
        device_take(&move->left, UINT32_MAX); /* decrements it */
}

WARP_FUNCTION void slab_finish_part(const struct slab_graph *old,
                                    const struct slab_graph *g, uint32_t part) {
    const struct slab_move *move = &g->huge[g->part[part]];
    uint32_t first = (part - move->first) * warp_width;
    bool moved = move->left == 0;
    if (!moved || old->word == g->word)
        slab_clear_together(g, moved ? move->from : move->to, first,
                            move->parts * warp_width);
    if (moved && first + warp_lane() == 0)
        g->vertex[move->vertex] = move->to;
}

#endif
