/* Light arcs for shortest paths whose far vertices pull (persistent_pull.cuh): those that can lead to a
** sum within the bound, of each vertex side by side.
**
**     arcs     a:9 b:2 c:7 | d:8 | e:1 f:6 g:3      weights up to 3 are light
**     bits     0   1   0     0     1   0   1
**     light    b:2           |     e:1 g:3          weight << 32 | target, in the same order
**
** On an R-MAT one arc in ten is. Without these the weights of all others are read too, only to see that
** they are too heavy. Made for a graph, a direction and a weight by two looks at all weights, as long as a
** search takes; so not by the first search after a change. */
#include "sssp.cuh"
#include "device/parts.cuh"
#include "graph/frontier.cuh"

enum { GROUP = GG_WARP }; /* arcs to a word of bits */

struct light_scratch {
    uint32_t *bits, *count; /* of each group: its light arcs, and how many these are */
    uint64_t *before;       /* light arcs of all groups before it */
    unsigned char *scan;
    uint64_t scan_bytes;
};

/* One lane per arc. */
static __global__ void mark_light(const __grid_constant__ device_csr g, uint32_t most,
                                  uint64_t groups, light_scratch s) {
    const uint32_t *weight = static_cast<const uint32_t *>(g.weight);
    for (uint64_t i = gg_thread(); i < groups * GROUP; i += gg_threads_of_grid()) {
        const unsigned bits = __ballot_sync(ALL_LANES, i < g.m && weight[i] <= most);
        if (gg_lane() == 0) {
            s.bits[i / GROUP] = bits;
            s.count[i / GROUP] = __popc(bits);
        }
    }
}

/* Light arcs before that arc, which may be the end of all. */
static __device__ __forceinline__ uint64_t light_before(const light_scratch &s,
                                                        uint64_t arc) {
    return s.before[arc / GROUP] +
           __popc(s.bits[arc / GROUP] & ((1u << arc % GROUP) - 1));
}

/* One thread per arc. */
static __global__ void keep_light(const __grid_constant__ device_csr g, light_scratch s,
                                  uint64_t *arc) {
    const uint32_t *weight = static_cast<const uint32_t *>(g.weight);
    for (uint64_t i = gg_thread(); i < g.m; i += gg_threads_of_grid())
        if (s.bits[i / GROUP] >> i % GROUP & 1)
            arc[light_before(s, i)] = (uint64_t)weight[i] << 32 | g.target[i];
}

/* One thread per vertex, and one for the end. */
static __global__ void begin_light(const __grid_constant__ device_csr g, light_scratch s,
                                   uint32_t *offset) {
    for (uint64_t v = gg_thread(); v <= g.n; v += gg_threads_of_grid())
        offset[v] = (uint32_t)light_before(s, g.offset[v]);
}

/* ---- what is kept ---- */

struct light_rows {
    uint32_t most;         /* weight */
    bool asked;            /* by a search since the last change */
    bool looked;           /* for that weight: without arcs they were too many */
    uint64_t places, arcs; /* of the arrays */
    uint32_t *offset;
    uint64_t *arc;
};

struct light_part {
    struct device_part part;
    struct light_rows rows[CSR_KINDS];
};

static void drop_rows(struct light_part *kept, struct light_rows *rows) {
    give(&kept->part, rows->offset, rows->places, sizeof *rows->offset);
    give(&kept->part, rows->arc, rows->arcs, sizeof *rows->arc);
    *rows = light_rows();
}

static void drop_light(gpugraph_graph *, struct device_part *part, unsigned) {
    struct light_part *kept = (struct light_part *)part;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        drop_rows(kept, &kept->rows[kind]);
}

static const struct device_part_kind light_kind = {
    sizeof(struct light_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_light};

/* ---- the driver ---- */

static uint64_t groups_of(const struct device_csr *g) {
    return g->m / GROUP + 1;
}

static void carve(struct workspace *space, const struct device_csr *g,
                  struct light_scratch *s) {
    const uint64_t groups = groups_of(g);
    s->scan_bytes = gg_offsets_scratch((uint32_t)groups);
    s->bits = gg_carve<uint32_t>(space, groups);
    s->count = gg_carve<uint32_t>(space, groups + 1);
    s->before = gg_carve<uint64_t>(space, groups + 1);
    s->scan = gg_carve<unsigned char>(space, s->scan_bytes);
}

/* Marks them and counts them. */
static bool look(struct cuda_job *job, const struct device_csr *g, uint32_t most,
                 const struct light_scratch *s, uint64_t *light) {
    const uint64_t groups = groups_of(g);
    gg_fill(job, s->count + groups, 0, sizeof *s->count);
    mark_light<<<gg_grid(job, groups * GROUP, 16), GG_BLOCK, 0, job->stream>>>(
        *g, most, groups, *s);
    return gg_launched(job, "mark_light") &&
           gg_offsets(job, s->count, s->before, (uint32_t)groups, s->scan,
                      s->scan_bytes) &&
           gg_fetch(job, light, s->before + groups, sizeof *light);
}

/* Those few that there are, from what look() has found. */
static bool make(struct cuda_job *job, const struct device_csr *g,
                 const struct light_scratch *s, struct light_part *kept,
                 struct light_rows *rows, uint64_t light) {
    rows->places = (uint64_t)g->n + 1;
    rows->arcs = light;
    if (!take(job, &kept->part, &rows->offset, rows->places, sizeof *rows->offset) ||
        !take(job, &kept->part, &rows->arc, rows->arcs, sizeof *rows->arc))
        return false;
    begin_light<<<gg_grid(job, rows->places, 16), GG_BLOCK, 0, job->stream>>>(
        *g, *s, rows->offset);
    gg_launched(job, "begin_light");
    keep_light<<<gg_grid(job, g->m, 16), GG_BLOCK, 0, job->stream>>>(*g, *s, rows->arc);
    return gg_launched(job, "keep_light") && gg_wait(job);
}

static bool look_and_make(struct cuda_job *job, const struct device_csr *g, uint32_t most,
                          int64_t own, struct light_part *kept, struct light_rows *rows) {
    struct workspace space = {NULL, 0};
    struct light_scratch s;
    uint64_t light = 0;
    carve(&space, g, &s);
    const uint64_t bytes = space.used;
    space = {static_cast<unsigned char *>(gg_take(job, bytes)), 0};
    if (!space.base)
        return false;
    carve(&space, g, &s);
    bool made = look(job, g, most, &s, &light);
    if (made && light > 0 && light <= g->m / GG_PERSISTENT_LIGHT &&
        (int64_t)(light * 8 + g->n * 4ull) + own <= gg_device_room(job))
        made = make(job, g, &s, kept, rows, light);
    gg_give(job, space.base, bytes);
    return made;
}

/* The heaviest arc that can lead from a vertex of the bucket by which a bound is set, or of a later one, to a
** sum within it. */
static uint32_t light_limit(const struct sssp_parameters *p) {
    const double most = (p->delta + p->pull) * 1.01 + 2;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

bool gg_sssp_lighten(struct cuda_job *job, const struct sssp_search *s, int64_t own) {
    const uint32_t most = light_limit(&s->parameters);
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(s->wanted->direction);
    if (!s->turned.offset || s->type != GPUGRAPH_UINT32 || s->g.m >= UINT32_MAX)
        return true;
    struct light_part *kept = (struct light_part *)gg_device_part(job, &light_kind);
    if (!kept)
        return false;
    struct light_rows *rows = &kept->rows[kind];
    const bool again = rows->asked;
    rows->asked = true;
    if (again && (!rows->looked || rows->most != most)) {
        const double started = gg_now_ms();
        drop_rows(kept, rows);
        if ((int64_t)(s->g.m / 2) + own > gg_device_room(job))
            return true;
        if (!look_and_make(job, &s->g, most, own, kept, rows)) {
            drop_rows(kept, rows);
            return gg_do_without(job);
        }
        rows->most = most;
        rows->asked = rows->looked = true;
        gg_phase(job->run, "prepare", started, (int64_t)rows->arcs,
                 "arcs of weights up to %u side by side, on the device", most);
    }
    return gg_going(job);
}

struct light_arcs gg_light_arcs(const gpugraph_graph *graph, enum csr_kind kind) {
    const struct light_part *kept =
        (struct light_part *)gg_device_part_of(graph, &light_kind);
    if (!kept || !kept->rows[kind].arc)
        return light_arcs{NULL, NULL, 0};
    return light_arcs{kept->rows[kind].offset, kept->rows[kind].arc,
                      kept->rows[kind].most};
}
