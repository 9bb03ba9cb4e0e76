/* A batch of changes as a store of edges takes it (store/store.h): by ends and ids. */
#include "update.h"

bool gg_store_holds(const gpugraph_graph *graph) {
    return graph->m < UINT32_MAX - 1 && graph->n <= SLAB_MOST_VERTICES;
}

bool gg_store_follows(const update *u) {
    return gg_store_holds(u->graph) && u->edges.after < UINT32_MAX - 1 &&
           u->vertices.before + u->fresh <= SLAB_MOST_VERTICES && !u->changes->before;
}

void gg_store_changes_free(store_changes *c) {
    void *blocks[] = {c->gone_source, c->gone_target, c->gone_id,    c->come_source,
                      c->come_target, c->come_id,     c->come_weight};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
    *c = (store_changes){0};
}

static void take_store_batch(update *u, store_changes *c) {
    gpugraph_run *run = u->run;
    c->gone_source = gg_alloc(run, c->gone, sizeof *c->gone_source);
    c->gone_target = gg_alloc(run, c->gone, sizeof *c->gone_target);
    c->gone_id = gg_alloc(run, c->gone, sizeof *c->gone_id);
    c->come_source = gg_alloc(run, c->come, sizeof *c->come_source);
    c->come_target = gg_alloc(run, c->come, sizeof *c->come_target);
    c->come_id = gg_alloc(run, c->come, sizeof *c->come_id);
    if (u->weight)
        c->come_weight = gg_alloc(run, c->come, sizeof *c->come_weight);
}

/* ---- slots of vertices ---- */

static uint32_t take_slot(struct vertex_slots *s) {
    return s->vacancies > 0 ? s->vacant[--s->vacancies] : s->used++;
}

/* Slots by the numbers after the batch, of which those before keep the array; NULL where there is no
** memory. */
static uint32_t *slots_after(const update *u, struct vertex_slots *s) {
    uint32_t *after = gg_alloc_roomy(u->run, u->vertices.after, sizeof *after);
    if (!after)
        return NULL;
    gg_splice_move(&u->vertices, after, s->slot, sizeof *after);
    for (uint64_t i = 0; i < u->vanished; i++) {
        if (!gg_make_room(u->run, (void **)&s->vacant, s->vacancies, &s->vacant_room,
                          sizeof *s->vacant)) {
            gg_release(after);
            return NULL;
        }
        s->vacant[s->vacancies++] = s->slot[u->vanished_at[i]];
    }
    for (uint64_t f = 0; f < u->fresh; f++)
        after[u->fresh_new[f]] = take_slot(s);
    return after;
}

/* Vertices come behind all others, and none goes. */
static bool append_slots(const update *u, struct vertex_slots *s) {
    for (uint64_t f = 0; f < u->fresh; f++) {
        if (!gg_make_room(u->run, (void **)&s->slot, s->count, &s->slot_room,
                          sizeof *s->slot))
            return false;
        s->slot[s->count++] = take_slot(s);
    }
    return true;
}

/* Numbers are slots until they change for the first time. */
static bool begin_slots(const update *u, struct vertex_slots *s) {
    const uint32_t n = (uint32_t)u->vertices.before;
    if (s->slot || !gg_renumbers(&u->vertices))
        return true;
    s->slot = gg_alloc(u->run, n, sizeof *s->slot);
    for (uint32_t v = 0; s->slot && v < n; v++)
        s->slot[v] = v;
    s->used = n;
    s->count = s->slot_room = n;
    return s->slot != NULL;
}

static void put_slots(const uint32_t *slot, uint64_t count, uint32_t *end) {
    for (uint64_t i = 0; i < count; i++)
        end[i] = slot[end[i]];
}

/* The arrays of ends, which are by numbers, become those of slots. */
static void name_slots(const uint32_t *before, const uint32_t *after,
                       const store_changes *c) {
    uint32_t *const come[2] = {c->come_source, c->come_target};
    put_slots(before, c->gone, c->gone_source);
    put_slots(before, c->gone, c->gone_target);
    for (int i = 0; i < 2; i++)
        put_slots(after, c->come, come[i]);
}

static gpugraph_status take_slots(update *u, struct vertex_slots *s, store_changes *c) {
    gpugraph_run *run = u->run;
    if (!begin_slots(u, s) || !s->slot)
        return run->status;
    if (!gg_renumbers(&u->vertices)) {
        if (append_slots(u, s))
            name_slots(s->slot, s->slot, c);
        c->vertices = s->used;
        return run->status;
    }
    uint32_t *after = slots_after(u, s);
    if (after) {
        name_slots(s->slot, after, c);
        gg_release(s->slot);
        s->slot = after;
        s->count = s->slot_room = u->vertices.after;
        s->sent = 0;
        c->vertices = s->used;
    }
    return run->status;
}

/* ---- the batch ---- */

gpugraph_status gg_store_changes(update *u, edge_store *store, store_changes *c) {
    const bool narrow = gg_distance_size(u->distance_type) == sizeof(uint32_t);
    *c = (store_changes){.gone = u->removed_count,
                         .come = u->added_count,
                         .vertices = (uint32_t)u->vertices.after};
    take_store_batch(u, c);
    if (u->run->status) {
        gg_store_changes_free(c);
        return u->run->status;
    }
    for (uint64_t i = 0; i < c->gone; i++) {
        c->gone_source[i] = gg_removed_end(u, (end_ref)(2 * i));
        c->gone_target[i] = gg_removed_end(u, (end_ref)(2 * i + 1));
        c->gone_id[i] = u->removed_id[i];
    }
    for (uint64_t i = 0; i < c->come; i++) {
        c->come_source[i] = u->new_source[i];
        c->come_target[i] = u->new_target[i];
        c->come_id[i] = u->added->edge_id[i];
        if (c->come_weight)
            c->come_weight[i] = narrow ? ((const uint32_t *)u->weight)[i]
                                       : ((const int64_t *)u->weight)[i];
    }
    if (take_slots(u, &store->slots, c))
        gg_store_changes_free(c);
    return u->run->status;
}
