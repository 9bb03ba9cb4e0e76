/* The packed form of a graph: a header and sections, one after the other, in this
** machine's byte order.
**
**     header     magic, version, byte order, sizes, kinds, its checksum     PACKED_HEADER bytes
**     section    an array of the graph, 0 up to a whole 8 bytes, its checksum
**     section    ...
**
** Sections, where the graph has such an array:
**
**     source, target, weight      by edge number; no source where edges are in its order:
**                                 then the offsets of the OUT CSR say it
**     edge_id
**     offset                      only there
**     id.integer, text offset, text bytes
**
** Rows are never stored beside edges: whoever made the bytes, a graph's rows are of its edges.
**
** A checksum is of chunks of PACKED_CHUNK bytes, which several threads work on, and what
** these give is mixed in order. */
#ifndef GPUGRAPH_PACKED_H
#define GPUGRAPH_PACKED_H

#include "gpugraph.h"

enum { PACKED_VERSION = 3, PACKED_SECTIONS = 8 };
#define PACKED_CHUNK ((uint64_t)1 << 20)

typedef struct packed_header {
    char magic[8]; /* "gpugraph" */
    uint64_t version, byte_order;
    uint64_t size; /* of all of it */
    uint64_t n, m;
    uint64_t weight_type, distance_type;
    uint64_t integer_count, first_integer, texts, text_bytes;
    uint64_t flags;
    uint64_t checksum; /* of all before it */
} packed_header;

enum packed_flags {
    PACKED_EDGE_IDS = 1,
    PACKED_EQUAL_EDGE_IDS = 2, /* there may be some */
    PACKED_INTEGERS = 4,       /* they are listed, not consecutive */
    PACKED_IN_ORDER = 8,       /* edges are in the order of their sources */
    PACKED_FLAGS = 15
};

/* What the numbers of a section may be. */
enum packed_numbers {
    PACKED_VERTICES,    /* below n */
    PACKED_OFFSETS,     /* from 0 up to a limit, never falling */
    PACKED_RISING,      /* INTEGERs that always rise */
    PACKED_NOT_FALLING, /* INTEGERs that never fall */
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

/* The sections that a graph with this header has. Returns how many. */
int gg_packed_sections(const packed_header *header, gpugraph_graph *graph,
                       packed_section *list);
/* Bytes of a section without its checksum; a whole number of 8. */
uint64_t gg_packed_bytes(const packed_section *section);
uint64_t gg_packed_total(const packed_section *list, int count);

/* Of a chunk; which: its number in the section. And of what the chunks gave, in order. */
uint64_t gg_chunk_checksum(const void *bytes, uint64_t count, uint64_t which);
/* GPUGRAPH_INVALID and a sentence where it cannot be called. (pack.c) */
bool gg_stream_works(const gpugraph_stream *stream, gpugraph_run *run);
uint64_t gg_mix_checksums(uint64_t before, uint64_t next);
uint64_t gg_header_checksum(const packed_header *header);

#endif
