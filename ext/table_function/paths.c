/* gpu_paths: the k shortest paths from a vertex to another, in order, step by step. */
#include "search.h"

#include <stdio.h>

enum { OPTION_K };

/* The array `path` (search.h), which grows as the search finds paths. */
typedef struct path_entries {
    making *m;
    uint32_t count, room;
} path_entries;

/* Returns false after an error, which the run has. */
static bool make_room_for_entry(path_entries *p) {
    arrays *made = p->m->made;
    gpugraph_run *run = p->m->run;
    if (p->count < p->room)
        return true;
    if (p->room >= UINT32_MAX / 4) {
        run->status = GPUGRAPH_TOO_LARGE;
        snprintf(run->message, sizeof run->message,
                 "the paths have more than %u steps; ask for fewer", p->count);
        return false;
    }
    const uint32_t room = p->room ? 2 * p->room : 256;
    void *grown = array_block_grown(run, made->path, p->room, room, made->edge_size);
    if (!grown)
        return false;
    made->path = grown;
    p->room = room;
    return true;
}

static bool add_entry(path_entries *p, uint64_t entry) {
    if (!make_room_for_entry(p))
        return false;
    put_path_entry(p->m->made, p->count++, entry);
    return true;
}

static int take_path(void *context, const uint64_t *edge, uint64_t count) {
    bool go = add_entry(context, count);
    for (uint64_t i = 0; i < count && go; i++)
        go = add_entry(context, edge[i]);
    return !go;
}

static void make_paths(making *m) {
    path_entries p = {.m = m};
    m->made->type = question_type(m);
    gpugraph_paths(m->graph, &m->q->search, m->q->weighted, (uint32_t)m->q->own[OPTION_K],
                   m->run, take_path, &p);
    m->made->path_entries = p.count;
}

const table_function paths_function = {
    .name = "gpu_paths",
    FUNCTION_FIELDS(
        (F_OWN, F_SEQ, F_VERTEX, F_EDGE, F_COST, F_DISTANCE),
        (F_EDGES, F_SOURCE, F_TARGET, F_OPTION + OPTION_K, F_DIRECTION, F_WEIGHTED)),
    .positional = 4,
    .option = "weighted = 0",
    .paths = true,
    .many_paths = true,
    .needs_source = true,
    .search = SEARCH("paths", make_paths, NUMBERS_ANY),
    .weight = WEIGHT_IF_CLEAR,
    .example = "gpu_paths('roads', 1, 5, 3)",
    .own = {{"path", "INTEGER", OWN_PATH}},
    .options =
        {[OPTION_K] = {.name = "k", .least = 1, .most = 1000000000, .standard = 1}},
};
