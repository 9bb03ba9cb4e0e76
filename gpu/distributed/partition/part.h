/* The inside of a partition of a graph, which gpugraph_parts.h calls a part.
**
**     local     0 .. masters - 1            masters .. locals - 1
**     number    ascending                   by owner, then ascending
**               vertices that it owns       ghosts: ends of its arcs that others own
**                                           |  of partition 0  |  of partition 1  | ...
**     rows      offset[local], target[]     arcs from any local to any local
**
**     peer[q].master[i]    the master here of the i-th ghost that partition q has from
**                          this partition; both partitions use the same order
**
** An algorithm has arrays with an entry for each local. A step reads and writes them
** along rows. Then gg_reduce merges changed ghosts into their masters, and gg_broadcast
** copies changed masters to their ghosts. In a partition by source no row begins at a
** ghost. In a partition by target no arc ends at a ghost. Each of them needs only one of
** the two functions. */
#ifndef GPUGRAPH_PART_H
#define GPUGRAPH_PART_H

#include "gpugraph_parts.h"
#include "base/run.h"
#include "base/words.h"
#include "distributed/exchange/post.h"
#include "places.h"

GG_BEGIN_C

struct part_peer {
    uint32_t *master; /* masters here that are ghosts of the peer */
    uint32_t masters;
    uint32_t first_ghost, ghosts; /* ghosts here that are masters of the peer */
};

struct part_device;

struct gpugraph_part {
    gpugraph_exchange *exchange;
    gpugraph_partition partition;
    gpugraph_direction direction;
    bool simple;
    uint64_t vertices;            /* in the whole graph */
    struct several_places places; /* the owner of each number, and its place there */
    uint32_t masters, locals;
    uint64_t *number;
    uint64_t arcs;
    uint64_t *offset; /* locals + 1 */
    uint32_t *target;
    gpugraph_weight_type weight_type;
    void *weight;     /* of each arc: int64_t or double; NULL: unweighted */
    int64_t *edge_id; /* of each arc, for trees; NULL: shares have no edge ids */
    uint32_t columns; /* columns of a grid */
    struct part_peer *peer;
    /* The ghosts of master v elsewhere: link[first_link[v] .. first_link[v + 1] - 1]. */
    uint64_t *first_link;
    struct part_link {
        uint32_t peer, place; /* peer[peer].master[place] is the master */
    } * link;
    gpugraph_parcel *out, *in;
    struct part_device *device; /* rows on a device; NULL: searches run on the CPU */
};

/* Searches of a partition on its device. Their sources are masters here. */
typedef gpugraph_status part_bfs(gpugraph_part *p, const gpugraph_search *search,
                                 gpugraph_run *run, uint32_t *depth);
typedef gpugraph_status part_mis(gpugraph_part *p, gpugraph_priority priority,
                                 const uint32_t *hash, gpugraph_run *run,
                                 uint8_t *member);
/* distance: 64-bit words of masters in a layout of part_layout. *lost: true if a sum is
** out of range. */
typedef gpugraph_status part_sssp(gpugraph_part *p, const gpugraph_search *search,
                                  gpugraph_run *run, void *distance, bool *lost);
/* out: the out-degree of each master. is_place: 1 for each master that is a source; NULL:
** all masters are sources. `how` has the number of sources, but not the sources. */
typedef gpugraph_status part_pagerank(gpugraph_part *p,
                                      const gpugraph_pagerank_options *how,
                                      const double *out, const uint8_t *is_place,
                                      gpugraph_run *run, double *rank,
                                      uint32_t *iterations, double *change);

/* The functions of a build with CUDA. All are NULL in a build without CUDA. */
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
/* The master with that number; GPUGRAPH_NONE if another partition owns the number. */
static inline uint32_t part_master_of(const gpugraph_part *p, uint64_t number) {
    uint32_t master;
    const uint32_t owner = several_owner_of(&p->places, number, &master);
    return owner == p->exchange->part && number < p->vertices ? master : GPUGRAPH_NONE;
}
/* Orders numbers by owner, then by their place there. */
static inline uint64_t part_place(const gpugraph_part *p, uint64_t number) {
    uint32_t master;
    const uint64_t owner = several_owner_of(&p->places, number, &master);
    return owner * p->places.stride + master;
}
/* True if rows begin at ghosts, and if arcs end at ghosts. */
static inline bool part_reads_ghosts(const gpugraph_part *p) {
    return p->partition != GPUGRAPH_BY_SOURCE && p->exchange->parts > 1;
}
static inline bool part_writes_ghosts(const gpugraph_part *p) {
    return p->partition != GPUGRAPH_BY_TARGET && p->exchange->parts > 1;
}

/* The layout of an array of distances: levels of 32 bits, numbers of 64 bits, or the bits
** of doubles. An unreached vertex has all bits set. */
enum part_layout { PART_LEVELS, PART_INTEGER, PART_REAL };
static inline uint64_t part_value(const void *value, uint64_t i,
                                  enum part_layout layout) {
    if (layout != PART_LEVELS)
        return ((const uint64_t *)value)[i];
    const uint32_t level = ((const uint32_t *)value)[i];
    return level == UINT32_MAX ? UINT64_MAX : level;
}
/* The distance of an arc's target, if its source is at distance `from`. The sum of two
** INTEGERs up to INT64_MAX never wraps. */
static inline uint64_t part_sum_of(uint64_t from, const void *weight, uint64_t arc,
                                   enum part_layout layout) {
    if (layout == PART_LEVELS)
        return from + 1;
    if (layout == PART_INTEGER)
        return from + ((const uint64_t *)weight)[arc];
    return gg_real_word(gg_word_real(from) + ((const double *)weight)[arc]);
}

/* Allocates the bytes of all parcels, whose `room` is set: block[0] for p->out, block[1]
** for p->in. The caller releases both blocks, also after a failure. */
bool part_allocate_parcels(gpugraph_part *p, gpugraph_run *run, char *block[2]);
/* Ends a collective function: a failure of one partition becomes a failure of all.
** Returns run->status. */
gpugraph_status part_end(gpugraph_exchange *x, gpugraph_run *run);
/* Collective: adds *word over all partitions. False: the run must end. */
bool part_sum(gpugraph_part *p, gpugraph_run *run, uint64_t *word);

/* Computes owners and places of all numbers (making.c). False: the partition would own
** too many vertices. */
bool part_lay_out(gpugraph_part *p, gpugraph_run *run);

/* ---- sync.c ---- */

/* A set of locals that have changed. */
struct part_changes {
    uint32_t *list, count;
    uint8_t *flag; /* of each local: 1 if it is in the list */
};
bool part_changes_open(const gpugraph_part *p, gpugraph_run *run, struct part_changes *c);
void part_changes_close(struct part_changes *c);
static inline void part_note(struct part_changes *c, uint32_t local) {
    if (!c->flag[local]) {
        c->flag[local] = 1;
        c->list[c->count++] = local;
    }
}
void part_forget(struct part_changes *c); /* empties the set */

/* An array with an entry for each local. */
struct part_field {
    void *value;
    uint32_t size; /* bytes of an entry: 1, 4, 8 or 16 */
    bool (*merge)(
        void *into,
        const void *from); /* returns true if *into has changed; for gg_reduce */
};
/* Merges ghosts in `c` into their masters, and removes them from `c`. Masters that change
** join `c`. c NULL: merges all ghosts. */
gpugraph_status gg_reduce(gpugraph_part *p, gpugraph_run *run, struct part_field f,
                          struct part_changes *c);
/* Copies masters in `c` to their ghosts, which join `c`. c NULL: copies all masters. The
** call also combines `words` words of all partitions, without another wait. */
gpugraph_status gg_broadcast_and_combine(gpugraph_part *p, gpugraph_run *run,
                                         struct part_field f, struct part_changes *c,
                                         gpugraph_combination how, uint64_t *word,
                                         uint32_t words);
static inline gpugraph_status gg_broadcast(gpugraph_part *p, gpugraph_run *run,
                                           struct part_field f, struct part_changes *c) {
    return gg_broadcast_and_combine(p, run, f, c, GPUGRAPH_SUM, NULL, 0);
}

/* A search in rounds. In a round each partition visits the locals in `now`. Then all
** copies of a vertex become equal. The changed locals are the next `now`. */
struct part_rounds {
    gpugraph_part *p;
    gpugraph_run *run;
    struct part_field field; /* the array that visits change */
    bool up, down;           /* reduce ghosts, broadcast masters */
    /* Works along the row of `local`, and puts locals that it changes into `next`. */
    void (*visit)(struct part_rounds *r, uint32_t local);
    const void *search; /* for `visit` */
    struct part_changes now, next;
};
/* Starts with the masters in `now`. Ends when no partition has changes, or after `most`
** rounds. False: the run must end. */
bool part_go_rounds(struct part_rounds *r, uint32_t most, uint32_t *rounds);
/* Allocates both sets. False: the run must end. Always call part_rounds_close later. */
bool part_rounds_open(struct part_rounds *r, gpugraph_part *p, gpugraph_run *run);
void part_rounds_close(struct part_rounds *r);

/* Merge functions: minimum, maximum, sum. */
bool part_least_32(void *into, const void *from);
bool part_least_64(void *into, const void *from);
bool part_most_8(void *into, const void *from);
bool part_sum_32(void *into, const void *from);
bool part_sum_128(void *into, const void *from);

/* ---- tree.c ---- */

/* Fills the tree of a search. value: distances of all locals, ghosts included. source:
** those sources that are masters here. The partition has edge ids. */
gpugraph_status part_tree(gpugraph_part *p, gpugraph_run *run, const void *value,
                          enum part_layout layout, const uint32_t *source,
                          uint32_t sources, const gpugraph_part_tree *tree);
/* False, and an error, if the tree cannot be made: the partition has no edge ids, or
** arrays are missing. */
bool part_tree_is_possible(const gpugraph_part *p, gpugraph_run *run,
                           const gpugraph_part_tree *tree);

/* Returns the masters among the sources, each once, for gg_release; NULL after a
** failure. */
uint32_t *part_sources(const gpugraph_part *p, gpugraph_run *run, const uint64_t *source,
                       uint32_t count, uint32_t *found);

/* ---- transposed rows ---- */

/* Row v: source[offset[v]] .. source[offset[v + 1] - 1]. */
struct part_transpose {
    uint64_t *offset;
    uint32_t *source;
};
bool part_transpose_open(const gpugraph_part *p, gpugraph_run *run,
                         struct part_transpose *t);
void part_transpose_close(struct part_transpose *t);
/* Sorts each row and removes repeated targets. False: the run must end. */
bool part_simplify(gpugraph_part *p, gpugraph_run *run);

/* ---- components/weak_parts.c ---- */

/* Fills component[] of masters with the smallest number of the component. Sets
** run->status. */
void part_weak_components(gpugraph_part *p, gpugraph_run *run, uint64_t *component);

/* ---- messages.c ---- */

/* Collective: sends each record to the owner of the number in its first word. The caller
** closes *received, also after a failure. */
bool part_post(gpugraph_part *p, gpugraph_run *run, uint32_t width,
               const uint64_t *record, uint64_t count, struct gg_records *received);
/* Collective: replaces each number in word[] by the entry of its master in answer[]. */
bool part_ask(gpugraph_part *p, gpugraph_run *run, const uint64_t *answer, uint64_t *word,
              uint64_t count);

GG_END_C

#endif
