/* Shortest paths over parts: delta-stepping (Meyer and Sanders, J. Algorithms 49, 2003) by buckets that
** all parts serve at the same time.
**
**     round    drain       each part relaxes along its own rows until its current bucket is empty
**              reduce      ghosts that were in it go to their masters, where least wins
**              broadcast   masters that were in it go to ghosts that rows begin at
**              agree       the lowest bucket that any part has left becomes current
**
** A vertex is told of when its bucket is served, not when its distance falls: of many falls the last
** alone is sent, but for those within a bucket. So a ghost waits in a queue as a master does, whether it
** has a row or not.
**
**     distance[v]   numbers of 32 or 64 bits, or the bits of doubles, which only fall; the least fixpoint
**                   is the answer, so that no order of parts or threads is seen in it
**     scanned[v]    the distance that v's row was relaxed with
**     known[v]      that the other side of a ghost was told, or told us; where ghosts are both read and
**                   written
**
** Ghosts: one that was lowered within the current bucket is reduced before any master of the bucket is
** broadcast, and one lowered beyond it is above what a broadcast brings: so no copy raises a distance. */
#include "bucket_queue.h"
#include "sssp.h"

#include "base/words.h"
#include "multi/part.h"

#include <stdlib.h>

#define EXPONENT_BIAS 2048
/* Typical weights that a bucket is wide: wider than GG_SSSP_DELTA, since what ends a round is an
** exchange. */
#define DELTA (4 * GG_SSSP_DELTA)

/* Arcs that shorten the way to their target, as far as a first look can tell. */
struct offers {
    uint32_t count;
    uint32_t vertex[GG_SSSP_OFFERS];
    uint64_t sum[GG_SSSP_OFFERS];
};

struct sssp_part {
    gpugraph_part *p;
    gpugraph_run *run;
    enum part_layout layout;
    uint64_t bound;    /* a word: nothing farther is stored */
    bool within_range; /* the bound is the caller's: what lies beyond is not wanted */
    bool none;         /* it is below 0 */
    uint64_t over;     /* not 0: a sum left the range */
    void *distance, *scanned, *known; /* as layout says */
    /* buckets */
    struct bucket_queue queue;
    uint64_t current;
    int shift;    /* whole distances: bucket = distance >> shift */
    double scale; /* REAL ones: bucket = distance * scale */
    struct part_changes up, down;
    uint64_t rounds, arcs;
};

/* ---- buckets ---- */

#define BUCKETS_BY_SCALE 4611686018427387904.0 /* 2^62 */

/* Beyond the integers that a bucket number can be, buckets go on by the bits of the double. */
PART_INLINE uint64_t key_in(const struct sssp_part *s, uint64_t word,
                            enum part_layout layout) {
    if (layout != PART_REAL)
        return word >> s->shift;
    const double scaled = gg_word_real(word) * s->scale;
    return scaled < BUCKETS_BY_SCALE ? (uint64_t)scaled : ((uint64_t)1 << 62) + word / 4;
}
static inline uint64_t key_of(const struct sssp_part *s, uint64_t word) {
    return s->layout == PART_REAL ? key_in(s, word, PART_REAL)
                                  : key_in(s, word, PART_WHOLE);
}

PART_INLINE void put_in(void *array, uint64_t i, uint64_t word, enum part_layout layout) {
    if (layout == PART_NARROW)
        ((uint32_t *)array)[i] = (uint32_t)word;
    else
        ((uint64_t *)array)[i] = word;
}
static inline void put(const struct sssp_part *s, void *array, uint64_t i,
                       uint64_t word) {
    put_in(array, i, word, s->layout == PART_NARROW ? PART_NARROW : PART_WHOLE);
}
static inline uint64_t at(const struct sssp_part *s, const void *array, uint64_t i) {
    return part_value(array, i, s->layout == PART_NARROW ? PART_NARROW : PART_WHOLE);
}
/* Has v's row been relaxed with its distance? */
static inline bool is_scanned(const struct sssp_part *s, uint32_t v) {
    return at(s, s->scanned, v) == at(s, s->distance, v);
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the positive ones among some weights; 0 without any. */
static double typical_weight(const gpugraph_part *p) {
    double sample[GG_SSSP_SAMPLE];
    const uint64_t step = p->arcs / GG_SSSP_SAMPLE + 1;
    size_t count = 0;
    for (uint64_t a = 0; a < p->arcs; a += step) {
        const double weight = part_weight(p, a);
        if (weight > 0)
            sample[count++] = weight;
    }
    qsort(sample, count, sizeof *sample, compare_doubles);
    return count ? sample[count / 2] : 0;
}

/* The same power of two at all parts: the largest that one proposes. The narrower the faster what is served
** multiplies, which the squares of the lengths of rows tell. */
static bool set_buckets(struct sssp_part *s) {
    const gpugraph_part *p = s->p;
    uint64_t sums[2] = {0, 0};
    for (uint32_t v = 0; v < p->locals; v++) {
        const uint64_t length = p->offset[v + 1] - p->offset[v];
        sums[0] += length;
        sums[1] += length * length;
    }
    if (p->exchange->calls->combine(p->exchange, s->run, GPUGRAPH_SUM, sums, 2))
        return false;
    const double branching = sums[0] ? (double)sums[1] / (double)sums[0] : 1;
    const double delta = typical_weight(p) * DELTA / (branching > 1 ? branching : 1);
    uint64_t exponent = delta > 0 ? (uint64_t)(ilogb(delta) + EXPONENT_BIAS) : 0;
    if (p->exchange->calls->combine(p->exchange, s->run, GPUGRAPH_MOST, &exponent, 1))
        return false;
    int e = exponent ? (int)exponent - EXPONENT_BIAS : 0;
    e = e < -1000 ? -1000 : e > 1000 ? 1000 : e;
    s->scale = ldexp(1, -e);
    s->shift = e < 0 ? 0 : e > 62 ? 62 : e;
    return true;
}

static inline void wait_for(struct sssp_part *s, uint32_t v) {
    bucket_add(&s->queue, s->current, key_of(s, at(s, s->distance, v)), v);
}

/* The least key of the entries of a bin that still stand; UINT64_MAX: none does. */
static uint64_t least_of_bin(const struct sssp_part *s, int level, int slot) {
    uint64_t least = UINT64_MAX;
    for (const struct bucket_chunk *c = s->queue.bin[level][slot]; c; c = c->next)
        for (uint32_t i = 0; i < c->count; i++) {
            const uint32_t v = c->vertex[i];
            const uint64_t key = key_of(s, at(s, s->distance, v));
            if (key < least && !is_scanned(s, v))
                least = key;
            if (level == 0 && least != UINT64_MAX)
                return least; /* all of this bin have one key */
        }
    return least;
}

static void empty_bin(struct sssp_part *s, int level, int slot) {
    struct bucket_chunk *next;
    for (struct bucket_chunk *c = bucket_take(&s->queue, level, slot); c; c = next) {
        next = c->next;
        bucket_give_back(&s->queue, c);
    }
}

/* The lowest bucket that waits here; UINT64_MAX: none. */
static uint64_t lowest(struct sssp_part *s) {
    for (int level = 0; level < BUCKET_LEVELS; level++)
        for (int slot; (slot = bucket_first(&s->queue, level, 0)) < BUCKET_SLOTS;) {
            const uint64_t least = least_of_bin(s, level, slot);
            if (least != UINT64_MAX)
                return least;
            empty_bin(s, level, slot);
        }
    return UINT64_MAX;
}

/* None of this part's keys is below `key`. So one bin alone may have to be spread anew: that of the highest
** byte in which the two differ. */
static void move_to(struct sssp_part *s, uint64_t key) {
    const uint64_t differ = key ^ s->current;
    const int level = differ < BUCKET_SLOTS ? 0 : (63 - __builtin_clzll(differ)) / 8;
    const int slot = (int)(key >> 8 * level & (BUCKET_SLOTS - 1));
    s->current = key;
    if (level == 0)
        return;
    struct bucket_chunk *next;
    for (struct bucket_chunk *c = bucket_take(&s->queue, level, slot); c; c = next) {
        next = c->next;
        for (uint32_t i = 0; i < c->count; i++)
            if (!is_scanned(s, c->vertex[i]))
                wait_for(s, c->vertex[i]);
        bucket_give_back(&s->queue, c);
    }
}

/* ---- relaxing ---- */

PART_INLINE bool is_over(uint64_t sum, enum part_layout layout) {
    if (layout == PART_REAL)
        return !(gg_word_real(sum) <= DBL_MAX);
    return layout == PART_WHOLE && sum >> 63;
}

/* Looks at some arcs: every one is written behind the offers, whose count moves on only for those that
** are one. A branch instead would wait for the target's distance. */
PART_INLINE void look(struct sssp_part *s, struct offers *o, uint64_t from, uint64_t arc,
                      uint64_t end, enum part_layout layout) {
    const gpugraph_part *p = s->p;
    uint32_t count = o->count;
    bool over = false;
    for (; arc < end; arc++) {
        const uint32_t v = p->target[arc];
        const uint64_t sum = part_sum_of(from, p->weight, arc, layout),
                       old = layout == PART_NARROW ? ((const uint32_t *)s->distance)[v]
                                                   : ((const uint64_t *)s->distance)[v];
        over |= is_over(sum, layout);
        o->vertex[count] = v;
        o->sum[count] = sum;
        count += sum < old;
    }
    o->count = count;
    s->over |= over;
}

PART_INLINE void take_offers(struct sssp_part *s, struct offers *o,
                             enum part_layout layout) {
    for (uint32_t i = 0; i < o->count; i++) {
        const uint32_t v = o->vertex[i];
        const uint64_t sum = o->sum[i];
        if (sum <= s->bound && sum < part_value(s->distance, v, layout)) {
            put_in(s->distance, v, sum, layout);
            bucket_add(&s->queue, s->current, key_in(s, sum, layout), v);
        }
    }
    o->count = 0;
}

PART_INLINE void relax_row(struct sssp_part *s, struct offers *o, uint32_t u,
                           enum part_layout layout) {
    const uint64_t from = part_value(s->distance, u, layout), end = s->p->offset[u + 1];
    for (uint64_t arc = s->p->offset[u]; arc < end;) {
        const uint64_t room = GG_SSSP_OFFERS - 1 - o->count,
                       part = end - arc < room ? end : arc + room;
        look(s, o, from, arc, part, layout);
        if (o->count > GG_SSSP_OFFERS / 2)
            take_offers(s, o, layout);
        arc = part;
    }
    s->arcs += end - s->p->offset[u];
}

/* Does the entry stand? Then it is noted for who must be told of it, and its row is to be relaxed. */
PART_INLINE bool serve(struct sssp_part *s, uint32_t v, enum part_layout layout) {
    const uint64_t distance = part_value(s->distance, v, layout);
    if (key_in(s, distance, layout) != s->current ||
        part_value(s->scanned, v, layout) == distance)
        return false;
    put_in(s->scanned, v, distance, layout);
    if (!s->known || part_value(s->known, v, layout) != distance) {
        if (s->known)
            put_in(s->known, v, distance, layout);
        if (v >= s->p->masters)
            part_note(&s->up, v);
        else if (part_reads_ghosts(s->p) && s->p->first_link[v] < s->p->first_link[v + 1])
            part_note(&s->down, v);
    }
    return true;
}

/* ---- a round ---- */

/* Asks for the memory of the vertices behind number i: first their offsets and distances, then, from
** nearer by, their arcs. */
PART_INLINE void look_ahead(const struct sssp_part *s, const struct bucket_chunk *c,
                            uint32_t i, enum part_layout layout) {
    const uint32_t width = layout == PART_NARROW ? 4 : 8;
    if (i + 2 * GG_SSSP_AHEAD < c->count) {
        const uint64_t far = c->vertex[i + 2 * GG_SSSP_AHEAD];
        __builtin_prefetch(&s->p->offset[far]);
        __builtin_prefetch((const char *)s->distance + far * width);
        __builtin_prefetch((const char *)s->scanned + far * width);
    }
    if (i + GG_SSSP_AHEAD < c->count) {
        const uint64_t arc = s->p->offset[c->vertex[i + GG_SSSP_AHEAD]];
        __builtin_prefetch(&s->p->target[arc]);
        __builtin_prefetch((const char *)s->p->weight + arc * width);
    }
}

/* Relaxes the rows of a bin's vertices that stand. */
PART_INLINE void serve_bin_in(struct sssp_part *s, struct bucket_chunk *c,
                              enum part_layout layout) {
    struct bucket_chunk *next;
    struct offers offers;
    offers.count = 0;
    for (; c; c = next) {
        next = c->next;
        for (uint32_t i = 0; i < c->count; i++) {
            look_ahead(s, c, i, layout);
            if (serve(s, c->vertex[i], layout))
                relax_row(s, &offers, c->vertex[i], layout);
        }
        bucket_give_back(&s->queue, c);
    }
    take_offers(s, &offers, layout);
}

static void serve_bin(struct sssp_part *s, struct bucket_chunk *c) {
    if (s->layout == PART_NARROW)
        serve_bin_in(s, c, PART_NARROW);
    else if (s->layout == PART_WHOLE)
        serve_bin_in(s, c, PART_WHOLE);
    else
        serve_bin_in(s, c, PART_REAL);
}

/* Relaxes until the current bucket is empty here. */
static bool drain(struct sssp_part *s) {
    const int slot = (int)(s->current % BUCKET_SLOTS);
    uint64_t pause_at = s->arcs + GG_POLL_ITEMS;
    for (struct bucket_chunk *c; (c = bucket_take(&s->queue, 0, slot)) != NULL;) {
        serve_bin(s, c);
        if (s->run->status || gg_stopping(s->run))
            return false;
        if (s->arcs >= pause_at) {
            pause_at = s->arcs + GG_POLL_ITEMS;
            if (gg_poll(s->run))
                return false;
        }
    }
    return !s->run->status;
}

static struct part_field distances(const struct sssp_part *s) {
    return s->layout == PART_NARROW
               ? (struct part_field){s->distance, sizeof(uint32_t), part_least_32}
               : (struct part_field){s->distance, sizeof(uint64_t), part_least_64};
}

/* What a change that has come brings: waiting for its bucket, and for its ghosts to be told. */
static void take_masters(struct sssp_part *s) {
    for (uint32_t i = 0; i < s->up.count; i++) {
        const uint32_t v = s->up.list[i];
        if (s->known) {
            put(s, s->known, v, at(s, s->distance, v));
            part_note(&s->down, v);
        }
        wait_for(s, v);
    }
    part_forget(&s->up);
}

static void take_ghosts(struct sssp_part *s) {
    for (uint32_t i = 0; i < s->down.count; i++) {
        const uint32_t v = s->down.list[i];
        if (v < s->p->masters || is_scanned(s, v))
            continue;
        if (s->known)
            put(s, s->known, v, at(s, s->distance, v));
        wait_for(s, v);
    }
    part_forget(&s->down);
}

/* What was served is told, and the lowest bucket that waits anywhere becomes *next. Where ghosts are
** told they wait in the current one. */
static bool exchange(struct sssp_part *s, uint64_t *next) {
    gpugraph_part *p = s->p;
    if (part_writes_ghosts(p)) {
        if (gg_reduce(p, s->run, distances(s), &s->up))
            return false;
        take_masters(s);
    } else {
        part_forget(&s->up);
    }
    if (gg_poll(s->run))
        return false;
    *next = part_reads_ghosts(p) && s->down.count > 0 ? s->current : lowest(s);
    if (!part_reads_ghosts(p))
        return !p->exchange->calls->combine(p->exchange, s->run, GPUGRAPH_LEAST, next, 1);
    if (gg_broadcast_and_combine(p, s->run, distances(s), &s->down, GPUGRAPH_LEAST, next,
                                 1))
        return false;
    take_ghosts(s);
    return s->run->status == GPUGRAPH_OK;
}

static bool search(struct sssp_part *s) {
    uint64_t next;
    for (;; s->rounds++) {
        if (!drain(s) || !exchange(s, &next))
            return false;
        if (next == UINT64_MAX)
            return true;
        move_to(s, next);
    }
}

/* ---- distances out of range ---- */

/* Marks who can be reached and is not: the smallest number of them, UINT64_MAX: none. */
static bool find_lost(struct sssp_part *s, uint8_t *beyond, uint64_t *lost) {
    gpugraph_part *p = s->p;
    const struct part_field field = {beyond, 1, part_most_8};
    struct part_changes next = {0};
    bool go = part_changes_open(p, s->run, &next);
    for (uint64_t found = 1; go && found > 0;) {
        found = 0;
        part_forget(&next);
        for (uint32_t u = 0; u < p->locals && go; u++) {
            go = !gg_leave(s->run, u);
            const bool from = at(s, s->distance, u) != UINT64_MAX || beyond[u];
            for (uint64_t a = p->offset[u]; from && a < p->offset[u + 1]; a++) {
                const uint32_t v = p->target[a];
                if (at(s, s->distance, v) == UINT64_MAX && !beyond[v]) {
                    beyond[v] = 1;
                    part_note(&next, v);
                }
            }
        }
        found = next.count;
        go = go && (!part_writes_ghosts(p) || !gg_reduce(p, s->run, field, &next)) &&
             (!part_reads_ghosts(p) || !gg_broadcast(p, s->run, field, &next)) &&
             part_sum(p, s->run, &found);
    }
    *lost = UINT64_MAX;
    for (uint32_t v = 0; go && v < p->masters && *lost == UINT64_MAX; v++)
        if (beyond[v])
            *lost = p->number[v];
    go = go && !p->exchange->calls->combine(p->exchange, s->run, GPUGRAPH_LEAST, lost, 1);
    part_changes_close(&next);
    return go;
}

static bool check_range(struct sssp_part *s) {
    uint64_t lost = UINT64_MAX;
    if (s->within_range)
        return true;
    s->over = s->over != 0;
    if (!part_sum(s->p, s->run, &s->over))
        return false;
    if (s->over == 0)
        return true;
    uint8_t *beyond = gg_alloc_zero(s->run, s->p->locals, sizeof *beyond);
    const bool go = beyond && !gg_broadcast(s->p, s->run, distances(s), NULL) &&
                    find_lost(s, beyond, &lost);
    gg_release(beyond);
    if (go && lost != UINT64_MAX && s->layout == PART_REAL)
        gg_fail(s->run, GPUGRAPH_RANGE,
                "the distance of vertex number %llu is over the range of a REAL (%g); "
                "scale the "
                "weights down or bound the search by max_distance",
                (unsigned long long)lost, DBL_MAX);
    else if (go && lost != UINT64_MAX)
        gg_fail(
            s->run, GPUGRAPH_RANGE,
            "the distance of vertex number %llu is over the INTEGER range "
            "(9223372036854775807); use smaller or REAL weights or bound the search by "
            "max_distance",
            (unsigned long long)lost);
    return go && !s->run->status;
}

/* ---- the whole ---- */

static bool set_bound(struct sssp_part *s, const void *max_distance) {
    const bool real = s->layout == PART_REAL;
    s->bound = real ? gg_real_word(DBL_MAX) : INT64_MAX;
    if (max_distance && real) {
        double most;
        memcpy(&most, max_distance, sizeof most);
        if (most != most)
            gg_fail(s->run, GPUGRAPH_INVALID, "max_distance is not a number");
        s->within_range = most <= DBL_MAX;
        s->none = most < 0;
        if (s->within_range)
            s->bound = gg_real_word(most + 0.0);
    } else if (max_distance) {
        int64_t most;
        memcpy(&most, max_distance, sizeof most);
        s->within_range = true;
        s->none = most < 0;
        s->bound = (uint64_t)most;
    }
    return !s->run->status;
}

static bool make_room(struct sssp_part *s) {
    const gpugraph_part *p = s->p;
    s->queue.run = s->run;
    const uint32_t width = distances(s).size;
    s->distance = gg_alloc(s->run, p->locals, width);
    s->scanned = gg_alloc(s->run, p->locals, width);
    if (part_reads_ghosts(p) && part_writes_ghosts(p))
        s->known = gg_alloc(s->run, p->locals, width);
    if (s->run->status || !part_changes_open(p, s->run, &s->up) ||
        !part_changes_open(p, s->run, &s->down))
        return false;
    memset(s->distance, 0xff, (uint64_t)p->locals * width);
    memset(s->scanned, 0xff, (uint64_t)p->locals * width);
    if (s->known)
        memset(s->known, 0xff, (uint64_t)p->locals * width);
    return true;
}

static void release(struct sssp_part *s) {
    void *blocks[] = {s->distance, s->scanned, s->known};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
    bucket_queue_free(&s->queue);
    part_changes_close(&s->up);
    part_changes_close(&s->down);
}

static void put_distances(const struct sssp_part *s, void *distance) {
    for (uint32_t v = 0; v < s->p->masters; v++)
        if (s->layout == PART_REAL)
            gg_put_word(GPUGRAPH_REAL, distance, v, at(s, s->distance, v));
        else /* -1 where not reached */
            ((uint64_t *)distance)[v] = at(s, s->distance, v);
}

/* Do ghosts have their masters' distances after the search? */
static bool is_told(const gpugraph_part *p) {
    return part_reads_ghosts(p) && !part_writes_ghosts(p);
}

/* The search, its distances, and the tree. */
static void find_paths(struct sssp_part *s, const uint32_t *here, uint32_t sources,
                       void *distance, const gpugraph_part_tree *tree) {
    gpugraph_part *p = s->p;
    double start = gg_now_ms();
    for (uint32_t i = 0; i < sources && !s->none; i++) {
        put(s, s->distance, here[i], 0);
        wait_for(s, here[i]);
    }
    if (!search(s) || !check_range(s))
        return;
    put_distances(s, distance);
    gg_phase(s->run, "search", start, (int64_t)s->arcs, "%llu rounds over %u parts",
             (unsigned long long)s->rounds, p->exchange->parts);
    start = gg_now_ms();
    if (tree && (is_told(p) || !gg_broadcast(p, s->run, distances(s), NULL)) &&
        !part_tree(p, s->run, s->distance, s->layout, here, sources, tree))
        gg_phase(s->run, "parents", start, p->masters, "%u sources here", sources);
}

gpugraph_status gpugraph_part_sssp(gpugraph_part *p, const uint64_t *source,
                                   uint32_t source_count, const void *max_distance,
                                   gpugraph_run *run, void *distance,
                                   const gpugraph_part_tree *tree) {
    gg_begin(run);
    struct sssp_part s = {.p = p, .run = run, .layout = part_layout_of(p)};
    uint32_t sources = 0, *here = NULL;
    if (p->weight_type == GPUGRAPH_UNWEIGHTED)
        gg_fail(run, GPUGRAPH_INVALID,
                "shortest paths need weights, and the graph was made without");
    else if (part_tree_is_possible(p, run, tree) && set_bound(&s, max_distance) &&
             (here = part_sources(p, run, source, source_count, &sources)) != NULL &&
             make_room(&s) && set_buckets(&s))
        find_paths(&s, here, sources, distance, tree);
    release(&s);
    gg_release(here);
    return part_end(p->exchange, run);
}
