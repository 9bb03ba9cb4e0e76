/* Breadth-first search over parts: a level is expanded by every part along its own rows, ghosts that
** it has found are reduced into their masters, and where rows begin at ghosts the new frontier is
** broadcast. After Dathathri et al., "Gluon" (PLDI 2018).
**
**     now       locals of this level, ghosts among them where rows begin at these
**     next      locals that it finds */
#include "bfs/bfs.h"
#include "distributed/partition/part.h"

#include <string.h>

struct bfs_part {
    gpugraph_part *p;
    gpugraph_run *run;
    uint32_t *depth; /* of each local; a ghost's is at least its master's */
    struct part_changes now, next;
};

static struct part_field depths(const struct bfs_part *b) {
    return (struct part_field){b->depth, sizeof *b->depth, part_least_32};
}

/* Ghosts that are found go to their masters, which alone stay in `next`. */
static bool expand_parts(struct bfs_part *b, uint32_t level) {
    const gpugraph_part *p = b->p;
    for (uint32_t i = 0; i < b->now.count && !gg_leave(b->run, i); i++) {
        const uint32_t v = b->now.list[i];
        for (uint64_t a = p->offset[v]; a < p->offset[v + 1]; a++) {
            const uint32_t w = p->target[a];
            if (b->depth[w] == GPUGRAPH_NONE) {
                b->depth[w] = level + 1;
                part_note(&b->next, w);
            }
        }
    }
    return !gg_stopping(b->run) &&
           (!part_writes_ghosts(p) ||
            gg_reduce(b->p, b->run, depths(b), &b->next) == GPUGRAPH_OK);
}

/* Masters in the list are told to their ghosts, which join it. *found: how many there are, of all
** parts. */
static bool tell_level(struct bfs_part *b, struct part_changes *c, uint64_t *found) {
    gpugraph_part *p = b->p;
    *found = c->count;
    if (part_reads_ghosts(p))
        return gg_broadcast_and_combine(p, b->run, depths(b), c, GPUGRAPH_SUM, found,
                                        1) == GPUGRAPH_OK;
    return part_sum(p, b->run, found);
}

static bool search(struct bfs_part *b, uint32_t max_depth, uint32_t *levels) {
    uint64_t found;
    if (!tell_level(b, &b->now, &found))
        return false;
    for (*levels = 0; found > 0 && *levels < max_depth; ++*levels) {
        if (!expand_parts(b, *levels) || !tell_level(b, &b->next, &found))
            return false;
        part_forget(&b->now);
        const struct part_changes old = b->now;
        b->now = b->next;
        b->next = old;
    }
    return true;
}

/* ---- the whole ---- */

/* Depths of ghosts are their masters' before the tree is made. */
static bool make_tree(struct bfs_part *b, const uint32_t *source, uint32_t sources,
                      const gpugraph_part_tree *tree) {
    gpugraph_part *p = b->p;
    const struct part_field depth = {b->depth, sizeof *b->depth, NULL};
    return (part_reads_ghosts(p) ||
            gg_broadcast(p, b->run, depth, NULL) == GPUGRAPH_OK) &&
           part_tree(p, b->run, b->depth, PART_LEVELS, source, sources, tree) ==
               GPUGRAPH_OK;
}

static bool search_on_cpu(struct bfs_part *b, const uint32_t *source, uint32_t sources,
                          uint32_t max_depth) {
    const gpugraph_part *p = b->p;
    const double start = gg_now_ms();
    uint32_t levels;
    bool done =
        part_changes_open(p, b->run, &b->now) && part_changes_open(p, b->run, &b->next);
    memset(b->depth, 0xff, p->locals * sizeof *b->depth);
    for (uint32_t i = 0; done && i < sources; i++) {
        b->depth[source[i]] = 0;
        part_note(&b->now, source[i]);
    }
    done = done && search(b, max_depth, &levels);
    if (done)
        gg_phase(b->run, "search", start, (int64_t)p->arcs, "%u levels over %u parts",
                 levels, p->exchange->parts);
    part_changes_close(&b->now);
    part_changes_close(&b->next);
    return done;
}

gpugraph_status gpugraph_part_bfs(gpugraph_part *p, const uint64_t *source,
                                  uint32_t source_count, uint32_t max_depth,
                                  gpugraph_run *run, uint32_t *depth,
                                  const gpugraph_part_tree *tree) {
    gg_begin(run);
    struct bfs_part b = {.p = p, .run = run};
    double start;
    uint32_t sources = 0, *here = NULL;
    if (gg_needs(run, source, source_count, "source") &&
        gg_needs(run, depth, p->masters, "depth") &&
        part_tree_is_possible(p, run, tree) &&
        (here = part_sources(p, run, source, source_count, &sources)) != NULL &&
        (b.depth = gg_alloc(run, p->locals, sizeof *b.depth)) != NULL) {
        if (p->device ? gg_part_services.bfs(p, here, sources, max_depth, run, b.depth) ==
                            GPUGRAPH_OK
                      : search_on_cpu(&b, here, sources, max_depth)) {
            memcpy(depth, b.depth, p->masters * sizeof *depth);
            start = gg_now_ms();
            if (tree && make_tree(&b, here, sources, tree))
                gg_phase(run, "parents", start, p->masters, "%u sources here", sources);
        }
    }
    gg_release(b.depth);
    gg_release(here);
    return part_end(p->exchange, run);
}
