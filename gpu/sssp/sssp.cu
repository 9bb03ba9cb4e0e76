/* Shortest paths on the device: the driver of all methods. sssp.c has the CPU backend,
** sssp.cuh describes the engines.
**
**     rows  ->  parameters  ->  an engine fills distances  ->  tree edges  ->  the answer
**
** An engine drops a sum that is out of range, and notes this. In this rare case the CPU
** backend repeats the search and reports the error. The host also settles ties of tree
** edges that need many passes. */
#include "sssp.h"
#include "sssp.cuh"
#include "base/limits.h"
#include "device/services.h"
#include "reached.cuh"
#include "regions/regions.cuh"
#include "tree/tree.cuh"

#include <stdio.h>

static void carve_sssp(const cuda_job *job, workspace *space, sssp_search *s, bool tree) {
    const gpugraph_search *wanted = s->wanted;
    const uint64_t halves = s->back.begin ? 2 : 1;
    s->distance =
        gg_carve<unsigned char>(space, halves * s->g.n * gg_distance_size(s->type));
    s->ends =
        gg_carve<uint32_t>(space, (uint64_t)wanted->source_count + wanted->target_count);
    s->tree = gg_carve<uint8_t>(space, gg_tree_bytes(job, tree));
    s->scratch = gg_carve<uint32_t>(space, tree ? gg_distance_tree_scratch(job) : 0);
}

/* ---- the engine "regions" ---- */

/* A block searches a region by itself, where blocks of "persistent" would wait for each
** other after each small bucket (regions/search.cu). */

/* Regions serve searches for all distances, of 32 bits. */
static bool fits_regions(const sssp_search *s) {
    const gpugraph_search *wanted = s->wanted;
    return s->type == GPUGRAPH_UINT32 && wanted->source_count > 0 &&
           wanted->target_count == 0 && wanted->limit == 0 && !wanted->bounded;
}

static enum csr_kind forward_kind(const sssp_search *s) {
    return (enum csr_kind)gg_forward_kind(s->wanted->direction);
}

static uint64_t regions_bytes(cuda_job *job, const sssp_search *s) {
    device_regions regions;
    return gg_regions(job->graph, forward_kind(s), true, &regions)
               ? gg_regions_bytes(&regions)
               : 0;
}

static bool search_by_regions(cuda_job *job, sssp_search *s, workspace *space) {
    device_regions regions;
    regions_outcome found;
    const double delta = s->parameters.delta;
    const uint32_t width = integer32::from_real(delta > 1 ? delta : 1);
    if (!gg_regions(job->graph, forward_kind(s), true, &regions) ||
        !gg_search_regions(job, &regions, s->ends, s->wanted->source_count, width,
                           static_cast<uint32_t *>(s->distance), space, &found))
        return false;
    s->dropped = found.lost;
    s->served = found.reached;
    gg_tell_regions(job, &regions, &found, s->more, sizeof s->more);
    return gg_going(job);
}

/* Regions by weight need four times as many vertices to pay as regions by depth. They
** save a tenth of the time on a road network of 24 million vertices, a twelfth on one of
** 4 million, and nothing on smaller ones (H200). */
#define TIMES_VERTICES 4
/* Regions may shorten a search with this many grid barriers. */
#define LONG_BARRIERS 50

static void note_long_way(cuda_job *job, const sssp_search *s) {
    if (s->barriers >= LONG_BARRIERS && fits_regions(s) &&
        s->g.n / TIMES_VERTICES >= gg_limits.region_vertices)
        gg_note_long_way(job, &s->g, true);
}

/* ---- engines ---- */

/* In the order of enum sssp_kind. */
static const struct engine {
    uint64_t (*bytes)(cuda_job *, const sssp_search *);
    bool (*search)(cuda_job *, sssp_search *, workspace *);
} engines[] = {{gg_sssp_persistent_bytes, gg_sssp_persistent},
               {regions_bytes, search_by_regions},
               {gg_sssp_mlmq_bytes, gg_sssp_mlmq},
               {gg_sssp_mlmq_bytes, gg_sssp_mlmq}};

/* Chooses regions if the caller names them or if they pay, and if they are possible.
** Otherwise gg_sssp_choose decides. Multi-queues have distances of 32 bits and do not end
** early, so `auto` takes none of them for a search with a limit or targets. */
static bool choose_engine(cuda_job *job, sssp_search *s) {
    const sssp_features *features = &s->features;
    const bool is_auto = gg_method_is_auto(job->run);
    const gg_method *asked =
        is_auto ? NULL : gg_find_method(&gg_sssp_cuda, job->run->method);
    const int64_t own = (int64_t)s->g.n * 20 + (int64_t)gg_tree_bytes(job, true) + 65536;
    sssp_parameters *p = &s->parameters;
    gg_sssp_choose(features,
                   asked ? (enum sssp_kind)(asked - gg_sssp_cuda.methods) : SSSP_AUTO, p);
    if (gg_sssp_has_queues(p) &&
        (s->type != GPUGRAPH_UINT32 ||
         (is_auto && (s->wanted->limit > 0 || s->wanted->target_count > 0))))
        gg_sssp_choose(features, SSSP_PERSISTENT, p);
    const bool pays = is_auto && gg_wants_regions(job, true);
    if (p->kind == SSSP_REGIONS || pays) {
        const bool fits = fits_regions(s);
        if (fits && !gg_make_regions(job, forward_kind(s), &s->g, true, own))
            return false;
        const bool there = fits && regions_bytes(job, s) > 0;
        if (there || !pays)
            gg_sssp_choose(features, there ? SSSP_REGIONS : SSSP_PERSISTENT, p);
    }
    job->run->used_method = gg_sssp_cuda.methods[p->kind].is.name;
    return gg_going(job);
}

/* Carves the workspace, and makes additional arcs that the engine reads. A search with a
** limit reads few arcs, so it makes no fixed arcs, but it reads those that exist. */
static bool make_sssp_room(cuda_job *job, sssp_search *s, bool tree, workspace *space) {
    const enum csr_kind kind = forward_kind(s);
    const bool fixes = s->parameters.local && !s->back.begin && s->wanted->limit == 0;
    *space = {NULL, 0};
    carve_sssp(job, space, s, tree);
    space->used += engines[s->parameters.kind].bytes(job, s);
    if ((fixes && !gg_fix_arcs(job, kind, &s->g, (int64_t)space->used)) ||
        !gg_sssp_prepare_pull(job, s, (int64_t)space->used) || !gg_workspace(job, space))
        return false;
    s->fixed = gg_fixed_arcs(job->graph, kind);
    if (s->transpose.begin)
        s->light = gg_light_arcs(job->graph, kind);
    carve_sssp(job, space, s, tree);
    return true;
}

bool gg_sssp_begin(cuda_job *job, const gpugraph_search *search, sssp_search *s) {
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(search->direction);
    *s = sssp_search();
    s->wanted = search;
    s->type = job->graph->distance_type;
    s->stop = job->device->device_stop;
    return gg_device_csr(job, kind, true, &s->g) &&
           gg_device_features(job, kind, &s->g, &s->features);
}

bool gg_sssp_run(cuda_job *job, sssp_search *s, bool tree) {
    const gpugraph_search *wanted = s->wanted;
    workspace space;
    const double started = gg_now_ms();
    if (!make_sssp_room(job, s, tree, &space))
        return false;
    /* The workspace may have taken the memory of regions. */
    s->full = s->parameters.kind == SSSP_REGIONS && regions_bytes(job, s) == 0;
    gg_upload(job, s->ends, wanted->source,
              (uint64_t)wanted->source_count * sizeof *s->ends);
    gg_upload(job, s->ends + wanted->source_count, wanted->target,
              (uint64_t)wanted->target_count * sizeof *s->ends);
    if (!s->full && !engines[s->parameters.kind].search(job, s, &space))
        return false;
    if (s->full) {
        gg_sssp_choose(&s->features, SSSP_PERSISTENT, &s->parameters);
        job->run->used_method = gg_sssp_cuda.methods[SSSP_PERSISTENT].is.name;
        return gg_sssp_run(job, s, tree);
    }
    s->lost = s->dropped && !s->early;
    if (!s->lost)
        gg_search_phase(job->run, started, (int64_t)s->served, "%s", s->more);
    return gg_going(job);
}

bool gg_sssp_search(cuda_job *job, const gpugraph_search *search, bool tree,
                    sssp_search *s) {
    if (!gg_sssp_begin(job, search, s) || !choose_engine(job, s) ||
        !gg_sssp_run(job, s, tree))
        return false;
    note_long_way(job, s);
    return gg_going(job);
}

bool gg_sssp_tree(cuda_job *job, const sssp_search *s, uint32_t *ties) {
    double started = gg_now_ms();
    if (!gg_device_distance_tree(job, s->wanted, s->distance, s->ends, s->tree, ties,
                                 s->scratch))
        return false;
    gg_phase(job->run, "parents", started, (int64_t)job->graph->m,
             "passes over the edges, on the device");
    return true;
}

/* Downloads distances and tree edges. *ties: vertices whose tree edges the host has to
** find. */
static bool download_result(cuda_job *job, const sssp_search *s, void *distance,
                            void *tree_edge, uint32_t *ties) {
    const uint64_t n = job->graph->n;
    if (tree_edge && !gg_sssp_tree(job, s, ties))
        return false;
    double started = gg_now_ms();
    const bool edges = tree_edge && *ties == 0;
    if (!gg_download(job, distance, s->distance, n * gg_distance_size(s->type)) ||
        (edges && !gg_download(job, tree_edge, s->tree, gg_tree_bytes(job, true))))
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
    sssp_search s = sssp_search();
    uint32_t ties = 0;
    const gpugraph_status status = gg_in_job(graph, run, [&](cuda_job *job) {
        if (gg_sssp_search(job, search, tree_edge != NULL, &s) && !s.lost)
            download_result(job, &s, distance, tree_edge, &ties);
    });
    if (status)
        return status;
    if (s.lost) {
        gg_sssp_lost(run);
        return gg_cpu_sssp(graph, search, run, distance, tree_edge);
    }
    return ties > 0 ? gg_distance_tree(graph, search, run, distance, tree_edge)
                    : GPUGRAPH_OK;
}

/* Makes no list if the host has to repeat the search or to settle ties. */
static gpugraph_status list_on_device(gpugraph_graph *graph,
                                      const gpugraph_search *search, gpugraph_run *run,
                                      reached_list *to) {
    return gg_in_job(graph, run, [&](cuda_job *job) {
        sssp_search s;
        uint32_t ties = 0;
        if (!gg_sssp_search(job, search, to->tree_edge != NULL, &s) || s.lost ||
            (to->tree_edge && !gg_sssp_tree(job, &s, &ties)) || ties > 0)
            return;
        const reached_values values = {s.distance, s.type,
                                       gg_sssp_bound(search, s.type).most,
                                       to->tree_edge ? s.tree : NULL};
        gg_bring_list(job, &values, search, search->bounded, to);
    });
}

int64_t gg_sssp_bytes(const gpugraph_graph *graph, bool) {
    cuda_job planned = planned_job(graph);
    workspace space = {NULL, 0};
    sssp_search s = sssp_search();
    gpugraph_search wanted = {};
    wanted.target_count = GG_PLANNED_ENDS;
    s.wanted = &wanted;
    s.type = graph->distance_type;
    s.g = device_csr{graph->n, graph->m};
    carve_sssp(&planned, &space, &s, true);
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
    .bytes = gg_sssp_bytes,
    .list = list_on_device,
};
