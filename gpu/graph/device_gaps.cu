/* Edges on a device with gaps between them, as those of the host have (gaps.c): a small batch moves the
** blocks that it changes, and nothing else (update/patch_gaps.cu).
**
**     start    0           7               15          21       number of a block's first edge
**     source   a b c d e f g . h i j k l m n o p q r s t u . .
**     place    0             7 8             15
**
** The host may close its gaps, or this side its own, while the other keeps them: who looks at all edges
** by their numbers closes those that he sees. */
#include "device_copy.cuh"

/* Moves between the two forms. One thread to an edge, or to a place. */
template <typename type>
static __global__ void gather_edges(const device_places p, uint64_t m, const type *from,
                                    type *to) {
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid())
        to[e] = from[gg_place_of(p, e)];
}

template <typename type>
static __global__ void spread_edges(const device_places p, const type *from, type *to) {
    const uint64_t mask = ((uint64_t)1 << p.shift) - 1;
    for (uint64_t at = gg_thread(); at < p.edges.m; at += gg_threads_of_grid()) {
        const uint64_t e = p.start[at >> p.shift] + (at & mask);
        to[at] = e < p.start[(at >> p.shift) + 1] ? from[e] : (type)0;
    }
}

/* One thread to an entry; all ones is no edge. */
template <typename number>
static __global__ void number_places(const device_places p, number *edge,
                                     uint64_t count) {
    const uint64_t mask = ((uint64_t)1 << p.shift) - 1;
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const number at = edge[i];
        if (at != (number) ~(number)0)
            edge[i] = (number)(p.start[at >> p.shift] + (at & mask));
    }
}

static struct device_places places_of(const struct device_copy *copy) {
    const struct device_edges edges = {copy->n, gg_device_places_used(copy), copy->source,
                                       copy->target, copy->weight};
    return device_places{edges, copy->gaps.start, copy->gaps.blocks, copy->gaps.shift};
}

uint64_t gg_device_places_used(const struct device_copy *copy) {
    return copy->gaps.start ? copy->gaps.used : copy->m;
}

bool gg_number_places(struct cuda_job *job, const struct device_places *places,
                      void *edge, uint64_t count) {
    const unsigned grid = gg_grid(job, count, 16);
    if (!places->start)
        return gg_going(job);
    if (job->graph->wide)
        number_places<<<grid, GG_BLOCK, 0, job->stream>>>(*places, (uint64_t *)edge,
                                                          count);
    else
        number_places<<<grid, GG_BLOCK, 0, job->stream>>>(*places, (uint32_t *)edge,
                                                          count);
    return gg_launched(job, "number_places");
}

/* ---- all arrays, one after another ---- */

struct edge_array {
    void **array;
    size_t size;
};

static int arrays_of(struct device_copy *copy, struct edge_array *a) {
    int count = 0;
    if (copy->source) {
        a[count++] = {(void **)&copy->source, sizeof(uint32_t)};
        a[count++] = {(void **)&copy->target, sizeof(uint32_t)};
    }
    if (copy->weight)
        a[count++] = {&copy->weight, copy->weight_size};
    return count;
}

bool gg_device_edge_room(struct cuda_job *job, uint64_t places) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    struct edge_array a[3];
    void *larger[3] = {NULL, NULL, NULL};
    const int count = arrays_of(copy, a);
    const uint64_t room = places + places / GG_ROOM_SHARE;
    if (places <= copy->edge_room)
        return gg_going(job);
    for (int i = 0; i < count && gg_going(job); i++)
        if (take(job, &copy->part, &larger[i], room, a[i].size))
            gg_note(job,
                    cudaMemcpyAsync(larger[i], *a[i].array, copy->edge_room * a[i].size,
                                    cudaMemcpyDeviceToDevice, job->stream),
                    "move its edges");
    const bool done = gg_wait(job);
    for (int i = 0; i < count; i++) {
        give(&copy->part, done ? *a[i].array : larger[i], done ? copy->edge_room : room,
             a[i].size);
        if (done)
            *a[i].array = larger[i];
    }
    if (done)
        copy->edge_room = room;
    return done;
}

template <typename type>
static void move_typed(struct cuda_job *job, const struct device_places *p, bool opens,
                       type *array, type *spare) {
    const uint64_t m = opens ? p->edges.m : gg_device_copy_of(job->graph)->m;
    const unsigned grid = gg_grid(job, m, 16);
    if (opens)
        spread_edges<<<grid, GG_BLOCK, 0, job->stream>>>(*p, array, spare);
    else
        gather_edges<<<grid, GG_BLOCK, 0, job->stream>>>(*p, m, array, spare);
    if (gg_launched(job, "move_edges"))
        gg_note(job,
                cudaMemcpyAsync(array, spare, m * sizeof(type), cudaMemcpyDeviceToDevice,
                                job->stream),
                "move its edges");
}

/* From one form to the other, by way of a spare array. */
static bool move_all(struct cuda_job *job, const struct device_places *p, bool opens) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    struct edge_array a[3];
    const int count = arrays_of(copy, a);
    size_t widest = sizeof(uint32_t);
    for (int i = 0; i < count; i++)
        widest = a[i].size > widest ? a[i].size : widest;
    const uint64_t bytes = block_bytes(p->edges.m, widest);
    void *spare = gg_going(job) ? gg_take(job, bytes) : NULL;
    for (int i = 0; i < count && spare && gg_going(job); i++)
        if (a[i].size == sizeof(uint32_t))
            move_typed(job, p, opens, (uint32_t *)*a[i].array, (uint32_t *)spare);
        else
            move_typed(job, p, opens, (uint64_t *)*a[i].array, (uint64_t *)spare);
    const bool done = spare && gg_wait(job);
    if (spare && !done)
        cudaStreamSynchronize(job->stream);
    if (spare)
        gg_give(job, spare, bytes);
    return done;
}

bool gg_close_device_gaps(struct cuda_job *job) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    if (!copy || !copy->gaps.start || !gg_going(job))
        return gg_going(job);
    const struct device_places p = places_of(copy);
    const double started = gg_now_ms();
    if (!move_all(job, &p, false)) {
        gg_free_device_edges(copy); /* half of them may have moved */
        return false;
    }
    give(&copy->part, copy->gaps.start, copy->gaps.start_room, sizeof *copy->gaps.start);
    copy->gaps = device_gaps();
    gg_phase(job->run, "prepare", started, (int64_t)copy->m,
             "gaps between edges on the device are closed");
    return true;
}

bool gg_send_starts(struct cuda_job *job, const uint64_t *start, uint64_t blocks,
                    unsigned shift) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    struct device_gaps *g = &copy->gaps;
    if (blocks + 1 > g->start_room) {
        give(&copy->part, g->start, g->start_room, sizeof *g->start);
        g->start = NULL;
        g->start_room = blocks + 1 + blocks / GG_ROOM_SHARE;
        if (!take(job, &copy->part, &g->start, g->start_room, sizeof *g->start))
            return false;
    }
    g->blocks = blocks;
    g->shift = shift;
    g->used = blocks ? ((blocks - 1) << shift) + start[blocks] - start[blocks - 1] : 0;
    return gg_upload(job, g->start, start, (blocks + 1) * sizeof *start);
}

bool gg_open_device_gaps(struct cuda_job *job, const uint64_t *start, uint64_t blocks,
                         unsigned shift) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    bool moves = false;
    for (uint64_t b = 0; b < blocks && !moves; b++)
        moves = start[b] != b << shift;
    if (!gg_send_starts(job, start, blocks, shift) ||
        !gg_device_edge_room(job, copy->gaps.used))
        return false;
    const struct device_places p = places_of(copy);
    return !moves || move_all(job, &p, true);
}
