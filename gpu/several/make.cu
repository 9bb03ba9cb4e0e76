/* Rows for several devices, made from a list of edges that none of them has whole: make.cuh has
** the drawing.
**
**     pass 0           every member counts the arcs of its share, by bins of their rows
**     ranges           rows, for each owner, whose arcs it can sort at once
**     pass 1 .. r      for each range the edges are gone through again: arcs of rows in it go to
**                      their owners, which make the rows
**
** A share that came over the bus stays on the device from one pass to the next, where there is
** room. */
#include "make.cuh"

#include <stdlib.h>
#include <string.h>

uint64_t gg_several_sorted_arcs = UINT64_MAX;

struct share { /* of one member: edges first .. first + count - 1 */
    uint64_t first, count;
    uint64_t room; /* edges that the arrays have room for */
    uint32_t *source, *target;
    unsigned char *weight;
};

struct making {
    struct several_team *team;
    const struct several_source *source;
    struct several_parts *parts;
    struct several_bits bits;
    bool forward, backward, simple;
    bool stays; /* shares lie on the devices whole */
    bool filled;
    uint64_t chunk, chunks; /* edges of one; of the largest share */
    struct share share[SEVERAL_MOST];
    uint64_t (*bin)[SEVERAL_BINS]; /* arcs of each owner's bins */
    uint64_t arcs[SEVERAL_MOST];   /* of each owner */
    uint32_t ranges;
    uint64_t range_arcs; /* of one range of one owner, at most */
    uint64_t bytes[SEVERAL_MOST], peak;
    struct {
        several_array<unsigned long long> bin; /* SEVERAL_BINS */
        several_array<uint32_t> count;         /* of arcs in out, by owner */
        several_array<uint64_t> out;           /* room_of_out for each owner */
        several_array<unsigned char> out_weight;
        several_array<uint64_t> key, other, one;
        several_array<unsigned char> weight, other_weight, cub;
    } a;
    size_t cub_bytes;
};

/* ---- kernels ---- */

struct route { /* how an edge becomes arcs, and which of them are wanted */
    struct several_places places;
    struct several_bits bits;
    bool forward, backward, simple;
    uint32_t low[SEVERAL_MOST], high[SEVERAL_MOST]; /* rows by owner */
};

struct route_edges {
    const uint32_t *source, *target;
    const void *weight;
    uint64_t count;
};

struct route_arc {
    uint32_t owner; /* NO_OWNER: there is no such arc */
    uint32_t row, target;
};
#define NO_OWNER UINT32_MAX

static __device__ __forceinline__ route_arc arc_of(const route &r, uint32_t from,
                                                   uint32_t to, bool there) {
    route_arc arc = {NO_OWNER, 0, 0};
    if (there) {
        uint32_t place = several_place(&r.places, from);
        arc.owner = several_owner(&r.places, place);
        arc.row = place - arc.owner * r.places.stride;
        arc.target = several_place(&r.places, to);
    }
    return arc;
}

/* Both arcs of edge e. A loop makes none in SIMPLE, and one where both ends make arcs. */
static __device__ __forceinline__ void arcs_of_edge(const route &r, const route_edges &e,
                                                    uint64_t i, route_arc arc[2]) {
    bool live = i < e.count;
    uint32_t s = live ? e.source[i] : 0, t = live ? e.target[i] : 0;
    bool loop = s == t;
    arc[0] = arc_of(r, s, t, live && r.forward && !(loop && r.simple));
    arc[1] = arc_of(r, t, s, live && r.backward && !(loop && r.forward));
}

/* One thread per edge. */
static __global__ void count_arcs(const __grid_constant__ route r, route_edges e,
                                  unsigned long long *bin) {
    __shared__ uint32_t counted[SEVERAL_BINS];
    for (uint32_t i = threadIdx.x; i < SEVERAL_BINS; i += blockDim.x)
        counted[i] = 0;
    __syncthreads();
    for (uint64_t i = gg_thread(); i < e.count; i += gg_threads_of_grid()) {
        route_arc arc[2];
        arcs_of_edge(r, e, i, arc);
        for (int k = 0; k < 2; k++)
            if (arc[k].owner != NO_OWNER)
                atomicAdd(
                    &counted[arc[k].owner * r.bits.bins + (arc[k].row >> r.bits.bin)],
                    1u);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < SEVERAL_BINS; i += blockDim.x)
        if (counted[i] > 0)
            atomicAdd(&bin[i], (unsigned long long)counted[i]);
}

struct route_out { /* room entries for each owner */
    uint64_t *key;
    void *weight;
    uint64_t room;
    uint32_t *count;
};

/* A block for tiles of EACH edges a thread, whose arcs get places together. */
enum { EACH = 4 };
template <typename weight_type>
static __global__ void __launch_bounds__(GG_BLOCK)
    route_arcs(const __grid_constant__ route r, route_edges e, route_out out) {
    __shared__ uint32_t counted[SEVERAL_MOST], base[SEVERAL_MOST];
    const uint32_t lane = threadIdx.x % GG_WARP;
    const uint64_t tile = GG_BLOCK * EACH;
    for (uint64_t at = blockIdx.x * tile; at < e.count; at += gridDim.x * tile) {
        route_arc arc[2 * EACH];
        uint32_t place[2 * EACH];
        if (threadIdx.x < SEVERAL_MOST)
            counted[threadIdx.x] = 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 2 * EACH; k++) {
            if (k % 2 == 0)
                arcs_of_edge(r, e, at + k / 2 * GG_BLOCK + threadIdx.x, &arc[k]);
            if (arc[k].owner != NO_OWNER &&
                (arc[k].row < r.low[arc[k].owner] || arc[k].row >= r.high[arc[k].owner]))
                arc[k].owner = NO_OWNER;
            uint32_t same = __match_any_sync(0xffffffffu, arc[k].owner), first = 0;
            uint32_t leader = __ffs((int)same) - 1;
            if (lane == leader && arc[k].owner != NO_OWNER)
                first = atomicAdd(&counted[arc[k].owner], (uint32_t)__popc(same));
            place[k] = __shfl_sync(0xffffffffu, first, (int)leader) +
                       __popc(same & ((1u << lane) - 1));
        }
        __syncthreads();
        if (threadIdx.x < r.places.parts)
            base[threadIdx.x] = atomicAdd(&out.count[threadIdx.x], counted[threadIdx.x]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 2 * EACH; k++) {
            if (arc[k].owner == NO_OWNER)
                continue;
            uint64_t to = arc[k].owner * out.room + base[arc[k].owner] + place[k];
            out.key[to] = (uint64_t)arc[k].row << r.bits.place | arc[k].target;
            if (sizeof(weight_type) > 1)
                static_cast<weight_type *>(out.weight)[to] =
                    static_cast<const weight_type *>(
                        e.weight)[at + k / 2 * GG_BLOCK + threadIdx.x];
        }
        __syncthreads();
    }
}

/* ---- plan ---- */

static uint32_t bits_for(uint64_t values) {
    uint32_t bits = 1;
    while (bits < 64 && (uint64_t)1 << bits < values)
        bits++;
    return bits;
}

static void plan_bits(struct making *m) {
    const struct several_places *places = &m->parts->places;
    m->bits.place = bits_for(several_all_places(places));
    m->bits.row = bits_for(places->stride);
    m->bits.bins = SEVERAL_BINS / places->parts;
    m->bits.bin = 0;
    while ((uint64_t)m->bits.bins << m->bits.bin < places->stride)
        m->bits.bin++;
}

static uint64_t arcs_of_chunk(const struct making *m) {
    return m->chunk * (m->forward && m->backward ? 2 : 1);
}

static void plan_shares(struct making *m) {
    int parts = m->team->parts;
    m->chunk = GG_SEVERAL_CHUNK / (uint64_t)parts;
    for (int p = 0; p < parts; p++) {
        struct share *s = &m->share[p];
        s->first = gg_slice(m->source->m, p, parts);
        s->count = gg_slice(m->source->m, p + 1, parts) - s->first;
        uint64_t chunks = (s->count + m->chunk - 1) / m->chunk;
        m->chunks = chunks > m->chunks ? chunks : m->chunks;
    }
    if (m->chunks <= 1)
        m->chunk = m->share[parts - 1].count + 1 < m->chunk
                       ? m->share[parts - 1].count + 1
                       : m->chunk;
}

/* ---- memory ---- */

static void note_bytes(struct making *m, int p, int64_t more) {
    m->bytes[p] += (uint64_t)more;
    m->peak = m->bytes[p] > m->peak ? m->bytes[p] : m->peak;
}

static void *take_block(struct making *m, int p, uint64_t bytes) {
    void *block = gg_take(gg_several_on(m->team, p), bytes);
    note_bytes(m, p, block ? (int64_t)bytes : 0);
    return block;
}

/* The whole share where a quarter of the room suffices for it and it would have to come again. */
static bool take_shares(struct making *m) {
    size_t weight = m->source->weight_bytes;
    m->stays = m->source->over_bus;
    for (int p = 0; p < m->team->parts; p++) {
        uint64_t bytes = m->share[p].count * (8 + weight);
        uint64_t room = (uint64_t)gg_device_room(gg_several_on(m->team, p));
        m->stays = m->stays && bytes <= room / 4 / (uint64_t)m->team->parts;
    }
    for (int p = 0; p < m->team->parts && gg_several_going(m->team); p++) {
        struct share *s = &m->share[p];
        s->room = m->stays ? s->count : m->chunk;
        s->source = (uint32_t *)take_block(m, p, s->room * 4);
        s->target = (uint32_t *)take_block(m, p, s->room * 4);
        s->weight = weight ? (unsigned char *)take_block(m, p, s->room * weight) : NULL;
    }
    return gg_several_going(m->team);
}

static void give_shares(struct making *m) {
    size_t weight = m->source->weight_bytes;
    for (int p = 0; p < m->team->parts; p++) {
        struct share *s = &m->share[p];
        struct cuda_job *job = gg_several_on(m->team, p);
        gg_give(job, s->source, s->room * 4);
        gg_give(job, s->target, s->room * 4);
        gg_give(job, s->weight, s->room * weight);
    }
}

static void carve(struct making *m, struct several_space *space, bool whole) {
    size_t weight = m->source->weight_bytes;
    uint64_t out = arcs_of_chunk(m) * (uint64_t)m->team->parts, arcs = m->range_arcs;
    m->a.bin = gg_several_carve<unsigned long long>(space, SEVERAL_BINS);
    m->a.count = gg_several_carve<uint32_t>(space, SEVERAL_MOST);
    m->a.one = gg_several_carve<uint64_t>(space, 1);
    if (!whole)
        return;
    m->a.out = gg_several_carve<uint64_t>(space, out);
    m->a.out_weight = gg_several_carve<unsigned char>(space, out * weight);
    m->a.key = gg_several_carve<uint64_t>(space, arcs);
    m->a.other = gg_several_carve<uint64_t>(space, arcs);
    m->a.weight = gg_several_carve<unsigned char>(space, arcs * weight);
    m->a.other_weight = gg_several_carve<unsigned char>(space, arcs * weight);
    m->a.cub = gg_several_carve<unsigned char>(space, m->cub_bytes);
}

static bool take_scratch(struct making *m, bool whole) {
    struct several_space space = {m->team->parts, {}, 0};
    carve(m, &space, whole);
    for (int p = 0; p < m->team->parts; p++)
        note_bytes(m, p, (int64_t)space.used);
    if (!gg_several_workspace(m->team, &space))
        return false;
    carve(m, &space, whole);
    for (int p = 0; p < m->team->parts; p++)
        note_bytes(m, p, -(int64_t)space.used);
    return true;
}

static bool take_rows(struct making *m) {
    size_t weight = m->source->weight_bytes;
    for (int p = 0; p < m->team->parts && gg_several_going(m->team); p++) {
        struct several_rows *rows = &m->parts->rows[p];
        uint64_t entries = (uint64_t)m->parts->places.stride + 1;
        rows->room = m->arcs[p];
        rows->offset = (uint64_t *)take_block(m, p, entries * 8);
        rows->target = (uint32_t *)take_block(m, p, rows->room * 4);
        if (weight)
            rows->weight = take_block(m, p, rows->room * weight);
    }
    return gg_several_going(m->team);
}

void gg_several_free_parts(struct several_team *team, struct several_parts *parts) {
    for (int p = 0; p < team->parts; p++) {
        struct several_rows *rows = &parts->rows[p];
        struct cuda_job *job = gg_several_on(team, p);
        gg_give(job, rows->offset, ((uint64_t)parts->places.stride + 1) * 8);
        gg_give(job, rows->target, rows->room * 4);
        gg_give(job, rows->weight, rows->room * parts->weight_bytes);
        gg_give(job, rows->hub, (uint64_t)parts->places.stride * 4);
        gg_give(job, rows->closed, (uint64_t)parts->places.stride / 8);
        *rows = several_rows();
    }
}

/* ---- passes ---- */

static struct route route_of(const struct making *m) {
    struct route r = {};
    r.places = m->parts->places;
    r.bits = m->bits;
    r.forward = m->forward;
    r.backward = m->backward;
    r.simple = m->simple;
    return r;
}

/* Edges of the share's chunk: where they lie, filled if they are not yet. */
static bool edges_of(struct making *m, int p, uint64_t chunk, struct route_edges *e) {
    const struct share *s = &m->share[p];
    size_t weight = m->source->weight_bytes;
    uint64_t from = chunk * m->chunk, at = m->stays ? from : 0;
    *e = route_edges();
    if (from >= s->count)
        return false;
    e->count = s->count - from < m->chunk ? s->count - from : m->chunk;
    e->source = s->source + at;
    e->target = s->target + at;
    e->weight = weight ? s->weight + at * weight : NULL;
    if (!m->filled)
        m->source->fill(gg_several_on(m->team, p), m->source->self, s->first + from,
                        e->count, s->source + at, s->target + at,
                        weight ? s->weight + at * weight : NULL);
    return gg_several_going(m->team);
}

/* Pass 0. */
static bool count_all(struct making *m) {
    const struct route r = route_of(m);
    int parts = m->team->parts;
    for (int p = 0; p < parts; p++)
        gg_fill(gg_several_on(m->team, p), m->a.bin.at[p], 0, SEVERAL_BINS * 8);
    for (uint64_t c = 0; c < m->chunks && gg_several_going(m->team); c++)
        for (int p = 0; p < parts; p++) {
            struct route_edges e;
            if (!edges_of(m, p, c, &e))
                continue;
            struct cuda_job *job = gg_several_on(m->team, p);
            count_arcs<<<gg_grid(job, e.count, 4), GG_BLOCK, 0, job->stream>>>(
                r, e, m->a.bin.at[p]);
            gg_launched(job, "count_arcs");
        }
    m->filled = m->stays;
    for (int p = 0; p < parts && gg_several_going(m->team); p++) {
        uint64_t counted[SEVERAL_BINS];
        gg_fetch(gg_several_on(m->team, p), counted, m->a.bin.at[p], sizeof counted);
        for (uint32_t i = 0;
             i < m->bits.bins * (uint32_t)parts && gg_several_going(m->team); i++) {
            m->bin[i / m->bits.bins][i % m->bits.bins] += counted[i];
            m->arcs[i / m->bits.bins] += counted[i];
        }
    }
    return gg_several_going(m->team);
}

/* Of an owner, from bin `from` on: the first bin that is beyond the range. */
static uint32_t range_end(const struct making *m, int owner, uint32_t from) {
    uint64_t arcs = 0;
    while (from < m->bits.bins && arcs + m->bin[owner][from] <= m->range_arcs)
        arcs += m->bin[owner][from++];
    return from;
}

/* How many arcs each member can sort at once, and how many ranges that makes. */
static bool plan_ranges(struct making *m) {
    size_t weight = m->source->weight_bytes;
    uint64_t most = 0, largest_bin = 0, per_arc = 2 * (8 + weight);
    int parts = m->team->parts;
    for (int p = 0; p < parts; p++) {
        most = m->arcs[p] > most ? m->arcs[p] : most;
        for (uint32_t i = 0; i < m->bits.bins; i++)
            largest_bin = m->bin[p][i] > largest_bin ? m->bin[p][i] : largest_bin;
    }
    uint64_t out = arcs_of_chunk(m) * (uint64_t)parts * (8 + weight) + (1 << 20);
    m->range_arcs = most < gg_several_sorted_arcs ? most : gg_several_sorted_arcs;
    for (int p = 0; p < parts; p++) {
        uint64_t room = (uint64_t)gg_device_room(gg_several_on(m->team, p)), sharing = 0;
        for (int q = 0; q < parts; q++)
            sharing += m->team->member[q].lead == m->team->member[p].lead;
        room = room / sharing > out ? room / sharing - out : 0;
        uint64_t arcs = (room - room / 16) / per_arc;
        m->range_arcs = arcs < m->range_arcs ? arcs : m->range_arcs;
        if (m->range_arcs < largest_bin && arcs < largest_bin)
            gg_fail_device_memory(&m->team->member[p].run,
                                  (int64_t)(largest_bin * per_arc + out), (int64_t)room);
    }
    m->range_arcs = m->range_arcs < largest_bin ? largest_bin : m->range_arcs;
    m->cub_bytes = gg_several_sort_bytes(m->range_arcs, m->bits, weight);
    for (int p = 0; p < parts; p++) {
        uint32_t ranges = 0;
        for (uint32_t bin = 0; bin < m->bits.bins; ranges++)
            bin = range_end(m, p, bin);
        m->ranges = ranges > m->ranges ? ranges : m->ranges;
    }
    return gg_several_going(m->team);
}

static bool launch_route(struct making *m, const struct route *r, int p,
                         const struct route_edges *e) {
    struct cuda_job *job = gg_several_on(m->team, p);
    struct route_out out = {m->a.out.at[p], m->a.out_weight.at[p], arcs_of_chunk(m),
                            m->a.count.at[p]};
    unsigned blocks = gg_grid(job, (e->count + EACH - 1) / EACH, 8);
    gg_fill(job, out.count, 0, SEVERAL_MOST * sizeof *out.count);
    if (!gg_going(job))
        return false;
    if (m->source->weight_bytes == 0)
        route_arcs<uint8_t><<<blocks, GG_BLOCK, 0, job->stream>>>(*r, *e, out);
    else if (m->source->weight_bytes == 4)
        route_arcs<uint32_t><<<blocks, GG_BLOCK, 0, job->stream>>>(*r, *e, out);
    else
        route_arcs<uint64_t><<<blocks, GG_BLOCK, 0, job->stream>>>(*r, *e, out);
    return gg_launched(job, "route_arcs");
}

/* What member p has sorted out goes to its owners, behind what they have. */
static bool send_arcs(struct making *m, int p, uint64_t *have) {
    struct cuda_job *job = gg_several_on(m->team, p);
    size_t weight = m->source->weight_bytes;
    uint64_t room = arcs_of_chunk(m);
    uint32_t count[SEVERAL_MOST];
    if (!gg_fetch(job, count, m->a.count.at[p], sizeof count))
        return false;
    for (int q = 0; q < m->team->parts && gg_going(job); q++) {
        if (count[q] == 0)
            continue;
        if (have[q] + count[q] > m->range_arcs) {
            gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                    "the edges have changed while rows were made of them");
            break;
        }
        int to = m->team->member[q].run.device, from = job->device->ordinal;
        gg_note(job,
                cudaMemcpyPeerAsync(m->a.key.at[q] + have[q], to,
                                    m->a.out.at[p] + (uint64_t)q * room, from,
                                    count[q] * sizeof(uint64_t), job->stream),
                "send arcs to another device");
        if (weight && gg_going(job))
            gg_note(
                job,
                cudaMemcpyPeerAsync(m->a.weight.at[q] + have[q] * weight, to,
                                    m->a.out_weight.at[p] + (uint64_t)q * room * weight,
                                    from, count[q] * weight, job->stream),
                "send weights to another device");
        have[q] += count[q];
    }
    return gg_going(job);
}

/* One range: the edges are gone through, and every owner makes its rows. */
static bool make_range(struct making *m, struct route *r, const uint64_t *before,
                       uint64_t *made) {
    uint64_t have[SEVERAL_MOST] = {};
    int parts = m->team->parts;
    for (uint64_t c = 0; c < m->chunks && gg_several_going(m->team); c++) {
        bool there[SEVERAL_MOST];
        for (int p = 0; p < parts; p++) {
            struct route_edges e;
            there[p] = edges_of(m, p, c, &e) && launch_route(m, r, p, &e);
        }
        for (int p = 0; p < parts && gg_several_going(m->team); p++)
            if (there[p])
                send_arcs(m, p, have);
    }
    if (!gg_several_wait(m->team))
        return false;
    for (int q = 0; q < parts && gg_several_going(m->team); q++) {
        const struct several_arcs a = {
            m->a.key.at[q], m->a.other.at[q], m->a.weight.at[q], m->a.other_weight.at[q],
            m->a.cub.at[q], m->cub_bytes,     m->a.one.at[q],    m->range_arcs};
        made[q] = 0;
        if (r->low[q] < r->high[q])
            gg_several_sort(gg_several_on(m->team, q), &a, have[q], m->bits, m->simple,
                            m->source->weight_bytes, r->low[q], r->high[q], before[q],
                            &m->parts->rows[q], &made[q]);
    }
    return gg_several_wait(m->team);
}

static uint32_t row_of_bin(const struct making *m, uint32_t bin) {
    uint64_t row = (uint64_t)bin << m->bits.bin;
    return row < m->parts->places.stride ? (uint32_t)row : m->parts->places.stride;
}

static bool make_all(struct making *m) {
    struct route r = route_of(m);
    uint64_t before[SEVERAL_MOST] = {}, made[SEVERAL_MOST];
    uint32_t bin[SEVERAL_MOST] = {};
    for (uint32_t range = 0; range < m->ranges; range++) {
        for (int q = 0; q < m->team->parts; q++) {
            uint32_t end = range_end(m, q, bin[q]);
            r.low[q] = row_of_bin(m, bin[q]);
            r.high[q] = row_of_bin(m, end);
            bin[q] = end;
        }
        if (!make_range(m, &r, before, made))
            return false;
        for (int q = 0; q < m->team->parts; q++)
            before[q] += made[q];
    }
    for (int q = 0; q < m->team->parts && gg_several_going(m->team); q++) {
        uint64_t longest = 0;
        struct several_rows *rows = &m->parts->rows[q];
        rows->arcs = before[q];
        m->parts->arcs += before[q];
        gg_several_longest(gg_several_on(m->team, q), rows, m->parts->places.stride,
                           m->a.one.at[q], &longest);
        if (longest > m->parts->most_arcs)
            m->parts->most_arcs = longest;
    }
    return gg_several_going(m->team);
}

/* ---- driver ---- */

static bool make(struct making *m) {
    m->bin = (uint64_t(*)[SEVERAL_BINS])gg_alloc_zero(
        m->team->run, (uint64_t)m->team->parts, sizeof *m->bin);
    bool made = m->bin && take_shares(m) && take_scratch(m, false) && count_all(m) &&
                take_rows(m) && plan_ranges(m) && take_scratch(m, true) && make_all(m);
    give_shares(m);
    gg_release(m->bin);
    return made;
}

bool gg_several_make(struct several_team *team, const struct several_source *source,
                     enum csr_kind kind, struct several_parts *parts, uint64_t *peak) {
    struct making m = {};
    *parts = several_parts();
    m.team = team;
    m.source = source;
    m.parts = parts;
    m.simple = kind == CSR_SIMPLE;
    m.forward = kind != CSR_IN;
    m.backward = kind != CSR_OUT;
    parts->weight_bytes = source->weight_bytes;
    parts->kind = kind;
    if (!several_lay_out(&parts->places, source->n, (uint32_t)team->parts,
                         GG_SEVERAL_BLOCK_BITS)) {
        gg_fail(team->run, GPUGRAPH_TOO_LARGE,
                "%u vertices are too many for %d devices together", source->n,
                team->parts);
        return false;
    }
    plan_bits(&m);
    plan_shares(&m);
    bool made = make(&m);
    if (!made)
        gg_several_free_parts(team, parts);
    if (peak)
        *peak = m.peak;
    return made;
}
