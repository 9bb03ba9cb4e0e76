/* Edge ids that are not the library's numbers: edge_names.h draws them. */
#include "edge_names.h"
#include <stdlib.h>
#include <string.h>

struct edge_names {
    int users;
    int64_t integers, texts;
    int64_t *integer; /* ascending */
    uint64_t *offset; /* of the texts, by their bytes; texts + 1 */
    char *bytes;
};

/* Items between two questions whether to stop. */
enum { PATIENCE = 1 << 18 };

static bool stops(connection *c, int64_t at) {
    return at % PATIENCE == 0 && connection_interrupted(c);
}

/* ---- sorting ---- */

typedef struct sorting {
    connection *c;
    /* < 0, 0, > 0: a comes before, is, comes after b */
    int (*compare)(const void *of, int64_t a, int64_t b);
    const void *of;
} sorting;

static void merge_edge_names(const sorting *s, const int64_t *from, int64_t *to,
                             int64_t low, int64_t middle, int64_t high) {
    for (int64_t a = low, b = middle, at = low; at < high; at++) {
        bool left = b == high || (a < middle && s->compare(s->of, from[a], from[b]) <= 0);
        to[at] = left ? from[a++] : from[b++];
    }
}

/* Merges runs of 1, 2, 4, ... items. */
static int sort_edge_names(const sorting *s, int64_t *item, int64_t count) {
    int64_t *from = item, *other = malloc((size_t)(count ? count : 1) * sizeof *other);
    int64_t *to = other, merged = 0;
    if (!other)
        return SQLITE_NOMEM;
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t low = 0; low < count; low += 2 * run) {
            int64_t middle = low + run < count ? low + run : count;
            int64_t high = middle + run < count ? middle + run : count;
            if (merged / PATIENCE != (merged + high - low) / PATIENCE &&
                connection_interrupted(s->c)) {
                free(other);
                return SQLITE_INTERRUPT;
            }
            merge_edge_names(s, from, to, low, middle, high);
            merged += high - low;
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != item)
        memcpy(item, from, (size_t)count * sizeof *item);
    free(other);
    return SQLITE_OK;
}

static int compare_integers(const void *of, int64_t a, int64_t b) {
    (void)of;
    return (a > b) - (a < b);
}

static int compare_texts(const void *of, int64_t a, int64_t b) {
    const intern *texts = of;
    const uint64_t *offset = texts->offset;
    uint64_t length = offset[a + 1] - offset[a], other = offset[b + 1] - offset[b];
    uint64_t common = length < other ? length : other;
    int order =
        common ? memcmp(texts->bytes + offset[a], texts->bytes + offset[b], common) : 0;
    return order ? order : (length > other) - (length < other);
}

/* ---- making ---- */

static bool has_text(const uint8_t *is_text, int64_t i) {
    return is_text[i / 8] >> i % 8 & 1;
}

static int list_integers_of_edge_names(connection *c, int64_t count, const int64_t *id,
                                       const uint8_t *is_text, edge_names *names) {
    const sorting by_value = {c, compare_integers, NULL};
    int64_t integers = 0, kept = 0;
    for (int64_t i = 0; i < count; i++)
        integers += !has_text(is_text, i);
    names->integer = malloc((size_t)(integers ? integers : 1) * sizeof *names->integer);
    if (!names->integer)
        return SQLITE_NOMEM;
    for (int64_t i = 0; i < count; i++)
        if (!has_text(is_text, i))
            names->integer[names->integers++] = id[i];
    int rc = sort_edge_names(&by_value, names->integer, integers);
    for (int64_t i = 0; i < integers; i++)
        if (kept == 0 || names->integer[i] != names->integer[kept - 1])
            names->integer[kept++] = names->integer[i];
    names->integers = kept;
    return rc;
}

/* place[t]: of text t among all. */
static int list_texts(connection *c, const intern *texts, edge_names *names,
                      int64_t *place) {
    const sorting by_bytes = {c, compare_texts, texts};
    const int64_t count = texts->count;
    int64_t *order = malloc((size_t)(count ? count : 1) * sizeof *order);
    names->texts = count;
    names->offset = malloc((size_t)(count + 1) * sizeof *names->offset);
    names->bytes = malloc(count && texts->offset[count] ? texts->offset[count] : 1);
    int rc = order && names->offset && names->bytes ? SQLITE_OK : SQLITE_NOMEM;
    for (int64_t t = 0; t < count && rc == SQLITE_OK; t++)
        order[t] = t;
    if (rc == SQLITE_OK)
        rc = sort_edge_names(&by_bytes, order, count);
    if (rc == SQLITE_OK)
        names->offset[0] = 0;
    for (int64_t i = 0; i < count && rc == SQLITE_OK; i++) {
        const uint64_t *from = &texts->offset[order[i]], at = names->offset[i];
        if (from[1] > from[0])
            memcpy(names->bytes + at, texts->bytes + from[0], from[1] - from[0]);
        names->offset[i + 1] = at + (from[1] - from[0]);
        place[order[i]] = i;
    }
    free(order);
    return rc;
}

/* Which of the integers it is. */
static int64_t find_integer(const edge_names *names, int64_t id) {
    int64_t low = 0, high = names->integers;
    while (low + 1 < high) {
        int64_t middle = (low + high) / 2;
        if (names->integer[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int number_edges_of_edge_names(connection *c, int64_t count, int64_t *id,
                                      const uint8_t *is_text, const edge_names *names,
                                      const int64_t *place) {
    for (int64_t i = 0; i < count; i++) {
        if (stops(c, i))
            return SQLITE_INTERRUPT;
        if (!has_text(is_text, i))
            id[i] = find_integer(names, id[i]);
        else if (id[i] == NO_EDGE_NAME)
            id[i] = names->integers + names->texts;
        else
            id[i] = names->integers + place[id[i]];
    }
    return SQLITE_OK;
}

edge_names *edge_names_none(void) {
    edge_names *names = sqlite3_malloc(sizeof *names);
    if (names)
        *names = (edge_names){.users = 1};
    return names;
}

int edge_names_make(connection *c, int64_t count, int64_t *id, const uint8_t *is_text,
                    const intern *texts, edge_names **made) {
    edge_names *names = edge_names_none();
    int64_t *place = malloc((size_t)(texts->count + 1) * sizeof *place);
    int rc = names && place ? SQLITE_OK : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = list_integers_of_edge_names(c, count, id, is_text, names);
    if (rc == SQLITE_OK)
        rc = list_texts(c, texts, names, place);
    if (rc == SQLITE_OK)
        rc = number_edges_of_edge_names(c, count, id, is_text, names, place);
    free(place);
    if (rc == SQLITE_OK)
        *made = names;
    else
        edge_names_free(names);
    return rc;
}

/* ---- looking up ---- */

void result_edge_name(sqlite3_context *context, const edge_names *names, int64_t id) {
    const int64_t t = id - names->integers;
    if (id < names->integers)
        sqlite3_result_int64(context, names->integer[id]);
    else if (t < names->texts)
        sqlite3_result_text64(context, names->bytes + names->offset[t],
                              names->offset[t + 1] - names->offset[t], SQLITE_TRANSIENT,
                              SQLITE_UTF8);
}

bool append_edge_name(sqlite3_str *to, const edge_names *names, int64_t id) {
    const int64_t t = id - names->integers;
    if (id < names->integers)
        sqlite3_str_appendf(to, "%lld", (sqlite3_int64)names->integer[id]);
    else if (t < names->texts)
        sqlite3_str_append(to, names->bytes + names->offset[t],
                           (int)(names->offset[t + 1] - names->offset[t]));
    return t < names->texts;
}

int64_t edge_names_bytes(const edge_names *names) {
    if (!names)
        return 0;
    uint64_t bytes = sizeof *names + (uint64_t)names->integers * sizeof *names->integer;
    if (names->offset)
        bytes += (uint64_t)(names->texts + 1) * sizeof *names->offset +
                 names->offset[names->texts];
    return (int64_t)bytes;
}

edge_names *edge_names_share(edge_names *names) {
    if (names)
        names->users++;
    return names;
}

void edge_names_free(edge_names *names) {
    if (!names || --names->users > 0)
        return;
    free(names->integer);
    free(names->offset);
    free(names->bytes);
    sqlite3_free(names);
}
