/* What work costs on the host and on a device, predicted: shared by those who choose
** between them. Measured with an H200 and one thread of the processor beside it, on R-MAT
** graphs of scale 16 and 20 and a grid of 512 x 512. */
#ifndef GPUGRAPH_COST_H
#define GPUGRAPH_COST_H

/* Nanoseconds for an arc of rows, made by one CPU thread, and by a device. */
#define GG_COST_CSR    15.0
#define GG_COST_DEVICE 0.11
/* Threads beyond which the CPU's searches, and its making of rows, become no faster,
** because memory limits them. (60 M edges, 16 threads: 60 ms, and 96.) */
#define GG_COST_SPEEDUP      5.0
#define GG_COST_ROWS_SPEEDUP 9.0
/* Bytes that the bus moves in a millisecond. */
#define GG_UPLOAD_MOST 4e7
/* Milliseconds to start CUDA's driver and to open a context, once for each process. (H200
** 220, H100 202 to 217, on an idle machine.) */
#define GG_CUDA_START_MS 250.0
/* A device is opened in the background once it would have saved that share of the opening
** time. The opening costs the foreground no more than some of one core's time. */
#define GG_OPENING_SHARE 0.1
/* A graph is copied to an open device once its searches on the CPU have taken longer,
** beyond the device's, by that share of the time of the copy. */
#define GG_COPY_SHARE 0.5

#endif
