/* SQL values: as numbers, as texts that are kept, as words in a sentence.
**
**     '12', 12, 12.0    number_of            {SQLITE_INTEGER, 12}, ..., {SQLITE_FLOAT, 12.0}
**                       number_to_integer    {SQLITE_INTEGER, 12} of all of them
**     'up', 1.5, x'00'  value_written        "'up'", "1.5", "a BLOB" */
#ifndef GPUGRAPH_VALUE_H
#define GPUGRAPH_VALUE_H

#include "ext.h"

struct sql_number {
    int type; /* SQLITE_INTEGER, SQLITE_FLOAT, or SQLITE_NULL: none */
    sqlite3_int64 integer;
    double real;
};

/* Is the whole text a number, SQLITE_INTEGER or SQLITE_FLOAT, as numeric affinity has it?
** *integer: of the first kind. SQLITE_NULL: it is none. */
int number_in_text(const char *at, const char *end, sqlite3_int64 *integer);
/* SQLITE_OK or SQLITE_NOMEM. */
int number_of(sqlite3_value *value, struct sql_number *number);
void number_to_integer(struct sql_number *number);
/* Does the text equal a number, and is not what SQLite writes for an INTEGER? '7.0', '07', ' 7'. *value: the
** number, but for rounding; NAN where memory failed. */
bool odd_numeral(const char *text, size_t bytes, double *value);

/* A copy of a text that outlives its value. */
typedef struct text {
    char *bytes; /* NUL-terminated; NULL: no text */
    int count;
} text;

/* NULL, and SQL's NULL, clear it. SQLITE_OK or SQLITE_NOMEM. */
int text_set(text *t, sqlite3_value *value);
bool text_is(const text *t, sqlite3_value *value);
void text_clear(text *t);

/* Makes *kept a copy of the value (sqlite3_value_free), unless it is one: joins pass most
** values again and again. Returns false where memory is short. */
bool value_keep(sqlite3_value **kept, sqlite3_value *value);

/* The value as SQL would write it, for a sentence: *to. */
typedef struct written {
    char text[400];
} written;
const char *value_written(sqlite3_value *value, written *to);
/* "a BLOB", and what it may be where its length says so. */
const char *blob_written(sqlite3_value *blob);

#endif
