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
** one literal, so the answer of a row is a path through the tests. In three-valued logic
** the path needs no stack: NULL is an answer like "no", and like "yes" below a NOT.
**
** The answer is SQLite's own, or the reader gives up. */
#ifndef GPUGRAPH_PAGE_CONDITION_H
#define GPUGRAPH_PAGE_CONDITION_H

#include "format.h"

typedef struct page_condition page_condition;

/* Compiles t->filter, which condition_check has accepted. numbers_alone: if the row has a
** text or a BLOB in a column of the condition, the condition is not evaluated.
** PAGE_NOT_SIMPLE: the condition has other parts than comparisons (also IN, BETWEEN, IS)
** of a column with a literal, columns as truth values, AND, OR and NOT. *made is NULL
** unless PAGE_FINE. */
enum page_reason page_condition_make(const page_table *t, bool numbers_alone,
                                     page_condition **made);
void page_condition_free(page_condition *condition); /* NULL is allowed */

/* Asks SQLite for the values of the condition's columns that a row with old->columns
** columns does not have. */
enum page_reason page_condition_ask(page_condition *condition, const page_table *t,
                                    const page_short *old);

typedef struct page_record {
    const uint8_t *bytes; /* `here` bytes of the record, and 8 readable bytes more */
    uint64_t here, payload;
    int64_t rowid;
    /* results */
    uint64_t need; /* if it exceeds `here`, there is no answer without so many bytes */
    int columns;   /* with PAGE_SHORT_ROW: the number of columns in the record */
    bool holds;    /* the condition is true; false: it is false or NULL */
} page_record;

/* Evaluates layout->filter. PAGE_FILTER_VALUE: SQLite must evaluate it for this row.
** Several threads may evaluate one condition. */
enum page_reason page_condition_holds(const page_layout *layout, page_record *record);

#endif
