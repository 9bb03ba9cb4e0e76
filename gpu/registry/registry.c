/* All algorithms, and the methods that each has. */
#include "algorithm.h"
#include "algorithms.h"

#define DECLARE(name) extern const gg_algorithm gg_##name;
GG_ALGORITHMS(DECLARE)

#define ADDRESS(name) &gg_##name,
static const gg_algorithm *const algorithms[] = {GG_ALGORITHMS(ADDRESS)};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

const gpugraph_method *gpugraph_method_at(int i) {
    for (int on = GPUGRAPH_CPU; on <= GPUGRAPH_CUDA; on++) {
        for (int a = 0; a < ALGORITHMS; a++) {
            const gpugraph_method *m = algorithms[a]->side[on]->methods;
            for (; m && m->function; m++)
                if (i-- == 0)
                    return m;
        }
    }
    return NULL;
}
