/* Contracts the vertices of a graph, those with the fewest neighbours first.
**
**     a --3-- v --2-- b        v goes: a --5-- b, unless there is a shorter way already, so that no
**                              distance between those that are left changes
**
** The list of arcs that v has when it goes are its up arcs. No paths around v are searched for: all of
** its neighbours become neighbours of each other. On road networks few are left with many neighbours,
** so that the arcs are a few times those of the graph. After Dibbelt, Strasser and Wagner, "Customizable
** Contraction Hierarchies" (JEA 21, 2016), with the order of least degree.
**
** Vertices with equally many neighbours take turns: a vertex whose list has changed waits behind all
** others. One neighbour counts as two. So every other vertex of a chain goes in the first round, every
** other one of the rest in the next, and a chain or a tree of n vertices becomes chains of parents of
** about log n vertices. With the latest first, the chain of parents would be the whole chain. (Miller
** and Reif, "Parallel Tree Contraction and Its Application", FOCS 1985.) */
#include "contraction.h"

#include <math.h>
#include <string.h>

enum {
    DEGREES = 1024, /* the last list of waiting vertices has all degrees from there on */
    CLASSES = 64,   /* of lists, by their room */
    BLOCK_WORDS = 1 << 17, /* that are asked for together */
    LOOK_VERTICES = 256    /* that go between two looks at the limit */
};

/* Nanoseconds of one thread: for a vertex, which is all that a chain or a tree takes; for a look at an
** arc; and for c^(4/3) where a road network has c edges more than a tree (docs/lab/paths_and_matrices.md). */
#define VERTEX_NS 120.0
#define ARC_NS    4.5
#define CYCLES_NS 65.0
/* Looks at arcs before the last vertex goes: where k vertices with d > 2 arcs each are left,
** sqrt(k) / 15 * k * (d - 2)^2. New York takes 0.8 to 3 times as many from any point on, grids up to 9 times. */
#define LEFT_WORK (1.0 / 15)
/* The arrays that are as long as there are vertices. */
enum { VERTEX_BYTES = sizeof(uint32_t *) + 3 * sizeof(uint32_t) + sizeof(uint8_t) };

struct word_block {
    struct word_block *next;
    uint32_t word[];
};

typedef struct contractor {
    const matrix *m;
    contracted *c;
    uint32_t n;
    uint32_t *
        seen; /* of each neighbour of the vertex that goes: the latest one that it has an arc to, from 1 */
    uint64_t seen_room;
    /* waiting vertices by degree, doubly linked, first in first out */
    uint32_t head[DEGREES], tail[DEGREES];
    uint32_t *next;     /* of a vertex that has gone: the one before it */
    uint32_t *previous; /* of a vertex that does not wait: its place among neighbours */
    uint32_t least;     /* no list below has a vertex */
    uint32_t *spare[CLASSES]; /* unused lists; the first bytes of each link to the next */
    uint32_t *fresh;          /* the unused part of the latest block */
    uint64_t fresh_words;
    uint32_t left;      /* vertices that wait */
    uint64_t arcs_left; /* in their lists */
    uint64_t unpolled;  /* gg_worked: arcs and vertices looked at */
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

/* The first class with room for so many arcs. */
static uint8_t class_of(uint32_t arcs) {
    if (arcs <= 2)
        return arcs == 2;
    const int log = 31 - __builtin_clz(arcs - 1);
    return (uint8_t)(2 * log + (arcs > (uint64_t)3 << (log - 1)));
}

static uint64_t words_contract_of(const contractor *k, uint8_t class) {
    return gg_room_of(class) * (k->c->both_ways ? 2 : 3);
}

static uint32_t *take_fresh(contractor *k, uint64_t words) {
    if (k->fresh_words < words) {
        const uint64_t room = words > BLOCK_WORDS ? words : BLOCK_WORDS;
        struct word_block *block =
            gg_alloc(k->m->run, sizeof *block + room * sizeof *block->word, 1);
        if (!block)
            return NULL;
        block->next = k->c->blocks;
        k->c->blocks = block;
        k->c->bytes += room * sizeof *block->word;
        k->fresh = block->word;
        k->fresh_words = room;
    }
    uint32_t *list = k->fresh;
    k->fresh += words;
    k->fresh_words -= words;
    return list;
}

/* Puts the arcs of v into a list of that class, which may overlap its own one from below. */
static void put_list(contractor *k, uint32_t v, uint32_t *list, uint8_t class) {
    contracted *c = k->c;
    const up_arcs from = gg_up_arcs(c, v);
    const size_t bytes = c->count[v] * sizeof *list;
    c->list[v] = list;
    c->class[v] = class;
    const up_arcs to = gg_up_arcs(c, v);
    memmove(to.to, from.to, bytes);
    memmove(to.out, from.out, bytes);
    if (!c->both_ways)
        memmove(to.in, from.in, bytes);
}

/* v's list moves to a list with room for so many arcs, and hardly more. */
static bool move_list(contractor *k, uint32_t v, uint32_t arcs) {
    const uint8_t from = k->c->class[v], to = class_of(arcs);
    uint32_t *old = k->c->list[v], *list = k->spare[to];
    if (from == to)
        return true;
    if (list)
        memcpy(&k->spare[to], (const void *)list, sizeof k->spare[to]);
    else if (!(list = take_fresh(k, words_contract_of(k, to))))
        return false;
    put_list(k, v, list, to);
    memcpy((void *)old, &k->spare[from], sizeof k->spare[from]);
    k->spare[from] = old;
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

/* Puts each edge into the lists of both ends. Loops lead nowhere. False: the run must end. */
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

/* Is u number place[u] of these vertices? place[] may hold anything for others. */
static bool is_among(const uint32_t *vertex, uint32_t count, const uint32_t *place,
                     uint32_t u) {
    return place[u] < count && vertex[place[u]] == u;
}

/* Parallel arcs become one. */
static void unite(contractor *k, uint32_t v) {
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

/* Counts the ends of edges at each vertex, and takes lists for them from one block, in order. */
static bool take_lists_of_contract(contractor *k) {
    const gpugraph_graph *graph = k->m->graph;
    contracted *c = k->c;
    uint32_t *ends = k->next;
    uint64_t room = 0;
    memset(ends, 0, (size_t)k->n * sizeof *ends);
    for (uint64_t e = 0; e < graph->m && !gg_leave(k->m->run, e); e++) {
        const bool loop = graph->source[e] == graph->target[e];
        ends[graph->source[e]] += !loop;
        ends[graph->target[e]] += !loop;
    }
    for (uint32_t v = 0; v < k->n && !gg_leave(k->m->run, v); v++) {
        c->class[v] = class_of(ends[v]);
        room += words_contract_of(k, c->class[v]);
    }
    uint32_t *list = gg_stopping(k->m->run) ? NULL : take_fresh(k, room);
    for (uint32_t v = 0; list && v < k->n && !gg_leave(k->m->run, v); v++) {
        c->list[v] = list;
        list += words_contract_of(k, c->class[v]);
    }
    return list && !gg_stopping(k->m->run);
}

/* Lists without parallel arcs move together, and the rest of their block is unused again. */
static bool begin_lists(contractor *k) {
    contracted *c = k->c;
    if (!take_lists_of_contract(k) || !add_edges(k))
        return false;
    const uint32_t last = k->n - 1;
    uint32_t *list = c->list[0],
             *end = c->list[last] + words_contract_of(k, c->class[last]);
    memset(k->head, 0xff, sizeof k->head);
    memset(k->tail, 0xff, sizeof k->tail);
    for (uint32_t v = 0; v < k->n && !gg_worked(k->m->run, &k->unpolled, c->count[v] + 1);
         v++) {
        unite(k, v);
        put_list(k, v, list, class_of(c->count[v]));
        k->arcs_left += c->count[v];
        list += words_contract_of(k, c->class[v]);
    }
    for (uint32_t v = 0; v < k->n && !gg_leave(k->m->run, v); v++)
        link_vertex(k, v);
    if ((uint64_t)(end - list) > k->fresh_words) {
        k->fresh = list;
        k->fresh_words = (uint64_t)(end - list);
    }
    k->left = k->n;
    return !gg_stopping(k->m->run);
}

/* ---- contracting ---- */

/* Neighbour number i of v loses v, and gets an arc to each other neighbour of v. None of them waits, and
** previous[] has their places. */
static bool pass_by(contractor *k, uint32_t v, uint32_t i) {
    contracted *c = k->c;
    const up_arcs around = gg_up_arcs(c, v);
    const uint32_t degree = c->count[v], a = around.to[i];
    const uint32_t to_v = around.in[i], from_v = around.out[i];
    const up_arcs arcs = gg_up_arcs(c, a);
    uint32_t count = c->count[a], gone = 0, known = 0;
    for (uint32_t at = 0; at < count && !gg_leave(k->m->run, at); at++) {
        const uint32_t b = arcs.to[at];
        gone = b == v ? at : gone;
        if (is_among(around.to, degree, k->previous, b)) {
            const uint32_t j = k->previous[b];
            shorten(&arcs.out[at], gg_add_ways(to_v, around.out[j]));
            shorten(&arcs.in[at], gg_add_ways(around.in[j], from_v));
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
    if (count + more > gg_room_of(c->class[a]) && !move_list(k, a, count + more))
        return false;
    for (uint32_t j = 0; more > 0 && j < degree; j++)
        if (j != i && k->seen[j] != i + 1)
            add_arc(c, a, around.to[j], gg_add_ways(to_v, around.out[j]),
                    gg_add_ways(around.in[j], from_v));
    c->work += count + degree;
    k->arcs_left += more;
    k->arcs_left--;
    return true;
}

static bool contract_vertex(contractor *k, uint32_t v) {
    contracted *c = k->c;
    const uint32_t *around = c->list[v], degree = c->count[v];
    bool done = true;
    while (degree > k->seen_room) {
        void *block = k->seen;
        bool made =
            gg_make_room(k->m->run, &block, k->seen_room, &k->seen_room, sizeof *k->seen);
        k->seen = block;
        if (!made)
            return false;
    }
    unlink_vertex(k, v);
    for (uint32_t j = 0; j < degree; j++)
        unlink_vertex(k, around[j]);
    for (uint32_t j = 0; j < degree; j++) {
        k->previous[around[j]] = j;
        k->seen[j] = 0;
    }
    for (uint32_t i = 0; i < degree && done; i++)
        done = pass_by(k, v, i) &&
               !gg_worked(k->m->run, &k->unpolled, c->count[around[i]] + degree);
    for (uint32_t j = 0; j < degree; j++)
        link_vertex(k, around[j]);
    k->left--;
    k->arcs_left -= degree;
    return done && move_list(k, v, degree);
}

static double predicted_ns(const contractor *k) {
    const double left = k->left > 0 ? k->left : 1,
                 above = (double)k->arcs_left / left - 2;
    const double more = above > 0 ? LEFT_WORK * sqrt(left) * left * above * above : 0;
    return k->n * VERTEX_NS + ((double)k->c->work + more) * ARC_NS;
}

static uint64_t bytes_held(const contractor *k) {
    return k->c->bytes + (uint64_t)k->n * VERTEX_BYTES;
}

/* Is it still worth it? */
static bool is_within(const contractor *k, const contraction_limit *most) {
    return predicted_ns(k) <= most->ns && bytes_held(k) <= most->bytes;
}

/* A graph with as many cycles as a road network takes about as long for each. */
static bool begins_within(const contractor *k, const contraction_limit *most) {
    return is_within(k, most) && gg_contraction_ns(k->n, k->arcs_left / 2) <= most->ns;
}

/* All that up arcs of v lead to went after v, and lies on one chain: the deepest one is v's parent. */
static void hang(contracted *c, uint32_t v) {
    const uint32_t *to = c->list[v];
    uint32_t parent = GPUGRAPH_NONE;
    for (uint32_t i = 0; i < c->count[v]; i++)
        if (parent == GPUGRAPH_NONE || c->depth[to[i]] > c->depth[parent])
            parent = to[i];
    c->parent[v] = parent;
    c->depth[v] = parent == GPUGRAPH_NONE ? 0 : c->depth[parent] + 1;
}

static bool contract_all(contractor *k, const contraction_limit *most) {
    uint32_t last = GPUGRAPH_NONE;
    if (!begins_within(k, most))
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
        hang(k->c, v);
    }
    return !gg_stopping(k->m->run);
}

bool gg_contract(const matrix *m, const contraction_limit *most, contracted *c) {
    const uint32_t n = m->graph->n;
    contractor k = {.m = m, .c = c, .n = n};
    *c = (contracted){.both_ways = m->direction == GPUGRAPH_BOTH};
    c->list = gg_alloc(m->run, n, sizeof *c->list);
    c->class = gg_alloc(m->run, n, sizeof *c->class);
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
    while (c->blocks) {
        struct word_block *block = c->blocks;
        c->blocks = block->next;
        gg_release(block);
    }
    gg_release(c->list);
    gg_release(c->class);
    gg_release(c->count);
    gg_release(c->parent);
    gg_release(c->depth);
}
