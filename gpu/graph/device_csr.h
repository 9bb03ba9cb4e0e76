/* Rows on a device, as kernels read them: the view that struct csr is on the host. */
#ifndef GPUGRAPH_DEVICE_CSR_H
#define GPUGRAPH_DEVICE_CSR_H

#include <stdint.h>

struct device_csr { /* meaning as struct csr */
    uint32_t n;
    uint64_t m;
    const uint64_t *begin, *end; /* of each row; NULL: there are none */
    const uint32_t *target;
    const void *weight;
};

/* Rows that follow one another: each ends where the next one begins. offset: n + 1 entries. */
static inline struct device_csr gg_packed_rows(uint32_t n, uint64_t m,
                                               const uint64_t *offset,
                                               const uint32_t *target,
                                               const void *weight) {
    return device_csr{n, m, offset, offset + 1, target, weight};
}

/* Does each row end where the next one begins? A change of the graph leaves slack. */
static inline bool gg_is_packed(const struct device_csr *rows) {
    return rows->end == rows->begin + 1;
}

#endif
