/* What a peel on a device (peel.cuh) goes by. Tests lower it, so that small graphs have wide rounds; nobody else. */
#ifndef GPUGRAPH_PEEL_H
#define GPUGRAPH_PEEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern struct peel_limits {
    uint32_t narrow; /* slices of a round up to which one block walks it */
} gg_peel_limits;

#ifdef __cplusplus
}
#endif
#endif
