/* Predicts the time of a search: from the numbers in its descriptor and in device/cost.h, corrected by the
** times of similar searches in this process.
**
**     like    thin graphs or others; searches of all of a graph, or such as may end early */
#ifndef GPUGRAPH_MODEL_H
#define GPUGRAPH_MODEL_H

#include "algorithm.h"
#include "device/weigh.h"

/* Nanoseconds to renumber an arc of the host's rows and to send it to a device, for each
** arc that one device has. */
#define GG_COST_SEVERAL 0.3
/* `auto` takes several devices where they are predicted to be that many times as fast as
** one: below it a wrong prediction would cost more than is gained. */
#define GG_SEVERAL_GAIN 1.15
/* Bytes of edges that come home from a device in a millisecond, into memory that nobody
** has touched: H200, 16 cores. */
#define GG_HOME_BYTES_PER_MS 8e6

#ifdef __cplusplus
extern "C" {
#endif

/* How long searches really take, as a multiple of what was predicted: the median of the latest
** five ratios, within an eighth and eight times. A ratio that has not been measured counts as 1, so
** one outlier, or two, move nothing, and three in a row do. Several threads may tell and ask at
** once: each ratio is one word, and one that is lost to another is as good as either. */
enum { LEARNED_RATIOS = 5 };
struct learned {
    uint32_t told;
    int32_t ratio[LEARNED_RATIOS]; /* 1000 times the logarithm to base 2 */
};
void gg_learn(struct learned *l, double ratio);
double gg_learned(const struct learned *l);

struct prediction {   /* milliseconds */
    double search_ms; /* on rows that are there */
    double stays_ms; /* of rows, of a copy on the device: found there by later searches */
    bool second;     /* the CPU is predicted to take its second method */
};
static inline double gg_all_ms(const struct prediction *p) {
    return p->search_ms + p->stays_ms;
}

/* Where times of several devices that share a graph are learned, among backends. */
#define GG_SEVERAL GPUGRAPH_AUTO

/* search: NULL where it is of the whole graph. The device's context is taken to be open.
** on: GG_SEVERAL where run->used_devices share the graph. */
struct prediction gg_predict(const gpugraph_graph *graph, const gg_algorithm *a,
                             const gpugraph_search *search, gpugraph_backend on,
                             const gpugraph_run *run);
/* Both sides of the choice, for gg_weigh. */
struct stakes gg_predict_stakes(const gpugraph_graph *graph, const gg_algorithm *a,
                                const gpugraph_search *search, const gpugraph_run *run);
/* Which of the searches that were learned from this one is like. */
int gg_like(const gpugraph_graph *graph, const gpugraph_search *search);
/* What was predicted (on rows that were there: stays_ms 0) has taken so long. */
void gg_tell(const gg_algorithm *a, int like, gpugraph_backend on,
             const struct prediction *predicted, double ms);
/* Forgets all that was learned: for tests. */
void gg_unlearn(void);

#ifdef __cplusplus
}
#endif
#endif
