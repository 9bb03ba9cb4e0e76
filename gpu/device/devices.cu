/* The devices of this machine, and whether this process can use them.
**
**     process     the number of devices, queried once; broken after a fatal error
**     devices[]   a struct cuda_device for each ordinal, opened on first use by a job
**     about[]     name, memory and more: queried with the number of devices, because a
**                 query takes a millisecond
**
** The library does not call CUDA before the first query of a device, so it loads without
** a driver. CUDA does not survive fork(): functions in a child fail with a message. The
** check for a fork takes no lock, since another thread may have held the lock when the
** parent forked. Instead, a thread sets process.asker before it takes the lock. */
#include "devices.cuh"
#include "cost.h"

#include "mutex.h"

#include <stdio.h>
#include <string.h>

static gg_mutex process_mutex;
static struct {
    uint32_t asker; /* gg_this_process() of the process that used CUDA; 0: none */
    bool asked;
    int devices;
    const char *why; /* not NULL: why no device can be used */
    bool broken;
    double asked_ms; /* time of the first query, which starts the driver */
} process;
static struct cuda_device devices[GG_MAX_DEVICES];
static struct opening openings[GG_MAX_DEVICES];
static cudaDeviceProp about[GG_MAX_DEVICES]; /* all zero: unknown */

/* The oldest architecture that this build has code for: 10 * major + minor. */
static int oldest_architecture() {
    const int built_for[] = {__CUDA_ARCH_LIST__};
    return built_for[0] / 10;
}

static bool device_fits(int ordinal) {
    return 10 * about[ordinal].major + about[ordinal].minor >= oldest_architecture();
}

/* Returns the reason why no device fits this build; NULL: a device fits. */
static const char *look_for_devices(cudaError_t error, int count) {
    if (error == cudaErrorInsufficientDriver)
        return "this machine has no CUDA driver, or one older than this build";
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
        return "this machine has no CUDA device";
    if (error != cudaSuccess)
        return cudaGetErrorString(error);
    bool one_fits = false;
    process.devices = count < GG_MAX_DEVICES ? count : GG_MAX_DEVICES;
    for (int i = 0; i < process.devices; i++) {
        cudaGetDeviceProperties(&about[i], i);
        one_fits |= device_fits(i);
    }
    return one_fits ? NULL : "the CUDA devices of this machine are older than this build";
}

static void ask_runtime() {
    int count = 0;
    double started = gg_now_ms();
    cudaError_t error = cudaGetDeviceCount(&count);
    process.asked_ms = gg_now_ms() - started;
    __atomic_store_n(&process.why, look_for_devices(error, count), __ATOMIC_RELEASE);
    process.asked = true;
    cudaGetLastError();
}

bool gg_forked() {
    uint32_t asker = __atomic_load_n(&process.asker, __ATOMIC_RELAXED);
    return asker != 0 && asker != gg_this_process();
}

static void note_asker() {
    __atomic_store_n(&process.asker, gg_this_process(), __ATOMIC_RELAXED);
}

/* Returns the reason why no device can be used; NULL: a device can. */
static const char *why_not() {
    if (gg_forked())
        return process.why ? process.why
                           : "this process is a fork of one that had used CUDA, which "
                             "does not survive fork()";
    note_asker();
    gg_mutex_lock(&process_mutex);
    if (!process.asked)
        ask_runtime();
    gg_mutex_unlock(&process_mutex);
    if (!process.why && __atomic_load_n(&process.broken, __ATOMIC_RELAXED))
        return "the CUDA context of this process is lost after an earlier error: start "
               "the process again";
    return process.why;
}

bool gg_usable(const char **why) {
    const char *reason = why_not();
    if (why)
        *why = reason ? reason : "";
    return reason == NULL;
}

struct cuda_device *gg_device(gpugraph_run *run, const cudaDeviceProp **properties) {
    const int ordinal = run->device, oldest = oldest_architecture();
    const char *why;
    if (!gg_usable(&why))
        gg_fail(run, GPUGRAPH_NO_DEVICE, "no CUDA device can be used: %s", why);
    else if (ordinal < 0 || ordinal >= process.devices)
        gg_fail(run, GPUGRAPH_NO_DEVICE,
                "CUDA device %d does not exist: this machine has devices 0 to %d",
                ordinal, process.devices - 1);
    else if (!device_fits(ordinal))
        gg_fail(run, GPUGRAPH_NO_DEVICE,
                "CUDA device %d is older than the architecture %d.%d that this build is "
                "for",
                ordinal, oldest / 10, oldest % 10);
    if (run->status != GPUGRAPH_OK)
        return NULL;
    *properties = &about[ordinal];
    return &devices[ordinal];
}

/* ---- the context ---- */

double gg_context_opened() {
    double asked_ms = 0;
    __atomic_exchange(&process.asked_ms, &asked_ms, &asked_ms, __ATOMIC_RELAXED);
    return asked_ms;
}

static const struct opening_steps steps = {gg_open_in_background, GG_CUDA_START_MS};

__attribute__((constructor)) static void number_openings() {
    for (int i = 0; i < GG_MAX_DEVICES; i++)
        openings[i] = (struct opening){.steps = &steps, .ordinal = i};
}

static struct opening *device_opening(int ordinal) {
    return ordinal < 0 || ordinal >= GG_MAX_DEVICES ? NULL : &openings[ordinal];
}

/* Notes the process first: a child of a later fork() then finds that it cannot use CUDA,
** however far the opening was. */
static bool begin_device(int ordinal) {
    struct opening *o = device_opening(ordinal);
    if (!o || gg_forked())
        return false;
    note_asker();
    return gg_opening_begin(o);
}

/* Also considers a device that a job has opened in the foreground, and a query that has
** found no device. */
static enum opening_state device_state(int ordinal, const char **why) {
    const struct opening *o = device_opening(ordinal);
    const char *reason = __atomic_load_n(&process.why, __ATOMIC_ACQUIRE);
    if (gg_forked() || __atomic_load_n(&process.broken, __ATOMIC_RELAXED))
        gg_usable(&reason);
    else if (!o)
        reason = "there is no CUDA device of that number";
    if (why)
        *why = reason ? reason : "";
    if (reason)
        return OPENING_FAILED;
    if (__atomic_load_n(&devices[ordinal].open, __ATOMIC_ACQUIRE))
        return OPENING_OPEN;
    return gg_opening_state(o, why);
}

/* If a call without work fails, too, the error is permanent: the contexts of all devices
** are lost. */
void gg_look_for_a_lost_context() {
    cudaGetLastError();
    cudaError_t state = cudaStreamQuery(NULL);
    if (state != cudaSuccess && state != cudaErrorNotReady)
        __atomic_store_n(&process.broken, true, __ATOMIC_RELAXED);
    cudaGetLastError();
}

/* ---- description of a device ---- */

bool gg_device_at(int i, gpugraph_device *device) {
    if (!gg_usable(NULL) || i < 0 || i >= process.devices)
        return false;
    if (!device)
        return true;
    size_t free = 0, total = 0;
    memset(device, 0, sizeof *device);
    device->backend = "cuda";
    snprintf(device->name, sizeof device->name, "%s", about[i].name);
    device->memory = (int64_t)about[i].totalGlobalMem;
    /* Takes no turn, which a search may hold for long: the calls below need none. */
    struct host_context host = gg_host_context();
    double started = gg_now_ms();
    if (cudaSetDevice(i) == cudaSuccess && cudaMemGetInfo(&free, &total) == cudaSuccess) {
        if (devices[i].asked_ms == 0)
            devices[i].asked_ms = gg_now_ms() - started;
        device->free = (int64_t)(free + __atomic_load_n(&devices[i].workspace_bytes,
                                                        __ATOMIC_RELAXED));
    }
    cudaGetLastError();
    gg_give_host_context_back(&host);
    return true;
}

extern "C" const struct device_services gg_devices = {
    .usable = gg_usable,
    .at = gg_device_at,
    .state = device_state,
    .begin = begin_device,
    .opening = device_opening,
    .open = gg_open_context,
};
