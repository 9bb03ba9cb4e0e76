/* A hash table of INTEGER ids and their arrival numbers, small enough for a cache and at
** most half full. An id takes the first free slot from its hash on. */
#ifndef GPUGRAPH_ID_TABLE_H
#define GPUGRAPH_ID_TABLE_H

#include "base/run.h"

enum { FIRST_SLOTS = 256 }; /* a power of two */

typedef struct id_slot {
    int64_t id;
    uint32_t number;
    bool used;
} id_slot;

typedef struct id_table {
    struct gg_placing placing;
    id_slot *slot;
    uint64_t slots; /* a power of two, or 0 */
} id_table;

/* The slot of the id, or the free slot where it belongs. */
static inline id_slot *id_table_slot(const id_table *table, int64_t id) {
    uint64_t i = gg_place_integer(table->placing, (uint64_t)id) & (table->slots - 1);
    while (table->slot[i].used && table->slot[i].id != id)
        i = (i + 1) & (table->slots - 1);
    return &table->slot[i];
}

/* Doubles the number of slots. */
static inline bool id_table_grow(id_table *table, gpugraph_run *run) {
    id_table larger = {.placing = table->placing,
                       .slots = table->slots ? table->slots * 2 : FIRST_SLOTS};
    larger.slot = (id_slot *)gg_alloc_zero(run, larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (uint64_t i = 0; i < table->slots && !gg_leave(run, i); i++) {
        const id_slot *old = &table->slot[i];
        if (old->used)
            *id_table_slot(&larger, old->id) = *old;
    }
    gg_release(table->slot);
    *table = larger;
    return true;
}

#endif
