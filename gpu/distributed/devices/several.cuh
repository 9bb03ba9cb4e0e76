/* A graph shared by several devices of one host: the map of this room.
**
**     places.h       which device owns a vertex, and where it lies in arrays of all vertices
**     team.cu        the devices of one search: jobs, memory, launches, waiting
**     barrier.cuh       kernels of all devices wait for each other
**     exchange.cu    what the host moves between devices where kernels do not
**     rows.cu        whole rows at the owner of their vertex, from the host's rows
**     ranks.cu       members that are processes, of which each leads its own device
**
**     device 0                                   device 1
**     rows of its places                         rows of its places
**     replica  | own segment | copy        |     | copy        | own segment |
**                 `--- peer stores ---------------->
**     inbox    letters from 1                    letters from 0
**
** One thread of the host leads all devices of its process: it launches a kernel on each and polls, so interrupts,
** phases and errors are those of one call. The first failure anywhere stops the kernels of all.
** Calls are made with no device in particular current; gg_several_on makes one so.
**
** parts may be more than there are devices: several members then share one, which tests use. */
#ifndef GPUGRAPH_SEVERAL_CUH
#define GPUGRAPH_SEVERAL_CUH

#include "device/cuda.cuh"
#include "gpugraph_parts.h"
#include "distributed/exchange/post.h"
#include "graph/light_arcs.cuh"
#include "distributed/partition/places.h"
#include "barrier.cuh"

/* Nanoseconds that a kernel waits for another device's: many times the longest step,
** since otherwise only the stop word ends such a wait. */
#define GG_SEVERAL_PATIENCE_NS 20000000000u
static_assert((int)SEVERAL_MOST == (int)GG_MAX_DEVICES, "a slot for each device");

/* ---- a team ---- */

struct several_member {
    struct cuda_job job; /* its run is `run`; its stream its own */
    gpugraph_run run;    /* a copy of the caller's, which tells no phases */
    int lead;            /* the first member on the same device: its job is open */
    /* Of its own, where another member leads; else NULL. */
    cudaStream_t stream;
    void *slices; /* the job's */
    struct several_desk *desk;
    struct several_kept *kept; /* the device's rows of the graph; NULL: not asked for */
};

struct several_team {
    gpugraph_run *run; /* the caller's */
    gpugraph_graph *graph;
    int parts;
    int first, end; /* members of this process: first .. end - 1 */
    /* A partition of this process: the other members are ranks of its exchange
    ** (devices/ranks.cuh). NULL: all members are of this process. */
    gpugraph_part *rank;
    bool peers; /* every device reaches every other one's memory: kernels meet */
    /* Since gg_several_begin: */
    struct cooperative_kernel kernel;
    struct several_combining combining;
    uint64_t round; /* meetings on the host */
    /* From each member to each, as told at the last meeting on the host. */
    uint64_t messages[SEVERAL_MOST][SEVERAL_MOST];
    struct several_member member[SEVERAL_MOST];
};

/* Opens the devices of these ordinals, ascending (repeats: members that share one), peer access
** between them included. graph may be NULL. False: run->status says why, and there is nothing to
** close. */
bool gg_several_open(struct several_team *team, gpugraph_graph *graph, gpugraph_run *run,
                     const int *ordinal, int parts);
/* Opens a team on the devices that the run has chosen. The run's method is "several". */
bool gg_several_open_run(struct several_team *team, gpugraph_graph *graph,
                         gpugraph_run *run);
/* Opens the device of a partition, which has to be `wanted`, as the one member of this
** process in a team of all ranks. Collective. False: as gg_several_open. */
bool gg_several_open_rank(struct several_team *team, gpugraph_part *p,
                          gpugraph_partition wanted, gpugraph_run *run);
/* Waits until all are idle and gives them back. */
gpugraph_status gg_several_close(struct several_team *team);
/* Carries the first failure of a member to the caller's run, and stops the kernels of all. True
** while the team is going. */
bool gg_several_going(struct several_team *team);
/* That member's job, its device current. */
struct cuda_job *gg_several_on(struct several_team *team, int member);
/* Until all that was queued on any of them is done; polls for interrupts. */
bool gg_several_wait(struct several_team *team);
/* Words of this process's members become those of all members. */
bool gg_several_combine(struct several_team *team, gpugraph_combination how,
                        uint64_t *word, uint32_t words);
/* So many bytes of each member of this process, once all that was queued on any of them is done: 32 at most, one member's behind the
** other's in *to. On their way together. */
bool gg_several_fetch_each(struct several_team *team, void *to,
                           const void *const from[SEVERAL_MOST], size_t bytes);

/* ---- exchange/exchange.cu ---- */

/* Part of one member's memory that another one is to have. */
struct several_piece {
    void *to;         /* the receiver's memory */
    const void *from; /* the sender's */
    uint64_t bytes;
};
/* Do the kernels of this process's members reach each other's memory? Sets `peers`.
** False: the run must end. */
bool gg_several_reach(struct several_team *team);
/* What moves data between the members, as phases name it. */
const char *gg_several_exchange_name(const struct several_team *team);
/* Moves piece[sender * parts + receiver] for all pairs, those with bytes > 0, behind
** what is queued on both members. False: the run must end. */
bool gg_several_move(struct several_team *team, const struct several_piece *piece);
bool gg_several_move_segments(struct several_team *team, void *const *at, uint64_t bytes);

/* ---- memory ---- */

/* An array with an entry for each place, or any other that all members have in the same size. */
template <typename type> struct several_array {
    type *
        at[SEVERAL_MOST]; /* each member's copy; kernels reach others' with peers alone */
};

/* Every member's own segment of an array, with so many entries, goes to all others;
** with peers kernels have put it there. */
template <typename type>
static inline bool gg_several_segments(struct several_team *team,
                                       const several_array<type> &array,
                                       uint64_t entries) {
    void *at[SEVERAL_MOST];
    for (int p = 0; p < team->parts; p++)
        at[p] = array.at[p];
    return gg_several_move_segments(team, at, entries * sizeof(type));
}

/* As struct workspace, on all devices at once: carve, gg_several_workspace, carve again. */
struct several_space {
    int parts;
    unsigned char *base[SEVERAL_MOST]; /* NULL: sizes alone */
    uint64_t used;                     /* by each member */
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

/* ---- a graph in parts ---- */

struct several_rows { /* of one member's places, by place - first */
    uint64_t arcs;
    void *block; /* of the next three */
    uint64_t bytes;
    uint64_t *offset; /* stride + 1 */
    uint32_t *target; /* places */
    void *weight;     /* as the graph has them; NULL unless asked for */
    uint32_t *hub;    /* of each row a target to look at first; NULL: not asked for */
    uint32_t *closed; /* behind the hubs. Bit i: row i is empty */
    struct light_rows light;
};
static inline uint64_t several_hub_bytes(const struct several_places *places) {
    const uint64_t bytes =
        (uint64_t)places->stride * sizeof(uint32_t) + places->stride / 8;
    return (bytes + 255) / 256 * 256;
}

struct several_parts { /* owns nothing, where the graph keeps the rows */
    struct several_places places;
    uint64_t arcs;                   /* of all members */
    uint64_t most_arcs;              /* of one vertex */
    uint32_t vertices[SEVERAL_MOST]; /* places of each member that are vertices */
    size_t weight_bytes;
    enum csr_kind kind;
    uint64_t stamp; /* of the construction, where the graph keeps the rows; else 0 */
    struct several_rows rows[SEVERAL_MOST];
};

/* The graph's rows of that kind in as many parts as the team has, made on first need
** and kept with the graph. CSR_SIMPLE is sorted by place, without loops or repeats.
** Phase "parts". A rank has the rows of its partition, of whatever kind. False: the
** run must end. */
bool gg_several_rows(struct several_team *team, enum csr_kind kind, bool weighted,
                     struct several_parts *parts);
/* What has been made beside rows that are kept, hubs or light arcs, in place of what was so before. */
void gg_several_keep_more(struct several_team *team, const struct several_parts *parts);
/* The team ends: its rows may go when memory is short. */
void gg_several_release_rows(struct several_team *team);
/* Are some of the graph's rows kept in so many parts? (kept.cu) */
bool gg_several_has_rows(const gpugraph_graph *graph, int parts);
/* Bytes that the largest part would still need on each device. */
int64_t gg_several_rows_lack(const gpugraph_graph *graph, int parts, enum csr_kind kind,
                             bool weighted);

/* ---- rows.cu ---- */

/* Rows that the host has go to the members of this process, which own them. parts has
** the places, the kind, and the bytes of a weight; 0: there are none. number: of each
** end of an arc, where rows are those of a rank's masters; NULL: rows and ends go by
** number. False: the run must end. */
bool gg_several_deal(struct several_team *team, const csr *rows, const uint64_t *number,
                     struct several_parts *parts);
/* Device bytes of a member's rows; frees them, that device being current. */
uint64_t gg_several_rows_bytes(const struct several_parts *parts, int p);
void gg_several_free_rows(struct several_parts *parts, int p);

/* Arcs of the member that has most. */
uint64_t gg_several_most_arcs(const struct several_parts *parts);
/* A member's rows as one device's, of so many vertices; offsets go by place less the first. */
static inline struct device_csr gg_several_csr(const struct several_parts *parts,
                                               int member, uint32_t vertices) {
    const struct several_rows *rows = &parts->rows[member];
    return gg_packed_rows(vertices, rows->arcs, rows->offset, rows->target, rows->weight);
}

/* Sources and targets of the search become places, in an array that the caller releases. They
** are vertex numbers; in a team of ranks, masters of this process. NULL: there is no memory.
** (download.cu) */
uint32_t *gg_several_ends(struct several_team *team, const struct several_places *places,
                          gpugraph_search *search);

/* To an array of the host by vertex number, or of a rank's masters: what each member
** has found of its own places. segment[p]: member p's own places, entries of 1, 2, 4
** or 8 bytes. False: the run must end. */
bool gg_several_download_bytes(struct several_team *team,
                               const struct several_places *places,
                               const void *const segment[SEVERAL_MOST], size_t entry,
                               void *to);

template <typename type>
static inline bool gg_several_download(struct several_team *team,
                                       const struct several_places *places,
                                       const several_array<type> &segment, void *to) {
    const void *at[SEVERAL_MOST];
    for (int p = 0; p < team->parts; p++)
        at[p] = segment.at[p];
    return gg_several_download_bytes(team, places, at, sizeof(type), to);
}

/* ---- kernels ---- */

/* As a kernel has it, by value. */
struct several_view {
    struct several_places places;
    struct several_barrier barrier;
    uint32_t me, first; /* this member, its first place */
};

/* A new search by that kernel, which is cooperative and takes one argument: views of
** the members, with as many blocks as fit, and desks that are cleared. */
bool gg_several_begin(struct several_team *team, struct several_combining combining,
                      const struct several_places *places,
                      const struct cooperative_kernel *kernel,
                      struct several_view view[SEVERAL_MOST]);
/* Launches the kernel of gg_several_begin on every member; one: the arguments of all
** members, each of which has `size` bytes and the member's view. Waits, and says which
** device did not come. */
bool gg_several_launch(struct several_team *team, const struct several_view *view,
                       void *one, size_t size);
/* Without peers, after each launch: combines the tallies, and the next launch has the
** outcome, which is also returned. False: the run must end. */
bool gg_several_barrier_on_host(struct several_team *team,
                                struct several_outcome *outcome);

/* What comes before a kernel's first launch: views, and the workspace, which carve(space) lays out twice. */
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

/* With which round this launch begins. */
static __device__ __forceinline__ uint64_t several_round(const several_view &v) {
    return v.barrier.desk[v.me]->round;
}

/* Of all threads of all blocks, at the end of `round`. True: go on with the next one. False:
** return from the kernel, which is over, or is launched again at the next round. */
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

/* Puts an entry of the own segment into all copies; without peers the host moves segments. */
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

/* Is it one of the own places? */
static __device__ __forceinline__ bool several_is_own(const several_view &v,
                                                      uint32_t place) {
    return place - v.first < v.places.stride;
}

#endif
#endif
