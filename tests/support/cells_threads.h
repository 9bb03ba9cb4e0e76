/* The decoder of gpu/cells/decode.h on this thread, as a place for cells (gpu/cells.h)
** without a device. A warp has one lane or, if warp_lanes.h was included before, 32. So
** any machine can compare the device's decoder with the page reader. Any thread may send
** pages. */
#ifndef TEST_CELLS_THREADS_H
#define TEST_CELLS_THREADS_H

#include "cells/decode.h"
#include "as_warp.h"

#include <pthread.h>
#include <stdlib.h>

enum { HERE_BLOCK = 4096 };
static const uint64_t here_least = 0;

struct cells_here {
    gg_cells cells;
    gpugraph_run *run;
    struct cells_view v;
    uint8_t *pages;
    uint32_t word[CELLS_WORDS], *of;
    pthread_mutex_t lock;
    uint64_t sent;
};

static void here_free(gg_cells *cells) {
    struct cells_here *h = (struct cells_here *)cells;
    free(h->pages);
    free(h->v.count);
    free(h->v.start);
    free(h->v.first);
    free(h->v.ends);
    free(h->v.unusual);
    free(h->of);
    for (int k = 0; k < CELL_COLUMNS; k++)
        free(h->v.to[k]);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

static const gg_cell_place cells_here;

static gg_cells *here_open(const gg_cell_layout *layout, uint32_t leaves,
                           gpugraph_run *run) {
    struct cells_here *h = calloc(1, sizeof *h);
    h->cells.place = &cells_here;
    h->run = run;
    /* Allocates only what the decoder may read, so that a sanitizer finds reads
    ** beyond. */
    h->pages = calloc(1, (size_t)leaves * layout->page_size + CELLS_PAD);
    h->v = (struct cells_view){
        .pages = h->pages,
        .page_size = layout->page_size,
        .usable = layout->usable,
        .leaves = leaves,
        .column = {layout->column[0], layout->column[1], layout->column[2]},
        .last = cells_last(layout),
        .real = layout->real,
        .count = calloc(leaves, sizeof(uint32_t)),
        .start = calloc((size_t)leaves + 1, sizeof(uint64_t)),
        .first = calloc(leaves, sizeof(int64_t)),
        .ends = calloc(leaves, sizeof(int64_t)),
        .unusual = calloc(leaves, 1),
        .word = h->word};
    pthread_mutex_init(&h->lock, NULL);
    return &h->cells;
}

static uint8_t *here_block(gg_cells *cells) {
    struct cells_here *h = (struct cells_here *)cells;
    return malloc(h->v.page_size > HERE_BLOCK ? h->v.page_size : HERE_BLOCK);
}

static void here_send(gg_cells *cells, uint8_t *block, uint32_t first, uint32_t count) {
    struct cells_here *h = (struct cells_here *)cells;
    const size_t size = h->v.page_size;
    memcpy(h->pages + first * size, block, count * size);
    free(block);
    pthread_mutex_lock(&h->lock);
    h->sent += count;
    pthread_mutex_unlock(&h->lock);
}

struct leaf_of {
    const struct cells_view *v;
    uint32_t leaf;
};

static void decode_leaf(void *of) {
    const struct leaf_of *job = of;
    cells_leaf(job->v, job->leaf);
}

static void by_a_warp(struct leaf_of *job) {
    run_as_warp(decode_leaf, job);
}

static bool here_decode(gg_cells *cells) {
    struct cells_here *h = (struct cells_here *)cells;
    struct cells_view *v = &h->v;
    if (h->sent != v->leaves)
        abort();
    for (uint32_t i = 0; i < v->leaves; i++) {
        cells_count(v, i);
        v->start[i + 1] = v->start[i] + v->count[i];
    }
    cells->rows = v->start[v->leaves];
    cells->damaged = h->word[CELLS_DAMAGED];
    for (int k = 0; k < CELL_COLUMNS; k++)
        if (k == CELL_ROWID || v->column[k] != CELL_NO_COLUMN)
            v->to[k] = calloc(cells->rows + 1, sizeof(int64_t));
    for (uint32_t i = 0; i < v->leaves && !cells->damaged; i++)
        by_a_warp(&(struct leaf_of){v, i});
    h->of = malloc(((size_t)v->leaves + 1) * sizeof *h->of);
    for (uint32_t i = 0; i < v->leaves; i++)
        if (v->unusual[i])
            h->of[cells->unusual++] = i;
    if (cells->unusual != h->word[CELLS_UNUSUAL])
        abort();
    cells->of = h->of;
    return true;
}

static bool here_put(gg_cells *cells, uint32_t leaf, const gg_cell_rows *rows) {
    const struct cells_view *v = &((struct cells_here *)cells)->v;
    if (rows->count != v->count[leaf])
        abort();
    for (int k = 0; k < CELL_COLUMNS && rows->count; k++)
        if (v->to[k])
            memcpy(v->to[k] + v->start[leaf], rows->column[k],
                   rows->count * sizeof(int64_t));
    if (rows->count) {
        v->first[leaf] = rows->column[CELL_ROWID][0];
        v->ends[leaf] = rows->column[CELL_ROWID][rows->count - 1];
    }
    return true;
}

static bool here_settle(gg_cells *cells) {
    struct cells_here *h = (struct cells_here *)cells;
    for (uint32_t i = 0; i < h->v.leaves; i++)
        cells_border(&h->v, i);
    cells->damaged = h->word[CELLS_DAMAGED];
    cells->dense = !h->word[CELLS_GAPS];
    return true;
}

static bool here_weigh(gg_cells *cells) {
    const int64_t *weight = ((struct cells_here *)cells)->v.to[CELL_WEIGHT];
    gg_cell_weights *w = &cells->weights;
    w->bad = cells->rows;
    w->largest = w->total = 0;
    for (uint64_t i = cells->rows; i-- > 0;) {
        if (!cells_weight_is_good(w->real, weight[i]))
            w->bad = i;
        else if (!w->real && (uint64_t)weight[i] > w->largest)
            w->largest = (uint64_t)weight[i];
        w->total += w->real ? 0 : cells_weight_counts(weight[i]);
    }
    return true;
}

static bool here_bring(gg_cells *cells, enum gg_cell_column column, uint64_t from,
                       uint64_t count, int64_t *to) {
    const struct cells_view *v = &((struct cells_here *)cells)->v;
    memcpy(to, v->to[column] + from, count * sizeof *to);
    return true;
}

static gpugraph_status here_close(gg_cells *cells) {
    return ((struct cells_here *)cells)->run->status;
}

static const gg_cell_place cells_here = {
    .least_bytes = &here_least,
    .block_bytes = HERE_BLOCK,
    .open = here_open,
    .block = here_block,
    .send = here_send,
    .decode = here_decode,
    .put = here_put,
    .settle = here_settle,
    .weigh = here_weigh,
    .bring = here_bring,
    .close = here_close,
    .free = here_free,
};

#endif
