/* The elements of a JSON array, read by SQLite's json_each. */
#ifndef GPUGRAPH_JSON_ARRAY_H
#define GPUGRAPH_JSON_ARRAY_H

#include "ext.h"

typedef struct json_array {
    sqlite3_stmt *row;
    bool zero;            /* a text has \u0000, at which json_each ends the text */
    int place;            /* the place of the element, from 1 */
    const char *type;     /* "integer", "real", "text", "null", "true", "array", ... */
    sqlite3_value *value; /* valid until the next step; true is 1, false is 0 */
} json_array;

/* Opens the array. The text must outlive the reading. Call json_array_close whatever is
** returned. */
int json_array_open(sqlite3 *db, json_array *a, const char *text, int bytes);
/* SQLITE_ROW for an element, SQLITE_DONE at the end; SQLITE_MISMATCH if the text is no
** JSON array. */
int json_array_next(json_array *a);
void json_array_close(json_array *a);

#endif
