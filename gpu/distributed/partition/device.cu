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
    d->masters = p->masters;
    d->first_ghost = (p->masters + 31) / 32 * 32;
    d->locals = d->first_ghost + (p->locals - p->masters);
    d->arcs = p->arcs;
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
static uint64_t offsets_of(const struct part_device *d) {
    return (uint64_t)(d->locals > d->stride ? d->locals : d->stride) + 1;
}

static void carve(const gpugraph_part *p, struct part_device *d,
                  struct workspace *space) {
    d->offset = gg_carve<uint64_t>(space, offsets_of(d));
    d->target = gg_carve<uint32_t>(space, d->arcs);
    if (p->weight && !part_is_transposed(p))
        d->weight = gg_carve<char>(space, d->arcs * (p->narrow ? 4 : 8));
    if (p->simple)
        d->number = gg_carve<uint64_t>(space, d->locals);
    d->place = gg_carve<uint32_t>(space, d->first_out[p->exchange->parts]);
}

/* Locals of the host become the device's, which have a gap. One thread per arc. */
static __global__ void skip_gap(uint32_t *local, uint64_t count, uint32_t masters,
                                uint32_t gap) {
    for (uint64_t i = gg_thread(); i < count; i += (uint64_t)gridDim.x * blockDim.x)
        local[i] += local[i] >= masters ? gap : 0;
}

static void skip_gaps(struct cuda_job *job, const struct part_device *d,
                      uint32_t *local) {
    const uint32_t gap = d->first_ghost - d->masters;
    if (gap == 0 || d->arcs == 0 || !gg_going(job))
        return;
    skip_gap<<<gg_grid(job, d->arcs, 8), GG_BLOCK, 0, job->stream>>>(local, d->arcs,
                                                                     d->masters, gap);
    gg_launched(job, "skip_gap");
}

static void upload_places(struct cuda_job *job, const gpugraph_part *p,
                          const struct part_device *d) {
    gg_fill(job, d->place, 0xff, d->first_out[p->exchange->parts] * sizeof *d->place);
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        gg_upload(job, d->place + d->first_out[q], p->peer[q].master,
                  p->peer[q].masters * sizeof *d->place);
}

/* Entries of locals, with as many copies of `fill` for the gap: number of bytes an entry. */
static void upload_locals(struct cuda_job *job, const gpugraph_part *p,
                          const struct part_device *d, uint64_t *to, const uint64_t *from,
                          uint64_t behind, uint64_t fill) {
    uint64_t gap[32];
    for (int i = 0; i < 32; i++)
        gap[i] = fill;
    gg_upload(job, to, from, d->masters * sizeof *to);
    gg_upload(job, to + d->masters, gap, (d->first_ghost - d->masters) * sizeof *to);
    gg_upload(job, to + d->first_ghost, from + p->masters,
              (p->locals - p->masters + behind) * sizeof *to);
}

/* One thread per entry. */
static __global__ void fill_offsets(uint64_t *offset, uint64_t first, uint64_t end,
                                    uint64_t arcs) {
    for (uint64_t i = first + gg_thread(); i < end; i += (uint64_t)gridDim.x * blockDim.x)
        offset[i] = arcs;
}

/* Rows from `first` on are empty. */
static void end_offsets(struct cuda_job *job, const struct part_device *d,
                        uint64_t *offset, uint64_t first, uint64_t end) {
    if (first >= end || !gg_going(job))
        return;
    fill_offsets<<<gg_grid(job, end - first, 8), GG_BLOCK, 0, job->stream>>>(
        offset, first, end, d->arcs);
    gg_launched(job, "fill_offsets");
}

static void upload_rows(struct cuda_job *job, const gpugraph_part *p,
                        const struct part_device *d, const uint64_t *offset,
                        const uint32_t *target) {
    upload_locals(job, p, d, d->offset, offset, 1, offset[p->masters]);
    end_offsets(job, d, d->offset, (uint64_t)d->locals + 1, offsets_of(d));
    gg_upload(job, d->target, target, d->arcs * sizeof *d->target);
    skip_gaps(job, d, d->target);
}

static void upload_transpose(struct cuda_job *job, const gpugraph_part *p,
                             const struct part_device *d) {
    struct part_transpose t;
    if (part_transpose_open(p, job->run, false, &t))
        upload_rows(job, p, d, t.offset, t.source);
    part_transpose_close(&t);
}

static void upload(struct cuda_job *job, const gpugraph_part *p, struct part_device *d) {
    if (part_is_transposed(p))
        upload_transpose(job, p, d);
    else
        upload_rows(job, p, d, p->offset, p->target);
    if (d->weight)
        gg_upload(job, d->weight, p->weight, d->arcs * (p->narrow ? 4 : 8));
    if (d->number)
        upload_locals(job, p, d, d->number, p->number, 0, 0);
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

static bool make(struct cuda_job *job, gpugraph_part *p, struct part_device *d) {
    struct workspace space = {NULL, 0};
    const uint64_t parts = p->exchange->parts;
    d->ordinal = job->device->ordinal;
    d->first_out = static_cast<uint64_t *>(gg_alloc(job->run, parts + 1, 8));
    d->first_in = static_cast<uint64_t *>(gg_alloc(job->run, parts + 1, 8));
    if (!set_stride(job, p, d))
        return false;
    set_sizes(p, d);
    carve(p, d, &space);
    d->bytes = parts > 1 ? part_exported(space.used) : space.used;
    space.used = 0;
    d->block = gg_take(job, d->bytes);
    space.base = static_cast<unsigned char *>(d->block);
    if (!d->block)
        return false;
    carve(p, d, &space);
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
    const bool made = make(&job, p, d);
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
