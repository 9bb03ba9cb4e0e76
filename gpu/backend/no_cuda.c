/* A build without nvcc: this file stands for every .cu, with nothing in it. No algorithm has a
** method there, so no search comes there. */
#include "algorithm.h"
#include "algorithms.h"
#include "device/services.h"
#include "dynamic/dynamic.h"
#include "dynamic/multigraph.h"
#include "graph/copy.h"
#include "ids/ids.h"
#include "update/patch.h"

static bool usable(const char **why) {
    if (why)
        *why = "this build of gpugraph has no CUDA backend (nvcc was not found when it "
               "was built)";
    return false;
}

static bool at(int ordinal, gpugraph_device *device) {
    (void)ordinal;
    (void)device;
    return false;
}

static bool is_open(void) {
    return false;
}

const struct device_services gg_devices = {
    .usable = usable,
    .at = at,
    .is_open = is_open,
};

const struct copy_services gg_copies = {0};
bool (*const gg_device_mapper)(struct id_mapper *) = NULL;
const struct patch_services gg_patches = {0};
const dynamic_place *const gg_cuda_dynamic = NULL;
const chain_place *const gg_cuda_chains = NULL;

#define NOTHING(name)                                                                    \
    extern const algorithm_side gg_##name##_cuda;                                        \
    const algorithm_side gg_##name##_cuda = {0};
GG_ALGORITHMS(NOTHING)
