/* Changes the device's copy of a graph in place.
**
**     parcel     one block with all data that the host sends: pieces, new elements
**     array      pieces that move are gathered in a scratch block and copied back, or go
**                to a larger array if the old one is full; other pieces do not change
**
** Data derived from changed edges or weights is freed, and rebuilt on the device when a
** search needs it (device/parts.cuh). */
#include "patch.cuh"

/* Upper bounds of the parcel's bytes: for each change (a piece of 24 bytes; ends,
** position and weight of an added edge), and for rounding each array up to 256 bytes. */
#define CHANGE_BYTES 256
#define PARCEL_BYTES 8192

static bool change_list(struct there *t) {
    const update *u = t->u;
    const uint64_t added = u->added_count;
    struct device_copy *copy = t->copy;
    struct array_group g = array_group();
    g.common.s = &u->edges;
    g.common.piece = pack(t, u->edges.piece, u->edges.pieces);
    g.common.count = added;
    g.common.place = pack(t, u->added_edge, added);
    g.room = &copy->edge_room;
    g.of[g.count++] = {(void **)&copy->source, sizeof(uint32_t),
                       pack(t, u->added_ends.source, added)};
    g.of[g.count++] = {(void **)&copy->target, sizeof(uint32_t),
                       pack(t, u->added_ends.target, added)};
    if (copy->weight)
        g.of[g.count++] = {&copy->weight, copy->weight_size,
                           pack(t, (const char *)u->weight, added * copy->weight_size)};
    return send(t) && gg_change_group(t, &g);
}

/* A copy with rows in host memory may have no list of edges. */
static bool change_edges(struct there *t) {
    if (t->copy->source)
        return change_list(t);
    t->copy->edge_room = t->u->edges.after;
    return true;
}

static uint64_t changes_of(const update *u) {
    return u->removed_count + u->added_count + u->fresh + u->vanished;
}

static void drop_changed_parts(const update *u) {
    unsigned changed = PART_ON_WEIGHTS;
    if (!gg_same_ends(u))
        changed |= PART_ON_EDGES;
    if (u->fresh)
        changed |= PART_ON_VERTICES;
    gg_drop_device_parts(u->graph, changed);
}

static bool open_parcel(struct there *t) {
    const uint64_t bytes = PARCEL_BYTES + CHANGE_BYTES * changes_of(t->u) +
                           t->u->edges.pieces * sizeof(splice_piece);
    struct workspace space = {NULL, 0};
    gg_carve<unsigned char>(&space, bytes);
    t->parcel = (unsigned char *)gg_alloc(t->job.run, bytes, 1);
    if (!t->parcel || !gg_workspace(&t->job, &space))
        return false;
    t->parcel_there = gg_carve<unsigned char>(&space, bytes);
    return true;
}

static bool change_copy(struct there *t) {
    const update *u = t->u;
    const double started = gg_now_ms();
    gg_store_first(t);
    bool done =
        gg_going(&t->job) && open_parcel(t) && change_edges(t) && gg_wait(&t->job);
    gg_release(t->parcel);
    t->job.working = false;
    done = done && gg_change_rows(t);
    gg_give_spare(t);
    if (!done || !gg_going(&t->job))
        return false;
    drop_changed_parts(u);
    t->copy->n = u->n;
    t->copy->m = u->edges.after;
    gg_phase(
        t->job.run, "patch", started, (int64_t)changes_of(u),
        "the copy on device %d: %llu bytes written, rows of %u kinds by the tables%s%s",
        t->job.device->ordinal, (unsigned long long)t->moved, t->rewritten,
        t->dropped ? ", others are rebuilt on need" : "",
        gg_same_ends(u) ? "" : "; data derived from all edges is rebuilt on need");
    return true;
}

extern "C" void gg_cuda_follow(update *u) {
    gpugraph_run own = *u->run; /* an error of this run is no error of the update */
    struct there t = there();
    bool done = false;
    t.u = u;
    own.device = u->graph->device->ordinal;
    if (gg_job_open(&t.job, u->graph, &own)) {
        t.copy = gg_device_copy(&t.job);
        done = t.copy && change_copy(&t);
        done &= gg_job_close(&t.job) == GPUGRAPH_OK;
    }
    if (!done)
        gpugraph_release_device(u->graph);
    if (own.status == GPUGRAPH_INTERRUPTED)
        gg_stopped(u->run);
}

extern "C" const struct patch_services gg_patches = {
    .follow = gg_cuda_follow,
    .check = gg_cuda_check_copy,
    .make = gg_cuda_make_store,
};
