/* Messages between devices of parts: by copies within a process, by NCCL, or down to the host, through the part's exchange and up again.
**
**     open     each tells which device it has and whether NCCL is there
**     join     part 0's id -> all, at the first message
**
** NCCL takes one part to a device: two that share one go through the host. GPUGRAPH_EXCHANGE=peer, nccl or host
** forces one way; of processes peer is what searches do without messages (devices/ranks.cuh). */
#include "distributed/partition/device.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- waiting ---- */

/* Without waiting for the others, who may be gone. */
void part_wire_close(struct part_device *d) {
    const char *why;
    if (d->comm)
        gg_nccl(&why)->abandon(d->comm);
    d->comm = NULL;
}

static bool wait_for_parts(struct cuda_job *job, gpugraph_part *p,
                           struct part_device *d) {
    enum { LOOKS = 64 };
    gpugraph_exchange *x = p->exchange;
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
    part_wire_close(d); /* a message that will not come ends */
    return false;
}

bool part_wait(struct cuda_job *job, gpugraph_part *p) {
    return wait_for_parts(job, p, p->device);
}

/* ---- by NCCL ---- */

static bool by_nccl(struct cuda_job *job, gpugraph_part *p, nccl_communicator comm,
                    const struct part_piece *out, const struct part_piece *in) {
    const char *why;
    const struct nccl_calls *nccl = gg_nccl(&why);
    gpugraph_exchange *x = p->exchange;
    int result = nccl->group_start();
    for (uint32_t q = 0; q < x->parts; q++) {
        if (q == x->part)
            continue;
        if (out[q].size && result == NCCL_SUCCESS)
            result = nccl->send(out[q].bytes, out[q].size, NCCL_BYTES, (int)q, comm,
                                job->stream);
        if (in[q].size && result == NCCL_SUCCESS)
            result = nccl->receive(in[q].bytes, in[q].size, NCCL_BYTES, (int)q, comm,
                                   job->stream);
        x->sent += out[q].size;
        x->received += in[q].size;
    }
    const int ended = nccl->group_end();
    result = result == NCCL_SUCCESS ? ended : result;
    if (result != NCCL_SUCCESS)
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                "NCCL failed between the devices of %u parts: %s", x->parts,
                nccl->error(result));
    x->meetings++;
    return gg_going(job);
}

/* ---- opening ---- */

struct card { /* what each part tells */
    char uuid[16];
    bool nccl;
    char why[120]; /* not */
};

bool part_way_is_forced(const char *way) {
    const char *name = getenv("GPUGRAPH_EXCHANGE");
    return name && strcmp(name, way) == 0;
}

static void look_at_own(struct cuda_job *job, struct card *card) {
    cudaDeviceProp properties;
    const char *why;
    memset(card, 0, sizeof *card);
    if (!gg_note(job, cudaGetDeviceProperties(&properties, job->device->ordinal),
                 "tell its name"))
        return;
    memcpy(card->uuid, &properties.uuid, sizeof card->uuid);
    card->nccl = gg_nccl(&why) != nullptr && !part_way_is_forced("host");
    snprintf(card->why, sizeof card->why, "%s",
             part_way_is_forced("host") ? "GPUGRAPH_EXCHANGE is host" : why);
}

/* Can NCCL join all parts? Where it cannot, d->way says why. */
static bool all_can(const struct card *card, uint32_t parts, struct part_device *d) {
    for (uint32_t p = 0; p < parts; p++) {
        if (!card[p].nccl) {
            snprintf(d->way, sizeof d->way, "host (no NCCL: %s)", card[p].why);
            return false;
        }
        for (uint32_t q = 0; q < p; q++)
            if (memcmp(card[p].uuid, card[q].uuid, sizeof card[p].uuid) == 0) {
                snprintf(
                    d->way, sizeof d->way,
                    "host (NCCL takes one process to a device, and %u and %u share one)",
                    q, p);
                return false;
            }
    }
    return true;
}

/* At the first message: it takes half a second and more. Collective. */
static bool join(struct cuda_job *job, gpugraph_part *p) {
    gpugraph_exchange *x = p->exchange;
    struct part_device *d = p->device;
    const char *why;
    const struct nccl_calls *nccl = gg_nccl(&why);
    struct {
        nccl_id id;
        int result;
    } mine = {}, *all = NULL;
    if (x->part == 0)
        mine.result = nccl->new_id(&mine.id);
    all = static_cast<decltype(all)>(gg_alloc(job->run, x->parts, sizeof *all));
    bool told = all && x->calls->gather(x, job->run, &mine, sizeof mine, all) == 0;
    int result = told ? all[0].result : NCCL_SUCCESS;
    if (told && result == NCCL_SUCCESS)
        result = nccl->join(&d->comm, (int)x->parts, all[0].id, (int)x->part);
    gg_release(all);
    if (result != NCCL_SUCCESS) {
        d->comm = NULL;
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                "NCCL could not join the devices of %u parts: %s; GPUGRAPH_EXCHANGE=host "
                "does without",
                x->parts, nccl->error(result));
    }
    return gg_going(job);
}

bool part_wire_open(struct cuda_job *job, gpugraph_part *p, struct part_device *d) {
    gpugraph_exchange *x = p->exchange;
    struct card mine, *all;
    if (x->parts == 1) {
        snprintf(d->way, sizeof d->way, "none");
        return true;
    }
    d->copies =
        part_are_threads(x) && !part_way_is_forced("nccl") && !part_way_is_forced("host");
    if (d->copies) {
        snprintf(d->way, sizeof d->way, "peer");
        return true;
    }
    look_at_own(job, &mine);
    all = static_cast<struct card *>(gg_alloc(job->run, x->parts, sizeof *all));
    bool told = all && gg_going(job) &&
                x->calls->gather(x, job->run, &mine, sizeof mine, all) == GPUGRAPH_OK;
    d->nccl = told && all_can(all, x->parts, d);
    gg_release(all);
    if (d->nccl)
        snprintf(d->way, sizeof d->way, "nccl");
    else if (told && part_way_is_forced("nccl"))
        gg_fail(job->run, GPUGRAPH_NO_DEVICE, "GPUGRAPH_EXCHANGE is nccl, but: %s",
                d->way);
    return gg_going(job);
}

/* ---- swap ---- */

/* Each tells where its pieces lie once they are there, and fetches what is its own. Peer access is not
** needed: the runtime then finds a way of its own. */
static bool by_copies(struct cuda_job *job, gpugraph_part *p,
                      const struct part_piece *out, const struct part_piece *in) {
    gpugraph_exchange *x = p->exchange;
    const uint32_t parts = x->parts;
    uint64_t nothing = 0;
    uint64_t *mine = static_cast<uint64_t *>(gg_alloc(job->run, parts + 1, 8)),
             *all = static_cast<uint64_t *>(
                 gg_alloc(job->run, (uint64_t)parts * (parts + 1), 8));
    for (uint32_t q = 0; mine && q < parts; q++)
        mine[q] = (uint64_t)(uintptr_t)out[q].bytes;
    bool good = mine && all && gg_wait(job);
    if (good) {
        mine[parts] = (uint64_t)p->device->ordinal;
        good = x->calls->gather(x, job->run, mine, (parts + 1) * sizeof *mine, all) ==
               GPUGRAPH_OK;
    }
    for (uint32_t q = 0; good && q < parts; q++) {
        const uint64_t *theirs = all + (uint64_t)q * (parts + 1);
        if (q == x->part || in[q].size == 0)
            continue;
        good = gg_note(job,
                       cudaMemcpyPeerAsync(in[q].bytes, p->device->ordinal,
                                           (const void *)(uintptr_t)theirs[x->part],
                                           (int)theirs[parts], in[q].size, job->stream),
                       "copy from another device");
        x->received += in[q].size;
    }
    for (uint32_t q = 0; good && q < parts; q++)
        x->sent += q == x->part ? 0 : out[q].size;
    gg_release(mine);
    gg_release(all);
    /* From here on what was given may be written to again. */
    return good && gg_wait(job) &&
           x->calls->combine(x, job->run, GPUGRAPH_SUM, &nothing, 1) == GPUGRAPH_OK;
}

static bool by_host(struct cuda_job *job, gpugraph_part *p, const struct part_piece *out,
                    const struct part_piece *in) {
    gpugraph_exchange *x = p->exchange;
    uint64_t sent = 0, come = 0;
    for (uint32_t q = 0; q < x->parts; q++) {
        sent += out[q].size;
        come += in[q].size;
    }
    if (!part_mail_room(p, job->run, sent, come))
        return false;
    char *to = static_cast<char *>(p->sent.block),
         *from = static_cast<char *>(p->come.block);
    for (uint32_t q = 0; q < x->parts; q++) {
        p->out[q] = {to, out[q].size, out[q].size};
        p->in[q] = {from, in[q].size, 0};
        if (out[q].size && !gg_download(job, to, out[q].bytes, out[q].size))
            return false;
        to += out[q].size;
        from += in[q].size;
    }
    if (x->calls->swap(x, job->run, p->out, p->in) != GPUGRAPH_OK)
        return false;
    for (uint32_t q = 0; q < x->parts; q++)
        if (in[q].size && !gg_upload(job, in[q].bytes, p->in[q].bytes, in[q].size))
            return false;
    return gg_going(job);
}

bool part_wire_swap(struct cuda_job *job, gpugraph_part *p, const struct part_piece *out,
                    const struct part_piece *in) {
    if (!gg_going(job))
        return false;
    if (p->device->copies)
        return by_copies(job, p, out, in);
    if (!p->device->nccl)
        return by_host(job, p, out, in);
    return (p->device->comm || join(job, p)) && by_nccl(job, p, p->device->comm, out, in);
}
