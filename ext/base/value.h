/* SQL values: as numbers, as kept texts, as words in a sentence.
**
**     '12', 12, 12.0    number_of            {SQLITE_INTEGER, 12}, {SQLITE_FLOAT, 12.0}
**                       number_to_integer    {SQLITE_INTEGER, 12} of all of them
**     'up', 1.5, x'00'  VALUE_WRITTEN        "'up'", "1.5", "a BLOB"
**/
#ifndef GPUGRAPH_VALUE_H
#define GPUGRAPH_VALUE_H

#include "ext.h"

struct sql_number {
    int type; /* SQLITE_INTEGER or SQLITE_FLOAT; SQLITE_NULL: no number */
    sqlite3_int64 integer;
    double real;
};

/* Converts a REAL that is a whole number, as pandas writes an INTEGER column with gaps.
** False: it is not whole, or out of the range of INTEGERs; *integer is
** unchanged. */
static inline bool whole_number(double real, int64_t *integer) {
    const double two_to_63 = 9223372036854775808.0;
    if (!(real >= -two_to_63 && real < two_to_63) || real != (double)(int64_t)real)
        return false;
    *integer = (int64_t)real;
    return true;
}

/* Returns the type of the number to which numeric affinity converts the whole text:
** SQLITE_INTEGER (with its value in *integer) or SQLITE_FLOAT. SQLITE_NULL: no number. */
int number_in_text(const char *at, const char *end, sqlite3_int64 *integer);
/* The number that numeric affinity makes of a value. SQLITE_OK or SQLITE_NOMEM. */
int number_of(sqlite3_value *value, struct sql_number *number);
void number_to_integer(struct sql_number *number);
/* True if the text equals a number but is not the way in which SQLite writes an INTEGER:
** '7.0', '07', ' 7'. *value: the number, up to rounding; NAN: no memory. */
bool odd_numeral(const char *text, size_t bytes, double *value);

/* A copy of a text that outlives its SQL value. */
typedef struct text {
    char *bytes; /* NUL-terminated; NULL: no text */
    int count;
} text;

/* Copies the value; NULL and SQL's NULL clear the text. SQLITE_OK or SQLITE_NOMEM. */
int text_set(text *t, sqlite3_value *value);
bool text_is(const text *t, sqlite3_value *value);
void text_clear(text *t);

/* Makes *kept a copy of the value (sqlite3_value_free) unless both are equal: joins pass
** most values again and again. False: no memory. */
bool value_keep(sqlite3_value **kept, sqlite3_value *value);

/* The value as SQL writes it, for a sentence that is made within the present block. */
#define VALUE_WRITTEN(value) value_write(value, &(written){""})
typedef struct written {
    char text[400];
} written;
const char *value_write(sqlite3_value *value, written *to);
/* "a BLOB", with a guess at its meaning if its length allows one. */
const char *blob_written(sqlite3_value *blob);

/* A TEXT of SQLite may continue after a zero byte, where a C string ends. This TEXT can
** be an id, but no name or option. */
bool holds_zero_byte(sqlite3_value *value);
/* " and a zero byte" if the text has one, else "": follows the text in a sentence. */
const char *zero_byte_note(sqlite3_value *value);

#endif
