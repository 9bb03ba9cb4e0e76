/* Launches: the number of blocks, whether the kernel started, and how long it ran. */
#include "devices.cuh"

unsigned gg_grid(const struct cuda_job *job, uint64_t items, int per_processor) {
    uint64_t blocks = (items + GG_BLOCK - 1) / GG_BLOCK;
    uint64_t most = (uint64_t)job->device->processors * (uint64_t)per_processor;
    if (blocks > most)
        blocks = most;
    return blocks > 0 ? (unsigned)blocks : 1;
}

static bool started(struct cuda_job *job, cudaError_t error, const char *kernel) {
    if (error != cudaSuccess) {
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                "CUDA device %d could not start the kernel %s: %s", job->run->device,
                kernel, cudaGetErrorString(error));
        gg_look_for_a_lost_context();
    }
    return gg_going(job);
}

bool gg_launched(struct cuda_job *job, const char *kernel) {
    return started(job, cudaGetLastError(), kernel);
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
    return started(job,
                   cudaLaunchCooperativeKernel(k->kernel, dim3(blocks), dim3(k->threads),
                                               arguments, k->shared, job->stream),
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
