/* What a batch changes in rows with room (graph/zones.h), zone by zone: zones.c lists it, patch_roomy.cu, or
** a test, does it.
**
**     change    zone 3: 2 go, 1 comes | zone 9: 1 comes | ...
**     going     | a b | ...              coming   | x | y | ...     by rows
**
** In each zone the arcs that go are looked up first. Then they go, from the one that lies last on, so
** that none moves that is still to go; then the others come. */
#ifndef GPUGRAPH_ZONE_BATCH_H
#define GPUGRAPH_ZONE_BATCH_H

#include "graph/zones.h"
#include "patch.h"

typedef struct zone_coming {
    uint64_t weight;
    uint32_t row,
        target; /* new numbers, which are the old ones of vertices that were there */
} zone_coming;

typedef struct zone_change {
    uint64_t zone, going,
        coming;               /* the first of its own in the lists of all zones, ... */
    uint32_t goings, comings; /* ... of which it has so many */
} zone_change;

typedef struct zone_batch {
    uint64_t goings, comings, changes, growths;
    arc_question *going;
    zone_coming *coming;
    zone_change *change;
    zone_growth *growth; /* zones that get vertices: each is in `change`, too */
    uint64_t places;     /* of all rows afterwards */
    bool fits;           /* false: a zone has more to do than one warp should */
} zone_batch;

#ifdef __cplusplus
extern "C" {
#endif
struct update;
/* Of a batch that renumbers no vertex, for rows of so many places, the spare ones included. False: there is
** no memory; the lists are the caller's to free. */
bool gg_list_zones(struct update *u, enum csr_kind kind, bool weighted, uint64_t places,
                   zone_batch *b);
void gg_free_zone_batch(zone_batch *b);
#ifdef __cplusplus
}
#endif

/* One warp: the zone takes its part; at: the places of what goes, the last one first; which: whose they are.
** It has room. */
WARP_FUNCTION void zone_apply(const zone_rows *r, const zone_change *c,
                              const arc_question *going, const zone_coming *coming,
                              const uint64_t *at, const uint32_t *which) {
    zone z = zone_at(r, c->zone);
    for (uint32_t i = 0; i < c->goings; i++)
        zone_remove(r, &z, going[c->going + which[i]].row, at[i]);
    for (uint32_t k = 0; k < c->comings; k++) {
        const zone_coming *come = &coming[c->coming + k];
        zone_arc arc;
        arc.weight = come->weight;
        arc.target = come->target;
        zone_insert(r, &z, come->row, arc);
    }
    if (warp_lane() == 0)
        r->spare[c->zone] = (uint32_t)(r->offset[z.end] - z.used);
    warp_sync();
}

#endif
