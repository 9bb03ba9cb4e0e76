/* Partitions in threads of one process, and their exchange: for tests and benchmarks. */
#ifndef TEST_PART_THREADS_H
#define TEST_PART_THREADS_H

#include "gpugraph_parts.h"

/* Runs body(job, exchange) in `parts` threads, the calling one among them, and returns when all of
** them have ended: GPUGRAPH_OK, or what the first that failed has in its run, which is then in
** `run`, too. Each body has a run of its own. */
typedef gpugraph_status gpugraph_part_body(void *job, gpugraph_exchange *exchange,
                                           gpugraph_run *run);
gpugraph_status gpugraph_in_parts(uint32_t parts, gpugraph_part_body *body, void *job,
                                  gpugraph_run *run);

#endif
