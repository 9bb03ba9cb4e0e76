/* Shortest paths over parts: delta-stepping (Meyer and Sanders, J. Algorithms 49, 2003) by buckets that
** all parts serve at the same time.
**
**     round    drain       each part relaxes along its own rows until its current bucket is empty, or
**                          much has been relaxed
**              reduce      ghosts that were in it go to their masters, where least wins
**              broadcast   masters that were in it go to ghosts that rows begin at
**              agree       the lowest bucket that any part has left becomes current
**
** Who is told goes on in the current bucket. Where buckets are narrower than weights, few arcs end in the
** bucket that they begin in: there the next one becomes current meanwhile, so that a bucket takes one round,
** not two, and what falls once more is relaxed once more.
**
** A vertex is told of when its bucket is served, not when its distance falls: of many falls the last
** alone is sent, but for those within a bucket. So a ghost waits in a queue as a master does, whether it
** has a row or not.
**
**     distance[v]   numbers of 32 or 64 bits, or the bits of doubles, which only fall; the least fixpoint
**                   is the answer, so that no order of parts or threads is seen in it
**     scanned[v]    the distance that v's row was relaxed with
**     leads_on      a bit for each vertex that has a row, or of whom another part must know: the others
**                   never wait
**     known[v]      that the other side of a ghost was told, or told us; where ghosts are both read and
**                   written
**
** Ghosts: one that was lowered up to the current bucket is reduced before any master is broadcast,
** and one lowered beyond it is above what a broadcast brings: so no copy raises a distance. */
#include "parts.h"
#include "sssp/sssp.h"

#include <stdlib.h>
#include <string.h>

/* Arcs that a partition relaxes, about, before it sends messages: a tenth of a
** millisecond or more. On an R-MAT graph partitions would otherwise wait for each other
** in turn. */
enum { PART_ARCS_A_ROUND = 1 << 16 };

#define EXPONENT_BIAS 2048
/* Typical weights that a bucket is wide: wider than GG_SSSP_DELTA, since what ends a round is an
** exchange. */
#define DELTA (4 * GG_SSSP_DELTA)

/* ---- buckets ---- */

#define BUCKETS_BY_SCALE 4611686018427387904.0 /* 2^62 */

/* Beyond the integers that a bucket number can be, buckets go on by the bits of the double. */
static PART_INLINE uint64_t key_in(const struct sssp_part *s, uint64_t word,
                                   enum part_layout layout) {
    if (layout != PART_REAL)
        return word >> s->shift;
    const double scaled = gg_word_real(word) * s->scale;
    return scaled < BUCKETS_BY_SCALE ? (uint64_t)scaled : ((uint64_t)1 << 62) + word / 4;
}
static inline uint64_t key_parts_of(const struct sssp_part *s, uint64_t word) {
    return s->layout == PART_REAL ? key_in(s, word, PART_REAL)
                                  : key_in(s, word, PART_WHOLE);
}

static PART_INLINE void put_in(void *array, uint64_t i, uint64_t word,
                               enum part_layout layout) {
    if (layout == PART_NARROW)
        ((uint32_t *)array)[i] = (uint32_t)word;
    else
        ((uint64_t *)array)[i] = word;
}
/* Has v's row been relaxed with its distance? */
static inline bool is_scanned(const struct sssp_part *s, uint32_t v) {
    return gg_sssp_at(s, s->scanned, v) == gg_sssp_at(s, s->distance, v);
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
    s->narrow_buckets = branching > DELTA;
    uint64_t exponent = delta > 0 ? (uint64_t)(ilogb(delta) + EXPONENT_BIAS) : 0;
    if (p->exchange->calls->combine(p->exchange, s->run, GPUGRAPH_MOST, &exponent, 1))
        return false;
    int e = exponent ? (int)exponent - EXPONENT_BIAS : 0;
    e = e < -1000 ? -1000 : e > 1000 ? 1000 : e;
    s->exponent = e;
    s->scale = ldexp(1, -e);
    s->shift = e < 0 ? 0 : e > 62 ? 62 : e;
    return true;
}

/* Must another part know of v? */
static inline bool is_told_of(const gpugraph_part *p, uint32_t v) {
    return v >= p->masters
               ? part_writes_ghosts(p)
               : part_reads_ghosts(p) && p->first_link[v] < p->first_link[v + 1];
}

static inline bool leads_on(const struct sssp_part *s, uint32_t v) {
    return s->leads_on[v / 64] >> v % 64 & 1;
}

/* What is told after its bucket was served waits in the current one. */
static inline uint64_t not_before(const struct sssp_part *s, uint64_t key) {
    return key < s->current ? s->current : key;
}

static inline void wait_for(struct sssp_part *s, uint32_t v) {
    if (leads_on(s, v))
        bucket_add(&s->queue, s->current,
                   not_before(s, key_parts_of(s, gg_sssp_at(s, s->distance, v))), v);
}

/* The least key of the entries of a bin that still stand; UINT64_MAX: none does. */
static uint64_t least_of_bin(const struct sssp_part *s, int level, int slot) {
    uint64_t least = UINT64_MAX;
    for (const struct bucket_chunk *c = s->queue.bin[level][slot]; c; c = c->next)
        for (uint32_t i = 0; i < c->count; i++) {
            const uint32_t v = c->vertex[i];
            const uint64_t key =
                not_before(s, key_parts_of(s, gg_sssp_at(s, s->distance, v)));
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

static PART_INLINE bool is_over(uint64_t sum, enum part_layout layout) {
    if (layout == PART_REAL)
        return !(gg_word_real(sum) <= DBL_MAX);
    return layout == PART_WHOLE && sum >> 63;
}

static PART_INLINE void relax_row(struct sssp_part *s, uint32_t u,
                                  enum part_layout layout) {
    const gpugraph_part *p = s->p;
    const uint64_t from = part_value(s->distance, u, layout), end = p->offset[u + 1];
    for (uint64_t arc = p->offset[u]; arc < end; arc++) {
        const uint32_t v = p->target[arc];
        const uint64_t sum = part_sum_of(from, p->weight, arc, layout);
        s->over |= is_over(sum, layout);
        if (sum <= s->bound && sum < part_value(s->distance, v, layout)) {
            put_in(s->distance, v, sum, layout);
            if (leads_on(s, v))
                bucket_add(&s->queue, s->current, not_before(s, key_in(s, sum, layout)),
                           v);
        }
    }
    s->arcs += end - p->offset[u];
}

/* Does the entry stand? Then it is noted for who must be told of it, and its row is to be relaxed. */
static PART_INLINE bool serve(struct sssp_part *s, uint32_t v, enum part_layout layout) {
    const uint64_t distance = part_value(s->distance, v, layout);
    if (key_in(s, distance, layout) > s->current ||
        part_value(s->scanned, v, layout) == distance)
        return false;
    put_in(s->scanned, v, distance, layout);
    if (!s->known || part_value(s->known, v, layout) != distance) {
        if (s->known)
            put_in(s->known, v, distance, layout);
        if (v >= s->p->masters)
            part_note(&s->up, v);
        else if (is_told_of(s->p, v))
            part_note(&s->down, v);
    }
    return true;
}

/* ---- a round ---- */

/* Relaxes the rows of a bin's vertices that stand. */
static PART_INLINE void serve_bin_in(struct sssp_part *s, struct bucket_chunk *c,
                                     enum part_layout layout) {
    struct bucket_chunk *next;
    for (; c; c = next) {
        next = c->next;
        for (uint32_t i = 0; i < c->count; i++)
            if (serve(s, c->vertex[i], layout))
                relax_row(s, c->vertex[i], layout);
        bucket_give_back(&s->queue, c);
    }
}

static void serve_bin(struct sssp_part *s, struct bucket_chunk *c) {
    if (s->layout == PART_NARROW)
        serve_bin_in(s, c, PART_NARROW);
    else if (s->layout == PART_WHOLE)
        serve_bin_in(s, c, PART_WHOLE);
    else
        serve_bin_in(s, c, PART_REAL);
}

/* Relaxes until the current bucket is empty here, or others should be told before more is done: what they wait
** for may be half of the work. Where ghosts are both read and written all of the bucket is served first. */
static bool drain(struct sssp_part *s) {
    const int slot = (int)(s->current % BUCKET_SLOTS);
    const bool whole = part_reads_ghosts(s->p) == part_writes_ghosts(s->p);
    const uint64_t enough = whole ? UINT64_MAX : s->arcs + PART_ARCS_A_ROUND;
    uint64_t pause_at = s->arcs + GG_POLL_ITEMS;
    for (struct bucket_chunk *c;
         s->arcs < enough && (c = bucket_take(&s->queue, 0, slot)) != NULL;) {
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
            gg_sssp_put(s, s->known, v, gg_sssp_at(s, s->distance, v));
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
            gg_sssp_put(s, s->known, v, gg_sssp_at(s, s->distance, v));
        wait_for(s, v);
    }
    part_forget(&s->down);
}

/* What was served is told, and the lowest bucket that waits anywhere becomes *next and is current when ghosts
** begin to wait. */
static bool exchange(struct sssp_part *s, uint64_t *next) {
    gpugraph_part *p = s->p;
    if (part_writes_ghosts(p)) {
        if (gg_reduce(p, s->run, gg_sssp_distances(s), &s->up))
            return false;
        take_masters(s);
    } else {
        part_forget(&s->up);
    }
    if (gg_poll(s->run))
        return false;
    const bool tells = part_reads_ghosts(p) && s->down.count > 0;
    *next = tells && !s->narrow_buckets ? s->current : lowest(s);
    if (tells && *next == UINT64_MAX)
        *next = s->current;
    if (!part_reads_ghosts(p))
        return !p->exchange->calls->combine(p->exchange, s->run, GPUGRAPH_LEAST, next, 1);
    if (gg_broadcast_and_combine(p, s->run, gg_sssp_distances(s), &s->down,
                                 GPUGRAPH_LEAST, next, 1))
        return false;
    if (*next != UINT64_MAX)
        move_to(s, *next);
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

/* ---- the whole ---- */

static bool make_room(struct sssp_part *s) {
    const gpugraph_part *p = s->p;
    s->queue.run = s->run;
    const uint32_t width = gg_sssp_distances(s).size;
    s->scanned = gg_alloc(s->run, p->locals, width);
    s->leads_on =
        gg_alloc_zero(s->run, (uint64_t)p->locals / 64 + 1, sizeof *s->leads_on);
    if (part_reads_ghosts(p) && part_writes_ghosts(p))
        s->known = gg_alloc(s->run, p->locals, width);
    if (s->run->status || !part_changes_open(p, s->run, &s->up) ||
        !part_changes_open(p, s->run, &s->down))
        return false;
    memset(s->distance, 0xff, (uint64_t)p->locals * width);
    memset(s->scanned, 0xff, (uint64_t)p->locals * width);
    if (s->known)
        memset(s->known, 0xff, (uint64_t)p->locals * width);
    for (uint32_t v = 0; v < p->locals; v++)
        s->leads_on[v / 64] |=
            (uint64_t)(is_told_of(p, v) || p->offset[v] < p->offset[v + 1]) << v % 64;
    return true;
}

static void release(struct sssp_part *s) {
    void *blocks[] = {s->distance, s->scanned, s->known, s->leads_on};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
    bucket_queue_free(&s->queue);
    part_changes_close(&s->up);
    part_changes_close(&s->down);
}

static void put_distances(const struct sssp_part *s, void *distance) {
    for (uint32_t v = 0; v < s->p->masters; v++)
        if (s->layout == PART_REAL)
            gg_put_word(GPUGRAPH_REAL, distance, v, gg_sssp_at(s, s->distance, v));
        else /* -1 where not reached */
            ((uint64_t *)distance)[v] = gg_sssp_at(s, s->distance, v);
}

/* Do ghosts have their masters' distances after the search? */
static bool is_told(const gpugraph_part *p) {
    return part_reads_ghosts(p) && !part_writes_ghosts(p);
}

static bool search_on_cpu(struct sssp_part *s, const uint32_t *here, uint32_t sources) {
    if (!make_room(s))
        return false;
    for (uint32_t i = 0; i < sources && !s->none; i++) {
        gg_sssp_put(s, s->distance, here[i], 0);
        wait_for(s, here[i]);
    }
    return search(s);
}

/* The search, its distances, and the tree. */
static void find_paths_of_parts(struct sssp_part *s, const uint32_t *here,
                                uint32_t sources, void *distance,
                                const gpugraph_part_tree *tree) {
    gpugraph_part *p = s->p;
    double start = gg_now_ms();
    s->distance = gg_alloc(s->run, p->locals, gg_sssp_distances(s).size);
    if (!s->distance ||
        !(p->device ? gg_part_services.sssp(s, here, sources) == GPUGRAPH_OK
                    : search_on_cpu(s, here, sources)) ||
        !gg_sssp_check_range(s))
        return;
    put_distances(s, distance);
    gg_phase(s->run, "search", start, (int64_t)s->arcs, "%llu rounds over %u parts%s%s",
             (unsigned long long)s->rounds, p->exchange->parts,
             p->device ? " on devices, exchange " : "",
             p->device ? gg_part_services.way(p->device) : "");
    start = gg_now_ms();
    if (tree && (is_told(p) || !gg_broadcast(p, s->run, gg_sssp_distances(s), NULL)) &&
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
    else if (gg_needs(run, source, source_count, "source") &&
             gg_needs(run, distance, p->masters, "distance") &&
             part_tree_is_possible(p, run, tree) && gg_sssp_set_bound(&s, max_distance) &&
             (here = part_sources(p, run, source, source_count, &sources)) != NULL &&
             set_buckets(&s))
        find_paths_of_parts(&s, here, sources, distance, tree);
    release(&s);
    gg_release(here);
    return part_end(p->exchange, run);
}
