/* pthread_create, which a test can let fail (hosts.c). */
#ifndef ADVERSARY_HOSTS_H
#define ADVERSARY_HOSTS_H

/* The n-th thread from now on that this thread makes, and all later ones, fail; 0:
** none. */
void refuse_threads_from(int n);

#endif
