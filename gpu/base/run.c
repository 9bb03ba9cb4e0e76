/* A run's status and message, interrupts, phases, memory and threads. All other files of
** the library use them.
**
** The status is sticky: the first failure of a call sets the status, and later failures
** do not change it. run->stop signals failures and interrupts to worker threads, which
** test it by gg_stopping.
**
** The functions here allocate all memory of the library; gg_release frees it. */
#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- status and interrupts ---- */

/* A status that callers never see: a thread writes the message. */
#define FAILING ((gpugraph_status)1000)

/* The first thread that fails writes the message, and other threads wait for it. A mutex
** would stay locked in a child of fork() if another thread held it at that moment. */
gpugraph_status gg_fail(gpugraph_run *run, gpugraph_status status, const char *format,
                        ...) {
    gpugraph_status now = GPUGRAPH_OK;
    if (__atomic_compare_exchange_n(&run->status, &now, FAILING, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(run->message, sizeof run->message, format, arguments);
        va_end(arguments);
        __atomic_store_n(&run->stop, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&run->status, status, __ATOMIC_RELEASE);
        return status;
    }
    while (now == FAILING) {
        gg_yield();
        now = __atomic_load_n(&run->status, __ATOMIC_ACQUIRE);
    }
    return now;
}

/* Under 'auto' a search that can run on the CPU has no need of this advice. */
const char *gg_memory_cure(const gpugraph_run *run) {
    if (run->backend != GPUGRAPH_CUDA)
        return run->memory_limit > 0 ? "raise memory_limit, or use backend 'cpu'"
                                     : "use backend 'cpu'";
    return run->memory_limit > 0 ? "raise memory_limit, or use backend 'cpu' or 'auto'"
                                 : "use backend 'cpu' or 'auto'";
}

gpugraph_status gg_fail_device_memory(gpugraph_run *run, int64_t more, int64_t free) {
    return gg_fail(run, GPUGRAPH_DEVICE_MEMORY,
                   "device memory is exhausted: %lld bytes more are needed, %lld are "
                   "free%s; %s",
                   (long long)more, (long long)free,
                   run->memory_limit > 0 ? " under memory_limit" : "",
                   gg_memory_cure(run));
}

bool gg_check_direction(gpugraph_run *run, gpugraph_direction direction) {
    if ((unsigned)direction > GPUGRAPH_BOTH)
        gg_fail(run, GPUGRAPH_INVALID,
                "direction is %d, not one of GPUGRAPH_OUT, _IN and _BOTH",
                (int)direction);
    return !run->status;
}

bool gg_needs(gpugraph_run *run, const void *argument, uint64_t entries,
              const char *name) {
    if (!argument && entries == 1)
        gg_fail(run, GPUGRAPH_INVALID, "%s is NULL", name);
    else if (!argument && entries > 1)
        gg_fail(run, GPUGRAPH_INVALID, "%s is NULL, and should have %llu entries", name,
                (unsigned long long)entries);
    return run->status == GPUGRAPH_OK;
}

bool gg_check_weight_type(gpugraph_weight_type type, gpugraph_run *run) {
    if ((unsigned)type > GPUGRAPH_REAL_WEIGHTS)
        gg_fail(run, GPUGRAPH_INVALID,
                "weight_type is %d, not one of GPUGRAPH_UNWEIGHTED, _INTEGER_WEIGHTS and "
                "_REAL_WEIGHTS",
                (int)type);
    return run->status == GPUGRAPH_OK;
}

void gg_begin(gpugraph_run *run) {
    run->status = GPUGRAPH_OK;
    run->message[0] = 0;
    run->stop = 0;
    run->caller = gg_this_thread();
    run->next_poll_ms = 0;
}

bool gg_poll(gpugraph_run *run) {
    if (gg_stopping(run))
        return true;
    if (!run->interrupted)
        return false;
    double now = gg_now_ms();
    if (now < run->next_poll_ms)
        return false;
    bool stop = run->interrupted(run->listener) != 0;
    run->next_poll_ms = gg_now_ms() + GG_POLL_MS;
    if (stop)
        __atomic_store_n(&run->stop, 1, __ATOMIC_RELAXED);
    return stop;
}

bool gg_pause(gpugraph_run *run) {
    return run->caller == gg_this_thread() ? gg_poll(run) : gg_stopping(run);
}

gpugraph_status gg_stopped(gpugraph_run *run) {
    return gg_fail(run, GPUGRAPH_INTERRUPTED, "interrupted");
}

/* ---- time ---- */

void gg_phase(gpugraph_run *run, const char *name, double since_ms, int64_t items,
              const char *format, ...) {
    if (!run->phase)
        return;
    double ms = gg_now_ms() - since_ms;
    char detail[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    run->phase(run->listener, name, ms, items, detail);
}

/* ---- the limit of a run's memory ---- */

/* The run that this thread's blocks count for; NULL: none. The alignment avoids a crash
** of LeakSanitizer: if thread-local variables begin 16 bytes behind a page, it assumes
** the layout of an old glibc. */
static _Alignas(64) _Thread_local gpugraph_run *counted_run;

gpugraph_run *gg_counts_for(void) {
    return counted_run;
}

gpugraph_run *gg_count_for(gpugraph_run *run) {
    gpugraph_run *before = counted_run;
    counted_run = run;
    return before;
}

void gg_begin_counting(gpugraph_run *run) {
    run->held = 0;
    run->around = gg_count_for(run->host_memory_limit > 0 ? run : NULL);
}

void gg_end_counting(const gpugraph_run *run) {
    gg_count_for(run->around);
}

/* Returns true if `of` may not hold `bytes` more. Then `run`, which requests them, fails:
** the two differ if a part of a search has a run of its own. */
static bool exceeds(gpugraph_run *of, gpugraph_run *run, uint64_t bytes) {
    const int64_t held = __atomic_load_n(&of->held, __ATOMIC_RELAXED) +
                         __atomic_load_n(&of->host_memory, __ATOMIC_RELAXED);
    const uint64_t limit = (uint64_t)of->host_memory_limit,
                   used = held > 0 ? (uint64_t)held : 0;
    if (used <= limit && bytes <= limit - used)
        return false;
    gg_fail(
        run, GPUGRAPH_HOST_MEMORY,
        "host_memory_limit is exhausted: %llu bytes more are needed, %llu of %llu are "
        "in use; raise host_memory_limit, or ask for less",
        (unsigned long long)bytes, (unsigned long long)used, (unsigned long long)limit);
    return true;
}

gpugraph_status gpugraph_hold_memory(gpugraph_run *run, int64_t bytes) {
    if (bytes > 0 && run->host_memory_limit > 0 && exceeds(run, run, (uint64_t)bytes))
        return run->status;
    __atomic_add_fetch(&run->host_memory, bytes, __ATOMIC_RELAXED);
    return GPUGRAPH_OK;
}

/* Returns true if this thread may allocate `bytes`; otherwise `run` fails. */
static bool may_take(gpugraph_run *run, uint64_t bytes) {
    return !counted_run || !exceeds(counted_run, run, bytes);
}

static void count_bytes(int64_t bytes) {
    if (counted_run)
        __atomic_add_fetch(&counted_run->held, bytes, __ATOMIC_RELAXED);
}

/* ---- memory ---- */

/* Allocates `bytes`, not 0; may return NULL. A large block is advised to use huge pages.
** The last huge page is used only if at least half of the page is needed, because the
** kernel clears the whole page. */
static void *take_run(size_t bytes) {
    size_t huge = bytes / GG_HUGE_PAGE * GG_HUGE_PAGE;
    if (bytes < GG_HUGE_PAGE)
        return malloc(bytes);
    if (bytes - huge >= GG_HUGE_PAGE / 2)
        huge += GG_HUGE_PAGE;
    void *block = gg_alloc_huge(bytes > huge ? bytes : huge);
    if (block)
        gg_advise_pages(block, huge, true);
    return block;
}

/* Allocates zeroed bytes, not 0. A page of a large block takes no memory before its first
** use. */
static void *take_zeroed(size_t bytes) {
    void *block = calloc(bytes, 1);
    if (block && bytes >= GG_HUGE_PAGE)
        gg_advise_pages(block, bytes, true);
    return block;
}

/* Returns a block to be freed by free(), or NULL. `bytes` is not 0. */
typedef void *taker(size_t bytes);

/* All allocations pass here: the block is counted, or `run` fails. */
static void *take_counted(gpugraph_run *run, uint64_t count, size_t size,
                          taker *take_by) {
    uint64_t bytes;
    void *block = NULL;
    if (__builtin_mul_overflow(count, (uint64_t)size, &bytes))
        bytes = UINT64_MAX;
    if (!may_take(run, bytes))
        return NULL;
    if (bytes <= (uint64_t)PTRDIFF_MAX)
        block = take_by(bytes ? (size_t)bytes : 1);
    if (block)
        count_bytes((int64_t)gg_room(block));
    else
        gg_fail(run, GPUGRAPH_NO_MEMORY, "out of memory: %llu bytes were needed",
                (unsigned long long)bytes);
    return block;
}

void *gg_alloc(gpugraph_run *run, uint64_t count, size_t size) {
    return take_counted(run, count, size, take_run);
}

void *gg_alloc_zero(gpugraph_run *run, uint64_t count, size_t size) {
    return take_counted(run, count, size, take_zeroed);
}

/* Advises the whole mapping of the block: if only a part were advised, realloc would have
** to copy the pages instead of moving them. Smaller blocks share mappings. */
void *gg_alloc_sparse(gpugraph_run *run, uint64_t count, size_t size) {
    enum {
        OWN_MAPPING = 32 << 20
    }; /* bytes from which malloc gives a block its own mapping */
    void *block = take_counted(run, count, size, malloc);
    const size_t bytes = gg_room(block), before = (uintptr_t)block % gg_page_bytes();
    if (bytes > OWN_MAPPING)
        gg_advise_pages((char *)block - before, before + bytes, false);
    return block;
}

static void *resize(gpugraph_run *run, void *block, size_t bytes) {
    const size_t before = gg_room(block);
    if (bytes > before && !may_take(run, bytes - before))
        return NULL;
    void *resized = realloc(block, bytes ? bytes : 1);
    if (resized)
        count_bytes((int64_t)gg_room(resized) - (int64_t)before);
    return resized;
}

void *gg_grow(void *block, uint64_t count, size_t size) {
    uint64_t bytes;
    if (__builtin_mul_overflow(count, (uint64_t)size, &bytes) ||
        bytes > (uint64_t)PTRDIFF_MAX)
        return NULL;
    return bytes > gg_room(block) ? resize(counted_run, block, (size_t)bytes) : block;
}

/* The slack takes only addresses until a caller writes to it. */
void *gg_alloc_slack(gpugraph_run *run, uint64_t count, size_t size) {
    return gg_alloc(run, count + count / GG_ROOM_SHARE, size);
}

/* A smaller block stays where it is. */
void *gg_shrink(gpugraph_run *run, void *block, uint64_t count, size_t size) {
    size_t bytes = (size_t)(count + count / GG_ROOM_SHARE) * size;
    if (bytes >= gg_room(block))
        return block;
    void *smaller = resize(run, block, bytes);
    if (!smaller)
        gg_fail(run, GPUGRAPH_NO_MEMORY, "out of memory: %zu bytes were needed", bytes);
    return smaller;
}

/* A caller may use all bytes that the allocator has reserved for the block. */
size_t gg_room(void *block) {
    return block ? gg_block_bytes(block) : 0;
}

void gg_release(void *block) {
    count_bytes(-(int64_t)gg_room(block));
    free(block);
}

bool gg_make_room(gpugraph_run *run, void **block, uint64_t count, uint64_t *room,
                  size_t size) {
    enum { FIRST = 1024 };
    if (count < *room)
        return true;
    uint64_t more = *room ? *room * 2 : FIRST;
    void *larger = gg_alloc(run, more, size);
    if (!larger)
        return false;
    if (count)
        memcpy(larger, *block, count * size);
    gg_release(*block);
    *block = larger;
    *room = more;
    return true;
}

/* ---- threads ---- */

int gg_threads(const gpugraph_run *run, uint64_t work) {
    uint64_t wanted = work / GG_THREAD_GRAIN;
    if (wanted <= 1)
        return 1;
    int limit = gg_team_limit(run->threads);
    return wanted < (uint64_t)limit ? (int)wanted : limit;
}
