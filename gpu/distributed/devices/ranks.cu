/* A partition on its way to a device, where it becomes a rank of a team: ranks.cuh has
** the drawing.
**
**     rows       ends of arcs become places                                -> the device
**     tickets    each rank tells its host, its device, handles of memory   -> all
**     map        each maps the others' memory                              -> has everybody? */
#include "ranks.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks that all ranks reach ---- */

struct ticket {
    bool can;
    char host[40], device[16];
    cudaIpcMemHandle_t desk, rows;
};

static void *take_own(struct cuda_job *job, struct shared_block *b, uint32_t me,
                      uint64_t bytes) {
    b->bytes = gg_whole_pages(bytes);
    return b->at[me] = gg_take(job, b->bytes);
}

static void free_own(struct shared_block *b, uint32_t me) {
    gg_free_block(b->at[me], b->bytes);
    b->at[me] = NULL;
    b->bytes = 0;
    cudaGetLastError();
}

static void unmap_others(struct shared_block *b, uint32_t me) {
    for (uint32_t q = 0; q < SEVERAL_MOST; q++)
        if (q != me && b->at[q]) {
            cudaIpcCloseMemHandle(b->at[q]);
            b->at[q] = NULL;
        }
    cudaGetLastError();
}

static bool map_block(void **at, cudaIpcMemHandle_t handle) {
    const cudaError_t error =
        cudaIpcOpenMemHandle(at, handle, cudaIpcMemLazyEnablePeerAccess);
    cudaGetLastError();
    if (error != cudaSuccess)
        *at = NULL;
    return error == cudaSuccess;
}

/* ---- may kernels meet? ---- */

/* Does GPUGRAPH_EXCHANGE ask for peer memory (`peer`), or for anything else? */
static bool peers_are_asked(bool peer) {
    const char *name = getenv("GPUGRAPH_EXCHANGE");
    return name && (strcmp(name, "peer") == 0) == peer;
}

/* One that is the same in all processes of a host, and nowhere else. */
static void name_host(char name[40]) {
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file && !fgets(name, 40, file))
        name[0] = 0;
    if (file)
        fclose(file);
}

static void write_ticket(struct cuda_job *job, const struct part_device *d,
                         struct ticket *t) {
    cudaDeviceProp properties = {};
    memset(t, 0, sizeof *t);
    name_host(t->host);
    if (peers_are_asked(false) || !t->host[0])
        return;
    t->can = cudaGetDeviceProperties(&properties, job->device->ordinal) == cudaSuccess &&
             cudaIpcGetMemHandle(&t->desk, d->desk.at[d->me]) == cudaSuccess &&
             cudaIpcGetMemHandle(&t->rows, d->parts.rows[d->me].block) == cudaSuccess;
    cudaGetLastError();
    memcpy(t->device, &properties.uuid, sizeof t->device);
}

/* Kernels of ranks that share a device take turns on it, which only a test wants. */
static bool all_can(const struct ticket *t, uint32_t ranks) {
    for (uint32_t p = 0; p < ranks; p++) {
        if (!t[p].can || strcmp(t[p].host, t[0].host) != 0)
            return false;
        for (uint32_t q = 0; q < p && !peers_are_asked(true); q++)
            if (memcmp(t[p].device, t[q].device, sizeof t[p].device) == 0)
                return false;
    }
    return true;
}

static bool map_all(struct part_device *d, const struct ticket *t, uint32_t ranks) {
    for (uint32_t q = 0; q < ranks; q++)
        if (q != d->me && (!map_block(&d->desk.at[q], t[q].desk) ||
                           !map_block(&d->rows.at[q], t[q].rows)))
            return false;
    return true;
}

/* Sets peers, alike at all ranks. False: the run must end. */
static bool ask_for_peers(struct cuda_job *job, gpugraph_exchange *x,
                          struct part_device *d) {
    struct ticket mine, all[SEVERAL_MOST];
    uint64_t can = 0;
    d->peers = x->parts == 1;
    if (x->parts == 1)
        return true;
    write_ticket(job, d, &mine);
    if (gg_gather(x, job->run, &mine, sizeof mine, all) != GPUGRAPH_OK)
        return false;
    can = all_can(all, x->parts) && map_all(d, all, x->parts);
    gg_combine(x, job->run, GPUGRAPH_LEAST, &can, 1);
    d->peers = can != 0;
    if (!d->peers) {
        unmap_others(&d->desk, d->me);
        unmap_others(&d->rows, d->me);
    }
    if (gg_going(job) && !d->peers && peers_are_asked(true))
        gg_fail(job->run, GPUGRAPH_NO_DEVICE,
                "GPUGRAPH_EXCHANGE is peer, but processes do not reach each other's "
                "device memory");
    return gg_going(job);
}

/* ---- rows ---- */

static bool is_within_limits(const gpugraph_part *p, gpugraph_run *run) {
    const uint64_t ranks = p->exchange->parts;
    if (ranks > SEVERAL_MOST)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "%llu devices are more than the %d that search together",
                (unsigned long long)ranks, SEVERAL_MOST);
    else if (p->vertices > UINT32_MAX ||
             several_all_places(&p->places) > UINT32_MAX - SEVERAL_UNIT)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "%llu vertices are more than devices can number in one search",
                (unsigned long long)p->vertices);
    return run->status == GPUGRAPH_OK;
}

/* PageRank walks arcs into masters, which a partition by target has whole: its device
** has the rows of the transpose, without weights. */
static bool bring_rows(struct several_team *team, const gpugraph_part *p,
                       struct part_device *d) {
    const bool turned = p->partition == GPUGRAPH_BY_TARGET && !p->simple;
    struct several_parts *parts = &d->parts;
    struct part_transpose t = {p->offset, p->target};
    parts->places = p->places;
    parts->kind = p->simple                       ? CSR_SIMPLE
                  : p->direction == GPUGRAPH_BOTH ? CSR_BOTH
                                                  : CSR_OUT;
    parts->weight_bytes = !p->weight || turned ? 0 : p->narrow ? 4 : 8;
    if (turned)
        part_transpose_open(p, team->run, &t);
    csr rows = {};
    rows.begin = t.offset;
    rows.end = t.offset + 1;
    rows.target = t.source;
    rows.weight = p->weight;
    const bool brought =
        gg_several_going(team) && gg_several_deal(team, &rows, p->number, parts);
    if (turned)
        part_transpose_close(&t);
    return brought;
}

/* ---- a partition's device ---- */

static void free_device(struct part_device *d) {
    int before = 0;
    struct shared_block *const blocks[] = {&d->desk, &d->space, &d->rows};
    cudaGetDevice(&before);
    cudaSetDevice(d->ordinal);
    for (struct shared_block *b : blocks) {
        unmap_others(b, d->me);
        free_own(b, d->me);
    }
    gg_several_free_rows(&d->parts, (int)d->me);
    cudaSetDevice(before);
    gg_release(d);
}

/* Collective. */
static bool make_device(struct several_team *team, const gpugraph_part *p,
                        struct part_device *d) {
    struct cuda_job *job = gg_several_on(team, team->first);
    d->ordinal = job->device->ordinal;
    return bring_rows(team, p, d) &&
           take_own(job, &d->desk, d->me, sizeof(struct several_desk)) &&
           gg_several_combine(team, GPUGRAPH_SUM, &d->parts.arcs, 1) &&
           gg_several_combine(team, GPUGRAPH_MOST, &d->parts.most_arcs, 1) &&
           ask_for_peers(job, p->exchange, d);
}

/* As the one member of this process in a team of all ranks. */
static bool open_rank(struct several_team *team, gpugraph_part *p, gpugraph_run *run) {
    struct part_device *d = p->device;
    const int me = (int)d->me;
    struct several_member *member = &team->member[me];
    memset(team, 0, sizeof *team);
    team->run = run;
    team->rank = p;
    team->peers = d->peers;
    team->parts = (int)p->exchange->parts;
    team->first = me;
    team->end = me + 1;
    run->device = d->ordinal;
    run->used_backend = "cuda";
    run->used_method = "several";
    member->lead = me;
    member->run.device = d->ordinal;
    for (int q = 0; q < team->parts; q++)
        team->member[q].desk = static_cast<struct several_desk *>(d->desk.at[q]);
    return gg_job_open(&member->job, NULL, run);
}

static gpugraph_status bring(gpugraph_part *p, int place, gpugraph_run *run) {
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
    d->me = p->exchange->part;
    p->device = d;
    if (open_rank(&team, p, run)) {
        made = make_device(&team, p, d);
        gg_several_close(&team);
    }
    if (made && run->status == GPUGRAPH_OK) {
        p->way = p->exchange->parts == 1 ? "none" : d->peers ? "peer" : "host";
        gg_phase(run, "device", start, (int64_t)p->arcs, "%.1f MB, exchange %s",
                 (double)d->parts.rows[d->me].bytes * 1e-6, p->way);
    } else {
        p->device = NULL;
        free_device(d);
    }
    return run->status;
}

extern "C" const struct part_services gg_part_services = {
    .bring = bring,
    .free = free_device,
    .bfs = gg_cuda_part_bfs,
    .mis = gg_cuda_part_mis,
    .sssp = gg_cuda_part_sssp,
    .pagerank = gg_cuda_part_pagerank,
};

/* ---- a team of ranks ---- */

bool gg_several_open_rank(struct several_team *team, gpugraph_part *p,
                          gpugraph_partition wanted, gpugraph_run *run) {
    if (p->partition != wanted && !(p->exchange->parts == 1 && p->simple)) {
        gg_fail(run, GPUGRAPH_INVALID, "this search on devices is of partitions by %s",
                wanted == GPUGRAPH_BY_SOURCE ? "source" : "target");
        return false;
    }
    return open_rank(team, p, run);
}

/* Until all that was queued is done, or another rank has failed. */
bool gg_rank_wait(struct several_team *team) {
    enum { LOOKS = 64 };
    struct cuda_job *job = gg_several_on(team, team->first);
    gpugraph_exchange *x = team->rank->exchange;
    for (uint32_t looks = 1; gg_going(job); looks++) {
        const cudaError_t state = cudaStreamQuery(job->stream);
        if (state == cudaSuccess)
            return true;
        if (state != cudaErrorNotReady)
            return gg_note(job, state, "run what was queued");
        cudaGetLastError();
        if (looks % LOOKS == 0 && !x->calls->hear(x, job->run) && gg_poll(job->run))
            gg_stopped(job->run);
    }
    __atomic_store_n(job->device->stop, 1u, __ATOMIC_RELEASE);
    return false;
}

bool gg_rank_barrier(struct several_team *team) {
    uint64_t nothing = 0;
    return gg_several_wait(team) && gg_several_combine(team, GPUGRAPH_SUM, &nothing, 1);
}

bool gg_rank_move(struct several_team *team, const struct several_piece *piece) {
    const uint32_t parts = (uint32_t)team->parts, me = (uint32_t)team->first;
    const struct several_piece *out = piece + me * parts, *in = piece + me;
    struct cuda_job *job = gg_several_on(team, team->first);
    gpugraph_part *p = team->rank;
    uint64_t sent = 0, come = 0;
    for (uint32_t q = 0; q < parts; q++) {
        sent += q == me ? 0 : out[q].bytes;
        come += q == me ? 0 : in[q * parts].bytes;
    }
    if (!gg_going(job) || !part_mail_room(p, job->run, sent, come))
        return false;
    char *to = static_cast<char *>(p->sent.block),
         *from = static_cast<char *>(p->come.block);
    for (uint32_t q = 0; q < parts; q++) {
        const uint64_t goes = q == me ? 0 : out[q].bytes,
                       comes = q == me ? 0 : in[q * parts].bytes;
        p->out[q] = {to, goes, goes};
        p->in[q] = {from, comes, 0};
        if (goes && !gg_download(job, to, out[q].from, goes))
            return false;
        to += goes;
        from += comes;
    }
    if (gg_swap(p->exchange, job->run, p->out, p->in) != GPUGRAPH_OK)
        return false;
    for (uint32_t q = 0; q < parts; q++)
        if (p->in[q].size &&
            !gg_upload(job, in[q * parts].to, p->in[q].bytes, p->in[q].size))
            return false;
    return gg_going(job);
}

/* A block is freed once nobody has mapped it, as CUDA asks for. */
static bool widen_space(struct several_team *team, struct shared_block *b,
                        uint64_t bytes) {
    struct cuda_job *job = gg_several_on(team, team->first);
    gpugraph_exchange *x = team->rank->exchange;
    cudaIpcMemHandle_t mine, all[SEVERAL_MOST];
    uint64_t can = 1;
    unmap_others(b, x->part);
    if (!gg_rank_barrier(team))
        return false;
    free_own(b, x->part);
    if (!take_own(job, b, x->part, bytes) || team->parts == 1)
        return gg_going(job);
    if (!gg_note(job, cudaIpcGetMemHandle(&mine, b->at[x->part]), "share memory") ||
        gg_gather(x, team->run, &mine, sizeof mine, all) != GPUGRAPH_OK)
        return false;
    for (uint32_t q = 0; q < x->parts; q++)
        if (q != x->part)
            can = can && map_block(&b->at[q], all[q]);
    if (!gg_several_combine(team, GPUGRAPH_LEAST, &can, 1))
        return false;
    if (!can)
        gg_fail(team->run, GPUGRAPH_DEVICE_MEMORY,
                "processes do not reach the %llu bytes of a search in each other's "
                "device memory",
                (unsigned long long)bytes);
    return can != 0;
}

bool gg_rank_workspace(struct several_team *team, struct several_space *space) {
    struct shared_block *shared = &team->rank->device->space;
    uint64_t bytes = space->used;
    if (!team->peers) {
        struct workspace whole = {NULL, bytes};
        if (!gg_several_wait(team) ||
            !gg_workspace(gg_several_on(team, team->first), &whole))
            return false;
        space->base[team->first] = whole.base;
    } else {
        if (!gg_several_combine(team, GPUGRAPH_MOST, &bytes, 1) ||
            (bytes > shared->bytes && !widen_space(team, shared, bytes)))
            return false;
        for (int q = 0; q < team->parts; q++)
            space->base[q] = static_cast<unsigned char *>(shared->at[q]);
    }
    space->used = 0;
    return gg_several_going(team);
}
