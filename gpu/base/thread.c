/* Threads of the library's own. */
#define _GNU_SOURCE
#include "thread.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Signals are the host's: none is handled by a thread of ours, but for those of its own faults. */
static bool create_blocked(const pthread_attr_t *attributes, void *(*body)(void *),
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
    bool started = create_blocked(&attributes, body, job);
    pthread_attr_destroy(&attributes);
    return started;
}

/* ---- words ---- */

void gg_sleep_on(uint32_t *word, uint32_t value, double ms) {
    const long ns = (long)(ms * 1e6);
    const struct timespec limit = {ns / 1000000000, ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ms < 0 ? NULL : &limit, NULL, 0);
}

static void wake(uint32_t *word, int threads) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

void gg_wake_one(uint32_t *word) {
    wake(word, 1);
}

void gg_wake_all(uint32_t *word) {
    wake(word, INT32_MAX);
}
