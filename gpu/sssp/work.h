/* A search for shortest paths on the CPU while it is under way: what sssp.c, its steps in
** typed.h, plan.c and range.c share. */
#ifndef GPUGRAPH_SSSP_WORK_H
#define GPUGRAPH_SSSP_WORK_H

#include "base/words.h"
#include "bucket_queue.h"
#include "sssp.h"

/* The kinds of relaxing threads: one alone, several that share the vertices, or one that lists
** the vertices that it touches. */
enum relaxing { ALONE, SHARED, OF_A_ROW };

/* What one thread has done. */
struct tally {
    uint64_t vertices, arcs;
    uint64_t pause_at; /* arcs at which to look for an interrupt again */
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
    bool one_by_one; /* a bucket for each distance, one thread */
    double scale; /* REAL ones: bucket = distance * scale, 0: by the bits of the double */
    /* the round: chunks that the threads share */
    struct bucket_chunk **work;
    uint64_t work_count, work_room, work_taken;
    /* ends */
    uint64_t bound;
    double real_bound;
    bool within_range; /* the bound is the caller's: what lies beyond is not wanted */
    uint32_t pending;  /* targets not final yet: target[0 .. pending - 1] */
    uint64_t count_at; /* vertices served at which the limit may be reached */
    bool over;         /* a sum left the range of distances */
    bool early;        /* it ended before all that can be reached was */
    /* vertices that a row has given a distance, as many as there is room for (row.c) */
    uint32_t *touched;
    uint64_t touched_count, touched_room;
    /* what was done */
    struct tally tally;
    uint64_t buckets, rounds;
};

/* Of the CPU; a task is a struct sssp whose rows are known. (plan.c) */
extern const gg_method gg_sssp_methods[];

/* The steps that know how distances are stored: typed.h. */
struct layout {
    void (*clear)(void *sssp, uint64_t low, uint64_t high); /* distances */
    void (*start)(struct sssp *s, const uint32_t *source, uint32_t count);
    void (*scan_alone)(struct sssp *, struct bucket_queue *, struct bucket_chunk *,
                       struct tally *);
    void (*scan_shared)(struct sssp *, struct bucket_queue *, struct bucket_chunk *,
                        struct tally *);
    uint64_t (*key_of)(const struct sssp *, uint32_t v);
    void (*keep_final)(struct sssp *);
    double (*typical_weight)(const struct sssp *);
};

/* True when the thread must leave its loops. */
static inline bool pause_now(struct sssp *s, struct tally *tally) {
    if (tally->arcs < tally->pause_at)
        return false;
    tally->pause_at = tally->arcs + GG_POLL_ITEMS;
    return gg_pause(s->run);
}

static inline bool gg_sssp_reached(const struct sssp *s, uint32_t v) {
    return gg_word_at(s->type, s->distance, v) != GG_INFINITE;
}
/* Serves bucket after bucket. True when it ended before all that can be reached was. (sssp.c) */
bool gg_sssp_serve(struct sssp *s);
/* Settles the layout of distances. (sssp.c) */
void gg_sssp_set_layout(struct sssp *s, gpugraph_distance_type type);
/* Sets method, buckets and bounds, for s->arcs and s->search. (plan.c) */
void gg_sssp_plan(struct sssp *s);
/* A sum left the range: does a wanted vertex lack its distance for that? (range.c) */
gpugraph_status gg_check_range(struct sssp *s, const gpugraph_graph *graph);

/* ---- one source after another, by one thread, in arrays that are made once: row.c ---- */

/* Makes the rows, and settles all that the searches of several threads have in common: each thread
** searches with a copy. The sources of the search are not looked at. False after gg_fail. */
bool gg_sssp_plan_rows(struct sssp *s, gpugraph_graph *graph,
                       const gpugraph_search *search, gpugraph_run *run);
bool gg_sssp_open_row(struct sssp *s);
/* Then s->distance is final for every target, unless the run must end. Call gg_sssp_clear_row
** before the next one. */
void gg_sssp_search_row(struct sssp *s, uint32_t source);
void gg_sssp_clear_row(struct sssp *s);
void gg_sssp_close_row(struct sssp *s);

#endif
