/* Updates a graph by a batch of changes.
**
**     look up      finds removed edges, vertices and arcs, and the positions of added
**                  edges: work in proportion to the batch (files: update.h)
**     prepare      allocates every block of memory that the commit needs
**     commit       moves arrays, in place if they have slack, one thread per array; the
**                  commit cannot fail or be interrupted
**
** The graph does not change before the commit. */
#include "update.h"
#include "graph/copy.h"

/* An update frees a block of which it would use less than an eighth. */
enum { ROOM_WASTE = 8 };

/* Items of gg_threads that take as long as one prefetched item. */
enum { FETCH_ITEMS = 8 };

/* ---- the commit: arrays ---- */

/* A piece of an array that several threads work on. */
typedef struct piece_work {
    const update *u;
    const array_move *move;
    const splice_piece *piece;
    void *to;
} piece_work;

/* Converts INTEGER weights to another layout, or makes ids for edges that had none. */
static void convert_span(void *work, uint64_t low, uint64_t high) {
    const piece_work *w = work;
    const array_move *move = w->move;
    const size_t size = gg_distance_size(w->u->graph->distance_type);
    for (uint64_t i = low; i < high; i++) {
        const uint64_t old = w->piece->from + i, new = w->piece->to + i;
        const uint64_t value =
            move->how == COUNT_UP ? old + 1 : gg_weight_at(*move->array, old, size);
        if (move->how == CONVERT_TO_REAL)
            ((double *)w->to)[new] = (double)(int64_t)value;
        else if (move->size == sizeof(uint32_t))
            ((uint32_t *)w->to)[new] = (uint32_t)value;
        else
            ((uint64_t *)w->to)[new] = value;
    }
}

static void put_new(const update *u, const array_move *move, void *to) {
    for (uint64_t i = 0; i < u->added_count; i++)
        if (move->size == sizeof(uint32_t))
            ((uint32_t *)to)[u->added_edge[i]] = ((const uint32_t *)move->put)[i];
        else
            ((uint64_t *)to)[u->added_edge[i]] = ((const uint64_t *)move->put)[i];
}

static void move_array(const update *u, const array_move *move) {
    const splice *s = &u->edges;
    void *to = move->to ? move->to : *move->array;
    if (move->how == MOVE)
        gg_splice_move(s, to, *move->array, move->size);
    for (uint64_t k = 0; k < s->pieces && move->how != MOVE; k++) {
        piece_work w = {u, move, &s->piece[k], to};
        const uint64_t count = s->piece[k].count;
        gg_slices(gg_threads(u->run, count), count, convert_span, &w);
    }
    put_new(u, move, to);
    if (move->to) {
        gg_release(*move->array);
        *move->array = to;
    }
}

/* ---- the commit: all steps ---- */

static void commit_vertices(update *u) {
    gpugraph_graph *graph = u->graph;
    gg_commit_ids(u);
    gg_commit_degrees(u);
    if (u->tombstones_change) {
        gg_release(graph->id.tombstones.vertex);
        graph->id.tombstones = u->tombstones;
        u->tombstones = (struct tombstones){NULL, 0};
    }
    graph->n = u->n;
}

/* Returns about the number of elements that move. If none moves, one thread suffices for
** the insertions. */
static uint64_t work_of(const update *u) {
    uint64_t work = (u->removed_count + u->added_count) * FETCH_ITEMS;
    for (int i = 0; i < u->move_count; i++)
        work += u->moves[i].to || !u->edges.still ? u->edges.after : 0;
    return work;
}

/* Tasks of a commit: each array, then rows of each kind. */
static void move(void *of, uint64_t task) {
    update *u = of;
    const int i = (int)task;
    if (i < u->move_count)
        move_array(u, &u->moves[i]);
    else
        gg_commit_rows(u, &u->rows[i - u->move_count]);
}

static void commit(update *u) {
    gpugraph_graph *graph = u->graph;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        if (u->drops[kind])
            gg_drop_rows(graph, (enum csr_kind)kind);
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
        if (u->drops_arcs[side])
            gg_free_adjacency(graph, (gpugraph_direction)side);
    if (u->drops_numbered)
        gg_release_slot(&graph->derived.edge_rows);
    if (u->gapped)
        gg_commit_gaps(u);
    gg_parts(gg_threads(u->run, work_of(u)), (uint64_t)(u->move_count + u->row_plans),
             move, u);
    u->move_count = 0; /* the graph owns the blocks of the moves */
    if (u->plain) {
        gg_release(graph->edge_id);
        graph->edge_id = NULL;
    }
    if (u->weight_type == GPUGRAPH_UNWEIGHTED) {
        gg_release(graph->weight);
        graph->weight = NULL;
    }
    commit_vertices(u);
    graph->m = u->edges.after;
    graph->wide = gg_is_wide(graph->m);
    graph->distance_type = u->distance_type;
    /* The facts that searches have found may not hold for the new edges. */
    graph->known.thin = false;
    graph->known.degree_high = u->degree_high;
    graph->known.path_low = u->path_low;
    graph->known.path_high = u->path_high;
    gg_point_edges(graph, u->weight_type);
    graph->host_bytes = gg_graph_bytes(graph);
}

/* ---- plans ---- */

static void plan_move(update *u, array_move move) {
    uint64_t bytes = u->edges.after * move.size, room = gg_room(*move.array);
    if (gg_stopping(u->run))
        return;
    if (move.how != MOVE || bytes > room || bytes < room / ROOM_WASTE) {
        move.to = gg_alloc_slack(u->run, u->edges.after, move.size);
        if (!move.to)
            return;
    }
    u->moves[u->move_count++] = move;
}

static void plan_edges(update *u) {
    gpugraph_graph *graph = u->graph;
    if (gg_plan_gaps(u))
        return;
    if (!u->plain)
        plan_move(u, (array_move){.array = (void **)&graph->edge_id,
                                  .size = sizeof *graph->edge_id,
                                  .put = u->added->edge_id,
                                  .how = graph->edge_id ? MOVE : COUNT_UP});
    plan_move(u, (array_move){.array = (void **)&graph->source,
                              .size = sizeof *graph->source,
                              .put = u->added_ends.source});
    plan_move(u, (array_move){.array = (void **)&graph->target,
                              .size = sizeof *graph->target,
                              .put = u->added_ends.target});
    if (u->weight_type != GPUGRAPH_UNWEIGHTED)
        plan_move(u, (array_move){.array = &graph->weight,
                                  .size = gg_distance_size(u->distance_type),
                                  .put = u->weight,
                                  .how = gg_same_layout(u) ? MOVE
                                         : u->distance_type == GPUGRAPH_REAL
                                             ? CONVERT_TO_REAL
                                             : CONVERT});
}

void gg_update_sort(update *u, end_ref *ref, uint64_t count) {
    gg_sort_pairs(u->run, false, count, u->key, ref, u->key_scratch, u->value_scratch);
}

static void take_scratch(update *u) {
    uint64_t most = 2 * (u->removed_count + u->added_count) + u->lone_count +
                    (uint64_t)u->changes->kept_count + (uint64_t)u->changes->loose_count;
    u->key = gg_alloc(u->run, most, sizeof *u->key);
    u->key_scratch = gg_alloc(u->run, most, sizeof *u->key_scratch);
    u->value_scratch = gg_alloc(u->run, most, sizeof *u->value_scratch);
    u->removed_arc = gg_alloc_zero(u->run, most, sizeof *u->removed_arc);
    u->added_arc = gg_alloc_zero(u->run, most, sizeof *u->added_arc);
}

/* Makes the arcs with edge ids, from which SIMPLE rows change, before the first batch
** that changes ends of edges. */
static gpugraph_status prepare_simple(update *u) {
    gpugraph_graph *graph = u->graph;
    const struct csr_slot *simple = &graph->csr[CSR_SIMPLE];
    if (simple->made && !gg_same_ends(u) && !gg_adjacency_made(graph, GPUGRAPH_OUT) &&
        gpugraph_keeps_arcs(graph) &&
        gg_changes_in_place(simple, 2 * (u->removed_count + u->added_count)))
        gg_adjacency(graph, GPUGRAPH_OUT, u->run);
    return u->run->status;
}

void gg_update_prepare(update *u) {
    static void (*const steps[])(update *) = {
        gg_update_vertices, gg_update_ids, gg_update_weights, plan_edges, gg_update_rows};
    if (gg_own_rows(u->graph, u->run) || prepare_simple(u))
        return;
    take_scratch(u);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !gg_stopping(u->run); i++)
        steps[i](u);
}

/* ---- the device's copy ---- */

/* Applies the batch to the device copy, or releases it. Fails only if the run must
** end. */
static void patch_device(update *u) {
    if (!u->graph->device)
        return;
    if (!gg_same_layout(u)) {
        gpugraph_release_device(u->graph);
        return;
    }
    double started = gg_now_ms();
    gg_patches.follow(u);
    u->patch_ms = gg_now_ms() - started;
}

/* ---- all steps ---- */

void gg_update_free(update *u) {
    for (int i = 0; i < u->move_count; i++)
        gg_release(u->moves[i].to);
    for (int i = 0; i < u->row_plans; i++)
        gg_free_row_plan(&u->rows[i]);
    void *blocks[] = {u->removed,
                      u->added_at,
                      u->added_edge,
                      u->weight,
                      u->added_ends.source,
                      u->added_ends.target,
                      u->fresh_id,
                      u->named,
                      u->vanished_at,
                      u->key,
                      u->key_scratch,
                      u->value_scratch,
                      u->removed_arc,
                      u->added_arc,
                      u->removed_ends.source,
                      u->removed_ends.target,
                      u->removed_weight,
                      u->longer_degree,
                      u->tombstones.vertex};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        gg_release(blocks[k]);
    gg_free_gap_plan(u);
    gg_splice_free(&u->edges);
    gg_free_new_ids(&u->new_ids);
}

/* ---- the call ---- */

static void check_vertices(const gpugraph_graph *graph, const uint32_t *vertex,
                           int64_t count, gpugraph_run *run) {
    for (int64_t i = 0; i < count && !run->status; i++)
        if (vertex[i] >= graph->n)
            gg_fail(run, GPUGRAPH_INVALID,
                    "the batch lists vertex %lu, but the graph has %lu vertices",
                    (unsigned long)vertex[i], (unsigned long)graph->n);
}

static void check_update(const gpugraph_graph *graph, const gpugraph_changes *changes,
                         gpugraph_run *run) {
    const gpugraph_edges *added = changes->added;
    if (added && gg_check_edges(added, run))
        return;
    if (changes->removed_count < 0 || changes->kept_count < 0 || changes->loose_count < 0)
        gg_fail(run, GPUGRAPH_INVALID,
                "a count of changed edges or vertices is negative");
    else if (added && added->count && !added->edge_id)
        gg_fail(run, GPUGRAPH_INVALID, "added edges have no ids");
    else if (changes->removed_count > INT32_MAX ||
             (added && (added->count > INT32_MAX || added->vertex_count > INT32_MAX ||
                        added->count + added->vertex_count > INT32_MAX)))
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "there are more than 2^31 - 1 changed edges and vertices");
    if (!run->status) {
        gg_needs(run, changes->removed, (uint64_t)changes->removed_count, "removed");
        gg_needs(run, changes->kept, (uint64_t)changes->kept_count, "kept");
        gg_needs(run, changes->loose, (uint64_t)changes->loose_count, "loose");
    }
    check_vertices(graph, changes->kept, changes->kept_count, run);
    check_vertices(graph, changes->loose, changes->loose_count, run);
}

/* Applies a checked batch. */
static void change_graph(gpugraph_graph *graph, const gpugraph_changes *changes,
                         gpugraph_run *run) {
    static const gpugraph_edges none;
    const double start = gg_now_ms();
    update u = {.graph = graph,
                .added = changes->added ? changes->added : &none,
                .run = run,
                .removed_id = changes->removed,
                .removed_count = (uint64_t)changes->removed_count,
                .changes = changes};
    u.added_count = (uint64_t)u.added->count;
    u.lone_count = (uint64_t)u.added->vertex_count;
    gg_update_edges(&u);
    if (!gg_stopping(run))
        gg_update_prepare(&u);
    if (!gg_stopping(run) && !gg_poll(run))
        patch_device(&u); /* first, since the commit cannot fail */
    if (!gg_stopping(run))
        commit(&u);
    gg_update_free(&u);
    if (gg_stopping(run))
        return;
    gg_phase(run, "update", start + u.patch_ms,
             (int64_t)(u.removed_count + u.added_count),
             "%llu edges removed, %llu added, %llu vertices vanished, %lu are new",
             (unsigned long long)u.removed_count, (unsigned long long)u.added_count,
             (unsigned long long)u.vanished, (unsigned long)u.fresh);
    if (!gg_may_stay_loose(graph)) {
        gpugraph_run own = *run; /* after an error the graph is not compact, but valid */
        gg_compact(graph, &own);
    }
}

gpugraph_status gpugraph_update(gpugraph_graph *graph, const gpugraph_changes *changes,
                                gpugraph_run *run) {
    gg_begin(run);
    if (!gg_needs(run, changes, 1, "changes") || gg_download_edges(graph, run))
        return run->status;
    if (graph->device)
        gg_copies.keep_one(graph, run->device);
    check_update(graph, changes, run);
    if (run->status)
        return run->status;
    change_graph(graph, changes, run);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}
