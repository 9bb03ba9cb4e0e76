/* A part of a graph on a device of its process, and messages between such devices.
**
**     rows      offset, target     of a rank (devices/ranks.cuh) targets are places; else locals
**     place     of peer 0 | of peer 1 | ...      masters that are ghosts there; each peer's from a multiple of 32 on
**
**     a bit for each local -> a bit for each place -> wire -> bits of ghosts
**
** What goes out of a device goes by copies from device to device where parts are threads of one process; by NCCL
** where each has a device of its own and the library is there; else through the host and the part's exchange.
** Processes of one host may reach each other's device memory: devices/ranks.cuh. */
#ifndef GPUGRAPH_MULTI_DEVICE_CUH
#define GPUGRAPH_MULTI_DEVICE_CUH

#include "device/cuda.cuh"
#include "distributed/exchange/nccl.cuh"
#include "part.h"

#include <string.h>

struct part_shared; /* devices/ranks.cuh */

struct part_device {
    int ordinal;
    uint32_t
        stride; /* masters of the part with most, in whole units of PART_STRIDE: offsets
                     ** reach as far */
    uint64_t *offset; /* locals + 1 */
    uint32_t *target;
    void *weight;     /* of each arc, as the part's; NULL: it has none */
    uint64_t *number; /* of each local, where the part is simple */
    uint32_t *place;  /* masters; GPUGRAPH_NONE in the gap behind a peer's */
    /* On the host, of each part and of their end: where its places begin, those of its ghosts. */
    uint64_t *first_out, *first_in;
    void *block;
    uint64_t bytes;
    struct part_shared
        *shared;       /* what makes the part a rank of a team; NULL: no search yet */
    bool copies, nccl; /* messages go so; neither: through the host */
    nccl_communicator comm; /* NULL: no message has gone by NCCL */
    char way[160];          /* how messages go, and why not otherwise */
};

enum { PART_STRIDE = 2048 };

/* PageRank walks arcs into masters, which a part by target has whole: its device has the rows of the
** transpose, without weights. */
static inline bool part_is_transposed(const gpugraph_part *p) {
    return p->partition == GPUGRAPH_BY_TARGET && !p->simple;
}

/* Rows of masters are whole on the device, and ends of arcs are places. */
static inline bool part_is_rank(const gpugraph_part *p) {
    return p->partition == GPUGRAPH_BY_SOURCE || part_is_transposed(p) ||
           p->exchange->parts == 1;
}

/* Blocks that other processes reach are whole pages of the device: nothing else lies in them. */
static inline uint64_t part_exported(uint64_t bytes) {
    const uint64_t page = (uint64_t)2 << 20;
    return (bytes + page - 1) / page * page;
}

/* Part of a device's memory, to or from part q. */
struct part_piece {
    void *bytes;
    uint64_t size;
};

/* Are parts threads of one process? */
static inline bool part_are_threads(const gpugraph_exchange *x) {
    return strcmp(x->calls->name, "threads") == 0;
}

/* ---- wire.cu ---- */

/* Does GPUGRAPH_EXCHANGE name that way? */
bool part_way_is_forced(const char *way);
/* Chooses the way; collective. */
bool part_wire_open(struct cuda_job *job, gpugraph_part *p, struct part_device *d);
void part_wire_close(struct part_device *d);
/* out[q] of part p becomes in[p] of part q, behind what is queued; sizes agree on both sides. Collective. */
bool part_wire_swap(struct cuda_job *job, gpugraph_part *p, const struct part_piece *out,
                    const struct part_piece *in);
/* Until all that was queued is done, or another part has failed. */
bool part_wait(struct cuda_job *job, gpugraph_part *p);
/* A result, once all that was queued is done, likewise: one of up to GG_MAILBOX bytes with that wait alone. */
bool part_fetch(struct cuda_job *job, gpugraph_part *p, void *to, const void *from,
                size_t bytes);
/* out(q) and in(q): what goes to part q, and where what comes from it lies. Collective. */
template <typename out_type, typename in_type>
static inline bool part_swap_with_each(struct cuda_job *job, gpugraph_part *p,
                                       const out_type &out, const in_type &in) {
    const uint32_t parts = p->exchange->parts;
    if (parts == 1 || !gg_going(job))
        return gg_going(job);
    struct part_piece *piece = static_cast<struct part_piece *>(
        gg_alloc_zero(job->run, parts, 2 * sizeof *piece));
    for (uint32_t q = 0; piece && q < parts; q++) {
        piece[q] = out(q);
        piece[parts + q] = in(q);
    }
    if (piece)
        part_wire_swap(job, p, piece, piece + parts);
    gg_release(piece);
    return gg_going(job);
}

/* ---- searches, each in the folder of its algorithm ---- */

gpugraph_status gg_cuda_part_bfs(gpugraph_part *p, const uint32_t *source,
                                 uint32_t sources, uint32_t max_depth, gpugraph_run *run,
                                 uint32_t *depth);
gpugraph_status gg_cuda_part_mis(gpugraph_part *p, gpugraph_priority priority,
                                 const uint32_t *hash, gpugraph_run *run,
                                 uint8_t *member);
gpugraph_status gg_cuda_part_sssp(struct sssp_part *s, const uint32_t *source,
                                  uint32_t sources);
gpugraph_status gg_cuda_part_pagerank(struct part_ranking *r, uint32_t *iterations,
                                      double *change);

/* ---- device.cu ---- */

/* Opens a job on the part's device. */
bool part_job_open(struct cuda_job *job, gpugraph_part *p, gpugraph_run *run);

/* ---- devices/ranks.cu ---- */

/* Gives back d->shared. The device is current. */
void gg_free_rank(struct part_device *d);

/* ---- ghosts.cu ---- */

/* Values of 32 bits of all masters go to their ghosts; room: a word for each place. */
bool part_send_values(struct cuda_job *job, gpugraph_part *p, uint32_t *value,
                      uint32_t *room);
/* The other way: those of ghosts come to where room has their masters' places. */
bool part_return_values(struct cuda_job *job, gpugraph_part *p, uint32_t *value,
                        uint32_t *room);
/* launch(local, ghosts, at), of each part with ghosts here, launches that kernel for them: from that local on so many,
** whose entries among all that have come begin at `at`, a multiple of 32. */
template <typename launch_type>
static inline bool part_put_ghosts_right(struct cuda_job *job, const gpugraph_part *p,
                                         const char *kernel, const launch_type &launch) {
    for (uint32_t q = 0; q < p->exchange->parts && gg_going(job); q++)
        if (p->peer[q].ghosts > 0) {
            launch(p->peer[q].first_ghost, p->peer[q].ghosts, p->device->first_in[q]);
            gg_launched(job, kernel);
        }
    return gg_going(job);
}
/* Words of bitmaps with a bit for each place, and each ghost. */
static inline uint64_t part_words_out(const gpugraph_part *p) {
    return p->device->first_out[p->exchange->parts] / 32;
}
static inline uint64_t part_words_in(const gpugraph_part *p) {
    return p->device->first_in[p->exchange->parts] / 32;
}
/* `maps` bitmaps of places, one behind the other at out, become those of ghosts at in. */
bool part_swap_bits(struct cuda_job *job, gpugraph_part *p, uint32_t *out, uint32_t *in,
                    uint32_t maps);
/* The other way: those of ghosts become those of places. */
bool part_return_bits(struct cuda_job *job, gpugraph_part *p, uint32_t *ghosts,
                      uint32_t *places, uint32_t maps);

#endif
