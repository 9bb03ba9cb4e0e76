/* The rows of a part, transposed: for each local the locals that arcs come from. */
#include "part.h"

bool part_transpose_open(const gpugraph_part *p, gpugraph_run *run,
                         struct part_transpose *t) {
    uint64_t *next = gg_alloc_zero(run, (uint64_t)p->locals + 2, sizeof *next);
    *t = (struct part_transpose){.offset = next};
    t->source = gg_alloc(run, p->arcs, sizeof *t->source);
    if (run->status)
        return false;
    for (uint64_t a = 0; a < p->arcs; a++)
        next[p->target[a] + 2]++;
    for (uint32_t v = 0; v < p->locals; v++)
        next[v + 2] += next[v + 1];
    for (uint32_t u = 0; u < p->locals && !gg_leave(run, u); u++)
        for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++)
            t->source[next[p->target[a] + 1]++] = u;
    return !gg_stopping(run);
}

void part_transpose_close(struct part_transpose *t) {
    gg_release(t->offset);
    gg_release(t->source);
}
