/* libFuzzer target: the input chooses a table, its rows and some conditions. A condition
** is simple or refused, as its generator knows, and its answer for each row is SQLite's.
**
** Seeds: page_condition_fuzz/ beside this file. */
#include "random_condition.h"

#include <stdio.h>

enum { ROWS = 12, CONDITIONS = 4 };

static const uint8_t *input, *input_end;

/* The end of the input is zeros. */
uint32_t pick(uint32_t below) {
    uint32_t number = 0;
    for (uint32_t limit = 1; limit < below && input < input_end; limit <<= 8)
        number = number << 8 | *input++;
    return number % below;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sqlite3 *db;
    char *condition;
    if (!db && sqlite3_open(":memory:", &db) != SQLITE_OK)
        return 0;
    input = data;
    input_end = data + size;
    const char *fault = compare_conditions(db, ROWS, CONDITIONS, &condition);
    if (fault) {
        fprintf(stderr, "%s: %s\n", fault, condition);
        abort();
    }
    sqlite3_free(condition);
    return 0;
}
