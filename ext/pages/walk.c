/* Decodes a table's leaves into columns by several threads.
**
**     leaves   | batch 0 | batch 1 | batch 2 | batch 3 | ...
**                   |         |         |
**     threads       0         1         0     each reads a batch into its own buffer, and
**                   |         |         |     waits until earlier batches are counted
**     columns  | rows    | rows    | rows    |
**
** The cell counts of earlier batches and of its own pages tell a thread where the rows of
** its batch go. Other threads are reading the earlier batches at that moment, so one pass
** suffices and the wait is short. Reads run in parallel if the file object allows it
** (page_source.lock).
**
** Most tables have the rowids 1, 2, 3, ... Rowids are stored from the first batch on that
** differs. Most ids and INTEGER weights fit 4 bytes, and their columns have 4 bytes an
** entry. The first one that does not fit ends the walk, and reader.c starts another one
** with columns of 8 bytes.
**
** The thread that decodes a batch lists and hashes its text ids, and numbers them in the
** batch's turn. So the number of a text is the one that reading row by row gives. */
#include "format.h"
#include "mutex.h"
#include "team.h"

#include <stdlib.h>

enum {
    /* bytes read at a time, so that the cache of a core holds them */
    BATCH_BYTES = 512 << 10,
    /* polls for the position of a batch, about 20 us, before a thread sleeps */
    LOOKS = 60,
    TEXTS_AHEAD = 12 /* texts whose slots are prefetched into the cache */
};

/* ---- the team and its batches ---- */

struct batch {
    int64_t start, count; /* position of its rows in the columns */
    int64_t first, last;  /* rowids, if count > 0 */
    bool read;            /* count is known */
    bool kept;            /* its rowids are stored */
};

struct team {
    const page_source *source;
    const page_leaves *leaves;
    page_columns *columns;
    bool any_text[2];  /* only the thread in turn uses it and half_room */
    int64_t half_room; /* capacity of columns->half */
    uint32_t batch_pages, batches;
    struct batch *batch;
    /* the order of batches, under the lock */
    gg_mutex order_lock;
    gg_condition moved_on; /* placed or turn has grown, or the team stops */
    int64_t total;         /* rows of the batches whose position is known */
    uint32_t turn;         /* the batch whose texts may be numbered */
    atomic_uint placed; /* batches whose position is known; also read without the lock */
    /* shared by all threads */
    atomic_uint next;     /* the next batch that no thread has taken */
    atomic_int reason;    /* enum page_reason: why the team stops */
    page_short short_row; /* written by the thread that sets reason to PAGE_SHORT_ROW */
    atomic_bool keep;     /* some rowid is not its position + 1 */
    atomic_llong slow;
};

static void team_stop(struct team *team, enum page_reason reason,
                      const page_helper *helper) {
    if (page_stop(&team->reason, reason) && reason == PAGE_SHORT_ROW)
        team->short_row = (page_short){helper->short_rowid, helper->short_columns};
    gg_mutex_lock(&team->order_lock);
    gg_condition_wake(&team->moved_on);
    gg_mutex_unlock(&team->order_lock);
}

static bool team_goes_on(const struct team *team) {
    return atomic_load(&team->reason) == PAGE_FINE;
}

static uint32_t batch_size(const struct team *team, uint32_t b) {
    uint32_t left = team->leaves->count - b * team->batch_pages;
    return left < team->batch_pages ? left : team->batch_pages;
}

static enum page_reason count_batch(struct team *team, uint32_t b,
                                    const uint8_t *buffer) {
    const uint32_t count = batch_size(team, b);
    struct batch *batch = &team->batch[b];
    for (uint32_t i = 0; i < count; i++) {
        int cells = page_leaf_cells(team->source->layout,
                                    buffer + (size_t)i * team->source->layout->page_size);
        if (cells < 0 || (cells == 0 && team->leaves->count > 1))
            return PAGE_DAMAGED;
        batch->count += cells;
    }
    return PAGE_FINE;
}

/* Sets the position of each counted batch that has only counted batches before it. */
static void place_batches(struct team *team) {
    for (; team->placed < team->batches && team->batch[team->placed].read;
         team->placed++) {
        struct batch *batch = &team->batch[team->placed];
        batch->start = team->total;
        team->total += batch->count;
    }
    gg_condition_wake(&team->moved_on);
}

/* Waits for the position of a counted batch. False: the team stops. */
static bool find_place(struct team *team, uint32_t b) {
    gg_mutex_lock(&team->order_lock);
    team->batch[b].read = true;
    if (team->placed == b)
        place_batches(team);
    if (team->placed <= b) {
        gg_mutex_unlock(&team->order_lock);
        /* Other threads mostly finish reading before a thread could sleep and wake. */
        for (int i = 0; i < LOOKS && atomic_load(&team->placed) <= b; i++)
            gg_yield();
        gg_mutex_lock(&team->order_lock);
    }
    while (team->placed <= b && team_goes_on(team))
        gg_condition_wait(&team->moved_on, &team->order_lock);
    const bool placed = team->placed > b;
    gg_mutex_unlock(&team->order_lock);
    return placed;
}

/* Takes, reads and counts a batch. False: none is left, or the team stops. */
static bool take_batch(struct team *team, uint8_t *buffer, uint32_t *b) {
    enum page_reason reason = PAGE_FINE;
    *b = atomic_fetch_add(&team->next, 1);
    const bool any = team_goes_on(team) && *b < team->batches;
    if (any)
        reason = page_batch_read(team->source,
                                 team->leaves->page + (size_t)*b * team->batch_pages,
                                 batch_size(team, *b), buffer);
    if (any && !reason)
        reason = count_batch(team, *b, buffer);
    if (any && !reason && !find_place(team, *b))
        return false;
    const struct batch *batch = &team->batch[any ? *b : 0];
    if (any && !reason && batch->start + batch->count > team->leaves->most_rows)
        reason = PAGE_DAMAGED;
    if (reason)
        team_stop(team, reason, NULL);
    return any && !reason;
}

/* Buffers of a thread. */
struct desk {
    page_text *text;     /* the batch's text ids; NULL without layout.text */
    page_number *number; /* the batch's text weights; NULL without layout.ask */
    uint32_t *half;      /* the batch's half rows; NULL without layout.null */
    page_numbers *numbers;
    page_helper helper; /* with the pages of its batch */
};

static enum page_reason decode_batch(struct team *team, uint32_t b, struct desk *desk,
                                     bool keep, page_rows *rows) {
    const page_layout *layout = team->source->layout;
    const page_columns *c = team->columns;
    const uint8_t *buffer = desk->helper.pages;
    page_store_empty(&desk->helper.store);
    *rows = (page_rows){.rowid = keep ? c->rowid : NULL,
                        .id = {c->id[0], c->id[1]},
                        .id32 = {c->id32[0], c->id32[1]},
                        .weight = c->weight,
                        .weight32 = c->weight32,
                        .edge_id = c->edge_id,
                        .reverse = c->reverse,
                        .at = team->batch[b].start,
                        .dense = true,
                        .text = desk->text,
                        .number = desk->number,
                        .half = desk->half,
                        .start = team->batch[b].start,
                        .helper = &desk->helper};
    for (uint32_t i = 0; i < batch_size(team, b); i++) {
        enum page_reason reason =
            page_leaf(layout, buffer + (size_t)i * layout->page_size, rows);
        if (reason)
            return reason;
    }
    team->batch[b].first = rows->first;
    team->batch[b].last = rows->previous;
    team->batch[b].kept = keep;
    if (rows->numbers == 0)
        return PAGE_FINE;
    const page_number_columns to = {
        .real = layout->real,
        .column = {rows->weight ? rows->weight + rows->start : NULL,
                   rows->reverse ? rows->reverse + rows->start : NULL},
        .narrow = rows->weight32 ? rows->weight32 + rows->start : NULL};
    return page_numbers_convert(desk->numbers, rows->number, rows->numbers, &to);
}

/* Decodes a batch, and decodes it again if its rowids turn out to differ. */
static enum page_reason decode_as_needed(struct team *team, uint32_t b, struct desk *desk,
                                         page_rows *rows) {
    const bool keep = atomic_load(&team->keep);
    const enum page_reason reason = decode_batch(team, b, desk, keep, rows);
    if (reason || rows->dense || keep)
        return reason;
    atomic_store(&team->keep, true);
    return decode_batch(team, b, desk, true, rows);
}

/* ---- text ids ---- */

/* Numbers the texts of a batch in its turn. */
static enum page_reason number_texts(struct team *team, const page_rows *rows) {
    intern *texts = team->source->texts;
    const page_columns *c = team->columns;
    for (uint32_t i = 0; i < rows->texts; i++) {
        const page_text *text = &rows->text[i];
        if (i + TEXTS_AHEAD < rows->texts)
            intern_ask(texts, text[TEXTS_AHEAD].hash);
        int64_t number =
            intern_hashed(texts, (const char *)text->bytes, text->length, text->hash);
        if (number < 0)
            return PAGE_NO_MEMORY;
        if (c->id32[0] && number > INT32_MAX)
            return PAGE_ID_WIDE;
        int64_t at = rows->start + text->entry / 2;
        int k = text->entry % 2;
        if (c->id32[k])
            c->id32[k][at] = (int32_t)number;
        else
            c->id[k][at] = number;
        c->text[k][at / 8] |= (uint8_t)(1 << at % 8);
        team->any_text[k] = true;
    }
    return PAGE_FINE;
}

/* Lists the half rows of a batch, in its turn. */
static enum page_reason list_halves(struct team *team, const page_rows *rows) {
    page_columns *columns = team->columns;
    int64_t need = columns->halves + rows->halves;
    if (need > team->half_room) {
        int64_t room = need > 2 * team->half_room ? need : 2 * team->half_room;
        int64_t *half = realloc(columns->half, (size_t)room * sizeof *half);
        if (!half)
            return PAGE_NO_MEMORY;
        columns->half = half;
        team->half_room = room;
    }
    for (uint32_t i = 0; i < rows->halves; i++)
        columns->half[columns->halves++] = (rows->start << 2) + rows->half[i];
    return PAGE_FINE;
}

/* Waits for the turn of the batch, and passes the turn on. Threads take batches in order,
** so some thread always has the batch whose turn it is. */
static enum page_reason take_turn(struct team *team, uint32_t b, page_rows *rows) {
    for (uint32_t i = 0; i < rows->texts; i++)
        rows->text[i].hash = intern_hash(
            team->source->texts, (const char *)rows->text[i].bytes, rows->text[i].length);
    gg_mutex_lock(&team->order_lock);
    while (team->turn != b && team_goes_on(team))
        gg_condition_wait(&team->moved_on, &team->order_lock);
    gg_mutex_unlock(&team->order_lock);
    if (!team_goes_on(team))
        return PAGE_FINE;
    enum page_reason reason = number_texts(team, rows);
    reason = reason ? reason : list_halves(team, rows);
    gg_mutex_lock(&team->order_lock);
    team->turn = b + 1;
    gg_condition_wake(&team->moved_on);
    gg_mutex_unlock(&team->order_lock);
    return reason;
}

/* ---- the team at work ---- */

/* Touches memory that the team writes soon. By then each of `members` threads has taken
** one or two more batches. */
static void touch_ahead(struct team *team, uint32_t b, int members) {
    const struct batch *batch = &team->batch[b];
    const int64_t window = 2 * members * batch->count;
    const int64_t likely = batch->start + batch->count * (team->batches - b);
    const int64_t to = batch->start + batch->count + window;
    page_columns_touch(team->columns, team->leaves->most_rows, batch->start + window,
                       to < likely ? to : likely);
}

/* Member 0 asks whether to stop. */
static void decode_batches(struct team *team, struct desk *desk, int member,
                           int members) {
    page_rows rows;
    uint32_t b = 0;
    double next_ms = 0;
    for (int64_t at = 0;; at = rows.at) {
        if (member == 0 && page_source_stops(team->source, &next_ms, at))
            team_stop(team, PAGE_STOPPED, NULL);
        if (!take_batch(team, desk->helper.pages, &b))
            return;
        touch_ahead(team, b, members);
        enum page_reason reason = decode_as_needed(team, b, desk, &rows);
        if (!reason && (team->source->layout->text || team->source->layout->null))
            reason = take_turn(team, b, &rows);
        if (reason)
            team_stop(team, reason, &desk->helper);
        atomic_fetch_add(&team->slow, rows.slow);
    }
}

/* False: no memory. */
static bool set_desk(struct team *team, struct desk *desk, int member) {
    const page_layout *layout = team->source->layout;
    const page_source *source = team->source;
    const size_t rows = (size_t)team->batch_pages * page_most_rows(layout);
    *desk = (struct desk){
        .text = layout->text ? malloc(rows * 2 * sizeof *desk->text) : NULL,
        .number = layout->ask ? malloc(rows * 2 * sizeof *desk->number) : NULL,
        .half = layout->null ? malloc(rows * sizeof *desk->half) : NULL,
        .numbers = layout->ask ? source->numbers[member] : NULL};
    return page_helper_open(&desk->helper, source, team->batch_pages) &&
           (desk->text || !layout->text) && (desk->number || !layout->ask) &&
           (desk->half || !layout->null);
}

static void take_part(void *job, int member, int members) {
    struct team *team = job;
    struct desk desk;
    if (set_desk(team, &desk, member))
        decode_batches(team, &desk, member, members);
    else
        team_stop(team, PAGE_NO_MEMORY, NULL);
    free(desk.text);
    free(desk.number);
    free(desk.half);
    page_helper_clear(&desk.helper);
}

/* ---- all together ---- */

static void drop_column(void **column) {
    free(*column);
    *column = NULL;
}

/* Drops columns without contents. Checks that rowids ascend from batch to batch. In a
** batch without stored rowids, each rowid is its position + 1. */
static enum page_reason finish_columns(struct team *team) {
    page_columns *columns = team->columns;
    bool any_kept = false;
    for (uint32_t b = 0; b < team->batches; b++) {
        if (b > 0 && team->batch[b].first <= team->batch[b - 1].last)
            return PAGE_DAMAGED;
        any_kept |= team->batch[b].kept;
    }
    for (uint32_t b = 0; b < team->batches && any_kept; b++) {
        const struct batch *batch = &team->batch[b];
        if (!batch->kept)
            for (int64_t i = batch->start; i < batch->start + batch->count; i++)
                columns->rowid[i] = i + 1;
    }
    if (!any_kept)
        drop_column((void **)&columns->rowid);
    for (int k = 0; k < 2; k++)
        if (!team->any_text[k])
            drop_column((void **)&columns->text[k]);
    page_columns_cut(columns, team->total);
    columns->slow_rows = atomic_load(&team->slow);
    return PAGE_FINE;
}

enum page_reason page_collect(const page_source *source, const page_leaves *leaves,
                              page_columns *columns, page_short *short_row) {
    const page_layout *layout = source->layout;
    const uint32_t batch_pages =
        BATCH_BYTES > layout->page_size ? BATCH_BYTES / layout->page_size : 1;
    struct team team = {.source = source,
                        .leaves = leaves,
                        .columns = columns,
                        .batch_pages = batch_pages,
                        .batches = (leaves->count + batch_pages - 1) / batch_pages};
    enum page_reason reason = PAGE_NO_MEMORY;
    *columns = (page_columns){0};
    team.batch = calloc(team.batches, sizeof *team.batch);
    if (team.batch &&
        page_columns_reserve(columns, layout, source->texts, leaves->most_rows)) {
        gg_team(page_source_threads(source, team.batches), take_part, &team);
        reason = (enum page_reason)atomic_load(&team.reason);
        *short_row = team.short_row;
        reason = reason ? reason : finish_columns(&team);
    }
    if (reason)
        page_columns_clear(columns);
    free(team.batch);
    return reason;
}
