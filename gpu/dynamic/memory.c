/* The blocks of a dynamic graph, and room in its arena.
**
** Slabs hold numbers of sectors, not addresses, so a larger arena is a copy. An arena
** that consists mostly of free pieces is compacted instead: every table is rehashed into
** a new one. */
#include "dynamic.h"
#include "base/run.h"

#include <string.h>

/* Slabs of bases for each slab of chains, by estimate: determines the arena's size. */
enum { SLAB_CHAINS = 12 };

/* The most sectors of an arena: their numbers stay below SLAB_NONE. */
#define MOST_SECTORS 0xf0000000u

/* Bytes for a huge vertex: its move, and its parts. All bases fit the arena, so they have
** at most the whole parts of the arena, and one more part for each huge vertex. */
#define HUGE_BYTES                                                                       \
    (sizeof(struct slab_move) + (SLAB_HUGE / SLAB_PART + 2) * sizeof(uint32_t))

/* ---- blocks ---- */

/* Updates the views of the blocks that kernels read. */
static void view_blocks(gpugraph_dynamic *d) {
    struct slab_graph *g = &d->slabs;
    g->vertex = d->tables.vertex.block;
    g->word = d->tables.arena.block;
    /* filter and incoming share a block, so that they are cleared together */
    g->filter = d->incoming.block;
    g->incoming = (uint32_t *)d->incoming.block + SLAB_FILTER_WORDS;
    g->growing = d->growing.block;
    g->huge = d->huge.block; /* the parts of the moves lie behind the moves */
    g->part = (uint32_t *)(g->huge + d->huge.bytes / HUGE_BYTES);
    g->pool = d->tables.pool.block;
    for (int kind = 0; kind < SLAB_LISTS; kind++) {
        g->list[kind] = d->tables.list[kind].block;
        g->room[kind] = (uint32_t)(d->tables.list[kind].bytes / sizeof *g->list[kind]);
    }
    g->capacity = (uint32_t)(d->tables.arena.bytes / (SLAB_WORDS * sizeof *g->word));
}

void gg_dynamic_drop(gpugraph_dynamic *d, struct held *h) {
    if (h->block)
        d->place->give(d, h->block, h->bytes);
    *h = (struct held){NULL, 0};
}

void gg_dynamic_drop_tables(gpugraph_dynamic *d, struct dynamic_tables *t) {
    gg_dynamic_drop(d, &t->arena);
    gg_dynamic_drop(d, &t->vertex);
    gg_dynamic_drop(d, &t->pool);
    for (int kind = 0; kind < SLAB_LISTS; kind++)
        gg_dynamic_drop(d, &t->list[kind]);
}

/* Replaces a block by a larger one, if nothing failed when the larger one was filled. */
static void replace(gpugraph_dynamic *d, struct held *h, struct held larger) {
    gg_dynamic_drop(d, gg_dynamic_going(d) ? h : &larger);
    if (gg_dynamic_going(d))
        *h = larger;
    view_blocks(d);
}

void gg_dynamic_enlarge(gpugraph_dynamic *d, struct held *h, uint64_t bytes, int byte) {
    if (!gg_dynamic_going(d) || bytes <= h->bytes)
        return;
    struct held larger = {d->place->take(d, bytes), bytes};
    if (!larger.block)
        return;
    if (h->bytes > 0)
        d->place->copy(d, larger.block, h->block, h->bytes);
    d->place->fill(d, (char *)larger.block + h->bytes, byte, bytes - h->bytes);
    replace(d, h, larger);
}

struct slab_pool gg_dynamic_pool(gpugraph_dynamic *d) {
    struct slab_pool pool = {0};
    d->place->download(d, &pool, d->slabs.pool, sizeof pool);
    if (gg_dynamic_going(d)) {
        d->end = pool.end;
        d->free = pool.count[0] + 2 * (uint64_t)pool.count[1] +
                  SLAB_SECTORS * (uint64_t)pool.count[2];
    }
    return pool;
}

/* Enlarges a list of free pieces. A list is a ring and keeps its beginning: entries that
** had wrapped around the end now lie behind it, and those that find no room there wrap
** around again. */
static void enlarge_list(gpugraph_dynamic *d, int kind, uint64_t pieces) {
    const uint64_t entry = sizeof(uint32_t);
    struct held *h = &d->tables.list[kind];
    if (!gg_dynamic_going(d) || pieces * entry <= h->bytes)
        return;
    struct slab_pool pool = gg_dynamic_pool(d);
    struct held larger = {d->place->take(d, pieces * entry), pieces * entry};
    if (!larger.block)
        return;
    uint64_t room = h->bytes / entry, first = pool.first[kind], count = pool.count[kind];
    uint64_t straight = count < room - first ? count : room - first;
    uint64_t round = count - straight, behind = pieces - room;
    behind = round < behind ? round : behind;
    uint32_t *from = h->block, *to = larger.block;
    d->place->copy(d, to + first, from + first, straight * entry);
    d->place->copy(d, to + room, from, behind * entry);
    d->place->copy(d, to, from + behind, (round - behind) * entry);
    replace(d, h, larger);
}

void gg_dynamic_grow_arena(gpugraph_dynamic *d, uint64_t sectors) {
    const uint64_t sector = SLAB_WORDS * sizeof(uint32_t);
    uint64_t end = d->end < d->slabs.capacity ? d->end : d->slabs.capacity;
    if (end + sectors > MOST_SECTORS) {
        gg_fail(d->run, GPUGRAPH_TOO_LARGE,
                "a dynamic graph has room for %u sectors of 32 bytes, and needs %llu",
                MOST_SECTORS, (unsigned long long)(end + sectors));
        return;
    }
    gg_dynamic_enlarge(d, &d->tables.arena, (end + sectors) * sector, 0xff);
    if (end > 0)
        gg_dynamic_make_lists(d);
    /* first tables free nothing but chains that came too late */
    else
        enlarge_list(d, 2, (end + sectors) / SLAB_HUGE + 1);
    if (gg_dynamic_going(d) && d->end != end) { /* pieces were taken beyond the end */
        d->end = (uint32_t)end;
        d->place->upload(d, &d->slabs.pool->end, &d->end, sizeof d->end);
    }
}

/* There are at most as many free short pieces of a kind as vertices. */
void gg_dynamic_make_lists(gpugraph_dynamic *d) {
    for (int kind = 0; kind < 2; kind++)
        enlarge_list(d, kind, d->tables.vertex.bytes / sizeof(struct slab_vertex));
    enlarge_list(d, 2, d->slabs.capacity / SLAB_SECTORS + 1);
    gg_dynamic_enlarge(d, &d->huge, (d->slabs.capacity / SLAB_HUGE + 1) * HUGE_BYTES, 0);
}

/* `growing` is enlarged last, so its length is the room. */
void gg_dynamic_grow_vertices(gpugraph_dynamic *d, uint32_t vertices) {
    uint64_t room = d->growing.bytes / sizeof(uint32_t);
    if (vertices <= room)
        return;
    room += room / 2;
    room = room < vertices ? vertices : room;
    room = room > SLAB_MOST_VERTICES ? SLAB_MOST_VERTICES : room;
    gg_dynamic_enlarge(d, &d->tables.vertex, room * sizeof(struct slab_vertex), 0);
    gg_dynamic_enlarge(d, &d->incoming, (SLAB_FILTER_WORDS + room) * sizeof(uint32_t), 0);
    if (d->tables.list[0].bytes > 0)
        gg_dynamic_make_lists(d);
    gg_dynamic_enlarge(d, &d->growing, room * sizeof(uint32_t), 0);
}

bool gg_dynamic_make_room(gpugraph_dynamic *d, struct held *h, uint64_t bytes) {
    if (h->bytes < bytes) {
        gg_dynamic_drop(d, h);
        gg_dynamic_enlarge(d, h, bytes, 0);
    }
    return gg_dynamic_going(d);
}

/* ---- room for tables ---- */

/* Returns the sectors of bases and of the chains that they will have. */
static uint64_t with_chains(const gpugraph_dynamic *d, uint64_t bases) {
    double chains = d->slabs.load > 0.75 ? d->slabs.load + 0.5 : 1.0 / SLAB_CHAINS;
    return bases + (uint64_t)((double)bases * chains);
}

/* Rehashes the listed vertices from the tables of b->old. */
static void rehash_listed(gpugraph_dynamic *d, const struct dynamic_batch *b) {
    gg_dynamic_step(d, STEP_PLAN, b);
    gg_dynamic_step(d, STEP_REHASH, b);
    gg_dynamic_step(d, STEP_FINISH, b);
}

/* Replaces an arena that consists mostly of free pieces: rehashes every table into a new
** arena that is as small as possible. extra: sectors that stay free. If this fails,
** nothing has changed, and the step that needs room requests it again. */
static void compact(gpugraph_dynamic *d, const struct dynamic_batch *b, uint64_t extra) {
    const uint64_t sector = SLAB_WORDS * sizeof(uint32_t), entry = sizeof(uint32_t);
    struct slab_pool *shared = d->slabs.pool;
    d->slabs.slack = 0;
    d->place->fill(d, shared->growing, 0, sizeof shared->growing);
    d->place->fill(d, &shared->report.sectors, 0, sizeof shared->report.sectors);
    gg_dynamic_step(d, STEP_LIST_ALL, b);
    gg_dynamic_step(d, STEP_SUM_BASES, b);
    struct slab_pool pool = gg_dynamic_pool(d), fresh = {.report = pool.report};
    memcpy(fresh.growing, pool.growing, sizeof fresh.growing);
    uint64_t sectors = with_chains(d, pool.report.sectors) + extra + SLAB_SECTORS;
    if (sectors > MOST_SECTORS)
        sectors = MOST_SECTORS;

    struct dynamic_batch moving = *b;
    struct dynamic_tables before = d->tables, *t = &d->tables;
    moving.old = d->slabs;
    memset(t, 0, sizeof *t);
    gg_dynamic_enlarge(d, &t->pool, sizeof fresh, 0);
    gg_dynamic_enlarge(d, &t->arena, sectors * sector, 0xff);
    gg_dynamic_enlarge(d, &t->vertex, before.vertex.bytes, 0);
    gg_dynamic_enlarge(d, &t->list[0], before.list[0].bytes, 0);
    gg_dynamic_enlarge(d, &t->list[1], before.list[1].bytes, 0);
    gg_dynamic_enlarge(d, &t->list[2], (sectors / SLAB_SECTORS + 1) * entry, 0);
    gg_dynamic_enlarge(d, &d->huge, (sectors / SLAB_HUGE + 1) * HUGE_BYTES, 0);
    d->place->upload(d, d->slabs.pool, &fresh, sizeof fresh);
    rehash_listed(d, &moving);
    bool full = gg_dynamic_pool(d).report.full, moved = gg_dynamic_going(d) && !full;
    gg_dynamic_drop_tables(d, moved ? &before : t);
    if (moved)
        return;
    *t = before;
    view_blocks(d);
    d->end = pool.end;
    pool.report.full = 1;
    d->place->upload(d, &shared->report, &pool.report, sizeof pool.report);
}

bool gg_dynamic_has_room(const gpugraph_dynamic *d, uint64_t sectors) {
    return d->end <= d->slabs.capacity && d->slabs.capacity - d->end >= sectors;
}

/* Returns the sectors of new bases and of their chains, and of chains that the batch
** lengthens. */
static uint64_t wanted_for(const gpugraph_dynamic *d, const struct dynamic_batch *b,
                           uint64_t bases, uint64_t *chains) {
    /* existing tables may get longer chains; at first there are none */
    bool longer = d->end > 0 || d->slabs.load > 0.75;
    *chains = (longer ? b->count / SLAB_CHAINS : 0) + SLAB_SECTORS;
    return with_chains(d, bases) + *chains;
}

void gg_dynamic_rehash(gpugraph_dynamic *d, struct dynamic_batch *b, uint64_t most) {
    if (!gg_dynamic_has_room(d, most)) {
        gg_dynamic_step(d, STEP_SUM_BASES, b);
        struct slab_pool pool = gg_dynamic_pool(d);
        uint64_t chains, wanted = wanted_for(d, b, pool.report.sectors, &chains);
        if (!gg_dynamic_has_room(d, wanted) && d->free > wanted && d->free > d->end / 2) {
            compact(d, b, chains);
            return;
        }
        if (!gg_dynamic_has_room(d,
                                 wanted)) { /* an arena that has grown once grows again */
            uint64_t more = d->end / 2;
            gg_dynamic_grow_arena(d, wanted > more ? wanted : more);
        }
    }
    b->old = d->slabs;
    rehash_listed(d, b);
}
