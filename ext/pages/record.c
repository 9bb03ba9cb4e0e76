/* Decodes any cell: values of every type, on the leaf or on overflow pages, and columns
** that were added after the row was written. It trusts nothing on the page. */
#include "condition.h"

/* The number of bytes of a payload that are on the leaf itself. */
static uint32_t local_payload(uint32_t payload, uint32_t usable) {
    uint32_t most = usable - 35, least = (usable - 12) * 32 / 255 - 23;
    if (payload <= most)
        return payload;
    uint32_t local = least + (payload - least) % (usable - 4);
    return local <= most ? local : least;
}

/* State of decoding one record. */
struct record {
    const page_layout *layout;
    page_helper *helper;
    page_chain chain;
    page_values *to;
};

/* Takes a text as an id, or as a weight. */
static enum page_reason take_text(struct record *r, int k, const uint8_t *bytes,
                                  uint32_t length) {
    const page_layout *layout = r->layout;
    int64_t plain;
    if (k < 2 && !layout->text)
        return layout->at_text;
    if (page_is_weight(k) && layout->encoding != PAGE_UTF_8)
        return PAGE_UTF_16;
    if (page_is_weight(k) && layout->numbers_alone)
        return PAGE_WEIGHT_TYPE;
    if (k >= 2 && page_number_plain(bytes, length, &plain)) {
        r->to->value[k] = layout->real ? page_real_bits((double)plain) : plain;
        return PAGE_FINE;
    }
    if (k >= 2 && !layout->ask)
        return PAGE_WEIGHT_TEXT;
    r->to->text |= 1u << k;
    r->to->bytes[k] = bytes;
    r->to->length[k] = length;
    return PAGE_FINE;
}

/* Takes a NULL as an end, or as the weight of a closed direction. */
static enum page_reason take_null(struct record *r, int k) {
    const page_layout *layout = r->layout;
    if (k < 2) {
        r->to->null |= 1u << k;
        return layout->null ? PAGE_FINE : PAGE_ID_NULL;
    }
    if (k == PAGE_EDGE_ID)
        return PAGE_EDGE_ID_TYPE;
    r->to->value[k] = layout->real ? page_real_bits(-1) : -1;
    return layout->column[PAGE_REVERSE] != PAGE_NO_COLUMN ? PAGE_FINE : PAGE_WEIGHT_TYPE;
}

static enum page_reason take_real(struct record *r, int k, int64_t bits) {
    int64_t *value = &r->to->value[k];
    if (page_is_nan((uint64_t)bits))
        return take_null(r, k);
    *value = bits;
    if (page_is_weight(k) && !r->layout->real && page_real_of(bits) < 0 &&
        r->layout->column[PAGE_REVERSE] != PAGE_NO_COLUMN) {
        *value = -1; /* the type of a weight that closes a direction does not matter */
        return PAGE_FINE;
    }
    if (page_is_weight(k))
        return r->layout->real ? PAGE_FINE : PAGE_WEIGHT_REAL;
    if (k < 2 && whole_number(page_real_of(bits), value))
        return PAGE_FINE;
    return k < 2 ? PAGE_ID_TYPE : PAGE_EDGE_ID_TYPE;
}

/* The reason if no value of this type is valid in column k. */
static enum page_reason wrong_type(int k) {
    return k < 2               ? PAGE_ID_TYPE
           : k == PAGE_EDGE_ID ? PAGE_EDGE_ID_TYPE
                               : PAGE_WEIGHT_TYPE;
}

/* Takes one wanted value. */
static enum page_reason take_value(struct record *r, int k, uint64_t type, uint64_t at,
                                   uint32_t size) {
    const page_layout *layout = r->layout;
    const struct page_serial *s = &layout->serial[type > 0x7f ? 0 : type];
    const bool text = type >= 13 && type % 2, here = at + size <= r->chain.local;
    const uint8_t *bytes = r->chain.record + at;
    uint8_t number[8] = {0}; /* long enough for a load of 8 bytes */
    int64_t *value = &r->to->value[k];
    if (text && k < 2 && !layout->text)
        return layout->at_text;
    if (type == 0)
        return take_null(r, k);
    if (text ? k == PAGE_EDGE_ID : type >= 12 || (s->no_id && type != 7))
        return wrong_type(k);
    if (!here) {
        uint8_t *to =
            text ? page_store_take(&r->helper->store, (size_t)size + 1) : number;
        if (!to)
            return PAGE_NO_MEMORY;
        enum page_reason reason = page_chain_read(&r->chain, at, size, to);
        if (reason)
            return reason;
        bytes = to;
    }
    if (text)
        return take_text(r, k, bytes, size);
    uint64_t raw = get8(bytes);
    if (type == 7)
        return take_real(r, k, (int64_t)raw);
    *value = ((int64_t)raw >> s->shift & s->keep) | s->constant;
    if (page_is_weight(k) && layout->real)
        *value = page_real_bits((double)*value);
    return PAGE_FINE;
}

/* Takes the value of a column that is newer than the row. */
static enum page_reason take_missing(struct record *r, int k, int columns) {
    const page_missing *missing = &r->layout->missing[k];
    int64_t *value = &r->to->value[k];
    if (!missing->known) {
        r->helper->short_columns = columns;
        return PAGE_SHORT_ROW;
    }
    if (missing->type == SQLITE_INTEGER) {
        bool real = page_is_weight(k) && r->layout->real;
        *value = real ? page_real_bits((double)missing->integer) : missing->integer;
        return PAGE_FINE;
    }
    if (missing->type == SQLITE_NULL)
        return take_null(r, k);
    if (missing->type == SQLITE_FLOAT)
        return take_real(r, k, page_real_bits(missing->real));
    if (missing->type != SQLITE_TEXT || k >= 2)
        return wrong_type(k);
    if (!r->layout->text)
        return r->layout->at_text;
    r->to->text |= 1u << k;
    r->to->bytes[k] = (const uint8_t *)missing->text;
    r->to->length[k] = missing->length;
    return PAGE_FINE;
}

/* Finds the record's header, on the page or as a copy from overflow pages. */
static enum page_reason find_header(struct record *r, uint64_t *size, int *used,
                                    const uint8_t **header) {
    enum { MOST_HEADER = 98307 }; /* SQLite's limit */
    const page_chain *chain = &r->chain;
    *used = get_varint(chain->record, chain->record + chain->local, size);
    if (*used == 0 || *size < (uint64_t)*used || *size > chain->payload)
        return PAGE_DAMAGED;
    *header = chain->record;
    if (*size <= chain->local)
        return PAGE_FINE;
    if (*size > MOST_HEADER)
        return PAGE_DAMAGED;
    uint8_t *copy = page_store_take(&r->helper->store, *size);
    *header = copy;
    return copy ? page_chain_read(&r->chain, 0, *size, copy) : PAGE_NO_MEMORY;
}

/* Notes a fault of a weight, which counts only if the row is an edge. */
static enum page_reason note_fault(int k, enum page_reason reason,
                                   enum page_reason *fault) {
    bool of_weight = reason == PAGE_WEIGHT_TYPE || reason == PAGE_WEIGHT_REAL ||
                     reason == PAGE_WEIGHT_TEXT || reason == PAGE_UTF_16;
    if (!page_is_weight(k) || !of_weight)
        return reason;
    *fault = *fault ? *fault : reason;
    return PAGE_FINE;
}

static enum page_reason take_record(struct record *r) {
    const page_layout *layout = r->layout;
    const int wanted = layout->columns;
    enum page_reason fault = PAGE_FINE;
    const uint64_t payload = r->chain.payload;
    const uint8_t *header;
    uint64_t header_size, type = 0, at;
    int used, column = 0;
    enum page_reason reason = find_header(r, &header_size, &used, &header);
    if (reason)
        return reason;
    const uint8_t *type_at = header + used, *end = header + header_size;
    for (at = header_size; column <= layout->last && type_at < end; column++) {
        used = get_varint(type_at, end, &type);
        uint64_t size = type >= 12 ? (type - 12) / 2 : layout->serial[type].size;
        if (used == 0 || size > payload - at)
            return PAGE_DAMAGED;
        for (int k = 0; k < wanted && !reason; k++)
            if (layout->column[k] == column)
                reason =
                    note_fault(k, take_value(r, k, type, at, (uint32_t)size), &fault);
        if (reason)
            return reason;
        at += size;
        type_at += used;
    }
    /* If the header has no more types, the values must fill the record. */
    if (type_at == end && at != payload)
        return PAGE_DAMAGED;
    for (int k = 0; k < wanted && !reason; k++)
        if (layout->column[k] >= column)
            reason = note_fault(k, take_missing(r, k, column), &fault);
    if (reason || !(r->to->null || r->to->out))
        return reason ? reason : fault;
    r->to->text &= 3; /* a half row is no edge and has no weight */
    r->to->value[PAGE_WEIGHT] = 0;
    return PAGE_FINE;
}

/* Evaluates the filter. Copies the bytes that it needs from overflow pages. */
static enum page_reason filter_record(struct record *r, int64_t rowid) {
    page_store store = {0};
    page_record record = {.bytes = r->chain.record,
                          .here = r->chain.local,
                          .payload = r->chain.payload,
                          .rowid = rowid};
    enum page_reason reason = page_condition_holds(r->layout, &record);
    while (!reason && record.need > record.here) {
        uint8_t *copy = page_store_take(&store, record.need + sizeof(uint64_t));
        if (!copy)
            reason = PAGE_NO_MEMORY;
        reason = reason ? reason : page_chain_read(&r->chain, 0, record.need, copy);
        record.bytes = copy;
        record.here = record.need;
        reason = reason ? reason : page_condition_holds(r->layout, &record);
    }
    page_store_empty(&store);
    r->helper->short_columns = record.columns;
    r->to->out = !record.holds;
    return reason;
}

enum page_reason page_cell(const page_layout *layout, const uint8_t *cell,
                           const uint8_t *end, page_helper *helper, int64_t *rowid,
                           page_values *to) {
    uint64_t payload, key;
    int used = get_varint(cell, end, &payload);
    int more = used ? get_varint(cell + used, end, &key) : 0;
    if (more == 0 || payload > INT32_MAX)
        return PAGE_DAMAGED;
    if (payload > layout->longest)
        return PAGE_TOO_LONG;
    cell += used + more;
    uint32_t local = local_payload((uint32_t)payload, layout->usable);
    if (local + (local < payload ? 4u : 0u) > (uint64_t)(end - cell))
        return PAGE_DAMAGED;
    *rowid = helper->short_rowid = (int64_t)key;
    for (int k = 0; k < layout->columns; k++)
        if (layout->column[k] == PAGE_IS_ROWID)
            to->value[k] = page_is_weight(k) && layout->real
                               ? page_real_bits((double)*rowid)
                               : *rowid;
    struct record r = {.layout = layout, .helper = helper, .to = to};
    page_chain_start(&r.chain, layout, helper, cell, local, (uint32_t)payload);
    const enum page_reason reason =
        layout->filter ? filter_record(&r, *rowid) : PAGE_FINE;
    return reason || layout->last < 0 ? reason : take_record(&r);
}
