/* Breadth-first search, method "several". Devices share the graph; their kernels run
** level after level, with a barrier after each step. several.cuh has the steps,
** several_levels.cu the kernel.
**
**     depth      of own places                           on the owner
**     visited    a bit for each place, two bitmaps       on every device
**     inbox      places, from each other device          written by the other devices
**
** Top-down, a device claims own targets at once. For a vertex of another device, a bit in
** its copy of the bitmap means that it has sent the vertex to its owner, or that the
** vertex is visited. So it sends each place at most once, and an inbox has room for a
** whole search. Before bottom-up levels the copies of the bitmap are completed. They stay
** complete, because in each bottom-up level every owner stores the bits of its vertices
** into all copies.
**
** Without peer access the kernel returns after each step. The host moves messages and
** segments of the bitmap, combines reports, and launches the kernel again. */
#include "several.cuh"
#include "bfs/bfs.cuh"
#include "bfs/bfs.h"
#include "tree/tree.h"

struct shared_search {
    struct several_team *team;
    const struct several_parts *rows, *below;
    const gpugraph_search *search; /* sources and targets are places */
    struct several_view view[SEVERAL_MOST];
    struct bfs_shared b[SEVERAL_MOST];
    struct {
        several_array<struct shared_control> control;
        several_array<uint32_t> depth, visited[2], wanted, ends, inbox, outbox;
        several_array<uint2> queue;
    } a;
    uint32_t sent[SEVERAL_MOST]
                 [SEVERAL_MOST]; /* messages moved so far, by sender and receiver */
};

/* ---- preparation ---- */

static void carve_several(struct shared_search *r, struct several_space *space) {
    const struct several_places *places = &r->rows->places;
    const uint64_t all = several_all_places(places), stride = places->stride;
    const uint64_t ends = (uint64_t)r->search->source_count + r->search->target_count;
    r->a.visited[0] = gg_several_carve<uint32_t>(space, all / 32);
    r->a.visited[1] = gg_several_carve<uint32_t>(space, r->below ? all / 32 : 0);
    r->a.inbox = gg_several_carve<uint32_t>(space, places->parts > 1 ? all : 0);
    r->a.control = gg_several_carve<struct shared_control>(space, 1);
    r->a.ends = gg_several_carve<uint32_t>(space, ends);
    r->a.wanted = gg_several_carve<uint32_t>(space, stride / 32);
    r->a.depth = gg_several_carve<uint32_t>(space, stride);
    r->a.queue = gg_several_carve<uint2>(space, stride);
    r->a.outbox =
        gg_several_carve<uint32_t>(space, places->parts > 1 && !r->team->peers ? all : 0);
}

static void point_at_arrays(struct shared_search *r, int p) {
    struct bfs_shared *b = &r->b[p];
    const struct several_rows *rows = &r->rows->rows[p];
    const gpugraph_search *search = r->search;
    const uint32_t first = r->view[p].first, n = r->rows->places.n;
    b->view = r->view[p];
    b->w.g = gg_packed_rows(n, rows->arcs, rows->offset - first, rows->target, NULL);
    if (r->below) {
        const struct several_rows *below = &r->below->rows[p];
        b->w.below.rows =
            gg_packed_rows(n, below->arcs, below->offset - first, below->target, NULL);
        b->w.below.hub = below->hub - first;
        b->w.below.closed = below->closed - first / 32;
    }
    b->w.b.depth = r->a.depth.at[p] - first;
    b->w.b.queue = r->a.queue.at[p];
    b->w.b.wanted = r->a.wanted.at[p] - first / 32;
    b->w.bounds.max_depth = search->max_depth;
    b->w.bounds.targets = search->target_count > 0;
    b->w.bounds.limit = search->limit;
    for (int i = 0; i < 2; i++) {
        b->visited[i] = r->a.visited[i];
        b->w.b.visited[i] = r->a.visited[i].at[p];
    }
    b->inbox = r->a.inbox;
    b->outbox = r->a.outbox.at[p];
    b->control = r->a.control.at[p];
    b->source = r->a.ends.at[p];
    b->sources = search->source_count;
    b->n = n;
    b->m = r->rows->arcs;
}

static bool start_several(struct shared_search *r) {
    const struct several_places *places = &r->rows->places;
    const uint32_t sources = r->search->source_count, targets = r->search->target_count;
    for (int p = r->team->first; p < r->team->end && gg_several_going(r->team); p++) {
        struct cuda_job *job = gg_several_on(r->team, p);
        struct bfs_shared *b = &r->b[p];
        gg_fill(job, b->control, 0, sizeof *b->control);
        gg_fill(job, r->a.depth.at[p], 0xff, (uint64_t)places->stride * 4);
        gg_fill(job, r->a.visited[0].at[p], 0, several_all_places(places) / 8);
        gg_fill(job, r->a.wanted.at[p], 0, places->stride / 8);
        gg_upload(job, r->a.ends.at[p], r->search->source, (uint64_t)sources * 4);
        gg_upload(job, r->a.ends.at[p] + sources, r->search->target,
                  (uint64_t)targets * 4);
        gg_bfs_mark_shared(job, b, r->a.ends.at[p] + sources, targets);
    }
    /* No kernel writes to another device before its memory is ready. */
    return gg_several_wait(r->team);
}

static bool prepare_several(struct shared_search *r) {
    for (int p = r->team->first; p < r->team->end; p++)
        if (r->rows->rows[p].arcs > UINT32_MAX) {
            gg_fail(
                r->team->run, GPUGRAPH_TOO_LARGE,
                "one device cannot number %llu arcs in a breadth-first search; use more "
                "devices",
                (unsigned long long)r->rows->rows[p].arcs);
            return false;
        }
    auto lay_out = [&](struct several_space *space) { carve_several(r, space); };
    if (!gg_several_prepare(r->team, several_combining(), &r->rows->places,
                            &gg_bfs_shared_levels, r->view, lay_out))
        return false;
    for (int p = r->team->first; p < r->team->end; p++)
        point_at_arrays(r, p);
    return start_several(r);
}

/* ---- transfers by the host ---- */

/* Moves new messages from outboxes to inboxes. */
static bool move_messages(struct shared_search *r) {
    struct several_team *team = r->team;
    struct several_piece piece[SEVERAL_MOST * SEVERAL_MOST] = {};
    const int parts = team->parts;
    const uint64_t stride = r->rows->places.stride;
    for (int p = 0; p < parts; p++)
        for (int q = 0; q < parts; q++) {
            const uint64_t at = r->sent[p][q], more = p == q ? 0 : team->messages[p][q];
            piece[p * parts + q] = {r->a.inbox.at[q] + (uint64_t)p * stride + at,
                                    r->a.outbox.at[p] + (uint64_t)q * stride + at,
                                    more * sizeof(uint32_t)};
            r->sent[p][q] += (uint32_t)more;
        }
    return gg_several_move(team, piece);
}

/* Moves the output of the round's step, if devices cannot access each other's memory. */
static bool move_step(struct shared_search *r, uint64_t round) {
    struct shared_state state;
    struct several_outcome outcome;
    const int p = r->team->first;
    if (!gg_fetch(gg_several_on(r->team, p), &state,
                  &r->b[p].control->saved[(round + 1) % 2], sizeof state) ||
        !gg_several_barrier_on_host(r->team, &outcome))
        return gg_several_going(r->team);
    if (state.mode == S_SYNC || state.mode == S_SWEEP)
        return gg_several_segments(
            r->team, r->a.visited[state.mode == S_SYNC ? state.odd : 1 - state.odd],
            r->rows->places.stride / 32);
    return outcome.word[SUM_MESSAGES] == 0 || move_messages(r);
}

static bool run_levels(struct shared_search *r, struct shared_state *report) {
    const int p = r->team->first; /* all members report the same */
    for (uint64_t round = 0;; round++) {
        if (!gg_several_launch(r->team, r->view, r->b, sizeof *r->b) ||
            !gg_fetch(gg_several_on(r->team, p), report, &r->b[p].control->last,
                      sizeof *report))
            return gg_several_going(r->team);
        if (report->mode == S_DONE)
            return true;
        if (r->team->peers || !move_step(r, round))
            break;
    }
    if (gg_several_going(r->team))
        gg_fail(r->team->run, GPUGRAPH_DEVICE_FAILED,
                "a breadth-first search on several devices ended early");
    return false;
}

bool gg_bfs_on_team(struct several_team *team, const struct several_parts *rows,
                    const struct several_parts *below, const gpugraph_search *search,
                    struct bfs_shared_answer *answer) {
    struct shared_search *r =
        (struct shared_search *)gg_alloc_zero(team->run, 1, sizeof *r);
    if (!r)
        return false;
    gpugraph_search wanted = *search;
    uint32_t *ends = gg_several_ends(team, &rows->places, &wanted);
    *answer = bfs_shared_answer();
    r->team = team;
    r->rows = rows;
    r->below = below;
    r->search = &wanted;
    bool done = ends && prepare_several(r);
    double began = gg_now_ms();
    done = done && run_levels(r, &answer->report);
    answer->ms = gg_now_ms() - began;
    answer->depth = r->a.depth;
    gg_release(ends);
    gg_release(r);
    return done;
}

/* ---- hubs of a team's rows: a target of each row to look at first ---- */

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
    gg_several_keep(team, parts);
    gg_phase(team->run, "prepare", started, parts->places.n,
             "a first neighbour of each vertex to look at, on the devices");
    return true;
}

/* ---- graphs and partitions ---- */

/* Rows for bottom-up levels: the same rows if arcs lead both ways, otherwise the
** transpose once the graph has been searched several times. */
static bool find_bottom_up_rows(struct several_team *team, const gpugraph_search *search,
                                const struct several_parts *rows,
                                struct several_parts *below,
                                const struct several_parts **used) {
    const bool same =
        team->rank ? rows->kind != CSR_OUT
                   : rows->kind == gg_bfs_transpose(team->graph, search->direction);
    *used = NULL;
    if (!same && (team->rank || gg_searches(team->graph) <= GG_BFS_REVERSE_AFTER))
        return true;
    *below = *rows;
    if ((!same && !gg_several_rows(team, gg_bfs_transpose(team->graph, search->direction),
                                   false, below)) ||
        !gg_several_hubs(team, below))
        return false;
    *used = below;
    return true;
}

static bool search_team(struct several_team *team, const gpugraph_search *search,
                        uint32_t *depth) {
    struct several_parts rows, transposed;
    const struct several_parts *below;
    struct bfs_shared_answer answer;
    if (!gg_several_rows(team, gg_forward_kind(search->direction), false, &rows) ||
        !find_bottom_up_rows(team, search, &rows, &transposed, &below))
        return false;
    const double started = gg_now_ms();
    if (!gg_bfs_on_team(team, &rows, below, search, &answer))
        return false;
    gg_search_phase(
        team->run, started, (int64_t)answer.report.reached,
        "%d parts, exchange %s, %u levels, %u bottom-up, %llu barriers, kernels %.4f "
        "ms",
        team->parts, gg_several_exchange_name(team), answer.report.level,
        answer.report.bottom_up, (unsigned long long)answer.report.rounds, answer.ms);
    return gg_several_download(team, &rows.places, answer.depth, depth, "depths");
}

static gpugraph_status search_on_several(gpugraph_graph *graph,
                                         const gpugraph_search *search, gpugraph_run *run,
                                         uint32_t *depth, void *tree_edge) {
    struct several_team team;
    if (!gg_several_open_run(&team, graph, run))
        return run->status;
    search_team(&team, search, depth);
    if (gg_several_close(&team) == GPUGRAPH_OK && tree_edge)
        gg_depth_tree(graph, search, run, depth, tree_edge);
    return run->status;
}

static int64_t bytes_on_several(const gpugraph_graph *graph, int parts) {
    const int64_t n = graph->n, share = n / parts + 2048, all = n + 2048 * parts;
    return gg_several_rows_lack(graph, parts, CSR_OUT, false) + all / 4 + 4 * all +
           share * 13 + 4 * GG_PLANNED_ENDS + 65536;
}

gpugraph_status gg_cuda_part_bfs(gpugraph_part *p, const gpugraph_search *search,
                                 gpugraph_run *run, uint32_t *depth) {
    struct several_team team;
    if (!gg_several_open_rank(&team, p, GPUGRAPH_BY_SOURCE, run))
        return run->status;
    search_team(&team, search, depth);
    return gg_several_close(&team);
}

GG_DISTRIBUTED_SIDE(
    gg_bfs_distributed, bfs_entry, search_on_several, bytes_on_several, "bfs",
    "as direction-optimizing, on several devices with a barrier after each step")
