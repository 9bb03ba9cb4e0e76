/* Strongly connected components on the CPU: one depth-first pass over the rows of OUT.
**
**     rank[v]      0        not seen
**                  1, 2 ..  v is open: the number in the order of visits, or the rank of
**                           an earlier open vertex that v reaches
**                  DONE     the component is known
**     open         a stack of vertices that are seen and not done. If a vertex reaches no
**                  vertex of lower rank, this vertex and all vertices above it leave the
**                  stack as one component.
**     path         the vertices from the root to the current vertex. next[v] is the
**                  position in the row of v.
**
** Both stacks share one array of n entries. The path grows from below, the open vertices
** from above. A vertex is on the path until all its arcs are seen, and then open. After
** Tarjan (SIAM J. Comput. 1, 1972), in the space of Pearce (Inf. Process. Lett. 116,
** 2016). The component of a vertex is named by its smallest vertex. */
#include "components.h"
#include "graph/graph.h"

#define DONE UINT32_MAX

struct strong {
    csr g;
    gpugraph_run *run;
    uint32_t *rank, *stack, *component;
    uint64_t *next;      /* of v: the next arc to be looked at */
    uint32_t path, open; /* the length of the path; entries from `open` on are open */
    uint32_t seen;
    int64_t until_poll;
};

static void enter_vertex(struct strong *s, uint32_t v) {
    s->rank[v] = ++s->seen;
    s->next[v] = s->g.begin[v];
    s->stack[s->path++] = v;
}

/* v reaches no vertex of lower rank: closes the component of v. */
static void close_component(struct strong *s, uint32_t v, uint32_t rank) {
    uint32_t top = s->open, least = v;
    while (top < s->g.n && s->rank[s->stack[top]] >= rank) {
        least = s->stack[top] < least ? s->stack[top] : least;
        top++;
    }
    for (uint32_t i = s->open; i < top; i++) {
        s->rank[s->stack[i]] = DONE;
        s->component[s->stack[i]] = least;
    }
    s->rank[v] = DONE;
    s->component[v] = least;
    s->open = top;
}

/* All arcs of the last vertex of the path are seen. Its rank is the smallest rank that it
** reaches. */
static void leave_vertex(struct strong *s, uint32_t own) {
    const uint32_t v = s->stack[--s->path], rank = s->rank[v];
    if (rank == own)
        close_component(s, v, rank);
    else
        s->stack[--s->open] = v;
    if (s->path > 0) {
        const uint32_t above = s->stack[s->path - 1];
        if (s->rank[v] < s->rank[above])
            s->rank[above] = s->rank[v];
    }
}

/* Continues along the arcs of the last vertex of the path. own[v] is the number of v in
** the order of visits. */
static void walk_from(struct strong *s, uint32_t *own) {
    while (s->path > 0) {
        const uint32_t v = s->stack[s->path - 1];
        const uint64_t end = s->g.end[v];
        uint64_t i = s->next[v];
        uint32_t rank = s->rank[v], to = GPUGRAPH_NONE;
        for (; i < end; i++) {
            to = s->g.target[i];
            if (s->rank[to] == 0)
                break;
            if (s->rank[to] < rank)
                rank = s->rank[to];
        }
        s->until_poll -= (int64_t)(i - s->next[v]) + 1;
        s->rank[v] = rank;
        s->next[v] = i;
        if (i < end) {
            enter_vertex(s, to);
            own[to] = s->rank[to];
        } else {
            leave_vertex(s, own[v]);
        }
        if (s->until_poll < 0) {
            s->until_poll = GG_POLL_ITEMS;
            if (gg_poll(s->run))
                return;
        }
    }
}

static gpugraph_status find_strong(gpugraph_graph *graph, gpugraph_run *run,
                                   uint32_t *component) {
    struct strong s = {.run = run, .component = component, .until_poll = GG_POLL_ITEMS};
    if (gg_rows(graph, CSR_OUT, false, false, run, &s.g) != GPUGRAPH_OK)
        return run->status;
    double start = gg_now_ms();
    s.rank = gg_alloc_zero(run, s.g.n, sizeof *s.rank);
    s.stack = gg_alloc(run, s.g.n, sizeof *s.stack);
    s.next = gg_alloc(run, s.g.n, sizeof *s.next);
    s.open = s.g.n;
    for (uint32_t root = 0; root < s.g.n && !gg_stopping(run); root++) {
        if (s.rank[root] == 0) {
            enter_vertex(&s, root);
            component[root] = s.rank[root];
            walk_from(&s, component); /* component[] has the numbers of open vertices */
        }
    }
    gg_release(s.rank);
    gg_release(s.stack);
    gg_release(s.next);
    return gg_search_phase(run, start, (int64_t)s.g.m, "one thread");
}

/* ---- the descriptor ---- */

static bool always(const gpugraph_graph *graph) {
    (void)graph;
    return true;
}

const gg_algorithm gg_strong_components = {
    .name = "components",
    .rows = CSR_OUT,
    .arcs = gg_arcs_once,
    .alone = always,
    /* One thread over 8 M edges of an unsorted R-MAT; rmat24 on a device. */
    .cpu_ns = 32,
    .cuda_ns = 0.1,
    .step_us = 800,
    .side = {[GPUGRAPH_CPU] =
                 GG_ONE_METHOD(components_entry, find_strong, "components", "depth-first",
                               "strong: one thread, one depth-first pass over the arcs"),
             [GPUGRAPH_CUDA] = &gg_strong_components_cuda},
};
