/* Sums of doubles in fixed point. Additions are exact, so a sum does not depend on the
** order of additions or on the threads that add.
**
**     127         96 95                                    0
**     | whole part  | 96 bits behind the point             |      unit 2^-96
**
** An addend of at most 1 is cut below 2^-96, which is one part in 7e19 of a rank above
** 1e-9. 2^31 addends fit. The sum is rounded once, to the nearest double, ties to even.
** This source is compiled for the host and for a device. */
#ifndef GPUGRAPH_FIXED_H
#define GPUGRAPH_FIXED_H

#include "base/words.h"

typedef unsigned __int128 gg_fixed;

enum { FIXED_BITS = 96, DOUBLE_BITS = 53, DOUBLE_BIAS = 1023 };

/* 2^exponent, a normal double. */
GG_ANYWHERE double gg_power_of_two(int exponent) {
    return gg_word_real((uint64_t)(exponent + DOUBLE_BIAS) << (DOUBLE_BITS - 1));
}

/* x is not negative and below 2^31. */
GG_ANYWHERE gg_fixed gg_fix(double x) {
    const uint64_t bits = gg_real_word(x), one = (uint64_t)1 << (DOUBLE_BITS - 1);
    const int exponent = (int)(bits >> (DOUBLE_BITS - 1));
    const uint64_t mantissa = (bits & (one - 1)) | (exponent ? one : 0);
    const int shift = exponent - DOUBLE_BIAS - (DOUBLE_BITS - 1) + FIXED_BITS;
    if (shift >= 0)
        return (gg_fixed)mantissa << shift;
    return shift > -64 ? mantissa >> -shift : 0;
}

GG_ANYWHERE int gg_leading_zeros(uint64_t x) {
#ifdef __CUDA_ARCH__
    return __clzll((long long)x);
#else
    return __builtin_clzll(x);
#endif
}

/* The nearest double. */
GG_ANYWHERE double gg_unfix(gg_fixed sum) {
    const uint64_t high = (uint64_t)(sum >> 64), low = (uint64_t)sum;
    if (sum == 0)
        return 0;
    const int length = high ? 128 - gg_leading_zeros(high) : 64 - gg_leading_zeros(low);
    int drop = length > DOUBLE_BITS ? length - DOUBLE_BITS : 0;
    uint64_t mantissa = (uint64_t)(sum >> drop);
    if (drop > 0) {
        const gg_fixed half = (gg_fixed)1 << (drop - 1);
        const gg_fixed rest = sum & (2 * half - 1);
        mantissa += rest > half || (rest == half && (mantissa & 1));
    }
    return (double)mantissa * gg_power_of_two(drop - FIXED_BITS);
}

#endif
