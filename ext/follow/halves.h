/* Rows with a NULL end in a mirror: halves.c. */
#ifndef GPUGRAPH_FOLLOW_HALVES_H
#define GPUGRAPH_FOLLOW_HALVES_H

#include "rows.h"

/* What a batch of rows means to such rows, and to the vertices that they hold. */
typedef struct half_changes {
    gpugraph_graph *after; /* NULL: there are none afterwards */
    bool changed; /* after is another graph than the mirror's, and the caller's */
    uint32_t *kept, *loose;
    int64_t kept_count, loose_count;
} half_changes;

/* Finds it out; the mirror is not touched. SQLITE_MISMATCH: the whole table must be read. */
int half_changes_make(connection *c, const graph_ref *mirror, row_changes *changes,
                      half_changes *made);
/* Frees what is in it, but not `after`. */
void half_changes_clear(half_changes *made);

#endif
