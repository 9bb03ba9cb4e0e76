/* Two further parts of the device's copy of a graph, made on first need:
**
**     pinned rows   for graphs larger than the device
**                       offset[n + 1]    on the device
**                       target[arcs]     in pinned host memory, read over the bus
**     hashes        hash[n] for one seed, where ids are not consecutive INTEGERs */
#include "device_graph.cuh"

#include <string.h>

enum { LINE_ARCS = 32 }; /* 128 bytes */

/* ---- pinned rows ---- */

/* A copy that the device can read: all of it, and zeros up to a whole line. */
static bool pin(struct cuda_job *job, const csr *rows, uint32_t **pinned) {
    uint64_t padded = (rows->m + LINE_ARCS) / LINE_ARCS * LINE_ARCS;
    const uint64_t part = GG_POLL_ITEMS;
    void *block = NULL;
    cudaError_t error = cudaHostAlloc(&block, padded * sizeof(uint32_t),
                                      cudaHostAllocMapped | cudaHostAllocPortable);
    if (error != cudaSuccess) {
        cudaGetLastError();
        gg_fail(job->run, GPUGRAPH_NO_MEMORY,
                "out of memory: %llu bytes of pinned memory were needed",
                (unsigned long long)(padded * sizeof(uint32_t)));
        return false;
    }
    *pinned = (uint32_t *)block;
    for (uint64_t at = 0; at < rows->m; at += part) {
        uint64_t count = rows->m - at < part ? rows->m - at : part;
        memcpy(*pinned + at, rows->target + at, count * sizeof(uint32_t));
        if (gg_poll(job->run)) {
            gg_stopped(job->run);
            return false;
        }
    }
    memset(*pinned + rows->m, 0, (padded - rows->m) * sizeof(uint32_t));
    return true;
}

static bool make_pinned(struct cuda_job *job, struct pinned_rows *made) {
    struct device_graph *copy = job->graph->device;
    csr rows;
    if (gg_csr(job->graph, CSR_SIMPLE, false, true, job->run, &rows) != GPUGRAPH_OK)
        return false;
    double started = gg_now_ms();
    uint64_t offsets = (uint64_t)rows.n + 1;
    if (!take(job, &made->offset, offsets, sizeof *made->offset) ||
        !gg_upload(job, made->offset, rows.offset, offsets * sizeof *made->offset) ||
        !pin(job, &rows, &made->target) || !gg_wait(job)) {
        if (made->target)
            cudaFreeHost(made->target);
        give(copy, made->offset, offsets, sizeof *made->offset);
        *made = pinned_rows();
        return false;
    }
    made->arcs = rows.m;
    made->made = true;
    gg_phase(job->run, "pin", started, (int64_t)rows.m, "simple, in host memory");
    return true;
}

bool gg_pinned_csr(struct cuda_job *job, struct device_csr *view) {
    struct device_graph *copy = gg_going(job) ? gg_device_copy(job) : NULL;
    if (!copy || (!copy->pinned.made && !make_pinned(job, &copy->pinned)))
        return false;
    void *target = NULL;
    gg_note(job, cudaHostGetDevicePointer(&target, copy->pinned.target, 0),
            "see pinned memory");
    *view = device_csr{copy->n, copy->pinned.arcs, copy->pinned.offset,
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
