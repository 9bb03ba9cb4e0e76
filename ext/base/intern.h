/* Texts numbered from 0 in order of first occurrence, each stored once.
**
**     bytes    A M S L H R J F K ...
**     offset   0 3 6 9             text t is bytes[offset[t]] .. bytes[offset[t + 1] - 1]
**     slot     {first 8 bytes, length | hash, t + 1}    open addressing, at most 2/3 full
**
** The slot alone identifies a text of at most 8 bytes, as most ids are: one cache miss.
** Doubling the number of slots reads no text, because the tag of a slot gives its
** place. */
#ifndef GPUGRAPH_INTERN_H
#define GPUGRAPH_INTERN_H

#include "hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct intern_slot {
    uint64_t head; /* the first 8 bytes, zeros behind a shorter text */
    uint32_t tag; /* upper 28 bits: of the hash; lower 4: the length, 15 for 9 and more */
    uint32_t number; /* the number of the text, from 1; 0: the slot is free */
} intern_slot;

typedef struct intern {
    int64_t count;
    uint64_t *offset;
    char *bytes;
    intern_slot *slot;
    uint64_t offset_room, bytes_room, slots; /* slots: a power of two */
    struct gg_placing placing;
} intern;

/* The number of a text, which is added if it is new; -1: no memory. */
int64_t intern_text(intern *t, const char *text, size_t length);
/* intern_text in two steps. Any thread may compute hashes in advance, after intern_ready
** has returned true (false: no memory). Then one thread calls intern_hashed for one text
** after another. It may call intern_ask some texts ahead, which brings the place of a
** hash into the cache. */
bool intern_ready(intern *t);
uint64_t intern_hash(const intern *t, const char *text, size_t length);
int64_t intern_hashed(intern *t, const char *text, size_t length, uint64_t hash);
/* The place for a tag: its 28 bits of the hash, scaled to the number of slots. */
static inline uint64_t intern_place(const intern *t, uint32_t tag) {
    return (tag >> 4) * t->slots >> 28;
}
static inline void intern_ask(const intern *t, uint64_t hash) {
    __builtin_prefetch(&t->slot[intern_place(t, (uint32_t)(hash >> 36 << 4))]);
}
/* Frees the slots, which only intern_text needs. The texts stay. */
void intern_close(intern *t);
void intern_clear(intern *t);

#endif
