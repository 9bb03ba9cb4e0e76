/* Data that a world's process and its waiting parent share: trace.c writes it,
** adversary_test.c reports it. */
#ifndef ADVERSARY_SHARED_H
#define ADVERSARY_SHARED_H

#include "adversary.h"

enum { TRACED = 40, TRACE_BYTES = 1500, MOST_KINDS = 100, EXIT_WRONG = 3 };

typedef struct shared_notes {
    uint64_t counts[COUNT_KINDS];
    struct kind_note {
        char name[24];
        uint64_t count;
    } kind[MOST_KINDS];
    char problem[20000];
    uint64_t traced, steps; /* of this world */
    struct traced {         /* a ring of the latest */
        char who[16], outcome[200], text[TRACE_BYTES];
    } line[TRACED];
} shared_notes;

extern shared_notes *notes;
void notes_make(void);
/* Begins a world: clears the trace. */
void notes_begin(void);

#endif
