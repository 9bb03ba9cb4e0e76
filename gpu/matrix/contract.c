/* Contracts the vertices of a graph, those with the fewest neighbours first.
**
**     a --3-- v --2-- b     without v: a --5-- b, unless a shorter path is known, so that
**                           no distance between remaining vertices changes
**
** The up arcs of v are the arcs in its list when it is contracted. There is no search for
** paths around v: all of its neighbours become neighbours of each other. On road networks
** few vertices get many neighbours, so that there are a few times as many arcs as in the
** graph. After Dibbelt, Strasser and Wagner, "Customizable Contraction Hierarchies" (JEA
** 21, 2016), with the order of least degree.
**
** Vertices with equally many neighbours take turns: a vertex whose list has changed waits
** behind all others. Degree 1 counts as 2. So every other vertex of a chain is contracted
** in the first round, every other one of the rest in the next round, and a chain or a
** tree of n vertices becomes chains of parents of about log n vertices. If the latest
** vertex came first, the chain of parents would be the whole chain. (Miller and Reif,
** "Parallel Tree Contraction and Its Application", FOCS 1985.) */
#include "contraction.h"

#include <math.h>
#include <string.h>

enum {
    DEGREES = 1024,      /* the last list has all vertices of that degree and more */
    LOOK_VERTICES = 256, /* contracted vertices between two checks of the limit */
    /* the pool is compacted when this share of its used words is in holes */
    HOLES_SHARE = 6,
    /* size of the pool relative to the lists. Growing may copy the pool, and untouched
    ** pages cost only addresses */
    POOL_TIMES = 3
};

/* Nanoseconds of one thread: for a vertex, which is all that chains and trees need; for
** an arc that is read; and a factor of c^(4/3), for a road network with c more edges than
** a tree (docs/lab/paths_and_matrices.md). */
#define VERTEX_NS 120.0
#define ARC_NS    4.5
#define CYCLES_NS 65.0
/* Arcs that are read until the last vertex is contracted: sqrt(k) / 15 * k * (d - 2)^2
** for k remaining vertices of degree d > 2. New York takes 0.8 to 3 times as many from
** any point on, grids up to 9 times. */
#define LEFT_WORK (1.0 / 15)
/* Bytes for each vertex, in arrays with an entry for each. */
enum { VERTEX_BYTES = 5 * sizeof(uint32_t) };

typedef struct contractor {
    const matrix *m;
    contracted *c;
    uint32_t n;
    /* For neighbour number j of the contracted vertex: 1 + the number of the latest
    ** neighbour that has an arc to it. n entries, of which few are touched. */
    uint32_t *seen;
    /* waiting vertices by degree, doubly linked, first in first out */
    uint32_t head[DEGREES], tail[DEGREES];
    uint32_t *next;     /* a contracted vertex: the one contracted before it */
    uint32_t *previous; /* a vertex that does not wait: its place among neighbours */
    uint32_t least;     /* no list of smaller degree has a vertex */
    uint64_t pool_words, used_words; /* no list begins behind the used words */
    uint64_t hole_words;             /* part of used_words */
    uint32_t left;                   /* vertices that wait */
    uint64_t arcs_left;              /* arcs in their lists */
    uint64_t unpolled; /* arcs and vertices since the last poll (gg_worked) */
} contractor;

/* ---- vertices by degree ---- */

static uint32_t list_of(uint32_t degree) {
    return degree <= 2 ? 2 : degree < DEGREES ? degree : DEGREES - 1;
}

static void link_vertex(contractor *k, uint32_t v) {
    const uint32_t list = list_of(k->c->count[v]), last = k->tail[list];
    k->next[v] = GPUGRAPH_NONE;
    k->previous[v] = last;
    if (last != GPUGRAPH_NONE)
        k->next[last] = v;
    else
        k->head[list] = v;
    k->tail[list] = v;
    k->least = list < k->least ? list : k->least;
}

static void unlink_vertex(contractor *k, uint32_t v) {
    const uint32_t list = list_of(k->c->count[v]);
    const uint32_t before = k->previous[v], after = k->next[v];
    if (before != GPUGRAPH_NONE)
        k->next[before] = after;
    else
        k->head[list] = after;
    if (after != GPUGRAPH_NONE)
        k->previous[after] = before;
    else
        k->tail[list] = before;
}

static uint32_t least_vertex(contractor *k) {
    while (k->head[k->least] == GPUGRAPH_NONE)
        k->least++;
    return k->head[k->least];
}

/* ---- lists of arcs ---- */

/* Words of a list, with its owner. */
static uint64_t list_words(const contractor *k, uint64_t room) {
    return 1 + room * (k->c->both_ways ? 2 : 3);
}

static void leave_hole(contractor *k, uint64_t at, uint64_t words) {
    k->c->pool[at] = GPUGRAPH_NONE;
    k->c->pool[at + 1] = (uint32_t)words;
    k->hole_words += words;
}

/* Moves all lists together to the start of the pool. False: the run must end. */
static bool compact_pool(contractor *k) {
    contracted *c = k->c;
    uint64_t kept = 0, words;
    for (uint64_t at = 0; at < k->used_words; at += words) {
        const uint32_t owner = c->pool[at];
        words = owner == GPUGRAPH_NONE ? c->pool[at + 1] : list_words(k, c->room[owner]);
        if (gg_worked(k->m->run, &k->unpolled, words))
            return false;
        if (owner == GPUGRAPH_NONE)
            continue;
        memmove(c->pool + kept, c->pool + at, words * sizeof *c->pool);
        c->list[owner] = (uint32_t)kept + 1;
        kept += words;
    }
    k->used_words = kept;
    k->hole_words = 0;
    return true;
}

/* Makes the pool larger. False: positions would need more than 32 bits, or the run must
** end. */
static bool make_pool(contractor *k, uint64_t words) {
    if (words > UINT32_MAX)
        return false;
    const uint64_t wanted = words * POOL_TIMES,
                   room = wanted < UINT32_MAX ? wanted : UINT32_MAX;
    uint32_t *pool = k->c->pool ? gg_grow(k->c->pool, room, sizeof *pool)
                                : gg_alloc(k->m->run, room, sizeof *pool);
    if (!pool) {
        gg_fail(k->m->run, GPUGRAPH_NO_MEMORY, "out of memory: %llu bytes were needed",
                (unsigned long long)room * sizeof *pool);
        return false;
    }
    k->c->pool = pool;
    k->pool_words = room;
    return true;
}

/* Makes room for more words behind the used ones. Lists may move. False: there is no
** room, or the run must end. */
static bool reserve_words(contractor *k, uint64_t words) {
    if (k->hole_words > k->used_words / HOLES_SHARE && !compact_pool(k))
        return false;
    return k->pool_words - k->used_words >= words || make_pool(k, k->used_words + words);
}

/* Gives v a list behind the used words, which have room for it. */
static void append_list(contractor *k, uint32_t v, uint32_t room) {
    contracted *c = k->c;
    c->pool[k->used_words] = v;
    c->list[v] = (uint32_t)k->used_words + 1;
    c->room[v] = room;
    k->used_words += list_words(k, room);
}

static void copy_arcs(const contractor *k, up_arcs to, up_arcs from, uint32_t count) {
    const size_t bytes = count * sizeof *to.to;
    memmove(to.to, from.to, bytes);
    memmove(to.out, from.out, bytes);
    if (!k->c->both_ways)
        memmove(to.in, from.in, bytes);
}

/* Makes the unused end of v's list a hole. */
static void shrink_list(contractor *k, uint32_t v) {
    contracted *c = k->c;
    const uint32_t room = c->count[v] < 1 ? 1 : c->count[v];
    const uint64_t before = list_words(k, c->room[v]), after = list_words(k, room);
    const up_arcs from = gg_up_arcs(c, v);
    if (room == c->room[v])
        return;
    c->room[v] = room;
    copy_arcs(k, gg_up_arcs(c, v), from, c->count[v]);
    leave_hole(k, c->list[v] - 1 + after, before - after);
}

/* Moves v's list to the end of the pool, with room for `arcs` arcs and a quarter more. */
static bool grow_list(contractor *k, uint32_t v, uint32_t arcs) {
    contracted *c = k->c;
    const uint32_t room = arcs + arcs / 4;
    if (!reserve_words(k, list_words(k, room)))
        return false;
    const uint64_t hole = c->list[v] - 1, words = list_words(k, c->room[v]);
    const up_arcs from = gg_up_arcs(c, v);
    append_list(k, v, room);
    copy_arcs(k, gg_up_arcs(c, v), from, c->count[v]);
    leave_hole(k, hole, words);
    return true;
}

/* ---- the graph ---- */

static void shorten(uint32_t *length, uint32_t sum) {
    *length = sum < *length ? sum : *length;
}

static void add_arc(contracted *c, uint32_t v, uint32_t to, uint32_t out, uint32_t in) {
    const up_arcs arcs = gg_up_arcs(c, v);
    const uint32_t at = c->count[v]++;
    arcs.to[at] = to;
    arcs.out[at] = out;
    arcs.in[at] = in;
}

/* Puts each edge into the lists of both ends, except loops. False: the run must end. */
static bool add_edges(contractor *k) {
    const gpugraph_graph *graph = k->m->graph;
    const uint32_t *weight = k->m->weighted ? graph->weight : NULL;
    const bool out = k->m->direction != GPUGRAPH_IN, in = k->m->direction != GPUGRAPH_OUT;
    for (uint64_t e = 0; e < graph->m && !gg_leave(k->m->run, e); e++) {
        const uint32_t a = graph->source[e], b = graph->target[e];
        const uint32_t along = weight ? weight[e] : 1;
        const uint32_t forward = out ? along : UINT32_MAX, back = in ? along : UINT32_MAX;
        if (a == b)
            continue;
        add_arc(k->c, a, b, forward, back);
        add_arc(k->c, b, a, back, forward);
    }
    return !gg_stopping(k->m->run);
}

/* True if u is number place[u] of these vertices. place[] has any value for other
** vertices. */
static bool is_among(const uint32_t *vertex, uint32_t count, const uint32_t *place,
                     uint32_t u) {
    return place[u] < count && vertex[place[u]] == u;
}

/* Makes one arc of parallel arcs. */
static void merge_parallel_arcs(contractor *k, uint32_t v) {
    contracted *c = k->c;
    const up_arcs arcs = gg_up_arcs(c, v);
    uint32_t *place = k->previous, kept = 0;
    for (uint32_t i = 0; i < c->count[v] && !gg_leave(k->m->run, i); i++) {
        const uint32_t to = arcs.to[i], out = arcs.out[i], in = arcs.in[i];
        if (is_among(arcs.to, kept, place, to)) {
            shorten(&arcs.out[place[to]], out);
            shorten(&arcs.in[place[to]], in);
            continue;
        }
        place[to] = kept;
        arcs.to[kept] = to;
        arcs.out[kept] = out;
        arcs.in[kept++] = in;
    }
    c->count[v] = kept;
}

/* Counts the ends of edges at each vertex, and makes lists for them in order. */
static bool make_lists(contractor *k) {
    const gpugraph_graph *graph = k->m->graph;
    uint32_t *ends = k->next;
    uint64_t words = 0;
    memset(ends, 0, (size_t)k->n * sizeof *ends);
    for (uint64_t e = 0; e < graph->m && !gg_leave(k->m->run, e); e++) {
        const bool loop = graph->source[e] == graph->target[e];
        ends[graph->source[e]] += !loop;
        ends[graph->target[e]] += !loop;
    }
    for (uint32_t v = 0; v < k->n && !gg_leave(k->m->run, v); v++) {
        ends[v] += ends[v] == 0;
        words += list_words(k, ends[v]);
    }
    if (gg_stopping(k->m->run) || !make_pool(k, words))
        return false;
    for (uint32_t v = 0; v < k->n && !gg_leave(k->m->run, v); v++)
        append_list(k, v, ends[v]);
    return !gg_stopping(k->m->run);
}

/* Fills the lists, and closes the holes that parallel arcs leave. */
static bool begin_lists(contractor *k) {
    contracted *c = k->c;
    if (!make_lists(k) || !add_edges(k))
        return false;
    memset(k->head, 0xff, sizeof k->head);
    memset(k->tail, 0xff, sizeof k->tail);
    for (uint32_t v = 0; v < k->n && !gg_worked(k->m->run, &k->unpolled, c->count[v] + 1);
         v++) {
        merge_parallel_arcs(k, v);
        shrink_list(k, v);
        k->arcs_left += c->count[v];
    }
    if (gg_stopping(k->m->run) || !compact_pool(k))
        return false;
    for (uint32_t v = 0; v < k->n && !gg_leave(k->m->run, v); v++)
        link_vertex(k, v);
    k->left = k->n;
    return !gg_stopping(k->m->run);
}

/* ---- contracting ---- */

/* Removes v from the list of its neighbour number i, and adds arcs to all other
** neighbours of v. None of these vertices waits, and previous[] has their places. */
static bool pass_by(contractor *k, uint32_t v, uint32_t i) {
    contracted *c = k->c;
    up_arcs around = gg_up_arcs(c, v);
    const uint32_t degree = c->count[v], a = around.to[i];
    const uint32_t to_v = around.in[i], from_v = around.out[i];
    const up_arcs arcs = gg_up_arcs(c, a);
    uint32_t count = c->count[a], gone = 0, known = 0;
    for (uint32_t at = 0; at < count && !gg_leave(k->m->run, at); at++) {
        const uint32_t b = arcs.to[at];
        gone = b == v ? at : gone;
        if (is_among(around.to, degree, k->previous, b)) {
            const uint32_t j = k->previous[b];
            shorten(&arcs.out[at], gg_add_distances(to_v, around.out[j]));
            shorten(&arcs.in[at], gg_add_distances(around.in[j], from_v));
            k->seen[j] = i + 1;
            known++;
        }
    }
    if (gg_stopping(k->m->run))
        return false;
    count--;
    arcs.to[gone] = arcs.to[count];
    arcs.out[gone] = arcs.out[count];
    arcs.in[gone] = arcs.in[count];
    c->count[a] = count;
    const uint32_t more = degree - 1 - known;
    if (count + more > c->room[a] && !grow_list(k, a, count + more))
        return false;
    around = gg_up_arcs(c, v);
    for (uint32_t j = 0; more > 0 && j < degree; j++)
        if (j != i && k->seen[j] != i + 1)
            add_arc(c, a, around.to[j], gg_add_distances(to_v, around.out[j]),
                    gg_add_distances(around.in[j], from_v));
    c->work += count + degree;
    k->arcs_left += more;
    k->arcs_left--;
    return true;
}

static bool contract_vertex(contractor *k, uint32_t v) {
    contracted *c = k->c;
    const uint32_t degree = c->count[v];
    const uint32_t *around = gg_up_arcs(c, v).to;
    bool done = true;
    unlink_vertex(k, v);
    for (uint32_t j = 0; j < degree; j++)
        unlink_vertex(k, around[j]);
    for (uint32_t j = 0; j < degree; j++) {
        k->previous[around[j]] = j;
        k->seen[j] = 0;
    }
    for (uint32_t i = 0; i < degree && done; i++)
        done = pass_by(k, v, i) && !gg_worked(k->m->run, &k->unpolled,
                                              c->count[gg_up_arcs(c, v).to[i]] + degree);
    around = gg_up_arcs(c, v).to;
    for (uint32_t j = 0; j < degree; j++)
        link_vertex(k, around[j]);
    k->left--;
    k->arcs_left -= degree;
    shrink_list(k, v);
    return done;
}

static double predicted_ns(const contractor *k) {
    const double left = k->left > 0 ? k->left : 1,
                 above = (double)k->arcs_left / left - 2;
    const double more = above > 0 ? LEFT_WORK * sqrt(left) * left * above * above : 0;
    return k->n * VERTEX_NS + ((double)k->c->work + more) * ARC_NS;
}

/* True if the contraction stays within the limit. */
static bool is_within(const contractor *k, const contraction_limit *most) {
    const uint64_t bytes =
        k->used_words * sizeof *k->c->pool + (uint64_t)k->n * VERTEX_BYTES;
    return predicted_ns(k) <= most->ns && bytes <= most->bytes;
}

/* Sets the parent of v. The ends of its up arcs were contracted after v, and lie on one
** chain. The deepest of them is the parent. */
static void set_parent(contracted *c, uint32_t v) {
    const uint32_t *to = gg_up_arcs(c, v).to;
    uint32_t parent = GPUGRAPH_NONE;
    for (uint32_t i = 0; i < c->count[v]; i++)
        if (parent == GPUGRAPH_NONE || c->depth[to[i]] > c->depth[parent])
            parent = to[i];
    c->parent[v] = parent;
    c->depth[v] = parent == GPUGRAPH_NONE ? 0 : c->depth[parent] + 1;
}

static bool contract_all(contractor *k, const contraction_limit *most) {
    uint32_t last = GPUGRAPH_NONE;
    /* The number of cycles predicts the time of a graph that is like a road network. */
    if (!is_within(k, most) || gg_contraction_ns(k->n, k->arcs_left / 2) > most->ns)
        return false;
    for (uint32_t i = 0; i < k->n; i++) {
        const uint32_t v = least_vertex(k);
        if (!contract_vertex(k, v) || gg_worked(k->m->run, &k->unpolled, 1) ||
            (i % LOOK_VERTICES == 0 && !is_within(k, most)))
            return false;
        k->next[v] = last;
        last = v;
    }
    while (last != GPUGRAPH_NONE &&
           !gg_worked(k->m->run, &k->unpolled, k->c->count[last] + 1)) {
        const uint32_t v = last;
        last = k->next[v];
        set_parent(k->c, v);
    }
    return !gg_stopping(k->m->run);
}

bool gg_contract(const matrix *m, const contraction_limit *most, contracted *c) {
    const uint32_t n = m->graph->n;
    contractor k = {.m = m, .c = c, .n = n};
    k.seen = gg_alloc(m->run, n, sizeof *k.seen);
    *c = (contracted){.both_ways = m->direction == GPUGRAPH_BOTH};
    c->list = gg_alloc(m->run, n, sizeof *c->list);
    c->room = gg_alloc(m->run, n, sizeof *c->room);
    c->count = gg_alloc_zero(m->run, n, sizeof *c->count);
    c->parent = k.next = gg_alloc(m->run, n, sizeof *k.next);
    c->depth = k.previous = gg_alloc_zero(m->run, n, sizeof *k.previous);
    const bool done =
        m->run->status == GPUGRAPH_OK && begin_lists(&k) && contract_all(&k, most);
    gg_release(k.seen);
    return done;
}

double gg_contraction_ns(uint32_t vertices, uint64_t edges) {
    const double cycles = edges > vertices ? (double)(edges - vertices) : 0;
    return vertices * VERTEX_NS + pow(cycles, 4.0 / 3) * CYCLES_NS;
}

void gg_free_contracted(contracted *c) {
    gg_release(c->pool);
    gg_release(c->list);
    gg_release(c->room);
    gg_release(c->count);
    gg_release(c->parent);
    gg_release(c->depth);
}
