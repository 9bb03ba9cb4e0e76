/* Breadth-first search over parts: a level is expanded by every part along its own rows, ghosts that
** it has found are reduced into their masters, and where rows begin at ghosts the new frontier is
** broadcast. After Dathathri et al., "Gluon" (PLDI 2018).
**
**     now    locals of this level, ghosts among them where rows begin at these
**     next   locals that it finds
**
** Where arcs lead both ways a row also tells where its vertex can be reached from. A wide level is then
** found bottom-up, after Beamer, Asanovic, Patterson (SC 2012): ghosts get the frontier's depth, and every
** vertex that is not reached looks for one neighbour of that depth. */
#include "multi/part.h"

#include <string.h>

struct bfs_part {
    gpugraph_part *p;
    gpugraph_run *run;
    uint32_t *depth; /* of each local; a ghost's is at least its master's */
    struct part_changes now, next;
    uint64_t frontier, unexplored; /* arcs of masters' rows here, by all parts */
    uint32_t bottom_up;            /* levels */
};

static bool expand(struct bfs_part *b, uint32_t level) {
    const gpugraph_part *p = b->p;
    for (uint32_t i = 0; i < b->now.count && !gg_leave(b->run, i); i++) {
        const uint32_t v = b->now.list[i];
        for (uint64_t a = p->offset[v]; a < p->offset[v + 1]; a++) {
            const uint32_t w = p->target[a];
            if (b->depth[w] > level + 1) {
                b->depth[w] = level + 1;
                part_note(&b->next, w);
            }
        }
    }
    return !gg_stopping(b->run);
}

/* Who is not reached looks for a neighbour in the frontier. */
static bool look_up(struct bfs_part *b, uint32_t level) {
    const gpugraph_part *p = b->p;
    for (uint32_t v = 0; v < p->locals && !gg_leave(b->run, v); v++) {
        if (b->depth[v] <= level)
            continue;
        for (uint64_t a = p->offset[v]; a < p->offset[v + 1]; a++)
            if (b->depth[p->target[a]] == level) {
                if (b->depth[v] > level + 1) {
                    b->depth[v] = level + 1;
                    part_note(&b->next, v);
                }
                break;
            }
    }
    return !gg_stopping(b->run);
}

/* Sums over all parts: what the level has found, and how many arcs lead on from there. */
static bool count(struct bfs_part *b, uint64_t *found) {
    const gpugraph_part *p = b->p;
    uint64_t word[2] = {b->now.count, 0};
    for (uint32_t i = 0; i < b->now.count; i++) {
        const uint32_t v = b->now.list[i];
        if (v < p->masters)
            word[1] += p->offset[v + 1] - p->offset[v];
    }
    if (p->exchange->calls->combine(p->exchange, b->run, GPUGRAPH_SUM, word, 2) !=
        GPUGRAPH_OK)
        return false;
    *found = word[0];
    b->frontier = word[1];
    b->unexplored -= word[1] < b->unexplored ? word[1] : b->unexplored;
    return true;
}

static bool one_level(struct bfs_part *b, uint32_t level) {
    gpugraph_part *p = b->p;
    const struct part_field depth = {b->depth, sizeof *b->depth, part_least_32};
    const bool up =
        p->direction == GPUGRAPH_BOTH && b->frontier * GG_PART_BOTTOM_UP > b->unexplored;
    b->bottom_up += up;
    if ((up || part_reads_ghosts(p)) &&
        gg_broadcast(p, b->run, depth, &b->now) != GPUGRAPH_OK)
        return false;
    if (!(up ? look_up(b, level) : expand(b, level)))
        return false;
    /* Bottom-up writes where rows begin, top-down where they end. */
    return !(up ? part_reads_ghosts(p) : part_writes_ghosts(p)) ||
           gg_reduce(p, b->run, depth, &b->next) == GPUGRAPH_OK;
}

static bool search(struct bfs_part *b, uint32_t max_depth) {
    gpugraph_part *p = b->p;
    uint64_t found;
    for (uint32_t v = 0; v < p->masters; v++)
        b->unexplored += p->offset[v + 1] - p->offset[v];
    if (!part_sum(p, b->run, &b->unexplored) || !count(b, &found))
        return false;
    for (uint32_t level = 0; found > 0 && level < max_depth; level++) {
        if (!one_level(b, level))
            return false;
        part_forget(&b->now);
        const struct part_changes old = b->now;
        b->now = b->next;
        b->next = old;
        if (!count(b, &found))
            return false;
    }
    return true;
}

/* Depths of ghosts are their masters' before the tree is made. */
static bool make_tree(struct bfs_part *b, const uint32_t *source, uint32_t sources,
                      const gpugraph_part_tree *tree) {
    gpugraph_part *p = b->p;
    const struct part_field depth = {b->depth, sizeof *b->depth, NULL};
    if (gg_broadcast(p, b->run, depth, NULL) != GPUGRAPH_OK)
        return false;
    uint64_t *value = gg_alloc(b->run, p->locals, sizeof *value);
    for (uint32_t v = 0; value && v < p->locals; v++)
        value[v] = b->depth[v] == GPUGRAPH_NONE ? UINT64_MAX : b->depth[v];
    if (value)
        part_tree(p, b->run, value, false, source, sources, tree);
    gg_release(value);
    return b->run->status == GPUGRAPH_OK;
}

gpugraph_status gpugraph_part_bfs(gpugraph_part *p, const uint64_t *source,
                                  uint32_t source_count, uint32_t max_depth,
                                  gpugraph_run *run, uint32_t *depth,
                                  const gpugraph_part_tree *tree) {
    gg_begin(run);
    double start = gg_now_ms();
    struct bfs_part b = {.p = p, .run = run};
    uint32_t sources = 0, *here = NULL;
    if (part_tree_is_possible(p, run, tree) &&
        (here = part_sources(p, run, source, source_count, &sources)) != NULL &&
        (b.depth = gg_alloc(run, p->locals, sizeof *b.depth)) != NULL &&
        part_changes_open(p, run, &b.now) && part_changes_open(p, run, &b.next)) {
        memset(b.depth, 0xff, p->locals * sizeof *b.depth);
        for (uint32_t i = 0; i < sources; i++) {
            b.depth[here[i]] = 0;
            part_note(&b.now, here[i]);
        }
        if (search(&b, max_depth)) {
            memcpy(depth, b.depth, p->masters * sizeof *depth);
            gg_phase(run, "search", start, (int64_t)p->arcs,
                     "%u levels bottom-up over %u parts", b.bottom_up,
                     p->exchange->parts);
            start = gg_now_ms();
            if (tree && make_tree(&b, here, sources, tree))
                gg_phase(run, "parents", start, p->masters, "%u sources here", sources);
        }
    }
    part_changes_close(&b.now);
    part_changes_close(&b.next);
    gg_release(b.depth);
    gg_release(here);
    return part_end(p->exchange, run);
}
