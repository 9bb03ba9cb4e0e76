/* Bytes that become numbers of four: every value, in any place of a line and of a slice, whatever way
** it takes. */
#include "base/run.h"

#include "expect.h"
#include "suite.h"
#include <stdlib.h>

enum { AROUND = 40, ODD = 0x5a5a5a5a };

static uint8_t value_at(uint64_t i) {
    return (uint8_t)(i * 37 + i / 256);
}

/* `shift` entries behind the beginning of a line, with entries before and behind that stay. */
static void widen(uint64_t count, uint32_t shift, int threads, bool past_caches) {
    const gpugraph_run run = {.threads = threads};
    uint32_t *line = aligned_alloc(64, (count + shift + AROUND + 15) / 16 * 64 + 64);
    uint8_t *from = calloc(count + 1, 1);
    uint32_t *to = line + 16 + shift;
    for (uint64_t i = 0; i < count; i++)
        from[i] = value_at(i);
    for (uint64_t i = 0; i < 16 + shift + count + 1; i++)
        line[i] = ODD;
    gg_widen(&run, to, from, count, threads, past_caches);
    for (uint64_t i = 0; i < count; i++)
        expect_equal(to[i], value_at(i) == 255 ? UINT32_MAX : value_at(i));
    expect_equal(to[-1], ODD);
    expect_equal(to[count], ODD);
    free(line);
    free(from);
}

START_TEST(short_arrays) {
    for (uint64_t count = 0; count < 100; count++)
        for (uint32_t shift = 0; shift < 16; shift++)
            for (int past = 0; past < 2; past++)
                widen(count, shift, 1, past);
}
END_TEST

/* Slices of several threads begin in the middle of a line. */
START_TEST(long_arrays) {
    for (int threads = 1; threads <= 5; threads++)
        for (int past = 0; past < 2; past++)
            widen(200000 + 13 * (uint64_t)threads, 3, threads, past);
}
END_TEST

const struct suite suite = {
    "widen",
    {{"widen", .timeout = 60, .cases = {{&short_arrays}, {&long_arrays}}}},
};
