/* Many searches, each by itself, shared out over the devices of a run.
**
**     searches   0 1 2 3 4 5 6 7 ...        each device takes the next portion when it is done with one
**     device 0   0   2 3     6              the calling thread
**     device 1     1     4 5   7            a thread of its own, a run of its own
**
** Each device has its copy of the graph, so what is found does not depend on who finds it. Where a
** device cannot go on, and the caller left the number of devices open, the others do its work. */
#ifndef GPUGRAPH_SHARE_H
#define GPUGRAPH_SHARE_H

#include "base/run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct shared_work {
    uint32_t items, portion;
    /* Does items low .. high - 1 on run->device, from any thread; run->status says how it went. */
    void (*part)(void *of, gpugraph_run *run, uint32_t low, uint32_t high);
    void *of;
};

/* On run->used_devices, at least 1. Phase "devices". */
gpugraph_status gg_share_out(gpugraph_run *run, const struct shared_work *work);

#ifdef __cplusplus
}
#endif
#endif
