/* Delays, for a build that looks for races: GPUGRAPH_LATE_BLOCKS in CMake.
**
**     usual build   gg_late() is empty and costs nothing
**     late build    a thread that is about to read a word which others change, or has
**                   just passed a barrier, sometimes sleeps for up to 65 microseconds
**                   first: some hundred times as long as a device delays a block by
**                   itself
**
** A correct kernel's answer does not depend on delays. */
#ifndef GPUGRAPH_LATE_CUH
#define GPUGRAPH_LATE_CUH

static __device__ __forceinline__ void gg_late() {
#ifdef GPUGRAPH_LATE_BLOCKS
    unsigned dice =
        (unsigned)clock64() * 0x9E3779B1u ^ (blockIdx.x * 64 + threadIdx.x) * 0x85EBCA6Bu;
    dice = (dice ^ dice >> 15) * 0x2C1B3C6Du;
    if ((dice ^ dice >> 12) % 256 == 0)
        __nanosleep(dice >> 16);
#endif
}

#endif
