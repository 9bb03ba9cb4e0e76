/* Contracts the vertices of a graph, those with the fewest neighbours first.
**
**     a --3-- v --2-- b        v goes: a --5-- b, unless there is a shorter way already, so that no
**                              distance between those that are left changes
**
** What v had when it went are its up arcs. No ways around v are searched for: all of its neighbours
** become neighbours of each other. On road networks few are left with many neighbours, so that the arcs
** are a few times those of the graph. After Dibbelt, Strasser and Wagner, "Customizable Contraction
** Hierarchies" (JEA 21, 2016), with the order of least degree. */
#include "contraction.h"

typedef struct contractor {
    const matrix *m;
    contracted *c;
    uint32_t n;
    uint32_t
        *mark; /* place of a neighbour in the list that is looked at, from 1; 0: none */
    /* lists of vertices by degree, doubly linked */
    uint32_t *head, *next, *previous;
    uint32_t least; /* no list below has a vertex */
    uint64_t since; /* gg_worked */
} contractor;

/* ---- vertices by degree: the last list has all from there on ---- */

enum { DEGREES = 1024 };

static uint32_t list_of(uint32_t degree) {
    return degree < DEGREES ? degree : DEGREES - 1;
}

static void link_vertex(contractor *k, uint32_t v) {
    uint32_t *head = &k->head[list_of(k->c->count[v])];
    k->next[v] = *head;
    k->previous[v] = GPUGRAPH_NONE;
    if (*head != GPUGRAPH_NONE)
        k->previous[*head] = v;
    *head = v;
    if (list_of(k->c->count[v]) < k->least)
        k->least = list_of(k->c->count[v]);
}

static void unlink_vertex(contractor *k, uint32_t v) {
    if (k->previous[v] != GPUGRAPH_NONE)
        k->next[k->previous[v]] = k->next[v];
    else
        k->head[list_of(k->c->count[v])] = k->next[v];
    if (k->next[v] != GPUGRAPH_NONE)
        k->previous[k->next[v]] = k->previous[v];
}

static uint32_t least_vertex(contractor *k) {
    while (k->head[k->least] == GPUGRAPH_NONE)
        k->least++;
    return k->head[k->least];
}

/* ---- lists of arcs ---- */

static void shorten(uint32_t *way, uint32_t sum) {
    *way = sum < *way ? sum : *way;
}

/* Room for `more` arcs behind v's: its list moves to the end where it has none. */
static bool make_room(contractor *k, uint32_t v, uint32_t more) {
    contracted *c = k->c;
    uint32_t need = c->count[v] + more;
    if (need <= c->place[v])
        return true;
    uint32_t room = need + need / 2;
    while (c->arcs + room > c->room) {
        void *block = c->arc;
        bool made = gg_make_room(k->m->run, &block, c->room, &c->room, sizeof *c->arc);
        c->arc = block;
        if (!made)
            return false;
    }
    for (uint32_t i = 0; i < c->count[v]; i++)
        c->arc[c->arcs + i] = c->arc[c->first[v] + i];
    c->first[v] = c->arcs;
    c->place[v] = room;
    c->arcs += room;
    return true;
}

static void add_edge_to(contractor *k, uint32_t v, uint32_t to, uint32_t weight, bool out,
                        bool in) {
    contracted *c = k->c;
    c->arc[c->first[v] + c->count[v]++] =
        (up_arc){to, out ? weight : UINT32_MAX, in ? weight : UINT32_MAX};
}

/* Each edge, from both ends. Loops are no way to anywhere. */
static void add_edges(contractor *k) {
    const gpugraph_graph *graph = k->m->graph;
    const uint32_t *weight = k->m->weighted ? graph->weight : NULL;
    const bool out = k->m->direction != GPUGRAPH_IN, in = k->m->direction != GPUGRAPH_OUT;
    for (uint64_t e = 0; e < graph->m && !gg_leave(k->m->run, e); e++) {
        uint32_t a = graph->source[e], b = graph->target[e], w = weight ? weight[e] : 1;
        if (a == b)
            continue;
        add_edge_to(k, a, b, w, out, in);
        add_edge_to(k, b, a, w, in, out);
    }
}

/* Parallel arcs become one. */
static void unite(contractor *k, uint32_t v) {
    contracted *c = k->c;
    up_arc *arc = c->arc + c->first[v];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count[v]; i++) {
        uint32_t *mark = &k->mark[arc[i].to];
        if (*mark == 0) {
            arc[kept++] = arc[i];
            *mark = kept;
        } else {
            shorten(&arc[*mark - 1].out, arc[i].out);
            shorten(&arc[*mark - 1].in, arc[i].in);
        }
    }
    for (uint32_t i = 0; i < kept; i++)
        k->mark[arc[i].to] = 0;
    c->count[v] = kept;
}

static bool begin_lists(contractor *k) {
    const gpugraph_graph *graph = k->m->graph;
    contracted *c = k->c;
    for (uint64_t e = 0; e < graph->m && !gg_leave(k->m->run, e); e++) {
        bool loop = graph->source[e] == graph->target[e];
        c->place[graph->source[e]] += !loop;
        c->place[graph->target[e]] += !loop;
    }
    for (uint32_t v = 0; v < k->n; v++) {
        c->first[v] = c->arcs;
        c->arcs += c->place[v];
    }
    c->room = c->arcs + c->arcs / 2 + 16;
    c->arc = gg_alloc(k->m->run, c->room, sizeof *c->arc);
    if (!c->arc)
        return false;
    add_edges(k);
    if (gg_stopping(k->m->run))
        return false;
    for (uint32_t v = 0; v < DEGREES; v++)
        k->head[v] = GPUGRAPH_NONE;
    for (uint32_t v = k->n; v-- > 0;) {
        if (gg_worked(k->m->run, &k->since, c->count[v] + 1))
            return false;
        unite(k, v);
        link_vertex(k, v);
    }
    return !gg_stopping(k->m->run);
}

/* ---- contracting ---- */

/* The neighbour a of v loses v, and gets an arc to each other neighbour of v. */
static bool pass_by(contractor *k, uint32_t v, const up_arc *at) {
    contracted *c = k->c;
    const uint32_t a = at->to, out = at->out, in = at->in, degree = c->count[v];
    if (!make_room(k, a, degree))
        return false;
    unlink_vertex(k, a);
    const up_arc *around = c->arc + c->first[v];
    up_arc *arc = c->arc + c->first[a];
    uint32_t count = c->count[a], gone = 0;
    for (uint32_t i = 0; i < count; i++) {
        k->mark[arc[i].to] = i + 1;
        gone = arc[i].to == v ? i : gone;
    }
    for (uint32_t j = 0; j < degree; j++) {
        const uint32_t b = around[j].to, i = k->mark[b];
        const uint32_t there = gg_add_ways(in, around[j].out),
                       back = gg_add_ways(around[j].in, out);
        if (b == a)
            continue;
        if (i > 0) {
            shorten(&arc[i - 1].out, there);
            shorten(&arc[i - 1].in, back);
        } else {
            arc[count++] = (up_arc){b, there, back};
        }
    }
    for (uint32_t i = 0; i < count; i++)
        k->mark[arc[i].to] = 0;
    c->work += count + degree;
    arc[gone] = arc[--count];
    c->count[a] = count;
    link_vertex(k, a);
    return true;
}

static bool contract_vertex(contractor *k, uint32_t v) {
    contracted *c = k->c;
    unlink_vertex(k, v);
    for (uint32_t i = 0; i < c->count[v]; i++) {
        up_arc at = c->arc[c->first[v] + i]; /* lists move */
        if (!pass_by(k, v, &at) ||
            gg_worked(k->m->run, &k->since, c->count[v] + c->count[at.to] + 1))
            return false;
    }
    return true;
}

static bool contract_all(contractor *k, uint64_t most) {
    contracted *c = k->c;
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t v = least_vertex(k);
        if (!contract_vertex(k, v) || c->work > most ||
            gg_worked(k->m->run, &k->since, 1))
            return false;
        c->place[v] = i; /* its list does not grow any more */
    }
    for (uint32_t v = 0; v < k->n; v++) {
        const up_arc *arc = c->arc + c->first[v];
        uint32_t parent = GPUGRAPH_NONE;
        if (gg_worked(k->m->run, &k->since, c->count[v] + 1))
            return false;
        for (uint32_t i = 0; i < c->count[v]; i++)
            if (parent == GPUGRAPH_NONE || c->place[arc[i].to] < c->place[parent])
                parent = arc[i].to;
        c->parent[v] = parent;
    }
    return true;
}

bool gg_contract(const matrix *m, uint64_t most, contracted *c) {
    const uint32_t n = m->graph->n;
    contractor k = {.m = m, .c = c, .n = n};
    *c = (contracted){.work = 0};
    c->first = gg_alloc(m->run, n, sizeof *c->first);
    c->count = gg_alloc_zero(m->run, n, sizeof *c->count);
    c->place = gg_alloc_zero(m->run, n, sizeof *c->place);
    c->parent = gg_alloc(m->run, n, sizeof *c->parent);
    k.mark = gg_alloc_zero(m->run, n, sizeof *k.mark);
    k.head = gg_alloc(m->run, DEGREES, sizeof *k.head);
    k.next = gg_alloc(m->run, n, sizeof *k.next);
    k.previous = gg_alloc(m->run, n, sizeof *k.previous);
    bool done =
        m->run->status == GPUGRAPH_OK && begin_lists(&k) && contract_all(&k, most);
    gg_release(k.mark);
    gg_release(k.head);
    gg_release(k.next);
    gg_release(k.previous);
    return done;
}

void gg_free_contracted(contracted *c) {
    gg_release(c->arc);
    gg_release(c->first);
    gg_release(c->count);
    gg_release(c->place);
    gg_release(c->parent);
}
