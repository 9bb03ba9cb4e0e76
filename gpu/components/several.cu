/* Weakly connected components by several devices (several/several.cuh); components.cu has one device's.
**
**     component    of all vertices, by number, on each device: a forest of the arcs that it has seen
**
**     sample       each device links its own vertices with their first two neighbours
**     merge        forests become one, on device 0, in pairs: a parent is an edge like others
**     spread       device 0's forest goes to all, who find the same largest component
**     rest         each device links its own arcs that have an end outside of that
**     merge
**
** Without the merge in the middle a device would know next to nothing of the others' vertices, and would have
** to link most arcs that lead to them. With it, what is outside is the same for all: so where each
** arc is there both ways, rows of vertices inside are passed over as by one device. Otherwise all own
** arcs are looked at, for targets outside: one bit each, by place. */
#include "several.cuh"
#include "trees.cuh"
#include "graph/graph.cuh"

#include <stdio.h>

struct shared_rows { /* of a member */
    struct several_places places;
    uint32_t me, vertices; /* own ones */
    uint64_t arcs;
    const uint64_t *offset;
    const uint32_t *target;
    uint32_t *outside; /* by place, not by number as in arrays */
};

/* ---- kernels ---- */

static __device__ __forceinline__ uint32_t own_number(const shared_rows &rows,
                                                      uint64_t local) {
    return (uint32_t)several_number_of(&rows.places, rows.me, (uint32_t)local);
}

static __device__ __forceinline__ uint32_t number_of(const shared_rows &rows,
                                                     uint32_t place) {
    return (uint32_t)several_number(&rows.places, place);
}

static __global__ void hook_first_arcs(const __grid_constant__ shared_rows rows,
                                       const __grid_constant__ arrays a) {
    for (uint64_t i = gg_thread(); i < rows.vertices; i += gg_threads_of_grid()) {
        const uint64_t first = rows.offset[i];
        if (first == rows.offset[i + 1])
            continue;
        const uint32_t v = own_number(rows, i), u = number_of(rows, rows.target[first]);
        if (u < v)
            point_to(a.component, v, u);
    }
}

/* And first ones that lead to larger numbers, which are no hook yet. */
static __global__ void link_two_arcs(const __grid_constant__ shared_rows rows,
                                     const __grid_constant__ arrays a) {
    for (uint64_t i = gg_thread(); i < rows.vertices; i += gg_threads_of_grid()) {
        const uint64_t first = rows.offset[i], arcs = rows.offset[i + 1] - first;
        const uint32_t v = own_number(rows, i);
        for (uint64_t k = 0; k < arcs && k < COMPONENTS_SAMPLE; k++) {
            const uint32_t u = number_of(rows, rows.target[first + k]);
            if (k > 0 || u > v)
                link_ends(a.component, v, u);
        }
    }
}

/* Another device's forest into this one's. */
static __global__ void link_forest(const uint32_t *other,
                                   const __grid_constant__ arrays a) {
    for (uint64_t v = gg_thread(); v < a.n; v += gg_threads_of_grid())
        if (other[v] != v)
            link_ends(a.component, (uint32_t)v, other[v]);
}

/* A gap is inside: nothing leads to it. */
static __global__ void mark_places_outside(const __grid_constant__ shared_rows rows,
                                           const __grid_constant__ arrays a) {
    const uint32_t largest = *a.largest;
    const uint64_t all = several_all_places(&rows.places);
    for (uint64_t s = gg_thread(); s < all; s += gg_threads_of_grid()) {
        const uint64_t v = several_number(&rows.places, (uint32_t)s);
        const uint32_t word =
            __ballot_sync(~0u, v < a.n && a.component[v < a.n ? v : 0] != largest);
        if (s % GG_WARP == 0)
            rows.outside[s / GG_WARP] = word;
    }
}

static __device__ __forceinline__ bool is_outside(const shared_rows &rows,
                                                  uint64_t place) {
    return rows.outside[place / 32] >> place % 32 & 1;
}

/* Rows of own vertices outside: a lane for each, the whole warp for a long one. */
static __global__ void link_rows_outside(const __grid_constant__ shared_rows rows,
                                         const __grid_constant__ arrays a) {
    const uint64_t whole = gg_whole_warps(rows.vertices);
    const uint64_t first_place = several_first(&rows.places, rows.me);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        const bool open = i < rows.vertices && is_outside(rows, first_place + i);
        const uint64_t first = open ? rows.offset[i] : 0,
                       end = open ? rows.offset[i + 1] : 0;
        const uint32_t v = open ? own_number(rows, i) : 0;
        unsigned large = __ballot_sync(~0u, end - first >= LONG_ROW);
        for (uint64_t k = first; end - first < LONG_ROW && k < end; k++)
            link_ends(a.component, v, number_of(rows, rows.target[k]));
        for (; large; large &= large - 1) {
            const int owner = __ffs((int)large) - 1;
            const uint64_t low = __shfl_sync(~0u, first, owner),
                           high = __shfl_sync(~0u, end, owner);
            const uint32_t u = __shfl_sync(~0u, v, owner);
            for (uint64_t k = low + gg_lane(); k < high; k += GG_WARP)
                link_ends(a.component, u, number_of(rows, rows.target[k]));
            __syncwarp();
        }
    }
}

/* The own vertex in whose row the arc is. */
static __device__ uint32_t row_of_arc(const shared_rows &rows, uint64_t arc) {
    uint32_t low = 0,
             high = rows.vertices - 1; /* the last row that begins at or before */
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;
        if (rows.offset[middle] <= arc)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Own arcs that lead outside. Few do: only of these the row is looked for. */
static __global__ void __launch_bounds__(GG_BLOCK)
    link_arcs_outside(const __grid_constant__ shared_rows rows,
                      const __grid_constant__ arrays a) {
    __shared__ waiting of_warp[WARPS];
    waiting *w = &of_warp[threadIdx.x / GG_WARP];
    const uint64_t whole = gg_whole_warps(rows.arcs);
    uint32_t count = 0;
    for (uint64_t k = gg_thread(); k < whole; k += gg_threads_of_grid()) {
        const uint32_t to = k < rows.arcs ? rows.target[k] : 0;
        const bool open = k < rows.arcs && is_outside(rows, to);
        if (!__any_sync(~0u, open))
            continue;
        count = wait_or_link(a, w, count, open,
                             open ? own_number(rows, row_of_arc(rows, k)) : 0,
                             open ? number_of(rows, to) : 0);
    }
    link_waiting(a, w, 0, count);
}

/* ---- driver ---- */

struct shared_forest {
    struct several_team *team;
    const struct several_parts *parts;
    bool both_ways;
    struct arrays arrays[SEVERAL_MOST];
    struct shared_rows rows[SEVERAL_MOST];
    several_array<uint32_t> component, other, outside, largest;
};

static void carve(struct shared_forest *f, struct several_space *space) {
    const struct several_places *places = &f->parts->places;
    f->component = gg_several_carve<uint32_t>(space, places->n);
    f->other = gg_several_carve<uint32_t>(space, f->team->parts > 1 ? places->n : 0);
    f->outside = gg_several_carve<uint32_t>(space, several_all_places(places) / GG_WARP);
    f->largest = gg_several_carve<uint32_t>(space, 1);
}

static void set_up(struct shared_forest *f, int p) {
    const struct several_rows *own = &f->parts->rows[p];
    const struct several_places *places = &f->parts->places;
    f->arrays[p] = arrays{places->n, f->component.at[p], NULL, f->largest.at[p]};
    f->rows[p] =
        shared_rows{*places,         (uint32_t)p, several_vertices(places, (uint32_t)p),
                    own->arcs,       own->offset, own->target,
                    f->outside.at[p]};
}

static void link_sample(struct shared_forest *f, int p) {
    struct cuda_job *job = gg_several_on(f->team, p);
    const struct arrays *a = &f->arrays[p];
    const struct shared_rows *rows = &f->rows[p];
    const unsigned all = gg_grid(job, a->n, 16), own = gg_grid(job, rows->vertices, 16);
    if (!gg_going(job))
        return;
    begin<<<all, GG_BLOCK, 0, job->stream>>>(*a);
    hook_first_arcs<<<own, GG_BLOCK, 0, job->stream>>>(*rows, *a);
    shorten<<<all, GG_BLOCK, 0, job->stream>>>(*a);
    link_two_arcs<<<own, GG_BLOCK, 0, job->stream>>>(*rows, *a);
    shorten<<<all, GG_BLOCK, 0, job->stream>>>(*a);
    gg_launched(job, "link_two_arcs");
}

static void link_rest(struct shared_forest *f, int p) {
    struct cuda_job *job = gg_several_on(f->team, p);
    const struct arrays *a = &f->arrays[p];
    const struct shared_rows *rows = &f->rows[p];
    const unsigned all = gg_grid(job, several_all_places(&rows->places), 16);
    if (!gg_going(job))
        return;
    elect<<<1, COMPONENTS_VOTES, 0, job->stream>>>(*a);
    mark_places_outside<<<all, GG_BLOCK, 0, job->stream>>>(*rows, *a);
    link_rows_outside<<<gg_grid(job, rows->vertices, 16), GG_BLOCK, 0, job->stream>>>(
        *rows, *a);
    if (!f->both_ways && rows->vertices > 0)
        link_arcs_outside<<<gg_grid(job, rows->arcs, 16), GG_BLOCK, 0, job->stream>>>(
            *rows, *a);
    gg_launched(job, "link_rows_outside");
}

/* One forest for two, then for four, ...: on member 0 in the end. */
static bool merge(struct shared_forest *f) {
    const int parts = f->team->parts;
    const uint64_t bytes = (uint64_t)f->parts->places.n * sizeof(uint32_t);
    for (int step = 1; step < parts; step *= 2) {
        struct several_piece piece[SEVERAL_MOST * SEVERAL_MOST] = {};
        for (int p = 0; p + step < parts; p += 2 * step)
            piece[(p + step) * parts + p] =
                several_piece{f->other.at[p], f->component.at[p + step], bytes};
        if (!f->team->exchange->move(f->team, piece))
            return false;
        for (int p = 0; p + step < parts; p += 2 * step) {
            struct cuda_job *job = gg_several_on(f->team, p);
            link_forest<<<gg_grid(job, f->parts->places.n, 16), GG_BLOCK, 0,
                          job->stream>>>(f->other.at[p], f->arrays[p]);
            gg_launched(job, "link_forest");
        }
        if (!gg_several_wait(f->team))
            return false;
    }
    struct cuda_job *job = gg_several_on(f->team, 0);
    compress<<<gg_grid(job, f->parts->places.n, 16), GG_BLOCK, 0, job->stream>>>(
        f->arrays[0]);
    gg_launched(job, "compress");
    return gg_several_wait(f->team);
}

static bool spread(struct shared_forest *f) {
    struct several_piece piece[SEVERAL_MOST * SEVERAL_MOST] = {};
    for (int p = 1; p < f->team->parts; p++)
        piece[p] = several_piece{f->component.at[p], f->component.at[0],
                                 (uint64_t)f->parts->places.n * sizeof(uint32_t)};
    return f->team->exchange->move(f->team, piece) && gg_several_wait(f->team);
}

static bool find(struct shared_forest *f) {
    struct several_space space = {f->team->parts, {}, 0};
    carve(f, &space);
    if (!gg_several_workspace(f->team, &space))
        return false;
    carve(f, &space);
    for (int p = 0; p < f->team->parts; p++)
        set_up(f, p);
    for (int p = 0; p < f->team->parts; p++)
        link_sample(f, p);
    if (!gg_several_wait(f->team) || !merge(f) || !spread(f))
        return false;
    for (int p = 0; p < f->team->parts; p++)
        link_rest(f, p);
    return gg_several_wait(f->team) && merge(f);
}

bool gg_components_on_team(struct several_team *team, const struct several_parts *parts,
                           bool both_ways, uint32_t **component) {
    struct shared_forest *f =
        (struct shared_forest *)gg_alloc_zero(team->run, 1, sizeof *f);
    if (!f)
        return false;
    f->team = team;
    f->parts = parts;
    f->both_ways = both_ways;
    const bool done = find(f);
    *component = f->component.at[0];
    gg_release(f);
    return done;
}

/* ---- a graph's ---- */

static bool find_all(struct several_team *team, uint32_t *component) {
    struct several_parts parts;
    uint32_t *found;
    char more[80];
    const bool both_ways = gg_known_symmetric(team->graph);
    if (!gg_several_rows(team, CSR_OUT, false, &parts))
        return false;
    double started = gg_now_ms();
    if (!gg_components_on_team(team, &parts, both_ways, &found))
        return false;
    snprintf(more, sizeof more, "%d parts, exchange %s", team->parts,
             team->exchange->name);
    gg_search_phase(team->run, started, (int64_t)parts.arcs, more);
    started = gg_now_ms();
    if (gg_download(gg_several_on(team, 0), component, found,
                    (uint64_t)parts.places.n * sizeof *component))
        gg_phase(team->run, "download", started, parts.places.n, "components");
    return gg_several_going(team);
}

gpugraph_status gg_components_several(gpugraph_graph *graph, gpugraph_run *run,
                                      const int *ordinal, int parts,
                                      uint32_t *component) {
    struct several_team team;
    run->used_method = "several";
    if (graph->n == 0 || !gg_several_open(&team, graph, run, ordinal, parts))
        return run->status;
    find_all(&team, component);
    return gg_several_close(&team);
}

int64_t gg_components_several_bytes(const gpugraph_graph *graph, int parts) {
    return gg_several_rows_lack(graph, parts, CSR_OUT, false) + 9 * (int64_t)graph->n +
           2048 * parts + 65536;
}
