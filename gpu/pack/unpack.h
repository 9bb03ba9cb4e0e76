/* Reading a graph's packed form: declarations that these files share.
**
**     unpack.c            the header and the sections
**     unpack_check.c      a chunk: its checksum and its numbers
**     unpack_derive.c     the parts of a graph that follow from the sections */
#ifndef GPUGRAPH_UNPACK_H
#define GPUGRAPH_UNPACK_H

#include "packed.h"

typedef struct reader {
    gpugraph_run *run;
    const gpugraph_stream *from;
    uint64_t at;
    packed_header header;
    gpugraph_graph *graph;
    /* Facts that all sections together show. */
    uint64_t largest, total; /* weights; each counts at most 2^32 - 1 */
    uint64_t integer_ends;   /* ends of edges that are INTEGER vertices */
} reader;

/* A section that was read and is being checked. */
typedef struct section_check {
    reader *r;
    const packed_section *section;
    uint64_t *sum; /* checksum of each chunk */
    bool bad;      /* it has a number that is not allowed */
} section_check;

/* Fails the run because the graph is damaged. name: the section, or NULL; what: the
** damage. */
void gg_unpack_refuse(reader *r, const char *what, const char *name);
/* Checks chunk number `which` of a section, in any thread. */
void gg_unpack_check(void *section_check, uint64_t which);
/* Fills the rest of r->graph after all sections have passed. */
void gg_unpack_derive(reader *r);

#endif
