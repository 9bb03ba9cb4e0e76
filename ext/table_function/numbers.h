/* Lists of vertex numbers. Functions return SQLITE_OK or SQLITE_NOMEM. */
#ifndef GPUGRAPH_NUMBERS_H
#define GPUGRAPH_NUMBERS_H

#include "ext.h"

typedef struct numbers {
    uint32_t *item; /* sqlite3_free; once settled in order of the vertices' ids */
    uint32_t count;
    int64_t room;
    uint32_t *ascending; /* the same by number, for numbers_has; NULL: item is */
} numbers;

int numbers_add(numbers *list, uint32_t number);
/* Ascending, each once. */
void numbers_sort(numbers *list);
/* In order of the ids of the graph's vertices, each once. */
int numbers_settle(numbers *list, const gpugraph_graph *graph);
/* Of a list that has been sorted or settled. */
bool numbers_has(const numbers *list, uint32_t number);
/* Drops the numbers that `only` has not. */
void numbers_intersect(numbers *list, const numbers *only);
void numbers_clear(numbers *list);

/* Ids in an IN list that name a vertex by a value of another type than the id it has.
**
**     INTEGER column, vertex 7:   target IN (7, 8)      nothing
**                                 target IN ('7', 8)    {vertex number of 7, '7'}
**
** SQLite may compare the column target with the list again, so the column returns '7' there. */
typedef struct retyped_id {
    uint32_t vertex;
    sqlite3_value *value;
} retyped_id;

typedef struct retyped_ids {
    retyped_id *item; /* sqlite3_free */
    uint32_t count;
    int64_t room;
} retyped_ids;

/* Adds a copy of the value. SQLITE_OK or SQLITE_NOMEM. */
int retyped_ids_add(retyped_ids *list, uint32_t vertex, sqlite3_value *value);
/* Once all are added. */
void retyped_ids_sort(retyped_ids *list);
/* A value for the vertex, or NULL. */
sqlite3_value *retyped_ids_find(const retyped_ids *list, uint32_t vertex);
/* Makes the list empty; its room stays. */
void retyped_ids_forget(retyped_ids *list);
void retyped_ids_clear(retyped_ids *list);

#endif
