/* Hubs of a team's rows: a target of each row to look at first, and which rows are
** empty. */
#include "several.cuh"
#include "bfs/bfs.cuh"

static void make_hubs(struct several_team *team, struct several_parts *parts, int p) {
    struct cuda_job *job = gg_several_on(team, p);
    struct several_rows *rows = &parts->rows[p];
    const uint32_t stride = parts->places.stride;
    const struct device_csr csr = gg_several_csr(parts, p, stride);
    rows->hub = (uint32_t *)gg_take(job, several_hub_bytes(&parts->places));
    if (!gg_going(job))
        return;
    rows->closed = rows->hub + stride;
    gg_bfs_first_hubs(job, &csr, rows->hub, rows->closed);
}

static void free_hubs(struct several_team *team, struct several_parts *parts) {
    for (int p = team->first; p < team->end; p++) {
        struct several_rows *rows = &parts->rows[p];
        gg_give(gg_several_on(team, p), rows->hub, several_hub_bytes(&parts->places));
        rows->hub = rows->closed = NULL;
    }
}

bool gg_several_hubs(struct several_team *team, struct several_parts *parts) {
    double started = gg_now_ms();
    if (parts->rows[team->first].hub || !gg_several_going(team))
        return gg_several_going(team);
    for (int p = team->first; p < team->end && gg_several_going(team); p++)
        make_hubs(team, parts, p);
    if (!gg_several_wait(team)) { /* a kernel that did not run has made no hubs */
        free_hubs(team, parts);
        return false;
    }
    gg_several_keep_more(team, parts);
    gg_phase(team->run, "prepare", started, parts->places.n,
             "a first neighbour of each vertex to look at, on the devices");
    return true;
}
