/* Adjacency as one hash table for each vertex, in slabs, for graphs that change.
**
**     slab.h          this: what there is, constants, sizes
**     slab_memory.h   sectors; pieces that are taken and given back
**     slab_table.h    find, insert, claim, delete
**     slab_walk.h     all entries of a table: clear, rows
**     slab_tile.h     rehash
**
**     vertex   base, sectors, used, dead           the dictionary: 16 bytes a vertex
**                |
**                v            the base: 1 or 2 sectors, or any number of slabs of 4
**     sector   [ e e e e ][ e e e e ][ e e e e ][ e e e link ]  32 bytes each; a slab: 128
**                                                      |
**     slab     [ e e e e ][ e e e e ][ e e e e ][ e e e link ]  collisions: a chain
**
** (Behind a base of 1 sector there is a piece of 2, behind one of 2 a slab.)
**
**     entry    map: target and value, 64 bits; 15 to a slab.  set: a target; 30 to a slab
**              the target alone 0xffffffff: empty, 0xfffffffe: deleted (a tombstone)
**
** The placing hash of a target names a slab of the base and, in it, the sector where the probe
** begins; it goes round the slab, then along the chain, in the same order for every
** operation on that target. Within a batch of insertions places only ever fill, so who
** finds the first empty place of a probe and swaps it is alone in having added that
** target: no target is ever there twice. Deletion leaves tombstones, which stay until the
** vertex is rehashed. Batches are phases: one kind of operation at a time.
**
** A large batch is announced: insertions are counted for each vertex, and those that need a
** larger base get it before anything is inserted. A small one is attempted at once: a vertex
** without a table gets one of 1 sector, a full run a longer chain, and where a base is due to be
** made anew the insertion waits until it has been.
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

#include "base/warp.h"

#define SLAB_NONE          UINT32_MAX  /* an empty place, no link */
#define SLAB_DEAD          0xfffffffeu /* a tombstone */
#define SLAB_CLAIM         0x80000000u
#define SLAB_MOST_VERTICES 0x7ffffffeu

#ifndef SLAB_HUGE     /* tests make them small */
#define SLAB_HUGE 64  /* sectors of a base from where on warps share its rehash */
#define SLAB_PART 128 /* sectors of its new base that one warp fills */
#endif

enum {
    SLAB_SECTORS = 4, /* of a slab */
    SLAB_WORDS = 8,   /* of a sector */
    SLAB_LINK = 6,    /* word of a slab's (or shorter piece's) last sector */
    SLAB_LISTS = 3,   /* pieces of 1, 2 and 4 sectors */
    SLAB_SMALL = 4,   /* sectors of a base that a few lanes rehash */
    SLAB_FAR = 8,     /* items of a vertex in a batch behind which others are many */
    SLAB_FILTER_BITS = 1 << 20,
    SLAB_FILTER_WORDS = SLAB_FILTER_BITS / 32
};

struct slab_vertex {  /* 16 bytes, read at once */
    uint32_t base;    /* number of its first sector */
    uint32_t sectors; /* 0: no table yet */
    uint32_t used;    /* places that are not empty */
    uint32_t dead;    /* of these, tombstones */
};

struct slab_move { /* the rehash of a huge base */
    struct slab_vertex from, to;
    uint32_t vertex;
    uint32_t first, parts; /* the number of its first part; none: there was no room */
    uint32_t left;         /* parts that are not moved */
};

/* Words that many ask of at once lie in lines of 128 bytes, apart from those that others read. */
struct slab_pool {
    uint32_t end; /* sectors ever taken from the arena */
    uint32_t behind_end[31];
    uint32_t first[SLAB_LISTS]; /* the lists are rings: where they begin */
    uint32_t count[SLAB_LISTS]; /* free pieces when the phase began */
    uint32_t behind_count[26];
    uint32_t taken[SLAB_LISTS]; /* of these, in this phase */
    uint32_t behind_taken[29];
    uint32_t pushed[SLAB_LISTS]; /* pieces freed in this phase, behind those */
    uint32_t spilled;            /* pieces that found no room in a list */
    uint32_t behind_pushed[28];
    uint32_t growing[3]; /* vertices to rehash: small, larger, huge ones */
    uint32_t parts;      /* of huge ones */
    uint32_t behind_growing[28];
    uint32_t later; /* items that wait for a rehash */
    uint32_t behind_later[31];
    struct slab_report { /* of one batch */
        uint64_t added, removed, sectors, triangles;
        uint64_t far; /* items that have SLAB_FAR others of their vertex before them */
        uint64_t behind_sums[11];
        uint32_t full;     /* 1: the arena ended */
        uint32_t unsorted; /* 1: the batch is not ascending without repeats */
        uint32_t marked;   /* 1: the filter is not empty */
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
    struct slab_move *huge; /* capacity / SLAB_HUGE + 1: and these */
    uint32_t *part;         /* two for one of those and more: of each part, whose it is */
    uint32_t *list[SLAB_LISTS], room[SLAB_LISTS]; /* free pieces */
    struct slab_pool *pool;
    uint32_t salt; /* of slab_hash: nobody can choose targets that collide */
    float load;    /* entries of a base over its places, when it is made */
    float
        slack; /* entries that a base of slabs is larger for, when it is made, for each */
};

/* ---- sizes ---- */

/* Entries that a base of so many sectors holds without a chain. */
WARP_FUNCTION uint32_t slab_places(uint32_t sectors, bool valued) {
    uint32_t pairs = sectors < SLAB_SECTORS ? sectors * 4 - (sectors > 0)
                                            : sectors / SLAB_SECTORS * 15;
    return valued ? pairs : pairs * 2;
}

/* Sectors of the piece that a chain has next: behind a short one twice as many. */
WARP_FUNCTION uint32_t slab_next_width(uint32_t sectors) {
    return sectors < SLAB_SECTORS ? 2 * sectors : SLAB_SECTORS;
}

/* Entries beyond which a base is made anew: a short one may have one piece behind it, a slab
** half as many again in a chain, several slabs what their hash makes of a load of 1, or of one
** half as high again as was asked for. */
WARP_FUNCTION uint32_t slab_most(uint32_t sectors, float load, bool valued) {
    uint32_t places = slab_places(sectors, valued);
    if (sectors < SLAB_SECTORS)
        return places + slab_places(2 * sectors, valued);
    float most = sectors == SLAB_SECTORS ? 1.5f : 1;
    most = load * 1.4f > most ? load * 1.4f : most;
    return (uint32_t)((float)places * most);
}

/* Sectors of a base for so many entries. */
WARP_FUNCTION uint32_t slab_sectors_for(uint32_t entries, float load, bool valued) {
    if (entries == 0)
        return 0;
    if (entries <= slab_places(1, valued))
        return 1;
    if (entries <= slab_places(2, valued))
        return 2;
    if (entries <= slab_places(SLAB_SECTORS, valued) && load > 0.5f)
        return SLAB_SECTORS; /* a single slab fills evenly */
    float slab = (valued ? 15 : 30) * load;
    return ((uint32_t)((float)entries / slab) + 1) * SLAB_SECTORS;
}

WARP_FUNCTION uint32_t slab_hash(const struct slab_graph *g, uint32_t x) {
    x ^= g->salt;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

WARP_FUNCTION uint64_t slab_pair(uint32_t target, uint32_t value) {
    return (uint64_t)value << 32 | target;
}

#endif
