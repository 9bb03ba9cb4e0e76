/* Threads of the library's own: no signal of the host's is handled by one. */
#ifndef GPUGRAPH_THREAD_H
#define GPUGRAPH_THREAD_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* body(job) in a detached thread with a stack of so many bytes (0: the system's usual). False:
** the system gives no thread. */
bool gg_start_thread(void *(*body)(void *), void *job, size_t stack);
/* body(job) in a thread that can be joined, with the usual stack. False as above. */
bool gg_start_joinable(void *(*body)(void *), void *job);

#ifdef __cplusplus
}
#endif
#endif
