/* Compiles the text of a condition: condition.h has the overview.
**
**     text    toll = 0 AND NOT (kind = 'track' OR metres > 5)
**     nodes   &(toll = 0, !(|(kind = 'track', metres > 5)))      parse_or
**     tests   with targets                                       lay_node
**
** SQLite itself evaluates literals and finds columns. */
#include "condition.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include "base/table_info.h"

#include <stdlib.h>

enum { MOST_NODES = 4 * PAGE_CONDITION_TESTS, MOST_DEPTH = 50 };

/* The truth of a comparison for each page_order: 'T', 'F', or 'N' for NULL. */
typedef char truths[PAGE_ORDERS + 1];

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
    int index;               /* a column or a node */
    const char *start, *end; /* the text of a literal */
    bool is_truth;           /* TRUE or FALSE */
};

static struct operand give_up(parser *p, enum page_reason reason) {
    p->reason = p->reason ? p->reason : reason;
    p->at = p->end;
    p->token.kind = SQL_END;
    return (struct operand){.kind = CONDITION};
}

static struct operand not_simple(parser *p) {
    return give_up(p, PAGE_NOT_SIMPLE);
}

/* ---- values that SQLite gives ---- */

/* Takes a value, converted by the affinity. */
static enum page_reason take_sql_value(page_condition *c, sqlite3_value *value,
                                       char affinity, page_value *to) {
    struct sql_number number = {.type = SQLITE_NULL};
    *to = (page_value){.type = sqlite3_value_type(value)};
    const bool is_number = page_value_is_number(to);
    if ((affinity >= PAGE_AS_NUMERIC || is_number) && number_of(value, &number))
        return PAGE_NO_MEMORY;
    if (affinity == PAGE_AS_TEXT && is_number)
        to->type = SQLITE_TEXT;
    else if (number.type != SQLITE_NULL)
        *to = (page_value){
            .type = number.type, .integer = number.integer, .real = number.real};
    if (to->type != SQLITE_TEXT && to->type != SQLITE_BLOB)
        return PAGE_FINE;
    const bool is_text = to->type == SQLITE_TEXT;
    const void *bytes = is_text ? sqlite3_value_text(value) : sqlite3_value_blob(value);
    to->length = (uint32_t)sqlite3_value_bytes(value);
    uint8_t *copy = page_store_take(&c->store, (size_t)to->length + 1);
    if (!copy || (!bytes && (is_text || to->length > 0)))
        return PAGE_NO_MEMORY;
    if (to->length > 0)
        memcpy(copy, bytes, to->length);
    to->bytes = copy;
    return PAGE_FINE;
}

static enum page_reason read_literal(parser *p, const struct operand *literal,
                                     page_test *test) {
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

/* ---- columns ---- */

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
        page_tested *column = &c->column[i];
        if (column->at < old->columns || column->known)
            continue;
        const page_table one = one_column(t, column->name);
        sqlite3_stmt *row;
        reason = page_scan_row(&one, old->rowid, &row);
        reason = reason ? reason
                        : take_sql_value(c, sqlite3_column_value(row, 1), PAGE_AS_BLOB,
                                         &column->missing);
        column->known = !reason;
        sqlite3_finalize(row);
    }
    return reason;
}

/* Sets the column's fields. False: the table has no column of this name, or the condition
** is not simple. */
static bool study_column(parser *p, page_tested *column) {
    static const char *const known[] = {"BINARY", "NOCASE", "RTRIM"};
    const page_table *t = p->table, one = one_column(t, column->name);
    const char *type = NULL, *collation = NULL;
    page_layout layout = {0};
    uint32_t root;
    if (sqlite3_table_column_metadata(t->db, t->schema, t->table, column->name, &type,
                                      &collation, NULL, NULL, NULL) != SQLITE_OK ||
        !collation)
        return false;
    if (p->made->columns == PAGE_CONDITION_COLUMNS)
        not_simple(p);
    for (int i = 0; i < 3; i++)
        if (sqlite3_stricmp(collation, known[i]) == 0)
            column->collation = *known[i];
    /* ANY has another affinity in a STRICT table. */
    if (!column->collation || (type && sqlite3_stricmp(type, "ANY") == 0))
        not_simple(p);
    column->affinity = affinity_of_type(type);
    const enum page_reason reason = page_program(&one, &layout, &root);
    if (reason)
        give_up(p, reason);
    column->at = layout.column[PAGE_WEIGHT];
    column->real = layout.real;
    return !p->reason;
}

static void put_in_order(page_condition *c, int column) {
    int i = c->stored++;
    for (; i > 0 && c->column[c->order[i - 1]].at > c->column[column].at; i--)
        c->order[i] = c->order[i - 1];
    c->order[i] = column;
}

/* The index of the column; -1: it is none of the condition so far. */
static int known_column(const page_condition *c, const char *name) {
    int i = c->columns - 1;
    while (i >= 0 && sqlite3_stricmp(c->column[i].name, name) != 0)
        i--;
    return i;
}

/* The index of the column that the token names; -1: no column that may be used. */
static int find_column(parser *p) {
    page_condition *c = p->made;
    page_tested column = {.name = sql_unquote(&p->token)};
    if (!column.name)
        give_up(p, PAGE_NO_MEMORY);
    int i = column.name ? known_column(c, column.name) : -1;
    if (column.name && i < 0 && study_column(p, &column)) {
        i = c->columns++;
        c->column[i] = column;
        if (column.at != PAGE_IS_ROWID)
            put_in_order(c, i);
        return i;
    }
    sqlite3_free(column.name);
    return i;
}

/* ---- nodes ---- */

static struct operand add_node(parser *p, char kind, int left, int right) {
    if (p->nodes == MOST_NODES)
        return not_simple(p);
    p->node[p->nodes] = (struct node){.kind = kind, .left = left, .right = right};
    return (struct operand){.kind = CONDITION, .index = p->nodes++};
}

static struct operand add_test(parser *p, int column, char affinity,
                               const struct operand *literal, const truths truth) {
    page_condition *c = p->made;
    if (p->reason || c->tests == PAGE_CONDITION_TESTS)
        return not_simple(p);
    page_test *test = &c->test[c->tests];
    *test = (page_test){.column = (uint8_t)column,
                        .affinity = affinity,
                        .collation = c->column[column].collation};
    const enum page_reason reason = read_literal(p, literal, test);
    if (reason)
        return give_up(p, reason);
    const struct operand made = add_node(p, 't', c->tests++, 0);
    char *to = memcpy(p->node[made.index].truth, truth, sizeof(truths));
    if (test->literal.type == SQLITE_NULL) { /* the order of a value is PAGE_LESS */
        to[PAGE_LESS] = truth[PAGE_IS_NULL];
        to[PAGE_IS_NULL] = truth[PAGE_IS_NULL] == 'N' ? 'N' : truth[PAGE_EQUAL];
    }
    return made;
}

/* Compares a column with a literal; either may be on the left. */
static struct operand relate(parser *p, struct operand left, const truths truth,
                             struct operand right) {
    const truths turned = {truth[PAGE_GREATER], truth[PAGE_EQUAL], truth[PAGE_LESS],
                           truth[PAGE_IS_NULL]};
    if (left.kind == LITERAL && right.kind == COLUMN)
        return relate(p, right, turned, left);
    if (left.kind != COLUMN || right.kind != LITERAL)
        return not_simple(p);
    return add_test(p, left.index, p->made->column[left.index].affinity, &right, truth);
}

/* Compares the truth value of a column. */
static struct operand test_truth(parser *p, struct operand column, const truths truth) {
    static const char zero[] = "0";
    const struct operand literal = {LITERAL, .start = zero, .end = zero + 1};
    return add_test(p, column.index, PAGE_AS_TRUTH, &literal, truth);
}

/* The node of an operand of AND, OR and NOT. */
static int node_of(parser *p, struct operand operand) {
    if (operand.kind == COLUMN)
        operand = test_truth(p, operand, "TFTN");
    if (operand.kind == LITERAL)
        operand = not_simple(p);
    return operand.index;
}

static struct operand join(parser *p, char kind, struct operand left,
                           struct operand right) {
    const int one = node_of(p, left), other = node_of(p, right);
    return add_node(p, kind, one, other);
}

static struct operand negate(parser *p, bool negated, struct operand operand) {
    return negated ? add_node(p, '!', node_of(p, operand), 0) : operand;
}

/* ---- the grammar ---- */

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

static bool starts_number(const char *at, const char *end) {
    at += at < end && *at == '.';
    return skip_digits(at, end) > at;
}

/* Takes a number, whose sign has been taken. */
static struct operand take_number(parser *p, const char *start) {
    const char *at = p->token.start;
    if (!starts_number(at, p->end))
        return not_simple(p);
    while (at < p->end && (sql_in_word(*at) || *at == '.' ||
                           ((*at == '+' || *at == '-') && (at[-1] & ~0x20) == 'E')))
        at++;
    p->at = at;
    next_token(p);
    return (struct operand){LITERAL, .start = start, .end = at};
}

static struct operand parse_or(parser *p);

static struct operand parse_inner(parser *p, struct operand (*parse)(parser *)) {
    if (p->depth == MOST_DEPTH)
        return not_simple(p);
    p->depth++;
    const struct operand inner = parse(p);
    p->depth--;
    return inner;
}

static struct operand parse_operand(parser *p) {
    const sql_token token = p->token;
    struct operand literal = {LITERAL, .start = token.start, .end = token.end};
    if (take_mark(p, '(')) {
        const struct operand inner = parse_inner(p, parse_or);
        return take_mark(p, ')') ? inner : not_simple(p);
    }
    if (take_mark(p, '-') || take_mark(p, '+') || token.kind == SQL_OTHER)
        return take_number(p, token.start);
    if (take_word(p, "NULL"))
        return literal;
    const bool is_blob = token.end < p->end && *token.end == '\'' && take_word(p, "X");
    if (p->token.kind == SQL_QUOTED && *p->token.start == '\'') {
        literal.end = p->token.end;
        next_token(p);
        return literal;
    }
    const bool is_name = token.kind == SQL_WORD || token.kind == SQL_QUOTED;
    const int column = is_name && !is_blob ? find_column(p) : -1;
    if (column >= 0) {
        next_token(p);
        return (struct operand){COLUMN, .index = column};
    }
    literal.is_truth = take_word(p, "TRUE") || take_word(p, "FALSE");
    return literal.is_truth ? literal : not_simple(p);
}

/* "column IS TRUE" compares the truth value of the column. */
static struct operand parse_is(parser *p, struct operand left, bool negated) {
    const struct operand right = parse_operand(p);
    if (left.kind != COLUMN || !right.is_truth)
        return relate(p, left, negated ? "TFTT" : "FTFF", right);
    const bool is_true = (*right.start & ~0x20) == 'T';
    return negate(p, negated, test_truth(p, left, is_true ? "TFTF" : "FTFF"));
}

static struct operand parse_between(parser *p, struct operand left) {
    const struct operand low = parse_operand(p);
    if (left.kind != COLUMN || !take_word(p, "AND"))
        return not_simple(p);
    const struct operand high = parse_operand(p), above = relate(p, left, "FTTN", low);
    return join(p, '&', above, relate(p, left, "TTFN", high));
}

static struct operand parse_in(parser *p, struct operand left) {
    if (left.kind != COLUMN || !take_mark(p, '('))
        return not_simple(p);
    struct operand any = relate(p, left, "FTFN", parse_operand(p));
    while (take_mark(p, ','))
        any = join(p, '|', any, relate(p, left, "FTFN", parse_operand(p)));
    return take_mark(p, ')') ? any : not_simple(p);
}

/* Takes one of = == <> != < <= > >=. NULL: there is none. */
static const char *take_relation(parser *p) {
    if (take_mark(p, '<'))
        return take_mark(p, '=') ? "TTFN" : take_mark(p, '>') ? "TFTN" : "TFFN";
    if (take_mark(p, '>'))
        return take_mark(p, '=') ? "FTTN" : "FFTN";
    if (take_mark(p, '!'))
        return take_mark(p, '=') ? "TFTN" : NULL;
    const bool equal = take_mark(p, '=');
    take_mark(p, '=');
    return equal ? "FTFN" : NULL;
}

static struct operand parse_comparison(parser *p) {
    static const char null[] = "NULL";
    const struct operand nothing = {LITERAL, .start = null, .end = null + 4};
    const struct operand left = parse_operand(p);
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
    const char *truth = negated ? NULL : take_relation(p);
    if (negated)
        return not_simple(p);
    return truth ? relate(p, left, truth, parse_operand(p)) : left;
}

static struct operand parse_not(parser *p) {
    return take_word(p, "NOT") ? negate(p, true, parse_inner(p, parse_not))
                               : parse_comparison(p);
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

/* ---- targets ---- */

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
    for (int k = 0; k < PAGE_ORDERS; k++)
        p->made->test[node->left].next[k] = (int16_t)(node->truth[k] == 'T'   ? yes
                                                      : node->truth[k] == 'F' ? no
                                                                              : null);
    return node->left;
}

enum page_reason page_condition_make(const page_table *t, bool numbers_alone,
                                     page_condition **made) {
    parser p = {.table = t, .at = t->filter, .end = t->filter + strlen(t->filter)};
    *made = p.made = calloc(1, sizeof *p.made);
    if (!p.made)
        return PAGE_NO_MEMORY;
    p.made->numbers_alone = numbers_alone;
    next_token(&p);
    const int root = node_of(&p, parse_or(&p));
    if (p.token.kind != SQL_END)
        not_simple(&p);
    if (!p.reason) {
        p.made->first = lay_node(&p, root, PAGE_YES, PAGE_NO, PAGE_NO);
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
