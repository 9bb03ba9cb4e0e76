/* The number of the vertex at a place; n or more if the place is a gap. */
#ifndef SEVERAL_NUMBER_H
#define SEVERAL_NUMBER_H

#include "distributed/partition/places.h"

static inline uint64_t several_number(const struct several_places *p, uint32_t place) {
    const uint32_t owner = several_owner(p, place);
    return several_number_of(p, owner, place - owner * p->stride);
}

#endif
