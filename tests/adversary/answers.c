/* Rows as bytes with their types, so that a comparison of answers is exact.
**
**     row    column column ...
**     column 'i' 8 bytes | 'r' 8 bytes | 't' length bytes | 'b' length bytes | 'n' */
#include "adversary.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grow(void **block, int *room, int need, size_t item) {
    if (need <= *room)
        return;
    *room = need * 2 + 64;
    *block = realloc(*block, (size_t)*room * item);
    if (!*block)
        abort();
}

static void add_bytes(answer *a, const void *bytes, int count) {
    grow((void **)&a->bytes, &a->room, a->used + count, 1);
    if (count > 0)
        memcpy(a->bytes + a->used, bytes, (size_t)count);
    a->used += count;
}

static void add_column(answer *a, sqlite3_stmt *s, int i) {
    int type = sqlite3_column_type(s, i), length;
    const void *text;
    sqlite3_int64 integer;
    double real;
    switch (type) {
    case SQLITE_INTEGER:
        integer = sqlite3_column_int64(s, i);
        add_bytes(a, "i", 1);
        add_bytes(a, &integer, sizeof integer);
        break;
    case SQLITE_FLOAT:
        real = sqlite3_column_double(s, i);
        add_bytes(a, "r", 1);
        add_bytes(a, &real, sizeof real);
        break;
    case SQLITE_NULL:
        add_bytes(a, "n", 1);
        break;
    default:
        text = sqlite3_column_blob(s, i);
        length = sqlite3_column_bytes(s, i);
        add_bytes(a, type == SQLITE_TEXT ? "t" : "b", 1);
        add_bytes(a, &length, sizeof length);
        add_bytes(a, text, length);
    }
}

static void add_row(answer *a, sqlite3_stmt *s) {
    grow((void **)&a->row, &a->row_room, a->rows + 2, sizeof *a->row);
    a->row[a->rows++] = a->used;
    for (int i = 0, columns = sqlite3_column_count(s); i < columns; i++)
        add_column(a, s, i);
    a->row[a->rows] = a->used;
}

int answer_take(answer *a, sqlite3_stmt *s, int most) {
    int rc = SQLITE_ROW;
    for (int i = 0; i < most && (rc = sqlite3_step(s)) == SQLITE_ROW; i++)
        add_row(a, s);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        a->rc = rc;
        snprintf(a->error, sizeof a->error, "%s", sqlite3_errmsg(sqlite3_db_handle(s)));
    }
    return rc;
}

bool answer_add(answer *a, sqlite3 *db, const char *sql) {
    a->rc = SQLITE_OK;
    while (*sql && a->rc == SQLITE_OK) {
        sqlite3_stmt *s = NULL;
        a->rc = sqlite3_prepare_v2(db, sql, -1, &s, &sql);
        if (a->rc != SQLITE_OK)
            snprintf(a->error, sizeof a->error, "%s", sqlite3_errmsg(db));
        else if (s)
            answer_take(a, s, INT_MAX);
        sqlite3_finalize(s);
    }
    return a->rc == SQLITE_OK;
}

void answer_clear(answer *a) {
    free(a->bytes);
    free(a->row);
    memset(a, 0, sizeof *a);
}

/* ---- in any order ---- */

typedef struct span {
    const char *bytes;
    int length;
} span;

static int compare_spans(const void *left, const void *right) {
    const span *a = left, *b = right;
    int length = a->length < b->length ? a->length : b->length;
    int order = length ? memcmp(a->bytes, b->bytes, (size_t)length) : 0;
    return order ? order : a->length - b->length;
}

void answer_reserve(answer *a) {
    enum { ROWS = 4000, ROW_BYTES = 60 };
    grow((void **)&a->bytes, &a->room, ROWS * ROW_BYTES, 1);
    grow((void **)&a->row, &a->row_room, ROWS, sizeof *a->row);
}

void answer_sort(answer *a) {
    if (a->rows < 2)
        return;
    span *list = malloc((size_t)a->rows * sizeof *list);
    char *bytes = malloc((size_t)a->used + 1);
    if (!list || !bytes)
        abort();
    for (int i = 0; i < a->rows; i++)
        list[i] = (span){a->bytes + a->row[i], a->row[i + 1] - a->row[i]};
    qsort(list, (size_t)a->rows, sizeof *list, compare_spans);
    int at = 0;
    for (int i = 0; i < a->rows; i++) {
        memcpy(bytes + at, list[i].bytes, (size_t)list[i].length);
        a->row[i] = at;
        at += list[i].length;
    }
    free(list);
    free(a->bytes);
    a->bytes = bytes;
    a->room = a->used + 1;
}

/* ---- output for people ---- */

static const char *append_column(sqlite3_str *text, const char *at) {
    sqlite3_int64 integer;
    double real;
    int length;
    char type = *at++;
    switch (type) {
    case 'i':
        memcpy(&integer, at, sizeof integer);
        sqlite3_str_appendf(text, "%lld", integer);
        return at + sizeof integer;
    case 'r':
        memcpy(&real, at, sizeof real);
        sqlite3_str_appendf(text, "%!.17g", real);
        return at + sizeof real;
    case 'n':
        sqlite3_str_appendall(text, "NULL");
        return at;
    default:
        memcpy(&length, at, sizeof length);
        at += sizeof length;
        sqlite3_str_appendall(text, type == 't' ? "'" : "x'");
        for (int i = 0; i < length; i++)
            sqlite3_str_appendf(text, at[i] >= ' ' && at[i] < 127 ? "%c" : "\\%02x",
                                (unsigned char)at[i]);
        sqlite3_str_appendall(text, "'");
        return at + length;
    }
}

char *answer_text(const answer *a) {
    enum { SHOWN = 4000 };
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int i = 0; i < a->rows && sqlite3_str_length(text) < SHOWN; i++) {
        const char *at = a->bytes + a->row[i], *end = a->bytes + a->row[i + 1];
        sqlite3_str_appendall(text, i ? "; " : "");
        for (int column = 0; at < end; column++) {
            sqlite3_str_appendall(text, column ? "|" : "");
            at = append_column(text, at);
        }
    }
    sqlite3_str_appendf(text, " (%d rows", a->rows);
    if (a->rc != SQLITE_OK)
        sqlite3_str_appendf(text, ", error %d: %s", a->rc, a->error);
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

/* ---- comparison ---- */

bool is_locked(int rc) {
    return (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED;
}

static bool agree(const answer *a, const answer *b, int agreement) {
    if (a->rc != b->rc)
        return false;
    if (a->rc != SQLITE_OK)
        return !(agreement & SAME_SENTENCE) || strcmp(a->error, b->error) == 0;
    return a->rows == b->rows && a->used == b->used &&
           (!a->used || memcmp(a->bytes, b->bytes, (size_t)a->used) == 0);
}

void answers_agree(const char *label, const char *question, const char *again,
                   answer *kept, answer *fresh, int agreement) {
    count(COUNT_COMPARISONS);
    if (!(agreement & SAME_SEQUENCE)) {
        answer_sort(kept);
        answer_sort(fresh);
    }
    if (kept->rc != SQLITE_OK)
        count(COUNT_ERRORS);
    if (!agree(kept, fresh, agreement)) {
        char *k = answer_text(kept), *f = answer_text(fresh);
        wrong("%s\n%s\n    kept:  %s\n    fresh: %s\n    asked as %s", label, question, k,
              f, again);
    }
    answer_clear(kept);
    answer_clear(fresh);
}
