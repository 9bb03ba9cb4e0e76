/* Texts numbered by a hash table: see intern.h. */
#include "ext.h"
#include "intern.h"
#include "room.h"
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 8, LONGER = 15 };

/* The slot of a text, without its number. */
static intern_slot slot_intern_of(uint64_t hash, const char *text, size_t length) {
    intern_slot slot = {0, 0, 0};
    memcpy(&slot.head, text, length < HEAD_BYTES ? length : HEAD_BYTES);
    slot.tag =
        (uint32_t)(hash >> 36 << 4) | (uint32_t)(length > HEAD_BYTES ? LONGER : length);
    return slot;
}

/* The number of the text, from 1; or 0, and *place is where it belongs. */
static uint32_t find_intern(const intern *t, const intern_slot *wanted, const char *text,
                            size_t length, uint64_t *place) {
    uint64_t i = intern_place(t, wanted->tag);
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

/* The tag of a slot gives its place, so no text is read, and slots keep their order. */
static bool double_slots(intern *t) {
    const uint64_t before = t->slots, slots = before ? 2 * before : 1024;
    intern_slot *slot = big_zero(slots * sizeof *slot), *former = t->slot;
    if (!slot)
        return false;
    if (!before)
        t->placing = gg_placing();
    t->slot = slot;
    t->slots = slots;
    for (uint64_t i = 0; i < before; i++) {
        uint64_t to = intern_place(t, former[i].tag);
        while (former[i].number && slot[to].number)
            to = (to + 1) & (slots - 1);
        if (former[i].number)
            slot[to] = former[i];
    }
    free(former);
    return true;
}

static bool grow_block(void **block, uint64_t *room, uint64_t needed, size_t size) {
    if (needed <= *room)
        return true;
    const uint64_t more = needed > 2 * *room ? needed + 1024 : 2 * *room;
    void *grown = realloc(*block, more * size);
    if (!grown)
        return false;
    *block = grown;
    *room = more;
    return true;
}

/* Makes room for one more text of this length. */
static bool grow_intern(intern *t, size_t length) {
    const uint64_t count = (uint64_t)t->count, first = !t->offset;
    if ((3 * (count + 1) > 2 * t->slots && !double_slots(t)) ||
        !grow_block((void **)&t->offset, &t->offset_room, count + 2, sizeof *t->offset))
        return false;
    if (first)
        t->offset[0] = 0;
    return grow_block((void **)&t->bytes, &t->bytes_room, t->offset[count] + length + 1,
                      1);
}

bool intern_ready(intern *t) {
    return t->slots > 0 || double_slots(t);
}

uint64_t intern_hash(const intern *t, const char *text, size_t length) {
    return gg_place_text(t->placing, text, length);
}

int64_t intern_hashed(intern *t, const char *text, size_t length, uint64_t hash) {
    intern_slot slot = slot_intern_of(hash, text, length);
    const uint64_t slots = t->slots;
    uint64_t place = 0;
    uint32_t number = find_intern(t, &slot, text, length, &place);
    if (number)
        return (int64_t)number - 1;
    if (t->count == UINT32_MAX - 1 || !grow_intern(t, length))
        return -1;
    if (t->slots != slots)
        find_intern(t, &slot, text, length, &place);
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
