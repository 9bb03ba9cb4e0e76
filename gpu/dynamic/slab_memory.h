/* The arena of slab.h: reading sectors; taking, cleaning and freeing pieces. */
#ifndef GPUGRAPH_SLAB_MEMORY_H
#define GPUGRAPH_SLAB_MEMORY_H

#include "slab.h"

#ifndef SLAB_EARLIER /* tests replace the words by earlier ones */
#define SLAB_EARLIER(word)
#endif

/* The view that a lane has of a sector. */
enum slab_view {
    SLAB_NOW, /* the present contents */
    /* The contents at some time since the kernel began. The loads go through L1, so the
    ** first of two loads fetches the whole sector. For kernels that only insert: there
    ** entries only fill, and a failed exchange returns the present contents. */
    SLAB_LATELY,
    SLAB_FROZEN /* no lane writes to the arena in this phase */
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

/* Writes an entry of a table that no other lane writes to. */
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

/* Reads the table of a vertex while other lanes may create it. */
WARP_FUNCTION struct slab_vertex slab_vertex_now(const struct slab_graph *g, uint32_t v) {
    uint64_t table = device_load_64((uint64_t *)&g->vertex[v]);
    struct slab_vertex now = {(uint32_t)table, (uint32_t)(table >> 32), 0, 0};
    return now;
}

/* Takes sectors from the untouched end of the arena. */
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

/* Returns the position of entry `at` of a list in its ring. */
WARP_FUNCTION uint32_t slab_ring(const struct slab_graph *g, uint32_t kind, uint32_t at) {
    uint32_t place = g->pool->first[kind] + at;
    return place < g->room[kind] ? place : place - g->room[kind];
}

/* Takes a piece from the list of pieces of 1 << kind sectors; SLAB_NONE if the list is
** exhausted. */
WARP_FUNCTION uint32_t slab_take_listed(const struct slab_graph *g, uint32_t kind) {
    struct slab_pool *pool = g->pool;
    uint32_t count = pool->count[kind];
    uint32_t at = count > 0 ? device_reserve(&pool->taken[kind], 1) : 0;
    return at < count ? g->list[kind][slab_ring(g, kind, at)] : SLAB_NONE;
}

/* Takes a clean piece of 1 << kind sectors; SLAB_NONE if the arena is exhausted. */
WARP_FUNCTION uint32_t slab_take(const struct slab_graph *g, uint32_t kind) {
    uint32_t piece = slab_take_listed(g, kind);
    return piece != SLAB_NONE ? piece : slab_take_new(g, 1u << kind);
}

/* Returns the list of bases with that many sectors; SLAB_LISTS if there is none. */
WARP_FUNCTION uint32_t slab_kind_of(uint32_t sectors) {
    return sectors == 1 || sectors == 2 ? sectors - 1
           : sectors == SLAB_SECTORS    ? 2
                                        : (uint32_t)SLAB_LISTS;
}

/* Takes a clean base of that many sectors; for 0 sectors returns a number other than
** SLAB_NONE. */
WARP_FUNCTION uint32_t slab_take_base(const struct slab_graph *g, uint32_t sectors) {
    if (sectors == 0)
        return 0;
    uint32_t kind = slab_kind_of(sectors);
    return kind < SLAB_LISTS ? slab_take(g, kind) : slab_take_new(g, sectors);
}

/* Takes a base for each lane of a warp, with one access to the arena's end. */
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

/* Adds a clean piece to the list of its kind, at an entry that was reserved for it. */
WARP_FUNCTION void slab_join_list(const struct slab_graph *g, uint32_t kind, uint32_t at,
                                  uint32_t sector) {
    if (at < g->room[kind])
        g->list[kind][slab_ring(g, kind, at)] = sector;
    else
        device_take(&g->pool->spilled, 1);
}

/* Frees a clean piece. */
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

/* Called by one lane between phases: freed pieces join the lists. */
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
