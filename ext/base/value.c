/* SQL values as this extension reads, keeps and writes them. */
#include "base/value.h"
#include "base/sql_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- kept texts ---- */

int text_set(text *t, sqlite3_value *value) {
    text_clear(t);
    if (!value || sqlite3_value_type(value) == SQLITE_NULL)
        return SQLITE_OK;
    const unsigned char *bytes = sqlite3_value_text(value);
    int count = sqlite3_value_bytes(value);
    t->bytes = bytes ? sqlite3_malloc64((sqlite3_uint64)count + 1) : NULL;
    if (!t->bytes)
        return SQLITE_NOMEM;
    memcpy(t->bytes, bytes, (size_t)count);
    t->bytes[count] = '\0';
    t->count = count;
    return SQLITE_OK;
}

static bool is_text(sqlite3_value *value, const void *bytes, int count) {
    const unsigned char *text = sqlite3_value_text(value);
    return text && bytes && sqlite3_value_bytes(value) == count &&
           memcmp(text, bytes, (size_t)count) == 0;
}

bool text_is(const text *t, sqlite3_value *value) {
    return !value || sqlite3_value_type(value) == SQLITE_NULL
               ? t->bytes == NULL
               : is_text(value, t->bytes, t->count);
}

void text_clear(text *t) {
    sqlite3_free(t->bytes);
    memset(t, 0, sizeof *t);
}

/* ---- kept values ---- */

/* False for BLOBs, because no argument takes a BLOB. */
static bool values_are_equal(sqlite3_value *a, sqlite3_value *b) {
    const int type = sqlite3_value_type(a);
    return type == sqlite3_value_type(b) &&
           (type == SQLITE_INTEGER ? sqlite3_value_int64(a) == sqlite3_value_int64(b)
            : type == SQLITE_FLOAT ? sqlite3_value_double(a) == sqlite3_value_double(b)
            : type == SQLITE_TEXT
                ? is_text(a, sqlite3_value_text(b), sqlite3_value_bytes(b))
                : type == SQLITE_NULL);
}

bool value_keep(sqlite3_value **kept, sqlite3_value *value) {
    if (*kept && values_are_equal(*kept, value))
        return true;
    sqlite3_value_free(*kept);
    *kept = sqlite3_value_dup(value);
    return *kept != NULL;
}

/* ---- numbers ---- */

static const char *skip_spaces(const char *at, const char *end) {
    while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
        at++;
    return at;
}

int number_in_text(const char *at, const char *end, sqlite3_int64 *integer) {
    at = skip_spaces(at, end);
    const bool minus = at < end && *at == '-';
    const char *first = at + (at < end && (*at == '-' || *at == '+'));
    const char *behind = skip_digits(first, end);
    long digits = behind - first;
    bool fits = true;
    *integer = 0;
    for (const char *digit = first; digit < behind && fits; digit++)
        fits = !__builtin_mul_overflow(*integer, 10, integer) &&
               !__builtin_sub_overflow(*integer, *digit - '0', integer);
    fits = fits && (minus || !__builtin_sub_overflow(0, *integer, integer));
    if (behind < end && *behind == '.') {
        at = skip_digits(behind + 1, end);
        digits += at - behind - 1;
        behind = at;
        fits = false;
    }
    if (behind < end && (*behind == 'e' || *behind == 'E')) {
        first = behind + 1;
        first += first < end && (*first == '-' || *first == '+');
        behind = skip_digits(first, end);
        digits = behind > first ? digits : 0;
        fits = false;
    }
    if (digits == 0 || skip_spaces(behind, end) < end)
        return SQLITE_NULL;
    return fits ? SQLITE_INTEGER : SQLITE_FLOAT;
}

/* Does not call sqlite3_value_numeric_type. That function converts the register itself,
** which other expressions may read, and with a copy of the value SQLite 3.53 crashes. */
int number_of(sqlite3_value *value, struct sql_number *number) {
    memset(number, 0, sizeof *number);
    number->type = sqlite3_value_type(value);
    if (number->type == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_value_text(value);
        if (!text)
            return SQLITE_NOMEM;
        number->type =
            number_in_text(text, text + sqlite3_value_bytes(value), &number->integer);
    } else if (number->type == SQLITE_INTEGER) {
        number->integer = sqlite3_value_int64(value);
    }
    if (number->type == SQLITE_FLOAT)
        number->real = sqlite3_value_double(value);
    else if (number->type != SQLITE_INTEGER)
        number->type = SQLITE_NULL;
    return SQLITE_OK;
}

void number_to_integer(struct sql_number *number) {
    int64_t integer;
    if (number->type == SQLITE_FLOAT && whole_number(number->real, &integer)) {
        number->type = SQLITE_INTEGER;
        number->integer = integer;
    }
}

bool odd_numeral(const char *text, size_t bytes, double *value) {
    const char *end = text + bytes, *digit = text + (bytes > 0 && *text == '-');
    sqlite3_int64 integer;
    const int type = number_in_text(text, end, &integer);
    if (type == SQLITE_NULL ||
        (type == SQLITE_INTEGER && skip_digits(digit, end) == end &&
         (*digit != '0' || bytes == 1)))
        return false;
    if (type == SQLITE_INTEGER) {
        *value = (double)integer;
        return true;
    }
    char *copy = sqlite3_mprintf("%.*s", (int)bytes, text);
    *value = copy ? strtod(copy, NULL) : NAN;
    sqlite3_free(copy);
    return true;
}

/* ---- for sentences ---- */

bool holds_zero_byte(sqlite3_value *value) {
    const char *text = (const char *)sqlite3_value_text(value);
    return text && strlen(text) < (size_t)sqlite3_value_bytes(value);
}

const char *zero_byte_note(sqlite3_value *value) {
    return holds_zero_byte(value) ? " and a zero byte" : "";
}

/* Python's sqlite3 binds a NumPy integer as a BLOB of the bytes in memory. */
const char *blob_written(sqlite3_value *blob) {
    const int bytes = sqlite3_value_bytes(blob);
    return bytes == 8
               ? "a BLOB of 8 bytes (a NumPy integer, as Python binds it: pass int(x))"
           : bytes == 4
               ? "a BLOB of 4 bytes (a NumPy integer, as Python binds it: pass int(x))"
               : "a BLOB";
}

/* Cuts long texts. */
const char *value_write(sqlite3_value *value, written *to) {
    const int size = sizeof to->text;
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return sqlite3_snprintf(size, to->text, "%lld", sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        return sqlite3_snprintf(size, to->text, "%!.15g", sqlite3_value_double(value));
    case SQLITE_TEXT:
        return sqlite3_snprintf(size, to->text, "'%!.60q'%s", sqlite3_value_text(value),
                                zero_byte_note(value));
    case SQLITE_BLOB:
        return blob_written(value);
    default:
        return "NULL";
    }
}
