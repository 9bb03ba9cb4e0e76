/* Device memory and transfers over the bus.
**
**     ledger      bytes that this process holds on each device; memory_limit bounds them
**     workspace   one block for each device, kept between runs, freed first when memory
**                 is short; parts of the graph that only save time are freed second
**     stages      a ring of pinned buffers, one event for each:
**                 host array -> stage 0, 1, 2, 3, 0, ... -> device, or back.
**                 Several threads fill a stage while the bus transfers earlier stages.
**                 A stage is used again when its event has occurred: its transfer is done
**
** All functions are called in the device's turn (turn.h). */
#include "parts.cuh"

#include <string.h>

static int64_t ledger[GG_MAX_DEVICES]; /* atomic: other devices' turns free blocks */

static int64_t held_on(int ordinal) {
    return __atomic_load_n(&ledger[ordinal], __ATOMIC_RELAXED);
}

static void enter(int ordinal, int64_t bytes) {
    __atomic_fetch_add(&ledger[ordinal], bytes, __ATOMIC_RELAXED);
}

/* ---- memory ---- */

static void free_workspace(struct cuda_device *device) {
    if (device->workspace)
        gg_free_block(device->workspace, device->workspace_bytes);
    device->workspace = NULL;
    device->workspace_bytes = 0;
}

void gg_free_block(void *block, uint64_t bytes) {
    int ordinal = 0;
    if (!block)
        return;
    cudaFree(block);
    cudaGetDevice(&ordinal);
    enter(ordinal, -(int64_t)bytes);
}

static int64_t free_bytes(const struct cuda_job *job) {
    size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    int64_t limit = job->run->memory_limit, held = held_on(job->device->ordinal);
    if (limit > 0 && limit - held < (int64_t)free)
        return limit > held ? limit - held : 0;
    return (int64_t)free;
}

int64_t gg_device_room(const struct cuda_job *job) {
    return free_bytes(job) + (int64_t)job->device->workspace_bytes +
           (job->graph ? gg_device_part_bytes(job->graph, PART_ON_ROOM) : 0);
}

void *gg_take(struct cuda_job *job, uint64_t bytes) {
    const int ordinal = job->device->ordinal;
    int64_t limit = job->run->memory_limit;
    bytes = gg_rounded(bytes);
    for (int attempt = 0; attempt < 3 && gg_going(job); attempt++) {
        void *block = NULL;
        cudaError_t error = cudaErrorMemoryAllocation;
        const int64_t held = held_on(ordinal);
        if (limit <= 0 ||
            bytes <= (uint64_t)limit - (uint64_t)(held < limit ? held : limit))
            error = cudaMalloc(&block, bytes);
        if (error == cudaSuccess) {
            enter(ordinal, (int64_t)bytes);
            return block;
        }
        cudaGetLastError();
        if (error != cudaErrorMemoryAllocation) {
            gg_note(job, error, "allocate memory");
            return NULL;
        }
        if (attempt == 0 && !job->working)
            free_workspace(job->device);
        if (attempt == 1 && job->graph)
            gg_drop_device_parts(job->graph, PART_ON_ROOM);
    }
    if (gg_going(job))
        gg_fail_device_memory(job->run, (int64_t)bytes, free_bytes(job));
    return NULL;
}

void gg_give(struct cuda_job *, void *block, uint64_t bytes) {
    gg_free_block(block, gg_rounded(bytes));
}

bool gg_workspace(struct cuda_job *job, struct workspace *space) {
    struct cuda_device *device = job->device;
    uint64_t bytes = gg_rounded(space->used);
    job->working = false;
    if (!gg_going(job))
        return false;
    if (bytes > device->workspace_bytes) {
        if (!gg_wait(job))
            return false;
        free_workspace(device);
        device->workspace = (unsigned char *)gg_take(job, bytes);
        if (!device->workspace)
            return false;
        device->workspace_bytes = bytes;
    }
    job->working = true;
    space->base = device->workspace;
    space->used = 0;
    return true;
}

void gg_drop_workspace(struct cuda_job *job) {
    job->working = false;
    if (gg_wait(job))
        free_workspace(job->device);
}

/* ---- transfers ---- */

static size_t stage_part(uint64_t bytes, uint64_t part) {
    uint64_t left = bytes - part * GG_STAGE_BYTES;
    return left < GG_STAGE_BYTES ? (size_t)left : GG_STAGE_BYTES;
}

/* A small upload has a slice of its own, so it does not wait for earlier kernels. */
static bool upload_slice(struct cuda_job *job, void *to_device, const void *from,
                         size_t bytes) {
    if (!gg_going(job) || bytes == 0)
        return gg_going(job);
    if (job->sliced + bytes > GG_SLICES_BYTES) {
        if (!gg_wait(job))
            return false;
        job->sliced = 0;
    }
    unsigned char *slice = job->slices + job->sliced;
    memcpy(slice, from, bytes);
    job->sliced += (bytes + 15) / 16 * 16;
    return gg_note(
        job,
        cudaMemcpyAsync(to_device, slice, bytes, cudaMemcpyHostToDevice, job->stream),
        "receive data");
}

bool gg_upload(struct cuda_job *job, void *to_device, const void *from, uint64_t bytes) {
    struct cuda_device *device = job->device;
    if (bytes <= GG_SLICE_MOST)
        return upload_slice(job, to_device, from, (size_t)bytes);
    uint64_t parts = (bytes + GG_STAGE_BYTES - 1) / GG_STAGE_BYTES;
    for (uint64_t part = 0; part < parts; part++) {
        int stage = (int)(part % GG_STAGES);
        size_t size = stage_part(bytes, part);
        if (!gg_wait_for(job, device->staged[stage]))
            return false;
        gg_copy(job->run, device->stage[stage],
                (const char *)from + part * GG_STAGE_BYTES, size);
        gg_note(job,
                cudaMemcpyAsync((char *)to_device + part * GG_STAGE_BYTES,
                                device->stage[stage], size, cudaMemcpyHostToDevice,
                                job->stream),
                "receive data");
        gg_note(job, cudaEventRecord(device->staged[stage], job->stream),
                "record an event");
    }
    return gg_going(job);
}

/* Waits for the stage first: members of a team that share the device have streams of
** their own, so a transfer of another member may still use the stage. */
static bool queue_download(struct cuda_job *job, int stage, const void *from_device,
                           size_t bytes) {
    struct cuda_device *device = job->device;
    if (!gg_wait_for(job, device->staged[stage]))
        return false;
    gg_note(job,
            cudaMemcpyAsync(device->stage[stage], from_device, bytes,
                            cudaMemcpyDeviceToHost, job->stream),
            "send data");
    return gg_note(job, cudaEventRecord(device->staged[stage], job->stream),
                   "record an event");
}

bool gg_download_pieces(struct cuda_job *job, const void *from_device, uint64_t bytes,
                        gg_piece_taker *take, void *context) {
    const char *from = (const char *)from_device;
    uint64_t parts = (bytes + GG_STAGE_BYTES - 1) / GG_STAGE_BYTES, queued = 0;
    for (uint64_t part = 0; part < parts; part++) {
        int stage = (int)(part % GG_STAGES);
        for (; queued < parts && queued < part + GG_STAGES; queued++)
            if (!queue_download(job, (int)(queued % GG_STAGES),
                                from + queued * GG_STAGE_BYTES,
                                stage_part(bytes, queued)))
                return false;
        if (!gg_wait_for(job, job->device->staged[stage]))
            return false;
        take(context, job, part * GG_STAGE_BYTES, job->device->stage[stage],
             stage_part(bytes, part));
    }
    return gg_going(job);
}

static void copy_piece(void *to, struct cuda_job *job, uint64_t at, const void *piece,
                       size_t bytes) {
    gg_copy(job->run, (char *)to + at, piece, bytes);
}

bool gg_download(struct cuda_job *job, void *to, const void *from_device,
                 uint64_t bytes) {
    return gg_download_pieces(job, from_device, bytes, copy_piece, to);
}

bool gg_fetch(struct cuda_job *job, void *to, const void *from_device, size_t bytes) {
    if (!gg_going(job))
        return false;
    if (bytes > GG_MAILBOX) /* behind the mailbox is the word that stops kernels */
        return gg_download(job, to, from_device, bytes);
    gg_note(job,
            cudaMemcpyAsync(job->device->mailbox, from_device, bytes,
                            cudaMemcpyDeviceToHost, job->stream),
            "send a result");
    if (!gg_wait(job))
        return false;
    memcpy(to, job->device->mailbox, bytes);
    return true;
}

bool gg_fill(struct cuda_job *job, void *array, int byte, uint64_t bytes) {
    if (gg_going(job) && bytes > 0)
        gg_note(job, cudaMemsetAsync(array, byte, bytes, job->stream), "fill memory");
    return gg_going(job);
}

bool gg_copy_there(struct cuda_job *job, void *to, const void *from, uint64_t bytes) {
    if (gg_going(job) && bytes > 0)
        gg_note(job,
                cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, job->stream),
                "copy memory");
    return gg_going(job);
}
