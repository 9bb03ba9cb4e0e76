/* Two further parts of the device's copy of a graph, made on first need:
**
**     pinned rows   for graphs larger than the device, read over the bus
**                       offset[n + 1]    on the device, or as these:
**                       target[arcs]     the host's own array, registered where it lies;
**                                        or, where that cannot be, a pinned copy
**     hashes        hash[n] for one seed, where ids are not consecutive INTEGERs
**
** An array that is registered is lent (struct csr_slot): whoever is to free, move or change
** it calls gg_rows_back before. */
#include "device_copy.cuh"

#include <string.h>
#include <unistd.h>

enum { LINE = 128 }; /* bytes */

/* ---- an array that the device reads ---- */

/* Bytes that are registered, or copied, between two looks for an interrupt: some 50 ms, and
** some 10. */
#define LEND_PART ((uint64_t)1 << 30)
#define COPY_PART ((uint64_t)64 << 20)

static void take_back(void *block, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes; at += LEND_PART)
        cudaHostUnregister((char *)block + at);
}

/* Registers all of it or nothing. */
static bool lend_as(struct cuda_job *job, void *block, uint64_t bytes, unsigned flags) {
    for (uint64_t at = 0; at < bytes; at += LEND_PART) {
        uint64_t some = bytes - at < LEND_PART ? bytes - at : LEND_PART;
        bool refused = cudaHostRegister((char *)block + at, some, flags) != cudaSuccess;
        if (refused || gg_poll(job->run)) {
            take_back(block, refused ? at : at + some);
            cudaGetLastError();
            return false;
        }
    }
    return true;
}

static bool can(const struct cuda_job *job, cudaDeviceAttr what) {
    int able = 0;
    bool told = cudaDeviceGetAttribute(&able, what, job->device->ordinal) == cudaSuccess;
    cudaGetLastError();
    return told && able;
}

/* Only blocks that begin with a page and have room for the whole last one, so that no page
** is registered that anything else lies in: large blocks of gg_alloc_roomy are such. Parts
** of them follow one another for the device as they do for the host. */
static bool lend(struct cuda_job *job, void *block, uint64_t bytes,
                 struct pinned_array *array) {
    const unsigned flags = cudaHostRegisterMapped | cudaHostRegisterPortable;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t whole = (bytes + LINE + page - 1) / page * page;
    if ((uintptr_t)block % page != 0 || gg_room(block) < whole ||
        !can(job, cudaDevAttrCanUseHostPointerForRegisteredMem))
        return false;
    bool lent = can(job, cudaDevAttrHostRegisterReadOnlySupported) &&
                lend_as(job, block, whole, flags | cudaHostRegisterReadOnly);
    if (!lent && !gg_stopping(job->run))
        lent = lend_as(job, block, whole, flags);
    if (lent)
        *array = {block, whole, true};
    return lent;
}

/* With zeros up to a whole line. */
static void copy_array(struct cuda_job *job, const void *from, uint64_t bytes,
                       struct pinned_array *array) {
    uint64_t padded = (bytes + LINE) / LINE * LINE;
    if (cudaHostAlloc(&array->block, padded,
                      cudaHostAllocMapped | cudaHostAllocPortable) != cudaSuccess) {
        cudaGetLastError();
        array->block = NULL;
        gg_fail(job->run, GPUGRAPH_NO_MEMORY,
                "out of memory: %llu bytes of pinned memory were needed",
                (unsigned long long)padded);
        return;
    }
    array->bytes = padded;
    for (uint64_t at = 0; at < bytes && !gg_poll(job->run); at += COPY_PART)
        gg_copy(job->run, (char *)array->block + at, (const char *)from + at,
                bytes - at < COPY_PART ? bytes - at : COPY_PART);
    memset((char *)array->block + bytes, 0, padded - bytes);
}

/* False when the job must end; what is in the array is to be given back. */
static bool pin(struct cuda_job *job, void *block, uint64_t bytes,
                struct pinned_array *array) {
    if (!lend(job, block, bytes, array) && !gg_stopping(job->run))
        copy_array(job, block, bytes, array);
    if (gg_stopping(job->run))
        gg_stopped(job->run);
    return gg_going(job);
}

static void unpin(struct pinned_array *array) {
    if (array->lent)
        take_back(array->block, array->bytes);
    else if (array->block)
        cudaFreeHost(array->block);
    *array = pinned_array();
}

/* ---- pinned rows ---- */

void gg_drop_pinned(gpugraph_graph *graph) {
    struct device_graph *copy = graph->device;
    give(copy, copy->pinned.offset, (uint64_t)copy->n + 1, sizeof(uint64_t));
    unpin(&copy->pinned.offsets);
    unpin(&copy->pinned.target);
    copy->pinned = pinned_rows();
    graph->csr[CSR_SIMPLE].lent = false;
}

static bool put_offsets(struct cuda_job *job, const struct csr_slot *rows, uint64_t count,
                        bool on_device, struct pinned_rows *made) {
    uint64_t bytes = count * sizeof *rows->offset;
    if (!on_device)
        return pin(job, rows->offset, bytes, &made->offsets);
    return take(job, &made->offset, count, sizeof *made->offset) &&
           gg_upload(job, made->offset, rows->offset, bytes);
}

static bool make_pinned(struct cuda_job *job, bool offsets) {
    gpugraph_graph *graph = job->graph;
    struct pinned_rows *made = &graph->device->pinned;
    struct csr_slot *rows = &graph->csr[CSR_SIMPLE];
    csr view;
    if (gg_csr(graph, CSR_SIMPLE, false, true, job->run, &view) != GPUGRAPH_OK)
        return false;
    double started = gg_now_ms();
    if (!put_offsets(job, rows, (uint64_t)graph->n + 1, offsets, made) ||
        !pin(job, rows->target, rows->m * sizeof *rows->target, &made->target) ||
        !gg_wait(job)) {
        gg_drop_pinned(graph);
        return false;
    }
    rows->lent = made->target.lent || made->offsets.lent;
    made->arcs = rows->m;
    made->made = true;
    gg_phase(job->run, "pin", started, (int64_t)rows->m, "simple, %s%s",
             offsets ? "" : "with offsets, ",
             made->target.lent ? "in host memory" : "copied to pinned memory");
    return true;
}

bool gg_pinned_csr(struct cuda_job *job, bool offsets, struct device_csr *view) {
    struct device_graph *copy = gg_going(job) ? gg_device_copy(job) : NULL;
    if (!copy || (!copy->pinned.made && !make_pinned(job, offsets)))
        return false;
    void *target = NULL, *offset = copy->pinned.offset;
    gg_note(job, cudaHostGetDevicePointer(&target, copy->pinned.target.block, 0),
            "see pinned memory");
    if (!offset)
        gg_note(job, cudaHostGetDevicePointer(&offset, copy->pinned.offsets.block, 0),
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
    if (!copy)
        return false;
    hashes->salt = gg_mix((uint64_t)seed + 0x9e3779b97f4a7c15u);
    hashes->first = (uint64_t)ids->first_integer;
    hashes->stored = NULL;
    if (gg_ids_are_consecutive(job->graph))
        return true;
    if ((!copy->hash || copy->hash_seed != seed) && !upload_hashes(job, copy, seed))
        return false;
    hashes->stored = copy->hash;
    return true;
}
