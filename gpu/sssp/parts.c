/* Shortest paths over parts. Every part runs Dijkstra's algorithm over what it has, as far as a bound that
** all agree on; ghosts that have come nearer are reduced into their masters, and where rows begin at ghosts,
** masters broadcast. When nobody has anything below the bound, it moves: delta-stepping (Meyer and Sanders,
** J. Algorithms 49, 2003) whose buckets each part settles by a heap.
**
**     distance   uint64_t whose order is that of distances: an INTEGER, or the bits of a REAL
**     heap       (distance, local), stale entries among them
**     relaxed    the distance at which a local's row was relaxed last */
#include "multi/part.h"

#include <math.h>
#include <string.h>

/* Sums beyond the range of distances. */
#define BEYOND_INTEGER ((uint64_t)1 << 63)
#define BEYOND_REAL    ((uint64_t)0x7ff << 52) /* infinity */

struct entry {
    uint64_t distance;
    uint32_t local;
};

struct sssp_part {
    gpugraph_part *p;
    gpugraph_run *run;
    bool real;
    uint64_t beyond, most; /* no distance is over the latter */
    uint64_t *distance, *relaxed;
    struct entry *heap;
    uint64_t count, room;
    struct part_changes changed; /* to be told to others */
    uint64_t steps;
};

/* ---- the heap ---- */

static bool push(struct sssp_part *s, uint32_t v) {
    if (!gg_make_room(s->run, (void **)&s->heap, s->count, &s->room, sizeof *s->heap))
        return false;
    const struct entry e = {s->distance[v], v};
    uint64_t at = s->count++;
    for (; at > 0 && s->heap[(at - 1) / 2].distance > e.distance; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = e;
    return true;
}

static struct entry pop(struct sssp_part *s) {
    const struct entry top = s->heap[0], last = s->heap[--s->count];
    uint64_t at = 0;
    for (uint64_t below; (below = 2 * at + 1) < s->count; at = below) {
        below +=
            below + 1 < s->count && s->heap[below + 1].distance < s->heap[below].distance;
        if (s->heap[below].distance >= last.distance)
            break;
        s->heap[at] = s->heap[below];
    }
    s->heap[at] = last;
    return top;
}

static bool is_stale(const struct sssp_part *s, struct entry e) {
    return e.distance != s->distance[e.local] || e.distance == s->relaxed[e.local];
}

/* ---- relaxing ---- */

static uint64_t sum(const struct sssp_part *s, uint64_t distance, uint64_t arc) {
    if (!s->real) {
        const uint64_t sum = distance + (uint64_t)((const int64_t *)s->p->weight)[arc];
        return sum < s->beyond ? sum : s->beyond;
    }
    double value;
    memcpy(&value, &distance, sizeof value);
    value += ((const double *)s->p->weight)[arc];
    memcpy(&distance, &value, sizeof value);
    return distance;
}

/* What others must be told of: ghosts always, masters that rows begin at elsewhere. */
static bool lower(struct sssp_part *s, uint32_t v, uint64_t distance) {
    s->distance[v] = distance;
    if (v >= s->p->masters || part_reads_ghosts(s->p))
        part_note(&s->changed, v);
    return distance >= s->beyond || s->p->offset[v] == s->p->offset[v + 1] || push(s, v);
}

static bool relax_row(struct sssp_part *s, uint32_t u) {
    const gpugraph_part *p = s->p;
    const uint64_t from = s->relaxed[u] = s->distance[u];
    for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++) {
        const uint64_t to = sum(s, from, a);
        if (to < s->distance[p->target[a]] && to <= s->most &&
            !lower(s, p->target[a], to))
            return false;
    }
    return true;
}

/* All that is below the bound. */
static bool settle(struct sssp_part *s, uint64_t bound) {
    while (s->count > 0 && s->heap[0].distance < bound && !gg_leave(s->run, s->steps)) {
        const struct entry e = pop(s);
        s->steps++;
        if (!is_stale(s, e) && !relax_row(s, e.local))
            return false;
    }
    return !gg_stopping(s->run);
}

/* ---- parts together ---- */

/* Ghosts to masters and back; who has come nearer is relaxed again. */
static bool tell(struct sssp_part *s) {
    gpugraph_part *p = s->p;
    const struct part_field f = {s->distance, sizeof *s->distance, part_least_64};
    if (part_writes_ghosts(p) && gg_reduce(p, s->run, f, &s->changed) != GPUGRAPH_OK)
        return false;
    if (part_reads_ghosts(p) && gg_broadcast(p, s->run, f, &s->changed) != GPUGRAPH_OK)
        return false;
    for (uint32_t i = 0; i < s->changed.count; i++) {
        const uint32_t v = s->changed.list[i];
        if (s->distance[v] < s->beyond && p->offset[v] < p->offset[v + 1] &&
            s->distance[v] != s->relaxed[v] && !push(s, v))
            return false;
    }
    part_forget(&s->changed);
    return true;
}

/* The mean weight of all arcs, as a distance. */
static bool mean_weight(struct sssp_part *s, double *mean) {
    const gpugraph_part *p = s->p;
    double total = 0;
    for (uint64_t a = 0; a < p->arcs; a++)
        total += s->real ? ((const double *)p->weight)[a]
                         : (double)((const int64_t *)p->weight)[a];
    double *all = gg_alloc(s->run, p->exchange->parts, 2 * sizeof *all);
    const double mine[2] = {total, (double)p->arcs};
    bool go = all && p->exchange->calls->gather(p->exchange, s->run, mine, sizeof mine,
                                                all) == GPUGRAPH_OK;
    double sums[2] = {0, 0};
    for (uint32_t q = 0; go && q < p->exchange->parts; q++) {
        sums[0] += all[2 * q];
        sums[1] += all[2 * q + 1];
    }
    *mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
    gg_release(all);
    return go;
}

/* least + delta, above least. */
static uint64_t next_bound(const struct sssp_part *s, uint64_t least, double delta) {
    if (s->real) {
        double value;
        uint64_t bits;
        memcpy(&value, &least, sizeof value);
        value = fmax(value + delta, nextafter(value, INFINITY));
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    const double room = (double)(s->beyond - least);
    return delta < 1 ? least + 1 : delta < room ? least + (uint64_t)delta : s->beyond;
}

static bool search(struct sssp_part *s, uint64_t *rounds) {
    gpugraph_part *p = s->p;
    double delta;
    uint64_t bound = 0;
    if (!mean_weight(s, &delta))
        return false;
    delta *= GG_PART_DELTA;
    for (*rounds = 0;; ++*rounds) {
        uint64_t least;
        while (s->count > 0 && is_stale(s, s->heap[0]))
            pop(s);
        least = s->count ? s->heap[0].distance : UINT64_MAX;
        if (p->exchange->calls->combine(p->exchange, s->run, GPUGRAPH_LEAST, &least, 1) !=
            GPUGRAPH_OK)
            return false;
        if (least == UINT64_MAX)
            return true;
        if (least >= bound)
            bound = next_bound(s, least, delta);
        if (!settle(s, bound) || !tell(s))
            return false;
    }
}

/* ---- the whole ---- */

static bool begin(struct sssp_part *s, const uint32_t *source, uint32_t sources,
                  const void *max_distance) {
    gpugraph_part *p = s->p;
    s->distance = gg_alloc(s->run, p->locals, sizeof *s->distance);
    s->relaxed = gg_alloc(s->run, p->locals, sizeof *s->relaxed);
    if (!s->distance || !s->relaxed || !part_changes_open(p, s->run, &s->changed))
        return false;
    memset(s->distance, 0xff, p->locals * sizeof *s->distance);
    memset(s->relaxed, 0xff, p->locals * sizeof *s->relaxed);
    s->real = p->weight_type == GPUGRAPH_REAL_WEIGHTS;
    s->beyond = s->real ? BEYOND_REAL : BEYOND_INTEGER;
    s->most = s->beyond;
    if (max_distance)
        memcpy(&s->most, max_distance, sizeof s->most);
    if (s->real && s->most == (uint64_t)1 << 63)
        s->most = 0; /* -0.0 */
    if (max_distance && s->most > s->beyond - !s->real)
        sources = 0; /* negative, or no number: nothing is reached */
    for (uint32_t i = 0; i < sources; i++)
        if (!lower(s, source[i], 0))
            return false;
    return !part_reads_ghosts(p) || tell(s);
}

static bool give(struct sssp_part *s, uint64_t *distance) {
    const uint64_t none = s->real ? BEYOND_REAL : UINT64_MAX;
    for (uint32_t v = 0; v < s->p->masters; v++) {
        if (s->distance[v] == s->beyond)
            gg_fail(s->run, GPUGRAPH_RANGE,
                    "the distance of vertex %llu is beyond the range of %s",
                    (unsigned long long)s->p->number[v],
                    s->real ? "a REAL" : "an INTEGER");
        distance[v] = s->distance[v] == UINT64_MAX ? none : s->distance[v];
    }
    return s->run->status == GPUGRAPH_OK;
}

static void make_tree(struct sssp_part *s, const uint32_t *source, uint32_t sources,
                      const gpugraph_part_tree *tree) {
    const struct part_field f = {s->distance, sizeof *s->distance, NULL};
    if (gg_broadcast(s->p, s->run, f, NULL) == GPUGRAPH_OK)
        part_tree(s->p, s->run, s->distance, true, source, sources, tree);
}

gpugraph_status gpugraph_part_sssp(gpugraph_part *p, const uint64_t *source,
                                   uint32_t source_count, const void *max_distance,
                                   gpugraph_run *run, void *distance,
                                   const gpugraph_part_tree *tree) {
    gg_begin(run);
    double start = gg_now_ms();
    struct sssp_part s = {.p = p, .run = run};
    uint32_t sources = 0, *here = NULL;
    uint64_t rounds;
    if (p->weight_type == GPUGRAPH_UNWEIGHTED)
        gg_fail(run, GPUGRAPH_INVALID, "the part has no weights");
    if (part_tree_is_possible(p, run, tree) &&
        (here = part_sources(p, run, source, source_count, &sources)) != NULL &&
        begin(&s, here, sources, max_distance) && search(&s, &rounds) &&
        give(&s, distance)) {
        gg_phase(run, "search", start, (int64_t)p->arcs, "%llu rounds over %u parts",
                 (unsigned long long)rounds, p->exchange->parts);
        start = gg_now_ms();
        if (tree) {
            make_tree(&s, here, sources, tree);
            gg_phase(run, "parents", start, p->masters, "%u sources here", sources);
        }
    }
    part_changes_close(&s.changed);
    gg_release(s.distance);
    gg_release(s.relaxed);
    gg_release(s.heap);
    gg_release(here);
    return part_end(p->exchange, run);
}
