/* How workers of paths.h count as busy, when they must leave, and where they find roots.
**
**     list       roots that the search begins with: a worker without work takes some
**     opener     a worker alone in the crew: makes the first unvisited vertex a root
**     at will    any worker: makes the unvisited vertices of the next group roots
**                (control: group)
**
** A forest of directed arcs may need roots beyond the list. An opener opens the first of
** these roots one after the other, so that connected vertices become one tree. If there
** are many, each worker without work opens a group of vertices at will. */
#ifndef GPUGRAPH_DFS_PATHS_ROOTS_H
#define GPUGRAPH_DFS_PATHS_ROOTS_H

#include "paths_stack.h"

/* ---- the end ---- */

/* True if the worker must leave. Only the workers of the first block ask the host. */
WARP_FUNCTION bool paths_stops(struct paths_worker *w, bool ask_host) {
    return dfs_stops(w->crew.control, ask_host && w->home == 0, w->crew.host_stop);
}

WARP_FUNCTION bool paths_attend(struct paths_worker *w) {
    w->steps++;
    if (w->steps % DFS_ATTEND != 0)
        return true;
    if (w->steps >= w->crew.limit) {
        device_store(&w->crew.control->late, 1);
        device_store(&w->crew.control->stop, 1);
    }
    return !paths_stops(w, w->steps % DFS_ASK_HOST == 0);
}

WARP_FUNCTION void paths_get_idle(struct paths_worker *w) {
    warp_sync();
    if (warp_lane() == 0 && block_add(w->block.busy, UINT32_MAX) == 1)
        device_add(&w->crew.control->busy, UINT32_MAX);
    warp_sync();
}

/* Joins a block that is busy. */
WARP_FUNCTION bool paths_join(struct paths_worker *w) {
    uint32_t done = 0;
    if (warp_lane() == 0) {
        uint32_t busy = block_load(w->block.busy);
        while (!done && busy > 0) {
            done = block_enter(w->block.busy, busy, busy + 1);
            if (!done)
                busy = block_load(w->block.busy);
        }
    }
    return warp_from(done, 0) != 0;
}

/* Makes an idle block busy. *alone: no other worker of the crew is busy. */
WARP_FUNCTION bool paths_wake(struct paths_worker *w, bool *alone) {
    uint32_t done = 0, before = 0;
    if (warp_lane() == 0) {
        done = block_enter(w->block.busy, 0, 1);
        if (done)
            before = device_add(&w->crew.control->busy, 1);
    }
    *alone = warp_from(before, 0) == 0;
    return warp_from(done, 0) != 0;
}

/* ---- roots ---- */

/* Takes the next roots of the list into the empty hands. */
WARP_FUNCTION bool paths_take_roots(struct paths_worker *w) {
    uint32_t at = dfs_take_roots(w->crew.control, w->crew.roots, warp_width);
    if (at >= w->crew.roots)
        return false;
    uint64_t mine = (uint64_t)at + warp_lane();
    if (mine < w->crew.roots) {
        uint32_t v = w->crew.root[mine];
        uint64_t begin = w->crew.begin[v];
        paths_hold(w, (uint64_t)v << 32, paths_arcs(begin, w->crew.end[v] - begin));
        w->reached++;
    }
    return true;
}

/* This lane's vertex becomes a root, in its empty hands if it has arcs. */
WARP_FUNCTION void paths_root(struct paths_worker *w, uint64_t v, uint64_t begin,
                              uint64_t arcs) {
    w->crew.tree[v] = (uint64_t)DFS_NONE << 32;
    w->reached++;
    if (arcs > 0)
        paths_hold(w, v << 32, paths_arcs(begin, arcs));
}

/* True if vertex v of this lane is open. Also returns its row. */
WARP_FUNCTION bool paths_open(struct paths_worker *w, uint64_t v, uint64_t *begin,
                              uint64_t *arcs) {
    bool open = v < w->crew.n && !(device_load(&w->crew.visited[v / 32]) >> v % 32 & 1);
    *begin = open ? w->crew.begin[v] : 0;
    *arcs = open ? w->crew.end[v] - *begin : 0;
    return open;
}

/* Bit i: vertex 32 * word + i is open. */
WARP_FUNCTION uint32_t paths_open_bits(struct paths_worker *w, uint64_t word) {
    if (word * 32 >= w->crew.n)
        return 0;
    uint64_t there = w->crew.n - word * 32;
    uint32_t bits = ~device_load(&w->crew.visited[word]);
    return there < 32 ? bits & ((1u << there) - 1) : bits;
}

/* Returns the first word from `word` on with open vertices, or a word past the end.
** Usually no such word exists, so each lane looks at some words together. */
WARP_FUNCTION uint64_t paths_find_open(struct paths_worker *w, uint64_t word) {
    uint64_t words = w->crew.n / 32 + 1;
    for (; word < words; word += PATHS_WORDS * warp_width) {
        uint32_t bits[PATHS_WORDS];
        for (unsigned i = 0; i < PATHS_WORDS; i++)
            bits[i] = paths_open_bits(w, word + i * warp_width + warp_lane());
        for (unsigned i = 0; i < PATHS_WORDS; i++) {
            uint32_t lanes = warp_ballot(bits[i] != 0);
            if (lanes)
                return word + i * warp_width + lowest_bit(lanes);
        }
        if (!paths_attend(w))
            break;
    }
    return words;
}

/* The opener has taken a root. Its next root comes from vertex `next` on. */
WARP_FUNCTION void paths_count_opening(struct paths_worker *w, uint64_t next) {
    struct dfs_control *control = w->crew.control;
    warp_sync();
    if (warp_lane() == 0) {
        uint32_t openings = device_load(&control->openings) + 1;
        device_store(&control->opened, (uint32_t)next);
        device_store(&control->openings, openings);
        if (openings >= w->crew.shape.careful)
            device_store(&control->group, (uint32_t)(next / warp_width));
    }
}

/* The opener takes the next open vertex with arcs into its hands, as a root. Open
** vertices without arcs become roots too, but need no search. */
WARP_FUNCTION bool paths_open_root(struct paths_worker *w) {
    uint64_t words = w->crew.n / 32 + 1, word = words;
    if (w->crew.all_vertices)
        word = paths_find_open(w, device_load(&w->crew.control->opened) / 32);
    for (; word < words; word = paths_find_open(w, word)) {
        for (uint64_t at = word * 32; at < word * 32 + 32; at += warp_width) {
            uint64_t v = at + warp_lane(), begin, arcs;
            bool open = paths_open(w, v, &begin, &arcs);
            uint32_t with_arcs = warp_ballot(arcs > 0);
            unsigned end = with_arcs ? lowest_bit(with_arcs) + 1 : warp_width;
            if (open && warp_lane() < end) {
                device_or(&w->crew.visited[v / 32], 1u << v % 32);
                paths_root(w, v, begin, arcs);
            }
            if (with_arcs) {
                paths_count_opening(w, at + end);
                return true;
            }
        }
        if (!paths_attend(w))
            break;
    }
    return false;
}

/* True if workers open roots at will, and some vertices are in no taken group. */
WARP_FUNCTION bool paths_at_will(struct paths_worker *w) {
    return w->crew.all_vertices &&
           dfs_load(&w->crew.control->group) < w->crew.n / warp_width + 1;
}

/* Takes groups until one has an open vertex with arcs. All their open vertices become
** roots, and those with arcs go into the empty hands. The caller counts as busy. */
WARP_FUNCTION bool paths_take_at_will(struct paths_worker *w) {
    while (paths_at_will(w)) {
        uint32_t group = 0, bit = 1;
        if (warp_lane() == 0)
            group = device_add(&w->crew.control->group, 1);
        group = warp_from(group, 0);
        uint64_t v = (uint64_t)group * warp_width + warp_lane(), begin, arcs;
        if (paths_open(w, v, &begin, &arcs)) {
            bit <<= v % 32;
            if (!(device_or(&w->crew.visited[v / 32], bit) & bit))
                paths_root(w, v, begin, arcs);
        }
        if (warp_ballot(w->count > 0))
            return true;
        if (!paths_attend(w))
            return false;
    }
    return false;
}

/* An idle worker, whose block may be idle too, opens roots at will. */
WARP_FUNCTION bool paths_open_at_will(struct paths_worker *w) {
    bool alone;
    if (!paths_at_will(w) || !(paths_join(w) || paths_wake(w, &alone)))
        return false;
    if (paths_take_at_will(w))
        return true;
    paths_get_idle(w);
    return false;
}

/* A worker that has raised the busy count of the crew from 0 opens roots, or ends the
** search. If other workers may open roots too, the search ends only if no other worker is
** busy. The worker checks its own block first, because no work comes there while it
** counts as busy. */
WARP_FUNCTION bool paths_open_or_end(struct paths_worker *w) {
    uint32_t end = 1;
    struct dfs_control *control = w->crew.control;
    const bool closed = dfs_load(&control->group) == DFS_NONE;
    if (closed ? paths_open_root(w) : paths_take_at_will(w))
        return true;
    if (warp_lane() == 0) {
        if (!closed)
            end = block_add(w->block.busy, 0) == 1 && device_add(&control->busy, 0) == 1;
        if (end)
            device_store(&control->over, 1);
    }
    return false;
}

#endif
