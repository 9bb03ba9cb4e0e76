/* pthread_create, which a test can let fail. For programs that the linker redirects here
** (--wrap): one file of each includes this. */
#ifndef TEST_UNWILLING_THREADS_H
#define TEST_UNWILLING_THREADS_H

#include <dirent.h>
#include <errno.h>
#include <pthread.h>

static int threads_asked_for;
static int threads_given = -1; /* all later ones are refused; -1: none is */

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
    int before = __atomic_fetch_add(&threads_asked_for, 1, __ATOMIC_RELAXED);
    if (threads_given >= 0 && before >= threads_given)
        return EAGAIN;
    return __real_pthread_create(id, attributes, start, argument);
}

/* Number of threads of this process, by the system's count. */
static inline int threads_alive(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

#endif
