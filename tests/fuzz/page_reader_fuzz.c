/* libFuzzer target: arbitrary bytes as the pages of a database file, walked and decoded.
** Wanted is only that nothing crashes, hangs or reads outside its buffers.
**
**     clang -std=gnu11 -g -O1 -fopenmp -fsanitize=fuzzer,address,undefined -DSQLITE_CORE
**           -Iext -Igpu tests/fuzz/page_reader_fuzz.c ext/page_format.c ext/page_walk.c
**           ext/intern.c ext/big_block.c
**           -lsqlite3 -o page_reader_fuzz
**     mkdir -p corpus && ./page_reader_fuzz -max_len=20000 corpus
**
** The input is one byte of settings, two bytes of wanted columns, and then page 2 and
** the pages behind it (page 1 is never read by the walk). The root is page 2. The pages
** are 512 bytes, so that a few kilobytes make a tree. */
#include <stdlib.h>
#include <string.h>

#include "page_format.h"

enum { SIZE = 512, SETTINGS = 3 };

struct bytes_file {
    sqlite3_file file;
    const uint8_t *bytes;
    size_t count;
};

static int bytes_read(sqlite3_file *file, void *to, int count, sqlite3_int64 offset) {
    const struct bytes_file *f = (const struct bytes_file *)file;
    size_t at = (size_t)offset - SIZE; /* page 2 is where the bytes begin */
    if ((size_t)offset < SIZE || at + (size_t)count > f->count)
        return SQLITE_IOERR_SHORT_READ;
    memcpy(to, f->bytes + at, (size_t)count);
    return SQLITE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sqlite3_io_methods methods = {.iVersion = 1, .xRead = bytes_read};
    if (size < SETTINGS + SIZE)
        return 0;
    struct bytes_file f = {{&methods}, data + SETTINGS, size - SETTINGS};
    intern texts = {0};
    page_source source = {.file = &f.file,
                          .pages = (uint32_t)(f.count / SIZE) + 1,
                          .threads = 1,
                          .texts = &texts};
    page_layout layout = {.page_size = SIZE,
                          .usable = SIZE - (data[0] & 31),
                          .weighted = data[0] & 32,
                          .real = data[0] & 64,
                          .text = data[1] & 128,
                          .at_text = PAGE_ID_TYPE,
                          .column = {data[1] % 20 - 1, data[2] % 20 - 1, data[2] / 20}};
    page_leaves leaves;
    page_columns columns = {0};

    if (data[0] & 128) { /* the layout that has code of its own */
        layout.column[0] = 0;
        layout.column[1] = 1;
        layout.column[2] = 2;
    }
    page_layout_finish(&layout);
    if (page_list(&source, &layout, 2, &leaves) == PAGE_FINE &&
        page_collect(&source, &layout, &leaves, &columns) == PAGE_FINE) {
        int64_t sum = 0; /* every entry that was promised can be read */
        for (int64_t i = 0; i < columns.count; i++)
            sum += columns.source[i] ^ columns.target[i];
        for (int64_t i = 0; i < texts.count; i++)
            sum +=
                texts.offset[i + 1] > texts.offset[i] ? texts.bytes[texts.offset[i]] : 0;
        if (columns.count < 0 || (columns.count == 0 && texts.count == 0 && sum != 0))
            __builtin_trap();
    }
    free(leaves.page);
    page_columns_clear(&columns);
    intern_clear(&texts);
    return 0;
}
