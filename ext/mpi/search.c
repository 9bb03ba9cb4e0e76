/* The functions: sources from their ids, hashes of masters' ids, searches, and which
** masters have a row in the result. */
#include "answer.h"
#include "ids/ids.h"
#include "base/run.h"
#include "base/vertex_id.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources ---- */

struct sources {
    uint64_t *number; /* may repeat */
    uint32_t count;
    const range *dictionary;
    gpugraph_run *run;
};

static bool add_vertex_of_search(void *of, sqlite3_int64 integer, const char *text,
                                 size_t bytes) {
    struct sources *s = of;
    uint64_t number;
    if (!dictionary_find(s->dictionary, s->run, integer, text, bytes, &number) ||
        number == UINT64_MAX)
        return false;
    s->number[s->count++] = number;
    return true;
}

static bool find_source(struct sources *s, const char affinity[2], sqlite3_value *id) {
    bool found;
    if (argument_id_find(id, affinity, add_vertex_of_search, s, &found) != SQLITE_OK)
        gg_fail(s->run, GPUGRAPH_NO_MEMORY, "the memory of a process does not suffice");
    return s->run->status == GPUGRAPH_OK;
}

/* Collective: all processes find the same ids. */
static bool find_sources(struct sources *s, const options *o, const char affinity[2],
                         gpugraph_run *run) {
    const char *source = o->given[GIVEN_SOURCE], *list = o->given[GIVEN_SOURCES];
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    if (!source && !list)
        return true;
    /* Each id of a list takes at least a character and a comma. */
    s->number = gg_alloc(run, source ? 1 : strlen(list) / 2 + 1, sizeof *s->number);
    if (!s->number)
        return false;
    int rc = sqlite3_open(":memory:", &db);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(
            db, source ? "SELECT ?1" : "SELECT value FROM json_each(?1)", -1, &row, NULL);
    if (rc == SQLITE_OK && source)
        rc = bind_given(row, 1, source);
    else if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(row, 1, list, -1, SQLITE_STATIC);
    while (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW &&
           find_source(s, affinity, sqlite3_column_value(row, 0)))
        ;
    if (rc != SQLITE_OK)
        gg_fail(run, GPUGRAPH_NO_MEMORY, "the sources cannot be read: %s",
                sqlite3_errmsg(db));
    sqlite3_finalize(row);
    sqlite3_close(db);
    return run->status == GPUGRAPH_OK;
}

/* ---- hashes of ids ---- */

/* Hashes the ids of this process, as ids/hash.c does, and sends each hash to the vertex's
** owner. */
static uint32_t *hash_masters(const answer *a, const options *o, gpugraph_run *run) {
    const range *r = &a->vertices;
    const char *seed = o->given[GIVEN_SEED];
    const uint64_t own = range_own(r), masters = gpugraph_part_masters(a->part),
                   salt = gg_fixed_hash((uint64_t)(seed ? strtoll(seed, NULL, 10) : 0) +
                                        0x9e3779b97f4a7c15u);
    uint64_t *number = gg_alloc(run, own, sizeof *number);
    uint64_t *value = gg_alloc(run, own, sizeof *value);
    uint64_t *received = gg_alloc(run, masters, sizeof *received);
    uint32_t *hash = gg_alloc(run, masters, sizeof *hash);
    for (uint64_t i = 0; run->status == GPUGRAPH_OK && i < own; i++) {
        const char *id = r->bytes + r->offset[i];
        number[i] = r->first[r->exchange->part] + i;
        value[i] =
            *id == 't'
                ? gg_fixed_hash_text(id + 1, r->offset[i + 1] - r->offset[i] - 1, salt)
                : gg_fixed_hash(gg_fixed_hash(
                      salt ^ (uint64_t)integer_of_order(word_in_order(id + 1))));
    }
    if (run->status == GPUGRAPH_OK)
        gpugraph_part_deliver(a->part, run, own, number, value, received);
    for (uint64_t v = 0; run->status == GPUGRAPH_OK && v < masters; v++)
        hash[v] = (uint32_t)(received[v] >> 32);
    gg_release(number);
    gg_release(value);
    gg_release(received);
    return hash;
}

/* ---- searches ---- */

static void search_bfs(answer *a, const options *o, const struct sources *s,
                       const gpugraph_part_tree *tree) {
    const double bound = given_number(o, GIVEN_MAX_DEPTH, UINT32_MAX);
    gpugraph_part_bfs(a->part, s->number, s->count,
                      bound < UINT32_MAX - 1 ? (uint32_t)bound : UINT32_MAX - 1, s->run,
                      a->value, tree);
}

/* Converts the bound to the type of distances; an INTEGER one is rounded down. */
static void *bound_of(const options *o, bool real, void *to) {
    const char *text = o->given[GIVEN_MAX_DISTANCE];
    const double bound = given_number(o, GIVEN_MAX_DISTANCE, 0);
    char *end;
    if (!text)
        return NULL;
    const int64_t integer = strtoll(text, &end, 10);
    if (real)
        *(double *)to = bound;
    else if (*end == 0)
        *(int64_t *)to = integer;
    else
        *(int64_t *)to = bound >= 0x1p63 ? INT64_MAX : (int64_t)floor(bound);
    return to;
}

static void search_mis(answer *a, const options *o, gpugraph_run *run) {
    static const char *const words[] = {"degree", "degree-id", "random", "id", NULL};
    const gpugraph_priority priority =
        (gpugraph_priority)given_word(o, GIVEN_PRIORITY, words);
    uint32_t *hash = priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM
                         ? hash_masters(a, o, run)
                         : NULL;
    if (run->status == GPUGRAPH_OK)
        gpugraph_part_mis(a->part, priority, hash, run, a->value);
    gg_release(hash);
}

static void search_components(answer *a, const options *o, gpugraph_run *run) {
    static const char *const words[] = {"weak", "strong", NULL};
    const int kind = given_word(o, GIVEN_KIND, words);
    gpugraph_part_components(a->part, (gpugraph_component_kind)kind, run, a->value);
}

static void search_pagerank(answer *a, const options *o, const struct sources *s) {
    const gpugraph_part_ranks how = {
        .damping = given_number(o, GIVEN_DAMPING, 0.85),
        .tolerance = given_number(o, GIVEN_TOLERANCE, 1e-6),
        .iterations = (uint32_t)given_number(o, GIVEN_ITERATIONS, 100),
        .source = s->number,
        .source_count = s->count,
    };
    uint32_t iterations;
    double change;
    gpugraph_part_pagerank(a->part, &how, s->run, a->value, &iterations, &change);
}

/* ---- the answer ---- */

static void set_column(answer *a, const char *name, const char *type, char kind,
                       const void *array) {
    a->column[a->columns++] = (struct answer_column){name, type, kind, array};
}

static void set_columns(answer *a, const options *o, bool real) {
    set_column(a, "vertex", "", 'v', gpugraph_part_numbers(a->part));
    if (o->function == FUNCTION_BFS)
        set_column(a, "depth", "INTEGER", 'd', a->value);
    else if (o->function == FUNCTION_SSSP)
        set_column(a, "distance", "", real ? 'r' : 'i', a->value);
    else if (o->function == FUNCTION_COMPONENTS)
        set_column(a, "component", "", 'v', a->value);
    else if (o->function == FUNCTION_PAGERANK)
        set_column(a, "rank", "REAL", 'r', a->value);
    if (o->function <= FUNCTION_SSSP) {
        set_column(a, "parent", "", 'v', a->parent);
        set_column(a, "edge", "", 'e', a->edge);
    }
}

static bool has_row(const answer *a, const options *o, bool real, uint32_t v) {
    switch (o->function) {
    case FUNCTION_BFS:
        return ((const uint32_t *)a->value)[v] != GPUGRAPH_NONE;
    case FUNCTION_SSSP:
        return real ? ((const double *)a->value)[v] < INFINITY
                    : ((const int64_t *)a->value)[v] >= 0;
    case FUNCTION_MIS:
        return ((const uint8_t *)a->value)[v];
    default:
        return true;
    }
}

bool answer_search(answer *a, const options *o, const columns *c, gpugraph_run *run) {
    const uint64_t masters = gpugraph_part_masters(a->part),
                   in_tree = o->function <= FUNCTION_SSSP ? masters : 0;
    struct sources s = {.dictionary = &a->vertices, .run = run};
    uint64_t bound;
    a->row = gg_alloc(run, masters, sizeof *a->row);
    a->value = gg_alloc(run, masters, sizeof(uint64_t));
    a->parent = gg_alloc(run, in_tree, sizeof *a->parent);
    a->edge = gg_alloc(run, in_tree, sizeof *a->edge);
    const gpugraph_part_tree tree = {a->parent, a->edge};
    const bool good =
        run->status == GPUGRAPH_OK && find_sources(&s, o, c->ids.affinity, run);
    const bool nowhere =
        s.count == 0 && (o->given[GIVEN_SOURCE] || o->given[GIVEN_SOURCES]);
    set_columns(a, o, c->real_weight);
    if (!good || nowhere)
        ;
    else if (o->function == FUNCTION_BFS)
        search_bfs(a, o, &s, &tree);
    else if (o->function == FUNCTION_SSSP)
        gpugraph_part_sssp(a->part, s.number, s.count,
                           bound_of(o, c->real_weight, &bound), run, a->value, &tree);
    else if (o->function == FUNCTION_MIS)
        search_mis(a, o, run);
    else if (o->function == FUNCTION_COMPONENTS)
        search_components(a, o, run);
    else
        search_pagerank(a, o, &s);
    gg_release(s.number);
    for (uint32_t v = 0; run->status == GPUGRAPH_OK && !nowhere && v < masters; v++)
        if (has_row(a, o, c->real_weight, v))
            a->row[a->rows++] = v;
    return run->status == GPUGRAPH_OK;
}
