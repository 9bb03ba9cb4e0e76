/* Shortest paths on the device: the driver of all methods. sssp.c has the CPU backend,
** sssp.cuh describes the engines.
**
**     rows  ->  parameters  ->  an engine fills distances  ->  tree edges  ->  the answer
**
** An engine drops a sum that leaves the range, and notes that there was one. The CPU
** backend then repeats the search and reports the error, which is rare. The host also
** settles ties of tree edges that need many passes. */
#include "sssp.h"
#include "sssp.cuh"
#include "base/limits.h"
#include "device/services.h"
#include "reached.cuh"
#include "regions/regions.cuh"
#include "tree/tree.cuh"

#include <stdio.h>

static void carve_sssp(const struct cuda_job *job, struct workspace *space,
                       struct sssp_search *s, bool tree, struct sssp_outcome *out) {
    uint64_t tree_bytes = gg_tree_bytes(job, tree), scratch = 0;
    uint64_t n = s->g.n, ends = (uint64_t)s->wanted->source_count;
    ends += s->wanted->target_count;
    const uint64_t halves = s->back.begin ? 2 : 1;
    s->distance = gg_carve<unsigned char>(space, halves * n * gg_distance_size(s->type));
    s->ends = gg_carve<uint32_t>(space, ends);
    out->distance = s->distance;
    out->ends = s->ends;
    if (tree)
        scratch = gg_distance_tree_scratch(job);
    out->tree = gg_carve<uint8_t>(space, tree_bytes);
    out->scratch = gg_carve<uint32_t>(space, scratch);
}

/* ---- the engine "regions" ---- */

/* A block searches a region by itself, where blocks of "persistent" would wait for each
** other after each small bucket (regions/search.cu). */

/* Regions serve searches for all distances, of 32 bits. */
static bool fits_regions(const struct sssp_search *s) {
    const gpugraph_search *wanted = s->wanted;
    return s->type == GPUGRAPH_UINT32 && wanted->source_count > 0 &&
           wanted->target_count == 0 && wanted->limit == 0 && !wanted->bounded;
}

static enum csr_kind forward_kind(const struct sssp_search *s) {
    return (enum csr_kind)gg_forward_kind(s->wanted->direction);
}

static uint64_t regions_bytes(struct cuda_job *job, const struct sssp_search *s) {
    struct device_regions regions;
    return gg_regions(job->graph, forward_kind(s), true, &regions)
               ? gg_regions_bytes(&regions)
               : 0;
}

static bool search_by_regions(struct cuda_job *job, struct sssp_search *s,
                              struct workspace *space) {
    struct device_regions regions;
    struct regions_outcome found;
    const double delta = s->parameters.delta;
    const uint32_t width = delta < 1            ? 1
                           : delta < UINT32_MAX ? (uint32_t)delta
                                                : UINT32_MAX;
    if (!gg_regions(job->graph, forward_kind(s), true, &regions) ||
        !gg_search_regions(job, &regions, s->ends, s->wanted->source_count, width,
                           static_cast<uint32_t *>(s->distance), space, &found))
        return false;
    s->dropped = found.lost;
    s->served = found.reached;
    gg_tell_regions(job, &regions, &found, s->more, sizeof s->more);
    return gg_going(job);
}

/* Finds or makes regions of s->g, if there is room beside `own` bytes. False: the job
** must end. */
static bool find_regions(struct cuda_job *job, const struct sssp_search *s, int64_t own,
                         bool *there) {
    struct device_regions regions;
    *there = false;
    if (!fits_regions(s))
        return true;
    if (!gg_make_regions(job, forward_kind(s), &s->g, true, own))
        return false;
    *there = gg_regions(job->graph, forward_kind(s), true, &regions);
    return true;
}

/* Regions by weight pay on graphs with four times as many vertices as regions by depth
** do: they save a tenth of the time on a road network of 24 million vertices, a twelfth
** on one of 4 million, and nothing on smaller ones (H200). */
#define TIMES_VERTICES 4
/* Grid barriers of a search that regions may shorten. */
#define LONG_BARRIERS 50

static void note_long_way(struct cuda_job *job, const struct sssp_search *s) {
    if (s->barriers >= LONG_BARRIERS && fits_regions(s) &&
        s->g.n / TIMES_VERTICES >= gg_limits.region_vertices)
        gg_note_long_way(job, &s->g, true);
}

/* ---- engines ---- */

/* In the order of enum sssp_kind. */
static const struct engine {
    uint64_t (*bytes)(struct cuda_job *, const struct sssp_search *);
    bool (*search)(struct cuda_job *, struct sssp_search *, struct workspace *);
} engines[] = {{gg_sssp_persistent_bytes, gg_sssp_persistent},
               {regions_bytes, search_by_regions},
               {gg_sssp_mlmq_bytes, gg_sssp_mlmq},
               {gg_sssp_mlmq_bytes, gg_sssp_mlmq}};

bool gg_sssp_engine(struct cuda_job *job, struct sssp_search *s,
                    struct workspace *space) {
    const gpugraph_search *wanted = s->wanted;
    gg_upload(job, s->ends, wanted->source,
              (uint64_t)wanted->source_count * sizeof *s->ends);
    gg_upload(job, s->ends + wanted->source_count, wanted->target,
              (uint64_t)wanted->target_count * sizeof *s->ends);
    return engines[s->parameters.kind].search(job, s, space);
}

uint64_t gg_sssp_engine_bytes(struct cuda_job *job, const struct sssp_search *s) {
    return engines[s->parameters.kind].bytes(job, s);
}

/* Chooses regions if they are asked for or worth making, and possible, and else by
** gg_sssp_choose. Multi-queues have distances of 32 bits and do not end early, so `auto`
** takes none of them for a search with a limit or targets. */
static bool choose_engine(struct cuda_job *job, struct sssp_search *s) {
    const struct sssp_features *features = &s->features;
    const bool is_auto = gg_method_is_auto(job->run);
    const gg_method *asked =
        is_auto ? NULL : gg_find_method(&gg_sssp_cuda, job->run->method);
    const int64_t own = (int64_t)s->g.n * 20 + (int64_t)gg_tree_bytes(job, true) + 65536;
    struct sssp_parameters *p = &s->parameters;
    bool there;
    gg_sssp_choose(features,
                   asked ? (enum sssp_kind)(asked - gg_sssp_cuda.methods) : SSSP_AUTO, p);
    if (gg_sssp_has_queues(p) &&
        (s->type != GPUGRAPH_UINT32 ||
         (is_auto && (s->wanted->limit > 0 || s->wanted->target_count > 0))))
        gg_sssp_choose(features, SSSP_PERSISTENT, p);
    const bool pays = is_auto && gg_wants_regions(job, true);
    if (p->kind == SSSP_REGIONS || pays) {
        if (!find_regions(job, s, own, &there))
            return false;
        if (there || !pays)
            gg_sssp_choose(features, there ? SSSP_REGIONS : SSSP_PERSISTENT, p);
    }
    job->run->used_method = gg_sssp_cuda.methods[p->kind].is.name;
    return gg_going(job);
}

/* Carves the workspace, and makes the arcs that the engine reads besides. */
static bool make_sssp_room(struct cuda_job *job, struct sssp_search *s, bool tree,
                           struct sssp_outcome *out, struct workspace *space) {
    const enum csr_kind kind = forward_kind(s);
    const bool fixes = s->parameters.local && !s->back.begin;
    *space = {NULL, 0};
    carve_sssp(job, space, s, tree, out);
    space->used += gg_sssp_engine_bytes(job, s);
    if ((fixes && !gg_fix_arcs(job, kind, &s->g, (int64_t)space->used)) ||
        !gg_sssp_prepare_pull(job, s, (int64_t)space->used) || !gg_workspace(job, space))
        return false;
    s->fixed = gg_fixed_arcs(job->graph, kind);
    if (s->transpose.begin)
        s->light = gg_light_arcs(job->graph, kind);
    carve_sssp(job, space, s, tree, out);
    return true;
}

bool gg_sssp_begin(struct cuda_job *job, const gpugraph_search *search,
                   struct sssp_search *s) {
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(search->direction);
    *s = sssp_search();
    s->wanted = search;
    s->type = job->graph->distance_type;
    s->stop = job->device->device_stop;
    return gg_device_csr(job, kind, true, &s->g) &&
           gg_device_features(job, kind, &s->g, &s->features);
}

bool gg_sssp_run(struct cuda_job *job, struct sssp_search *s, bool tree,
                 struct sssp_outcome *out) {
    struct workspace space;
    const double started = gg_now_ms();
    *out = sssp_outcome();
    if (!make_sssp_room(job, s, tree, out, &space))
        return false;
    /* The workspace may have taken their memory. */
    if (s->parameters.kind == SSSP_REGIONS && regions_bytes(job, s) == 0) {
        gg_sssp_choose(&s->features, SSSP_PERSISTENT, &s->parameters);
        job->run->used_method = gg_sssp_cuda.methods[SSSP_PERSISTENT].is.name;
        return gg_sssp_run(job, s, tree, out);
    }
    if (!gg_sssp_engine(job, s, &space))
        return false;
    out->lost = s->dropped && !s->early;
    if (!out->lost)
        gg_search_phase(job->run, started, (int64_t)s->served, "%s", s->more);
    return gg_going(job);
}

bool gg_sssp_search(struct cuda_job *job, const gpugraph_search *search, bool tree,
                    struct sssp_outcome *out) {
    struct sssp_search s;
    if (!gg_sssp_begin(job, search, &s) || !choose_engine(job, &s) ||
        !gg_sssp_run(job, &s, tree, out))
        return false;
    note_long_way(job, &s);
    return gg_going(job);
}

bool gg_sssp_tree(struct cuda_job *job, const gpugraph_search *search,
                  const struct sssp_outcome *out, uint32_t *ties) {
    double started = gg_now_ms();
    if (!gg_device_distance_tree(job, search, out->distance, out->ends, out->tree, ties,
                                 out->scratch))
        return false;
    gg_phase(job->run, "parents", started, (int64_t)job->graph->m,
             "passes over the edges, on the device");
    return true;
}

/* Brings distances and tree edges to the host. *ties: vertices whose tree edges the host
** has to find. */
static bool bring_distances_back(struct cuda_job *job, const gpugraph_search *search,
                                 const struct sssp_outcome *out, void *distance,
                                 void *tree_edge, uint32_t *ties) {
    uint64_t n = job->graph->n;
    *ties = 0;
    if (tree_edge && !gg_sssp_tree(job, search, out, ties))
        return false;
    double started = gg_now_ms();
    bool edges = tree_edge && *ties == 0;
    if (!gg_download(job, distance, out->distance,
                     n * gg_distance_size(job->graph->distance_type)) ||
        (edges && !gg_download(job, tree_edge, out->tree, gg_tree_bytes(job, true))))
        return false;
    gg_phase(job->run, "download", started, (int64_t)n, "distances%s",
             edges ? " and tree edges" : "");
    return true;
}

void gg_sssp_lost(gpugraph_run *run) {
    run->used_backend = gg_backend_name[GPUGRAPH_CPU];
    run->used_devices = 0;
    run->device_set = 0;
    snprintf(run->why, sizeof run->why,
             "a sum left the range of distances on the device, so the host searches");
}

static gpugraph_status search_on_device(gpugraph_graph *graph,
                                        const gpugraph_search *search, gpugraph_run *run,
                                        void *distance, void *tree_edge) {
    struct cuda_job job;
    struct sssp_outcome out = sssp_outcome();
    uint32_t ties = 0;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    if (gg_sssp_search(&job, search, tree_edge != NULL, &out) && !out.lost)
        bring_distances_back(&job, search, &out, distance, tree_edge, &ties);
    if (gg_job_close(&job))
        return run->status;
    if (out.lost) {
        gg_sssp_lost(run);
        return gg_cpu_sssp(graph, search, run, distance, tree_edge);
    }
    if (ties > 0)
        return gg_distance_tree(graph, search, run, distance, tree_edge);
    return GPUGRAPH_OK;
}

/* Makes no list if the host has to repeat the search or to settle ties. */
static gpugraph_status list_on_device(gpugraph_graph *graph,
                                      const gpugraph_search *search, gpugraph_run *run,
                                      struct reached_list *to) {
    struct cuda_job job;
    struct sssp_outcome out = sssp_outcome();
    uint32_t ties = 0;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    if (gg_sssp_search(&job, search, to->tree_edge != NULL, &out) && !out.lost &&
        (!to->tree_edge || gg_sssp_tree(&job, search, &out, &ties)) && ties == 0) {
        const struct reached_values values = {
            out.distance, graph->distance_type,
            gg_sssp_bound(search, graph->distance_type).most,
            to->tree_edge ? out.tree : NULL};
        gg_bring_list(&job, &values, search, search->bounded, to);
    }
    return gg_job_close(&job);
}

/* Device bytes of a run. */
static int64_t sssp_bytes(const gpugraph_graph *graph, bool) {
    struct cuda_job planned = planned_job(graph);
    struct workspace space = {NULL, 0};
    struct sssp_search s = sssp_search();
    struct sssp_outcome out;
    gpugraph_search wanted = {};
    wanted.target_count = GG_PLANNED_ENDS;
    s.wanted = &wanted;
    s.type = graph->distance_type;
    s.g = device_csr{graph->n, graph->m};
    carve_sssp(&planned, &space, &s, true, &out);
    return gg_device_graph_lacks(graph, CSR_OUT, true) +
           (int64_t)(space.used + gg_sssp_persistent_bytes(&planned, &s));
}

/* In the order of enum sssp_kind. */
static const gg_method methods[] = {
    {.is = {"sssp", "persistent", "cuda",
            "delta-stepping in one launch; small rounds stay within a block"}},
    {.is = {"sssp", "regions", "cuda",
            "a block searches a region of near vertices in its shared memory; for graphs "
            "with long paths"}},
    {.is = {"sssp", "L1V-L2V", "cuda",
            "multi-level multi-queue: a FIFO of each warp over a FIFO of all"}},
    {.is = {"sssp", "L1V-L2DQ", "cuda",
            "multi-level multi-queue: a FIFO of each warp over buckets of all"}},
    {},
};

extern "C" const algorithm_side gg_sssp_cuda = {
    .methods = methods,
    .call = GG_CALLS(sssp_entry, search_on_device),
    .bytes = sssp_bytes,
    .list = list_on_device,
};
