/* The two-level stack of a depth-first worker on the device, from which other workers
** steal.
**
**     ring    on chip, one for each worker     [ tail oldest .. newest ]
**                 word: version << 32 | tail << 16 | count
**             The owner pushes and pops at the newest end. Workers of its block steal
**             from the oldest end.
**     chunks  in device memory, from one pool: `batch` entries each
**     cold    chunks of each worker, in order         [ under | tail oldest .. newest ]
**                 word: as for a ring. Once the array is full, the oldest chunks are
**                 linked in a list under it.
**             A full ring moves its oldest entries to the newest end (flush). An empty
**             ring takes the newest chunk back (refill). Idle blocks steal an old
**             chunk.
**     lists   linked chunks, one word each: version << 32 | first chunk
**             under   one for each worker: chunks for which its cold array has no space
**             free    one for all workers
**     entry   vertex << 32 | next      the arcs of that vertex from number `next` on
**
** Each change of a ring or a list is one compare-and-swap of its word, which also
** increments a version. A thief first copies entries to memory of its own, and the copy
** counts only if its swap succeeds. An entry is in one place at a time, so at most n
** entries exist, and a pool of n / batch chunks and a few for each worker is never
** exhausted.
**
** After Niu, Lu, Liu, Casas, DiggerBees (PPoPP 2026), whose cold segments are arrays of n
** entries for each worker. */
#ifndef GPUGRAPH_DFS_DEQUE_H
#define GPUGRAPH_DFS_DEQUE_H

#include "base/warp.h"

#define DFS_NO_CHUNK UINT32_MAX

/* Sizes in entries. ring and batch are powers of two, batch at most ring / 2, ring at
** most 2^15. cold is a number of chunks with the same limits. From a ring with at least
** hot_cutoff entries a thief takes hot_cutoff / 2 of them; hot_cutoff is at least 2. From
** cold chunks with at least cold_cutoff entries a thief takes one chunk. */
struct dfs_shape {
    uint32_t ring, batch, hot_cutoff, cold_cutoff, cold;
};

struct dfs_ring {
    uint64_t *word, *entry;
    uint32_t size;
};

struct dfs_pool {
    uint64_t *entry;   /* chunks * batch */
    uint32_t *next;    /* chunks */
    uint64_t *free;    /* a list */
    uint32_t *touched; /* chunks ever taken: later chunks are free, too */
    uint32_t chunks, batch;
};

struct dfs_cold { /* of one worker */
    uint64_t *word, *under;
    uint32_t *chunk; /* `size` chunks */
    uint32_t size;
};

/* ---- words ---- */

WARP_FUNCTION uint32_t dfs_version(uint64_t word) {
    return (uint32_t)(word >> 32);
}
WARP_FUNCTION uint32_t dfs_tail(uint64_t word) {
    return (uint32_t)(word >> 16) & 0xffff;
}
WARP_FUNCTION uint32_t dfs_count(uint64_t word) {
    return (uint32_t)word & 0xffff;
}
WARP_FUNCTION uint32_t dfs_first(uint64_t word) {
    return (uint32_t)word;
}

/* The word after `word` for a ring with this tail and count. */
WARP_FUNCTION uint64_t dfs_ring_word(uint64_t word, uint32_t tail, uint32_t count) {
    return (uint64_t)(dfs_version(word) + 1) << 32 | tail << 16 | count;
}
WARP_FUNCTION uint64_t dfs_list_word(uint64_t word, uint32_t first) {
    return (uint64_t)(dfs_version(word) + 1) << 32 | first;
}

WARP_FUNCTION uint64_t *dfs_place(struct dfs_ring ring, uint32_t at) {
    return &ring.entry[at & (ring.size - 1)];
}

/* ---- lists of chunks: called by one lane ---- */

WARP_FUNCTION void dfs_list_push(uint64_t *list, struct dfs_pool pool, uint32_t chunk) {
    uint64_t word;
    do {
        word = device_load_64(list);
        device_store(&pool.next[chunk], dfs_first(word));
    } while (!device_cas_64(list, word, dfs_list_word(word, chunk)));
}

/* Returns DFS_NO_CHUNK if the list is empty. If another worker has taken the chunk
** meanwhile, its link may be anything: the version then makes the swap fail. */
WARP_FUNCTION uint32_t dfs_list_pop(uint64_t *list, struct dfs_pool pool) {
    for (;;) {
        uint64_t word = device_acquire_64(list);
        uint32_t chunk = dfs_first(word);
        if (chunk == DFS_NO_CHUNK)
            return chunk;
        uint32_t next = device_load(&pool.next[chunk]);
        if (device_cas_64(list, word, dfs_list_word(word, next)))
            return chunk;
    }
}

WARP_FUNCTION uint32_t dfs_take_chunk(struct dfs_pool pool) {
    if (device_load(pool.touched) < pool.chunks) {
        uint32_t chunk = device_add(pool.touched, 1);
        if (chunk < pool.chunks)
            return chunk;
    }
    return dfs_list_pop(pool.free, pool);
}

/* ---- cold chunks: called by one lane ---- */

WARP_FUNCTION uint32_t *dfs_cold_place(struct dfs_cold cold, uint32_t at) {
    return &cold.chunk[at & (cold.size - 1)];
}

/* Removes and returns the oldest chunk of a cold array whose word was `word`.
** DFS_NO_CHUNK: the word has changed. */
WARP_FUNCTION uint32_t dfs_cut_chunk(struct dfs_cold cold, uint64_t word) {
    uint32_t tail = dfs_tail(word), oldest = device_load(dfs_cold_place(cold, tail));
    uint64_t next =
        dfs_ring_word(word, (tail + 1) & (cold.size - 1), dfs_count(word) - 1);
    return device_cas_64(cold.word, word, next) ? oldest : DFS_NO_CHUNK;
}

/* By the owner: adds a chunk at the newest end. If there is no space, the oldest chunk
** moves to the list under the array. */
WARP_FUNCTION void dfs_cold_push(struct dfs_cold cold, struct dfs_pool pool,
                                 uint32_t chunk) {
    for (;;) {
        uint64_t word = device_acquire_64(cold.word);
        uint32_t tail = dfs_tail(word), count = dfs_count(word);
        if (count < cold.size) {
            device_store(dfs_cold_place(cold, tail + count), chunk);
            if (device_cas_64(cold.word, word, dfs_ring_word(word, tail, count + 1)))
                return;
        } else {
            uint32_t oldest = dfs_cut_chunk(cold, word);
            if (oldest != DFS_NO_CHUNK)
                dfs_list_push(cold.under, pool, oldest);
        }
    }
}

/* By the owner: takes the newest chunk. DFS_NO_CHUNK: there is none. */
WARP_FUNCTION uint32_t dfs_cold_newest(struct dfs_cold cold, struct dfs_pool pool) {
    for (;;) {
        uint64_t word = device_acquire_64(cold.word);
        uint32_t tail = dfs_tail(word), count = dfs_count(word);
        if (count == 0)
            return dfs_list_pop(cold.under, pool);
        uint32_t chunk = device_load(dfs_cold_place(cold, tail + count - 1));
        if (device_cas_64(cold.word, word, dfs_ring_word(word, tail, count - 1)))
            return chunk;
    }
}

/* By a thief: takes a chunk of the list, else the oldest. DFS_NO_CHUNK: there is none. */
WARP_FUNCTION uint32_t dfs_cold_oldest(struct dfs_cold cold, struct dfs_pool pool) {
    for (;;) {
        uint32_t chunk = dfs_list_pop(cold.under, pool);
        if (chunk != DFS_NO_CHUNK)
            return chunk;
        uint64_t word = device_acquire_64(cold.word);
        if (dfs_count(word) == 0)
            return DFS_NO_CHUNK;
        chunk = dfs_cut_chunk(cold, word);
        if (chunk != DFS_NO_CHUNK)
            return chunk;
    }
}

/* ---- the ring: called by all lanes ---- */

/* By the owner. Returns false if the ring is full. */
WARP_FUNCTION bool dfs_push(struct dfs_ring ring, uint64_t entry) {
    bool done = false;
    if (warp_lane() == 0) {
        uint64_t word = block_acquire_64(ring.word);
        while (!done && dfs_count(word) < ring.size) {
            uint32_t tail = dfs_tail(word), count = dfs_count(word);
            block_store_64(dfs_place(ring, tail + count), entry);
            done = block_cas_64(ring.word, word, dfs_ring_word(word, tail, count + 1));
            if (!done)
                word = block_acquire_64(ring.word);
        }
    }
    return warp_from(done, 0);
}

/* By the owner: takes the newest entry. Returns false if the ring is empty. */
WARP_FUNCTION bool dfs_pop(struct dfs_ring ring, uint64_t *entry) {
    bool done = false;
    uint64_t newest = 0;
    if (warp_lane() == 0) {
        uint64_t word = block_acquire_64(ring.word);
        while (!done && dfs_count(word) > 0) {
            uint32_t tail = dfs_tail(word), count = dfs_count(word);
            newest = block_load_64(dfs_place(ring, tail + count - 1));
            done = block_cas_64(ring.word, word, dfs_ring_word(word, tail, count - 1));
            if (!done)
                word = block_acquire_64(ring.word);
        }
    }
    *entry = warp_from_64(newest, 0);
    warp_sync();
    return warp_from(done, 0);
}

/* Removes the oldest `count` entries of a ring whose word was `word`. Returns false if
** the word has changed. */
WARP_FUNCTION bool dfs_cut(struct dfs_ring ring, uint64_t word, uint32_t count) {
    bool done = false;
    warp_sync();
    if (warp_lane() == 0) {
        uint32_t tail = (dfs_tail(word) + count) & (ring.size - 1);
        done = block_cas_64(ring.word, word,
                            dfs_ring_word(word, tail, dfs_count(word) - count));
    }
    return warp_from(done, 0);
}

/* By the owner: makes `count` entries visible that lie behind the newest one. */
WARP_FUNCTION void dfs_publish(struct dfs_ring ring, uint32_t count) {
    warp_sync();
    if (warp_lane() == 0) {
        uint64_t word;
        do
            word = block_acquire_64(ring.word);
        while (
            !block_cas_64(ring.word, word,
                          dfs_ring_word(word, dfs_tail(word), dfs_count(word) + count)));
    }
    warp_sync();
}

/* Loads the word of the ring for all lanes. */
WARP_FUNCTION uint64_t dfs_look(struct dfs_ring ring) {
    uint64_t word = 0;
    if (warp_lane() == 0)
        word = block_acquire_64(ring.word);
    word = warp_from_64(word, 0);
    warp_sync();
    return word;
}

/* Returns the number of the fullest of these rings, which has at least `least` entries,
** or UINT32_MAX if each has fewer. */
WARP_FUNCTION uint32_t dfs_fullest(uint64_t *word, uint32_t rings, uint32_t least) {
    uint32_t fullest = 0;
    for (uint32_t i = warp_lane(); i < rings; i += warp_width) {
        uint32_t count = dfs_count(block_load_64(word + i));
        if (count >= least && count << 16 > fullest)
            fullest = count << 16 | i;
    }
    fullest = warp_max(fullest);
    return fullest ? fullest & 0xffff : UINT32_MAX;
}

/* ---- from ring to ring, from ring to chunk and back: called by all lanes ---- */

/* Moves the oldest entries of a ring of the same block into `to`, the empty ring of the
** caller. Returns the number of entries. 0: a theft does not pay, or another worker has
** changed the ring meanwhile. */
WARP_FUNCTION uint32_t dfs_steal(struct dfs_ring from, struct dfs_ring to,
                                 struct dfs_shape shape) {
    uint64_t word = dfs_look(from), own = dfs_look(to);
    uint32_t count = shape.hot_cutoff / 2;
    if (dfs_count(word) < shape.hot_cutoff)
        return 0;
    for (uint32_t i = warp_lane(); i < count; i += warp_width)
        block_store_64(dfs_place(to, dfs_tail(own) + i),
                       block_load_64(dfs_place(from, dfs_tail(word) + i)));
    if (!dfs_cut(from, word, count))
        return 0;
    dfs_publish(to, count);
    return count;
}

/* Moves the oldest batch of a full ring to the newest end of the owner's cold chunks, in
** a chunk of the caller. Returns false if thieves have made space meanwhile: the chunk is
** not used. */
WARP_FUNCTION bool dfs_flush(struct dfs_ring ring, struct dfs_cold cold,
                             struct dfs_pool pool, uint32_t chunk) {
    uint64_t word = dfs_look(ring);
    uint64_t *to = pool.entry + (uint64_t)chunk * pool.batch;
    if (dfs_count(word) < ring.size)
        return false;
    for (uint32_t i = warp_lane(); i < pool.batch; i += warp_width)
        device_store_64(to + i, block_load_64(dfs_place(ring, dfs_tail(word) + i)));
    if (!dfs_cut(ring, word, pool.batch))
        return false;
    if (warp_lane() == 0)
        dfs_cold_push(cold, pool, chunk);
    warp_sync();
    return true;
}

/* Moves a cold chunk into the empty ring of the caller: the newest of its own chunks, or
** an old chunk of another worker. Returns the chunk, which is empty and belongs to
** the caller, or DFS_NO_CHUNK. */
WARP_FUNCTION uint32_t dfs_refill(struct dfs_ring ring, struct dfs_cold cold, bool own,
                                  struct dfs_pool pool) {
    uint32_t chunk = DFS_NO_CHUNK;
    uint64_t empty = dfs_look(ring);
    if (warp_lane() == 0)
        chunk = own ? dfs_cold_newest(cold, pool) : dfs_cold_oldest(cold, pool);
    chunk = warp_from(chunk, 0);
    warp_sync();
    if (chunk == DFS_NO_CHUNK)
        return chunk;
    uint64_t *from = pool.entry + (uint64_t)chunk * pool.batch;
    for (uint32_t i = warp_lane(); i < pool.batch; i += warp_width)
        block_store_64(dfs_place(ring, dfs_tail(empty) + i), device_load_64(from + i));
    dfs_publish(ring, pool.batch);
    return chunk;
}

#endif
