/* Threads of the library's own, none of which handles a signal of the host's; and words that threads sleep on. */
#ifndef GPUGRAPH_THREAD_H
#define GPUGRAPH_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* body(job) in a detached thread with a stack of so many bytes (0: the system's usual). False:
** the system gives no thread. */
bool gg_start_thread(void *(*body)(void *), void *job, size_t stack);

/* Sleeps while *word is that value, until it is woken, or for `ms` milliseconds (negative: for as long as it takes); or
** shorter, for no reason. */
void gg_sleep_on(uint32_t *word, uint32_t value, double ms);
/* Wakes who sleeps on the word: one thread, or all. */
void gg_wake_one(uint32_t *word);
void gg_wake_all(uint32_t *word);

#ifdef __cplusplus
}
#endif
#endif
