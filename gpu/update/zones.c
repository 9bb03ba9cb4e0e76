/* What a batch changes in rows with room that lie on a device: the arcs that go and come, by zones
** (zone_batch.h). Nothing is looked up here; that is done where the rows are. */
#include "row_walk.h"
#include "base/limits.h"
#include "zone_batch.h"

void gg_free_zone_batch(zone_batch *b) {
    gg_release(b->going);
    gg_release(b->coming);
    gg_release(b->change);
    gg_release(b->growth);
    *b = (zone_batch){0};
}

static void list_comings(const row_walk *w, zone_coming *coming) {
    const update *u = w->u;
    const bool narrow = w->p->weight_size == sizeof(uint32_t);
    for (uint64_t k = 0; k < w->comings; k++) {
        const end_ref ref = w->coming[k];
        coming[k] = (zone_coming){0, u->end[ref].new, u->end[ref ^ 1].new};
        if (w->p->weight_size)
            coming[k].weight = narrow ? ((const uint32_t *)u->weight)[ref / 2]
                                      : ((const uint64_t *)u->weight)[ref / 2];
    }
}

/* Both lists are in the order of rows; zones that get vertices are listed anyhow. */
static void list_zone_changes(const update *u, zone_batch *b) {
    const uint64_t grown = u->vertices.before >> gg_limits.zone_shift;
    uint64_t next = u->vertices.after > u->vertices.before ? grown : UINT64_MAX;
    for (uint64_t i = 0, k = 0;;) {
        const uint64_t goes =
            i < b->goings ? b->going[i].row >> gg_limits.zone_shift : UINT64_MAX;
        const uint64_t comes =
            k < b->comings ? b->coming[k].row >> gg_limits.zone_shift : UINT64_MAX;
        uint64_t zone = goes < comes ? goes : comes;
        zone = next < zone ? next : zone;
        if (zone == UINT64_MAX)
            break;
        zone_change *c = &b->change[b->changes++];
        *c = (zone_change){.zone = zone, .going = i, .coming = k};
        while (i < b->goings && b->going[i].row >> gg_limits.zone_shift == zone)
            i++;
        while (k < b->comings && b->coming[k].row >> gg_limits.zone_shift == zone)
            k++;
        c->goings = (uint32_t)(i - c->going);
        c->comings = (uint32_t)(k - c->coming);
        b->fits &= c->goings <= GG_ZONE_MOST && c->comings <= GG_ZONE_MOST;
        if (zone == next)
            next = zone + 1 < gg_zones_of(u->vertices.after) ? zone + 1 : UINT64_MAX;
    }
}

/* They lie at the end of all, so they have room for all that comes. */
static void list_growths(const update *u, zone_batch *b) {
    const uint64_t first = u->vertices.before >> gg_limits.zone_shift;
    if (u->vertices.after == u->vertices.before)
        return;
    for (uint64_t i = 0; i < b->changes; i++) {
        const zone_change *c = &b->change[i];
        if (c->zone < first)
            continue;
        const bool new = c->zone << gg_limits.zone_shift >= u->vertices.before;
        const uint32_t more = c->comings + (new ? GG_ZONE_LEAST : 0);
        b->places += more;
        b->growth[b->growths++] = (zone_growth){c->zone, b->places, more};
    }
}

static bool take_zone_lists(const row_walk *w, zone_batch *b) {
    const update *u = w->u;
    const uint64_t grown = u->vertices.after > u->vertices.before
                               ? gg_zones_of(u->vertices.after) -
                                     (u->vertices.before >> gg_limits.zone_shift)
                               : 0;
    b->goings = w->goings;
    b->comings = w->comings;
    b->going = gg_alloc(u->run, w->goings, sizeof *b->going);
    b->coming = b->going ? gg_alloc(u->run, w->comings, sizeof *b->coming) : NULL;
    b->change = b->coming
                    ? gg_alloc(u->run, w->goings + w->comings + grown, sizeof *b->change)
                    : NULL;
    b->growth = b->change ? gg_alloc(u->run, grown, sizeof *b->growth) : NULL;
    return b->growth != NULL;
}

bool gg_list_zones(update *u, enum csr_kind kind, bool weighted, uint64_t places,
                   zone_batch *b) {
    row_plan plan = {.weight_size = weighted ? gg_distance_size(u->distance_type) : 0};
    struct csr_slot slot = {.weight = weighted ? (void *)gg_weights_of(u->graph) : NULL};
    row_walk w = {
        .u = u, .p = &plan, .slot = &slot, .going = u->going, .coming = u->coming};
    *b = (zone_batch){.places = places, .fits = true};
    bool listed = gg_begin_row_walk(&w, kind) && take_zone_lists(&w, b);
    if (listed) {
        gg_list_goings(&w, b->going);
        list_comings(&w, b->coming);
        list_zone_changes(u, b);
        list_growths(u, b);
    }
    gg_end_row_walk(&w);
    gg_free_row_plan(&plan);
    return listed;
}
