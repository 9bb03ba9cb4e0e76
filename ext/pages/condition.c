/* Compiles a simple condition and evaluates it: condition.h has the overview.
**
**     text    --parse-->  nodes: AND, OR, NOT, tests  --lay-->  tests with targets
**     record  --find_values-->  one value a column    --compare_value-->  the answer
**
** SQLite evaluates the literals. A literal gets the affinity of its column once; a stored
** value that would change under its column's affinity is left to SQLite. */
#include "condition.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include "base/table_info.h"

#include <stdlib.h>

enum { MOST_COLUMNS = 8, MOST_TESTS = 64, MOST_NODES = 4 * MOST_TESTS, MOST_DEPTH = 50 };
/* The results of a comparison of a value with a literal. */
enum { LESS, EQUAL, GREATER, IS_NULL, OUTCOMES, UNSURE = OUTCOMES };
enum { YES = -1, NO = -2 }; /* targets: the answers */
/* As affinity_of_type. TRUTH: the value is compared with 0 as a truth value. */
enum { BLOB_AFFINITY = 'A', TEXT_AFFINITY = 'B', NUMERIC_AFFINITY = 'C', TRUTH = 'T' };

struct value {
    int type; /* SQLITE_INTEGER, ... */
    uint32_t length;
    int64_t integer;
    double real;
    const uint8_t *bytes; /* of a TEXT or a BLOB */
};

struct test {
    struct value literal;
    int8_t next[OUTCOMES]; /* a test, YES or NO */
    uint8_t column;
    char affinity, collation; /* collation: 'B', 'N' or 'R' */
};

struct column {
    char *name;
    int at;    /* in the record, or PAGE_IS_ROWID */
    bool real; /* INTEGERs are read as REAL */
    char affinity, collation;
    bool known; /* the value in rows that are older than the column is known */
    struct value missing;
};

struct page_condition {
    bool numbers_alone;
    int first; /* the first test */
    int tests, columns;
    struct test test[MOST_TESTS];
    struct column column[MOST_COLUMNS];
    int stored; /* columns in the record, and their order there */
    int order[MOST_COLUMNS];
    page_store store; /* texts and BLOBs of literals */
};

/* ---- comparing ---- */

static bool is_number(const struct value *value) {
    return value->type == SQLITE_INTEGER || value->type == SQLITE_FLOAT;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)) + EQUAL)

/* Compares without rounding. */
static int compare_with_real(int64_t integer, double real) {
    const double two_to_63 = 9223372036854775808.0;
    if (real < -two_to_63 || real >= two_to_63)
        return real < 0 ? GREATER : LESS;
    const int order = ORDER(integer, (int64_t)real);
    return order != EQUAL ? order : ORDER((double)integer, real);
}

static int compare_numbers(const struct value *a, const struct value *b) {
    if (a->type == b->type)
        return a->type == SQLITE_FLOAT ? ORDER(a->real, b->real)
                                       : ORDER(a->integer, b->integer);
    return a->type == SQLITE_INTEGER ? compare_with_real(a->integer, b->real)
                                     : GREATER - compare_with_real(b->integer, a->real);
}

static uint32_t trimmed(const struct value *text) {
    uint32_t length = text->length;
    while (length > 0 && text->bytes[length - 1] == ' ')
        length--;
    return length;
}

static int compare_bytes(const struct value *a, const struct value *b, char collation) {
    const uint32_t a_length = collation == 'R' ? trimmed(a) : a->length;
    const uint32_t b_length = collation == 'R' ? trimmed(b) : b->length;
    const uint32_t both = a_length < b_length ? a_length : b_length;
    const int order =
        collation == 'N'
            ? sqlite3_strnicmp((const char *)a->bytes, (const char *)b->bytes, (int)both)
            : memcmp(a->bytes, b->bytes, both);
    return order ? ORDER(order, 0) : ORDER(a_length, b_length);
}

/* True if the affinity changes the value, or its truth value is not that of a number. */
static bool is_converted(const struct value *value, char affinity) {
    sqlite3_int64 integer;
    const char *text = (const char *)value->bytes;
    if (affinity == TRUTH)
        return !is_number(value);
    if (affinity >= NUMERIC_AFFINITY)
        return value->type == SQLITE_TEXT &&
               number_in_text(text, text + value->length, &integer) != SQLITE_NULL;
    return affinity == TEXT_AFFINITY && is_number(value);
}

static int compare_value(const struct value *value, const struct test *test) {
    const struct value *literal = &test->literal;
    if (value->type == SQLITE_INTEGER && literal->type == SQLITE_INTEGER)
        return ORDER(value->integer, literal->integer);
    if (value->type == SQLITE_NULL)
        return IS_NULL;
    if (literal->type == SQLITE_NULL)
        return LESS;
    if (is_converted(value, test->affinity))
        return UNSURE;
    if (is_number(value) && is_number(literal))
        return compare_numbers(value, literal);
    if (value->type == literal->type)
        return compare_bytes(value, literal,
                             value->type == SQLITE_TEXT ? test->collation : 'B');
    return ORDER(value->type, literal->type); /* numbers, TEXT, BLOB */
}

/* ---- values of a record ---- */

static enum page_reason load_value(const page_layout *layout, const struct column *column,
                                   uint64_t type, const uint8_t *bytes, uint64_t size,
                                   struct value *to) {
    if (type >= 12) {
        *to = (struct value){.type = type % 2 ? SQLITE_TEXT : SQLITE_BLOB,
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
                                    struct value *value) {
    const page_condition *c = layout->filter;
    const uint64_t payload = record->payload;
    uint64_t header, type = 0, size = 0, at;
    int used = get_varint(record->bytes, record->bytes + record->here, &header);
    if (used == 0 || header < (uint64_t)used || header > payload)
        return PAGE_DAMAGED;
    record->need = at = header;
    if (header > record->here)
        return PAGE_FINE;
    const uint8_t *type_at = record->bytes + used, *end = record->bytes + header;
    enum page_reason reason = PAGE_FINE;
    for (int i = 0, column = 0; i < c->stored && !reason; i++) {
        const struct column *wanted = &c->column[c->order[i]];
        for (; column <= wanted->at && type_at < end; column++) {
            used = 1;
            type = *type_at;
            if (type >= 0x80)
                used = get_varint(type_at, end, &type);
            size = type >= 12 ? (type - 12) / 2 : layout->serial[type].size;
            if (used == 0 || size > payload - at)
                return PAGE_DAMAGED;
            type_at += used;
            at += size;
        }
        record->columns = column;
        if (size > 0 && column > wanted->at)
            record->need = at;
        if (column <= wanted->at && !wanted->known)
            reason = PAGE_SHORT_ROW;
        else if (column <= wanted->at)
            value[c->order[i]] = wanted->missing;
        else if (record->need <= record->here)
            reason = load_value(layout, wanted, type, record->bytes + at - size, size,
                                &value[c->order[i]]);
    }
    return type_at == end && at != payload ? PAGE_DAMAGED : reason;
}

enum page_reason page_condition_holds(const page_layout *layout, page_record *record) {
    const page_condition *c = layout->filter;
    struct value value[MOST_COLUMNS];
    for (int i = 0; c->stored < c->columns && i < c->columns; i++)
        if (c->column[i].at == PAGE_IS_ROWID)
            value[i] = (struct value){.type = SQLITE_INTEGER, .integer = record->rowid};
    const enum page_reason reason = find_values(layout, record, value);
    if (reason || record->need > record->here)
        return reason;
    int at = c->first;
    while (at >= 0) {
        const struct test *test = &c->test[at];
        const int outcome = compare_value(&value[test->column], test);
        if (outcome == UNSURE)
            return PAGE_FILTER_VALUE;
        at = test->next[outcome];
    }
    record->holds = at == YES;
    return PAGE_FINE;
}

/* ---- values from SQLite ---- */

/* Takes a value, converted by the affinity. */
static enum page_reason take_sql_value(page_condition *c, sqlite3_value *value,
                                       char affinity, struct value *to) {
    struct sql_number number = {.type = SQLITE_NULL};
    *to = (struct value){.type = sqlite3_value_type(value)};
    if ((affinity >= NUMERIC_AFFINITY || is_number(to)) && number_of(value, &number))
        return PAGE_NO_MEMORY;
    if (affinity == TEXT_AFFINITY && is_number(to))
        to->type = SQLITE_TEXT;
    else if (number.type != SQLITE_NULL)
        *to = (struct value){
            .type = number.type, .integer = number.integer, .real = number.real};
    if (to->type != SQLITE_TEXT && to->type != SQLITE_BLOB)
        return PAGE_FINE;
    const void *bytes =
        to->type == SQLITE_TEXT ? sqlite3_value_text(value) : sqlite3_value_blob(value);
    to->length = (uint32_t)sqlite3_value_bytes(value);
    uint8_t *copy = page_store_take(&c->store, (size_t)to->length + 1);
    if (!copy || (!bytes && (to->type == SQLITE_TEXT || to->length > 0)))
        return PAGE_NO_MEMORY;
    to->bytes = copy;
    if (to->length > 0)
        memcpy(copy, bytes, to->length);
    return PAGE_FINE;
}

/* The table with one wanted column. */
static page_table one_column(const page_table *t, const char *column) {
    return (page_table){.db = t->db,
                        .schema = t->schema,
                        .table = t->table,
                        .rowid = t->rowid,
                        .column = {[PAGE_WEIGHT] = column}};
}

enum page_reason page_condition_ask(page_condition *c, const page_table *t,
                                    const page_short *old) {
    enum page_reason reason = PAGE_FINE;
    for (int i = 0; i < c->columns && !reason; i++) {
        struct column *column = &c->column[i];
        if (column->at < old->columns || column->known)
            continue;
        const page_table one = one_column(t, column->name);
        sqlite3_stmt *row;
        reason = page_scan_row(&one, old->rowid, &row);
        reason = reason ? reason
                        : take_sql_value(c, sqlite3_column_value(row, 1), BLOB_AFFINITY,
                                         &column->missing);
        column->known = !reason;
        sqlite3_finalize(row);
    }
    return reason;
}

/* ---- parsing ---- */

/* The truth of a comparison for each outcome: 'T', 'F' or 'N' for NULL. */
typedef char truths[OUTCOMES + 1];

struct node {
    char kind;       /* '&', '|', '!', or 't' for a test */
    int left, right; /* nodes; left of 't': the test */
    truths truth;    /* of 't' */
};

typedef struct parser {
    const page_table *table;
    page_condition *made;
    const char *at, *end;
    sql_token token; /* the next token; `at` is behind it */
    struct node node[MOST_NODES];
    int nodes, depth;
    enum page_reason reason; /* the first fault; afterwards no token is left */
} parser;

struct operand {
    enum { COLUMN, LITERAL, CONDITION } kind;
    int index;               /* of a column, or the node of a condition */
    const char *start, *end; /* of a literal */
    bool is_truth;           /* TRUE or FALSE */
};
static const struct operand not_simple = {.kind = CONDITION};

static struct operand condition_fails(parser *p, enum page_reason reason) {
    p->reason = p->reason ? p->reason : reason;
    p->at = p->end;
    p->token.kind = SQL_END;
    return not_simple;
}

static void next_token(parser *p) {
    p->at = sql_next(p->at, p->end, &p->token);
}

static bool take_word(parser *p, const char *keyword) {
    const bool taken =
        p->token.kind == SQL_WORD && sql_word_is(p->token.start, p->token.end, keyword);
    if (taken)
        next_token(p);
    return taken;
}

static bool take_mark(parser *p, char mark) {
    const bool taken = p->token.kind == SQL_OTHER && *p->token.start == mark;
    if (taken)
        next_token(p);
    return taken;
}

static int add_node(parser *p, char kind, int left, int right) {
    if (p->nodes == MOST_NODES) {
        condition_fails(p, PAGE_NOT_SIMPLE);
        return 0;
    }
    p->node[p->nodes] = (struct node){.kind = kind, .left = left, .right = right};
    return p->nodes++;
}

/* SQLite evaluates the literal. */
static enum page_reason read_literal(parser *p, const struct operand *literal,
                                     struct test *test) {
    sqlite3_stmt *row;
    int rc = statement_prepare(p->table->db, &row, "SELECT %.*s",
                               (int)(literal->end - literal->start), literal->start);
    rc = rc ? rc : sqlite3_step(row);
    const enum page_reason reason =
        rc == SQLITE_ROW         ? take_sql_value(p->made, sqlite3_column_value(row, 0),
                                                  test->affinity, &test->literal)
        : rc == SQLITE_NOMEM     ? PAGE_NO_MEMORY
        : rc == SQLITE_INTERRUPT ? PAGE_STOPPED
                                 : PAGE_NOT_SIMPLE;
    sqlite3_finalize(row);
    return reason;
}

static struct operand add_test(parser *p, int column, char affinity,
                               const struct operand *literal, const truths truth) {
    page_condition *c = p->made;
    if (p->reason || c->tests == MOST_TESTS)
        return condition_fails(p, PAGE_NOT_SIMPLE);
    struct test *test = &c->test[c->tests];
    *test = (struct test){.column = (uint8_t)column,
                          .affinity = affinity,
                          .collation = c->column[column].collation};
    const enum page_reason reason = read_literal(p, literal, test);
    if (reason)
        return condition_fails(p, reason);
    const int node = add_node(p, 't', c->tests++, 0);
    char *to = memcpy(p->node[node].truth, truth, sizeof(truths));
    if (test->literal.type == SQLITE_NULL) { /* a value is LESS, and NULL is equal */
        to[LESS] = truth[IS_NULL];
        to[IS_NULL] = truth[IS_NULL] == 'N' ? 'N' : truth[EQUAL];
    }
    return (struct operand){.kind = CONDITION, .index = node};
}

/* Compares a column with a literal, in any order. */
static struct operand relate(parser *p, struct operand left, const truths truth,
                             struct operand right) {
    truths turned = {truth[GREATER], truth[EQUAL], truth[LESS], truth[IS_NULL]};
    if (left.kind == LITERAL && right.kind == COLUMN)
        return relate(p, right, turned, left);
    if (left.kind != COLUMN || right.kind != LITERAL)
        return condition_fails(p, PAGE_NOT_SIMPLE);
    return add_test(p, left.index, p->made->column[left.index].affinity, &right, truth);
}

static struct operand test_truth(parser *p, struct operand column, const truths truth) {
    static const char zero[] = "0";
    const struct operand literal = {LITERAL, .start = zero, .end = zero + 1};
    return add_test(p, column.index, TRUTH, &literal, truth);
}

/* The node of the operand as a condition. */
static int node_of(parser *p, struct operand operand) {
    if (operand.kind == COLUMN)
        operand = test_truth(p, operand, "TFTN");
    if (operand.kind == LITERAL)
        operand = condition_fails(p, PAGE_NOT_SIMPLE);
    return operand.index;
}

static struct operand join(parser *p, char kind, struct operand left,
                           struct operand right) {
    const int one = node_of(p, left), other = node_of(p, right);
    return (struct operand){.kind = CONDITION, .index = add_node(p, kind, one, other)};
}

static struct operand negate(parser *p, bool negated, struct operand operand) {
    if (!negated)
        return operand;
    return (struct operand){.kind = CONDITION,
                            .index = add_node(p, '!', node_of(p, operand), 0)};
}

/* Sets what the schema and SQLite's program say about the column. False: the condition
** may not use the column, or there is none of its name. */
static bool study_column(parser *p, struct column *column) {
    const page_table *t = p->table, one = one_column(t, column->name);
    const char *type = NULL, *collation = NULL;
    page_layout layout = {0};
    uint32_t root;
    if (sqlite3_table_column_metadata(t->db, t->schema, t->table, column->name, &type,
                                      &collation, NULL, NULL, NULL) != SQLITE_OK ||
        !collation)
        return false;
    /* In a STRICT table, ANY is another affinity. */
    if ((sqlite3_stricmp(collation, "BINARY") && sqlite3_stricmp(collation, "NOCASE") &&
         sqlite3_stricmp(collation, "RTRIM")) ||
        (type && sqlite3_stricmp(type, "ANY") == 0))
        return false;
    const enum page_reason reason = page_program(&one, &layout, &root);
    if (reason)
        condition_fails(p, reason);
    column->collation = (char)(collation[0] & ~0x20); /* in capitals */
    column->affinity = affinity_of_type(type);
    column->at = layout.column[PAGE_WEIGHT];
    column->real = layout.real;
    return !reason;
}

/* Returns the position in p->made->column of the column that the token names; -1: the
** token names no column, or no column that a simple condition may use. */
static int find_column(parser *p) {
    page_condition *c = p->made;
    struct column column = {.name = sql_unquote(&p->token)};
    int i = 0;
    while (i < c->columns && column.name &&
           sqlite3_stricmp(c->column[i].name, column.name) != 0)
        i++;
    if (column.name && i == c->columns && i < MOST_COLUMNS && study_column(p, &column)) {
        int k = c->stored;
        c->stored += column.at >= 0;
        for (; k > 0 && k < c->stored && c->column[c->order[k - 1]].at > column.at; k--)
            c->order[k] = c->order[k - 1];
        if (k < c->stored)
            c->order[k] = i;
        c->column[c->columns++] = column;
        return i;
    }
    if (!column.name)
        condition_fails(p, PAGE_NO_MEMORY);
    sqlite3_free(column.name);
    return i < c->columns ? i : -1;
}

static bool is_digit(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

/* Parses a number that has its sign in front, if it has one. */
static struct operand parse_number(parser *p, const char *start) {
    const char *at = p->token.start;
    if (!is_digit(at, p->end) && !(take_mark(p, '.') && is_digit(at + 1, p->end)))
        return condition_fails(p, PAGE_NOT_SIMPLE);
    while (at < p->end && (sql_in_word(*at) || *at == '.' ||
                           ((*at == '+' || *at == '-') && (at[-1] & ~0x20) == 'E')))
        at++;
    p->at = at;
    next_token(p);
    return (struct operand){LITERAL, .start = start, .end = at};
}

static struct operand parse_or(parser *p);

static struct operand parse_operand(parser *p) {
    const sql_token token = p->token;
    struct operand literal = {LITERAL, .start = token.start, .end = token.end};
    if (take_mark(p, '(')) {
        if (++p->depth > MOST_DEPTH)
            return condition_fails(p, PAGE_NOT_SIMPLE);
        const struct operand inner = parse_or(p);
        p->depth--;
        return take_mark(p, ')') ? inner : condition_fails(p, PAGE_NOT_SIMPLE);
    }
    if (take_mark(p, '-') || take_mark(p, '+') || token.kind == SQL_OTHER)
        return parse_number(p, token.start);
    if (take_word(p, "NULL"))
        return literal;
    if (token.kind == SQL_QUOTED && *token.start == '\'') {
        next_token(p);
        return literal;
    }
    if (token.end < p->end && *token.end == '\'' && take_word(p, "X")) {
        literal.end = p->token.end;
        next_token(p);
        return literal;
    }
    const int column =
        token.kind == SQL_WORD || token.kind == SQL_QUOTED ? find_column(p) : -1;
    if (column >= 0) {
        next_token(p);
        return (struct operand){COLUMN, .index = column};
    }
    literal.is_truth = take_word(p, "TRUE") || take_word(p, "FALSE");
    return literal.is_truth ? literal : condition_fails(p, PAGE_NOT_SIMPLE);
}

/* Parses the right side of IS. A column IS TRUE if its truth value is true. */
static struct operand parse_is(parser *p, struct operand left, bool negated) {
    const struct operand right = parse_operand(p);
    if (left.kind != COLUMN || !right.is_truth)
        return relate(p, left, negated ? "TFTT" : "FTFF", right);
    const bool is_true = (*right.start & ~0x20) == 'T';
    return test_truth(p, left,
                      negated   ? (is_true ? "FTFT" : "TFTT")
                      : is_true ? "TFTF"
                                : "FTFF");
}

static struct operand parse_between(parser *p, struct operand left) {
    const struct operand low = parse_operand(p);
    if (left.kind != COLUMN || !take_word(p, "AND"))
        return condition_fails(p, PAGE_NOT_SIMPLE);
    const struct operand high = parse_operand(p), above = relate(p, left, "FTTN", low);
    return join(p, '&', above, relate(p, left, "TTFN", high));
}

static struct operand parse_in(parser *p, struct operand left) {
    if (left.kind != COLUMN || !take_mark(p, '('))
        return condition_fails(p, PAGE_NOT_SIMPLE);
    struct operand any = relate(p, left, "FTFN", parse_operand(p));
    while (take_mark(p, ','))
        any = join(p, '|', any, relate(p, left, "FTFN", parse_operand(p)));
    return take_mark(p, ')') ? any : condition_fails(p, PAGE_NOT_SIMPLE);
}

/* Takes an operator of two operands. NULL: there is none. */
static const char *take_relation(parser *p) {
    if (take_mark(p, '<'))
        return take_mark(p, '=') ? "TTFN" : take_mark(p, '>') ? "TFTN" : "TFFN";
    if (take_mark(p, '>'))
        return take_mark(p, '=') ? "FTTN" : "FFTN";
    if (take_mark(p, '!'))
        return take_mark(p, '=') ? "TFTN" : NULL;
    if (!take_mark(p, '='))
        return NULL;
    take_mark(p, '=');
    return "FTFN";
}

static struct operand parse_comparison(parser *p) {
    static const char null[] = "NULL";
    const struct operand left = parse_operand(p),
                         nothing = {LITERAL, .start = null, .end = null + 4};
    if (take_word(p, "IS"))
        return parse_is(p, left, take_word(p, "NOT"));
    if (take_word(p, "ISNULL"))
        return relate(p, left, "FTFF", nothing);
    const bool negated = take_word(p, "NOT");
    if (take_word(p, "NOTNULL") || (negated && take_word(p, "NULL")))
        return relate(p, left, "TFTT", nothing);
    if (take_word(p, "BETWEEN"))
        return negate(p, negated, parse_between(p, left));
    if (take_word(p, "IN"))
        return negate(p, negated, parse_in(p, left));
    if (negated)
        return condition_fails(p, PAGE_NOT_SIMPLE);
    const char *truth = take_relation(p);
    return truth ? relate(p, left, truth, parse_operand(p)) : left;
}

static struct operand parse_not(parser *p) {
    if (!take_word(p, "NOT"))
        return parse_comparison(p);
    if (++p->depth > MOST_DEPTH)
        return condition_fails(p, PAGE_NOT_SIMPLE);
    const struct operand inner = parse_not(p);
    p->depth--;
    return negate(p, true, inner);
}

static struct operand parse_and(parser *p) {
    struct operand left = parse_not(p);
    while (take_word(p, "AND"))
        left = join(p, '&', left, parse_not(p));
    return left;
}

static struct operand parse_or(parser *p) {
    struct operand left = parse_and(p);
    while (take_word(p, "OR"))
        left = join(p, '|', left, parse_and(p));
    return left;
}

/* ---- the program ---- */

/* Sets the targets of a node's tests. null: the target of NULL, which is yes or no.
** Returns the first test. */
static int lay_node(parser *p, int index, int yes, int no, int null) {
    const struct node *node = &p->node[index];
    if (node->kind == '!')
        return lay_node(p, node->left, no, yes, null);
    if (node->kind == '&') {
        const int second = lay_node(p, node->right, yes, no, null);
        return lay_node(p, node->left, second, no, null == no ? no : second);
    }
    if (node->kind == '|') {
        const int second = lay_node(p, node->right, yes, no, null);
        return lay_node(p, node->left, yes, second, null == yes ? yes : second);
    }
    for (int k = 0; k < OUTCOMES; k++)
        p->made->test[node->left].next[k] = (int8_t)(node->truth[k] == 'T'   ? yes
                                                     : node->truth[k] == 'F' ? no
                                                                             : null);
    return node->left;
}

enum page_reason page_condition_make(const page_table *t, bool numbers_alone,
                                     page_condition **made) {
    parser p = {.table = t, .at = t->filter, .end = t->filter + strlen(t->filter)};
    *made = p.made = calloc(1, sizeof **made);
    if (!p.made)
        return PAGE_NO_MEMORY;
    p.made->numbers_alone = numbers_alone;
    next_token(&p);
    const int root = node_of(&p, parse_or(&p));
    if (p.token.kind != SQL_END)
        condition_fails(&p, PAGE_NOT_SIMPLE);
    if (!p.reason) {
        p.made->first = lay_node(&p, root, YES, NO, NO);
        return PAGE_FINE;
    }
    page_condition_free(p.made);
    *made = NULL;
    return p.reason;
}

void page_condition_free(page_condition *c) {
    for (int i = 0; c && i < c->columns; i++)
        sqlite3_free(c->column[i].name);
    if (c)
        page_store_empty(&c->store);
    free(c);
}
