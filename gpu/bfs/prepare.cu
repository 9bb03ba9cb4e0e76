/* The data that bottom-up levels need beside the transpose. They are made once for a
** graph and a direction and kept with the device's copy.
**
**     hub[v]    a vertex with an arc to v: at first the first such vertex, later the
**               vertex by which a search has found v. So searches learn hubs, which
**               nearly all searches reach before v
**     closed    bit v: no vertex has an arc to v, so no search finds v
**
** struct bfs_part also keeps properties of the graph that searches have found out. */
#include "bfs.cuh"
#include "device/parts.cuh"
#include "graph/graph.h"

/* One warp takes 32 rows. Each row has a bit in `closed`. */
static __global__ void first_hubs(const __grid_constant__ device_csr rows, uint32_t *hub,
                                  uint32_t *closed, uint64_t words) {
    uint64_t word = gg_thread() / GG_WARP;
    for (; word < words; word += gg_threads_of_grid() / GG_WARP) {
        uint64_t v = word * 32 + gg_lane();
        uint64_t begin = v < rows.n ? rows.begin[v] : 0;
        uint64_t end = v < rows.n ? rows.end[v] : 0;
        unsigned bits = __ballot_sync(ALL_LANES, begin == end);
        if (v < rows.n)
            hub[v] = begin < end ? rows.target[begin] : GPUGRAPH_NONE;
        if (gg_lane() == 0)
            closed[word] = bits;
    }
}

struct device_hubs { /* for the rows of one kind; NULL: not made */
    uint32_t *hub, *closed;
};

struct bfs_part {
    device_part part;
    uint32_t n; /* vertices of the hubs that are made */
    device_hubs hubs[CSR_KINDS];
    bool explodes[CSR_KINDS]; /* a search would have used hubs */
};

static void free_hubs(bfs_part *kept, device_hubs *hubs) {
    give(&kept->part, hubs->hub, kept->n, sizeof *hubs->hub);
    give(&kept->part, hubs->closed, gg_hub_words(kept->n), sizeof *hubs->closed);
    *hubs = device_hubs();
}

static void drop_hubs(gpugraph_graph *, device_part *part, unsigned) {
    bfs_part *kept = (bfs_part *)part;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        free_hubs(kept, &kept->hubs[kind]);
}

static const device_part_kind bfs_kind = {"hubs", sizeof(struct bfs_part),
                                          PART_ON_EDGES | PART_ON_VERTICES, drop_hubs};

bool gg_bfs_explodes(const gpugraph_graph *graph, enum csr_kind kind) {
    const bfs_part *kept = (bfs_part *)gg_device_part_of(graph, &bfs_kind);
    return kept && kept->explodes[kind];
}

void gg_bfs_note_explosion(cuda_job *job, enum csr_kind kind) {
    bfs_part *kept = (bfs_part *)gg_device_part(job, &bfs_kind);
    if (kept)
        kept->explodes[kind] = true;
}

bool gg_bfs_has_hubs(const gpugraph_graph *graph, enum csr_kind kind) {
    const bfs_part *kept = (bfs_part *)gg_device_part_of(graph, &bfs_kind);
    return kept && kept->hubs[kind].closed;
}

enum csr_kind gg_bfs_transpose(const gpugraph_graph *graph,
                               gpugraph_direction direction) {
    return direction == GPUGRAPH_OUT && gg_known_symmetric(graph)
               ? CSR_OUT
               : gg_reverse_kind(direction);
}

bool gg_bfs_first_hubs(cuda_job *job, const device_csr *rows, uint32_t *hub,
                       uint32_t *closed) {
    const uint64_t words = gg_hub_words(rows->n);
    return GG_LAUNCH(job, first_hubs, gg_grid(job, words * 32, 8), *rows, hub, closed,
                     words);
}

bool gg_bfs_below(cuda_job *job, enum csr_kind kind, bfs_below *below) {
    if (!gg_device_csr(job, kind, false, &below->rows))
        return false;
    bfs_part *kept = (bfs_part *)gg_device_part(job, &bfs_kind);
    if (!kept)
        return false;
    device_hubs *hubs = &kept->hubs[kind];
    const uint32_t n = job->graph->n;
    double started = gg_now_ms();
    if (!hubs->closed) {
        kept->n = n;
        bool made =
            take(job, &kept->part, &hubs->hub, n, sizeof *hubs->hub) &&
            take(job, &kept->part, &hubs->closed, gg_hub_words(n), sizeof *hubs->closed);
        made = made && gg_bfs_first_hubs(job, &below->rows, hubs->hub, hubs->closed) &&
               gg_wait(job);
        if (!made) { /* the kernel has not filled the memory */
            free_hubs(kept, hubs);
            return false;
        }
        gg_phase(job->run, "prepare", started, n,
                 "hubs: the neighbour that each vertex checks first, on the device");
    }
    below->hub = hubs->hub;
    below->closed = hubs->closed;
    return gg_going(job);
}
