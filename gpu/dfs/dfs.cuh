/* The depth-first searches of the device.
**
**     dfs.cu      the driver: rows, roots, workers, the answer
**     work.cu     workers whose warps follow one path each   (crew.h)
**     paths.cu    workers whose warps follow many paths      (paths.h)
**     pull.cu     the last part of the tree of many paths    (paths_pull.h) */
#ifndef GPUGRAPH_DFS_CUH
#define GPUGRAPH_DFS_CUH

#include "algorithm.h"
#include "graph/fixed_rows.cuh"
#include "graph/graph.cuh"
#include "crew.h"
#include "paths.h"
#include "paths_pull.h"

static_assert(sizeof(struct dfs_control) <= GG_MAILBOX, "it is fetched at once");

struct dfs_forest {
    uint32_t *component; /* the smallest vertex of the weak component of v */
    uint32_t *root;      /* the roots that the search begins with */
    uint32_t *roots;     /* their number */
    uint32_t *entered;   /* a bit for each vertex: an arc leads to it */
    uint32_t *served;    /* a bit for the smallest vertex of a component: it has roots */
};

/* Blocks of "many-paths" on a multiprocessor. The compiler limits registers so that they
** fit. (H100, two and three: rmat22 2.55 and 2.18 ms, rmat24 8.0 and 6.3. With four,
** registers spill.) */
#ifndef GG_PATHS_BLOCKS
#define GG_PATHS_BLOCKS 3
#endif

struct dfs_search {
    struct device_csr g;
    const uint32_t *fixed;  /* fixed rows for many-paths; or NULL */
    struct paths_pull pull; /* the last part of many-paths; no rows: no such part */
    uint32_t pulled;        /* vertices that the last part has found */
    gpugraph_direction direction;
    uint32_t source;
    uint32_t limit;           /* steps of a worker after which a search gives up */
    bool many;                /* many-paths: 32 paths for each warp */
    bool whole;               /* a forest over all vertices */
    uint32_t *depth, *parent; /* the result; scratch memory until then */
    struct dfs_forest forest;
    uint32_t roots;
    struct dfs_crew crew; /* used by work-stealing; many-paths uses `paths` */
    struct paths_crew paths;
    struct dfs_control control; /* at the end */
    uint32_t blocks;
};

/* For each kind of workers: _size sets the number of blocks. _carve carves the arrays; it
** is called twice, as gg_workspace demands. The search fills depth, parent, control. */
void gg_dfs_work_size(struct cuda_job *job, struct dfs_search *s);
void gg_dfs_work_carve(struct workspace *space, struct dfs_search *s);
bool gg_dfs_work(struct cuda_job *job, struct dfs_search *s);
/* True if "many-paths" loads rows ahead for this graph, provided that it has fixed
** rows. */
bool gg_dfs_rows_ahead(const struct device_csr *g);
/* True if the graph has few arcs for each vertex. */
bool gg_dfs_is_thin(const struct device_csr *g);
void gg_dfs_paths_size(struct cuda_job *job, struct dfs_search *s);
void gg_dfs_paths_carve(struct workspace *space, struct dfs_search *s);
bool gg_dfs_paths(struct cuda_job *job, struct dfs_search *s);

/* Finds out whether the graph's rows are their own transpose, if that pays. Returns false
** when the job must end. */
bool gg_dfs_ask_pull(struct cuda_job *job, struct dfs_search *s);
/* Decides whether the last part of the search can be pulled. If so, s->pull gets the rows
** of arcs into vertices. Called after all memory has been taken, because the rows might
** be evicted. */
void gg_dfs_plan_pull(struct cuda_job *job, struct dfs_search *s);
/* Counts control->entered, before the workers begin. */
bool gg_dfs_count_entered(struct cuda_job *job, struct dfs_search *s);
/* Pulls the last part, after the workers have left. *whole: the tree is complete.
** Otherwise the graph is remembered as one that pulling does not suit, and the search
** must begin again. */
bool gg_dfs_pull(struct cuda_job *job, struct dfs_search *s, bool *whole);

/* Blocks of the kernel that fit the device at once, at most `most` for each
** multiprocessor, and no more than the graph has work for. */
unsigned gg_dfs_blocks(struct cuda_job *job, const struct cooperative_kernel *kernel,
                       int most);
/* Launches the kernel with one argument, waits, and fetches the control block. */
bool gg_dfs_launch(struct cuda_job *job, struct dfs_search *s,
                   const struct cooperative_kernel *kernel, void *argument,
                   const struct dfs_control *control);

#endif
