/* What xBestIndex tells xFilter: bits in idxNum, and in idxStr what each value is for.
**
**     idxNum    28..23  22..19  18..16        14  6..5           4           3..0
**               |       |       |             |   |              |           arrays that are wanted
**               |       |       |             |   |              descending order
**               |       |       |             |   ends that vary
**               |       |       |             the lacking argument stands in brackets
**               |       |       columns that are handed out whole
**               |       order
**               an argument that is lacking
**
**     idxStr    "edges=? AND source IN (?) AND depth<? LIMIT ?" */
#ifndef GPUGRAPH_PLAN_H
#define GPUGRAPH_PLAN_H

#include "caller.h"
#include "search.h"

enum plan_bits {
    PLAN_TREE = 1 << A_TREE_EDGE,
    PLAN_ROOTS = 1 << A_ROOT,
    PLAN_WANTS = 15,
    PLAN_DESCENDING = 16,
    /* Values that are not known before the statement runs, so that others may follow. */
    PLAN_VARIABLE_END = 32, /* targets and vertices */
    PLAN_VARIABLE_BOUND = 64,
    PLAN_IN_BRACKETS = 1 << 14, /* the argument that is lacking stands in brackets */
    /* The column arrays is used, and so are these. */
    PLAN_ARRAYS = 1 << 16,
    PLAN_PARENTS = 1 << 17,
    PLAN_EDGES = 1 << 18,
    PLAN_ORDER_SHIFT = 19, /* by that array; NO_ARRAY: by vertex */
    PLAN_ORDERS = 15,
    PLAN_LACKS_SHIFT = 23, /* a field, or 0 */
    PLAN_FIELDS = 63
};

/* The first argument that the statement uses and no constraint sets, or 0. */
static inline int plan_lacks(int plan) {
    return plan >> PLAN_LACKS_SHIFT & PLAN_FIELDS;
}
/* lacking.c. The error for it. */
int plan_fail_lacking(const caller *by, int plan);

/* What a value of argv is for, and how it compares. */
enum { WORD_LIMIT = FIELDS, WORD_OFFSET, MOST_WORDS = FIELDS + 4 };
enum { WORD_EQUAL, WORD_LIST, WORD_LESS, WORD_AT_MOST };
typedef struct word {
    unsigned char what, how;
} word;

/* plan_words.c */
void plan_word_write(const table_function *f, sqlite3_str *words, bool first, word w);
void plan_words_read(const table_function *f, const char *words, word *list);

int plan_choose(const caller *by, sqlite3_index_info *info);

#endif
