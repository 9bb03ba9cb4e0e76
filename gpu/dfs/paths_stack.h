/* The two-level stack of a worker of paths.h: hands, ring, and the chunks of its block.
** All lanes call together. deque.h has words, versions and lists. */
#ifndef GPUGRAPH_DFS_PATHS_STACK_H
#define GPUGRAPH_DFS_PATHS_STACK_H

#include "control.h"
#include "deque.h"

/* Arcs that a lane looks at together. */
#ifndef GG_PATHS_LANE_ARCS
#define GG_PATHS_LANE_ARCS 4
#endif
/* A warp keeps up to SPARES empty chunks for itself. The pool counts as exhausted after a
** warp has looked LOOKS times for an empty chunk in all blocks. */
#define GG_PATHS_SPARES 8
#define GG_PATHS_LOOKS  64

#define PATHS_TO_END 0xffffffu
/* PATHS_FROM: the entry has the arcs from place k of its vertex's fixed row on.
** PATHS_WHOLE: the entry has all arcs of its vertex. */
#define PATHS_FROM(k)   (~0ull - 1 - (k))
#define PATHS_WHOLE     PATHS_FROM(0)
#define PATHS_ROW_BEGIN (PATHS_WHOLE >> 24)
/* In the last place of a fixed row: the row is longer. */
#define PATHS_MORE (DFS_NONE - 1)

struct paths_shape {
    uint32_t ring;  /* entries, a power of two up to 2^15, at least PATHS_GROUP + batch */
    uint32_t hands; /* entries in the hands, at most as many as a warp has lanes */
    uint32_t arcs;  /* arcs of one step, at most */
    uint32_t batch; /* entries of a chunk, at most as many as a warp has lanes */
    uint32_t share; /* a ring with this many entries offers a chunk */
    /* A ring with this many entries offers a chunk even if its block already offers one.
    ** At least 2 batch - 1; with less the pool of chunks can run out. */
    uint32_t deep;
    uint32_t direct;  /* arcs of a step up to which no test precedes a claim */
    uint32_t careful; /* roots opened one by one before roots are opened at will */
};

/* Entries that go into a ring together, at most. */
enum { PATHS_GROUP = GG_PATHS_LANE_ARCS * warp_width };
/* Words of `visited` that a lane looks at together. */
enum { PATHS_WORDS = 4 };

/* The state that the workers share, passed by value. control.busy counts blocks,
** control.free is not used, the rest is as in control.h. pool.entry has two words for
** each entry. */
struct paths_crew {
    const uint64_t *begin, *end;
    const uint32_t *target;
    const uint32_t *fixed; /* fixed rows (gg_fixed_rows); NULL: none */
    uint32_t places;       /* places of a fixed row, a power of 2 */
    bool ahead;            /* a row is loaded when its vertex is claimed (paths_rows.h) */
    uint32_t *visited;     /* a bit for each vertex; set for the roots of the list */
    uint64_t *tree;        /* parent << 32 | depth, of visited vertices */
    const uint32_t *root;
    uint32_t n, roots;
    bool all_vertices;
    bool pulls; /* the workers leave before the tree is complete (paths_pull.h) */
    struct dfs_control *control;
    struct dfs_pool pool;
    uint64_t *cold; /* one list for each block */
    uint64_t *free; /* one list for each block: chunks that its workers have emptied */
    uint32_t limit; /* steps of one worker after which all workers give up */
    uint32_t blocks, block_workers;
    struct paths_shape shape;
    const uint32_t *host_stop;
};

struct paths_block {        /* in memory that the workers of the block share */
    uint64_t *word, *entry; /* rings: entries of two words */
    uint64_t *hand;         /* warp_width entries for each worker */
    uint32_t *busy, *leave; /* leave: the search is over or stopped */
    uint32_t *taken;        /* vertices that are not yet in the count of the crew */
};

struct paths_worker {
    struct paths_crew crew;
    struct paths_block block;
    struct dfs_ring ring;
    uint64_t *hand;
    uint64_t *cold;               /* of its block */
    uint32_t number, home, place; /* in the crew; its block, its place in the block */
    uint32_t head, bound;         /* its ring: the end; an upper bound of its entries */
    uint32_t spare, spares;       /* empty chunks of its own: the first, how many */
    uint32_t random, steps, reached, stolen;
    uint64_t who, begin; /* this lane's entry */
    uint32_t count;      /* 0: none */
};

/* ---- entries ---- */

WARP_FUNCTION uint64_t paths_arcs(uint64_t begin, uint64_t count) {
    return begin << 24 | (count < PATHS_TO_END ? count : PATHS_TO_END);
}

/* Puts an entry into this lane's hands. */
WARP_FUNCTION void paths_hold(struct paths_worker *w, uint64_t who, uint64_t arcs) {
    w->who = who;
    w->begin = arcs >> 24;
    w->count = (uint32_t)arcs & PATHS_TO_END;
    if (w->count == PATHS_TO_END)
        w->count = (uint32_t)(w->crew.end[who >> 32] - w->begin);
}

/* True if this lane's entry is an arc whose target is known: the low bits of `begin`.
** Such entries never leave the hands. */
#define PATHS_FOUND (1ull << 39)
WARP_FUNCTION bool paths_is_found(const struct paths_worker *w) {
    return w->begin >> 32 == PATHS_FOUND >> 32;
}
/* The first place, in its row, of the arcs of this lane's entry. The entry begins with
** PATHS_ROW_BEGIN. */
WARP_FUNCTION uint32_t paths_first_place(const struct paths_worker *w) {
    return ((uint32_t)PATHS_WHOLE & PATHS_TO_END) - w->count;
}
/* True if these arcs lie in a fixed row. Arcs that begin with its last place may go on
** beyond it. */
WARP_FUNCTION bool paths_in_row(const struct paths_worker *w, uint64_t arcs) {
    return arcs <= PATHS_WHOLE && arcs > PATHS_FROM(w->crew.places - 1);
}

WARP_FUNCTION uint64_t *paths_place(struct dfs_ring ring, uint32_t at) {
    return &ring.entry[2 * (uint64_t)(at & (ring.size - 1))];
}

WARP_FUNCTION void paths_put(struct dfs_ring ring, uint32_t at, uint64_t who,
                             uint64_t arcs) {
    uint64_t *place = paths_place(ring, at);
    block_store_64(place, who);
    block_store_64(place + 1, arcs);
}

WARP_FUNCTION struct dfs_ring paths_ring_of(const struct paths_worker *w,
                                            uint32_t place) {
    struct dfs_ring ring;
    ring.word = w->block.word + place;
    ring.size = w->crew.shape.ring;
    ring.entry = w->block.entry + 2 * (uint64_t)place * ring.size;
    return ring;
}

/* ---- the ring and the list ---- */

WARP_FUNCTION void paths_publish(struct paths_worker *w, uint32_t count) {
    w->head += count;
    w->bound += count;
    dfs_publish(w->ring, count);
}

/* Keeps an emptied chunk for the worker or for its block. One list for all workers would
** be slow. */
WARP_FUNCTION void paths_keep_chunk(struct paths_worker *w, uint32_t chunk) {
    bool own = w->spares < GG_PATHS_SPARES;
    if (warp_lane() == 0) {
        if (own)
            device_store(&w->crew.pool.next[chunk], w->spare);
        else
            dfs_list_push(w->crew.free + w->home, w->crew.pool, chunk);
    }
    if (own) {
        w->spare = chunk;
        w->spares++;
    }
    warp_sync();
}

/* Gets an empty chunk for a worker that has none: a chunk of its block, a fresh chunk, or
** a chunk of another block. The search may miss a chunk that is freed meanwhile, so it
** looks again. */
WARP_FUNCTION bool paths_get_spare(struct paths_worker *w) {
    uint32_t chunk = DFS_NO_CHUNK;
    struct dfs_pool pool = w->crew.pool;
    if (warp_lane() == 0) {
        chunk = dfs_list_pop(w->crew.free + w->home, pool);
        if (chunk == DFS_NO_CHUNK && device_load(pool.touched) < pool.chunks) {
            chunk = device_add(pool.touched, 1);
            chunk = chunk < pool.chunks ? chunk : DFS_NO_CHUNK;
        }
        for (uint32_t i = 0; chunk == DFS_NO_CHUNK && i < GG_PATHS_LOOKS * w->crew.blocks;
             i++)
            chunk = dfs_list_pop(w->crew.free + (w->home + i) % w->crew.blocks, pool);
        if (chunk != DFS_NO_CHUNK)
            device_store(&pool.next[chunk], DFS_NO_CHUNK);
    }
    w->spare = warp_from(chunk, 0);
    w->spares = w->spare != DFS_NO_CHUNK;
    warp_sync();
    return w->spares > 0;
}

/* Moves up to `count` of the oldest entries into a chunk, and the chunk into the list of
** the block. Returns false if the pool is exhausted: the worker must leave. */
WARP_FUNCTION bool paths_flush(struct paths_worker *w, uint64_t word, uint32_t count) {
    uint32_t batch = w->crew.shape.batch;
    if (w->spares == 0 && !paths_get_spare(w)) {
        dfs_exhaust(w->crew.control);
        return false;
    }
    uint32_t chunk = w->spare;
    uint64_t *to = w->crew.pool.entry + 2 * (uint64_t)chunk * batch;
    count = count < batch ? count : batch;
    for (uint32_t i = warp_lane(); i < batch; i += warp_width) {
        const uint64_t *from = paths_place(w->ring, dfs_tail(word) + i);
        device_store_64(to + 2 * i, block_load_64((uint64_t *)from));
        device_store_64(to + 2 * i + 1,
                        i < count ? block_load_64((uint64_t *)from + 1) : 0);
    }
    if (!dfs_cut(w->ring, word, count))
        return true;
    uint32_t next = DFS_NO_CHUNK;
    if (warp_lane() == 0) {
        next = device_load(&w->crew.pool.next[chunk]);
        dfs_list_push(w->cold, w->crew.pool, chunk);
    }
    w->spare = warp_from(next, 0);
    w->spares--;
    warp_sync();
    return true;
}

/* Makes space for one more group. */
WARP_FUNCTION bool paths_make_room(struct paths_worker *w) {
    while (w->bound + PATHS_GROUP > w->ring.size) {
        uint64_t word = dfs_look(w->ring);
        w->bound = dfs_count(word);
        if (w->bound + PATHS_GROUP > w->ring.size &&
            !paths_flush(w, word, w->crew.shape.batch))
            return false;
    }
    return true;
}

/* Keeps an entry for each lane with `row`. The first `hands` entries go into the hands,
** and later entries into the ring, behind its *beyond unpublished entries. */
WARP_FUNCTION void paths_keep(struct paths_worker *w, bool row, uint64_t who,
                              uint64_t arcs, uint32_t *held, uint32_t *beyond) {
    const uint32_t hands = w->crew.shape.hands, lanes = warp_ballot(row);
    const uint32_t at = *held + set_bits(lanes & ((1u << warp_lane()) - 1));
    if (row && at < hands) {
        w->hand[2 * at] = who;
        w->hand[2 * at + 1] = arcs;
    } else if (row) {
        paths_put(w->ring, w->head + *beyond + at - hands, who, arcs);
    }
    *held += set_bits(lanes);
    if (*held > hands) {
        *beyond += *held - hands;
        *held = hands;
    }
}

/* The number of entries that the hands take from the ring. If rows are loaded ahead,
** `hands` is about the number of entries whose arcs fill all lanes. */
WARP_FUNCTION uint32_t paths_room_in_hands(const struct paths_worker *w, uint32_t held) {
    const uint32_t hands = w->crew.shape.hands;
    if (w->crew.ahead)
        return (warp_width - held) * hands / warp_width;
    return held < hands ? hands - held : 0;
}

/* Returns how many of `taken` entries, from lane `held` on, are of one kind: arcs in
** rows, or other entries. */
WARP_FUNCTION uint32_t paths_alike(const struct paths_worker *w, uint32_t held,
                                   uint32_t taken, bool mine, uint64_t arcs) {
    const uint32_t others = warp_ballot(mine && !paths_in_row(w, arcs));
    const uint32_t rows = warp_ballot(mine) & ~others;
    const uint32_t end = held == 0 && (others & 1) ? rows : others;
    return end ? lowest_bit(end) - held : taken;
}

/* Moves the newest entries of the own ring into lanes from `held` on. Returns how many
** lanes have an entry now. */
WARP_FUNCTION uint32_t paths_top_up(struct paths_worker *w, uint32_t held) {
    uint32_t room;
    while (w->bound > 0 && (room = paths_room_in_hands(w, held)) > 0) {
        uint64_t word = dfs_look(w->ring), who = 0, arcs = 0;
        uint32_t count = dfs_count(word), taken = count < room ? count : room;
        w->bound = count;
        if (taken == 0)
            break;
        uint32_t i = warp_lane() - held;
        bool mine = warp_lane() >= held && i < taken;
        if (mine) {
            uint64_t *from = paths_place(w->ring, dfs_tail(word) + count - 1 - i);
            who = block_load_64(from);
            arcs = block_load_64(from + 1);
        }
        if (w->crew.ahead) {
            taken = paths_alike(w, held, taken, mine, arcs);
            mine = mine && i < taken;
            if (taken == 0)
                break;
        }
        uint32_t done = 0;
        warp_sync();
        if (warp_lane() == 0)
            done = block_cas_64(w->ring.word, word,
                                dfs_ring_word(word, dfs_tail(word), count - taken));
        if (!warp_from(done, 0))
            continue;
        if (mine)
            paths_hold(w, who, arcs);
        w->head -= taken;
        w->bound -= taken;
        return held + taken;
    }
    return held;
}

#endif
