/* All algorithms, and the methods that each has. */
#include "algorithm.h"
#include "gpugraph_algorithms.h"

#define DECLARE(name) extern const gg_algorithm gg_##name;
GG_ALGORITHMS(DECLARE)

#define ADDRESS(name) &gg_##name,
static const gg_algorithm *const algorithms[] = {GG_ALGORITHMS(ADDRESS)};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* *i counts down past the side's methods. NULL: it has not so many. */
static const gpugraph_method *method_of_side(const algorithm_side *side, int *i) {
    for (const gg_method *m = side ? side->methods : NULL; m && m->is.name; m++)
        if ((*i)-- == 0)
            return &m->is;
    return NULL;
}

const gpugraph_method *gpugraph_method_at(int i) {
    for (int on = GPUGRAPH_CPU; i >= 0 && on <= GPUGRAPH_CUDA; on++)
        for (int a = 0; a < ALGORITHMS; a++) {
            const gpugraph_method *m = method_of_side(algorithms[a]->side[on], &i);
            if (!m && on == GPUGRAPH_CUDA)
                m = method_of_side(algorithms[a]->several, &i);
            if (m)
                return m;
        }
    return NULL;
}
