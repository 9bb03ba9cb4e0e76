/* Blocks of results that are given back serve the next result, a few of them. */
/* ctest: serial */
#include "suite.h"
#include "table_function/array_block.h"

#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE ((size_t)4 << 20)

static void *taken(size_t bytes) {
    void *block = array_block_take(bytes);
    ck_assert_ptr_nonnull(block);
    memset(block, 1, bytes);
    return block;
}

START_TEST(the_next_result_lies_where_one_lay) {
    void *first = taken(LARGE), *second = taken(LARGE);
    array_block_give(first);
    array_block_give(second);
    ck_assert_ptr_eq(taken(LARGE - 5), second);
    ck_assert_ptr_eq(taken(LARGE / 4 * 3), first);
    array_block_give(first);
    array_block_give(second);
    array_blocks_free();
}
END_TEST

START_TEST(a_block_that_is_too_large_or_too_small_stays) {
    void *block = taken(LARGE), *larger, *smaller;
    array_block_give(block);
    larger = taken(3 * LARGE);
    smaller = taken(LARGE / 4);
    ck_assert_ptr_ne(larger, block);
    ck_assert_ptr_ne(smaller, block);
    ck_assert_ptr_eq(taken(LARGE), block);
    array_block_give(block);
    array_block_give(larger);
    array_block_give(smaller);
    array_blocks_free();
}
END_TEST

START_TEST(a_few_stay) {
    void *block[ARRAY_SPARES + 3];
    array_block_give(NULL);
    array_block_give(taken(100));
    array_block_give(taken(1));
    for (int i = 0; i < ARRAY_SPARES + 3; i++)
        block[i] = taken(LARGE);
    for (int i = 0; i < ARRAY_SPARES + 3; i++)
        array_block_give(block[i]);
    for (int i = ARRAY_SPARES + 2; i > 2; i--) /* the latest first */
        ck_assert_ptr_eq(taken(LARGE), block[i]);
    for (int i = 3; i < ARRAY_SPARES + 3; i++)
        array_block_give(block[i]);
    array_blocks_free();
}
END_TEST

START_TEST(a_child_of_fork_has_none) {
    int status;
    void *block = taken(LARGE);
    array_block_give(block);
    pid_t child = fork();
    if (child == 0)
        _exit(array_block_take(LARGE) == block);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_ptr_eq(taken(LARGE), block);
    array_block_give(block);
    array_blocks_free();
}
END_TEST

/* The address sanitizer's allocator is asked to say no, as others do, where there is not so much. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

START_TEST(more_than_there_is) {
    ck_assert_ptr_null(array_block_take(SIZE_MAX));
    ck_assert_ptr_null(array_block_take(SIZE_MAX / 4));
}
END_TEST

const struct suite suite = {
    "array_block",
    {{"blocks", .cases = {{&the_next_result_lies_where_one_lay},
                          {&a_block_that_is_too_large_or_too_small_stays},
                          {&a_few_stay},
                          {&a_child_of_fork_has_none},
                          {&more_than_there_is}}}},
};
