/* Light arcs, made by two passes over all weights.
**
**     arcs     a:9 b:2 c:7 | d:8 | e:1 f:6 g:3      weights up to 3 are light
**     bits     0   1   0     0     1   0   1
**     light    b:2           |     e:1 g:3          weight << 32 | target, in order */
#include "light_arcs.cuh"
#include "device/parts.cuh"
#include "graph/frontier.cuh"

/* Rows of light arcs are made if at most half of all arcs are light, so that they pay. */
enum { LIGHT_SHARE = 2 };

enum { GROUP = GG_WARP }; /* arcs of a word of bits */

struct light_scratch {
    uint32_t *bits, *count; /* of each group: bits of its light arcs, and their number */
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

/* The number of light arcs before this arc. The arc may be the end of all arcs. */
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
        offset[v] = (uint32_t)light_before(s, g.begin[v]);
}

/* ---- memory ---- */

uint64_t gg_light_bytes(const struct light_rows *rows) {
    return (rows->offset ? block_bytes(rows->places, sizeof *rows->offset) : 0) +
           (rows->arc ? block_bytes(rows->arcs, sizeof *rows->arc) : 0);
}

void gg_drop_light(struct light_rows *rows) {
    gg_free_block(rows->offset, block_bytes(rows->places, sizeof *rows->offset));
    gg_free_block(rows->arc, block_bytes(rows->arcs, sizeof *rows->arc));
    *rows = light_rows();
}

/* ---- the driver ---- */

static uint64_t groups_of(const struct device_csr *g) {
    return g->m / GROUP + 1;
}

static void carve_light_arcs(struct workspace *space, const struct device_csr *g,
                             struct light_scratch *s) {
    const uint64_t groups = groups_of(g);
    s->scan_bytes = gg_offsets_scratch((uint32_t)groups);
    s->bits = gg_carve<uint32_t>(space, groups);
    s->count = gg_carve<uint32_t>(space, groups + 1);
    s->before = gg_carve<uint64_t>(space, groups + 1);
    s->scan = gg_carve<unsigned char>(space, s->scan_bytes);
}

/* Marks and counts light arcs. */
static bool look(struct cuda_job *job, const struct device_csr *g, uint32_t most,
                 const struct light_scratch *s, uint64_t *light) {
    const uint64_t groups = groups_of(g);
    gg_fill(job, s->count + groups, 0, sizeof *s->count);
    return GG_LAUNCH(job, mark_light, gg_grid(job, groups * GROUP, 16), *g, most, groups,
                     *s) &&
           gg_offsets(job, s->count, s->before, (uint32_t)groups, s->scan,
                      s->scan_bytes) &&
           gg_fetch(job, light, s->before + groups, sizeof *light);
}

/* Copies the light arcs that look() has marked. */
static bool keep(struct cuda_job *job, const struct device_csr *g,
                 const struct light_scratch *s, uint64_t light, struct light_rows *rows) {
    rows->places = (uint64_t)g->n + 1;
    rows->arcs = light;
    rows->offset = static_cast<uint32_t *>(
        gg_take(job, block_bytes(rows->places, sizeof *rows->offset)));
    rows->arc =
        static_cast<uint64_t *>(gg_take(job, block_bytes(rows->arcs, sizeof *rows->arc)));
    if (!rows->offset || !rows->arc)
        return false;
    return GG_LAUNCH(job, begin_light, gg_grid(job, rows->places, 16), *g, *s,
                     rows->offset) &&
           GG_LAUNCH(job, keep_light, gg_grid(job, g->m, 16), *g, *s, rows->arc) &&
           gg_wait(job);
}

bool gg_make_light(struct cuda_job *job, const struct device_csr *g, uint32_t most,
                   int64_t own, struct light_rows *rows) {
    struct workspace space = {NULL, 0};
    struct light_scratch s;
    uint64_t light = 0;
    carve_light_arcs(&space, g, &s);
    const uint64_t bytes = space.used;
    *rows = light_rows();
    if (!gg_is_packed(g) || g->m >= UINT32_MAX ||
        (int64_t)bytes + own > gg_device_room(job))
        return gg_going(job);
    space = {static_cast<unsigned char *>(gg_take(job, bytes)), 0};
    if (!space.base)
        return gg_do_without(job);
    carve_light_arcs(&space, g, &s);
    bool made = look(job, g, most, &s, &light);
    rows->most = most;
    rows->asked = rows->looked = true;
    if (made && light > 0 && light <= g->m / LIGHT_SHARE &&
        (int64_t)(light * 8 + g->n * 4ull) + own <= gg_device_room(job))
        made = keep(job, g, &s, light, rows);
    gg_give(job, space.base, bytes);
    if (!made)
        gg_drop_light(rows);
    return made || gg_do_without(job);
}
