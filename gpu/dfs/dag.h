/* The lexicographic depth-first tree of an acyclic graph, without a walk: what is done with
** an arc of such a graph. Arcs are looked at in rounds, those of a vertex in the round after
** the one that settled it, so links change only between rounds.
**
** Without cycles the tree's way to v is, of all ways to v, the one that comes first by its
** vertices in order. Cut off behind any vertex of it, it is the first way to there. So v's
** parent is that u, of those with an arc to v, for which "the tree's way to u, then v" comes
** first; and all of these are known once every arc into v was looked at. A forest is the tree
** of one more vertex with an arc to every other: v becomes a root where no way from a smaller
** root leads to it.
**
**     left    arcs into v not yet looked at; who takes the last one settles v, whose own arcs
**             come next: a topological peel. What lies on a cycle is never settled.
**     best    v's parent so far, or DFS_NONE
**     link    parent << 32 | jump, of a settled vertex; the jump of a root leads to itself
**     depth   of a settled vertex, else DFS_NONE
**
** Which of two ways comes first is decided where they part. Jumps find that place in
** O(log depth) steps: where the depth, as a sum of numbers 2^k - 1, has the smallest term w,
** the jump leads w steps up; so vertices of one depth jump to one depth.
**
** After Naumov, Vrielink, Garland (IA3 2017), who compare the ways themselves, letter by
** letter; jumps after Myers (Information Processing Letters 17, 1983). */
#ifndef GPUGRAPH_DFS_DAG_H
#define GPUGRAPH_DFS_DAG_H

#include "base/warp.h"

#define DAG_NONE UINT32_MAX

/* Arrays by vertex; a view by value. */
struct dfs_dag {
    uint32_t *left, *best, *depth;
    uint64_t *link;
    bool whole; /* a forest over all vertices */
};

WARP_FUNCTION uint32_t dag_parent(uint64_t link) {
    return (uint32_t)(link >> 32);
}
WARP_FUNCTION uint32_t dag_jump(uint64_t link) {
    return (uint32_t)link;
}

/* Steps of the jump from that depth, which is not 0. */
WARP_FUNCTION uint32_t dag_leap(uint32_t depth) {
    uint32_t term = 0;
    while (depth > 0) {
        term = (1u << highest_bit(depth + 1)) - 1;
        depth -= term;
    }
    return term;
}

/* The vertex above v, or v, at depth `to`. */
WARP_FUNCTION uint32_t dag_lift(const struct dfs_dag *dag, uint32_t v, uint32_t depth,
                                uint32_t to) {
    while (depth > to) {
        uint64_t link = dag->link[v];
        uint32_t leap = dag_leap(depth);
        bool far = depth - leap >= to;
        v = far ? dag_jump(link) : dag_parent(link);
        depth -= far ? leap : 1;
    }
    return v;
}

/* Of two vertices at one depth that differ: does the way to a come first? */
WARP_FUNCTION bool dag_level_before(const struct dfs_dag *dag, uint32_t a, uint32_t b) {
    for (;;) {
        uint64_t to_a = dag->link[a], to_b = dag->link[b];
        if (dag_parent(to_a) == dag_parent(to_b))
            return a < b;
        bool far = dag_jump(to_a) != dag_jump(to_b);
        a = far ? dag_jump(to_a) : dag_parent(to_a);
        b = far ? dag_jump(to_b) : dag_parent(to_b);
    }
}

/* Settled vertices a and b differ, and both have an arc to v, which is on neither way: does
** v come earlier by way of a? Where a is above b, v is compared with the child of a. */
WARP_FUNCTION bool dag_before(const struct dfs_dag *dag, uint32_t a, uint32_t b,
                              uint32_t v) {
    uint32_t of_a = dag->depth[a], of_b = dag->depth[b];
    if (of_a < of_b) {
        uint32_t child = dag_lift(dag, b, of_b, of_a + 1);
        b = dag_parent(dag->link[child]);
        if (b == a)
            return v < child;
    } else if (of_b < of_a) {
        uint32_t child = dag_lift(dag, a, of_a, of_b + 1);
        a = dag_parent(dag->link[child]);
        if (a == b)
            return child < v;
    }
    return dag_level_before(dag, a, b);
}

/* The settled vertex u has an arc to v. */
WARP_FUNCTION void dag_offer(const struct dfs_dag *dag, uint32_t u, uint32_t v) {
    uint32_t best = device_load(&dag->best[v]);
    while (best != u && (best == DAG_NONE || dag_before(dag, u, best, v)) &&
           !device_try(&dag->best[v], &best, u))
        ;
}

/* Every arc into v was looked at. */
WARP_FUNCTION void dag_settle(const struct dfs_dag *dag, uint32_t v) {
    uint32_t up = dag->best[v], depth = dag->depth[up];
    if (dag->whole && dag_lift(dag, up, depth, 0) > v) {
        dag->best[v] = DAG_NONE;
        dag->link[v] = (uint64_t)DAG_NONE << 32 | v;
        dag->depth[v] = 0;
        return;
    }
    uint32_t jump = up;
    if (depth > 0) {
        uint32_t leap = dag_leap(depth), above = depth - leap;
        if (above > 0 && dag_leap(above) == leap)
            jump = dag_jump(dag->link[dag_jump(dag->link[up])]);
    }
    dag->link[v] = (uint64_t)up << 32 | jump;
    dag->depth[v] = depth + 1;
}

/* One arc from the settled vertex u. True: it was the last one into v, which is settled and
** the caller's. */
WARP_FUNCTION bool dag_take_arc(const struct dfs_dag *dag, uint32_t u, uint32_t v) {
    if (u == v)
        return false;
    dag_offer(dag, u, v);
    if (device_add(&dag->left[v], UINT32_MAX) != 1)
        return false;
    dag_settle(dag, v);
    return true;
}

/* A vertex without arcs into it, before the first round. */
WARP_FUNCTION void dag_plant(const struct dfs_dag *dag, uint32_t v) {
    dag->link[v] = (uint64_t)DAG_NONE << 32 | v;
    dag->depth[v] = 0;
}

#endif
