/* Several devices share a graph: the map of this folder.
**
**     places.h       the owner of each vertex, and its index in arrays of all vertices
**     team.cu        the devices of one search: jobs, memory, launches, waiting
**     barrier.cuh    the grid barrier of several devices
**     exchange.cu    transfers by the host, if kernels cannot access other devices
**     rows.cu        complete rows at the owners of vertices, from the host's rows
**     kept.cu        rows that stay with the graph
**     download.cu    answers, by vertex number
**     ranks.cu       teams whose members are processes, each with its own device
**
**     device 0                                   device 1
**     rows of its places                         rows of its places
**     replica  | own segment | copy        |     | copy        | own segment |
**                 `--- peer stores ---------------->
**     inbox    messages from 1                   messages from 0
**
** One host thread leads all devices of its process: it launches a kernel on each and
** polls, so interrupts, phases and errors are those of one call. The first failure stops
** the kernels of all. Functions make the device that they need current by gg_several_on.
**
** A team may have more members than devices. Then several members share a device, which
** tests use. */
#ifndef GPUGRAPH_SEVERAL_CUH
#define GPUGRAPH_SEVERAL_CUH

#include "device/cuda.cuh"
#include "distributed/partition/part.h"
#include "sssp/light_arcs.cuh"
#include "barrier.cuh"

/* How long a kernel waits for another device, in nanoseconds: many times the longest
** step. Without this limit only the stop word would end a wait. */
#define GG_SEVERAL_PATIENCE_NS 20000000000u
static_assert((int)SEVERAL_MOST == (int)GG_MAX_DEVICES, "a slot for each device");

/* ---- a team ---- */

struct several_member {
    struct cuda_job job; /* with `run`, and a stream of its own */
    gpugraph_run run;    /* a copy of the caller's, without phases */
    int lead;            /* the first member on this device, whose job is open */
    /* A stream for a member that does not lead; else NULL. */
    cudaStream_t stream;
    void *slices; /* pinned memory of the job */
    struct several_desk *desk;
    struct several_kept *kept; /* the graph's rows on the device; NULL until asked for */
};

struct several_team {
    gpugraph_run *run; /* the caller's */
    gpugraph_graph *graph;
    int parts;
    int first, end; /* members first .. end - 1 are in this process */
    /* The partition of this process. The other members are the other ranks of its
    ** exchange (ranks.cu). NULL: all members are in this process. */
    gpugraph_part *rank;
    bool peers; /* kernels reach the memory of every other device */
    /* Set by gg_several_begin: */
    struct cooperative_kernel kernel;
    struct several_combining combining;
    uint64_t round; /* barriers on the host so far */
    /* [p][q]: messages that p sent to q, at the last barrier on the host. */
    uint64_t messages[SEVERAL_MOST][SEVERAL_MOST];
    struct several_member member[SEVERAL_MOST];
};

/* Opens jobs on these devices, in ascending order, and peer access between them. An
** ordinal may repeat: its members share the device. graph may be NULL. False: run->status
** says why, and there is nothing to close. */
bool gg_several_open(struct several_team *team, gpugraph_graph *graph, gpugraph_run *run,
                     const int *ordinal, int parts);
/* Opens a team on the devices of the run, and sets the run's method to "several". */
bool gg_several_open_run(struct several_team *team, gpugraph_graph *graph,
                         gpugraph_run *run);
/* Opens the device of a partition as this process's member of a team of all ranks. The
** partition must be of the kind `wanted`. Collective. False: as gg_several_open. */
bool gg_several_open_rank(struct several_team *team, gpugraph_part *p,
                          gpugraph_partition wanted, gpugraph_run *run);
/* Waits until all devices are idle, and closes their jobs. */
gpugraph_status gg_several_close(struct several_team *team);
/* Copies the first failure of a member to the caller's run, and stops all kernels. True
** if nothing has failed. */
bool gg_several_going(struct several_team *team);
/* Makes the member's device current, and returns its job. */
struct cuda_job *gg_several_on(struct several_team *team, int member);
/* Waits until everything queued on any member is done. Polls for interrupts. */
bool gg_several_wait(struct several_team *team);
/* Combines words of this process's members with those of all ranks. */
bool gg_several_combine(struct several_team *team, gpugraph_combination how,
                        uint64_t *word, uint32_t words);
/* Downloads `bytes` bytes, at most 32, of each member of this process after everything
** queued. The bytes of member p go to index p of *to. The downloads overlap. */
bool gg_several_fetch_each(struct several_team *team, void *to,
                           const void *const from[SEVERAL_MOST], size_t bytes);

/* ---- exchange/exchange.cu ---- */

/* A transfer from the memory of one member to the memory of another. */
struct several_piece {
    void *to;         /* in the receiver's memory */
    const void *from; /* in the sender's */
    uint64_t bytes;
};
/* Opens peer access between all members, and sets `peers`. False: the run must end. */
bool gg_several_reach(struct several_team *team);
/* The exchange between members, as phases name it. */
const char *gg_several_exchange_name(const struct several_team *team);
/* Moves piece[sender * parts + receiver] of all pairs, if it has bytes, after everything
** queued on both members. False: the run must end. */
bool gg_several_move(struct several_team *team, const struct several_piece *piece);
bool gg_several_move_segments(struct several_team *team, void *const *at, uint64_t bytes);

/* ---- memory ---- */

/* An array of the same size at each member, usually with an entry for each place. */
template <typename type> struct several_array {
    type *at[SEVERAL_MOST]; /* each member's copy; only peers access other copies */
};

/* Copies each member's segment of `entries` entries to all other members. Does nothing
** with peers, whose kernels store into all copies. */
template <typename type>
static inline bool gg_several_segments(struct several_team *team,
                                       const several_array<type> &array,
                                       uint64_t entries) {
    void *at[SEVERAL_MOST];
    for (int p = 0; p < team->parts; p++)
        at[p] = array.at[p];
    return gg_several_move_segments(team, at, entries * sizeof(type));
}

/* Like struct workspace, on all devices: carve, gg_several_workspace, carve again. */
struct several_space {
    int parts;
    unsigned char *base[SEVERAL_MOST]; /* NULL: only sizes are carved */
    uint64_t used;                     /* bytes of each member */
};
bool gg_several_workspace(struct several_team *team, struct several_space *space);

template <typename type>
static inline several_array<type> gg_several_carve(several_space *space, uint64_t count) {
    several_array<type> array = {};
    for (int p = 0; p < space->parts; p++)
        if (space->base[p])
            array.at[p] = reinterpret_cast<type *>(space->base[p] + space->used);
    space->used += (count * sizeof(type) + 255) / 256 * 256;
    return array;
}

/* ---- a partitioned graph ---- */

struct several_rows { /* of one member, by place within its segment */
    uint64_t arcs;
    void *block; /* of offset, target and weight */
    uint64_t bytes;
    uint64_t *offset; /* stride + 1 */
    uint32_t *target; /* places */
    void *weight;     /* in the graph's type; NULL unless asked for */
    uint32_t *hub;    /* a target of each row to look at first; NULL: not made */
    uint32_t *closed; /* in memory behind the hubs. Bit i: row i is empty */
    struct light_rows light;
};
static inline uint64_t several_hub_bytes(const struct several_places *places) {
    const uint64_t bytes =
        (uint64_t)places->stride * sizeof(uint32_t) + places->stride / 8;
    return (bytes + 255) / 256 * 256;
}

struct several_parts { /* a view, if the graph keeps the rows */
    struct several_places places;
    uint64_t arcs;                   /* sum over all members */
    uint64_t most_arcs;              /* of one vertex */
    uint32_t vertices[SEVERAL_MOST]; /* of each member; unused places follow them */
    size_t weight_bytes;
    enum csr_kind kind;
    uint64_t stamp; /* a construction's number, if the graph keeps the rows; else 0 */
    struct several_rows rows[SEVERAL_MOST];
};

/* Finds or makes the graph's rows of that kind, in as many partitions as the team has
** members. The graph keeps them. CSR_SIMPLE is sorted by place, without loops and
** repeats. Phase "parts". A rank has the rows of its partition, of whatever kind. False:
** the run must end. */
bool gg_several_rows(struct several_team *team, enum csr_kind kind, bool weighted,
                     struct several_parts *parts);
/* Keeps rows with the graph, or with the partition of a rank. Call it for new rows, and
** again after hubs or light arcs were added. */
void gg_several_keep(struct several_team *team, const struct several_parts *parts);
/* Before a team closes: allows a release of its rows when memory is short. */
void gg_several_release_rows(struct several_team *team);
/* True if the graph keeps any rows in that many partitions. (kept.cu) */
bool gg_several_has_rows(const gpugraph_graph *graph, int parts);
/* Bytes that the largest partition still needs on each device. */
int64_t gg_several_rows_lack(const gpugraph_graph *graph, int parts, enum csr_kind kind,
                             bool weighted);

/* ---- rows.cu ---- */

/* Copies rows of the host to those members of this process that own them. parts: has
** places, kind and weight_bytes (0: no weights). number: the number of each end of an
** arc, if rows are those of a rank's masters; NULL: rows and ends are vertex numbers.
** False: the run must end. */
bool gg_several_deal(struct several_team *team, const csr *rows, const uint64_t *number,
                     struct several_parts *parts);
/* The device bytes of member p's rows. gg_several_free_rows frees these rows; the device
** of the member must be current. */
uint64_t gg_several_rows_bytes(const struct several_parts *parts, int p);
void gg_several_free_rows(struct several_parts *parts, int p);

/* The arcs of the member with most arcs. */
uint64_t gg_several_most_arcs(const struct several_parts *parts);
/* A member's rows as those of one device, with `vertices` vertices. Rows are indexed by
** place within the segment. */
static inline struct device_csr gg_several_csr(const struct several_parts *parts,
                                               int member, uint32_t vertices) {
    const struct several_rows *rows = &parts->rows[member];
    return gg_packed_rows(vertices, rows->arcs, rows->offset, rows->target, rows->weight);
}

/* Replaces sources and targets of the search by places, in an array that the caller
** releases. The ends are vertex numbers; in a team of ranks they are masters of this
** process. NULL: the memory does not suffice. (download.cu) */
uint32_t *gg_several_ends(struct several_team *team, const struct several_places *places,
                          gpugraph_search *search);

/* Downloads segment[p] of each member p: entries of 1, 2, 4 or 8 bytes of its own places.
** to: an array by vertex number, or by master of a rank. Phase "download". False: the run
** must end. */
bool gg_several_download_bytes(struct several_team *team,
                               const struct several_places *places,
                               const void *const segment[SEVERAL_MOST], size_t entry,
                               void *to, const char *what);

template <typename type>
static inline bool
gg_several_download(struct several_team *team, const struct several_places *places,
                    const several_array<type> &segment, void *to, const char *what) {
    const void *at[SEVERAL_MOST];
    for (int p = 0; p < team->parts; p++)
        at[p] = segment.at[p];
    return gg_several_download_bytes(team, places, at, sizeof(type), to, what);
}

/* The side of an algorithm with one method, "several". */
#define GG_DISTRIBUTED_SIDE(name, type, function, bytes_of, algorithm, description)      \
    static const gg_method name##_methods[] = {                                          \
        {.is = {algorithm, "several", "cuda", description}}, {}};                        \
    extern const algorithm_side name = {                                                 \
        .methods = name##_methods,                                                       \
        .call = GG_CALLS(type, function),                                                \
        .several_bytes = bytes_of,                                                       \
        .several_ready = gg_several_has_rows,                                            \
    };

/* ---- partitions on devices (ranks.cu) ---- */

struct part_device {
    int ordinal;
    struct several_parts parts; /* only of this rank */
};
/* Downloads pieces, sends them by the partition's exchange, and uploads what arrives. */
bool gg_rank_move(struct several_team *team, const struct several_piece *piece);

/* Searches of a partition, each in the folder of its algorithm. */
part_bfs gg_cuda_part_bfs;
part_mis gg_cuda_part_mis;
part_sssp gg_cuda_part_sssp;
part_pagerank gg_cuda_part_pagerank;

/* ---- kernels ---- */

/* A kernel's argument, by value. */
struct several_view {
    struct several_places places;
    struct several_barrier barrier;
    uint32_t me, first; /* this member, and its first place */
};

/* Begins a search by a cooperative kernel with one argument: fills the views of all
** members, with as many blocks as fit, and clears their desks. */
bool gg_several_begin(struct several_team *team, struct several_combining combining,
                      const struct several_places *places,
                      const struct cooperative_kernel *kernel,
                      struct several_view view[SEVERAL_MOST]);
/* Launches the kernel on every member, and waits. one: an array of arguments, `size`
** bytes for each member, which contain its view. Fails if a device did not arrive at a
** barrier. */
bool gg_several_launch(struct several_team *team, const struct several_view *view,
                       void *one, size_t size);
/* A barrier on the host after a launch without peers: combines the tallies, and stores
** the outcome for the next launch. False: the run must end. */
bool gg_several_barrier_on_host(struct several_team *team,
                                struct several_outcome *outcome);

/* Prepares a kernel's first launch: views, and a workspace that carve(space) lays out
** twice. */
template <typename carver>
static inline bool
gg_several_prepare(struct several_team *team, struct several_combining combining,
                   const struct several_places *places,
                   const struct cooperative_kernel *kernel,
                   struct several_view view[SEVERAL_MOST], const carver &carve) {
    struct several_space space = {team->parts, {}, 0};
    if (!gg_several_begin(team, combining, places, kernel, view))
        return false;
    carve(&space);
    if (!gg_several_workspace(team, &space))
        return false;
    carve(&space);
    return true;
}

#ifdef __CUDACC__

/* The first round of this launch. */
static __device__ __forceinline__ uint64_t several_round(const several_view &v) {
    return v.barrier.desk[v.me]->round;
}

/* Waits for all blocks of all devices at the end of `round`. True: the next round
** follows. False: the kernel returns; it is over, or is launched again for the next
** round. */
static __device__ __forceinline__ bool several_barrier_wait(const several_view &v,
                                                            uint64_t round) {
    __shared__ bool on;
    if (!v.barrier.peers)
        return false;
    __syncthreads();
    if (threadIdx.x == 0)
        on = several_barrier_by_one(&v.barrier, blockIdx.x, round);
    __syncthreads();
    bool goes_on = on;
    __syncthreads();
    return goes_on;
}

/* Stores an entry of the own segment into all copies. Without peers the host moves
** segments. */
template <typename type>
static __device__ __forceinline__ void several_put(const several_view &v,
                                                   const several_array<type> &array,
                                                   uint64_t i, type value) {
    array.at[v.me][i] = value;
    if (v.barrier.peers)
        for (uint32_t q = 0; q < v.places.parts; q++)
            if (q != v.me)
                array.at[q][i] = value;
}

/* True if the place is in the own segment. */
static __device__ __forceinline__ bool several_is_own(const several_view &v,
                                                      uint32_t place) {
    return place - v.first < v.places.stride;
}

#endif
#endif
