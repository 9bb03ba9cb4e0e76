/* libFuzzer target: the page reader walks and decodes arbitrary bytes as the pages of a
** database file, its write-ahead log and the log's index. It must not crash, hang or read
** outside its buffers.
**
**     cmake -S . -B build-fuzz -DCMAKE_C_COMPILER=clang -DGPUGRAPH_CUDA=OFF
**           -DGPUGRAPH_SANITIZE=address -DGPUGRAPH_FUZZ=ON
**     cmake --build build-fuzz --target fuzz_targets
**     mkdir -p corpus && build-fuzz/tests/fuzz/page_reader_fuzz -max_len=20000 corpus
**
** The input has some bytes of settings, then page 2 and the pages behind it. The walk
** never reads page 1. The root is page 2. A page has 512 bytes, so that a few kilobytes
** make a tree. With a log, the last bytes of the input are the page numbers of its
** frames, and a frame has the bytes of one of the first pages. A bit of the settings adds
** a filter. */
#include <stdlib.h>
#include <string.h>

#include "cells_threads.h"
#include "pages/condition.h"
#include "pages/wal_frames.h"

enum { SIZE = 512, SETTINGS = 5, INDEX = 32768, INDEX_HEADER = 136, FRAME_HEADER = 24 };

struct bytes_file {
    sqlite3_file file;
    const uint8_t *bytes;
    size_t count;
    uint32_t *index; /* one region; NULL: no log */
};

static int bytes_read(sqlite3_file *file, void *to, int count, sqlite3_int64 offset) {
    const struct bytes_file *f = (const struct bytes_file *)file;
    size_t at = (size_t)offset - SIZE; /* page 2 is where the bytes begin */
    if ((size_t)offset < SIZE || at + (size_t)count > f->count)
        return SQLITE_IOERR_SHORT_READ;
    memcpy(to, f->bytes + at, (size_t)count);
    return SQLITE_OK;
}

/* The first 16 frames have the bytes of pages 2 .. 17, and so on. Each header has the
** page number that the index gives. */
static int log_read(sqlite3_file *file, void *to, int count, sqlite3_int64 offset) {
    const struct bytes_file *f = (const struct bytes_file *)file;
    size_t frame = (size_t)(offset - 32) / (SIZE + FRAME_HEADER);
    size_t within = (size_t)(offset - 32) % (SIZE + FRAME_HEADER);
    if (within == 0) {
        uint8_t header[FRAME_HEADER] = {0};
        uint32_t page = (uint32_t)((const uint8_t *)f->index)[INDEX_HEADER + frame * 4];
        header[3] = (uint8_t)page;
        memcpy(header + 8, f->index + WAL_SALT, 8);
        memcpy(to, header, (size_t)count);
        return SQLITE_OK;
    }
    return bytes_read(file, to, count, (int64_t)(frame % 16 + 1) * SIZE);
}

static int map_index(sqlite3_file *file, int region, int bytes, int extend,
                     void volatile **at) {
    (void)bytes, (void)extend;
    *at = region == 0 ? ((struct bytes_file *)file)->index : NULL;
    return SQLITE_OK;
}

static void barrier(sqlite3_file *file) {
    (void)file;
}

/* Makes a valid header of the index. The rest of the index comes from the input. */
static void make_index(uint32_t *index, const uint8_t *data, size_t size) {
    wal_header h = {.word = {[WAL_VERSION] = 3007000, [WAL_LAST_FRAME] = data[0]}};
    memset(index, 0, INDEX);
    for (int i = 0; i < WAL_CHECKSUM; i += 2) {
        h.word[WAL_CHECKSUM] += h.word[i] + h.word[WAL_CHECKSUM + 1];
        h.word[WAL_CHECKSUM + 1] += h.word[i + 1] + h.word[WAL_CHECKSUM];
    }
    memcpy(index, &h, sizeof h);
    memcpy(index + WAL_WORDS, &h, sizeof h);
    index[2 * WAL_WORDS] = data[1]; /* backfilled */
    for (size_t i = 0; i < 256 && i < size; i++)
        ((uint8_t *)index)[INDEX_HEADER + 4 * i] = data[size - 1 - i] % 64;
}

/* The decoder of a device must find the rows that the page reader finds. */
static void look_there(const page_source *source, const page_leaves *leaves,
                       const page_columns *here) {
    gpugraph_run run = {0};
    const page_table t = {.place = &cells_here, .run = &run};
    page_columns there;
    page_short old;
    if (page_send(&t, source, leaves, &there, &old) != PAGE_FINE)
        return;
    if (!(here->id[0] || here->id32[0]) || there.count != here->count ||
        there.slow_rows != here->slow_rows || !there.rowid != !here->rowid)
        __builtin_trap();
    const struct cells_view *v = &((struct cells_here *)there.cells)->v;
    const size_t bytes = (size_t)here->count * sizeof(int64_t);
    const bool weighted = here->weight || here->weight32;
    for (int64_t i = 0; i < here->count; i++) {
        if (v->to[CELL_SOURCE][i] != page_id_at(here, 0, i) ||
            v->to[CELL_TARGET][i] != page_id_at(here, 1, i) ||
            (weighted && v->to[CELL_WEIGHT][i] != page_weight_at(here, i)))
            __builtin_trap();
    }
    if (here->rowid && memcmp(there.rowid, here->rowid, bytes) != 0)
        __builtin_trap();
    page_columns_clear(&there);
}

/* Makes "a < 'm' OR b <= 5", with these columns of the record. */
static page_condition *make_filter(int a, int b) {
    page_condition *c = calloc(1, sizeof *c);
    *c = (page_condition){
        .tests = 2,
        .columns = 2,
        .stored = 2,
        .order = {a > b, a <= b},
        .column = {{.at = a}, {.at = b, .real = true, .known = true}},
        .test = {{.literal = {.type = SQLITE_TEXT, .length = 1, .bytes = (uint8_t *)"m"},
                  .next = {PAGE_YES, 1, 1, 1},
                  .affinity = PAGE_AS_NUMERIC,
                  .collation = 'N'},
                 {.literal = {.type = SQLITE_INTEGER, .integer = 5},
                  .next = {PAGE_YES, PAGE_YES, PAGE_NO, PAGE_NO},
                  .column = 1,
                  .affinity = PAGE_AS_BLOB,
                  .collation = 'B'}}};
    c->column[1].missing.type = SQLITE_NULL;
    return c;
}

/* Reads every entry of the columns. */
static void look_at(const page_columns *columns, const intern *texts, bool filtered) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < columns->count; i++)
        sum ^=
            (uint64_t)(page_id_at(columns, 0, i) ^ page_id_at(columns, 1, i) ^
                       (columns->weight || columns->weight32 ? page_weight_at(columns, i)
                                                             : 0) ^
                       (columns->reverse ? columns->reverse[i] : 0) ^
                       (columns->edge_id ? columns->edge_id[i] : 0));
    for (int64_t i = 0; i < columns->halves; i++)
        if (columns->half[i] >> 2 >= columns->count ||
            !(filtered || columns->half[i] & 3) ||
            (i && columns->half[i] >> 2 <= columns->half[i - 1] >> 2))
            __builtin_trap();
    for (int64_t i = 0; i < texts->count; i++)
        sum ^= texts->offset[i + 1] > texts->offset[i]
                   ? (uint8_t)texts->bytes[texts->offset[i]]
                   : 0;
    if (columns->count < 0 || (columns->count == 0 && texts->count == 0 && sum != 0))
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sqlite3_io_methods methods = {
        .iVersion = 2, .xRead = bytes_read, .xShmMap = map_index, .xShmBarrier = barrier};
    static const sqlite3_io_methods log_methods = {.iVersion = 1, .xRead = log_read};
    static uint32_t index[INDEX / 4];
    static page_numbers *numbers;
    if (size < SETTINGS + SIZE)
        return 0;
    if (!numbers)
        numbers = page_numbers_open();
    struct bytes_file f = {{&methods}, data + SETTINGS, size - SETTINGS, index},
                      log = {{&log_methods}, f.bytes, f.count, index};
    intern texts = {0};
    wal_frames frames = {0};
    page_source source = {.file = &f.file,
                          .pages = (uint32_t)(f.count / SIZE) + 1,
                          .threads = 1,
                          .numbers = &numbers,
                          .texts = &texts};
    page_layout layout = {.page_size = SIZE,
                          .usable = SIZE - (data[0] & 31),
                          .encoding = (enum page_encoding)(1 + data[3] % 3),
                          .auto_vacuum = data[3] >> 7,
                          .longest = 1000000000,
                          .columns = data[4] & 192  ? PAGE_COLUMNS
                                     : data[0] & 32 ? 3
                                                    : 2,
                          .real = data[0] & 64,
                          .null = data[4] & 32,
                          .ask = data[3] & 4,
                          .text = data[1] & 128,
                          .at_text = PAGE_ID_TYPE,
                          .column = {data[1] % 20 - 1, data[2] % 20 - 1, data[2] / 20,
                                     data[1] % 7, data[2] % 13}};
    source.layout = &layout;
    page_leaves leaves;
    page_columns columns = {0};
    page_short old;

    if (data[0] & 128) { /* the layout for which the reader has special code */
        layout.column[0] = 0;
        layout.column[1] = 1;
        layout.column[2] = 2;
    }
    if (!(data[0] & 32))
        layout.column[PAGE_WEIGHT] = PAGE_NO_COLUMN;
    if (!(data[4] & 64))
        layout.column[PAGE_EDGE_ID] = PAGE_NO_COLUMN;
    if (!(data[4] & 128))
        layout.column[PAGE_REVERSE] = PAGE_NO_COLUMN;
    for (int k = 0; k < PAGE_COLUMNS; k++)
        layout.missing[k] = (page_missing){.known = data[3] >> (3 + k % 3) & 1,
                                           .type = 1 + data[4] % 5,
                                           .length = 4,
                                           .text = memcpy(malloc(4), "text", 4)};
    if (data[4] & 16) {
        layout.filter = make_filter(data[0] % 9, data[2] % 21);
        layout.null = true;
    }
    if (data[3] & 64) {
        make_index(index, data, size);
        wal_header before;
        memcpy(&before, index, sizeof before);
        before.word[WAL_LAST_FRAME] = data[4];
        if (wal_frames_list(&frames, &f.file, &log.file, &before, SIZE) == PAGE_FINE)
            source.wal = &frames;
    }
    page_layout_finish(&layout);
    if (page_list(&source, 2, &(page_wanted){0}, &leaves) == PAGE_FINE) {
        enum page_reason reason = page_collect(&source, &leaves, &columns, &old);
        if (reason == PAGE_ID_WIDE || reason == PAGE_WEIGHT_WIDE) {
            intern_clear(&texts);
            layout.wide = PAGE_WIDE_IDS | PAGE_WIDE_WEIGHTS;
            page_layout_finish(&layout);
            reason = page_collect(&source, &leaves, &columns, &old);
        }
        if (reason == PAGE_FINE)
            look_at(&columns, &texts, layout.filter);
        look_there(&source, &leaves, &columns);
    }
    free(leaves.page);
    page_columns_clear(&columns);
    page_layout_clear(&layout);
    wal_frames_clear(&frames);
    intern_clear(&texts);
    return 0;
}
