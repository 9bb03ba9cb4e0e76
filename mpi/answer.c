/* From the share that a process has read to arrays with an entry for each of its masters. */
#include "answer.h"
#include "backend.h"
#include "base/run.h"
#include "base/value.h"
#include "post.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys of edges ---- */

static bool keys_are_rowids(const options *o, const columns *c) {
    return o->paths == 1 && !c->own_ids;
}

/* A word that ascends with the order of rows: files, then processes, whose ranges of rowids ascend. */
static uint64_t place_of(const columns *c, uint32_t part, uint32_t *file, int64_t i) {
    while (*file + 1 < c->files && c->begin[*file + 1] <= i)
        ++*file;
    return (uint64_t)*file << 52 | (uint64_t)part << 40 | (uint64_t)i;
}

/* Sorted pairs lose their order, so each edge finds its key by its place. */
static bool keys_by_place(edge_keys *k, const columns *c, gpugraph_exchange *x,
                          gpugraph_run *run) {
    const uint64_t count = (uint64_t)c->count;
    uint64_t *record = gg_alloc(run, 2 * count + 1, sizeof *record), kept = count;
    uint64_t *key = gg_alloc(run, count + 1, sizeof *key);
    uint32_t file = 0;
    for (int64_t i = 0; record && i < c->count; i++) {
        const int64_t number = c->edge_id.value[i];
        record[2 * i] = number < 0 ? k->ids.count : (uint64_t)number;
        record[2 * i + 1] = place_of(c, x->part, &file, i);
    }
    if (record && key && range_make(&k->order, x, run, 2, record, &kept, key))
        for (uint64_t i = 0; i < kept; i++)
            c->edge_id.value[record[2 * i + 1] & (((uint64_t)1 << 40) - 1)] =
                (int64_t)key[i];
    gg_release(record);
    gg_release(key);
    return run->status == GPUGRAPH_OK;
}

static bool make_keys(edge_keys *k, const options *o, const columns *c,
                      gpugraph_exchange *x, gpugraph_run *run) {
    if (!c->edge_id.value || keys_are_rowids(o, c))
        return true;
    const gpugraph_texts texts = {c->edge_texts.count, c->edge_texts.offset,
                                  c->edge_texts.bytes};
    const id_list list = {c->edge_id.value, c->edge_id.is_text, (uint64_t)c->count};
    k->numbered = true;
    return dictionary_make(&k->ids, x, run, &list, 1, &texts) &&
           keys_by_place(k, c, x, run);
}

/* ---- sources ---- */

struct sources {
    uint64_t *number;
    uint32_t count, room;
};

static bool add_source(struct sources *s, gpugraph_run *run, uint64_t number) {
    uint64_t room = s->room;
    if (number == UINT64_MAX)
        return true;
    if (s->count == s->room &&
        !gg_make_room(run, (void **)&s->number, s->count, &room, sizeof *s->number))
        return false;
    s->room = (uint32_t)room;
    s->number[s->count++] = number;
    return true;
}

/* As the source column's affinity has it: table_function/find_id.c. */
static bool find_source(struct sources *s, const dictionary *d, char affinity,
                        gpugraph_run *run, sqlite3_value *id) {
    struct sql_number number = {.type = SQLITE_NULL};
    char digits[24];
    uint64_t found = UINT64_MAX;
    const int type = sqlite3_value_type(id);
    if (type != SQLITE_TEXT || affinity >= 'C')
        number_of(id, &number);
    number_to_integer(&number);
    if (number.type == SQLITE_INTEGER && affinity == 'B') {
        sqlite3_snprintf(sizeof digits, digits, "%lld", number.integer);
        dictionary_find(d, run, 0, digits, strlen(digits), &found);
    } else if (number.type == SQLITE_INTEGER) {
        dictionary_find(d, run, number.integer, NULL, 0, &found);
    } else if (type == SQLITE_TEXT) {
        const char *bytes = (const char *)sqlite3_value_text(id);
        dictionary_find(d, run, 0, bytes, (uint64_t)sqlite3_value_bytes(id), &found);
    }
    return run->status == GPUGRAPH_OK && add_source(s, run, found);
}

/* Collective: all look for the same ids. */
static bool find_sources(struct sources *s, const options *o, const dictionary *d,
                         char affinity, gpugraph_run *run) {
    const char *source = o->given[GIVEN_SOURCE], *list = o->given[GIVEN_SOURCES];
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    if (!source && !list)
        return true;
    int rc = sqlite3_open(":memory:", &db);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(
            db, source ? "SELECT ?1" : "SELECT value FROM json_each(?1)", -1, &row, NULL);
    if (rc == SQLITE_OK && source)
        rc = bind_given(row, 1, source);
    else if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(row, 1, list, -1, SQLITE_STATIC);
    while (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW &&
           find_source(s, d, affinity, run, sqlite3_column_value(row, 0)))
        ;
    if (rc != SQLITE_OK)
        gg_fail(run, GPUGRAPH_NO_MEMORY, "the sources cannot be read: %s",
                sqlite3_errmsg(db));
    sqlite3_finalize(row);
    sqlite3_close(db);
    return run->status == GPUGRAPH_OK;
}

/* ---- hashes of ids ---- */

enum { PIECE = 1 << 16 }; /* masters whose ids are looked up at once */

static void hash_names(const id_names *names, uint64_t count, uint64_t salt,
                       uint32_t *hash) {
    for (uint64_t i = 0; i < count; i++) { /* as ids/hash.c has it */
        const uint64_t whole =
            names->type[i] == 't'
                ? gg_hash_text(names->bytes + names->value[i], names->length[i], salt)
                : gg_mix(gg_mix(salt ^ (uint64_t)names->value[i]));
        hash[i] = (uint32_t)(whole >> 32);
    }
}

/* Collective. The largest of all parts' counts. */
static uint64_t most_of(gpugraph_exchange *x, gpugraph_run *run, uint64_t count) {
    x->calls->combine(x, run, GPUGRAPH_MOST, &count, 1);
    return run->status == GPUGRAPH_OK ? count : 0;
}

static uint32_t *hash_masters(const answer *a, const options *o, gpugraph_exchange *x,
                              gpugraph_run *run) {
    const uint32_t masters = gpugraph_part_masters(a->part);
    const uint64_t *number = gpugraph_part_numbers(a->part);
    const char *seed = o->given[GIVEN_SEED];
    const uint64_t salt =
        gg_mix((uint64_t)(seed ? strtoll(seed, NULL, 10) : 0) + 0x9e3779b97f4a7c15u);
    uint32_t *hash = gg_alloc(run, (uint64_t)masters + 1, sizeof *hash);
    const uint64_t most = most_of(x, run, masters);
    for (uint64_t low = 0; low < most && run->status == GPUGRAPH_OK; low += PIECE) {
        id_names names;
        const uint64_t at = low < masters ? low : masters;
        const uint64_t count = masters - at < PIECE ? masters - at : PIECE;
        if (dictionary_look_up(&a->vertices, run, number + at, count, &names))
            hash_names(&names, count, salt, hash + at);
        id_names_close(&names);
    }
    return hash;
}

/* ---- searches ---- */

static void set_column(answer *a, const char *name, const char *type, char kind,
                       const void *array) {
    a->column[a->columns++] = (struct answer_column){name, type, kind, array};
}

static bool make_tree(answer *a, gpugraph_run *run, uint32_t masters) {
    a->parent = gg_alloc(run, (uint64_t)masters + 1, sizeof *a->parent);
    a->edge = gg_alloc(run, (uint64_t)masters + 1, sizeof *a->edge);
    return a->parent && a->edge;
}

static bool search_bfs(answer *a, const options *o, const struct sources *s,
                       gpugraph_run *run) {
    const uint32_t masters = gpugraph_part_masters(a->part);
    const double bound = given_number(o, GIVEN_MAX_DEPTH, UINT32_MAX);
    uint32_t *depth = gg_alloc(run, (uint64_t)masters + 1, sizeof *depth);
    a->value = depth;
    if (!depth || !make_tree(a, run, masters))
        return false;
    const gpugraph_part_tree tree = {a->parent, a->edge};
    if (s->count == 0)
        memset(depth, 255, masters * sizeof *depth);
    else if (gpugraph_part_bfs(a->part, s->number, s->count,
                               bound < UINT32_MAX - 1 ? (uint32_t)bound : UINT32_MAX - 1,
                               run, depth, &tree) != GPUGRAPH_OK)
        return false;
    for (uint32_t v = 0; v < masters; v++)
        if (depth[v] != GPUGRAPH_NONE)
            a->row[a->rows++] = v;
    set_column(a, "depth", "INTEGER", 'd', depth);
    set_column(a, "parent", "", 'v', a->parent);
    set_column(a, "edge", "", 'e', a->edge);
    return true;
}

static bool search_mis(answer *a, const options *o, gpugraph_exchange *x,
                       gpugraph_run *run) {
    static const char *const words[] = {"degree", "degree-id", "random", "id", NULL};
    const uint32_t masters = gpugraph_part_masters(a->part);
    const gpugraph_priority priority =
        (gpugraph_priority)given_word(o, GIVEN_PRIORITY, words);
    uint8_t *member = gg_alloc(run, (uint64_t)masters + 1, sizeof *member);
    a->value = member;
    uint32_t *hash = hash_masters(a, o, x, run);
    if (member && hash && run->status == GPUGRAPH_OK)
        gpugraph_part_mis(a->part, priority, hash, run, member);
    gg_release(hash);
    for (uint32_t v = 0; run->status == GPUGRAPH_OK && v < masters; v++)
        if (member[v])
            a->row[a->rows++] = v;
    return run->status == GPUGRAPH_OK;
}

static bool search(answer *a, const options *o, const columns *c, gpugraph_exchange *x,
                   gpugraph_run *run) {
    const uint32_t masters = gpugraph_part_masters(a->part);
    struct sources s = {.number = NULL};
    bool good = find_sources(&s, o, &a->vertices, c->affinity, run);
    a->row = gg_alloc(run, (uint64_t)masters + 1, sizeof *a->row);
    set_column(a, "vertex", "", 'v', gpugraph_part_numbers(a->part));
    good = good && a->row;
    if (good && o->function == FUNCTION_BFS)
        good = search_bfs(a, o, &s, run);
    else if (good && o->function == FUNCTION_MIS)
        good = search_mis(a, o, x, run);
    gg_release(s.number);
    return good;
}

/* ---- all of it ---- */

static bool number_ends(answer *a, const columns *c, gpugraph_exchange *x,
                        gpugraph_run *run) {
    const gpugraph_texts texts = {c->texts.count, c->texts.offset, c->texts.bytes};
    const id_list list[] = {{c->end[0].value, c->end[0].is_text, (uint64_t)c->count},
                            {c->end[1].value, c->end[1].is_text, (uint64_t)c->count},
                            {c->vertex.value, c->vertex.is_text, (uint64_t)c->lone}};
    return dictionary_make(&a->vertices, x, run, list, 3, &texts);
}

static bool make_part(answer *a, const options *o, const columns *c, gpugraph_exchange *x,
                      gpugraph_run *run) {
    const gpugraph_share share = {
        .vertices = a->vertices.count,
        .count = (uint64_t)c->count,
        .source = (const uint64_t *)c->end[0].value,
        .target = (const uint64_t *)c->end[1].value,
        .weight_type = !c->weighted     ? GPUGRAPH_UNWEIGHTED
                       : c->real_weight ? GPUGRAPH_REAL_WEIGHTS
                                        : GPUGRAPH_INTEGER_WEIGHTS,
        .weight = c->weight,
        .edge_id = c->edge_id.value,
    };
    return gpugraph_part_create(x, &share, o->partition, o->direction,
                                o->function == FUNCTION_MIS, run,
                                &a->part) == GPUGRAPH_OK;
}

static bool make(answer *a, const options *o, columns *c, gpugraph_exchange *x,
                 gpugraph_run *run, phases *p, bool *politely) {
    phases_begin(p, x);
    if (!columns_read(c, o, x, run, politely))
        return false;
    phases_end(p, x, "read");
    if (!number_ends(a, c, x, run) || !make_keys(&a->edges, o, c, x, run))
        return false;
    phases_end(p, x, "numbers");
    if (!make_part(a, o, c, x, run))
        return false;
    columns_drop(c);
    phases_end(p, x, "parts");
    const bool found = search(a, o, c, x, run);
    if (!found && run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    phases_end(p, x, "search");
    return found && run->status == GPUGRAPH_OK;
}

bool answer_make(answer *a, const options *o, gpugraph_exchange *x, gpugraph_run *run,
                 phases *p, bool *politely) {
    columns c;
    memset(a, 0, sizeof *a);
    const bool good = make(a, o, &c, x, run, p, politely);
    columns_clear(&c);
    return good;
}

void answer_clear(answer *a) {
    gpugraph_part_free(a->part);
    dictionary_close(&a->vertices);
    dictionary_close(&a->edges.ids);
    range_close(&a->edges.order);
    gg_release(a->row);
    gg_release(a->parent);
    gg_release(a->value);
    gg_release(a->edge);
    memset(a, 0, sizeof *a);
}
