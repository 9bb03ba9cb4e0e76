/* The plan for rows that lie elsewhere: what the walk would look up in them is asked, all of it
** at once, and the walk is done with the answers. */
#include "rows.h"

/* Equal arcs follow one another in w->going: each asks for the next of them. */
static void list_questions(const row_walk *w, arc_question *going, uint64_t *coming) {
    for (uint64_t i = 0; i < w->goings; i++) {
        going[i] = (arc_question){w->weight[i], gg_going_row(w, i), w->column[i], 0};
        if (i > 0 && going[i - 1].row == going[i].row &&
            gg_compare_arc(w, i - 1, w->column[i], w->weight[i]) == 0)
            going[i].rank = going[i - 1].rank + 1;
    }
    for (uint64_t k = 0; k < w->comings; k++) {
        const added_end *end = &w->u->end[w->coming[k]];
        coming[k] = end->place + (uint64_t)(end->old != GPUGRAPH_NONE);
    }
}

/* Places ascend with rows, so only arcs of one row change their order. */
static bool sort_places(row_walk *w) {
    update *u = w->u;
    for (uint64_t i = 0; i < w->goings; i++) {
        if (w->going_at[i] == UINT64_MAX)
            return false;
        u->key[i] = w->going_at[i];
    }
    gg_update_sort(u, w->going, w->goings);
    for (uint64_t i = 0; i < w->goings; i++) {
        if (i > 0 && u->key[i - 1] >= u->key[i])
            return false;
        w->going_at[i] = u->key[i];
    }
    return true;
}

static bool ask(row_walk *w, enum csr_kind kind, const patch_place *place, void *there) {
    gpugraph_run *run = w->u->run;
    arc_question *going = gg_alloc(run, w->goings, sizeof *going);
    uint64_t *coming = going ? gg_alloc(run, w->comings, sizeof *coming) : NULL;
    w->going_at = coming ? gg_alloc(run, w->goings, sizeof *w->going_at) : NULL;
    w->coming_at = w->going_at ? gg_alloc(run, w->comings, sizeof *w->coming_at) : NULL;
    bool answered = false;
    if (w->coming_at) {
        list_questions(w, going, coming);
        row_questions q = {kind,       w->goings, going,       w->going_at,
                           w->comings, coming,    w->coming_at};
        answered = place->find(there, &q) && sort_places(w) && !gg_stopping(run);
    }
    gg_release(going);
    gg_release(coming);
    return answered;
}

bool gg_plan_rows_there(update *u, enum csr_kind kind, const patch_rows *rows,
                        const patch_place *place, void *there, row_plan *p) {
    struct csr_slot slot = {.m = rows->arcs,
                            .weight = rows->weighted ? u->graph->weight : NULL};
    row_walk w = {.u = u, .p = p, .slot = &slot, .going = u->going, .coming = u->coming};
    *p = (row_plan){.weight_size =
                        rows->weighted ? gg_distance_size(u->distance_type) : 0};
    bool planned = gg_begin_walk(&w, kind) && ask(&w, kind, place, there);
    if (planned)
        gg_fill_row_plan(&w);
    gg_end_walk(&w);
    return planned && !gg_splice_make(u->run, &p->arcs, rows->arcs, p->removed_at,
                                      p->removed, p->inserted_at, p->inserted, p->place);
}
