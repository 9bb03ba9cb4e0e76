/* A TEXT of SQLite may go on behind a zero byte, where C takes a string to end. As an id that is a
** text like others; as a word it is none. */
#ifndef GPUGRAPH_ZERO_BYTE_H
#define GPUGRAPH_ZERO_BYTE_H

#include "ext.h"
#include <string.h>

static inline bool holds_zero_byte(sqlite3_value *value) {
    const char *text = (const char *)sqlite3_value_text(value);
    return text && strlen(text) < (size_t)sqlite3_value_bytes(value);
}

/* For sentences, behind the text in quotes. */
static inline const char *zero_byte_told(sqlite3_value *value) {
    return holds_zero_byte(value) ? " and a zero byte" : "";
}

#endif
