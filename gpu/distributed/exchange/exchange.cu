/* How the host moves data between the members of a team.
**
**     peer      kernels store into each other's memory; the host copies the rest
**     copies    kernels return at each barrier; the CUDA runtime copies
**     host      members are processes; messages go through their hosts (devices/ranks.cu)
**
** Without peer access the host moves segments and messages between two launches. The
** environment variable GPUGRAPH_EXCHANGE overrules the check for peer access: the value
** `peer` forces `peer`, any other value forces `copies`. */
#include "base/limits.h"
#include "distributed/devices/several.cuh"

#include <stdlib.h>
#include <string.h>

/* False if two members share a device: their kernels might not fit beside each other. */
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

static void reach_peers(struct several_team *team) {
    for (int p = 0; p < team->parts && gg_several_going(team); p++) {
        struct cuda_job *job = gg_several_on(team, p);
        for (int q = 0; q < team->parts; q++) {
            const int to = team->member[q].run.device;
            if (to == team->member[p].run.device)
                continue;
            cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
            if (error == cudaErrorPeerAccessAlreadyEnabled) {
                cudaGetLastError();
                error = cudaSuccess;
            }
            gg_note(job, error, "reach another device's memory");
        }
    }
}

bool gg_several_reach(struct several_team *team) {
    const char *name = gg_limits.several_exchange ? gg_limits.several_exchange
                                                  : getenv("GPUGRAPH_EXCHANGE");
    team->peers = name ? strcmp(name, "peer") == 0 : all_reach(team);
    if (team->peers)
        reach_peers(team);
    return gg_several_going(team);
}

const char *gg_several_exchange_name(const struct several_team *team) {
    return team->peers ? "peer" : team->rank ? "host" : "copies";
}

/* Each sender copies in its stream, after everything that is queued on any member. */
bool gg_several_move(struct several_team *team, const struct several_piece *piece) {
    if (team->rank)
        return gg_rank_move(team, piece);
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

bool gg_several_move_segments(struct several_team *team, void *const *at,
                              uint64_t bytes) {
    struct several_piece piece[SEVERAL_MOST * SEVERAL_MOST];
    int parts = team->parts;
    if (team->peers || parts == 1)
        return gg_several_going(team);
    for (int p = 0; p < parts; p++)
        for (int q = 0; q < parts; q++)
            piece[p * parts + q] = {(char *)at[q] + (uint64_t)p * bytes,
                                    (char *)at[p] + (uint64_t)p * bytes,
                                    p == q ? 0 : bytes};
    return gg_several_move(team, piece);
}
