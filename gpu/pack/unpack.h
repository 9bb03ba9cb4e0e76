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
    packed_section list[PACKED_SECTIONS];
    uint64_t *sums[PACKED_SECTIONS]; /* of chunks */
    uint64_t want[PACKED_SECTIONS];  /* checksums as read */
    int sections;
    uint64_t first_chunk[PACKED_SECTIONS + 1],
        chunks;              /* of each section, numbered through */
    uint64_t ready, checked; /* chunks that are read, and taken to be checked */
    /* found by the threads that check */
    int bad; /* a section, from 1, with a number that may not be */
    uint64_t largest, total, integer_ends;
} reader;

/* The graph is damaged: the name of a section (or NULL) and what is wrong with it. */
void gg_unpack_refuse(reader *r, const char *what, const char *name);
/* Chunk number `which` of section i, once it is read. Any thread calls it. */
void gg_unpack_check(reader *r, int i, uint64_t which);
/* Fills the rest of r->graph, once all sections are read and right. */
void gg_unpack_derive(reader *r);

#endif
