/* Reading a graph's packed form: what its parts share.
**
**     unpack.c            the header, and the sections chunk by chunk
**     unpack_check.c      a chunk: its checksum, its numbers
**     unpack_derive.c     what of a graph is not stored but follows */
#ifndef GPUGRAPH_UNPACK_H
#define GPUGRAPH_UNPACK_H

#include "packed.h"

typedef struct reader {
    gpugraph_run *run;
    const gpugraph_stream *from;
    uint64_t at;
    packed_header header;
    gpugraph_graph *graph;
    /* Of all sections. */
    uint64_t largest, total; /* weights, each 2^32 - 1 at most */
    uint64_t integer_ends;   /* ends of edges that are INTEGER vertices */
} reader;

/* A section that is read and is being checked. */
typedef struct section_check {
    reader *r;
    const packed_section *section;
    uint64_t *sum; /* of each chunk */
    bool bad;      /* it has a number that may not be */
} section_check;

/* Fails the run because the graph is damaged: the name of a section (or NULL) and what is wrong with it. */
void gg_unpack_refuse(reader *r, const char *what, const char *name);
/* Checks chunk number `which` of a section. Any thread calls it. */
void gg_unpack_check(void *section_check, uint64_t which);
/* Fills the rest of r->graph, once all sections are read and right. */
void gg_unpack_derive(reader *r);

#endif
