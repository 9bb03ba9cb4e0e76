/* The last part of a tree of "many-paths" (paths_pull.h): the test whether it suits a
** graph, and all of its passes in one launch.
**
** The passes need the arcs into vertices. For direction 'both' and for a symmetric graph
** these are the rows of the search. Otherwise the passes use rows of earlier searches, if
** there are any. No rows are made for them. */
#include "dfs.cuh"
#include "device/parts.cuh"
#include "graph/device_copy.cuh"
#include "graph/frontier.cuh"
#include "graph/graph.h"

#include <cooperative_groups.h>

enum {
    ASK_AFTER = 3,   /* searches of a graph before it is tested for symmetry */
    LEFT_SHARE = 16, /* one vertex in this many may be left after the first pass */
    PULL_BLOCKS = 6  /* for each multiprocessor */
};
static_assert(sizeof(pull_counts) <= GG_MAILBOX, "the mailbox holds the counts");

/* Properties of a graph that searches have found out. */
struct dfs_part {
    struct device_part part;
    bool unfit[CSR_KINDS]; /* a search had to begin again */
};

static void forget_unfit(gpugraph_graph *, struct device_part *, unsigned) {}

static const struct device_part_kind dfs_kind = {
    "rows that pulling does not suit", sizeof(struct dfs_part),
    PART_ON_EDGES | PART_ON_VERTICES, forget_unfit};

static bool is_unfit(const gpugraph_graph *graph, enum csr_kind kind) {
    const struct dfs_part *kept = (struct dfs_part *)gg_device_part_of(graph, &dfs_kind);
    return kept && kept->unfit[kind];
}

static bool suits(const struct cuda_job *job, const struct dfs_search *s) {
    return !s->whole && !gg_dfs_is_thin(&s->g) &&
           !is_unfit(job->graph, (enum csr_kind)s->direction);
}

/* The test for symmetry costs as much as some searches. */
bool gg_dfs_ask_pull(struct cuda_job *job, struct dfs_search *s) {
    enum symmetry found;
    if (s->direction != GPUGRAPH_OUT || !suits(job, s) ||
        gg_searches(job->graph) <= ASK_AFTER)
        return true;
    return (gg_device_symmetry(job, &found) || gg_do_without(job)) &&
           gg_device_csr(job, CSR_OUT, false, &s->g);
}

void gg_dfs_plan_pull(struct cuda_job *job, struct dfs_search *s) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    const struct device_rows *transpose = &copy->rows[gg_reverse_kind(s->direction)];
    if (!suits(job, s))
        return;
    if (s->direction == GPUGRAPH_BOTH ||
        (s->direction == GPUGRAPH_OUT && gg_known_symmetric(job->graph))) {
        s->pull.begin = s->g.begin;
        s->pull.end = s->g.end;
        s->pull.target = s->g.target;
    } else if (transpose->made) {
        const device_csr view = gg_view_of_rows(copy, transpose);
        s->pull.begin = view.begin;
        s->pull.end = view.end;
        s->pull.target = view.target;
    }
}

/* One thread for each vertex. */
static __global__ void count_entered(const uint64_t *begin, const uint64_t *end,
                                     uint32_t n, uint32_t *entered) {
    const uint64_t whole = gg_whole_warps(n);
    uint32_t count = 0;
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid())
        count += set_bits(warp_ballot(v < n && begin[v] < end[v]));
    if (gg_lane() == 0 && count > 0)
        atomicAdd(entered, count);
}

bool gg_dfs_count_entered(struct cuda_job *job, struct dfs_search *s) {
    return GG_LAUNCH(job, count_entered, gg_grid(job, s->g.n, 8), s->pull.begin,
                     s->pull.end, s->g.n, &s->paths.control->entered);
}

/* Cooperative. */
static __global__ void __launch_bounds__(GG_BLOCK, PULL_BLOCKS) pull_rest(paths_pull p) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const uint64_t warp = gg_thread() / GG_WARP, warps = gg_threads_of_grid() / GG_WARP;
    pull_by_words(p, warp, warps);
    grid.sync();
    for (uint64_t i = gg_thread(); i < p.n / 32 + 1; i += gg_threads_of_grid())
        pull_show_word(p, i);
    grid.sync();
    for (uint32_t pass = 1; pass < GG_PATHS_PULLS && pull_goes_on(p, pass - 1); pass++) {
        pull_by_list(p, pass, warp, warps);
        grid.sync();
        const uint32_t found = device_load(&p.counts->found[pass]);
        for (uint64_t i = gg_thread(); i < found; i += gg_threads_of_grid())
            pull_show_found(p, i);
        grid.sync();
    }
}

static const struct cooperative_kernel pull_kernel = {(const void *)pull_rest,
                                                      "pull_rest", GG_BLOCK, 0};

bool gg_dfs_pull(struct cuda_job *job, struct dfs_search *s, bool *whole) {
    struct paths_pull *p = &s->pull;
    struct pull_counts counts;
    p->n = s->g.n;
    p->most = s->control.entered / LEFT_SHARE;
    p->visited = s->paths.visited;
    p->tree = s->paths.tree;
    p->list[0] = s->depth; /* scratch memory until the tree is unpacked */
    p->list[1] = s->parent;
    p->found = (uint32_t *)s->paths.pool.entry; /* no worker uses the chunks any more */
    void *arguments[] = {p};
    gg_fill(job, p->counts, 0, sizeof *p->counts);
    if (!gg_going(job) ||
        !gg_launch_cooperative(job, &pull_kernel,
                               gg_dfs_blocks(job, &pull_kernel, PULL_BLOCKS),
                               arguments) ||
        !gg_fetch(job, &counts, p->counts, sizeof counts))
        return false;
    *whole = pull_is_whole(&counts, p->most, &s->pulled);
    if (*whole) {
        s->control.reached += s->pulled;
    } else {
        struct dfs_part *kept = (struct dfs_part *)gg_device_part(job, &dfs_kind);
        s->pulled = 0;
        if (!kept)
            return false;
        kept->unfit[s->direction] = true;
    }
    return gg_going(job);
}
