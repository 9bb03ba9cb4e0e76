/* The functions of platform.h on Linux. */
#define _GNU_SOURCE
#include "platform.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- time ---- */

static struct timespec timespec_of(double ms) {
    const int64_t ns = (int64_t)(ms * 1e6);
    return (struct timespec){ns / 1000000000, ns % 1000000000};
}

double gg_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void gg_sleep(double ms) {
    const struct timespec length = timespec_of(ms);
    nanosleep(&length, NULL);
}

void gg_yield(void) {
    sched_yield();
}

/* ---- threads ---- */

/* Creates a thread that handles only the signals of its own faults. All other signals are
** for threads of the host program. */
static bool create_blocked_thread(const pthread_attr_t *attributes, void *(*body)(void *),
                                  void *job) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t blocked, before;
    pthread_t id;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int error = pthread_create(&id, attributes, body, job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

bool gg_start_thread(void *(*body)(void *), void *job, size_t stack) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack > 0)
        pthread_attr_setstacksize(&attributes, stack);
    bool started = create_blocked_thread(&attributes, body, job);
    pthread_attr_destroy(&attributes);
    return started;
}

uintptr_t gg_this_thread(void) {
    return (uintptr_t)pthread_self();
}

uint32_t gg_system_thread(void) {
    return (uint32_t)syscall(SYS_gettid);
}

bool gg_thread_runs(uint32_t system_thread) {
    return syscall(SYS_tgkill, getpid(), system_thread, 0) == 0;
}

int gg_processors(void) {
    enum { MOST = 1 << 20 }; /* fits an int, whatever the system returns */
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0)
        return CPU_COUNT(&mine);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* too many for a cpu_set_t */
    return online < 1 ? 1 : online < MOST ? (int)online : MOST;
}

void gg_sleep_on(uint32_t *word, uint32_t value, double ms) {
    const struct timespec limit = timespec_of(ms < 0 ? 0 : ms);
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ms < 0 ? NULL : &limit, NULL, 0);
}

void gg_wake_one(uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void gg_wake_all(uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* ---- processes ---- */

uint32_t gg_process_id(void) {
    return (uint32_t)getpid();
}

bool gg_around_fork(void (*before)(void), void (*in_parent)(void),
                    void (*in_child)(void)) {
    return pthread_atfork(before, in_parent, in_child) == 0;
}

/* ---- memory ---- */

size_t gg_page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *gg_alloc_huge(size_t bytes) {
    void *block = NULL;
    return posix_memalign(&block, GG_HUGE_PAGE, bytes) == 0 ? block : NULL;
}

size_t gg_block_bytes(void *block) {
    return malloc_usable_size(block);
}

void gg_advise_pages(void *block, size_t bytes, bool huge) {
    const uintptr_t page = gg_page_bytes(),
                    begin = ((uintptr_t)block + page - 1) / page * page,
                    end = ((uintptr_t)block + bytes) / page * page;
    if (begin < end)
        madvise((void *)begin, end - begin, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

/* ---- the machine ---- */

bool gg_random_bytes(void *to, size_t bytes) {
    return getrandom(to, bytes, GRND_NONBLOCK) == (ssize_t)bytes;
}

/* Copies the text after "<key>...: " in a file of /proc, up to the end of its line. */
static bool proc_line(const char *path, const char *key, char *value, size_t size) {
    char text[8192];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    const char *at = strstr(text, key);
    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return false;
    at += 1 + strspn(at + 1, " \t");
    snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

void gg_describe_machine(char *name, size_t room, int64_t *memory, int64_t *available) {
    char line[64];
    const int64_t page = sysconf(_SC_PAGESIZE);
    if (!proc_line("/proc/cpuinfo", "model name", name, room))
        snprintf(name, room, "CPU");
    *memory = sysconf(_SC_PHYS_PAGES) * page;
    *available = sysconf(_SC_AVPHYS_PAGES) * page;
    if (proc_line("/proc/meminfo", "MemAvailable", line, sizeof line))
        *available = strtoll(line, NULL, 10) * 1024; /* in KiB */
}
