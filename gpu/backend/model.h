/* Predicts the time of a search from the numbers in its descriptor and in device/cost.h,
** corrected by the times of similar searches in this process.
**
**     like    thin graphs or others; searches of a whole graph, or with an early end */
#ifndef GPUGRAPH_MODEL_H
#define GPUGRAPH_MODEL_H

#include "algorithm.h"
#include "device/weigh.h"

/* Nanoseconds to renumber an arc of the host's rows and to upload it, for each arc of one
** device. */
#define GG_COST_SEVERAL 0.3
/* `auto` uses several devices if they are predicted to be this many times as fast as one:
** below it a wrong prediction would cost more than the gain. */
#define GG_SEVERAL_GAIN 1.15
/* Bytes of edges that are downloaded from a device in a millisecond, into untouched
** memory: H200, 16 cores. */
#define GG_DOWNLOAD_BYTES_PER_MS 8e6

GG_BEGIN_C

/* The real time of searches as a multiple of the predicted time: the median of the latest
** five ratios, each within an eighth and eight times. A ratio that has not been measured
** counts as 1, so one or two outliers change nothing, and three in a row do. Several
** threads may report and read at once: each ratio is one word, and losing one to another
** does no harm. */
enum { LEARNED_RATIOS = 5 };
struct learned {
    uint32_t reports;
    int32_t ratio[LEARNED_RATIOS]; /* 1000 times the logarithm to base 2 */
};
void gg_learn(struct learned *l, double ratio);
double gg_learned(const struct learned *l);

struct prediction {   /* milliseconds */
    double search_ms; /* with existing rows */
    double stays_ms;  /* for rows and the copy on the device, which later searches find */
    bool second;      /* the CPU is predicted to use its second method */
};
static inline double gg_all_ms(const struct prediction *p) {
    return p->search_ms + p->stays_ms;
}

/* The index, among backends, of learned times of several devices that share a graph. */
#define GG_SEVERAL GPUGRAPH_AUTO

/* Predicts a search. search NULL: of the whole graph. The device's context is assumed to
** be open. on: GG_SEVERAL if run->used_devices devices share the graph. */
struct prediction gg_predict(const gpugraph_graph *graph, const gg_algorithm *a,
                             const gpugraph_search *search, gpugraph_backend on,
                             const gpugraph_run *run);
/* Returns both sides of the choice, for gg_weigh. */
struct stakes gg_predict_stakes(const gpugraph_graph *graph, const gg_algorithm *a,
                                const gpugraph_search *search, const gpugraph_run *run);
/* Returns the class of learned searches that this one belongs to. */
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
