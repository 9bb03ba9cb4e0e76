/* What moves data between the devices of a team outside of kernels.
**
**     peer      kernels store into each other's memory and meet; what the host moves, it copies
**     copies    copies by the runtime, whatever way it finds
**     ranks     messages of processes, through their hosts (devices/ranks.cu)
**
** Without peer access kernels return at each meeting, and the host moves segments and letters before it
** launches them again. The environment variable GPUGRAPH_EXCHANGE forces peer; any other value does
** without peer access although it may be there. */
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
    /* Moves piece[sender * parts + receiver] for all pairs, those with bytes > 0, behind what is
    ** queued on both members. False: the run must end. */
    bool (*move)(struct several_team *team, const struct several_piece *piece);
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct several_exchange gg_several_peer, gg_several_copies;

/* For a team whose members are open: by the environment, or peer if that is possible. NULL: the run must
** end. */
const struct several_exchange *gg_several_choose(struct several_team *team);

/* Every member's own segment of an array with `bytes` bytes a segment goes to all others; at[p] is
** member p's copy. (exchange.cu) */
bool gg_several_segments(struct several_team *team, void *const *at, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
