/* Checks if a graph is its own transpose. Searches of such a graph need no transposed
** rows. The device's copy stores the answer until the graph changes.
**
**     sum     of signed hashes of all edges; an edge and its reverse add 0. Nearly all
**             asymmetric graphs have another sum. A sum of 0 proves nothing
**     rows    if the sum is 0, IN is made, compared with OUT, and freed. Edges must
**             ascend by (source, target) without repeats. Then the rows of OUT and IN
**             ascend, and the graph is symmetric if the arrays are equal */
#include "device_copy.cuh"
#include "frontier.cuh"

struct symmetry_look {
    unsigned long long sum; /* 0: possibly symmetric */
    uint32_t falls;         /* 1: an edge is not greater than the previous edge */
    uint32_t differs;       /* 1: the rows of OUT and IN differ */
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

/* One thread per arc, and one per row. */
static __global__ void compare_rows(device_csr out, device_csr in, symmetry_look *look) {
    bool differs = false;
    for (uint64_t i = gg_thread(); i < out.m; i += gg_threads_of_grid())
        differs |= out.target[i] != in.target[i];
    for (uint64_t v = gg_thread(); v < out.n; v += gg_threads_of_grid())
        differs |= out.begin[v] != in.begin[v];
    if (differs)
        look->differs = 1;
}

/* Compares the rows, in the order of the edges, with the rows of the transpose. */
static bool compare_with_transpose(struct cuda_job *job, const struct device_edges *edges,
                                   const struct device_csr *rows, bool *symmetric) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    symmetry_look look;
    struct device_csr in, out = *rows;
    out.target = edges->target; /* the rows may have another order */
    if (!gg_device_csr(job, CSR_IN, false, &in) ||
        !gg_fetch_result(job, &look, [&](symmetry_look *there) {
            return GG_LAUNCH(job, compare_rows, gg_grid(job, out.m + out.n, 16), out, in,
                             there);
        }))
        return false;
    *symmetric = !look.differs;
    gg_free_device_rows(copy, &copy->rows[CSR_IN]);
    return true;
}

/* Checks the edges, and reports the phase. Returns false if the job must end. */
static bool ask_device_symmetry(struct cuda_job *job, const struct device_csr *rows,
                                bool *symmetric) {
    symmetry_look look;
    struct device_edges edges;
    const double started = gg_now_ms();
    if (!gg_device_edges(job, false, &edges) ||
        !gg_fetch_result(job, &look, [&](symmetry_look *there) {
            return GG_LAUNCH(job, add_ends, gg_grid(job, edges.m, 16), edges, there);
        }))
        return false;
    const double looked = gg_now_ms();
    if (look.sum == 0 && !look.falls &&
        gg_device_graph_lacks(job->graph, CSR_IN, false) <= gg_device_room(job) &&
        !compare_with_transpose(job, &edges, rows, symmetric))
        return false;
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
    /* Rows with slack belong to a graph that changes: the check does not pay. */
    if (copy->symmetry == SYMMETRY_UNKNOWN && gg_is_packed(&rows)) {
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
