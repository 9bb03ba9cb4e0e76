/* From the share that a process has read to arrays with an entry for each of its masters. */
#include "answer.h"
#include "distributed/exchange/post.h"
#include "base/run.h"

#include <string.h>

/* Processes up to which all arcs of a vertex lie at one of them. That sends less than a
** grid does: half of a breadth-first search's bytes on an R-MAT graph. A grid has fewer
** peers, and beyond that number fewer ghosts. */
enum { ONE_DIMENSION = 16 };

/* ---- keys of edges ---- */

static bool keys_are_rowids(const options *o, const columns *c) {
    return o->paths == 1 && !c->own_ids;
}

/* A word that ascends with the order of rows: files, then processes, whose ranges of rowids ascend. */
static uint64_t place_answer_of(const columns *c, uint32_t part, uint32_t *file,
                                int64_t i) {
    while (*file + 1 < c->files && c->begin[*file + 1] <= i)
        ++*file;
    return (uint64_t)*file << 52 | (uint64_t)part << 40 | (uint64_t)i;
}

static bool keys_by_place(edge_keys *k, const columns *c, gpugraph_exchange *x,
                          gpugraph_run *run) {
    enum { KEY_BYTES = 16 };
    const uint64_t count = (uint64_t)c->count;
    uint64_t *offset = gg_alloc(run, count + 1, sizeof *offset);
    char *bytes = gg_alloc(run, count + 1, KEY_BYTES);
    uint64_t *key = gg_alloc(run, count + 1, sizeof *key);
    uint32_t file = 0;
    for (int64_t i = 0; !run->status && i <= c->count; i++) {
        offset[i] = KEY_BYTES * (uint64_t)i;
        if (i == c->count)
            break;
        const int64_t number = c->edge_id.value[i];
        put_word_in_order(bytes + offset[i],
                          number < 0 ? range_all(&k->ids) : (uint64_t)number);
        put_word_in_order(bytes + offset[i] + 8, place_answer_of(c, x->part, &file, i));
    }
    const gpugraph_texts keys = {.count = c->count, .offset = offset, .bytes = bytes};
    if (!run->status && range_make(&k->order, x, run, &keys, key) && count > 0)
        memcpy(c->edge_id.value, key, count * sizeof *key);
    gg_release(offset);
    gg_release(bytes);
    gg_release(key);
    return run->status == GPUGRAPH_OK;
}

static bool make_keys_of_answer(edge_keys *k, const options *o, const columns *c,
                                gpugraph_exchange *x, gpugraph_run *run) {
    if (!c->edge_id.value || keys_are_rowids(o, c))
        return true;
    const gpugraph_texts texts = {.count = c->edge_texts.count,
                                  .offset = c->edge_texts.offset,
                                  .bytes = c->edge_texts.bytes};
    const id_list list = {c->edge_id.value, c->edge_id.is_text, (uint64_t)c->count};
    k->numbered = true;
    return dictionary_make(&k->ids, x, run, &list, 1, &texts) &&
           keys_by_place(k, c, x, run);
}

/* ---- all of it ---- */

static bool number_ends(answer *a, const columns *c, gpugraph_exchange *x,
                        gpugraph_run *run) {
    const gpugraph_texts texts = {
        .count = c->texts.count, .offset = c->texts.offset, .bytes = c->texts.bytes};
    const id_list list[] = {{c->end[0].value, c->end[0].is_text, (uint64_t)c->count},
                            {c->end[1].value, c->end[1].is_text, (uint64_t)c->count},
                            {c->vertex.value, c->vertex.is_text, (uint64_t)c->lone}};
    return dictionary_make(&a->vertices, x, run, list, 3, &texts);
}

/* Collective. Ids that are numbers in one column and texts in another one. */
static bool check_ids(const answer *a, const options *o, const columns *c,
                      gpugraph_exchange *x, gpugraph_run *run, bool *politely) {
    bool found;
    int64_t id;
    char text[WRITTEN_ID];
    if (!c->may_mix)
        return true;
    if (!dictionary_find_mixed(&a->vertices, run, &found, &id, text))
        return false;
    if (found && c->ids.mixed)
        gg_fail(run, GPUGRAPH_INVALID, "%s: %lld and '%s' %s", o->sql_name, (long long)id,
                text, c->ids.mixed);
    return gg_all_agree(x, run, politely);
}

/* An independent set wants whole rows, other searches arcs where their targets are. */
static gpugraph_partition partition_of(const options *o, uint32_t processes) {
    if (o->partition_given)
        return o->partition;
    if (processes > ONE_DIMENSION)
        return GPUGRAPH_GRID;
    return o->function == FUNCTION_MIS ? GPUGRAPH_BY_SOURCE : GPUGRAPH_BY_TARGET;
}

static bool make_part(answer *a, const options *o, const columns *c, gpugraph_exchange *x,
                      gpugraph_run *run) {
    static const int64_t no_edge = 0; /* a share without edges has edge ids, too */
    const gpugraph_share share = {
        .vertices = range_all(&a->vertices),
        .count = (uint64_t)c->count,
        .source = (const uint64_t *)c->end[0].value,
        .target = (const uint64_t *)c->end[1].value,
        .weight_type = !c->weighted     ? GPUGRAPH_UNWEIGHTED
                       : c->real_weight ? GPUGRAPH_REAL_WEIGHTS
                                        : GPUGRAPH_INTEGER_WEIGHTS,
        .weight = c->weight,
        .edge_id = o->function > FUNCTION_SSSP ? NULL
                   : c->count > 0              ? c->edge_id.value
                                               : &no_edge,
    };
    return gpugraph_part_create(x, &share, partition_of(o, x->parts), o->direction,
                                o->function == FUNCTION_MIS, run,
                                &a->part) == GPUGRAPH_OK;
}

static bool make_answer(answer *a, const options *o, columns *c, gpugraph_exchange *x,
                        gpugraph_run *run, phases *p, bool *politely) {
    phases_begin(p, x);
    if (!columns_read(c, o, x, run, politely))
        return false;
    phases_end(p, x, "read");
    if (!number_ends(a, c, x, run) || !check_ids(a, o, c, x, run, politely) ||
        !make_keys_of_answer(&a->edges, o, c, x, run))
        return false;
    phases_end(p, x, "numbers");
    if (!make_part(a, o, c, x, run))
        return false;
    columns_drop(c);
    phases_end(p, x, "parts");
    if (o->cuda) {
        if (gpugraph_part_to_device(a->part, o->place, run) != GPUGRAPH_OK)
            return false;
        phases_end(p, x, "device");
    }
    const bool found = answer_search(a, o, c, run);
    if (!found && run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    phases_end(p, x, "search");
    return found && run->status == GPUGRAPH_OK;
}

bool answer_make(answer *a, const options *o, gpugraph_exchange *x, gpugraph_run *run,
                 phases *p, bool *politely) {
    columns c;
    memset(a, 0, sizeof *a);
    const bool good = make_answer(a, o, &c, x, run, p, politely);
    columns_clear(&c);
    return good;
}

void answer_clear(answer *a) {
    gpugraph_part_free(a->part);
    range_close(&a->vertices);
    range_close(&a->edges.ids);
    range_close(&a->edges.order);
    gg_release(a->row);
    gg_release(a->parent);
    gg_release(a->value);
    gg_release(a->edge);
    memset(a, 0, sizeof *a);
}
