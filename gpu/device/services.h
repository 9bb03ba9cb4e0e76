/* What the host asks of the devices. Where there is no nvcc there are none. */
#ifndef GPUGRAPH_SERVICES_H
#define GPUGRAPH_SERVICES_H

#include "base/limits.h"
#include "opening.h"
#include "turn.h"

#ifdef __cplusplus
extern "C" {
#endif

struct device_services {
    bool (*usable)(const char **why);
    bool (*at)(int ordinal, gpugraph_device *device);
    /* Is a context open there, or about to be? *why (unless NULL): a sentence where it cannot be,
    ** else "". Nobody asks the driver for that. */
    enum opening_state (*state)(int ordinal, const char **why);
    /* Begins to open it in the background; false: that cannot be. */
    bool (*begin)(int ordinal);
    /* To wait for; NULL: there is no such device. */
    struct opening *(*opening)(int ordinal);
    /* Opens the context for run->device where it is not open. */
    bool (*open)(gpugraph_graph *graph, gpugraph_run *run);
};
extern const struct device_services gg_devices;
/* The services that the library asks; a test may put its own in place. */
static inline const struct device_services *gg_devices_asked(void) {
    return gg_limits.devices ? gg_limits.devices : &gg_devices;
}

/* True for the failure of a device, after which another one or the CPU can search. */
static inline bool gg_is_of_a_device(gpugraph_status status) {
    return status == GPUGRAPH_DEVICE_MEMORY || status == GPUGRAPH_NO_DEVICE ||
           status == GPUGRAPH_DEVICE_FAILED;
}

/* The run->used_devices devices that its search uses, ascending, run->device among them. Returns how
** many; 0 on the CPU. (list.c) */
int gg_used_devices(const gpugraph_run *run, int ordinal[GG_MAX_DEVICES]);

/* Waits for run->device, which is being opened, for `ms` milliseconds at most (negative: for as long as it
** takes). Phase "context". Is it open now? */
bool gg_await_device(gpugraph_run *run, double ms);

#ifdef __cplusplus
}
#endif
#endif
