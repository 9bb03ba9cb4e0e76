/* Numbers that vertices leave unused, so that nothing has to move when they go.
**
**     ids          1  3  4  7  9      the last edge of 4 goes
**     number       0  1  2  3  4      as before; unused: 2
**     afterwards   3 -> 4 comes       2 is used again
**     or           a change that does not keep numbers: unused ones vanish with all that is theirs
**
** The list is ascending and short (most_unused), and so is the work on it. */
#include "update.h"
#include "ids/ids.h"

/* Unused numbers that a graph of n vertices may have: half of n, and at most 4,096 and a
** 1,024th of n. Writing a list of that length takes some microseconds, and searches look
** at no more vertices in vain. */
static uint64_t most_unused(uint64_t n) {
    return n / 2 < 4096 + n / 1024 ? n / 2 : 4096 + n / 1024;
}

static void use_again(const update *u, uint32_t v, uint8_t *again) {
    uint64_t place;
    if (v != GPUGRAPH_NONE && gg_find_unused(u->graph, v, &place))
        again[place] = 1;
}

/* Which of the unused numbers the batch names: ends of edges, lone vertices, those that are kept. */
static uint64_t find_used_again(const update *u, uint8_t *again) {
    const uint64_t edges = 2 * u->added_count;
    uint64_t count = 0;
    for (uint64_t ref = 0; ref < 2 * u->added_count; ref++)
        use_again(u, u->end[ref].old, again);
    for (uint64_t i = 0; i < u->lone_count; i++)
        use_again(u, u->end[edges + i].old, again);
    for (int64_t i = 0; i < u->changes->kept_count; i++)
        use_again(u, u->changes->kept[i], again);
    for (uint64_t i = 0; i < u->graph->id.unused.count; i++)
        count += again[i];
    return count;
}

/* The numbers that are unused already and stay so, and those of vertices that vanish now, ascending, each once. */
static uint64_t merge(const update *u, const uint8_t *again, uint64_t *to) {
    const struct unused_numbers *unused = &u->graph->id.unused;
    uint64_t i = 0, k = 0, count = 0;
    while (i < unused->count || k < u->vanished) {
        const uint64_t old = i < unused->count ? unused->vertex[i] : UINT64_MAX,
                       new = k < u->vanished ? u->vanished_at[k] : UINT64_MAX;
        const bool stays = old <= new && !again[i];
        if (stays || new < old)
            to[count++] = stays ? old : new;
        k += new <= old;
        i += old <= new;
    }
    return count;
}

static bool may_keep(const update *u, uint64_t count) {
    const gpugraph_graph *graph = u->graph;
    return u->changes->keep_numbers && count <= most_unused((uint64_t)graph->n);
}

static void keep_unused(update *u, const uint64_t *number, uint64_t count) {
    struct unused_numbers *to = &u->ids.id.unused;
    to->vertex = gg_alloc(u->run, count, sizeof *to->vertex);
    to->count = count;
    for (uint64_t i = 0; to->vertex && i < count; i++)
        to->vertex[i] = (uint32_t)number[i];
    u->vanished = 0;
}

void gg_update_unused(update *u) {
    const uint64_t had = u->graph->id.unused.count;
    u->gone = u->vanished;
    if (had + u->vanished == 0 || (had == 0 && !may_keep(u, u->vanished)))
        return; /* none before, none afterwards */
    uint8_t *again = gg_alloc_zero(u->run, had, sizeof *again);
    uint64_t *number = again ? gg_alloc(u->run, had + u->vanished, sizeof *number) : NULL;
    const uint64_t used_again = number ? find_used_again(u, again) : 0;
    const bool same = used_again + u->vanished + u->fresh == 0 && may_keep(u, had);
    if (number && !same) {
        const uint64_t count = merge(u, again, number);
        const bool keeps = may_keep(u, count);
        u->unused_change = keeps ? used_again > 0 || count != had : had > 0;
        if (keeps) {
            keep_unused(u, number, count);
        } else { /* they vanish with the others */
            u->given_up = count - u->vanished;
            u->vanished = count;
            gg_release(u->vanished_at);
            u->vanished_at = number;
            number = NULL;
        }
    }
    gg_release(again);
    gg_release(number);
}

void gg_renumber_unused(update *u) {
    struct unused_numbers *to = &u->ids.id.unused;
    for (uint64_t i = 0; i < to->count; i++)
        to->vertex[i] = gg_renumber(&u->vertices, to->vertex[i]);
    u->unused_change |= to->count > 0;
}

void gg_commit_unused(update *u) {
    if (!u->unused_change)
        return;
    gg_release(u->graph->id.unused.vertex);
    u->graph->id.unused = u->ids.id.unused;
    u->ids.id.unused = (struct unused_numbers){NULL, 0};
}
