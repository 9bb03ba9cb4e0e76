/* expect: ck_assert for loops. Check writes a note to a file at every ck_assert, which a
** loop over a million vertices feels; expect calls Check only when it fails. */
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include <check.h>

#define expect(condition, ...)                                                           \
    do {                                                                                 \
        if (!(condition))                                                                \
            ck_abort_msg(__VA_ARGS__);                                                   \
    } while (0)

#endif
