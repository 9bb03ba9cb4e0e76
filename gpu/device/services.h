/* What the host asks of the devices. Where there is no nvcc there are none. */
#ifndef GPUGRAPH_SERVICES_H
#define GPUGRAPH_SERVICES_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct device_services {
    bool (*usable)(const char **why);
    bool (*at)(int ordinal, gpugraph_device *device);
    bool (*is_open)(void); /* a context: opening one costs a good part of a second */
    /* Opens the context for run->device where it is not open. */
    bool (*open)(gpugraph_graph *graph, gpugraph_run *run);
};
extern const struct device_services gg_devices;

#ifdef __cplusplus
}
#endif
#endif
