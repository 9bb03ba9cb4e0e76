/* Breadth-first searches one by one on a device: the depths of one come home while the next one searches.
**
**     stream    | search 0 | narrow 0 | search 1         | narrow 1 | search 2         | ...
**     aside                            | copies 0 |                  | copies 1 |
**     host                             |  widens 0  |                |  widens 1  |
**
** Depths of a graph with hubs take the bus and the host's memory longer than a search takes. They leave it as
** nibbles or bytes (bring.cu) in an array of their own, which is kept with the graph, and the next search overwrites
** them. The host's part is done between the launch of that search and the wait for it. Rows of bytes are done with as
** soon as some device has met a depth for which a byte is too little. */
#include "bfs.cuh"
#include "bfs.h"
#include "device/parts.cuh"
#include "device/share.h"
#include "tuning.h"

/* ---- the array, kept ---- */

struct bytes_part {
    struct device_part part;
    uint8_t *bytes; /* NULL: not made */
    uint32_t n;
};

static void drop_bytes(gpugraph_graph *, struct device_part *part, unsigned) {
    struct bytes_part *kept = (struct bytes_part *)part;
    give(part, kept->bytes, kept->n, sizeof *kept->bytes);
    kept->bytes = NULL;
}

static const struct device_part_kind bytes_kind = {sizeof(struct bytes_part),
                                                   PART_ON_VERTICES, drop_bytes};

/* Fills *bytes; NULL where there is no room. False when the job must end. */
static bool make_bytes(struct cuda_job *job, uint8_t **bytes) {
    struct bytes_part *kept = (struct bytes_part *)gg_device_part(job, &bytes_kind);
    *bytes = NULL;
    if (!kept)
        return false;
    if (!kept->bytes) {
        kept->n = (job->graph->n + 3) / 4 * 4; /* they are written four at a time */
        if (!take(job, &kept->part, &kept->bytes, kept->n, sizeof *kept->bytes))
            return gg_do_without(job);
    }
    *bytes = kept->bytes;
    return true;
}

/* ---- searches ---- */

struct home {
    uint8_t *bytes; /* NULL: there was no room, and nothing comes beside a search */
    int bits;       /* of each depth there */
    bool under_way;
    struct bfs_result to; /* where they belong */
    struct share_member *member;
};

static void bring_home(struct cuda_job *job, void *of) {
    struct home *home = (struct home *)of;
    const double started = gg_now_ms();
    const uint32_t n = job->graph->n;
    if (!gg_bfs_bring_aside(job, &home->to, home->bytes, n, home->bits))
        return;
    home->under_way = false;
    gg_phase(job->run, "download", started, n,
             "depths of %d bits, beside the next search", home->bits);
    gg_share_done(home->member);
}

/* What is left to do when the search is done: depths that a byte has no room for come at once. */
static bool take_depths(struct cuda_job *job, const struct bfs_outcome *out,
                        struct home *home, const struct bfs_result *row) {
    const uint32_t n = job->graph->n;
    home->bits = gg_bfs_home_bits(n, out->deepest);
    if (home->bytes && home->bits) {
        home->to = *row;
        home->under_way = true;
        return gg_bfs_hand_over(job, home->bytes, out->depth, n, home->bits);
    }
    const double started = gg_now_ms();
    if (!gg_bfs_bring(job, row, out->depth, n, out->deepest))
        return false;
    gg_phase(job->run, "download", started, n, "depths");
    gg_share_done(home->member);
    return true;
}

static bool search_next(struct cuda_job *job, const gpugraph_search *search,
                        struct home *home, const struct bfs_result *row) {
    struct bfs_outcome out;
    if (home->under_way) {
        job->meanwhile.act = bring_home;
        job->meanwhile.of = home;
    }
    if (!gg_bfs_search(job, search, false, &out))
        return false;
    gg_do_meanwhile(job);
    return gg_going(job) && take_depths(job, &out, home, row);
}

/* A failure may leave copies under way, through buffers that others use. */
static void end_copies(struct cuda_job *job) {
    cudaStreamSynchronize(job->device->aside);
    cudaGetLastError();
}

void gg_bfs_one_by_one(struct cuda_job *job, const gpugraph_search *search,
                       const struct bfs_results *rows, struct share_member *member) {
    struct home home = {NULL, 0, false, {NULL, NULL}, member};
    gpugraph_search single = *search;
    uint32_t low, high;
    single.source_count = 1;
    if (!make_bytes(job, &home.bytes))
        return;
    while (gg_share_take(member, &low, &high)) {
        const struct bfs_result row = gg_bfs_result(rows, low);
        if (gg_bfs_too_long(job->graph, search, rows)) {
            gg_share_done(member);
            continue;
        }
        single.source = search->source + low;
        search_next(job, &single, &home, &row);
        gg_count_searches(job->graph, low > 0);
    }
    if (home.under_way && gg_going(job))
        bring_home(job, &home);
    end_copies(job);
}
