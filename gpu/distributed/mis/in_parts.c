/* Independent sets by parts of this process, as cuMIS (Nke et al., ICS 2026) partitions a graph: methods
** "several-by-target" and "several-grid". For comparison: the graph is in this process's memory already.
**
**     edges in slices  ->  parts (partition/part.c)  ->  each in a thread, perhaps on a device of its own
**                                                ->  parts.c, parts.cu, pieces.cu  ->  members by number
**
** As many parts as threads on the CPU, as devices there. The set is that of every other method. */
#include "in_parts.h"
#include "gpugraph_parts.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_PARTS = 2, MOST_PARTS = 16 }; /* on the CPU */

struct in_parts {
    gpugraph_graph *graph;
    gpugraph_priority priority;
    gpugraph_partition partition;
    const int *ordinal;     /* of each part's device; NULL: on the CPU */
    const uint32_t *hash;   /* by number; NULL: the priority needs none */
    uint8_t *member;        /* by number */
    uint64_t sent, largest; /* bytes of all parts; arcs of one */
    char way[160];
};

bool gg_mis_is_in_parts(const gpugraph_run *run) {
    return gg_method_is(run, "several-by-target") || gg_method_is(run, "several-grid");
}

/* ---- a part ---- */

static void widen(gpugraph_run *run, const uint32_t *from, uint64_t count, uint64_t *to) {
    for (uint64_t i = 0; i < count && !gg_leave(run, i); i++)
        to[i] = from[i];
}

/* Of the part's slice of the edges. */
static gpugraph_part *make_part(const struct in_parts *m, gpugraph_exchange *x,
                                gpugraph_run *run) {
    const uint64_t low = gg_slice(m->graph->m, (int)x->part, (int)x->parts),
                   high = gg_slice(m->graph->m, (int)x->part + 1, (int)x->parts),
                   count = high - low;
    gpugraph_part *part = NULL;
    uint64_t *ends = gg_alloc(run, count, 2 * sizeof *ends);
    if (ends) {
        const gpugraph_share share = {.vertices = m->graph->n,
                                      .count = count,
                                      .source = ends,
                                      .target = ends + count};
        widen(run, m->graph->edges.source + low, count, ends);
        widen(run, m->graph->edges.target + low, count, ends + count);
        gpugraph_part_create(x, &share, m->partition, GPUGRAPH_BOTH, true, run, &part);
    } else {
        x->calls->fail(x, run);
    }
    gg_release(ends);
    return run->status == GPUGRAPH_OK ? part : NULL;
}

static void note(struct in_parts *m, const gpugraph_part *part,
                 const gpugraph_exchange *x) {
    const uint64_t arcs = gpugraph_part_arcs(part);
    uint64_t largest = __atomic_load_n(&m->largest, __ATOMIC_RELAXED);
    while (arcs > largest &&
           !__atomic_compare_exchange_n(&m->largest, &largest, arcs, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    __atomic_fetch_add(&m->sent, x->sent, __ATOMIC_RELAXED);
    if (x->part == 0)
        snprintf(m->way, sizeof m->way, "%s",
                 m->ordinal ? gpugraph_part_way(part) : x->calls->name);
}

static void find_members(struct in_parts *m, gpugraph_part *part, gpugraph_exchange *x,
                         gpugraph_run *run) {
    const uint32_t masters = gpugraph_part_masters(part);
    const uint64_t *number = gpugraph_part_numbers(part);
    uint32_t *hash = gg_alloc(run, masters, sizeof *hash);
    uint8_t *member = gg_alloc(run, masters, sizeof *member);
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    for (uint32_t v = 0; m->hash && run->status == GPUGRAPH_OK && v < masters; v++)
        hash[v] = m->hash[number[v]];
    if (run->status == GPUGRAPH_OK &&
        gpugraph_part_mis(part, m->priority, m->hash ? hash : NULL, run, member) ==
            GPUGRAPH_OK)
        for (uint32_t v = 0; v < masters; v++)
            m->member[number[v]] = member[v];
    gg_release(hash);
    gg_release(member);
}

/* What parts tell of their phases says nothing of the whole. */
static gpugraph_status search_part(void *in_parts, gpugraph_exchange *x,
                                   gpugraph_run *run) {
    struct in_parts *m = in_parts;
    run->phase = NULL;
    gpugraph_part *part = make_part(m, x, run);
    if (!part)
        return run->status;
    if (!m->ordinal ||
        gpugraph_part_to_device(part, m->ordinal[x->part], run) == GPUGRAPH_OK)
        find_members(m, part, x, run);
    if (run->status == GPUGRAPH_OK)
        note(m, part, x);
    gpugraph_part_free(part);
    return run->status;
}

/* ---- all of them ---- */

static void tell(const struct in_parts *m, uint32_t parts, double started,
                 gpugraph_run *run) {
    char more[300];
    snprintf(more, sizeof more, "%u parts, exchange %s, %.1f MB sent, %llu arcs at most",
             parts, m->way, (double)m->sent * 1e-6, (unsigned long long)m->largest);
    gg_search_phase(run, started, m->graph->n, more);
}

static bool make_hashes(gpugraph_graph *graph, gpugraph_priority priority, int64_t seed,
                        gpugraph_run *run, uint32_t **hash) {
    if (priority != GPUGRAPH_BY_DEGREE && priority != GPUGRAPH_BY_RANDOM)
        return true;
    *hash = gg_alloc(run, graph->n, sizeof **hash);
    return *hash && gg_hash_ids(graph, seed, run, *hash) == GPUGRAPH_OK;
}

gpugraph_status gg_mis_in_parts(gpugraph_graph *graph, gpugraph_priority priority,
                                int64_t seed, gpugraph_run *run, const int *ordinal,
                                int devices, uint8_t *member) {
    struct in_parts m = {.graph = graph,
                         .priority = priority,
                         .partition = gg_method_is(run, "several-grid")
                                          ? GPUGRAPH_GRID
                                          : GPUGRAPH_BY_TARGET,
                         .ordinal = ordinal,
                         .member = member};
    const gpugraph_run before = *run;
    uint32_t *hash = NULL;
    int parts = ordinal ? devices : gg_threads(run, UINT64_MAX);
    if (!ordinal)
        parts = parts < LEAST_PARTS  ? LEAST_PARTS
                : parts > MOST_PARTS ? MOST_PARTS
                                     : parts;
    const double started = gg_now_ms();
    if (gg_bring_edges(graph, run) == GPUGRAPH_OK &&
        make_hashes(graph, priority, seed, run, &hash)) {
        m.hash = hash;
        gpugraph_in_parts((uint32_t)parts, search_part, &m, run);
    }
    gg_release(hash);
    run->phase = before.phase; /* part 0 has had the run */
    run->device = before.device;
    if (run->status == GPUGRAPH_OK)
        tell(&m, (uint32_t)parts, started, run);
    return run->status;
}

/* ---- the side of the CPU ---- */

static gpugraph_status find_on_threads(gpugraph_graph *graph, gpugraph_priority priority,
                                       int64_t seed, gpugraph_run *run, uint8_t *member) {
    return gg_mis_in_parts(graph, priority, seed, run, NULL, 0, member);
}

static const gpugraph_method methods[] = {
    {"mis", "several-by-target", "cpu",
     "a part for each thread, with the arcs into its vertices, and copies of neighbours"},
    {"mis", "several-grid", "cpu",
     "parts in rows and columns, which exchange with those of their row and column"},
    {0},
};

static const struct mis_calls calls = {.find = find_on_threads};

const algorithm_side gg_mis_partitions = {.methods = methods, .calls = &calls};
