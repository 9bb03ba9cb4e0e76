/* Bytes and nibbles that become numbers of four bytes or of one: every value, in any place of a line and of a slice,
** whatever way it takes. And numbers of four that become bytes. */
#include "base/run.h"

#include "expect.h"
#include "suite.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 80, ODD = 0x5a5a5a5a, KINDS = 4 };

/* Each width on either side. */
static struct gg_widening kind_of(int kind, int threads, bool past_caches) {
    return (struct gg_widening){.bits = kind % 2 ? 4 : 8,
                                .size = kind < 2 ? 4 : 1,
                                .threads = threads,
                                .past_caches = past_caches};
}

/* Entry i of numbers of that size, GPUGRAPH_NONE where all bits are ones. */
static uint32_t number_at(const void *to, int size, int64_t i) {
    const uint8_t byte = ((const uint8_t *)to)[size == 1 ? i : 0];
    return size == 4           ? ((const uint32_t *)to)[i]
           : byte == UINT8_MAX ? GPUGRAPH_NONE
                               : byte;
}

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
static void widen(uint64_t count, struct gg_widening how, uint32_t shift) {
    const gpugraph_run run = {.threads = how.threads};
    const uint32_t none = (1u << how.bits) - 1;
    const uint64_t size = (uint64_t)how.size, bytes = (count + shift + AROUND) * size;
    uint8_t *line = aligned_alloc(64, bytes / 64 * 64 + 128);
    uint8_t *from = narrow(count, how.bits), *to = line + 64 + shift * size;
    memset(line, ODD & 0xff, bytes / 64 * 64 + 128);
    gg_widen(&run, to, from, count, &how);
    for (uint64_t i = 0; i < count; i++)
        expect_equal(number_at(to, how.size, (int64_t)i), value_at(i, how.bits) == none
                                                              ? GPUGRAPH_NONE
                                                              : value_at(i, how.bits));
    for (uint64_t i = 0; i < size; i++) {
        expect_equal(to[-1 - (int64_t)i], ODD & 0xff);
        expect_equal(to[count * size + i], ODD & 0xff);
    }
    free(line);
    free(from);
}

START_TEST(short_arrays) {
    for (uint64_t count = 0; count < 200; count++)
        for (uint32_t shift = 0; shift < 16; shift++)
            for (int past = 0; past < 2; past++)
                widen(count, kind_of(_i, 1, past), shift);
}
END_TEST

/* Lines of bytes begin at any of 64 places. */
START_TEST(every_place_of_a_line) {
    for (uint32_t shift = 0; shift < 64; shift++)
        widen(333, kind_of(_i, 1, true), shift);
}
END_TEST

/* Slices of several threads begin in the middle of a line, and of a byte. */
START_TEST(long_arrays) {
    for (int threads = 1; threads <= 5; threads++)
        for (uint32_t shift = 3; shift < 5; shift++)
            for (int past = 0; past < 2; past++)
                widen(200000 + 13 * (uint64_t)threads, kind_of(_i, threads, past), shift);
}
END_TEST

/* Every pair of nibbles. */
START_TEST(every_byte) {
    const gpugraph_run run = {.threads = 1};
    uint8_t from[256];
    uint32_t to[512];
    for (uint32_t byte = 0; byte < 256; byte++)
        from[byte] = (uint8_t)byte;
    for (int past = 0; past < 2; past++)
        for (int kind = 1; kind < KINDS; kind += 2) {
            const struct gg_widening how = kind_of(kind, 1, past);
            memset(to, 0, sizeof to);
            gg_widen(&run, to, from, 512, &how);
            for (uint32_t byte = 0; byte < 256; byte++) {
                const uint32_t low = byte % 16, high = byte / 16;
                expect_equal(number_at(to, how.size, 2 * byte),
                             low == 15 ? GPUGRAPH_NONE : low);
                expect_equal(number_at(to, how.size, 2 * byte + 1),
                             high == 15 ? GPUGRAPH_NONE : high);
            }
        }
}
END_TEST

/* ---- back ---- */

/* One number at a time is too large for a byte, or just not. */
START_TEST(numbers_become_bytes) {
    enum { MOST = 150000 };
    static const uint32_t large[] = {254, 255, 256, 510, 1u << 31, UINT32_MAX - 1};
    uint32_t *from = malloc(MOST * sizeof *from);
    uint8_t *to = malloc(MOST + 1);
    for (uint32_t i = 0; i < MOST; i++)
        from[i] = i % 256 == 255 ? UINT32_MAX : i % 256;
    for (int threads = 1; threads <= 5; threads += 2)
        for (uint64_t count = 0; count <= MOST; count += count < 70 ? 1 : 49971) {
            const gpugraph_run run = {.threads = threads};
            to[count] = 7;
            expect_equal(gg_narrow_to_bytes(&run, to, from, count), true);
            for (uint64_t i = 0; i < count; i++)
                expect_equal(to[i], i % 256);
            expect_equal(to[count], 7);
            for (int k = 0; k < 6 && count > 0; k++) {
                const uint64_t at = count * (uint64_t)k / 6;
                const uint32_t before = from[at];
                from[at] = large[k];
                expect_equal(gg_narrow_to_bytes(&run, to, from, count), k == 0);
                from[at] = before;
            }
        }
    free(from);
    free(to);
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

static void widen_in_pieces(uint64_t count, uint64_t entries, int kind, int threads,
                            int fails) {
    const gpugraph_run run = {.threads = threads};
    const struct gg_widening how = kind_of(kind, threads, entries % 3 == 0);
    const uint32_t none = (1u << how.bits) - 1;
    const uint64_t in_a_byte = 8 / (uint64_t)how.bits, size = (uint64_t)how.size;
    uint8_t *sent = narrow(count, how.bits);
    uint8_t *to = malloc((count + 1) * size);
    struct sender s = {.sent = sent,
                       .bytes = (count + in_a_byte - 1) / in_a_byte,
                       .piece_bytes = entries / in_a_byte,
                       .caller = pthread_self(),
                       .fails = fails};
    struct gg_pieces pieces = {.entries = entries, .come = send_piece, .of = &s};
    for (int i = 0; i < GG_WIDEN_PIECES; i++)
        pieces.from[i] = s.place[i] = calloc(1, s.piece_bytes);
    to[count * size] = ODD & 0xff;
    const bool whole = gg_widen_pieces(&run, to, count, &pieces, &how);
    expect_equal(whole, (uint64_t)fails * entries >= count);
    for (uint64_t i = 0; i < count && whole; i++)
        expect_equal(number_at(to, how.size, (int64_t)i), value_at(i, how.bits) == none
                                                              ? GPUGRAPH_NONE
                                                              : value_at(i, how.bits));
    expect_equal(to[count * size], ODD & 0xff);
    for (int i = 0; i < GG_WIDEN_PIECES; i++)
        free(s.place[i]);
    free(to);
    free(sent);
}

START_TEST(arrays_in_pieces) {
    static const uint64_t entries[] = {2, 18, 32768, 65536, 65538, 98304};
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
        for (int threads = 1; threads <= 5; threads += 2)
            for (uint64_t pieces = 1; pieces <= GG_WIDEN_PIECES; pieces++) {
                const uint64_t most = pieces * entries[k];
                widen_in_pieces(most, entries[k], _i, threads, GG_WIDEN_PIECES);
                widen_in_pieces(most - 1, entries[k], _i, threads, GG_WIDEN_PIECES);
                widen_in_pieces(most - entries[k] + 1, entries[k], _i, threads,
                                GG_WIDEN_PIECES);
            }
    widen_in_pieces(0, 2, _i, 2, GG_WIDEN_PIECES);
}
END_TEST

/* All come back, whoever waits for it. */
START_TEST(a_piece_that_never_comes) {
    for (int fails = 0; fails < GG_WIDEN_PIECES; fails++)
        for (int threads = 1; threads <= 5; threads++)
            for (int kind = 0; kind < KINDS; kind++)
                widen_in_pieces((uint64_t)GG_WIDEN_PIECES * 98304 - 5, 98304, kind,
                                threads, fails);
}
END_TEST

const struct suite suite = {
    "widen",
    {{"widen", .timeout = 60,
      .cases = {{&short_arrays, KINDS},
                {&every_place_of_a_line, KINDS},
                {&long_arrays, KINDS},
                {&every_byte},
                {&numbers_become_bytes},
                {&arrays_in_pieces, KINDS},
                {&a_piece_that_never_comes}}}},
};
