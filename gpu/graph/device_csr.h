/* Rows on a device, as kernels read them: the counterpart of struct csr on the host. */
#ifndef GPUGRAPH_DEVICE_CSR_H
#define GPUGRAPH_DEVICE_CSR_H

#include <stdint.h>

struct device_csr { /* fields as in struct csr */
    uint32_t n;
    uint64_t m;
    const uint64_t *begin, *end; /* of each row; NULL: no rows */
    const uint32_t *target;
    const void *weight;
};

/* Packed rows: each ends where the next one begins. offset: n + 1 entries. */
static inline struct device_csr gg_packed_rows(uint32_t n, uint64_t m,
                                               const uint64_t *offset,
                                               const uint32_t *target,
                                               const void *weight) {
    return device_csr{n, m, offset, offset + 1, target, weight};
}

/* True if each row ends where the next one begins. A change of the graph leaves slack. */
static inline bool gg_is_packed(const struct device_csr *rows) {
    return rows->end == rows->begin + 1;
}

#endif
