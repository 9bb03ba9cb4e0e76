/* Partitions on devices. The rows of a partition go to a device of its process, and the
** partition becomes a rank of a team: the only member of that team in this process.
**
** Kernels of ranks cannot access each other's memory. They return at each barrier, and
** segments and messages go through the hosts. Rows of masters are complete: arcs out of
** masters in partitions by source, arcs into masters in partitions by target. */
#include "several.cuh"

/* ---- rows ---- */

static bool is_within_limits(const gpugraph_part *p, gpugraph_run *run) {
    const uint64_t ranks = p->exchange->parts;
    if (ranks > SEVERAL_MOST)
        gg_fail(run, GPUGRAPH_TOO_LARGE, "a search uses at most %d devices, not %llu",
                SEVERAL_MOST, (unsigned long long)ranks);
    else if (p->vertices > UINT32_MAX ||
             several_all_places(&p->places) > UINT32_MAX - SEVERAL_UNIT)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "devices cannot number %llu vertices; search on the CPU",
                (unsigned long long)p->vertices);
    return run->status == GPUGRAPH_OK;
}

/* PageRank reads arcs into masters. A partition by target has all of them, so its device
** gets the transposed rows, without weights. */
static bool bring_rows(struct several_team *team, const gpugraph_part *p,
                       struct part_device *d) {
    const bool transposed = p->partition == GPUGRAPH_BY_TARGET && !p->simple;
    struct several_parts *parts = &d->parts;
    struct part_transpose t = {p->offset, p->target};
    parts->places = p->places;
    parts->kind = p->simple                       ? CSR_SIMPLE
                  : p->direction == GPUGRAPH_BOTH ? CSR_BOTH
                                                  : CSR_OUT;
    parts->weight_bytes = !p->weight || transposed ? 0 : sizeof(uint64_t);
    if (transposed)
        part_transpose_open(p, team->run, &t);
    csr rows = {};
    rows.begin = t.offset;
    rows.end = t.offset + 1;
    rows.target = t.source;
    rows.weight = p->weight;
    const bool brought =
        gg_several_going(team) && gg_several_deal(team, &rows, p->number, parts);
    if (transposed)
        part_transpose_close(&t);
    return brought;
}

/* ---- a partition's device ---- */

static void free_device(gpugraph_part *p) {
    int before = 0;
    cudaGetDevice(&before);
    cudaSetDevice(p->device->ordinal);
    gg_several_free_rows(&p->device->parts, (int)p->exchange->part);
    cudaSetDevice(before);
    gg_release(p->device);
    p->device = NULL;
}

/* Collective. */
static gpugraph_status bring_to_device(gpugraph_part *p, int place, gpugraph_run *run) {
    struct several_team team;
    int devices = 0;
    bool made = false;
    const double start = gg_now_ms();
    struct part_device *d = (struct part_device *)gg_alloc_zero(run, 1, sizeof *d);
    if (!d || !is_within_limits(p, run)) {
        gg_release(d);
        return run->status;
    }
    cudaGetDeviceCount(&devices);
    d->ordinal = devices > 0 ? place % devices : 0;
    p->device = d;
    if (gg_several_open_rank(&team, p, p->partition, run)) {
        made = bring_rows(&team, p, d) &&
               gg_several_combine(&team, GPUGRAPH_SUM, &d->parts.arcs, 1) &&
               gg_several_combine(&team, GPUGRAPH_MOST, &d->parts.most_arcs, 1);
        gg_several_close(&team);
    }
    if (made && run->status == GPUGRAPH_OK) {
        gg_phase(run, "device", start, (int64_t)p->arcs, "%.1f MB",
                 (double)d->parts.rows[p->exchange->part].bytes * 1e-6);
    } else {
        free_device(p);
    }
    return run->status;
}

extern "C" const struct part_services gg_part_services = {
    .bring = bring_to_device,
    .free = free_device,
    .bfs = gg_cuda_part_bfs,
    .mis = gg_cuda_part_mis,
    .sssp = gg_cuda_part_sssp,
    .pagerank = gg_cuda_part_pagerank,
};

/* ---- pieces ---- */

bool gg_rank_move(struct several_team *team, const struct several_piece *piece) {
    const uint32_t parts = (uint32_t)team->parts, me = (uint32_t)team->first;
    struct cuda_job *job = gg_several_on(team, team->first);
    gpugraph_part *p = team->rank;
    char *block[2];
    for (uint32_t q = 0; q < parts; q++) {
        const uint64_t out = q == me ? 0 : piece[me * parts + q].bytes,
                       in = q == me ? 0 : piece[q * parts + me].bytes;
        p->out[q] = {NULL, out, out};
        p->in[q] = {NULL, in, 0};
    }
    bool go = part_allocate_parcels(p, job->run, block);
    for (uint32_t q = 0; go && q < parts; q++)
        go = !p->out[q].size || gg_download(job, p->out[q].bytes,
                                            piece[me * parts + q].from, p->out[q].size);
    go = go && gg_swap(p->exchange, job->run, p->out, p->in) == GPUGRAPH_OK;
    for (uint32_t q = 0; go && q < parts; q++)
        go = !p->in[q].size ||
             gg_upload(job, piece[q * parts + me].to, p->in[q].bytes, p->in[q].size);
    gg_release(block[0]);
    gg_release(block[1]);
    return go;
}
