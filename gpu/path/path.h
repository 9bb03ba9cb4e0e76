/* One path, on either side. */
#ifndef GPUGRAPH_PATH_H
#define GPUGRAPH_PATH_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct path_calls {
    gpugraph_status (*find)(gpugraph_graph *, const gpugraph_search *, bool weighted,
                            gpugraph_run *, void *edge, uint32_t *count);
};

extern const gg_algorithm gg_path;
extern const algorithm_side gg_path_cuda;

#ifdef __cplusplus
}
#endif
#endif
