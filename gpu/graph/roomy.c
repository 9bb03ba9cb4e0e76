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
** (`update/slack.c`). When the array is full, or too many entries are dead, all rows are
** packed.
**
** Every entry up to `used`, also between rows, is a vertex of the graph, and every weight
** is or was one: code that samples all arcs need not know the rows. */
#include "graph.h"

#include <string.h>

enum {
    /* Slack behind all rows: a quarter of the arcs, and at least 4,096 entries. */
    ROOM_SPARE = 4,
    ROOM_LEAST = 4096,
    ROOM_DEAD = 4 /* rows are packed when one entry in 4 is dead */
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
        const uint64_t begin = from->offset[v], count = from->end[v] - begin;
        memcpy(to->target + to->offset[v], from->target + begin,
               count * sizeof *to->target);
        if (to->weight)
            memcpy((char *)to->weight + to->offset[v] * p->weight_size,
                   (const char *)from->weight + begin * p->weight_size,
                   count * p->weight_size);
    }
}

static void give_back(struct csr_slot *slot) {
    gg_release(slot->offset);
    gg_release(slot->end);
    gg_release(slot->spare);
    gg_release(slot->target);
    gg_release(slot->weight);
}

/* Packs rows into arrays for `room` arcs. */
static gpugraph_status pack_roomy(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                                  size_t weight_size, uint64_t room) {
    struct csr_slot to = *slot;
    to.end = NULL;
    to.spare = NULL;
    to.used = to.dead = 0;
    to.weight = NULL;
    to.target = NULL;
    to.offset = gg_alloc_roomy(run, (uint64_t)n + 1, sizeof *to.offset);
    if (to.offset)
        to.target = gg_alloc(run, room, sizeof *to.target);
    if (to.target && slot->weight)
        to.weight = gg_alloc(run, room, weight_size);
    uint64_t at = 0;
    for (uint64_t v = 0; !gg_stopping(run) && v < n; v++) {
        to.offset[v] = at;
        at += slot->end[v] - slot->offset[v];
    }
    packing p = {run, slot, &to, weight_size};
    if (!gg_stopping(run))
        gg_chunks(gg_threads(run, slot->m), n, ROWS, copy_rows, &p);
    if (gg_stopping(run)) {
        give_back(&to);
        return gg_stopped(run);
    }
    to.offset[n] = at;
    give_back(slot);
    *slot = to;
    return run->status;
}

gpugraph_status gg_pack_rows(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                             size_t weight_size) {
    if (!slot->end)
        return run->status;
    return pack_roomy(run, slot, n, weight_size, slot->m + slot->m / GG_ROOM_SHARE);
}

/* ---- adding slack ---- */

/* A new block of `room` entries, the first `count` copied from `from`. */
static void *copied(gpugraph_run *run, const void *from, uint64_t count, uint64_t room,
                    size_t size) {
    void *to = gg_alloc(run, room, size);
    if (to)
        gg_copy(run, to, from, count * size);
    return to;
}

/* Moves packed rows to arrays with slack behind them. */
static void move_arcs(gpugraph_run *run, struct csr_slot *slot, size_t weight_size,
                      uint64_t room) {
    uint32_t *target = copied(run, slot->target, slot->m, room, sizeof *target);
    void *weight = target && slot->weight
                       ? copied(run, slot->weight, slot->m, room, weight_size)
                       : NULL;
    if (gg_stopping(run)) {
        gg_release(target);
        gg_release(weight);
        return;
    }
    gg_release(slot->target);
    gg_release(slot->weight);
    slot->target = target;
    slot->weight = weight;
}

static bool has_room_of_roomy(const struct csr_slot *slot, size_t weight_size,
                              uint64_t arcs) {
    return arcs * sizeof *slot->target <= gg_room(slot->target) &&
           (!slot->weight || arcs * weight_size <= gg_room(slot->weight));
}

/* Gives packed rows ends of their own: each row ends where the next one begins. */
static void part_roomy(gpugraph_run *run, struct csr_slot *slot, uint32_t n) {
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

gpugraph_status gg_give_room(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                             size_t weight_size, uint64_t more) {
    const uint64_t room = slot->m + slot->m / ROOM_SPARE + ROOM_LEAST + more;
    if (slot->end) {
        if (has_room_of_roomy(slot, weight_size, slot->used + more) &&
            slot->dead <= slot->used / ROOM_DEAD)
            return run->status;
        if (pack_roomy(run, slot, n, weight_size, room))
            return run->status;
    } else if (!has_room_of_roomy(slot, weight_size, slot->m + more)) {
        move_arcs(run, slot, weight_size, room);
    }
    if (!gg_stopping(run))
        part_roomy(run, slot, n);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}
