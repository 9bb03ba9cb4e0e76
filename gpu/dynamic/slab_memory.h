/* The arena of slab.h: sectors are read, pieces are taken, cleaned and given back. */
#ifndef GPUGRAPH_SLAB_MEMORY_H
#define GPUGRAPH_SLAB_MEMORY_H

#include "slab.h"

#ifndef SLAB_EARLIER /* tests make it what it was some insertions ago */
#define SLAB_EARLIER(word)
#endif

/* What a lane sees of a sector. */
enum slab_view {
    SLAB_NOW,    /* it as it is */
    SLAB_LATELY, /* as it was at some time since the kernel began, through L1, where the first of two loads brings all of it.
                 ** For kernels that insert and do nothing else: places only fill there, and who swaps one learns
                 ** what it holds by now */
    SLAB_FROZEN  /* nobody writes to the arena in this phase */
};

WARP_FUNCTION void slab_read(const struct slab_graph *g, uint32_t sector,
                             enum slab_view view, uint32_t *word) {
    uint32_t *from = g->word + (uint64_t)sector * SLAB_WORDS;
#ifdef __CUDA_ARCH__
    for (int half = 0; half < 2; half++) {
        uint32_t *w = word + half * 4;
        if (view == SLAB_FROZEN)
            asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                         : "l"(from + half * 4));
        else if (view == SLAB_LATELY)
            asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                         : "l"(from + half * 4)
                         : "memory");
        else
            asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                         : "l"(from + half * 4)
                         : "memory");
    }
#else
    for (int i = 0; i < SLAB_WORDS; i++)
        word[i] = device_load(from + i);
    if (view == SLAB_LATELY) {
        SLAB_EARLIER(word);
    }
#endif
}

/* Into a table that nobody else writes to now. */
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

/* A vertex's table while others may found it. */
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

/* From the list of pieces of 1 << kind sectors; SLAB_NONE when it has ended. */
WARP_FUNCTION uint32_t slab_take_listed(const struct slab_graph *g, uint32_t kind) {
    struct slab_pool *pool = g->pool;
    uint32_t count = pool->count[kind];
    uint32_t at = count > 0 ? device_reserve(&pool->taken[kind], 1) : 0;
    return at < count ? g->list[kind][slab_ring(g, kind, at)] : SLAB_NONE;
}

/* A clean piece of 1 << kind sectors; SLAB_NONE when the arena has ended. */
WARP_FUNCTION uint32_t slab_take(const struct slab_graph *g, uint32_t kind) {
    uint32_t piece = slab_take_listed(g, kind);
    return piece != SLAB_NONE ? piece : slab_take_new(g, 1u << kind);
}

/* The kind of a base that may come from a list; SLAB_LISTS: of another. */
WARP_FUNCTION uint32_t slab_kind_of(uint32_t sectors) {
    return sectors == 1 || sectors == 2 ? sectors - 1
           : sectors == SLAB_SECTORS    ? 2
                                        : (uint32_t)SLAB_LISTS;
}

/* A clean base of that many sectors; of none: anything but SLAB_NONE. */
WARP_FUNCTION uint32_t slab_take_base(const struct slab_graph *g, uint32_t sectors) {
    if (sectors == 0)
        return 0;
    uint32_t kind = slab_kind_of(sectors);
    return kind < SLAB_LISTS ? slab_take(g, kind) : slab_take_new(g, sectors);
}

/* The same for all lanes of a warp, with one look at the arena's end. */
WARP_FUNCTION uint32_t slab_take_bases(const struct slab_graph *g, uint32_t sectors) {
    uint32_t kind = slab_kind_of(sectors), base = sectors > 0 ? SLAB_NONE : 0;
    if (kind < SLAB_LISTS)
        base = slab_take_listed(g, kind);
    warp_sync();
    uint32_t all, at = SLAB_NONE;
    uint32_t before = warp_sum_before(base == SLAB_NONE ? sectors : 0, &all);
    if (all == 0)
        return base;
    if (warp_lane() == 0)
        at = slab_take_new(g, all);
    at = warp_from(at, 0);
    return base == SLAB_NONE && at != SLAB_NONE ? at + before : base;
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
    pool->parts = pool->later = 0;
}

#endif
