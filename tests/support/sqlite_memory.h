/* SQLite's allocator, in which one allocation fails: the n-th after the countdown is set
** to n. */
#ifndef TEST_SQLITE_MEMORY_H
#define TEST_SQLITE_MEMORY_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

static sqlite3_mem_methods sqlite_real_memory;
static long sqlite_countdown; /* 0: none fails */

static bool sqlite_allocation_fails(void) {
    return sqlite_countdown > 0 && --sqlite_countdown == 0;
}

static void *sqlite_failing_malloc(int bytes) {
    return sqlite_allocation_fails() ? NULL : sqlite_real_memory.xMalloc(bytes);
}

static void *sqlite_failing_realloc(void *block, int bytes) {
    return sqlite_allocation_fails() ? NULL : sqlite_real_memory.xRealloc(block, bytes);
}

/* Call it before SQLite is used. Lookaside would hide most of its small allocations. */
static inline void sqlite_memory_may_fail(void) {
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_real_memory);
    sqlite3_mem_methods methods = sqlite_real_memory;
    methods.xMalloc = sqlite_failing_malloc;
    methods.xRealloc = sqlite_failing_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

#endif
