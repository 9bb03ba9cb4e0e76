/* The stack of the serial depth-first search (dfs.c) and of the workers (workers.c).
**
**     frame     vertex | left | next     the arcs of a vertex that are still to be looked
**                                        at: target[next] .. target[next + left - 1]
**     stack     [bottom oldest ... newest top]    the search continues at the top
**     visited   one bit for each vertex
**
** A frame is removed with its last arc, before the search descends along this arc. So a
** long path needs no stack at all, except in a search that numbers in postorder. */
#ifndef GPUGRAPH_DFS_STACK_H
#define GPUGRAPH_DFS_STACK_H

#include "graph_data.h"

#include <string.h>

enum {
    DFS_LOOK = 256,    /* arcs looked at in one step, at most */
    DFS_COPY = 1 << 16 /* frames copied between two calls of gg_pause */
};

struct frame {
    uint32_t vertex, left;
    uint64_t next;
};

struct stack {
    struct frame *frame;
    uint64_t bottom, top, room;
};

static inline bool stack_open(struct stack *stack, uint64_t room, gpugraph_run *run) {
    stack->bottom = stack->top = 0;
    stack->room = room;
    stack->frame = gg_alloc(run, stack->room, sizeof *stack->frame);
    return stack->frame != NULL;
}

/* Makes space for one more frame: moves the live frames to the front of the block, or to
** a block twice as large. Returns false if there is no memory or the run must end. */
static inline bool stack_grow(struct stack *stack, gpugraph_run *run) {
    uint64_t live = stack->top - stack->bottom;
    const struct frame *from = stack->frame + stack->bottom;
    struct stack to = {stack->frame, 0, live, stack->room};
    if (live > stack->room / 2) {
        to.room *= 2;
        to.frame = gg_alloc(run, to.room, sizeof *to.frame);
        if (!to.frame)
            return false;
    }
    for (uint64_t at = 0; at < live && !gg_pause(run); at += DFS_COPY) {
        uint64_t count = live - at < DFS_COPY ? live - at : DFS_COPY;
        memmove(to.frame + at, from + at, count * sizeof *from);
    }
    if (to.frame != stack->frame)
        gg_release(stack->frame);
    *stack = to;
    return !gg_stopping(run);
}

/* Opens the row of v. */
static inline bool stack_push(struct stack *stack, const csr *g, uint32_t v,
                              gpugraph_run *run) {
    if (stack->top == stack->room && !stack_grow(stack, run))
        return false;
    uint64_t first = g->begin[v];
    stack->frame[stack->top++] = (struct frame){v, (uint32_t)(g->end[v] - first), first};
    return true;
}

static inline uint64_t visited_words(uint32_t n) {
    return (uint64_t)n / 64 + 1;
}

/* workers.c: a search by `workers` threads fills depth and parent of the tree. Before the
** call both must hold GPUGRAPH_NONE everywhere. *shared: how often one worker gave work
** to another. */
gpugraph_status gg_dfs_workers(const csr *g, uint32_t source, gpugraph_run *run,
                               const gpugraph_dfs_tree *tree, int workers,
                               uint64_t *reached, uint64_t *shared);

#endif
