/* Breadth-first search over partitions: a round is a level. After Dathathri et al.,
** "Gluon" (PLDI 2018). */
#include "bfs/bfs.h"
#include "distributed/partition/part.h"

#include <string.h>

static void expand_row(struct part_rounds *r, uint32_t v) {
    const gpugraph_part *p = r->p;
    uint32_t *depth = r->field.value; /* a ghost has at least its master's depth */
    for (uint64_t a = p->offset[v]; a < p->offset[v + 1]; a++) {
        const uint32_t w = p->target[a];
        if (depth[w] == GPUGRAPH_NONE) {
            depth[w] = depth[v] + 1;
            part_note(&r->next, w);
        }
    }
}

/* ---- the search ---- */

/* Gives ghosts the depths of their masters, and makes the tree. */
static bool make_tree_of_parts(gpugraph_part *p, gpugraph_run *run, uint32_t *value,
                               const uint32_t *source, uint32_t sources,
                               const gpugraph_part_tree *tree) {
    const struct part_field depth = {value, sizeof *value, NULL};
    return (part_reads_ghosts(p) || gg_broadcast(p, run, depth, NULL) == GPUGRAPH_OK) &&
           part_tree(p, run, value, PART_LEVELS, source, sources, tree) == GPUGRAPH_OK;
}

static bool search_on_cpu(gpugraph_part *p, const gpugraph_search *search,
                          gpugraph_run *run, uint32_t *depth) {
    const double start = gg_now_ms();
    struct part_rounds r;
    uint32_t levels;
    bool done = part_rounds_open(&r, p, run);
    r.field = (struct part_field){depth, sizeof *depth, part_least_32};
    r.visit = expand_row;
    memset(depth, 0xff, p->locals * sizeof *depth);
    for (uint32_t i = 0; done && i < search->source_count; i++) {
        depth[search->source[i]] = 0;
        part_note(&r.now, search->source[i]);
    }
    done = done && part_go_rounds(&r, search->max_depth, &levels);
    if (done)
        gg_phase(run, "search", start, (int64_t)p->arcs, "%u levels over %u parts",
                 levels, p->exchange->parts);
    part_rounds_close(&r);
    return done;
}

gpugraph_status gpugraph_part_bfs(gpugraph_part *p, const uint64_t *source,
                                  uint32_t source_count, uint32_t max_depth,
                                  gpugraph_run *run, uint32_t *depth,
                                  const gpugraph_part_tree *tree) {
    gg_begin(run);
    double start;
    uint32_t sources = 0, *here = NULL, *all = NULL;
    if (gg_needs(run, source, source_count, "source") &&
        gg_needs(run, depth, p->masters, "depth") &&
        part_tree_is_possible(p, run, tree) &&
        (here = part_sources(p, run, source, source_count, &sources)) != NULL &&
        (all = gg_alloc(run, p->locals, sizeof *all)) != NULL) {
        const gpugraph_search search = {
            .source = here, .source_count = sources, .max_depth = max_depth};
        if (p->device ? gg_part_services.bfs(p, &search, run, all) == GPUGRAPH_OK
                      : search_on_cpu(p, &search, run, all)) {
            memcpy(depth, all, p->masters * sizeof *depth);
            start = gg_now_ms();
            if (tree && make_tree_of_parts(p, run, all, here, sources, tree))
                gg_phase(run, "parents", start, p->masters, "%u sources here", sources);
        }
    }
    gg_release(all);
    gg_release(here);
    return part_end(p->exchange, run);
}
