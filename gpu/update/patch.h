/* A batch of changes on its way into the copy of a graph that lies on a device.
**
**     host                                         device
**     which arcs go, row ends of those that come
**       --questions: in proportion to the batch--> a warp looks each up in its row
**     the splice of the row's arcs (splice.h)  <-- places
**       --pieces, what is put in---------------->  every array is moved by its pieces, at
**                                                  the speed of the device's memory
**
** update.c plans, for any place where a copy lies: the device (patch.cu) or, in tests,
** memory. Rows there hold their arcs in any order; an arc that comes takes the place of one
** that goes from the same row, or lies at the row's end, so where only weights change
** nothing moves. What stands here is the arithmetic of places, which both sides run. */
#ifndef GPUGRAPH_PATCH_H
#define GPUGRAPH_PATCH_H

#include "splice.h"
#include "base/warp.h"
#include "graph_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An arc that goes: arc number `rank` of those in the row that have its target and weight. */
typedef struct arc_question {
    uint64_t weight;
    uint32_t row, target;
    uint64_t rank;
} arc_question;

typedef struct row_questions {
    enum csr_kind kind;
    uint64_t goings;
    const arc_question *going;
    uint64_t *going_at; /* answers: arcs; UINT64_MAX: not there, or given up */
    uint64_t comings;
    const uint64_t *coming; /* entries of offset */
    /* Of rows that ascend, for each: the target before whose first arc that is not below it belongs in the row
    ** that ends with the entry; PATCH_ANY: it is the entry that is asked for. NULL: rows are in no order. */
    const uint32_t *coming_target;
    uint64_t *coming_at; /* answers: what they hold; or arcs */
} row_questions;

/* What becomes of the rows of one kind. */
typedef struct row_patch {
    enum csr_kind kind;
    const splice *arcs;
    uint64_t inserted;
    const uint64_t *place;
    const uint32_t *target; /* new numbers */
    const void *weight;
    /* An entry v of offset grows by sum[i] of the last event_at[i] <= v. */
    uint64_t events;
    const uint64_t *event_at, *event_sum;
    const uint64_t *fresh_back; /* of a fresh vertex: its row begins so far before the one
                                ** that it, and others perhaps, are put before */
} row_patch;

typedef struct patch {
    gpugraph_graph *graph; /* as it was */
    gpugraph_run *run;
    struct update *of;
    uint64_t changes; /* edges removed and added, vertices that come and go */
    const splice *edges, *vertices;
    uint64_t added;
    const uint64_t *added_edge;      /* new numbers */
    const uint32_t *source, *target; /* of those added */
    const void *weight;              /* of those added */
    uint64_t fresh;
    const uint64_t *fresh_at, *fresh_new; /* old numbers they come before; new ones */
    bool same_ends;                       /* nothing but weights changes */
} patch;

/* What there is of the rows of one kind. */
typedef struct patch_rows {
    bool made, weighted;
    uint64_t arcs;
} patch_rows;

/* Where the copy lies: false when it cannot be done, and the copy is good for nothing. */
typedef struct patch_place {
    bool (*find)(void *there, const row_questions *questions);
    bool (*rows)(void *there, const row_patch *rows);
    bool (*edges)(void *there);
} patch_place;

/* Can SIMPLE rows be patched? Where it is known which vertices edges join without a look at all of them. */
bool gg_patches_simple(const gpugraph_graph *graph);
/* Patches rows of every kind, as far as they are made, and the edges. */
bool gg_patch(const patch *p, const patch_rows rows[CSR_KINDS], const patch_place *place,
              void *there);

/* The device's. */
void gg_cuda_follow(const patch *p);
/* Are the tables that have been made those of the graph's edges? */
gpugraph_status gg_cuda_check_store(gpugraph_graph *graph, gpugraph_run *run);
/* Makes them of a copy that is there; fails only when the run must end. */
void gg_cuda_make_store(gpugraph_graph *graph, gpugraph_run *run);
/* All, for the host; empty where there is no nvcc. */
struct patch_services {
    void (*follow)(const struct patch *);
    gpugraph_status (*check)(gpugraph_graph *, gpugraph_run *);
    void (*make)(gpugraph_graph *, gpugraph_run *);
};
extern const struct patch_services gg_patches;

#ifdef __cplusplus
}
#endif

/* ---- the arithmetic of places ---- */

#define PATCH_NEW UINT64_MAX /* it is put in */
#define PATCH_ANY UINT32_MAX

/* The answer to a question of an arc that comes. */
WARP_FUNCTION uint64_t patch_find_place(const uint64_t *offset, const uint32_t *target,
                                        uint64_t entry, uint32_t wanted) {
    if (wanted == PATCH_ANY)
        return offset[entry];
    uint64_t low = offset[entry - 1], high = offset[entry];
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (target[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many pieces begin at or before new place `to`. */
WARP_FUNCTION uint64_t patch_pieces_to(const splice_piece *piece, uint64_t pieces,
                                       uint64_t to) {
    uint64_t low = 0, high = pieces;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (piece[middle].to <= to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The old place of what lies at new place `to`, by some of the pieces: as far as that place
** is concerned, all of them. */
WARP_FUNCTION uint64_t patch_old_place(const splice_piece *piece, uint64_t pieces,
                                       uint64_t to) {
    uint64_t begun = patch_pieces_to(piece, pieces, to);
    if (begun == 0)
        return PATCH_NEW;
    const splice_piece *in = &piece[begun - 1];
    return to - in->to < in->count ? in->from + (to - in->to) : PATCH_NEW;
}

/* The first of the pieces that have to do with places from `to` on. */
WARP_FUNCTION uint64_t patch_first_piece(const splice_piece *piece, uint64_t pieces,
                                         uint64_t to) {
    uint64_t begun = patch_pieces_to(piece, pieces, to);
    return begun ? begun - 1 : 0;
}

/* The first new place of what moves; `after`: nothing does. (The host asks.) */
static inline uint64_t patch_first_moved(const splice *s) {
    for (uint64_t k = 0; k < s->pieces && !s->still; k++)
        if (s->piece[k].to != s->piece[k].from)
            return s->piece[k].to;
    return s->after;
}

/* A splice of what numbers name, as a view. */
typedef struct patch_numbers {
    const splice_piece *piece;
    uint64_t pieces, bound;
    uint32_t shift;
    bool change;
} patch_numbers;

static inline patch_numbers patch_numbers_of(const splice *s, const splice_piece *piece) {
    patch_numbers numbers;
    numbers.piece = piece;
    numbers.pieces = s->pieces;
    numbers.bound = s->bound;
    numbers.shift = s->shift;
    numbers.change = gg_renumbers(s);
    return numbers;
}

/* The new number of what stays. */
WARP_FUNCTION uint32_t patch_number(const patch_numbers *s, uint32_t x) {
    uint64_t low = 0, high = s->pieces;
    if (!s->change)
        return x;
    if (s->bound != UINT64_MAX)
        return x >= s->bound ? x + s->shift : x;
    while (low + 1 < high) {
        uint64_t middle = (low + high) / 2;
        if (s->piece[middle].from <= x)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)(x - s->piece[low].from + s->piece[low].to);
}

/* What an entry v of offset grows by. */
WARP_FUNCTION uint64_t patch_growth(const uint64_t *event_at, const uint64_t *event_sum,
                                    uint64_t events, uint64_t v) {
    uint64_t low = 0, high = events;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (event_at[middle] <= v)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? event_sum[low - 1] : 0;
}

/* Where very many arcs leave a long row, all questions would take their product. A copy that
** is given up is sent anew. */
typedef struct patch_effort {
    uint64_t *looked; /* at so many arcs, by all questions together, about */
    uint64_t most;
} patch_effort;

enum { PATCH_STEPS = 256 }; /* of a warp, between two looks at what the others do */

WARP_FUNCTION bool patch_gives_up(const patch_effort *effort) {
    uint32_t enough = 0;
    if (warp_lane() == 0) {
        device_add_64(effort->looked, PATCH_STEPS * warp_width);
        enough = device_load_64(effort->looked) > effort->most;
    }
    return warp_from(enough, 0) != 0;
}

/* The warp's answer to a question; weights are `size` bytes wide, 0: there are none. */
WARP_FUNCTION uint64_t patch_find_arc(const uint64_t *offset, const uint32_t *target,
                                      const void *weight, size_t size,
                                      const arc_question *q, const patch_effort *effort) {
    const uint64_t begin = offset[q->row], end = offset[q->row + (uint64_t)1];
    uint64_t left = q->rank;
    uint32_t steps = 0;
    for (uint64_t first = begin; first < end; first += warp_width) {
        if (++steps % PATCH_STEPS == 0 && patch_gives_up(effort))
            return UINT64_MAX;
        uint64_t k = first + warp_lane();
        bool hit = k < end && target[k] == q->target;
        if (hit && size == sizeof(uint32_t))
            hit = ((const uint32_t *)weight)[k] == q->weight;
        else if (hit && size)
            hit = ((const uint64_t *)weight)[k] == q->weight;
        uint32_t hits = warp_ballot(hit);
        for (; hits; hits &= hits - 1, left--)
            if (left == 0)
                return first + lowest_bit(hits);
    }
    return UINT64_MAX;
}

#endif
