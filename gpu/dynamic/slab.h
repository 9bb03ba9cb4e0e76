/* Adjacency as one hash table for each vertex, in slabs, for graphs that change.
**
**     slab.h          the data, constants, sizes
**     slab_memory.h   sectors; pieces that are taken and freed
**     slab_table.h    find, insert, claim, delete
**     slab_walk.h     all entries of a table: clear, rows
**     slab_tile.h     rehash
**
**     vertex   base, sectors, used, dead           the dictionary: 16 bytes a vertex
**                |
**                v            the base: 1 or 2 sectors, or any number of slabs of 4
**     sector   [ e e e e ][ e e e e ][ e e e e ][ e e e link ]  32 bytes; a slab: 128
**                                                      |
**     slab     [ e e e e ][ e e e e ][ e e e e ][ e e e link ]  collisions: a chain
**
** After a base of 1 sector the chain begins with a piece of 2 sectors. After a base of 2
** sectors it begins with a slab.
**
**     entry    map: target and value, 64 bits; 15 to a slab.  set: a target; 30 to a slab
**              the target alone 0xffffffff: empty, 0xfffffffe: deleted (a tombstone)
**
** The placing hash of a target selects a slab of the base and, in it, the sector where
** the probe begins. The probe goes around the slab, then along the chain, in the same
** order for every operation on that target. Within a batch of insertions entries only
** fill. So the lane that fills the first empty entry of a probe is the only one that adds
** the target, and no target occurs twice. Deletion leaves tombstones, which stay until
** the vertex is rehashed. Batches are phases: one kind of operation at a time.
**
** A large batch is announced: insertions are counted for each vertex, and vertices that
** need a larger base get it before anything is inserted. A small batch is attempted at
** once: a vertex without a table gets one of 1 sector, and a full slab gets a longer
** chain. If a base must be replaced, the insertion waits.
**
** If a batch names an edge twice, the later item wins. A lane that adds an edge writes
** its value at once; a lane that finds the edge marks its hash in a filter. Then the
** items of the batch that are in the filter, usually few, claim their entries. A claimed
** entry holds the position in the batch of the latest claim, and the highest bit of its
** target is set. After all claims, each item that still has its claim writes its value.
** Targets are below 2^31 - 2.
**
** A phase takes sectors from the free lists, as they were when it began, or from the
** untouched end of the arena. Freed pieces join the lists when the phase ends, so no
** piece is taken twice. Free and untouched sectors are always clean: every bit is set. If
** the arena is exhausted, `full` is set and the operation is not done; a batch may run
** again.
**
** After Awad, Ashkiani, Porumbescu, Owens, "Dynamic Graphs on the GPU" (IPDPS 2020).
** There a warp runs one operation at a time on a whole slab. Here each lane runs its own
** operation and reads the sectors that it needs: a quarter of the bytes, and 32 times as
** many operations in flight. */
#ifndef GPUGRAPH_SLAB_H
#define GPUGRAPH_SLAB_H

#include "base/warp.h"

#define SLAB_NONE          UINT32_MAX  /* an empty entry; no link */
#define SLAB_DEAD          0xfffffffeu /* a tombstone */
#define SLAB_CLAIM         0x80000000u
#define SLAB_MOST_VERTICES 0x7ffffffeu

#ifndef SLAB_HUGE     /* tests make these small */
#define SLAB_HUGE 64  /* warps share the rehash of a base with this many sectors */
#define SLAB_PART 128 /* sectors of the new base that one warp fills */
#endif

enum {
    SLAB_SECTORS = 4, /* sectors of a slab */
    SLAB_WORDS = 8,   /* words of a sector */
    SLAB_LINK = 6,    /* position of the link in the last sector of a piece */
    SLAB_LISTS = 3,   /* pieces of 1, 2 and 4 sectors */
    SLAB_SMALL = 4,   /* sectors of a base that a few lanes rehash */
    SLAB_FAR = 8,     /* report.far counts items behind this many others of a vertex */
    SLAB_FILTER_BITS = 1 << 20,
    SLAB_FILTER_WORDS = SLAB_FILTER_BITS / 32
};

struct slab_vertex {  /* 16 bytes, read at once */
    uint32_t base;    /* the first sector */
    uint32_t sectors; /* 0: no table yet */
    uint32_t used;    /* entries that are not empty */
    uint32_t dead;    /* tombstones among them */
};

struct slab_move { /* the rehash of a huge base */
    struct slab_vertex from, to;
    uint32_t vertex;
    uint32_t first, parts; /* the first part; no parts: there was no room */
    uint32_t left;         /* parts that are not moved yet */
};

/* Words that many lanes change at once lie in lines of 128 bytes, apart from words that
** others read. */
struct slab_pool {
    uint32_t end; /* sectors ever taken from the arena */
    uint32_t behind_end[31];
    uint32_t first[SLAB_LISTS]; /* the lists are rings; this is where they begin */
    uint32_t count[SLAB_LISTS]; /* free pieces when the phase began */
    uint32_t behind_count[26];
    uint32_t taken[SLAB_LISTS]; /* pieces that this phase has taken from the lists */
    uint32_t behind_taken[29];
    uint32_t pushed[SLAB_LISTS]; /* pieces that this phase has freed */
    uint32_t spilled;            /* pieces that found no room in a list */
    uint32_t behind_pushed[28];
    uint32_t growing[3]; /* vertices to rehash: small, larger, huge ones */
    uint32_t parts;      /* parts of the huge ones */
    uint32_t behind_growing[28];
    uint32_t later; /* items that wait for a rehash */
    uint32_t behind_later[31];
    struct slab_report { /* of one batch */
        uint64_t added, removed, sectors, triangles;
        uint64_t far; /* items behind SLAB_FAR others of their vertex */
        uint64_t behind_sums[11];
        uint32_t full;     /* 1: the arena is exhausted */
        uint32_t unsorted; /* 1: the batch is not in strictly ascending order */
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
    /* n entries: vertices to rehash, small ones from the front, larger ones from the
    ** back */
    uint32_t *growing;
    /* capacity / SLAB_HUGE + 1 entries: vertices with huge bases */
    struct slab_move *huge;
    /* the huge vertex of each part */
    uint32_t *part;
    uint32_t *list[SLAB_LISTS], room[SLAB_LISTS]; /* free pieces */
    struct slab_pool *pool;
    uint32_t salt; /* of slab_hash, so that targets cannot be chosen to collide */
    float load;    /* entries divided by places of a new base */
    float slack;   /* additional entries of a new base of slabs, for each entry */
};

/* ---- sizes ---- */

/* Returns the entries that a base of that many sectors holds without a chain. */
WARP_FUNCTION uint32_t slab_places(uint32_t sectors, bool valued) {
    uint32_t pairs = sectors < SLAB_SECTORS ? sectors * 4 - (sectors > 0)
                                            : sectors / SLAB_SECTORS * 15;
    return valued ? pairs : pairs * 2;
}

/* Returns the sectors of the next piece of a chain. Short pieces double. */
WARP_FUNCTION uint32_t slab_next_width(uint32_t sectors) {
    return sectors < SLAB_SECTORS ? 2 * sectors : SLAB_SECTORS;
}

/* Returns the entries beyond which a base is replaced. A short base may have one piece
** behind it. A single slab may have 1.5 entries for each place, and several slabs 1; or
** 1.4 * load entries for each place, if this is more. */
WARP_FUNCTION uint32_t slab_most(uint32_t sectors, float load, bool valued) {
    uint32_t places = slab_places(sectors, valued);
    if (sectors < SLAB_SECTORS)
        return places + slab_places(2 * sectors, valued);
    float most = sectors == SLAB_SECTORS ? 1.5f : 1;
    most = load * 1.4f > most ? load * 1.4f : most;
    return (uint32_t)((float)places * most);
}

/* Returns the sectors of a base for that many entries. */
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
