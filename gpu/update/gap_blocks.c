/* The blocks of a list of edges with gaps that a batch changes, as a copy of the list takes them
** (patch_gaps.cu): in each the edges that go, by their places before, and those that come, by their places
** afterwards. What stays keeps its order, so that these two lists say all.
**
**     before   a b c d e _ _ _      c goes: 2
**     after    a b d x e _ _ _      x comes: 3
**
** Edges that get other ends under their ids go and come; where all that changes are such ones, no block moves
** anything, and their places are listed alone. Nothing is said of the way in which the host
** moves its own (gaps.c): numbers say where edges lie, before and afterwards. */
#include "update.h"

static uint64_t place_of(const struct edge_gaps *g, uint64_t e) {
    const uint64_t block = gg_gap_block(g, e);
    return (block << g->shift) + (e - g->start[block]);
}

static uint32_t edges_in(const struct edge_gaps *g, uint64_t block) {
    return block < g->blocks ? (uint32_t)(g->start[block + 1] - g->start[block]) : 0;
}

/* Do all edges that come take the places of those that go, under their ids? */
static bool all_stay(const update *u) {
    uint64_t i = 0;
    if (u->removed_count != u->added_count)
        return false;
    while (i < u->added_count && u->removed_id[i] == u->added->edge_id[i])
        i++;
    return i == u->added_count;
}

static bool list_stays(update *u, gap_patch *p) {
    p->stay = gg_alloc(u->run, u->added_count, sizeof *p->stay);
    for (uint64_t k = 0; p->stay && k < u->added_count; k++)
        p->stay[k] = place_of(p->after, u->added_edge[k]);
    return p->stay != NULL;
}

static bool take_lists(update *u, gap_patch *p) {
    const uint64_t all = u->removed_count + u->added_count;
    p->change = gg_alloc(u->run, all, sizeof *p->change);
    p->removed =
        p->change ? gg_alloc(u->run, u->removed_count, sizeof *p->removed) : NULL;
    p->put = p->removed ? gg_alloc(u->run, u->added_count, sizeof *p->put) : NULL;
    p->reweighted =
        p->put ? gg_alloc(u->run, u->reweighted, sizeof *p->reweighted) : NULL;
    return p->reweighted != NULL;
}

/* Both lists ascend, by blocks as by numbers. */
static void list_blocks(const update *u, gap_patch *p) {
    const struct edge_gaps *before = p->before, *after = p->after;
    const unsigned shift = after->shift;
    const uint32_t mask = ((uint32_t)1 << shift) - 1;
    for (uint64_t i = 0, k = 0; i < u->removed_count || k < u->added_count;) {
        uint64_t gone = UINT64_MAX, come = UINT64_MAX;
        if (i < u->removed_count)
            gone = place_of(before, u->removed[i]);
        if (k < u->added_count)
            come = place_of(after, u->added_edge[k]);
        const uint64_t block = (gone < come ? gone : come) >> shift;
        block_change *c = &p->change[p->changes++];
        *c = (block_change){.first = block << shift,
                            .before = edges_in(before, block),
                            .after = edges_in(after, block),
                            .removed = i,
                            .put = k};
        while (gone != UINT64_MAX && gone >> shift == block) {
            p->removed[i++] = (uint32_t)gone & mask;
            c->removals++;
            gone = i < u->removed_count ? place_of(before, u->removed[i]) : UINT64_MAX;
        }
        while (come != UINT64_MAX && come >> shift == block) {
            p->put[k++] = (uint32_t)come & mask;
            c->puts++;
            come = k < u->added_count ? place_of(after, u->added_edge[k]) : UINT64_MAX;
        }
    }
}

bool gg_list_gap_changes(update *u) {
    gap_patch *p = &u->gap_patch;
    if (!u->gapped || gg_renumbers(&u->vertices))
        return false;
    p->before = &u->gaps;
    p->after = &u->gaps_after;
    p->made = u->graph->gaps.made;
    const bool stay = u->added_count > 0 && all_stay(u);
    if (!take_lists(u, p) || (stay && !list_stays(u, p)))
        return false;
    if (!stay)
        list_blocks(u, p);
    p->removals = stay ? 0 : u->removed_count;
    for (uint64_t i = 0; i < u->reweighted; i++)
        p->reweighted[i] = place_of(p->after, u->added_edge[u->added_count + i]);
    return true;
}
