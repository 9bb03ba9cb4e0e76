/* Converts text weights, as .import leaves them. sqlite3_value_numeric_type decides which
** texts are numbers. Plain integers are converted here. SQLite converts the others,
** because its rounding of decimals differs between versions:
**
**     SELECT ?1, ?2, ... ?64      64 texts in, 64 values out for each step */
#include "format.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64, MOST_DIGITS = 18 };

bool page_number_plain(const uint8_t *text, size_t length, int64_t *value) {
    bool minus = length > 0 && text[0] == '-';
    size_t i = minus;
    int64_t x = 0;
    if (length == i || length - i > MOST_DIGITS)
        return false;
    for (; i < length; i++) {
        unsigned digit = (unsigned)text[i] - '0';
        if (digit > 9)
            return false;
        x = 10 * x + digit;
    }
    *value = minus ? -x : x;
    return true;
}

struct page_numbers {
    sqlite3 *db;
    sqlite3_stmt *echo;
};

void page_numbers_close(page_numbers *numbers) {
    if (!numbers)
        return;
    sqlite3_finalize(numbers->echo);
    sqlite3_close(numbers->db);
    free(numbers);
}

page_numbers *page_numbers_open(void) {
    char sql[16 + AT_ONCE * 6] = "SELECT ?1";
    page_numbers *numbers = calloc(1, sizeof *numbers);
    char *end = sql + strlen(sql);
    if (!numbers)
        return NULL;
    for (int i = 2; i <= AT_ONCE; i++, end += strlen(end))
        sqlite3_snprintf((int)(sql + sizeof sql - end), end, ", ?%d", i);
    if (sqlite3_threadsafe() &&
        sqlite3_open_v2(":memory:", &numbers->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(numbers->db, sql, -1, &numbers->echo, NULL) == SQLITE_OK)
        return numbers;
    page_numbers_close(numbers);
    return NULL;
}

/* Reads the weight of one value. closes: a negative weight closes a direction, and its
** type does not matter. */
static enum page_reason take_weight(sqlite3_value *value, bool real, bool closes,
                                    int64_t *weight) {
    switch (sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER:
        *weight = sqlite3_value_int64(value);
        if (real)
            *weight = page_real_bits((double)*weight);
        return PAGE_FINE;
    case SQLITE_FLOAT:
        if (closes && !real && sqlite3_value_double(value) < 0) {
            *weight = -1;
            return PAGE_FINE;
        }
        *weight = page_real_bits(sqlite3_value_double(value));
        return real ? PAGE_FINE : PAGE_WEIGHT_REAL;
    default:
        return PAGE_WEIGHT_TYPE;
    }
}

/* Writes the weight of one text. */
static enum page_reason put_weight(sqlite3_value *value, const page_number *text,
                                   const page_number_columns *to) {
    const uint32_t k = text->entry % 2, row = text->entry / 2;
    int64_t weight = 0;
    enum page_reason reason =
        take_weight(value, to->real, to->column[1] != NULL, &weight);
    const bool narrow = k == 0 && to->narrow;
    if (!reason && narrow && weight != (int32_t)weight)
        reason = PAGE_WEIGHT_WIDE;
    if (reason)
        return reason;
    if (narrow)
        to->narrow[row] = (int32_t)weight;
    else
        to->column[k][row] = weight;
    return PAGE_FINE;
}

static enum page_reason convert(page_numbers *numbers, const page_number *list, int count,
                                const page_number_columns *to) {
    sqlite3_stmt *echo = numbers->echo;
    enum page_reason reason = PAGE_FINE;
    for (int i = 0; i < count; i++)
        if (sqlite3_bind_text64(echo, i + 1, (const char *)list[i].bytes, list[i].length,
                                SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
            reason = PAGE_NO_MEMORY;
    if (!reason && sqlite3_step(echo) != SQLITE_ROW)
        reason = PAGE_NO_MEMORY;
    for (int i = 0; i < count && !reason; i++)
        reason = put_weight(sqlite3_column_value(echo, i), &list[i], to);
    sqlite3_reset(echo);
    return reason;
}

enum page_reason page_numbers_convert(page_numbers *numbers, const page_number *list,
                                      uint32_t count, const page_number_columns *to) {
    enum page_reason reason = PAGE_FINE;
    for (uint32_t i = 0; i < count && !reason; i += AT_ONCE) {
        uint32_t left = count - i;
        reason = convert(numbers, list + i, (int)(left < AT_ONCE ? left : AT_ONCE), to);
    }
    return reason;
}
