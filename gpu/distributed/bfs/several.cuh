/* Breadth-first search on several devices: what the kernel and its driver share. several.cu has the
** idea.
**
**     PLANT      sources become the frontier
**     DOWN       the own frontier's arcs; own targets are claimed, others go to their owners
**     RECEIVE    what has come is claimed, too
**     SYNC       which own vertices are visited, into all copies
**     SWEEP      every own vertex that is not visited looks for one that is; into all copies
**     COLLECT    what a SWEEP found becomes a queue again
**
** After each step all devices meet, and from what all have told each comes to the same next one. */
#ifndef GPUGRAPH_BFS_SEVERAL_CUH
#define GPUGRAPH_BFS_SEVERAL_CUH

#include "distributed/devices/several.cuh"
#include "bfs/wide_steps.cuh"

enum shared_mode { S_PLANT, S_DOWN, S_RECEIVE, S_SYNC, S_SWEEP, S_COLLECT, S_DONE };

/* What is told at a meeting. */
enum shared_word {
    SUM_ENTRIES, /* queued, and their arcs */
    SUM_ARCS,
    SUM_FOUND,
    SUM_HITS,     /* targets found */
    SUM_MESSAGES, /* to all receivers */
    SUM_OPEN,     /* left by a SWEEP */
    SUM_MISSING   /* targets, before the first step */
};

/* What all threads of a block go by; its first thread sets it, alike in all blocks of a device, and
** the mode and sums over all devices alike everywhere. */
struct shared_state {
    enum shared_mode mode;
    uint32_t level;                      /* of the frontier */
    uint32_t first, entries, arcs, tail; /* of the own queue */
    uint32_t slot; /* of size[], where the next frontier is counted */
    uint32_t odd;  /* which bitmap is read */
    uint32_t bottom_up;
    uint32_t synced;                /* all copies of the bitmap are complete */
    uint64_t all_entries, all_arcs; /* of the frontier on all devices */
    uint64_t more_entries, more_arcs, more_found; /* of the level being found, so far */
    uint64_t reached, seen, missing;
    uint32_t have[SEVERAL_MOST],
        received[SEVERAL_MOST]; /* letters of each sender: read, new */
};

struct shared_report {
    uint32_t done, level, bottom_up;
    uint64_t reached, rounds;
};

struct shared_control { /* on each device */
    bfs_size size[3];
    uint32_t sent[SEVERAL_MOST]; /* letters to each receiver, over the search */
    uint32_t missing;            /* own targets */
    struct shared_state saved[2];
    struct shared_report report;
};

/* Arrays of own places begin at place 0 all the same: their pointers are moved down. */
struct bfs_shared {
    struct several_view view;
    struct wide w; /* g, below, depth, queue, wanted, bounds; visited: the own copies */
    several_array<uint32_t> visited[2],
        inbox;        /* the inbox: stride entries for each sender */
    uint32_t *outbox; /* without peers: as many for each receiver */
    struct shared_control *control;
    const uint32_t *source; /* places */
    uint32_t sources;
    uint64_t n, m; /* of all devices; arcs that lead forward */
};

/* A question, and where its answer lies: of each member's places the depth. */
struct bfs_shared_answer {
    several_array<uint32_t> depth;
    struct shared_report report;
    double ms; /* of the kernels, launches included */
};

/* Sources and targets are those of gg_several_ends. below: rows by which unvisited vertices
** look, with hubs; NULL: none, frontiers are only walked. */
bool gg_bfs_on_team(struct several_team *team, const struct several_parts *rows,
                    const struct several_parts *below, const gpugraph_search *search,
                    struct bfs_shared_answer *answer);
/* Makes hub and closed of all members' rows, if they are not made: the first target of a row,
** until a search learns of a better one. Kept with the rows. False: the run must end. (hubs.cu) */
bool gg_several_hubs(struct several_team *team, struct several_parts *parts);
/* Cooperative; one block to a multiprocessor. (several_levels.cu) */
extern const struct cooperative_kernel gg_bfs_shared_levels;
/* Own targets are marked and counted. */
bool gg_bfs_mark_shared(struct cuda_job *job, const struct bfs_shared *b,
                        const uint32_t *target, uint32_t targets);

#endif
