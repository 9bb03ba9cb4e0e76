/* Shortest paths from one source after another, by one thread. Each search makes a row of
** a matrix.
**
**     distance   n entries, infinite between two rows
**     touched    vertices that this row has reached, to be reset before the next row
**
** So a row that ends near its source costs only the vertices and arcs that it visits.
** After a row that reaches more vertices than the list holds, all distances are reset,
** which is cheaper then. */
#include "work.h"
#include "graph/graph.h"

/* n / TOUCHED_SHARE vertices fit the list; CLEARED vertices are reset between polls. */
enum { TOUCHED_SHARE = 16, CLEARED = 1 << 20 };

bool gg_sssp_plan_rows(struct sssp *s, gpugraph_graph *graph,
                       const gpugraph_search *search, gpugraph_run *run) {
    const char *used = run->used_method;
    *s = (struct sssp){.run = run, .search = search, .threads = 1};
    if (gg_rows(graph, gg_forward_kind(search->direction), true, false, run, &s->arcs))
        return false;
    gg_sssp_set_layout(s, graph->distance_type);
    gg_sssp_plan(s);
    run->used_method = used;
    return true;
}

static bool clear_all(struct sssp *s) {
    for (uint64_t v = 0; v < s->arcs.n; v += CLEARED) {
        const uint64_t end = v + CLEARED;
        s->layout->clear(s, v, end < s->arcs.n ? end : s->arcs.n);
        if (gg_pause(s->run))
            return false;
    }
    return true;
}

bool gg_sssp_open_row(struct sssp *s) {
    const uint64_t n = s->arcs.n;
    s->touched_room = n / TOUCHED_SHARE + 1;
    s->distance = gg_alloc(s->run, n, gg_distance_size(s->type));
    s->touched = gg_alloc_sparse(s->run, s->touched_room, sizeof *s->touched);
    s->queue = gg_alloc_zero(s->run, 1, sizeof *s->queue);
    if (!s->distance || !s->touched || !s->queue)
        return false;
    s->queue->run = s->run;
    s->tally.pause_at = GG_POLL_ITEMS;
    return clear_all(s);
}

void gg_sssp_search_row(struct sssp *s, uint32_t source) {
    s->pending = s->search->target_count;
    s->current = 0;
    s->layout->start(s, &source, 1);
    gg_sssp_serve(s);
}

/* Empties the queue: the vertices that still wait are beyond the last target. */
static void empty_queue(struct bucket_queue *q) {
    for (int level = 0; level < BUCKET_LEVELS; level++) {
        int slot = 0;
        while ((slot = bucket_first(q, level, slot)) < BUCKET_SLOTS) {
            struct bucket_chunk *chunk = bucket_take(q, level, slot);
            while (chunk) {
                struct bucket_chunk *next = chunk->next;
                bucket_give_back(q, chunk);
                chunk = next;
            }
        }
    }
}

void gg_sssp_clear_row(struct sssp *s) {
    empty_queue(s->queue);
    if (s->touched_count == s->touched_room)
        clear_all(s);
    else
        for (uint64_t i = 0; i < s->touched_count; i++)
            gg_put_word(s->type, s->distance, s->touched[i], GG_INFINITE);
    s->touched_count = 0;
}

void gg_sssp_close_row(struct sssp *s) {
    if (s->queue)
        bucket_queue_free(s->queue);
    gg_release(s->queue);
    gg_release(s->distance);
    gg_release(s->touched);
    gg_release(s->work);
}
