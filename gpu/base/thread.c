/* Threads of the library's own. */
#define _GNU_SOURCE
#include "thread.h"

#include <pthread.h>
#include <signal.h>

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

bool gg_start_joinable(void *(*body)(void *), void *job) {
    return create_blocked(NULL, body, job);
}
