/* The elements of a JSON array, by SQLite's own json_each. */
#ifndef GPUGRAPH_JSON_ARRAY_H
#define GPUGRAPH_JSON_ARRAY_H

#include "ext.h"

typedef struct json_array {
    sqlite3_stmt *row;
    bool zero;            /* \u0000 stands in some text: json_each ends it there */
    int place;            /* of the element, from 1 */
    const char *type;     /* "integer", "real", "text", "null", "true", "array", ... */
    sqlite3_value *value; /* until the next step; true is 1, false 0 */
} json_array;

/* The text must outlive the reading. Whatever is returned, close it. */
int json_array_open(sqlite3 *db, json_array *a, const char *text, int bytes);
/* SQLITE_ROW for an element, SQLITE_DONE; SQLITE_MISMATCH: the text is no JSON array. */
int json_array_next(json_array *a);
void json_array_close(json_array *a);

#endif
