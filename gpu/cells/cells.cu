/* Uploads pages of leaves unchanged; kernels decode them into columns on the device.
**
**     threads    block 0 .. 15    1 MiB of pinned memory each, filled by preads
**                   |             one copy per full block, in the order of send calls
**     device     pages   | leaf 0 | leaf 1 | leaf 2 | ...
**                start   first row of each leaf: a thread per leaf counts cells; a scan
**                columns source | target, weight, rowid; a warp per leaf (decode.h)
**
** The blocks are the device's own stages, so no other memory is pinned. The job, and with
** it the device's turn, lasts from open to close. Only the thread that called open uses
** the job; other threads only queue copies and query events. */
#include "cells.cuh"
#include "base/limits.h"
#include "decode.h"
#include "device/devices.cuh"
#include "device/services.h"
#include "mutex.h"

#include <cub/device/device_scan.cuh>

enum {
    STAGE_BLOCKS = 4, /* blocks of a stage */
    BLOCKS = GG_STAGES * STAGE_BLOCKS
};
#define BLOCK_BYTES (GG_STAGE_BYTES / STAGE_BLOCKS)

struct device_block { /* device memory, and its size as allocated */
    void *at;
    uint64_t bytes;
};

struct device_cells {
    gg_cells cells;
    struct cuda_job job;
    struct cells_view v;
    struct device_block pages, book, ends, weight, rowid;
    uint32_t *of; /* unusual leaves */
    double began_ms;
    /* blocks */
    gg_mutex lock;
    int queue[BLOCKS]; /* a ring of the blocks that no thread fills, in order of copies */
    unsigned queued, copied;  /* blocks that entered and left the ring */
    cudaEvent_t sent[BLOCKS]; /* the latest copy from that block is done */
    cudaError_t failed;       /* the first error of a copy */
};

static struct device_cells *of_cells(const gg_cells *cells) {
    return (struct device_cells *)cells;
}

/* ---- memory ---- */

static bool take_block(struct device_cells *d, struct device_block *block,
                       uint64_t bytes) {
    block->at = gg_take(&d->job, bytes);
    block->bytes = bytes;
    return block->at != NULL;
}

static void give_block(struct device_cells *d, struct device_block *block) {
    if (block->at)
        gg_give(&d->job, block->at, block->bytes);
    block->at = NULL;
}

/* Carves the data of each leaf from one block. */
static void carve_book(struct workspace *space, struct cells_view *v) {
    const uint64_t leaves = v->leaves;
    v->count = gg_carve<uint32_t>(space, leaves);
    v->start = gg_carve<uint64_t>(space, leaves + 1);
    v->first = gg_carve<int64_t>(space, leaves);
    v->ends = gg_carve<int64_t>(space, leaves);
    v->unusual = gg_carve<uint8_t>(space, leaves);
    v->word = gg_carve<uint32_t>(space, CELLS_WORDS);
}

/* Allocates the pages and the data of each leaf. */
static bool take_pages(struct device_cells *d) {
    struct workspace space = {NULL, 0};
    carve_book(&space, &d->v);
    if (!take_block(d, &d->pages, (uint64_t)d->v.leaves * d->v.page_size + CELLS_PAD) ||
        !take_block(d, &d->book, space.used))
        return false;
    space = workspace{(unsigned char *)d->book.at, 0};
    carve_book(&space, &d->v);
    d->v.pages = (const uint8_t *)d->pages.at;
    return gg_fill(&d->job, d->v.word, 0, CELLS_WORDS * sizeof *d->v.word);
}

static bool take_columns(struct device_cells *d) {
    const uint64_t rows = d->cells.rows, bytes = rows * sizeof(int64_t);
    if (!take_block(d, &d->ends, 2 * bytes) || !take_block(d, &d->rowid, bytes) ||
        (d->v.column[CELL_WEIGHT] != CELL_NO_COLUMN && !take_block(d, &d->weight, bytes)))
        return false;
    d->v.to[CELL_SOURCE] = (int64_t *)d->ends.at;
    d->v.to[CELL_TARGET] = (int64_t *)d->ends.at + rows;
    d->v.to[CELL_WEIGHT] = (int64_t *)d->weight.at;
    d->v.to[CELL_ROWID] = (int64_t *)d->rowid.at;
    return true;
}

/* ---- open and close ---- */

/* Waits for running copies, then frees the memory that they write. */
static gpugraph_status close_cells(gg_cells *cells) {
    struct device_cells *d = of_cells(cells);
    cudaStreamSynchronize(d->job.stream);
    for (int i = 0; i < BLOCKS; i++)
        if (d->sent[i])
            cudaEventDestroy(d->sent[i]);
    give_block(d, &d->pages);
    give_block(d, &d->book);
    give_block(d, &d->rowid);
    if (!gg_going(&d->job))
        give_block(d, &d->ends);
    if (!gg_going(&d->job) || !d->cells.weights.stay)
        give_block(d, &d->weight);
    return gg_job_close(&d->job);
}

/* A child of fork() frees no device memory, which belongs to the parent. */
static void free_cells(gg_cells *cells) {
    struct device_cells *d = of_cells(cells);
    gpugraph_run run = gpugraph_run();
    if ((d->ends.at || d->weight.at) && !gg_forked()) {
        gg_begin(&run);
        run.device = d->job.device->ordinal;
        if (gg_job_open(&d->job, NULL, &run)) {
            give_block(d, &d->ends);
            give_block(d, &d->weight);
            gg_job_close(&d->job);
        }
    }
    gg_release(d->of);
    gg_release(d);
}

static bool begin_cells(struct device_cells *d) {
    bool begun = take_pages(d);
    for (int i = 0; i < BLOCKS && begun; i++) {
        d->queue[d->queued++] = i;
        begun = gg_note(&d->job,
                        cudaEventCreateWithFlags(&d->sent[i], cudaEventDisableTiming),
                        "create an event");
    }
    return begun;
}

extern const gg_cell_place gg_cells_on_device;

static gg_cells *open_cells(const gg_cell_layout *layout, uint32_t leaves,
                            gpugraph_run *run) {
    gg_begin(run);
    struct device_cells *d = (struct device_cells *)gg_alloc_zero(run, 1, sizeof *d);
    if (!d)
        return NULL;
    d->cells.place = &gg_cells_on_device;
    d->v.page_size = layout->page_size;
    d->v.usable = layout->usable;
    d->v.leaves = leaves;
    for (int k = 0; k < CELL_VALUES; k++)
        d->v.column[k] = layout->column[k];
    d->v.last = cells_last(layout);
    d->v.real = layout->real;
    if (!gg_job_open(&d->job, NULL, run)) {
        free_cells(&d->cells);
        return NULL;
    }
    d->began_ms = gg_now_ms();
    if (!begin_cells(d)) {
        close_cells(&d->cells);
        free_cells(&d->cells);
        return NULL;
    }
    return &d->cells;
}

/* ---- pages ---- */

static uint8_t *block_at(const struct device_cells *d, int i) {
    return d->job.device->stage[i / STAGE_BLOCKS] + i % STAGE_BLOCKS * BLOCK_BYTES;
}

/* Returns a block that no thread fills and whose copy is done; -1: none now. */
static int find_block(struct device_cells *d) {
    if (d->copied == d->queued)
        return -1;
    const int oldest = d->queue[d->copied % BLOCKS];
    const cudaError_t state = cudaEventQuery(d->sent[oldest]);
    if (state == cudaSuccess) {
        d->copied++;
        return oldest;
    }
    if (state != cudaErrorNotReady)
        d->failed = state;
    cudaGetLastError();
    return -1;
}

static uint8_t *take_block_to_fill(gg_cells *cells) {
    struct device_cells *d = of_cells(cells);
    const double pause_ms = 0.02;
    uint8_t *block = NULL;
    bool failed = cudaSetDevice(d->job.device->ordinal) != cudaSuccess;
    while (!block && !failed) {
        gg_mutex_lock(&d->lock);
        const int i = find_block(d);
        failed = d->failed != cudaSuccess || gg_stopping(d->job.run);
        if (i >= 0 && !failed)
            block = block_at(d, i);
        gg_mutex_unlock(&d->lock);
        if (!block && !failed)
            gg_sleep(pause_ms);
    }
    return block;
}

static void send_block(gg_cells *cells, uint8_t *block, uint32_t first, uint32_t count) {
    struct device_cells *d = of_cells(cells);
    const uint64_t size = d->v.page_size;
    int i = 0;
    while (block_at(d, i) != block)
        i++;
    gg_mutex_lock(&d->lock);
    cudaError_t error =
        cudaMemcpyAsync((uint8_t *)d->pages.at + first * size, block, count * size,
                        cudaMemcpyHostToDevice, d->job.stream);
    if (error == cudaSuccess)
        error = cudaEventRecord(d->sent[i], d->job.stream);
    if (d->failed == cudaSuccess)
        d->failed = error;
    d->queue[d->queued++ % BLOCKS] = i;
    gg_mutex_unlock(&d->lock);
}

/* ---- decoding ---- */

/* One thread per leaf, and one for the end. Writes counts to `start`; a scan follows. */
static __global__ void count_cells(struct cells_view v) {
    for (uint64_t leaf = gg_thread(); leaf <= v.leaves; leaf += gg_threads_of_grid()) {
        if (leaf < v.leaves)
            cells_count(&v, (uint32_t)leaf);
        v.start[leaf] = leaf < v.leaves ? v.count[leaf] : 0;
    }
}

/* One warp per leaf: decodes its cells. */
static __global__ void decode_leaves(struct cells_view v) {
    const uint64_t warps = gg_threads_of_grid() / GG_WARP;
    for (uint64_t leaf = gg_thread() / GG_WARP; leaf < v.leaves; leaf += warps)
        cells_leaf(&v, (uint32_t)leaf);
}

/* One thread per leaf: compares rowids with the previous leaf. */
static __global__ void look_at_borders(struct cells_view v) {
    for (uint64_t leaf = gg_thread(); leaf < v.leaves; leaf += gg_threads_of_grid())
        cells_border(&v, (uint32_t)leaf);
}

/* Computes where the rows of each leaf start, and the number of rows. */
static bool count_rows(struct device_cells *d) {
    struct cuda_job *job = &d->job;
    size_t bytes = 0;
    uint32_t word[CELLS_WORDS];
    unsigned char *scratch;
    uint64_t *start = d->v.start;
    const int64_t starts = (int64_t)d->v.leaves + 1;
    cub::DeviceScan::ExclusiveSum(NULL, bytes, start, start, starts);
    if (!gg_take_arrays(
            job, [&](workspace *s) { scratch = gg_carve<unsigned char>(s, bytes); }))
        return false;
    if (GG_LAUNCH(job, count_cells, gg_grid(job, (uint64_t)starts, 16), d->v))
        gg_note(job,
                cub::DeviceScan::ExclusiveSum(scratch, bytes, start, start, starts,
                                              job->stream),
                "add up cells");
    job->working = false;
    if (!gg_fetch(job, &d->cells.rows, start + d->v.leaves, sizeof d->cells.rows) ||
        !gg_fetch(job, word, d->v.word, sizeof word))
        return false;
    d->cells.damaged = word[CELLS_DAMAGED] != 0;
    return true;
}

/* Lists the leaves that the caller must decode. */
static bool list_unusual(struct device_cells *d) {
    struct cuda_job *job = &d->job;
    uint32_t word[CELLS_WORDS];
    if (!gg_fetch(job, word, d->v.word, sizeof word) || word[CELLS_UNUSUAL] == 0)
        return gg_going(job);
    uint8_t *unusual = (uint8_t *)gg_alloc(job->run, d->v.leaves, 1);
    d->of = (uint32_t *)gg_alloc(job->run, word[CELLS_UNUSUAL], sizeof *d->of);
    if (unusual && d->of && gg_download(job, unusual, d->v.unusual, d->v.leaves))
        for (uint32_t leaf = 0; leaf < d->v.leaves; leaf++)
            if (unusual[leaf])
                d->of[d->cells.unusual++] = leaf;
    gg_release(unusual);
    d->cells.of = d->of;
    return gg_going(job);
}

static bool decode(gg_cells *cells) {
    struct device_cells *d = of_cells(cells);
    struct cuda_job *job = &d->job;
    const uint64_t bytes = (uint64_t)d->v.leaves * d->v.page_size;
    gg_note(job, d->failed, "receive pages");
    if (!gg_wait(job))
        return false;
    const double sent = gg_now_ms();
    gg_phase(job->run, "upload", d->began_ms, (int64_t)d->v.leaves,
             "%llu bytes of pages to device %d, at %.1f GB/s", (unsigned long long)bytes,
             job->device->ordinal, (double)bytes * 1e-6 / (sent - d->began_ms + 1e-3));
    if (!count_rows(d) || d->cells.damaged || d->cells.rows == 0)
        return gg_going(job);
    if (!take_columns(d) ||
        !GG_LAUNCH(job, decode_leaves, gg_grid(job, (uint64_t)d->v.leaves * GG_WARP, 8),
                   d->v) ||
        !list_unusual(d))
        return false;
    gg_phase(job->run, "decode", sent, (int64_t)d->cells.rows,
             "%u leaves on the device, %u of them left to the host", d->v.leaves,
             d->cells.unusual);
    return true;
}

static bool put_cells(gg_cells *cells, uint32_t leaf, const gg_cell_rows *rows) {
    struct device_cells *d = of_cells(cells);
    struct cuda_job *job = &d->job;
    uint64_t start;
    if (rows->count == 0 || !gg_fetch(job, &start, d->v.start + leaf, sizeof start))
        return gg_going(job);
    const int64_t *rowid = rows->column[CELL_ROWID];
    for (int k = 0; k < CELL_COLUMNS; k++)
        if (d->v.to[k])
            gg_upload(job, d->v.to[k] + start, rows->column[k],
                      rows->count * sizeof(int64_t));
    gg_upload(job, d->v.first + leaf, rowid, sizeof *rowid);
    gg_upload(job, d->v.ends + leaf, rowid + rows->count - 1, sizeof *rowid);
    return gg_going(job);
}

static bool settle_cells(gg_cells *cells) {
    struct device_cells *d = of_cells(cells);
    struct cuda_job *job = &d->job;
    uint32_t word[CELLS_WORDS];
    if (!GG_LAUNCH(job, look_at_borders, gg_grid(job, d->v.leaves, 16), d->v) ||
        !gg_fetch(job, word, d->v.word, sizeof word))
        return false;
    cells->damaged = word[CELLS_DAMAGED] != 0;
    cells->dense = word[CELLS_GAPS] == 0;
    return true;
}

struct weigh_words {
    unsigned long long bad, largest, total;
};

/* One thread per weight; three atomic operations per warp. */
static __global__ void weigh_rows(const int64_t *weight, uint64_t rows, bool real,
                                  weigh_words *words) {
    unsigned long long bad = rows, largest = 0, total = 0;
    for (uint64_t i = gg_thread(); i < rows; i += gg_threads_of_grid()) {
        const int64_t value = weight[i];
        const bool good = cells_weight_is_good(real, value);
        bad = !good && i < bad ? i : bad;
        largest = good && !real && (uint64_t)value > largest ? (uint64_t)value : largest;
        total += real ? 0 : cells_weight_counts(value);
    }
    for (int lanes = GG_WARP / 2; lanes > 0; lanes /= 2) {
        bad = min(bad, __shfl_down_sync(0xffffffff, bad, lanes));
        largest = max(largest, __shfl_down_sync(0xffffffff, largest, lanes));
        total += __shfl_down_sync(0xffffffff, total, lanes);
    }
    if (threadIdx.x % GG_WARP == 0) {
        atomicMin(&words->bad, bad);
        atomicMax(&words->largest, largest);
        atomicAdd(&words->total, total);
    }
}

static bool weigh(gg_cells *cells) {
    struct device_cells *d = of_cells(cells);
    struct cuda_job *job = &d->job;
    gg_cell_weights *found = &cells->weights;
    weigh_words words = {cells->rows, 0, 0}, *there;
    if (!gg_take_arrays(job, [&](workspace *s) { there = gg_carve<weigh_words>(s, 1); }))
        return false;
    gg_upload(job, there, &words, sizeof words);
    GG_LAUNCH(job, weigh_rows, gg_grid(job, cells->rows, 8), d->v.to[CELL_WEIGHT],
              cells->rows, found->real, there);
    const bool fetched = gg_fetch(job, &words, there, sizeof words);
    job->working = false;
    found->bad = words.bad;
    found->largest = words.largest;
    found->total = words.total;
    return fetched;
}

static bool bring_entries(gg_cells *cells, enum gg_cell_column column, uint64_t from,
                          uint64_t count, int64_t *to) {
    struct device_cells *d = of_cells(cells);
    return gg_fetch(&d->job, to, d->v.to[column] + from, count * sizeof *to);
}

/* ---- the place, and access by other files ---- */

const gg_cell_place gg_cells_on_device = {
    &gg_limits.cells_least,
    BLOCK_BYTES,
    open_cells,
    take_block_to_fill,
    send_block,
    decode,
    put_cells,
    settle_cells,
    weigh,
    bring_entries,
    close_cells,
    free_cells,
};

/* Does not wait for a device that is still opening, since threads already read the table.
** Asks the driver only if a device is open. */
extern "C" const gg_cell_place *gg_cells_for(const gpugraph_run *run) {
    const bool open = run->backend != GPUGRAPH_CPU &&
                      gg_devices_asked()->state(run->device, NULL) == OPENING_OPEN;
    return open && gg_device_at(run->device, NULL) ? &gg_cells_on_device : NULL;
}

int64_t *gg_cell_ends(const gg_cells *cells, int *ordinal) {
    const struct device_cells *d = of_cells(cells);
    *ordinal = d->job.device->ordinal;
    return (int64_t *)d->ends.at;
}

const int64_t *gg_cell_weights_at(const gg_cells *cells) {
    return (const int64_t *)of_cells(cells)->weight.at;
}

int64_t *gg_take_cell_weights(gg_cells *cells) {
    struct device_cells *d = of_cells(cells);
    int64_t *weight = (int64_t *)d->weight.at;
    d->weight.at = NULL;
    return weight;
}
