/* Predicts the time of a search from the numbers in its descriptor and in device/cost.h,
** corrected by the times of similar searches in this process.
**
**     like    the class of a search: the graph is thin or not, and the search covers the
**             whole graph or may end early */
#ifndef GPUGRAPH_MODEL_H
#define GPUGRAPH_MODEL_H

#include "algorithm.h"
#include "device/weigh.h"

/* Nanoseconds per arc of one device to renumber and upload it from the host's rows. */
#define GG_COST_SEVERAL 0.3
/* `auto` uses several devices if they are predicted to be at least this many times as
** fast as one. With a smaller factor, wrong predictions would cost more than the gain. */
#define GG_SEVERAL_GAIN 1.15
/* Bytes per millisecond of a download of edges into new memory (H200, 16 cores). */
#define GG_DOWNLOAD_BYTES_PER_MS 8e6

GG_BEGIN_C

/* The measured time of searches as a multiple of the predicted time: the median of the
** latest five ratios, each limited to 1/8 .. 8. A ratio that has not been measured counts
** as 1, so the median ignores one or two outliers. Several threads may report and read at
** the same time: each ratio is one word, and a lost ratio does no harm. */
enum { LEARNED_RATIOS = 5 };
struct learned {
    uint32_t reports;
    int32_t ratio[LEARNED_RATIOS]; /* 1000 times the logarithm to base 2 */
};
void gg_learn(struct learned *l, double ratio);
double gg_learned(const struct learned *l);

struct prediction {   /* milliseconds */
    double search_ms; /* with existing rows */
    double stays_ms;  /* to make rows or the device copy, which later searches reuse */
    bool second;      /* the CPU is predicted to use its second method */
};
static inline double gg_all_ms(const struct prediction *p) {
    return p->search_ms + p->stays_ms;
}

/* The index, among backends, of learned times of several devices that share a graph. */
#define GG_SEVERAL GPUGRAPH_AUTO

/* Predicts a search, with an open device. search NULL: it covers the whole graph. on:
** GG_SEVERAL if run->used_devices devices share the graph. */
struct prediction gg_predict(const gpugraph_graph *graph, const gg_algorithm *a,
                             const gpugraph_search *search, gpugraph_backend on,
                             const gpugraph_run *run);
/* Returns both sides of the choice, for gg_weigh. */
struct stakes gg_predict_stakes(const gpugraph_graph *graph, const gg_algorithm *a,
                                const gpugraph_search *search, const gpugraph_run *run);
/* Returns the class of a search, below 4, among the learned times. */
int gg_like(const gpugraph_graph *graph, const gpugraph_search *search);
/* Returns the arcs of rows that the CPU must still make for the algorithm. */
uint64_t gg_missing_arcs(const gpugraph_graph *graph, const gg_algorithm *a);
/* Reports the time of a search that was predicted with existing rows (stays_ms 0). */
void gg_report_time(const gg_algorithm *a, int like, gpugraph_backend on,
                    const struct prediction *predicted, double ms);
/* Forgets all learned ratios: for tests. */
void gg_unlearn(void);

GG_END_C
#endif
