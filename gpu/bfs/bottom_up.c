/* Bottom-up levels of a breadth-first search, by several threads. bfs.c says when and
** why.
**
**     visited   does not change during a level: the vertices of all earlier levels
**     next      visited, and the vertices that this level finds; then the two are
**               swapped */
#include "bfs.h"
#include "work.h"
#include "graph/graph.h"

enum {
    GRAB_WORDS = 16, /* words of the bitmap that a thread takes at a time */
    /* Beamer's thresholds: levels become bottom-up when the frontier has more than 1 /
    ** ALPHA of the arcs not looked at, and top-down again when the frontier has less than
    ** 1 / BETA of the vertices. */
    ALPHA = 15,
    BETA = 18
};

bool gg_bfs_goes_bottom_up(struct bfs *b, uint64_t arcs) {
    if (!b->may_reverse || arcs <= (b->forward.m - b->arcs_seen) / ALPHA)
        return false;
    enum csr_kind kind = gg_reverse_kind(b->search->direction);
    if (!b->has_reverse) {
        bool made = gg_csr_made(b->graph, kind);
        if (!made && gg_searches(b->graph) <= GG_BFS_REVERSE_AFTER)
            return false;
        double started = gg_now_ms();
        if (gg_rows(b->graph, kind, false, false, b->run, &b->reverse))
            return false;
        b->csr_ms += gg_now_ms() - started;
        b->has_reverse = true;
    }
    return true;
}

/* Returns the unvisited vertices of one word of the bitmap that have a neighbour in the
** frontier. */
static uint64_t find_in_word(struct bfs *b, uint64_t word, uint64_t *seen) {
    const uint64_t *visited = b->visited, *begin = b->reverse.begin,
                   *end = b->reverse.end;
    const uint32_t *target = b->reverse.target;
    uint64_t fresh = 0;
    for (uint64_t left = ~visited[word]; left; left &= left - 1) {
        uint32_t v = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
        uint64_t arc = begin[v], stop = end[v];
        for (; arc < stop && !gg_leave(b->run, arc); arc++) {
            uint32_t u = target[arc];
            if (visited[u >> 6] >> (u & 63) & 1) {
                b->depth[v] = b->level + 1;
                fresh |= left & -left;
                break;
            }
        }
        *seen += arc - begin[v] + 1;
    }
    return fresh;
}

/* One thread takes words of the bitmap, a few at a time. */
static void join_bottom_up(void *job, int member, int team) {
    struct bfs *b = job;
    uint64_t found = 0, seen = 0, pause_at = GG_POLL_ITEMS, word, last;
    bool stop = gg_stopping(b->run);
    (void)member, (void)team;
    while (!stop && gg_take_chunk(&b->taken, b->words, GRAB_WORDS, &word, &last))
        for (; word < last && !stop; word++) {
            uint64_t fresh = find_in_word(b, word, &seen);
            b->next[word] = b->visited[word] | fresh;
            found += (uint64_t)__builtin_popcountll(fresh);
            if (seen >= pause_at) {
                pause_at = seen + GG_POLL_ITEMS;
                stop = gg_pause(b->run);
            }
        }
    __atomic_fetch_add(&b->found, found, __ATOMIC_RELAXED);
}

/* Returns the number of vertices that the level found. Does not update the queue. */
static uint64_t bottom_up_level(struct bfs *b) {
    uint64_t before = b->found;
    b->taken = 0;
    gg_team(b->threads, join_bottom_up, b);
    uint64_t *old = b->visited;
    b->visited = b->next;
    b->next = old;
    b->level++;
    b->bottom_up_levels++;
    return b->found - before;
}

/* Writes the frontier to the queue. The frontier is the difference of the two bitmaps
** after the latest bottom-up level. */
static void fill_queue(struct bfs *b) {
    uint64_t tail = 0;
    for (uint64_t word = 0; word < b->words; word++) {
        uint64_t fresh = b->visited[word] & ~b->next[word];
        for (; fresh; fresh &= fresh - 1)
            b->queue[tail++] = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(fresh);
    }
    b->begin = 0;
    b->end = b->tail = tail;
}

void gg_bfs_bottom_up(struct bfs *b) {
    uint64_t frontier = b->end - b->begin, before;
    do {
        before = frontier;
        frontier = bottom_up_level(b);
    } while (frontier > 0 && (frontier >= before || frontier > b->forward.n / BETA) &&
             b->level < b->search->max_depth && !gg_bfs_satisfied(b) && !gg_poll(b->run));
    fill_queue(b);
}
