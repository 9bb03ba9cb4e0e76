/* A part of a graph, inside.
**
**     local     0 .. masters - 1            masters .. locals - 1
**     number    ascending                   by owner, then ascending
**               this part's own             ghosts: ends of its arcs that others own
**                                           |  of part 0  |  of part 1  | ...
**     rows      offset[local], target[]: arcs from any local to any local
**
**     peer[q].master[i]    the master of which part q's i-th ghost of this part's is one: who
**                          needs whom, in the same order at both
**
** An algorithm has arrays with an entry for each local. A step reads and writes them along rows;
** then gg_reduce merges what ghosts have got into their masters, and gg_broadcast copies masters to
** their ghosts, of those alone that have changed. With arcs by source no row begins at a ghost,
** with arcs by target none ends at one: then one of the two is all that is needed. */
#ifndef GPUGRAPH_MULTI_PART_H
#define GPUGRAPH_MULTI_PART_H

#include "gpugraph_parts.h"
#include "base/run.h"
#include "base/words.h"
#include "distributed/exchange/post.h"
#include "places.h"

#ifdef __cplusplus
extern "C" {
#endif

struct part_peer {
    uint32_t *master; /* masters: those that are ghosts there */
    uint32_t masters;
    uint32_t first_ghost, ghosts; /* this part's ghosts of its masters */
};

struct part_device;

struct gpugraph_part {
    gpugraph_exchange *exchange;
    gpugraph_partition partition;
    gpugraph_direction direction;
    bool simple;
    uint64_t vertices; /* of the whole graph */
    struct several_places
        places; /* which part owns a number; a master is a place of its owner */
    uint32_t masters, locals;
    uint64_t *number;
    uint64_t arcs;
    uint64_t *offset; /* locals + 1 */
    uint32_t *target;
    gpugraph_weight_type weight_type;
    void *weight;     /* of each arc: int64_t or double; NULL: unweighted */
    int64_t *edge_id; /* of each arc, for trees; NULL: shares had no edge ids */
    uint32_t columns; /* of a grid */
    struct part_peer *peer;
    /* The links of each master: link[first_link[v]] .. link[first_link[v + 1] - 1] of v. */
    uint64_t *first_link;
    struct part_link {
        uint32_t peer, place; /* peer[peer].master[place] is the master */
    } * link;
    gpugraph_parcel *out, *in;
    struct part_device *device; /* its rows there; NULL: searches run on the CPU */
};

/* Searches of a partition on its device. Sources of a search are masters. */
typedef gpugraph_status part_bfs(gpugraph_part *p, const gpugraph_search *search,
                                 gpugraph_run *run, uint32_t *depth);
typedef gpugraph_status part_mis(gpugraph_part *p, gpugraph_priority priority,
                                 const uint32_t *hash, gpugraph_run *run,
                                 uint8_t *member);
/* distance: words of masters, as part_layout has them. lost: a sum left the range. */
typedef gpugraph_status part_sssp(gpugraph_part *p, const gpugraph_search *search,
                                  gpugraph_run *run, void *distance, bool *lost);
/* out: the arcs out of each master. is_place: is the master one of the
** how->source_count sources, whose numbers `how` does not have? NULL: all are. */
typedef gpugraph_status part_pagerank(gpugraph_part *p,
                                      const gpugraph_pagerank_options *how,
                                      const double *out, const uint8_t *is_place,
                                      gpugraph_run *run, double *rank,
                                      uint32_t *iterations, double *change);

/* What a build with CUDA has: a partition is brought to a device, and searched there. */
struct part_services {
    gpugraph_status (*bring)(gpugraph_part *p, int place, gpugraph_run *run);
    void (*free)(gpugraph_part *p);
    part_bfs *bfs;
    part_mis *mis;
    part_sssp *sssp;
    part_pagerank *pagerank;
};
extern const struct part_services gg_part_services;

static inline uint32_t part_owner(const gpugraph_part *p, uint64_t number) {
    uint32_t master;
    return several_owner_of(&p->places, number, &master);
}
/* The master of that number; GPUGRAPH_NONE: it is none of this part's. */
static inline uint32_t part_master_of(const gpugraph_part *p, uint64_t number) {
    uint32_t master;
    const uint32_t owner = several_owner_of(&p->places, number, &master);
    return owner == p->exchange->part && number < p->vertices ? master : GPUGRAPH_NONE;
}
/* Places of one part come before those of the next one. */
static inline uint64_t part_place(const gpugraph_part *p, uint64_t number) {
    uint32_t master;
    const uint64_t owner = several_owner_of(&p->places, number, &master);
    return owner * p->places.stride + master;
}
/* Do rows begin at ghosts, do they end there? */
static inline bool part_reads_ghosts(const gpugraph_part *p) {
    return p->partition != GPUGRAPH_BY_SOURCE && p->exchange->parts > 1;
}
static inline bool part_writes_ghosts(const gpugraph_part *p) {
    return p->partition != GPUGRAPH_BY_TARGET && p->exchange->parts > 1;
}

/* The entries of an array of distances: levels of 32 bits, numbers of 64 bits, or the bits
** of doubles. All bits of an entry are set where a vertex is not reached. */
enum part_layout { PART_LEVELS, PART_INTEGER, PART_REAL };
static inline uint64_t part_value(const void *value, uint64_t i,
                                  enum part_layout layout) {
    if (layout != PART_LEVELS)
        return ((const uint64_t *)value)[i];
    const uint32_t level = ((const uint32_t *)value)[i];
    return level == UINT32_MAX ? UINT64_MAX : level;
}
/* The value at the end of an arc from a vertex with the value `from`. INTEGERs up to
** INT64_MAX never wrap. */
static inline uint64_t part_sum_of(uint64_t from, const void *weight, uint64_t arc,
                                   enum part_layout layout) {
    if (layout == PART_LEVELS)
        return from + 1;
    if (layout == PART_INTEGER)
        return from + ((const uint64_t *)weight)[arc];
    return gg_real_word(gg_word_real(from) + ((const double *)weight)[arc]);
}

/* The end of a collective function: what fails here fails everywhere. Returns run->status. */
gpugraph_status part_end(gpugraph_exchange *x, gpugraph_run *run);
/* A sum over all parts. False: the run must end. */
bool part_sum(gpugraph_part *p, gpugraph_run *run, uint64_t *word);

/* Decides who owns which numbers. False: the part would have too many. (making.c) */
bool part_lay_out(gpugraph_part *p, gpugraph_run *run);

/* ---- sync.c ---- */

/* Locals that have changed, each once. */
struct part_changes {
    uint32_t *list, count;
    uint8_t *flag; /* for each local */
};
bool part_changes_open(const gpugraph_part *p, gpugraph_run *run, struct part_changes *c);
void part_changes_close(struct part_changes *c);
static inline void part_note(struct part_changes *c, uint32_t local) {
    if (!c->flag[local]) {
        c->flag[local] = 1;
        c->list[c->count++] = local;
    }
}
void part_forget(struct part_changes *c); /* all of them */

/* An array with an entry for each local. */
struct part_field {
    void *value;
    uint32_t size; /* bytes of an entry: 1, 4, 8, 16 */
    bool (*merge)(void *into,
                  const void *from); /* has it changed `into`? For gg_reduce */
};
/* Ghosts among c are merged into their masters and leave c; masters that this changes come into it.
** c NULL: all ghosts are merged. */
gpugraph_status gg_reduce(gpugraph_part *p, gpugraph_run *run, struct part_field f,
                          struct part_changes *c);
/* Masters among c are copied to their ghosts, which come into it. c NULL: all masters
** are. Words of all parts are combined at the same meeting. */
gpugraph_status gg_broadcast_and_combine(gpugraph_part *p, gpugraph_run *run,
                                         struct part_field f, struct part_changes *c,
                                         gpugraph_combination how, uint64_t *word,
                                         uint32_t words);
static inline gpugraph_status gg_broadcast(gpugraph_part *p, gpugraph_run *run,
                                           struct part_field f, struct part_changes *c) {
    return gg_broadcast_and_combine(p, run, f, c, GPUGRAPH_SUM, NULL, 0);
}

/* A search by rounds: a part visits the locals of a list, copies of a vertex are brought
** to agree, and what has changed is the next list. */
struct part_rounds {
    gpugraph_part *p;
    gpugraph_run *run;
    struct part_field field; /* what visits change */
    bool up, down;           /* ghosts are reduced, masters broadcast */
    /* Works along one row, and notes in `next` what it changes. */
    void (*visit)(struct part_rounds *r, uint32_t local);
    const void *search; /* what else `visit` needs */
    struct part_changes now, next;
};
/* Begins with the masters in `now`. Ends when no part has a change, or after `most`
** rounds. False: the run must end. */
bool part_go_rounds(struct part_rounds *r, uint32_t most, uint32_t *rounds);
/* Lists for a search along rows. */
bool part_rounds_open(struct part_rounds *r, gpugraph_part *p, gpugraph_run *run);
void part_rounds_close(struct part_rounds *r);

/* Merges: the smaller, the larger, the sum. */
bool part_least_32(void *into, const void *from);
bool part_least_64(void *into, const void *from);
bool part_most_8(void *into, const void *from);
bool part_sum_32(void *into, const void *from);
bool part_sum_128(void *into, const void *from);

/* ---- tree.c ---- */

/* The tree of a search: value[local], ghosts having their masters'. sources: that are masters here. The
** part has edge ids. */
gpugraph_status part_tree(gpugraph_part *p, gpugraph_run *run, const void *value,
                          enum part_layout layout, const uint32_t *source,
                          uint32_t sources, const gpugraph_part_tree *tree);
/* May the search have this tree? */
bool part_tree_is_possible(const gpugraph_part *p, gpugraph_run *run,
                           const gpugraph_part_tree *tree);

/* The masters here among the sources, each once (gg_release); NULL after a failure. */
uint32_t *part_sources(const gpugraph_part *p, gpugraph_run *run, const uint64_t *source,
                       uint32_t count, uint32_t *found);

/* ---- the rows transposed ---- */

/* Row v: source[offset[v]] .. source[offset[v + 1] - 1]. */
struct part_transpose {
    uint64_t *offset;
    uint32_t *source;
};
bool part_transpose_open(const gpugraph_part *p, gpugraph_run *run,
                         struct part_transpose *t);
void part_transpose_close(struct part_transpose *t);
/* Each target once in its row, ascending: the rows of the transpose are read in their
** order. False: the run must end. */
bool part_simplify(gpugraph_part *p, gpugraph_run *run);

/* ---- messages.c ---- */

/* Records to the owners of the numbers that they begin with. What comes is the caller's
** to close, also after a failure. */
bool part_post(gpugraph_part *p, gpugraph_run *run, uint32_t width,
               const uint64_t *record, uint64_t count, struct gg_records *received);
/* word[i], a number, becomes answer[j] of the master j whose number it is. */
bool part_ask(gpugraph_part *p, gpugraph_run *run, const uint64_t *answer, uint64_t *word,
              uint64_t count);

#ifdef __cplusplus
}
#endif
#endif
