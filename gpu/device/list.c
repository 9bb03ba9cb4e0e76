/* The devices of a process as callers number them: 0 is the processor, then CUDA's
** devices. */
#include "services.h"

int gg_used_devices(const gpugraph_run *run, int ordinal[GG_MAX_DEVICES]) {
    int count = 0;
    for (int i = 0; i < GG_MAX_DEVICES; i++)
        if (run->device_set >> i & 1)
            ordinal[count++] = i;
    return count;
}

bool gg_await_device(gpugraph_run *run, double ms) {
    struct opening *o = gg_devices_asked()->opening(run->device);
    double began = gg_now_ms();
    if (!o)
        return false;
    bool open = gg_opening_wait(o, ms, run) == OPENING_OPEN;
    gg_phase(run, "context", began, 0, "device %d was already being opened: %s",
             run->device, open ? "waited for" : "given up");
    return open;
}

bool gpugraph_device_at(int i, gpugraph_device *device) {
    if (i != 0)
        return i > 0 && gg_devices_asked()->at(i - 1, device);
    if (device) {
        device->backend = "cpu";
        gg_describe_machine(device->name, sizeof device->name, &device->memory,
                            &device->free);
    }
    return true;
}

bool gpugraph_cuda_usable(const char **why) {
    return gg_devices_asked()->usable(why);
}
