/* Strongly connected components on the device. strong.c has the meaning.
**
**     list         the vertices whose component is not known; settled vertices leave the
**                  list
**     label[v]     some vertex of the component of v; NONE: not known
**
** 1. Trim along each direction in turn, while many vertices leave the list. A listed
**    vertex that no listed vertex leads to is a component by itself. A vertex that only
**    one vertex leads to depends on that vertex. Such vertices form chains and rings.
**    Pointer doubling finds the beginning of each chain.
**
**        none -> a -> b -> c              each vertex is a component
**        ring of a -> b -> c -> a -> d    the ring is one component, d is another
**        many -> a -> b                   stays listed
**
** 2. Search forwards and backwards from a vertex with many arcs both ways. The vertices
**    that both searches reach are its component, usually the one large component.
** 3. Trim again. Then do rounds of colours until the list is empty. The colour of a
**    vertex is the largest vertex that leads to it. The vertices of a colour that also
**    lead to this largest vertex, the owner of the colour, are its component.
** 4. Replace each label by the smallest vertex with this label.
**
** After Fleischer, Hendrickson, Pinar (2000), McLendon et al. (2005), Orzan (2004),
** Slota, Rajamanickam, Madduri (IPDPS 2014). Handling chains and rings at once is our
** own. */
#include "components.h"
#include "bfs/bfs.cuh"
#include "graph/frontier.cuh"

enum {
    LIST_BLOCKS = 16,   /* for each multiprocessor */
    PIVOT_LIST = 65536, /* two searches pay if the list has at least this many vertices */
    TRIM_SHARE = 16,    /* trimming ends when fewer than one in this many leave */
    TRIM_ROUNDS = 64,   /* at most */
    QUEUED = 4          /* steps that are queued before the host looks at the state */
};

#define STOP UINT32_MAX /* low of a vertex that several listed vertices lead to */

struct state {
    uint32_t count;   /* length of the list that is being made */
    uint32_t changed; /* some step has changed something since the last reset */
    unsigned long long pivot;
};

struct strong {
    struct state *state;
    uint32_t *label, *list[2];
    uint64_t *chain[2]; /* by vertex: pointer << 32 | smallest vertex on its path */
    uint32_t *colour;
    uint8_t *mark;
};

struct strong_run {
    struct cuda_job *job;
    struct device_csr rows[2]; /* OUT, IN */
    struct strong s;
    uint32_t count; /* vertices in s.list[0] */
};

/* ---- kernels ---- */

static __global__ void list_all_vertices(uint32_t n, strong s) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        s.label[v] = GPUGRAPH_NONE;
        s.list[0][v] = (uint32_t)v;
    }
}

/* Points each vertex to its only listed neighbour in `rows`. Arcs into v lead to the
** beginnings of chains, and arcs out of v to their ends. */
static __global__ void find_single(device_csr rows, strong s, uint32_t count) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = s.list[0][i];
        const uint64_t end = rows.end[v];
        uint32_t before = GPUGRAPH_NONE, low = v;
        for (uint64_t k = rows.begin[v]; k < end && low != STOP; k++) {
            const uint32_t u = rows.target[k];
            if (u == v || u == before || s.label[u] != GPUGRAPH_NONE)
                continue;
            low = before == GPUGRAPH_NONE ? v : STOP;
            before = u;
        }
        if (low == STOP)
            before = v;
        s.chain[0][v] = (uint64_t)before << 32 | low;
        s.mark[v] = 0;
    }
}

/* Doubles each pointer: from v to the pointer of the vertex that v points to. */
static __global__ void jump(strong s, uint32_t count, int from) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = s.list[0][i];
        uint64_t way = s.chain[from][v];
        const uint32_t before = (uint32_t)(way >> 32), low = (uint32_t)way;
        if (before != GPUGRAPH_NONE && low != STOP) {
            const uint64_t on = s.chain[from][before];
            const uint32_t then = (uint32_t)(on >> 32), lower = (uint32_t)on;
            if (lower != STOP) {
                way = (uint64_t)then << 32 | min(low, lower);
                if (then != before)
                    s.state->changed = 1;
            }
        }
        s.chain[from ^ 1][v] = way;
    }
}

/* If pointers end on a ring, they end on all of its vertices. Marks these vertices. */
static __global__ void mark_rings(strong s, uint32_t count, int from) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t before = (uint32_t)(s.chain[from][s.list[0][i]] >> 32);
        if (before != GPUGRAPH_NONE && (uint32_t)s.chain[from][before] != STOP)
            s.mark[before] = 1;
    }
}

static __global__ void settle_chains(strong s, uint32_t count, int from) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = s.list[0][i];
        const uint64_t way = s.chain[from][v];
        const uint32_t before = (uint32_t)(way >> 32);
        if ((uint32_t)way == STOP)
            continue;
        if (before == GPUGRAPH_NONE || (uint32_t)s.chain[from][before] != STOP)
            s.label[v] = s.mark[v] ? (uint32_t)way : v;
    }
}

static __global__ void list_open(strong s, uint32_t count) {
    const uint64_t whole = gg_whole_warps(count);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        const uint32_t v = i < count ? s.list[0][i] : 0;
        const bool open = i < count && s.label[v] == GPUGRAPH_NONE;
        const uint32_t at = gg_reserve(&s.state->count, open);
        if (open)
            s.list[1][at] = v;
    }
}

/* Finds the listed vertex whose smaller degree, in or out, is the largest. */
static __global__ void find_pivot(device_csr out, device_csr in, strong s,
                                  uint32_t count) {
    unsigned long long best = 0;
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = s.list[0][i];
        const uint64_t leave = out.end[v] - out.begin[v], enter = in.end[v] - in.begin[v],
                       fewer = min(min(leave, enter), (uint64_t)UINT32_MAX);
        best = max(best, (unsigned long long)(fewer << 32 | v));
    }
    if (best > gg_peek(&s.state->pivot))
        atomicMax(&s.state->pivot, best);
}

static __global__ void note_reached(uint32_t n, const uint32_t *depth, strong s) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        s.mark[v] = depth[v] != GPUGRAPH_NONE;
}

static __global__ void settle_both(uint32_t n, const uint32_t *depth, uint32_t pivot,
                                   strong s) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        if (s.mark[v] && depth[v] != GPUGRAPH_NONE)
            s.label[v] = pivot;
}

static __global__ void begin_colours(strong s, uint32_t count) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        s.colour[s.list[0][i]] = s.list[0][i];
}

/* in: arcs into v. A vertex that leads to the owner of v's colour also leads to v. */
static __global__ void spread_colours(device_csr in, strong s, uint32_t count) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = s.list[0][i], own = gg_peek(&s.colour[v]);
        uint32_t colour = own;
        for (uint64_t k = in.begin[v]; k < in.end[v]; k++) {
            const uint32_t u = in.target[k];
            if (s.label[u] == GPUGRAPH_NONE)
                colour = max(colour, gg_peek(&s.colour[u]));
        }
        colour = max(colour, gg_peek(&s.colour[colour]));
        if (colour > own) {
            atomicMax(&s.colour[v], colour);
            s.state->changed = 1;
        }
    }
}

/* Marks the owners. settle_colours marks each vertex with an arc to a marked vertex of
** the same colour. */
static __global__ void settle_owners(strong s, uint32_t count) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = s.list[0][i];
        s.mark[v] = s.colour[v] == v;
    }
}

static __global__ void settle_colours(device_csr out, strong s, uint32_t count) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = s.list[0][i], colour = s.colour[v];
        bool found = gg_peek(&s.mark[v]);
        for (uint64_t k = out.begin[v]; k < out.end[v] && !found; k++) {
            const uint32_t u = out.target[k];
            found = s.label[u] == GPUGRAPH_NONE && s.colour[u] == colour &&
                    gg_peek(&s.mark[u]);
            if (found) {
                s.mark[v] = 1;
                s.state->changed = 1;
            }
        }
    }
}

static __global__ void label_colours(strong s, uint32_t count) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = s.list[0][i];
        if (s.mark[v])
            s.label[v] = s.colour[v];
    }
}

static __global__ void find_least(uint32_t n, strong s, uint32_t *least) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        uint32_t *of = &least[s.label[v]];
        if (gg_peek(of) > v)
            atomicMin(of, (uint32_t)v);
    }
}

static __global__ void take_least(uint32_t n, strong s, const uint32_t *least) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        s.label[v] = least[s.label[v]];
}

/* ---- steps ---- */

#define OVER_LIST(r, kernel, ...)                                                        \
    GG_LAUNCH((r)->job, kernel, gg_grid((r)->job, (r)->count, LIST_BLOCKS), __VA_ARGS__)
#define OVER_VERTICES(r, kernel, ...)                                                    \
    GG_LAUNCH((r)->job, kernel, gg_grid((r)->job, (r)->job->graph->n, LIST_BLOCKS),      \
              __VA_ARGS__)

/* Repeats the step until it changes nothing, at most `most` times. The host looks at the
** state after every QUEUED steps. */
template <typename step_type>
static bool until_settled(struct strong_run *r, uint32_t most, step_type step) {
    struct state state = {0, 1, 0};
    for (uint32_t done = 0; state.changed && done < most && gg_going(r->job);) {
        gg_fill(r->job, &r->s.state->changed, 0, sizeof state.changed);
        for (int i = 0; i < QUEUED && done < most; i++, done++)
            step();
        if (!gg_fetch(r->job, &state, r->s.state, sizeof state))
            return false;
    }
    return gg_going(r->job);
}

/* Removes settled vertices from the list. */
static bool shorten_list(struct strong_run *r) {
    struct strong *s = &r->s;
    gg_fill(r->job, &s->state->count, 0, sizeof s->state->count);
    OVER_LIST(r, list_open, *s, r->count);
    if (!gg_fetch(r->job, &r->count, &s->state->count, sizeof r->count))
        return false;
    uint32_t *list = s->list[0];
    s->list[0] = s->list[1];
    s->list[1] = list;
    return true;
}

static bool trim_along(struct strong_run *r, const struct device_csr *rows) {
    struct strong *s = &r->s;
    int from = 0;
    uint32_t most = 1;
    while (most < 32 && r->count >> most)
        most++;
    OVER_LIST(r, find_single, *rows, *s, r->count);
    if (!until_settled(r, most + 1, [&] {
            OVER_LIST(r, jump, *s, r->count, from);
            from ^= 1;
        }))
        return false;
    OVER_LIST(r, mark_rings, *s, r->count, from);
    OVER_LIST(r, settle_chains, *s, r->count, from);
    return shorten_list(r);
}

static bool trim(struct strong_run *r) {
    bool many = true;
    for (int round = 0; many && r->count > 0 && round < TRIM_ROUNDS; round++) {
        const uint32_t before = r->count;
        if (!trim_along(r, &r->rows[1]) || (r->count > 0 && !trim_along(r, &r->rows[0])))
            return false;
        many = before - r->count > before / TRIM_SHARE;
    }
    return true;
}

static bool search_from(struct strong_run *r, uint32_t pivot,
                        gpugraph_direction direction, struct bfs_outcome *out) {
    gpugraph_search search = {};
    search.source = &pivot;
    search.source_count = 1;
    search.direction = direction;
    search.max_depth = GPUGRAPH_NONE;
    return gg_bfs_levels(r->job, &search, false, false, out);
}

static bool settle_pivot(struct strong_run *r) {
    const uint32_t n = r->job->graph->n;
    unsigned long long best;
    struct bfs_outcome out;
    gg_fill(r->job, &r->s.state->pivot, 0, sizeof best);
    OVER_LIST(r, find_pivot, r->rows[0], r->rows[1], r->s, r->count);
    if (!gg_fetch(r->job, &best, &r->s.state->pivot, sizeof best))
        return false;
    const uint32_t pivot = (uint32_t)best;
    if (!search_from(r, pivot, GPUGRAPH_OUT, &out))
        return false;
    OVER_VERTICES(r, note_reached, n, out.depth, r->s);
    if (!search_from(r, pivot, GPUGRAPH_IN, &out))
        return false;
    OVER_VERTICES(r, settle_both, n, out.depth, pivot, r->s);
    return shorten_list(r) && trim(r);
}

static bool colour_round(struct strong_run *r) {
    OVER_LIST(r, begin_colours, r->s, r->count);
    if (!until_settled(r, UINT32_MAX,
                       [&] { OVER_LIST(r, spread_colours, r->rows[1], r->s, r->count); }))
        return false;
    OVER_LIST(r, settle_owners, r->s, r->count);
    if (!until_settled(r, UINT32_MAX,
                       [&] { OVER_LIST(r, settle_colours, r->rows[0], r->s, r->count); }))
        return false;
    OVER_LIST(r, label_colours, r->s, r->count);
    return shorten_list(r) && trim(r);
}

/* ---- driver ---- */

/* Carves a separate block, because the searches use the workspace. */
static uint64_t carve_strong(unsigned char *block, uint32_t n, struct strong *s) {
    struct workspace space = {block, 0};
    s->state = gg_carve<struct state>(&space, 1);
    s->label = gg_carve<uint32_t>(&space, n);
    s->list[0] = gg_carve<uint32_t>(&space, n);
    s->list[1] = gg_carve<uint32_t>(&space, n);
    s->chain[0] = gg_carve<uint64_t>(&space, n);
    s->chain[1] = gg_carve<uint64_t>(&space, n);
    s->colour = gg_carve<uint32_t>(&space, n);
    s->mark = gg_carve<uint8_t>(&space, n);
    return space.used;
}

static bool settle_all(struct strong_run *r) {
    const uint32_t n = r->job->graph->n;
    uint32_t *least = r->s.colour;
    OVER_VERTICES(r, list_all_vertices, n, r->s);
    if (!trim(r))
        return false;
    /* The searches count arcs in 32 bits (bfs.cu). */
    if (r->count >= PIVOT_LIST && r->rows[0].m < UINT32_MAX - 65536 && !settle_pivot(r))
        return false;
    while (r->count > 0)
        if (!colour_round(r))
            return false;
    gg_fill(r->job, least, 0xff, (uint64_t)n * sizeof *least);
    OVER_VERTICES(r, find_least, n, r->s, least);
    OVER_VERTICES(r, take_least, n, r->s, least);
    return gg_wait(r->job);
}

static void find_strong(struct cuda_job *job, uint32_t *component) {
    struct strong_run r = {};
    const uint32_t n = job->graph->n;
    r.job = job;
    r.count = n;
    if (!gg_device_csr(job, CSR_OUT, false, &r.rows[0]) ||
        !gg_device_csr(job, CSR_IN, false, &r.rows[1]))
        return;
    double started = gg_now_ms();
    const uint64_t bytes = carve_strong(NULL, n, &r.s);
    unsigned char *block = static_cast<unsigned char *>(gg_take(job, bytes));
    if (!block)
        return;
    carve_strong(block, n, &r.s);
    if (settle_all(&r)) {
        gg_search_phase(job->run, started, (int64_t)r.rows[0].m, NULL);
        gg_bring(job, component, r.s.label, n, "components");
    }
    gg_give(job, block, bytes);
}

static int64_t bytes(const gpugraph_graph *graph, bool) {
    const struct cuda_job job = planned_job(graph);
    struct strong s;
    return gg_device_graph_lacks(graph, CSR_OUT, false) +
           gg_device_graph_lacks(graph, CSR_IN, false) +
           (int64_t)(carve_strong(NULL, graph->n, &s) + gg_bfs_levels_bytes(&job, 1));
}

GG_CUDA_SIDE(
    gg_strong_components_cuda, components_entry, find_strong, bytes, "components",
    "forward-backward",
    "strong: trims chains and rings, finds the largest component by two searches, "
    "and the others by colours")
