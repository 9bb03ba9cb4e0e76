/* Lists of vertex numbers. Functions return SQLITE_OK or SQLITE_NOMEM. */
#ifndef GPUGRAPH_NUMBERS_H
#define GPUGRAPH_NUMBERS_H

#include "ext.h"

typedef struct numbers {
    uint32_t *item; /* sqlite3_free; in order of the vertices' ids after numbers_settle */
    uint32_t count;
    int64_t room;
    uint32_t *ascending; /* the items by number, for numbers_has; NULL: item ascends */
} numbers;

int numbers_add(numbers *list, uint32_t number);
/* Makes the number the only one of the list. */
int numbers_set(numbers *list, uint32_t number);
/* Sorts the numbers, and drops repeats. */
void numbers_sort(numbers *list);
/* Sorts the numbers by the ids of the graph's vertices, and drops repeats. */
int numbers_settle(numbers *list, const gpugraph_graph *graph);
/* Returns true if the list, which is sorted or settled, has the number. */
bool numbers_has(const numbers *list, uint32_t number);
/* Drops the numbers that `only` does not have. */
void numbers_intersect(numbers *list, const numbers *only);
void numbers_clear(numbers *list);

/* Values of an IN list whose type differs from the type of the id that they name.
**
**     INTEGER column, vertex 7:   source IN (7, 8)      nothing
**                                 source IN ('7', 8)    {vertex number of 7, '7'}
**                                 source IN ('7', 7)    nothing
**
** SQLite may compare the column with the list again, so the column must return '7'. */
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
/* After the last value: sorts the list, keeps one value for each vertex, and none if the
** IN list has the id itself; ids: the vertices that it names so. */
void retyped_ids_settle(retyped_ids *list, numbers *ids);
/* The value for the vertex, or NULL. */
sqlite3_value *retyped_ids_find(const retyped_ids *list, uint32_t vertex);
/* Empties the list. Its memory stays. */
void retyped_ids_forget(retyped_ids *list);
void retyped_ids_clear(retyped_ids *list);

#endif
