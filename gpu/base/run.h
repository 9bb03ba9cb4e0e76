/* What every call of the library has with it: a status, interrupts, time, memory and threads;
** and the few steps over arrays that many files share. Knows nothing of graphs.
**
** Errors are sticky: run->status keeps the first. Threads but the calling one only look
** (gg_stopping); the calling one asks the host, too (gg_poll). */
#ifndef GPUGRAPH_RUN_H
#define GPUGRAPH_RUN_H

#include "gpugraph.h"
#include "hash.h"
#include "platform.h"
#include "team.h"

/* Milliseconds between two calls of run->interrupted: an interrupt is felt well within
** half a second, and the calls take less than a thousandth of the time. */
#define GG_POLL_MS 10.0
/* Items that a loop handles between two looks at gg_pause: well under a millisecond of
** work. */
#define GG_POLL_ITEMS 65536
/* Items for which one more thread pays: a team costs 5 to 20 microseconds, an item some
** nanoseconds. */
#define GG_THREAD_GRAIN 32768
/* Entries of an array that a thread fills in the time of one item. */
#define GG_FILL_ITEMS 16
/* An array that may grow has slack for one element in GG_ROOM_SHARE. */
#define GG_ROOM_SHARE 64
/* Milliseconds until the library asks again for a thread that the system refused. */
#define GG_THREAD_RETRY_MS 1000.0

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status, interrupts, time: run.c ---- */

/* Sets status and sentence, unless an earlier error stands (the first one explains).
** Returns it. */
gpugraph_status gg_fail(gpugraph_run *run, gpugraph_status status, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));
/* Device memory has given out in the middle of a call: how many bytes more were asked for,
** how many there are, and what to do. */
gpugraph_status gg_fail_device_memory(gpugraph_run *run, int64_t more, int64_t free);
/* "raise memory_limit, or use backend 'cpu' or 'auto'", as far as it applies: static. */
const char *gg_memory_cure(const gpugraph_run *run);
/* An argument that points to so many entries, or to one struct: GPUGRAPH_INVALID and a sentence where it is NULL.
** Returns true while the run has not failed, so that calls can follow one another. */
bool gg_needs(gpugraph_run *run, const void *argument, uint64_t entries,
              const char *name);
/* Is it one of GPUGRAPH_OUT, _IN and _BOTH? If not, the run has failed. */
bool gg_check_direction(gpugraph_run *run, gpugraph_direction direction);
/* The same for a type of weights that there is not. */
bool gg_check_weight_type(gpugraph_weight_type type, gpugraph_run *run);
/* Every public entry calls this first: clears status, message, stop. */
void gg_begin(gpugraph_run *run);
/* From the calling thread, as often as convenient (rate-limited inside): asks
** run->interrupted and sets run->stop. Returns true when the run must end; the caller
** then returns gg_stopped(run). */
bool gg_poll(gpugraph_run *run);
/* From any thread: has the run been stopped, or has it failed? */
static inline bool gg_stopping(const gpugraph_run *run) {
    return __atomic_load_n(&run->stop, __ATOMIC_RELAXED) != 0;
}
gpugraph_status gg_stopped(gpugraph_run *run); /* sets GPUGRAPH_INTERRUPTED */
/* gg_poll for loops that a team shares: the thread that called gg_begin asks, the others
** look. True: leave the loop. */
bool gg_pause(gpugraph_run *run);
/* The same as a loop's condition: for (i = low; i < high && !gg_leave(run, i); i++) */
static inline bool gg_leave(gpugraph_run *run, uint64_t i) {
    return i % GG_POLL_ITEMS == 0 && gg_pause(run);
}
/* The same for a loop whose turns differ in length: items of the latest turn; *since: of all turns since
** gg_pause was asked. A loop over rows counts arcs, since a graph of few vertices may have many. */
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

/* count * size bytes, uninitialised, large blocks aligned for huge pages; NULL after
** gg_fail(NO_MEMORY) with the bytes named. gg_alloc_zero: zeroed. Free with
** gg_release. */
void *gg_alloc(gpugraph_run *run, uint64_t count, size_t size);
void *gg_alloc_zero(gpugraph_run *run, uint64_t count, size_t size);
void gg_release(void *block);
/* Blocks that a thread takes by these functions count against host_memory_limit of the run that
** it counts for, and as given back where it releases them. A search counts from gg_begin_counting
** to gg_end_counting, its teams with it; what stays with the graph is made while the thread counts
** for no run (NULL). gg_count_for returns the run before. */
void gg_begin_counting(gpugraph_run *run);
void gg_end_counting(const gpugraph_run *run);
gpugraph_run *gg_count_for(gpugraph_run *run);
gpugraph_run *gg_counts_for(void);
/* gg_alloc for an array of which little will be touched, here and there: in pages of the usual
** size, since clearing one of 2 MiB takes as long as a whole change should. */
void *gg_alloc_sparse(gpugraph_run *run, uint64_t count, size_t size);
/* Gives the block room for `count` elements. A large sparse block moves to other addresses
** without a copy. Returns the block; NULL if there is no memory, and the block is unchanged. */
void *gg_grow(void *block, uint64_t count, size_t size);
/* The same as gg_alloc, with some room to grow; bytes that a block has room for. */
void *gg_alloc_roomy(gpugraph_run *run, uint64_t count, size_t size);
size_t gg_room(void *block);
/* Gives back what a block has beyond count * size bytes and some room to grow. NULL after
** gg_fail: the block is what it was. */
void *gg_shrink(gpugraph_run *run, void *block, uint64_t count, size_t size);
/* Room for one entry more behind `count`: twice as many as before, moved over to a new block.
** False, with nothing changed, when there is no memory. */
bool gg_make_room(gpugraph_run *run, void **block, uint64_t count, uint64_t *room,
                  size_t size);

/* ---- threads ---- */

/* Threads to use for `work` items (edges, mostly): 1 below a grain, else run->threads
** or the cores. What they are for: team.h. */
int gg_threads(const gpugraph_run *run, uint64_t work);

/* ---- arrays ---- */

/* memcpy by several threads: one core moves no more than a third of what a bus takes.
** (copy.c) */
void gg_copy(const gpugraph_run *run, void *to, const void *from, size_t bytes);
/* Numbers of a byte to numbers of four, 255 to UINT32_MAX, of an array of `all` entries: a long one goes
** past the caches. (widen.c) */
void gg_widen(const gpugraph_run *run, uint32_t *to, const uint8_t *from, uint64_t count,
              uint64_t all);
/* Sorts count pairs by key, equal keys staying in order: a radix sort that skips bits in
** which all keys agree. The scratch arrays have count entries too. gg_sort_edges: the
** values are edge numbers. (order.c) */
gpugraph_status gg_sort_pairs(gpugraph_run *run, uint64_t count, uint64_t *key,
                              uint32_t *value, uint64_t *key_scratch,
                              uint32_t *value_scratch);
gpugraph_status gg_sort_edges(gpugraph_run *run, bool wide, uint64_t count, uint64_t *key,
                              void *value, uint64_t *key_scratch, void *value_scratch);
/* gpugraph_order, within a call. (order.c) */
gpugraph_status gg_order_values(gpugraph_distance_type type, const void *value,
                                uint32_t n, gpugraph_run *run, uint32_t *order,
                                uint32_t *count);

/* Set bits of x, without asking for a newer processor. */
static inline int gg_count_bits(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(x * 0x0101010101010101u >> 56);
}

#ifdef __cplusplus
}
#endif
#endif
