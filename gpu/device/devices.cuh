/* The devices of this process, as jobs and the backend's table see them. */
#ifndef GPUGRAPH_DEVICES_CUH
#define GPUGRAPH_DEVICES_CUH

#include "cuda.cuh"
#include "opening.h"

/* ---- devices.cu ---- */

/* Can this process use a device? *why (unless NULL): a sentence, or "". Asks the runtime once. */
bool gg_usable(const char **why);
/* Devices that there are, once gg_usable was asked; numbered from 0. */
int gg_device_count();
struct cuda_device *gg_device(int ordinal);
/* Has this build code for it? The oldest architecture it has code for, as 10 * major + minor. */
bool gg_device_fits(int ordinal);
int gg_oldest_architecture();
/* As in struct device_services. */
bool gg_device_at(int i, gpugraph_device *device);
/* Has this process forked off from one that had used CUDA? */
bool gg_forked();
/* As in struct device_services. */
enum opening_state gg_device_state(int ordinal, const char **why);
bool gg_device_begin(int ordinal);
struct opening *gg_device_opening(int ordinal);
/* A context has been opened. Milliseconds that the first question about devices took, which
** started the driver: told once, then 0. */
double gg_context_opened();
/* After an error: is the context lost? Then this process can use no device any more. */
void gg_look_for_a_lost_context();

/* ---- job.cu ---- */

/* Opens the device for the job that comes first, beside all others: in the opening's thread. */
bool gg_open_in_background(int ordinal, const char **why);

/* Calls act in the device's turn, while it is current and looked at; and so for each device that
** something lies on for the graph. */
void gg_with_device(gpugraph_graph *graph, int ordinal, void (*act)(gpugraph_graph *));
void gg_with_devices_of(gpugraph_graph *graph, void (*act)(gpugraph_graph *));

#endif
