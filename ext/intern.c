/* Texts numbered by a hash table: see intern.h. */
#include "ext.h"
#include "intern.h"
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

static int64_t find(const intern *t, uint64_t hash, const char *text, size_t length,
                    uint64_t *place) {
    uint64_t i = hash & (t->slots - 1);
    for (; t->slot[i]; i = (i + 1) & (t->slots - 1)) {
        if (t->slot[i] >> 32 != hash >> 32)
            continue;
        uint64_t number = (t->slot[i] & UINT32_MAX) - 1;
        const char *other = t->bytes + t->offset[number];
        if (t->offset[number + 1] - t->offset[number] == length &&
            memcmp(other, text, length) == 0)
            return (int64_t)number;
    }
    *place = i;
    return -1;
}

static bool double_slots(intern *t) {
    uint64_t slots = t->slots ? 2 * t->slots : 1024;
    uint64_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    if (!t->slots)
        sqlite3_randomness(sizeof t->seed, &t->seed);
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    for (int64_t number = 0; number < t->count; number++) {
        const char *text = t->bytes + t->offset[number];
        uint64_t hash = hash_of(t->seed, text, t->offset[number + 1] - t->offset[number]);
        uint64_t i = hash & (slots - 1);
        while (slot[i])
            i = (i + 1) & (slots - 1);
        slot[i] = (hash >> 32 << 32) | (uint64_t)(number + 1);
    }
    return true;
}

/* Room for one more text of this length. */
static bool grow(intern *t, size_t length) {
    if (2 * ((uint64_t)t->count + 1) > t->slots && !double_slots(t))
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

int64_t intern_text(intern *t, const char *text, size_t length) {
    uint64_t place = 0;
    if (t->slots) {
        int64_t number = find(t, hash_of(t->seed, text, length), text, length, &place);
        if (number >= 0)
            return number;
    }
    if (t->count == UINT32_MAX - 1 || !grow(t, length))
        return -1;
    uint64_t hash =
        hash_of(t->seed, text, length); /* the seed is set, the table may be new */
    find(t, hash, text, length, &place);
    memcpy(t->bytes + t->offset[t->count], text, length);
    t->offset[t->count + 1] = t->offset[t->count] + length;
    t->slot[place] = (hash >> 32 << 32) | (uint64_t)(t->count + 1);
    return t->count++;
}

void intern_clear(intern *t) {
    free(t->offset);
    free(t->bytes);
    free(t->slot);
    memset(t, 0, sizeof *t);
}
