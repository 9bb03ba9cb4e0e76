/* Functions of CUDA's driver itself, which the library calls without the runtime: to
** start the driver, and to keep the context that a thread has current. The driver is
** loaded on first use, as the runtime loads it, and stays loaded. */
#ifndef GPUGRAPH_DRIVER_CUH
#define GPUGRAPH_DRIVER_CUH

#include <cuda.h>

struct cuda_driver {
    CUresult (*init)(unsigned flags);
    CUresult (*device)(CUdevice *device, int ordinal);
    CUresult (*retain)(CUcontext *context,
                       CUdevice device); /* the device's primary context */
    CUresult (*current)(CUcontext *context);
    CUresult (*set_current)(CUcontext context);
};

/* NULL: this machine has no driver, or one that lacks these functions. */
const struct cuda_driver *gg_driver();

/* The context that is current in the calling thread, kept while the library makes its own
** current: a host may use CUDA in the same thread. */
struct host_context {
    const struct cuda_driver *driver;
    CUcontext context;
};
struct host_context gg_host_context();
void gg_give_host_context_back(const struct host_context *host);

#endif
