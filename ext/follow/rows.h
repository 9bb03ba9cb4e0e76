/* Rows that the log names, read again: rows.c. */
#ifndef GPUGRAPH_FOLLOW_ROWS_H
#define GPUGRAPH_FOLLOW_ROWS_H

#include "follow.h"
#include "load/loader.h"

/* Edge ids, ascending, each once (after id_list_sort). */
typedef struct id_list {
    int64_t *item;
    int64_t count, room;
} id_list;

int id_list_add(id_list *list, int64_t id);
int id_list_sort(id_list *list);
bool id_list_has(const id_list *list, int64_t id);
void id_list_clear(id_list *list);

/* What has become of edges of the mirror, and which rows have come in. */
typedef struct row_changes {
    const graph_ref *mirror;
    id_list removed;
    loader added;
    /* The same of rows with a NULL end, which are no edges: lone is their other ends, by
    ** rowid. */
    id_list removed_halves;
    loader lone;
    intern texts;
    bool unfit; /* some row is not what an edge can be made of: the whole table must be
                ** read, which says so as it does */
} row_changes;

/* Reads these rows again. Those that are in the mirror as they are in the table are no
** change. */
int row_changes_read(connection *c, const char *function, const row_source *rows,
                     const graph_ref *mirror, const id_list *ids, row_changes *changes);
void row_changes_clear(row_changes *changes);

#endif
