/* Bytes and nibbles that become numbers of four: every value, in any place of a line and of a slice, whatever way
** it takes. */
#include "base/run.h"

#include "expect.h"
#include "suite.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 40, ODD = 0x5a5a5a5a };

static uint32_t value_at(uint64_t i, int bits) {
    return (uint32_t)(i * 37 + i / 256 + i / 7) % (1u << bits);
}

/* No entry behind the last has a place there, and the half of a byte that is left over says none. */
static uint8_t *narrow(uint64_t count, int bits) {
    const uint64_t in_a_byte = 8 / (uint64_t)bits;
    const uint64_t size = (count + in_a_byte - 1) / in_a_byte;
    uint8_t *from = malloc(size + (size == 0));
    memset(from, 0xff, size);
    for (uint64_t i = 0; i < count; i++) {
        const unsigned up = (unsigned)(i % in_a_byte) * (unsigned)bits;
        const unsigned hole = ((1u << bits) - 1) << up;
        from[i / in_a_byte] =
            (uint8_t)((from[i / in_a_byte] & ~hole) | value_at(i, bits) << up);
    }
    return from;
}

/* `shift` entries behind the beginning of a line, with entries before and behind that stay. */
static void widen(uint64_t count, int bits, uint32_t shift, int threads,
                  bool past_caches) {
    const gpugraph_run run = {.threads = threads};
    const uint32_t none = (1u << bits) - 1;
    uint32_t *line = aligned_alloc(64, (count + shift + AROUND + 15) / 16 * 64 + 64);
    uint8_t *from = narrow(count, bits);
    uint32_t *to = line + 16 + shift;
    for (uint64_t i = 0; i < 16 + shift + count + 1; i++)
        line[i] = ODD;
    gg_widen(&run, to, from, count, bits, threads, past_caches);
    for (uint64_t i = 0; i < count; i++)
        expect_equal(to[i], value_at(i, bits) == none ? UINT32_MAX : value_at(i, bits));
    expect_equal(to[-1], ODD);
    expect_equal(to[count], ODD);
    free(line);
    free(from);
}

START_TEST(short_arrays) {
    const int bits = _i == 0 ? 8 : 4;
    for (uint64_t count = 0; count < 100; count++)
        for (uint32_t shift = 0; shift < 16; shift++)
            for (int past = 0; past < 2; past++)
                widen(count, bits, shift, 1, past);
}
END_TEST

/* Slices of several threads begin in the middle of a line, and of a byte. */
START_TEST(long_arrays) {
    const int bits = _i == 0 ? 8 : 4;
    for (int threads = 1; threads <= 5; threads++)
        for (uint32_t shift = 3; shift < 5; shift++)
            for (int past = 0; past < 2; past++)
                widen(200000 + 13 * (uint64_t)threads, bits, shift, threads, past);
}
END_TEST

/* Every pair of nibbles. */
START_TEST(every_byte) {
    const gpugraph_run run = {.threads = 1};
    uint8_t from[256];
    uint32_t to[512];
    for (uint32_t byte = 0; byte < 256; byte++)
        from[byte] = (uint8_t)byte;
    for (int past = 0; past < 2; past++) {
        memset(to, 0, sizeof to);
        gg_widen(&run, to, from, 512, 4, 1, past);
        for (uint32_t byte = 0; byte < 256; byte++) {
            expect_equal(to[2 * byte], byte % 16 == 15 ? UINT32_MAX : byte % 16);
            expect_equal(to[2 * byte + 1], byte / 16 == 15 ? UINT32_MAX : byte / 16);
        }
    }
}
END_TEST

/* ---- in pieces ---- */

enum { MOST_LOOKS = 3 };

struct sender {
    const uint8_t *sent;
    uint8_t *place[GG_WIDEN_PIECES];
    uint64_t bytes, piece_bytes;
    pthread_t caller;
    int come, looks, fails; /* fails: the piece that never comes */
};

/* A piece is nothing but nonsense until it has been looked for some times, or waited for. */
static bool send_piece(void *of, int piece, bool wait) {
    struct sender *s = of;
    expect_equal(pthread_equal(pthread_self(), s->caller) != 0, 1);
    expect_equal(piece, s->come);
    if (piece == s->fails || (!wait && s->looks++ < piece % MOST_LOOKS))
        return false;
    const uint64_t at = (uint64_t)piece * s->piece_bytes, left = s->bytes - at;
    memcpy(s->place[piece], s->sent + at, left < s->piece_bytes ? left : s->piece_bytes);
    s->come++;
    s->looks = 0;
    return true;
}

static void widen_in_pieces(uint64_t count, uint64_t entries, int bits, int threads,
                            int fails) {
    const gpugraph_run run = {.threads = threads};
    const uint32_t none = (1u << bits) - 1;
    const uint64_t in_a_byte = 8 / (uint64_t)bits;
    uint8_t *sent = narrow(count, bits);
    uint32_t *to = malloc((count + 1) * sizeof *to);
    struct sender s = {.sent = sent,
                       .bytes = (count + in_a_byte - 1) / in_a_byte,
                       .piece_bytes = entries / in_a_byte,
                       .caller = pthread_self(),
                       .fails = fails};
    struct gg_pieces pieces = {.entries = entries, .come = send_piece, .of = &s};
    for (int i = 0; i < GG_WIDEN_PIECES; i++)
        pieces.from[i] = s.place[i] = calloc(1, s.piece_bytes);
    to[count] = ODD;
    const bool whole =
        gg_widen_pieces(&run, to, count, &pieces, bits, threads, entries % 3 == 0);
    expect_equal(whole, (uint64_t)fails * entries >= count);
    for (uint64_t i = 0; i < count && whole; i++)
        expect_equal(to[i], value_at(i, bits) == none ? UINT32_MAX : value_at(i, bits));
    expect_equal(to[count], ODD);
    for (int i = 0; i < GG_WIDEN_PIECES; i++)
        free(s.place[i]);
    free(to);
    free(sent);
}

START_TEST(arrays_in_pieces) {
    static const uint64_t entries[] = {2, 18, 32768, 65536, 65538, 98304};
    const int bits = _i == 0 ? 8 : 4;
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
        for (int threads = 1; threads <= 5; threads += 2)
            for (uint64_t pieces = 1; pieces <= GG_WIDEN_PIECES; pieces++) {
                const uint64_t most = pieces * entries[k];
                widen_in_pieces(most, entries[k], bits, threads, GG_WIDEN_PIECES);
                widen_in_pieces(most - 1, entries[k], bits, threads, GG_WIDEN_PIECES);
                widen_in_pieces(most - entries[k] + 1, entries[k], bits, threads,
                                GG_WIDEN_PIECES);
            }
    widen_in_pieces(0, 2, bits, 2, GG_WIDEN_PIECES);
}
END_TEST

/* All come back, whoever waits for it. */
START_TEST(a_piece_that_never_comes) {
    for (int fails = 0; fails < GG_WIDEN_PIECES; fails++)
        for (int threads = 1; threads <= 5; threads++)
            for (int bits = 4; bits <= 8; bits += 4)
                widen_in_pieces((uint64_t)GG_WIDEN_PIECES * 98304 - 5, 98304, bits,
                                threads, fails);
}
END_TEST

const struct suite suite = {
    "widen",
    {{"widen", .timeout = 60,
      .cases = {{&short_arrays, 2},
                {&long_arrays, 2},
                {&every_byte},
                {&arrays_in_pieces, 2},
                {&a_piece_that_never_comes}}}},
};
