/* Rows on a device get spare places, and lose them again: zones.h draws them, update/patch_roomy.cu
** changes them.
**
**     zone      0        1      2
**     before    | a b c | d e | f g |          offset 0 3 5 7   one row to a zone, say
**     change      + 2     + 1   + 1            spare places that it gets, less those that it has
**     shift       0       2     3     4        sums of those before
**     after     | a b c . . | d e . | f g . |  in other arrays, one after another
**
** Both ways are one: packed rows have no spare places, and get none. */
#include "device_copy.cuh"
#include "base/limits.h"
#include "zones.h"

#include <cub/device/device_scan.cuh>

enum { TILE = 8 * GG_BLOCK }; /* places that a block fills at a time */

struct laying {
    struct zone_rows from;
    uint64_t zones;
    uint32_t *spare;          /* of each zone afterwards; NULL: none */
    uint64_t *change, *shift; /* zones + 1 */
};

static __device__ __forceinline__ uint64_t first_place(const laying &l, uint64_t zone) {
    const uint64_t v = zone << l.from.shift;
    return l.from.offset[v < l.from.n ? v : l.from.n];
}

static __device__ __forceinline__ uint32_t spare_before(const laying &l, uint64_t zone) {
    return l.from.spare ? l.from.spare[zone] : 0;
}

/* One thread to a zone, and one for the end. */
static __global__ void weigh_zones(const laying l) {
    for (uint64_t z = gg_thread(); z <= l.zones; z += gg_threads_of_grid()) {
        uint32_t before = 0, after = 0;
        if (z < l.zones) {
            before = spare_before(l, z);
            after = l.spare ? (uint32_t)zone_room(first_place(l, z + 1) -
                                                  first_place(l, z) - before)
                            : 0;
        }
        if (z < l.zones && l.spare)
            l.spare[z] = after;
        l.change[z] = (uint64_t)after - before;
    }
}

/* The zone of a new place: the last of low .. high - 1 that begins there or before. */
static __device__ uint64_t zone_of(const laying &l, uint64_t low, uint64_t high,
                                   uint64_t place) {
    while (low + 1 < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (first_place(l, middle) + l.shift[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* One block to a tile of new places. weights: of arcs, not their targets. */
template <typename type>
static __global__ void lay_zones(const laying l, bool weights, const type *from,
                                 type *to) {
    __shared__ uint64_t first, last; /* zones that the tile meets */
    const uint64_t places = l.from.offset[l.from.n] + l.shift[l.zones];
    for (uint64_t tile = blockIdx.x * (uint64_t)TILE; tile < places;
         tile += gridDim.x * (uint64_t)TILE) {
        const uint64_t end = tile + TILE < places ? tile + TILE : places;
        if (threadIdx.x == 0)
            first = zone_of(l, 0, l.zones, tile);
        if (threadIdx.x == GG_WARP)
            last = zone_of(l, 0, l.zones, end - 1);
        __syncthreads();
        for (uint64_t j = tile + threadIdx.x; j < end; j += GG_BLOCK) {
            const uint64_t z = zone_of(l, first, last + 1, j);
            const uint64_t begin = first_place(l, z), at = j - l.shift[z];
            const uint64_t arcs = first_place(l, z + 1) - begin - spare_before(l, z);
            const uint64_t behind = (z + 1) << l.from.shift;
            if (at - begin < arcs)
                to[j] = from[at];
            else
                to[j] = weights ? (type)0
                                : (type)((behind < l.from.n ? behind : l.from.n) - 1);
        }
        __syncthreads();
    }
}

/* One thread to a vertex, and one for the end. */
static __global__ void shift_offsets(const laying l) {
    for (uint64_t v = gg_thread(); v <= l.from.n; v += gg_threads_of_grid())
        l.from.offset[v] += l.shift[v < l.from.n ? v >> l.from.shift : l.zones];
}

/* ---- driver ---- */

struct laying_scratch {
    unsigned char *cub;
    size_t cub_bytes;
};

static cudaError_t add_up(void *scratch, size_t *bytes, const laying *l,
                          cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(scratch, *bytes, l->change, l->shift,
                                         (int64_t)l->zones + 1, stream);
}

static void carve_device_roomy(struct workspace *space, struct laying *l,
                               struct laying_scratch *s) {
    s->cub_bytes = 0;
    add_up(NULL, &s->cub_bytes, l, NULL);
    l->change = gg_carve<uint64_t>(space, l->zones + 1);
    l->shift = gg_carve<uint64_t>(space, l->zones + 1);
    s->cub = gg_carve<unsigned char>(space, s->cub_bytes);
}

static bool weigh(struct cuda_job *job, struct laying *l, uint64_t *more) {
    struct workspace space = {NULL, 0};
    struct laying_scratch scratch;
    carve_device_roomy(&space, l, &scratch);
    if (!gg_workspace(job, &space))
        return false;
    carve_device_roomy(&space, l, &scratch);
    weigh_zones<<<gg_grid(job, l->zones + 1, 8), GG_BLOCK, 0, job->stream>>>(*l);
    size_t bytes = scratch.cub_bytes;
    return gg_launched(job, "weigh_zones") &&
           gg_note(job, add_up(scratch.cub, &bytes, l, job->stream),
                   "add up spare places") &&
           gg_fetch(job, more, l->shift + l->zones, sizeof *more);
}

/* From one array to a new one with `room`. */
template <typename type>
static bool lay(struct cuda_job *job, const struct laying *l, bool weights, void **array,
                uint64_t had, uint64_t room) {
    struct device_part *part = &gg_device_copy_of(job->graph)->part;
    type *to;
    if (!gg_going(job) || !take(job, part, &to, room, sizeof *to))
        return false;
    lay_zones<type><<<gg_grid(job, room / 8 + 1, 8), GG_BLOCK, 0, job->stream>>>(
        *l, weights, (const type *)*array, to);
    const bool laid = gg_launched(job, "lay_zones") && gg_wait(job);
    give(part, laid ? *array : to, laid ? had : room, sizeof *to);
    if (laid)
        *array = to;
    return laid;
}

/* Offsets have room for some more vertices, too. */
static bool widen_offsets(struct cuda_job *job, struct device_rows *rows) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    const uint64_t n = (uint64_t)copy->n + 1, room = n + n / GG_ROOM_SHARE;
    uint64_t *to;
    if (rows->offset_room >= n + n / GG_ROOM_SHARE / 2)
        return true;
    if (!take(job, &copy->part, &to, room, sizeof *to))
        return gg_do_without(job);
    gg_note(job,
            cudaMemcpyAsync(to, rows->offset, n * sizeof *to, cudaMemcpyDeviceToDevice,
                            job->stream),
            "move offsets");
    const bool moved = gg_wait(job);
    give(&copy->part, moved ? rows->offset : to, moved ? rows->offset_room : room,
         sizeof *to);
    if (moved) {
        rows->offset = to;
        rows->offset_room = room;
    }
    return moved;
}

/* Both arrays, then offsets. False: what has not been laid is as it was, but rows are good for
** nothing where one of two arrays has. */
static bool lay_rows(struct cuda_job *job, struct device_rows *rows, struct laying *l,
                     uint64_t room) {
    const size_t size = gg_device_copy_of(job->graph)->weight_size;
    const uint64_t had = rows->room;
    void *target = rows->target;
    if (!lay<uint32_t>(job, l, false, &target, had, room))
        return false;
    rows->target = (uint32_t *)target;
    rows->room = room;
    if (rows->weight && !(size == sizeof(uint32_t)
                              ? lay<uint32_t>(job, l, true, &rows->weight, had, room)
                              : lay<uint64_t>(job, l, true, &rows->weight, had, room))) {
        struct device_part *part = &gg_device_copy_of(job->graph)->part;
        give(part, rows->weight, had, size); /* of another room */
        rows->weight = NULL;
        return false;
    }
    shift_offsets<<<gg_grid(job, l->from.n + 1, 16), GG_BLOCK, 0, job->stream>>>(*l);
    return gg_launched(job, "shift_offsets") && gg_wait(job);
}

static struct laying laying_of(struct cuda_job *job, const struct device_rows *rows) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    struct laying l = {{copy->n, rows->offset, rows->target, rows->weight,
                        copy->weight_size, rows->spare, gg_limits.zone_shift},
                       gg_zones_of(copy->n),
                       NULL,
                       NULL,
                       NULL};
    return l;
}

static bool settle(struct cuda_job *job, enum csr_kind kind, bool laid) {
    job->working = false;
    if (!laid)
        gg_free_device_rows(gg_device_copy_of(job->graph), kind);
    return laid && gg_going(job);
}

bool gg_give_device_room(struct cuda_job *job, enum csr_kind kind) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    struct device_rows *rows = &copy->rows[kind];
    struct laying l = laying_of(job, rows);
    const uint64_t zone_room = l.zones + l.zones / GG_ROOM_SHARE + 1;
    const double started = gg_now_ms();
    uint64_t more = 0;
    if (!widen_offsets(job, rows))
        return false;
    l.from.offset = rows->offset;
    if (!take(job, &copy->part, &l.spare, zone_room, sizeof *l.spare))
        return gg_do_without(job) && false;
    if (!weigh(job, &l, &more)) {
        give(&copy->part, l.spare, zone_room, sizeof *l.spare);
        job->working = false;
        return gg_do_without(job) && false;
    }
    const uint64_t places = rows->arcs + more, room = places + places / GG_ROOM_SHARE;
    if (!lay_rows(job, rows, &l, room)) {
        give(&copy->part, l.spare, zone_room, sizeof *l.spare);
        settle(job, kind, false);
        return gg_do_without(job) && false;
    }
    rows->spare = l.spare;
    rows->zone_room = zone_room;
    rows->spares = more;
    rows->arcs = places;
    gg_phase(job->run, "prepare", started, (int64_t)places,
             "rows on the device get room for some arcs");
    return settle(job, kind, true);
}

bool gg_pack_device_rows(struct cuda_job *job, enum csr_kind kind) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    struct device_rows *rows = &copy->rows[kind];
    struct laying l = laying_of(job, rows);
    const double started = gg_now_ms();
    uint64_t more = 0;
    if (!weigh(job, &l, &more) || !lay_rows(job, rows, &l, rows->arcs + more))
        return settle(job, kind, false);
    give(&copy->part, rows->spare, rows->zone_room, sizeof *rows->spare);
    rows->arcs += more; /* less, that is */
    rows->spare = NULL;
    rows->zone_room = rows->spares = 0;
    rows->waits = GG_ZONE_WAITS;
    gg_phase(job->run, "prepare", started, (int64_t)rows->arcs,
             "rows on the device are packed");
    return settle(job, kind, true);
}
