/* A job on a device: open, launch, wait, close.
**
**     turn      held by a job from open to close: one search at a time (turn.h)
**
** The thread that runs the search polls while it waits for the device, so an interrupt
** takes effect even while a kernel runs. */
#include "services.h"
#include "devices.cuh"
#include "parts.cuh"

#include <stdio.h>
#include <string.h>

/* Milliseconds of spinning before a wait sleeps between two polls. */
#define SPIN_MS 0.3
/* Invalid flags, for which cuInit fails at once. */
enum { REFUSED = 1 };

/* ---- errors ---- */

bool gg_note(struct cuda_job *job, cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED, "CUDA device %d failed to %s: %s (%s)",
                job->run->device, what, cudaGetErrorString(error),
                cudaGetErrorName(error));
        gg_look_for_a_lost_context();
    }
    return gg_going(job);
}

/* ---- waiting ---- */

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
            gg_sleep(0.02);
    }
    __atomic_store_n(job->device->stop, 1u, __ATOMIC_RELEASE);
    return false;
}

bool gg_wait(struct cuda_job *job) {
    return gg_wait_for(job, NULL);
}

/* A wait after a failure sets the stop word. Clears the word after all kernels have
** ended. */
bool gg_do_without(struct cuda_job *job) {
    if (job->run->status != GPUGRAPH_DEVICE_MEMORY)
        return gg_going(job);
    gg_begin(job->run);
    if (gg_wait(job))
        __atomic_store_n(job->device->stop, 0u, __ATOMIC_RELEASE);
    return gg_going(job);
}

/* ---- launches ---- */

unsigned gg_grid(const struct cuda_job *job, uint64_t items, int per_processor) {
    uint64_t blocks = (items + GG_BLOCK - 1) / GG_BLOCK;
    uint64_t most = (uint64_t)job->device->processors * (uint64_t)per_processor;
    if (blocks > most)
        blocks = most;
    return blocks > 0 ? (unsigned)blocks : 1;
}

static bool note_launch(struct cuda_job *job, cudaError_t error, const char *kernel) {
    char what[100];
    if (error == cudaSuccess)
        return gg_going(job);
    snprintf(what, sizeof what, "start the kernel %s", kernel);
    return gg_note(job, error, what);
}

bool gg_launched(struct cuda_job *job, const char *kernel) {
    return note_launch(job, cudaGetLastError(), kernel);
}

/* ---- cooperative ---- */

int gg_blocks_at_once(struct cuda_job *job, const struct cooperative_kernel *k) {
    int blocks = 0;
    if (k->shared > 0)
        gg_note(job,
                cudaFuncSetAttribute(k->kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)k->shared),
                "give a kernel shared memory");
    gg_note(job,
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k->kernel,
                                                          (int)k->threads, k->shared),
            "tell how many blocks fit");
    return blocks > 0 ? blocks : 1;
}

bool gg_launch_cooperative(struct cuda_job *job, const struct cooperative_kernel *k,
                           unsigned blocks, void **arguments) {
    if (!gg_going(job))
        return false;
    return note_launch(job,
                       cudaLaunchCooperativeKernel(k->kernel, dim3(blocks),
                                                   dim3(k->threads), arguments, k->shared,
                                                   job->stream),
                       k->name);
}

/* ---- time ---- */

bool gg_mark(struct cuda_job *job, enum gg_moment moment) {
    return gg_going(job) &&
           gg_note(job, cudaEventRecord(job->device->moment[moment], job->stream),
                   "record an event");
}

float gg_marked_ms(struct cuda_job *job) {
    const cudaEvent_t *moment = job->device->moment;
    float ms = 0;
    if (gg_going(job))
        gg_note(job, cudaEventElapsedTime(&ms, moment[GG_BEGAN], moment[GG_ENDED]),
                "take the time");
    return ms;
}

/* ---- jobs ---- */

/* Keeps objects that an earlier attempt has created before it failed. */
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
        /* An allocation takes milliseconds, or longer beside other processes. */
        if (gg_poll(job->run)) {
            gg_stopped(job->run);
            break;
        }
        if (!device->stage[i] &&
            gg_note(job,
                    cudaHostAlloc(&block, GG_STAGE_BYTES + (i == 0 ? GG_SLICES_BYTES : 0),
                                  cudaHostAllocDefault),
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

static bool open_device(struct cuda_job *job, struct cuda_device *device,
                        const cudaDeviceProp *about) {
    const int ordinal = job->run->device;
    const double started = gg_now_ms();
    if (!gg_note(job, cudaSetDevice(ordinal), "open a context"))
        return false;
    if (!device->open) {
        device->ordinal = ordinal;
        device->processors = about->multiProcessorCount;
        device->cache_bytes = (uint64_t)about->l2CacheSize;
        device->shared_bytes = about->sharedMemPerMultiprocessor;
        device->shared_unused = about->reservedSharedMemPerBlock;
        if (!open_buffers(job, device))
            return false;
        __atomic_store_n(&device->open, true, __ATOMIC_RELEASE);
        gg_phase(job->run, "context", started - device->asked_ms - gg_context_opened(), 0,
                 "device %d, %s", ordinal, about->name);
    }
    job->device = device;
    job->stream = device->stream;
    job->slices = device->stage[0] + GG_STAGE_BYTES;
    *device->stop = 0;
    return true;
}

static void end_turn(struct cuda_job *job, int ordinal) {
    gg_give_host_context_back(&job->host);
    gg_turn_end(ordinal);
    gg_look_at_device(gg_turn_of_thread());
}

bool gg_job_open(struct cuda_job *job, gpugraph_graph *graph, gpugraph_run *run) {
    const cudaDeviceProp *about;
    struct cuda_device *device = gg_device(run, &about);
    *job = cuda_job();
    job->graph = graph;
    job->run = run;
    if (!device || !gg_turn_take(run, run->device))
        return false;
    job->host = gg_host_context();
    gg_look_at_device(run->device);
    if (!open_device(job, device, about)) {
        end_turn(job, run->device);
        return false;
    }
    return true;
}

gpugraph_status gg_job_close(struct cuda_job *job) {
    cudaError_t state;
    while ((state = cudaStreamQuery(job->stream)) == cudaErrorNotReady) {
        if (gg_poll(job->run))
            __atomic_store_n(job->device->stop, 1u, __ATOMIC_RELEASE);
        gg_sleep(0.02);
    }
    if (gg_going(job))
        gg_note(job, state, "run what was queued");
    cudaGetLastError();
    end_turn(job, job->device->ordinal);
    return job->run->status;
}

void gg_with_device(gpugraph_graph *graph, int ordinal, void (*act)(gpugraph_graph *)) {
    const bool waited = gg_turn_wait(ordinal);
    const struct host_context host = gg_host_context();
    const int before = gg_look_at_device(ordinal);
    cudaSetDevice(ordinal);
    act(graph);
    cudaGetLastError();
    gg_look_at_device(before);
    gg_give_host_context_back(&host);
    if (waited)
        gg_turn_end(ordinal);
}

void gg_with_devices_of(gpugraph_graph *graph, void (*act)(gpugraph_graph *)) {
    for (int ordinal = 0; ordinal < GG_MAX_DEVICES; ordinal++)
        if (gg_device_list(graph, ordinal))
            gg_with_device(graph, ordinal, act);
}

/* ---- opening in the background ---- */

/* The driver registers handlers of exit() when it is loaded, at its first call even if
** that call fails, and during its start. The library's handler must run before them, so
** it is registered again after the first call and after the start. A step that fails here
** fails again in the job, which reports the error. */
static void start_driver(gpugraph_run *run) {
    const struct cuda_driver *driver = gg_driver();
    const cudaDeviceProp *about;
    CUdevice device;
    CUcontext context;
    if (!driver)
        return;
    driver->init(REFUSED);
    gg_await_openings_at_exit();
    const CUresult started = driver->init(0);
    gg_await_openings_at_exit();
    if (started == CUDA_SUCCESS && !gg_process_ends() && gg_device(run, &about) &&
        driver->device(&device, run->device) == CUDA_SUCCESS && !gg_process_ends())
        driver->retain(&context, device);
}

static int process_ends(void *) {
    return gg_process_ends();
}

bool gg_open_context(gpugraph_graph *graph, gpugraph_run *run) {
    struct cuda_job job;
    return gg_job_open(&job, graph, run) && gg_job_close(&job) == GPUGRAPH_OK;
}

bool gg_open_in_background(int ordinal, const char **why) {
    static char sentence[GG_MAX_DEVICES][sizeof(((gpugraph_run *)0)->message)];
    gpugraph_run run = {};
    run.device = ordinal;
    run.interrupted = process_ends;
    gg_begin(&run);
    start_driver(&run);
    if (gg_process_ends())
        return false;
    const bool opened = gg_open_context(NULL, &run);
    memcpy(sentence[ordinal], run.message, sizeof run.message);
    *why = sentence[ordinal];
    return opened;
}
