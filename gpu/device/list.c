/* The devices of a process as callers number them: the processor is 0, then CUDA's. */
#define _GNU_SOURCE
#include "services.h"
#include "backend.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    gg_phase(run, "context", began, 0, "device %d was being opened already: %s",
             run->device, open ? "waited for" : "given up");
    return open;
}

/* The text after "<key>...: " in a file of /proc, up to the end of its line. */
static bool proc_line(const char *path, const char *key, char *value, size_t size) {
    char text[8192];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    const char *at = strstr(text, key);
    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return false;
    at += 1 + strspn(at + 1, " \t");
    snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

static void describe_processor(gpugraph_device *device) {
    char available[64];
    int64_t page = sysconf(_SC_PAGESIZE);
    device->backend = "cpu";
    if (!proc_line("/proc/cpuinfo", "model name", device->name, sizeof device->name))
        snprintf(device->name, sizeof device->name, "CPU");
    device->memory = sysconf(_SC_PHYS_PAGES) * page;
    device->free = sysconf(_SC_AVPHYS_PAGES) * page;
    if (proc_line("/proc/meminfo", "MemAvailable", available, sizeof available))
        device->free = strtoll(available, NULL, 10) * 1024; /* it is in KiB */
}

bool gpugraph_device_at(int i, gpugraph_device *device) {
    if (i == 0 && device)
        describe_processor(device);
    return i == 0 || (i > 0 && gg_devices_asked()->at(i - 1, device));
}

bool gpugraph_cuda_usable(const char **why) {
    return gg_devices_asked()->usable(why);
}
