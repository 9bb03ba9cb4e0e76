/* Loops over random seeds, combinations and failing allocations, of which slow sanitizer
** builds take a share:
**
**     GPUGRAPH_TEST_SHARE=3     turns  0 1 [2] 3 4 [5] 6 7 [8] ...
**
** Unset: all turns. A program that runs again with a changed setting takes the share of
** GPUGRAPH_TEST_AGAIN if that is smaller. The number is odd, since tests distinguish
** kinds by the parity of a turn. */
#ifndef TEST_SHARE_H
#define TEST_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* A sanitizer finds as much in a tenth of a graph that is large for its figures: each
** thread still has many portions of work. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SANITIZED_PART = 10 };
#else
enum { SANITIZED_PART = 1 };
#endif

static inline uint64_t share_of(const char *variable) {
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : 1;
}

static inline uint64_t share_now(void) {
    const uint64_t first = share_of("GPUGRAPH_TEST_SHARE"),
                   again = share_of("GPUGRAPH_TEST_AGAIN");
    return first > again ? first : again;
}

/* True if this turn of a loop is left out. The share is at least 1 / most. */
static inline bool left_out_of(uint64_t turn, uint64_t most) {
    const uint64_t share = share_now() < most ? share_now() : most;
    return share > 1 && turn % share != share - 1;
}

static inline bool left_out(uint64_t turn) {
    return left_out_of(turn, UINT64_MAX);
}

#endif
