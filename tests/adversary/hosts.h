/* pthread_create, which refuses when it is told to: hosts.c. */
#ifndef ADVERSARY_HOSTS_H
#define ADVERSARY_HOSTS_H

/* The n-th thread from now on, of this thread's, and all after it cannot be made; 0: all
** can. */
void refuse_threads_from(int n);

#endif
