/* The arcs of each vertex by the ids of their edges, with room to change; those that leave it, and
** where they are asked for those that enter it, each by itself.
**
**     row   begin count room      arc: target << 32 | edge id - first_id, ascending
**     0       0     3     3       | 0.. 0.. 2.. |
**     1       9     2     5                     | . . |               left behind
**     2       5     4     4                           | 1.. 2.. 2.. 7.. |
**                                                       1: | 0.. 5.. _ _ _ | used ... room
**
** Edge numbers move when an edge goes, ids do not. So a change touches the rows of its own
** vertices and no others: one that has no room left goes to the end of arc[], with more, and
** that end moves on. What is left behind is given back when all of it is made anew, once there is
** more of it than of all else (update/adjacency.c).
**
** Short rows are in order from the beginning. A long one that is not is put in order when it
** is first asked for; until then ADJACENCY_LOOSE is set in its begin. */
#include "arc_sort.h"
#include "graph.h"

#include <stdlib.h>

/* ---- ids ---- */

static void id_range(const gpugraph_graph *graph, int64_t *low, int64_t *high) {
    const bool given = graph->m > 0;
    *low = given ? gg_edge_id(graph, 0) : 1;
    *high = given ? gg_edge_id(graph, graph->m - 1) : 0;
    *high = *high < *low ? *low : *high;
}

bool gpugraph_keeps_arcs(const gpugraph_graph *graph) {
    int64_t low, high;
    id_range(graph, &low, &high);
    return !graph->known.has_equal_edge_ids &&
           (uint64_t)high - (uint64_t)low < UINT32_MAX;
}

/* As many ids below the smallest as above the largest can come. */
static int64_t choose_first_id(const gpugraph_graph *graph) {
    int64_t low, high;
    id_range(graph, &low, &high);
    const uint64_t span = (uint64_t)high - (uint64_t)low, spare = (UINT32_MAX - span) / 2,
                   below = (uint64_t)low - (uint64_t)INT64_MIN;
    return below < spare ? INT64_MIN : (int64_t)((uint64_t)low - spare);
}

/* ---- rows ---- */

uint64_t gg_first_arc(const uint64_t *arcs, uint64_t count, uint64_t arc) {
    uint64_t low = 0;
    while (low < count) {
        const uint64_t middle = low + (count - low) / 2;
        if (arcs[middle] < arc)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

static void sort_short(uint64_t *arc, uint64_t count) {
    for (uint64_t i = 1; i < count; i++) {
        const uint64_t here = arc[i];
        uint64_t k = i;
        for (; k > 0 && arc[k - 1] > here; k--)
            arc[k] = arc[k - 1];
        arc[k] = here;
    }
}

static int compare_arcs(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool ascends(const uint64_t *arc, uint64_t count) {
    for (uint64_t i = 1; i < count; i++)
        if (arc[i - 1] > arc[i])
            return false;
    return true;
}

/* ---- making: a counting sort by sources in two passes, as csr.c draws it ---- */

typedef struct sorting {
    const gpugraph_graph *graph;
    gpugraph_run *run;
    const uint32_t *from, *to; /* ends of the edges */
    arc_sort parts;
    uint32_t *row; /* parted */
    uint64_t *arc; /* parted */
    struct adjacency *made;
} sorting;

static void count_parts_of_adjacency(void *of, uint64_t slice) {
    const sorting *s = of;
    const arc_sort *p = &s->parts;
    const uint64_t end = gg_slice(s->graph->m, (int)slice + 1, p->threads);
    uint64_t *count = p->start + slice * p->parts;
    for (uint64_t e = gg_slice(s->graph->m, (int)slice, p->threads);
         e < end && !gg_leave(s->run, e); e++)
        count[s->from[e] >> p->shift]++;
}

static void write_parts_of_adjacency(void *of, uint64_t slice) {
    const sorting *s = of;
    const arc_sort *p = &s->parts;
    const gpugraph_graph *graph = s->graph;
    const uint64_t end = gg_slice(graph->m, (int)slice + 1, p->threads),
                   first = (uint64_t)s->made->first_id;
    uint64_t *start = p->start + slice * p->parts;
    for (uint64_t e = gg_slice(graph->m, (int)slice, p->threads);
         e < end && !gg_leave(s->run, e); e++) {
        const uint64_t id = graph->edge_id ? (uint64_t)graph->edge_id[e] : e + 1,
                       place = start[s->from[e] >> p->shift]++;
        s->row[place] = s->from[e];
        s->arc[place] = (uint64_t)s->to[e] << 32 | (uint32_t)(id - first);
    }
}

static void settle_row(struct adjacency *a, struct adjacency_row *row) {
    uint64_t *arc = a->arc + row->begin;
    row->room = row->count;
    if (row->count <= ADJACENCY_SHORT)
        sort_short(arc, row->count);
    else if (!ascends(arc, row->count))
        row->begin |= ADJACENCY_LOOSE;
}

static void sort_part_of_adjacency(void *of, uint64_t part) {
    const sorting *s = of;
    const arc_sort *p = &s->parts;
    struct adjacency_row *row = s->made->row;
    uint64_t low = part << p->shift, high = (part + 1) << p->shift, at = p->begin[part];
    high = high < s->graph->n ? high : s->graph->n;
    if (gg_pause(s->run))
        return;
    for (uint64_t v = low; v < high; v++)
        row[v].count = 0;
    for (uint64_t i = at; i < p->begin[part + 1] && !gg_leave(s->run, i); i++)
        row[s->row[i]].count++;
    for (uint64_t v = low; v < high; v++) {
        row[v].begin = at;
        at += row[v].count;
        row[v].count = 0;
    }
    for (uint64_t i = p->begin[part]; i < at && !gg_leave(s->run, i); i++) {
        struct adjacency_row *to = &row[s->row[i]];
        s->made->arc[to->begin + to->count++] = s->arc[i];
    }
    for (uint64_t v = low; v < high && !gg_stopping(s->run); v++)
        settle_row(s->made, &row[v]);
}

static void sort_all(sorting *s) {
    arc_sort *p = &s->parts;
    gg_parts(p->threads, (uint64_t)p->threads, count_parts_of_adjacency, s);
    gg_counts_to_starts(p);
    if (!gg_stopping(s->run))
        gg_parts(p->threads, (uint64_t)p->threads, write_parts_of_adjacency, s);
    if (!gg_stopping(s->run))
        gg_parts(p->threads, p->parts, sort_part_of_adjacency, s);
}

static void free_arrays(struct adjacency *a) {
    gg_release(a->row);
    gg_release(a->arc);
    gg_release(a->in);
    *a = (struct adjacency){0};
}

static void take_arrays_of_adjacency(const gpugraph_graph *graph, gpugraph_run *run,
                                     struct adjacency *a) {
    a->used = graph->m;
    a->room = graph->m + graph->m / GG_ADJACENCY_SPARE + GG_ADJACENCY_LEAST;
    a->rows = (uint64_t)graph->n + graph->n / GG_ROOM_SHARE + 1;
    a->row = gg_alloc(run, a->rows, sizeof *a->row);
    a->arc = a->row ? gg_alloc_growing(run, a->room, sizeof *a->arc) : NULL;
}

static void fill_adjacency(const gpugraph_graph *graph, gpugraph_direction side,
                           gpugraph_run *run, struct adjacency *a) {
    const bool in = side == GPUGRAPH_IN;
    sorting s = {.graph = graph,
                 .run = run,
                 .from = in ? graph->target : graph->source,
                 .to = in ? graph->source : graph->target,
                 .parts = {.run = run, .n = graph->n},
                 .made = a};
    arc_sort *p = &s.parts;
    a->first_id = choose_first_id(graph);
    take_arrays_of_adjacency(graph, run, a);
    gg_plan_parts(p, graph->m);
    p->start = a->arc
                   ? gg_alloc_zero(run, (uint64_t)p->threads * p->parts, sizeof *p->start)
                   : NULL;
    p->begin = p->start ? gg_alloc(run, p->parts + 1, sizeof *p->begin) : NULL;
    s.row = p->begin ? gg_alloc(run, graph->m, sizeof *s.row) : NULL;
    s.arc = s.row ? gg_alloc(run, graph->m, sizeof *s.arc) : NULL;
    if (s.arc)
        sort_all(&s);
    gg_release(p->start);
    gg_release(p->begin);
    gg_release(s.row);
    gg_release(s.arc);
}

/* With the arcs that leave, so that the first edge that goes has not to wait for it. */
static void count_in(const gpugraph_graph *graph, gpugraph_run *run,
                     struct adjacency *a) {
    a->in = gg_alloc(run, a->rows, sizeof *a->in);
    if (a->in)
        gg_count_degrees(graph, GPUGRAPH_IN, run, a->in);
}

static void make_adjacency(gpugraph_graph *graph, gpugraph_direction side,
                           gpugraph_run *run) {
    const double start = gg_now_ms();
    struct adjacency a = {0};
    fill_adjacency(graph, side, run, &a);
    if (side == GPUGRAPH_OUT && !gg_stopping(run))
        count_in(graph, run, &a);
    if (gg_stopping(run) ||
        gg_adjacency_made(graph, side)) { /* or by this thread, meanwhile */
        free_arrays(&a);
        if (gg_stopping(run))
            gg_stopped(run);
        return;
    }
    struct adjacency *to = &graph->derived.adjacency[side];
    to->row = a.row;
    to->rows = a.rows;
    to->arc = a.arc;
    to->used = a.used;
    to->room = a.room;
    to->first_id = a.first_id;
    to->in = a.in;
    __atomic_store_n(&to->made, true, __ATOMIC_RELEASE);
    gg_phase(run, "csr", start, (int64_t)graph->m, "%s, by the ids of edges",
             side == GPUGRAPH_IN ? "in" : "out");
}

gpugraph_status gg_adjacency(gpugraph_graph *graph, gpugraph_direction side,
                             gpugraph_run *run) {
    bool nested;
    if (gg_adjacency_made(graph, side) || gg_bring_edges(graph, run))
        return run->status;
    if (!gpugraph_keeps_arcs(graph))
        return gg_fail(run, GPUGRAPH_INVALID,
                       "edge ids repeat, or differ by 2^32 or more: arcs are not kept");
    if (!gg_begin_making(graph, run, &nested))
        return run->status;
    if (!gg_adjacency_made(graph, side))
        make_adjacency(graph, side, run);
    if (!nested)
        gg_end_making(graph);
    return run->status;
}

/* ---- looking up ---- */

/* Whoever makes rows is one alone, and does nothing else in between. */
static gpugraph_status put_in_order(gpugraph_graph *graph, struct adjacency *a,
                                    struct adjacency_row *row, gpugraph_run *run) {
    bool nested;
    if (!gg_begin_making(graph, run, &nested))
        return run->status;
    const uint64_t begin = row->begin & ~ADJACENCY_LOOSE;
    if (row->begin != begin)
        qsort(a->arc + begin, row->count, sizeof(uint64_t), compare_arcs);
    __atomic_store_n(&row->begin, begin, __ATOMIC_RELEASE);
    if (!nested)
        gg_end_making(graph);
    return run->status;
}

static gpugraph_status arcs_at(gpugraph_graph *graph, gpugraph_direction side, uint32_t v,
                               gpugraph_run *run, gpugraph_arcs *arcs) {
    struct adjacency *a = &graph->derived.adjacency[side];
    gg_begin(run);
    if (!gg_needs(run, arcs, 1, "arcs"))
        return run->status;
    *arcs = (gpugraph_arcs){0};
    if (v >= graph->n)
        return gg_fail(run, GPUGRAPH_INVALID, "vertex %u is not one of %u", v, graph->n);
    if (gg_adjacency(graph, side, run))
        return run->status;
    struct adjacency_row *row = &a->row[v];
    if ((__atomic_load_n(&row->begin, __ATOMIC_ACQUIRE) & ADJACENCY_LOOSE) &&
        put_in_order(graph, a, row, run))
        return run->status;
    *arcs = (gpugraph_arcs){a->arc + row->begin, row->count, a->first_id};
    return run->status;
}

gpugraph_status gpugraph_arcs_from(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                   gpugraph_arcs *arcs) {
    return arcs_at(graph, GPUGRAPH_OUT, v, run, arcs);
}

gpugraph_status gpugraph_arcs_into(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                   gpugraph_arcs *arcs) {
    return arcs_at(graph, GPUGRAPH_IN, v, run, arcs);
}

gpugraph_status gpugraph_arcs_between(gpugraph_graph *graph, uint32_t v, uint32_t to,
                                      gpugraph_run *run, gpugraph_arcs *arcs) {
    if (gpugraph_arcs_from(graph, v, run, arcs))
        return run->status;
    const uint64_t low = gg_first_arc(arcs->arc, arcs->count, (uint64_t)to << 32);
    uint64_t high = low;
    while (high < arcs->count && arcs->arc[high] >> 32 == to)
        high++;
    arcs->arc += low;
    arcs->count = high - low;
    return run->status;
}

/* ---- against the edges ---- */

/* Arcs of a row differ, so as many as there are edges, each of which has one, are all. */
static gpugraph_status check_side(gpugraph_graph *graph, gpugraph_direction side,
                                  gpugraph_run *run, uint64_t *edge) {
    const bool in = side == GPUGRAPH_IN;
    struct adjacency *a = &graph->derived.adjacency[side];
    uint64_t arcs = 0, id;
    for (uint32_t v = 0; v < graph->n; v++)
        arcs += a->row[v].count;
    for (uint64_t e = 0; e < graph->m; e++) {
        const gpugraph_edge here = gpugraph_edge_of(graph, e);
        struct adjacency_row *row = &a->row[in ? here.target : here.source];
        if (gg_leave(run, e))
            return gg_stopped(run);
        if ((row->begin & ADJACENCY_LOOSE) && put_in_order(graph, a, row, run))
            return run->status;
        const bool fits = gg_arc_id(a, here.id, &id);
        const uint64_t to = in ? here.source : here.target, arc = to << 32 | (uint32_t)id,
                       at = gg_first_arc(a->arc + row->begin, row->count, arc);
        if (fits && at < row->count && a->arc[row->begin + at] == arc)
            continue;
        *edge = e;
        return gg_fail(run, GPUGRAPH_INVALID, "edge %lld has no arc", (long long)here.id);
    }
    if (arcs != graph->m)
        gg_fail(run, GPUGRAPH_INVALID, "there are %llu arcs of %llu edges",
                (unsigned long long)arcs, (unsigned long long)graph->m);
    return run->status;
}

static gpugraph_status check_counts(const gpugraph_graph *graph, gpugraph_run *run) {
    const uint32_t *in = graph->derived.adjacency[GPUGRAPH_OUT].in;
    uint32_t *counted = in ? gg_alloc(run, graph->n, sizeof *counted) : NULL;
    for (uint32_t v = 0; counted && v < graph->n; v++)
        counted[v] = 0;
    for (uint64_t e = 0; counted && e < graph->m && !gg_leave(run, e); e++)
        counted[gpugraph_edge_of(graph, e).target]++;
    if (gg_stopping(run))
        gg_stopped(run);
    for (uint32_t v = 0; counted && v < graph->n && !run->status; v++)
        if (in[v] != counted[v])
            gg_fail(run, GPUGRAPH_INVALID,
                    "%u edges enter a vertex by its count, %u in truth", in[v],
                    counted[v]);
    gg_release(counted);
    return run->status;
}

gpugraph_status gpugraph_check_arcs(gpugraph_graph *graph, gpugraph_run *run,
                                    uint64_t *edge) {
    gg_begin(run);
    if (!gg_needs(run, edge, 1, "edge"))
        return run->status;
    *edge = GPUGRAPH_NO_EDGE;
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN && !run->status; side++)
        if (gg_adjacency_made(graph, (gpugraph_direction)side))
            check_side(graph, (gpugraph_direction)side, run, edge);
    return run->status ? run->status : check_counts(graph, run);
}

/* ---- memory ---- */

int64_t gg_adjacency_bytes(const gpugraph_graph *graph) {
    uint64_t bytes = 0;
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++) {
        const struct adjacency *a = &graph->derived.adjacency[side];
        if (gg_adjacency_made(graph, (gpugraph_direction)side))
            bytes += (uint64_t)graph->n * (sizeof *a->row + (a->in ? sizeof *a->in : 0)) +
                     a->used * sizeof *a->arc;
    }
    return (int64_t)bytes;
}

void gg_free_adjacency(gpugraph_graph *graph) {
    free_arrays(&graph->derived.adjacency[GPUGRAPH_OUT]);
    free_arrays(&graph->derived.adjacency[GPUGRAPH_IN]);
}
