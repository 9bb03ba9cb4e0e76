/* The first tables of a graph, of a batch that comes in order: ascending by source and target, without
** repeats.
**
**     batch    0 0 0 1 1 2 2 2 2 2 2 2 2 2 4 ...        a row of items for each vertex
**     arena    [0    |1  |2 2 2 2|2 2 2 2|4  | ...      the tables, in the same order, as a sum
**              '---- tile 0 -----'---- tile 1 ---       over the vertices lays them out
**
**     mark       an item: where its row begins and ends. Is the batch in order?
**     lay out    a vertex: sectors of its table; summed up, where it begins
**     found      a vertex: it has that table from now on
**     fill       a tile: a team puts its slabs together on its desk, memory that is close to it, and
**                writes them at once
**
** So no place is won by an exchange, and nothing is cleared before it is written. A tile has the runs that
** begin in it; a table of several tiles is filled by as many teams, each of which looks at all items of its
** row. Where these would be too many looks the row is long: its table lies behind the tiles, where all
** is clean, and its items are inserted in chunks, a lane for an item. */
#ifndef GPUGRAPH_SLAB_FOUNDING_H
#define GPUGRAPH_SLAB_FOUNDING_H

#include "slab_run.h"
#include "slab_tile.h"

/* Of a tile; its last run may reach beyond it. */
enum { SLAB_TILE_SECTORS = (SLAB_TILE - 1) * SLAB_SECTORS };

struct slab_first { /* the batch: a view */
    const uint32_t *source, *target, *value;
    uint64_t count;
    bool valued;
    uint32_t *chunk; /* of long rows */
    uint32_t *tile;  /* of each tile, the vertex in whose table it begins */
    uint32_t tiles;
    uint32_t sectors; /* of all tiles */
};

/* ---- rows: their ends lie where insertions are counted, their beginnings where tables are listed that
** grow ---- */

/* False: the item is not in order. */
WARP_FUNCTION bool slab_mark_row(const struct slab_graph *g, const struct slab_first *b,
                                 uint64_t i) {
    const uint32_t from = b->source[i];
    const uint32_t next = i + 1 < b->count ? b->source[i + 1] : SLAB_NONE;
    if (i == 0 || b->source[i - 1] != from)
        device_store(&g->growing[from], (uint32_t)i);
    if (next != from)
        device_store(&g->incoming[from], (uint32_t)i + 1);
    return from < next || (from == next && b->target[i] < b->target[i + 1]);
}

WARP_FUNCTION uint32_t slab_row_items(const struct slab_graph *g, uint32_t v) {
    const uint32_t end = g->incoming[v];
    return end > 0 ? end - g->growing[v] : 0;
}

/* Sectors of the vertex's table. */
WARP_FUNCTION uint32_t slab_row_sectors(const struct slab_graph *g, uint32_t v,
                                        bool valued) {
    return slab_sectors_for(slab_row_items(g, v), g->load, valued);
}

/* Of these, the ones in tiles. */
WARP_FUNCTION uint32_t slab_tiled_sectors(uint32_t sectors) {
    return sectors < SLAB_LONG ? sectors : 0;
}

/* The vertex names the tiles that begin in its table. */
WARP_FUNCTION void slab_name_tiles(const struct slab_first *b, uint32_t v,
                                   struct slab_vertex table) {
    uint32_t t = (table.base + SLAB_TILE_SECTORS - 1) / SLAB_TILE_SECTORS;
    for (; t < b->tiles && t * SLAB_TILE_SECTORS - table.base < table.sectors; t++)
        b->tile[t] = v;
}

/* One lane per vertex, whose base is where the sum says; all lanes of the warp come. How many items it
** has is counted now if they are in tiles. */
WARP_FUNCTION uint32_t slab_found(const struct slab_graph *g, const struct slab_first *b,
                                  uint64_t v) {
    const uint32_t items = v < g->n ? slab_row_items(g, (uint32_t)v) : 0;
    uint32_t first = 0, chunks = 0, tiled = 0;
    if (items > 0) {
        struct slab_vertex table = {g->vertex[v].base, 0, items, 0};
        table.sectors = slab_sectors_for(items, g->load, b->valued);
        if (slab_tiled_sectors(table.sectors) > 0) {
            slab_name_tiles(b, (uint32_t)v, table);
            tiled = items;
        } else {
            table.base = slab_take_base(g, table.sectors);
            table.used = 0;
            first = g->growing[v];
            chunks = slab_chunks_of(items);
        }
        if (table.base != SLAB_NONE)
            g->vertex[v] = table;
    }
    warp_sync();
    slab_list_chunks(g, b->chunk, first, chunks);
    return tiled;
}

/* ---- tiles: the lanes of a team come to each step, and meet before the next one ---- */

struct slab_site {       /* what a tile has */
    uint32_t first, end; /* sectors */
    uint64_t item, items_end;
};

/* Where the first run of the table begins that does not begin before `sector`, which is in the table. */
WARP_FUNCTION uint32_t slab_run_from(struct slab_vertex v, uint32_t sector) {
    const uint32_t width = v.sectors < SLAB_SECTORS ? v.sectors : SLAB_SECTORS;
    return v.base + (sector - v.base + width - 1) / width * width;
}

WARP_FUNCTION struct slab_site slab_site_of(const struct slab_graph *g,
                                            const struct slab_first *b, uint32_t tile) {
    const uint32_t sector = tile * SLAB_TILE_SECTORS, v = b->tile[tile];
    struct slab_site site = {slab_run_from(slab_vertex_of(g, v), sector), b->sectors,
                             g->growing[v], b->count};
    if (tile + 1 < b->tiles) {
        const uint32_t next = b->tile[tile + 1], behind = sector + SLAB_TILE_SECTORS;
        const struct slab_vertex table = slab_vertex_of(g, next);
        site.end = slab_run_from(table, behind);
        site.items_end = table.base < behind ? g->incoming[next] : g->growing[next];
    }
    return site;
}

WARP_FUNCTION void slab_clear_tile(const struct slab_desk *desk, uint32_t rank,
                                   uint32_t size) {
    for (uint32_t i = rank; i < SLAB_TILE; i += size)
        slab_clear_desk(desk, i, SLAB_TILE);
}

/* And slab_place_items, then slab_write_out.
**
** The items that the tile has go to their places; others of its rows are passed by, long rows as a
** whole. Where the arena ends it says so itself. */
WARP_FUNCTION void slab_place_items(const struct slab_graph *g,
                                    const struct slab_first *b,
                                    const struct slab_site *site,
                                    const struct slab_desk *desk, uint32_t rank,
                                    uint32_t size) {
    for (uint64_t i = site->item + rank; i < site->items_end; i += size) {
        const uint32_t from = b->source[i], target = b->target[i];
        const uint32_t value = b->valued ? b->value[i] : 0;
        const struct slab_vertex v = slab_vertex_of(g, from);
        const struct slab_probe p = slab_begin(g, v, target);
        if (v.sectors >= SLAB_LONG)
            i += (g->incoming[from] - i - 1) / size * size;
        else if (p.first >= site->first && p.first < site->end)
            slab_put_on_desk(g, desk, p.first - site->first, p.width, p.hash,
                             slab_pair(target, value), b->valued);
    }
}

#endif
