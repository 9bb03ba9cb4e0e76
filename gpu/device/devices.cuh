/* The devices of this process, as jobs and the backend's table see them. */
#ifndef GPUGRAPH_DEVICES_CUH
#define GPUGRAPH_DEVICES_CUH

#include "cuda.cuh"
#include "opening.h"

/* ---- devices.cu ---- */

/* Returns true if this process can use a device. *why (unless NULL): the reason if not,
** otherwise "". Asks the runtime once. */
bool gg_usable(const char **why);
/* Returns run->device and its properties. NULL if the run has failed, or fails because
** the device does not exist or is too old for this build. */
struct cuda_device *gg_device(gpugraph_run *run, const cudaDeviceProp **properties);
/* As in struct device_services. */
bool gg_device_at(int i, gpugraph_device *device);
/* Returns true if this process is a fork of one that had used CUDA. */
bool gg_forked();
/* Called after a context was opened. Returns the milliseconds of the first question about
** devices, which started the driver: once, then 0. */
double gg_context_opened();
/* Called after an error: checks whether the context is lost. Then this process can use no
** device any more. */
void gg_look_for_a_lost_context();

/* ---- job.cu ---- */

/* As in struct device_services. */
bool gg_open_context(gpugraph_graph *graph, gpugraph_run *run);
/* Opens the device for the first job, beside all other jobs: in the opening's thread. */
bool gg_open_in_background(int ordinal, const char **why);

/* Calls act in the device's turn, with the device current. The second function does this
** for each device that has parts of the graph. */
void gg_with_device(gpugraph_graph *graph, int ordinal, void (*act)(gpugraph_graph *));
void gg_with_devices_of(gpugraph_graph *graph, void (*act)(gpugraph_graph *));

#endif
