/* The functions by which the host uses devices. In a build without nvcc there are no
** devices. */
#ifndef GPUGRAPH_SERVICES_H
#define GPUGRAPH_SERVICES_H

#include "base/limits.h"
#include "opening.h"
#include "turn.h"

GG_BEGIN_C

struct device_services {
    bool (*usable)(const char **why);
    bool (*at)(int ordinal, gpugraph_device *device);
    /* Returns whether a context is open on the device, or is being opened. *why (unless
    ** NULL): the reason of a failure, otherwise "". Does not ask the driver. */
    enum opening_state (*state)(int ordinal, const char **why);
    /* Begins to open a closed device in the background. Returns false if that is
    ** impossible. NULL if no device is ever closed. */
    bool (*begin)(int ordinal);
    /* Returns the opening, to wait for; NULL if the device does not exist. */
    struct opening *(*opening)(int ordinal);
    /* Opens the context of run->device unless it is open. */
    bool (*open)(gpugraph_graph *graph, gpugraph_run *run);
};
extern const struct device_services gg_devices;
/* Returns the services that the library uses; a test may replace them. */
static inline const struct device_services *gg_devices_asked(void) {
    return gg_limits.devices ? gg_limits.devices : &gg_devices;
}

/* Returns true for a failure of a device, after which another device or the CPU can
** search. */
static inline bool gg_is_of_a_device(gpugraph_status status) {
    return status == GPUGRAPH_DEVICE_MEMORY || status == GPUGRAPH_NO_DEVICE ||
           status == GPUGRAPH_DEVICE_FAILED;
}

/* Returns the number of devices that the run's search uses, and their ordinals,
** ascending, run->device among them; 0 on the CPU. (list.c) */
int gg_used_devices(const gpugraph_run *run, int ordinal[GG_MAX_DEVICES]);

/* Waits for run->device, which is being opened, at most `ms` milliseconds (negative: no
** limit). Phase "context". Returns true if the device is open. */
bool gg_await_device(gpugraph_run *run, double ms);

GG_END_C
#endif
