/* gpu_paths: the shortest paths from one vertex to another, in order, step by step. */
#include "array_block.h"
#include "function_list.h"
#include "search.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPTION_K };
enum { OWN_PATH, OWN_SEQ, OWN_STEP };

/* Steps as they come, in columns that grow. */
typedef struct steps {
    making *m;
    uint32_t count, room, paths;
    uint32_t *path, *seq, *vertex;
    uint64_t *edge;
    union {
        uint64_t integer;
        double real;
    } * distance;
} steps;

static bool grow(const steps *s, void **array, uint32_t room, size_t size) {
    void *grown = array_block_grown(s->m->run, *array, s->room, room, size);
    if (grown)
        *array = grown;
    return grown != NULL;
}

/* False: the run says why. */
static bool make_room(steps *s) {
    gpugraph_run *run = s->m->run;
    if (s->count < s->room)
        return true;
    if (s->room >= UINT32_MAX / 4) {
        run->status = GPUGRAPH_TOO_LARGE;
        snprintf(run->message, sizeof run->message,
                 "the paths have more than %u steps; ask for fewer", s->count);
        return false;
    }
    uint32_t room = s->room ? 2 * s->room : 256;
    bool made = grow(s, (void **)&s->path, room, sizeof *s->path) &&
                grow(s, (void **)&s->seq, room, sizeof *s->seq) &&
                grow(s, (void **)&s->vertex, room, sizeof *s->vertex) &&
                grow(s, (void **)&s->edge, room, sizeof *s->edge) &&
                grow(s, (void **)&s->distance, room, sizeof *s->distance);
    if (made)
        s->room = room;
    return made;
}

/* Distances add up in the order of travel, as the search has added them. */
static bool add_step(steps *s, uint32_t seq, uint64_t edge) {
    gpugraph_edge by = {.weight = 1};
    const bool weighted = s->m->q->kind->by_weight;
    if (!make_room(s))
        return false;
    const uint32_t at = s->count++;
    s->path[at] = s->paths;
    s->seq[at] = seq;
    s->edge[at] = edge;
    if (seq == 0) {
        s->vertex[at] = s->m->q->search.source[0];
        s->distance[at].integer = 0; /* of REAL distances, too */
        return true;
    }
    s->vertex[at] = gpugraph_other_end(s->m->graph, edge, s->vertex[at - 1]);
    if (weighted)
        by = gpugraph_edge_of(s->m->graph, edge);
    if (weighted && gpugraph_distance_type_of(s->m->graph) == GPUGRAPH_REAL)
        s->distance[at].real = s->distance[at - 1].real + by.real;
    else
        s->distance[at].integer = s->distance[at - 1].integer + (uint64_t)by.weight;
    return true;
}

static int take_path(void *context, const uint64_t *edge, uint64_t count) {
    steps *s = context;
    bool go = true;
    s->paths++;
    for (uint64_t i = 0; i <= count && go; i++)
        go = add_step(s, (uint32_t)i, i == 0 ? GPUGRAPH_NO_EDGE : edge[i - 1]);
    return !go;
}

/* The columns become the arrays, which have an entry for each step. */
static void keep_steps(steps *s) {
    making *m = s->m;
    m->made.n = s->count;
    void *value = make_array(m, A_VALUE), *edge = make_array(m, A_TREE_EDGE);
    uint32_t *path = make_array(m, A_OWN + OWN_PATH),
             *seq = make_array(m, A_OWN + OWN_SEQ),
             *vertex = make_array(m, A_OWN + OWN_STEP);
    if (m->run->status != GPUGRAPH_OK)
        return;
    for (uint32_t i = 0; i < s->count; i++) {
        path[i] = s->path[i];
        seq[i] = s->seq[i];
        vertex[i] = s->vertex[i];
        if (m->made.type == GPUGRAPH_UINT32)
            ((uint32_t *)value)[i] = (uint32_t)s->distance[i].integer;
        else
            ((uint64_t *)value)[i] = s->distance[i].integer;
        if (m->made.edge_size == sizeof(uint32_t))
            ((uint32_t *)edge)[i] = (uint32_t)s->edge[i];
        else
            ((uint64_t *)edge)[i] = s->edge[i];
    }
}

static void make_paths(making *m) {
    const bool weighted = m->q->kind->by_weight;
    steps s = {.m = m};
    m->made.type = weighted ? gpugraph_distance_type_of(m->graph) : GPUGRAPH_UINT32;
    gpugraph_paths(m->graph, &m->q->search, weighted, (uint32_t)m->q->own[OPTION_K],
                   m->run, take_path, &s);
    if (m->run->status == GPUGRAPH_OK) {
        note_where(m);
        keep_steps(&s);
    }
    free(s.path);
    free(s.seq);
    free(s.vertex);
    free(s.edge);
    free(s.distance);
}

static const search_kind paths_search = {
    .name = "paths",
    .make = make_paths,
    .by_weight = true,
};

static const search_kind depth_search = {
    .name = "paths",
    .make = make_paths,
};

static const unsigned char paths_fields[] = {
    F_OWN + OWN_PATH, F_OWN + OWN_SEQ, F_OWN + OWN_STEP, F_EDGE,   F_COST,
    F_DISTANCE,       F_EDGES,         F_SOURCE,         F_TARGET, F_OPTION + OPTION_K,
    F_DIRECTION,      F_WEIGHTED,      F_VERTICES,       F_PARAMS, F_METHOD,
    F_BACKEND,
};

const table_function paths_function = {
    .name = "gpu_paths",
    .field = paths_fields,
    .fields = sizeof paths_fields,
    .visible = 6,
    .bracketed = 4,
    .option = "weighted = 0",
    .walks = true,
    .needs_source = true,
    .search = &paths_search,
    .unweighted_search = &depth_search,
    .weight = WEIGHT_IF_CLEAR,
    .example = "gpu_paths('roads', 1, 5, 3)",
    .own = {[OWN_PATH] = {"path", "INTEGER", OWN_NUMBER},
            [OWN_SEQ] = {"seq", "INTEGER", OWN_NUMBER},
            [OWN_STEP] = {"vertex", "", OWN_VERTEX}},
    .options =
        {[OPTION_K] = {.name = "k", .least = 1, .most = 1000000000, .standard = 1}},
};
