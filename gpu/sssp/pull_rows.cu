/* Rows for searches whose far vertices pull (persistent_pull.cuh): the transpose, and
** light arcs, which lie side by side for each vertex and can lead to a sum within the
** bound (light_arcs.cuh).
**
** A search uses the transpose if it is on the device already, as in a graph whose
** searches go both ways. Otherwise the transpose is made after some searches without it:
** its construction takes about the time that it would have saved them.
**
** On an R-MAT one arc in ten is light. Without light arcs a search reads the weights of
** all other arcs, too, only to find that they are too heavy. Making light arcs reads all
** weights twice, which takes as long as a search. So the first search after a change does
** not make them. */
#include "sssp.cuh"
#include "device/parts.cuh"
#include "graph/device_copy.cuh"

struct pull_part {
    device_part part;
    uint32_t searches[CSR_KINDS]; /* searches that would have used the transpose */
    light_rows light[CSR_KINDS];
};

static void drop_light(pull_part *kept, light_rows *rows) {
    add_bytes(&kept->part, -(int64_t)gg_light_bytes(rows));
    gg_drop_light(rows);
}

static void drop_pull_rows(gpugraph_graph *, device_part *part, unsigned gone) {
    pull_part *kept = (pull_part *)part;
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        drop_light(kept, &kept->light[kind]);
        if (gone & ~(unsigned)PART_ON_ROOM)
            kept->searches[kind] = 0;
    }
}

static const device_part_kind pull_kind = {
    "light arcs", sizeof(struct pull_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_pull_rows};

/* True if these rows are on the device, with weights. */
static bool has_rows(const gpugraph_graph *graph, enum csr_kind kind) {
    const device_copy *copy = gg_device_copy_of(graph);
    return copy && copy->rows[kind].made && copy->rows[kind].weight;
}

bool gg_sssp_transpose(cuda_job *job, const gpugraph_search *search, int64_t own,
                       device_csr *rows) {
    const enum csr_kind kind = (enum csr_kind)gg_reverse_kind(search->direction);
    const bool fits =
        has_rows(job->graph, kind) ||
        gg_device_graph_lacks(job->graph, kind, true) + own <= gg_device_room(job);
    if (fits && gg_device_csr(job, kind, true, rows))
        return true;
    *rows = device_csr();
    return gg_do_without(job);
}

static bool make_light_arcs(cuda_job *job, const sssp_search *s, int64_t own,
                            pull_part *kept) {
    const uint32_t most = gg_light_limit(&s->parameters);
    light_rows *rows = &kept->light[gg_forward_kind(s->wanted->direction)];
    const bool again = rows->asked;
    rows->asked = true;
    if (again && (!rows->looked || rows->most != most)) {
        const double started = gg_now_ms();
        light_rows made;
        drop_light(kept, rows);
        if (!gg_make_light(job, &s->g, most, own, &made))
            return false;
        *rows = made;
        add_bytes(&kept->part, (int64_t)gg_light_bytes(rows));
        if (rows->arc)
            gg_phase(job->run, "prepare", started, (int64_t)rows->arcs,
                     "light arcs, of weights up to %u, on the device", most);
    }
    return gg_going(job);
}

bool gg_sssp_prepare_pull(cuda_job *job, sssp_search *s, int64_t own) {
    const sssp_parameters *p = &s->parameters;
    if (p->kind != SSSP_PERSISTENT || p->pull <= 0 || p->local || s->back.begin ||
        s->wanted->limit > 0)
        return true;
    pull_part *kept = (pull_part *)gg_device_part(job, &pull_kind);
    const enum csr_kind reverse = (enum csr_kind)gg_reverse_kind(s->wanted->direction);
    if (!kept)
        return false;
    if (!has_rows(job->graph, reverse) && kept->searches[reverse]++ < p->turn_after)
        return true;
    if (!gg_sssp_transpose(job, s->wanted, own, &s->transpose))
        return false;
    return !s->transpose.begin || s->type != GPUGRAPH_UINT32 ||
           make_light_arcs(job, s, own, kept);
}

light_arcs gg_light_arcs(const gpugraph_graph *graph, enum csr_kind kind) {
    const pull_part *kept = (pull_part *)gg_device_part_of(graph, &pull_kind);
    return kept ? gg_light_view(&kept->light[kind], 0) : light_arcs{NULL, NULL, 0};
}
