/* The device's copy of a graph, changed where it lies.
**
**     parcel     one block of what a step sends: questions, pieces, what is put in
**     array      pieces that move are gathered into a spare block and copied back; into a
**                larger array where the room does not suffice; what stays is not touched
**     vertices   numbers change with their splice, in the same pass
**
** What hangs on which edges there are, and not on a few of them, is given back and made
** anew on the device when it is asked for: SIMPLE, in which an arc stays as long as any edge
** between its ends, hubs, features, pinned rows. Where nothing but weights changes all but
** the features stays. */
#include "device_graph.cuh"
#include "patch.h"

#include <string.h>

enum { TILE = 8 * GG_BLOCK }; /* elements that a block gathers at a time */

/* What a step sends and gets back takes no more than this for each changed edge, and this
** for all that there is one of: a question and a piece for both arcs of an edge, 24 bytes
** each, and so on, every array rounded up to 256 bytes. */
#define CHANGE_BYTES 512
#define PARCEL_BYTES 8192

/* Arcs that all questions may look at together: rows so many times, and some more. An estimate of
** when it is as fast to send the copy and make it anew, not a figure. */
#define LOOK_TIMES 32
#define LOOK_LEAST ((uint64_t)1 << 32)

struct there {
    struct cuda_job job;
    const patch *p;
    struct device_graph *copy;
    unsigned char *parcel, *parcel_there; /* the same bytes here and there */
    uint64_t used, sent, kept;            /* kept: of the vertices, for all steps */
    struct patch_numbers vertices;
    const uint64_t *fresh_at, *fresh_new;
    void *spare;
    uint64_t spare_bytes;
    uint64_t moved; /* bytes of arrays written */
};

/* ---- the parcel ---- */

static void *reserve(struct there *t, uint64_t bytes) {
    uint64_t at = t->used;
    t->used += (bytes + 255) / 256 * 256;
    return t->parcel_there + at;
}

/* Where it will lie on the device. */
template <typename type>
static const type *pack(struct there *t, const type *from, uint64_t count) {
    if (count)
        memcpy(t->parcel + t->used, from, count * sizeof *from);
    return (const type *)reserve(t, count * sizeof *from);
}

static bool send(struct there *t) {
    uint64_t from = t->sent;
    t->sent = t->used;
    return gg_upload(&t->job, t->parcel_there + from, t->parcel + from, t->used - from);
}

/* ---- questions ---- */

/* One warp to a question. */
static __global__ void find_arcs(const uint64_t *offset, const uint32_t *target,
                                 const void *weight, size_t size,
                                 const arc_question *question, uint64_t count,
                                 patch_effort effort, uint64_t *at) {
    uint64_t step = gg_threads_of_grid() / GG_WARP;
    for (uint64_t i = gg_thread() / GG_WARP; i < count; i += step) {
        uint64_t found =
            patch_find_arc(offset, target, weight, size, &question[i], &effort);
        if (warp_lane() == 0)
            at[i] = found;
    }
}

/* One thread to an entry. */
static __global__ void look_up_offsets(const uint64_t *offset, const uint64_t *entry,
                                       uint64_t count, uint64_t *held) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        held[i] = offset[entry[i]];
}

static bool find(void *there, const row_questions *q) {
    struct there *t = (struct there *)there;
    struct cuda_job *job = &t->job;
    const struct device_rows *rows = &t->copy->rows[q->kind];
    t->used = t->sent = t->kept;
    const arc_question *going = pack(t, q->going, q->goings);
    const uint64_t *coming = pack(t, q->coming, q->comings);
    if (!send(t))
        return false;
    uint64_t *going_at = (uint64_t *)reserve(t, q->goings * sizeof *going_at);
    uint64_t *coming_at = (uint64_t *)reserve(t, q->comings * sizeof *coming_at);
    patch_effort effort = {(uint64_t *)reserve(t, sizeof *effort.looked),
                           LOOK_TIMES * rows->arcs + LOOK_LEAST};
    gg_fill(job, effort.looked, 0, sizeof *effort.looked);
    find_arcs<<<gg_grid(job, q->goings * GG_WARP, 8), GG_BLOCK, 0, job->stream>>>(
        rows->offset, rows->target, rows->weight, rows->weight ? t->copy->weight_size : 0,
        going, q->goings, effort, going_at);
    gg_launched(job, "find_arcs");
    look_up_offsets<<<gg_grid(job, q->comings, 8), GG_BLOCK, 0, job->stream>>>(
        rows->offset, coming, q->comings, coming_at);
    t->sent = t->used;
    return gg_launched(job, "look_up_offsets") &&
           gg_download(job, q->going_at, going_at, q->goings * sizeof *going_at) &&
           gg_download(job, q->coming_at, coming_at, q->comings * sizeof *coming_at);
}

/* ---- arrays ---- */

/* One block to a tile of new places from `first` on; `to` begins there. */
template <typename type>
static __global__ void gather(const splice_piece *piece, uint64_t pieces, uint64_t first,
                              uint64_t after, const type *from, type *to,
                              const __grid_constant__ patch_numbers numbers) {
    __shared__ uint64_t begin, end; /* the pieces that the tile meets */
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
            if (old == PATCH_NEW)
                continue;
            type value = from[old];
            to[j - first] =
                numbers.change ? (type)patch_number(&numbers, (uint32_t)value) : value;
        }
        __syncthreads();
    }
}

/* One thread to an element. */
template <typename type>
static __global__ void put_in(const uint64_t *place, const type *put, uint64_t count,
                              type *to) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        to[place[i]] = put[i];
}

/* Where the job must end, too: nobody else would. */
static void give_spare(struct there *t) {
    if (!t->spare)
        return;
    if (!gg_wait(&t->job))
        cudaStreamSynchronize(t->job.stream);
    gg_give(&t->job, t->spare, t->spare_bytes);
    t->spare = NULL;
    t->spare_bytes = 0;
}

/* So many bytes for what is gathered; NULL when it must end. */
static void *spare(struct there *t, uint64_t bytes) {
    if (bytes > t->spare_bytes) {
        give_spare(t);
        t->spare = gg_going(&t->job) ? gg_take(&t->job, bytes) : NULL;
        if (t->spare)
            t->spare_bytes = bytes;
    }
    return t->spare;
}

static void copy_back(struct there *t, void *to, const void *from, uint64_t bytes) {
    if (gg_going(&t->job) && bytes)
        gg_note(&t->job,
                cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, t->job.stream),
                "move its arrays");
    t->moved += bytes;
}

struct array_patch {
    const splice *s;
    const splice_piece *piece; /* of s, there */
    uint64_t count;
    const uint64_t *place; /* there */
    void *array, *larger;  /* larger: what takes its place; NULL: it has room */
    const void *put;       /* there */
    bool numbers;          /* of vertices */
};

template <typename type>
static bool change_typed(struct there *t, const struct array_patch *a) {
    struct cuda_job *job = &t->job;
    struct patch_numbers numbers = t->vertices;
    numbers.change &= a->numbers;
    uint64_t after = a->s->after;
    uint64_t first = a->larger || numbers.change ? 0 : patch_first_moved(a->s);
    bool in_place = !a->larger && a->s->still;
    type *array = (type *)a->array, *to = a->larger ? (type *)a->larger : array;
    type *gathered = to;
    if (!a->larger && !in_place)
        gathered = (type *)spare(t, (after - first) * sizeof(type));
    if (gg_going(job) && first < after) {
        unsigned blocks = gg_grid(job, (after - first) / (TILE / GG_BLOCK) + 1, 8);
        gather<type><<<blocks, GG_BLOCK, 0, job->stream>>>(
            a->piece, a->s->pieces, first, after, array, gathered, numbers);
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

/* Some arrays of one splice. `room`: elements that they hold. */
struct array_group {
    struct array_patch common;
    int count;
    uint64_t *room;
    struct {
        void **array;
        size_t size;
        const void *put;
        bool numbers;
        uint64_t more; /* places beyond those that are common to all */
    } of[3];
};

static bool change_group(struct there *t, const struct array_group *g) {
    struct cuda_job *job = &t->job;
    uint64_t after = g->common.s->after, room = after + after / GG_ROOM_SHARE;
    bool grow = after > *g->room;
    void *larger[3] = {NULL, NULL, NULL};
    for (int i = 0; grow && i < g->count && gg_going(job); i++)
        take(job, &larger[i], room, g->of[i].size);
    for (int i = 0; i < g->count && gg_going(job); i++) {
        struct array_patch a = g->common;
        a.array = *g->of[i].array;
        a.larger = larger[i];
        a.put = g->of[i].put;
        a.numbers = g->of[i].numbers;
        a.count += g->of[i].more;
        change_array(t, &a, g->of[i].size);
    }
    if (!grow)
        return gg_going(job);
    bool done = gg_wait(job);
    for (int i = 0; i < g->count; i++) {
        void *old = done ? *g->of[i].array : larger[i];
        give(t->copy, old, done ? *g->room : room, g->of[i].size);
        if (done)
            *g->of[i].array = larger[i];
    }
    if (done)
        *g->room = room;
    return done;
}

/* ---- offsets ---- */

/* One thread to a vertex that stays, and one for the end. */
static __global__ void gather_offsets(const __grid_constant__ patch_numbers vertices,
                                      uint64_t before, uint64_t after,
                                      const uint64_t *event_at, const uint64_t *event_sum,
                                      uint64_t events, const uint64_t *from,
                                      uint64_t *to) {
    for (uint64_t v = gg_thread(); v <= after; v += gg_threads_of_grid()) {
        uint64_t old =
            v == after ? before : patch_old_place(vertices.piece, vertices.pieces, v);
        if (old != PATCH_NEW)
            to[v] = from[old] + patch_growth(event_at, event_sum, events, old);
    }
}

/* One thread to a fresh vertex. */
static __global__ void start_fresh(const uint64_t *fresh_at, const uint64_t *fresh_new,
                                   const uint64_t *back, uint64_t fresh,
                                   const uint64_t *event_at, const uint64_t *event_sum,
                                   uint64_t events, const uint64_t *from, uint64_t *to) {
    for (uint64_t f = gg_thread(); f < fresh; f += gg_threads_of_grid()) {
        uint64_t at = fresh_at[f];
        to[fresh_new[f]] =
            from[at] + patch_growth(event_at, event_sum, events, at) - back[f];
    }
}

static bool change_offsets(struct there *t, struct device_rows *rows,
                           const row_patch *r) {
    struct cuda_job *job = &t->job;
    const patch *p = t->p;
    uint64_t after = p->vertices->after, bytes = (after + 1) * sizeof(uint64_t);
    uint64_t *larger = NULL;
    if (!r->events && !p->fresh && p->vertices->before == after)
        return true;
    const uint64_t *event_at = pack(t, r->event_at, r->events);
    const uint64_t *event_sum = pack(t, r->event_sum, r->events);
    const uint64_t *back = pack(t, r->fresh_back, p->fresh);
    uint64_t room = after + 1 + after / GG_ROOM_SHARE;
    bool grow = after + 1 > rows->offset_room;
    if (!send(t) || (grow && !take(job, &larger, room, sizeof *larger)))
        return false;
    uint64_t *to = grow ? larger : (uint64_t *)spare(t, bytes);
    if (to) {
        gather_offsets<<<gg_grid(job, after + 1, 16), GG_BLOCK, 0, job->stream>>>(
            t->vertices, p->vertices->before, after, event_at, event_sum, r->events,
            rows->offset, to);
        start_fresh<<<gg_grid(job, p->fresh, 8), GG_BLOCK, 0, job->stream>>>(
            t->fresh_at, t->fresh_new, back, p->fresh, event_at, event_sum, r->events,
            rows->offset, to);
        gg_launched(job, "gather_offsets");
    }
    t->moved += bytes;
    if (!grow) {
        copy_back(t, rows->offset, to, bytes);
        return gg_going(job);
    }
    bool done = gg_wait(job);
    give(t->copy, done ? rows->offset : larger, done ? rows->offset_room : room,
         sizeof *larger);
    if (done) {
        rows->offset = larger;
        rows->offset_room = room;
    }
    return done;
}

/* ---- the steps that patch.c asks for ---- */

static bool change_rows(void *there, const row_patch *r) {
    struct there *t = (struct there *)there;
    struct device_rows *rows = &t->copy->rows[r->kind];
    size_t size = t->copy->weight_size;
    struct array_group g = array_group();
    g.common.s = r->arcs;
    g.common.piece = pack(t, r->arcs->piece, r->arcs->pieces);
    g.common.count = r->inserted;
    g.common.place = pack(t, r->place, r->inserted);
    g.room = &rows->room;
    g.count = rows->weight ? 2 : 1;
    g.of[0] = {(void **)&rows->target, sizeof(uint32_t), pack(t, r->target, r->inserted),
               true, 0};
    if (rows->weight)
        g.of[1] = {&rows->weight, size,
                   pack(t, (const char *)r->weight, r->inserted * size), false, 0};
    if (!send(t) || !change_group(t, &g) || !change_offsets(t, rows, r))
        return false;
    rows->arcs = r->arcs->after;
    rows->features_known = false;
    return true;
}

static bool change_edges(void *there) {
    struct there *t = (struct there *)there;
    const patch *p = t->p;
    struct device_graph *copy = t->copy;
    struct array_group g = array_group();
    t->used = t->sent = t->kept;
    g.common.s = p->edges;
    g.common.piece = pack(t, p->edges->piece, p->edges->pieces);
    g.common.count = p->added;
    g.common.place = pack(t, p->added_edge, p->added + p->reweighted);
    g.room = &copy->edge_room;
    if (copy->source) {
        g.of[g.count++] = {(void **)&copy->source, sizeof(uint32_t),
                           pack(t, p->source, p->added), true, 0};
        g.of[g.count++] = {(void **)&copy->target, sizeof(uint32_t),
                           pack(t, p->target, p->added), true, 0};
    }
    uint64_t bytes = (p->added + p->reweighted) * copy->weight_size;
    if (copy->weight)
        g.of[g.count++] = {&copy->weight, copy->weight_size,
                           pack(t, (const char *)p->weight, bytes), false, p->reweighted};
    if (!send(t) || !change_group(t, &g) || !gg_wait(&t->job))
        return false;
    gg_drop_ranked(p->graph); /* weights, too */
    if (!p->same_ends)
        gg_device_graph_drop_made(p->graph,
                                  p->fresh || p->vertices->before != p->vertices->after);
    copy->n = p->vertices->after;
    copy->m = p->edges->after;
    return true;
}

/* ---- all of it ---- */

static bool open_parcel(struct there *t) {
    const splice *s = t->p->vertices;
    uint64_t bytes = PARCEL_BYTES + CHANGE_BYTES * t->p->changes;
    struct workspace space = {NULL, 0};
    gg_carve<unsigned char>(&space, bytes);
    t->parcel = (unsigned char *)gg_alloc(t->job.run, bytes, 1);
    if (!t->parcel || !gg_workspace(&t->job, &space))
        return false;
    t->parcel_there = gg_carve<unsigned char>(&space, bytes);
    t->vertices = patch_numbers_of(s, pack(t, s->piece, s->pieces));
    t->fresh_at = pack(t, t->p->fresh_at, t->p->fresh);
    t->fresh_new = pack(t, t->p->fresh_new, t->p->fresh);
    t->kept = t->used;
    return send(t);
}

static bool change_copy(struct there *t) {
    static const patch_place place = {find, change_rows, change_edges};
    patch_rows rows[CSR_KINDS];
    double started = gg_now_ms();
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        const struct device_rows *there = &t->copy->rows[kind];
        rows[kind] = {there->made, there->weight != NULL, there->arcs};
    }
    bool done = open_parcel(t) && gg_patch(t->p, rows, &place, t);
    gg_release(t->parcel);
    t->job.working = false;
    give_spare(t);
    if (done && gg_going(&t->job))
        gg_phase(t->job.run, "patch", started, (int64_t)t->p->changes,
                 "the copy on device %d: %llu bytes written%s", t->copy->ordinal,
                 (unsigned long long)t->moved,
                 t->p->same_ends ? "" : "; what is made of all edges will be made anew");
    return done;
}

extern "C" void gg_cuda_follow(const patch *p) {
    gpugraph_run own = *p->run; /* its errors are no errors of the update */
    struct there t = there();
    bool done = false;
    t.p = p;
    t.copy = p->graph->device;
    own.device = gg_device_graph_ordinal(t.copy);
    if (gg_job_open(&t.job, p->graph, &own)) {
        done = change_copy(&t);
        done &= gg_job_close(&t.job) == GPUGRAPH_OK;
    }
    if (!done)
        gpugraph_release_device(p->graph);
    if (own.status == GPUGRAPH_INTERRUPTED)
        gg_stopped(p->run);
}
