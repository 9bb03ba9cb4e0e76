/* Many independent searches, distributed over the devices of a run.
**
**     searches   0 1 2 3 4 5 6 7 ...    an idle device takes the next portion
**     device 0   0   2 3     6          the calling thread
**     device 1     1     4 5   7        a thread and a run of its own
**
** Each device has a copy of the graph, so results do not depend on the device that finds
** them. If a device fails and the caller left the number of devices open, others do its
** work. */
#ifndef GPUGRAPH_SHARE_H
#define GPUGRAPH_SHARE_H

#include "base/run.h"

GG_BEGIN_C

struct shared_work {
    uint32_t items, portion;
    /* Processes items low .. high - 1 on run->device, from any thread; run->status is the
    ** result. */
    void (*part)(void *of, gpugraph_run *run, uint32_t low, uint32_t high);
    void *of;
};

/* Distributes the work over run->used_devices devices, at least 1. Phase "devices". */
gpugraph_status gg_share_out(gpugraph_run *run, const struct shared_work *work);

GG_END_C
#endif
