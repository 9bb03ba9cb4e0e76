/* A batch changes rows with slack (`graph/slack.c`): only rows that lose or gain an arc.
**
**     plan     removed arcs: row, position; added arcs: row, arc; space for rows that may
**              move to the end of the array, and for rows of new vertices
**     commit   arcs are removed, then added */
#include "update.h"
#include "base/limits.h"

#include <string.h>

/* A batch that changes more than one arc in 64, and more than 1,024 arcs, drops the rows:
** 20,000 arcs among 733,846 take 4 to 13 ms in place, but making the rows takes 5 ms. */
enum { ROOM_BATCH = 64, ROOM_BATCH_LEAST = 1024 };

/* ---- the plan ---- */

bool gg_takes_room(const struct csr_slot *slot, uint64_t arcs) {
    return arcs <= slot->m / ROOM_BATCH || arcs <= ROOM_BATCH_LEAST ||
           gg_limits.room_arcs == 0;
}

uint64_t gg_room_of_coming(const update *u, const struct csr_slot *slot,
                           const end_ref *coming, uint64_t comings) {
    uint64_t need = 0;
    for (uint64_t k = 0, next; k < comings; k = next) {
        const added_end *row = &u->end[coming[k]];
        if (k + GG_FETCH_AHEAD < comings && !u->end[coming[k + GG_FETCH_AHEAD]].is_new)
            gg_fetch_row(slot, u->end[coming[k + GG_FETCH_AHEAD]].now);
        for (next = k + 1; next < comings && u->end[coming[next]].now == row->now;)
            next++;
        const uint64_t count =
            row->is_new ? 0 : gg_row_end(slot, row->now) - slot->offset[row->now];
        const uint64_t spare = row->is_new || !slot->spare ? 0 : slot->spare[row->now];
        if (next - k > spare)
            need += gg_row_capacity(count + next - k);
    }
    return need;
}

void gg_plan_room(update *u, row_plan *p) {
    const uint64_t n = u->n, rows = n + n / GG_ROOM_SHARE + 1;
    const struct csr_slot *slot = p->slot;
    if ((n + 1) * sizeof *slot->offset <= gg_room(slot->offset) &&
        n * sizeof *slot->end <= gg_room(slot->end) &&
        n * sizeof *slot->spare <= gg_room(slot->spare))
        return;
    p->offset = gg_alloc(u->run, rows, sizeof *slot->offset);
    p->end = p->offset ? gg_alloc(u->run, rows, sizeof *p->end) : NULL;
    p->spare = p->end ? gg_alloc(u->run, rows, sizeof *p->spare) : NULL;
}

/* ---- the commit ---- */

static void copy_arcs(struct csr_slot *slot, size_t weight_size, uint64_t to,
                      uint64_t from, uint64_t count) {
    memmove(slot->target + to, slot->target + from, count * sizeof *slot->target);
    if (slot->weight)
        memmove((char *)slot->weight + to * weight_size,
                (char *)slot->weight + from * weight_size, count * weight_size);
}

/* Removes arcs at[0 .. count - 1], ascending, from row v; the others keep their order. */
static void take_out(struct csr_slot *slot, size_t weight_size, uint64_t v,
                     const uint64_t *at, uint64_t count) {
    uint64_t to = at[0];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t from = at[i] + 1, next = i + 1 < count ? at[i + 1] : slot->end[v];
        copy_arcs(slot, weight_size, to, from, next - from);
        to += next - from;
    }
    slot->end[v] -= count;
    slot->spare[v] += (uint32_t)count;
}

static void make_room_of_roomy(struct csr_slot *slot, size_t weight_size, uint64_t v,
                               uint64_t more) {
    const uint64_t count = slot->end[v] - slot->offset[v];
    if (more <= slot->spare[v])
        return;
    const uint64_t room = gg_row_capacity(count + more);
    copy_arcs(slot, weight_size, slot->used, slot->offset[v], count);
    slot->dead += count + slot->spare[v];
    slot->offset[v] = slot->used;
    slot->end[v] = slot->used + count;
    slot->spare[v] = (uint32_t)(room - count);
    slot->used += room;
}

static void put_arc_of_roomy(const row_plan *p, uint64_t at, uint64_t k) {
    struct csr_slot *slot = p->slot;
    slot->target[at] = p->target[k];
    if (p->weight_size == sizeof(uint32_t))
        ((uint32_t *)slot->weight)[at] = ((const uint32_t *)p->weight)[k];
    else if (p->weight_size)
        ((uint64_t *)slot->weight)[at] = ((const uint64_t *)p->weight)[k];
}

/* True if the row's arc at this position belongs behind arc k of the plan. */
static bool belongs_behind(const row_plan *p, uint64_t at, uint64_t k) {
    const uint32_t here = p->slot->target[at];
    if (p->column == WEIGHTS || here != p->target[k])
        return here > p->target[k];
    return gg_weight_at(p->slot->weight, at, p->weight_size) >
           gg_weight_at(p->weight, k, p->weight_size);
}

/* Adds arcs k .. k + more - 1 of the plan, ascending by target, to row v; in a sorted row
** each goes to its position, the last one first. Slack behind a moved row is filled with
** copies of its last arc. */
static void put_roomy_in(const row_plan *p, uint64_t v, uint64_t k, uint64_t more) {
    struct csr_slot *slot = p->slot;
    const uint64_t used = slot->used;
    make_room_of_roomy(slot, p->weight_size, v, more);
    const uint64_t begin = slot->offset[v], end = slot->end[v] + more;
    uint64_t left = slot->end[v];
    for (uint64_t to = end, i = more; i > 0; to--)
        if (slot->sorted && left > begin && belongs_behind(p, left - 1, k + i - 1))
            copy_arcs(slot, p->weight_size, to - 1, --left, 1);
        else
            put_arc_of_roomy(p, to - 1, k + --i);
    slot->end[v] = end;
    slot->spare[v] -= (uint32_t)more;
    for (uint64_t at = end; begin >= used && at < end + slot->spare[v]; at++)
        copy_arcs(slot, p->weight_size, at, at - 1, 1);
}

/* Adds rows of new vertices, which are empty and have no slack yet. */
static void add_rows(const update *u, row_plan *p) {
    struct csr_slot *slot = p->slot;
    const uint64_t n = u->graph->n;
    if (p->offset) {
        memcpy(p->offset, slot->offset, n * sizeof *slot->offset);
        memcpy(p->end, slot->end, n * sizeof *slot->end);
        memcpy(p->spare, slot->spare, n * sizeof *slot->spare);
        gg_take_longer((void **)&slot->offset, (void **)&p->offset);
        gg_take_longer((void **)&slot->end, (void **)&p->end);
        gg_take_longer((void **)&slot->spare, (void **)&p->spare);
    }
    for (uint64_t v = n; v < u->n; v++) {
        slot->offset[v] = slot->end[v] = 0;
        slot->spare[v] = 0;
    }
}

typedef struct renumbering {
    const row_plan *p;
    const splice *edges;
} renumbering;

static void renumber_edges(void *of, uint64_t low, uint64_t high) {
    const renumbering *r = of;
    void *number = (char *)r->p->slot->weight + low * r->p->weight_size;
    if (r->p->weight_size == sizeof(uint64_t))
        gg_renumber_all_wide(r->edges, number, high - low);
    else
        gg_renumber_all(r->edges, number, high - low);
}

/* Prefetches rows after row[i]: their begins, then their arcs. */
static void fetch_ahead(const row_plan *p, const uint64_t *row, uint64_t i,
                        uint64_t count) {
    if (i + GG_FETCH_AHEAD < count)
        gg_fetch_row(p->slot, row[i + GG_FETCH_AHEAD]);
    if (i + GG_FETCH_AHEAD / 2 < count)
        gg_fetch_arcs(p->slot, row[i + GG_FETCH_AHEAD / 2], p->weight_size);
}

void gg_commit_room(update *u, row_plan *p) {
    struct csr_slot *slot = p->slot;
    for (uint64_t i = 0, next; i < p->removed; i = next) {
        for (next = i + 1;
             next < p->removed && p->removed_row[next] == p->removed_row[i];)
            next++;
        fetch_ahead(p, p->removed_row, i, p->removed);
        take_out(slot, p->weight_size, p->removed_row[i], p->removed_at + i, next - i);
    }
    if (u->fresh)
        add_rows(u, p);
    renumbering r = {p, &u->edges};
    if (p->column == NUMBERS && gg_renumbers(&u->edges))
        gg_slices(gg_splice_threads(&u->edges, slot->used), slot->used, renumber_edges,
                  &r);
    for (uint64_t k = 0, next; k < p->inserted; k = next) {
        for (next = k + 1;
             next < p->inserted && p->inserted_at[next] == p->inserted_at[k];)
            next++;
        fetch_ahead(p, p->inserted_at, k, p->inserted);
        put_roomy_in(p, p->inserted_at[k], k, next - k);
    }
    slot->m += p->inserted - p->removed;
}
