/* What moves data between devices outside of kernels.
**
**     peer    kernels store into each other's memory and meet; what the host moves, it copies
**     nccl    libnccl, where it is installed
**     host    through pinned memory
**     copies  by the runtime, whatever way it finds
**
** Where kernels do not reach each other's memory they return at each meeting, and the host moves
** segments and letters by one of these before it launches them again. The environment variable
** GPUGRAPH_EXCHANGE (peer, nccl, host) forces one, for tests; nccl and host then do without peer
** access although it may be there. */
#ifndef GPUGRAPH_SEVERAL_EXCHANGE_H
#define GPUGRAPH_SEVERAL_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

struct several_team;

/* Part of one member's memory that another one is to have. */
struct several_piece {
    void *to;         /* the receiver's memory */
    const void *from; /* the sender's */
    uint64_t bytes;
};

struct several_exchange {
    const char *name;
    bool in_kernels; /* kernels reach each other's memory */
    /* Can this team use it? */
    bool (*possible)(const struct several_team *team);
    /* For a team; team->channel may keep what it needs. */
    bool (*open)(struct several_team *team);
    void (*close)(struct several_team *team);
    /* Queues piece[sender * parts + receiver] for all pairs, those with bytes > 0, behind what is
    ** queued on both members. False: the run must end. */
    bool (*move)(struct several_team *team, const struct several_piece *piece);
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct several_exchange gg_several_peer, gg_several_nccl, gg_several_host;
/* Copies by the runtime, between kernels: whatever there is. */
extern const struct several_exchange gg_several_copies;

/* By the environment, else the first of these that is possible. (exchange.cu) */
const struct several_exchange *gg_several_choose(const struct several_team *team);

/* Every member's own segment of an array with `bytes` bytes a segment goes to all others; at[p] is
** member p's copy. (exchange.cu) */
bool gg_several_segments(struct several_team *team, void *const *at, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
