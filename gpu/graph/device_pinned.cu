/* Pinned rows, for graphs that do not fit the device: the device reads the rows over the
** bus. They are made on first need:
**
**     offset[n + 1]    on the device; for rows with slack begin[n] end[n]
**     target[arcs]     the host's own array, registered in place; if that fails, a
**                      pinned copy
**
** A registered array is lent (struct csr_slot): call gg_rows_back before the array is
** freed, moved or changed. */
#include "device/parts.cuh"
#include "graph.cuh"
#include "graph.h"

#include <string.h>

enum { LINE = 128 }; /* bytes */

/* ---- host arrays that the device reads ---- */

struct pinned_array {
    void *block; /* NULL: no array */
    uint64_t bytes;
    bool lent; /* the graph's own array, registered; otherwise a copy */
};

/* Bytes to register (about 50 ms) or copy (10 ms) between two polls for an interrupt. */
#define LEND_PART ((uint64_t)1 << 30)
#define COPY_PART ((uint64_t)64 << 20)

static void take_back(void *block, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes; at += LEND_PART)
        cudaHostUnregister((char *)block + at);
}

/* Registers the whole array or nothing. */
static bool register_array(struct cuda_job *job, void *block, uint64_t bytes) {
    const unsigned flags = cudaHostRegisterMapped | cudaHostRegisterPortable;
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

/* Lends only a block that begins at a page and includes its whole last page, so that no
** registered page holds other data. Large blocks of gg_alloc_slack do so. For the device,
** as for the host, the registered parts are contiguous. */
static bool lend(struct cuda_job *job, void *block, uint64_t bytes,
                 struct pinned_array *array) {
    const uint64_t page = gg_page_bytes();
    const uint64_t pages = (bytes + LINE + page - 1) / page * page;
    int same_address = 0;
    cudaDeviceGetAttribute(&same_address, cudaDevAttrCanUseHostPointerForRegisteredMem,
                           job->device->ordinal);
    cudaGetLastError();
    if ((uintptr_t)block % page != 0 || gg_room(block) < pages || !same_address ||
        !register_array(job, block, pages))
        return false;
    *array = {block, pages, true};
    return true;
}

/* Copies the array, and pads it with zeros to whole lines. */
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

/* Returns false if the job must end; then the caller releases the array. */
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

struct pinned_rows { /* CSR_SIMPLE */
    struct device_part part;
    bool made;
    uint32_t n;
    uint64_t arcs;
    uint64_t *offset; /* on the device */
    uint64_t offsets; /* its entries */
    const uint64_t *end;
    struct pinned_array target;
};

static void drop_pinned(gpugraph_graph *graph, struct device_part *part, unsigned) {
    struct pinned_rows *rows = (struct pinned_rows *)part;
    give(part, rows->offset, rows->offsets, sizeof(uint64_t));
    rows->offset = NULL;
    if (rows->target.lent)
        graph->csr[CSR_SIMPLE].lent = false;
    unpin(&rows->target);
    rows->made = false;
}

static const struct device_part_kind pinned_kind = {"rows simple, targets in host memory",
                                                    sizeof(struct pinned_rows),
                                                    PART_ON_EDGES, drop_pinned};

bool gg_has_pinned(const gpugraph_graph *graph) {
    const struct pinned_rows *rows =
        (const struct pinned_rows *)gg_device_part_of(graph, &pinned_kind);
    return rows && rows->made;
}

void gg_drop_pinned(gpugraph_graph *graph) {
    struct device_part *part = gg_device_part_of(graph, &pinned_kind);
    if (part)
        drop_pinned(graph, part, PART_GROUNDS);
}

static bool put_offsets(struct cuda_job *job, const csr *rows, struct pinned_rows *made) {
    const bool packed = gg_rows_packed(rows);
    const uint64_t n = rows->n, bytes = n * sizeof *rows->begin;
    made->offsets = packed ? n + 1 : 2 * n;
    if (!take(job, &made->part, &made->offset, made->offsets, sizeof *made->offset))
        return false;
    made->end = made->offset + (packed ? 1 : n);
    return gg_upload(job, made->offset, rows->begin, bytes) &&
           gg_upload(job, made->offset + made->offsets - n, rows->end, bytes);
}

static bool make_pinned(struct cuda_job *job, struct pinned_rows *made) {
    gpugraph_graph *graph = job->graph;
    struct csr_slot *rows = &graph->csr[CSR_SIMPLE];
    csr view;
    if (!gg_job_download_edges(job) ||
        gg_rows(graph, CSR_SIMPLE, false, true, job->run, &view) != GPUGRAPH_OK)
        return false;
    double started = gg_now_ms();
    made->n = graph->n;
    if (!put_offsets(job, &view, made) ||
        !pin(job, rows->target, (rows->end ? rows->used : rows->m) * sizeof *rows->target,
             &made->target) ||
        !gg_wait(job)) {
        drop_pinned(graph, &made->part, PART_GROUNDS);
        return false;
    }
    if (made->target.lent)
        rows->lent = true;
    made->arcs = rows->m;
    made->made = true;
    gg_phase(job->run, "pin", started, (int64_t)rows->m, "simple, %s",
             made->target.lent ? "in host memory" : "copied to pinned memory");
    return true;
}

bool gg_pinned_csr(struct cuda_job *job, struct device_csr *view) {
    struct pinned_rows *rows = (struct pinned_rows *)gg_device_part(job, &pinned_kind);
    if (!gg_going(job) || (!rows->made && !make_pinned(job, rows)))
        return false;
    void *target = NULL;
    gg_note(job, cudaHostGetDevicePointer(&target, rows->target.block, 0),
            "see pinned memory");
    *view = device_csr{
        rows->n, rows->arcs, rows->offset, rows->end, (const uint32_t *)target, NULL};
    return gg_going(job);
}
