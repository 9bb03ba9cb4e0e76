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
**     distance[v]   words of words.h, which only fall; the least fixpoint is the answer, so that no order
**                   of parts or threads is seen in it
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

struct sssp_part {
    gpugraph_part *p;
    gpugraph_run *run;
    bool real;
    uint64_t bound;    /* a word: nothing farther is stored */
    bool within_range; /* the bound is the caller's: what lies beyond is not wanted */
    bool none;         /* it is below 0 */
    uint64_t over;     /* not 0: a sum left the range */
    uint64_t *distance, *scanned, *known;
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
static inline uint64_t key_of(const struct sssp_part *s, uint64_t word) {
    if (!s->real)
        return word >> s->shift;
    const double scaled = gg_word_real(word) * s->scale;
    return scaled < BUCKETS_BY_SCALE ? (uint64_t)scaled : ((uint64_t)1 << 62) + word / 4;
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
        const double weight = p->weight_type == GPUGRAPH_REAL_WEIGHTS
                                  ? ((const double *)p->weight)[a]
                                  : (double)((const int64_t *)p->weight)[a];
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
    bucket_add(&s->queue, s->current, key_of(s, s->distance[v]), v);
}

/* The least key of the entries of a bin that still stand; UINT64_MAX: none does. */
static uint64_t least_of_bin(const struct sssp_part *s, int level, int slot) {
    uint64_t least = UINT64_MAX;
    for (const struct bucket_chunk *c = s->queue.bin[level][slot]; c; c = c->next)
        for (uint32_t i = 0; i < c->count; i++) {
            const uint32_t v = c->vertex[i];
            const uint64_t key = key_of(s, s->distance[v]);
            if (s->scanned[v] != s->distance[v] && key < least)
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
            if (s->scanned[c->vertex[i]] != s->distance[c->vertex[i]])
                wait_for(s, c->vertex[i]);
        bucket_give_back(&s->queue, c);
    }
}

/* ---- relaxing ---- */

/* The distance at the end of an arc; UINT64_MAX where it is out of bounds. */
static inline uint64_t sum_of(struct sssp_part *s, uint64_t from, uint64_t arc, bool real,
                              uint64_t *over) {
    if (!real) { /* two numbers up to INT64_MAX never wrap */
        const uint64_t sum = from + ((const uint64_t *)s->p->weight)[arc];
        *over |= sum >> 63;
        return sum > s->bound ? UINT64_MAX : sum;
    }
    const double sum = gg_word_real(from) + ((const double *)s->p->weight)[arc];
    *over |= !(sum <= DBL_MAX);
    return gg_real_word(sum) > s->bound ? UINT64_MAX : gg_real_word(sum);
}

/* `real` is known where this is inlined. */
static inline __attribute__((always_inline)) void relax_row(struct sssp_part *s,
                                                            uint32_t u, bool real) {
    const gpugraph_part *p = s->p;
    const uint64_t from = s->distance[u];
    for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++) {
        const uint32_t v = p->target[a];
        const uint64_t sum = sum_of(s, from, a, real, &s->over);
        if (sum < s->distance[v]) {
            s->distance[v] = sum;
            bucket_add(&s->queue, s->current, key_of(s, sum), v);
        }
    }
    s->arcs += p->offset[u + 1] - p->offset[u];
}

/* Does the entry stand? Then it is noted for who must be told of it, and its row is to be relaxed. */
static inline bool serve(struct sssp_part *s, uint32_t v) {
    const uint64_t distance = s->distance[v];
    if (s->scanned[v] == distance || key_of(s, distance) != s->current)
        return false;
    s->scanned[v] = distance;
    if (!s->known || s->known[v] != distance) {
        if (s->known)
            s->known[v] = distance;
        if (v >= s->p->masters)
            part_note(&s->up, v);
        else if (part_reads_ghosts(s->p) && s->p->first_link[v] < s->p->first_link[v + 1])
            part_note(&s->down, v);
    }
    return true;
}

/* ---- a round ---- */

/* Relaxes the rows of a bin's vertices that stand. */
static void serve_bin(struct sssp_part *s, struct bucket_chunk *c) {
    const gpugraph_part *p = s->p;
    struct bucket_chunk *next;
    for (; c; c = next) {
        next = c->next;
        for (uint32_t i = 0; i < c->count; i++) {
            const uint32_t v = c->vertex[i];
            if (i + 4 < c->count) {
                __builtin_prefetch(&s->distance[c->vertex[i + 4]]);
                __builtin_prefetch(&p->offset[c->vertex[i + 4]]);
            }
            if (!serve(s, v) || p->offset[v] == p->offset[v + 1])
                continue;
            if (s->real)
                relax_row(s, v, true);
            else
                relax_row(s, v, false);
        }
        bucket_give_back(&s->queue, c);
    }
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

/* What a change that has come brings: waiting for its bucket, and for its ghosts to be told. */
static void take_masters(struct sssp_part *s) {
    for (uint32_t i = 0; i < s->up.count; i++) {
        const uint32_t v = s->up.list[i];
        if (s->known) {
            s->known[v] = s->distance[v];
            part_note(&s->down, v);
        }
        wait_for(s, v);
    }
    part_forget(&s->up);
}

static void take_ghosts(struct sssp_part *s) {
    for (uint32_t i = 0; i < s->down.count; i++) {
        const uint32_t v = s->down.list[i];
        if (v < s->p->masters || s->scanned[v] == s->distance[v])
            continue;
        if (s->known)
            s->known[v] = s->distance[v];
        wait_for(s, v);
    }
    part_forget(&s->down);
}

static bool exchange(struct sssp_part *s) {
    const struct part_field field = {s->distance, sizeof *s->distance, part_least_64};
    if (part_writes_ghosts(s->p)) {
        if (gg_reduce(s->p, s->run, field, &s->up))
            return false;
        take_masters(s);
    } else {
        part_forget(&s->up);
    }
    if (part_reads_ghosts(s->p)) {
        if (gg_broadcast(s->p, s->run, field, &s->down))
            return false;
        take_ghosts(s);
    }
    return s->run->status == GPUGRAPH_OK;
}

static bool search(struct sssp_part *s) {
    const gpugraph_exchange_calls *calls = s->p->exchange->calls;
    for (;;) {
        if (!drain(s) || !exchange(s) || gg_poll(s->run))
            return false;
        uint64_t next = lowest(s);
        s->rounds++;
        if (calls->combine(s->p->exchange, s->run, GPUGRAPH_LEAST, &next, 1))
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
            const bool from = s->distance[u] != UINT64_MAX || beyond[u];
            for (uint64_t a = p->offset[u]; from && a < p->offset[u + 1]; a++) {
                const uint32_t v = p->target[a];
                if (s->distance[v] == UINT64_MAX && !beyond[v]) {
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
    const struct part_field field = {s->distance, sizeof *s->distance, part_least_64};
    uint8_t *beyond = gg_alloc_zero(s->run, s->p->locals, sizeof *beyond);
    const bool go =
        beyond && !gg_broadcast(s->p, s->run, field, NULL) && find_lost(s, beyond, &lost);
    gg_release(beyond);
    if (go && lost != UINT64_MAX && s->real)
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
    s->bound = s->real ? gg_real_word(DBL_MAX) : INT64_MAX;
    if (max_distance && s->real) {
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
    s->distance = gg_alloc(s->run, p->locals, sizeof *s->distance);
    s->scanned = gg_alloc(s->run, p->locals, sizeof *s->scanned);
    if (part_reads_ghosts(p))
        s->known = gg_alloc(s->run, p->locals, sizeof *s->known);
    if (s->run->status || !part_changes_open(p, s->run, &s->up) ||
        !part_changes_open(p, s->run, &s->down))
        return false;
    memset(s->distance, 0xff, p->locals * sizeof *s->distance);
    memset(s->scanned, 0xff, p->locals * sizeof *s->scanned);
    if (s->known)
        memset(s->known, 0xff, p->locals * sizeof *s->known);
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
        if (s->real)
            gg_put_word(GPUGRAPH_REAL, distance, v, s->distance[v]);
        else /* -1 where not reached */
            ((uint64_t *)distance)[v] = s->distance[v];
}

/* The search, its distances, and the tree. */
static void find_paths(struct sssp_part *s, const uint32_t *here, uint32_t sources,
                       void *distance, const gpugraph_part_tree *tree) {
    gpugraph_part *p = s->p;
    const struct part_field field = {s->distance, sizeof *s->distance, part_least_64};
    double start = gg_now_ms();
    for (uint32_t i = 0; i < sources && !s->none; i++) {
        s->distance[here[i]] = 0;
        wait_for(s, here[i]);
    }
    if (!search(s) || !check_range(s))
        return;
    put_distances(s, distance);
    gg_phase(s->run, "search", start, (int64_t)s->arcs, "%llu rounds over %u parts",
             (unsigned long long)s->rounds, p->exchange->parts);
    start = gg_now_ms();
    if (tree && !gg_broadcast(p, s->run, field, NULL) &&
        !part_tree(p, s->run, s->distance, true, here, sources, tree))
        gg_phase(s->run, "parents", start, p->masters, "%u sources here", sources);
}

gpugraph_status gpugraph_part_sssp(gpugraph_part *p, const uint64_t *source,
                                   uint32_t source_count, const void *max_distance,
                                   gpugraph_run *run, void *distance,
                                   const gpugraph_part_tree *tree) {
    gg_begin(run);
    struct sssp_part s = {
        .p = p, .run = run, .real = p->weight_type == GPUGRAPH_REAL_WEIGHTS};
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
