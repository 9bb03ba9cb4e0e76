/* What is asked of CUDA's driver itself, past the runtime: to start, and whose context a thread has
** current. The driver is loaded on first use, as the runtime loads it, and stays. */
#ifndef GPUGRAPH_DRIVER_CUH
#define GPUGRAPH_DRIVER_CUH

#include <cuda.h>

struct cuda_driver {
    CUresult (*init)(unsigned flags);
    CUresult (*device)(CUdevice *device, int ordinal);
    CUresult (*retain)(CUcontext *context,
                       CUdevice device); /* the device's primary one */
    CUresult (*current)(CUcontext *context);
    CUresult (*set_current)(CUcontext context);
};

/* NULL: this machine has none, or one that lacks these. */
const struct cuda_driver *gg_driver();

/* The context that the calling thread has current, before the library makes its own so, and
** afterwards: a host may use CUDA in the same thread. */
struct host_context {
    const struct cuda_driver *driver;
    CUcontext context;
};
struct host_context gg_host_context();
void gg_give_host_context_back(const struct host_context *host);

#endif
