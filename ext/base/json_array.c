/* The elements of a JSON array: see json_array.h. */
#include "json_array.h"
#include "scope.h" /* OWN_SQL */

#include <string.h>

/* json_each returns no elements if it has no memory for the text; the array's length
** shows it. */
static const char json_sql[] = OWN_SQL
    "SELECT CASE WHEN json_valid(?1) THEN json_type(?1) END, j.type, j.value,"
    " CASE WHEN j.type IS NULL AND json_valid(?1) THEN json_array_length(?1) IS NOT 0 END"
    " FROM (SELECT 1) LEFT JOIN json_each(CASE WHEN json_valid(?1) THEN ?1 END) AS j";

/* True if a text of the JSON has the escape of a zero byte. */
static bool holds_zero(const char *text, int bytes) {
    const char *end = text + bytes, *at = text;
    while (at < end && (at = memchr(at, '\\', (size_t)(end - at)))) {
        if (end - at >= 6 && memcmp(at, "\\u0000", 6) == 0)
            return true;
        at += 2; /* skips an escaped backslash, too */
    }
    return false;
}

int json_array_open(sqlite3 *db, json_array *a, const char *text, int bytes) {
    memset(a, 0, sizeof *a);
    a->zero = holds_zero(text, bytes);
    int rc = sqlite3_prepare_v2(db, json_sql, -1, &a->row, NULL);
    rc = rc ? rc : sqlite3_bind_text(a->row, 1, text, bytes, SQLITE_STATIC);
    return rc;
}

int json_array_next(json_array *a) {
    int rc = sqlite3_step(a->row);
    if (rc != SQLITE_ROW)
        return rc;
    if (sqlite3_column_type(a->row, 0) == SQLITE_NULL)
        return SQLITE_MISMATCH;
    const char *type = (const char *)sqlite3_column_text(a->row, 0);
    if (!type)
        return SQLITE_NOMEM;
    if (strcmp(type, "array") != 0)
        return SQLITE_MISMATCH;
    /* An empty array has one row without an element. */
    if (sqlite3_column_type(a->row, 1) == SQLITE_NULL)
        return sqlite3_column_int(a->row, 3) ? SQLITE_NOMEM : SQLITE_DONE;
    a->type = (const char *)sqlite3_column_text(a->row, 1);
    a->value = sqlite3_column_value(a->row, 2);
    a->place++;
    return a->type ? SQLITE_ROW : SQLITE_NOMEM;
}

void json_array_close(json_array *a) {
    sqlite3_finalize(a->row);
    a->row = NULL;
}
