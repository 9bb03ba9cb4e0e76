/* Distinct values: see distinct.h. */
#include "distinct.h"

enum { LEAST_ROOM = 64 };

static uint64_t slot_distinct_of(const struct gg_distinct *d, uint64_t value) {
    const uint64_t last = 2 * d->room - 1;
    uint64_t at = gg_place_integer(d->placing, value) & last;
    while (d->slot[at] != 0 && d->value[d->slot[at] - 1] != value)
        at = (at + 1) & last;
    return at;
}

bool gg_distinct_reserve(struct gg_distinct *d, gpugraph_run *run, uint64_t count) {
    struct gg_distinct larger = {
        .count = d->count, .room = LEAST_ROOM, .placing = gg_placing()};
    while (larger.room < count)
        larger.room *= 2;
    if (larger.room <= d->room)
        return true;
    larger.value = gg_alloc(run, larger.room, sizeof *larger.value);
    if (larger.value)
        larger.slot = gg_alloc_zero(run, 2 * larger.room, sizeof *larger.slot);
    for (uint64_t i = 0; larger.slot && i < d->count && !gg_leave(run, i); i++) {
        larger.value[i] = d->value[i];
        larger.slot[slot_distinct_of(&larger, d->value[i])] = i + 1;
    }
    if (!larger.slot || gg_stopping(run)) {
        gg_stopped(run);
        gg_distinct_free(&larger);
        return false;
    }
    gg_distinct_free(d);
    *d = larger;
    return true;
}

uint64_t gg_distinct_add(struct gg_distinct *d, gpugraph_run *run, uint64_t value) {
    if (d->count == d->room && !gg_distinct_reserve(d, run, d->count + 1))
        return UINT64_MAX;
    const uint64_t at = slot_distinct_of(d, value);
    if (d->slot[at] == 0) {
        d->value[d->count++] = value;
        d->slot[at] = d->count;
    }
    return d->slot[at] - 1;
}

void gg_distinct_free(struct gg_distinct *d) {
    gg_release(d->value);
    gg_release(d->slot);
    *d = (struct gg_distinct){0};
}
