/* Numbers in SQLite's files: big-endian integers, and varints of up to 9 bytes. */
#ifndef GPUGRAPH_PAGE_BYTES_H
#define GPUGRAPH_PAGE_BYTES_H

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t get2(const uint8_t *p) {
    return (uint32_t)p[0] << 8 | p[1];
}

INLINE uint32_t get4(const uint8_t *p) {
    return get2(p) << 16 | get2(p + 2);
}

INLINE uint64_t get8(const uint8_t *p) {
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Reads a varint that must end before `end`. Returns its length, or 0. */
static inline int get_varint(const uint8_t *p, const uint8_t *end, uint64_t *value) {
    uint64_t x = 0;
    for (int i = 0; i < 8; i++) {
        if (end - p <= i)
            return 0;
        x = x << 7 | (p[i] & 0x7f);
        if (p[i] < 0x80) {
            *value = x;
            return i + 1;
        }
    }
    if (end - p <= 8)
        return 0;
    *value = x << 8 | p[8];
    return 9;
}

#endif
