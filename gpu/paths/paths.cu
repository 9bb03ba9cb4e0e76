/* The shortest paths in order, on the device. The device searches from the target, which
** visits the whole graph. The host handles deviations, each of which visits few
** vertices. */
#include "paths.h"
#include "sssp/sssp.h"

static const gg_method methods[] = {
    {.is = {"paths", "deviations", "cuda",
            "a search from the target on the device, deviations on the CPU"}},
    {},
};

extern "C" const algorithm_side gg_paths_cuda = {
    .methods = methods,
    .bytes = gg_sssp_bytes,
};
