/* Breadth-first searches from many sources on the device, method "multi-source": the kernels
** around the steps of lanes.h, and the host driver that launches them. each.c beside
** this has the meaning and the CPU backend.
**
**     sources -> levels, several queued at a time -> depths by lane -> trees, one by one
**
** As many searches go together as there is room for their depths. */
#include "bfs.h"
#include "bfs.cuh"
#include "device/share.h"
#include "lanes.h"
#include "tree/tree.cuh"
#include "tuning.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SPREAD_BLOCKS = 8, SETTLE_BLOCKS = 4 }; /* for each multiprocessor */

/* One thread per source. */
static __global__ void plant(lanes_search s) {
    lanes_plant(s, (uint32_t)(gg_thread() / GG_WARP),
                (uint32_t)(gg_threads_of_grid() / GG_WARP));
}

/* One warp per vertex of the frontier. */
static __global__ void __launch_bounds__(GG_BLOCK) spread(lanes_search s) {
    lanes_spread(s, (uint32_t)(gg_thread() / GG_WARP),
                 (uint32_t)(gg_threads_of_grid() / GG_WARP));
}

/* One thread per vertex found. */
static __global__ void __launch_bounds__(GG_BLOCK) settle(lanes_search s) {
    lanes_settle(s, gg_thread(), gg_threads_of_grid());
}

/* One thread. */
static __global__ void turn(lanes_search s) {
    lanes_turn(s);
}

/* ---- one batch ---- */

static void carve(struct workspace *space, const struct device_csr *g,
                  const gpugraph_search *search, uint32_t lanes, uint64_t tree_bytes,
                  lanes_search *s, struct bfs_outcome *out) {
    uint64_t ends = (uint64_t)search->source_count + search->target_count;
    uint32_t *end = gg_carve<uint32_t>(space, ends);
    s->source = end;
    s->wanted = end ? end + search->source_count : NULL;
    s->state = gg_carve<struct lanes_state>(space, 1);
    s->seen = gg_carve<uint64_t>(space, g->n);
    s->visit = gg_carve<uint64_t>(space, g->n);
    s->next = gg_carve<uint64_t>(space, g->n);
    s->list[0] = gg_carve<uint32_t>(space, g->n);
    s->list[1] = gg_carve<uint32_t>(space, g->n);
    s->row = GG_EACH_ROW;
    for (int i = 0; i < 2; i++)
        s->slice[i] = gg_carve<uint64_t>(space, lanes_slices_at_most(g->m, s->row));
    s->depth = gg_carve<uint32_t>(space, (uint64_t)g->n * lanes);
    out->depth = s->depth;
    out->tree = gg_carve<uint8_t>(space, tree_bytes);
    out->scratch = gg_carve<uint8_t>(space, tree_bytes ? out->scratch_bytes : 0);
}

static bool start(struct cuda_job *job, const gpugraph_search *search,
                  const lanes_search *s, struct lanes_state *state) {
    uint64_t n = s->n;
    memset(state, 0, sizeof *state);
    state->level = GPUGRAPH_NONE;
    state->searching = ~(uint64_t)0;
    gg_upload(job, s->state, state, sizeof *state);
    gg_upload(job, (void *)s->source, search->source,
              search->source_count * sizeof *s->source);
    gg_upload(job, (void *)s->wanted, search->target,
              search->target_count * sizeof *s->wanted);
    gg_fill(job, s->seen, 0, n * sizeof *s->seen);
    gg_fill(job, s->visit, 0, n * sizeof *s->visit);
    gg_fill(job, s->next, 0, n * sizeof *s->next);
    gg_fill(job, s->depth, 0xff, n * s->lanes * sizeof *s->depth);
    if (!gg_going(job))
        return false;
    unsigned blocks = gg_grid(job, s->sources, SETTLE_BLOCKS);
    plant<<<blocks, GG_BLOCK, 0, job->stream>>>(*s);
    gg_launched(job, "plant");
    settle<<<blocks, GG_BLOCK, 0, job->stream>>>(*s);
    gg_launched(job, "settle");
    turn<<<1, 1, 0, job->stream>>>(*s);
    return gg_launched(job, "turn");
}

static bool run_levels(struct cuda_job *job, const lanes_search *s,
                       struct lanes_state *state) {
    unsigned walk = gg_grid(job, (uint64_t)s->n * GG_WARP, SPREAD_BLOCKS);
    unsigned list = gg_grid(job, s->n, SETTLE_BLOCKS);
    /* All but what is counted by lane, which the mailbox would not hold. */
    const size_t head = offsetof(struct lanes_state, reached_by);
    static_assert(offsetof(struct lanes_state, reached_by) <= GG_MAILBOX,
                  "it is fetched at once");
    auto queue_level = [&] {
        spread<<<walk, GG_BLOCK, 0, job->stream>>>(*s);
        gg_launched(job, "spread");
        settle<<<list, GG_BLOCK, 0, job->stream>>>(*s);
        gg_launched(job, "settle");
        turn<<<1, 1, 0, job->stream>>>(*s);
        gg_launched(job, "turn");
    };
    return gg_run_rounds(job, state, s->state, head, queue_level,
                         [&] { return state->over; });
}

bool gg_bfs_lanes(struct cuda_job *job, const gpugraph_search *search, bool together,
                  bool tree, struct bfs_outcome *out) {
    struct device_csr g;
    struct workspace space = {NULL, 0};
    struct lanes_state state;
    lanes_search s = {};
    if (!gg_device_csr(job, gg_forward_kind(search->direction), false, &g))
        return false;
    double started = gg_now_ms();
    s.offset = g.offset;
    s.target = g.target;
    s.n = g.n;
    s.lanes = together ? 1 : search->source_count;
    s.sources = search->source_count;
    s.together = together;
    s.targets = search->target_count;
    s.max_depth = search->max_depth;
    s.limit = search->limit;
    s.host_stop = job->device->device_stop;
    out->scratch_bytes = tree ? gg_depth_tree_scratch(job, search->direction) : 0;
    carve(&space, &g, search, s.lanes, gg_tree_bytes(job, tree), &s, out);
    if (!gg_workspace(job, &space))
        return false;
    carve(&space, &g, search, s.lanes, gg_tree_bytes(job, tree), &s, out);
    if (!start(job, search, &s, &state) || !run_levels(job, &s, &state))
        return false;
    out->deepest = state.level;
    char more[80];
    snprintf(more, sizeof more, "%u source%s at once, %u levels", s.lanes,
             s.lanes == 1 ? "" : "s", state.level);
    gg_search_phase(job->run, started, (int64_t)state.reached, more);
    return gg_going(job);
}

/* ---- all of them ---- */

/* How many searches there is room for: 36 bytes for each vertex beside 4 for each search. */
static bool room_for(struct cuda_job *job, const gpugraph_search *search, bool tree,
                     uint32_t *lanes) {
    struct device_csr g;
    if (!gg_device_csr(job, gg_forward_kind(search->direction), false, &g))
        return false;
    struct workspace space = {NULL, 0};
    lanes_search s = {};
    struct bfs_outcome out;
    out.scratch_bytes = tree ? gg_depth_tree_scratch(job, search->direction) : 0;
    carve(&space, &g, search, 0, gg_tree_bytes(job, tree), &s, &out);
    int64_t lane = (int64_t)g.n * (int64_t)sizeof(uint32_t);
    int64_t room = (gg_device_room(job) - (int64_t)space.used) / lane;
    *lanes = room < 1 ? 1 : room < LANES_MOST ? (uint32_t)room : (uint32_t)LANES_MOST;
    return true;
}

static bool download_lanes(struct cuda_job *job, const gpugraph_search *search,
                           const struct bfs_outcome *found,
                           const struct bfs_results *rows, uint32_t first) {
    double started = gg_now_ms();
    uint64_t n = job->graph->n;
    for (uint32_t i = 0; i < search->source_count; i++) {
        const struct bfs_result row = gg_bfs_result(rows, first + i);
        /* Each by itself does not begin where four depths are read at once: as they are. */
        if (!gg_bfs_bring(job, &row, found->depth + n * i, n, GPUGRAPH_NONE))
            return false;
    }
    gg_phase(job->run, "download", started, (int64_t)(n * search->source_count),
             "depths");
    for (uint32_t i = 0; rows->tree_edge && i < search->source_count; i++) {
        struct bfs_outcome one = *found;
        one.depth += n * i;
        if (!gg_bfs_tree(job, search, &one) ||
            !gg_download(job, rows->tree_edge[first + i], one.tree,
                         gg_tree_bytes(job, true)))
            return false;
    }
    return true;
}

/* Sources low .. high - 1, in as many batches as it takes. */
static bool search_lanes(struct cuda_job *job, const gpugraph_search *search,
                         uint32_t low, uint32_t high, const struct bfs_results *rows) {
    gpugraph_search part = *search;
    struct bfs_outcome found;
    uint32_t most;
    if (!room_for(job, search, rows->tree_edge != NULL, &most))
        return false;
    for (uint32_t i = low; i < high && !gg_bfs_too_long(job->graph, search, rows);
         i += part.source_count) {
        part.source = search->source + i;
        part.source_count = high - i < most ? high - i : most;
        if (!gg_bfs_lanes(job, &part, false, rows->tree_edge != NULL, &found) ||
            !download_lanes(job, &part, &found, rows, i))
            return false;
    }
    return true;
}

static void search_at_once(struct cuda_job *job, const gpugraph_search *search,
                           const struct bfs_results *rows, struct share_member *member) {
    uint32_t low, high;
    while (gg_share_take(member, &low, &high))
        if (search_lanes(job, search, low, high, rows)) {
            gg_count_searches(job->graph, low > 0);
            gg_share_done(member);
        }
}

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

/* `auto` searches one by one: many sources at once lose up to 16 of them, and gain a fifth at
** best with 64 (H200). */
void gg_cuda_bfs_each(gpugraph_graph *graph, const gpugraph_search *search,
                      gpugraph_run *run, const struct bfs_results *rows,
                      struct share_member *member) {
    struct cuda_job job;
    const bool at_once = gg_method_is(run, "multi-source");
    const bool beside = !at_once && !rows->tree_edge && search->source_count > 1 &&
                        graph->n >= GG_BFS_BYTES_LEAST;
    if (!at_once && !beside) {
        search_apart(graph, search, run, rows, member);
        return;
    }
    if (!gg_job_open(&job, graph, run))
        return;
    if (at_once)
        search_at_once(&job, search, rows, member);
    else
        gg_bfs_one_by_one(&job, search, rows, member);
    gg_job_close(&job);
}
