/* Sends leaves to a device, which decodes them (gpu/cells.h).
**
**     threads     each reads a batch of leaves, consecutive in the file, into a block of
**                 pinned memory, and sends it
**     the device  decodes each leaf whose cells are all usual
**     the host    reads every other leaf again, and decodes it as walk.c does
**
** If anything is wrong, the device refuses the whole table and reports no fault. Threads
** of the host then read the table and find the fault. */
#include "format.h"
#include "mutex.h"
#include "team.h"

#include <stdlib.h>

enum {
    UNUSUAL_SHARE = 32, /* unusual leaves: at most one in 32, ... */
    UNUSUAL_LEAST = 64  /* ... plus this number */
};

/* ---- tables that the device takes ---- */

static gg_cell_layout cell_layout(const page_layout *layout) {
    gg_cell_layout cells = {
        .page_size = layout->page_size, .usable = layout->usable, .real = layout->real};
    for (int k = 0; k < CELL_VALUES; k++)
        cells.column[k] = layout->column[k] == PAGE_IS_ROWID    ? CELL_IS_ROWID
                          : layout->column[k] == PAGE_NO_COLUMN ? CELL_NO_COLUMN
                                                                : layout->column[k];
    return cells;
}

static bool is_for_the_place(const page_table *t, const page_layout *layout,
                             const page_leaves *leaves) {
    return !layout->text && !layout->null && !layout->ask &&
           layout->column[PAGE_EDGE_ID] == PAGE_NO_COLUMN &&
           layout->column[PAGE_REVERSE] == PAGE_NO_COLUMN && layout->last >= 0 &&
           layout->last < CELL_RECORD_COLUMNS &&
           (uint64_t)leaves->count * layout->page_size >= *t->place->least_bytes;
}

/* Why the run has ended. */
static enum page_reason reason_of(const gpugraph_run *run) {
    return run->status == GPUGRAPH_INTERRUPTED ? PAGE_STOPPED : PAGE_NOT_SENT;
}

/* ---- from the host to the device ---- */

struct sending {
    const page_source *source;
    const page_leaves *leaves;
    gg_cells *cells;
    uint32_t batch_pages;
    atomic_uint next;  /* the next batch that no thread has taken */
    atomic_int reason; /* enum page_reason: why the threads stop */
};

static void send_batch(struct sending *s, uint32_t first, uint32_t count) {
    uint8_t *block = s->cells->place->block(s->cells);
    if (!block) {
        page_stop(&s->reason, PAGE_NOT_SENT);
        return;
    }
    page_stop(&s->reason,
              page_batch_read(s->source, s->leaves->page + first, count, block));
    s->cells->place->send(s->cells, block, first, count);
}

static void send_some(void *job, int member, int members) {
    struct sending *s = job;
    double next_ms = 0;
    (void)members;
    while (atomic_load(&s->reason) == PAGE_FINE) {
        const uint64_t first = (uint64_t)atomic_fetch_add(&s->next, 1) * s->batch_pages;
        if (first >= s->leaves->count)
            return;
        if (member == 0 && page_source_stops(s->source, &next_ms, 0))
            page_stop(&s->reason, PAGE_STOPPED);
        const uint64_t left = s->leaves->count - first;
        send_batch(s, (uint32_t)first,
                   left < s->batch_pages ? (uint32_t)left : s->batch_pages);
    }
}

static enum page_reason send_all(const page_table *t, struct sending *s) {
    const uint32_t size = s->source->layout->page_size;
    const size_t block = t->place->block_bytes;
    s->batch_pages = block > size ? (uint32_t)(block / size) : 1;
    const uint32_t batches = (s->leaves->count + s->batch_pages - 1) / s->batch_pages;
    gg_team(page_source_threads(s->source, batches), send_some, s);
    enum page_reason reason = (enum page_reason)atomic_load(&s->reason);
    return reason && reason != PAGE_STOPPED ? PAGE_NOT_SENT : reason;
}

/* ---- unusual leaves ---- */

struct desk {
    const page_source *source;
    page_layout layout; /* with columns of 8 bytes */
    int64_t *value;     /* rows of a leaf, column by column */
    page_helper helper;
};

/* Decodes a leaf, and sends its rows. */
static enum page_reason decode_leaf(struct desk *d, const page_leaves *leaves,
                                    gg_cells *cells, uint32_t leaf, int64_t *slow) {
    const bool weighted = d->layout.column[PAGE_WEIGHT] != PAGE_NO_COLUMN;
    const uint32_t most = page_most_rows(&d->layout);
    page_rows rows = {
        .rowid = d->value + CELL_ROWID * most,
        .id = {d->value + CELL_SOURCE * most, d->value + CELL_TARGET * most},
        .weight = weighted ? d->value + CELL_WEIGHT * most : NULL,
        .helper = &d->helper};
    enum page_reason reason =
        page_source_read(d->source, leaves->page[leaf], 1, d->helper.pages);
    if (!reason && page_leaf_cells(&d->layout, d->helper.pages) < 0)
        reason = PAGE_DAMAGED;
    reason = reason ? reason : page_leaf(&d->layout, d->helper.pages, &rows);
    page_store_empty(&d->helper.store);
    if (reason)
        return reason;
    *slow += rows.slow;
    const gg_cell_rows decoded = {(uint32_t)rows.at,
                                  {rows.id[0], rows.id[1], rows.weight, rows.rowid}};
    return cells->place->put(cells, leaf, &decoded) ? PAGE_FINE : PAGE_NOT_SENT;
}

static enum page_reason decode_unusual(const struct sending *s, page_columns *columns,
                                       page_short *short_row) {
    gg_cells *cells = s->cells;
    struct desk d = {.source = s->source, .layout = *s->source->layout};
    d.layout.wide = PAGE_WIDE_IDS | PAGE_WIDE_WEIGHTS;
    page_layout_finish(&d.layout);
    d.value = malloc(CELL_COLUMNS * page_most_rows(&d.layout) * sizeof *d.value);
    enum page_reason reason =
        page_helper_open(&d.helper, s->source, 1) && d.value ? PAGE_FINE : PAGE_NO_MEMORY;
    double next_ms = 0;
    for (uint32_t i = 0; i < cells->unusual && !reason; i++) {
        reason =
            page_source_stops(s->source, &next_ms, 0)
                ? PAGE_STOPPED
                : decode_leaf(&d, s->leaves, cells, cells->of[i], &columns->slow_rows);
        if (reason == PAGE_SHORT_ROW)
            *short_row = (page_short){d.helper.short_rowid, d.helper.short_columns};
    }
    free(d.value);
    page_helper_clear(&d.helper);
    return reason;
}

/* ---- from the device to the host ---- */

static int64_t *download_column(gg_cells *cells, enum gg_cell_column column) {
    int64_t *to = malloc(cells->rows ? cells->rows * sizeof *to : sizeof *to);
    if (to && !cells->place->bring(cells, column, 0, cells->rows, to)) {
        free(to);
        to = NULL;
    }
    return to;
}

/* Downloads source and target of the first and the last row. */
static bool bring_ends(gg_cells *cells, page_columns *columns) {
    bool brought = true;
    for (int last = 0; last < 2; last++)
        for (int k = CELL_SOURCE; k <= CELL_TARGET; k++)
            brought = brought && cells->place->bring(cells, (enum gg_cell_column)k,
                                                     last ? cells->rows - 1 : 0, 1,
                                                     &columns->ends[last][k]);
    return brought;
}

/* Downloads the weights only if one of them is not allowed. */
static enum page_reason settle_weights(const page_layout *layout, gg_cells *cells,
                                       page_columns *columns) {
    cells->weights.real = layout->real;
    if (!cells->place->weigh(cells))
        return PAGE_NOT_SENT;
    cells->weights.stay = cells->weights.bad == cells->rows;
    columns->weight = cells->weights.stay ? NULL : download_column(cells, CELL_WEIGHT);
    if (!cells->weights.stay && !columns->weight)
        return PAGE_NOT_SENT;
    columns->real = layout->real;
    return PAGE_FINE;
}

static enum page_reason bring_columns(const page_layout *layout, gg_cells *cells,
                                      page_columns *columns) {
    const bool weighted = layout->column[PAGE_WEIGHT] != PAGE_NO_COLUMN;
    columns->count = (int64_t)cells->rows;
    if (!bring_ends(cells, columns))
        return PAGE_NOT_SENT;
    if (!cells->dense && !(columns->rowid = download_column(cells, CELL_ROWID)))
        return PAGE_NOT_SENT;
    return weighted ? settle_weights(layout, cells, columns) : PAGE_FINE;
}

/* ---- all together ---- */

/* True if the number of rows is possible and few leaves are unusual. */
static bool is_worth_while(const gg_cells *cells, const page_leaves *leaves) {
    return !cells->damaged && cells->rows > 0 &&
           cells->rows <= (uint64_t)leaves->most_rows &&
           cells->unusual <= leaves->count / UNUSUAL_SHARE + UNUSUAL_LEAST;
}

static enum page_reason send_and_decode(const page_table *t, struct sending *s,
                                        page_columns *columns, page_short *short_row) {
    gg_cells *cells = s->cells;
    enum page_reason reason = send_all(t, s);
    if (!reason && !cells->place->decode(cells))
        return reason_of(t->run);
    if (!reason && !is_worth_while(cells, s->leaves))
        return PAGE_NOT_SENT;
    if (!reason && cells->unusual)
        reason = decode_unusual(s, columns, short_row);
    if (!reason && !cells->place->settle(cells))
        return reason_of(t->run);
    if (!reason && cells->damaged)
        return PAGE_NOT_SENT;
    reason = reason ? reason : bring_columns(s->source->layout, cells, columns);
    return reason == PAGE_NOT_SENT ? reason_of(t->run) : reason;
}

enum page_reason page_send(const page_table *t, const page_source *source,
                           const page_leaves *leaves, page_columns *columns,
                           page_short *short_row) {
    const page_layout *layout = source->layout;
    const gg_cell_layout cells = cell_layout(layout);
    *columns = (page_columns){0};
    if (!is_for_the_place(t, layout, leaves))
        return PAGE_NOT_SENT;
    struct sending s = {.source = source,
                        .leaves = leaves,
                        .cells = t->place->open(&cells, leaves->count, t->run)};
    if (!s.cells)
        return reason_of(t->run);
    enum page_reason reason = send_and_decode(t, &s, columns, short_row);
    columns->cells = s.cells;
    if (t->place->close(s.cells) && !reason)
        reason = reason_of(t->run);
    if (reason)
        page_columns_clear(columns);
    return reason;
}
