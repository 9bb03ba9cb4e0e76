/* Breadth-first searches from many sources on the device, one after the other: many at once, a bit
** each, lose on a device up to 16 of them, and gain a fifth at best with 64. each.c beside this has the
** meaning and the CPU backend. */
#include "bfs.h"
#include "bfs.cuh"
#include "device/share.h"
#include "tuning.h"

/* `spare`: where depths that become bytes are at first; NULL: rows are of depths. */
static void search_alone(gpugraph_graph *graph, const gpugraph_search *single,
                         gpugraph_run *run, const struct bfs_results *rows, uint32_t i,
                         uint32_t *spare) {
    const struct bfs_result row = gg_bfs_result(rows, i);
    gg_bfs_on_device(graph, single, run, spare ? spare : row.depth,
                     rows->tree_edge ? rows->tree_edge[i] : NULL);
    if (spare && !run->status)
        gg_bfs_keep_bytes(graph, run, spare, row.bytes);
}

/* Each is whole before the next one begins. */
static void search_apart(gpugraph_graph *graph, const gpugraph_search *search,
                         gpugraph_run *run, const struct bfs_results *rows,
                         struct share_member *member) {
    gpugraph_search single = *search;
    uint32_t low, high, *spare = NULL;
    single.source_count = 1;
    if (rows->bytes && !(spare = (uint32_t *)gg_alloc(run, graph->n, sizeof *spare)))
        return;
    while (gg_share_take(member, &low, &high)) {
        single.source = search->source + low;
        if (!gg_bfs_too_long(graph, search, rows)) {
            search_alone(graph, &single, run, rows, low, spare);
            gg_count_searches(graph, low > 0);
        }
        if (!run->status)
            gg_share_done(member);
    }
    gg_release(spare);
}

void gg_cuda_bfs_each(gpugraph_graph *graph, const gpugraph_search *search,
                      gpugraph_run *run, const struct bfs_results *rows,
                      struct share_member *member) {
    struct cuda_job job;
    const bool beside = !rows->tree_edge && search->source_count > 1 &&
                        graph->n >= GG_BFS_BYTES_LEAST && !gg_method_is(run, "several");
    if (!beside) {
        search_apart(graph, search, run, rows, member);
        return;
    }
    if (!gg_job_open(&job, graph, run))
        return;
    gg_bfs_one_by_one(&job, search, rows, member);
    gg_job_close(&job);
}
