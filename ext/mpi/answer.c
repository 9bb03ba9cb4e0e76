/* From the edges that a process reads to an answer for each of its masters. */
#include "answer.h"
#include "distributed/exchange/post.h"
#include "base/run.h"

#include <string.h>

/* Up to this many processes one process has all arcs of a vertex. That sends less than a
** grid does: half of the bytes of a breadth-first search on an R-MAT graph. Beyond it a
** grid has fewer ghosts, and always fewer peers. */
enum { ONE_DIMENSION = 16 };

/* ---- keys of edges ---- */

/* Makes keys from numbers of ids and the order of rows: files, then processes, whose
** ranges of rowids ascend. */
static bool keys_by_place(edge_keys *k, columns *c, gpugraph_exchange *x,
                          gpugraph_run *run) {
    enum { KEY_BYTES = 16 };
    uint64_t *offset = gg_alloc(run, c->count + 1, sizeof *offset), at = 0;
    char *bytes = gg_alloc(run, c->count + 1, KEY_BYTES);
    for (uint32_t f = 0; !run->status && f < c->files; f++)
        for (int64_t i = 0; i < c->file[f].edges.count; i++, at++) {
            offset[at] = KEY_BYTES * at;
            put_word_in_order(bytes + offset[at], c->key[at]);
            put_word_in_order(bytes + offset[at] + 8, (uint64_t)c->file[f].place << 52 |
                                                          (uint64_t)x->part << 40 | at);
        }
    if (!run->status) {
        offset[at] = KEY_BYTES * at;
        const gpugraph_texts keys = {
            .count = (int64_t)at, .offset = offset, .bytes = bytes};
        range_make(&k->order, x, run, &keys, c->key);
    }
    gg_release(offset);
    gg_release(bytes);
    return run->status == GPUGRAPH_OK;
}

/* Lists the ids of all files. */
static id_list *list_ids(columns *c, gpugraph_run *run, bool of_edges, int *lists) {
    id_list *list = gg_alloc(run, 3 * (uint64_t)c->files, sizeof *list);
    uint64_t at = 0;
    *lists = 0;
    for (uint32_t f = 0; list && f < c->files; f++) {
        const share_file *s = &c->file[f];
        const loader *e = &s->edges;
        const uint64_t count = (uint64_t)e->count;
        if (of_edges) {
            list[(*lists)++] =
                (id_list){&e->edge_id, count, &e->edge_texts, c->key + at, true, 0};
        } else {
            for (int k = 0; k < 2; k++)
                list[(*lists)++] =
                    (id_list){&e->id[k], count, &s->texts, c->end[k] + at, false, 0};
            list[(*lists)++] = (id_list){
                &s->lone.id[0], (uint64_t)s->lone.count, &s->texts, NULL, false, 0};
        }
        at += count;
    }
    return list;
}

static bool make_keys_of_answer(edge_keys *k, const options *o, columns *c,
                                gpugraph_exchange *x, gpugraph_run *run) {
    int lists;
    if (o->function > FUNCTION_SSSP)
        return true;
    c->key = gg_alloc(run, c->count + 1, sizeof *c->key);
    if (o->files.gl_pathc == 1 && !c->own_ids) { /* rowids are keys */
        if (c->key && c->count > 0)
            memcpy(c->key, c->file->edges.edge_id.value, c->count * sizeof *c->key);
        return c->key != NULL;
    }
    id_list *list = list_ids(c, run, true, &lists);
    k->numbered = true;
    const bool good = dictionary_make(&k->ids, x, run, list, lists);
    gg_release(list);
    return good && keys_by_place(k, c, x, run);
}

/* ---- the steps ---- */

static bool number_ends(answer *a, columns *c, gpugraph_exchange *x, gpugraph_run *run) {
    int lists;
    c->end[0] = gg_alloc(run, c->count + 1, sizeof *c->end[0]);
    c->end[1] = gg_alloc(run, c->count + 1, sizeof *c->end[1]);
    id_list *list = list_ids(c, run, false, &lists);
    const bool good = dictionary_make(&a->vertices, x, run, list, lists);
    gg_release(list);
    return good;
}

/* Collective: fails if an id is a number in one column and a text in another one. */
static bool check_ids(const answer *a, const options *o, const columns *c,
                      gpugraph_exchange *x, gpugraph_run *run) {
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
    return gg_all_agree(x, run);
}

/* Independent sets need complete rows, other searches arcs at their targets. */
static gpugraph_partition partition_of(const options *o, uint32_t processes) {
    if (o->partition_given)
        return o->partition;
    if (processes > ONE_DIMENSION)
        return GPUGRAPH_GRID;
    return o->function == FUNCTION_MIS ? GPUGRAPH_BY_SOURCE : GPUGRAPH_BY_TARGET;
}

static bool make_part(answer *a, const options *o, const columns *c, gpugraph_exchange *x,
                      gpugraph_run *run) {
    const gpugraph_share share = {
        .vertices = range_all(&a->vertices),
        .count = c->count,
        .source = c->end[0],
        .target = c->end[1],
        .weight_type = !c->weighted     ? GPUGRAPH_UNWEIGHTED
                       : c->real_weight ? GPUGRAPH_REAL_WEIGHTS
                                        : GPUGRAPH_INTEGER_WEIGHTS,
        .weight = c->weight,
        .edge_id = (const int64_t *)c->key,
    };
    return gpugraph_part_create(x, &share, partition_of(o, x->parts), o->direction,
                                o->function == FUNCTION_MIS, run,
                                &a->part) == GPUGRAPH_OK;
}

static bool make_answer(answer *a, const options *o, columns *c, gpugraph_exchange *x,
                        gpugraph_run *run, phases *p) {
    phases_mark(p, x, "");
    if (!columns_read(c, o, x, run))
        return false;
    phases_mark(p, x, "read");
    if (!number_ends(a, c, x, run) || !check_ids(a, o, c, x, run) ||
        !make_keys_of_answer(&a->edges, o, c, x, run) ||
        (c->weighted && !columns_join_weights(c, run)))
        return false;
    columns_drop_files(c);
    phases_mark(p, x, "numbers");
    if (!make_part(a, o, c, x, run))
        return false;
    phases_mark(p, x, "parts");
    if (o->cuda) {
        if (gpugraph_part_to_device(a->part, o->place, run) != GPUGRAPH_OK)
            return false;
        phases_mark(p, x, "device");
    }
    const bool found = answer_search(a, o, c, run);
    if (!found && run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    phases_mark(p, x, "search");
    return found && run->status == GPUGRAPH_OK;
}

bool answer_make(answer *a, const options *o, gpugraph_exchange *x, gpugraph_run *run,
                 phases *p) {
    columns c;
    memset(a, 0, sizeof *a);
    const bool good = make_answer(a, o, &c, x, run, p);
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
