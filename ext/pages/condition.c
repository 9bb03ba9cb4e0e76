/* Evaluates a condition from the bytes of a record: condition.h has the overview.
**
** Literals have the affinity of their column. A stored value usually has it, too. SQLite
** evaluates the condition for any other value. */
#include "condition.h"

/* ---- comparisons ---- */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)) + PAGE_EQUAL)

/* Compares without rounding. */
static int compare_with_real(int64_t integer, double real) {
    const double two_to_63 = 9223372036854775808.0;
    if (real < -two_to_63 || real >= two_to_63)
        return ORDER(0, real);
    const int order = ORDER(integer, (int64_t)real);
    return order != PAGE_EQUAL ? order : ORDER((double)integer, real);
}

static int compare_numbers(const page_value *a, const page_value *b) {
    if (a->type == b->type)
        return a->type == SQLITE_FLOAT ? ORDER(a->real, b->real)
                                       : ORDER(a->integer, b->integer);
    return a->type == SQLITE_INTEGER
               ? compare_with_real(a->integer, b->real)
               : PAGE_GREATER - compare_with_real(b->integer, a->real);
}

static uint32_t length_in(const page_value *value, char collation) {
    uint32_t length = value->length;
    while (collation == 'R' && length > 0 && value->bytes[length - 1] == ' ')
        length--;
    return length;
}

static int compare_bytes(const page_value *a, const page_value *b, char collation) {
    const uint32_t of_a = length_in(a, collation), of_b = length_in(b, collation);
    const uint32_t both = of_a < of_b ? of_a : of_b;
    const int order =
        collation == 'N'
            ? sqlite3_strnicmp((const char *)a->bytes, (const char *)b->bytes, (int)both)
            : memcmp(a->bytes, b->bytes, both);
    return order ? ORDER(order, 0) : ORDER(of_a, of_b);
}

/* True if the affinity changes the value, or its truth value is not clear. */
static bool is_converted(const page_value *value, char affinity) {
    sqlite3_int64 integer;
    const char *text = (const char *)value->bytes;
    if (affinity == PAGE_AS_TRUTH)
        return !page_value_is_number(value);
    if (affinity == PAGE_AS_TEXT)
        return page_value_is_number(value);
    return affinity != PAGE_AS_BLOB && value->type == SQLITE_TEXT &&
           number_in_text(text, text + value->length, &integer) != SQLITE_NULL;
}

/* PAGE_ORDERS: SQLite must compare the value. */
static enum page_order compare_value(const page_value *value, const page_test *test) {
    const page_value *literal = &test->literal;
    if (value->type == SQLITE_INTEGER && literal->type == SQLITE_INTEGER)
        return ORDER(value->integer, literal->integer);
    if (value->type == SQLITE_NULL)
        return PAGE_IS_NULL;
    if (literal->type == SQLITE_NULL)
        return PAGE_LESS;
    if (is_converted(value, test->affinity))
        return PAGE_ORDERS;
    if (page_value_is_number(value) && page_value_is_number(literal))
        return compare_numbers(value, literal);
    if (value->type == literal->type)
        return compare_bytes(value, literal,
                             value->type == SQLITE_TEXT ? test->collation : 'B');
    return ORDER(value->type, literal->type); /* numbers, TEXT, BLOB */
}

/* ---- values of a record ---- */

static enum page_reason load_value(const page_layout *layout, const page_tested *column,
                                   uint64_t type, uint64_t size, const uint8_t *bytes,
                                   page_value *to) {
    if (type >= 12) {
        *to = (page_value){.type = type % 2 ? SQLITE_TEXT : SQLITE_BLOB,
                           .length = (uint32_t)size,
                           .bytes = bytes};
        return layout->filter->numbers_alone ? PAGE_FILTER_VALUE : PAGE_FINE;
    }
    const struct page_serial *s = &layout->serial[type];
    const uint64_t raw = get8(bytes);
    to->integer = ((int64_t)raw >> s->shift & s->keep) | s->constant;
    to->type = SQLITE_INTEGER;
    if (type == 0 || (type == 7 && page_is_nan(raw))) {
        to->type = SQLITE_NULL;
    } else if (type == 7 || column->real) {
        to->type = SQLITE_FLOAT;
        to->real = type == 7 ? page_real_of((int64_t)raw) : (double)to->integer;
    }
    return type == 10 || type == 11 ? PAGE_DAMAGED : PAGE_FINE;
}

/* Finds the values of the condition's columns, in one pass over the record's header. */
static enum page_reason find_values(const page_layout *layout, page_record *record,
                                    page_value *value) {
    const page_condition *c = layout->filter;
    const uint64_t payload = record->payload;
    enum page_reason reason = PAGE_FINE;
    uint64_t header, type = 0, size = 0;
    int used = get_varint(record->bytes, record->bytes + record->here, &header);
    if (used == 0 || header < (uint64_t)used || header > payload)
        return PAGE_DAMAGED;
    record->need = header;
    if (header > record->here)
        return PAGE_FINE;
    const uint8_t *type_at = record->bytes + used, *end = record->bytes + header;
    uint64_t at = header; /* behind the latest value */
    int columns = 0;
    for (int i = 0; i < c->stored && !reason; i++) {
        const page_tested *column = &c->column[c->order[i]];
        page_value *to = &value[c->order[i]];
        for (; columns <= column->at && type_at < end; columns++, at += size) {
            if ((type = *type_at) < 0x80) {
                size = layout->serial[type].size;
                type_at++;
                continue;
            }
            used = get_varint(type_at, end, &type);
            size = (type - 12) / 2;
            if (used == 0 || size > payload)
                return PAGE_DAMAGED;
            type_at += used;
        }
        if (at > payload)
            return PAGE_DAMAGED;
        if (columns <= column->at) {
            record->columns = columns;
            *to = column->missing;
            reason = column->known ? PAGE_FINE : PAGE_SHORT_ROW;
            continue;
        }
        /* A value without bytes may lie behind the bytes that are here. */
        if (size > 0)
            record->need = at;
        if (record->need <= record->here)
            reason = load_value(layout, column, type, size,
                                record->bytes + (size > 0 ? at - size : 0), to);
    }
    return type_at == end && at != payload ? PAGE_DAMAGED : reason;
}

enum page_reason page_condition_holds(const page_layout *layout, page_record *record) {
    const page_condition *c = layout->filter;
    page_value value[PAGE_CONDITION_COLUMNS];
    for (int i = 0; c->stored < c->columns && i < c->columns; i++)
        if (c->column[i].at == PAGE_IS_ROWID)
            value[i] = (page_value){.type = SQLITE_INTEGER, .integer = record->rowid};
    const enum page_reason reason = find_values(layout, record, value);
    if (reason || record->need > record->here)
        return reason;
    int at = c->first;
    while (at >= 0) {
        const page_test *test = &c->test[at];
        const enum page_order order = compare_value(&value[test->column], test);
        if (order == PAGE_ORDERS)
            return PAGE_FILTER_VALUE;
        at = test->next[order];
    }
    record->holds = at == PAGE_YES;
    return PAGE_FINE;
}
