/* Of each row a target to look at first, and which rows are empty: what a search from the side of the
** unvisited reads in order, in place of rows. */
#include "several.cuh"

/* One warp to 32 rows; a bit of `closed` for each. */
static __global__ void first_hubs(const uint64_t *offset, const uint32_t *target,
                                  uint32_t rows, uint32_t *hub, uint32_t *closed) {
    for (uint64_t i = gg_thread(); i < rows; i += gg_threads_of_grid()) {
        uint64_t begin = offset[i], end = offset[i + 1];
        unsigned bits = __ballot_sync(0xffffffffu, begin == end);
        hub[i] = begin < end ? target[begin] : GPUGRAPH_NONE;
        if (i % GG_WARP == 0)
            closed[i / GG_WARP] = bits;
    }
}

static bool make_hubs(struct cuda_job *job, uint32_t rows_count,
                      struct several_rows *rows) {
    rows->hub = (uint32_t *)gg_take(job, (uint64_t)rows_count * 4);
    rows->closed = (uint32_t *)gg_take(job, (uint64_t)rows_count / 8);
    if (!gg_going(job))
        return false;
    first_hubs<<<gg_grid(job, rows_count, 8), GG_BLOCK, 0, job->stream>>>(
        rows->offset, rows->target, rows_count, rows->hub, rows->closed);
    return gg_launched(job, "first_hubs");
}

static void give_hubs(struct several_team *team, struct several_parts *parts) {
    for (int p = team->first; p < team->end; p++) {
        struct cuda_job *job = gg_several_on(team, p);
        struct several_rows *rows = &parts->rows[p];
        gg_give(job, rows->hub, (uint64_t)parts->places.stride * 4);
        gg_give(job, rows->closed, (uint64_t)parts->places.stride / 8);
        rows->hub = rows->closed = NULL;
    }
}

bool gg_several_hubs(struct several_team *team, struct several_parts *parts) {
    double started = gg_now_ms();
    if (parts->rows[team->first].hub || !gg_several_going(team))
        return gg_several_going(team);
    for (int p = team->first; p < team->end && gg_several_going(team); p++)
        make_hubs(gg_several_on(team, p), parts->places.stride, &parts->rows[p]);
    if (!gg_several_wait(team)) { /* what a kernel that never ran has left is no hub */
        give_hubs(team, parts);
        return false;
    }
    gg_several_keep_more(team, parts);
    gg_phase(team->run, "prepare", started, parts->places.n,
             "a neighbour of each vertex to look at first, on the devices");
    return true;
}
