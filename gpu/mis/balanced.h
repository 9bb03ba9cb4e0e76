/* Maximal independent set, method "one-launch-balanced": a warp looks at 32 vertices and
** distributes their arcs evenly over its lanes.
**
**     lane       0       1   2           3              each lane has one row
**     arcs      [0 1 2] [3] [4 5 6 7 8] [9 10 ...]      by number, MIS_SHARE at most
**     lanes      0 1 2   3   4 5 6 7 8   9 10 ...       the lane that loads the arc
**
** Short rows of vertices with neighbouring numbers lie side by side, so most loads of
** targets share cache lines, and no lane waits for a longer row of another lane.
**
** Words of neighbours are loaded through the first-level cache, which may hold old words.
** Words change only once, to a final value. So an old word is the word of an open vertex.
** It can delay a decision, but never make it wrong. The word of a blocker is loaded from
** the second-level cache. Once the blocker has dropped, the look continues behind it, so
** an old word in the first-level cache does no harm.
**
** The includer defines struct mis_graph (offset, target, word), or another struct as
** MIS_GRAPH, and these macros:
**     MIS_EARLIER(g, u, v)      true if u is the earlier of two vertices with equal words
**     MIS_FIRST_SHARE(g)        the number of arcs that are distributed first; most looks
**                               end early
**     MIS_PUT(g, v, value)      makes a word final; there is a default
**     MIS_SEEN(g, v)            a word through the first-level cache; MIS_DROPPED for
**                               GPUGRAPH_NONE
**     MIS_NOW(g, v)             the same through the second-level cache
**     MIS_COPIES(g)             the number of further copies of words; 0 by default
**     MIS_SEND(g, copy, v)      writes to that copy that v has dropped */
#ifndef GPUGRAPH_MIS_BALANCED_H
#define GPUGRAPH_MIS_BALANCED_H

#include "gpugraph.h"
#include "words.h"
#include "base/warp.h"

#ifndef MIS_GRAPH
#define MIS_GRAPH            struct mis_graph
#define MIS_PUT(g, v, value) device_store(&(g)->word[v], value)
#endif
#ifndef MIS_SEEN
#define MIS_SEEN(g, v) ((v) != GPUGRAPH_NONE ? block_load(&(g)->word[v]) : MIS_DROPPED)
#define MIS_NOW(g, v)  ((v) != GPUGRAPH_NONE ? device_load(&(g)->word[v]) : MIS_DROPPED)
#endif

/* True if a neighbour in the notes is looked up once more before it is dropped. This pays
** for small graphs, whose first looks all find the same hubs open. */
#ifndef MIS_ASKS_NOTES
#define MIS_ASKS_NOTES(g) true
#endif

/* Rows may end before the next row begins. */
#ifndef MIS_ROW_END
#define MIS_ROW_END(g, v) ((g)->offset[(v) + 1])
#endif

#ifndef MIS_COPIES
#define MIS_COPIES(g)        0
#define MIS_SEND(g, copy, v) ((void)0)
#endif

enum {
    MIS_EACH = 4, /* arcs that a lane looks at side by side */
    MIS_BATCH = MIS_EACH * warp_width,
    MIS_SHARE = GG_MIS_SHARE, /* arcs distributed at a time; a lone row gets all */
    MIS_NOTES = GG_MIS_NOTES  /* the first of these arcs, which the warp takes notes of */
};

/* Arcs that are distributed over the lanes. */
struct mis_part {
    uint32_t total;
    uint32_t before, length; /* arcs of earlier lanes, arcs of the lane's own row */
    uint64_t first;          /* the first arc of the lane's row less `before` */
};

/* Distributes the arcs of the lane's row from `at` on. All lanes call. */
WARP_FUNCTION void mis_deal(struct mis_part *part, uint32_t most, bool wanted,
                            uint64_t at, uint64_t end) {
    uint32_t rows = set_bits(warp_ballot(wanted));
    uint32_t share = rows ? most / rows : 0;
    uint64_t length = wanted ? end - at : 0;
    part->length = length < share ? (uint32_t)length : share;
    part->before = warp_sum_before(part->length, &part->total);
    part->first = at - part->before;
}

/* The lane whose row has arc number k: the last lane with at most k arcs before it. */
WARP_FUNCTION unsigned mis_owner(const struct mis_part *part, uint32_t k) {
    unsigned owner = 0;
    for (unsigned step = warp_width / 2; step > 0; step /= 2)
        if (warp_from(part->before, owner + step) <= k)
            owner += step;
    return owner;
}

/* The bits of the lanes before `lane`. */
WARP_FUNCTION uint32_t mis_lanes_before(uint32_t lane) {
    return lane < 32 ? ((uint32_t)1 << lane) - 1 : UINT32_MAX;
}

/* The lanes that look at this lane's row, if lane 0 looks at arc number k. */
WARP_FUNCTION uint32_t mis_lanes_of_row(const struct mis_part *part, uint32_t k) {
    const uint32_t end = part->before + part->length;
    const uint32_t from = part->before > k ? part->before - k : 0;
    const uint32_t to = end > k ? end - k : 0;
    return mis_lanes_before(to) & ~mis_lanes_before(from);
}

/* Notes of the first arcs that were distributed: the neighbours that drop if the vertex
** of their row joins, so that they need not be loaded again. GPUGRAPH_NONE: no neighbour
** to drop. */
struct mis_notes {
    uint32_t *neighbour; /* MIS_NOTES neighbours, by arc; shared by the warp */
    struct mis_part part;
    bool whole; /* the notes have the lane's whole row, and its vertex joins */
};

/* The finds of a lane in its row. */
struct mis_find {
    uint32_t blocker, word; /* the first neighbour that is not later, or NONE; its word */
    uint32_t behind;        /* arcs of the row, within the part, before the blocker */
    bool joined;            /* a neighbour has joined */
};

/* Looks at MIS_EACH arcs for each lane. Lane 0 begins with arc number k. notes may be
** NULL. */
WARP_FUNCTION void mis_look_at_arcs(const MIS_GRAPH *g, const struct mis_part *part,
                                    uint32_t k, uint32_t own, struct mis_find *find,
                                    uint32_t *notes) {
    uint32_t neighbour[MIS_EACH], word[MIS_EACH], limit[MIS_EACH];
    WARP_UNROLL
    for (unsigned i = 0; i < MIS_EACH; i++) {
        uint32_t mine = k + i * warp_width + warp_lane();
        neighbour[i] = GPUGRAPH_NONE;
        if (k + i * warp_width >= part->total)
            continue;
        unsigned owner = mis_owner(part, mine);
        uint64_t arc = warp_from_64(part->first, owner) + mine;
        limit[i] = warp_from(own, owner);
        if (mine < part->total)
            neighbour[i] = g->target[arc];
    }
    WARP_UNROLL
    for (unsigned i = 0; i < MIS_EACH; i++)
        word[i] = MIS_SEEN(g, neighbour[i]);
    WARP_UNROLL
    for (unsigned i = 0; i < MIS_EACH; i++) {
        if (k + i * warp_width >= part->total)
            break;
        if (notes && k + MIS_BATCH <= MIS_NOTES)
            notes[k + i * warp_width + warp_lane()] =
                word[i] != MIS_DROPPED ? neighbour[i] : GPUGRAPH_NONE;
        uint32_t row = mis_lanes_of_row(part, k + i * warp_width);
        uint32_t joined = warp_ballot(word[i] == MIS_JOINED) & row;
        uint32_t blocks = warp_ballot(word[i] <= limit[i]) & row;
        unsigned by = blocks ? lowest_bit(blocks) : 0;
        uint32_t blocker = warp_from(neighbour[i], by);
        uint32_t blocker_word = warp_from(word[i], by);
        find->joined |= joined != 0;
        if (blocks && find->blocker == GPUGRAPH_NONE) {
            find->blocker = blocker;
            find->word = blocker_word;
            find->behind = k + i * warp_width + by - part->before;
        }
    }
}

/* Looks at the lane's row from *at on, until a neighbour has joined or blocks. Leaves *at
** at the blocker, or at the end. */
WARP_FUNCTION void mis_look_at_rows(const MIS_GRAPH *g, bool wanted, uint32_t v,
                                    uint32_t own, uint64_t *at, uint64_t end,
                                    struct mis_find *find, struct mis_notes *notes) {
    uint32_t share = MIS_FIRST_SHARE(g);
    for (bool first = true;; first = false) {
        struct mis_part part;
        bool more =
            wanted && !find->joined && find->blocker == GPUGRAPH_NONE && *at < end;
        if (warp_ballot(more) == 0)
            return;
        mis_deal(&part, share, more, *at, end);
        share = MIS_SHARE;
        for (uint32_t k = 0; k < part.total; k += MIS_BATCH)
            mis_look_at_arcs(g, &part, k, own, find, first ? notes->neighbour : NULL);
        if (first) {
            notes->part = part;
            notes->whole = more && notes->whole && part.length == end - *at &&
                           part.before + part.length <= MIS_NOTES && !find->joined &&
                           find->blocker == GPUGRAPH_NONE;
        }
        if (!more)
            continue;
        if (find->blocker == GPUGRAPH_NONE) {
            *at += part.length;
            continue;
        }
        *at += find->behind;
        if (find->word == own && !MIS_EARLIER(g, find->blocker, v)) {
            ++*at;
            find->blocker = GPUGRAPH_NONE;
        }
    }
}

/* Drops these neighbours. GPUGRAPH_NONE: no neighbour. */
WARP_FUNCTION void mis_drop(const MIS_GRAPH *g, const uint32_t neighbour[MIS_EACH]) {
    WARP_UNROLL
    for (unsigned i = 0; i < MIS_EACH; i++)
        if (neighbour[i] != GPUGRAPH_NONE)
            MIS_PUT(g, neighbour[i], MIS_DROPPED);
    WARP_ROLLED
    for (int copy = 0; copy < (int)MIS_COPIES(g); copy++) {
        WARP_UNROLL
        for (unsigned i = 0; i < MIS_EACH; i++)
            if (neighbour[i] != GPUGRAPH_NONE)
                MIS_SEND(g, copy, neighbour[i]);
    }
}

/* Replaces neighbours that have dropped by GPUGRAPH_NONE. Hubs have usually dropped long
** ago, and stores to one hub would wait in a line. A loaded word may be old, and a store
** into another copy is expensive, so words are loaded from the second-level cache if
** there are copies. */
WARP_FUNCTION void mis_leave_out_dropped(const MIS_GRAPH *g,
                                         uint32_t neighbour[MIS_EACH]) {
    uint32_t word[MIS_EACH];
    if (MIS_COPIES(g) > 0) {
        WARP_UNROLL
        for (unsigned i = 0; i < MIS_EACH; i++)
            word[i] = MIS_NOW(g, neighbour[i]);
    } else {
        WARP_UNROLL
        for (unsigned i = 0; i < MIS_EACH; i++)
            word[i] = MIS_SEEN(g, neighbour[i]);
    }
    WARP_UNROLL
    for (unsigned i = 0; i < MIS_EACH; i++)
        neighbour[i] = word[i] != MIS_DROPPED ? neighbour[i] : GPUGRAPH_NONE;
}

/* Drops the neighbours of lanes whose `whole` row is in the notes. The notes leave out
** neighbours that had already dropped when they were written. */
WARP_FUNCTION void mis_drop_notes(const MIS_GRAPH *g, const struct mis_notes *notes) {
    const uint32_t rows = warp_ballot(notes->whole), total = notes->part.total;
    warp_sync();
    for (uint32_t k = 0; rows && k < total && k + MIS_BATCH <= MIS_NOTES;
         k += MIS_BATCH) {
        uint32_t neighbour[MIS_EACH];
        WARP_UNROLL
        for (unsigned i = 0; i < MIS_EACH; i++) {
            uint32_t mine = k + i * warp_width + warp_lane();
            neighbour[i] = GPUGRAPH_NONE;
            if (k + i * warp_width >= total)
                continue;
            bool joins = rows >> mis_owner(&notes->part, mine) & 1;
            if (joins && mine < total)
                neighbour[i] = notes->neighbour[mine];
        }
        if (MIS_ASKS_NOTES(g))
            mis_leave_out_dropped(g, neighbour);
        mis_drop(g, neighbour);
    }
    warp_sync();
}

/* Drops the neighbours of lanes whose vertex has joined. */
WARP_FUNCTION void mis_drop_rows(const MIS_GRAPH *g, bool joins, uint64_t at,
                                 uint64_t end) {
    for (;;) {
        struct mis_part part;
        bool more = joins && at < end;
        if (warp_ballot(more) == 0)
            return;
        mis_deal(&part, MIS_SHARE, more, at, end);
        at += part.length;
        for (uint32_t k = 0; k < part.total; k += MIS_BATCH) {
            uint32_t neighbour[MIS_EACH];
            WARP_UNROLL
            for (unsigned i = 0; i < MIS_EACH; i++) {
                uint32_t mine = k + i * warp_width + warp_lane();
                neighbour[i] = GPUGRAPH_NONE;
                if (k + i * warp_width >= part.total)
                    continue;
                uint64_t arc = warp_from_64(part.first, mis_owner(&part, mine)) + mine;
                if (mine < part.total)
                    neighbour[i] = g->target[arc];
            }
            mis_leave_out_dropped(g, neighbour);
            mis_drop(g, neighbour);
        }
    }
}

/* Looks at a vertex for each lane with `live`. Returns true if the vertex must wait, and
** updates *w. A row with more than `longest` arcs is left for a later pass. room: memory
** of the warp for MIS_NOTES notes. */
WARP_FUNCTION bool mis_look_balanced(const MIS_GRAPH *g, bool live, uint64_t longest,
                                     struct waiting *w, uint32_t *room) {
    uint32_t own = MIS_NOW(g, live ? w->vertex : GPUGRAPH_NONE);
    uint32_t other = MIS_NOW(g, w->blocker);
    bool open = own != MIS_DROPPED && own != MIS_JOINED;
    bool looks = open && other == MIS_DROPPED;
    uint64_t begin = looks ? g->offset[w->vertex] : 0;
    uint64_t end = looks ? MIS_ROW_END(g, w->vertex) : 0;
    looks = looks && end - begin <= longest;
    uint64_t at = begin + w->at + (w->blocker != GPUGRAPH_NONE);
    struct mis_find find = {GPUGRAPH_NONE, MIS_DROPPED, 0, false};
    struct mis_notes notes = {room, {0, 0, 0, 0}, at == begin};
    mis_look_at_rows(g, looks, w->vertex, own, &at, end, &find, &notes);
    bool joins = looks && !find.joined && find.blocker == GPUGRAPH_NONE;
    bool drops = open && (other == MIS_JOINED || find.joined);
    if (joins || drops)
        MIS_PUT(g, w->vertex, joins ? MIS_JOINED : MIS_DROPPED);
    WARP_ROLLED
    for (int copy = 0; copy < (int)MIS_COPIES(g); copy++)
        if (drops)
            MIS_SEND(g, copy, w->vertex);
    notes.whole = notes.whole && joins;
    mis_drop_notes(g, &notes);
    mis_drop_rows(g, joins && !notes.whole, begin, end);
    if (looks) {
        w->at = (uint32_t)(at - begin);
        w->blocker = find.blocker;
    }
    return open && !joins && !drops;
}

#endif
