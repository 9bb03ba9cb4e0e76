/* Replaces the .cu files in a build without CUDA (distributed/no_cuda.c: those of
** distributed/). It reports that no device is usable, and gives no algorithm a method for
** devices, so all searches run on the CPU. */
#include "algorithm.h"
#include "cells.h"
#include "device/services.h"
#include "dynamic/dynamic.h"
#include "dynamic/multigraph.h"
#include "graph/copy.h"
#include "ids/ids.h"
#include "update/patch.h"
#include "gpugraph_algorithms.h"

/* cmake/cuda.cmake defines the reason for the build without CUDA. */
#ifndef GPUGRAPH_NO_CUDA
#define GPUGRAPH_NO_CUDA "it was compiled without CMake, for the CPU alone"
#endif

static const char sentence[] =
    "this build of gpugraph has no CUDA backend (" GPUGRAPH_NO_CUDA ")";

static bool usable(const char **why) {
    if (why)
        *why = sentence;
    return false;
}

static bool at(int ordinal, gpugraph_device *device) {
    (void)ordinal, (void)device;
    return false;
}

static enum opening_state state(int ordinal, const char **why) {
    (void)ordinal;
    if (why)
        *why = sentence;
    return OPENING_FAILED;
}

static struct opening *opening(int ordinal) {
    (void)ordinal;
    return NULL;
}

const struct device_services gg_devices = {
    .usable = usable,
    .at = at,
    .state = state,
    .opening = opening,
};

const struct copy_services gg_copies = {0};

const gg_cell_place *gg_cells_for(const gpugraph_run *run) {
    (void)run;
    return NULL;
}

void (*const gg_device_mapper)(struct id_mapper *) = NULL;
const struct patch_services gg_patches = {0};
const dynamic_place *const gg_cuda_dynamic = NULL;
const chain_place *const gg_cuda_chains = NULL;

#define NOTHING(name)                                                                    \
    extern const algorithm_side gg_##name##_cuda;                                        \
    const algorithm_side gg_##name##_cuda = {0};
GG_ALGORITHMS(NOTHING)
