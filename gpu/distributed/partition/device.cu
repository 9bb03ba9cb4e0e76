/* A part's rows on their way to a device, and back to nothing. What goes from masters to ghosts: ghosts.cu. */
#include "device.cuh"

/* ---- bringing ---- */

/* Of the part with most masters. Collective. */
static bool set_stride(struct cuda_job *job, gpugraph_part *p, struct part_device *d) {
    gpugraph_exchange *x = p->exchange;
    uint64_t most = p->masters;
    if (!gg_going(job))
        return false;
    x->calls->combine(x, job->run, GPUGRAPH_MOST, &most, 1);
    d->stride = (uint32_t)(most / PART_STRIDE + 1) * PART_STRIDE;
    return gg_going(job);
}

static void set_sizes(const gpugraph_part *p, struct part_device *d) {
    uint64_t out = 0, in = 0;
    for (uint32_t q = 0; q <= p->exchange->parts; q++) {
        d->first_out[q] = out;
        d->first_in[q] = in;
        if (q < p->exchange->parts) {
            out += ((uint64_t)p->peer[q].masters + 31) / 32 * 32;
            in += ((uint64_t)p->peer[q].ghosts + 31) / 32 * 32;
        }
    }
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
    d->place = gg_carve<uint32_t>(space, d->first_out[p->exchange->parts]);
}

static void upload_places(struct cuda_job *job, const gpugraph_part *p,
                          const struct part_device *d) {
    gg_fill(job, d->place, 0xff, d->first_out[p->exchange->parts] * sizeof *d->place);
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        gg_upload(job, d->place + d->first_out[q], p->peer[q].master,
                  p->peer[q].masters * sizeof *d->place);
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
    uint32_t *places = part_is_rank(p) ? ends_in_places(job, p, d, target) : NULL;
    gg_upload(job, d->offset, offset, behind * sizeof *offset);
    gg_upload(job, d->target, places ? places : target, p->arcs * sizeof *target);
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
    if (part_transpose_open(p, job->run, false, &t))
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
    upload_places(job, p, d);
    gg_wait(job);
}

static void free_device(struct part_device *d) {
    if (!d)
        return;
    part_wire_close(d);
    if (d->block) {
        int before = 0;
        cudaGetDevice(&before);
        cudaSetDevice(d->ordinal);
        gg_free_rank(d);
        gg_free_block(d->block, d->bytes);
        cudaSetDevice(before);
    }
    gg_release(d->first_out);
    gg_release(d->first_in);
    gg_release(d);
}

static bool make_device(struct cuda_job *job, gpugraph_part *p, struct part_device *d) {
    struct workspace space = {NULL, 0};
    const uint64_t parts = p->exchange->parts;
    d->ordinal = job->device->ordinal;
    d->first_out = static_cast<uint64_t *>(gg_alloc(job->run, parts + 1, 8));
    d->first_in = static_cast<uint64_t *>(gg_alloc(job->run, parts + 1, 8));
    if (!set_stride(job, p, d))
        return false;
    set_sizes(p, d);
    carve_device(p, d, &space);
    d->bytes = parts > 1 ? part_exported(space.used) : space.used;
    space.used = 0;
    d->block = gg_take(job, d->bytes);
    space.base = static_cast<unsigned char *>(d->block);
    if (!d->block)
        return false;
    carve_device(p, d, &space);
    upload(job, p, d);
    return gg_going(job) && part_wire_open(job, p, d);
}

/* Parts that are threads of one process take its devices' turns one after the other, as whoever takes several
** does (device/turn.h): else two searches could wait for each other's. */
static bool open_in_turn(struct cuda_job *job, gpugraph_part *p, gpugraph_run *run,
                         int ordinal) {
    gpugraph_exchange *x = p->exchange;
    run->device = ordinal;
    if (!part_are_threads(x))
        return gg_job_open(job, NULL, run);
    for (uint32_t q = 0; q < x->parts; q++) {
        uint64_t nothing = 0;
        if (q == x->part && !gg_job_open(job, NULL, run))
            return false;
        if (x->calls->combine(x, run, GPUGRAPH_SUM, &nothing, 1) != GPUGRAPH_OK) {
            if (q >= x->part)
                gg_job_close(job);
            return false;
        }
    }
    return true;
}

static gpugraph_status bring(gpugraph_part *p, int place, gpugraph_run *run) {
    struct cuda_job job;
    int devices = 0;
    const double start = gg_now_ms();
    struct part_device *d =
        static_cast<struct part_device *>(gg_alloc_zero(run, 1, sizeof *d));
    cudaGetDeviceCount(&devices);
    if (!d || !open_in_turn(&job, p, run, devices > 0 ? place % devices : 0)) {
        gg_release(d);
        return run->status;
    }
    const bool made = make_device(&job, p, d);
    gg_job_close(&job);
    p->device = made ? d : NULL;
    if (made) {
        gg_phase(run, "device", start, (int64_t)p->arcs, "%.1f MB, exchange %s",
                 (double)d->bytes * 1e-6, d->way);
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

bool part_job_open(struct cuda_job *job, gpugraph_part *p, gpugraph_run *run) {
    return open_in_turn(job, p, run, p->device->ordinal);
}
