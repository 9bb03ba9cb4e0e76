/* Copies large arrays, and narrows numbers from 8 to 4 bytes in place, by threads.
**
**     before   | a a | b b | c c | d d | e e | f f | g g | h h |
**     after    | a | b | c | d | e | f | g | h |
**
** The results k .. 2k - 1 overwrite the inputs k / 2 .. k - 1, which threads have read
** when the first k entries are done. So one thread converts the first entries, and each
** round of all threads doubles the converted entries. Within a slice a thread writes
** results to a small buffer first, since they may overlap inputs of the slice. */
#include "base/run.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Entries in a buffer: 4 KiB stay in the first-level cache. */
    NARROW_ITEMS = 1024,
    COPY_BYTES = 256 << 10, /* bytes of a copy per thread */
    COPY_THREADS = 8        /* this number saturates any bus */
};

typedef struct narrowing {
    gpugraph_run *run;
    char *block;
    void (*part)(const void *of, uint64_t low, uint64_t high, uint32_t *to);
    const void *of;
    uint64_t done; /* entries */
} narrowing;

/* Converts entries done + low .. done + high - 1, in the calling thread. */
static void narrow_slice(void *job, uint64_t low, uint64_t high) {
    const narrowing *n = job;
    uint32_t buffer[NARROW_ITEMS];
    low += n->done;
    high += n->done;
    for (uint64_t i = low, count; i < high; i += count) {
        if ((i - low) % GG_POLL_ITEMS == 0 && gg_pause(n->run))
            return;
        count = high - i < NARROW_ITEMS ? high - i : NARROW_ITEMS;
        n->part(n->of, i, i + count, buffer);
        memcpy(n->block + i * sizeof *buffer, buffer, count * sizeof *buffer);
    }
}

uint32_t *gg_narrow(gpugraph_run *run, void *wide, uint64_t count,
                    void (*part)(const void *of, uint64_t low, uint64_t high,
                                 uint32_t *to),
                    const void *of) {
    narrowing n = {run, wide, part, of, 0};
    uint64_t first = count < GG_THREAD_GRAIN ? count : GG_THREAD_GRAIN;
    narrow_slice(&n, 0, first);
    for (n.done = first; n.done < count && !gg_stopping(run);) {
        uint64_t more = count - n.done < n.done ? count - n.done : n.done;
        gg_slices(gg_threads(run, more), more, narrow_slice, &n);
        n.done += more;
    }
    uint32_t *narrow =
        gg_stopping(run) ? NULL : gg_shrink(run, wide, count, sizeof *narrow);
    if (!narrow)
        free(wide);
    return narrow;
}

typedef struct copying {
    char *to;
    const char *from;
} copying;

static void copy_slice(void *job, uint64_t low, uint64_t high) {
    const copying *c = job;
    memcpy(c->to + low, c->from + low, high - low);
}

void gg_copy(const gpugraph_run *run, void *to, const void *from, size_t bytes) {
    int threads = gg_threads(run, bytes / COPY_BYTES * GG_THREAD_GRAIN);
    threads = threads < COPY_THREADS ? threads : COPY_THREADS;
    copying c = {to, from};
    gg_slices(threads, bytes, copy_slice, &c);
}
