/* Breadth-first search on several devices: common declarations of the kernel and its
** driver. several.cu has the idea.
**
**     PLANT      sources become the frontier
**     DOWN       arcs of the own frontier: own targets are claimed, others are sent
**     RECEIVE    received vertices are claimed, too
**     SYNC       copies of the bitmap are completed
**     SWEEP      each unvisited own vertex looks for a visited neighbour; the new bitmap
**                goes to all copies
**     COLLECT    the result of a SWEEP becomes a queue again
**
** A barrier follows each step, and all devices compute the next step from the same
** sums. */
#ifndef GPUGRAPH_BFS_SEVERAL_CUH
#define GPUGRAPH_BFS_SEVERAL_CUH

#include "distributed/devices/several.cuh"
#include "bfs/wide_steps.cuh"

enum shared_mode { S_PLANT, S_DOWN, S_RECEIVE, S_SYNC, S_SWEEP, S_COLLECT, S_DONE };

/* Words of a report, summed over all devices. */
enum shared_word {
    SUM_ENTRIES, /* queued, with their arcs */
    SUM_ARCS,
    SUM_FOUND,
    SUM_HITS,     /* targets of the search that were found */
    SUM_MESSAGES, /* to all receivers */
    SUM_OPEN,     /* vertices that a SWEEP left unvisited */
    SUM_MISSING   /* targets of the search, before the first step */
};

/* The state of a search, in shared memory. The first thread of each block sets it. It is
** equal in all blocks of a device; mode and sums are equal on all devices. */
struct shared_state {
    enum shared_mode mode;
    uint32_t level;                      /* level of the frontier */
    uint32_t first, entries, arcs, tail; /* positions in the own queue */
    uint32_t slot; /* the entry of size[] that counts the next frontier */
    uint32_t odd;  /* which bitmap is current */
    uint32_t bottom_up;
    uint32_t synced;                /* all copies of the bitmap are complete */
    uint64_t all_entries, all_arcs; /* the frontier of all devices */
    uint64_t more_entries, more_arcs, more_found; /* found so far for the next level */
    uint64_t reached, seen, missing, rounds;
    /* Messages from each sender: read before, and new. */
    uint32_t have[SEVERAL_MOST], received[SEVERAL_MOST];
};

struct shared_control { /* on each device */
    bfs_size size[3];
    uint32_t sent[SEVERAL_MOST];        /* messages to each receiver so far */
    uint32_t missing;                   /* own targets that are not found */
    struct shared_state saved[2], last; /* last: S_DONE once the search is over */
};

/* Pointers to arrays of own places are shifted, so that the index is a place. */
struct bfs_shared {
    struct several_view view;
    struct wide w; /* g, below, depth, queue, wanted, bounds; visited: own copies */
    several_array<uint32_t> visited[2], inbox; /* inbox: stride entries for each sender */
    uint32_t *outbox; /* without peers: stride entries for each receiver */
    struct shared_control *control;
    const uint32_t *source; /* places */
    uint32_t sources;
    uint64_t n, m; /* vertices of the whole graph; arcs along the search */
};

/* The answer of a search, in the team's workspace: depths of each member's places. */
struct bfs_shared_answer {
    several_array<uint32_t> depth;
    struct shared_state report; /* the last state */
    double ms;                  /* of kernels and their launches */
};

/* Searches along `rows`, with ends by gg_several_ends. below: rows with hubs for
** bottom-up levels; NULL: all levels are top-down. False: the run must end. */
bool gg_bfs_on_team(struct several_team *team, const struct several_parts *rows,
                    const struct several_parts *below, const gpugraph_search *search,
                    struct bfs_shared_answer *answer);
/* Makes the arrays hub and closed of all members' rows, unless they exist. A hub is the
** first target of its row, until a search finds a better one. The graph keeps them.
** False: the run must end. */
bool gg_several_hubs(struct several_team *team, struct several_parts *parts);
/* Cooperative, one block on each multiprocessor. (several_levels.cu) */
extern const struct cooperative_kernel gg_bfs_shared_levels;
/* Marks and counts own targets of the search. */
bool gg_bfs_mark_shared(struct cuda_job *job, const struct bfs_shared *b,
                        const uint32_t *target, uint32_t targets);

#endif
