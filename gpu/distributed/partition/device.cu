/* A partition's rows on their way to a device, and back to nothing. */
#include "device.cuh"

#include <string.h>

/* ---- bringing ---- */

/* Of the part with most masters. Collective. */
static bool set_stride(struct cuda_job *job, gpugraph_part *p, struct part_device *d) {
    gpugraph_exchange *x = p->exchange;
    uint64_t most = p->masters;
    if (!gg_going(job))
        return false;
    gg_combine(x, job->run, GPUGRAPH_MOST, &most, 1);
    d->stride = (uint32_t)(most / PART_STRIDE + 1) * PART_STRIDE;
    return gg_going(job);
}

/* Entries of offset[]: behind those of locals rows are empty. */
static uint64_t offsets_of(const gpugraph_part *p, const struct part_device *d) {
    return (uint64_t)(p->locals > d->stride ? p->locals : d->stride) + 1;
}

static void carve_device(const gpugraph_part *p, struct part_device *d,
                         struct workspace *space) {
    d->offset = gg_carve<uint64_t>(space, offsets_of(p, d));
    d->target = gg_carve<uint32_t>(space, p->arcs);
    if (p->weight && !part_is_transposed(p))
        d->weight = gg_carve<char>(space, p->arcs * (p->narrow ? 4 : 8));
    if (p->simple)
        d->number = gg_carve<uint64_t>(space, p->locals);
}

/* One thread per entry. */
static __global__ void fill_offsets(uint64_t *offset, uint64_t first, uint64_t end,
                                    uint64_t arcs) {
    for (uint64_t i = first + gg_thread(); i < end; i += (uint64_t)gridDim.x * blockDim.x)
        offset[i] = arcs;
}

/* Ends of arcs become places: of master i of part q  q * stride + i. Collective. */
static uint32_t *ends_in_places(struct cuda_job *job, gpugraph_part *p,
                                const struct part_device *d, const uint32_t *target) {
    uint32_t *place =
        static_cast<uint32_t *>(gg_alloc(job->run, p->locals, sizeof *place));
    uint32_t *end = static_cast<uint32_t *>(gg_alloc(job->run, p->arcs, sizeof *end));
    for (uint32_t v = 0; place && v < p->masters; v++)
        place[v] = p->exchange->part * d->stride + v;
    const struct part_field field = {place, sizeof *place, NULL};
    if (gg_going(job) && gg_broadcast(p, job->run, field, NULL) == GPUGRAPH_OK)
        for (uint64_t a = 0; a < p->arcs; a++)
            end[a] = place[target[a]];
    gg_release(place);
    return end;
}

static void upload_rows(struct cuda_job *job, gpugraph_part *p,
                        const struct part_device *d, const uint64_t *offset,
                        const uint32_t *target) {
    const uint64_t behind = (uint64_t)p->locals + 1, end = offsets_of(p, d);
    uint32_t *places = ends_in_places(job, p, d, target);
    gg_upload(job, d->offset, offset, behind * sizeof *offset);
    gg_upload(job, d->target, places, p->arcs * sizeof *places);
    gg_release(places);
    if (behind >= end || !gg_going(job))
        return;
    fill_offsets<<<gg_grid(job, end - behind, 8), GG_BLOCK, 0, job->stream>>>(
        d->offset, behind, end, p->arcs);
    gg_launched(job, "fill_offsets");
}

static void upload_transpose(struct cuda_job *job, gpugraph_part *p,
                             const struct part_device *d) {
    struct part_transpose t;
    if (part_transpose_open(p, job->run, &t))
        upload_rows(job, p, d, t.offset, t.source);
    part_transpose_close(&t);
}

static void upload(struct cuda_job *job, gpugraph_part *p, struct part_device *d) {
    if (part_is_transposed(p))
        upload_transpose(job, p, d);
    else
        upload_rows(job, p, d, p->offset, p->target);
    if (d->weight)
        gg_upload(job, d->weight, p->weight, p->arcs * (p->narrow ? 4 : 8));
    if (d->number)
        gg_upload(job, d->number, p->number, p->locals * sizeof *d->number);
    gg_wait(job);
}

static void free_device(struct part_device *d) {
    if (!d)
        return;
    if (d->block) {
        int before = 0;
        cudaGetDevice(&before);
        cudaSetDevice(d->ordinal);
        gg_free_rank(d);
        gg_free_block(d->block, d->bytes);
        cudaSetDevice(before);
    }
    gg_release(d);
}

static bool make_device(struct cuda_job *job, gpugraph_part *p, struct part_device *d) {
    struct workspace space = {NULL, 0};
    d->ordinal = job->device->ordinal;
    d->way = p->exchange->parts > 1 ? "host" : "none";
    if (!set_stride(job, p, d))
        return false;
    carve_device(p, d, &space);
    d->bytes = p->exchange->parts > 1 ? part_exported(space.used) : space.used;
    space.used = 0;
    d->block = gg_take(job, d->bytes);
    space.base = static_cast<unsigned char *>(d->block);
    if (!d->block)
        return false;
    carve_device(p, d, &space);
    upload(job, p, d);
    return gg_going(job);
}

static gpugraph_status bring(gpugraph_part *p, int place, gpugraph_run *run) {
    struct cuda_job job;
    int devices = 0;
    const double start = gg_now_ms();
    struct part_device *d =
        static_cast<struct part_device *>(gg_alloc_zero(run, 1, sizeof *d));
    cudaGetDeviceCount(&devices);
    run->device = devices > 0 ? place % devices : 0;
    if (!d || !gg_job_open(&job, NULL, run)) {
        gg_release(d);
        return run->status;
    }
    const bool made = make_device(&job, p, d);
    gg_job_close(&job);
    p->device = made ? d : NULL;
    if (made) {
        gg_phase(run, "device", start, (int64_t)p->arcs, "%.1f MB",
                 (double)d->bytes * 1e-6);
    } else {
        free_device(d);
    }
    return run->status;
}

static const char *way_of(const struct part_device *d) {
    return d->way;
}

extern "C" const struct part_services gg_part_services = {
    .bring = bring,
    .free = free_device,
    .way = way_of,
    .bfs = gg_cuda_part_bfs,
    .mis = gg_cuda_part_mis,
    .sssp = gg_cuda_part_sssp,
    .pagerank = gg_cuda_part_pagerank,
};
