/* Light arcs for shortest paths whose far vertices pull (persistent_pull.cuh): those that can lead to a
** sum within the bound, of each vertex side by side (graph/light_arcs.cuh).
**
** On an R-MAT one arc in ten is. Without these the weights of all others are read too, only to see that
** they are too heavy. Made for a graph, a direction and a weight by two looks at all weights, as long as a
** search takes; so not by the first search after a change. */
#include "sssp.cuh"
#include "device/parts.cuh"

struct light_part {
    struct device_part part;
    struct light_rows rows[CSR_KINDS];
};

static void drop_rows(struct light_part *kept, struct light_rows *rows) {
    add_bytes(&kept->part, -(int64_t)gg_light_bytes(rows));
    gg_drop_light(rows);
}

static void drop_light(gpugraph_graph *, struct device_part *part, unsigned) {
    struct light_part *kept = (struct light_part *)part;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        drop_rows(kept, &kept->rows[kind]);
}

static const struct device_part_kind light_kind = {
    sizeof(struct light_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_light};

bool gg_sssp_lighten(struct cuda_job *job, const struct sssp_search *s, int64_t own) {
    const uint32_t most = gg_light_limit(&s->parameters);
    const enum csr_kind kind = (enum csr_kind)gg_forward_kind(s->wanted->direction);
    if (!s->turned.offset || s->type != GPUGRAPH_UINT32)
        return true;
    struct light_part *kept = (struct light_part *)gg_device_part(job, &light_kind);
    if (!kept)
        return false;
    struct light_rows *rows = &kept->rows[kind];
    const bool again = rows->asked;
    rows->asked = true;
    if (again && (!rows->looked || rows->most != most)) {
        const double started = gg_now_ms();
        struct light_rows made;
        drop_rows(kept, rows);
        if (!gg_make_light(job, &s->g, most, own, &made))
            return false;
        *rows = made;
        add_bytes(&kept->part, (int64_t)gg_light_bytes(rows));
        if (rows->arc)
            gg_phase(job->run, "prepare", started, (int64_t)rows->arcs,
                     "arcs of weights up to %u side by side, on the device", most);
    }
    return gg_going(job);
}

struct light_arcs gg_light_arcs(const gpugraph_graph *graph, enum csr_kind kind) {
    const struct light_part *kept =
        (struct light_part *)gg_device_part_of(graph, &light_kind);
    return kept ? gg_light_view(&kept->rows[kind], 0) : light_arcs{NULL, NULL, 0};
}
