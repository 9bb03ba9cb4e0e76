/* What a batch changes in the arcs that are kept by the ids of their edges
** (graph/adjacency.c).
**
**     plan     arcs that go, by (old row, arc); arcs that come, by (new row, arc); how much
**              room they will need
**     commit   arcs go, rows and targets get their new numbers where vertices do, arcs come
**
** Only rows that lose or gain an arc are touched, and those that are full go to the end of the
** array, which grows. Where it has become too large for its arcs, or ids do not fit any more, all is given
** up, to be made anew when it is next asked for. */
#include "update.h"

#include <string.h>

/* The array of arcs has grown to that many places for an arc when the update makes it
** anew. */
enum { ADJACENCY_MOST = 4 };

/* ---- the plan ---- */

/* Room for so many arcs, and some to come. */
static uint64_t roomy(uint64_t count) {
    const uint64_t room = count + count / 2 + 2;
    return room < UINT32_MAX ? room : count;
}

static bool take_arrays(update *u, const struct adjacency *a, adjacency_plan *p) {
    gpugraph_run *run = u->run;
    p->removed = gg_alloc(run, u->removed_count, sizeof *p->removed);
    p->added = p->removed ? gg_alloc(run, u->added_count, sizeof *p->added) : NULL;
    const uint64_t rows = u->vertices.after;
    if (p->added && rows > a->rows) {
        p->rows = rows + rows / GG_ROOM_SHARE + 1;
        p->row = gg_alloc(run, p->rows, sizeof *p->row);
        if (p->row && a->in)
            p->in = gg_alloc(run, p->rows, sizeof *p->in);
    }
    return !gg_stopping(run);
}

static void list_removed(update *u, gpugraph_direction side, adjacency_plan *p) {
    const struct adjacency *a = &u->graph->derived.adjacency[side];
    for (uint64_t i = 0; i < u->removed_count; i++) {
        const end_ref from = (end_ref)(2 * i + side);
        uint64_t id;
        p->fits &= gg_arc_id(a, u->removed_id[i], &id);
        p->removed[i] =
            (row_arc){gg_removed_end(u, from),
                      (uint64_t)gg_removed_end(u, from ^ 1) << 32 | (uint32_t)id};
    }
}

/* By their rows; those of one row by target and id, as edges of a batch are in order of ids. */
static void list_added(update *u, gpugraph_direction side, adjacency_plan *p) {
    const struct adjacency *a = &u->graph->derived.adjacency[side];
    for (uint64_t i = 0; i < u->added_count; i++) {
        const end_ref from = (end_ref)(2 * i + side);
        u->key[i] = (uint64_t)u->end[from].new << 32 | u->end[from ^ 1].new;
        u->coming[i] = from;
    }
    gg_update_sort(u, u->coming, u->added_count);
    for (uint64_t i = 0; i < u->added_count && !gg_stopping(u->run); i++) {
        const end_ref from = u->coming[i];
        uint64_t id;
        p->fits &= gg_arc_id(a, u->added->edge_id[from / 2], &id);
        p->added[i] = (row_arc){u->end[from].new,
                                (uint64_t)u->end[from ^ 1].new << 32 | (uint32_t)id};
    }
}

/* Whoever walks over arcs fetches the rows of those ahead, and then what these rows hold. */
static void fetch_row(const struct adjacency *a, uint32_t row) {
    gg_fetch(&a->row[row]);
}

static void fetch_arcs(const struct adjacency *a, const row_arc *of) {
    const struct adjacency_row *row = &a->row[of->row];
    const uint64_t *arc = a->arc + (row->begin & ~ADJACENCY_LOOSE);
    gg_fetch(arc);
    gg_fetch(arc + row->count); /* short rows lie in one line or two */
    if (a->in)
        gg_fetch(&a->in[of->arc >> 32]);
}

static void fetch_ahead(const struct adjacency *a, const row_arc *arc, uint64_t i,
                        uint64_t count) {
    if (i + GG_FETCH_AHEAD < count)
        fetch_row(a, arc[i + GG_FETCH_AHEAD].row);
    if (i + GG_FETCH_AHEAD / 2 < count)
        fetch_arcs(a, &arc[i + GG_FETCH_AHEAD / 2]);
}

/* How many of the added arcs from i on are of one row. */
static uint64_t group_at(const adjacency_plan *p, uint64_t i, uint64_t count) {
    uint64_t end = i + 1;
    while (end < count && p->added[end].row == p->added[i].row)
        end++;
    return end - i;
}

/* Places for so many more at the end. */
static bool grow(const update *u, struct adjacency *a, uint64_t need) {
    if (need <= a->room - a->used)
        return true;
    if (a->used + need > ADJACENCY_MOST * u->edges.after + GG_ADJACENCY_LEAST)
        return false;
    const uint64_t room = a->room + a->room / GG_ADJACENCY_SPARE + need;
    uint64_t *arc = gg_grow(a->arc, room, sizeof *arc);
    if (!arc)
        return false;
    a->arc = arc;
    a->room = room;
    return true;
}

static void count_room(const update *u, struct adjacency *a, adjacency_plan *p) {
    uint64_t need = 0;
    for (uint64_t i = 0, group; i < u->added_count; i += group) {
        const uint32_t old = u->end[u->coming[i]].old;
        if (i + GG_FETCH_AHEAD < u->added_count) {
            const uint32_t far = u->end[u->coming[i + GG_FETCH_AHEAD]].old;
            fetch_row(a, far == GPUGRAPH_NONE ? 0 : far);
        }
        const struct adjacency_row none = {0},
                                   *row = old == GPUGRAPH_NONE ? &none : &a->row[old];
        group = group_at(p, i, u->added_count);
        if (row->count + group > row->room)
            need += roomy(row->count + group);
    }
    p->fits = p->fits && grow(u, a, need);
}

static void plan_side(update *u, gpugraph_direction side) {
    struct adjacency *a = &u->graph->derived.adjacency[side];
    adjacency_plan *p = &u->adjacency[side];
    if (!gg_adjacency_made(u->graph, side) || gg_stopping(u->run))
        return;
    p->fits = !u->changes->before;
    p->planned = true;
    if (!p->fits || !take_arrays(u, a, p))
        return;
    list_removed(u, side, p);
    list_added(u, side, p);
    if (!gg_stopping(u->run) && p->fits)
        count_room(u, a, p);
}

void gg_update_adjacency(update *u) {
    if (gg_same_ends(u))
        return;
    plan_side(u, GPUGRAPH_OUT);
    plan_side(u, GPUGRAPH_IN);
}

void gg_free_adjacency_plan(adjacency_plan *p) {
    gg_release(p->removed);
    gg_release(p->added);
    gg_release(p->row);
    gg_release(p->in);
}

/* ---- the commit ---- */

static void take_out(struct adjacency *a, const row_arc *gone) {
    struct adjacency_row *row = &a->row[gone->row];
    const bool loose = row->begin & ADJACENCY_LOOSE;
    uint64_t *arc = a->arc + (row->begin & ~ADJACENCY_LOOSE), at = 0;
    if (!loose)
        at = gg_first_arc(arc, row->count, gone->arc);
    while (loose && at < row->count && arc[at] != gone->arc)
        at++;
    if (at < row->count && arc[at] == gone->arc)
        memmove(arc + at, arc + at + 1, (--row->count - at) * sizeof *arc);
    if (a->in)
        a->in[gone->arc >> 32]--;
}

static void make_room_of_adjacency(struct adjacency *a, struct adjacency_row *row,
                                   uint64_t count) {
    const uint64_t loose = row->begin & ADJACENCY_LOOSE, from = row->begin & ~loose;
    if (count <= row->room)
        return;
    memcpy(a->arc + a->used, a->arc + from, row->count * sizeof *a->arc);
    row->begin = a->used | loose;
    row->room = (uint32_t)roomy(count);
    a->used += row->room;
}

/* Both ascend: from the last one on each goes to its place. */
static void merge_adjacency(uint64_t *arc, uint64_t count, const row_arc *come,
                            uint64_t more) {
    for (uint64_t to = count + more; more > 0;)
        if (count > 0 && arc[count - 1] > come[more - 1].arc)
            arc[--to] = arc[--count];
        else
            arc[--to] = come[--more].arc;
}

static void put_adjacency_in(struct adjacency *a, const row_arc *come, uint64_t count) {
    struct adjacency_row *row = &a->row[come->row];
    make_room_of_adjacency(a, row, row->count + count);
    uint64_t *arc = a->arc + (row->begin & ~ADJACENCY_LOOSE);
    if (row->begin & ADJACENCY_LOOSE)
        for (uint64_t i = 0; i < count; i++)
            arc[row->count + i] = come[i].arc;
    else
        merge_adjacency(arc, row->count, come, count);
    row->count += (uint32_t)count;
    for (uint64_t i = 0; a->in && i < count; i++)
        a->in[come[i].arc >> 32]++;
}

typedef struct renumbering {
    const struct adjacency *a;
    const splice *vertices;
} renumbering;

static void renumber_targets(void *of, uint64_t low, uint64_t high) {
    const renumbering *r = of;
    for (uint64_t v = low; v < high; v++) {
        const struct adjacency_row *row = &r->a->row[v];
        uint64_t *arc = r->a->arc + (row->begin & ~ADJACENCY_LOOSE);
        for (uint64_t k = 0; k < row->count; k++)
            arc[k] = (uint64_t)gg_renumber(r->vertices, (uint32_t)(arc[k] >> 32)) << 32 |
                     (uint32_t)arc[k];
    }
}

/* Of vertices that stay; fresh ones have none yet. */
static void move_rows(update *u, struct adjacency *a, adjacency_plan *p) {
    struct adjacency_row *to = p->row ? p->row : a->row;
    gg_splice_move(&u->vertices, to, a->row, sizeof *to);
    for (uint64_t f = 0; f < u->fresh; f++)
        to[u->fresh_new[f]] = (struct adjacency_row){0};
    if (p->row) {
        gg_release(a->row);
        a->row = p->row;
        a->rows = p->rows;
        p->row = NULL;
    }
}

static void move_in(update *u, struct adjacency *a, adjacency_plan *p) {
    uint32_t *to = p->in ? p->in : a->in;
    gg_splice_move(&u->vertices, to, a->in, sizeof *to);
    for (uint64_t f = 0; f < u->fresh; f++)
        to[u->fresh_new[f]] = 0;
    if (p->in) {
        gg_release(a->in);
        a->in = p->in;
        p->in = NULL;
    }
}

static void commit_side(update *u, struct adjacency *a, adjacency_plan *p) {
    enum { ROWS = 1024 };
    for (uint64_t i = 0; i < u->removed_count; i++) {
        fetch_ahead(a, p->removed, i, u->removed_count);
        take_out(a, &p->removed[i]);
    }
    if ((u->fresh || u->vanished) && a->in)
        move_in(u, a, p);
    if (u->fresh || u->vanished)
        move_rows(u, a, p);
    if (gg_renumbers(&u->vertices)) {
        renumbering r = {a, &u->vertices};
        gg_chunks(gg_threads(u->run, a->used), u->vertices.after, ROWS, renumber_targets,
                  &r);
    }
    for (uint64_t i = 0, group; i < u->added_count; i += group) {
        group = group_at(p, i, u->added_count);
        fetch_ahead(a, p->added, i, u->added_count);
        put_adjacency_in(a, &p->added[i], group);
    }
}

void gg_commit_adjacency(update *u) {
    const adjacency_plan *out = &u->adjacency[GPUGRAPH_OUT],
                         *in = &u->adjacency[GPUGRAPH_IN];
    if ((out->planned && !out->fits) || (in->planned && !in->fits)) {
        gg_free_adjacency(u->graph);
        return;
    }
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
        if (u->adjacency[side].planned)
            commit_side(u, &u->graph->derived.adjacency[side], &u->adjacency[side]);
}
