/* The transpose for shortest paths whose far vertices pull (persistent_pull.cuh): is it worth making?
**
** It is where it lies on the device already, as it does where a search goes both ways. Otherwise a graph
** has been searched some times by the engine that has a use for it: making it takes about as long
** as so many searches gain. */
#include "sssp.cuh"
#include "device/parts.cuh"
#include "graph/device_copy.cuh"
#include "graph/roomy_rows.cuh"

struct turned_part {
    struct device_part part;
    uint32_t searches[CSR_KINDS]; /* that would have used it */
};

static void forget_searches(gpugraph_graph *, struct device_part *part, unsigned) {
    struct turned_part *kept = (struct turned_part *)part;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        kept->searches[kind] = 0;
}

static const struct device_part_kind turned_kind = {
    sizeof(struct turned_part), PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS,
    forget_searches};

/* Are those rows on the device, with weights? */
static bool has_rows(const gpugraph_graph *graph, enum csr_kind kind) {
    const struct device_copy *copy = gg_device_copy_of(graph);
    return copy && copy->rows[kind].made && copy->rows[kind].weight;
}

bool gg_sssp_turn(struct cuda_job *job, struct sssp_search *s, int64_t own) {
    const struct sssp_parameters *p = &s->parameters;
    if (p->engine != SSSP_PERSISTENT || p->pull <= 0 || p->local || s->wanted->limit > 0)
        return true;
    const enum csr_kind kind = (enum csr_kind)gg_reverse_kind(s->wanted->direction);
    struct turned_part *kept = (struct turned_part *)gg_device_part(job, &turned_kind);
    if (!kept)
        return false;
    if (!has_rows(job->graph, kind) &&
        (kept->searches[kind]++ < p->turn_after ||
         gg_device_graph_lacks(job->graph, kind, true) + own > gg_device_room(job)))
        return true;
    if (gg_roomy_csr(job, kind, true, &s->turned))
        return true;
    s->turned = device_csr();
    return gg_do_without(job);
}
