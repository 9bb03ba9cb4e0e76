/* The device's depth-first searches, as dfs.cu sees them.
**
**     dfs.cu          one call: rows, roots, a crew, the answer
**     roots.cu    what the trees of a forest begin with
**     work.cu     the crew whose warps follow one path each  (crew.h)
**     paths.cu    the crew whose warps follow many         (paths.h)
**     pull.cu     the last part of its tree                (paths_pull.h) */
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
    uint32_t *root;      /* what the trees begin with */
    uint32_t *roots;     /* one number */
    uint32_t *entered;   /* a bit for each vertex: an arc leads to it */
    uint32_t *served;    /* and for the smallest of a component: it has roots */
};

/* "many-paths": blocks to a multiprocessor, for which the compiler leaves registers.
** (H100, two and three: rmat22 2.55 and 2.18 ms, rmat24 8.0 and 6.3; four spill
** registers.) */
#ifndef GG_PATHS_BLOCKS
#define GG_PATHS_BLOCKS 3
#endif

struct dfs_search {
    struct device_csr g;
    const uint32_t *fixed;  /* rows, of many-paths; or NULL */
    struct paths_pull pull; /* its last part; without rows: none */
    uint32_t pulled;        /* vertices that it has found */
    gpugraph_direction direction;
    uint32_t source;
    uint32_t limit;           /* steps of a worker after which a search gives up */
    bool many;                /* many-paths: 32 paths for each warp */
    bool whole;               /* a forest over all vertices */
    uint32_t *depth, *parent; /* the answer, and scratch before */
    struct dfs_forest forest;
    uint32_t roots;
    struct dfs_crew crew; /* the one that searches has workers */
    struct paths_crew paths;
    struct dfs_control control; /* at the end */
    uint32_t blocks;
};

/* Fills s->forest and s->roots: what no arc leads to, and for each component without such
** vertices its smallest one. */
bool gg_dfs_roots(struct cuda_job *job, struct dfs_search *s);

/* For each kind of crew: how large, its arrays (called twice, as gg_workspace demands),
** and the search, which fills depth, parent and control. */
void gg_dfs_work_size(struct cuda_job *job, struct dfs_search *s);
void gg_dfs_work_carve(struct workspace *space, struct dfs_search *s);
bool gg_dfs_work(struct cuda_job *job, struct dfs_search *s);
/* Does "many-paths" ask for rows ahead there, where they are fixed? */
bool gg_dfs_rows_ahead(const struct device_csr *g);
/* Has it many arcs for each step there? */
bool gg_dfs_rows_are_long(const struct device_csr *g);
void gg_dfs_paths_size(struct cuda_job *job, struct dfs_search *s);
void gg_dfs_paths_carve(struct workspace *space, struct dfs_search *s);
bool gg_dfs_paths(struct cuda_job *job, struct dfs_search *s);

/* Finds out whether the graph's rows are their own transpose, where that is worth it.
** False when the job must end. */
bool gg_dfs_ask_pull(struct cuda_job *job, struct dfs_search *s);
/* Can the last part of that search be pulled? Then s->pull has the rows of arcs into
** vertices: those that are there when all memory has been taken. */
void gg_dfs_plan_pull(struct cuda_job *job, struct dfs_search *s);
void gg_dfs_pull_carve(struct workspace *space, struct dfs_search *s);
/* Counts control->entered, before the crew begins. */
bool gg_dfs_count_entered(struct cuda_job *job, struct dfs_search *s);
/* After the crew has left. *whole: nothing is missing; else the graph is remembered as
** one that pulls do not suit, and the search must begin anew. */
bool gg_dfs_pull(struct cuda_job *job, struct dfs_search *s, bool *whole);

/* Blocks of that kernel that fit the device at once, `most` for each multiprocessor, and
** no more than a graph is worth. */
unsigned gg_dfs_blocks(struct cuda_job *job, const struct cooperative_kernel *kernel,
                       int most);
/* Starts it with one argument, waits, and fetches the control block. */
bool gg_dfs_launch(struct cuda_job *job, struct dfs_search *s,
                   const struct cooperative_kernel *kernel, void *argument,
                   const struct dfs_control *control);

#endif
