/* What the host asks of a device's copy of a graph. Empty where there is no nvcc. */
#ifndef GPUGRAPH_COPY_H
#define GPUGRAPH_COPY_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct copy_services {
    int64_t (*held)(const gpugraph_graph *graph); /* bytes */
    void (*release)(gpugraph_graph *graph);
    void (*rows_back)(gpugraph_graph *graph); /* gg_rows_back, where it is on a device */
};
extern const struct copy_services gg_copies;

#ifdef __cplusplus
}
#endif
#endif
