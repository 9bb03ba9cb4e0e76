/* Arrays that several threads move: by few places and by many, against memmove; and graphs large
** enough for that, updated, against graphs that are made of the same edges. */
/* ctest: long */
#include "edge_model.h"
#include "update/splice.h"

#include "expect.h"
#include "share.h"
#include "suite.h"
#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

enum { ROOM = 10 << 20, MARGIN = 1 << 20 };

START_TEST(bytes) {
    static const size_t counts[] = {
        0, 1, 4096, 2 << 20, (2 << 20) + 1, (7 << 20) + 12345};
    static const long by[] = {0,      1,      4,       8,       -4,        -8,
                              -123,   4096,   -4096,   30000,   -30000,    40000,
                              -40000, 700001, -700001, 1 << 20, -(1 << 20)};
    uint8_t *is = malloc(ROOM), *should = malloc(ROOM), *pattern = malloc(ROOM);
    ck_assert(is && should && pattern);
    for (size_t i = 0; i < ROOM; i++)
        pattern[i] = (uint8_t)(i * 2654435761u >> 13 ^ i);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t b = 0; b < sizeof by / sizeof *by; b++) {
            if (b % 4 != c % 4 && left_out(b))
                continue;
            memcpy(is, pattern, ROOM);
            memcpy(should, pattern, ROOM);
            memmove(should + MARGIN + by[b], should + MARGIN, counts[c]);
            gg_shift(1 + _i, is + MARGIN + by[b], is + MARGIN, counts[c]);
            expect(memcmp(is, should, ROOM) == 0, "%zu bytes by %ld, %d threads",
                   counts[c], by[b], 1 + _i);
        }
    free(is);
    free(should);
    free(pattern);
}
END_TEST

/* ---- graphs ---- */

enum { EDGES = 900000, VERTICES = 700000, FEW = 3 };

typedef struct row {
    int64_t id, source, target, weight;
} row;

static gpugraph_graph *graph_of(const row *rows, int64_t count) {
    int64_t *column[4];
    gpugraph_run run = {.threads = 3};
    gpugraph_graph *graph;
    for (int k = 0; k < 4; k++) {
        column[k] = malloc((size_t)count * sizeof **column);
        ck_assert_ptr_nonnull(column[k]);
    }
    for (int64_t i = 0; i < count; i++) {
        column[0][i] = rows[i].id;
        column[1][i] = rows[i].source;
        column[2][i] = rows[i].target;
        column[3][i] = rows[i].weight;
    }
    const gpugraph_edges edges = {.count = count,
                                  .source = {column[1], NULL},
                                  .target = {column[2], NULL},
                                  .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                                  .weight = column[3],
                                  .edge_id = column[0]};
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    for (int k = 0; k < 4; k++)
        free(column[k]);
    return graph;
}

/* Ends of every vertex's are there twice at least, so that none but the last vanishes. */
static row row_at(int64_t i) {
    return (row){i + 1, i % VERTICES * 2, (i * 7 + 3) % VERTICES * 2, i % 100};
}

/* What one update takes out and puts in, of rows that are 1 .. EDGES before it. */
typedef struct story {
    int64_t removed[FEW], removed_count;
    row added[FEW];
    int64_t added_count;
} story;

static const story stories[] = {
    {{5}, 1, {{0, 0, 0, 0}}, 0},                          /* ids are given from then on */
    {{2, 400001, 899999}, 3, {{0, 0, 0, 0}}, 0},          /* several */
    {{0}, 0, {{EDGES + 1, 4, 8, 7}}, 1},                  /* at the end */
    {{0}, 0, {{EDGES + 1, 5, 8, 7}}, 1},                  /* a vertex between others */
    {{300000}, 1, {{300000, 5, 2 * VERTICES + 4, 9}}, 1}, /* moved, to others */
    {{300000}, 1, {{300000, 10, 20, (int64_t)1 << 40}}, 1}, /* weights become wider */
    {{EDGES}, 1, {{EDGES, -7, 20, 1}, {EDGES + 9, 1, -9, 2}}, 2},
};

static bool is_among(const story *s, int64_t id) {
    bool found = false;
    for (int64_t i = 0; i < s->removed_count; i++)
        found |= s->removed[i] == id;
    return found;
}

static int64_t after(const story *s, row *rows) {
    int64_t count = 0, k = 0;
    for (int64_t id = 1; id <= EDGES || k < s->added_count; id++) {
        if (id <= EDGES && !is_among(s, id))
            rows[count++] = row_at(id - 1);
        if (k < s->added_count && s->added[k].id == id)
            rows[count++] = s->added[k++];
    }
    return count;
}

START_TEST(graphs) {
    const story *s = &stories[_i];
    row *rows = malloc((EDGES + FEW) * sizeof *rows);
    int64_t id[FEW], source[FEW], target[FEW], weight[FEW];
    gpugraph_run run = {.threads = 4};
    ck_assert_ptr_nonnull(rows);
    for (int64_t i = 0; i < EDGES; i++)
        rows[i] = row_at(i);
    gpugraph_graph *graph = graph_of(rows, EDGES);
    model_make_slots(graph, 0x7fff); /* all there is */
    for (int64_t i = 0; i < s->added_count; i++) {
        id[i] = s->added[i].id;
        source[i] = s->added[i].source;
        target[i] = s->added[i].target;
        weight[i] = s->added[i].weight;
    }
    const gpugraph_edges added = {.count = s->added_count,
                                  .source = {source, NULL},
                                  .target = {target, NULL},
                                  .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                                  .weight = weight,
                                  .edge_id = id};
    const gpugraph_changes changes = {.removed = s->removed,
                                      .removed_count = s->removed_count,
                                      .added = s->added_count ? &added : NULL};
    ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_OK);
    gpugraph_graph *wanted = graph_of(rows, after(s, rows));
    const char *differs = same_graph(graph, wanted);
    expect(!differs, "%s", differs);
    gpugraph_free(graph);
    gpugraph_free(wanted);
    free(rows);
}
END_TEST

const struct suite suite = {
    "shift",
    {{"all", .timeout = 240,
      .cases = {{&bytes, 4}, {&graphs, sizeof stories / sizeof *stories}}}},
};
