/* Which exchange a team of one process uses, and how it copies. */
#include "base/limits.h"
#include "distributed/devices/several.cuh"

#include <stdlib.h>
#include <string.h>

/* ---- peer ---- */

/* Members that share a device have no need of access, but their kernels may have no room beside
** each other. */
static bool all_reach(const struct several_team *team) {
    for (int p = 0; p < team->parts; p++)
        for (int q = 0; q < team->parts; q++) {
            int from = team->member[p].run.device, to = team->member[q].run.device;
            int can = 1;
            if (p != q && from == to)
                return false;
            if (p != q && cudaDeviceCanAccessPeer(&can, from, to) != cudaSuccess)
                can = 0;
            cudaGetLastError();
            if (!can)
                return false;
        }
    return true;
}

/* By device, in whose turn it is looked at: access is given once. */
static bool reaches[GG_MAX_DEVICES][GG_MAX_DEVICES];

static bool reach_peers(struct several_team *team) {
    for (int p = 0; p < team->parts && gg_several_going(team); p++) {
        struct cuda_job *job = gg_several_on(team, p);
        for (int q = 0; q < team->parts; q++) {
            int from = team->member[p].run.device, to = team->member[q].run.device;
            if (to == from || reaches[from][to])
                continue;
            cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
            if (error == cudaErrorPeerAccessAlreadyEnabled) {
                cudaGetLastError();
                error = cudaSuccess;
            }
            reaches[from][to] = gg_note(job, error, "reach another device's memory");
        }
    }
    return gg_several_going(team);
}

/* Each sender's copies in its stream, once all that was queued anywhere is done. */
static bool copy_pieces(struct several_team *team, const struct several_piece *piece) {
    if (!gg_several_wait(team))
        return false;
    for (int p = 0; p < team->parts; p++) {
        struct cuda_job *job = gg_several_on(team, p);
        for (int q = 0; q < team->parts && gg_going(job); q++, piece++)
            if (piece->bytes > 0)
                gg_note(job,
                        cudaMemcpyPeerAsync(piece->to, team->member[q].run.device,
                                            piece->from, job->device->ordinal,
                                            piece->bytes, job->stream),
                        "send data to another device");
    }
    return gg_several_wait(team);
}

extern "C" const struct several_exchange gg_several_peer = {"peer", true, copy_pieces};
/* Kernels return, and the runtime finds a way for each copy. */
extern "C" const struct several_exchange gg_several_copies = {"copies", false,
                                                              copy_pieces};

/* ---- choice ---- */

static const struct several_exchange *wanted(const struct several_team *team) {
    const char *name = getenv("GPUGRAPH_EXCHANGE");
    if (gg_limits.several_exchange)
        return gg_limits.several_exchange;
    if (name)
        return strcmp(name, "peer") == 0 ? &gg_several_peer : &gg_several_copies;
    return all_reach(team) ? &gg_several_peer : &gg_several_copies;
}

extern "C" const struct several_exchange *gg_several_choose(struct several_team *team) {
    const struct several_exchange *exchange = wanted(team);
    return !exchange->in_kernels || reach_peers(team) ? exchange : NULL;
}

bool gg_several_segments(struct several_team *team, void *const *at, uint64_t bytes) {
    struct several_piece piece[SEVERAL_MOST * SEVERAL_MOST];
    int parts = team->parts;
    for (int p = 0; p < parts; p++)
        for (int q = 0; q < parts; q++)
            piece[p * parts + q] = {(char *)at[q] + (uint64_t)p * bytes,
                                    (char *)at[p] + (uint64_t)p * bytes,
                                    p == q ? 0 : bytes};
    return team->exchange->move(team, piece);
}
