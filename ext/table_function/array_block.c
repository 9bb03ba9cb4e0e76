#include "platform.h"
#include "search.h"

#include <stdio.h>
#include <stdlib.h>

static void *new_block(size_t bytes) {
    const size_t whole = (bytes + GG_HUGE_PAGE - 1) / GG_HUGE_PAGE * GG_HUGE_PAGE;
    if (bytes < GG_HUGE_PAGE)
        return malloc(bytes);
    void *block = whole < bytes ? NULL : gg_alloc_huge(whole);
    if (block)
        gg_advise_pages(block, whole, true);
    return block;
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
    void *block = new_block(bytes);
    return block ? block : lacks(run, bytes);
}

void *array_block_grown(gpugraph_run *run, void *block, uint64_t from, uint64_t to,
                        size_t size) {
    if (gpugraph_hold_memory(run, (int64_t)((to - from) * size)))
        return NULL;
    void *grown = realloc(block, to * size);
    return grown ? grown : lacks(run, to * size);
}

void *array_block_cut(void *block, size_t bytes) {
    void *kept = realloc(block, bytes > 0 ? bytes : 1);
    return kept ? kept : block;
}
