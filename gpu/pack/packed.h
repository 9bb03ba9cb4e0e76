/* The packed form of a graph: a header and sections, one after the other, in the byte
** order of this machine.
**
**     header     magic, version, byte order, sizes, kinds, checksum         packed_header
**     section    an array of the graph, zeros up to a multiple of 8 bytes, its checksum
**     section    ...
**
** Sections, if the graph has such an array:
**
**     source, target, weight      by edge number; no source if edges are in the order of
**                                 their sources: then `offset` replaces it
**     edge_id
**     offset                      of the OUT CSR, only if edges are in this order
**     id.integer, text offset, text bytes
**
** No other rows are stored, so a graph's rows cannot contradict its edges.
**
** A section's checksum mixes the checksums of its chunks of PACKED_CHUNK bytes, in order.
** Several threads compute the checksums of chunks. */
#ifndef GPUGRAPH_PACKED_H
#define GPUGRAPH_PACKED_H

#include "gpugraph.h"

enum { PACKED_VERSION = 3, PACKED_SECTIONS = 8 };
#define PACKED_CHUNK ((uint64_t)1 << 20)

typedef struct packed_header {
    char magic[8]; /* "gpugraph" */
    uint64_t version, byte_order;
    uint64_t size; /* bytes of the whole form */
    uint64_t n, m;
    uint64_t weight_type, distance_type;
    uint64_t integer_count, first_integer, texts, text_bytes;
    uint64_t flags;
    uint64_t checksum; /* checksum of all members before it */
} packed_header;

enum packed_flags {
    PACKED_EDGE_IDS = 1,
    PACKED_EQUAL_EDGE_IDS = 2, /* edge ids may repeat */
    PACKED_INTEGERS = 4,       /* INTEGER ids are listed, not consecutive */
    PACKED_IN_ORDER = 8,       /* edges are in the order of their sources */
    PACKED_FLAGS = 15
};

/* The numbers that a section may have. */
enum packed_numbers {
    PACKED_VERTICES,    /* below n */
    PACKED_OFFSETS,     /* from 0 to a limit, never falling */
    PACKED_RISING,      /* strictly ascending INTEGERs */
    PACKED_NOT_FALLING, /* ascending INTEGERs that may repeat */
    PACKED_WEIGHTS,
    PACKED_BYTES
};

typedef struct packed_section {
    const char *name;
    void **array; /* in the graph */
    uint64_t count;
    size_t size;
    enum packed_numbers numbers;
    uint64_t limit;
} packed_section;

/* Lists the sections of a graph with this header. Returns their number. */
int gg_packed_sections(const packed_header *header, gpugraph_graph *graph,
                       packed_section *list);
/* gg_packed_bytes returns the bytes of a section without its checksum, a multiple of 8;
** gg_packed_total returns the bytes of the whole form. */
uint64_t gg_packed_bytes(const packed_section *section);
uint64_t gg_packed_total(const packed_section *list, int count);

/* Returns the checksum of chunk number `which` of a section. gg_mix_checksums adds the
** checksum of the next chunk. */
uint64_t gg_chunk_checksum(const void *bytes, uint64_t count, uint64_t which);
/* Fails with GPUGRAPH_INVALID if the stream has no function. (pack.c) */
bool gg_stream_works(const gpugraph_stream *stream, gpugraph_run *run);
uint64_t gg_mix_checksums(uint64_t before, uint64_t next);
uint64_t gg_header_checksum(const packed_header *header);

#endif
