/* Steps through the rows of an answer. Vertices that the search did not reach, or that
** lie beyond a bound, are skipped. */
#include "rows.h"

#include <stdlib.h>

/* Vertices skipped, or steps of a path laid out, between two polls: some milliseconds of
** work. */
#define POLL_ITEMS (1 << 18)

/* ---- which rows ---- */

/* Returns true if values and members give the entry a row. */
static bool row_counts(const arrays *found, const bound *most, uint32_t entry) {
    const void *value = found->array[A_VALUE];
    const uint8_t *member = found->array[A_MEMBER];
    if (!value)
        return !member || member[entry] != 0;
    switch (found->type) {
    case GPUGRAPH_UINT32:
        return ((const uint32_t *)value)[entry] <= most->integer &&
               ((const uint32_t *)value)[entry] != UINT32_MAX;
    case GPUGRAPH_UINT64:
        return ((const uint64_t *)value)[entry] <= most->integer;
    default:
        return ((const double *)value)[entry] <= most->real;
    }
}

static int poll(const answer *s, sqlite3_int64 items) {
    return items % POLL_ITEMS == 0 && connection_interrupted(s->by->c) ? SQLITE_INTERRUPT
                                                                       : SQLITE_OK;
}

/* Sets step number `count`, for which it grows the array of steps if necessary. */
static int add_step(rows *r, const answer *s, sqlite3_int64 count, uint32_t vertex,
                    uint64_t edge) {
    if (count == r->step_capacity) {
        const uint64_t before = (uint64_t)count, room = count ? 2 * before : 64;
        gpugraph_run run;
        connection_run(s->by->c, &run);
        arrays_count(s->arrays, &run);
        run.host_memory += (sqlite3_int64)(before * sizeof *r->step);
        void *step = array_block_grown(&run, r->step, before, room, sizeof *r->step);
        if (!step)
            return answer_failed(s, &run);
        r->step = step;
        r->step_capacity = (sqlite3_int64)room;
    }
    r->step[count] = (struct step){.vertex = vertex, .edge = edge};
    return poll(s, count + 1);
}

/* Lays out the path to the target by tree edges, from the target up to the source, and
** reverses it. *count: steps; 0 if there is no path. */
static int lay_by_tree(rows *r, const arguments *a, const answer *s,
                       sqlite3_int64 *count) {
    const gpugraph_graph *graph = s->graph->graph;
    const void *tree = s->arrays->array[A_TREE_EDGE];
    uint32_t v = r->target;
    int rc = SQLITE_OK;
    *count = 0;
    if (!row_counts(s->arrays, &a->bound, v))
        return SQLITE_OK;
    for (uint64_t edge = 0; edge != GPUGRAPH_NO_EDGE && rc == SQLITE_OK; ++*count) {
        edge = gpugraph_edge_at(graph, tree, v);
        rc = add_step(r, s, *count, v, edge);
        if (edge != GPUGRAPH_NO_EDGE)
            v = gpugraph_other_end(graph, edge, v);
    }
    for (sqlite3_int64 i = 0, j = *count - 1; i < j && rc == SQLITE_OK; i++, j--) {
        struct step swapped = r->step[i];
        r->step[i] = r->step[j];
        r->step[j] = swapped;
    }
    return rc;
}

/* Lays out a path whose edges are entries of the array `path`, from `first` on. */
static int lay_by_edges(rows *r, const arguments *a, const answer *s, uint32_t first,
                        uint32_t edges, sqlite3_int64 *count) {
    const gpugraph_graph *graph = s->graph->graph;
    uint32_t v = a->sources.item[0];
    int rc = add_step(r, s, 0, v, GPUGRAPH_NO_EDGE);
    for (*count = 1; *count <= edges && rc == SQLITE_OK; ++*count) {
        const uint64_t edge =
            gpugraph_edge_at(graph, s->arrays->path, first + (uint64_t)*count - 1);
        v = gpugraph_other_end(graph, edge, v);
        rc = add_step(r, s, *count, v, edge);
    }
    return rc;
}

/* Adds distances in the order of travel, as the search does, so that REALs are equal. */
static void add_distances(rows *r, const answer *s, sqlite3_int64 count) {
    const gpugraph_graph *graph = s->graph->graph;
    const bool weighted = answer_is_weighted(s),
               real = weighted && gpugraph_distance_type_of(graph) == GPUGRAPH_REAL;
    for (sqlite3_int64 i = 0; i < count; i++) {
        struct step *at = &r->step[i];
        gpugraph_edge edge = {.weight = i > 0};
        if (i > 0 && weighted)
            edge = gpugraph_edge_of(graph, at->edge);
        if (real)
            at->distance.real = i > 0 ? at[-1].distance.real + edge.real : 0;
        else
            at->distance.integer =
                (i > 0 ? at[-1].distance.integer : 0) + (uint64_t)edge.weight;
    }
}

/* Sets the rows to `count` items, or to the entries 0 to count - 1 if item is NULL. */
static void set_range(rows *r, unsigned plan, const uint32_t *item, sqlite3_int64 count) {
    bool backward = plan & PLAN_DESCENDING;
    r->item = item;
    r->item_is_vertex = false;
    r->direction = backward ? -1 : 1;
    r->position = backward ? count - 1 : 0;
    r->end = backward ? -1 : count;
}

/* AT_ONCE: values that are compared together. PASSED_ONE_BY_ONE: the number of vertices
** without a row after which groups are compared. */
enum { AT_ONCE = 64, PASSED_ONE_BY_ONE = 16 };

/* Returns true if any of the next AT_ONCE values is within the bounds. */
static bool any_counts(const rows *r, const arguments *a, const answer *s) {
    const void *value = s->arrays->array[A_VALUE];
    const sqlite3_int64 next = r->position + 1;
    const uint64_t *whole = (const uint64_t *)value + next, most = a->bound.integer;
    const double *real = (const double *)value + next, most_real = a->bound.real;
    unsigned any = 0;
    if (r->near)
        for (int i = 0; i < AT_ONCE; i++)
            any |= r->near[next + i] <= r->most;
    else if (s->arrays->type == GPUGRAPH_UINT64)
        for (int i = 0; i < AT_ONCE; i++)
            any |= whole[i] <= most;
    else
        for (int i = 0; i < AT_ONCE; i++)
            any |= real[i] <= most_real;
    return any;
}

/* Skips groups of vertices without a row. */
static int pass_over(rows *r, const arguments *a, const answer *s) {
    const bool by_value = s->arrays->array[A_VALUE] && !r->item && r->direction > 0 &&
                          (r->near || s->arrays->type != GPUGRAPH_UINT32);
    for (sqlite3_int64 passed = AT_ONCE;
         by_value && r->end - r->position > AT_ONCE && !any_counts(r, a, s);
         passed += AT_ONCE) {
        r->position += AT_ONCE;
        if (poll(s, passed) != SQLITE_OK)
            return SQLITE_INTERRUPT;
    }
    return SQLITE_OK;
}

/* Finds the first row at or after position. */
static int settle_entry(rows *r, const arguments *a, const answer *s) {
    for (sqlite3_int64 passed = 1; r->position != r->end; r->position += r->direction) {
        const uint32_t at = r->item ? r->item[r->position] : (uint32_t)r->position;
        r->entry = r->listed && r->item_is_vertex ? arrays_entry(s->arrays, at) : at;
        if (r->entry != GPUGRAPH_NONE &&
            (r->near ? r->near[r->entry] <= r->most
                     : row_counts(s->arrays, &a->bound, r->entry))) {
            r->vertex = r->listed ? r->listed[r->entry] : r->entry;
            return SQLITE_OK;
        }
        if (passed % PASSED_ONE_BY_ONE == 0 && pass_over(r, a, s) != SQLITE_OK)
            return SQLITE_INTERRUPT;
        if (poll(s, passed++) != SQLITE_OK)
            return SQLITE_INTERRUPT;
    }
    return SQLITE_OK;
}

/* Lays out the next path of the answer, or the path by the tree to the next target.
** Clears *more if there is none. */
static int lay_next_path(rows *r, const arguments *a, const answer *s, bool *more) {
    const arrays *found = s->arrays;
    const void *tree = found->array[A_TREE_EDGE];
    sqlite3_int64 count = 0;
    int rc;
    *more = tree ? r->next_target < a->targets.count : r->next_path < found->path_entries;
    if (!*more)
        return SQLITE_OK;
    if (tree) {
        r->target = a->targets.item[r->next_target++];
        rc = lay_by_tree(r, a, s, &count);
    } else {
        const uint32_t edges =
            (uint32_t)gpugraph_edge_at(s->graph->graph, found->path, r->next_path++);
        rc = lay_by_edges(r, a, s, r->next_path, edges, &count);
        r->next_path += edges;
        r->path++;
    }
    if (rc == SQLITE_OK)
        add_distances(r, s, count);
    set_range(r, a->plan, NULL, rc == SQLITE_OK ? count : 0);
    return rc;
}

static int settle_step(rows *r, const arguments *a, const answer *s) {
    for (bool more = true; more;) {
        for (; r->position != r->end; r->position += r->direction) {
            r->vertex = r->step[r->position].vertex;
            if (!a->asked || numbers_has(a->asked, r->vertex))
                return SQLITE_OK;
        }
        int rc = lay_next_path(r, a, s, &more);
        if (rc != SQLITE_OK)
            return rc;
    }
    return SQLITE_OK;
}

static void set_arrays(rows *r, const arguments *a, const arrays *found) {
    const void *value = found->array[A_VALUE];
    bool near = value && found->type == GPUGRAPH_UINT32 && !a->by->function->paths;
    const uint32_t largest = UINT32_MAX - 1;
    r->near = near ? value : NULL;
    r->listed = found->listed;
    r->most = a->bound.integer < largest ? (uint32_t)a->bound.integer : largest;
}

static int settle(rows *r, const arguments *a, const answer *s) {
    return a->by->function->paths ? settle_step(r, a, s) : settle_entry(r, a, s);
}

int rows_next(rows *r, const arguments *a, const answer *s) {
    r->position += r->direction;
    return settle(r, a, s);
}

int rows_start(rows *r, const arguments *a, answer *s) {
    enum array_name order = a->plan >> PLAN_ORDER_SHIFT & PLAN_ORDERS;
    const bool in_order = answer_is_in_order(s);
    int rc = SQLITE_OK;
    r->ids = gpugraph_vertex_ids(s->graph->graph);
    r->handed = 0;
    set_arrays(r, a, s->arrays);
    if (a->by->function->paths) {
        r->next_target = r->next_path = r->path = 0;
        r->target = a->targets.item[0];
    } else if (a->asked) {
        set_range(r, a->plan, a->asked->item, a->asked->count);
        r->item_is_vertex = true;
    } else if (order == NO_ARRAY && in_order) {
        set_range(r, a->plan, NULL, s->arrays->n);
    } else {
        rc = answer_order(s, order);
        if (rc == SQLITE_OK)
            set_range(r, a->plan, s->arrays->order[order].vertex,
                      s->arrays->order[order].count);
    }
    return rc ? rc : settle(r, a, s);
}

void rows_reset(rows *r) {
    r->position = r->end = 0;
    r->next_target = 0;
    r->next_search = 0;
    r->handed = 0;
    r->rowid_read = false;
}

void rows_clear(rows *r) {
    free(r->step);
}
