/* The device's shortest paths, as the engines see them.
**
**     sssp.cu             one call: rows, parameters, an engine, tree edges, the answer;
**                         engine: regions, which blocks search in their shared memory
**     persistent.cu       engine: buckets, rounds between the barriers of one launch
**     mlmq/mlmq.cu        engine: multi-level multi-queue, one launch without rounds; 32 bits
**
** An engine is two functions: how many bytes it needs, and the search, which carves them
** from the workspace (twice the same sequence: once on an empty one, to learn the size) and
** fills `distance`, that is not initialised before. */
#ifndef GPUGRAPH_SSSP_CUH
#define GPUGRAPH_SSSP_CUH

#include "sssp.h"
#include "graph/fixed_arcs.cuh"
#include "graph/graph.cuh"
#include "graph/light_arcs.cuh"
#include "tree/distance.cuh"
#include "sssp/choice/choice.h"

/* Arcs up to a weight, those of a vertex side by side: weight << 32 | target. (pull_rows.cu) */
struct light_arcs {
    const uint32_t *offset; /* by vertex; NULL: there are none */
    const uint64_t *arc;
    uint32_t most; /* weight */
};

struct sssp_search {
    struct device_csr g;
    /* The transpose: one shortest way is searched for from both ends, by the engine
    ** "persistent"; begin NULL: distances from the sources are. */
    struct device_csr back;
    struct device_csr
        turned; /* the transpose, for vertices that pull; begin NULL: none do */
    const uint64_t *fixed;   /* arcs of g (graph/fixed_arcs.cuh); or NULL */
    struct light_arcs light; /* of g */
    const gpugraph_search *wanted;
    struct sssp_features features;
    struct sssp_parameters parameters;
    gpugraph_distance_type type;
    void *distance;       /* n words of the type: the answer; from both ends 2 n */
    uint32_t *ends;       /* sources, then targets; filled */
    const uint32_t *stop; /* not 0: the host was interrupted */
    /* what the engine reports */
    bool dropped;      /* a sum left the range of the type, not a bound of the caller */
    bool early;        /* ended early: only final distances are left */
    uint64_t served;   /* relaxed vertices, repeats counted */
    uint32_t meetings; /* of all blocks; 0: the engine has none */
    char more[300];    /* for the phase */
};

/* What a search leaves on the device. */
struct sssp_outcome {
    void *distance;
    uint32_t *ends;    /* sources, then targets */
    void *tree;        /* edge numbers; NULL unless wanted */
    uint32_t *scratch; /* of the tree */
    bool lost; /* a sum left the range: there are no distances, the host has to search */
};

/* sssp.cu: by the engine of its parameters, bytes and distances; `ends` are carved and not
** filled yet. */
uint64_t gg_sssp_engine_bytes(struct cuda_job *job, const struct sssp_search *s);
bool gg_sssp_engine(struct cuda_job *job, struct sssp_search *s, struct workspace *space);
/* Takes over the search, rows, and their features. */
bool gg_sssp_begin(struct cuda_job *job, const gpugraph_search *search,
                   struct sssp_search *s);
/* Makes room for a search with parameters, and searches. Phase "search". */
bool gg_sssp_run(struct cuda_job *job, struct sssp_search *s, bool tree,
                 struct sssp_outcome *out);
/* Both, with an engine that it chooses. */
bool gg_sssp_search(struct cuda_job *job, const gpugraph_search *search, bool tree,
                    struct sssp_outcome *out);
/* Fills out->tree but for *ties of its vertices (gg_device_distance_tree). Phase "parents". */
bool gg_sssp_tree(struct cuda_job *job, const gpugraph_search *search,
                  const struct sssp_outcome *out, uint32_t *ties);
/* Says that the host searches, since the device's search is lost. */
void gg_sssp_lost(gpugraph_run *run);

/* Blocks of that kernel: those that the parameters ask for, as far as they can be there together,
** and as far as each has so many vertices. */
static inline unsigned gg_sssp_blocks(struct cuda_job *job, const struct sssp_search *s,
                                      const struct cooperative_kernel *kernel,
                                      uint32_t vertices) {
    const double processors = job->device->processors;
    const double most = gg_blocks_at_once(job, kernel) * processors;
    const double useful = (double)s->g.n / vertices + 1;
    double blocks = s->parameters.blocks * GG_BLOCK / kernel->threads * processors;
    blocks = blocks < useful ? blocks : useful;
    blocks = blocks < most ? blocks : most;
    return blocks > 1 ? (unsigned)blocks : 1;
}

uint64_t gg_sssp_persistent_bytes(struct cuda_job *job, const struct sssp_search *s);
bool gg_sssp_persistent(struct cuda_job *job, struct sssp_search *s,
                        struct workspace *space);
uint64_t gg_sssp_mlmq_bytes(struct cuda_job *job, const struct sssp_search *s);
bool gg_sssp_mlmq(struct cuda_job *job, struct sssp_search *s, struct workspace *space);

/* Rows of the transpose. rows->begin NULL: there is no room for them beside `own` bytes. False when
** the job must end. (sssp/pull_rows.cu) */
bool gg_sssp_transpose(struct cuda_job *job, const gpugraph_search *search, int64_t own,
                       struct device_csr *rows);
/* Sets s->turned where far vertices are to pull and the transpose is there, or worth making
** beside `own` bytes. Then light arcs are made on first need, where they are few and there is
** room: phase "prepare". False when the job must end. Light arcs go when memory is short: a
** caller asks for them behind gg_workspace. (sssp/pull_rows.cu) */
bool gg_sssp_prepare_pull(struct cuda_job *job, struct sssp_search *s, int64_t own);
struct light_arcs gg_light_arcs(const gpugraph_graph *graph, enum csr_kind kind);
/* The heaviest arc that can lead from a vertex of the bucket by which a bound is set, or of a later one, to a
** sum within it. */
static inline uint32_t gg_light_limit(const struct sssp_parameters *p) {
    const double most = (p->delta + p->pull) * 1.01 + 2;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}
/* As an engine has them, of rows that begin with vertex `first`. */
static inline struct light_arcs gg_light_view(const struct light_rows *rows,
                                              uint32_t first) {
    return rows->arc ? light_arcs{rows->offset - first, rows->arc, rows->most}
                     : light_arcs{NULL, NULL, 0};
}
/* The features of those rows: computed on first need, kept with the graph. (sssp/choice/features.cu) */
bool gg_device_features(struct cuda_job *job, enum csr_kind kind,
                        const struct device_csr *g, struct sssp_features *features);
/* Limits of a search in words of its type. */
template <typename type> struct bounds {
    typename type::word most; /* no distance is larger */
    bool tight;               /* `most` is the caller's bound, not the type's range */
    bool none;                /* not even a source is near enough */
    uint32_t sources, targets;
    const uint32_t *stop;
};

template <typename type>
static inline bounds<type> gg_bounds(const struct sssp_search *s) {
    const struct sssp_bound b = gg_sssp_bound(s->wanted, type::distance_type);
    return bounds<type>{
        (typename type::word)b.most, b.tight, b.none, s->wanted->source_count,
        s->wanted->target_count,     s->stop};
}

#endif
