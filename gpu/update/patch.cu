/* Changes the device's copy of a graph in place.
**
**     parcel     one block with all data that the host sends: pieces, new elements
**     array      moved pieces are gathered in the workspace and copied back; if the array
**                is full, all pieces go to a larger array
**
** Data derived from changed edges or weights is freed. A search that needs it rebuilds it
** on the device (device/parts.cuh). */
#include "patch.cuh"

#include <string.h>

enum { EACH = 8, TILE = EACH * GG_BLOCK }; /* elements that a thread, a block takes */

/* Upper bounds on the parcel's bytes: for one change (a piece of 24 bytes; ends, position
** and weight of an added edge), and for rounding all arrays up to 256 bytes. */
#define CHANGE_BYTES 256
#define PARCEL_BYTES 8192

/* ---- the parcel ---- */

/* Adds an array to the parcel; returns its address on the device. */
template <typename type>
static const type *pack(struct there *t, const type *from, uint64_t count) {
    const uint64_t at = t->used, bytes = count * sizeof *from;
    if (count)
        memcpy(t->parcel + at, from, bytes);
    t->used += (bytes + 255) / 256 * 256;
    return (const type *)(t->parcel_there + at);
}

static uint64_t changes_of(const update *u) {
    return u->removed_count + u->added_count + u->fresh + u->vanished;
}

/* Returns the bytes of the elements that move within one array, and some slack, since the
** next batch may move more. */
static uint64_t scratch_bytes(const struct there *t) {
    const splice *s = &t->u->edges;
    const struct device_copy *copy = t->copy;
    if (!copy->source || s->after > copy->edge_room)
        return 0;
    const uint64_t moved = s->after - patch_first_moved(s);
    return (moved + moved / GG_ROOM_SHARE) *
           (copy->weight ? copy->weight_size : sizeof(uint32_t));
}

static bool open_parcel(struct there *t) {
    const uint64_t bytes = PARCEL_BYTES + CHANGE_BYTES * changes_of(t->u) +
                           t->u->edges.pieces * sizeof(splice_piece);
    t->parcel = (unsigned char *)gg_alloc(t->job.run, bytes, 1);
    return t->parcel && gg_take_arrays(&t->job, [&](struct workspace *space) {
               t->parcel_there = gg_carve<unsigned char>(space, bytes);
               t->scratch = gg_carve<unsigned char>(space, scratch_bytes(t));
           });
}

/* ---- edges ---- */

/* One block per tile of new positions `first` and later. to[0] is position `first`. A
** thread requests all its elements before it writes the first one. */
template <typename type>
static __global__ void gather(const splice_piece *piece, uint64_t pieces, uint64_t first,
                              uint64_t after, const type *from, type *to) {
    __shared__ uint64_t begin, end; /* the pieces that overlap the tile */
    uint64_t tile = first + blockIdx.x * (uint64_t)TILE;
    for (; tile < after; tile += gridDim.x * (uint64_t)TILE) {
        uint64_t last = tile + TILE < after ? tile + TILE : after;
        if (threadIdx.x == 0)
            begin = patch_first_piece(piece, pieces, tile);
        if (threadIdx.x == GG_WARP)
            end = patch_pieces_to(piece, pieces, last - 1);
        __syncthreads();
        type taken[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const uint64_t j = tile + k * GG_BLOCK + threadIdx.x;
            const uint64_t old = patch_old_place(piece + begin, end - begin, j);
            taken[k] = j < last && old != PATCH_NEW ? from[old] : 0;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const uint64_t j = tile + k * GG_BLOCK + threadIdx.x;
            if (j < last)
                to[j - first] = taken[k];
        }
        __syncthreads();
    }
}

/* One thread per added element. */
template <typename type>
static __global__ void put_in(const uint64_t *place, const type *put, uint64_t count,
                              type *to) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        to[place[i]] = put[i];
}

/* An array of edges. */
struct edge_array {
    void **array;
    size_t size;
    const void *put; /* elements of added edges, on the device */
    void *larger;    /* replaces the array; NULL: slack suffices */
};

/* piece and place are on the device. */
template <typename type>
static bool change_array(struct there *t, const splice_piece *piece,
                         const uint64_t *place, const struct edge_array *a) {
    struct cuda_job *job = &t->job;
    const splice *s = &t->u->edges;
    const uint64_t after = s->after, first = a->larger ? 0 : patch_first_moved(s),
                   added = t->u->added_count;
    type *array = (type *)*a->array, *to = a->larger ? (type *)a->larger : array;
    type *gathered = a->larger ? to : (type *)t->scratch;
    if (first < after) {
        const unsigned blocks = gg_grid(job, (after - first) / (TILE / GG_BLOCK) + 1, 8);
        const uint64_t bytes = (after - first) * sizeof(type);
        gather<type><<<blocks, GG_BLOCK, 0, job->stream>>>(piece, s->pieces, first, after,
                                                           array, gathered);
        gg_launched(job, "gather");
        if (gathered != to)
            gg_copy_there(job, to + first, gathered, bytes);
        t->moved += gathered != to ? 2 * bytes : bytes;
    }
    if (!gg_going(job))
        return false;
    put_in<type><<<gg_grid(job, added, 8), GG_BLOCK, 0, job->stream>>>(
        place, (const type *)a->put, added, to);
    return gg_launched(job, "put_in");
}

static bool change_list(struct there *t) {
    const update *u = t->u;
    struct cuda_job *job = &t->job;
    struct device_copy *copy = t->copy;
    const uint64_t added = u->added_count, after = u->edges.after,
                   room = after + after / GG_ROOM_SHARE;
    const bool grows = after > copy->edge_room;
    const splice_piece *piece = pack(t, u->edges.piece, u->edges.pieces);
    const uint64_t *place = pack(t, u->added_edge, added);
    const int arrays = copy->weight ? 3 : 2;
    struct edge_array a[3] = {{(void **)&copy->source, sizeof(uint32_t),
                               pack(t, u->added_ends.source, added), NULL},
                              {(void **)&copy->target, sizeof(uint32_t),
                               pack(t, u->added_ends.target, added), NULL},
                              {&copy->weight, copy->weight_size, NULL, NULL}};
    if (copy->weight)
        a[2].put = pack(t, (const char *)u->weight, added * copy->weight_size);
    gg_upload(job, t->parcel_there, t->parcel, t->used);
    for (int i = 0; grows && i < arrays && gg_going(job); i++)
        take(job, &copy->part, &a[i].larger, room, a[i].size);
    for (int i = 0; i < arrays && gg_going(job); i++)
        a[i].size == sizeof(uint32_t) ? change_array<uint32_t>(t, piece, place, &a[i])
                                      : change_array<uint64_t>(t, piece, place, &a[i]);
    const bool done = gg_going(job) && gg_wait(job);
    for (int i = 0; grows && i < arrays; i++) {
        give(&copy->part, done ? *a[i].array : a[i].larger, done ? copy->edge_room : room,
             a[i].size);
        if (done)
            *a[i].array = a[i].larger;
    }
    if (grows && done)
        copy->edge_room = room;
    return done;
}

/* A device that reads rows in host memory may have no edges. */
static bool change_edges(struct there *t) {
    if (t->copy->source)
        return change_list(t);
    t->copy->edge_room = t->u->edges.after;
    return true;
}

/* ---- all steps ---- */

static void drop_changed_parts(const update *u) {
    unsigned changed = PART_ON_WEIGHTS;
    if (!gg_same_ends(u))
        changed |= PART_ON_EDGES;
    if (u->fresh)
        changed |= PART_ON_VERTICES;
    gg_drop_device_parts(u->graph, changed);
}

static bool change_copy(struct there *t) {
    const update *u = t->u;
    const double started = gg_now_ms();
    gg_store_first(t);
    bool done = gg_going(&t->job) && open_parcel(t) && change_edges(t);
    gg_release(t->parcel);
    t->job.working = false;
    done = done && gg_change_rows(t);
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
    gpugraph_run own = *u->run; /* the update succeeds even if this run fails */
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
