/* Loops over random seeds, combinations and failing allocations, of which a sanitizer's
** build, which is slow, takes a share:
**
**     GPUGRAPH_TEST_SHARE=3     turns  0 1 [2] 3 4 [5] 6 7 [8] ...
**
** Unset: all of them. A program that runs once more with something changed takes that of GPUGRAPH_TEST_AGAIN where that
** is less of them. An odd number, since tests tell kinds apart by the parity of a
** turn. */
#ifndef TEST_SHARE_H
#define TEST_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* A sanitizer sees in a graph a tenth as large all that it sees in one that is large for its figures' sake:
** still many portions of work for each thread. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SANITIZED_PART = 10 };
#else
enum { SANITIZED_PART = 1 };
#endif

static inline uint64_t share_of(const char *variable) {
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : 1;
}

/* Is this turn of a loop to be passed over? */
static inline bool left_out(uint64_t turn) {
    const uint64_t first = share_of("GPUGRAPH_TEST_SHARE"),
                   again = share_of("GPUGRAPH_TEST_AGAIN"),
                   share = first > again ? first : again;
    return share > 1 && turn % share != share - 1;
}

#endif
