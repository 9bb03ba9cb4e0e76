/* Rows with slack: a change of an arc touches only its row.
**
**     offset  end  spare      target
**     0       3    0          | 4 9 2 |
**     9       11   3                  | . . |               abandoned (dead)
**     5       8    1                        | 7 1 0 _ |     an arc was deleted
**                                            1: | 8 3 _ _ _ | used ... the array's end
**
** Rows are packed when they are made, and get slack with the first small change. A row
** without slack moves to the end of the array and gets slack for half as many arcs
** (`update/slack.c`). When the array is full, or too many entries are dead, all rows move
** to new arrays.
**
** Every target up to `used`, also between rows, is a vertex of the graph, and every
** weight is or was the weight of an arc. So code may sample entries without rows. */
#include "graph.h"

#include <string.h>

enum {
    /* Slack behind all rows: a quarter of the arcs, plus 4,096 entries. */
    SLACK_SHARE = 4,
    SLACK_LEAST = 4096,
    SLACK_DEAD = 4 /* rows move to new arrays if more than one entry in 4 is dead */
};

enum { ROWS = 1024 }; /* rows that a thread takes at a time */

/* ---- packing ---- */

typedef struct packing {
    gpugraph_run *run;
    const struct csr_slot *from;
    struct csr_slot *to;
    size_t weight_size;
} packing;

static void copy_rows(void *of, uint64_t low, uint64_t high) {
    const packing *p = of;
    const struct csr_slot *from = p->from, *to = p->to;
    gg_pause(p->run);
    for (uint64_t v = low; v < high && !gg_stopping(p->run); v++) {
        const uint64_t begin = from->offset[v], count = gg_row_end(from, v) - begin;
        memcpy(to->target + to->offset[v], from->target + begin,
               count * sizeof *to->target);
        if (to->weight)
            memcpy((char *)to->weight + to->offset[v] * p->weight_size,
                   (const char *)from->weight + begin * p->weight_size,
                   count * p->weight_size);
    }
}

/* Packs rows, with or without slack, into new arrays for `capacity` arcs. */
static gpugraph_status move_rows(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                                 size_t weight_size, uint64_t capacity) {
    struct csr_slot to = {.m = slot->m, .made = slot->made, .sorted = slot->sorted};
    to.offset = gg_alloc_slack(run, (uint64_t)n + 1, sizeof *to.offset);
    to.target = to.offset ? gg_alloc(run, capacity, sizeof *to.target) : NULL;
    if (to.target && slot->weight)
        to.weight = gg_alloc(run, capacity, weight_size);
    uint64_t at = 0;
    for (uint64_t v = 0; !gg_stopping(run) && v < n; v++) {
        to.offset[v] = at;
        at += gg_row_end(slot, v) - slot->offset[v];
    }
    packing p = {run, slot, &to, weight_size};
    if (!gg_stopping(run))
        gg_chunks(gg_threads(run, slot->m), n, ROWS, copy_rows, &p);
    if (gg_stopping(run)) {
        gg_release_slot(&to);
        return gg_stopped(run);
    }
    to.offset[n] = at;
    gg_release_slot(slot);
    *slot = to;
    return run->status;
}

gpugraph_status gg_pack_rows(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                             size_t weight_size) {
    return slot->end
               ? move_rows(run, slot, n, weight_size, slot->m + slot->m / GG_ROOM_SHARE)
               : run->status;
}

/* ---- adding slack ---- */

static bool has_capacity(const struct csr_slot *slot, size_t weight_size, uint64_t arcs) {
    return arcs * sizeof *slot->target <= gg_room(slot->target) &&
           (!slot->weight || arcs * weight_size <= gg_room(slot->weight));
}

/* Gives packed rows an array of ends: each row ends where the next row begins. */
static void add_ends(gpugraph_run *run, struct csr_slot *slot, uint32_t n) {
    const uint64_t rows = n + n / (uint64_t)GG_ROOM_SHARE + 1;
    uint64_t *end = gg_alloc(run, rows, sizeof *end);
    uint32_t *spare = end ? gg_alloc_zero(run, rows, sizeof *spare) : NULL;
    if (!spare) {
        gg_release(end);
        return;
    }
    gg_copy(run, end, slot->offset + 1, n * sizeof *end);
    slot->end = end;
    slot->spare = spare;
    slot->used = slot->m;
    slot->dead = 0;
}

gpugraph_status gg_give_slack(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                              size_t weight_size, uint64_t more) {
    const uint64_t used = slot->end ? slot->used : slot->m;
    const bool moves =
        !has_capacity(slot, weight_size, used + more) || slot->dead > used / SLACK_DEAD;
    if (slot->end && !moves)
        return run->status;
    if (moves && move_rows(run, slot, n, weight_size,
                           slot->m + slot->m / SLACK_SHARE + SLACK_LEAST + more))
        return run->status;
    if (!gg_stopping(run))
        add_ends(run, slot, n);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}
