/* The state of a search for shortest paths on the CPU. sssp.c, its steps in typed.h,
** range.c and row.c share it. */
#ifndef GPUGRAPH_SSSP_WORK_H
#define GPUGRAPH_SSSP_WORK_H

#include "base/words.h"
#include "bucket_queue.h"
#include "sssp.h"

/* How a thread relaxes: alone, together with others, or alone and listing the vertices
** that it reaches (row.c). */
enum relaxing { ALONE, SHARED, OF_A_ROW };

/* The work of one thread. */
struct tally {
    uint64_t vertices, arcs;
    uint64_t pause_at; /* arcs at which the thread polls for an interrupt again */
};

struct sssp {
    gpugraph_run *run;
    const gpugraph_search *search;
    const struct layout *layout;
    gpugraph_distance_type type;
    csr arcs;
    void *distance;
    /* buckets */
    struct bucket_queue *queue; /* one for each thread */
    int threads;
    uint64_t current;
    int shift;       /* integer distances: bucket = distance >> shift */
    bool one_by_one; /* one bucket for each distance, by one thread */
    double scale;    /* REAL distances: bucket = distance * scale; 0: their bits decide */
    /* the chunks of the round, which threads share */
    struct bucket_chunk **work;
    uint64_t work_count, work_room, work_taken;
    /* when the search ends */
    uint64_t bound;
    double real_bound;
    bool within_range; /* the bound is the caller's, so sums beyond it are not wanted */
    uint32_t pending;  /* targets that are not final: target[0 .. pending - 1] */
    uint64_t count_at; /* number of served vertices before the next test of the limit */
    bool over;         /* a sum left the range of distances */
    bool early;        /* targets or a limit ended the search */
    /* vertices that a row has reached, as many as there is room for (row.c) */
    uint32_t *touched;
    uint64_t touched_count, touched_room;
    /* work done */
    struct tally tally;
    uint64_t buckets, rounds;
};

/* The steps that depend on the layout of distances (typed.h). */
struct layout {
    void (*clear)(void *sssp, uint64_t low,
                  uint64_t high); /* sets distances to unreached */
    void (*start)(struct sssp *s, const uint32_t *source, uint32_t count);
    void (*scan_alone)(struct sssp *, struct bucket_queue *, struct bucket_chunk *,
                       struct tally *);
    void (*scan_shared)(struct sssp *, struct bucket_queue *, struct bucket_chunk *,
                        struct tally *);
    uint64_t (*key_of)(const struct sssp *, uint32_t v);
    void (*keep_final)(struct sssp *);
    double (*typical_weight)(const struct sssp *);
};

/* Polls for an interrupt now and then. True: the thread must leave its loops. */
static inline bool pause_now(struct sssp *s, struct tally *tally) {
    if (tally->arcs < tally->pause_at)
        return false;
    tally->pause_at = tally->arcs + GG_POLL_ITEMS;
    return gg_pause(s->run);
}

static inline bool gg_sssp_reached(const struct sssp *s, uint32_t v) {
    return gg_word_at(s->type, s->distance, v) != GG_INFINITE;
}
/* Serves one bucket after another. True: targets or a limit ended the search. (sssp.c) */
bool gg_sssp_serve(struct sssp *s);
/* Sets s->type and the steps for it. (sssp.c) */
void gg_sssp_set_layout(struct sssp *s, gpugraph_distance_type type);
/* Sets method, buckets and bounds for s->arcs and s->search. (sssp.c) */
void gg_sssp_plan(struct sssp *s);
/* Called if a sum left the range. Fails with GPUGRAPH_RANGE if a wanted vertex has no
** distance although a path leads to it. (range.c) */
gpugraph_status gg_check_range(struct sssp *s, const gpugraph_graph *graph);

/* ---- rows: one source after another, by one thread, in arrays made once (row.c) ---- */

/* Makes the rows of the graph, and sets everything that searches of several threads have
** in common. Each thread searches with a copy. The sources of `search` are not used.
** False after gg_fail. */
bool gg_sssp_plan_rows(struct sssp *s, gpugraph_graph *graph,
                       const gpugraph_search *search, gpugraph_run *run);
bool gg_sssp_open_row(struct sssp *s);
/* Searches from one source. s->distance is then final for every target, unless the run
** must end. Call gg_sssp_clear_row before the next search. */
void gg_sssp_search_row(struct sssp *s, uint32_t source);
void gg_sssp_clear_row(struct sssp *s);
void gg_sssp_close_row(struct sssp *s);

#endif
