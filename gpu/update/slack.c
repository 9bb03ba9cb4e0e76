/* Changes rows with slack (`graph/slack.c`): only the rows that lose or gain an arc.
**
**     plan     lists removed arcs (row, position) and added arcs (row, arc); allocates
**              space for rows that may move to the array's end, and for new vertices
**     commit   removes arcs, then adds arcs */
#include "update.h"
#include "base/limits.h"
#include "base/row_of.h"

#include <string.h>

/* A batch that changes more than one arc in 64, and more than 1,024 arcs, drops the rows:
** 20,000 arcs among 733,846 take 4 to 13 ms in place, but making the rows takes 5 ms. */
enum { SLACK_BATCH = 64, SLACK_BATCH_LEAST = 1024 };

/* ---- the plan ---- */

bool gg_changes_in_place(const struct csr_slot *slot, uint64_t arcs) {
    return arcs <= slot->m / SLACK_BATCH || arcs <= SLACK_BATCH_LEAST ||
           gg_limits.room_arcs == 0;
}

uint64_t gg_slack_needed(const update *u, const row_plan *p) {
    const struct csr_slot *slot = p->slot;
    const uint64_t *row = p->inserted_at, n = u->graph->n;
    uint64_t need = 0;
    for (uint64_t k = 0, next; k < p->inserted; k = next) {
        const uint64_t v = row[k];
        if (k + GG_FETCH_AHEAD < p->inserted && row[k + GG_FETCH_AHEAD] < n)
            gg_fetch_row(slot, row[k + GG_FETCH_AHEAD]);
        next = gg_same_row(row, k, p->inserted);
        const uint64_t count = v < n ? gg_row_end(slot, v) - slot->offset[v] : 0;
        const uint64_t slack = v < n && slot->spare ? slot->spare[v] : 0;
        if (next - k > slack)
            need += gg_row_capacity(count + next - k);
    }
    return need;
}

void gg_plan_row_ends(update *u, row_plan *p) {
    const struct csr_slot *slot = p->slot;
    const uint64_t before = u->graph->n;
    p->offset = gg_longer(u, slot->offset, before, u->n, sizeof *slot->offset);
    p->end = gg_longer(u, slot->end, before, u->n, sizeof *slot->end);
    p->spare = gg_longer(u, slot->spare, before, u->n, sizeof *slot->spare);
}

/* ---- the commit ---- */

static void copy_arcs(struct csr_slot *slot, size_t weight_size, uint64_t to,
                      uint64_t from, uint64_t count) {
    memmove(slot->target + to, slot->target + from, count * sizeof *slot->target);
    if (slot->weight)
        memmove((char *)slot->weight + to * weight_size,
                (char *)slot->weight + from * weight_size, count * weight_size);
}

/* Removes arcs at[0 .. count - 1], ascending, from row v; other arcs keep their order. */
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

static void move_row(struct csr_slot *slot, size_t weight_size, uint64_t v,
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

static void write_arc(const row_plan *p, uint64_t at, uint64_t k) {
    p->slot->target[at] = p->target[k];
    if (p->weight_size)
        memcpy((char *)p->slot->weight + at * p->weight_size,
               (const char *)p->weight + k * p->weight_size, p->weight_size);
}

/* True if the row's arc at this position belongs behind arc k of the plan. */
static bool belongs_behind(const row_plan *p, uint64_t at, uint64_t k) {
    const uint32_t here = p->slot->target[at];
    if (p->column == WEIGHTS || here != p->target[k])
        return here > p->target[k];
    return gg_weight_at(p->slot->weight, at, p->weight_size) >
           gg_weight_at(p->weight, k, p->weight_size);
}

/* Adds arcs k .. k + more - 1 of the plan, ascending by target, to row v. A sorted row
** stays sorted; the loop places the last arc first. If the row moved, copies of its last
** arc fill its slack. */
static void put_in(const row_plan *p, uint64_t v, uint64_t k, uint64_t more) {
    struct csr_slot *slot = p->slot;
    const uint64_t used = slot->used;
    move_row(slot, p->weight_size, v, more);
    const uint64_t begin = slot->offset[v], end = slot->end[v] + more;
    uint64_t left = slot->end[v];
    for (uint64_t to = end, i = more; i > 0; to--)
        if (slot->sorted && left > begin && belongs_behind(p, left - 1, k + i - 1))
            copy_arcs(slot, p->weight_size, to - 1, --left, 1);
        else
            write_arc(p, to - 1, k + --i);
    slot->end[v] = end;
    slot->spare[v] -= (uint32_t)more;
    for (uint64_t at = end; begin >= used && at < end + slot->spare[v]; at++)
        copy_arcs(slot, p->weight_size, at, at - 1, 1);
}

/* Adds the rows of new vertices: empty rows without slack. */
static void add_rows(const update *u, row_plan *p) {
    struct csr_slot *slot = p->slot;
    gg_take_longer((void **)&slot->offset, (void **)&p->offset);
    gg_take_longer((void **)&slot->end, (void **)&p->end);
    gg_take_longer((void **)&slot->spare, (void **)&p->spare);
    for (uint64_t v = u->graph->n; v < u->n; v++) {
        slot->offset[v] = slot->end[v] = 0;
        slot->spare[v] = 0;
    }
}

static void renumber_edges(void *of, uint64_t low, uint64_t high) {
    const row_plan *p = of;
    gg_renumber(p->renumbers, p->slot->weight, p->weight_size, low, high);
}

void gg_commit_rows(update *u, row_plan *p) {
    struct csr_slot *slot = p->slot;
    add_rows(u, p);
    for (uint64_t i = 0, next; i < p->removed; i = next) {
        next = gg_same_row(p->removed_row, i, p->removed);
        gg_fetch_rows_after(p, p->removed_row, i, p->removed);
        take_out(slot, p->weight_size, p->removed_row[i], p->removed_at + i, next - i);
    }
    if (p->renumbers)
        gg_slices(gg_threads(u->run, slot->used), slot->used, renumber_edges, p);
    for (uint64_t k = 0, next; k < p->inserted; k = next) {
        next = gg_same_row(p->inserted_at, k, p->inserted);
        gg_fetch_rows_after(p, p->inserted_at, k, p->inserted);
        put_in(p, p->inserted_at[k], k, next - k);
    }
    slot->m += p->inserted - p->removed;
}
