/* One warp decodes the cells of a leaf, on a device or as a CPU thread (base/warp.h).
**
**     leaf     13 1 | freeblock 2 | cells 2 | content 2 | fragments 1 | pointer 2 ...
**     cell     payload varint | rowid varint | record
**     record   header size varint | serial type varint ... | value ...
**
**     lanes    0        1        2        ...       one cell each; then the next 32
**              |        |        |
**     rows     start+0  start+1  start+2            of the columns
**
** sqlite.org/fileformat2.html defines the format. If one cell of a leaf is unusual
** (cells.h), the caller decodes the whole leaf, and overwrites the rows written so far.
**
** The decoder trusts no byte of a page. A cell begins in the usable part of its page.
** The decoder reads at most 2 + 8 bytes before its record, 255 bytes of header, 15
** columns of 57 bytes each, and 8 bytes: all end within CELLS_PAD behind the page. */
#ifndef GPUGRAPH_CELLS_DECODE_H
#define GPUGRAPH_CELLS_DECODE_H

#include "base/warp.h"
#include "base/words.h"
#include "cells.h"

enum {
    CELLS_PAD = 2048, /* readable bytes behind the last page */
    CELLS_LEAF = 13,  /* page type of a leaf */
    CELLS_LEAF_HEADER = 8,
    CELLS_SMALLEST = 6 /* fewest bytes of a cell with its pointer */
};

/* Words for all leaves together. The caller clears them; the decoder reports in them. */
enum cells_word { CELLS_DAMAGED, CELLS_UNUSUAL, CELLS_GAPS, CELLS_WORDS };

struct cells_view {
    const uint8_t *pages; /* the leaves, one after the other; 16-byte aligned */
    uint32_t page_size, usable, leaves;
    int column[CELL_VALUES];
    int last; /* the highest wanted column of a record */
    bool real;
    uint32_t *count;           /* cells of each leaf */
    uint64_t *start;           /* [leaves + 1]: where the rows of each leaf begin */
    int64_t *first, *ends;     /* the first and the last rowid of each leaf */
    uint8_t *unusual;          /* 1: the leaf is left to the caller */
    uint32_t *word;            /* [CELLS_WORDS] */
    int64_t *to[CELL_COLUMNS]; /* NULL: not wanted */
};

/* Returns the highest wanted column of a record; -1: none. */
static inline int cells_last(const gg_cell_layout *layout) {
    int last = -1;
    for (int k = 0; k < CELL_VALUES; k++)
        last = layout->column[k] > last ? layout->column[k] : last;
    return last;
}

/* ---- bytes ---- */

/* Reads a big-endian word of 8 bytes at any address. */
WARP_FUNCTION uint64_t cells_get8(const uint8_t *at) {
#ifdef __CUDACC__
    /* The device reads only aligned words. */
    const uint32_t *word = (const uint32_t *)((uintptr_t)at & ~(uintptr_t)3);
    const uint32_t a = word[0], b = word[1], c = word[2];
    const uint32_t shift = (uint32_t)((uintptr_t)at & 3) * 8;
    const uint32_t low = __funnelshift_r(a, b, shift),
                   high = __funnelshift_r(b, c, shift);
    return (uint64_t)__byte_perm(low, 0, 0x0123) << 32 | __byte_perm(high, 0, 0x0123);
#else
    uint64_t x;
    memcpy(&x, at, sizeof x);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
#endif
}

WARP_FUNCTION uint32_t cells_get2(const uint8_t *at) {
    return (uint32_t)at[0] << 8 | at[1];
}

/* Returns the number of zeros before the highest set bit of a value that is not 0. */
WARP_FUNCTION uint32_t cells_zeros(uint64_t value) {
#ifdef __CUDACC__
    return (uint32_t)__clzll((long long)value);
#else
    return (uint32_t)__builtin_clzll(value);
#endif
}

/* Joins the 7-bit groups of up to 8 bytes. */
WARP_FUNCTION uint64_t cells_join_sevens(uint64_t x) {
    x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
    x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
    return (x & 0x0fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/* ---- one cell ---- */

struct cells_row {
    int64_t value[CELL_COLUMNS];
};

/* Returns the bytes of a value of a serial type below 128: 0 1 2 3 4 6 8 8 0 0 0 0, then
** (type - 12) / 2. */
WARP_FUNCTION uint32_t cells_size(uint32_t type) {
    return type >= 12 ? (type - 12) / 2 : type < 8 ? 0x88643210u >> 4 * type & 15 : 0;
}

/* Decodes a wanted value. `real`: the value is a weight and becomes a double. Returns
** false if the value is neither an INTEGER nor, with `real`, a REAL. */
WARP_FUNCTION bool cells_value(const uint8_t *bytes, uint32_t type, bool real,
                               int64_t *value) {
    const uint32_t size = cells_size(type);
    if (type == 8 || type == 9)
        *value = type - 8;
    else if (type == 0 || type > 7 || (type == 7 && !real))
        return false;
    else
        *value = (int64_t)cells_get8(bytes) >> (64 - 8 * size);
    if (type == 7) /* false for NaN, which SQLite reads as NULL */
        return (uint64_t)*value << 1 <= 0xffe0000000000000u;
    if (real)
        *value = (int64_t)gg_real_word((double)*value);
    return true;
}

/* Decodes the payload's size. Returns the address behind it, or NULL if the varint has
** more than 2 bytes or SQLite would not store the payload on the leaf alone. */
WARP_FUNCTION const uint8_t *cells_payload(const uint8_t *at, uint32_t usable,
                                           uint32_t *payload) {
    const uint32_t low = at[0], next = at[1];
    *payload = low;
    if (low < 0x80)
        return at + 1;
    *payload = (low & 0x7f) << 7 | next;
    return next >= 0x80 || *payload > usable - 35 ? NULL : at + 2;
}

/* Decodes a rowid of up to 8 bytes. Returns the address behind it; NULL: longer rowid. */
WARP_FUNCTION const uint8_t *cells_rowid(const uint8_t *at, int64_t *rowid) {
    const uint64_t bytes = cells_get8(at), stops = ~bytes & 0x8080808080808080u;
    if (stops == 0)
        return NULL;
    const uint32_t before = cells_zeros(stops); /* 8 bits for each byte before the last */
    *rowid = (int64_t)cells_join_sevens(bytes >> (56 - before));
    return at + before / 8 + 1;
}

/* Decodes a record. Returns false if it is unusual. */
WARP_FUNCTION bool cells_record(const struct cells_view *v, const uint8_t *record,
                                const uint8_t *end, uint32_t payload,
                                struct cells_row *row) {
    const uint32_t header = record[0], types_end = (uint32_t)v->last + 2;
    uint32_t at = header;
    bool usual = true;
    for (int c = 0; c <= v->last; c++) {
        const uint32_t type = record[1 + c];
        WARP_UNROLL
        for (int k = 0; k < CELL_VALUES; k++)
            if (v->column[k] == c)
                usual &= cells_value(record + at, type, v->real && k == CELL_WEIGHT,
                                     &row->value[k]);
        usual &= type < 0x80;
        at += type < 0x80 ? cells_size(type) : 0;
    }
    /* A usual record has a header size of one byte, and types for all wanted columns. Its
    ** values end within the record, exactly at its end if the header has no more types.
    ** The record ends on this page. */
    return usual && header < 0x80 && header >= types_end && at <= payload &&
           (header != types_end || at == payload) && (int64_t)payload <= end - record;
}

/* Decodes the cell at `offset` of the page. Returns false if it is unusual. */
WARP_FUNCTION bool cells_cell(const struct cells_view *v, const uint8_t *page,
                              uint32_t offset, struct cells_row *row) {
    uint32_t payload;
    const uint8_t *at = cells_payload(page + offset, v->usable, &payload);
    if (at)
        at = cells_rowid(at, &row->value[CELL_ROWID]);
    if (!at)
        return false;
    const int64_t rowid = row->value[CELL_ROWID];
    WARP_UNROLL
    for (int k = 0; k < CELL_VALUES; k++)
        if (v->column[k] == CELL_IS_ROWID)
            row->value[k] = v->real && k == CELL_WEIGHT
                                ? (int64_t)gg_real_word((double)rowid)
                                : rowid;
    return cells_record(v, at, page + v->usable, payload, row);
}

/* ---- leaves ---- */

/* Counts the cells of a leaf, by one lane. */
WARP_FUNCTION void cells_count(const struct cells_view *v, uint32_t leaf) {
    const uint8_t *page = v->pages + (uint64_t)leaf * v->page_size;
    const uint32_t cells = cells_get2(page + 3);
    const bool sound = page[0] == CELLS_LEAF &&
                       cells <= (v->usable - CELLS_LEAF_HEADER) / CELLS_SMALLEST &&
                       (cells > 0 || v->leaves == 1);
    v->count[leaf] = sound ? cells : 0;
    if (!sound)
        device_store(&v->word[CELLS_DAMAGED], 1);
}

/* Decodes the cells of a counted leaf, by a warp. */
WARP_FUNCTION void cells_leaf(const struct cells_view *v, uint32_t leaf) {
    const uint8_t *page = v->pages + (uint64_t)leaf * v->page_size;
    const uint32_t cells = v->count[leaf], least = CELLS_LEAF_HEADER + 2 * cells;
    const uint64_t start = v->start[leaf];
    int64_t before = 0;
    bool unusual = false;
    for (uint32_t base = 0; base < cells && !unusual; base += warp_width) {
        const uint32_t i = base + warp_lane();
        const bool mine = i < cells;
        struct cells_row row = {{0}};
        bool usual = true;
        if (mine) {
            const uint32_t offset = cells_get2(page + CELLS_LEAF_HEADER + 2 * i);
            usual = offset >= least && offset < v->usable &&
                    cells_cell(v, page, offset, &row);
        }
        const int64_t rowid = row.value[CELL_ROWID];
        int64_t previous =
            (int64_t)warp_from_64((uint64_t)rowid, (warp_lane() + 31) % warp_width);
        previous = warp_lane() == 0 ? before : previous;
        before = (int64_t)warp_from_64((uint64_t)rowid, warp_width - 1);
        usual &= !mine || i == 0 || rowid > previous;
        unusual = warp_ballot(!usual) != 0;
        if (!mine || unusual)
            continue;
        WARP_UNROLL
        for (int k = 0; k < CELL_COLUMNS; k++)
            if (v->to[k])
                v->to[k][start + i] = row.value[k];
        if (i == 0)
            v->first[leaf] = rowid;
        if (i == cells - 1)
            v->ends[leaf] = rowid;
    }
    if (warp_lane() == 0)
        v->unusual[leaf] = unusual;
    if (warp_lane() == 0 && unusual)
        device_take(&v->word[CELLS_UNUSUAL], 1);
}

/* Returns true if `value`, an INTEGER or the bits of a REAL, is a valid weight. */
WARP_FUNCTION bool cells_weight_is_good(bool real, int64_t value) {
    const double weight = gg_word_real((uint64_t)value);
    return real ? weight >= 0 && weight <= DBL_MAX : value >= 0;
}

/* Returns what an INTEGER weight adds to the sum of weights: at most 2^32 - 1. */
WARP_FUNCTION uint64_t cells_weight_counts(int64_t value) {
    return (uint64_t)value < UINT32_MAX ? (uint64_t)value : UINT32_MAX;
}

/* Checks that rowids ascend from the previous leaf, and are 1, 2, 3, ...; by one lane. */
WARP_FUNCTION void cells_border(const struct cells_view *v, uint32_t leaf) {
    const uint64_t start = v->start[leaf], end = v->start[leaf + 1];
    if (leaf > 0 && v->first[leaf] <= v->ends[leaf - 1])
        device_store(&v->word[CELLS_DAMAGED], 1);
    if (start < end &&
        (v->first[leaf] != (int64_t)start + 1 || v->ends[leaf] != (int64_t)end))
        device_store(&v->word[CELLS_GAPS], 1);
}

#endif
