/* Lists of vertex numbers. numbers.c: SQLITE_OK or SQLITE_NOMEM. */
#ifndef GPUGRAPH_NUMBERS_H
#define GPUGRAPH_NUMBERS_H

#include "ext.h"

typedef struct numbers {
    uint32_t *item; /* sqlite3_free */
    uint32_t count;
    int64_t room;
} numbers;

int numbers_add(numbers *list, uint32_t number);
/* Makes it the only one of the list. */
int numbers_set(numbers *list, uint32_t number);
/* Ascending, each once. */
void numbers_sort(numbers *list);
/* Of a list that numbers_sort has sorted. */
bool numbers_has(const numbers *list, uint32_t number);

#endif
