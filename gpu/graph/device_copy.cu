/* The device's copy of a graph: the edge list, uploaded once, and the CSRs, built there.
**
**     host edges  --upload-->  source[m] target[m] weight[m]       by edge number
**                                |
**        OUT, IN, BOTH:          |  device_rows.cu
**        SIMPLE:                 v  device_simple.cu
**                              offset[n + 1] target[arcs] weight[arcs]
**
** A CSR is made on first need and stays until the graph is freed or its device memory is
** reclaimed. Scratch lies in the workspace, which the search reuses. A change of the
** graph gives rows slack: end[n] and spare[n] are added to offset (update/rewrite.cu). */
#include "device_copy.cuh"
#include "ids/ids.cuh"
#include "fixed_rows.cuh"
#include "graph.h"

/* ---- memory ---- */

void gg_free_device_rows(struct device_copy *copy, struct device_rows *rows) {
    give(&copy->part, rows->offset, rows->offset_room, sizeof *rows->offset);
    give(&copy->part, rows->end, rows->offset_room, sizeof *rows->end);
    give(&copy->part, rows->spare, rows->offset_room, sizeof *rows->spare);
    give(&copy->part, rows->target, rows->room, sizeof *rows->target);
    give(&copy->part, rows->weight, rows->room, copy->weight_size);
    *rows = device_rows();
}

static void free_device_edges(struct device_copy *copy) {
    give(&copy->part, copy->source, copy->edge_room, sizeof *copy->source);
    give(&copy->part, copy->target, copy->edge_room, sizeof *copy->target);
    give(&copy->part, copy->weight, copy->edge_room, copy->weight_size);
    copy->source = copy->target = NULL;
    copy->weight = NULL;
    copy->edge_room = copy->m;
}

/* A patch updates edges and rows after a change (update/patch.cu). */
static void drop_copy(gpugraph_graph *, struct device_part *part, unsigned gone) {
    struct device_copy *copy = (struct device_copy *)part;
    copy->symmetry = SYMMETRY_UNKNOWN;
    if (!(gone & PART_ON_DEVICE))
        return;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        gg_free_device_rows(copy, &copy->rows[kind]);
    free_device_edges(copy);
}

static const struct device_part_kind copy_kind = {
    "edges and rows", sizeof(struct device_copy), PART_ON_EDGES, drop_copy};

struct device_copy *gg_device_copy_of(const gpugraph_graph *graph) {
    return (struct device_copy *)gg_device_part_of(graph, &copy_kind);
}

/* Moves to the copy the ends that the mapping of ids has left, without copying them. */
static void take_ends_over(struct device_copy *copy, struct device_ends *ends) {
    if (!ends || !ends->target)
        return;
    copy->source = ends->source;
    copy->target = ends->target;
    copy->weight = ends->weight;
    add_bytes(&copy->part, ends->part.bytes);
    ends->source = ends->target = NULL;
    ends->weight = NULL;
    add_bytes(&ends->part, -ends->part.bytes);
}

/* NULL when the job must end. */
static struct device_copy *new_copy(struct cuda_job *job) {
    const gpugraph_graph *graph = job->graph;
    struct device_copy *copy = (struct device_copy *)gg_device_part(job, &copy_kind);
    if (copy) {
        copy->n = graph->n;
        copy->m = graph->m;
        copy->edge_room = graph->m;
        take_ends_over(copy, gg_device_ends(graph));
    }
    return copy;
}

struct device_copy *gg_device_copy(struct cuda_job *job) {
    const gpugraph_graph *graph = job->graph;
    struct device_copy *copy = gg_device_copy_of(graph);
    if (!copy)
        copy = new_copy(job);
    if (copy && gg_has_weights(graph))
        copy->weight_size = gg_distance_size(graph->distance_type);
    return copy;
}

bool gg_has_device_ends(const gpugraph_graph *graph) {
    const struct device_copy *copy = gg_device_copy_of(graph);
    const struct device_ends *ends = gg_device_ends(graph);
    return copy ? copy->target != NULL : ends && ends->target;
}

static uint64_t arcs_at_most(const gpugraph_graph *graph, int kind) {
    return kind == CSR_BOTH || kind == CSR_SIMPLE ? 2 * graph->m : graph->m;
}

int64_t gg_device_graph_lacks(const gpugraph_graph *graph, enum csr_kind kind,
                              bool weighted) {
    const struct device_copy *copy = gg_device_copy_of(graph);
    uint64_t weight = weighted ? gg_distance_size(graph->distance_type) : 0;
    uint64_t bytes = 0, m = graph->m;
    if (!gg_has_device_ends(graph))
        bytes += m * 8;
    const struct device_ends *ends = gg_device_ends(graph);
    if (!(copy ? copy->weight : ends ? ends->weight : NULL))
        bytes += m * weight;
    if (kind == CSR_KINDS)
        return (int64_t)bytes;
    const struct device_rows *rows = copy ? &copy->rows[kind] : NULL;
    if (!rows || !rows->made || (weighted && !rows->weight)) {
        uint64_t arcs = arcs_at_most(graph, kind);
        bytes += ((uint64_t)graph->n + 1) * 8 + arcs * (4 + weight);
        bytes += 65536;
        bytes += kind == CSR_SIMPLE ? arcs * 17 : (uint64_t)graph->n * 5;
    }
    return (int64_t)bytes;
}

/* ---- edges ---- */

static bool take_edges(struct cuda_job *job, struct device_copy *copy, bool ends,
                       bool weights) {
    return (!ends ||
            (take(job, &copy->part, &copy->source, copy->edge_room, sizeof(uint32_t)) &&
             take(job, &copy->part, &copy->target, copy->edge_room, sizeof(uint32_t)))) &&
           (!weights ||
            take(job, &copy->part, &copy->weight, copy->edge_room, copy->weight_size));
}

static bool send_edges(struct cuda_job *job, struct device_copy *copy, bool ends,
                       bool weights) {
    const gpugraph_edge_list *edges = &job->graph->edges;
    uint64_t bytes = copy->m * sizeof(uint32_t);
    return (!ends || (gg_upload(job, copy->source, edges->source, bytes) &&
                      gg_upload(job, copy->target, edges->target, bytes))) &&
           (!weights || gg_upload(job, copy->weight, job->graph->weight,
                                  copy->m * copy->weight_size)) &&
           gg_wait(job);
}

/* Drops a partial copy, which would look complete. ends: the upload included the ends;
** otherwise they stay, since they may exist only there. */
static void give_back(gpugraph_graph *graph, struct device_copy *copy, bool ends) {
    if (ends) {
        gg_drop_device_parts(graph, PART_GROUNDS);
        return;
    }
    give(&copy->part, copy->weight, copy->edge_room, copy->weight_size);
    copy->weight = NULL;
}

/* Uploads missing arrays from the host, whose edges have no gaps meanwhile. */
static bool bring_edges(struct cuda_job *job, bool weighted) {
    struct device_copy *copy = gg_going(job) ? gg_device_copy(job) : NULL;
    if (!copy)
        return false;
    double started = gg_now_ms();
    int64_t before = copy->part.bytes;
    bool ends = !copy->target, weights = weighted && !copy->weight;
    if (!ends && !weights)
        return true;
    gg_close_gaps(job->graph, gg_threads(job->run, copy->m));
    bool taken = take_edges(job, copy, ends, weights);
    double sent = gg_now_ms();
    if (!taken || !send_edges(job, copy, ends, weights)) {
        give_back(job->graph, copy, ends);
        return false;
    }
    gg_phase(job->run, "upload", started, (int64_t)copy->m,
             "%lld bytes to device %d, at %.1f GB/s",
             (long long)(copy->part.bytes - before), job->device->ordinal,
             (double)(copy->part.bytes - before) * 1e-6 / (gg_now_ms() - sent + 1e-3));
    return true;
}

bool gg_device_edges(struct cuda_job *job, bool weighted, struct device_edges *view) {
    if (!bring_edges(job, weighted))
        return false;
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    *view = device_edges{copy->n, copy->m, copy->source, copy->target,
                         weighted ? copy->weight : NULL};
    return true;
}

/* Finds device-resident edges. */
static bool find_edges(struct cuda_job *job, const uint32_t **source,
                       const uint32_t **target, const void **weight) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    const struct device_ends *ends = gg_device_ends(job->graph);
    if (copy ? !copy->target : !ends || !ends->target) {
        gg_fail(
            job->run, GPUGRAPH_DEVICE_FAILED,
            "the edges are no longer on the CUDA device that had them; repeat the query "
            "to read the table again");
        return false;
    }
    *source = copy ? copy->source : ends->source;
    *target = copy ? copy->target : ends->target;
    *weight = copy ? copy->weight : ends->weight;
    return true;
}

bool gg_job_download_edges(struct cuda_job *job) {
    gpugraph_graph *graph = job->graph;
    const uint32_t *from_source, *from_target;
    const void *from_weight;
    const uint64_t m = graph->m, size = gg_distance_size(graph->distance_type);
    const bool weighted = gg_has_weights(graph) && !graph->weight;
    const double started = gg_now_ms();
    if (!gg_is_device_resident(graph) || !gg_going(job))
        return gg_going(job);
    if (!find_edges(job, &from_source, &from_target, &from_weight))
        return false;
    uint32_t *source = (uint32_t *)gg_alloc_slack(job->run, m, sizeof *source);
    uint32_t *target = (uint32_t *)gg_alloc_slack(job->run, m, sizeof *target);
    void *weight = weighted ? gg_alloc_slack(job->run, m, size) : NULL;
    const bool came = gg_going(job) &&
                      gg_download(job, source, from_source, m * sizeof *source) &&
                      gg_download(job, target, from_target, m * sizeof *target) &&
                      (!weighted || gg_download(job, weight, from_weight, m * size));
    if (!came) {
        gg_release(source);
        gg_release(target);
        gg_release(weight);
        return false;
    }
    gg_publish_edges(graph, source, target, weight);
    const uint64_t bytes = m * (2 * sizeof *source + (weighted ? size : 0));
    gg_phase(job->run, "download", started, (int64_t)m,
             "%llu bytes of edges, needed on the host, at %.1f GB/s",
             (unsigned long long)bytes,
             (double)bytes * 1e-6 / (gg_now_ms() - started + 1e-3));
    return true;
}

/* ---- any kind ---- */

static const char *const kind_name[CSR_KINDS] = {"out", "in, the transpose of out",
                                                 "both", "simple"};

static bool build(struct cuda_job *job, enum csr_kind kind, bool weighted) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    struct device_rows *rows = &copy->rows[kind];
    const char *how = "";
    double started = gg_now_ms();
    gg_free_device_rows(copy, rows);
    gg_drop_fixed_rows(job->graph, kind); /* arcs may lie in another order */
    rows->offset_room = (uint64_t)copy->n + 1;
    bool built = kind == CSR_SIMPLE ? gg_device_simple(job, rows)
                                    : gg_device_rows(job, kind, weighted, rows, &how);
    job->working = false;
    if (!built) {
        /* A failed upload drops the copy, and these rows with it. */
        if (gg_device_copy_of(job->graph))
            gg_free_device_rows(copy, rows);
        return false;
    }
    rows->made = true;
    gg_phase(job->run, "csr", started, (int64_t)rows->arcs, "%s%s, on the device%s",
             kind_name[kind], weighted ? " with weights" : "", how);
    return true;
}

bool gg_device_csr(struct cuda_job *job, enum csr_kind kind, bool weighted,
                   struct device_csr *view) {
    if (!bring_edges(job, weighted))
        return false;
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    const struct device_rows *rows = &copy->rows[kind];
    if ((!rows->made || (weighted && !rows->weight)) && !build(job, kind, weighted))
        return false;
    *view = gg_view_of_rows(copy, rows);
    if (!weighted)
        view->weight = NULL;
    return true;
}
