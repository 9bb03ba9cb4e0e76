/* Arrays of the vertices that a search reaches, if these are few. No array then has an
** entry for each vertex of the graph, and rows need not skip vertices.
**
**     search     listed  3 17 90 . . . . . .     a share of the vertices fits
**                value   1  0  1 . . . . . .
**     kept       listed  3 17 90                 as many entries as vertices were reached
**                value   1  0  1
**
** A search with a bound, a target or a limit tries lists. If it reaches more vertices
** than fit, it runs again and fills arrays by vertex. */
#include "search.h"

#include <stdlib.h>

/* The capacity of a list, in vertices: a 64th of the graph, because clearing and skipping
** an entry of an array takes about 2 ns, and finding, sorting and keeping an entry of a
** list 50 to 100. LEAST: the least capacity. MOST: a larger list would take more than
** some milliseconds. */
enum { LISTED_SHARE = 64, LISTED_LEAST = 64, LISTED_MOST = 1 << 18 };

uint32_t arrays_entry(const arrays *a, uint32_t vertex) {
    uint32_t low = 0, high = a->n;
    if (!a->listed)
        return vertex;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (a->listed[middle] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->n && a->listed[low] == vertex ? low : GPUGRAPH_NONE;
}

static bool may_be_listed(const making *m) {
    const question *q = m->q;
    return q->kind->lists && !q->whole && !q->path &&
           (q->search.bounded || q->search.limit > 0 || q->search.target_count > 0) &&
           !(q->wants & ~(1u << A_TREE_EDGE)) && !m->made->array[A_VALUE];
}

static void cut_all(making *m, uint32_t count) {
    arrays *made = m->made;
    for (int i = 0; i < ARRAYS; i++)
        if (made->array[i])
            made->array[i] = array_block_cut(
                made->array[i], count * arrays_item_size(made, (enum array_name)i));
    made->listed = array_block_cut(made->listed, count * sizeof *made->listed);
    made->n = count;
}

static void give_listed_back(arrays *made) {
    free(made->listed);
    free(made->array[A_VALUE]);
    free(made->array[A_TREE_EDGE]);
    made->listed = made->array[A_VALUE] = made->array[A_TREE_EDGE] = NULL;
}

static void search_list(making *m, void *value, void *tree, uint32_t *count) {
    const gpugraph_search *search = &m->q->search;
    const arrays *made = m->made;
    if (m->q->weighted)
        gpugraph_sssp_list(m->graph, search, m->run, made->n, made->listed, value, tree,
                           count);
    else
        gpugraph_bfs_list(m->graph, search, m->run, made->n, made->listed, value, tree,
                          count);
}

bool make_listed(making *m) {
    const uint32_t n = m->made->n, share = n / LISTED_SHARE;
    uint32_t count = GPUGRAPH_NONE;
    if (!may_be_listed(m))
        return false;
    m->made->n = (share < LISTED_MOST ? share : LISTED_MOST) + LISTED_LEAST;
    m->made->type = question_type(m);
    void *value = make_array(m, A_VALUE), *tree = make_wanted(m, A_TREE_EDGE);
    m->made->listed = array_block_for(m->run, m->made->n, sizeof *m->made->listed);
    if (m->run->status == GPUGRAPH_OK)
        search_list(m, value, tree, &count);
    if (count != GPUGRAPH_NONE)
        cut_all(m, count);
    if (m->run->status != GPUGRAPH_OK || count == GPUGRAPH_NONE)
        give_listed_back(m->made);
    if (m->run->status == GPUGRAPH_OK && count == GPUGRAPH_NONE) {
        m->made->n = n;
        return false;
    }
    return true;
}
