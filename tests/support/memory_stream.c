#include "graph_data.h"
#include "memory_stream.h"

#include "pack/packed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool in_turn(memory_file *file, size_t count, uint64_t at) {
    bool good = at == file->at && count <= file->size - at;
    file->strayed |= !good;
    file->at = at + count;
    return good && (file->fail_after < 0 || file->transfers++ < file->fail_after);
}

static int write_to(void *context, void *bytes, size_t count, uint64_t at) {
    memory_file *file = context;
    if (!in_turn(file, count, at))
        return 1;
    if (count)
        memcpy(file->bytes + at, bytes, count);
    return 0;
}

static int read_from(void *context, void *bytes, size_t count, uint64_t at) {
    memory_file *file = context;
    if (!in_turn(file, count, at))
        return 1;
    if (count)
        memcpy(bytes, file->bytes + at, count);
    return 0;
}

gpugraph_stream memory_writer(memory_file *file, uint64_t size) {
    *file = (memory_file){.bytes = malloc(size + 1), .size = size, .fail_after = -1};
    if (!file->bytes)
        abort();
    return (gpugraph_stream){write_to, file};
}

gpugraph_stream memory_reader(memory_file *file) {
    file->at = 0;
    file->transfers = 0;
    return (gpugraph_stream){read_from, file};
}

void memory_file_free(memory_file *file) {
    free(file->bytes);
    file->bytes = NULL;
}

void memory_pack(gpugraph_graph *graph, memory_file *file) {
    gpugraph_run run = {.threads = 2};
    gpugraph_stream to = memory_writer(file, gpugraph_packed_size(graph));
    if (gpugraph_pack(graph, &run, &to) || file->strayed || file->at != file->size) {
        fprintf(stderr, "pack: %s, %llu of %llu bytes\n", run.message,
                (unsigned long long)file->at, (unsigned long long)file->size);
        abort();
    }
}

bool memory_sign(memory_file *file) {
    packed_header header;
    packed_section list[PACKED_SECTIONS];
    gpugraph_graph graph;
    if (file->size < sizeof header)
        return false;
    memcpy(&header, file->bytes, sizeof header);
    header.checksum = gg_header_checksum(&header);
    memcpy(file->bytes, &header, sizeof header);
    if (header.n > file->size || header.m > file->size || header.texts > file->size ||
        header.integer_count > file->size || header.text_bytes > file->size)
        return false;
    int sections = gg_packed_sections(&header, &graph, list);
    if (gg_packed_total(list, sections) != file->size)
        return false;
    char *at = file->bytes + sizeof header;
    for (int i = 0; i < sections; i++) {
        uint64_t bytes = list[i].count * list[i].size, sum = 0;
        for (uint64_t k = 0; k < bytes; k += PACKED_CHUNK) {
            uint64_t count = bytes - k < PACKED_CHUNK ? bytes - k : PACKED_CHUNK;
            sum =
                gg_mix_checksums(sum, gg_chunk_checksum(at + k, count, k / PACKED_CHUNK));
        }
        at += gg_packed_bytes(&list[i]);
        memcpy(at, &sum, sizeof sum);
        at += sizeof sum;
    }
    return true;
}
