/* Every directed graph of up to three vertices, loops included, and one in `step` of
** those with four:
**
**     tiny_graphs all = {.step = 13};
**     for (shape s; next_tiny_graph(&all, &s); shape_free(&s))
**         check(&s);
**
** Bit u * n + v of `bits` says whether u -> v is an edge. */
#ifndef TEST_TINY_GRAPHS_H
#define TEST_TINY_GRAPHS_H

#include "graphs.h"
#include "share.h"

typedef struct tiny_graphs {
    uint32_t step;
    bool doubled; /* every other edge is there twice */
    uint32_t n;   /* vertices of the current graph */
    uint32_t bits;
    uint32_t next; /* bits of the next graph, or of none with n vertices */
} tiny_graphs;

static inline bool next_tiny_graph(tiny_graphs *all, shape *s) {
    do {
        if (all->next >= 1u << all->n * all->n) {
            if (all->n == 4)
                return false;
            all->n++;
            all->next = 0;
        }
        all->bits = all->next;
        all->next += all->n == 4 ? all->step : 1;
    } while (all->n == 4   ? left_out(all->bits / all->step)
             : all->n == 3 ? left_out_of(all->bits, 7)
                           : false);
    *s = shape_empty(all->n);
    for (uint32_t a = 0; a < all->n * all->n; a++)
        for (uint32_t k = 0; k < (all->bits >> a & 1) * (all->doubled ? 1 + a % 2 : 1);
             k++)
            shape_add(s, a / all->n, a % all->n);
    return true;
}

#endif
