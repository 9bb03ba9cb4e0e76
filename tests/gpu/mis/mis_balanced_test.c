/* The balanced look of maximal independent sets (gpu/mis/balanced.h) on CPU threads. A
** thread is a warp with one lane; with TEST_WIDE_WARPS, a warp with 32 lanes. The set
** must equal that of the greedy pass. GPUGRAPH_SANITIZE=thread also checks memory
** orders. */
#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif

static void jitter(void);
#define WARP_JITTER() jitter()

#include <stdbool.h>
#include <stdint.h>

struct mis_graph {
    const uint64_t *offset;
    const uint32_t *target;
    uint32_t *word;
    const uint32_t *rank; /* of each vertex: its place in the order of the greedy pass */
    uint32_t first_share;
    uint32_t copies, *copy; /* another copy of words, or none */
    bool asks;
};
#define MIS_EARLIER(g, u, v)  ((g)->rank[u] < (g)->rank[v])
#define MIS_FIRST_SHARE(g)    ((g)->first_share)
#define MIS_ASKS_NOTES(g)     ((g)->asks)
#define MIS_COPIES(g)         ((g)->copies)
#define MIS_SEND(g, which, v) device_store(&(g)->copy[v], MIS_DROPPED)
#include "mis/balanced.h"
#include "mis/codes.h"

#include "as_warp.h"
#include "dfs_rows.h"
#include "suite.h"

#include <pthread.h>

enum { WARPS = 4 };

/* ---- graphs and orders ---- */

/* As make_seeded, both ways, without loops. */
static struct rows make_simple(enum shape shape, uint32_t n, uint64_t seed) {
    struct rows g = make_seeded(shape, n, true, seed);
    uint64_t kept = 0, at = 0;
    for (uint32_t v = 0; v < g.n; v++) {
        uint64_t end = g.offset[v + 1];
        for (; at < end; at++)
            if (g.target[at] != v)
                g.target[kept++] = g.target[at];
        g.offset[v + 1] = kept;
    }
    return g;
}

static uint32_t *random_ranks(uint32_t n, uint64_t *seed) {
    uint32_t *rank = need(n, sizeof *rank);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t other = random_below(seed, v + 1);
        rank[v] = rank[other];
        rank[other] = v;
    }
    return rank;
}

/* member[v]: whether a pass in the order of ranks takes v. */
static uint8_t *greedy(const struct rows *g, const uint32_t *rank) {
    uint8_t *member = need(g->n, 1), *near = need(g->n, 1);
    uint32_t *order = need(g->n, sizeof *order);
    for (uint32_t v = 0; v < g->n; v++)
        order[rank[v]] = v;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t v = order[i];
        if (near[v])
            continue;
        member[v] = 1;
        for (uint64_t arc = g->offset[v]; arc < g->offset[v + 1]; arc++)
            near[g->target[arc]] = 1;
    }
    free(near);
    free(order);
    return member;
}

/* ---- a search by threads ---- */

struct warp {
    pthread_t id;
    const struct rows *rows;
    struct mis_graph *g;
    uint32_t number;
    struct waiting *list;
    uint32_t passes;
    uint32_t notes[MIS_NOTES];
};

/* Works as the kernel: looks at its tiles, then at waiting vertices, until none
** waits. */
static void one_lane(void *argument) {
    struct warp *w = argument;
    uint32_t tiles = (w->rows->n + warp_width - 1) / warp_width;
    uint32_t count = 0, first_tiles = (tiles + WARPS - 1 - w->number) / WARPS, pass = 0;
    for (bool first = true; first || count > 0; first = false, pass++) {
        uint32_t kept = 0, rounds = first ? first_tiles : (count - 1) / warp_width + 1;
        for (uint32_t i = 0; i < rounds; i++) {
            uint32_t v = (w->number + i * WARPS) * warp_width + warp_lane();
            uint32_t at = i * warp_width + warp_lane();
            bool live = first ? v < w->rows->n : at < count;
            struct waiting waiting = {live ? v : 0, GPUGRAPH_NONE, 0};
            if (live && !first)
                waiting = w->list[at];
            bool waits =
                mis_look_balanced(w->g, live, first ? 3 : UINT64_MAX, &waiting, w->notes);
            uint32_t lanes = warp_ballot(waits);
            if (waits)
                w->list[kept + set_bits(lanes & ((1u << warp_lane()) - 1))] = waiting;
            kept += set_bits(lanes);
            warp_sync();
        }
        if (kept == count)
            warp_rest(5);
        count = kept;
    }
    if (warp_lane() == 0)
        w->passes = pass;
}

static void *one_warp(void *warp) {
    run_as_warp(one_lane, warp);
    return NULL;
}

/* Returns the passes of the warp that had most. */
static uint32_t run(const struct rows *rows, struct mis_graph *g) {
    struct warp warp[WARPS];
    uint32_t most = 0;
    for (uint32_t i = 0; i < WARPS; i++) {
        struct waiting *list = need(rows->n + warp_width, sizeof *list);
        warp[i] = (struct warp){.rows = rows, .g = g, .number = i, .list = list};
        ck_assert_int_eq(pthread_create(&warp[i].id, NULL, one_warp, &warp[i]), 0);
    }
    for (uint32_t i = 0; i < WARPS; i++) {
        pthread_join(warp[i].id, NULL);
        most = warp[i].passes > most ? warp[i].passes : most;
        free(warp[i].list);
    }
    return most;
}

/* ---- the cases ---- */

/* Equal words are frequent: `alike` ranks share one. Returns the number of passes. */
static uint32_t expect_greedy(const struct rows *rows, uint32_t *rank, uint32_t alike) {
    struct mis_graph g = {.offset = rows->offset, .target = rows->target, .rank = rank};
    g.word = need(rows->n, sizeof *g.word);
    g.copy = need(rows->n, sizeof *g.copy);
    g.first_share = alike % 2 ? 2 * warp_width : MIS_SHARE;
    g.copies = alike > 1;
    g.asks = alike % 3 == 0;
    for (uint32_t v = 0; v < rows->n; v++)
        g.word[v] = rank[v] / alike + 1;
    uint32_t passes = run(rows, &g);
    uint8_t *member = greedy(rows, rank);
    for (uint32_t v = 0; v < rows->n; v++)
        expect(g.word[v] == (member[v] ? MIS_JOINED : MIS_DROPPED), "vertex %u: %u", v,
               g.word[v]);
    for (uint32_t v = 0; v < rows->n; v++)
        expect(g.copy[v] == (g.copies && !member[v] ? MIS_DROPPED : 0),
               "vertex %u's copy: %u", v, g.copy[v]);
    free(g.copy);
    free(g.word);
    free(member);
    return passes;
}

/* Loop: shapes. */
START_TEST(is_the_greedy_set) {
    const uint32_t sizes[] = {1, 2, 33, 700, 2500}, alike[] = {1, 3, 100, 1u << 20};
    uint64_t seed = 11;
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        for (size_t tie = 0; tie < sizeof alike / sizeof *alike; tie++) {
            struct rows rows = make_simple((enum shape)_i, sizes[size], seed + tie);
            uint32_t *rank = random_ranks(rows.n, &seed);
            expect_greedy(&rows, rank, alike[tie]);
            free(rank);
            rows_free(&rows);
        }
    }
}
END_TEST

/* Each vertex of a path waits for the one before it: the longest possible chain, also of
** passes if a warp with one lane looks at its part backwards. */
START_TEST(a_chain_waits) {
    struct rows rows = make_simple(PATH, 999, 1);
    uint32_t *rank = need(rows.n, sizeof *rank);
    for (uint32_t v = 0; v < rows.n; v++)
        rank[v] = rows.n - 1 - v;
    ck_assert_uint_gt(expect_greedy(&rows, rank, 1), 1);
    free(rank);
    rows_free(&rows);
}
END_TEST

/* The centre of a star is first and drops all other vertices, or is last and waits for
** all of them. */
START_TEST(hubs) {
    for (int first = 0; first < 2; first++) {
        struct rows rows = make_simple(STAR, 5000, 1);
        uint32_t *rank = need(rows.n, sizeof *rank);
        for (uint32_t v = 0; v < rows.n; v++)
            rank[v] = first ? v : (v + rows.n - 1) % rows.n;
        expect_greedy(&rows, rank, 2);
        free(rank);
        rows_free(&rows);
    }
}
END_TEST

static uint8_t edges[MIS_BINS + 1];

/* Samples with few bins, with all bins, with none. */
static void draw_edges(unsigned how, uint64_t *seed) {
    uint32_t count[MIS_BINS], all = 0, before = 0;
    for (uint32_t bin = 0; bin < MIS_BINS; bin++) {
        bool there = how > 0 && (how == 1 || random_below(seed, how) == 0);
        count[bin] = there ? random_below(seed, 20) : 0;
        all += count[bin];
    }
    for (uint32_t bin = 0; bin < MIS_BINS; before += count[bin++])
        edges[bin] = mis_edge(before, all);
    edges[MIS_BINS] = MIS_CODES;
}

/* The value that a kernel loads. */
static uint32_t loaded(uint32_t code) {
    return (uint32_t)(int32_t)(int8_t)code;
}

/* Codes are those of open vertices. The smaller of two words never has the larger
** code, as loaded. */
START_TEST(codes_keep_the_order) {
    uint64_t seed = 3;
    ck_assert_uint_eq(loaded(0), MIS_JOINED);
    ck_assert_uint_eq(loaded(255), MIS_DROPPED);
    for (unsigned how = 0; how < 40; how++) {
        uint32_t last = 0, different = 0;
        draw_edges(how, &seed);
        for (uint64_t word = 1; word < MIS_DROPPED;
             word += 1 + random_below(&seed, 1u << 16)) {
            uint32_t code = loaded(mis_code(edges, (uint32_t)word));
            expect(code > MIS_JOINED && code < MIS_DROPPED && code >= last,
                   "%u: word %u has %u behind %u", how, (uint32_t)word, code, last);
            different += code != last;
            last = code;
        }
        expect(mis_code(edges, MIS_DROPPED - 1) <= MIS_CODES, "%u: the last word", how);
        expect(how != 1 || different > MIS_CODES / 2, "%u: %u codes", how, different);
    }
}
END_TEST

const struct suite suite = {
    "mis_balanced",
    {{"mis_balanced", .timeout = 240, /* a hang ends here */
      .cases = {{&is_the_greedy_set, SHAPES},
                {&a_chain_waits},
                {&hubs},
                {&codes_keep_the_order}}}},
};
