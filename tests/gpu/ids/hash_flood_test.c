/* Ids that collide. Fixed hashes can be inverted, so this test computes colliding ids;
** tables use other hashes, with secret seeds. Counts probes beyond the first, not
** time. */
/* ctest: wrap=memcmp */
#include "ids/ids.h"
#include "base/distinct.h"
#include "expect.h"
#include "gpugraph_dynamic.h"
#include "sssp/found.h"
#include "suite.h"

#include <string.h>

enum { IDS = 4000, ALIKE_BITS = 20 };

/* A half-full table with random slots needs half a probe more for an id. */
#define MOST_LOOKS (4 * (uint64_t)IDS)

/* ---- chosen ids ---- */

static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

/* gg_fixed_hash(unmix(y)) is y. */
static uint64_t unmix(uint64_t y) {
    const uint64_t back = inverse(0xd6e8feb86659fd93u);
    y ^= y >> 32;
    y *= back;
    y ^= y >> 32;
    y *= back;
    return y ^ y >> 32;
}

/* The lowest and the highest bits of the fixed hash are 0. */
static int64_t chosen_integer(uint64_t k) {
    const uint64_t id = unmix((k + 1) << ALIKE_BITS);
    expect(gg_fixed_hash(id) << (64 - ALIKE_BITS) == 0, "%llu", (unsigned long long)k);
    return (int64_t)id;
}

enum { TEXT = 16 };

/* Texts of 16 bytes, all with one fixed hash. */
static void choose_text(uint64_t k, char text[TEXT]) {
    const uint64_t round = 0x9e3779b97f4a7c15u, first = k + 1, seed = 0;
    const uint64_t before =
        gg_fixed_hash(gg_fixed_hash(~seed ^ gg_fixed_hash(TEXT)) ^ first) + round;
    const uint64_t second = before ^ unmix(12345 - round);
    memcpy(text, &first, 8);
    memcpy(text + 8, &second, 8);
    static uint64_t of_first;
    const uint64_t hash = gg_fixed_hash_text(text, TEXT, 0);
    of_first = k == 0 ? hash : of_first;
    expect(hash == of_first, "%llu", (unsigned long long)k);
}

static uint64_t looks_from(uint64_t home, uint64_t at, uint64_t slots) {
    return (at - home) & (slots - 1);
}

/* ---- tables ---- */

START_TEST(distinct_values) {
    gpugraph_run run = {0};
    struct gg_distinct d = {0};
    uint64_t looks = 0;
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t k = 0; k < IDS; k++)
            expect(gg_distinct_add(&d, &run, (uint64_t)chosen_integer(k)) == k, "%llu",
                   (unsigned long long)k);
    for (uint64_t at = 0; at < 2 * d.room; at++)
        if (d.slot[at])
            looks += looks_from(gg_place_integer(d.placing, d.value[d.slot[at] - 1]), at,
                                2 * d.room);
    ck_assert_uint_eq(d.count, IDS);
    expect(looks < MOST_LOOKS, "%llu looks", (unsigned long long)looks);
    gg_distinct_free(&d);
}
END_TEST

/* The numbers k / 2654435769 of 2^32 once had slots in a row. */
START_TEST(numbers_of_vertices) {
    gpugraph_run run = {0};
    struct found f;
    uint64_t looks = 0;
    const uint32_t back = (uint32_t)inverse(0x9e3779b1u);
    gg_found_begin(&f, &run, IDS);
    for (uint32_t k = 0; k < IDS; k++)
        gg_found_add(&f, k * back, 0);
    ck_assert_uint_eq(f.count, IDS);
    for (uint64_t at = 0; at < f.places; at++)
        if (f.table[at]) {
            const uint32_t vertex = (uint32_t)(f.table[at] >> 32);
            looks +=
                looks_from(gg_place_number(f.odd, vertex) * f.places >> 32, at, f.places);
        }
    expect(looks < MOST_LOOKS, "%llu looks", (unsigned long long)looks);
    gg_found_end(&f);
}
END_TEST

/* Ids and numbers at regular distances, with many seeds: a table that is half full needs
** few probes. The seeds are fixed, so the outcome is, too. */
START_TEST(regular_distances) {
    enum { SEEDS = 300, PLACE_BITS = 13, PLACES = 1 << PLACE_BITS };
    static const uint64_t distances[] = {
        1, 3, 1000, 65537, 1 << 20, 1000000007, UINT64_C(1) << 32};
    const uint64_t distance = distances[_i];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct gg_placing p = {gg_fixed_hash(3 * seed + 1),
                                     gg_fixed_hash(3 * seed + 2) | 1};
        static bool taken[3][PLACES];
        uint64_t looks = 0;
        memset(taken, 0, sizeof taken);
        for (uint64_t k = 0; k < PLACES / 2; k++) {
            const uint64_t id = (seed << 40) + k * distance;
            const uint64_t homes[] = {
                gg_place_integer(p, id), gg_place_integer(p, id) >> (64 - PLACE_BITS),
                gg_place_number((uint32_t)p.odd, (uint32_t)id) >> (32 - PLACE_BITS)};
            const int families = (uint32_t)distance == 0 ? 2 : 3;
            for (int family = 0; family < families; family++) {
                uint64_t at = homes[family];
                while (taken[family][at & (PLACES - 1)])
                    at++;
                taken[family][at & (PLACES - 1)] = true;
                looks += at - homes[family];
            }
        }
        expect(looks < 3 * MOST_LOOKS, "seed %llu, distance %llu: %llu looks",
               (unsigned long long)seed, (unsigned long long)distance,
               (unsigned long long)looks);
    }
}
END_TEST

/* ---- texts of a graph ---- */

static uint64_t comparisons;

int __real_memcmp(const void *a, const void *b, size_t count);

int __wrap_memcmp(const void *a, const void *b, size_t count) {
    comparisons += count == TEXT;
    return __real_memcmp(a, b, count);
}

START_TEST(texts_of_a_graph) {
    static char bytes[IDS][TEXT];
    static uint64_t offset[IDS + 1];
    static int64_t number[IDS];
    static uint8_t is_text[IDS / 8];
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    for (uint64_t k = 0; k < IDS; k++) {
        choose_text(k, bytes[k]);
        offset[k + 1] = (k + 1) * TEXT;
        number[k] = (int64_t)k;
    }
    memset(is_text, 0xff, sizeof is_text);
    const gpugraph_id_column column = {number, is_text, NULL};
    const gpugraph_edges edges = {.count = IDS,
                                  .source = column,
                                  .target = column,
                                  .texts = {IDS, offset, bytes[0]}};
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    for (int turn = 0; turn < 2; turn++) { /* the first turn makes the index */
        comparisons = 0;
        for (uint64_t k = 0; k < IDS; k++)
            ck_assert_uint_ne(gpugraph_find_text(graph, bytes[k], TEXT), GPUGRAPH_NONE);
    }
    ck_assert_uint_gt(gg_text_index_bytes(graph), 0);
    expect(comparisons >= IDS && comparisons < 2 * IDS, "%llu comparisons",
           (unsigned long long)comparisons);
    gpugraph_free(graph);
}
END_TEST

/* ---- slab tables ---- */

static uint32_t slab_unmix(uint32_t y) {
    y ^= y >> 16;
    y *= (uint32_t)inverse(0x846ca68bu);
    y ^= y >> 15 ^ y >> 30;
    y *= (uint32_t)inverse(0x7feb352du);
    return y ^ y >> 16;
}

/* Bytes of a graph with one row of chosen targets, or every second number. */
static int64_t bytes_of_row(bool chosen) {
    enum { VERTICES = 1 << 22, ROW = 2000 };
    static uint32_t source[ROW], target[ROW];
    const gpugraph_dynamic_options options = {.vertices = VERTICES};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_dynamic *graph;
    uint32_t count = 0;
    for (uint32_t k = 0; count < ROW; k++) {
        const uint32_t t = chosen ? slab_unmix(k) : 2 * k;
        if (t < VERTICES)
            target[count++] = t;
    }
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &graph), GPUGRAPH_OK);
    for (uint32_t i = 0; i < ROW; i += ROW / 4)
        ck_assert_int_eq(
            gpugraph_dynamic_insert(graph, ROW / 4, source, target + i, NULL, &run, NULL),
            GPUGRAPH_OK);
    const int64_t bytes = gpugraph_dynamic_bytes(graph);
    gpugraph_dynamic_free(graph);
    return bytes;
}

START_TEST(targets_of_a_row) {
    const int64_t chosen = bytes_of_row(true), others = bytes_of_row(false);
    expect(chosen < others + 4000, "%lld and %lld bytes", (long long)chosen,
           (long long)others);
}
END_TEST

const struct suite suite = {
    "hash_flood",
    {{"all", .cases = {{&distinct_values},
                       {&numbers_of_vertices},
                       {&regular_distances, 7},
                       {&texts_of_a_graph},
                       {&targets_of_a_row}}}},
};
