/* Features of a graph on the CPU: what features.cu computes beside this, to the same
** numbers. The device's are the ones that searches use; these are for graphs that no
** device has seen, and for comparison. */
#include "features.h"

#include <string.h>

static double weight_at(gpugraph_distance_type type, const void *weight, uint64_t i) {
    switch (type) {
    case GPUGRAPH_UINT32:
        return ((const uint32_t *)weight)[i];
    case GPUGRAPH_UINT64:
        return (double)((const int64_t *)weight)[i];
    default:
        return ((const double *)weight)[i];
    }
}

static double weight_of(const gpugraph_graph *graph, uint64_t e) {
    return weight_at(graph->distance_type, graph->weight, e);
}

static void add_degrees(const uint32_t *degree, uint32_t n, struct degree_sums *sums) {
    for (uint32_t v = 0; v < n; v++) {
        uint64_t square = (uint64_t)degree[v] * degree[v];
        sums->square_low += square & UINT32_MAX;
        sums->square_high += square >> 32;
        if (degree[v] > sums->most)
            sums->most = degree[v];
    }
}

/* part: FEATURE_PARTS, zeroed. */
static void add_weights(const gpugraph_graph *graph, struct weight_sums *part,
                        struct weight_sums *sums) {
    uint64_t step = feature_step(graph->m, FEATURE_WEIGHTS);
    for (uint64_t i = 0, e = 0; e < graph->m; i++, e += step) {
        struct weight_sums *p = &part[i % FEATURE_PARTS];
        double weight = weight_of(graph, e), square = weight * weight;
        p->sum += weight;
        p->square += square;
        p->most = weight > p->most ? weight : p->most;
    }
    for (int group = 0; group < FEATURE_GROUPS; group++) {
        struct weight_sums some = {0, 0, 0};
        for (int i = group; i < FEATURE_PARTS; i += FEATURE_GROUPS) {
            some.sum += part[i].sum;
            some.square += part[i].square;
            some.most = part[i].most > some.most ? part[i].most : some.most;
        }
        sums->sum += some.sum;
        sums->square += some.square;
        sums->most = some.most > sums->most ? some.most : sums->most;
    }
}

/* A set of the vertices that a search has met, in the order of meeting. */
struct ball {
    uint32_t count, met[FEATURE_BALL], table[FEATURE_BALL_TABLE];
};

static void meet(struct ball *b, uint32_t v) {
    uint32_t at = v * 2654435761u % FEATURE_BALL_TABLE;
    while (b->table[at] != GPUGRAPH_NONE && b->table[at] != v)
        at = (at + 1) % FEATURE_BALL_TABLE;
    if (b->table[at] == v || b->count == FEATURE_BALL)
        return;
    b->table[at] = v;
    b->met[b->count++] = v;
}

static uint32_t ball_levels(const csr *g, struct ball *b, uint32_t start) {
    uint32_t begin = 0;
    b->count = 0;
    memset(b->table, 0xff, sizeof b->table);
    meet(b, start);
    for (uint32_t level = 1; level <= FEATURE_BALL_LEVELS; level++) {
        uint32_t end = b->count;
        for (uint32_t i = begin; i < end && b->count < FEATURE_BALL; i++) {
            uint64_t first = g->begin[b->met[i]], last = g->end[b->met[i]];
            if (last - first > FEATURE_BALL_ARCS)
                last = first + FEATURE_BALL_ARCS;
            for (uint64_t arc = first; arc < last; arc++)
                meet(b, g->target[arc]);
        }
        if (b->count == FEATURE_BALL)
            return level;
        if (b->count == end)
            break;
        begin = end;
    }
    return FEATURE_BALL_LEVELS;
}

/* A set of vertices and the least distances that are known of them. */
struct near_ball {
    uint32_t met, vertex[FEATURE_NEAR_TABLE];
    double distance[FEATURE_NEAR_TABLE];
    bool settled[FEATURE_NEAR_TABLE];
};

static void reach(struct near_ball *b, uint32_t v, double distance) {
    uint32_t at = v * 2654435761u % FEATURE_NEAR_TABLE;
    for (int tries = 0; tries < FEATURE_NEAR_TABLE; tries++) {
        if (b->vertex[at] == GPUGRAPH_NONE) {
            b->vertex[at] = v;
            b->distance[at] = distance;
            b->met++;
        }
        if (b->vertex[at] == v) {
            if (distance < b->distance[at])
                b->distance[at] = distance;
            return;
        }
        at = (at + 1) % FEATURE_NEAR_TABLE;
    }
}

/* The place of the nearest vertex that is not settled; FEATURE_NEAR_TABLE: there is none. */
static uint32_t nearest(const struct near_ball *b) {
    uint32_t best = FEATURE_NEAR_TABLE;
    for (uint32_t i = 0; i < FEATURE_NEAR_TABLE; i++) {
        if (b->vertex[i] == GPUGRAPH_NONE || b->settled[i])
            continue;
        if (best == FEATURE_NEAR_TABLE || b->distance[i] < b->distance[best] ||
            (b->distance[i] == b->distance[best] && b->vertex[i] < b->vertex[best]))
            best = i;
    }
    return best;
}

static void reach_neighbours(const gpugraph_graph *graph, const csr *g,
                             struct near_ball *b, uint32_t v, double distance) {
    uint64_t first = g->begin[v], degree = g->end[v] - first;
    int zeros = feature_near_zeros(degree);
    if (degree > FEATURE_NEAR_ROW)
        return;
    for (uint64_t arc = first; arc < first + degree; arc++) {
        double weight = weight_at(graph->distance_type, g->weight, arc);
        if (feature_near_arc(v, g->target[arc], weight, zeros))
            reach(b, g->target[arc], distance + weight);
    }
}

static double ball_radius(const gpugraph_graph *graph, const csr *g, struct near_ball *b,
                          uint32_t start) {
    double radius = -1;
    memset(b, 0, sizeof *b);
    memset(b->vertex, 0xff, sizeof b->vertex);
    reach(b, start, 0);
    for (int count = 1; count <= FEATURE_NEAR; count++) {
        uint32_t at = nearest(b);
        if (at == FEATURE_NEAR_TABLE)
            break;
        if (count > 1)
            radius = b->distance[at];
        if (b->met > FEATURE_NEAR_MET || count == FEATURE_NEAR)
            break;
        b->settled[at] = true;
        reach_neighbours(graph, g, b, b->vertex[at], b->distance[at]);
    }
    return radius;
}

/* A set of the vertices that a probe has met, and those that it relaxes in this round. */
struct probe {
    uint32_t met, vertex[FEATURE_PROBE_TABLE];
    double distance[FEATURE_PROBE_TABLE];
    bool open[FEATURE_PROBE_TABLE], settled[FEATURE_PROBE_TABLE];
    uint32_t listed, place[FEATURE_PROBE_MET];
    double from[FEATURE_PROBE_MET];
};

/* False: one vertex too many. */
static bool probe_reach(struct probe *b, uint32_t v, double distance) {
    uint32_t at = v * 2654435761u % FEATURE_PROBE_TABLE;
    while (b->vertex[at] != GPUGRAPH_NONE && b->vertex[at] != v)
        at = (at + 1) % FEATURE_PROBE_TABLE;
    if (b->vertex[at] == GPUGRAPH_NONE) {
        if (b->met == FEATURE_PROBE_MET)
            return false;
        b->vertex[at] = v;
        b->distance[at] = HUGE_VAL;
        b->open[at] = true;
        b->met++;
    }
    if (distance < b->distance[at]) {
        b->distance[at] = distance;
        b->open[at] = true;
    }
    return true;
}

/* Lists the open vertices, which are open no more. Returns the least distance. */
static double probe_list(struct probe *b) {
    double least = HUGE_VAL;
    b->listed = 0;
    for (uint32_t i = 0; i < FEATURE_PROBE_TABLE; i++) {
        if (!b->open[i])
            continue;
        b->open[i] = false;
        b->place[b->listed] = i;
        b->from[b->listed++] = b->distance[i];
        least = b->distance[i] < least ? b->distance[i] : least;
    }
    return least;
}

static bool probe_relax(const gpugraph_graph *graph, const csr *g, struct probe *b,
                        uint32_t v, double distance) {
    uint64_t first = g->begin[v], degree = g->end[v] - first;
    int zeros = feature_near_zeros(degree);
    bool fits = true;
    for (uint64_t arc = first; fits && degree <= FEATURE_NEAR_ROW && arc < first + degree;
         arc++) {
        double weight = weight_at(graph->distance_type, g->weight, arc);
        if (feature_near_arc(v, g->target[arc], weight, zeros))
            fits = probe_reach(b, g->target[arc], distance + weight);
    }
    return fits;
}

static struct feature_probe probe_around(const gpugraph_graph *graph, const csr *g,
                                         struct probe *b, uint32_t start) {
    struct feature_probe found = {0, 0, 0, 0};
    memset(b, 0, sizeof *b);
    memset(b->vertex, 0xff, sizeof b->vertex);
    probe_reach(b, start, 0);
    for (int round = 0; round < FEATURE_PROBE_ROUNDS; round++) {
        double least = probe_list(b);
        bool fits = true;
        if (b->listed == 0)
            break;
        found.least = least;
        for (uint32_t i = 0; fits && i < b->listed; i++)
            fits = probe_relax(graph, g, b, b->vertex[b->place[i]], b->from[i]);
        if (!fits)
            break;
        found.met = b->met;
        found.relaxed += b->listed;
        for (uint32_t i = 0; i < b->listed; i++) {
            found.settled += !b->settled[b->place[i]];
            b->settled[b->place[i]] = true;
        }
    }
    return found;
}

/* radius, probe: FEATURE_BALLS. */
static void add_balls(gpugraph_graph *graph, gpugraph_direction direction,
                      gpugraph_run *run, struct sssp_features *f, double *radius,
                      struct feature_probe *probe) {
    const uint32_t *start = direction == GPUGRAPH_IN ? graph->target : graph->source;
    uint32_t levels[FEATURE_BALLS] = {0};
    csr rows;
    for (int i = 0; i < FEATURE_BALLS; i++)
        radius[i] = -1;
    memset(probe, 0, FEATURE_BALLS * sizeof *probe);
    if (gg_rows(graph, gg_forward_kind(direction), true, false, run, &rows))
        return;
    struct ball *ball = gg_alloc(run, 1, sizeof *ball);
    struct near_ball *near = gg_alloc(run, 1, sizeof *near);
    struct probe *around = gg_alloc(run, 1, sizeof *around);
    for (int i = 0; ball && near && around && graph->m > 0 && i < FEATURE_BALLS; i++) {
        uint32_t v = start[feature_ball_edge(graph->m, i)];
        levels[i] = ball_levels(&rows, ball, v);
        if (!rows.weight)
            continue;
        radius[i] = ball_radius(graph, &rows, near, v);
        probe[i] = probe_around(graph, &rows, around, v);
    }
    f->ball_depth = feature_ball_depth(levels);
    gg_release(ball);
    gg_release(near);
    gg_release(around);
}

gpugraph_status gg_sssp_features(gpugraph_graph *graph, gpugraph_direction direction,
                                 gpugraph_run *run, struct sssp_features *f) {
    uint32_t *degree = gg_alloc_zero(run, (uint64_t)graph->n + 1, sizeof *degree);
    struct weight_sums *part = gg_alloc_zero(run, FEATURE_PARTS, sizeof *part);
    struct degree_sums degrees = {0, 0, 0};
    struct weight_sums weights = {0, 0, 0};
    double sample[FEATURE_SAMPLE], radius[FEATURE_BALLS];
    struct feature_probe probe[FEATURE_BALLS];
    uint64_t arcs = 0, step = feature_step(graph->m, FEATURE_SAMPLE);
    size_t count = 0;
    memset(f, 0, sizeof *f);
    gg_bring_edges(graph, run);
    add_balls(graph, direction, run, f, radius, probe);
    for (uint64_t e = 0; degree && part && e < graph->m; e++) {
        bool out = direction != GPUGRAPH_IN, in = direction != GPUGRAPH_OUT;
        in = in && !(out && graph->source[e] == graph->target[e]);
        degree[graph->source[e]] += out;
        degree[graph->target[e]] += in;
        arcs += out + in;
    }
    if (degree && part && graph->weight) {
        add_weights(graph, part, &weights);
        for (uint64_t e = 0; e < graph->m; e += step)
            sample[count++] = weight_of(graph, e);
    }
    if (degree && part) {
        add_degrees(degree, graph->n, &degrees);
        finish_features(f, graph->n, arcs, &degrees, &weights,
                        feature_looks(graph->m, feature_step(graph->m, FEATURE_WEIGHTS)),
                        sample, count);
        f->ball_radius = feature_ball_radius(radius, f->typical_weight);
        feature_probes(probe, f);
        gg_sssp_judge(f);
    }
    gg_release(degree);
    gg_release(part);
    return run->status;
}
