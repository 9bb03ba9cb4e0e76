/* number_of finds the number of a text that SQLite's numeric affinity finds, and leaves
** the value unchanged. The texts are limits of both types, and random sequences of
** characters that occur in numbers. */
/* ctest: serial */
#include <string.h>

#include "luck.h"
#include "share.h"
#include "suite.h"
#include "base/value.h"

enum { TEXTS = 100000, LONGEST = 24 };

/* agrees(x): 1 if both agree, 0 if not, 2 if they agree that x is no number. */
static void agrees(sqlite3_context *context, int count, sqlite3_value **value) {
    struct sql_number number;
    int before = sqlite3_value_type(value[0]);
    (void)count;
    ck_assert_int_eq(number_of(value[0], &number), SQLITE_OK);
    ck_assert_int_eq(sqlite3_value_type(value[0]), before);
    int type = sqlite3_value_numeric_type(value[0]);
    bool none = type != SQLITE_INTEGER && type != SQLITE_FLOAT;
    bool same = number.type == (none ? SQLITE_NULL : type);
    if (same && type == SQLITE_INTEGER)
        same = number.integer == sqlite3_value_int64(value[0]);
    if (same && type == SQLITE_FLOAT)
        same = number.real == sqlite3_value_double(value[0]);
    sqlite3_result_int(context, same ? 1 + none : 0);
}

static sqlite3 *db;
static sqlite3_stmt *asking;

static void setup(void) {
    ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    ck_assert_int_eq(
        sqlite3_create_function(db, "agrees", 1, SQLITE_UTF8, NULL, agrees, NULL, NULL),
        SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "SELECT agrees(?)", -1, &asking, NULL),
                     SQLITE_OK);
}

static void teardown(void) {
    sqlite3_finalize(asking);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/* True if the bound value is a number. */
static bool is_number(const char *shown) {
    ck_assert_int_eq(sqlite3_step(asking), SQLITE_ROW);
    int said = sqlite3_column_int(asking, 0);
    ck_assert_msg(said != 0, "'%s'", shown);
    sqlite3_reset(asking);
    return said == 1;
}

START_TEST(test_borders) {
    static const char *const text[] = {"9223372036854775807",
                                       "9223372036854775808",
                                       "-9223372036854775808",
                                       "-9223372036854775809",
                                       "+9223372036854775807",
                                       "00000000000000000000000000012",
                                       "99999999999999999999999999",
                                       "-0",
                                       "+0",
                                       "-0.0",
                                       "1e308",
                                       "1e309",
                                       "-1e999",
                                       "4.9e-324",
                                       "0x10",
                                       "1_000",
                                       "1e",
                                       "1e+",
                                       ".e1",
                                       ".",
                                       "+",
                                       "-",
                                       "",
                                       " ",
                                       "5.",
                                       ".5",
                                       " \t\n\v\f\r7\r\f\v\n\t ",
                                       "7 7",
                                       "- 7",
                                       "--7",
                                       "Inf",
                                       "nan",
                                       "1.5.2",
                                       "1e5.2",
                                       "\xc2\xa0"
                                       "7",
                                       "7\x1c",
                                       "123456789012345678901234567890.5e-10",
                                       "0.1",
                                       "2.2250738585072011e-308",
                                       "179769313486231580793e289"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        sqlite3_bind_text(asking, 1, text[i], -1, SQLITE_STATIC);
        is_number(text[i]);
    }
    sqlite3_bind_null(asking, 1);
    ck_assert(!is_number("NULL"));
    sqlite3_bind_blob(asking, 1, "1", 1, SQLITE_STATIC);
    ck_assert(!is_number("a BLOB"));
    sqlite3_bind_int64(asking, 1, INT64_MIN);
    ck_assert(is_number("the least"));
    sqlite3_bind_double(asking, 1, -0.5);
    ck_assert(is_number("REAL"));
}
END_TEST

/* The loop variable chooses the encoding of texts. */
START_TEST(test_any_order) {
    static const char letters[] = "0123456789019+-.eE \tx";
    int numbers = 0, none = 0;
    for (uint32_t i = 0; i < TEXTS; i++) {
        char text[LONGEST + 1];
        uint16_t wide[LONGEST];
        luck = i;
        int length = (int)draw(LONGEST);
        for (int k = 0; k < length; k++)
            text[k] = letters[draw(i % 2 ? 12 : sizeof letters - 1)];
        if (left_out(i))
            continue;
        text[length] = 0;
        for (int k = 0; k < length; k++)
            wide[k] = (uint16_t)text[k];
        if (_i)
            sqlite3_bind_text16(asking, 1, wide, 2 * length, SQLITE_STATIC);
        else
            sqlite3_bind_text(asking, 1, text, length, SQLITE_STATIC);
        if (is_number(text))
            numbers++;
        else
            none++;
    }
    ck_assert(numbers > 100 && none > 100);
}
END_TEST

const struct suite suite = {
    "number_of",
    {{"cases", .timeout = 60, .setup = setup, .teardown = teardown,
      .cases = {{&test_borders}, {&test_any_order, 2}}}},
};
