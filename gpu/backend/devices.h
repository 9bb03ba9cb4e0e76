/* The choice of devices that search together.
**
**     run->device, and others of run->devices      the devices that the search may use
**        |  can several devices share the search? does each have room?
**        |  are they predicted to be faster together, or does one lack the memory?
**        v
**     run->used_devices, run->device_set           the devices that it uses */
#ifndef GPUGRAPH_BACKEND_DEVICES_H
#define GPUGRAPH_BACKEND_DEVICES_H

#include "algorithm.h"

struct sharing { /* of one search, or of many */
    const gg_algorithm *a;
    const gpugraph_search *search; /* NULL: of the whole graph */
    uint32_t searches; /* 0: one search; otherwise searches that run on one device each */
    bool only_one;     /* the requested method has no form for several devices */
    bool frugal;       /* by the method that needs least memory */
};

/* Sets used_devices and device_set. If no device can be used, or has room, or not all
** requested devices can, run->why says so. */
gpugraph_status gg_take_devices(gpugraph_graph *graph, const struct sharing *s,
                                gpugraph_run *run);
/* Returns the number of devices that predictions alone would choose: for an estimate.
** *ms: their predicted time, if it is known for several devices. */
int gg_expected_devices(const gpugraph_graph *graph, const struct sharing *s,
                        const gpugraph_run *run, double *ms);
/* Uses one device, or none (the CPU). */
void gg_use_one_device(gpugraph_run *run, bool cuda);
/* Fails with GPUGRAPH_INVALID if run->device is not one of run->devices, or if these are
** not ascending. */
gpugraph_status gg_check_devices(gpugraph_run *run);

#endif
