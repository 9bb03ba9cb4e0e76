/* A batch of insertions in order of its sources: the items of a vertex, a run, come one after the
** other, and one lane inserts them with no other at the vertex.
**
**     short    by that lane, without atomics and claims: what comes later in the batch comes
**              later. It founds the table and makes chains longer, and a tombstone on the way
**              becomes the entry's place. A table that then has more than slab_most is listed
**     long     announced as a whole; after the rehash in chunks, a lane for an item, as any other
**              insertion */
#ifndef GPUGRAPH_SLAB_RUN_H
#define GPUGRAPH_SLAB_RUN_H

#include "slab_table.h"

struct slab_sorted { /* the batch: a view */
    const uint32_t *source, *target, *value;
    const uint64_t *pair; /* of a map: or NULL, and target and value hold it */
    const uint32_t *run;  /* the number of each run's first item */
    uint64_t count;
    uint32_t runs;
    bool valued, keep;
};

/* A lane's visit at a vertex. */
struct slab_visit {
    struct slab_vertex v;  /* as it is by now */
    struct slab_hand hand; /* what it waits for */
    uint64_t item, end;    /* what is left of the run */
    uint32_t from, added;
    bool announced; /* nothing is inserted now */
};

WARP_FUNCTION uint64_t slab_sorted_pair(const struct slab_sorted *b, uint64_t item) {
    return b->pair ? b->pair[item]
                   : slab_pair(b->target[item], b->valued ? b->value[item] : 0);
}

/* The first tombstone among the places before `end`; SLAB_WORDS: there is none. */
WARP_FUNCTION uint32_t slab_first_dead(const uint32_t *word, uint32_t end, bool valued) {
    uint32_t first = SLAB_WORDS;
    const int step = valued ? 2 : 1;
    for (int i = SLAB_WORDS - step; i >= 0; i -= step)
        if ((uint32_t)i < end && word[i] == SLAB_DEAD)
            first = (uint32_t)i;
    return first;
}

/* Puts an entry into the table of which this lane is the only visitor. */
WARP_FUNCTION enum slab_outcome slab_insert_alone(const struct slab_graph *g,
                                                  struct slab_visit *visit, uint64_t pair,
                                                  bool valued, bool keep) {
    struct slab_probe p = slab_begin(g, visit->v, (uint32_t)pair);
    uint32_t *dead = NULL, next = SLAB_NONE;
    for (uint32_t turn = 0;;) {
        uint32_t word[SLAB_WORDS], end = slab_entry_words(p, turn);
        uint32_t sector = p.first + slab_turn(p, turn);
        uint32_t *place = g->word + (uint64_t)sector * SLAB_WORDS;
        slab_read_own(g, sector, word);
        struct slab_sight s = slab_look(word, end, (uint32_t)pair, valued);
        if (!dead) {
            uint32_t first = slab_first_dead(word, end, valued);
            dead = first < SLAB_WORDS ? place + first : NULL;
        }
        if (s.place < SLAB_WORDS && s.there != SLAB_NONE) {
            if (!keep)
                slab_write_own(place + s.place, pair, valued);
            return SLAB_FOUND;
        }
        if (end == SLAB_LINK)
            next = word[SLAB_LINK];
        bool ends = s.place < SLAB_WORDS || (turn + 1 == p.width && next == SLAB_NONE);
        if (ends && dead) {
            slab_write_own(dead, pair, valued);
            visit->v.dead--;
            return SLAB_ADDED;
        }
        if (s.place < SLAB_WORDS) {
            slab_write_own(place + s.place, pair, valued);
            visit->v.used++;
            return SLAB_ADDED;
        }
        if (++turn < p.width)
            continue;
        if (next == SLAB_NONE) {
            if (!slab_holds(&visit->hand, slab_next_width(p.width) / 2))
                return SLAB_WANTS;
            next = *slab_link_of(g, p) = visit->hand.piece;
            visit->hand.piece = SLAB_NONE;
        }
        p.first = next;
        p.width = slab_next_width(p.width);
        next = SLAB_NONE;
        turn = 0;
    }
}

/* ---- a visit ---- */

WARP_FUNCTION struct slab_visit slab_no_visit(void) {
    struct slab_visit none = {
        {0, 0, 0, 0}, slab_empty_hand(SLAB_NONE), 0, 0, SLAB_NONE, 0, false};
    return none;
}

WARP_FUNCTION struct slab_visit
slab_begin_visit(const struct slab_graph *g, const struct slab_sorted *b, uint32_t run) {
    struct slab_visit visit = slab_no_visit();
    visit.item = b->run[run];
    visit.end = run + 1 < b->runs ? b->run[run + 1] : b->count;
    visit.from = b->source[visit.item];
    visit.v = slab_vertex_of(g, visit.from);
    visit.announced = visit.end - visit.item > SLAB_RUN;
    return visit;
}

/* Items of a visit that has not begun which have SLAB_FAR others before them. */
WARP_FUNCTION uint32_t slab_far(const struct slab_visit *visit) {
    const uint64_t items = visit->end - visit->item;
    return items > SLAB_FAR ? (uint32_t)items - SLAB_FAR : 0;
}

/* Sends for the sectors where the probes of a run begin, so that it waits for them once. */
WARP_FUNCTION void slab_look_ahead(const struct slab_graph *g,
                                   const struct slab_sorted *b,
                                   const struct slab_visit *visit) {
#ifdef __CUDA_ARCH__
    if (visit->announced || visit->v.sectors == 0)
        return;
    for (uint64_t item = visit->item; item < visit->end; item++) {
        struct slab_probe p =
            slab_begin(g, visit->v, (uint32_t)slab_sorted_pair(b, item));
        uint64_t sector = p.first + slab_turn(p, 0);
        asm volatile("prefetch.global.L1 [%0];" ::"l"(g->word + sector * SLAB_WORDS));
    }
#else
    (void)g, (void)b, (void)visit;
#endif
}

/* As far as it goes without another piece: sectors of the one that is needed, or 0, when nothing is
** left to do. */
WARP_FUNCTION uint32_t slab_go_visiting(const struct slab_graph *g,
                                        const struct slab_sorted *b,
                                        struct slab_visit *visit) {
    if (visit->announced || visit->item == visit->end)
        return 0;
    if (visit->v.sectors == 0)
        return slab_sectors_for((uint32_t)(visit->end - visit->item), g->load, b->valued);
    for (; visit->item < visit->end; visit->item++) {
        uint64_t pair = slab_sorted_pair(b, visit->item);
        enum slab_outcome outcome = slab_insert_alone(g, visit, pair, b->valued, b->keep);
        if (outcome == SLAB_WANTS)
            return 1u << visit->hand.wanted;
        visit->added += outcome == SLAB_ADDED;
    }
    return 0;
}

/* The piece of so many sectors that was needed. SLAB_NONE: the arena has ended, and the rest of the
** run is left undone. */
WARP_FUNCTION void slab_bring(struct slab_visit *visit, uint32_t sectors,
                              uint32_t piece) {
    if (piece == SLAB_NONE) {
        visit->item = visit->end;
    } else if (visit->v.sectors == 0) {
        visit->v.base = piece;
        visit->v.sectors = sectors;
    } else {
        visit->hand.piece = piece;
        visit->hand.kind = visit->hand.wanted;
    }
}

/* Leaves the vertex as it is now. Is it to be listed for a rehash? */
WARP_FUNCTION bool slab_end_visit(const struct slab_graph *g,
                                  const struct slab_visit *visit, bool valued) {
    const struct slab_vertex v = visit->v;
    if (visit->from == SLAB_NONE)
        return false;
    uint32_t most = slab_most(v.sectors, g->load, valued);
    if (visit->announced) {
        uint32_t incoming = (uint32_t)(visit->end - visit->item);
        if (v.used + incoming <= most)
            return false;
        g->incoming[visit->from] = incoming;
        return true;
    }
    g->vertex[visit->from] = v;
    return v.used - v.dead > most;
}

/* How many chunks the run leaves behind. */
WARP_FUNCTION uint32_t slab_chunks(const struct slab_visit *visit) {
    const uint64_t items = visit->announced ? visit->end - visit->item : 0;
    return (uint32_t)((items + SLAB_CHUNK - 1) / SLAB_CHUNK);
}

/* Lists the chunks of a run that begins at `item`; all lanes of the warp come, and write one run's after
** the other's. */
WARP_FUNCTION void slab_list_chunks(const struct slab_graph *g, uint32_t *list,
                                    uint32_t item, uint32_t chunks) {
    uint32_t all, with = warp_ballot(chunks > 0), first = 0;
    if (with == 0)
        return;
    uint32_t at = warp_sum_before(chunks, &all);
    if (warp_lane() == 0)
        first = device_take(&g->pool->later, all);
    at += warp_from(first, 0);
    for (; with; with &= with - 1) {
        unsigned lane = warp_first(with);
        uint32_t to = warp_from(at, lane), count = warp_from(chunks, lane);
        uint32_t begin = warp_from(item, lane);
        for (uint32_t i = warp_lane(); i < count; i += warp_width)
            list[to + i] = begin + i * SLAB_CHUNK;
    }
}

#define SLAB_NO_ITEM UINT64_MAX

/* Number i of the items that chunks have room for; a chunk ends where its run does. */
WARP_FUNCTION uint64_t slab_waiting_item(const struct slab_sorted *b,
                                         const uint32_t *chunk, uint64_t i) {
    uint32_t first = chunk[i / SLAB_CHUNK];
    uint64_t item = (uint64_t)first + i % SLAB_CHUNK;
    return item < b->count && b->source[item] == b->source[first] ? item : SLAB_NO_ITEM;
}

#endif
