/* Fixed rows and fixed arcs: the first targets of each vertex, or its first arcs with
** weights, at a position computed from the vertex's number.
**
**     rows   [ a b c - - - - - ][ d - - - - - - - ][ e f g h i j k MORE ] ... 8 positions
**     arcs   [ a:3 b:1 c:7 - ][ d:2 - - - ][ e:1 f:4 g:9 MORE ] ...           4 or 8
**
** A search computes where a row begins instead of loading it, and a search by weight
** loads target and weight at once. Fixed rows cost no more reads than short rows in
** random order, since a memory access delivers at least 32 bytes. They are made once for
** a graph and direction, kept with the device's copy, and dropped by a change. They do
** not suit long rows, because most arcs of a long row do not fit its positions. In a road
** map most positions are empty, so the caller gives a mean degree to be exceeded. */
#include "device_copy.cuh"
#include "base/limits.h"
#include "fixed_rows.cuh"
#include "frontier.cuh"

/* Most arcs of a row in a graph with fixed rows: one warp reads the rest of a row. */
enum { FIXED_LONGEST = 128 };

enum fixed_form { FIXED_ROWS, FIXED_ARCS, FIXED_FORMS };

enum { ROW_SHIFT = 3 };
static_assert(GG_FIXED_PLACES == 1 << ROW_SHIFT, "places of a vertex");

static __device__ __forceinline__ uint32_t entry_of(const device_csr &g, uint64_t arc,
                                                    const uint32_t *) {
    return g.target[arc];
}
static __device__ __forceinline__ uint64_t entry_of(const device_csr &g, uint64_t arc,
                                                    const uint64_t *) {
    return (uint64_t) static_cast<const uint32_t *>(g.weight)[arc] << 32 | g.target[arc];
}

/* One thread per position: fills it. *longest: the number of arcs of the longest row. */
template <typename type>
static __global__ void fix(const __grid_constant__ device_csr g, unsigned shift,
                           type *place, uint32_t *longest) {
    const uint32_t last = (1u << shift) - 1;
    uint64_t most = 0;
    for (uint64_t i = gg_thread(); i < (uint64_t)g.n << shift;
         i += gg_threads_of_grid()) {
        const uint64_t v = i >> shift, k = i & last;
        const uint64_t arcs = g.end[v] - g.begin[v];
        most = most > arcs ? most : arcs;
        place[i] = k == last && arcs > k + 1 ? GG_FIXED_MORE
                   : k < arcs                ? entry_of(g, g.begin[v] + k, place)
                                             : GPUGRAPH_NONE;
    }
    if (most > gg_peek(longest))
        atomicMax(longest, (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX));
}

/* ---- the kept arrays ---- */

struct fixed_places {
    void *place;     /* NULL: not made */
    uint64_t places; /* for all vertices */
    unsigned shift;  /* log2 of the positions of a vertex */
    bool unsuitable;
};

struct fixed_part {
    struct device_part part;
    struct fixed_places of[FIXED_FORMS][CSR_KINDS];
};

static size_t place_size(enum fixed_form form) {
    return form == FIXED_ROWS ? sizeof(uint32_t) : sizeof(uint64_t);
}

static void drop_places(struct fixed_part *kept, enum fixed_form form, int kind) {
    struct fixed_places *f = &kept->of[form][kind];
    give(&kept->part, f->place, f->places, place_size(form));
    f->place = NULL;
}

/* A change of weights may put the arcs of a row in another order. */
static void drop_fixed(gpugraph_graph *, struct device_part *part, unsigned gone) {
    struct fixed_part *kept = (struct fixed_part *)part;
    for (int form = FIXED_ROWS; form < FIXED_FORMS; form++)
        for (int kind = 0; kind < CSR_KINDS; kind++) {
            drop_places(kept, (enum fixed_form)form, kind);
            if (gone & (PART_ON_EDGES | PART_ON_VERTICES))
                kept->of[form][kind].unsuitable = false;
        }
}

static const struct device_part_kind fixed_kind = {
    "rows of fixed length", sizeof(struct fixed_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_fixed};

static const void *places_there(const gpugraph_graph *graph, enum fixed_form form,
                                enum csr_kind kind) {
    const struct fixed_part *kept =
        (struct fixed_part *)gg_device_part_of(graph, &fixed_kind);
    return kept ? kept->of[form][kind].place : NULL;
}

/* ---- the driver ---- */

static bool fill_places(struct cuda_job *job, enum fixed_form form,
                        const struct device_csr *g, const struct fixed_places *f,
                        uint32_t *longest) {
    const unsigned grid = gg_grid(job, f->places, 8);
    uint32_t *on_device = static_cast<uint32_t *>(gg_take(job, sizeof *on_device));
    if (on_device && gg_fill(job, on_device, 0, sizeof *on_device)) {
        const bool launched =
            form == FIXED_ROWS
                ? GG_LAUNCH(job, fix, grid, *g, f->shift, (uint32_t *)f->place, on_device)
                : GG_LAUNCH(job, fix, grid, *g, f->shift, (uint64_t *)f->place,
                            on_device);
        if (launched)
            gg_fetch(job, longest, on_device, sizeof *longest);
    }
    if (on_device)
        gg_give(job, on_device, sizeof *on_device);
    return gg_going(job);
}

/* Makes 1 << shift positions for each vertex, unless they exist or do not suit. */
static bool make_places(struct cuda_job *job, enum fixed_form form, enum csr_kind kind,
                        const struct device_csr *g, unsigned shift, int64_t own) {
    const uint64_t places = (uint64_t)g->n << shift;
    struct fixed_part *kept = (struct fixed_part *)gg_device_part(job, &fixed_kind);
    if (!kept)
        return false;
    struct fixed_places *f = &kept->of[form][kind];
    if (f->place || f->unsuitable || g->m > places ||
        (int64_t)(places * place_size(form)) + own > gg_device_room(job))
        return true;
    double started = gg_now_ms();
    uint32_t longest = 0;
    f->places = places;
    f->shift = shift;
    if (!take(job, &kept->part, &f->place, places, place_size(form)))
        return gg_do_without(job);
    if (!fill_places(job, form, g, f, &longest)) {
        drop_places(kept, form, kind);
        return gg_do_without(job);
    }
    f->unsuitable = longest > FIXED_LONGEST;
    if (f->unsuitable)
        drop_places(kept, form, kind);
    gg_phase(job->run, "prepare", started, g->n, "%s%s%s",
             f->unsuitable ? "rows are too long for fixed " : "fixed ",
             form == FIXED_ROWS ? "rows" : "arcs",
             f->unsuitable ? "" : ", on the device");
    return gg_going(job);
}

bool gg_fix_rows(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 uint32_t degree, int64_t own) {
    if (g->n >= GG_FIXED_MORE || g->m <= degree * (uint64_t)g->n)
        return true;
    return make_places(job, FIXED_ROWS, kind, g, ROW_SHIFT, own);
}

bool gg_fix_arcs(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                 int64_t own) {
    if (g->n >= GG_FIXED_MORE || job->graph->distance_type != GPUGRAPH_UINT32)
        return true;
    return make_places(job, FIXED_ARCS, kind, g, gg_arc_places(g->n, g->m), own);
}

const uint32_t *gg_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind) {
    return (const uint32_t *)places_there(graph, FIXED_ROWS, kind);
}

const uint64_t *gg_fixed_arcs(const gpugraph_graph *graph, enum csr_kind kind) {
    return (const uint64_t *)places_there(graph, FIXED_ARCS, kind);
}

void gg_drop_fixed_rows(const gpugraph_graph *graph, enum csr_kind kind) {
    struct fixed_part *kept = (struct fixed_part *)gg_device_part_of(graph, &fixed_kind);
    if (kept)
        drop_places(kept, FIXED_ROWS, kind);
}
