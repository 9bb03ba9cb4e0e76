#include "array_block.h"
#include "brief_lock.h"

#include <stdio.h>
#include <stdlib.h>

/* Bytes of the smallest block that stays: the allocator provides a smaller one as fast. */
#define SPARE_LEAST GG_HUGE_PAGE

static struct spares {
    gg_brief_lock lock;
    uint32_t process; /* whose state this is */
    int count;
    void *block[ARRAY_SPARES]; /* the latest last */
} spares;

/* With the lock held. A child of fork() may have found half of a change: its parent's stay where they are. */
static void open_spares(void) {
    gg_lock(&spares.lock);
    if (spares.process == gg_this_process())
        return;
    spares.process = gg_this_process();
    spares.count = 0;
}

static void *take_array_block_out(int at) {
    void *block = spares.block[at];
    spares.count--;
    for (int i = at; i < spares.count; i++)
        spares.block[i] = spares.block[i + 1];
    return block;
}

static void *take_spare(size_t bytes) {
    void *block = NULL;
    open_spares();
    for (int i = spares.count - 1; i >= 0 && !block; i--) {
        const size_t room = gg_block_bytes(spares.block[i]);
        if (bytes <= room && bytes >= room / 2)
            block = take_array_block_out(i);
    }
    gg_unlock(&spares.lock);
    return block;
}

/* In large pages: clearing and giving back small ones takes most of the time that results take. */
static void *new_block(size_t bytes) {
    const size_t whole = (bytes + GG_HUGE_PAGE - 1) / GG_HUGE_PAGE * GG_HUGE_PAGE;
    void *block = whole < bytes ? NULL : gg_alloc_huge(whole);
    if (block)
        gg_advise_pages(block, whole, GG_PAGES_HUGE);
    return block;
}

void *array_block_take(size_t bytes) {
    if (bytes < SPARE_LEAST)
        return malloc(bytes);
    void *block = take_spare(bytes);
    return block ? block : new_block(bytes);
}

static void *lacks(gpugraph_run *run, uint64_t bytes) {
    run->status = GPUGRAPH_NO_MEMORY;
    snprintf(run->message, sizeof run->message, "out of memory: %llu bytes were needed",
             (unsigned long long)bytes);
    return NULL;
}

void *array_block_for(gpugraph_run *run, uint64_t count, size_t size) {
    const uint64_t bytes = (count ? count : 1) * size;
    if (run->status != GPUGRAPH_OK || gpugraph_hold_memory(run, (int64_t)bytes))
        return NULL;
    void *block = array_block_take(bytes);
    return block ? block : lacks(run, bytes);
}

void *array_block_grown(gpugraph_run *run, void *block, uint64_t from, uint64_t to,
                        size_t size) {
    if (gpugraph_hold_memory(run, (int64_t)((to - from) * size)))
        return NULL;
    void *grown = realloc(block, to * size);
    return grown ? grown : lacks(run, to * size);
}

void array_block_give(void *block) {
    void *oldest = block;
    if (block && gg_block_bytes(block) >= SPARE_LEAST) {
        open_spares();
        oldest = spares.count == ARRAY_SPARES ? take_array_block_out(0) : NULL;
        spares.block[spares.count++] = block;
        gg_unlock(&spares.lock);
    }
    free(oldest);
}

void array_blocks_free(void) {
    for (void *block = &spares; block;) {
        block = NULL;
        open_spares();
        if (spares.count > 0)
            block = take_array_block_out(0);
        gg_unlock(&spares.lock);
        free(block);
    }
}
