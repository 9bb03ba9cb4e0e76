/* Texts numbered from 0 in order of first occurrence, each stored once.
**
**     bytes    A M S L H R J F K ...
**     offset   0 3 6 9             text t is bytes[offset[t]] .. bytes[offset[t + 1] - 1]
**     slot     hash's upper half | t + 1, or 0: free      (open addressing, at most half full)
*/
#ifndef GPUGRAPH_INTERN_H
#define GPUGRAPH_INTERN_H

#include <stddef.h>
#include <stdint.h>

typedef struct intern {
    int64_t count;
    uint64_t *offset;
    char *bytes;
    uint64_t *slot;
    uint64_t offset_room, bytes_room, slots; /* slots: a power of two */
    uint64_t seed;
} intern;

/* The number of a text; -1: no memory. */
int64_t intern_text(intern *t, const char *text, size_t length);
void intern_clear(intern *t);

#endif
