/* Exchange through the host: from one device's memory into pinned memory, and on to the other's. For
** devices that no link joins, and where NCCL is not installed.
**
**     sender     piece --> stage[k] --> receiver      a ring of pinned blocks, one event for each, which
**                          stage[k + 1]               says that the block is free again
**
** A copy waits, on its device's stream, for the copy before it: the host queues all of them and does
** not wait. */
#include "distributed/devices/several.cuh"

#include <stdlib.h>

enum { STAGES = 4 };

struct channel {
    unsigned char *stage[STAGES]; /* GG_STAGE_BYTES each, pinned for all devices */
    /* Made on each member's device: an event belongs to the device whose stream records it. */
    cudaEvent_t came[SEVERAL_MOST][STAGES], gone[SEVERAL_MOST][STAGES];
    int last_receiver[STAGES]; /* whose copy reads the stage; -1: nobody's */
};

static bool possible(const struct several_team *) {
    return true;
}

static void close(struct several_team *team) {
    struct channel *c = static_cast<struct channel *>(team->channel);
    if (!c)
        return;
    for (int p = 0; p < team->parts; p++)
        for (int k = 0; k < STAGES; k++) {
            if (c->came[p][k])
                cudaEventDestroy(c->came[p][k]);
            if (c->gone[p][k])
                cudaEventDestroy(c->gone[p][k]);
        }
    for (int k = 0; k < STAGES; k++)
        if (c->stage[k])
            cudaFreeHost(c->stage[k]);
    cudaGetLastError();
    free(c);
    team->channel = NULL;
}

static bool make_events(struct several_team *team, struct channel *c, int member) {
    struct cuda_job *job = gg_several_on(team, member);
    for (int k = 0; k < STAGES && gg_going(job); k++) {
        gg_note(job,
                cudaEventCreateWithFlags(&c->came[member][k], cudaEventDisableTiming),
                "create an event");
        gg_note(job,
                cudaEventCreateWithFlags(&c->gone[member][k], cudaEventDisableTiming),
                "create an event");
    }
    return gg_going(job);
}

static bool open(struct several_team *team) {
    struct channel *c = static_cast<struct channel *>(calloc(1, sizeof *c));
    team->channel = c;
    if (!c) {
        gg_fail(team->run, GPUGRAPH_NO_MEMORY, "out of memory: %zu bytes were needed",
                sizeof *c);
        return false;
    }
    struct cuda_job *job = gg_several_on(team, 0);
    for (int k = 0; k < STAGES; k++) {
        void *block = NULL;
        c->last_receiver[k] = -1;
        if (!gg_note(job, cudaHostAlloc(&block, GG_STAGE_BYTES, cudaHostAllocPortable),
                     "allocate pinned memory"))
            return gg_several_going(team);
        c->stage[k] = static_cast<unsigned char *>(block);
    }
    for (int p = 0; p < team->parts; p++)
        if (!make_events(team, c, p))
            break;
    return gg_several_going(team);
}

/* Down on the sender's stream, once the stage is free, and up on the receiver's. */
static bool move_bytes(struct several_team *team, int sender, int receiver, int k,
                       unsigned char *to, const unsigned char *from, size_t bytes) {
    struct channel *c = static_cast<struct channel *>(team->channel);
    struct cuda_job *job = gg_several_on(team, sender);
    const int last = c->last_receiver[k];
    if (last >= 0)
        gg_note(job, cudaStreamWaitEvent(job->stream, c->gone[last][k], 0),
                "wait for a transfer");
    gg_note(
        job,
        cudaMemcpyAsync(c->stage[k], from, bytes, cudaMemcpyDeviceToHost, job->stream),
        "send data");
    gg_note(job, cudaEventRecord(c->came[sender][k], job->stream), "record an event");
    if (!gg_several_going(team))
        return false;
    job = gg_several_on(team, receiver);
    gg_note(job, cudaStreamWaitEvent(job->stream, c->came[sender][k], 0),
            "wait for a transfer");
    gg_note(job,
            cudaMemcpyAsync(to, c->stage[k], bytes, cudaMemcpyHostToDevice, job->stream),
            "receive data");
    gg_note(job, cudaEventRecord(c->gone[receiver][k], job->stream), "record an event");
    c->last_receiver[k] = receiver;
    return gg_several_going(team);
}

/* What a sender still computes is not to be overwritten, nor what a receiver still reads: each piece is behind
** what is queued on both, since its copies are in both streams. A sender's later writes could overtake no
** copy of its own stream. */
static bool move(struct several_team *team, const struct several_piece *piece) {
    int k = 0;
    for (int p = 0; p < team->parts; p++)
        for (int q = 0; q < team->parts; q++) {
            const struct several_piece *one = &piece[p * team->parts + q];
            const unsigned char *from = static_cast<const unsigned char *>(one->from);
            unsigned char *to = static_cast<unsigned char *>(one->to);
            for (uint64_t at = 0; at < one->bytes; at += GG_STAGE_BYTES) {
                const uint64_t rest = one->bytes - at;
                const size_t part = rest < GG_STAGE_BYTES ? rest : GG_STAGE_BYTES;
                if (!move_bytes(team, p, q, k, to + at, from + at, part))
                    return false;
                k = (k + 1) % STAGES;
            }
        }
    return gg_several_going(team);
}

extern "C" const struct several_exchange gg_several_host = {
    .name = "host",
    .in_kernels = false,
    .possible = possible,
    .open = open,
    .close = close,
    .move = move,
};
