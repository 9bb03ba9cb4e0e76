/* The CUDA backend of a build without nvcc: there, but never usable. It has no methods, so
** no search comes here. */
#include "backend.h"
#include "dynamic/dynamic.h"
#include "dynamic/multigraph.h"

static bool usable(const char **why) {
    if (why)
        *why = "this build of gpugraph has no CUDA backend (nvcc was not found when it "
               "was built)";
    return false;
}

static bool device_at(int i, gpugraph_device *device) {
    (void)i;
    (void)device;
    return false;
}

static int64_t held(const gpugraph_graph *graph) {
    (void)graph;
    return 0;
}

static void release(gpugraph_graph *graph) {
    (void)graph;
}

static bool context_open(void) {
    return false;
}

static int64_t needs(const gpugraph_graph *graph, const char *function, bool frugal) {
    (void)frugal;
    (void)graph;
    (void)function;
    return 0;
}

static const gpugraph_method methods[] = {{0}};

const backend gg_cuda_backend = {
    .name = "cuda",
    .methods = methods,
    .usable = usable,
    .device_at = device_at,
    .held = held,
    .release = release,
    .context_open = context_open,
    .needs = needs,
};

const dynamic_place *const gg_cuda_dynamic = NULL;
const chain_place *const gg_cuda_chains = NULL;
