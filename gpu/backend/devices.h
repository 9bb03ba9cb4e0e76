/* Which devices search together.
**
**     run->device, and others of run->devices      those that may
**        |  is the search one that several can share? does each have room?
**        |  are they predicted to be faster together, or has one not the memory?
**        v
**     run->used_devices, run->device_set           those that do */
#ifndef GPUGRAPH_BACKEND_DEVICES_H
#define GPUGRAPH_BACKEND_DEVICES_H

#include "algorithm.h"

struct sharing { /* of a search, or of many */
    const gg_algorithm *a;
    const gpugraph_search *search; /* NULL: of the whole graph */
    uint32_t searches;             /* 0: one; else so many, each on one device */
    bool only_one; /* a method was asked for that has no form for several devices */
    bool frugal;   /* by the method that needs least memory */
};

/* Sets used_devices and device_set. If no device can be used, or has room, or not all that were asked
** for: run->why says so. */
gpugraph_status gg_take_devices(gpugraph_graph *graph, const struct sharing *s,
                                gpugraph_run *run);
/* How many devices would be taken, by predictions alone: for an estimate. *ms is what they would take, where that
** is known of several. */
int gg_expected_devices(const gpugraph_graph *graph, const struct sharing *s,
                        const gpugraph_run *run, double *ms);
/* One device, or (the CPU) none. */
void gg_use_one_device(gpugraph_run *run, bool cuda);
/* Is run->device one of run->devices, and are these in order? GPUGRAPH_INVALID and a sentence if not. */
gpugraph_status gg_check_devices(gpugraph_run *run);

#endif
