/* What the bytes of SQLite's first page and table b-tree pages mean.
**
**     leaf     type 1 | freeblock 2 | cells 2 | content 2 | fragments 1 | pointer 2 ...
**     interior the same, then rightmost child 4 | pointer 2 ...
**     leaf cell      payload varint | rowid varint | record [| overflow page 4]
**     interior cell  child 4 | rowid varint
**     record         header size varint | serial type varint ... | value ...
**
** Nothing on a page is trusted: each offset is compared with the page's end before it
** is used, or bounded so that it ends within PAGE_PAD bytes behind it. A cell goes
** through fast_cell, whose one branch says "all as usual"; whatever is unusual goes
** through careful_cell, which either decodes it or has the reason to step aside. */
#include "page_format.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t get2(const uint8_t *p) {
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t get4(const uint8_t *p) {
    return get2(p) << 16 | get2(p + 2);
}

INLINE uint64_t get8(const uint8_t *p) {
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* ---- the first page ---- */

bool page_geometry_read(const uint8_t header[100], page_geometry *geometry) {
    static const uint8_t fractions[3] = {64, 32, 32}, zero[20];
    uint32_t size = get2(header + 16) == 1 ? 65536 : get2(header + 16);
    uint32_t schema_format = get4(header + 44), encoding = get4(header + 56);

    if (memcmp(header, "SQLite format 3", 16) != 0 || size < PAGE_SMALLEST ||
        (size & (size - 1)) != 0 || size - header[20] < 480)
        return false;
    if (header[18] != header[19] || header[18] < 1 || header[18] > 2 ||
        memcmp(header + 21, fractions, sizeof fractions) != 0)
        return false;
    /* An encrypted file with a readable start shows itself here. */
    if (schema_format < 1 || schema_format > 4 || encoding < 1 || encoding > 3 ||
        memcmp(header + 72, zero, sizeof zero) != 0)
        return false;
    geometry->page_size = size;
    geometry->usable = size - header[20];
    geometry->utf_8 = encoding == 1;
    /* The count of pages holds only if its writer kept it: change counters equal. */
    geometry->pages = memcmp(header + 24, header + 92, 4) == 0 ? get4(header + 28) : 0;
    return true;
}

/* ---- interior pages ---- */

int page_interior_cells(const page_layout *layout, const uint8_t *page) {
    uint32_t cells = get2(page + 3);
    bool fits = PAGE_INTERIOR_HEADER + 2 * cells <= layout->usable;
    return page[0] == PAGE_INTERIOR && fits ? (int)cells : -1;
}

/* Reads a varint that must end before `end`. Returns its length, or 0. */
static int varint(const uint8_t *p, const uint8_t *end, uint64_t *value) {
    uint64_t x = 0;
    for (int i = 0; i < 8; i++) {
        if (end - p <= i)
            return 0;
        x = x << 7 | (p[i] & 0x7f);
        if (p[i] < 0x80) {
            *value = x;
            return i + 1;
        }
    }
    if (end - p <= 8)
        return 0;
    *value = x << 8 | p[8];
    return 9;
}

bool page_child(const page_layout *layout, const uint8_t *page, int cell, uint32_t *child,
                int64_t *upper) {
    const uint8_t *end = page + layout->usable;
    uint32_t offset = get2(page + PAGE_INTERIOR_HEADER + 2 * cell);
    uint64_t key;

    if (offset < PAGE_INTERIOR_HEADER || offset + 5 > layout->usable ||
        !varint(page + offset + 4, end, &key))
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

void page_layout_finish(page_layout *layout) {
    layout->last = -1;
    for (int k = 0; k < (layout->weighted ? 3 : 2); k++)
        if (layout->column[k] > layout->last)
            layout->last = layout->column[k];
    for (int type = 0; type < 256; type++)
        layout->serial[type] = serial_of(type, layout->real, layout->text);
}

uint32_t page_most_rows(const page_layout *layout) {
    enum { SMALLEST_CELL = 4, POINTER = 2 };
    return (layout->usable - PAGE_LEAF_HEADER) / (SMALLEST_CELL + POINTER);
}

/* ---- one cell, whatever it may hold ---- */

static uint32_t local_payload(uint32_t payload, uint32_t usable) {
    uint32_t most = usable - 35, least = (usable - 12) * 32 / 255 - 23;
    if (payload <= most)
        return payload;
    uint32_t local = least + (payload - least) % (usable - 4);
    return local <= most ? local : least;
}

static bool is_nan(uint64_t bits) {
    return bits << 1 > 0xffe0000000000000u;
}

static int64_t real_bits(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Source, destination and weight of a row. A text id is its place on the page << 32 | its
** length, and its bit in `text` is set. */
struct values {
    int64_t value[3];
    uint32_t text;
};

static int64_t text_value(const uint8_t *page, const uint8_t *bytes, uint64_t size) {
    return (int64_t)((uint64_t)(bytes - page) << 32 | size);
}

/* One value: of an id (k 0, 1) or of the weight (k 2). */
static enum page_reason careful_value(const page_layout *layout, int k, uint64_t type,
                                      const uint8_t *page, const uint8_t *bytes,
                                      struct values *to) {
    const struct page_serial *s = &layout->serial[type > 0x7f ? 0 : type];
    int64_t *value = &to->value[k];

    if (k < 2 && type >= 13 && type % 2) {
        *value = text_value(page, bytes, (type - 12) / 2);
        to->text |= 1u << k;
        return layout->text ? PAGE_FINE : layout->at_text;
    }
    uint64_t raw = get8(bytes);

    if (type == 7 && k == 2) {
        *value = (int64_t)raw;
        /* SQLite reads a stored NaN as NULL. */
        return is_nan(raw)    ? PAGE_WEIGHT_TYPE
               : layout->real ? PAGE_FINE
                              : PAGE_WEIGHT_REAL;
    }
    if (s->no_id || s->is_text)
        return k == 2 ? PAGE_WEIGHT_TYPE : PAGE_ID_TYPE;
    *value = ((int64_t)raw >> s->shift & s->keep) | s->constant;
    if (k == 2 && layout->real)
        *value = real_bits((double)*value);
    return PAGE_FINE;
}

/* The wanted values of a record of which `local` bytes are on this page. */
static enum page_reason careful_record(const page_layout *layout, const uint8_t *page,
                                       const uint8_t *record, uint32_t local,
                                       uint32_t payload, struct values *to) {
    uint64_t header, type, size, at;
    int used = varint(record, record + local, &header);
    uint32_t type_at = (uint32_t)used;

    if (used == 0 || header > payload)
        return PAGE_DAMAGED;
    at = header;
    const uint8_t *types_end = record + (header < local ? header : local);
    for (int column = 0; column <= layout->last; column++) {
        if (type_at >= header)
            return PAGE_SHORT_ROW;
        used = varint(record + type_at, types_end, &type);
        if (used == 0)
            return header > local ? PAGE_OVERFLOW : PAGE_DAMAGED;
        size = type >= 12 ? (type - 12) / 2 : layout->serial[type].size;
        if (size > payload - at)
            return PAGE_DAMAGED;
        for (int k = 0; k < (layout->weighted ? 3 : 2); k++) {
            if (layout->column[k] != column)
                continue;
            if (at + size > local)
                return PAGE_OVERFLOW;
            enum page_reason reason =
                careful_value(layout, k, type, page, record + at, to);
            if (reason)
                return reason;
        }
        at += size;
        type_at += (uint32_t)used;
    }
    /* A header that ends here must account for the whole record. */
    return type_at == header && at != payload ? PAGE_DAMAGED : PAGE_FINE;
}

static enum page_reason careful_cell(const page_layout *layout, const uint8_t *cell,
                                     const uint8_t *end, int64_t *rowid,
                                     struct values *to) {
    uint64_t payload, key;
    int used = varint(cell, end, &payload);
    int more = used ? varint(cell + used, end, &key) : 0;

    if (more == 0 || payload > INT32_MAX)
        return PAGE_DAMAGED;
    cell += used + more;
    uint32_t local = local_payload((uint32_t)payload, layout->usable);
    if (local + (local < payload ? 4u : 0u) > (uint64_t)(end - cell))
        return PAGE_DAMAGED;
    *rowid = (int64_t)key;
    for (int k = 0; k < 3; k++)
        if (layout->column[k] == PAGE_IS_ROWID)
            to->value[k] = *rowid;
    if (layout->last < 0)
        return PAGE_FINE;
    return careful_record(layout, end - layout->usable, cell, local, (uint32_t)payload,
                          to);
}

/* ---- one cell, as nearly all are ---- */

/* What is wanted, as constants: the usual tables get code of their own. */
struct shape {
    int column[3]; /* as in page_layout */
    int columns;   /* wanted: 2 or 3 */
    int last;
    bool real, text, fast;
};

/* The latest rowid, and its bytes as they stood in the cell. */
struct key {
    uint64_t bytes;
    int64_t rowid;
};
static const uint64_t no_bytes = ~(uint64_t)1; /* no varint is one more than this */

/* The 7-bit groups of up to 8 bytes, close together. */
INLINE uint64_t join_sevens(uint64_t x) {
    x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
    x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
    return (x & 0x0fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/* Reads a varint of up to 8 bytes as the next rowid; false: longer. The bytes of the
** rowid that follows are mostly the same but for one more in the last one. */
INLINE bool fast_rowid(const uint8_t **at, struct key *key) {
    uint64_t bytes = get8(*at), stops = ~bytes & 0x8080808080808080;
    if (stops == 0)
        return false;
    int before_stop = __builtin_clzll(stops); /* 8 bits for each byte that goes on */
    *at += before_stop / 8 + 1;
    bytes >>= 56 - before_stop;
    key->rowid = bytes == key->bytes + 1 ? key->rowid + 1 : (int64_t)join_sevens(bytes);
    key->bytes = bytes;
    return true;
}

INLINE uint32_t fast_value(const page_layout *layout, const struct shape *shape, int k,
                           uint8_t type, const uint8_t *bytes, int64_t *value) {
    const struct page_serial *s = &layout->serial[type];
    *value = ((int64_t)get8(bytes) >> s->shift & s->keep) | s->constant;
    if (k < 2)
        return s->no_id;
    if (!shape->real)
        return s->no_weight;
    if (s->is_real)
        return is_nan((uint64_t)*value);
    *value = real_bits((double)*value);
    return s->no_weight;
}

/* Reads at most 2 + 8 + 1 bytes, and 16 types and values of at most 57 bytes each, from
** a cell that begins on the page: all within PAGE_PAD. Anything out of the usual makes
** `trouble` not 0. false: leave the cell to careful_cell. */
INLINE bool fast_cell(const page_layout *layout, const struct shape *shape,
                      const uint8_t *cell, const uint8_t *end, struct key *key,
                      int64_t value[3], uint32_t *text) {
    uint32_t payload = *cell++;
    if (payload >= 0x80) {
        payload = (payload & 0x7f) << 7 | *cell;
        if (*cell++ >= 0x80 || payload > layout->usable - 35)
            return false;
    }
    if (!fast_rowid(&cell, key))
        return false;

    const uint8_t *record = cell, *type = record + 1;
    const uint32_t header = record[0], types_end = (uint32_t)shape->last + 2;
    uint32_t start[PAGE_FAST_COLUMNS], at = header, trouble = 0;
    for (int c = 0; c <= shape->last; c++) {
        start[c] = at;
        at += layout->serial[type[c]].size;
        trouble |= layout->serial[type[c]].no_column;
    }
    for (int k = 0; k < shape->columns; k++) {
        int c = shape->column[k];
        if (c == PAGE_IS_ROWID)
            value[k] = key->rowid;
        else
            trouble |=
                fast_value(layout, shape, k, type[c], record + start[c], &value[k]);
        if (shape->text && k < 2 && c != PAGE_IS_ROWID &&
            layout->serial[type[c]].is_text) {
            value[k] = text_value(end - layout->usable, record + start[c],
                                  layout->serial[type[c]].size);
            *text |= 1u << k;
        }
    }
    /* A header of one byte that holds the types wanted, values within the record, which
    ** ends with them if the header does, and is on this page. */
    trouble |= (header >= 0x80) | (header < types_end) | (at > payload) |
               ((header == types_end) & (at != payload)) |
               ((int64_t)payload > end - record);
    return trouble == 0;
}

/* ---- leaves ---- */

int page_leaf_cells(const page_layout *layout, const uint8_t *page) {
    uint32_t cells = get2(page + 3);
    return page[0] == PAGE_LEAF && cells <= page_most_rows(layout) ? (int)cells : -1;
}

/* Takes note of the texts of the row at place `at` of the columns. */
INLINE void list_texts(page_rows *rows, const uint8_t *page, int64_t at,
                       const int64_t value[3], uint32_t text) {
    for (uint32_t k = 0; k < 2; k++)
        if (text >> k & 1)
            rows->text[rows->texts++] =
                (page_text){.entry = (uint32_t)(at - rows->start) * 2 + k,
                            .at = (uint32_t)(page - rows->buffer) +
                                  (uint32_t)((uint64_t)value[k] >> 32),
                            .length = (uint32_t)value[k]};
}

INLINE enum page_reason leaf_cells(const page_layout *layout, const uint8_t *page,
                                   page_rows *rows, struct shape shape) {
    const uint8_t *pointer = page + PAGE_LEAF_HEADER, *end = page + layout->usable;
    const uint32_t cells = get2(page + 3), first = PAGE_LEAF_HEADER + 2 * cells;
    const page_rows to = *rows;
    struct key key = {no_bytes, to.previous};
    int64_t at = to.at, gap = 0, value[3];

    for (uint32_t i = 0; i < cells; i++) {
        uint32_t offset = get2(pointer + 2 * i);
        int64_t previous = key.rowid;
        if (offset < first || offset >= layout->usable)
            return PAGE_DAMAGED;
        uint32_t text = 0;
        if (!shape.fast ||
            !fast_cell(layout, &shape, page + offset, end, &key, value, &text)) {
            /* Copies, so that key and value can live in registers. */
            int64_t rowid;
            struct values careful = {{0}, 0};
            enum page_reason reason =
                careful_cell(layout, page + offset, end, &rowid, &careful);
            if (reason)
                return reason;
            key = (struct key){no_bytes, rowid};
            for (int k = 0; k < 3; k++)
                value[k] = careful.value[k];
            text = careful.text;
            rows->slow++;
        }
        if (key.rowid <= previous && (to.any || i > 0))
            return PAGE_DAMAGED;
        if (i == 0 && !to.any)
            rows->first = key.rowid;
        if (shape.text && text)
            list_texts(rows, page, at, value, text);
        to.source[at] = value[0];
        to.target[at] = value[1];
        if (shape.columns == 3)
            to.weight[at] = value[2];
        if (to.rowid)
            to.rowid[at] = key.rowid;
        gap |= key.rowid ^ ++at;
    }
    rows->at = at;
    rows->previous = key.rowid;
    rows->any |= cells > 0;
    rows->dense &= gap == 0;
    return PAGE_FINE;
}

enum page_reason page_leaf(const page_layout *layout, const uint8_t *page,
                           page_rows *rows) {
    const int *c = layout->column, columns = layout->weighted ? 3 : 2;
    const bool leading = c[0] == 0 && c[1] == 1 && (columns == 2 || c[2] == 2);
    const bool fast = layout->last >= 0 && layout->last < PAGE_FAST_COLUMNS;

    struct shape any = {{c[0], c[1], c[2]}, columns,      layout->last,
                        layout->real,       layout->text, fast};
    if (leading && columns == 2 && !layout->text)
        return leaf_cells(layout, page, rows,
                          (struct shape){{0, 1}, 2, 1, false, false, true});
    if (leading && columns == 2)
        return leaf_cells(layout, page, rows,
                          (struct shape){{0, 1}, 2, 1, false, true, true});
    if (leading && !layout->real && !layout->text)
        return leaf_cells(layout, page, rows,
                          (struct shape){{0, 1, 2}, 3, 2, false, false, true});
    if (leading && !layout->real)
        return leaf_cells(layout, page, rows,
                          (struct shape){{0, 1, 2}, 3, 2, false, true, true});
    if (leading && !layout->text)
        return leaf_cells(layout, page, rows,
                          (struct shape){{0, 1, 2}, 3, 2, true, false, true});
    return leaf_cells(layout, page, rows, any);
}
