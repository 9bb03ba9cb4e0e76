/* Chains of the edges between two vertices, by ascending ids; the operations of one lane
** on them.
**
**     slab.h:   source, target -> value: the first slot, or CHAIN_END
**                                   |
**     slots   [ id weight next ] [ id weight next ] [ id weight next ] ...
**                           |       ^          |                  ^
**                           +-------+          +-- CHAIN_END      +-- free: listed
**
** A mirror is a second table, target, source -> the same first slot: rows of the
** transpose, whose edges take no slots of their own.
**
** A batch is ordered by source, target and id. The items of one pair are a group, which
** one lane processes together with the pair's chain. So no two lanes touch the same slot
** in one step. */
#ifndef GPUGRAPH_EDGE_CHAIN_H
#define GPUGRAPH_EDGE_CHAIN_H

#include "base/row_of.h"
#include "slab_table.h"

#define CHAIN_END SLAB_NONE /* also the value of a pair without edges */

struct edge_slot {
    int64_t id, weight;
    uint32_t next;
    uint32_t unused;
};

enum chain_step {
    CHAIN_MARK,      /* need: 1 where a group begins */
    CHAIN_GROUP,     /* at -> first, pair_source, pair_target */
    CHAIN_COUNT_NEW, /* need: the edges of each group that do not exist */
    CHAIN_LINK,      /* adds them in slots from number `at` on; replaces weights */
    CHAIN_COUNT_OLD, /* need: the edges of each group that exist */
    /* deletes them; their slots join the free ones from number `at` on */
    CHAIN_CUT,
    CHAIN_QUERY,  /* looks up one item */
    CHAIN_MIRROR, /* copies the first slot of each pair to the mirror */
    CHAIN_LENGTH, /* need: the length of the chain of each pair of some rows */
    CHAIN_COPY,   /* copies the chain from number `at` on */
    CHAIN_OFFSETS /* makes row_offset count edges instead of pairs */
};

struct chain_batch {
    uint64_t count; /* items */
    const uint32_t *source, *target;
    const int64_t *id, *weight; /* id: NULL for 1, 2, 3 ...; weight: NULL for all 0 */
    const uint32_t *weight_32;  /* 32-bit weights, or NULL */
    const uint32_t *order;      /* items by source, target, id, and position */
    /* the first position of each group in `order`; and the end */
    uint32_t *first;
    uint32_t *pair_source, *pair_target;
    /* need: counts of items, groups or pairs of rows; at: the sums of earlier counts */
    uint32_t *need;
    uint64_t *at;
    struct edge_slot *slot;
    uint32_t *free; /* free slots; the last one is taken first */
    uint64_t free_count;
    /* the number of slots ever taken; slot `end` is the next one if no slot is free */
    uint64_t end;
    uint8_t *found;       /* CHAIN_QUERY */
    int64_t *answer;      /* CHAIN_QUERY: weights */
    uint64_t *row_offset; /* rows of pairs */
    const uint32_t *row_target, *row_value;
    uint64_t rows;
    const uint32_t *row_vertex; /* NULL: 0, 1, 2 ... */
    bool loopless;              /* edges from a vertex to itself are left out */
    uint32_t *to_target;        /* for CHAIN_COPY; each of the others may be NULL */
    int64_t *to_id, *to_weight;
    struct slab_graph mirror; /* if `mirrored` */
    bool mirrored;
};

/* An unsigned key with the order of ids. */
WARP_FUNCTION uint64_t chain_key(int64_t id) {
    return (uint64_t)id ^ (uint64_t)1 << 63;
}

WARP_FUNCTION int64_t chain_id(const struct chain_batch *b, uint32_t item) {
    return b->id ? b->id[item] : (int64_t)item + 1;
}

WARP_FUNCTION int64_t chain_weight(const struct chain_batch *b, uint32_t item) {
    if (b->weight_32)
        return b->weight_32[item];
    return b->weight ? b->weight[item] : 0;
}

WARP_FUNCTION bool chain_same_pair(const struct chain_batch *b, uint32_t i, uint32_t j) {
    return b->source[i] == b->source[j] && b->target[i] == b->target[j];
}

/* Returns slot number `ordinal` of those that a batch takes. */
WARP_FUNCTION uint32_t chain_take(const struct chain_batch *b, uint64_t ordinal) {
    return ordinal < b->free_count ? b->free[b->free_count - 1 - ordinal]
                                   : (uint32_t)(b->end + (ordinal - b->free_count));
}

/* Returns how many edges of the group are not in the chain; with `link` adds them. */
WARP_FUNCTION uint32_t chain_merge(const struct chain_batch *b, uint64_t group,
                                   uint32_t *head, bool link) {
    uint32_t before = CHAIN_END, at = *head, added = 0, end = b->first[group + 1];
    for (uint32_t i = b->first[group]; i < end; i++) {
        uint32_t item = b->order[i];
        int64_t id = chain_id(b, item), weight = chain_weight(b, item);
        if (i + 1 < end && chain_id(b, b->order[i + 1]) == id)
            continue; /* the last item of the batch wins */
        while (at != CHAIN_END && b->slot[at].id < id) {
            before = at;
            at = b->slot[at].next;
        }
        if (at != CHAIN_END && b->slot[at].id == id) {
            if (link)
                b->slot[at].weight = weight;
            continue;
        }
        if (link) {
            uint32_t fresh = chain_take(b, b->at[group] + added);
            struct edge_slot edge = {id, weight, at, 0};
            b->slot[fresh] = edge;
            *(before == CHAIN_END ? head : &b->slot[before].next) = fresh;
            before = fresh;
        }
        added++;
    }
    return added;
}

/* Returns how many edges of the group are in the chain; with `cut` removes them. */
WARP_FUNCTION uint32_t chain_part(const struct chain_batch *b, uint64_t group,
                                  uint32_t *head, bool cut) {
    uint32_t before = CHAIN_END, at = *head, deleted = 0;
    for (uint32_t i = b->first[group]; i < b->first[group + 1]; i++) {
        int64_t id = chain_id(b, b->order[i]);
        while (at != CHAIN_END && b->slot[at].id < id) {
            before = at;
            at = b->slot[at].next;
        }
        if (at == CHAIN_END || b->slot[at].id != id)
            continue;
        uint32_t next = b->slot[at].next;
        if (cut) {
            b->free[b->free_count + b->at[group] + deleted] = at;
            *(before == CHAIN_END ? head : &b->slot[before].next) = next;
        } else {
            before = at;
        }
        at = next;
        deleted++;
    }
    return deleted;
}

/* Returns true if the edge is in the chain. */
WARP_FUNCTION bool chain_find(const struct chain_batch *b, uint32_t at, int64_t id,
                              int64_t *weight) {
    while (at != CHAIN_END && b->slot[at].id < id)
        at = b->slot[at].next;
    if (at == CHAIN_END || b->slot[at].id != id)
        return false;
    *weight = b->slot[at].weight;
    return true;
}

WARP_FUNCTION uint32_t chain_length(const struct chain_batch *b, uint32_t at) {
    uint32_t length = 0;
    for (; at != CHAIN_END; at = b->slot[at].next)
        length++;
    return length;
}

/* ---- steps: one lane for each item, group or pair ---- */

WARP_FUNCTION void chain_mark(const struct chain_batch *b, uint64_t i) {
    b->need[i] = i == 0 || !chain_same_pair(b, b->order[i - 1], b->order[i]);
}

WARP_FUNCTION void chain_group(const struct chain_batch *b, uint64_t i) {
    uint64_t group = b->at[i];
    if (b->need[i]) {
        b->first[group] = (uint32_t)i;
        b->pair_source[group] = b->source[b->order[i]];
        b->pair_target[group] = b->target[b->order[i]];
    }
    if (i + 1 == b->count)
        b->first[b->at[b->count]] = (uint32_t)b->count;
}

/* Copies a pair's first slot to the mirror's entry; CHAIN_END deletes the entry. */
WARP_FUNCTION void chain_reflect(const struct chain_batch *b, uint32_t source,
                                 uint32_t target, uint32_t head) {
    const struct slab_graph *g = &b->mirror;
    uint32_t before;
    uint64_t at;
    if (!slab_find(g, target, source, true, SLAB_NOW, &before, &at))
        return;
    device_store(g->word + at + 1, head);
    if (head == CHAIN_END && slab_delete(g, target, source, true))
        device_take(&g->vertex[target].dead, 1);
}

/* Runs a step for a group. Returns how many pairs it deletes: 0 or 1. */
WARP_FUNCTION uint32_t chain_change(const struct slab_graph *g,
                                    const struct chain_batch *b, enum chain_step step,
                                    uint64_t group) {
    uint32_t source = b->pair_source[group], target = b->pair_target[group];
    uint32_t head = CHAIN_END;
    uint64_t at = 0;
    bool frozen = step != CHAIN_LINK && step != CHAIN_CUT;
    const enum slab_view view = frozen ? SLAB_FROZEN : SLAB_NOW;
    bool there = slab_find(g, source, target, true, view, &head, &at);
    uint32_t first = head;
    if (!there && !frozen)
        return 0;
    if (step == CHAIN_COUNT_NEW)
        b->need[group] = chain_merge(b, group, &head, false);
    else if (step == CHAIN_COUNT_OLD)
        b->need[group] = chain_part(b, group, &head, false);
    else if (step == CHAIN_LINK)
        chain_merge(b, group, &head, true);
    else if (step == CHAIN_CUT)
        chain_part(b, group, &head, true);
    if (head != first)
        device_store(g->word + at + 1, head);
    if (b->mirrored && (head != first || step == CHAIN_MIRROR))
        chain_reflect(b, source, target, head);
    if (step != CHAIN_CUT || head != CHAIN_END || !slab_delete(g, source, target, true))
        return 0;
    device_take(&g->vertex[source].dead, 1);
    return 1;
}

WARP_FUNCTION void chain_query(const struct slab_graph *g, const struct chain_batch *b,
                               uint64_t i) {
    uint32_t head = CHAIN_END;
    uint64_t at;
    int64_t weight = 0;
    bool found =
        slab_find(g, b->source[i], b->target[i], true, SLAB_FROZEN, &head, &at) &&
        chain_find(b, head, b->id[i], &weight);
    b->found[i] = found;
    b->answer[i] = weight;
}

/* Returns true if pair i of the rows joins a vertex to itself. */
WARP_FUNCTION bool chain_is_loop(const struct chain_batch *b, uint64_t i) {
    const uint64_t row = row_of(b->row_offset, b->rows, i);
    return b->row_target[i] == (b->row_vertex ? b->row_vertex[row] : row);
}

WARP_FUNCTION void chain_copy(const struct chain_batch *b, uint64_t i, uint64_t to) {
    const uint32_t target = b->row_target[i];
    if (b->need[i] == 0)
        return;
    for (uint32_t at = b->row_value[i]; at != CHAIN_END; at = b->slot[at].next) {
        b->to_target[to] = target;
        if (b->to_id)
            b->to_id[to] = b->slot[at].id;
        if (b->to_weight)
            b->to_weight[to] = b->slot[at].weight;
        to++;
    }
}

/* Runs a step for an item. Returns how many pairs it deletes: 0 or 1. */
WARP_FUNCTION uint32_t chain_item(const struct slab_graph *g, const struct chain_batch *b,
                                  enum chain_step step, uint64_t i) {
    switch (step) {
    case CHAIN_MARK:
        chain_mark(b, i);
        return 0;
    case CHAIN_GROUP:
        chain_group(b, i);
        return 0;
    case CHAIN_QUERY:
        chain_query(g, b, i);
        return 0;
    case CHAIN_LENGTH:
        b->need[i] =
            b->loopless && chain_is_loop(b, i) ? 0 : chain_length(b, b->row_value[i]);
        return 0;
    case CHAIN_COPY:
        chain_copy(b, i, b->at[i]);
        return 0;
    case CHAIN_OFFSETS:
        b->row_offset[i] = b->at[b->row_offset[i]];
        return 0;
    default:
        return chain_change(g, b, step, i);
    }
}

#endif
