/* Functions that every call of the library needs: status, interrupts, time, memory and
** threads; and a few steps over arrays. This header knows nothing of graphs.
**
** Errors are sticky: run->status keeps the first one. Worker threads only test whether to
** stop (gg_stopping); the calling thread also calls the host's callback (gg_poll). */
#ifndef GPUGRAPH_RUN_H
#define GPUGRAPH_RUN_H

#include "gpugraph.h"
#include "hash.h"
#include "platform.h"
#include "team.h"

/* Milliseconds between two calls of run->interrupted. An interrupt takes effect well
** within half a second, and the calls take less than a thousandth of the time. */
#define GG_POLL_MS 10.0
/* Items that a loop processes between two calls of gg_pause: well under a millisecond of
** work. */
#define GG_POLL_ITEMS 65536
/* Items for which one more thread pays: starting a team costs 5 to 20 microseconds, an
** item some nanoseconds. */
#define GG_THREAD_GRAIN 32768
/* Array entries that a thread fills in the time of one item. */
#define GG_FILL_ITEMS 16
/* Slack of an array that may grow: one element in GG_ROOM_SHARE. */
#define GG_ROOM_SHARE 64
/* Milliseconds until the library tries again to create a thread that the system
** refused. */
#define GG_THREAD_RETRY_MS 1000.0

GG_BEGIN_C

/* ---- status, interrupts, time: run.c ---- */

/* Sets the status and the message, unless the run has failed already: the first error
** explains the failure. Returns the status of the run. */
gpugraph_status gg_fail(gpugraph_run *run, gpugraph_status status, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));
/* Fails because device memory is exhausted in the middle of a call. The message says how
** many more bytes are needed, how many are free, and what helps. */
gpugraph_status gg_fail_device_memory(gpugraph_run *run, int64_t more, int64_t free);
/* Returns a static string with the advice that applies to the run, for example "raise
** memory_limit, or use backend 'cpu' or 'auto'". */
const char *gg_memory_cure(const gpugraph_run *run);
/* Checks a pointer to `entries` entries, or to one struct: fails with GPUGRAPH_INVALID if
** it is NULL. Returns true while the run has not failed, so a caller can test only the
** last of several checks. */
bool gg_needs(gpugraph_run *run, const void *argument, uint64_t entries,
              const char *name);
/* Fails if the direction is not GPUGRAPH_OUT, _IN or _BOTH. Returns true while the run
** has not failed. */
bool gg_check_direction(gpugraph_run *run, gpugraph_direction direction);
/* Fails if the type of weights is unknown. Returns true while the run has not failed. */
bool gg_check_weight_type(gpugraph_weight_type type, gpugraph_run *run);
/* Clears status, message and stop. Every public function calls it first. */
void gg_begin(gpugraph_run *run);
/* Called by the calling thread, as often as is convenient: calls run->interrupted at most
** every GG_POLL_MS and sets run->stop. Returns true if the run must end; the caller then
** returns gg_stopped(run). */
bool gg_poll(gpugraph_run *run);
/* Returns true if the run was interrupted or has failed. For any thread. */
static inline bool gg_stopping(const gpugraph_run *run) {
    return __atomic_load_n(&run->stop, __ATOMIC_RELAXED) != 0;
}
gpugraph_status gg_stopped(gpugraph_run *run); /* fails with GPUGRAPH_INTERRUPTED */
/* gg_poll for loops that a team shares: the thread that called gg_begin polls, other
** threads test run->stop. Returns true if the loop must end. */
bool gg_pause(gpugraph_run *run);
/* gg_pause as the condition of a loop: for (i = low; i < high && !gg_leave(run, i);
** i++) */
static inline bool gg_leave(gpugraph_run *run, uint64_t i) {
    return i % GG_POLL_ITEMS == 0 && gg_pause(run);
}
/* gg_pause for a loop with iterations of unequal cost. items: work of the latest
** iteration; *since: work since the latest gg_pause. A loop over rows counts arcs, since
** a graph with few vertices may have many. */
static inline bool gg_worked(gpugraph_run *run, uint64_t *since, uint64_t items) {
    *since += items;
    if (*since < GG_POLL_ITEMS)
        return false;
    *since = 0;
    return gg_pause(run);
}
void gg_phase(gpugraph_run *run, const char *name, double since_ms, int64_t items,
              const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- memory: run.c ---- */

/* Allocates count * size bytes; a block of at least one huge page is aligned to huge
** pages. Returns NULL after gg_fail. gg_alloc leaves the bytes uninitialised,
** gg_alloc_zero clears them. Free blocks with gg_release. */
void *gg_alloc(gpugraph_run *run, uint64_t count, size_t size);
void *gg_alloc_zero(gpugraph_run *run, uint64_t count, size_t size);
void gg_release(void *block);
/* A thread may count for a run. Blocks that it then allocates by these functions count
** against the run's host_memory_limit until it frees them. A search and its teams count
** from gg_begin_counting to gg_end_counting. A thread counts for no run (NULL) while it
** makes a structure that stays with the graph. gg_count_for returns the previous run. */
void gg_begin_counting(gpugraph_run *run);
void gg_end_counting(const gpugraph_run *run);
gpugraph_run *gg_count_for(gpugraph_run *run);
gpugraph_run *gg_counts_for(void);
/* Like gg_alloc, for an array of which the caller touches only a few scattered entries.
** It uses small pages: clearing huge pages would take as long as a whole update. */
void *gg_alloc_sparse(gpugraph_run *run, uint64_t count, size_t size);
/* Enlarges the block to `count` elements. A large sparse block moves without a copy.
** Returns the block, or NULL, with the block unchanged, if memory is exhausted. */
void *gg_grow(void *block, uint64_t count, size_t size);
/* gg_alloc_slack allocates slack behind the entries; gg_room returns the bytes of a block
** with its slack. */
void *gg_alloc_slack(gpugraph_run *run, uint64_t count, size_t size);
size_t gg_room(void *block);
/* Shrinks a block to `count` elements and some slack. Returns NULL after gg_fail; the
** block is then unchanged. */
void *gg_shrink(gpugraph_run *run, void *block, uint64_t count, size_t size);
/* Makes room for one more entry behind `count` entries: if *room entries are full, moves
** them to a block twice as large. Returns false, and changes nothing, after gg_fail. */
bool gg_make_room(gpugraph_run *run, void **block, uint64_t count, uint64_t *room,
                  size_t size);

/* ---- threads ---- */

/* Returns the number of threads for `work` items, mostly edges: one for each
** GG_THREAD_GRAIN items, at least 1, at most gg_team_limit (team.h). */
int gg_threads(const gpugraph_run *run, uint64_t work);

/* ---- arrays ---- */

/* Calls part(of, low, high, to) for slices of 0 .. count - 1, of a few KiB each, on
** several threads. `part` writes entries low .. high - 1 of a uint32_t array to
** to[0 .. high - low - 1]. wide: the array that `part` reads, `count` entries of 8 bytes
** in a block of malloc. The result overwrites the array and takes over the block. If the
** run must end, the function frees `wide` and returns NULL. (narrow.c) */
uint32_t *gg_narrow(gpugraph_run *run, void *wide, uint64_t count,
                    void (*part)(const void *of, uint64_t low, uint64_t high,
                                 uint32_t *to),
                    const void *of);
/* memcpy by several threads: one core moves at most a third of what a bus transfers.
** (narrow.c) */
void gg_copy(const gpugraph_run *run, void *to, const void *from, size_t bytes);
/* Converts numbers of 1 byte to numbers of 4 bytes, 255 to UINT32_MAX. `all`: entries of
** the whole array, whose stores bypass the caches if it is long. (widen.c) */
void gg_widen(const gpugraph_run *run, uint32_t *to, const uint8_t *from, uint64_t count,
              uint64_t all);
/* Sorts `count` pairs by key, stably, with a radix sort that skips bits in which all keys
** agree. Values are uint64_t if `wide`, otherwise uint32_t. The scratch arrays have
** `count` entries, too. (order.c) */
gpugraph_status gg_sort_pairs(gpugraph_run *run, bool wide, uint64_t count, uint64_t *key,
                              void *value, uint64_t *key_scratch, void *value_scratch);
/* start[thread][part] is the number of items that a thread writes to a part. Replaces
** each number by the first position of these items, in order of parts, then threads. Sets
** begin[parts + 1], the starts of the parts, unless begin is NULL. (order.c) */
void gg_counts_to_starts(int threads, uint64_t parts, uint64_t *start, uint64_t *begin);

/* Returns the number of set bits of x, on processors without such an instruction, too. */
static inline int gg_count_bits(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(x * 0x0101010101010101u >> 56);
}

GG_END_C
#endif
