/* Declarations that all .cu files share: a job on a device, its memory, its transfers.
** It does not depend on the contents of a graph (graph/graph.cuh).
**
**     struct cuda_device    opened once for a process: stream, pinned buffers, workspace
**       ^
**     struct cuda_job       one call of a backend function; has its turn on the device
**       | gg_workspace + gg_carve            one block for all arrays of the run
**       | kernels, each followed by gg_launched
**       | gg_wait, gg_fetch, gg_download     poll: an interrupt takes effect at once
**       v
**     gg_job_close          the device is idle again; the run's status is returned
**
** Errors are sticky: run->status keeps the first one. After it every step returns false
** or NULL and does nothing, so a sequence of steps is checked once, at its end. */
#ifndef GPUGRAPH_CUDA_CUH
#define GPUGRAPH_CUDA_CUH

#include "base/late.cuh"
#include "device/driver.cuh"
#include "device/services.h"

#include <cuda_runtime.h>

enum {
    GG_BLOCK = 256,   /* threads of a block, unless a kernel says otherwise */
    GG_WARP = 32,     /* lanes of a warp */
    GG_STAGES = 4,    /* pinned buffers that transfers use in turn */
    GG_MAILBOX = 1024 /* bytes of pinned memory for small results */
};

/* Bytes of a pinned buffer: a transfer of this size reaches the bus's speed. */
#define GG_STAGE_BYTES ((size_t)4 << 20)
/* Bytes of the pinned space for small uploads, and of the largest small upload. The space
** is behind the first buffer. A small upload waits only when the space is full. */
#define GG_SLICES_BYTES ((size_t)512 << 10)
#define GG_SLICE_MOST   ((size_t)128 << 10)

struct cuda_device {
    int ordinal, processors;
    uint64_t cache_bytes; /* size of the second-level cache */
    size_t shared_bytes;  /* shared memory of a multiprocessor */
    size_t shared_unused; /* shared memory that the driver reserves for each block */
    bool open;
    cudaStream_t stream;
    uint32_t *stop;        /* in host memory that the device reads; 1 ends long kernels */
    uint32_t *device_stop; /* address of `stop` on the device */
    unsigned char *mailbox;
    unsigned char *stage[GG_STAGES];
    cudaEvent_t staged[GG_STAGES]; /* the transfer through that buffer is done */
    cudaEvent_t moment[2];         /* enum gg_moment */
    unsigned char *workspace;      /* kept between runs */
    size_t workspace_bytes;
    double asked_ms; /* time of the memory query that opened the device's context */
};

struct cuda_job {
    gpugraph_graph *graph;
    gpugraph_run *run;
    struct cuda_device *device;
    cudaStream_t stream;
    struct host_context host; /* current in this thread before and after the job */
    bool working;             /* the workspace has arrays of this job */
    unsigned char *slices;    /* pinned, GG_SLICES_BYTES: small uploads in `stream` */
    size_t sliced;            /* used bytes of `slices` */
};

/* Returns a job for planning: with it the library computes the bytes that a run will
** carve, before a device is open. */
static inline struct cuda_job planned_job(const gpugraph_graph *graph) {
    struct cuda_job job = {};
    job.graph = const_cast<gpugraph_graph *>(graph);
    return job;
}
#define GG_PLANNED_PROCESSORS 160  /* multiprocessors of a large device */
#define GG_PLANNED_ENDS       2048 /* sources and targets */

/* ---- job.cu: a job ---- */

/* Takes the device's turn for this thread, and opens the device if needed (phase
** "context"). graph NULL: the job is not about a graph. Returns false after an error;
** then the caller must not close the job. */
bool gg_job_open(struct cuda_job *job, gpugraph_graph *graph, gpugraph_run *run);
/* Waits until the device is idle and ends the turn. Returns the run's status. */
gpugraph_status gg_job_close(struct cuda_job *job);
static inline bool gg_going(const struct cuda_job *job) {
    return job->run->status == GPUGRAPH_OK;
}
/* Fails the run after an error of the runtime; `what` names the step. Returns true while
** the job is going. */
bool gg_note(struct cuda_job *job, cudaError_t error, const char *what);
/* Waits until all queued work is done; polls for interrupts meanwhile. */
bool gg_wait(struct cuda_job *job);
/* Waits until the event has occurred; NULL: until all queued work is done. If the run
** must end first, sets the stop word, which ends long kernels, and returns false. */
bool gg_wait_for(struct cuda_job *job, cudaEvent_t event);
/* Called after a step that only saves time and, on failure, has freed its memory. If the
** step failed because device memory is short, the job continues without the step. Returns
** true while the job is going. */
bool gg_do_without(struct cuda_job *job);

/* Runs body(&job) in a job of its own. */
template <typename body_type>
static inline gpugraph_status gg_in_job(gpugraph_graph *graph, gpugraph_run *run,
                                        const body_type &body) {
    struct cuda_job job;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    body(&job);
    return gg_job_close(&job);
}
/* gg_job_call<body>::entry(graph, run, ...) runs body(&job, ...) in a job of its own. The
** table of a device's side holds such entries. */
template <auto body> struct gg_job_call;
template <typename... types, void (*body)(struct cuda_job *, types...)>
struct gg_job_call<body> {
    static gpugraph_status entry(gpugraph_graph *graph, gpugraph_run *run,
                                 types... arguments) {
        return gg_in_job(graph, run,
                         [&](struct cuda_job *job) { body(job, arguments...); });
    }
};

/* ---- job.cu: launches ---- */

/* Returns the number of blocks for a grid-stride loop over `items`: at least 1, at most
** `per_processor` for each multiprocessor. */
unsigned gg_grid(const struct cuda_job *job, uint64_t items, int per_processor);
/* Called after every launch. Returns true while the job is going. */
bool gg_launched(struct cuda_job *job, const char *kernel);

/* Launches blocks of GG_BLOCK threads, then calls gg_launched. */
#define GG_LAUNCH(job, kernel, grid, ...)                                                \
    (kernel<<<(grid), GG_BLOCK, 0, (job)->stream>>>(__VA_ARGS__),                        \
     gg_launched(job, #kernel))

/* A kernel whose blocks wait for each other, so all blocks must run at once. */
struct cooperative_kernel {
    const void *kernel;
    const char *name;
    unsigned threads; /* threads of a block */
    size_t shared;    /* dynamic shared memory in bytes */
};
/* Returns how many blocks of the kernel one multiprocessor can hold, at least 1. */
int gg_blocks_at_once(struct cuda_job *job, const struct cooperative_kernel *k);
bool gg_launch_cooperative(struct cuda_job *job, const struct cooperative_kernel *k,
                           unsigned blocks, void **arguments);

/* gg_mark records the moment when the work queued so far is done. gg_marked_ms returns
** the milliseconds between both moments, after they have passed. */
enum gg_moment { GG_BEGAN, GG_ENDED };
bool gg_mark(struct cuda_job *job, enum gg_moment moment);
float gg_marked_ms(struct cuda_job *job);

/* ---- memory.cu ---- */

/* Returns the bytes that an allocation takes: a multiple of 256, at least 256. */
static inline uint64_t gg_rounded(uint64_t bytes) {
    return bytes == 0 ? 256 : (bytes + 255) / 256 * 256;
}

/* Allocates device memory that outlives the job. NULL after GPUGRAPH_DEVICE_MEMORY. */
void *gg_take(struct cuda_job *job, uint64_t bytes);
/* Returns the bytes that gg_take could allocate if the workspace and parts that only save
** time were freed. */
int64_t gg_device_room(const struct cuda_job *job);
void gg_give(struct cuda_job *job, void *block, uint64_t bytes);
/* Frees a block of the current device, in its turn. */
void gg_free_block(void *block, uint64_t bytes);

/* The arrays of a run, carved in order from one block. A sequence of gg_carve runs twice:
** first on an empty workspace, to find the size, then after gg_workspace. */
struct workspace {
    unsigned char *base; /* NULL: only sizes are computed */
    uint64_t used;
};
bool gg_workspace(struct cuda_job *job, struct workspace *space);
/* Frees the workspace. For a large workspace, if later work needs far less memory. */
void gg_drop_workspace(struct cuda_job *job);

template <typename type> static inline type *gg_carve(workspace *space, uint64_t count) {
    uint64_t at = space->used;
    space->used += (count * sizeof(type) + 255) / 256 * 256;
    return space->base ? reinterpret_cast<type *>(space->base + at) : nullptr;
}

/* Runs carve(&space), which carves the arrays of a run, twice, as above. Returns false if
** the job must end. */
template <typename carving>
static inline bool gg_take_arrays(struct cuda_job *job, const carving &carve) {
    struct workspace space = {NULL, 0};
    carve(&space);
    if (!gg_workspace(job, &space))
        return false;
    carve(&space);
    return true;
}

/* Transfers through pinned buffers, in the job's stream. */

bool gg_upload(struct cuda_job *job, void *to_device, const void *from, uint64_t bytes);
bool gg_download(struct cuda_job *job, void *to, const void *from_device, uint64_t bytes);
/* Downloads in pieces of GG_STAGE_BYTES, and calls take(context, job, at, piece, bytes)
** for each piece, in order; `at` is its offset in bytes. */
typedef void gg_piece_taker(void *context, struct cuda_job *job, uint64_t at,
                            const void *piece, size_t bytes);
bool gg_download_pieces(struct cuda_job *job, const void *from_device, uint64_t bytes,
                        gg_piece_taker *take, void *context);
/* Downloads an array of a result, and reports phase "download". */
template <typename type>
static inline bool gg_bring(struct cuda_job *job, type *to, const type *from, uint64_t n,
                            const char *what) {
    const double started = gg_now_ms();
    const bool brought = gg_download(job, to, from, n * sizeof *to);
    if (brought)
        gg_phase(job->run, "download", started, (int64_t)n, "%s", what);
    return brought;
}
/* Downloads a result after all queued work; it is fast for at most GG_MAILBOX bytes. */
bool gg_fetch(struct cuda_job *job, void *to, const void *from_device, size_t bytes);
/* Sets every byte of the array to `byte`. */
bool gg_fill(struct cuda_job *job, void *array, int byte, uint64_t bytes);
/* Copies from one block of the device to another. */
bool gg_copy_there(struct cuda_job *job, void *to, const void *from, uint64_t bytes);

/* ---- kernels' helpers ---- */

/* This thread's number in the grid, and the grid's size, for grid-stride loops. */
static __device__ __forceinline__ uint64_t gg_thread() {
    return blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
}
static __device__ __forceinline__ uint64_t gg_threads_of_grid() {
    return gridDim.x * (uint64_t)blockDim.x;
}

static __device__ __forceinline__ unsigned long long gg_nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Prefetches a line that this multiprocessor will read soon. */
static __device__ __forceinline__ void gg_fetch_ahead(const void *at) {
    asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
}
/* Prefetches a line that any block will read soon. */
static __device__ __forceinline__ void gg_fetch_ahead_far(const void *at) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/* Issues a load here, if it is wanted; otherwise returns 0. Later instructions run in
** parallel with the load. The compiler would move an ordinary load down to the use of its
** value, behind the wait for another load or an atomic, so the latencies would add up. */
static __device__ __forceinline__ uint32_t gg_load_now(const uint32_t *at, bool wanted) {
    uint32_t value = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.u32 %0, [%1]; }"
                 : "+r"(value)
                 : "l"(at), "r"((uint32_t)wanted));
    return value;
}
static __device__ __forceinline__ uint64_t gg_load_now(const uint64_t *at, bool wanted) {
    uint64_t value = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.u64 %0, [%1]; }"
                 : "+l"(value)
                 : "l"(at), "r"((uint32_t)wanted));
    return value;
}
static __device__ __forceinline__ int64_t gg_load_now(const int64_t *at, bool wanted) {
    return (int64_t)gg_load_now(reinterpret_cast<const uint64_t *>(at), wanted);
}
static __device__ __forceinline__ double gg_load_now(const double *at, bool wanted) {
    return __longlong_as_double(
        (long long)gg_load_now(reinterpret_cast<const uint64_t *>(at), wanted));
}

#endif
