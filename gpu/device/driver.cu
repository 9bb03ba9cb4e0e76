/* CUDA's driver, loaded by name. */
#include "driver.cuh"

#include "platform.h"

static struct cuda_driver driver;

template <typename function>
static bool find_driver(void *library, const char *name, function *found) {
    *found = reinterpret_cast<function>(gg_library_symbol(library, name));
    return *found != nullptr;
}

static bool load_driver() {
    void *library = gg_open_library("libcuda.so.1");
    return library && find_driver(library, "cuInit", &driver.init) &&
           find_driver(library, "cuDeviceGet", &driver.device) &&
           find_driver(library, "cuDevicePrimaryCtxRetain", &driver.retain) &&
           find_driver(library, "cuCtxGetCurrent", &driver.current) &&
           find_driver(library, "cuCtxSetCurrent", &driver.set_current);
}

const struct cuda_driver *gg_driver() {
    static const bool loaded = load_driver();
    return loaded ? &driver : nullptr;
}

/* Before the driver is started no thread has a context: the call then returns an
** error. */
struct host_context gg_host_context() {
    struct host_context host = {gg_driver(), nullptr};
    if (host.driver && host.driver->current(&host.context) != CUDA_SUCCESS)
        host.context = nullptr;
    return host;
}

void gg_give_host_context_back(const struct host_context *host) {
    if (host->driver)
        host->driver->set_current(host->context);
}
