/* Names in sentences: see names.h. */
#include "names.h"
#include "base/sql_text.h"
#include <stdarg.h>
#include <string.h>

int fail_with(char **error, const char *format, ...) {
    va_list values;
    va_start(values, format);
    *error = sqlite3_vmprintf(format, values);
    va_end(values);
    return *error ? SQLITE_ERROR : SQLITE_NOMEM;
}

void append_sql_name(sqlite3_str *sql, const char *name) {
    const char *end = name + strlen(name);
    sql_token token;
    sql_next(name, end, &token);
    bool bare = token.kind == SQL_WORD && token.start == name && token.end == end &&
                !sqlite3_keyword_check(name, (int)(end - name));
    sqlite3_str_appendf(sql, bare ? "%s" : "\"%w\"", name);
}

char *table_as_sql(const char *schema, const char *table) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    if (schema && sqlite3_stricmp(schema, "main") != 0) {
        append_sql_name(sql, schema);
        sqlite3_str_appendall(sql, ".");
    }
    append_sql_name(sql, table);
    return sqlite3_str_finish(sql);
}

enum { LONGEST = 64, MOST_EDITS = 2, MOST_TYPED = 120 };

static bool same_letter(char a, char b) {
    return sqlite3_strnicmp(&a, &b, 1) == 0;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* The least number of bytes to insert, delete, replace or swap with the next one. Row i %
** 3 holds the edits from the first i bytes of a to the first bytes of b. */
static int edits_between(const char *a, int a_length, const char *b, int b_length) {
    int row[3][LONGEST + 1];
    for (int j = 0; j <= b_length; j++)
        row[0][j] = j;
    for (int i = 1; i <= a_length; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= b_length; j++) {
            now[j] = smaller(last[j], now[j - 1]) + 1;
            now[j] = smaller(now[j], last[j - 1] + !same_letter(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]))
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
    }
    return row[a_length % 3][b_length];
}

/* Accepts at most two edits, and at most one for three bytes, because all short names are
** alike. */
void nearest_look(nearest *n, const char *name, const char *typed) {
    size_t given = n->given ? strlen(n->given) : 0, length = strlen(name);
    if (!given || given > LONGEST || length > LONGEST)
        return;
    int edits = edits_between(n->given, (int)given, name, (int)length);
    int longest = (int)(given > length ? given : length);
    if (edits > MOST_EDITS || 3 * edits > longest || (*n->told && edits >= n->edits) ||
        strlen(typed) > MOST_TYPED)
        return;
    sqlite3_snprintf(sizeof n->told, n->told, "; the nearest name is '%q'", typed);
    n->edits = edits;
}
