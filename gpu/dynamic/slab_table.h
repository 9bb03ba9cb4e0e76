/* One lane's operations on a table of slab.h: find, insert, claim, delete; and the
** announcement of a batch, which precedes them. */
#ifndef GPUGRAPH_SLAB_TABLE_H
#define GPUGRAPH_SLAB_TABLE_H

#include "slab_memory.h"

/* ---- probes ---- */

/* The position of a probe: a run of 1, 2 or 4 sectors, begun at one of them. */
struct slab_probe {
    uint32_t hash, first, width;
};

WARP_FUNCTION struct slab_probe slab_begin(const struct slab_graph *g,
                                           struct slab_vertex v, uint32_t target) {
    uint32_t hash = slab_hash(g, target);
    struct slab_probe p = {hash, v.base, v.sectors};
    if (v.sectors >= SLAB_SECTORS) {
        uint64_t slabs = v.sectors / SLAB_SECTORS;
        p.first += (uint32_t)((uint64_t)hash * slabs >> 32) * SLAB_SECTORS;
        p.width = SLAB_SECTORS;
    }
    return p;
}

WARP_FUNCTION uint32_t slab_turn(struct slab_probe p, uint32_t turn) {
    return (p.hash + turn) & (p.width - 1);
}

/* Returns the number of words of a sector that hold entries. */
WARP_FUNCTION uint32_t slab_entry_words(struct slab_probe p, uint32_t turn) {
    return slab_turn(p, turn) == p.width - 1 ? SLAB_LINK : SLAB_WORDS;
}

WARP_FUNCTION uint32_t *slab_link_of(const struct slab_graph *g, struct slab_probe p) {
    return g->word + (uint64_t)(p.first + p.width - 1) * SLAB_WORDS + SLAB_LINK;
}

/* The first entry of a sector that is the target or empty; `place` is SLAB_WORDS if there
** is none. Every entry is compared, so that lanes stay together. (Tombstones and
** empty entries match no target, also without the highest bit.) */
struct slab_sight {
    uint32_t place, there, value;
};

WARP_FUNCTION struct slab_sight slab_look(const uint32_t *word, uint32_t end,
                                          uint32_t target, bool valued) {
    struct slab_sight s = {SLAB_WORDS, SLAB_NONE, SLAB_NONE};
    const int step = valued ? 2 : 1;
    for (int i = SLAB_WORDS - step; i >= 0; i -= step) {
        bool same = (word[i] & ~SLAB_CLAIM) == target;
        if ((uint32_t)i < end && (same || word[i] == SLAB_NONE)) {
            s.place = (uint32_t)i;
            s.there = word[i];
            s.value = valued ? word[i | 1] : 0;
        }
    }
    return s;
}

/* Returns true if the edge exists. *value: its value in a map. *at: its position in the
** arena. */
WARP_FUNCTION bool slab_find(const struct slab_graph *g, uint32_t from, uint32_t target,
                             bool valued, enum slab_view view, uint32_t *value,
                             uint64_t *at) {
    struct slab_vertex v = slab_vertex_of(g, from);
    if (v.sectors == 0)
        return false;
    struct slab_probe p = slab_begin(g, v, target);
    uint32_t link = SLAB_NONE;
    for (uint32_t turn = 0;;) {
        uint32_t word[SLAB_WORDS], end = slab_entry_words(p, turn);
        uint32_t sector = p.first + slab_turn(p, turn);
        slab_read(g, sector, view, word);
        struct slab_sight s = slab_look(word, end, target, valued);
        if (s.place < SLAB_WORDS) {
            *value = s.value;
            *at = (uint64_t)sector * SLAB_WORDS + s.place;
            return s.there != SLAB_NONE;
        }
        if (end == SLAB_LINK)
            link = word[SLAB_LINK];
        if (++turn < p.width)
            continue;
        if (link == SLAB_NONE)
            return false;
        p.first = link;
        p.width = slab_next_width(p.width);
        link = SLAB_NONE;
        turn = 0;
    }
}

/* ---- insertion ---- */

enum slab_outcome {
    SLAB_ADDED, /* a new edge */
    SLAB_FOUND, /* the edge existed */
    SLAB_LOST,  /* a later claim of the same batch remains */
    SLAB_WANTS, /* not done: a piece is needed */
    SLAB_LATER, /* not done: the vertex must be rehashed first */
    SLAB_FULL   /* the arena is exhausted: run the batch again */
};

enum slab_manner { /* the treatment of an existing edge */
                   SLAB_KEEP,
                   SLAB_REPLACE,
                   SLAB_CLAIMS /* the pair is a claim: the latest position remains */
};

/* Replaces the entry at `at`, which holds the target. */
WARP_FUNCTION enum slab_outcome slab_replace(uint64_t *at, uint64_t found, uint64_t pair,
                                             enum slab_manner manner) {
    while (manner != SLAB_KEEP && found != pair) {
        if (manner == SLAB_CLAIMS && (uint32_t)found & SLAB_CLAIM &&
            found >> 32 > pair >> 32)
            return SLAB_LOST;
        if (device_try_64(at, &found, pair))
            break;
    }
    return SLAB_FOUND;
}

/* The pieces that a lane brings to an insertion. An insertion that needs a piece and has
** none in the hand ends with SLAB_WANTS, and is repeated with one. So lanes can take
** their pieces together. */
struct slab_hand {
    uint32_t piece, kind; /* of 1 << kind sectors. SLAB_NONE: the hand is empty */
    uint32_t wanted;      /* the kind that is needed */
    uint32_t from;        /* the vertex if its chains are limited; otherwise SLAB_NONE */
};

WARP_FUNCTION struct slab_hand slab_empty_hand(uint32_t from) {
    struct slab_hand hand = {SLAB_NONE, 0, 0, from};
    return hand;
}

/* Returns true if a run of the vertex may become longer, so that its base need not be
** replaced. */
WARP_FUNCTION bool slab_may_extend(const struct slab_graph *g, uint32_t from,
                                   uint32_t sectors, bool valued) {
    return from == SLAB_NONE ||
           device_load(&g->vertex[from].used) < slab_most(sectors, g->load, valued);
}

/* Returns true if a piece of that kind is in the hand. */
WARP_FUNCTION bool slab_holds(struct slab_hand *hand, uint32_t kind) {
    hand->wanted = kind;
    return hand->piece != SLAB_NONE && hand->kind == kind;
}

/* Fills an empty entry; *found: the entry that another lane stored first. */
WARP_FUNCTION bool slab_occupy(uint32_t *place, uint64_t pair, bool valued,
                               uint64_t *found) {
    uint32_t there = SLAB_NONE;
    *found = UINT64_MAX;
    if (valued)
        return device_try_64((uint64_t *)place, found, pair);
    bool done = device_try(place, &there, (uint32_t)pair);
    *found = there;
    return done;
}

/* Continues the probe behind a piece: in the next piece, or in the one in the hand. If it
** returns false, *outcome is the reason. */
WARP_FUNCTION bool slab_go_on(const struct slab_graph *g, struct slab_vertex v,
                              struct slab_probe p, bool valued, struct slab_hand *hand,
                              uint32_t *next, enum slab_outcome *outcome) {
    uint32_t *link = slab_link_of(g, p);
    if (*next == SLAB_NONE) /* as far as this lane has read */
        *next = device_load(link);
    if (*next != SLAB_NONE)
        return true;
    *outcome = SLAB_LATER;
    if (!slab_may_extend(g, hand->from, v.sectors, valued))
        return false;
    *outcome = SLAB_WANTS;
    if (!slab_holds(hand, slab_next_width(p.width) / 2))
        return false;
    if (device_try(link, next, hand->piece)) {
        *next = hand->piece;
        hand->piece = SLAB_NONE;
    }
    return true;
}

/* Inserts an entry into the table. pair: target (claimed or not) and value; in a set only
** the target. Each step tries one entry of a sector, whichever it is, so lanes that try
** different entries stay together. */
WARP_FUNCTION enum slab_outcome slab_insert(const struct slab_graph *g,
                                            struct slab_vertex v, uint64_t pair,
                                            bool valued, enum slab_manner manner,
                                            enum slab_view view, struct slab_hand *hand) {
    const uint32_t target = (uint32_t)pair & ~SLAB_CLAIM;
    struct slab_probe p = slab_begin(g, v, target);
    enum slab_outcome outcome;
    enum slab_view now = view;
    uint32_t next = SLAB_NONE;
    for (uint32_t turn = 0;;) {
        uint32_t word[SLAB_WORDS], end = slab_entry_words(p, turn);
        uint32_t sector = p.first + slab_turn(p, turn);
        slab_read(g, sector, now, word);
        struct slab_sight s = slab_look(word, end, target, valued);
        now = view;
        if (s.place < SLAB_WORDS) {
            uint32_t *place = g->word + (uint64_t)sector * SLAB_WORDS + s.place;
            uint64_t found = slab_pair(s.there, s.value);
            if (s.there == SLAB_NONE && slab_occupy(place, pair, valued, &found))
                return SLAB_ADDED;
            if (((uint32_t)found & ~SLAB_CLAIM) == target)
                return valued ? slab_replace((uint64_t *)place, found, pair, manner)
                              : SLAB_FOUND;
            now = SLAB_NOW;
            continue; /* another entry came first: read the sector again */
        }
        if (end == SLAB_LINK)
            next = word[SLAB_LINK];
        if (++turn < p.width)
            continue;
        if (!slab_go_on(g, v, p, valued, hand, &next, &outcome))
            return outcome;
        p.first = next;
        p.width = slab_next_width(p.width);
        next = SLAB_NONE;
        turn = 0;
    }
}

/* Frees the piece in the hand, which is clean. */
WARP_FUNCTION void slab_give_back(const struct slab_graph *g, struct slab_hand *hand) {
    if (hand->piece != SLAB_NONE)
        slab_free_piece(g, hand->kind, hand->piece);
    hand->piece = SLAB_NONE;
}

/* Replaces the piece in the hand by the one that is needed. Returns false if the arena is
** exhausted. */
WARP_FUNCTION bool slab_take_in_hand(const struct slab_graph *g, struct slab_hand *hand) {
    slab_give_back(g, hand);
    hand->kind = hand->wanted;
    hand->piece = slab_take(g, hand->kind);
    return hand->piece != SLAB_NONE;
}

/* Inserts an entry; the lane takes the pieces that it needs by itself. */
WARP_FUNCTION enum slab_outcome slab_put(const struct slab_graph *g, struct slab_vertex v,
                                         uint64_t pair, bool valued,
                                         enum slab_manner manner, enum slab_view view) {
    struct slab_hand hand = slab_empty_hand(SLAB_NONE);
    enum slab_outcome outcome;
    while ((outcome = slab_insert(g, v, pair, valued, manner, view, &hand)) == SLAB_WANTS)
        if (!slab_take_in_hand(g, &hand))
            return SLAB_FULL;
    slab_give_back(g, &hand);
    return outcome;
}

/* Inserts an entry without announcement. A vertex without a table gets the shortest one.
** A full chain is extended while that is allowed. An insertion with the outcome
** SLAB_LATER waits until the vertex has a larger base. */
WARP_FUNCTION enum slab_outcome slab_attempt(const struct slab_graph *g, uint64_t pair,
                                             bool valued, struct slab_hand *hand) {
    struct slab_vertex v = slab_vertex_now(g, hand->from);
    if (v.sectors == 0) {
        uint64_t found = v.base; /* left by a table that was cleared */
        if (!slab_holds(hand, 0))
            return SLAB_WANTS;
        v.sectors = 1;
        v.base = hand->piece;
        if (device_try_64((uint64_t *)&g->vertex[hand->from], &found,
                          (uint64_t)v.sectors << 32 | v.base)) {
            hand->piece = SLAB_NONE;
        } else {
            v.base = (uint32_t)found;
            v.sectors = (uint32_t)(found >> 32);
        }
    }
    return slab_insert(g, v, pair, valued, SLAB_KEEP, SLAB_LATELY, hand);
}

/* The filter: it marks edges that existed, or that the batch may hold twice. */
WARP_FUNCTION uint32_t slab_filter_bit(const struct slab_graph *g, uint32_t from,
                                       uint32_t target) {
    return (slab_hash(g, target) + from * 0x9e3779b1u) % SLAB_FILTER_BITS;
}
WARP_FUNCTION void slab_mark(const struct slab_graph *g, uint32_t from, uint32_t target) {
    uint32_t bit = slab_filter_bit(g, from, target);
    device_or(&g->filter[bit / 32], 1u << bit % 32);
    if (!device_load(&g->pool->report.marked))
        device_store(&g->pool->report.marked, 1);
}
WARP_FUNCTION bool slab_is_marked(const struct slab_graph *g, uint32_t from,
                                  uint32_t target) {
    uint32_t bit = slab_filter_bit(g, from, target);
    return g->filter[bit / 32] >> bit % 32 & 1;
}

/* An item of the batch claims its edge's entry. Returns the sector of the entry, or
** SLAB_NONE if a later claim is there. */
WARP_FUNCTION uint32_t slab_claim(const struct slab_graph *g, uint32_t from,
                                  uint32_t target, uint32_t position) {
    uint32_t value;
    uint64_t at;
    if (!slab_find(g, from, target, true, SLAB_NOW, &value, &at))
        return SLAB_NONE; /* the arena was exhausted before the edge was inserted */
    uint64_t *entry = (uint64_t *)(g->word + at), found = device_load_64(entry);
    uint64_t claim = slab_pair(target | SLAB_CLAIM, position);
    return slab_replace(entry, found, claim, SLAB_CLAIMS) == SLAB_FOUND
               ? (uint32_t)(at / SLAB_WORDS)
               : SLAB_NONE;
}

/* After all claims of the batch: turns the claim of that position, if it is still in that
** sector, into an entry. */
WARP_FUNCTION void slab_settle_claim(const struct slab_graph *g, uint32_t sector,
                                     uint32_t target, uint32_t position, uint32_t value) {
    uint64_t claim = slab_pair(target | SLAB_CLAIM, position);
    uint64_t *pair = (uint64_t *)(g->word + (uint64_t)sector * SLAB_WORDS);
    for (int i = 0; i < SLAB_WORDS / 2; i++)
        if (device_load_64(pair + i) == claim)
            device_store_64(pair + i, slab_pair(target, value));
}

/* Deletes an edge. Returns true if it existed. */
WARP_FUNCTION bool slab_delete(const struct slab_graph *g, uint32_t from, uint32_t target,
                               bool valued) {
    uint32_t value;
    uint64_t at;
    if (!slab_find(g, from, target, valued, SLAB_NOW, &value, &at))
        return false;
    if (valued) {
        uint64_t found = slab_pair(target, value);
        return device_try_64((uint64_t *)(g->word + at), &found,
                             slab_pair(SLAB_DEAD, SLAB_NONE));
    }
    uint32_t found = target;
    return device_try(g->word + at, &found, SLAB_DEAD);
}

/* ---- steps of a batch: one lane per item ---- */

WARP_FUNCTION void slab_list_growing(const struct slab_graph *g, uint32_t v,
                                     uint32_t sectors) {
    uint32_t *growing = g->pool->growing;
    if (sectors <= SLAB_SMALL)
        g->growing[device_reserve(&growing[0], 1)] = v;
    else if (sectors < SLAB_HUGE)
        g->growing[g->n - 1 - device_reserve(&growing[1], 1)] = v;
    else
        g->huge[device_reserve(&growing[2], 1)].vertex = v;
}

/* Returns listed vertex number i. */
WARP_FUNCTION uint32_t slab_growing_vertex(const struct slab_graph *g, uint64_t i) {
    uint64_t small = g->pool->growing[0], larger = g->pool->growing[1];
    return i < small            ? g->growing[i]
           : i - small < larger ? g->growing[g->n - 1 - (i - small)]
                                : g->huge[i - small - larger].vertex;
}

/* Counts an insertion that waits for a rehash of its vertex. Returns true for exactly one
** item of a batch, which then lists the vertex. */
WARP_FUNCTION bool slab_put_off(const struct slab_graph *g, uint32_t from) {
    return device_reserve(&g->incoming[from], 1) == 0;
}

/* Called after an insertion was counted for its vertex, with `before` others before it.
** Returns true for exactly one item of a batch if the vertex's base becomes too small:
** for the item that exceeds the limit. */
WARP_FUNCTION bool slab_announce(const struct slab_graph *g, uint32_t from,
                                 uint32_t before, bool valued, uint32_t *sectors) {
    struct slab_vertex v = slab_vertex_of(g, from);
    uint32_t most = slab_most(v.sectors, g->load, valued);
    *sectors = v.sectors;
    return v.used + before == (v.used > most ? v.used : most);
}

#endif
