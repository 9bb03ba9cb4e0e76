/* What "auto" has learned: which of the candidates of choice.c suits a graph. (process.c) */
#ifndef GPUGRAPH_SSSP_PROCESS_H
#define GPUGRAPH_SSSP_PROCESS_H

#include "choice.h"

/* How many candidates were measured. */
enum { GG_PROCESS_CANDIDATES = 16 };

/* The number of the candidate that will lose least. Takes some microseconds. */
size_t gg_process_choose(const struct sssp_features *features);

/* A fingerprint of the figures that it was learned from, for a test. */
extern const uint64_t gg_process_learned_from;

#endif
