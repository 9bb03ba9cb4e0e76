/* How long searches really take, as a multiple of what was predicted.
**
**     factor    the median of the latest five ratios, within an eighth and eight times; what has not
**               been measured yet counts as 1
**
** So one outlier, or two, move nothing, and three in a row do. Several threads may tell and ask at
** once: each ratio is one word, and one that is lost to another is as good as either. */
#ifndef GPUGRAPH_LEARN_H
#define GPUGRAPH_LEARN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LEARNED_RATIOS = 5 };

struct learned {
    uint32_t told;
    int32_t
        ratio[LEARNED_RATIOS]; /* 1000 times its logarithm to base 2; 0: as predicted */
};

void gg_learn(struct learned *l, double ratio);
double gg_learned(const struct learned *l);

#ifdef __cplusplus
}
#endif
#endif
