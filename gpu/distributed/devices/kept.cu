/* Rows of a graph on several devices, which the graph keeps until it changes or memory is
** short.
**
**     gpugraph_graph
**       device -> derived data of device 0 -> several_kept   rows of its members, by kind
**              -> derived data of device 1 -> several_kept   rows of its members, by kind
**
** Rows of different devices belong together if one construction has stamped them. */
#include "device/parts.cuh"
#include "graph/graph.cuh"
#include "graph/graph.h"
#include "several.cuh"

#include <string.h>

struct several_kept {
    struct device_part part;
    bool used;                            /* by an open team */
    struct several_parts kind[CSR_KINDS]; /* rows of this device's members only */
};

static uint64_t stamps;

/* The device must be current. */
static void free_kind(struct several_kept *kept, int kind) {
    struct several_parts *parts = &kept->kind[kind];
    for (int p = 0; p < (int)parts->places.parts; p++) {
        add_bytes(&kept->part, -(int64_t)gg_several_rows_bytes(parts, p));
        gg_several_free_rows(parts, p);
    }
    memset(parts, 0, sizeof *parts);
}

/* Rows that an open team uses stay, even if memory is short. */
static void drop_kept(gpugraph_graph *, struct device_part *part, unsigned gone) {
    struct several_kept *kept = (struct several_kept *)part;
    if (kept->used && gone == PART_ON_ROOM)
        return;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        free_kind(kept, kind);
}

static const struct device_part_kind kept_kind = {
    "rows shared by devices", sizeof(struct several_kept),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_kept};

/* Finds the rows that each member's device keeps. Frees rows that were made for another
** number of partitions. False: the run must end. */
static bool find_kept(struct several_team *team) {
    for (int p = 0; p < team->parts && gg_several_going(team); p++) {
        struct several_kept *kept =
            (struct several_kept *)gg_device_part(gg_several_on(team, p), &kept_kind);
        team->member[p].kept = kept;
        if (!kept)
            continue;
        kept->used = true;
        for (int kind = 0; kind < CSR_KINDS; kind++)
            if (kept->kind[kind].places.parts != (uint32_t)team->parts)
                free_kind(kept, kind);
    }
    return gg_several_going(team);
}

void gg_several_release_rows(struct several_team *team) {
    for (int p = 0; p < team->parts; p++)
        if (team->member[p].kept)
            team->member[p].kept->used = false;
}

/* Collects the kept rows. False if any member lacks them. */
static bool gather_kept(const struct several_team *team, enum csr_kind kind,
                        bool weighted, struct several_parts *parts) {
    *parts = team->member[0].kept->kind[kind];
    for (int p = 0; p < team->parts; p++) {
        const struct several_parts *own = &team->member[p].kept->kind[kind];
        parts->rows[p] = own->rows[p];
        if (own->stamp == 0 || own->stamp != parts->stamp || !own->rows[p].block ||
            (weighted && own->weight_bytes == 0))
            return false;
    }
    return true;
}

void gg_several_keep(struct several_team *team, const struct several_parts *parts) {
    if (team->rank)
        team->rank->device->parts = *parts;
    for (int p = 0; p < team->parts && parts->stamp; p++) {
        struct several_kept *kept = team->member[p].kept;
        struct several_parts *own = &kept->kind[parts->kind];
        if (own->stamp != parts->stamp) {
            *own = *parts;
            memset(own->rows, 0, sizeof own->rows);
        }
        add_bytes(&kept->part, -(int64_t)gg_several_rows_bytes(own, p));
        own->rows[p] = parts->rows[p];
        add_bytes(&kept->part, (int64_t)gg_several_rows_bytes(own, p));
    }
}

/* ---- making ---- */

static const char *const kind_name[CSR_KINDS] = {"out", "in, the transpose of out",
                                                 "both", "simple"};

static bool make_kind(struct several_team *team, enum csr_kind kind, bool weighted,
                      struct several_parts *parts) {
    csr rows;
    for (int p = 0; p < team->parts; p++) {
        gg_several_on(team, p);
        free_kind(team->member[p].kept, kind);
    }
    if (gg_rows(team->graph, kind, weighted, false, team->run, &rows) != GPUGRAPH_OK)
        return false;
    const double started = gg_now_ms();
    *parts = several_parts();
    parts->kind = kind;
    parts->weight_bytes = weighted ? gg_distance_size(team->graph->distance_type) : 0;
    if (!several_lay_out(&parts->places, rows.n, (uint32_t)team->parts,
                         SEVERAL_BLOCK_BITS))
        gg_fail(team->run, GPUGRAPH_TOO_LARGE,
                "%d devices cannot number %u vertices together", team->parts, rows.n);
    if (!gg_several_going(team) || !gg_several_deal(team, &rows, NULL, parts))
        return false;
    parts->stamp = __atomic_add_fetch(&stamps, 1, __ATOMIC_RELAXED);
    gg_several_keep(team, parts);
    gg_phase(team->run, "parts", started, (int64_t)parts->arcs, "%s%s, in %d parts",
             kind_name[kind], weighted ? " with weights" : "", team->parts);
    return true;
}

/* Downloads device-resident edges to the host. */
static bool bring_edges_to_host(struct several_team *team) {
    for (int p = 0; p < team->parts && gg_is_device_resident(team->graph); p++)
        if (gg_device_list(team->graph, GG_NOWHERE)->ordinal ==
            team->member[p].run.device)
            gg_job_download_edges(gg_several_on(team, p));
    if (gg_is_device_resident(team->graph))
        gg_fail(team->run, GPUGRAPH_DEVICE_FAILED,
                "the edges are on a CUDA device that the search does not use");
    return gg_several_going(team);
}

bool gg_several_rows(struct several_team *team, enum csr_kind kind, bool weighted,
                     struct several_parts *parts) {
    if (team->rank) {
        *parts = team->rank->device->parts;
        return gg_several_going(team);
    }
    weighted = weighted && gg_has_weights(team->graph) && kind != CSR_SIMPLE;
    return gg_several_going(team) && find_kept(team) &&
           (gather_kept(team, kind, weighted, parts) ||
            (bring_edges_to_host(team) && make_kind(team, kind, weighted, parts)));
}

/* True if the first device has rows of that kind, in that many partitions. */
static bool has_kind(const gpugraph_graph *graph, int parts, int kind, bool weighted) {
    const struct several_kept *kept =
        (const struct several_kept *)gg_device_part_of(graph, &kept_kind);
    return kept && kept->kind[kind].stamp != 0 &&
           kept->kind[kind].places.parts == (uint32_t)parts &&
           (!weighted || kept->kind[kind].weight_bytes > 0);
}

int64_t gg_several_rows_lack(const gpugraph_graph *graph, int parts, enum csr_kind kind,
                             bool weighted) {
    uint64_t weight = weighted ? gg_distance_size(graph->distance_type) : 0;
    uint64_t arcs = graph->m * (kind == CSR_BOTH || kind == CSR_SIMPLE ? 2 : 1);
    if (has_kind(graph, parts, kind, weighted))
        return 0;
    return (int64_t)(8 * ((uint64_t)graph->n / (uint64_t)parts + 2048) +
                     (arcs / (uint64_t)parts + 1024) * (4 + weight) + 65536);
}

bool gg_several_has_rows(const gpugraph_graph *graph, int parts) {
    bool made = false;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        made |= has_kind(graph, parts, kind, false);
    return made;
}
