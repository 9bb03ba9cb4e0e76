/* gpu_paths: the shortest paths from one vertex to another, in order, step by step. */
#include "array_block.h"
#include "function_list.h"
#include "search.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPTION_K };
enum { OWN_PATH, OWN_SEQ, OWN_STEP };

typedef struct path_step {
    uint32_t path, seq, vertex;
    uint64_t edge;
    union {
        uint64_t integer;
        double real;
    } distance;
} path_step;

/* Steps as they come, in an array that grows. */
typedef struct steps {
    making *m;
    uint32_t count, room, paths;
    path_step *step;
} steps;

/* False: the run says why. */
static bool make_room_for_step(steps *s) {
    gpugraph_run *run = s->m->run;
    if (s->count < s->room)
        return true;
    if (s->room >= UINT32_MAX / 4) {
        run->status = GPUGRAPH_TOO_LARGE;
        snprintf(run->message, sizeof run->message,
                 "the paths have more than %u steps; ask for fewer", s->count);
        return false;
    }
    const uint32_t room = s->room ? 2 * s->room : 256;
    path_step *grown = array_block_grown(run, s->step, s->room, room, sizeof *grown);
    if (!grown)
        return false;
    s->step = grown;
    s->room = room;
    return true;
}

/* Distances add up in the order of travel, as the search has added them. */
static bool add_step(steps *s, uint32_t seq, uint64_t edge) {
    const gpugraph_graph *graph = s->m->graph;
    gpugraph_edge by = {.weight = 1};
    if (!make_room_for_step(s))
        return false;
    path_step *at = &s->step[s->count++];
    *at = (path_step){.path = s->paths, .seq = seq, .edge = edge};
    if (seq == 0) {
        at->vertex = s->m->q->search.source[0];
        return true;
    }
    at->vertex = gpugraph_other_end(graph, edge, at[-1].vertex);
    if (s->m->q->weighted)
        by = gpugraph_edge_of(graph, edge);
    if (s->m->made.type == GPUGRAPH_REAL)
        at->distance.real = at[-1].distance.real + by.real;
    else
        at->distance.integer = at[-1].distance.integer + (uint64_t)by.weight;
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

/* The steps become arrays, which have an entry for each. */
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
        const path_step *at = &s->step[i];
        path[i] = at->path;
        seq[i] = at->seq;
        vertex[i] = at->vertex;
        if (m->made.type == GPUGRAPH_UINT32)
            ((uint32_t *)value)[i] = (uint32_t)at->distance.integer;
        else
            ((uint64_t *)value)[i] = at->distance.integer;
        if (m->made.edge_size == sizeof(uint32_t))
            ((uint32_t *)edge)[i] = (uint32_t)at->edge;
        else
            ((uint64_t *)edge)[i] = at->edge;
    }
}

static void make_paths(making *m) {
    const bool weighted = m->q->weighted;
    steps s = {.m = m};
    m->made.type = weighted ? gpugraph_distance_type_of(m->graph) : GPUGRAPH_UINT32;
    gpugraph_paths(m->graph, &m->q->search, weighted, (uint32_t)m->q->own[OPTION_K],
                   m->run, take_path, &s);
    if (m->run->status == GPUGRAPH_OK)
        keep_steps(&s);
    free(s.step);
}

const table_function paths_function = {
    .name = "gpu_paths",
    FUNCTION_FIELDS(F_OWN + OWN_PATH, F_OWN + OWN_SEQ, F_OWN + OWN_STEP, F_EDGE, F_COST,
                    F_DISTANCE, F_EDGES, F_SOURCE, F_TARGET, F_OPTION + OPTION_K,
                    F_DIRECTION, F_WEIGHTED),
    .visible = 6,
    .bracketed = 4,
    .option = "weighted = 0",
    .walks = true,
    .needs_source = true,
    .search = &(const search_kind){.name = "paths", .make = make_paths},
    .weight = WEIGHT_IF_CLEAR,
    .example = "gpu_paths('roads', 1, 5, 3)",
    .own = {[OWN_PATH] = {"path", "INTEGER", OWN_NUMBER},
            [OWN_SEQ] = {"seq", "INTEGER", OWN_NUMBER},
            [OWN_STEP] = {"vertex", "", OWN_VERTEX}},
    .options =
        {[OPTION_K] = {.name = "k", .least = 1, .most = 1000000000, .standard = 1}},
};
