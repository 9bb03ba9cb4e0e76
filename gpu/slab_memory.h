/* The arena of slab.h: sectors are read, pieces are taken, cleaned and given back. */
#ifndef GPUGRAPH_SLAB_MEMORY_H
#define GPUGRAPH_SLAB_MEMORY_H

#include "slab.h"

/* A sector as it is now. frozen: nobody writes to the arena in this phase. */
WARP_FUNCTION void slab_read(const struct slab_graph *g, uint32_t sector, bool frozen,
                             uint32_t *word) {
    uint32_t *from = g->word + (uint64_t)sector * SLAB_WORDS;
#ifdef __CUDA_ARCH__
    for (int half = 0; half < 2; half++) {
        uint32_t *w = word + half * 4;
        if (frozen)
            asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                         : "l"(from + half * 4));
        else
            asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                         : "l"(from + half * 4)
                         : "memory");
    }
#else
    (void)frozen;
    for (int i = 0; i < SLAB_WORDS; i++)
        word[i] = device_load(from + i);
#endif
}

/* A sector of a table that nobody else writes to now. */
WARP_FUNCTION void slab_read_own(const struct slab_graph *g, uint32_t sector,
                                 uint32_t *word) {
    const uint32_t *from = g->word + (uint64_t)sector * SLAB_WORDS;
#ifdef __CUDA_ARCH__
    for (int half = 0; half < 2; half++) {
        uint4 four = reinterpret_cast<const uint4 *>(from)[half];
        word[half * 4] = four.x;
        word[half * 4 + 1] = four.y;
        word[half * 4 + 2] = four.z;
        word[half * 4 + 3] = four.w;
    }
#else
    for (int i = 0; i < SLAB_WORDS; i++)
        word[i] = from[i];
#endif
}

WARP_FUNCTION void slab_write_own(uint32_t *place, uint64_t pair, bool valued) {
    if (valued)
        *(uint64_t *)place = pair;
    else
        *place = (uint32_t)pair;
}

WARP_FUNCTION struct slab_vertex slab_vertex_of(const struct slab_graph *g, uint32_t v) {
#ifdef __CUDA_ARCH__
    uint4 four = *reinterpret_cast<const uint4 *>(g->vertex + v);
    return slab_vertex{four.x, four.y, four.z, four.w};
#else
    struct slab_vertex copy = g->vertex[v];
    return copy;
#endif
}

/* The same while its table may be founded by others. */
WARP_FUNCTION struct slab_vertex slab_vertex_now(const struct slab_graph *g, uint32_t v) {
    uint64_t table = device_load_64((uint64_t *)&g->vertex[v]);
    struct slab_vertex now = {(uint32_t)table, (uint32_t)(table >> 32), 0, 0};
    return now;
}

/* From the arena's untouched end. */
WARP_FUNCTION uint32_t slab_take_new(const struct slab_graph *g, uint32_t sectors) {
    struct slab_pool *pool = g->pool;
    if (device_load(&pool->report.full))
        return SLAB_NONE;
    uint32_t at = device_reserve(&pool->end, sectors);
    if (at <= g->capacity && g->capacity - at >= sectors)
        return at;
    device_store(&pool->report.full, 1);
    return SLAB_NONE;
}

/* Place number `at` of a list. */
WARP_FUNCTION uint32_t slab_ring(const struct slab_graph *g, uint32_t kind, uint32_t at) {
    uint32_t place = g->pool->first[kind] + at;
    return place < g->room[kind] ? place : place - g->room[kind];
}

/* A clean piece of 1 << kind sectors; SLAB_NONE when the arena has ended. */
WARP_FUNCTION uint32_t slab_take(const struct slab_graph *g, uint32_t kind) {
    struct slab_pool *pool = g->pool;
    uint32_t count = pool->count[kind];
    if (count > 0) {
        uint32_t at = device_reserve(&pool->taken[kind], 1);
        if (at < count)
            return g->list[kind][slab_ring(g, kind, at)];
    }
    return slab_take_new(g, 1u << kind);
}

/* A clean base of that many sectors; of none: anything but SLAB_NONE. */
WARP_FUNCTION uint32_t slab_take_base(const struct slab_graph *g, uint32_t sectors) {
    if (sectors == 0)
        return 0;
    if (sectors <= SLAB_SECTORS)
        return slab_take(g, sectors == SLAB_SECTORS ? 2 : sectors - 1);
    return slab_take_new(g, sectors);
}

/* A clean piece joins the list of its kind at a place that was reserved for it. */
WARP_FUNCTION void slab_join_list(const struct slab_graph *g, uint32_t kind, uint32_t at,
                                  uint32_t sector) {
    if (at < g->room[kind])
        g->list[kind][slab_ring(g, kind, at)] = sector;
    else
        device_take(&g->pool->spilled, 1);
}

/* Gives a clean piece back. */
WARP_FUNCTION void slab_free_piece(const struct slab_graph *g, uint32_t kind,
                                   uint32_t sector) {
    uint32_t pushed = device_reserve(&g->pool->pushed[kind], 1);
    slab_join_list(g, kind, g->pool->count[kind] + pushed, sector);
}

/* Clean pieces that a lane has done with and gives back together with those of other lanes. */
struct slab_bag {
    uint32_t *piece; /* room for SLAB_BAG, `stride` apart */
    uint32_t stride, count;
    uint32_t kinds; /* two bits for each */
};

/* Into the bag, or back at once where there is none or it is full. */
WARP_FUNCTION void slab_put_away(const struct slab_graph *g, struct slab_bag *bag,
                                 uint32_t kind, uint32_t sector) {
    if (!bag || bag->count == SLAB_BAG) {
        slab_free_piece(g, kind, sector);
        return;
    }
    bag->piece[bag->count * bag->stride] = sector;
    bag->kinds |= kind << 2 * bag->count++;
}

WARP_FUNCTION void slab_clean(const struct slab_graph *g, uint32_t sector,
                              uint32_t sectors) {
    uint32_t *word = g->word + (uint64_t)sector * SLAB_WORDS;
#ifdef __CUDA_ARCH__
    const uint4 clean = {SLAB_NONE, SLAB_NONE, SLAB_NONE, SLAB_NONE};
    for (uint32_t i = 0; i < sectors * 2; i++)
        reinterpret_cast<uint4 *>(word)[i] = clean;
#else
    for (uint32_t i = 0; i < sectors * SLAB_WORDS; i++)
        device_store(word + i, SLAB_NONE);
#endif
}

/* By one lane, between phases: what was freed joins the lists. */
WARP_FUNCTION void slab_end_phase(const struct slab_graph *g) {
    struct slab_pool *pool = g->pool;
    for (uint32_t kind = 0; kind < SLAB_LISTS; kind++) {
        uint32_t count = pool->count[kind], room = g->room[kind] - count;
        uint32_t taken = pool->taken[kind] < count ? pool->taken[kind] : count;
        uint32_t pushed = pool->pushed[kind] < room ? pool->pushed[kind] : room;
        pool->first[kind] = slab_ring(g, kind, taken);
        pool->count[kind] = count - taken + pushed;
        pool->taken[kind] = pool->pushed[kind] = 0;
    }
    pool->growing[0] = pool->growing[1] = pool->growing[2] = 0;
    pool->parts = pool->later = pool->visits = 0;
}

#endif
