/* Tests the decoder of cells for devices (gpu/cells.h) on the CPU. It must give the rows
** of SELECT for all contents of leaves, also if the device fails. The other tests of the
** page reader (random tables, damaged files and logs) also compare with this decoder.
** A warp has one lane, or 32 lanes with TEST_WIDE_WARPS. With TEST_ON_DEVICE a device
** runs the decoder. */
#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif

#include <stdatomic.h>

#include "page_compare.h"
#include "pages/format.h"
#include "suite.h"

/* Lanes take turns by system calls, which makes them a thousand times as slow as one
** lane. */
enum { ROWS = warp_width == 1 ? 4000 : 400 };

/* Compares the table with its decoded rows. Returns the number of unusual leaves; -1: the
** device did not take the table. */
static int64_t there(const page_table *t) {
    decoded_there = unusual_leaves = 0;
    check_read(t);
    return decoded_there ? unusual_leaves : -1;
}

static void make(const char *columns) {
    run_sql(db, "CREATE TABLE e(%s); CREATE TEMP TABLE f(src, dst, w)", columns);
    fill(db, "f", ROWS);
    run_sql(db, "INSERT OR IGNORE INTO e(src, dst, w) SELECT * FROM f; DROP TABLE f");
}

/* ---- usual leaves only ---- */

static const int page_sizes[] = {512, 1024, 4096, 65536};

START_TEST(test_usual) {
    page_table t = edges(db);
    run_sql(db, "PRAGMA page_size = %d", page_sizes[_i]);
    make("src, dst, w");
    ck_assert_int_eq(there(&t), 0);
    run_sql(db, "DELETE FROM e WHERE rowid %% 7 = 3; INSERT INTO e(rowid, src, dst, w) "
                "VALUES(-5, 1, 2, 3), (9223372036854775806, 4, 5, 6)");
    ck_assert_int_le(there(&t), 2); /* rowids of 9 bytes are unusual */
    t.column[PAGE_WEIGHT] = NULL;
    ck_assert_int_ge(there(&t), 0);
}
END_TEST

static const char *const layouts[] = {
    "dst, src, w",
    "w, a, b, src, dst",
    "id INTEGER PRIMARY KEY, src, dst, w",
    "src INTEGER PRIMARY KEY, dst, w",
    "a, b, c, d, f, g, h, i, j, k, l, m, n, src, dst, w",
    "src, dst, w INTEGER PRIMARY KEY",
    "src, dst, w REAL"};

START_TEST(test_layouts) {
    page_table t = edges(db);
    make(layouts[_i]);
    run_sql(db, "UPDATE e SET w = w + 0.5 WHERE %d", _i == 6);
    if (_i == 2)
        t.rowid = "id";
    ck_assert_int_eq(there(&t), 0);
}
END_TEST

/* Tables that a device does not take: wanted columns behind the 16th, a reverse weight,
** an edge id, no rows. */
START_TEST(test_not_for_the_place) {
    page_table t = edges(db);
    make("a, b, c, d, f, g, h, i, j, k, l, m, n, o, src, dst, w, back, id");
    ck_assert_int_eq(there(&t), -1);
    run_sql(db, "DROP TABLE e");
    make("src, dst, w, back, id");
    run_sql(db, "UPDATE e SET back = 1, id = 2");
    t.column[PAGE_REVERSE] = "back";
    ck_assert_int_eq(there(&t), -1);
    t.column[PAGE_REVERSE] = NULL;
    t.column[PAGE_EDGE_ID] = "id";
    ck_assert_int_eq(there(&t), -1);
    t.column[PAGE_EDGE_ID] = NULL;
    run_sql(db, "DELETE FROM e");
    ck_assert_int_eq(there(&t), -1);
}
END_TEST

/* ---- a few unusual rows ---- */

/* Changes of some rows. here: the host then decodes the leaves of these rows; otherwise
** it decodes the whole table. */
static const struct {
    const char *sql;
    bool here;
} oddities[] = {
    {"UPDATE e SET src = 7.0 WHERE rowid = %d", true},
    {"UPDATE e SET w = '12' WHERE rowid = %d", true},
    {"UPDATE e SET w = 2.5 WHERE rowid = %d", true}, /* read again with REAL weights */
    {"UPDATE e SET tail = zeroblob(9000) WHERE rowid = %d", true},
    {"UPDATE e SET head = zeroblob(9000) WHERE rowid = %d", true},
    {"UPDATE e SET head = hex(zeroblob(70)) WHERE rowid = %d", true},
    /* serial type 0x81 0x02 */
    {"UPDATE e SET head = zeroblob(59) WHERE rowid = %d", true},
    {"DELETE FROM e WHERE rowid = %d", true},
    {"UPDATE e SET rowid = rowid + (1 << 57) WHERE rowid = %d", true},
    {"UPDATE e SET src = NULL WHERE rowid = %d", false},
    {"UPDATE e SET dst = 'text' WHERE rowid = %d", false},
    {"UPDATE e SET w = '1e2' WHERE rowid = %d", false},
};

START_TEST(test_oddities) {
    intern texts = {0};
    page_table t = edges(db);
    t.texts = &texts;
    run_sql(db, "PRAGMA page_size = 1024");
    make("head, src, dst, w, tail");
    ck_assert_int_eq(there(&t), 0);
    for (int row = 1; row <= ROWS; row += ROWS / 3) {
        run_sql(db, "SAVEPOINT s");
        run_sql(db, oddities[_i].sql, row);
        run_sql(db, "RELEASE s");
        int64_t unusual = there(&t);
        ck_assert_msg((unusual >= 0) == oddities[_i].here, "%lld unusual after %s",
                      (long long)unusual, oddities[_i].sql);
    }
    intern_clear(&texts);
}
END_TEST

/* Rows that are older than a column. */
START_TEST(test_short_rows) {
    page_table t = edges(db);
    run_sql(db, "PRAGMA page_size = 1024; CREATE TABLE e(src, dst)");
    run_sql(db, "INSERT INTO e VALUES(1, 2), (3, 4)");
    run_sql(db, "ALTER TABLE e ADD COLUMN w DEFAULT 5");
    fill(db, "e(src, dst, w)", ROWS);
    ck_assert_int_eq(there(&t), 1);
}
END_TEST

/* With too many unusual leaves the host decodes all. */
START_TEST(test_too_many) {
    page_table t = edges(db);
    run_sql(db, "PRAGMA page_size = 512");
    make("src, dst, w");
    run_sql(db, "UPDATE e SET w = '12' WHERE rowid %% 3 = 0");
    ck_assert_int_eq(there(&t), warp_width == 1 ? -1 : 15);
}
END_TEST

/* Reserved bytes at the end of each page. */
START_TEST(test_reserved) {
    page_table t = edges(db);
    int reserved = 40;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    make("src, dst, w");
    run_sql(db, "VACUUM");
    ck_assert_int_eq(there(&t), 0);
}
END_TEST

/* The last cell of a page claims the longest header and values. It is refused, and
** nothing is read behind PAGE_PAD. */
START_TEST(test_last_cell) {
    enum { SIZE = 512 };
    page_layout layout = {
        .page_size = SIZE,
        .usable = SIZE,
        .longest = 1000000,
        .columns = 2,
        .column = {14, 15, PAGE_NO_COLUMN, PAGE_NO_COLUMN, PAGE_NO_COLUMN}};
    uint8_t *page = calloc(1, SIZE + PAGE_PAD);
    int64_t value[2];
    page_helper helper = {0};
    page_rows rows = {.id = {value, value + 1}, .helper = &helper};
    page_layout_finish(&layout);
    page[0] = PAGE_LEAF;
    page[4] = 1;
    page[8] = (SIZE - 26) >> 8;
    page[9] = (SIZE - 26) & 255;
    memset(page + SIZE - 26, 0x80, 10);
    page[SIZE - 26] = 0x83; /* a payload that fits the page */
    page[SIZE - 25] = 0x5d;
    page[SIZE - 17] = 1;   /* a rowid of 8 bytes */
    page[SIZE - 16] = 255; /* the header, and 15 texts of 57 bytes */
    memset(page + SIZE - 15, 127, 15);
    ck_assert_int_eq(page_leaf_cells(&layout, page), 1);
    ck_assert_int_ne(page_leaf(&layout, page, &rows), PAGE_FINE);
    free(page);
}
END_TEST

/* ---- leaves of random bytes ---- */

enum { WIDE = warp_width > 1, LEAF = 512, LEAVES = WIDE ? 200 : 40000 };

static uint64_t random_state;

static uint32_t pick(uint32_t below) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)((z ^ z >> 31) >> 33) % below;
}

/* Writes a cell that ends before page[end]; its record has `columns` columns. Returns its
** offset. */
static uint32_t put_cell(uint8_t *page, uint32_t end, uint32_t columns, int64_t rowid) {
    static const uint8_t size[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    uint8_t cell[256], value[160];
    uint32_t header = columns + 1, values = 0, at = 0;
    uint8_t types[16];
    for (uint32_t c = 0; c < columns; c++) {
        types[c] = (uint8_t)(pick(WIDE ? 90 : 12) ? 1 + pick(WIDE ? 6 : 8) : pick(16));
        uint32_t bytes = types[c] < 12 ? size[types[c]] : (types[c] - 12u) / 2;
        /* NaN, infinity and their neighbours */
        const bool odd = types[c] == 7 && pick(3) == 0;
        for (uint32_t i = 0; i < bytes; i++)
            value[values++] = (uint8_t)(!odd     ? pick(256)
                                        : i == 0 ? 0x7f | pick(2) << 7
                                        : i == 1 ? 0xf0
                                        : i == 7 ? pick(2)
                                                 : 0);
    }
    cell[at++] = (uint8_t)(header + values);
    for (int shift = 49; shift >= 0; shift -= 7)
        if (rowid >> shift || !shift)
            cell[at++] = (uint8_t)((rowid >> shift & 127) | (shift ? 128 : 0));
    cell[at++] = (uint8_t)header;
    memcpy(cell + at, types, columns);
    memcpy(cell + at + columns, value, values);
    at += columns + values;
    memcpy(page + end - at, cell, at);
    return end - at;
}

static void draw_leaf(uint8_t *page, uint32_t usable, uint32_t columns) {
    uint32_t end = usable, cells = pick(WIDE ? 40 : 8);
    int64_t rowid = 1 + pick(300) * (int64_t)(pick(4) ? 1 : 1 << 25);
    memset(page, 0, LEAF + PAGE_PAD + CELLS_PAD);
    page[0] = PAGE_LEAF;
    for (uint32_t i = 0; i < cells && end > 160 + 8 + 2 * cells; i++) {
        end = put_cell(page, end, columns, rowid);
        page[PAGE_LEAF_HEADER + 2 * i] = (uint8_t)(end >> 8);
        page[PAGE_LEAF_HEADER + 2 * i + 1] = (uint8_t)end;
        page[4]++;
        rowid += 1 + pick(2) * pick(200);
    }
    /* half of the damage is in the first bytes of the last cell */
    for (uint32_t k = pick(3); k > 0; k--) {
        uint32_t at = end + pick(pick(2) ? 8 : usable - end ? usable - end : 1);
        page[at] = (uint8_t)(pick(2) ? page[at] + pick(5) - 2 : pick(256));
    }
}

static int no_page(sqlite3_file *file, void *to, int bytes, sqlite3_int64 at) {
    (void)file, (void)to, (void)bytes, (void)at;
    return SQLITE_IOERR;
}

/* True if the fast decoder of the page reader takes each cell of the leaf. */
static bool read_leaf(const page_layout *layout, const uint8_t *page, int64_t **value,
                      int64_t *rows_read) {
    static uint8_t overflow[LEAF];
    static const sqlite3_io_methods methods = {.iVersion = 1, .xRead = no_page};
    const page_source source = {
        .file = &(sqlite3_file){&methods}, .layout = layout, .pages = 9};
    page_helper helper = {.source = &source, .overflow = overflow};
    page_rows rows = {.rowid = value[CELL_ROWID],
                      .id = {value[CELL_SOURCE], value[CELL_TARGET]},
                      .weight = value[CELL_WEIGHT],
                      .helper = &helper};
    bool read = page_leaf(layout, page, &rows) == PAGE_FINE;
    page_store_empty(&helper.store);
    *rows_read = rows.at;
    return read && rows.slow == 0;
}

/* A leaf is usual exactly if the fast decoder of the page reader takes every cell, and
** then both give the same rows. */
START_TEST(test_random_leaves) {
    static uint8_t page[LEAF + PAGE_PAD + CELLS_PAD] __attribute__((aligned(16)));
    static int64_t mine[CELL_COLUMNS][LEAF], theirs[CELL_COLUMNS][LEAF];
    int64_t *value[CELL_COLUMNS], rows, first, ends;
    int both[2] = {0};
    random_state = 7;
    for (int n = 0; n < LEAVES; n++) {
        const int columns = 2 + (int)pick(3);
        page_layout layout = {.page_size = LEAF,
                              .usable = LEAF - pick(2) * 12,
                              .longest = 1000000,
                              .columns = 3,
                              .wide = PAGE_WIDE_IDS | PAGE_WIDE_WEIGHTS,
                              .real = pick(2),
                              .at_text = PAGE_ID_TYPE,
                              .column = {(int)pick(4) - 1, (int)pick(4) - 1,
                                         (int)pick(4) - 1, PAGE_NO_COLUMN,
                                         PAGE_NO_COLUMN}};
        page_layout_finish(&layout);
        if (layout.last < 0)
            continue;
        draw_leaf(page, layout.usable, (uint32_t)columns);
        uint32_t count = 0, word[CELLS_WORDS] = {0};
        uint64_t start[2] = {0};
        uint8_t unusual = 9;
        struct cells_view v = {
            .pages = page,
            .page_size = LEAF,
            .usable = layout.usable,
            .leaves = 1,
            .column = {layout.column[0], layout.column[1], layout.column[2]},
            .last = layout.last,
            .real = layout.real,
            .count = &count,
            .start = start,
            .first = &first,
            .ends = &ends,
            .unusual = &unusual,
            .word = word};
        for (int k = 0; k < CELL_COLUMNS; k++) {
            v.to[k] = mine[k];
            value[k] = theirs[k];
        }
        cells_count(&v, 0);
        ck_assert_int_eq(word[CELLS_DAMAGED], page_leaf_cells(&layout, page) < 0);
        if (word[CELLS_DAMAGED])
            continue;
        by_a_warp(&(struct leaf_of){&v, 0});
        const bool usual = read_leaf(&layout, page, value, &rows);
        ck_assert_msg(usual == !unusual, "leaf %d: %d here, %d there", n, usual,
                      !unusual);
        both[usual && rows > 0]++;
        for (int k = 0; k < CELL_COLUMNS && usual; k++)
            ck_assert_msg(rows == count &&
                              memcmp(mine[k], theirs[k], (size_t)rows * 8) == 0,
                          "leaf %d: column %d differs", n, k);
        ck_assert(!usual || rows == 0 ||
                  (first == mine[CELL_ROWID][0] && ends == mine[CELL_ROWID][rows - 1]));
    }
    ck_assert_msg(both[0] > LEAVES / 20 && both[1] > LEAVES / 20, "%d and %d", both[0],
                  both[1]);
}
END_TEST

/* ---- a device that fails ---- */

static atomic_int steps_to_failure;
static gpugraph_run failing_run;
static gpugraph_status failure;

static bool step(void) {
    if (atomic_fetch_sub(&steps_to_failure, 1) != 0)
        return true;
    failing_run.status = failure;
    return false;
}

static gg_cells *failing_open(const gg_cell_layout *layout, uint32_t leaves,
                              gpugraph_run *run);
static uint8_t *failing_block(gg_cells *cells) {
    return step() ? cells_here.block(cells) : NULL;
}
static bool failing_decode(gg_cells *cells) {
    return step() && cells_here.decode(cells);
}
static bool failing_put(gg_cells *cells, uint32_t leaf, const gg_cell_rows *rows) {
    return step() && cells_here.put(cells, leaf, rows);
}
static bool failing_settle(gg_cells *cells) {
    return step() && cells_here.settle(cells);
}
static bool failing_weigh(gg_cells *cells) {
    return step() && cells_here.weigh(cells);
}
static bool failing_bring(gg_cells *cells, enum gg_cell_column column, uint64_t from,
                          uint64_t count, int64_t *to) {
    return step() && cells_here.bring(cells, column, from, count, to);
}
static gpugraph_status failing_close(gg_cells *cells) {
    return step() ? cells_here.close(cells) : failure;
}

static const gg_cell_place failing_place = {&here_least,   HERE_BLOCK,     failing_open,
                                            failing_block, here_send,      failing_decode,
                                            failing_put,   failing_settle, failing_weigh,
                                            failing_bring, failing_close,  here_free};

static gg_cells *failing_open(const gg_cell_layout *layout, uint32_t leaves,
                              gpugraph_run *run) {
    run->status = GPUGRAPH_OK;
    gg_cells *cells = step() ? cells_here.open(layout, leaves, run) : NULL;
    if (cells)
        cells->place = &failing_place;
    return cells;
}

/* The n-th step of the device fails, for every n, and the table is still read. An
** interrupt at such a step ends the read. */
START_TEST(test_failing_place) {
    page_table t = edges(db);
    page_columns c;
    const char *why;
    failure = _i ? GPUGRAPH_INTERRUPTED : GPUGRAPH_DEVICE_FAILED;
    run_sql(db, "PRAGMA page_size = 4096");
    make("src, dst, w");
    run_sql(db, "DELETE FROM e WHERE rowid = 9; UPDATE e SET w = '12' WHERE rowid = 5");
    t.place = &failing_place;
    t.run = &failing_run;
    bool whole = false;
    int n = 0;
    for (; !whole; n++) {
        steps_to_failure = n;
        enum page_outcome outcome = page_read(&t, 2, NULL, NULL, &c, &why);
        whole = steps_to_failure >= 0;
        steps_to_failure = -1;
        ck_assert(outcome == (_i && !whole ? PAGE_INTERRUPTED : PAGE_READ));
        if (whole)
            bring_ends_here(&c);
        ck_assert_ptr_null(c.cells);
        if (outcome == PAGE_READ)
            check_columns(&t, &c);
        page_columns_clear(&c);
    }
    ck_assert_int_gt(n, 10);
}
END_TEST

const struct suite suite = {
    "cells",
    {{"cases", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_usual, sizeof page_sizes / sizeof *page_sizes},
                {&test_layouts, sizeof layouts / sizeof *layouts},
                {&test_not_for_the_place},
                {&test_oddities, sizeof oddities / sizeof *oddities},
                {&test_short_rows},
                {&test_too_many},
                {&test_reserved},
                {&test_last_cell},
                {&test_random_leaves},
                {&test_failing_place, 2}}}},
    .needs_device = ON_DEVICE,
    .no_forks = ON_DEVICE,
};
