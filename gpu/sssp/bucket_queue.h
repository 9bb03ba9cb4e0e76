/* A monotone priority queue of vertices by 64-bit keys: buckets on eight levels of 256,
** one level for each byte of the key.
**
**     current  0x 00 00 00 00 00 00 2a 17          the bucket being served
**     key      0x 00 00 00 00 00 00 2a 9c          differs in byte 0: bin[0][0x9c]
**     key      0x 00 00 00 00 00 01 05 00          differs in byte 2: bin[2][0x01]
**                                   ^ the highest byte that differs names level and slot
**
** So level 0 holds near keys exactly. Higher levels hold farther keys with less
** precision. When level 0 is empty, the caller takes the lowest bin of the lowest level
** that is not empty, sets `current` to the smallest key in it and adds its vertices
** again. A vertex moves down at most seven times, mostly never or once, for any range of
** keys. Keys are never below `current`. After Denardo and Fox, "Shortest-Route Methods:
** 1. Reaching, Pruning, and Buckets" (Operations Research 27, 1979).
**
** A bin is a list of chunks. A queue belongs to one thread. Several queues with the same
** `current` make one distributed queue, and threads share the chunks of a bin. The queue
** stores no keys. An entry is stale if its vertex has got a smaller key. A thread that
** takes out a stale entry drops it. */
#ifndef GPUGRAPH_BUCKET_QUEUE_H
#define GPUGRAPH_BUCKET_QUEUE_H

#include "base/run.h"

enum { BUCKET_LEVELS = 8, BUCKET_SLOTS = 256, BUCKET_CHUNK_VERTICES = 125 };

struct bucket_chunk { /* 512 bytes */
    struct bucket_chunk *next;
    uint32_t count;
    uint32_t vertex[BUCKET_CHUNK_VERTICES];
};

struct bucket_slab { /* a block of chunks; only its first 8 bytes are the link */
    struct bucket_slab *next;
};

struct bucket_queue {
    struct bucket_chunk *bin[BUCKET_LEVELS][BUCKET_SLOTS];
    uint64_t occupied[BUCKET_LEVELS][BUCKET_SLOTS / 64]; /* bit: the bin is not empty */
    struct bucket_chunk *spare;                          /* empty chunks */
    struct bucket_slab *slabs;
    uint32_t slab_chunks; /* in the newest slab */
    gpugraph_run *run;
};

/* Frees a queue. A new queue has 0 in all fields except `run`. */
static inline void bucket_queue_free(struct bucket_queue *q) {
    while (q->slabs) {
        struct bucket_slab *slab = q->slabs;
        q->slabs = slab->next;
        gg_release(slab);
    }
}

/* Makes a slab of empty chunks: 16 at first, then twice as many as in the newest slab, up
** to 1024. NULL after gg_fail. */
static inline struct bucket_chunk *bucket_add_slab(struct bucket_queue *q) {
    uint32_t chunks = q->slab_chunks ? q->slab_chunks * 2 : 16;
    if (chunks > 1024)
        chunks = 1024;
    size_t head = sizeof(struct bucket_chunk); /* keeps chunks aligned */
    struct bucket_slab *slab = (struct bucket_slab *)gg_alloc(q->run, chunks + 1, head);
    if (!slab)
        return NULL;
    slab->next = q->slabs;
    q->slabs = slab;
    q->slab_chunks = chunks;
    struct bucket_chunk *chunk = (struct bucket_chunk *)slab + 1;
    for (uint32_t i = 0; i < chunks; i++) {
        chunk[i].next = q->spare;
        q->spare = &chunk[i];
    }
    return q->spare;
}

static inline void bucket_give_back(struct bucket_queue *q, struct bucket_chunk *chunk) {
    chunk->next = q->spare;
    q->spare = chunk;
}

/* Gives a bin a new first chunk, which has room. NULL after gg_fail. */
static inline struct bucket_chunk *bucket_open_chunk(struct bucket_queue *q, int level,
                                                     int slot) {
    struct bucket_chunk *chunk = q->spare;
    if (!chunk && !(chunk = bucket_add_slab(q)))
        return NULL;
    q->spare = chunk->next;
    chunk->next = q->bin[level][slot];
    chunk->count = 0;
    q->bin[level][slot] = chunk;
    q->occupied[level][slot / 64] |= (uint64_t)1 << slot % 64;
    return chunk;
}

/* Adds a vertex. Without memory the run has failed, and the entry is lost. */
static inline void bucket_add(struct bucket_queue *q, uint64_t current, uint64_t key,
                              uint32_t v) {
    uint64_t differ = key ^ current;
    int level = differ < BUCKET_SLOTS ? 0 : (63 - __builtin_clzll(differ)) / 8;
    int slot = (int)(key >> 8 * level & (BUCKET_SLOTS - 1));
    struct bucket_chunk *chunk = q->bin[level][slot];
    if (!chunk || chunk->count == BUCKET_CHUNK_VERTICES) {
        chunk = bucket_open_chunk(q, level, slot);
        if (!chunk)
            return;
    }
    chunk->vertex[chunk->count++] = v;
}

/* Takes a whole bin out; NULL: it is empty. */
static inline struct bucket_chunk *bucket_take(struct bucket_queue *q, int level,
                                               int slot) {
    struct bucket_chunk *list = q->bin[level][slot];
    q->bin[level][slot] = NULL;
    q->occupied[level][slot / 64] &= ~((uint64_t)1 << slot % 64);
    return list;
}

/* The first occupied slot of a level from `slot` on; BUCKET_SLOTS: none. */
static inline int bucket_first(const struct bucket_queue *q, int level, int slot) {
    for (int word = slot / 64; word < BUCKET_SLOTS / 64; word++) {
        uint64_t bits = q->occupied[level][word];
        if (word == slot / 64)
            bits &= ~(uint64_t)0 << slot % 64;
        if (bits)
            return word * 64 + __builtin_ctzll(bits);
    }
    return BUCKET_SLOTS;
}

#endif
