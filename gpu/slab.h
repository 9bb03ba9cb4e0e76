/* Adjacency as one hash table for each vertex, in slabs, for graphs that change.
**
**     vertex   base, sectors, used, dead           the dictionary: 16 bytes a vertex
**                |
**                v            the base: 1 or 2 sectors, or any number of slabs of 4
**     sector   [ e e e e ][ e e e e ][ e e e e ][ e e e link ]  32 bytes each; a slab: 128
**                                                      |
**     slab     [ e e e e ][ e e e e ][ e e e e ][ e e e link ]  collisions: a chain
**
**     entry    map: target and value, 64 bits; 15 to a slab.  set: a target; 30 to a slab
**              the target alone 0xffffffff: empty, 0xfffffffe: deleted (a tombstone)
**
** The hash of a target names a slab of the base and, in it, the sector where the probe
** begins; it goes round the slab, then along the chain, in the same order for every
** operation on that target. Within a batch of insertions places only ever fill, so who
** finds the first empty place of a probe and swaps it is alone in having added that
** target: no target is ever there twice. Deletion leaves tombstones, which stay until the
** vertex is rehashed. Batches are phases: one kind of operation at a time.
**
** Where a batch names an edge twice, the later one counts. Who adds an edge writes its value
** at once; who finds it there marks its hash in a filter. Then all items of the batch that
** the filter knows, few as a rule, claim their entries: an entry holds the position in the
** batch of the latest claim, marked by the target's highest bit. When all have come, the
** claim that stands writes its value. Targets stay below 2^31 - 2.
**
** Room is taken in a phase from the lists of free sectors as they were when it began, or
** from the arena's untouched end; what is freed joins the lists when the phase ends. So no
** piece is taken twice. Free and untouched sectors are always clean: every bit set. Where
** the arena ends, `full` is set and the operation is left undone; batches may be run again.
**
** After Awad, Ashkiani, Porumbescu, Owens, "Dynamic Graphs on the GPU" (IPDPS 2020). There
** a warp does one operation at a time on a whole slab. Here a lane does one by itself and
** reads the sector it needs: a quarter of the bytes, and 32 times as many in flight. */
#ifndef GPUGRAPH_SLAB_H
#define GPUGRAPH_SLAB_H

#include "warp.h"

#define SLAB_NONE          UINT32_MAX  /* an empty place, no link */
#define SLAB_DEAD          0xfffffffeu /* a tombstone */
#define SLAB_CLAIM         0x80000000u
#define SLAB_MOST_VERTICES 0x7ffffffeu

enum {
    SLAB_SECTORS = 4, /* of a slab */
    SLAB_WORDS = 8,   /* of a sector */
    SLAB_LINK = 6,    /* word of a slab's (or short base's) last sector */
    SLAB_LISTS = 3,   /* pieces of 1, 2 and 4 sectors */
    SLAB_SMALL = 4,   /* sectors of a base that one lane rehashes by itself */
    SLAB_HUGE = 256,  /* and from where on it takes more than a warp */
    SLAB_FILTER_BITS = 1 << 20
};

struct slab_vertex {  /* 16 bytes, read at once */
    uint32_t base;    /* number of its first sector */
    uint32_t sectors; /* 0: no table yet */
    uint32_t used;    /* places that are not empty */
    uint32_t dead;    /* of these, tombstones */
};

struct slab_pool {
    uint32_t end;                /* sectors ever taken from the arena */
    uint32_t first[SLAB_LISTS];  /* the lists are rings: where they begin */
    uint32_t count[SLAB_LISTS];  /* free pieces when the phase began */
    uint32_t taken[SLAB_LISTS];  /* of these, in this phase */
    uint32_t pushed[SLAB_LISTS]; /* pieces freed in this phase, behind those */
    uint32_t growing[3];         /* vertices to rehash: small, larger, huge ones */
    uint32_t spilled;            /* pieces that found no room in a list */
    struct slab_report {         /* of one batch */
        uint64_t added, removed, sectors, triangles;
        uint32_t full;     /* 1: the arena ended */
        uint32_t unsorted; /* 1: the batch is not ascending without repeats */
    } report;
};

struct slab_graph { /* a view: owns nothing */
    struct slab_vertex *vertex;
    uint32_t n;
    uint32_t *word;     /* the arena: capacity * SLAB_WORDS */
    uint32_t capacity;  /* sectors */
    uint32_t *incoming; /* n: insertions of this batch */
    uint32_t *filter;   /* SLAB_FILTER_BITS: edges that were found by insertions */
    uint32_t *growing;  /* n: vertices to rehash, small ones from the front, larger ones
                         ** from the back; */
    uint32_t *huge;     /* capacity / SLAB_HUGE + 1: and these */
    uint32_t *list[SLAB_LISTS], room[SLAB_LISTS]; /* free pieces */
    struct slab_pool *pool;
    float load; /* entries of a base over its places, when it is made */
};

/* ---- sizes ---- */

/* Entries that a base of so many sectors holds without a chain. */
WARP_FUNCTION uint32_t slab_places(uint32_t sectors, bool valued) {
    uint32_t pairs = sectors < SLAB_SECTORS ? sectors * 4 - (sectors > 0)
                                            : sectors / SLAB_SECTORS * 15;
    return valued ? pairs : pairs * 2;
}

/* Entries beyond which a base is made anew: slabs may have half as many again in chains. */
WARP_FUNCTION uint32_t slab_most(uint32_t sectors, bool valued) {
    uint32_t places = slab_places(sectors, valued);
    return sectors < SLAB_SECTORS ? places : places + places / 2;
}

/* Sectors of a base for so many entries. */
WARP_FUNCTION uint32_t slab_sectors_for(uint32_t entries, float load, bool valued) {
    if (entries == 0)
        return 0;
    if (entries <= slab_places(1, valued))
        return 1;
    if (entries <= slab_places(2, valued))
        return 2;
    float slab = (valued ? 15 : 30) * load;
    return ((uint32_t)((float)entries / slab) + 1) * SLAB_SECTORS;
}

WARP_FUNCTION uint32_t slab_hash(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

WARP_FUNCTION uint64_t slab_pair(uint32_t target, uint32_t value) {
    return (uint64_t)value << 32 | target;
}

/* ---- memory ---- */

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

WARP_FUNCTION struct slab_vertex slab_vertex_of(const struct slab_graph *g, uint32_t v) {
#ifdef __CUDA_ARCH__
    uint4 four = *reinterpret_cast<const uint4 *>(g->vertex + v);
    return slab_vertex{four.x, four.y, four.z, four.w};
#else
    struct slab_vertex copy = g->vertex[v];
    return copy;
#endif
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

/* Gives a clean piece back. */
WARP_FUNCTION void slab_free_piece(const struct slab_graph *g, uint32_t kind,
                                   uint32_t sector) {
    uint32_t at = g->pool->count[kind] + device_reserve(&g->pool->pushed[kind], 1);
    if (at < g->room[kind])
        g->list[kind][slab_ring(g, kind, at)] = sector;
    else
        device_count(&g->pool->spilled, 1);
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

/* ---- probes ---- */

/* Where a probe stands: a run of 1, 2 or 4 sectors, begun at one of them. */
struct slab_probe {
    uint32_t hash, first, width;
};

WARP_FUNCTION struct slab_probe slab_begin(struct slab_vertex v, uint32_t target) {
    uint32_t hash = slab_hash(target);
    struct slab_probe p = {hash, v.base, v.sectors};
    if (v.sectors >= SLAB_SECTORS) {
        uint64_t slabs = v.sectors / SLAB_SECTORS;
        p.first += (uint32_t)((uint64_t)hash * slabs >> 32) * SLAB_SECTORS;
        p.width = SLAB_SECTORS;
    }
    return p;
}

WARP_FUNCTION uint32_t slab_turn(struct slab_probe p, uint32_t turn) {
    return (p.hash + turn) & (p.width - 1);
}

/* The words of a sector that hold entries. */
WARP_FUNCTION uint32_t slab_entry_words(struct slab_probe p, uint32_t turn) {
    return slab_turn(p, turn) == p.width - 1 ? SLAB_LINK : SLAB_WORDS;
}

WARP_FUNCTION uint32_t *slab_link_of(const struct slab_graph *g, struct slab_probe p) {
    return g->word + (uint64_t)(p.first + p.width - 1) * SLAB_WORDS + SLAB_LINK;
}

/* Is the edge there? *value (map): its value. *at: its place in the arena. (Of a tombstone
** and an empty place nothing is left that a target could be.) */
WARP_FUNCTION bool slab_find(const struct slab_graph *g, uint32_t from, uint32_t target,
                             bool valued, bool frozen, uint32_t *value, uint64_t *at) {
    struct slab_vertex v = slab_vertex_of(g, from);
    if (v.sectors == 0)
        return false;
    struct slab_probe p = slab_begin(v, target);
    const uint32_t step = valued ? 2 : 1;
    for (;;) {
        uint32_t link = SLAB_NONE;
        for (uint32_t turn = 0; turn < p.width; turn++) {
            uint32_t word[SLAB_WORDS], end = slab_entry_words(p, turn);
            uint32_t sector = p.first + slab_turn(p, turn);
            slab_read(g, sector, frozen, word);
            for (uint32_t i = 0; i < SLAB_WORDS; i += step) {
                if (i >= end)
                    break;
                if ((word[i] & ~SLAB_CLAIM) == target) {
                    *value = valued ? word[i | 1] : 0;
                    *at = (uint64_t)sector * SLAB_WORDS + i;
                    return true;
                }
                if (word[i] == SLAB_NONE)
                    return false;
            }
            if (end == SLAB_LINK)
                link = word[SLAB_LINK];
        }
        if (link == SLAB_NONE)
            return false;
        p.first = link;
        p.width = SLAB_SECTORS;
    }
}

/* ---- insertion ---- */

enum slab_outcome {
    SLAB_ADDED, /* a new edge */
    SLAB_FOUND, /* it was there */
    SLAB_LOST,  /* a later claim of the same batch stands */
    SLAB_FULL   /* the arena has ended: run the batch again */
};

enum slab_manner { /* what becomes of an edge that is there */
                   SLAB_KEEP,
                   SLAB_REPLACE,
                   SLAB_CLAIMS /* the pair is a claim: the latest position stands */
};

/* The entry at `at` holds our target. */
WARP_FUNCTION enum slab_outcome slab_replace(uint64_t *at, uint64_t found, uint64_t pair,
                                             enum slab_manner manner) {
    while (manner != SLAB_KEEP && found != pair) {
        if (manner == SLAB_CLAIMS && (uint32_t)found & SLAB_CLAIM &&
            found >> 32 > pair >> 32)
            return SLAB_LOST;
        if (device_try_64(at, &found, pair))
            break;
    }
    return SLAB_FOUND;
}

/* Links a new slab behind the run; its number, or that of who was first. */
WARP_FUNCTION uint32_t slab_extend(const struct slab_graph *g, struct slab_probe p) {
    uint32_t *link = slab_link_of(g, p), found = device_load(link);
    if (found != SLAB_NONE)
        return found;
    uint32_t slab = slab_take(g, 2);
    if (slab == SLAB_NONE)
        return SLAB_NONE;
    if (device_try(link, &found, slab))
        return slab;
    slab_free_piece(g, 2, slab); /* still clean */
    return found;
}

/* Puts the entry into the table. pair: target (claimed or not) and value; of a set the
** target alone. *sector: where it is now. */
WARP_FUNCTION enum slab_outcome slab_insert(const struct slab_graph *g,
                                            struct slab_vertex v, uint64_t pair,
                                            bool valued, enum slab_manner manner,
                                            uint32_t *sector) {
    const uint32_t target = (uint32_t)pair & ~SLAB_CLAIM, step = valued ? 2 : 1;
    struct slab_probe p = slab_begin(v, target);
    for (;;) {
        for (uint32_t turn = 0; turn < p.width; turn++) {
            uint32_t word[SLAB_WORDS], end = slab_entry_words(p, turn);
            *sector = p.first + slab_turn(p, turn);
            slab_read(g, *sector, false, word);
            uint32_t *place = g->word + (uint64_t)*sector * SLAB_WORDS;
            for (uint32_t i = 0; i < SLAB_WORDS; i += step) {
                if (i >= end)
                    break;
                uint32_t there = word[i];
                if (valued) {
                    uint64_t found = slab_pair(there, word[i | 1]);
                    uint64_t *at = (uint64_t *)(place + i);
                    if (there == SLAB_NONE) {
                        found = UINT64_MAX;
                        if (device_try_64(at, &found, pair))
                            return SLAB_ADDED;
                        there = (uint32_t)found;
                    }
                    if (there != SLAB_DEAD && (there & ~SLAB_CLAIM) == target)
                        return slab_replace(at, found, pair, manner);
                } else {
                    if (there == SLAB_NONE &&
                        device_try(place + i, &there, (uint32_t)pair))
                        return SLAB_ADDED;
                    if (there == target)
                        return SLAB_FOUND;
                }
            }
        }
        uint32_t slab = slab_extend(g, p);
        if (slab == SLAB_NONE)
            return SLAB_FULL;
        p.first = slab;
        p.width = SLAB_SECTORS;
    }
}

/* The filter: does the batch perhaps hold this edge twice, or was it there? */
WARP_FUNCTION uint32_t slab_filter_bit(uint32_t from, uint32_t target) {
    return (slab_hash(target) + from * 0x9e3779b1u) % SLAB_FILTER_BITS;
}
WARP_FUNCTION void slab_mark(const struct slab_graph *g, uint32_t from, uint32_t target) {
    uint32_t bit = slab_filter_bit(from, target);
    device_or(&g->filter[bit / 32], 1u << bit % 32);
}
WARP_FUNCTION bool slab_is_marked(const struct slab_graph *g, uint32_t from,
                                  uint32_t target) {
    uint32_t bit = slab_filter_bit(from, target);
    return g->filter[bit / 32] >> bit % 32 & 1;
}

/* An item of the batch claims its edge's entry; the sector where it is, or SLAB_NONE if a
** later claim stands there. */
WARP_FUNCTION uint32_t slab_claim(const struct slab_graph *g, uint32_t from,
                                  uint32_t target, uint32_t position) {
    uint32_t value;
    uint64_t at;
    if (!slab_find(g, from, target, true, false, &value, &at))
        return SLAB_NONE; /* the arena ended before it was put there */
    uint64_t *entry = (uint64_t *)(g->word + at), found = device_load_64(entry);
    uint64_t claim = slab_pair(target | SLAB_CLAIM, position);
    return slab_replace(entry, found, claim, SLAB_CLAIMS) == SLAB_FOUND
               ? (uint32_t)(at / SLAB_WORDS)
               : SLAB_NONE;
}

/* Once all claims of the batch are made: the one at that position, if it stands in that
** sector, becomes an entry. */
WARP_FUNCTION void slab_settle_claim(const struct slab_graph *g, uint32_t sector,
                                     uint32_t target, uint32_t position, uint32_t value) {
    uint64_t claim = slab_pair(target | SLAB_CLAIM, position);
    uint64_t *pair = (uint64_t *)(g->word + (uint64_t)sector * SLAB_WORDS);
    for (int i = 0; i < SLAB_WORDS / 2; i++)
        if (device_load_64(pair + i) == claim)
            device_store_64(pair + i, slab_pair(target, value));
}

/* Was it there? */
WARP_FUNCTION bool slab_delete(const struct slab_graph *g, uint32_t from, uint32_t target,
                               bool valued) {
    uint32_t value;
    uint64_t at;
    if (!slab_find(g, from, target, valued, false, &value, &at))
        return false;
    if (valued) {
        uint64_t found = slab_pair(target, value);
        return device_try_64((uint64_t *)(g->word + at), &found,
                             slab_pair(SLAB_DEAD, SLAB_NONE));
    }
    uint32_t found = target;
    return device_try(g->word + at, &found, SLAB_DEAD);
}

/* ---- steps of a batch: one lane per item ---- */

WARP_FUNCTION void slab_list_growing(const struct slab_graph *g, uint32_t v,
                                     uint32_t sectors) {
    uint32_t *growing = g->pool->growing;
    if (sectors <= SLAB_SMALL)
        g->growing[device_reserve(&growing[0], 1)] = v;
    else if (sectors < SLAB_HUGE)
        g->growing[g->n - 1 - device_reserve(&growing[1], 1)] = v;
    else
        g->huge[device_reserve(&growing[2], 1)] = v;
}

/* Counts an insertion for its vertex. Does the vertex's base become too small? Exactly one
** item of a batch learns so: the one that steps over the edge. */
WARP_FUNCTION bool slab_announce(const struct slab_graph *g, uint32_t from, bool valued,
                                 uint32_t *sectors) {
    uint32_t incoming = device_reserve(&g->incoming[from], 1) + 1;
    struct slab_vertex v = slab_vertex_of(g, from);
    uint32_t most = slab_most(v.sectors, valued);
    *sectors = v.sectors;
    return v.used + incoming == (v.used > most ? v.used : most) + 1;
}

/* ---- runs: the slabs of a base (or a short base), each with its chain ---- */

WARP_FUNCTION uint32_t slab_runs(uint32_t sectors) {
    return sectors < SLAB_SECTORS ? sectors > 0 : sectors / SLAB_SECTORS;
}

/* One lane's way through the sectors of a base: rank, rank + size, ...; the chain of a run
** comes behind the run's last sector. */
struct slab_walk {
    uint32_t base, sectors, next, size;
    uint32_t chain, left; /* in a chain: the next sector, sectors left of its slab */
};

WARP_FUNCTION struct slab_walk slab_walk_from(struct slab_vertex v, uint32_t rank,
                                              uint32_t size) {
    struct slab_walk w = {v.base, v.sectors, rank, size, SLAB_NONE, 0};
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
        uint32_t width = w->sectors < SLAB_SECTORS ? w->sectors : SLAB_SECTORS;
        slab_read(g, w->base + w->next, frozen, word);
        last = w->next % width == width - 1;
        w->next += w->size;
    }
    *entries = last ? SLAB_LINK : SLAB_WORDS;
    if (last) {
        w->chain = word[SLAB_LINK];
        w->left = SLAB_SECTORS;
    }
    return true;
}

WARP_FUNCTION bool slab_is_entry(uint32_t word) {
    return word != SLAB_NONE && word != SLAB_DEAD;
}

/* Leaves a run and its chain clean and frees them. */
WARP_FUNCTION void slab_clear_run(const struct slab_graph *g, struct slab_vertex v,
                                  uint32_t run) {
    uint32_t width = v.sectors < SLAB_SECTORS ? v.sectors : SLAB_SECTORS;
    uint32_t first = v.base + run * SLAB_SECTORS;
    while (first != SLAB_NONE) {
        uint32_t *link = g->word + (uint64_t)(first + width - 1) * SLAB_WORDS + SLAB_LINK;
        uint32_t next = device_load(link);
        slab_clean(g, first, width);
        slab_free_piece(g, width == SLAB_SECTORS ? 2 : width - 1, first);
        first = next;
        width = SLAB_SECTORS;
    }
}

/* ---- rehash: the lanes of a team, each for its share of the runs ---- */

/* What the vertex needs: its living entries and those that come. */
WARP_FUNCTION uint32_t slab_wanted(const struct slab_graph *g, uint32_t v,
                                   struct slab_vertex from, bool valued) {
    return slab_sectors_for(from.used - from.dead + g->incoming[v], g->load, valued);
}

/* Copies this lane's runs, in `old`, to the new base. False: the arena has ended. */
WARP_FUNCTION bool slab_copy_runs(const struct slab_graph *old, struct slab_vertex from,
                                  const struct slab_graph *g, struct slab_vertex to,
                                  uint32_t rank, uint32_t size, bool valued) {
    struct slab_walk walk = slab_walk_from(from, rank, size);
    uint32_t word[SLAB_WORDS], entries, sector;
    while (slab_step(old, &walk, false, word, &entries))
        for (uint32_t i = 0; i < entries; i += valued ? 2 : 1)
            if (slab_is_entry(word[i]) &&
                slab_insert(g, to, slab_pair(word[i], valued ? word[i | 1] : 0), valued,
                            SLAB_KEEP, &sector) == SLAB_FULL)
                return false;
    return true;
}

WARP_FUNCTION void slab_clear_runs(const struct slab_graph *g, struct slab_vertex v,
                                   uint32_t rank, uint32_t size) {
    for (uint32_t run = rank; run < slab_runs(v.sectors); run += size)
        slab_clear_run(g, v, run);
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
}

#endif
