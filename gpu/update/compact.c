/* Gives a graph the vertex numbers of a new graph: in order of ids, without tombstones.
**
**     id        1 3 7 'a' 5 'c' 2        number 1 is a tombstone
**     map       0 - 3  4  2  5  1
**     id        1 2 5 7 'a' 'c'          the ends of edges get their new numbers
**
** Edges keep their positions. In the host's rows, arcs also keep their positions, except
** in a sorted row that the new numbers put out of order:
**
**     map       0 - 2 1
**     begin     0 3 5 5                  row 3, of a later vertex, becomes row 1
**     begin     0 5 5
**     target    0 2 3                    entries get their new numbers, here 0 2 1, and a
**               0 1 2                    sorted row is sorted again
**
** The graph and its device copy do not change before every block has been allocated. Then
** the copy is freed; the next search that needs a copy uploads it again. */
#include "update.h"
#include "graph/copy.h"
#include "ids/ids.h"

#include <string.h>

typedef struct moved_rows {
    const uint32_t *map; /* the compaction's */
    struct csr_slot *slot;
    size_t weight_size;
    uint64_t *offset, *end; /* new blocks */
    uint32_t *spare;
} moved_rows;

typedef struct compaction {
    gpugraph_graph *graph;
    gpugraph_run *run;
    uint32_t *map;      /* the new number of each vertex; GPUGRAPH_NONE: a tombstone */
    uint32_t *vertex;   /* the old number of each vertex, by its new number */
    gpugraph_graph ids; /* holds the new n, ids and id */
    int kinds;
    moved_rows rows[ROW_PLANS];
} compaction;

/* ---- new numbers ---- */

static void number_vertices(compaction *c) {
    gpugraph_graph *graph = c->graph;
    const struct tombstones *tombstones = &graph->id.tombstones;
    c->map = gg_alloc(c->run, graph->n, sizeof *c->map);
    c->vertex = c->map ? gg_alloc(c->run, graph->n, sizeof *c->vertex) : NULL;
    if (!c->vertex || gpugraph_sort_by_id(graph, NULL, graph->n, c->run, c->vertex))
        return;
    memset(c->map, 0, graph->n * sizeof *c->map);
    for (uint64_t i = 0; i < tombstones->count; i++)
        c->map[tombstones->vertex[i]] = GPUGRAPH_NONE;
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->n; i++) {
        const uint32_t v = c->vertex[i];
        if (c->map[v] == GPUGRAPH_NONE)
            continue;
        c->vertex[n] = v;
        c->map[v] = n++;
    }
    c->ids.n = n;
}

/* ---- ids ---- */

static void lay_out_integers(compaction *c, uint32_t count) {
    const gpugraph_ids *ids = &c->graph->ids;
    gpugraph_graph *to = &c->ids;
    to->ids.integer_count = count;
    if (count == 0)
        return;
    const int64_t first = gpugraph_id_of(ids, c->vertex[0]).integer,
                  last = gpugraph_id_of(ids, c->vertex[count - 1]).integer;
    if ((uint64_t)last - (uint64_t)first + 1 == count) {
        to->ids.first_integer = first;
        to->id.span = count;
        return;
    }
    to->id.integer = gg_alloc_slack(c->run, count, sizeof *to->id.integer);
    for (uint32_t v = 0; to->id.integer && v < count && !gg_leave(c->run, v); v++)
        to->id.integer[v] = gpugraph_id_of(ids, c->vertex[v]).integer;
    to->ids.integer = to->id.integer;
    if (!gg_stopping(c->run))
        gg_index_integers(c->run, to, 2 * c->graph->m);
}

static void lay_out_texts(compaction *c) {
    const gpugraph_ids *ids = &c->graph->ids;
    gpugraph_graph *to = &c->ids;
    const uint32_t first = to->ids.integer_count;
    const uint64_t count = to->n - first;
    uint64_t bytes = 0;
    if (count == 0)
        return;
    for (uint64_t t = 0; t < count; t++)
        bytes += gpugraph_id_of(ids, c->vertex[first + t]).length;
    to->id.text_offset = gg_alloc_slack(c->run, count + 1, sizeof *to->id.text_offset);
    to->id.text_bytes = to->id.text_offset ? gg_alloc_slack(c->run, bytes, 1) : NULL;
    if (!to->id.text_bytes)
        return;
    to->id.text_offset[0] = 0;
    for (uint64_t t = 0; t < count && !gg_leave(c->run, t); t++) {
        const gpugraph_id id = gpugraph_id_of(ids, c->vertex[first + t]);
        const uint64_t at = to->id.text_offset[t];
        if (id.length)
            memcpy(to->id.text_bytes + at, id.text, id.length);
        to->id.text_offset[t + 1] = at + id.length;
    }
    to->ids.texts =
        (gpugraph_texts){(int64_t)count, to->id.text_offset, to->id.text_bytes};
}

static void lay_out_ids(compaction *c) {
    uint32_t integers = 0; /* INTEGERs come first */
    while (integers < c->ids.n &&
           !gpugraph_id_of(&c->graph->ids, c->vertex[integers]).is_text)
        integers++;
    lay_out_integers(c, integers);
    if (!gg_stopping(c->run))
        lay_out_texts(c);
}

/* ---- rows: allocation ---- */

/* Gives packed rows ends and slack, and allocates the arrays that move_rows fills. */
static void prepare_rows(compaction *c, struct csr_slot *slot, size_t weight_size) {
    const uint64_t after = c->ids.n;
    if (!slot->made || gg_stopping(c->run) ||
        gg_give_slack(c->run, slot, c->graph->n, weight_size, 0))
        return;
    moved_rows *rows = &c->rows[c->kinds++];
    *rows = (moved_rows){c->map,
                         slot,
                         weight_size,
                         gg_alloc_slack(c->run, after, sizeof *rows->offset),
                         gg_alloc_slack(c->run, after, sizeof *rows->end),
                         gg_alloc_slack(c->run, after, sizeof *rows->spare)};
}

static void prepare_all_rows(compaction *c) {
    gpugraph_graph *graph = c->graph;
    struct graph_derived *derived = &graph->derived;
    if (gg_own_rows(graph, c->run))
        return;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        prepare_rows(c, &graph->csr[kind], gg_distance_size(graph->distance_type));
    prepare_rows(c, &derived->edge_rows, gg_edge_size(graph->wide));
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
        prepare_rows(c, &derived->adjacency[side].rows, sizeof(uint32_t));
}

/* ---- rows: the commit ---- */

/* Unused entries between rows may name a tombstone; they get number 0, a valid vertex. */
static void renumber_targets(void *of, uint64_t low, uint64_t high) {
    const moved_rows *rows = of;
    uint32_t *target = rows->slot->target;
    for (uint64_t k = low; k < high; k++) {
        const uint32_t now = rows->map[target[k]];
        target[k] = now == GPUGRAPH_NONE ? 0 : now;
    }
}

/* Moves arc `from` down to position `to`, and arcs to .. from - 1 up by one. */
static void move_arc(const moved_rows *rows, uint64_t from, uint64_t to) {
    const size_t size = rows->weight_size;
    uint32_t *target = rows->slot->target;
    const uint32_t moved = target[from];
    memmove(target + to + 1, target + to, (from - to) * sizeof *target);
    target[to] = moved;
    if (!rows->slot->weight)
        return;
    char *weight = rows->slot->weight, one[sizeof(uint64_t)];
    memcpy(one, weight + from * size, size);
    memmove(weight + (to + 1) * size, weight + to * size, (from - to) * size);
    memcpy(weight + to * size, one, size);
}

/* Sorts rows in which only the few arcs to later vertices are out of order. The sort is
** stable. */
static void sort_some_rows(void *of, uint64_t low, uint64_t high) {
    const moved_rows *rows = of;
    const struct csr_slot *slot = rows->slot;
    for (uint64_t v = low; v < high; v++)
        for (uint64_t k = slot->offset[v] + 1; k < slot->end[v]; k++)
            if (slot->target[k] < slot->target[k - 1])
                move_arc(rows, k,
                         gg_first_arc(slot->target, slot->offset[v], k,
                                      slot->target[k] + (uint64_t)1));
}

/* Rows of tombstones are empty; their slack becomes dead entries. */
static void move_rows(const compaction *c, moved_rows *rows) {
    struct csr_slot *slot = rows->slot;
    for (uint32_t v = 0; v < c->graph->n; v++) {
        const uint32_t now = c->map[v];
        if (now == GPUGRAPH_NONE) {
            slot->dead += slot->spare[v];
            continue;
        }
        rows->offset[now] = slot->offset[v];
        rows->end[now] = slot->end[v];
        rows->spare[now] = slot->spare[v];
    }
    gg_take_longer((void **)&slot->offset, (void **)&rows->offset);
    gg_take_longer((void **)&slot->end, (void **)&rows->end);
    gg_take_longer((void **)&slot->spare, (void **)&rows->spare);
}

static void renumber_rows(compaction *c) {
    for (int i = 0; i < c->kinds; i++) {
        moved_rows *rows = &c->rows[i];
        struct csr_slot *slot = rows->slot;
        const int threads = gg_threads(c->run, slot->used);
        gg_slices(threads, slot->used, renumber_targets, rows);
        move_rows(c, rows);
        if (c->ids.n == 0) /* no entry can name a vertex */
            slot->used = slot->dead = 0;
        if (slot->sorted)
            gg_slices(threads, c->ids.n, sort_some_rows, rows);
    }
}

/* ---- the commit ---- */

static void renumber_ends(void *of, uint64_t low, uint64_t high) {
    const compaction *c = of;
    uint32_t *source = c->graph->source, *target = c->graph->target;
    for (uint64_t e = low; e < high; e++) {
        source[e] = c->map[source[e]];
        target[e] = c->map[target[e]];
    }
}

static void commit_compaction(compaction *c) {
    gpugraph_graph *graph = c->graph;
    const int threads = gg_threads(c->run, graph->m);
    gpugraph_release_device(graph);
    gg_close_gaps(graph, threads);
    gg_slices(threads, graph->m, renumber_ends, c);
    renumber_rows(c);
    gg_free_degrees(graph);
    gg_free_ids(graph);
    graph->id = c->ids.id;
    graph->ids = c->ids.ids;
    graph->n = c->ids.n;
    graph->host_bytes = gg_graph_bytes(graph);
    c->ids.id = (struct graph_ids){.integer = NULL};
}

void gg_compact(gpugraph_graph *graph, gpugraph_run *run) {
    const double started = gg_now_ms();
    const uint32_t before = graph->n;
    compaction c = {.graph = graph, .run = run};
    gg_rows_back(graph);
    number_vertices(&c);
    if (!gg_stopping(run))
        lay_out_ids(&c);
    if (!gg_stopping(run))
        prepare_all_rows(&c);
    if (!gg_stopping(run) && !gg_poll(run)) {
        commit_compaction(&c);
        gg_phase(run, "compact", started, graph->n,
                 "vertices have consecutive numbers again: %lu of %lu",
                 (unsigned long)graph->n, (unsigned long)before);
    }
    for (int i = 0; i < c.kinds; i++) {
        gg_release(c.rows[i].offset);
        gg_release(c.rows[i].end);
        gg_release(c.rows[i].spare);
    }
    gg_free_ids(&c.ids);
    gg_release(c.map);
    gg_release(c.vertex);
}

gpugraph_status gpugraph_compact(gpugraph_graph *graph, gpugraph_run *run) {
    gg_begin(run);
    if (graph->id.tombstones.count + graph->id.later.count == 0 ||
        gg_download_edges(graph, run))
        return run->status;
    gg_compact(graph, run);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}
