/* Which of some vertices have an edge that stays, by the edges on the device: two bitmaps go
** up, one comes back, and the edges are read at the speed of the device's memory. */
#include "graph/device_copy.cuh"
#include "patch.h"

/* One thread to an edge. */
static __global__ void look_at_ends(const uint32_t *end, uint64_t m,
                                    const uint32_t *wanted, uint32_t *found,
                                    const uint64_t *removed, uint64_t count) {
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid())
        patch_note_end(wanted, found, end[e], e, removed, count);
}

struct look_scratch {
    uint64_t *wanted, *found, *removed;
};

static void carve_look(struct workspace *space, const patch_look *look,
                       struct look_scratch *s) {
    s->wanted = gg_carve<uint64_t>(space, look->words);
    s->found = gg_carve<uint64_t>(space, look->words);
    s->removed = gg_carve<uint64_t>(space, look->removed_count);
}

static void look_at(struct cuda_job *job, const patch_look *look,
                    const struct look_scratch *s, const uint32_t *end) {
    look_at_ends<<<gg_grid(job, job->graph->m, 16), GG_BLOCK, 0, job->stream>>>(
        end, job->graph->m, (const uint32_t *)s->wanted, (uint32_t *)s->found, s->removed,
        look->removed_count);
    gg_launched(job, "look_at_ends");
}

static bool look_there(struct cuda_job *job, const patch_look *look, uint64_t *found) {
    struct device_edges edges;
    struct workspace space = {NULL, 0};
    struct look_scratch s;
    uint64_t bytes = look->words * sizeof *found;
    if (!gg_device_edges(job, false, &edges))
        return false;
    carve_look(&space, look, &s);
    if (!gg_workspace(job, &space))
        return false;
    carve_look(&space, look, &s);
    gg_fill(job, s.found, 0, bytes);
    if (!gg_upload(job, s.wanted, look->open, bytes) ||
        !gg_upload(job, s.removed, look->removed,
                   look->removed_count * sizeof *look->removed))
        return false;
    if (look->sources)
        look_at(job, look, &s, edges.source);
    if (look->targets)
        look_at(job, look, &s, edges.target);
    return gg_download(job, found, s.found, bytes);
}

extern "C" bool gg_cuda_look(const patch_look *look) {
    gpugraph_run own = *look->run; /* the host can do it, too: an error is none */
    struct cuda_job job;
    bool done = false;
    if (!gg_has_device_ends(look->graph))
        return false;
    uint64_t *found = (uint64_t *)gg_alloc(look->run, look->words, sizeof *found);
    own.device = look->graph->device->ordinal;
    if (found && gg_job_open(&job, look->graph, &own)) {
        done = look_there(&job, look, found);
        job.working = false;
        done &= gg_job_close(&job) == GPUGRAPH_OK;
    }
    for (uint64_t i = 0; done && i < look->words; i++)
        look->open[i] &= ~found[i];
    gg_release(found);
    if (own.status == GPUGRAPH_INTERRUPTED)
        gg_stopped(look->run);
    return done;
}
