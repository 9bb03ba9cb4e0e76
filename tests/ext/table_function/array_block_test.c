/* Blocks for results: a request that cannot be met sets an error in the run. */
/* ctest: serial */
#include "suite.h"
#include "table_function/search.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LARGE ((size_t)4 << 20)

START_TEST(blocks_have_room) {
    static const size_t sizes[] = {0, 1, 100, LARGE - 5, LARGE, LARGE + 5};
    gpugraph_run run = {.threads = 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *block = array_block_for(&run, sizes[i], 1);
        ck_assert_ptr_nonnull(block);
        memset(block, 1, sizes[i]);
        free(block);
    }
}
END_TEST

/* Makes the address sanitizer's allocator return NULL if memory is short, as other
** allocators do. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

START_TEST(more_than_there_is) {
    gpugraph_run run = {.threads = 1};
    ck_assert_ptr_null(array_block_for(&run, SIZE_MAX / 4, 1));
    ck_assert_int_eq(run.status, GPUGRAPH_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(run.message, "bytes were needed"));
    ck_assert_ptr_null(array_block_for(&run, 1, 1));
}
END_TEST

const struct suite suite = {
    "array_block",
    {{"blocks", .cases = {{&blocks_have_room}, {&more_than_there_is}}}},
};
