/* A TEXT of SQLite may continue after a zero byte, where a C string ends. Such a TEXT can
** be an id, but no name or option. */
#ifndef GPUGRAPH_ZERO_BYTE_H
#define GPUGRAPH_ZERO_BYTE_H

#include "ext.h"
#include <string.h>

static inline bool holds_zero_byte(sqlite3_value *value) {
    const char *text = (const char *)sqlite3_value_text(value);
    return text && strlen(text) < (size_t)sqlite3_value_bytes(value);
}

/* For sentences: follows the text in quotes. */
static inline const char *zero_byte_told(sqlite3_value *value) {
    return holds_zero_byte(value) ? " and a zero byte" : "";
}

#endif
