/* From the ids in WHERE src = ? AND dst = ? to edges.
**
**     value   column     vertices
**     7       INTEGER    7
**     7       TEXT       '7'
**     7       no type    7 '7'         a 7 out of a column of numbers equals both
**     7.0     TEXT       '7', or else '7.0'
**     7.0     no type    7 '7' '7.0'   likewise
**     7       no type    7 '7' '07' ' 7' '7.0' ...     where the graph has such odd numerals
**
** SQLite does not tell where a value comes from. So every vertex that may be meant is looked
** up, and SQLite compares once more. Where several have edges, their lists are merged. To
** a TEXT column a value goes as a text wherever it comes from: comparing would cost as much
** again as the look-up. */
#include "lookup.h"
#include "base/value.h"
#include "table_function/find_id.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lookup_is_exact(char affinity) {
    return affinity != 'A';
}

/* ---- ids ---- */

enum { FEW = 3 };

typedef struct meanings {
    uint32_t few[FEW], *vertex; /* the few, or a block of sqlite3_malloc */
    int count, room;
} meanings;

static void forget_lookup(meanings *m) {
    if (m->vertex != m->few)
        sqlite3_free(m->vertex);
}

static int add_lookup(meanings *m, uint32_t v) {
    bool known = v == GPUGRAPH_NONE;
    for (int i = 0; i < m->count; i++)
        known |= m->vertex[i] == v;
    if (known)
        return SQLITE_OK;
    if (m->count == m->room) {
        const size_t bytes = (size_t)m->room * sizeof v;
        uint32_t *more = sqlite3_malloc64(2 * bytes);
        if (!more)
            return SQLITE_NOMEM;
        memcpy(more, m->vertex, bytes);
        forget_lookup(m);
        m->vertex = more;
        m->room *= 2;
    }
    m->vertex[m->count++] = v;
    return SQLITE_OK;
}

static bool is_number(sqlite3_value *id) {
    const int type = sqlite3_value_type(id);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* ---- numerals that SQLite would not write ---- */

/* In order of value. */
struct odd_numerals {
    int64_t count;
    struct odd {
        double value;
        int64_t text;
    } odd[];
};

static int compare_odd(const void *a, const void *b) {
    const double x = ((const struct odd *)a)->value, y = ((const struct odd *)b)->value;
    return (x > y) - (x < y);
}

/* skip: bytes in front of each text. */
static int find_odd(const gpugraph_texts *texts, uint64_t skip,
                    struct odd_numerals **list) {
    int64_t room = 16;
    struct odd_numerals *l = sqlite3_malloc64(sizeof *l + 16 * sizeof *l->odd);
    if (l)
        l->count = 0;
    for (int64_t t = 0; l && t < texts->count; t++) {
        uint64_t length;
        const char *text = gpugraph_text(texts, (uint64_t)t, &length);
        double value;
        if (length <= skip || !odd_numeral(text + skip, (size_t)(length - skip), &value))
            continue;
        struct odd_numerals *grown = l;
        if (l->count == room)
            grown = sqlite3_realloc64(l, sizeof *l + (sqlite3_uint64)(room *= 2) *
                                                         sizeof *l->odd);
        if (!grown || isnan(value)) {
            sqlite3_free(l);
            return SQLITE_NOMEM;
        }
        l = grown;
        l->odd[l->count++] = (struct odd){value, t};
    }
    if (!l)
        return SQLITE_NOMEM;
    qsort(l->odd, (size_t)l->count, sizeof *l->odd, compare_odd);
    *list = l;
    return SQLITE_OK;
}

/* Those of the list that may equal the number: from what is returned to before *end. Values may differ from
** SQLite's by rounding. */
static int64_t first_odd(const struct odd_numerals *l, double number, int64_t *end) {
    const double slack = fabs(number) * 1e-12;
    int64_t low = 0, high = l->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (l->odd[middle].value < number - slack)
            low = middle + 1;
        else
            high = middle;
    }
    for (*end = low; *end < l->count && l->odd[*end].value <= number + slack; ++*end)
        ;
    return low;
}

int lookup_misses_ids(graph_ref *of, sqlite3_value *id, bool *misses) {
    int64_t end;
    *misses = false;
    if (!is_number(id))
        return SQLITE_OK;
    int rc = of->odd_ids
                 ? SQLITE_OK
                 : find_odd(&gpugraph_vertex_ids(of->row_ids)->texts, 1, &of->odd_ids);
    *misses =
        rc == SQLITE_OK && first_odd(of->odd_ids, sqlite3_value_double(id), &end) < end;
    return rc;
}

static int add_odd(graph_ref *of, sqlite3_value *id, meanings *m) {
    const gpugraph_ids *ids = gpugraph_vertex_ids(of->graph);
    int64_t end;
    int rc = of->odd_vertices ? SQLITE_OK : find_odd(&ids->texts, 0, &of->odd_vertices);
    if (rc)
        return rc;
    int64_t i = first_odd(of->odd_vertices, sqlite3_value_double(id), &end);
    for (; rc == SQLITE_OK && i < end; i++)
        rc = add_lookup(m, ids->integer_count + (uint32_t)of->odd_vertices->odd[i].text);
    return rc;
}

static int find_meanings(graph_ref *of, char affinity, sqlite3_value *id, meanings *m) {
    const gpugraph_graph *graph = of->graph;
    uint32_t v;
    int rc = find_vertex(graph, affinity, id, &v);
    if (rc == SQLITE_OK)
        rc = add_lookup(m, v);
    if (rc || lookup_is_exact(affinity) || !is_number(id) ||
        gpugraph_vertex_ids(graph)->texts.count == 0)
        return rc;
    rc = find_vertex(graph, 'B', id, &v);
    if (rc == SQLITE_OK)
        rc = add_lookup(m, v);
    return rc ? rc : add_odd(of, id, m);
}

/* ---- lists ---- */

typedef struct part {
    const uint64_t *arc; /* or */
    const char *list;
    uint64_t count, at;
} part;

/* What lists are merged by: target and edge, or the edge alone. */
static void order_of(const part *p, const gpugraph_graph *graph, bool by_target,
                     uint64_t order[2]) {
    if (p->arc) {
        order[0] = by_target ? p->arc[p->at] >> 32 : 0;
        order[1] = p->arc[p->at] & UINT32_MAX;
    } else {
        order[1] = gpugraph_edge_at(graph, p->list, p->at);
        order[0] = by_target ? gpugraph_edge_of(graph, order[1]).target : 0;
    }
}

/* The part whose next edge comes first; NULL: none is left. */
static part *first_of(part *parts, int count, const gpugraph_graph *graph,
                      bool by_target) {
    part *first = NULL;
    uint64_t least[2] = {0, 0}, here[2];
    for (int i = 0; i < count; i++) {
        if (parts[i].at == parts[i].count)
            continue;
        order_of(&parts[i], graph, by_target, here);
        if (first && (here[0] != least[0] ? here[0] > least[0] : here[1] > least[1]))
            continue;
        first = &parts[i];
        memcpy(least, here, sizeof least);
    }
    return first;
}

static int merge_lookup(const gpugraph_graph *graph, part *parts, int count,
                        bool by_target, edges_found *found) {
    const bool arcs = parts[0].arc != NULL;
    size_t size = arcs ? sizeof(uint64_t) : gpugraph_edge_size(graph);
    found->merged = sqlite3_malloc64(found->count * size);
    if (!found->merged)
        return SQLITE_NOMEM;
    char *to = found->merged;
    for (part *p; (p = first_of(parts, count, graph, by_target)) != NULL; to += size)
        memcpy(to, (arcs ? (const char *)p->arc : p->list) + p->at++ * size, size);
    if (arcs)
        found->arc = found->merged;
    else
        found->list = found->merged;
    return SQLITE_OK;
}

/* A look-up is too short to be watched, unless it is the first and makes something. */
typedef struct lookup {
    connection *c;
    search_watch watch;
    bool watched;
} lookup;

static int lookup_interrupted(void *listener) {
    return connection_interrupted(((lookup *)listener)->c);
}

static void on_lookup_phase(void *listener, const char *name, double ms, int64_t items,
                            const char *detail) {
    lookup *l = listener;
    if (!l->watched) {
        watch_begin(&l->watch, l->c);
        l->c->timings.started_ms -= ms;
        l->watched = true;
    }
    timings_add(&l->c->timings, name, ms, items, detail);
    connection_progress(l->c, name, ms, items);
}

/* Of one pair of vertices; to NULL: of all edges from the one. */
static gpugraph_status ask_part(gpugraph_graph *graph, uint32_t from, const uint32_t *to,
                                bool by_arcs, gpugraph_run *run, part *p,
                                edges_found *found) {
    const void *list = NULL;
    gpugraph_arcs arcs = {.count = 0};
    gpugraph_status status;
    *p = (part){.at = 0};
    if (by_arcs) {
        status = to ? gpugraph_arcs_between(graph, from, *to, run, &arcs)
                    : gpugraph_arcs_from(graph, from, run, &arcs);
        p->arc = arcs.arc;
        p->count = arcs.count;
        found->first_id = arcs.first_id;
        return status;
    }
    status = to ? gpugraph_edges_between(graph, from, *to, run, &list, &p->count)
                : gpugraph_edges_from(graph, from, run, &list, &p->count);
    p->list = list;
    return status;
}

static gpugraph_status find_part(connection *c, gpugraph_graph *graph, uint32_t from,
                                 const uint32_t *to, bool by_arcs, part *p,
                                 edges_found *found, char **error) {
    lookup l = {.c = c};
    gpugraph_run run;
    connection_run(c, &run);
    run.interrupted = lookup_interrupted;
    run.phase = on_lookup_phase;
    run.listener = &l;
    const gpugraph_status status = ask_part(graph, from, to, by_arcs, &run, p, found);
    if (l.watched)
        watch_end(&l.watch, c);
    if (status != GPUGRAPH_OK)
        *error = sqlite3_mprintf("%s", run.message);
    return status;
}

/* Of every pair of meanings. Where edges have ids of their own, none is kept by its rowid. */
static int find_parts(connection *c, graph_ref *of, const meanings m[2], bool to_one,
                      part *parts, edges_found *found, char **error) {
    const bool by_arcs = !of->row_ids && gpugraph_keeps_arcs(of->graph);
    int count = 0;
    for (int i = 0; i < m[0].count; i++) {
        for (int j = 0; j < m[1].count; j++) {
            gpugraph_status status =
                find_part(c, of->graph, m[0].vertex[i], to_one ? &m[1].vertex[j] : NULL,
                          by_arcs, &parts[count], found, error);
            if (status != GPUGRAPH_OK)
                return code_of_status(status);
            found->count += parts[count].count;
            count += parts[count].count > 0;
        }
    }
    if (count > 1)
        return merge_lookup(of->graph, parts, count, !to_one, found);
    if (count) {
        found->list = parts[0].list;
        found->arc = parts[0].arc;
    }
    return SQLITE_OK;
}

int lookup_edges(connection *c, graph_ref *of, const char *affinity, int ids,
                 sqlite3_value **id, edges_found *found, char **error) {
    meanings m[2];
    part few[FEW * FEW], *parts = few;
    int rc = SQLITE_OK;
    memset(found, 0, sizeof *found);
    for (int i = 0; i < 2; i++) {
        m[i] = (meanings){.vertex = m[i].few, .room = FEW};
        if (i < ids && rc == SQLITE_OK)
            rc = find_meanings(of, affinity[i], id[i], &m[i]);
    }
    m[1].count += ids == 1; /* whatever it is */
    const uint64_t pairs = (uint64_t)m[0].count * (uint64_t)m[1].count;
    if (rc == SQLITE_OK && pairs > FEW * FEW) {
        parts = sqlite3_malloc64(pairs * sizeof *parts);
        rc = parts ? SQLITE_OK : SQLITE_NOMEM;
    }
    if (rc == SQLITE_OK)
        rc = find_parts(c, of, m, ids > 1, parts, found, error);
    if (parts != few)
        sqlite3_free(parts);
    forget_lookup(&m[0]);
    forget_lookup(&m[1]);
    return rc;
}
