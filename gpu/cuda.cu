/* The CUDA backend's table, and the one place that opens devices and waits for them.
**
**     process     asked once: how many devices, which pid; broken after a fatal error
**     devices[]   one struct cuda_device for each ordinal, opened on first use
**     mutex       held by a job from open to close: one search at a time on all devices
**
** Nothing here calls CUDA before the first question about a device, so that the library
** loads where there is no driver. CUDA does not survive fork(): a child is told so. All
** waiting is polling, in the thread that runs the search, so that an interrupt is felt
** whatever the device does. */
#include "cuda.cuh"
#include "ids.h"
#include "patch.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds of spinning before a wait begins to sleep between two looks. */
#define SPIN_MS 0.3
static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t process_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    pid_t pid; /* 0: nobody has asked yet */
    int devices;
    const char *why; /* not NULL: there is no device to use */
    bool context, broken;
    double asked_ms; /* how long the question took: the driver starts with it */
} process;
static struct cuda_device devices[GG_MAX_DEVICES];
static struct { /* asking takes a millisecond, so once for each device */
    bool known;
    char name[256];
    int64_t memory;
    int processors;
} about[GG_MAX_DEVICES];

/* ---- is there a device? ---- */

/* The oldest architecture that this build has code for, as 10 * major + minor. */
static int oldest_architecture() {
    const int built_for[] = {__CUDA_ARCH_LIST__};
    return built_for[0] / 10;
}

static bool device_fits(int ordinal) {
    int major = 0, minor = 0;
    return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal) ==
               cudaSuccess &&
           cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal) ==
               cudaSuccess &&
           10 * major + minor >= oldest_architecture();
}

static void ask_runtime() {
    int count = 0;
    double started = gg_now_ms();
    cudaError_t error = cudaGetDeviceCount(&count);
    process.asked_ms = gg_now_ms() - started;
    process.pid = getpid();
    if (error == cudaErrorInsufficientDriver) {
        process.why = "this machine has no CUDA driver, or one older than this build";
    } else if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        process.why = "this machine has no CUDA device";
    } else if (error != cudaSuccess) {
        process.why = cudaGetErrorString(error);
    } else {
        process.devices = count < GG_MAX_DEVICES ? count : GG_MAX_DEVICES;
        process.why = "the CUDA devices of this machine are older than this build";
        for (int i = 0; i < process.devices; i++)
            if (device_fits(i))
                process.why = NULL;
    }
    cudaGetLastError();
}

static void learn_about(int ordinal) {
    cudaDeviceProp properties;
    pthread_mutex_lock(&process_mutex);
    if (!about[ordinal].known &&
        cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess) {
        memcpy(about[ordinal].name, properties.name, sizeof about[ordinal].name - 1);
        about[ordinal].memory = (int64_t)properties.totalGlobalMem;
        about[ordinal].processors = properties.multiProcessorCount;
        about[ordinal].known = true;
    }
    cudaGetLastError();
    pthread_mutex_unlock(&process_mutex);
}

static bool forked() {
    return process.pid != 0 && process.pid != getpid();
}

static bool usable(const char **why) {
    const char *reason;
    pthread_mutex_lock(&process_mutex);
    if (process.pid == 0)
        ask_runtime();
    reason = process.why;
    if (!reason && forked())
        reason = "this process is a fork of one that had used CUDA, which does not "
                 "survive fork()";
    if (!reason && __atomic_load_n(&process.broken, __ATOMIC_RELAXED))
        reason = "the CUDA context of this process is lost after an earlier error: start "
                 "the process again";
    pthread_mutex_unlock(&process_mutex);
    if (why)
        *why = reason ? reason : "";
    return reason == NULL;
}

/* ---- errors ---- */

/* An error that every further call repeats has taken the context with it. */
static void look_for_a_lost_context() {
    cudaGetLastError();
    cudaError_t state = cudaStreamQuery(NULL);
    if (state != cudaSuccess && state != cudaErrorNotReady)
        __atomic_store_n(&process.broken, true, __ATOMIC_RELAXED);
    cudaGetLastError();
}

bool gg_note(struct cuda_job *job, cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED, "CUDA device %d failed to %s: %s (%s)",
                job->run->device, what, cudaGetErrorString(error),
                cudaGetErrorName(error));
        look_for_a_lost_context();
    }
    return gg_going(job);
}

bool gg_launched(struct cuda_job *job, const char *kernel) {
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                "CUDA device %d could not start the kernel %s: %s", job->run->device,
                kernel, cudaGetErrorString(error));
        look_for_a_lost_context();
    }
    return gg_going(job);
}

/* ---- waiting ---- */

static void nap() {
    struct timespec pause = {0, 20000};
    nanosleep(&pause, NULL);
}

bool gg_wait_for(struct cuda_job *job, cudaEvent_t event) {
    double began = gg_now_ms();
    while (gg_going(job)) {
        cudaError_t state = event ? cudaEventQuery(event) : cudaStreamQuery(job->stream);
        if (state == cudaSuccess)
            return true;
        if (state != cudaErrorNotReady)
            return gg_note(job, state, "run what was queued");
        cudaGetLastError();
        if (gg_poll(job->run))
            gg_stopped(job->run);
        else if (gg_now_ms() - began > SPIN_MS)
            nap();
    }
    __atomic_store_n(job->device->stop, 1u, __ATOMIC_RELEASE);
    return false;
}

bool gg_wait(struct cuda_job *job) {
    return gg_wait_for(job, NULL);
}

unsigned gg_grid(const struct cuda_job *job, uint64_t items, int per_processor) {
    uint64_t blocks = (items + GG_BLOCK - 1) / GG_BLOCK;
    uint64_t most = (uint64_t)job->device->processors * (uint64_t)per_processor;
    if (blocks > most)
        blocks = most;
    return blocks > 0 ? (unsigned)blocks : 1;
}

/* ---- jobs ---- */

/* The mutex, waited for in short steps so that an interrupt is felt. */
static bool lock_devices(gpugraph_run *run) {
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 5000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        int error = pthread_mutex_timedlock(&mutex, &until);
        if (error == 0)
            return true;
        if (error != ETIMEDOUT) {
            gg_fail(run, GPUGRAPH_DEVICE_FAILED,
                    "the CUDA device is in use by this very thread, which an interrupt "
                    "handler or a progress handler must not search with");
            return false;
        }
        if (gg_poll(run)) {
            gg_stopped(run);
            return false;
        }
    }
}

/* What an attempt that failed has opened is there still. */
static bool open_buffers(struct cuda_job *job, struct cuda_device *device) {
    const char *what = "allocate pinned memory";
    void *block = NULL;
    if (!device->stream)
        gg_note(job, cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking),
                "create a stream");
    if (!device->mailbox &&
        gg_note(job, cudaHostAlloc(&block, GG_MAILBOX + 256, cudaHostAllocMapped), what))
        device->mailbox = (unsigned char *)block;
    if (gg_going(job) && !device->device_stop) {
        void *seen = NULL;
        device->stop = (uint32_t *)(device->mailbox + GG_MAILBOX);
        gg_note(job, cudaHostGetDevicePointer(&seen, device->stop, 0), what);
        device->device_stop = (uint32_t *)seen;
    }
    for (int i = 0; i < GG_STAGES && gg_going(job); i++) {
        if (!device->stage[i] &&
            gg_note(job, cudaHostAlloc(&block, GG_STAGE_BYTES, cudaHostAllocDefault),
                    what))
            device->stage[i] = (unsigned char *)block;
        if (!device->staged[i])
            gg_note(job,
                    cudaEventCreateWithFlags(&device->staged[i], cudaEventDisableTiming),
                    "create an event");
    }
    for (int i = 0; i < 2 && gg_going(job); i++)
        if (!device->moment[i])
            gg_note(job, cudaEventCreate(&device->moment[i]), "create an event");
    return gg_going(job);
}

static bool open_device(struct cuda_job *job, int ordinal) {
    struct cuda_device *device = &devices[ordinal];
    double started = gg_now_ms();
    if (!gg_note(job, cudaSetDevice(ordinal), "open a context"))
        return false;
    if (!device->open) {
        cudaDeviceProp properties;
        if (!gg_note(job, cudaGetDeviceProperties(&properties, ordinal),
                     "describe itself"))
            return false;
        device->ordinal = ordinal;
        device->processors = properties.multiProcessorCount;
        if (!open_buffers(job, device))
            return false;
        device->open = true;
        __atomic_store_n(&process.context, true, __ATOMIC_RELAXED);
        gg_phase(job->run, "context", started - device->asked_ms - process.asked_ms, 0,
                 "device %d, %s", ordinal, properties.name);
        process.asked_ms = 0; /* told once */
    }
    job->device = device;
    job->stream = device->stream;
    *device->stop = 0;
    return true;
}

static bool prepare(struct cuda_job *job) {
    int ordinal = job->run->device;
    if (ordinal < 0 || ordinal >= process.devices) {
        gg_fail(job->run, GPUGRAPH_NO_DEVICE,
                "there is no CUDA device %d: this machine's are numbered 0 to %d",
                ordinal, process.devices - 1);
        return false;
    }
    if (!device_fits(ordinal)) {
        gg_fail(job->run, GPUGRAPH_NO_DEVICE,
                "CUDA device %d is older than the architecture %d.%d that this build is "
                "for",
                ordinal, oldest_architecture() / 10, oldest_architecture() % 10);
        return false;
    }
    struct device_graph *copy = job->graph ? job->graph->device : NULL;
    if (copy && gg_device_graph_ordinal(copy) != ordinal) {
        gg_note(job, cudaSetDevice(gg_device_graph_ordinal(copy)), "change devices");
        gg_device_graph_free(job->graph, false);
    }
    return gg_going(job) && open_device(job, ordinal);
}

bool gg_job_open(struct cuda_job *job, gpugraph_graph *graph, gpugraph_run *run) {
    const char *why;
    *job = cuda_job();
    job->graph = graph;
    job->run = run;
    if (!usable(&why)) {
        gg_fail(run, GPUGRAPH_NO_DEVICE, "no CUDA device can be used: %s", why);
        return false;
    }
    if (!lock_devices(run))
        return false;
    if (!prepare(job)) {
        pthread_mutex_unlock(&mutex);
        return false;
    }
    return true;
}

gpugraph_status gg_job_close(struct cuda_job *job) {
    cudaError_t state;
    while ((state = cudaStreamQuery(job->stream)) == cudaErrorNotReady) {
        if (gg_poll(job->run))
            __atomic_store_n(job->device->stop, 1u, __ATOMIC_RELEASE);
        nap();
    }
    if (gg_going(job))
        gg_note(job, state, "run what was queued");
    cudaGetLastError();
    pthread_mutex_unlock(&mutex);
    return job->run->status;
}

/* ---- what dispatch.c asks ---- */

static bool device_at(int i, gpugraph_device *device) {
    if (!usable(NULL) || i < 0 || i >= process.devices)
        return false;
    if (!device)
        return true;
    size_t free = 0, total = 0;
    learn_about(i);
    memset(device, 0, sizeof *device);
    device->backend = "cuda";
    memcpy(device->name, about[i].name, sizeof device->name);
    device->memory = about[i].memory;
    /* A search may hold the mutex for long, and nothing here needs it. */
    double started = gg_now_ms();
    if (cudaSetDevice(i) == cudaSuccess && cudaMemGetInfo(&free, &total) == cudaSuccess) {
        if (devices[i].asked_ms == 0)
            devices[i].asked_ms = gg_now_ms() - started;
        device->free = (int64_t)(free + __atomic_load_n(&devices[i].workspace_bytes,
                                                        __ATOMIC_RELAXED));
    }
    cudaGetLastError();
    return true;
}

static int64_t held(const gpugraph_graph *graph) {
    return graph->device ? gg_device_graph_bytes(graph->device) : 0;
}

static void release(gpugraph_graph *graph) {
    if (!graph->device)
        return;
    if (forked()) {
        gg_device_graph_free(graph, true);
        return;
    }
    pthread_mutex_lock(&mutex);
    cudaSetDevice(gg_device_graph_ordinal(graph->device));
    gg_device_graph_free(graph, false);
    cudaGetLastError();
    pthread_mutex_unlock(&mutex);
}

/* A child of fork frees and changes pages of its own. */
static void rows_back(gpugraph_graph *graph) {
    if (forked())
        return;
    pthread_mutex_lock(&mutex);
    cudaSetDevice(gg_device_graph_ordinal(graph->device));
    gg_drop_pinned(graph);
    cudaGetLastError();
    pthread_mutex_unlock(&mutex);
}

static bool context_open() {
    return __atomic_load_n(&process.context, __ATOMIC_RELAXED) && !forked();
}

static bool open_context(gpugraph_graph *graph, gpugraph_run *run) {
    struct cuda_job job;
    return gg_job_open(&job, graph, run) && gg_job_close(&job) == GPUGRAPH_OK;
}

/* The arrays of a run, as the algorithms carve them: an upper bound. */
static int64_t needs(const gpugraph_graph *graph, const char *function, bool frugal) {
    const int64_t n = (int64_t)graph->n + 1, m = (int64_t)graph->m, ends = 8192;
    const int64_t slices = 8 * n + m / 64, tree = graph->wide ? 8 * n : 4 * n;
    if (strcmp(function, "bfs") == 0)
        return gg_device_graph_lacks(graph, CSR_OUT, false) + slices + 11 * n + tree +
               ends;
    if (strcmp(function, "sssp") == 0)
        return gg_device_graph_lacks(graph, CSR_OUT, true) + slices +
               (frugal ? 30 : 62) * n + tree + ends;
    if (strcmp(function, "dfs") == 0)
        return gg_device_graph_lacks(graph, CSR_OUT, false) + 62 * n + tree + m + ends +
               (n < 200000 ? 100 * n : 20000000);
    if (strcmp(function, "mis") == 0)
        return gg_mis_needs(graph, frugal);
    if (strcmp(function, "triangles") == 0)
        return gg_device_graph_lacks(graph, CSR_SIMPLE, false) + 13 * n + 8 * m + ends;
    return gg_device_graph_lacks(graph, CSR_KINDS, false) + 4 * n + ends;
}

static const gpugraph_method methods[] = {
    {"bfs", "persistent", "cuda",
     "one kernel runs many levels: the whole device or, where few vertices are found at "
     "a "
     "time, one cluster"},
    {"bfs", "direction-optimizing", "cuda",
     "as persistent; large frontiers are found from the unvisited side"},
    {"bfs", "multi-kernel", "cuda",
     "level by level: one kernel explores the frontier, one makes the next"},
    {"bfs", "multi-source", "cuda",
     "searches from up to 64 sources at once, a bit each, level by level"},
    {"sssp", "frontier", "cuda",
     "relaxes a frontier of near vertices, far ones wait in a pile"},
    {"sssp", "persistent", "cuda",
     "delta-stepping in one launch; small rounds stay within a block"},
    {"sssp", "L1V-L2V", "cuda",
     "multi-level multi-queue: a FIFO of each warp over a FIFO of all"},
    {"sssp", "L1NF-L2V", "cuda",
     "multi-level multi-queue: near and far vectors of each warp over a FIFO of all"},
    {"sssp", "L1FQ-L2V", "cuda",
     "multi-level multi-queue: a filtered FIFO of each warp over a FIFO of all"},
    {"sssp", "L1SLF-L2V", "cuda",
     "multi-level multi-queue: shortest length first of each warp over a FIFO of all"},
    {"sssp", "L1V-L2DQ", "cuda",
     "multi-level multi-queue: a FIFO of each warp over buckets of all"},
    {"sssp", "L1NF-L2DQ", "cuda",
     "multi-level multi-queue: near and far vectors of each warp over buckets of all"},
    {"sssp", "L1FQ-L2DQ", "cuda",
     "multi-level multi-queue: a filtered FIFO of each warp over buckets of all"},
    {"sssp", "L1SLF-L2DQ", "cuda",
     "multi-level multi-queue: shortest length first of each warp over buckets of all"},
    {"sssp", "L1V-L2PQ", "cuda",
     "multi-level multi-queue: a FIFO of each warp over a batched heap of all"},
    {"sssp", "L1NF-L2PQ", "cuda",
     "multi-level multi-queue: near and far vectors of each warp over a batched heap of "
     "all"},
    {"sssp", "L1FQ-L2PQ", "cuda",
     "multi-level multi-queue: a filtered FIFO of each warp over a batched heap of all"},
    {"sssp", "L1SLF-L2PQ", "cuda",
     "multi-level multi-queue: shortest length first of each warp over a batched heap of "
     "all"},
    {"sssp", "L1V-L2MPQ", "cuda",
     "multi-level multi-queue: a FIFO of each warp over several batched heaps"},
    {"sssp", "L1NF-L2MPQ", "cuda",
     "multi-level multi-queue: near and far vectors of each warp over several batched "
     "heaps"},
    {"sssp", "L1FQ-L2MPQ", "cuda",
     "multi-level multi-queue: a filtered FIFO of each warp over several batched heaps"},
    {"sssp", "L1SLF-L2MPQ", "cuda",
     "multi-level multi-queue: shortest length first of each warp over several batched "
     "heaps"},
    {"dfs", "many-paths", "cuda",
     "unordered; every warp follows 32 paths with its own stack, idle warps steal"},
    {"dfs", "work-stealing", "cuda",
     "unordered; every warp follows a path with its own stack, idle warps steal"},
    {"dfs", "block-stealing", "cuda",
     "as work-stealing, with some blocks alone: for comparison"},
    {"dfs", "two-level", "cuda", "as work-stealing, in one block: for comparison"},
    {"dfs", "one-level", "cuda",
     "as two-level, all of every stack in device memory: for comparison"},
    {"dfs", "dag-paths", "cuda",
     "the lexicographic tree where the graph is acyclic: compares ways to a vertex"},
    {"dfs", "serial", "cuda",
     "the lexicographic tree: no parallelism in it, so the host searches"},
    {"mis", "one-launch", "cuda",
     "asynchronous: one kernel decides all, every vertex as soon as it can"},
    {"mis", "one-launch-balanced", "cuda",
     "as one-launch, arcs of 32 vertices dealt out evenly to a warp"},
    {"mis", "rounds", "cuda",
     "synchronous rounds over rows sorted by degree: threads, warps and blocks"},
    {"mis", "rounds-warp", "cuda",
     "synchronous rounds, a warp for each vertex, rows as they are"},
    {"mis", "out-of-core", "cuda",
     "rows in pinned host memory, read over the bus: for graphs larger than the device"},
    {"triangles", "intersection", "cuda",
     "intersects the rows of higher-ranking neighbours, warps share long ones"},
    {"triangles", "edge-queries", "cuda",
     "asks a dynamic set of edges for the third of every two that meet"},
    {"degrees", "count", "cuda", "one atomic addition for each end of an edge"},
    {NULL, NULL, NULL, NULL}};

extern "C" {
const backend gg_cuda_backend = {"cuda",
                                 gg_cuda_bfs,
                                 gg_cuda_bfs_each,
                                 gg_cuda_sssp,
                                 gg_cuda_path,
                                 gg_cuda_dfs,
                                 gg_cuda_mis,
                                 gg_cuda_triangles,
                                 gg_cuda_degrees,
                                 methods,
                                 usable,
                                 device_at,
                                 held,
                                 release,
                                 context_open,
                                 needs,
                                 open_context,
                                 gg_cuda_map_ids,
                                 gg_cuda_follow,
                                 gg_cuda_look,
                                 rows_back};
}
