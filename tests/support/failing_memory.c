#include "failing_memory.h"

#include <errno.h>
#include <stddef.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **block, size_t alignment, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes);
void __wrap_free(void *block);

/* Threads allocate, too, so an allocation changes these by atomic operations. */
static int countdown;   /* the allocation that fails; 0 and below: none */
static bool all_follow; /* all later ones fail, too */
static bool hit;        /* one has failed */
static long blocks;     /* alive */

bool allocation_fails(void) {
    if (__atomic_load_n(&countdown, __ATOMIC_RELAXED) < 1)
        return false;
    if (__atomic_sub_fetch(&countdown, 1, __ATOMIC_RELAXED) != 0)
        return false;
    __atomic_store_n(&countdown, all_follow ? 1 : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&hit, true, __ATOMIC_RELAXED);
    errno = ENOMEM;
    return true;
}

void fail_from(int n, bool for_good) {
    all_follow = for_good;
    hit = false;
    __atomic_store_n(&countdown, n, __ATOMIC_RELAXED);
}

bool fail_no_more(void) {
    __atomic_store_n(&countdown, 0, __ATOMIC_RELAXED);
    return __atomic_load_n(&hit, __ATOMIC_RELAXED);
}

long heap_blocks(void) {
    return __atomic_load_n(&blocks, __ATOMIC_RELAXED);
}

static void *counted(void *block) {
    if (block)
        __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
    return block;
}

void *__wrap_malloc(size_t bytes) {
    return allocation_fails() ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes) {
    return allocation_fails() ? NULL : counted(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *block, size_t bytes) {
    if (!block)
        return __wrap_malloc(bytes);
    return allocation_fails() ? NULL : __real_realloc(block, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return allocation_fails() ? NULL : counted(__real_aligned_alloc(alignment, bytes));
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes) {
    if (allocation_fails())
        return ENOMEM;
    int rc = __real_posix_memalign(block, alignment, bytes);
    if (rc == 0)
        counted(*block);
    return rc;
}

void __wrap_free(void *block) {
    if (block)
        __atomic_sub_fetch(&blocks, 1, __ATOMIC_RELAXED);
    __real_free(block);
}
