/* Reads pages from the database file or its write-ahead log, through SQLite's file
** objects. */
#include "format.h"
#include "platform.h"
#include "team.h"
#include "wal_frames.h"

#include <stdlib.h>

enum { POLL_MS = 20 }; /* time between two calls of interrupted */

bool page_source_stops(const page_source *source, double *next_ms, int64_t rows) {
    if (!source->interrupted)
        return false;
    const double now = gg_now_ms();
    if (now < *next_ms)
        return false;
    *next_ms = now + POLL_MS;
    if (source->rows_read)
        *source->rows_read = rows;
    return source->interrupted(source->listener);
}

int page_source_threads(const page_source *source, uint32_t batches) {
    int threads = gg_team_limit(source->threads);
    return (uint32_t)threads > batches ? (int)batches : threads;
}

static enum page_reason read_file(const page_source *source, uint32_t page,
                                  uint32_t count, uint8_t *to) {
    int64_t offset = (int64_t)(page - 1) * source->layout->page_size;
    int rc = source->file->pMethods->xRead(
        source->file, to, (int)(count * source->layout->page_size), offset);
    if (rc == SQLITE_OK)
        return PAGE_FINE;
    return rc == SQLITE_IOERR_SHORT_READ ? PAGE_DAMAGED : PAGE_READ_FAILED;
}

static enum page_reason read_pages(const page_source *source, uint32_t page,
                                   uint32_t count, uint8_t *to) {
    enum page_reason reason = PAGE_FINE;
    if (!source->wal)
        return read_file(source, page, count, to);
    for (uint32_t i = 0, run; i < count && !reason; i += run) {
        uint8_t *at = to + (size_t)i * source->layout->page_size;
        uint32_t frame = wal_frames_find(source->wal, page + i);
        for (run = 1; frame == WAL_NO_FRAME && i + run < count; run++)
            if (wal_frames_find(source->wal, page + i + run) != WAL_NO_FRAME)
                break;
        if (frame == WAL_UNSURE)
            reason = PAGE_WAL;
        else if (frame == WAL_NO_FRAME)
            reason = read_file(source, page + i, run, at);
        else
            reason = wal_frames_read(source->wal, page + i, frame, at);
    }
    return reason;
}

enum page_reason page_source_read(const page_source *source, uint32_t page,
                                  uint32_t count, uint8_t *to) {
    if (source->lock)
        gg_mutex_lock(source->lock);
    const enum page_reason reason = read_pages(source, page, count, to);
    if (source->lock)
        gg_mutex_unlock(source->lock);
    return reason;
}

enum page_reason page_batch_read(const page_source *source, const uint32_t *page,
                                 uint32_t count, uint8_t *to) {
    enum page_reason reason = PAGE_FINE;
    for (uint32_t i = 0, run; i < count && !reason; i += run) {
        for (run = 1; i + run < count && page[i + run] == page[i] + run;)
            run++;
        reason = page_source_read(source, page[i], run,
                                  to + (size_t)i * source->layout->page_size);
    }
    return reason;
}

bool page_helper_open(page_helper *helper, const page_source *source, uint32_t leaves) {
    *helper = (page_helper){
        .source = source,
        .pages = calloc(1, (size_t)leaves * source->layout->page_size + PAGE_PAD),
        .overflow = malloc(source->layout->page_size)};
    return helper->pages && helper->overflow;
}

void page_helper_clear(page_helper *helper) {
    free(helper->pages);
    free(helper->overflow);
    page_store_empty(&helper->store);
}
