/* Two further parts of the device's copy of a graph, made on first need:
**
**     pinned rows   for graphs larger than the device
**                       offset[n + 1]    on the device, or as these:
**                       target[arcs]     in pinned host memory, read over the bus
**     hashes        hash[n] for one seed, where ids are not consecutive INTEGERs */
#include "device_graph.cuh"

#include <string.h>

enum { LINE = 128 }; /* bytes */

/* ---- pinned rows ---- */

/* A copy of count items that the device can read, with zeros up to a whole line; NULL when
** the job must end. */
static void *pinned_copy(struct cuda_job *job, const void *from, uint64_t count,
                         size_t size) {
    const uint64_t bytes = count * size, part = GG_POLL_ITEMS * sizeof(uint32_t);
    uint64_t padded = (bytes + LINE) / LINE * LINE;
    void *block = NULL;
    cudaError_t error =
        cudaHostAlloc(&block, padded, cudaHostAllocMapped | cudaHostAllocPortable);
    if (error != cudaSuccess) {
        cudaGetLastError();
        gg_fail(job->run, GPUGRAPH_NO_MEMORY,
                "out of memory: %llu bytes of pinned memory were needed",
                (unsigned long long)padded);
        return NULL;
    }
    for (uint64_t at = 0; at < bytes; at += part) {
        uint64_t some = bytes - at < part ? bytes - at : part;
        memcpy((char *)block + at, (const char *)from + at, some);
        if (gg_poll(job->run)) {
            gg_stopped(job->run);
            cudaFreeHost(block);
            return NULL;
        }
    }
    memset((char *)block + bytes, 0, padded - bytes);
    return block;
}

static bool put_offsets(struct cuda_job *job, const csr *rows, bool on_device,
                        struct pinned_rows *made) {
    uint64_t count = (uint64_t)rows->n + 1;
    if (!on_device) {
        made->pinned_offset =
            (uint64_t *)pinned_copy(job, rows->offset, count, sizeof(uint64_t));
        return made->pinned_offset != NULL;
    }
    return take(job, &made->offset, count, sizeof *made->offset) &&
           gg_upload(job, made->offset, rows->offset, count * sizeof *made->offset);
}

static bool make_pinned(struct cuda_job *job, bool offsets, struct pinned_rows *made) {
    struct device_graph *copy = job->graph->device;
    csr rows;
    if (gg_csr(job->graph, CSR_SIMPLE, false, true, job->run, &rows) != GPUGRAPH_OK)
        return false;
    double started = gg_now_ms();
    bool done = put_offsets(job, &rows, offsets, made);
    if (done)
        made->target =
            (uint32_t *)pinned_copy(job, rows.target, rows.m, sizeof *made->target);
    if (!done || !made->target || !gg_wait(job)) {
        if (made->target)
            cudaFreeHost(made->target);
        if (made->pinned_offset)
            cudaFreeHost(made->pinned_offset);
        give(copy, made->offset, (uint64_t)rows.n + 1, sizeof *made->offset);
        *made = pinned_rows();
        return false;
    }
    made->arcs = rows.m;
    made->made = true;
    gg_phase(job->run, "pin", started, (int64_t)rows.m,
             offsets ? "simple, in host memory" : "simple, with offsets, in host memory");
    return true;
}

bool gg_pinned_csr(struct cuda_job *job, bool offsets, struct device_csr *view) {
    struct device_graph *copy = gg_going(job) ? gg_device_copy(job) : NULL;
    if (!copy || (!copy->pinned.made && !make_pinned(job, offsets, &copy->pinned)))
        return false;
    void *target = NULL, *offset = copy->pinned.offset;
    gg_note(job, cudaHostGetDevicePointer(&target, copy->pinned.target, 0),
            "see pinned memory");
    if (!offset)
        gg_note(job, cudaHostGetDevicePointer(&offset, copy->pinned.pinned_offset, 0),
                "see pinned memory");
    *view = device_csr{copy->n, copy->pinned.arcs, (const uint64_t *)offset,
                       (const uint32_t *)target, NULL};
    return gg_going(job);
}

/* ---- hashes ---- */

static bool upload_hashes(struct cuda_job *job, struct device_graph *copy, int64_t seed) {
    double started = gg_now_ms();
    if (!copy->hash && !take(job, &copy->hash, copy->n, sizeof *copy->hash))
        return false;
    uint32_t *hash = (uint32_t *)gg_alloc(job->run, copy->n, sizeof *hash);
    bool done = hash && gg_hash_ids(job->graph, seed, job->run, hash) == GPUGRAPH_OK &&
                gg_upload(job, copy->hash, hash, (uint64_t)copy->n * sizeof *hash) &&
                gg_wait(job);
    gg_release(hash);
    if (!done) {
        give(copy, copy->hash, copy->n, sizeof *copy->hash);
        copy->hash = NULL;
        return false;
    }
    copy->hash_seed = seed;
    gg_phase(job->run, "hash", started, copy->n, "ids and seed, by the CPU, kept");
    return true;
}

bool gg_device_hashes(struct cuda_job *job, int64_t seed, struct id_hashes *hashes) {
    const gpugraph_ids *ids = &job->graph->ids;
    struct device_graph *copy = gg_going(job) ? gg_device_copy(job) : NULL;
    bool consecutive = ids->integer_count == job->graph->n && !ids->integer;
    if (!copy)
        return false;
    hashes->salt = gg_mix((uint64_t)seed + 0x9e3779b97f4a7c15u);
    hashes->first = (uint64_t)ids->first_integer;
    hashes->stored = NULL;
    if (consecutive)
        return true;
    if ((!copy->hash || copy->hash_seed != seed) && !upload_hashes(job, copy, seed))
        return false;
    hashes->stored = copy->hash;
    return true;
}
