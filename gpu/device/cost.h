/* Predicted costs of work on the host and on a device, for the choice between them.
** Measured on an H200 and one thread of the processor beside it, with R-MAT graphs of
** scale 16 and 20 and a grid of 512 x 512. */
#ifndef GPUGRAPH_COST_H
#define GPUGRAPH_COST_H

/* Nanoseconds that one CPU thread, and a device, takes to make an arc of rows. */
#define GG_COST_CSR    15.0
#define GG_COST_DEVICE 0.11
/* Threads beyond which searches on the CPU, and the making of rows there, become no
** faster, because memory limits them. (60 M edges, 16 threads: 60 ms, and 96.) */
#define GG_COST_SPEEDUP      5.0
#define GG_COST_ROWS_SPEEDUP 9.0
/* Bytes that the bus transfers in a millisecond. */
#define GG_UPLOAD_MOST 4e7
/* Milliseconds to start CUDA's driver and to open a context, once for each process. (H200
** 220, H100 202 to 217, on an idle machine.) */
#define GG_CUDA_START_MS 250.0
/* A device is opened in the background once it would have saved this share of the opening
** time. Opening costs the foreground at most some time of one core. */
#define GG_OPENING_SHARE 0.1
/* A graph is copied to an open device once its searches on the CPU have taken this share
** of the time of the copy longer than on the device. */
#define GG_COPY_SHARE 0.5

#endif
