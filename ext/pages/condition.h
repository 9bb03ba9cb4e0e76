/* A filter: a condition on the rows of a table, evaluated from the bytes of a record.
**
**     toll = 0 AND NOT (kind = 'track' OR metres > 5)
**
**     test   column   literal   less   equal   greater   NULL       the next test, or
**        0   toll     0         no     1       no        no         the answer
**        1   kind     'track'   2      no      2         no
**        2   metres   5         yes    yes     no        no
**
** A simple condition compares columns with literals. Every test compares one column with
** one literal, so the answer of a row is a path through the tests. The path needs no
** stack, because NULL counts as "no", and below an odd number of NOTs as "yes".
**
** The answer is SQLite's own, or the reader gives up. */
#ifndef GPUGRAPH_PAGE_CONDITION_H
#define GPUGRAPH_PAGE_CONDITION_H

#include "format.h"

/* ---- condition_text.c: the condition's text and columns ---- */

/* Compiles t->filter, which expression_check has accepted. numbers_alone: the answer is
** PAGE_FILTER_VALUE for each row that has a TEXT or a BLOB in a column of the condition.
**
** A simple condition consists of comparisons of a column with a literal (also by IN,
** BETWEEN and IS), columns as truth values, AND, OR and NOT. Other conditions are
** PAGE_NOT_SIMPLE. *made is NULL unless PAGE_FINE. */
enum page_reason page_condition_make(const page_table *t, bool numbers_alone,
                                     page_condition **made);
void page_condition_free(page_condition *condition); /* NULL is allowed */

/* Asks SQLite for the values of the condition's columns that a row with old->columns
** columns does not have. */
enum page_reason page_condition_ask(page_condition *condition, const page_table *t,
                                    const page_short *old);

/* ---- condition.c: the answer of a row ---- */

typedef struct page_record {
    const uint8_t *bytes; /* `here` bytes of the record, and 8 readable bytes more */
    uint64_t here, payload;
    int64_t rowid;
    /* results */
    uint64_t need; /* the bytes that the answer needs; more than `here`: no answer yet */
    int columns;   /* with PAGE_SHORT_ROW: the number of columns in the record */
    bool holds;    /* the condition is true; false: it is false or NULL */
} page_record;

/* Evaluates layout->filter. PAGE_FILTER_VALUE: SQLite must evaluate it for this row.
** Several threads may evaluate one condition. */
enum page_reason page_condition_holds(const page_layout *layout, page_record *record);

/* ---- the compiled condition ---- */

enum { PAGE_CONDITION_COLUMNS = 8, PAGE_CONDITION_TESTS = 64 }; /* at most */
/* The results of a comparison of a value with a literal. */
enum page_order { PAGE_LESS, PAGE_EQUAL, PAGE_GREATER, PAGE_IS_NULL, PAGE_ORDERS };
/* Targets of a test that are answers. */
enum { PAGE_YES = -1, PAGE_NO = -2 };
/* Affinities, as in affinity_of_type. PAGE_AS_TRUTH: the value is compared with 0. */
enum { PAGE_AS_BLOB = 'A', PAGE_AS_TEXT, PAGE_AS_NUMERIC, PAGE_AS_TRUTH = 'T' };

typedef struct page_value {
    int type; /* SQLITE_INTEGER, ... */
    uint32_t length;
    int64_t integer;
    double real;
    const uint8_t *bytes; /* the bytes of a TEXT or a BLOB */
} page_value;

typedef struct page_test {
    page_value literal;
    int16_t next[PAGE_ORDERS]; /* targets: tests or answers */
    uint8_t column;
    char affinity, collation; /* collation: 'B', 'N' or 'R' */
} page_test;

typedef struct page_tested {
    char *name;
    int at;    /* in the record, or PAGE_IS_ROWID */
    bool real; /* INTEGERs are read as REAL */
    char affinity, collation;
    bool known; /* the value in rows that are older than the column is known */
    page_value missing;
} page_tested;

struct page_condition {
    bool numbers_alone;
    int first; /* the first test */
    int tests, columns;
    page_test test[PAGE_CONDITION_TESTS];
    page_tested column[PAGE_CONDITION_COLUMNS];
    int stored; /* columns in the record, and their order there */
    int order[PAGE_CONDITION_COLUMNS];
    page_store store; /* texts and BLOBs of literals */
};

static inline bool page_value_is_number(const page_value *value) {
    return value->type == SQLITE_INTEGER || value->type == SQLITE_FLOAT;
}

#endif
