/* Bytes and nibbles that become numbers of four: every value, in any place of a line and of a slice, whatever way
** it takes. */
#include "base/run.h"

#include "expect.h"
#include "suite.h"
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

const struct suite suite = {
    "widen",
    {{"widen", .timeout = 60,
      .cases = {{&short_arrays, 2}, {&long_arrays, 2}, {&every_byte}}}},
};
