/* Bits of masters on their way to ghosts (partition/told.cuh), as they stand, on CPU threads (cuda_lanes.h), beside a walk
** over the places. */
#include "cuda_lanes.h"

#pragma GCC diagnostic ignored "-Wunused-function"
#include "distributed/partition/told.cuh"

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
}

static void run_kernel(const void *, void *) {
    abort();
}

enum { BLOCKS = 2 };

typedef std::vector<uint32_t> bits;

static bool is_set(const bits &b, uint64_t i) {
    return b[i / 32] >> i % 32 & 1;
}
static bits random_bits(uint64_t count, unsigned percent, uint64_t *seed) {
    bits b(count / 32 + 1);
    for (uint64_t i = 0; i < count; i++)
        if (shape_random(seed) % 100 < percent)
            b[i / 32] |= 1u << i % 32;
    return b;
}

/* Of each part the masters that are ghosts there, and what a part's device has of them. */
struct ghosts {
    std::vector<bits> is_ghost;
    bits told, first;
    std::vector<uint64_t> first_out; /* and the end */
};

static struct ghosts random_ghosts(uint32_t masters, uint32_t parts, uint64_t *seed) {
    struct ghosts g;
    const uint32_t words = (masters + 31) / 32;
    uint64_t out = 0;
    g.told.resize(words * parts);
    g.first.resize(words * parts, 0xdeadbeef); /* nobody asks where nothing is told */
    for (uint32_t q = 0; q < parts; q++) {
        uint32_t places = 0;
        g.is_ghost.push_back(random_bits(masters, q == 0 ? 0 : 100 / q, seed));
        g.first_out.push_back(out);
        for (uint32_t v = 0; v < masters; v++)
            if (is_set(g.is_ghost[q], v)) {
                if (g.told[q * words + v / 32] == 0)
                    g.first[q * words + v / 32] = places;
                g.told[q * words + v / 32] |= 1u << v % 32;
                places++;
            }
        out += (places + 31) / 32 * 32;
    }
    g.first_out.push_back(out);
    return g;
}

static bits tell(const struct ghosts &g, uint32_t masters, const bits &fresh) {
    bits out(g.first_out.back() / 32 + 1);
    const struct part_told t = {g.told.data(), g.first.data(), g.first_out.data(),
                                (masters + 31) / 32, (uint32_t)g.is_ghost.size()};
    run_grid(BLOCKS, GG_WARP, [&] {
        for (uint64_t i = gg_thread(); i < t.words; i += gg_threads_of_grid())
            part_tell(t, i, fresh[i], out.data());
    });
    return out;
}

static void check(uint32_t masters, unsigned percent, uint64_t seed) {
    const uint32_t parts = (uint32_t)(shape_random(&seed) % 4 + 1);
    const struct ghosts g = random_ghosts(masters, parts, &seed);
    const bits fresh = random_bits(masters, percent, &seed),
               out = tell(g, masters, fresh);
    for (uint32_t q = 0; q < parts; q++) {
        uint64_t place = g.first_out[q];
        for (uint32_t v = 0; v < masters; v++)
            if (is_set(g.is_ghost[q], v)) {
                expect(is_set(out, place) == is_set(fresh, v),
                       "%u masters, %u%%: master %u at part %u", masters, percent, v, q);
                place++;
            }
        for (; place < g.first_out[q + 1]; place++)
            expect(!is_set(out, place), "a bit behind the places of part %u", q);
    }
}

START_TEST(masters_to_places) {
    static const uint32_t masters[] = {1, 31, 32, 33, 64, 1000, 4099};
    static const unsigned percents[] = {0, 2, 50, 100};
    uint64_t seed = 7;
    for (uint32_t count : masters)
        for (unsigned percent : percents)
            for (int i = 0; i < 4; i++)
                check(count, percent, shape_random(&seed));
}
END_TEST

START_TEST(places_to_ghosts) {
    uint64_t seed = 11;
    for (uint32_t shift = 0; shift < 32; shift++)
        for (uint32_t count : {1u, 5u, 31u, 32u, 33u, 97u, 640u}) {
            const bits in = random_bits(count, 50, &seed);
            const uint32_t words = (count + 31) / 32;
            for (uint64_t i = 0; i < (count + shift + 31) / 32; i++)
                for (uint32_t bit = 0; bit < 32; bit++) {
                    const uint64_t local = i * 32 + bit;
                    const bool there = local >= shift && local - shift < count &&
                                       is_set(in, local - shift);
                    expect((part_word_of_ghosts(in.data(), i, words, shift) >> bit & 1) ==
                               (uint32_t)there,
                           "%u ghosts from bit %u on: local %u", count, shift,
                           (unsigned)local);
                }
        }
}
END_TEST

const struct suite suite = {
    .name = "told_lanes",
    .groups = {{.name = "told_lanes",
                .timeout = 60,
                .cases = {{&masters_to_places}, {&places_to_ghosts}}}},
};
