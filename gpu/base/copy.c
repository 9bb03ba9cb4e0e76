/* Copies of large arrays by several threads. */
#include "base/run.h"

#include <string.h>

enum {
    COPY_BYTES = 256 << 10, /* bytes for which one more thread pays */
    COPY_THREADS = 8        /* fill any bus */
};

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
