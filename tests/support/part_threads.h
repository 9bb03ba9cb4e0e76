/* Partitions in threads of one process, and their exchange: for tests and benchmarks. */
#ifndef TEST_PART_THREADS_H
#define TEST_PART_THREADS_H

#include "gpugraph_parts.h"

/* Runs body(job, exchange) in `parts` threads, including the calling one, and returns
** when all have ended. Each body has its own run. Returns GPUGRAPH_OK or the first
** failure, which `run` then has, too. */
typedef gpugraph_status gpugraph_part_body(void *job, gpugraph_exchange *exchange,
                                           gpugraph_run *run);
gpugraph_status gpugraph_in_parts(uint32_t parts, gpugraph_part_body *body, void *job,
                                  gpugraph_run *run);

#endif
