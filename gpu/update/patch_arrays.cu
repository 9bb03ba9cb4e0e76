/* Changes arrays of a device's copy in place or replaces them by larger ones
** (patch.cu). */
#include "patch.cuh"

enum { TILE = 8 * GG_BLOCK }; /* elements that a block gathers at a time */

/* ---- arrays ---- */

/* One block for each tile of new positions from `first` on. to[0] is position `first`. */
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
        for (uint64_t j = tile + threadIdx.x; j < last; j += GG_BLOCK) {
            uint64_t old = patch_old_place(piece + begin, end - begin, j);
            if (old != PATCH_NEW)
                to[j - first] = from[old];
        }
        __syncthreads();
    }
}

/* One thread per element. */
template <typename type>
static __global__ void put_in(const uint64_t *place, const type *put, uint64_t count,
                              type *to) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        to[place[i]] = put[i];
}

/* ---- the scratch block ----
** The block stays with the graph for the next batch, since allocating and freeing device
** memory waits for all running work. A running batch owns the block. */

#define KEPT_SPARE ((uint64_t)1 << 30)

struct kept_spare {
    struct device_part part;
    void *block;
    uint64_t bytes;
};

static void drop_spare(gpugraph_graph *, struct device_part *part, unsigned) {
    struct kept_spare *k = (struct kept_spare *)part;
    if (!k->block)
        return;
    give(&k->part, k->block, k->bytes, 1);
    k->block = NULL;
    k->bytes = 0;
}

static const struct device_part_kind spare_kind = {
    "space for changes", sizeof(struct kept_spare), PART_ON_ROOM, drop_spare};

static void take_kept(struct there *t) {
    struct kept_spare *k =
        (struct kept_spare *)gg_device_part_of(t->job.graph, &spare_kind);
    if (!k || !k->block)
        return;
    t->spare = k->block;
    t->spare_bytes = k->bytes;
    add_bytes(&k->part, -(int64_t)block_bytes(k->bytes, 1));
    k->block = NULL;
    k->bytes = 0;
}

static void free_spare(struct there *t) {
    if (!t->spare)
        return;
    if (!gg_wait(&t->job))
        cudaStreamSynchronize(t->job.stream);
    gg_give(&t->job, t->spare, t->spare_bytes);
    t->spare = NULL;
    t->spare_bytes = 0;
}

/* Also called when the job must end. */
void gg_give_spare(struct there *t) {
    struct kept_spare *k = NULL;
    if (t->spare && t->spare_bytes <= KEPT_SPARE && gg_going(&t->job))
        k = (struct kept_spare *)gg_device_part(&t->job, &spare_kind);
    if (!k || k->block) {
        free_spare(t);
        return;
    }
    k->block = t->spare;
    k->bytes = t->spare_bytes;
    add_bytes(&k->part, (int64_t)block_bytes(k->bytes, 1));
    t->spare = NULL;
    t->spare_bytes = 0;
}

void *gg_spare_block(struct there *t, uint64_t bytes) {
    if (!t->spare)
        take_kept(t);
    if (bytes > t->spare_bytes) {
        const uint64_t room = bytes + bytes / GG_ROOM_SHARE;
        free_spare(t);
        t->spare = gg_going(&t->job) ? gg_take(&t->job, room) : NULL;
        if (t->spare)
            t->spare_bytes = room;
    }
    return t->spare;
}

static void copy_back(struct there *t, void *to, const void *from, uint64_t bytes) {
    gg_copy_there(&t->job, to, from, bytes);
    t->moved += bytes;
}

template <typename type>
static bool change_typed(struct there *t, const struct array_patch *a) {
    struct cuda_job *job = &t->job;
    uint64_t after = a->s->after;
    uint64_t first = a->larger ? 0 : patch_first_moved(a->s);
    bool in_place = !a->larger && a->s->still;
    type *array = (type *)a->array, *to = a->larger ? (type *)a->larger : array;
    type *gathered = to;
    if (!a->larger && !in_place)
        gathered = (type *)gg_spare_block(t, (after - first) * sizeof(type));
    if (gg_going(job) && first < after) {
        unsigned blocks = gg_grid(job, (after - first) / (TILE / GG_BLOCK) + 1, 8);
        gather<type><<<blocks, GG_BLOCK, 0, job->stream>>>(a->piece, a->s->pieces, first,
                                                           after, array, gathered);
        gg_launched(job, "gather");
        t->moved += (after - first) * sizeof(type);
        if (gathered != to)
            copy_back(t, to + first, gathered, (after - first) * sizeof(type));
    }
    if (!gg_going(job))
        return false;
    put_in<type><<<gg_grid(job, a->count, 8), GG_BLOCK, 0, job->stream>>>(
        a->place, (const type *)a->put, a->count, to);
    return gg_launched(job, "put_in");
}

static bool change_array(struct there *t, const struct array_patch *a, size_t size) {
    return size == sizeof(uint32_t) ? change_typed<uint32_t>(t, a)
                                    : change_typed<uint64_t>(t, a);
}

bool gg_change_group(struct there *t, const struct array_group *g) {
    struct cuda_job *job = &t->job;
    uint64_t after = g->common.s->after, room = after + after / GG_ROOM_SHARE;
    bool grow = after > *g->room;
    void *larger[3] = {NULL, NULL, NULL};
    for (int i = 0; grow && i < g->count && gg_going(job); i++)
        take(job, &t->copy->part, &larger[i], room, g->of[i].size);
    for (int i = 0; i < g->count && gg_going(job); i++) {
        struct array_patch a = g->common;
        a.array = *g->of[i].array;
        a.larger = larger[i];
        a.put = g->of[i].put;
        change_array(t, &a, g->of[i].size);
    }
    if (!grow)
        return gg_going(job);
    bool done = gg_wait(job);
    for (int i = 0; i < g->count; i++) {
        void *old = done ? *g->of[i].array : larger[i];
        give(&t->copy->part, old, done ? *g->room : room, g->of[i].size);
        if (done)
            *g->of[i].array = larger[i];
    }
    if (done)
        *g->room = room;
    return done;
}
