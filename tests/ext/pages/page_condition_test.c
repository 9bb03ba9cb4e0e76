/* Compares filters that are evaluated from the bytes of records with SQLite. */
/* ctest: serial */
#include "page_compare.h"
#include "random_condition.h"
#include "share.h"
#include "suite.h"

enum { SEEDS = 300, ROWS = 60, CONDITIONS = 40 };

static uint64_t random_state;

uint32_t pick(uint32_t below) {
    return split_mix(&random_state) % below;
}

START_TEST(test_random_conditions) {
    sqlite3 *memory = open_db(":memory:", 0, NULL);
    for (int seed = 0; seed < SEEDS; seed++) {
        char *condition;
        random_state = (uint64_t)seed;
        if (left_out((uint64_t)seed))
            continue;
        const char *fault = compare_conditions(memory, ROWS, CONDITIONS, &condition);
        ck_assert_msg(!fault, "seed %d: %s: %s", seed, fault, condition);
        sqlite3_free(condition);
    }
    ck_assert_int_eq(sqlite3_close(memory), SQLITE_OK);
    ck_assert(conditions_refused > 0 || share_now() > 1);
    ck_assert_int_gt(conditions_compared, 10 * conditions_refused);
}
END_TEST

const struct suite suite = {
    "page_condition",
    {{"evaluator", .timeout = 120, .cases = {{&test_random_conditions}}}}};
