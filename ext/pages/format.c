/* Decodes SQLite's first page and the pages of table b-trees.
**
**     leaf           type 1 | freeblock 2 | cells 2 | content 2 | fragments 1 |
**                    pointer 2 ...
**     interior       the same up to fragments, then rightmost child 4 | pointer 2 ...
**     leaf cell      payload varint | rowid varint | record [| overflow page 4]
**     interior cell  child 4 | rowid varint
**     record         header size varint | serial type varint ... | value ...
**
** The decoder trusts nothing on a page. Each offset is compared with the page's end
** before it is used, or is small enough to end within PAGE_PAD bytes behind the page. */
#include "condition.h"

#include <stdlib.h>

/* ---- the first page ---- */

bool page_header_read(const uint8_t header[100], page_layout *layout, uint32_t *pages) {
    static const uint8_t fractions[3] = {64, 32, 32}, zero[20];
    uint32_t size = page_size_of(header);
    uint32_t schema_format = get4(header + 44), encoding = get4(header + 56);
    if (memcmp(header, "SQLite format 3", 16) != 0 || size < PAGE_SMALLEST ||
        (size & (size - 1)) != 0 || size - header[20] < 480)
        return false;
    if (header[18] != header[19] || header[18] < 1 || header[18] > 2 ||
        memcmp(header + 21, fractions, sizeof fractions) != 0)
        return false;
    /* Detects encrypted files whose first bytes are readable. */
    if (schema_format < 1 || schema_format > 4 || encoding < 1 || encoding > 3 ||
        memcmp(header + 72, zero, sizeof zero) != 0)
        return false;
    layout->page_size = size;
    layout->usable = size - header[20];
    layout->encoding = (enum page_encoding)encoding;
    layout->auto_vacuum = get4(header + 52) != 0;
    /* The count of pages is valid only if both counters are equal. */
    *pages = memcmp(header + 24, header + 92, 4) == 0 ? get4(header + 28) : 0;
    return true;
}

/* ---- interior pages ---- */

int page_interior_cells(const page_layout *layout, const uint8_t *page) {
    uint32_t cells = get2(page + 3);
    bool fits = PAGE_INTERIOR_HEADER + 2 * cells <= layout->usable;
    return page[0] == PAGE_INTERIOR && fits ? (int)cells : -1;
}

bool page_child(const page_layout *layout, const uint8_t *page, int cell, uint32_t *child,
                int64_t *upper) {
    const uint8_t *end = page + layout->usable;
    uint32_t offset = get2(page + PAGE_INTERIOR_HEADER + 2 * cell);
    uint64_t key;
    if (offset < PAGE_INTERIOR_HEADER || offset + 5 > layout->usable ||
        !get_varint(page + offset + 4, end, &key))
        return false;
    *child = get4(page + offset);
    *upper = (int64_t)key;
    return true;
}

uint32_t page_rightmost(const uint8_t *page) {
    return get4(page + 8);
}

/* ---- the layout of a record ---- */

static struct page_serial serial_of(int type, bool real, bool text) {
    static const uint8_t size[8] = {0, 1, 2, 3, 4, 6, 8, 8};
    struct page_serial s = {.no_id = 1, .no_weight = 1};
    if (type >= 1 && type <= 7) {
        s.size = size[type];
        s.shift = 64 - 8 * s.size;
        s.keep = -1;
        s.is_real = type == 7;
        s.no_id = s.is_real;
        s.no_weight = s.is_real && !real;
    } else if (type == 8 || type == 9) {
        s.constant = type - 8;
        s.no_id = s.no_weight = 0;
    } else if (type >= 0x80) {
        s.no_column = 1; /* the first byte of a longer varint */
    } else if (type >= 12) {
        s.size = (uint32_t)(type - 12) / 2;
        s.is_text = text && type % 2;
        s.no_id = !s.is_text;
    }
    return s;
}

/* True if a column of that width holds every INTEGER of this serial type. (leaf_cells
** decodes ids of types 8 and 9, which are constants.) */
static bool fits_form(uint32_t type, bool weight, bool wide) {
    return (type >= 1 && type <= 4) || (wide && (type == 5 || type == 6)) ||
           (weight && (type == 8 || type == 9));
}

static struct page_form form_of(const page_layout *layout, uint32_t index) {
    const uint32_t type[3] = {index >> 7 & 7, index >> 4 & 7, index & 15};
    const struct page_serial *weight = &layout->serial[type[2]];
    struct page_form form = {.keep = (int8_t)weight->keep,
                             .constant = (uint8_t)weight->constant};
    uint32_t end = 0;
    bool other = false;
    for (int c = 0; c < 3; c++) {
        const struct page_serial *s = &layout->serial[type[c]];
        other |= !fits_form(type[c], c == 2,
                            layout->wide & (c < 2 ? PAGE_WIDE_IDS : PAGE_WIDE_WEIGHTS));
        end += s->size;
        form.end[c] = other && c > 0 ? UINT8_MAX : (uint8_t)end;
        form.shift[c] = (uint8_t)s->shift;
    }
    return form;
}

void page_layout_finish(page_layout *layout) {
    layout->last = -1;
    for (int k = 0; k < layout->columns; k++)
        if (layout->column[k] > layout->last)
            layout->last = layout->column[k];
    for (int type = 0; type < 256; type++)
        layout->serial[type] = serial_of(type, layout->real, layout->text);
    if (layout->real || layout->column[PAGE_REVERSE] != PAGE_NO_COLUMN)
        layout->wide |= PAGE_WIDE_WEIGHTS;
    for (uint32_t i = 0; i < PAGE_FORMS; i++)
        layout->form[i] = form_of(layout, i);
}

uint32_t page_most_rows(const page_layout *layout) {
    enum { SMALLEST_CELL = 4, POINTER = 2 };
    return (layout->usable - PAGE_LEAF_HEADER) / (SMALLEST_CELL + POINTER);
}

void page_layout_clear(page_layout *layout) {
    page_condition_free(layout->filter);
    layout->filter = NULL;
    for (int k = 0; k < PAGE_COLUMNS; k++) {
        free(layout->missing[k].text);
        layout->missing[k] = (page_missing){0};
    }
}
