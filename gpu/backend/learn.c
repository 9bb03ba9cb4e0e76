/* Factors between predicted and measured times. */
#include "learn.h"

#include <math.h>

enum { MOST = 3000 }; /* a factor of 8 */

void gg_learn(struct learned *l, double ratio) {
    if (!(ratio > 0))
        return;
    double place = log2(ratio) * 1000;
    int32_t value = place > MOST ? MOST : place < -MOST ? -MOST : (int32_t)place;
    uint32_t at = __atomic_fetch_add(&l->told, 1, __ATOMIC_RELAXED) % LEARNED_RATIOS;
    __atomic_store_n(&l->ratio[at], value, __ATOMIC_RELAXED);
}

double gg_learned(const struct learned *l) {
    int32_t sorted[LEARNED_RATIOS];
    for (int i = 0; i < LEARNED_RATIOS; i++) {
        int32_t value = __atomic_load_n(&l->ratio[i], __ATOMIC_RELAXED);
        int k = i;
        for (; k > 0 && sorted[k - 1] > value; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = value;
    }
    const int median = LEARNED_RATIOS / 2;
    return exp2(sorted[median] / 1000.0);
}
