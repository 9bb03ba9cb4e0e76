/* The operating system: time, threads, waiting, fork, memory pages, libraries.
** gpu/base/platform/ has one file for each platform, and no other file of gpu/ calls
** the system directly. Code for all platforms builds its locks on the words here
** (mutex.h). */
#ifndef GPUGRAPH_PLATFORM_H
#define GPUGRAPH_PLATFORM_H

#include "language.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

GG_BEGIN_C

/* ---- time ---- */

/* Milliseconds of a clock that never goes back. */
double gg_now_ms(void);
/* Lets the thread sleep for about `ms` milliseconds. */
void gg_sleep(double ms);
/* Offers the processor to another thread. */
void gg_yield(void);

/* ---- threads ---- */

/* Runs body(job) in a detached thread with a stack of that many bytes (0: the system's
** usual stack). The thread handles no signal of the host. Returns false if the system
** provides no thread. */
bool gg_start_thread(void *(*body)(void *), void *job, size_t stack);
/* Returns a number that no other running thread of the process has. */
uintptr_t gg_this_thread(void);
/* The system's own number of the thread, and whether a thread of this process with
** that number still runs. */
uint32_t gg_system_thread(void);
bool gg_thread_runs(uint32_t system_thread);
/* Processors that this process may use, at least 1. */
int gg_processors(void);

/* Sleeps while *word has that value, until another thread wakes the word, or for `ms`
** milliseconds (negative: without limit). May return early without a reason. */
void gg_sleep_on(uint32_t *word, uint32_t value, double ms);
/* Wakes one thread that sleeps on the word, or all of them. */
void gg_wake_one(uint32_t *word);
void gg_wake_all(uint32_t *word);

/* ---- processes ---- */

uint32_t gg_process_id(void);
/* Calls these functions around every fork() of the process: before it, and after it in
** the parent and in the child. A function may be NULL. Returns false if the system has
** no room for them. */
bool gg_around_fork(void (*before)(void), void (*in_parent)(void),
                    void (*in_child)(void));

/* ---- memory ---- */

size_t gg_page_bytes(void);
/* Bytes of a huge page: one page fault brings 2 MiB in place of 4 KiB. */
#define GG_HUGE_PAGE ((size_t)2 << 20)
/* Returns a block that begins with a huge page, for free(); NULL if memory is
** exhausted. */
void *gg_alloc_huge(size_t bytes);
/* Returns the bytes of a block of malloc, which may exceed the requested bytes. */
size_t gg_block_bytes(void *block);
/* Advises the system to use huge pages, or else pages of the usual size, for the whole
** pages within [block, block + bytes). */
void gg_advise_pages(void *block, size_t bytes, bool huge);

/* ---- the machine ---- */

/* Draws random bytes of the system. Returns false if there are none. */
bool gg_random_bytes(void *to, size_t bytes);
/* Name of the processor, and bytes of memory of the machine, in all and available. */
void gg_describe_machine(char *name, size_t room, int64_t *memory, int64_t *available);
/* Loads a shared library. Returns NULL if it does not exist. */
void *gg_open_library(const char *name);
void *gg_library_symbol(void *library, const char *name);

GG_END_C
#endif
