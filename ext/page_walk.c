/* Walks a table's b-tree and collects its rows on several threads.
**
**     root -> level of pages -> level of pages -> leaves      page_list, one thread
**
**     leaves   | batch 0 | batch 1 | batch 2 | batch 3 | ...  page_collect
**                   |         |         |
**     threads       0         1         0     each reads a batch into its own buffer
**                   |         |         |     under the lock, and decodes it outside
**     columns  | rows    | rows    | rows    |                straight into its place
**
** The lock makes one xRead at a time, in order, so nothing is asked of the file object
** that SQLite itself would not ask; and the thread that has just read a batch knows,
** from the cell counts in its pages and from the batches before, where its rows go. So
** one pass suffices. The arrays are reserved for the most rows that the interior keys
** allow and cut to size afterwards: memory that no row touches is never real.
**
** Rowids are mostly 1, 2, 3, ...: they are written only from the first batch on in
** which they are not.
**
** Text ids are listed and hashed by the thread that decodes a batch, and then numbered by
** it in the batch's turn, one batch after the other: so a text's number, and the place
** of its bytes, are those that reading row by row gives. */
#include "big_block.h"
#include "page_format.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
    BATCH_BYTES = 512 << 10, /* read, then decoded from the core's own cache */
    POLL_MS = 20,            /* between two questions */
    POLL_PAGES = 256,        /* interior pages between two looks at the clock */
    DEEPEST = 20,            /* levels; SQLite itself goes no deeper */
    TEXTS_AHEAD = 12         /* texts whose slots are on their way into the cache */
};

/* Asks whether to stop, if it is time to ask again. */
static bool must_stop(const page_source *source, double *next_ms, int64_t rows) {
    struct timespec t;
    if (!source->interrupted)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
    if (now < *next_ms)
        return false;
    *next_ms = now + POLL_MS;
    if (source->rows_read)
        *source->rows_read = rows;
    return source->interrupted(source->listener);
}

static enum page_reason read_at(const page_source *source, const page_layout *layout,
                                uint32_t page, uint32_t pages, uint8_t *to) {
    int64_t offset = (int64_t)(page - 1) * layout->page_size;
    int rc = source->file->pMethods->xRead(source->file, to,
                                           (int)(pages * layout->page_size), offset);
    if (rc == SQLITE_OK)
        return PAGE_FINE;
    return rc == SQLITE_IOERR_SHORT_READ ? PAGE_DAMAGED : PAGE_READ_FAILED;
}

/* ---- interior pages ---- */

/* Pages of one level in order, each with the largest rowid that may lie below it. */
struct level {
    struct child {
        uint32_t page;
        int64_t upper;
    } * child;
    uint32_t count;
    size_t room;
};

static enum page_reason level_add(struct level *level, const page_source *source,
                                  uint32_t page, int64_t upper) {
    /* No more children than pages: so a circle ends. Uppers ascend: see most_rows. */
    if (page < 2 || page > source->pages || level->count >= source->pages)
        return PAGE_DAMAGED;
    if (level->count > 0 && upper <= level->child[level->count - 1].upper)
        return PAGE_DAMAGED;
    if (level->count == level->room) {
        size_t room = level->room ? level->room * 2 : 1024;
        struct child *child = realloc(level->child, room * sizeof *child);
        if (!child)
            return PAGE_NO_MEMORY;
        level->child = child;
        level->room = room;
    }
    level->child[level->count++] = (struct child){page, upper};
    return PAGE_FINE;
}

static enum page_reason add_children(const page_source *source, const page_layout *layout,
                                     const uint8_t *page, bool is_root, int64_t upper,
                                     struct level *below) {
    int cells = page_interior_cells(layout, page);
    enum page_reason reason = PAGE_FINE;
    uint32_t child;
    int64_t key;

    if (cells < 0 || (cells == 0 && !is_root))
        return PAGE_DAMAGED;
    for (int i = 0; i < cells && !reason; i++) {
        if (!page_child(layout, page, i, &child, &key) || key > upper)
            return PAGE_DAMAGED;
        reason = level_add(below, source, child, key);
    }
    return reason ? reason : level_add(below, source, page_rightmost(page), upper);
}

/* The rows that the keys leave room for: each leaf holds rowids over the upper of the
** leaf before, up to its own. */
static int64_t most_rows(const page_layout *layout, const struct level *leaves) {
    int64_t most = page_most_rows(layout), sum = most;
    for (uint32_t i = 1; i < leaves->count; i++) {
        uint64_t range =
            (uint64_t)leaves->child[i].upper - (uint64_t)leaves->child[i - 1].upper;
        sum += range < (uint64_t)most ? (int64_t)range : most;
    }
    return sum;
}

static enum page_reason finish_list(const page_layout *layout, const struct level *level,
                                    page_leaves *leaves) {
    leaves->page = malloc(level->count * sizeof *leaves->page);
    if (!leaves->page)
        return PAGE_NO_MEMORY;
    for (uint32_t i = 0; i < level->count; i++)
        leaves->page[i] = level->child[i].page;
    leaves->count = level->count;
    leaves->most_rows = most_rows(layout, level);
    return PAGE_FINE;
}

enum page_reason page_list(const page_source *source, const page_layout *layout,
                           uint32_t root, page_leaves *leaves) {
    struct level level = {0}, below = {0};
    uint8_t *page = malloc(layout->page_size);
    enum page_reason reason = page ? PAGE_FINE : PAGE_NO_MEMORY;
    uint32_t polls = 0;
    double next_ms = 0;

    *leaves = (page_leaves){0};
    if (!reason)
        reason = level_add(&level, source, root, INT64_MAX);
    for (int depth = 0; !reason; depth++) {
        /* All leaves lie equally deep, so a level's first page speaks for the level. */
        reason = read_at(source, layout, level.child[0].page, 1, page);
        if (reason || page[0] == PAGE_LEAF)
            break;
        if (depth == DEEPEST)
            reason = PAGE_DAMAGED;
        below.count = 0;
        for (uint32_t i = 0; i < level.count && !reason; i++) {
            if (polls++ % POLL_PAGES == 0 && must_stop(source, &next_ms, 0))
                reason = PAGE_STOPPED;
            else if (i > 0)
                reason = read_at(source, layout, level.child[i].page, 1, page);
            if (!reason)
                reason = add_children(source, layout, page, depth == 0,
                                      level.child[i].upper, &below);
        }
        struct level swap = level;
        level = below;
        below = swap;
    }
    if (!reason)
        reason = finish_list(layout, &level, leaves);
    free(level.child);
    free(below.child);
    free(page);
    return reason;
}

/* ---- leaves ---- */

struct batch {
    int64_t start, count; /* its rows' place in the columns */
    int64_t first, last;  /* rowids, where count > 0 */
    bool kept;            /* its rowids are written */
};

struct team {
    const page_source *source;
    const page_layout *layout;
    const page_leaves *leaves;
    page_columns *columns;
    int64_t *rowid, *weight; /* reserved, to become the columns' if they are needed */
    bool any_text[2];        /* by the thread whose turn it is */
    uint32_t batch_pages, batches;
    struct batch *batch;
    /* under the lock */
    omp_lock_t lock;
    uint32_t next;
    int64_t total;
    /* read and written by all */
    atomic_int reason; /* the first one other than PAGE_FINE: everybody stops */
    atomic_bool keep;  /* rowids are not 1, 2, 3, ... */
    atomic_llong slow;
    /* whose turn it is to number texts */
    pthread_mutex_t turn_lock;
    pthread_cond_t turn_passed;
    uint32_t turn;
};

static void team_stop(struct team *team, enum page_reason reason) {
    int fine = PAGE_FINE;
    atomic_compare_exchange_strong(&team->reason, &fine, (int)reason);
    pthread_mutex_lock(&team->turn_lock);
    pthread_cond_broadcast(&team->turn_passed);
    pthread_mutex_unlock(&team->turn_lock);
}

static bool team_goes_on(const struct team *team) {
    return atomic_load(&team->reason) == PAGE_FINE;
}

static uint32_t batch_size(const struct team *team, uint32_t b) {
    uint32_t left = team->leaves->count - b * team->batch_pages;
    return left < team->batch_pages ? left : team->batch_pages;
}

/* Reads a batch's pages, neighbours in the file by one call, and counts their rows. */
static enum page_reason read_batch(struct team *team, uint32_t b, uint8_t *buffer) {
    const uint32_t *page = team->leaves->page + (size_t)b * team->batch_pages;
    const uint32_t count = batch_size(team, b), size = team->layout->page_size;
    struct batch *batch = &team->batch[b];

    for (uint32_t i = 0, run; i < count; i += run) {
        for (run = 1; i + run < count && page[i + run] == page[i] + run;)
            run++;
        enum page_reason reason =
            read_at(team->source, team->layout, page[i], run, buffer + (size_t)i * size);
        if (reason)
            return reason;
    }
    batch->start = team->total;
    for (uint32_t i = 0; i < count; i++) {
        int cells = page_leaf_cells(team->layout, buffer + (size_t)i * size);
        if (cells < 0 || (cells == 0 && team->leaves->count > 1))
            return PAGE_DAMAGED;
        batch->count += cells;
    }
    team->total += batch->count;
    return team->total > team->leaves->most_rows ? PAGE_DAMAGED : PAGE_FINE;
}

/* Takes the next batch. false: there is none left, or the team stops. */
static bool take_batch(struct team *team, uint8_t *buffer, uint32_t *b) {
    enum page_reason reason = PAGE_FINE;
    omp_set_lock(&team->lock);
    bool any = team_goes_on(team) && team->next < team->batches;
    if (any) {
        *b = team->next++;
        reason = read_batch(team, *b, buffer);
    }
    omp_unset_lock(&team->lock);
    if (reason)
        team_stop(team, reason);
    return any && !reason;
}

/* What a thread works with. */
struct desk {
    uint8_t *buffer; /* the pages of its batch */
    page_text *text; /* the texts among the batch's ids; NULL without layout.text */
};

static enum page_reason decode_batch(struct team *team, uint32_t b,
                                     const struct desk *desk, bool keep,
                                     page_rows *rows) {
    const uint8_t *buffer = desk->buffer;
    *rows = (page_rows){.rowid = keep ? team->rowid : NULL,
                        .source = team->columns->source,
                        .target = team->columns->target,
                        .weight = team->weight,
                        .at = team->batch[b].start,
                        .dense = true,
                        .text = desk->text,
                        .start = team->batch[b].start,
                        .buffer = buffer};
    for (uint32_t i = 0; i < batch_size(team, b); i++) {
        enum page_reason reason =
            page_leaf(team->layout, buffer + (size_t)i * team->layout->page_size, rows);
        if (reason)
            return reason;
    }
    team->batch[b].first = rows->first;
    team->batch[b].last = rows->previous;
    team->batch[b].kept = keep;
    return PAGE_FINE;
}

/* Numbers the texts of a batch whose turn it is. */
static enum page_reason number_texts(struct team *team, const page_rows *rows) {
    intern *texts = team->source->texts;
    int64_t *column[2] = {team->columns->source, team->columns->target};
    for (uint32_t i = 0; i < rows->texts; i++) {
        const page_text *text = &rows->text[i];
        if (i + TEXTS_AHEAD < rows->texts)
            intern_ask(texts, text[TEXTS_AHEAD].hash);
        int64_t number = intern_hashed(texts, (const char *)rows->buffer + text->at,
                                       text->length, text->hash);
        if (number < 0)
            return PAGE_NO_MEMORY;
        int64_t at = rows->start + text->entry / 2;
        int k = text->entry % 2;
        column[k][at] = number;
        team->columns->text[k][at / 8] |= (uint8_t)(1 << at % 8);
        team->any_text[k] = true;
    }
    return PAGE_FINE;
}

/* Waits for the batch's turn and passes it on. Batches are taken in order, so the one
** whose turn it is has a thread. */
static enum page_reason take_turn(struct team *team, uint32_t b, const page_rows *rows) {
    enum page_reason reason = PAGE_FINE;
    for (uint32_t i = 0; i < rows->texts; i++)
        rows->text[i].hash = intern_hash(team->source->texts,
                                         (const char *)rows->buffer + rows->text[i].at,
                                         rows->text[i].length);
    pthread_mutex_lock(&team->turn_lock);
    while (team->turn != b && team_goes_on(team))
        pthread_cond_wait(&team->turn_passed, &team->turn_lock);
    pthread_mutex_unlock(&team->turn_lock);
    if (!team_goes_on(team))
        return PAGE_FINE;
    reason = number_texts(team, rows);
    pthread_mutex_lock(&team->turn_lock);
    team->turn = b + 1;
    pthread_cond_broadcast(&team->turn_passed);
    pthread_mutex_unlock(&team->turn_lock);
    return reason;
}

static void work(struct team *team, const struct desk *desk) {
    const bool asks = omp_get_thread_num() == 0; /* the calling thread */
    page_rows rows;
    uint32_t b;
    double next_ms = 0;

    for (int64_t at = 0;; at = rows.at) {
        if (asks && must_stop(team->source, &next_ms, at))
            team_stop(team, PAGE_STOPPED);
        if (!take_batch(team, desk->buffer, &b))
            return;
        bool keep = atomic_load(&team->keep);
        enum page_reason reason = decode_batch(team, b, desk, keep, &rows);
        if (!reason && !rows.dense && !keep) {
            atomic_store(&team->keep, true);
            reason = decode_batch(team, b, desk, true, &rows);
        }
        if (!reason && team->layout->text)
            reason = take_turn(team, b, &rows);
        if (reason)
            team_stop(team, reason);
        atomic_fetch_add(&team->slow, rows.slow);
    }
}

static void run_team(struct team *team) {
    const size_t bytes = (size_t)team->batch_pages * team->layout->page_size + PAGE_PAD;
    const size_t texts = (size_t)team->batch_pages * page_most_rows(team->layout) * 2;
    int threads = team->source->threads > 0 ? team->source->threads : omp_get_num_procs();
    if ((uint32_t)threads > team->batches)
        threads = (int)team->batches;
#pragma omp parallel num_threads(threads)
    {
        struct desk desk = {calloc(1, bytes), NULL};
        if (team->layout->text)
            desk.text = malloc(texts * sizeof *desk.text);
        if (desk.buffer && (desk.text || !team->layout->text))
            work(team, &desk);
        else
            team_stop(team, PAGE_NO_MEMORY);
        free(desk.buffer);
        free(desk.text);
    }
}

/* ---- the columns ---- */

static void *reserve(int64_t count) {
    return (uint64_t)count > SIZE_MAX / 8 ? NULL : big_realloc(NULL, (size_t)count * 8);
}

/* False: no memory. */
static bool reserve_columns(struct team *team) {
    const page_layout *layout = team->layout;
    page_columns *columns = team->columns;
    int64_t most = team->leaves->most_rows;
    team->rowid = reserve(most);
    columns->source = reserve(most);
    columns->target = reserve(most);
    team->weight = layout->weighted ? reserve(most) : NULL;
    for (int k = 0; k < 2 && layout->text; k++)
        columns->text[k] = calloc((size_t)most / 8 + 1, 1);
    return team->rowid && columns->source && columns->target &&
           (team->weight || !layout->weighted) &&
           (!layout->text ||
            (columns->text[0] && columns->text[1] && intern_ready(team->source->texts)));
}

static void *cut(void *block, int64_t count) {
    void *smaller = realloc(block, count ? (size_t)count * 8 : 8);
    return smaller ? smaller : block;
}

/* Rowids ascend from batch to batch; those of batches that did not write them are
** their places + 1. */
static enum page_reason finish_rowids(struct team *team) {
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
                team->rowid[i] = i + 1;
    }
    team->columns->rowid = any_kept ? cut(team->rowid, team->total) : NULL;
    if (any_kept)
        team->rowid = NULL;
    return PAGE_FINE;
}

static void finish_columns(struct team *team) {
    page_columns *columns = team->columns;
    columns->count = team->total;
    columns->slow_rows = atomic_load(&team->slow);
    columns->source = cut(columns->source, team->total);
    columns->target = cut(columns->target, team->total);
    for (int k = 0; k < 2; k++) {
        if (team->any_text[k])
            continue;
        free(columns->text[k]);
        columns->text[k] = NULL;
    }
    if (!team->layout->weighted)
        return;
    void *weight = cut(team->weight, team->total);
    team->weight = NULL;
    if (team->layout->real)
        columns->real_weight = weight;
    else
        columns->weight = weight;
}

enum page_reason page_collect(const page_source *source, const page_layout *layout,
                              const page_leaves *leaves, page_columns *columns) {
    const uint32_t batch_pages =
        BATCH_BYTES > layout->page_size ? BATCH_BYTES / layout->page_size : 1;
    struct team team = {.source = source,
                        .layout = layout,
                        .leaves = leaves,
                        .columns = columns,
                        .batch_pages = batch_pages,
                        .batches = (leaves->count + batch_pages - 1) / batch_pages};
    enum page_reason reason = PAGE_NO_MEMORY;

    *columns = (page_columns){0};
    team.batch = calloc(team.batches, sizeof *team.batch);
    if (team.batch && reserve_columns(&team)) {
        omp_init_lock(&team.lock);
        pthread_mutex_init(&team.turn_lock, NULL);
        pthread_cond_init(&team.turn_passed, NULL);
        run_team(&team);
        pthread_cond_destroy(&team.turn_passed);
        pthread_mutex_destroy(&team.turn_lock);
        omp_destroy_lock(&team.lock);
        reason = (enum page_reason)atomic_load(&team.reason);
        if (!reason)
            reason = finish_rowids(&team);
    }
    if (reason)
        page_columns_clear(columns);
    else
        finish_columns(&team);
    free(team.batch);
    free(team.rowid);
    free(team.weight);
    return reason;
}

void page_columns_clear(page_columns *columns) {
    free(columns->rowid);
    free(columns->source);
    free(columns->target);
    free(columns->text[0]);
    free(columns->text[1]);
    free(columns->weight);
    free(columns->real_weight);
    *columns = (page_columns){0};
}
