/* The plan, which xBestIndex passes to xFilter: bits in idxNum, and in idxStr the use of
** each value.
**
**     idxNum    28..23  22..19  18..16        14  6..5           4           3..0
**               |       |       |             |   |              |          needed arrays
**               |       |       |             |   |              descending order
**               |       |       |             |   ends that may differ in the next call
**               |       |       |             the lacking argument is in parentheses
**               |       |       columns that a program takes as arrays
**               |       order
**               the lacking argument
**
**     idxStr    "edges=? AND source IN (?) AND depth<? LIMIT ?" */
#ifndef GPUGRAPH_PLAN_H
#define GPUGRAPH_PLAN_H

#include "search.h"

enum plan_bits {
    PLAN_TREE = 1 << A_TREE_EDGE,
    PLAN_ROOTS = 1 << A_ROOT,
    PLAN_WANTS = 15,
    PLAN_DESCENDING = 16,
    /* Values that are unknown before the statement runs, so the next call may have
    ** others. */
    PLAN_VARIABLE_END = 32, /* a target or a vertex */
    PLAN_VARIABLE_BOUND = 64,
    PLAN_POSITIONAL = 1 << 14, /* the lacking argument is in parentheses */
    /* The statement uses the column arrays and, with it, parent and edge. */
    PLAN_ARRAYS = 1 << 16,
    PLAN_PARENTS = 1 << 17,
    PLAN_EDGES = 1 << 18,
    PLAN_ORDER_SHIFT = 19, /* an array; NO_ARRAY: by vertex */
    PLAN_ORDERS = 15,
    PLAN_LACKS_SHIFT = 23, /* a field, or 0 */
    PLAN_FIELDS = 63
};

/* The first argument that the statement uses and no constraint sets, or 0. */
static inline int plan_lacks(int plan) {
    return plan >> PLAN_LACKS_SHIFT & PLAN_FIELDS;
}
/* Fails with a sentence for the lacking argument (lacking.c). */
int plan_fail_lacking(const caller *by, int plan);

/* The use of a value of argv: a field, or a limit; and how it is compared. */
enum { WORD_LIMIT = FIELDS, WORD_OFFSET, MOST_WORDS = FIELDS + 4 };
enum { WORD_EQUAL, WORD_LIST, WORD_LESS, WORD_AT_MOST };
typedef struct word {
    unsigned char what, how;
} word;

/* plan_words.c: writes the words of idxStr one by one, and reads them all. */
void plan_word_write(const table_function *f, sqlite3_str *words, bool first, word w);
void plan_words_read(const table_function *f, const char *words, word *list);

/* xBestIndex. */
int plan_choose(const caller *by, sqlite3_index_info *info);

#endif
