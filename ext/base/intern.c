/* Texts numbered by a hash table: see intern.h. */
#include "ext.h"
#include "intern.h"
#include "big_block.h"
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Seeded, so that no table can be made to collide on purpose. */
static uint64_t hash_of(uint64_t seed, const char *text, size_t length) {
    const uint64_t odd = 0x9E3779B97F4A7C15u;
    uint64_t h = seed ^ mix(length + odd, odd), word;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        h = mix(h ^ word, seed | 1) ^ odd;
    }
    word = 0;
    memcpy(&word, text, length);
    return mix(mix(h ^ word, seed | 1), odd);
}

enum { HEAD_BYTES = 8, LONGER = 15 };

/* The slot that a text would have, all but its number. */
static intern_slot slot_of(uint64_t hash, const char *text, size_t length) {
    intern_slot slot = {0, 0, 0};
    memcpy(&slot.head, text, length < HEAD_BYTES ? length : HEAD_BYTES);
    slot.tag =
        (uint32_t)(hash >> 36 << 4) | (uint32_t)(length > HEAD_BYTES ? LONGER : length);
    return slot;
}

/* The number of the text, from 1; or 0 with the place where it belongs. */
static uint32_t find(const intern *t, const intern_slot *wanted, uint64_t hash,
                     const char *text, size_t length, uint64_t *place) {
    uint64_t i = hash & (t->slots - 1);
    for (; t->slot[i].number; i = (i + 1) & (t->slots - 1)) {
        const intern_slot *slot = &t->slot[i];
        if (slot->head != wanted->head || slot->tag != wanted->tag)
            continue;
        const uint64_t *offset = &t->offset[slot->number - 1];
        if (length <= HEAD_BYTES || (offset[1] - offset[0] == length &&
                                     memcmp(t->bytes + offset[0], text, length) == 0))
            return slot->number;
    }
    *place = i;
    return 0;
}

static bool double_slots(intern *t) {
    uint64_t slots = t->slots ? 2 * t->slots : 1024;
    intern_slot *slot = big_realloc(NULL, slots * sizeof *slot);
    if (!slot)
        return false;
    memset(slot, 0, slots * sizeof *slot);
    if (!t->slots)
        sqlite3_randomness(sizeof t->seed, &t->seed);
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    for (int64_t number = 0; number < t->count; number++) {
        const uint64_t *offset = &t->offset[number];
        const char *text = t->bytes + offset[0];
        uint64_t hash = hash_of(t->seed, text, offset[1] - offset[0]);
        intern_slot made = slot_of(hash, text, offset[1] - offset[0]);
        uint64_t i = hash & (slots - 1);
        while (slot[i].number)
            i = (i + 1) & (slots - 1);
        slot[i] = made;
        slot[i].number = (uint32_t)number + 1;
    }
    return true;
}

/* Room for one more text of this length. */
static bool grow(intern *t, size_t length) {
    if (3 * ((uint64_t)t->count + 1) > 2 * t->slots && !double_slots(t))
        return false;
    if ((uint64_t)t->count + 2 > t->offset_room) {
        uint64_t room = t->offset_room ? 2 * t->offset_room : 1024;
        uint64_t *offset = realloc(t->offset, room * sizeof *offset);
        if (!offset)
            return false;
        if (!t->offset)
            offset[0] = 0;
        t->offset = offset;
        t->offset_room = room;
    }
    uint64_t needed = t->offset[t->count] + length;
    if (needed > t->bytes_room || !t->bytes) {
        uint64_t room = needed > 2 * t->bytes_room ? needed + 4096 : 2 * t->bytes_room;
        char *bytes = realloc(t->bytes, room);
        if (!bytes)
            return false;
        t->bytes = bytes;
        t->bytes_room = room;
    }
    return true;
}

bool intern_ready(intern *t) {
    return t->slots > 0 || double_slots(t);
}

uint64_t intern_hash(const intern *t, const char *text, size_t length) {
    return hash_of(t->seed, text, length);
}

int64_t intern_hashed(intern *t, const char *text, size_t length, uint64_t hash) {
    intern_slot slot = slot_of(hash, text, length);
    uint64_t place = 0, slots = t->slots;
    uint32_t number = find(t, &slot, hash, text, length, &place);
    if (number)
        return (int64_t)number - 1;
    if (t->count == UINT32_MAX - 1 || !grow(t, length))
        return -1;
    if (t->slots != slots)
        find(t, &slot, hash, text, length, &place);
    memcpy(t->bytes + t->offset[t->count], text, length);
    t->offset[t->count + 1] = t->offset[t->count] + length;
    slot.number = (uint32_t)t->count + 1;
    t->slot[place] = slot;
    return t->count++;
}

int64_t intern_text(intern *t, const char *text, size_t length) {
    return intern_ready(t) ? intern_hashed(t, text, length, intern_hash(t, text, length))
                           : -1;
}

void intern_close(intern *t) {
    free(t->slot);
    t->slot = NULL;
    t->slots = 0;
}

void intern_clear(intern *t) {
    intern_close(t);
    free(t->offset);
    free(t->bytes);
    memset(t, 0, sizeof *t);
}
