/* Checks if a graph is its own transpose. Searches of such a graph need no transposed
** rows. The device's copy stores the answer until the graph changes.
**
**     edges     ascending by (source, target), without repeats: arc i of OUT is edge i
**     row v     [ lower: targets < v | v itself | upper: targets > v ]
**     mirrors   (target, source) of every upper arc, after a stable sort by target; the
**               graph is symmetric if the mirrors equal the lower arcs, in order
**
** The first pass computes a sum over all edges. An edge and its mirror add 0 to the sum.
** Nearly all asymmetric graphs have another sum. A sum of 0 proves nothing. */
#include "device_copy.cuh"
#include "frontier.cuh"

#include <cub/device/device_radix_sort.cuh>

struct symmetry_look {
    unsigned long long sum; /* 0: possibly symmetric */
    uint32_t falls;         /* 1: an edge is not greater than the previous edge */
    uint32_t differs;       /* 1: a mirror differs from the lower arc at its position */
};

/* One thread per edge: adds its hash, and checks the order. */
static __global__ void add_ends(device_edges edges, symmetry_look *look) {
    unsigned long long sum = 0;
    bool falls = false;
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint64_t s = edges.source[e], t = edges.target[e];
        uint64_t mix = s == t ? 0 : gg_fixed_hash(s < t ? s << 32 | t : t << 32 | s);
        sum += s < t ? mix : 0 - mix;
        if (e > 0) {
            uint64_t before = edges.source[e - 1];
            falls |= (before << 32 | edges.target[e - 1]) >= (s << 32 | t);
        }
    }
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(ALL_LANES, sum, step);
    if (sum && threadIdx.x % GG_WARP == 0)
        atomicAdd(&look->sum, sum);
    if (falls)
        look->falls = 1;
}

/* One thread per row: counts arcs to smaller and larger vertices. Row n has no arcs. */
static __global__ void count_sides(device_csr rows, uint32_t *lower, uint32_t *upper) {
    for (uint64_t v = gg_thread(); v <= rows.n; v += gg_threads_of_grid()) {
        uint64_t begin = v < rows.n ? rows.begin[v] : 0;
        uint64_t end = v < rows.n ? rows.end[v] : 0;
        uint64_t low = gg_first_at_least(rows.target, begin, end, (uint32_t)v);
        bool loop = low < end && rows.target[low] == v;
        lower[v] = (uint32_t)(low - begin);
        upper[v] = (uint32_t)(end - low - loop);
    }
}

/* One thread per edge: writes the mirrors of upper arcs, in the order of the arcs. */
static __global__ void lay_mirrors(device_edges edges, const uint64_t *row_end,
                                   const uint64_t *upper, uint32_t *row, uint32_t *arc) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (s >= t)
            continue;
        uint64_t at = upper[s + 1] - (row_end[s] - e);
        row[at] = t;
        arc[at] = s;
    }
}

/* One thread per mirror: compares it with the lower arc at its position. */
static __global__ void compare_mirrors(device_csr rows, const uint64_t *lower,
                                       const uint32_t *row, const uint32_t *arc,
                                       uint64_t mirrors, symmetry_look *look) {
    bool differs = false;
    for (uint64_t i = gg_thread(); i < mirrors; i += gg_threads_of_grid()) {
        uint32_t v = row[i];
        uint64_t first = lower[v];
        differs |= i < first || i >= lower[v + 1] ||
                   rows.target[rows.begin[v] + (i - first)] != arc[i];
    }
    if (differs)
        look->differs = 1;
}

struct symmetry_scratch {
    symmetry_look *look;
    uint32_t *count[2];      /* n + 1; lower, upper */
    uint64_t *lower, *upper; /* n + 1: prefix sums */
    uint32_t *row, *arc;     /* mirrors */
    uint32_t *row_sorted, *arc_sorted;
    unsigned char *cub;
    size_t cub_bytes;
};

static void carve_symmetry(struct workspace *space, const struct device_edges *edges,
                           struct symmetry_scratch *s) {
    const uint64_t mirrors = edges->m / 2, n = edges->n;
    uint32_t *none = NULL;
    size_t sort = 0, sums = gg_offsets_scratch(edges->n);
    cub::DeviceRadixSort::SortPairs(NULL, sort, none, none, none, none, (int64_t)mirrors,
                                    0, 32);
    s->cub_bytes = sort > sums ? sort : sums;
    s->look = gg_carve<symmetry_look>(space, 1);
    for (int side = 0; side < 2; side++)
        s->count[side] = gg_carve<uint32_t>(space, n + 1);
    s->lower = gg_carve<uint64_t>(space, n + 1);
    s->upper = gg_carve<uint64_t>(space, n + 1);
    s->row = gg_carve<uint32_t>(space, mirrors);
    s->arc = gg_carve<uint32_t>(space, mirrors);
    s->row_sorted = gg_carve<uint32_t>(space, mirrors);
    s->arc_sorted = gg_carve<uint32_t>(space, mirrors);
    s->cub = gg_carve<unsigned char>(space, s->cub_bytes);
}

/* *perhaps: the edges are in order, and the graph may be symmetric. False when the job
** must end. */
static bool looks_symmetric(struct cuda_job *job, const struct device_edges *edges,
                            bool *perhaps) {
    struct symmetry_look look, *on_device;
    struct workspace space = {NULL, 0};
    gg_carve<symmetry_look>(&space, 1);
    if (!gg_workspace(job, &space))
        return false;
    on_device = gg_carve<symmetry_look>(&space, 1);
    gg_fill(job, on_device, 0, sizeof *on_device);
    if (!gg_going(job))
        return false;
    add_ends<<<gg_grid(job, edges->m, 16), GG_BLOCK, 0, job->stream>>>(*edges, on_device);
    if (!gg_launched(job, "add_ends") || !gg_fetch(job, &look, on_device, sizeof look))
        return false;
    *perhaps = look.sum == 0 && !look.falls;
    return true;
}

/* Computes the prefix sums of both sides. *mirrors: their total; UINT64_MAX if the totals
** differ. */
static bool add_sides(struct cuda_job *job, const struct device_csr *rows,
                      const struct symmetry_scratch *s, uint64_t *mirrors) {
    uint64_t total[2];
    count_sides<<<gg_grid(job, (uint64_t)rows->n + 1, 16), GG_BLOCK, 0, job->stream>>>(
        *rows, s->count[0], s->count[1]);
    if (!gg_launched(job, "count_sides") ||
        !gg_offsets(job, s->count[0], s->lower, rows->n, s->cub, s->cub_bytes) ||
        !gg_offsets(job, s->count[1], s->upper, rows->n, s->cub, s->cub_bytes) ||
        !gg_fetch(job, &total[0], s->lower + rows->n, sizeof total[0]) ||
        !gg_fetch(job, &total[1], s->upper + rows->n, sizeof total[1]))
        return false;
    *mirrors = total[0] == total[1] ? total[0] : UINT64_MAX;
    return true;
}

/* Compares all mirrors with the lower arcs. */
static bool find_mirrors(struct cuda_job *job, const struct device_edges *edges,
                         const struct device_csr *rows, const struct symmetry_scratch *s,
                         bool *symmetric) {
    symmetry_look look = {};
    uint64_t mirrors;
    size_t bytes = s->cub_bytes;
    gg_fill(job, s->look, 0, sizeof *s->look);
    if (!gg_going(job) || !add_sides(job, rows, s, &mirrors))
        return false;
    *symmetric = false;
    if (mirrors == UINT64_MAX)
        return true;
    lay_mirrors<<<gg_grid(job, edges->m, 16), GG_BLOCK, 0, job->stream>>>(
        *edges, rows->end, s->upper, s->row, s->arc);
    if (!gg_launched(job, "lay_mirrors") ||
        !gg_note(job,
                 cub::DeviceRadixSort::SortPairs(
                     s->cub, bytes, s->row, s->row_sorted, s->arc, s->arc_sorted,
                     (int64_t)mirrors, 0, gg_key_bits(rows->n - 1), job->stream),
                 "sort mirrored arcs"))
        return false;
    compare_mirrors<<<gg_grid(job, mirrors, 16), GG_BLOCK, 0, job->stream>>>(
        *rows, s->lower, s->row_sorted, s->arc_sorted, mirrors, s->look);
    if (!gg_launched(job, "compare_mirrors") ||
        !gg_fetch(job, &look, s->look, sizeof look))
        return false;
    *symmetric = !look.differs;
    return true;
}

/* Checks the edges, and reports the phase. False when the job must end. */
static bool ask_device_symmetry(struct cuda_job *job, struct device_csr *rows,
                                bool *symmetric) {
    struct workspace space = {NULL, 0};
    struct symmetry_scratch scratch;
    struct device_edges edges;
    bool perhaps = false;
    double started = gg_now_ms();
    if (!gg_device_edges(job, false, &edges) || !looks_symmetric(job, &edges, &perhaps))
        return false;
    job->working = false;
    double looked = gg_now_ms();
    carve_symmetry(&space, &edges, &scratch);
    if (perhaps && (int64_t)space.used <= gg_device_room(job)) {
        rows->target = edges.target; /* in order; the rows may not be */
        if (!gg_workspace(job, &space))
            return false;
        carve_symmetry(&space, &edges, &scratch);
        if (!find_mirrors(job, &edges, rows, &scratch, symmetric))
            return false;
        gg_drop_workspace(job);
    }
    gg_phase(job->run, "prepare", started, (int64_t)edges.m,
             "%s; sum of the ends %.3f ms",
             *symmetric ? "symmetric: rows are their own transpose"
                        : "not known to be symmetric",
             looked - started);
    return gg_going(job);
}

bool gg_device_symmetry(struct cuda_job *job, enum symmetry *found) {
    struct device_csr rows;
    bool symmetric = false;
    *found = SYMMETRY_UNKNOWN;
    if (!gg_device_csr(job, CSR_OUT, false, &rows))
        return false;
    struct device_copy *copy = gg_device_copy_of(job->graph);
    if (copy->symmetry == SYMMETRY_UNKNOWN && copy->rows[CSR_IN].made) {
        *found = NOT_SYMMETRIC; /* the transpose exists, so the answer saves nothing */
        return true;
    }
    if (!gg_is_packed(&rows)) { /* slack: the graph changes, and the check does not pay */
        *found = copy->symmetry;
        return true;
    }
    bool rests = copy->changed && !copy->rested;
    copy->rested = true;
    if (copy->symmetry == SYMMETRY_UNKNOWN && !rests) {
        if (!ask_device_symmetry(job, &rows, &symmetric))
            return false;
        copy->symmetry = symmetric ? SYMMETRIC : NOT_SYMMETRIC;
    }
    *found = copy->symmetry;
    return true;
}

bool gg_known_symmetric(const gpugraph_graph *graph) {
    const struct device_copy *copy = gg_device_copy_of(graph);
    return copy && copy->symmetry == SYMMETRIC;
}
