/* Breadth-first searches from many sources on the device, one after the other: many at
** once, a bit each, lose on a device up to 16 of them, and gain a fifth at best with 64.
** each.c beside this has the meaning and the CPU backend. */
#include "bfs.cuh"
#include "bfs.h"
#include "device/share.h"

/* Depths of a search come as numbers of four bytes. Rows of bytes are made from `spare`,
** a row of numbers that all of them use. */
void gg_cuda_bfs_each(gpugraph_graph *graph, const gpugraph_search *search,
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
            gg_bfs_on_device(graph, &single, run, spare ? spare : rows->depth[low],
                             rows->tree_edge ? rows->tree_edge[low] : NULL);
            if (spare && !run->status)
                gg_bfs_keep_bytes(graph, run, spare, rows->bytes[low]);
            gg_count_searches(graph, low > 0);
        }
        if (!run->status)
            gg_share_done(member);
    }
    gg_release(spare);
}
