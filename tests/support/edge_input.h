/* Random edge columns for gpugraph_create: ids, edge ids and weights of every kind.
**
** An input is a list of edges between ids; an id is an INTEGER or one of the texts. An
** integer and an equal text ('7' and 7) are two ids. */
#ifndef TEST_EDGE_INPUT_H
#define TEST_EDGE_INPUT_H

#include "graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct input {
    uint64_t random;
    gpugraph_edges edges;
    int64_t *source, *target, *vertex, *edge_id;
    uint8_t *source_text, *target_text, *vertex_text;
    void *weight;
    uint64_t *text_offset;
    char *text_bytes;
} input;

enum integers { DENSE, GAPS, SPARSE, ENDS, WILD, ONE, INTEGER_KINDS };
enum texts { NO_TEXTS, DIGITS, BYTES, LONG_PREFIX, TEXT_KINDS };
enum edge_ids {
    PLAIN,
    ASCENDING,
    SHUFFLED,
    REPEATED,
    ALL_EQUAL,
    SHUFFLED_PLAIN,
    EDGE_ID_KINDS
};
enum weights { NO_WEIGHT, SMALL, ZERO, WIDE, HUGE_WEIGHT, REAL, WEIGHT_KINDS };

static uint64_t below(input *in, uint64_t limit) {
    return shape_random(&in->random) % limit;
}

static int64_t random_integer(input *in, enum integers kind, uint64_t spread) {
    uint64_t r = below(in, spread);
    switch (kind) {
    case DENSE:
        return (int64_t)r + 1;
    case GAPS:
        return (int64_t)r * 5 - 1000;
    case SPARSE:
        return (int64_t)(r * 1000003) - 12345678;
    case ENDS:
        return below(in, 2) ? INT64_MAX - (int64_t)r : INT64_MIN + (int64_t)r;
    case WILD:
        return (int64_t)(r * 0x9e3779b97f4a7c15u);
    default:
        return -77;
    }
}

static int compare_bytes(const char *a, uint64_t a_length, const char *b,
                         uint64_t b_length) {
    for (uint64_t i = 0; i < a_length && i < b_length; i++)
        if (a[i] != b[i])
            return (uint8_t)a[i] < (uint8_t)b[i] ? -1 : 1;
    return a_length < b_length ? -1 : a_length > b_length;
}

typedef struct text {
    char bytes[48];
    int length;
} text;

static int compare_texts(const void *a, const void *b) {
    const text *x = a, *y = b;
    return compare_bytes(x->bytes, (uint64_t)x->length, y->bytes, (uint64_t)y->length);
}

static text random_text(input *in, enum texts kind, uint64_t spread) {
    text t = {.length = 0};
    if (kind == DIGITS) {
        t.length =
            snprintf(t.bytes, sizeof t.bytes, "%lld", (long long)below(in, spread));
        return t;
    }
    if (kind == LONG_PREFIX)
        for (int common = (int)below(in, 3) * 9; t.length < common; t.length++)
            t.bytes[t.length] = "/straße/"[t.length % 9];
    static const char letters[] = {0, 0, 'a', 'b', (char)0xff, (char)0xc3};
    for (int more = (int)below(in, 19); more > 0; more--)
        t.bytes[t.length++] = letters[below(in, sizeof letters)];
    return t;
}

/* Makes up to `count` distinct random texts in random order. */
static void random_texts(input *in, enum texts kind, int64_t count) {
    text *list = calloc((size_t)count + 1, sizeof *list);
    int64_t distinct = 0;
    uint64_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        list[i] = random_text(in, kind, (uint64_t)count * 3);
    qsort(list, (size_t)count, sizeof *list, compare_texts);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || compare_texts(&list[i], &list[distinct - 1]) != 0)
            list[distinct++] = list[i];
    for (int64_t i = distinct - 1; i > 0; i--) {
        int64_t k = (int64_t)below(in, (uint64_t)i + 1);
        text swap = list[i];
        list[i] = list[k];
        list[k] = swap;
    }
    in->text_offset = calloc((size_t)distinct + 1, sizeof *in->text_offset);
    in->text_bytes = malloc((size_t)distinct * sizeof list->bytes + 1);
    for (int64_t i = 0; i < distinct; i++) {
        memcpy(in->text_bytes + bytes, list[i].bytes, (size_t)list[i].length);
        bytes += (uint64_t)list[i].length;
        in->text_offset[i + 1] = bytes;
    }
    free(list);
    in->edges.texts = (gpugraph_texts){
        .count = distinct, .offset = in->text_offset, .bytes = in->text_bytes};
}

static void random_column(input *in, enum integers integers, uint64_t spread,
                          int64_t count, int64_t **value, uint8_t **is_text) {
    *value = calloc((size_t)count + 1, sizeof **value);
    *is_text = calloc((size_t)count / 8 + 1, 1);
    for (int64_t i = 0; i < count; i++) {
        if (in->edges.texts.count && below(in, 3)) {
            (*is_text)[i / 8] |= (uint8_t)(1 << i % 8);
            /* Some texts of the list are not used. */
            uint64_t used = (uint64_t)in->edges.texts.count * 7 / 8 + 1;
            (*value)[i] = (int64_t)below(in, used);
        } else {
            (*value)[i] = random_integer(in, integers, spread);
        }
    }
}

static void random_edge_ids(input *in, enum edge_ids kind, int64_t m) {
    int64_t *edge_id = in->edge_id = calloc((size_t)m + 1, sizeof *edge_id);
    for (int64_t i = 0; i < m; i++) {
        if (kind == PLAIN || kind == SHUFFLED_PLAIN)
            edge_id[i] = i + 1;
        else if (kind == ASCENDING || kind == SHUFFLED)
            edge_id[i] = i == 0 ? INT64_MIN : i == m - 1 ? INT64_MAX : i * 3 - m;
        else
            edge_id[i] = kind == ALL_EQUAL ? 42 : (int64_t)below(in, (uint64_t)m / 3 + 1);
    }
    for (int64_t i = m - 1; i > 0 && (kind == SHUFFLED || kind == SHUFFLED_PLAIN); i--) {
        int64_t k = (int64_t)below(in, (uint64_t)i + 1), swap = edge_id[i];
        edge_id[i] = edge_id[k];
        edge_id[k] = swap;
    }
    in->edges.edge_id = edge_id;
}

static void random_weights(input *in, enum weights kind, int64_t m) {
    int64_t *integer = in->weight = calloc((size_t)m + 1, sizeof *integer);
    double *real = in->weight;
    for (int64_t i = 0; i < m; i++) {
        if (kind == REAL)
            real[i] = below(in, 5) ? (double)below(in, 1000) / 8 : -0.0;
        else if (kind == SMALL)
            integer[i] = (int64_t)below(in, 100);
        else if (kind == WIDE)
            integer[i] = (int64_t)(UINT32_MAX / 20 + below(in, 1000));
        else if (kind == HUGE_WEIGHT)
            integer[i] = (int64_t)(shape_random(&in->random) >> 1);
        else
            integer[i] = 0;
    }
    in->edges.weight = in->weight;
    in->edges.weight_type =
        kind == REAL ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
}

typedef struct recipe {
    enum integers integers;
    enum texts texts;
    enum edge_ids edge_ids;
    enum weights weights;
    int64_t m, extra;
    uint64_t spread; /* number of distinct integers, about */
} recipe;

static input make_input(recipe r, uint64_t seed) {
    input in = {.random = seed};
    if (r.texts != NO_TEXTS)
        random_texts(&in, r.texts, (int64_t)r.spread + 1);
    random_column(&in, r.integers, r.spread, r.m, &in.source, &in.source_text);
    random_column(&in, r.integers, r.spread, r.m, &in.target, &in.target_text);
    random_column(&in, r.integers, r.spread * 2, r.extra, &in.vertex, &in.vertex_text);
    bool texts = r.texts != NO_TEXTS;
    in.edges.count = r.m;
    in.edges.vertex_count = r.extra;
    in.edges.source = (gpugraph_id_column){in.source, texts ? in.source_text : NULL};
    in.edges.target = (gpugraph_id_column){in.target, texts ? in.target_text : NULL};
    in.edges.vertex = (gpugraph_id_column){in.vertex, texts ? in.vertex_text : NULL};
    if (r.edge_ids != PLAIN || below(&in, 2))
        random_edge_ids(&in, r.edge_ids, r.m);
    if (r.weights != NO_WEIGHT)
        random_weights(&in, r.weights, r.m);
    return in;
}

static void free_input(input *in) {
    void *blocks[] = {in->source,      in->target,      in->vertex, in->edge_id,
                      in->source_text, in->target_text, in->weight, in->vertex_text,
                      in->text_offset, in->text_bytes};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

#endif
