/* Fixed rows: the first targets of each vertex, 4 or 8, at a place that follows from its number.
**
**     target    [ a b c - ][ d - - - ][ e f g MORE ] ...       vertex v from v << shift on
**
** A search that goes from vertex to vertex is spared the look for where a row begins: on roads and
** meshes, whose rows are short, half of its trips to memory. Made once for a graph and a
** direction, kept with the device's copy. Not for graphs with longer rows, of which much would lie
** elsewhere. */
#include "fixed_rows.cuh"
#include "frontier.cuh"
#include "device/parts.cuh"

/* One thread per place; longest: arcs of the longest row. */
static __global__ void fix(const __grid_constant__ device_csr g, uint32_t *target,
                           uint32_t shift, uint32_t *longest) {
    const uint64_t places = (uint64_t)g.n << shift;
    const uint32_t last = (1u << shift) - 1;
    uint64_t most = 0;
    for (uint64_t i = gg_thread(); i < places; i += gg_threads_of_grid()) {
        const uint32_t v = (uint32_t)(i >> shift), k = (uint32_t)i & last;
        const uint64_t begin = g.offset[v], arcs = g.offset[v + 1] - begin;
        most = most > arcs ? most : arcs;
        target[i] = arcs > last + 1 && k == last ? GG_FIXED_MORE
                    : k < arcs                   ? g.target[begin + k]
                                                 : GPUGRAPH_NONE;
    }
    if (most > gg_peek(longest))
        atomicMax(longest, (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX));
}

struct fixed_part {
    struct device_part part;
    uint32_t n;
    struct fixed_rows rows[CSR_KINDS];
};

static void drop_rows(struct fixed_part *kept, struct fixed_rows *rows) {
    give(&kept->part, const_cast<uint32_t *>(rows->target),
         (uint64_t)kept->n << rows->shift, sizeof *rows->target);
    *rows = fixed_rows();
}

static void drop_fixed(gpugraph_graph *, struct device_part *part, unsigned) {
    struct fixed_part *kept = (struct fixed_part *)part;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        drop_rows(kept, &kept->rows[kind]);
}

static const struct device_part_kind fixed_kind = {
    sizeof(struct fixed_part), PART_ON_EDGES | PART_ON_VERTICES | PART_ON_ROOM,
    drop_fixed};

/* Places to a vertex as a power of 2; 0: rows are long. */
static uint32_t shift_for(const struct device_csr *g) {
    return g->n >= GG_FIXED_MORE || g->m == 0 ? 0
           : g->m <= 4 * (uint64_t)g->n       ? 2
           : g->m <= 8 * (uint64_t)g->n       ? 3
                                              : 0;
}

/* Fills them. */
static bool make(struct cuda_job *job, const struct device_csr *g,
                 const struct fixed_rows *rows, uint32_t *target, uint32_t *longest) {
    const uint64_t places = (uint64_t)g->n << rows->shift;
    uint32_t *on_device = static_cast<uint32_t *>(gg_take(job, sizeof *on_device));
    if (on_device && gg_fill(job, on_device, 0, sizeof *on_device)) {
        fix<<<gg_grid(job, places, 8), GG_BLOCK, 0, job->stream>>>(
            *g, target, rows->shift, on_device);
        if (gg_launched(job, "fix"))
            gg_fetch(job, longest, on_device, sizeof *longest);
    }
    if (on_device)
        gg_give(job, on_device, sizeof *on_device);
    return gg_going(job);
}

bool gg_fix_rows(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 int64_t own) {
    const uint32_t shift = shift_for(g);
    const uint64_t places = (uint64_t)g->n << shift;
    struct fixed_part *kept;
    if (shift == 0 || (int64_t)places * 4 + own > gg_device_room(job))
        return true;
    kept = (struct fixed_part *)gg_device_part(job, &fixed_kind);
    if (!kept)
        return false;
    struct fixed_rows *rows = &kept->rows[kind];
    uint32_t *target, longest = 0;
    if (rows->shift > 0)
        return true;
    double started = gg_now_ms();
    if (!take(job, &kept->part, &target, places, sizeof *target))
        return gg_do_without(job);
    kept->n = g->n;
    *rows = fixed_rows{target, shift};
    if (!make(job, g, rows, target, &longest)) {
        drop_rows(kept, rows);
        return gg_do_without(job);
    }
    if (longest > GG_BFS_NARROW_ROW) {
        drop_rows(kept, rows);
        rows->shift = shift; /* so that nobody tries again */
    }
    gg_phase(job->run, "prepare", started, g->n, "%u places for each row, on the device",
             1u << shift);
    return gg_going(job);
}

struct fixed_rows gg_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind) {
    const struct fixed_part *kept =
        (struct fixed_part *)gg_device_part_of(graph, &fixed_kind);
    const struct fixed_rows none = {NULL, 0};
    return kept && kept->rows[kind].target ? kept->rows[kind] : none;
}
