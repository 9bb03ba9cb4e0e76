/* A graph's rows on several devices, kept with it until it changes or memory is short.
**
**     gpugraph_graph
**       device -> list of parts -> several_kept
**                                    ordinals of the devices
**                                    rows by kind: of each member on its device */
#include "several.cuh"
#include "device/parts.cuh"
#include "graph/graph.cuh"

#include <stdio.h>
#include <string.h>

struct several_kept {
    struct device_part part;
    int members, ordinal[SEVERAL_MOST];
    bool used; /* by a team that is open */
    struct {
        bool made, weighted;
        struct several_parts parts;
    } kind[CSR_KINDS];
};

static uint64_t bytes_of(const struct several_parts *parts, int p) {
    const struct several_rows *rows = &parts->rows[p];
    return block_bytes((uint64_t)parts->places.stride + 1, sizeof *rows->offset) +
           block_bytes(rows->room, sizeof *rows->target) +
           (rows->weight ? block_bytes(rows->room, parts->weight_bytes) : 0);
}

static void free_kind(struct several_kept *kept, int kind) {
    struct several_parts *parts = &kept->kind[kind].parts;
    if (!kept->kind[kind].made)
        return;
    for (int p = 0; p < kept->members; p++) {
        struct several_rows *rows = &parts->rows[p];
        cudaSetDevice(kept->ordinal[p]);
        add_bytes(&kept->part, -(int64_t)bytes_of(parts, p));
        gg_free_block(rows->offset,
                      block_bytes((uint64_t)parts->places.stride + 1, sizeof(uint64_t)));
        gg_free_block(rows->target, block_bytes(rows->room, sizeof(uint32_t)));
        gg_free_block(rows->weight, block_bytes(rows->room, parts->weight_bytes));
    }
    memset(&kept->kind[kind], 0, sizeof kept->kind[kind]);
}

/* Rows that a team is about to walk stay, however short memory is. */
static void drop_kept(gpugraph_graph *graph, struct device_part *part, unsigned gone) {
    struct several_kept *kept = (struct several_kept *)part;
    if (kept->used && gone == PART_ON_ROOM)
        return;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        free_kind(kept, kind);
    cudaSetDevice(graph->device->ordinal);
}

static const struct device_part_kind kept_kind = {
    sizeof(struct several_kept),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_kept};

/* The member whose job has the graph. */
static int host_of_graph(const struct several_team *team) {
    for (int p = 0; p < team->parts; p++)
        if (team->member[p].job.graph && team->member[p].lead == p)
            return p;
    return 0;
}

void gg_several_let_go(struct several_team *team) {
    if (team->kept)
        team->kept->used = false;
    team->kept = NULL;
}

static bool is_this_team(const struct several_kept *kept,
                         const struct several_team *team) {
    bool same = kept->members == team->parts;
    for (int p = 0; same && p < team->parts; p++)
        same = kept->ordinal[p] == team->member[p].run.device;
    return same;
}

static struct several_kept *kept_by(struct several_team *team) {
    struct cuda_job *job = gg_several_on(team, host_of_graph(team));
    struct several_kept *kept = (struct several_kept *)gg_device_part(job, &kept_kind);
    if (!kept || is_this_team(kept, team))
        return kept;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        free_kind(kept, kind);
    kept->members = team->parts;
    for (int p = 0; p < team->parts; p++)
        kept->ordinal[p] = team->member[p].run.device;
    return kept;
}

/* ---- making ---- */

static bool fill_from_graph(struct cuda_job *job, void *self, uint64_t first,
                            uint64_t count, uint32_t *source, uint32_t *target,
                            void *weight) {
    const gpugraph_graph *graph = (const gpugraph_graph *)self;
    size_t size = gg_distance_size(graph->distance_type);
    return gg_upload(job, source, graph->edges.source + first, count * 4) &&
           gg_upload(job, target, graph->edges.target + first, count * 4) &&
           (!weight || gg_upload(job, weight, (const char *)graph->weight + first * size,
                                 count * size));
}

static const char *const kind_name[CSR_KINDS] = {"out", "in, the transpose of out",
                                                 "both", "simple"};

static void tell(const struct several_team *team, const struct several_parts *parts,
                 enum csr_kind kind, bool weighted, uint64_t peak, double started) {
    char on[100];
    size_t used = 0;
    for (int p = 0; p < team->parts; p++)
        used += (size_t)snprintf(on + used, used < sizeof on ? sizeof on - used : 0,
                                 "%s%d", p ? ", " : "", team->member[p].run.device);
    gg_phase(team->run, "parts", started, (int64_t)parts->arcs,
             "%s%s, in %d parts on devices %s; at most %.1f MB at a time on one",
             kind_name[kind], weighted ? " with weights" : "", team->parts, on,
             (double)peak * 1e-6);
}

static bool make_kind(struct several_team *team, struct several_kept *kept,
                      enum csr_kind kind, bool weighted) {
    gpugraph_graph *graph = team->graph;
    double started = gg_now_ms();
    uint64_t peak = 0;
    free_kind(kept, kind);
    if (!gg_edges_home(gg_several_on(team, host_of_graph(team))))
        return gg_several_going(team);
    const struct several_source source = {
        graph->n,
        graph->m,
        fill_from_graph,
        graph,
        weighted ? gg_distance_size(graph->distance_type) : 0,
        true};
    if (!gg_several_make(team, &source, kind, &kept->kind[kind].parts, &peak))
        return false;
    kept->kind[kind].made = true;
    kept->kind[kind].weighted = weighted;
    for (int p = 0; p < team->parts; p++)
        add_bytes(&kept->part, (int64_t)bytes_of(&kept->kind[kind].parts, p));
    tell(team, &kept->kind[kind].parts, kind, weighted, peak, started);
    return true;
}

bool gg_several_rows(struct several_team *team, enum csr_kind kind, bool weighted,
                     struct several_parts *parts) {
    struct several_kept *kept = gg_several_going(team) ? kept_by(team) : NULL;
    weighted = weighted && gg_has_weights(team->graph) && kind != CSR_SIMPLE;
    if (!kept)
        return gg_several_going(team);
    kept->used = true;
    team->kept = kept;
    if ((!kept->kind[kind].made || (weighted && !kept->kind[kind].weighted)) &&
        !make_kind(team, kept, kind, weighted))
        return false;
    *parts = kept->kind[kind].parts;
    return gg_several_going(team);
}

int64_t gg_several_rows_lack(const gpugraph_graph *graph, int parts, enum csr_kind kind,
                             bool weighted) {
    const struct several_kept *kept =
        (const struct several_kept *)gg_device_part_of(graph, &kept_kind);
    uint64_t weight = weighted ? gg_distance_size(graph->distance_type) : 0;
    uint64_t arcs = graph->m * (kind == CSR_BOTH || kind == CSR_SIMPLE ? 2 : 1);
    if (kept && kept->members == parts && kept->kind[kind].made &&
        (!weighted || kept->kind[kind].weighted))
        return 0;
    uint64_t share = arcs / (uint64_t)parts + (uint64_t)1024;
    return (int64_t)(8 * ((uint64_t)graph->n / (uint64_t)parts + 2048) +
                     share * (4 + weight + 2 * (8 + weight)) +
                     2 * GG_SEVERAL_CHUNK * (8 + weight) +
                     GG_SEVERAL_CHUNK / (uint64_t)parts * (8 + weight) + 65536);
}
