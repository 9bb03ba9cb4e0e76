/* Partitions of processes become members of one team: ranks.cuh has the drawing.
**
**     tickets    each rank tells its host, its device and handles of its memory      -> all
**     map        each maps the others' memory                                        -> has everybody? */
#include "ranks.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks that all ranks reach ---- */

struct ticket {
    bool can;
    char host[40], device[16];
    cudaIpcMemHandle_t desk, rows;
    uint64_t offset, number; /* bytes of the block of rows before them */
};

static void unmap_others(struct shared_block *b, uint32_t me, int ranks) {
    for (int q = 0; q < ranks; q++)
        if ((uint32_t)q != me && b->at[q]) {
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

static void free_own(struct shared_block *b, uint32_t me) {
    gg_free_block(b->at[me], b->bytes);
    b->at[me] = NULL;
    b->bytes = 0;
    cudaGetLastError();
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

static uint64_t bytes_before(const struct part_device *d, const void *array) {
    return array ? (uint64_t)((const char *)array - (const char *)d->block) : 0;
}

static void write_ticket(struct cuda_job *job, const gpugraph_part *p,
                         const struct part_shared *s, struct ticket *t) {
    const struct part_device *d = p->device;
    cudaDeviceProp properties = {};
    memset(t, 0, sizeof *t);
    name_host(t->host);
    if (peers_are_asked(false) || !t->host[0])
        return;
    t->can =
        cudaGetDeviceProperties(&properties, job->device->ordinal) == cudaSuccess &&
        cudaIpcGetMemHandle(&t->desk, s->desk.at[p->exchange->part]) == cudaSuccess &&
        cudaIpcGetMemHandle(&t->rows, d->block) == cudaSuccess;
    cudaGetLastError();
    memcpy(t->device, &properties.uuid, sizeof t->device);
    t->offset = bytes_before(d, d->offset);
    t->number = bytes_before(d, d->number);
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

static bool map_all(const gpugraph_part *p, struct part_shared *s,
                    const struct ticket *t) {
    const struct part_device *d = p->device;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        if (q != p->exchange->part && (!map_block(&s->desk.at[q], t[q].desk) ||
                                       !map_block(&s->rows.at[q], t[q].rows)))
            return false;
        const char *block =
            static_cast<const char *>(q == p->exchange->part ? d->block : s->rows.at[q]);
        s->offset[q] = reinterpret_cast<const uint64_t *>(block + t[q].offset);
        s->number[q] = reinterpret_cast<const uint64_t *>(block + t[q].number);
    }
    return true;
}

/* Sets s->peers, alike at all ranks. False: the run must end. */
static bool ask_for_peers(struct cuda_job *job, gpugraph_part *p, struct part_shared *s) {
    gpugraph_exchange *x = p->exchange;
    struct ticket mine,
        *all = static_cast<struct ticket *>(gg_alloc(job->run, x->parts, sizeof *all));
    uint64_t can = 0;
    if (x->parts == 1) {
        s->peers = true;
        s->offset[0] = p->device->offset;
        s->number[0] = p->device->number;
        gg_release(all);
        return gg_going(job);
    }
    write_ticket(job, p, s, &mine);
    if (all && gg_going(job) &&
        gg_gather(x, job->run, &mine, sizeof mine, all) == GPUGRAPH_OK)
        can = all_can(all, x->parts) && map_all(p, s, all);
    gg_release(all);
    if (gg_going(job))
        gg_combine(x, job->run, GPUGRAPH_LEAST, &can, 1);
    s->peers = can != 0;
    if (!s->peers) {
        unmap_others(&s->desk, x->part, (int)x->parts);
        unmap_others(&s->rows, x->part, (int)x->parts);
    }
    if (gg_going(job) && !s->peers && peers_are_asked(true))
        gg_fail(job->run, GPUGRAPH_NO_DEVICE,
                "GPUGRAPH_EXCHANGE is peer, but processes do not reach each other's "
                "device memory");
    return gg_going(job);
}

/* ---- rows ---- */

static uint64_t longest_row(const gpugraph_part *p) {
    uint64_t most = 0;
    for (uint32_t v = 0; v < p->masters; v++)
        most = p->offset[v + 1] - p->offset[v] > most ? p->offset[v + 1] - p->offset[v]
                                                      : most;
    return most;
}

/* Sums over all ranks included. */
static bool lay_out(struct cuda_job *job, const gpugraph_part *p, struct part_shared *s) {
    const struct part_device *d = p->device;
    gpugraph_exchange *x = p->exchange;
    struct several_parts *parts = &s->parts;
    struct several_rows *rows = &parts->rows[x->part];
    parts->places.n = (uint32_t)p->vertices;
    parts->places.parts = x->parts;
    parts->places.stride = d->stride;
    parts->vertices[x->part] = p->masters;
    parts->kind = p->simple                       ? CSR_SIMPLE
                  : p->direction == GPUGRAPH_BOTH ? CSR_BOTH
                                                  : CSR_OUT;
    parts->weight_bytes = d->weight ? p->narrow ? 4 : 8 : 0;
    parts->arcs = p->arcs;
    parts->most_arcs = longest_row(p);
    rows->arcs = p->arcs;
    rows->offset = d->offset;
    rows->target = d->target;
    rows->weight = d->weight;
    return gg_combine(x, job->run, GPUGRAPH_SUM, &parts->arcs, 1) == GPUGRAPH_OK &&
           gg_combine(x, job->run, GPUGRAPH_MOST, &parts->most_arcs, 1) == GPUGRAPH_OK;
}

/* ---- opening ---- */

void gg_free_rank(struct part_device *d) {
    struct part_shared *s = d->shared;
    if (!s)
        return;
    const int ranks = (int)s->parts.places.parts;
    struct several_rows *rows = &s->parts.rows[s->me];
    unmap_others(&s->desk, s->me, ranks);
    unmap_others(&s->space, s->me, ranks);
    unmap_others(&s->rows, s->me, ranks);
    free_own(&s->desk, s->me);
    free_own(&s->space, s->me);
    gg_free_block(rows->hub, (uint64_t)d->stride * 4);
    gg_free_block(rows->closed, d->stride / 8);
    gg_drop_light(&rows->light);
    gg_release(s);
    d->shared = NULL;
}

/* Once for a partition, at its first search. */
static bool prepare_rank(struct cuda_job *job, gpugraph_part *p) {
    struct part_device *d = p->device;
    const double start = gg_now_ms();
    if (d->shared)
        return gg_going(job);
    struct part_shared *s =
        static_cast<struct part_shared *>(gg_alloc_zero(job->run, 1, sizeof *s));
    if (!s)
        return false;
    s->me = p->exchange->part;
    s->desk.bytes = part_exported(sizeof(struct several_desk));
    s->desk.at[s->me] = gg_take(job, s->desk.bytes);
    s->parts.places.parts = p->exchange->parts;
    d->shared = s;
    if (!gg_going(job) || !lay_out(job, p, s) || !ask_for_peers(job, p, s)) {
        gg_free_rank(d);
        return false;
    }
    if (s->peers && p->exchange->parts > 1) {
        d->way = "peer";
        gg_phase(job->run, "device", start, (int64_t)p->arcs,
                 "the memory of %u processes is within reach", p->exchange->parts);
    }
    return true;
}

static bool can_be_rank(const gpugraph_part *p, gpugraph_partition wanted,
                        gpugraph_run *run) {
    const uint64_t ranks = p->exchange->parts;
    if (p->partition != wanted && !(ranks == 1 && p->simple))
        gg_fail(run, GPUGRAPH_INVALID, "this search on devices is of partitions by %s",
                wanted == GPUGRAPH_BY_SOURCE ? "source" : "target");
    else if (ranks > SEVERAL_MOST)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "%llu devices are more than the %d that search together",
                (unsigned long long)ranks, SEVERAL_MOST);
    else if (p->vertices > UINT32_MAX ||
             p->device->stride * ranks > UINT32_MAX - SEVERAL_UNIT)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "%llu vertices are more than devices can number in one search",
                (unsigned long long)p->vertices);
    return run->status == GPUGRAPH_OK;
}

/* Pieces go down to the host, through the exchange of the partition, and up again. */
static bool move_by_messages(struct several_team *team,
                             const struct several_piece *piece) {
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

static const struct several_exchange by_ranks = {"ranks", false, move_by_messages};

bool gg_several_open_rank(struct several_team *team, gpugraph_part *p,
                          gpugraph_partition wanted, gpugraph_run *run) {
    memset(team, 0, sizeof *team);
    const int me = (int)p->exchange->part;
    struct several_member *member = &team->member[me];
    team->run = run;
    team->rank = p;
    team->patience_ns = GG_SEVERAL_PATIENCE_NS;
    team->exchange = &by_ranks;
    run->device = p->device->ordinal;
    if (!can_be_rank(p, wanted, run) || !gg_job_open(&member->job, NULL, run))
        return false;
    member->lead = me;
    member->run.device = member->job.device->ordinal;
    team->parts = (int)p->exchange->parts;
    team->first = me;
    team->end = me + 1;
    if (!prepare_rank(&member->job, p)) {
        gg_several_close(team);
        return false;
    }
    team->peers = p->device->shared->peers;
    for (int q = 0; q < team->parts; q++)
        team->member[q].desk =
            static_cast<struct several_desk *>(p->device->shared->desk.at[q]);
    return true;
}

/* ---- a team of ranks ---- */

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

bool gg_rank_combine(struct several_team *team, gpugraph_combination how, uint64_t *word,
                     uint32_t words) {
    gpugraph_exchange *x = team->rank->exchange;
    return gg_several_going(team) &&
           gg_combine(x, team->run, how, word, words) == GPUGRAPH_OK;
}

bool gg_rank_barrier(struct several_team *team) {
    uint64_t nothing = 0;
    return gg_several_wait(team) && gg_rank_combine(team, GPUGRAPH_SUM, &nothing, 1);
}

bool gg_rank_gather_tallies(struct several_team *team,
                            struct several_tally tally[SEVERAL_MOST]) {
    gpugraph_exchange *x = team->rank->exchange;
    const struct several_tally mine = tally[team->first];
    return gg_several_going(team) &&
           gg_gather(x, team->run, &mine, sizeof mine, tally) == GPUGRAPH_OK;
}

/* A block is freed once nobody has mapped it, as CUDA asks for. */
static bool widen_space(struct several_team *team, struct shared_block *b,
                        uint64_t bytes) {
    struct cuda_job *job = gg_several_on(team, team->first);
    gpugraph_exchange *x = team->rank->exchange;
    cudaIpcMemHandle_t mine, all[SEVERAL_MOST];
    uint64_t can = 1;
    unmap_others(b, x->part, team->parts);
    if (!gg_rank_barrier(team))
        return false;
    free_own(b, x->part);
    b->at[x->part] = gg_take(job, bytes);
    b->bytes = bytes;
    if (team->parts == 1 || !gg_going(job))
        return gg_going(job);
    if (!gg_note(job, cudaIpcGetMemHandle(&mine, b->at[x->part]), "share memory") ||
        gg_gather(x, team->run, &mine, sizeof mine, all) != GPUGRAPH_OK)
        return false;
    for (uint32_t q = 0; q < x->parts; q++)
        if (q != x->part)
            can = can && map_block(&b->at[q], all[q]);
    if (!gg_rank_combine(team, GPUGRAPH_LEAST, &can, 1))
        return false;
    if (!can)
        gg_fail(team->run, GPUGRAPH_DEVICE_MEMORY,
                "processes do not reach the %llu bytes of a search in each other's "
                "device memory",
                (unsigned long long)bytes);
    return can != 0;
}

bool gg_rank_workspace(struct several_team *team, struct several_space *space) {
    struct part_shared *s = gg_several_rank(team);
    uint64_t bytes = space->used;
    if (!s->peers) {
        struct workspace whole = {NULL, bytes};
        if (!gg_several_wait(team) ||
            !gg_workspace(gg_several_on(team, team->first), &whole))
            return false;
        space->base[team->first] = whole.base;
    } else {
        if (!gg_rank_combine(team, GPUGRAPH_MOST, &bytes, 1))
            return false;
        if (part_exported(bytes) > s->space.bytes &&
            !widen_space(team, &s->space, part_exported(bytes)))
            return false;
        for (int q = 0; q < team->parts; q++)
            space->base[q] = static_cast<unsigned char *>(s->space.at[q]);
    }
    space->used = 0;
    return gg_several_going(team);
}
