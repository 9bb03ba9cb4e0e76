/* Bytes converted to numbers of four bytes: every value, at every position of a cache
** line and of a slice, with and without bypassing the caches. */
#include "base/run.h"

#include "expect.h"
#include "suite.h"
#include <stdlib.h>
#include <string.h>

enum { AROUND = 80, ODD = 0x5a5a5a5a };

static uint32_t value_at(uint64_t i) {
    return (uint32_t)(i * 37 + i / 256 + i / 7) % 256;
}

/* Converts `shift` entries behind the beginning of a line; entries before and behind stay
** unchanged. */
static void widen(uint64_t count, int threads, bool past_caches, uint32_t shift) {
    const gpugraph_run run = {.threads = threads};
    const uint64_t entries = count + shift + AROUND;
    uint32_t *line = aligned_alloc(64, (entries * sizeof *line + 63) / 64 * 64);
    uint32_t *to = line + 16 + shift;
    uint8_t *from = calloc(count + 1, 1);
    for (uint64_t i = 0; i < entries; i++)
        line[i] = ODD;
    for (uint64_t i = 0; i < count; i++)
        from[i] = (uint8_t)value_at(i);
    gg_widen(&run, to, from, count, past_caches ? UINT64_MAX : 0);
    for (uint64_t i = 0; i < count; i++)
        expect_equal(to[i], value_at(i) == 255 ? GPUGRAPH_NONE : value_at(i));
    expect_equal(to[-1], ODD);
    expect_equal(to[count], ODD);
    free(line);
    free(from);
}

START_TEST(short_arrays) {
    for (uint64_t count = 0; count < 200; count++)
        for (uint32_t shift = 0; shift < 16; shift++)
            for (int past = 0; past < 2; past++)
                widen(count, 1, past, shift);
}
END_TEST

/* The slices of several threads begin in the middle of a line. */
START_TEST(long_arrays) {
    for (int threads = 1; threads <= 5; threads++)
        for (uint32_t shift = 3; shift < 5; shift++)
            for (int past = 0; past < 2; past++)
                widen(200000 + 13 * (uint64_t)threads, threads, past, shift);
}
END_TEST

const struct suite suite = {
    "widen",
    {{"widen", .timeout = 60, .cases = {{&short_arrays}, {&long_arrays}}}},
};
