/* The blocks of a dynamic graph, and room in its arena.
**
** Slabs hold numbers of sectors, not addresses: a larger arena is a copy. One that is mostly
** free pieces is made anew instead, with every table in it rehashed. */
#include "dynamic.h"
#include "tuning.h"

#include <string.h>

/* Sectors an arena may have: their numbers stay clear of SLAB_NONE. */
#define MOST_SECTORS 0xf0000000u

/* ---- blocks ---- */

/* What kernels see of the blocks. */
static void look_again(gpugraph_dynamic *d) {
    struct slab_graph *g = &d->slabs;
    g->vertex = d->vertex.block;
    g->word = d->arena.block;
    g->incoming = d->incoming.block;
    g->filter = d->incoming.block; /* the first part of one block: emptied together */
    g->incoming = (uint32_t *)d->incoming.block + SLAB_FILTER_WORDS;
    g->growing = d->growing.block;
    g->huge = d->huge.block;
    g->pool = d->pool.block;
    for (int kind = 0; kind < SLAB_LISTS; kind++) {
        g->list[kind] = d->list[kind].block;
        g->room[kind] = (uint32_t)(d->list[kind].bytes / sizeof *g->list[kind]);
    }
    g->capacity = (uint32_t)(d->arena.bytes / (SLAB_WORDS * sizeof *g->word));
}

void gg_dynamic_drop(gpugraph_dynamic *d, struct held *h) {
    if (h->block)
        d->place->give(d, h->block, h->bytes);
    *h = (struct held){NULL, 0};
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
    gg_dynamic_drop(d, h);
    *h = larger;
    look_again(d);
}

struct slab_pool gg_dynamic_pool(gpugraph_dynamic *d) {
    struct slab_pool pool = {0};
    d->place->download(d, &pool, d->slabs.pool, sizeof pool);
    d->end = pool.end;
    return pool;
}

/* A list of free pieces with room for that many: a ring, which is put straight. */
static void enlarge_list(gpugraph_dynamic *d, int kind, uint64_t pieces) {
    const uint64_t entry = sizeof(uint32_t);
    struct held *h = &d->list[kind];
    if (!gg_dynamic_going(d) || pieces * entry <= h->bytes)
        return;
    struct slab_pool pool = gg_dynamic_pool(d);
    struct held larger = {d->place->take(d, pieces * entry), pieces * entry};
    if (!larger.block)
        return;
    uint64_t room = h->bytes / entry, first = pool.first[kind], count = pool.count[kind];
    uint64_t straight = count < room - first ? count : room - first;
    uint32_t *from = h->block, *to = larger.block;
    d->place->copy(d, to, from + first, straight * entry);
    d->place->copy(d, to + straight, from, (count - straight) * entry);
    pool.first[kind] = 0;
    d->place->upload(d, &d->slabs.pool->first, pool.first, sizeof pool.first);
    gg_dynamic_drop(d, h);
    *h = larger;
    look_again(d);
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
    enlarge_list(d, 2, (end + sectors) / SLAB_SECTORS + 1);
    gg_dynamic_enlarge(d, &d->huge, ((end + sectors) / SLAB_HUGE + 1) * sizeof(uint32_t),
                       0);
    gg_dynamic_enlarge(d, &d->arena, (end + sectors) * sector, 0xff);
    if (gg_dynamic_going(d) && d->end != end) { /* takers have overshot */
        d->end = (uint32_t)end;
        d->place->upload(d, &d->slabs.pool->end, &d->end, sizeof d->end);
    }
}

/* No more free pieces of a kind than there are vertices. */
void gg_dynamic_short_lists(gpugraph_dynamic *d) {
    for (int kind = 0; kind < 2; kind++)
        enlarge_list(d, kind, d->vertex.bytes / sizeof(struct slab_vertex));
}

/* `growing` comes last, so its length is the room. */
void gg_dynamic_grow_vertices(gpugraph_dynamic *d, uint32_t vertices) {
    uint64_t room = d->growing.bytes / sizeof(uint32_t);
    if (vertices <= room)
        return;
    room += room / 2;
    room = room < vertices ? vertices : room;
    room = room > SLAB_MOST_VERTICES ? SLAB_MOST_VERTICES : room;
    gg_dynamic_enlarge(d, &d->vertex, room * sizeof(struct slab_vertex), 0);
    gg_dynamic_enlarge(d, &d->incoming, (SLAB_FILTER_WORDS + room) * sizeof(uint32_t), 0);
    if (d->list[0].bytes > 0)
        gg_dynamic_short_lists(d);
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

/* Sectors of bases and the chains that they will have. */
static uint64_t with_chains(const gpugraph_dynamic *d, uint64_t bases) {
    double chains = d->slabs.load > 0.75 ? d->slabs.load + 0.5 : 1.0 / GG_SLAB_CHAINS;
    return bases + (uint64_t)((double)bases * chains);
}

/* Takes every table over into an arena of its own, as small as may be, in place of one that
** is mostly free pieces. `extra`: sectors to be left over. */
static void compact(gpugraph_dynamic *d, const struct dynamic_batch *b, uint64_t extra) {
    const uint64_t sector = SLAB_WORDS * sizeof(uint32_t);
    struct dynamic_batch moving = *b;
    struct held arena = d->arena, vertex = d->vertex;
    struct slab_pool pool = gg_dynamic_pool(d), before = pool;
    moving.old = d->slabs;
    pool.end = 0;
    memset(pool.first, 0, sizeof pool.first);
    memset(pool.count, 0, sizeof pool.count);
    memset(pool.growing, 0, sizeof pool.growing);
    pool.report.sectors = 0;
    d->place->upload(d, d->slabs.pool, &pool, sizeof pool);
    gg_dynamic_step(d, STEP_LIST_ALL, b);
    gg_dynamic_step(d, STEP_SUM_BASES, b);
    uint64_t sectors = gg_dynamic_pool(d).report.sectors;
    sectors = with_chains(d, sectors) + extra + SLAB_SECTORS;
    d->arena = d->vertex = (struct held){NULL, 0};
    d->end = 0;
    if (sectors > MOST_SECTORS)
        sectors = MOST_SECTORS;
    gg_dynamic_enlarge(d, &d->arena, sectors * sector, 0xff);
    gg_dynamic_enlarge(d, &d->vertex, vertex.bytes, 0);
    gg_dynamic_enlarge(d, &d->huge, (sectors / SLAB_HUGE + 1) * sizeof(uint32_t), 0);
    gg_dynamic_step(d, STEP_REHASH, &moving);
    pool = gg_dynamic_pool(d);
    bool moved = gg_dynamic_going(d) && !pool.report.full;
    gg_dynamic_drop(d, moved ? &arena : &d->arena);
    gg_dynamic_drop(d, moved ? &vertex : &d->vertex);
    if (!moved) { /* all is as it was; the step that wants room will ask again */
        d->arena = arena;
        d->vertex = vertex;
        before.report.full = 1;
        memset(before.growing, 0, sizeof before.growing);
        d->end = before.end;
        d->place->upload(d, d->slabs.pool, &before, sizeof before);
    }
    look_again(d);
}

static bool has_room(const gpugraph_dynamic *d, uint64_t sectors) {
    return d->end <= d->slabs.capacity && d->slabs.capacity - d->end >= sectors;
}

void gg_dynamic_rehash(gpugraph_dynamic *d, struct dynamic_batch *b, uint64_t most) {
    if (!has_room(d, most)) {
        gg_dynamic_step(d, STEP_SUM_BASES, b);
        struct slab_pool pool = gg_dynamic_pool(d);
        uint64_t chains = b->count / GG_SLAB_CHAINS + SLAB_SECTORS;
        uint64_t wanted = with_chains(d, pool.report.sectors) + chains;
        uint64_t free = pool.count[0] + 2 * (uint64_t)pool.count[1] +
                        SLAB_SECTORS * (uint64_t)pool.count[2];
        if (!has_room(d, wanted) && free > wanted && free > d->end / 2) {
            compact(d, b, chains);
            return;
        }
        if (!has_room(d, wanted))
            gg_dynamic_grow_arena(d, wanted);
    }
    b->old = d->slabs;
    gg_dynamic_step(d, STEP_REHASH, b);
}
