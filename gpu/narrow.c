/* Large arrays moved by several threads.
**
** Numbers of 8 bytes become numbers of 4 in their own place, on several threads.
**
**     before   | a a | b b | c c | d d | e e | f f | g g | h h |
**     after    | a | b | c | d | e | f | g | h |
**
** Entries k .. 2k - 1 are written where entries k / 2 .. k - 1 were: all of them read
** already when the first k are done. So the first few are turned by one thread, and then
** as many again as are done, by all threads, round after round. Within a slice a thread
** works through a small buffer, for the same reason. */
#include "run.h"
#include "tuning.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct narrowing {
    gpugraph_run *run;
    char *block;
    void (*part)(const void *of, uint64_t low, uint64_t high, uint32_t *to);
    const void *of;
} narrowing;

/* Entries low .. high - 1, by the calling thread. */
static void narrow_slice(const narrowing *n, uint64_t low, uint64_t high) {
    uint32_t buffer[GG_NARROW_ITEMS];
    for (uint64_t i = low, count; i < high; i += count) {
        if ((i - low) % GG_POLL_ITEMS == 0 && gg_pause(n->run))
            return;
        count = high - i < GG_NARROW_ITEMS ? high - i : GG_NARROW_ITEMS;
        n->part(n->of, i, i + count, buffer);
        memcpy(n->block + i * sizeof *buffer, buffer, count * sizeof *buffer);
    }
}

uint32_t *gg_narrow(gpugraph_run *run, void *wide, uint64_t count,
                    void (*part)(const void *of, uint64_t low, uint64_t high,
                                 uint32_t *to),
                    const void *of) {
    const narrowing n = {run, wide, part, of};
    uint64_t done = count < GG_THREAD_GRAIN ? count : GG_THREAD_GRAIN;
    narrow_slice(&n, 0, done);
    while (done < count && !gg_stopping(run)) {
        uint64_t more = count - done < done ? count - done : done;
        int threads = gg_threads(run, more);
#pragma omp parallel num_threads(threads)
        {
            int t = omp_get_thread_num(), team = omp_get_num_threads();
            narrow_slice(&n, done + gg_slice(more, t, team),
                         done + gg_slice(more, t + 1, team));
        }
        done += more;
    }
    uint32_t *narrow =
        gg_stopping(run) ? NULL : gg_shrink(run, wide, count, sizeof *narrow);
    if (!narrow)
        free(wide);
    return narrow;
}

void gg_copy(const gpugraph_run *run, void *to, const void *from, size_t bytes) {
    int threads = gg_threads(run, bytes / GG_COPY_BYTES * GG_THREAD_GRAIN);
    threads = threads < GG_COPY_THREADS ? threads : GG_COPY_THREADS;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        size_t begin = gg_slice(bytes, t, threads), end = gg_slice(bytes, t + 1, threads);
        memcpy((char *)to + begin, (const char *)from + begin, end - begin);
    }
}
