/* Shortest paths over partitions: delta-stepping (Meyer and Sanders, J. Algorithms 49,
** 2003) within a common limit.
**
**     round    drain       each partition relaxes all waiting rows within the limit
**              reduce      lowered ghosts go to their masters, where the minimum wins
**              broadcast   lowered masters go to ghosts that have rows
**              agree       on the least waiting distance; if it is beyond the limit, the
**                          limit becomes that distance plus delta
**
**     distance[v]   64-bit numbers, or the bits of doubles. Distances only fall, so the
**                   result does not depend on the order of partitions
**     scanned[v]    the distance with which v's row was relaxed
**
** All lowered ghosts are reduced before any master is broadcast, so no copy raises a
** distance. */
#include "distributed/partition/part.h"
#include "sssp/sssp.h"

#include <math.h>
#include <string.h>

struct sssp_part {
    gpugraph_part *p;
    gpugraph_run *run;
    enum part_layout layout;
    gpugraph_search search;       /* the sources that are masters here; the bound */
    struct sssp_bound bound;      /* larger distances are not stored */
    uint64_t over;                /* not 0: a sum is out of range */
    uint64_t *distance, *scanned; /* words */
    uint64_t limit;               /* a word: rows up to it are relaxed */
    double delta;                 /* how far the limit grows */
    /* Locals whose rows wait: two lists within the limit, and one beyond it. */
    struct part_changes now, next, later;
    struct part_changes shared; /* changed locals that other partitions need */
    uint64_t rounds, arcs;
};

static struct part_field distances_of(const struct sssp_part *s) {
    return (struct part_field){s->distance, sizeof *s->distance, part_least_64};
}

/* ---- the limit ---- */

/* Sets the width of a bucket from the largest mean weight of a partition. (The bits of
** positive doubles have the order of their values.) The width is divided by the mean row
** length over all arcs, so it is smaller for graphs that branch more. */
static bool set_delta(struct sssp_part *s) {
    const gpugraph_part *p = s->p;
    gpugraph_exchange *x = p->exchange;
    uint64_t sums[2] = {0, 0};
    double weight = 0;
    for (uint64_t a = 0; a < p->arcs; a++)
        weight += s->layout == PART_REAL ? ((const double *)p->weight)[a]
                                         : (double)((const int64_t *)p->weight)[a];
    uint64_t bits = gg_real_word(p->arcs ? weight / (double)p->arcs : 0);
    for (uint32_t v = 0; v < p->locals; v++) {
        const uint64_t length = p->offset[v + 1] - p->offset[v];
        sums[0] += length;
        sums[1] += length * length;
    }
    if (gg_combine(x, s->run, GPUGRAPH_MOST, &bits, 1) != GPUGRAPH_OK ||
        gg_combine(x, s->run, GPUGRAPH_SUM, sums, 2) != GPUGRAPH_OK)
        return false;
    const double branching = sums[0] ? (double)sums[1] / (double)sums[0] : 1;
    s->delta = gg_word_real(bits) * GG_SSSP_DELTA / (branching > 1 ? branching : 1);
    return true;
}

static uint64_t limit_from(const struct sssp_part *s, uint64_t least) {
    if (s->layout == PART_REAL)
        return gg_real_word(gg_word_real(least) + s->delta);
    const double room = (double)(INT64_MAX - least);
    return s->delta < room ? least + (uint64_t)s->delta : INT64_MAX;
}

/* ---- relaxing ---- */

static bool is_scanned(const struct sssp_part *s, uint32_t v) {
    return s->scanned[v] == s->distance[v];
}

/* Puts v on a waiting list after its distance fell, if v has arcs. */
static void let_row_wait(struct sssp_part *s, uint32_t v) {
    if (s->p->offset[v] < s->p->offset[v + 1])
        part_note(s->distance[v] <= s->limit ? &s->next : &s->later, v);
}

/* Notes v if other partitions need its distance. */
static void note_shared(struct sssp_part *s, uint32_t v) {
    const gpugraph_part *p = s->p;
    if (v >= p->masters ||
        (part_reads_ghosts(p) && p->first_link[v] < p->first_link[v + 1]))
        part_note(&s->shared, v);
}

static void lower_distance(struct sssp_part *s, uint32_t v, uint64_t sum) {
    if (sum > s->bound.most || sum >= s->distance[v])
        return;
    s->distance[v] = sum;
    let_row_wait(s, v);
    note_shared(s, v);
}

static bool is_over(uint64_t sum, enum part_layout layout) {
    return layout == PART_REAL ? !(gg_word_real(sum) <= DBL_MAX) : sum >> 63 != 0;
}

static void relax_row(struct sssp_part *s, uint32_t u) {
    const gpugraph_part *p = s->p;
    const uint64_t from = s->distance[u];
    s->scanned[u] = from;
    for (uint64_t arc = p->offset[u]; arc < p->offset[u + 1]; arc++) {
        const uint64_t sum = part_sum_of(from, p->weight, arc, s->layout);
        s->over |= is_over(sum, s->layout);
        lower_distance(s, p->target[arc], sum);
    }
    s->arcs += p->offset[u + 1] - p->offset[u];
}

/* Relaxes rows until none waits within the limit. */
static bool drain_rows(struct sssp_part *s) {
    const uint64_t *offset = s->p->offset;
    uint64_t since = 0;
    while (s->next.count > 0) {
        const struct part_changes now = s->next;
        s->next = s->now;
        s->now = now;
        for (uint32_t i = 0; i < now.count; i++) {
            const uint32_t v = now.list[i];
            if (!is_scanned(s, v))
                relax_row(s, v);
            if (gg_worked(s->run, &since, offset[v + 1] - offset[v] + 1))
                return false;
        }
        part_forget(&s->now);
    }
    return true;
}

/* ---- a round ---- */

static void keep_least(const struct sssp_part *s, const struct part_changes *c,
                       uint64_t *least) {
    for (uint32_t i = 0; i < c->count; i++) {
        const uint64_t distance = s->distance[c->list[i]];
        *least = distance < *least ? distance : *least;
    }
}

/* Moves rows that are within the limit to `next`, and drops relaxed ones. */
static void sort_later(struct sssp_part *s) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->later.count; i++) {
        const uint32_t v = s->later.list[i];
        if (!is_scanned(s, v) && s->distance[v] > s->limit) {
            s->later.list[kept++] = v;
            continue;
        }
        s->later.flag[v] = 0;
        if (!is_scanned(s, v))
            part_note(&s->next, v);
    }
    s->later.count = kept;
}

static void let_shared_wait(struct sssp_part *s) {
    for (uint32_t i = 0; i < s->shared.count; i++)
        if (!is_scanned(s, s->shared.list[i]))
            let_row_wait(s, s->shared.list[i]);
}

/* *least: the smallest distance in all partitions that waits or is exchanged. */
static bool exchange(struct sssp_part *s, uint64_t *least) {
    gpugraph_part *p = s->p;
    if (part_writes_ghosts(p) &&
        gg_reduce(p, s->run, distances_of(s), &s->shared) != GPUGRAPH_OK)
        return false;
    let_shared_wait(s);
    if (!part_reads_ghosts(p))
        part_forget(&s->shared);
    *least = UINT64_MAX;
    sort_later(s);
    keep_least(s, &s->next, least);
    keep_least(s, &s->later, least);
    keep_least(s, &s->shared, least);
    if (!part_reads_ghosts(p))
        return !gg_combine(p->exchange, s->run, GPUGRAPH_LEAST, least, 1);
    if (gg_broadcast_and_combine(p, s->run, distances_of(s), &s->shared, GPUGRAPH_LEAST,
                                 least, 1))
        return false;
    let_shared_wait(s);
    part_forget(&s->shared);
    return s->run->status == GPUGRAPH_OK;
}

static bool search(struct sssp_part *s) {
    uint64_t least;
    for (;; s->rounds++) {
        if (!drain_rows(s) || !exchange(s, &least))
            return false;
        if (least == UINT64_MAX)
            return true;
        if (least > s->limit) {
            s->limit = limit_from(s, least);
            sort_later(s);
        }
    }
}

/* ---- the bound ---- */

/* max_distance: the caller's bound; NULL: no bound. False if it is not a number. */
static bool set_bound(struct sssp_part *s, const void *max_distance) {
    const bool real = s->layout == PART_REAL;
    int64_t most = 0;
    s->search.bounded = max_distance != NULL;
    if (max_distance)
        memcpy(real ? (void *)&s->search.max_real_distance : &most, max_distance,
               sizeof most);
    s->search.max_distance = most < 0 ? 0 : (uint64_t)most;
    if (isnan(s->search.max_real_distance))
        gg_fail(s->run, GPUGRAPH_INVALID, "max_distance is not a number");
    s->bound = gg_sssp_bound(&s->search, real ? GPUGRAPH_REAL : GPUGRAPH_UINT64);
    s->bound.none |= most < 0;
    return !s->run->status;
}

/* ---- distances out of range ---- */

/* Collective. *lost: the smallest number of an unreached vertex that has an arc from a
** reached vertex; the sum along this arc is out of range. UINT64_MAX: there is none. */
static bool find_lost(struct sssp_part *s, uint64_t *lost) {
    gpugraph_part *p = s->p;
    *lost = UINT64_MAX;
    if (gg_broadcast(p, s->run, distances_of(s), NULL) != GPUGRAPH_OK)
        return false;
    for (uint32_t u = 0; u < p->locals && !gg_leave(s->run, u); u++) {
        if (s->distance[u] == UINT64_MAX)
            continue;
        for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++) {
            const uint32_t v = p->target[a];
            if (s->distance[v] == UINT64_MAX && p->number[v] < *lost)
                *lost = p->number[v];
        }
    }
    return !gg_stopping(s->run) &&
           gg_combine(p->exchange, s->run, GPUGRAPH_LEAST, lost, 1) == GPUGRAPH_OK;
}

/* Collective. Fails if a wanted vertex has no distance because a sum is out of range. */
static bool check_range(struct sssp_part *s) {
    const bool real = s->layout == PART_REAL;
    uint64_t lost;
    s->over = s->over != 0;
    if (s->bound.tight)
        return true;
    if (!part_sum(s->p, s->run, &s->over))
        return false;
    if (s->over == 0)
        return true;
    if (find_lost(s, &lost) && lost != UINT64_MAX)
        gg_fail(
            s->run, GPUGRAPH_RANGE,
            "the distance of vertex number %llu is over the %s; %s or bound the search "
            "by max_distance",
            (unsigned long long)lost,
            real ? "range of a REAL (1.79769e+308)"
                 : "INTEGER range (9223372036854775807)",
            real ? "scale the weights down" : "use smaller or REAL weights");
    return s->run->status == GPUGRAPH_OK;
}

/* ---- the search ---- */

static bool allocate_search(struct sssp_part *s) {
    const gpugraph_part *p = s->p;
    const uint64_t bytes = p->locals * sizeof *s->distance;
    struct part_changes *lists[] = {&s->now, &s->next, &s->later, &s->shared};
    s->scanned = gg_alloc(s->run, p->locals, sizeof *s->scanned);
    for (int i = 0; i < 4; i++)
        if (!part_changes_open(p, s->run, lists[i]))
            return false;
    if (!s->scanned)
        return false;
    memset(s->distance, 0xff, bytes);
    memset(s->scanned, 0xff, bytes);
    return true;
}

static void release_search(struct sssp_part *s) {
    struct part_changes *lists[] = {&s->now, &s->next, &s->later, &s->shared};
    for (int i = 0; i < 4; i++)
        part_changes_close(lists[i]);
    gg_release(s->distance);
    gg_release(s->scanned);
}

static void put_distances(const struct sssp_part *s, void *distance) {
    for (uint32_t v = 0; v < s->p->masters; v++)
        if (s->layout == PART_REAL)
            gg_put_word(GPUGRAPH_REAL, distance, v, s->distance[v]);
        else /* -1 where not reached */
            ((uint64_t *)distance)[v] = s->distance[v];
}

static bool search_on_cpu(struct sssp_part *s) {
    if (!allocate_search(s) || !set_delta(s))
        return false;
    for (uint32_t i = 0; i < s->search.source_count && !s->bound.none; i++)
        lower_distance(s, s->search.source[i], 0);
    const double start = gg_now_ms();
    const bool done = search(s);
    if (done)
        gg_phase(s->run, "search", start, (int64_t)s->arcs, "%llu rounds over %u parts",
                 (unsigned long long)s->rounds, s->p->exchange->parts);
    return done;
}

static bool search_on_device(struct sssp_part *s) {
    gpugraph_search search = s->search;
    bool lost = false;
    if (s->bound.none)
        search.source_count = 0;
    const gpugraph_status status =
        gg_part_services.sssp(s->p, &search, s->run, s->distance, &lost);
    s->over = lost;
    return status == GPUGRAPH_OK;
}

/* Searches, and fills distances and the tree. */
static void find_paths_of_parts(struct sssp_part *s, void *distance,
                                const gpugraph_part_tree *tree) {
    gpugraph_part *p = s->p;
    const uint32_t *here = s->search.source, sources = s->search.source_count;
    s->distance = gg_alloc(s->run, p->locals, sizeof *s->distance);
    if (!s->distance || !(p->device ? search_on_device : search_on_cpu)(s) ||
        !check_range(s))
        return;
    put_distances(s, distance);
    const double start = gg_now_ms();
    const bool ghosts_are_current = part_reads_ghosts(p) && !part_writes_ghosts(p);
    if (tree && (ghosts_are_current || !gg_broadcast(p, s->run, distances_of(s), NULL)) &&
        !part_tree(p, s->run, s->distance, s->layout, here, sources, tree))
        gg_phase(s->run, "parents", start, p->masters, "%u sources here", sources);
}

gpugraph_status gpugraph_part_sssp(gpugraph_part *p, const uint64_t *source,
                                   uint32_t source_count, const void *max_distance,
                                   gpugraph_run *run, void *distance,
                                   const gpugraph_part_tree *tree) {
    gg_begin(run);
    struct sssp_part s = {
        .p = p,
        .run = run,
        .layout = p->weight_type == GPUGRAPH_REAL_WEIGHTS ? PART_REAL : PART_INTEGER};
    uint32_t *here = NULL;
    if (p->weight_type == GPUGRAPH_UNWEIGHTED)
        gg_fail(run, GPUGRAPH_INVALID,
                "shortest paths need weights, but the graph has none");
    else if (gg_needs(run, source, source_count, "source") &&
             gg_needs(run, distance, p->masters, "distance") &&
             part_tree_is_possible(p, run, tree) && set_bound(&s, max_distance) &&
             (here = part_sources(p, run, source, source_count,
                                  &s.search.source_count)) != NULL) {
        s.search.source = here;
        find_paths_of_parts(&s, distance, tree);
    }
    release_search(&s);
    gg_release(here);
    return part_end(p->exchange, run);
}
