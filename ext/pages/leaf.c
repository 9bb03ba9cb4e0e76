/* Decodes the cells of a leaf. fast_cell takes usual cells with one branch, and page_cell
** (record.c) takes the others or gives the reason why the reader must give up. */
#include "condition.h"

/* ---- one cell ---- */

/* The wanted columns, as constants, so that usual tables get special code. */
struct shape {
    int column[PAGE_COLUMNS]; /* as in page_layout */
    int columns;              /* as in page_layout */
    int last;
    bool real, text, fast;
    /* the first columns are ids and INTEGER weights, for plain_cells */
    bool leading;
    bool narrow;        /* the columns of ids have 4 bytes an entry */
    bool narrow_weight; /* the column of weights has 4 bytes an entry */
    bool filtered;
};

INLINE void put_ids(const page_rows *to, int64_t at, const bool narrow, int64_t source,
                    int64_t target) {
    if (narrow) {
        to->id32[0][at] = (int32_t)source;
        to->id32[1][at] = (int32_t)target;
    } else {
        to->id[0][at] = source;
        to->id[1][at] = target;
    }
}

INLINE void put_weight(const page_rows *to, int64_t at, const bool narrow,
                       int64_t weight) {
    if (narrow)
        to->weight32[at] = (int32_t)weight;
    else
        to->weight[at] = weight;
}

INLINE bool is_wide(int64_t value) {
    return value != (int32_t)value;
}

/* The latest rowid, and its bytes as they are in the cell. */
struct key {
    uint64_t bytes;
    int64_t rowid;
};
static const uint64_t no_bytes = ~(uint64_t)1; /* no_bytes + 1 is not a varint */

/* Joins the 7-bit groups of up to 8 bytes. */
INLINE uint64_t join_sevens(uint64_t x) {
    x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
    x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
    return (x & 0x0fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/* Reads a varint of up to 8 bytes as the next rowid. False: it is longer. Usually the
** bytes are those of the previous rowid plus one. */
INLINE bool fast_rowid(const uint8_t **at, struct key *key) {
    uint64_t bytes = get8(*at), stops = ~bytes & 0x8080808080808080;
    if (stops == 0)
        return false;
    /* 8 bits for each byte before the last one */
    int before_stop = __builtin_clzll(stops);
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
    if (k == PAGE_EDGE_ID)
        return s->no_id | s->is_text;
    if (!shape->real)
        return s->no_weight;
    if (s->is_real)
        return page_is_nan((uint64_t)*value);
    *value = page_real_bits((double)*value);
    return s->no_weight;
}

/* Evaluates the filter for a record on this page. False: page_cell must do so. */
INLINE bool fast_filter(const page_layout *layout, const uint8_t *record,
                        uint32_t payload, const uint8_t *end, int64_t rowid, bool *out) {
    page_record r = {
        .bytes = record, .here = payload, .payload = payload, .rowid = rowid};
    if ((int64_t)payload > end - record || page_condition_holds(layout, &r) ||
        r.need > r.here)
        return false;
    *out = !r.holds;
    return true;
}

/* Decodes a usual cell. False: page_cell must decode it; anything unusual makes `trouble`
** not 0. Reads at most 2 + 8 bytes, a header of 255 bytes, 15 values of at most 57 bytes
** and 8 bytes more from a cell that begins on the page, which PAGE_PAD covers. */
INLINE bool fast_cell(const page_layout *layout, const struct shape *shape,
                      const uint8_t *cell, const uint8_t *end, struct key *key,
                      int64_t value[PAGE_COLUMNS], page_values *texts) {
    uint32_t payload = *cell++;
    if (payload >= 0x80) {
        payload = (payload & 0x7f) << 7 | *cell;
        if (*cell++ >= 0x80 || payload > layout->usable - 35)
            return false;
    }
    if (!fast_rowid(&cell, key))
        return false;
    const uint8_t *record = cell, *type = record + 1;
    if (shape->filtered &&
        !fast_filter(layout, record, payload, end, key->rowid, &texts->out))
        return false;
    const uint32_t header = record[0], types_end = (uint32_t)shape->last + 2;
    uint32_t start[PAGE_FAST_COLUMNS], at = header, trouble = 0;
    for (int c = 0; c <= shape->last; c++) {
        start[c] = at;
        at += layout->serial[type[c]].size;
        trouble |= layout->serial[type[c]].no_column;
    }
    for (int k = 0; k < shape->columns; k++) {
        int c = shape->column[k];
        if (shape->columns > PAGE_EDGE_ID && c == PAGE_NO_COLUMN)
            continue;
        if (shape->filtered && texts->out && page_is_weight(k))
            value[k] = 0;
        else if (c == PAGE_IS_ROWID)
            value[k] = page_is_weight(k) && shape->real
                           ? page_real_bits((double)key->rowid)
                           : key->rowid;
        else
            trouble |=
                fast_value(layout, shape, k, type[c], record + start[c], &value[k]);
        if (shape->text && k < 2 && c != PAGE_IS_ROWID &&
            layout->serial[type[c]].is_text) {
            texts->bytes[k] = record + start[c];
            texts->length[k] = layout->serial[type[c]].size;
            texts->text |= 1u << k;
        }
    }
    /* The header must have one byte and the wanted types. The values must lie within the
    ** record, and end with it if the header has no other types. The record must lie on
    ** this page. */
    trouble |= (header >= 0x80) | (header < types_end) | (at > payload) |
               ((header == types_end) & (at != payload)) |
               ((int64_t)payload > end - record);
    return trouble == 0;
}

/* ---- runs of usual cells ---- */

/* State between the cells of a leaf. */
struct walk {
    uint32_t next; /* the next cell */
    struct key key;
    int64_t at, gap; /* as in leaf_cells */
};

/* The index of a form. types: one serial type in each byte. */
INLINE uint32_t form_of_types(uint32_t types) {
    return types * (1u << 23 | 1u << 12 | 1) >> 16 & (PAGE_FORMS - 1);
}

/* Decodes cells up to the first unusual one. In a usual cell the ids are the first two
** columns, and a wanted weight is the third. All are INTEGERs that fit their columns, and
** the rowid is the previous one plus one. So one lookup by all types gives the positions
** of the values. Reads 1 + 8 bytes, a header of 127 bytes and values of 32 bytes from a
** cell that begins on the page, which PAGE_PAD covers. */
INLINE void plain_cells(const page_layout *layout, const uint8_t *page,
                        const page_rows *rows, struct walk *w, const int columns,
                        const bool narrow, const bool narrow_weight) {
    const uint8_t *pointer = page + PAGE_LEAF_HEADER, *end = page + layout->usable;
    const uint32_t cells = get2(page + 3), first = PAGE_LEAF_HEADER + 2 * cells;
    const uint32_t room = layout->usable - first, types_end = (uint32_t)columns + 1;
    const uint32_t unusual = columns == 3 ? 0xf0f8f880 : 0x00f8f880;
    const struct page_form *forms = layout->form;
    const page_rows to = *rows;
    int64_t at = w->at, ahead = w->key.rowid - at;
    uint64_t bytes = w->key.bytes;
    uint32_t i = w->next, unused = (uint32_t)__builtin_clzll(bytes | 1) / 8;
    if (bytes == no_bytes)
        return;
    for (; i < cells; i++) {
        const uint32_t offset = get2(pointer + 2 * i) - first;
        if (offset >= room)
            break;
        const uint8_t *cell = page + first + offset;
        if (get8(cell + 1) >> 8 * unused != bytes + 1 || (bytes + 1) & 0x80)
            break;
        const uint8_t *record = cell + 9 - unused;
        const uint32_t payload = *cell;
        const uint32_t types = record[0] | (uint32_t)record[1] << 8 |
                               (uint32_t)record[2] << 16 | (uint32_t)record[3] << 24;
        const uint32_t header = types & 0xff;
        if (types & unusual)
            break;
        const struct page_form *form =
            &forms[form_of_types(columns == 3 ? types >> 8 : types >> 8 & 0xffff)];
        const uint8_t *values = record + header;
        const uint32_t all = header + form->end[columns - 1];
        if (header == types_end
                ? payload != all
                : (header < types_end) | (payload < all) | (payload >= 0x80))
            break;
        if (record + payload > end)
            break;
        put_ids(&to, at, narrow, (int64_t)get8(values) >> form->shift[0],
                (int64_t)get8(values + form->end[0]) >> form->shift[1]);
        if (columns == 3)
            put_weight(
                &to, at, narrow_weight,
                ((int64_t)get8(values + form->end[1]) >> form->shift[2] & form->keep) |
                    form->constant);
        at++;
        if (to.rowid)
            to.rowid[at - 1] = ahead + at;
        bytes++;
    }
    *w = (struct walk){i, {bytes, ahead + at}, at, w->gap | (w->next < i ? ahead : 0)};
}

/* ---- leaves ---- */

int page_leaf_cells(const page_layout *layout, const uint8_t *page) {
    uint32_t cells = get2(page + 3);
    return page[0] == PAGE_LEAF && cells <= page_most_rows(layout) ? (int)cells : -1;
}

/* Lists the texts of the row at position `at` of the columns. */
INLINE void list_texts(page_rows *rows, int64_t at, const page_values *texts) {
    uint32_t row = (uint32_t)(at - rows->start);
    for (uint32_t k = 0; k < 2; k++)
        if (texts->text >> k & 1)
            rows->text[rows->texts++] = (page_text){.entry = row * 2 + k,
                                                    .bytes = texts->bytes[k],
                                                    .length = texts->length[k]};
    for (int k = PAGE_WEIGHT; k <= PAGE_REVERSE; k += PAGE_REVERSE - PAGE_WEIGHT)
        if (texts->text >> k & 1)
            rows->number[rows->numbers++] = (page_number){
                texts->bytes[k], row * 2 + (k == PAGE_REVERSE), texts->length[k]};
}

INLINE void list_half(page_rows *rows, int64_t at, const page_values *row) {
    if (row->null || row->out)
        rows->half[rows->halves++] = (uint32_t)(at - rows->start) << 2 | row->null;
}

/* Lists the texts of a row that page_cell has decoded, or the row if it is a half row. */
static void list_odd(page_rows *rows, int64_t at, const page_values *row) {
    if (row->text)
        list_texts(rows, at, row);
    list_half(rows, at, row);
}

/* Writes the columns that are rarely wanted. */
INLINE void put_more(const page_rows *to, int64_t at, const int64_t value[PAGE_COLUMNS]) {
    if (to->weight || to->weight32)
        put_weight(to, at, to->weight32 != NULL, value[PAGE_WEIGHT]);
    if (to->edge_id)
        to->edge_id[at] = value[PAGE_EDGE_ID];
    if (to->reverse)
        to->reverse[at] = value[PAGE_REVERSE];
}

INLINE enum page_reason leaf_cells(const page_layout *layout, const uint8_t *page,
                                   page_rows *rows, struct shape shape) {
    const uint8_t *pointer = page + PAGE_LEAF_HEADER, *end = page + layout->usable;
    const uint32_t cells = get2(page + 3), first = PAGE_LEAF_HEADER + 2 * cells;
    const page_rows to = *rows;
    struct key key = {no_bytes, to.previous};
    int64_t at = to.at, gap = 0, value[PAGE_COLUMNS] = {0};
    bool usual = shape.leading;
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t offset = get2(pointer + 2 * i);
        int64_t previous = key.rowid;
        if (offset < first || offset >= layout->usable)
            return PAGE_DAMAGED;
        page_values texts = {0};
        if (!shape.fast ||
            !fast_cell(layout, &shape, page + offset, end, &key, value, &texts)) {
            /* Copies, so that the compiler can keep key and value in registers. */
            int64_t rowid;
            page_values careful = {0};
            enum page_reason reason =
                page_cell(layout, page + offset, end, rows->helper, &rowid, &careful);
            if (reason)
                return reason;
            key = (struct key){no_bytes, rowid};
            for (int k = 0; k < PAGE_COLUMNS; k++)
                value[k] = careful.value[k];
            list_odd(rows, at, &careful);
            texts = (page_values){0}; /* fast_cell may have set it before it gave up */
            rows->slow++;
        }
        if (key.rowid <= previous && (to.any || i > 0))
            return PAGE_DAMAGED;
        if (i == 0 && !to.any)
            rows->first = key.rowid;
        if (shape.text && texts.text)
            list_texts(rows, at, &texts);
        if (shape.filtered)
            list_half(rows, at, &texts);
        if (shape.narrow && (is_wide(value[0]) || is_wide(value[1])))
            return PAGE_ID_WIDE;
        if (shape.columns > 2 && shape.narrow_weight && is_wide(value[2]))
            return PAGE_WEIGHT_WIDE;
        put_ids(&to, at, shape.narrow, value[0], value[1]);
        if (shape.columns == 3)
            put_weight(&to, at, shape.narrow_weight, value[2]);
        else if (shape.columns > PAGE_EDGE_ID)
            put_more(&to, at, value);
        if (to.rowid)
            to.rowid[at] = key.rowid;
        gap |= key.rowid ^ ++at;
        if (usual) {
            struct walk w = {i + 1, key, at, gap};
            plain_cells(layout, page, &to, &w, shape.columns, shape.narrow,
                        shape.narrow_weight);
            usual = w.next > i + 1; /* else more unusual cells are likely */
            i = w.next - 1;
            key = w.key;
            at = w.at;
            gap = w.gap;
        }
    }
    rows->at = at;
    rows->previous = key.rowid;
    rows->any |= cells > 0;
    rows->dense &= gap == 0;
    return PAGE_FINE;
}

/* The wanted columns are the first ones of the record. */
INLINE enum page_reason leading_cells(const page_layout *layout, const uint8_t *page,
                                      page_rows *rows, const int columns, const bool real,
                                      const bool text, const bool narrow,
                                      const bool narrow_weight) {
    return leaf_cells(layout, page, rows,
                      (struct shape){.column = {0, 1, 2},
                                     .columns = columns,
                                     .last = columns - 1,
                                     .real = real,
                                     .text = text,
                                     .fast = true,
                                     .leading = !real && !text,
                                     .narrow = narrow,
                                     .narrow_weight = narrow_weight});
}

/* The wanted columns are anywhere. */
INLINE enum page_reason any_cells(const page_layout *layout, const uint8_t *page,
                                  page_rows *rows, struct shape shape,
                                  const bool filtered) {
    shape.filtered = filtered;
    switch (shape.columns) {
    case 2:
        shape.columns = 2;
        return leaf_cells(layout, page, rows, shape);
    case 3:
        shape.columns = 3;
        return leaf_cells(layout, page, rows, shape);
    default:
        shape.columns = PAGE_COLUMNS;
        return leaf_cells(layout, page, rows, shape);
    }
}

INLINE enum page_reason leaf_of_width(const page_layout *layout, const uint8_t *page,
                                      page_rows *rows, const bool narrow) {
    const int *c = layout->column, columns = layout->columns;
    const bool narrow_weight = rows->weight32 != NULL, text = layout->text;
    const bool leading =
        c[0] == 0 && c[1] == 1 && (columns == 2 || (columns == 3 && c[2] == 2));
    const struct shape any = {{c[0], c[1], c[2], c[3], c[4]},
                              columns,
                              layout->last,
                              layout->real,
                              text,
                              layout->last >= 0 && layout->last < PAGE_FAST_COLUMNS,
                              false,
                              narrow,
                              narrow_weight,
                              false};
    if (layout->filter)
        return any_cells(layout, page, rows, any, true);
    if (leading && columns == 2 && !text)
        return leading_cells(layout, page, rows, 2, false, false, narrow, false);
    if (leading && columns == 2)
        return leading_cells(layout, page, rows, 2, false, true, narrow, false);
    if (leading && !layout->real && !text && narrow_weight)
        return leading_cells(layout, page, rows, 3, false, false, narrow, true);
    if (leading && !layout->real && !text)
        return leading_cells(layout, page, rows, 3, false, false, narrow, false);
    if (leading && !layout->real)
        return leading_cells(layout, page, rows, 3, false, true, narrow, narrow_weight);
    if (leading && !text)
        return leading_cells(layout, page, rows, 3, true, false, narrow, false);
    return any_cells(layout, page, rows, any, false);
}

enum page_reason page_leaf(const page_layout *layout, const uint8_t *page,
                           page_rows *rows) {
    return rows->id32[0] ? leaf_of_width(layout, page, rows, true)
                         : leaf_of_width(layout, page, rows, false);
}
