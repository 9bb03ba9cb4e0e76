/* Shortest paths on the device: what the driver and the engines share.
**
**     sssp.cu             one call: rows, parameters, an engine, tree edges, the answer.
**                         It has the engine for regions, which blocks search on chip
**     persistent.cu       engine: buckets, rounds between the barriers of one launch
**     mlmq/mlmq.cu        engine: multi-level multi-queue, one launch, no rounds; 32 bits
**
** An engine is two functions. One tells how many bytes it needs. The other one carves
** these from the workspace and searches. Carving runs twice, first on an empty workspace
** to learn the size. The engine fills `distance`, which is not initialised. */
#ifndef GPUGRAPH_SSSP_CUH
#define GPUGRAPH_SSSP_CUH

#include "sssp.h"
#include "graph/fixed_rows.cuh"
#include "graph/graph.cuh"
#include "light_arcs.cuh"
#include "tree/distance.cuh"
#include "sssp/choice/choice.h"

#include <math.h>

/* Arcs of at most a weight, contiguous for each vertex: weight << 32 | target.
** (pull_rows.cu) */
struct light_arcs {
    const uint32_t *offset; /* by vertex; NULL: there are none */
    const uint64_t *arc;
    uint32_t most; /* largest weight */
};

struct sssp_search {
    device_csr g;
    /* The transpose, for a search for one path from both ends by the engine "persistent".
    ** begin NULL: a search from the sources. */
    device_csr back;
    device_csr transpose;  /* for vertices that pull; begin NULL: none do */
    const uint64_t *fixed; /* fixed arcs of g (graph/fixed_rows.cuh), or NULL */
    light_arcs light;      /* of g */
    const gpugraph_search *wanted;
    sssp_features features;
    sssp_parameters parameters;
    gpugraph_distance_type type;
    void *distance;       /* the result: n words of the type; from both ends 2 n */
    uint32_t *ends;       /* sources, then targets */
    void *tree;           /* edge numbers; NULL: not wanted */
    uint32_t *scratch;    /* for the tree */
    const uint32_t *stop; /* not 0: the host was interrupted */
    /* Reports of the engine: */
    bool dropped; /* a sum left the range of the type, not only a bound of the caller */
    bool early;   /* the search ended early; only final distances are kept */
    bool full;    /* the queues had no room: another engine has to search */
    bool lost; /* a sum left the range. There are no distances: the host has to search */
    uint64_t served;   /* relaxed vertices, counted each time */
    uint32_t barriers; /* grid barriers; 0: the engine has none */
    char more[300];    /* text for the phase */
};

/* Sets the search, its rows and their features. */
bool gg_sssp_begin(cuda_job *job, const gpugraph_search *search, sssp_search *s);
/* Makes room for the search of s->parameters, and searches. Phase "search". */
bool gg_sssp_run(cuda_job *job, sssp_search *s, bool tree);
/* gg_sssp_begin and gg_sssp_run, with an engine chosen by gg_sssp_choose. */
bool gg_sssp_search(cuda_job *job, const gpugraph_search *search, bool tree,
                    sssp_search *s);
/* Fills s->tree, except for *ties vertices (gg_device_distance_tree). Phase "parents". */
bool gg_sssp_tree(cuda_job *job, const sssp_search *s, uint32_t *ties);
/* Reports that the host searches because the device's search is lost. */
void gg_sssp_lost(gpugraph_run *run);

/* The number of blocks for a kernel: as many as the parameters ask for, at most as many
** as can be resident together, each with at least `vertices` vertices. */
static inline unsigned gg_sssp_blocks(cuda_job *job, const sssp_search *s,
                                      const cooperative_kernel *kernel,
                                      uint32_t vertices) {
    const double processors = job->device->processors;
    const double asked = s->parameters.blocks * GG_BLOCK / kernel->threads * processors;
    const double most = gg_blocks_at_once(job, kernel) * processors;
    return (unsigned)fmax(1, fmin(asked, fmin(most, (double)s->g.n / vertices + 1)));
}

uint64_t gg_sssp_persistent_bytes(cuda_job *job, const sssp_search *s);
bool gg_sssp_persistent(cuda_job *job, sssp_search *s, workspace *space);
uint64_t gg_sssp_mlmq_bytes(cuda_job *job, const sssp_search *s);
bool gg_sssp_mlmq(cuda_job *job, sssp_search *s, workspace *space);

/* Finds or makes rows of the transpose. rows->begin NULL: there is no room for them
** beside `own` bytes. False: the job must end. (pull_rows.cu) */
bool gg_sssp_transpose(cuda_job *job, const gpugraph_search *search, int64_t own,
                       device_csr *rows);
/* Sets s->transpose if far vertices should pull, and the transpose exists or is worth
** making beside `own` bytes. Then makes light arcs on first need, if they are few and
** there is room: phase "prepare". False: the job must end. Light arcs are dropped when
** memory is short, so a caller asks for them after gg_workspace. (pull_rows.cu) */
bool gg_sssp_prepare_pull(cuda_job *job, sssp_search *s, int64_t own);
light_arcs gg_light_arcs(const gpugraph_graph *graph, enum csr_kind kind);
/* The largest weight of an arc that can lead to a sum within the bound, from a vertex of
** the bucket that sets the bound or of a later one. */
static inline uint32_t gg_light_limit(const sssp_parameters *p) {
    const double most = (p->delta + p->pull) * 1.01 + 2;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}
/* Light arcs in the form of an engine, of rows that begin with vertex `first`. */
static inline light_arcs gg_light_view(const light_rows *rows, uint32_t first) {
    return rows->arc ? light_arcs{rows->offset - first, rows->arc, rows->most}
                     : light_arcs{NULL, NULL, 0};
}
/* The features of these rows, computed on first need and kept with the graph.
** (choice/features.cu) */
bool gg_device_features(cuda_job *job, enum csr_kind kind, const device_csr *g,
                        sssp_features *features);
/* The limits of a search, in words of its type. */
template <typename type> struct bounds {
    typename type::word most; /* largest distance */
    bool tight; /* `most` is the caller's bound, not the range of the type */
    bool none;  /* the bound is negative: not even a source is within it */
    uint32_t sources, targets;
    const uint32_t *stop;
};

#endif
