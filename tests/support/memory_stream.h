/* A gpugraph_stream that is a block of memory, and can fail. */
#ifndef TEST_MEMORY_STREAM_H
#define TEST_MEMORY_STREAM_H

#include "gpugraph.h"

typedef struct memory_file {
    char *bytes;
    uint64_t size, at;         /* at: where the next transfer must begin */
    int transfers, fail_after; /* transfers that succeed; negative: all */
    bool strayed;              /* a transfer was out of order, or beyond the end */
} memory_file;

/* Writing and reading; both begin at 0. */
gpugraph_stream memory_writer(memory_file *file, uint64_t size);
gpugraph_stream memory_reader(memory_file *file);
void memory_file_free(memory_file *file);

/* Packs a graph; aborts if packing fails. */
void memory_pack(gpugraph_graph *graph, memory_file *file);

/* Recomputes all checksums as far as there are sections; false: the header does not fit
** the size. */
bool memory_sign(memory_file *file);

#endif
