/* The expected answers of searches, by the plainest method: repeated passes over all
** edges.
**
**     edges     e: from[e] -> to[e], weight[e], in the direction of the search; 'both'
**               has every edge twice (e, and e reversed)
**     vertices  0 .. n - 1 in the order of their ids
**     edge ids  e + 1
**
** No code comes from gpu/. */
#ifndef RANDOM_ORACLE_H
#define RANDOM_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERTICES = 300, MOST_ARCS = 4000 };

typedef struct arcs {
    int n, m;
    int from[MOST_ARCS], to[MOST_ARCS], edge[MOST_ARCS];
    bool real;
    int64_t weight[MOST_ARCS];
    double real_weight[MOST_ARCS];
} arcs;

/* A row for each vertex; -1: not reached, no parent, or no edge. */
typedef struct tree {
    int n;
    int depth[MOST_VERTICES], parent[MOST_VERTICES], edge[MOST_VERTICES];
    int root[MOST_VERTICES], pre[MOST_VERTICES], post[MOST_VERTICES];
    double real[MOST_VERTICES];               /* distance by REAL weights */
    unsigned __int128 integer[MOST_VERTICES]; /* distance by INTEGER weights */
} tree;

static inline void tree_clear(tree *t, int n) {
    memset(t, 0, sizeof *t);
    t->n = n;
    for (int v = 0; v < n; v++)
        t->depth[v] = t->parent[v] = t->edge[v] = t->root[v] = t->pre[v] = t->post[v] =
            -1;
}

static inline void find_roots(tree *t) {
    for (int v = 0; v < t->n; v++) {
        int at = v;
        while (t->parent[at] >= 0)
            at = t->parent[at];
        t->root[v] = t->depth[v] >= 0 ? at : -1;
    }
}

/* ---- breadth first ---- */

static inline void oracle_bfs(const arcs *a, const int *source, int sources, tree *t) {
    tree_clear(t, a->n);
    for (int i = 0; i < sources; i++)
        t->depth[source[i]] = 0;
    bool more = true;
    for (int level = 0; more; level++) {
        more = false;
        for (int i = 0; i < a->m; i++) {
            if (t->depth[a->from[i]] == level && t->depth[a->to[i]] < 0) {
                t->depth[a->to[i]] = level + 1;
                more = true;
            }
        }
    }
    for (int i = 0; i < a->m; i++) {
        int v = a->to[i], u = a->from[i];
        bool nearer = t->depth[u] >= 0 && t->depth[u] == t->depth[v] - 1;
        if (nearer && (t->edge[v] < 0 || a->edge[i] < t->edge[v])) {
            t->edge[v] = a->edge[i];
            t->parent[v] = u;
        }
    }
    find_roots(t);
}

/* ---- shortest paths: Dijkstra ---- */

static inline bool closer(const arcs *a, const tree *t, int u, int v) {
    return a->real ? t->real[u] < t->real[v] : t->integer[u] < t->integer[v];
}

/* Compares the path over arc i with the distance of its end: -1 shorter, 0 equal. */
static inline int compare_way(const arcs *a, const tree *t, int i) {
    int u = a->from[i], v = a->to[i];
    if (a->real) {
        double way = t->real[u] + a->real_weight[i];
        return way < t->real[v] ? -1 : way > t->real[v];
    }
    unsigned __int128 way = t->integer[u] + (unsigned __int128)a->weight[i];
    return way < t->integer[v] ? -1 : way > t->integer[v];
}

/* The tree of reached vertices (depth >= 0), by the rule for ties: least edge from a
** strictly nearer vertex; else fewest ties to such a vertex, then least edge. */
static inline void choose_parents(const arcs *a, tree *t, const bool *is_source) {
    int ties[MOST_VERTICES];
    bool more = true;
    for (int v = 0; v < a->n; v++)
        ties[v] = is_source[v] ? 0 : a->n + 1;
    for (int i = 0; i < a->m; i++)
        if (t->depth[a->from[i]] >= 0 && compare_way(a, t, i) == 0 &&
            closer(a, t, a->from[i], a->to[i]))
            ties[a->to[i]] = 0;
    while (more) {
        more = false;
        for (int i = 0; i < a->m; i++) {
            int u = a->from[i], v = a->to[i];
            if (t->depth[u] >= 0 && compare_way(a, t, i) == 0 && ties[u] + 1 < ties[v]) {
                ties[v] = ties[u] + 1;
                more = true;
            }
        }
    }
    for (int i = 0; i < a->m; i++) {
        int u = a->from[i], v = a->to[i];
        if (is_source[v] || t->depth[u] < 0 || compare_way(a, t, i) != 0)
            continue;
        bool good = ties[v] == 0 ? closer(a, t, u, v) : ties[u] + 1 == ties[v];
        if (good && (t->edge[v] < 0 || a->edge[i] < t->edge[v])) {
            t->edge[v] = a->edge[i];
            t->parent[v] = u;
        }
    }
    find_roots(t);
}

/* Sets depth to 0 for reached vertices; it has no other meaning here. */
static inline void oracle_sssp(const arcs *a, const int *source, int sources, tree *t) {
    bool is_source[MOST_VERTICES] = {false}, settled[MOST_VERTICES] = {false};
    tree_clear(t, a->n);
    for (int v = 0; v < a->n; v++) {
        t->real[v] = INFINITY;
        t->integer[v] = (unsigned __int128)-1 >> 1;
    }
    for (int i = 0; i < sources; i++) {
        is_source[source[i]] = true;
        t->real[source[i]] = 0;
        t->integer[source[i]] = 0;
        t->depth[source[i]] = 0;
    }
    for (;;) {
        int u = -1;
        for (int v = 0; v < a->n; v++)
            if (!settled[v] && t->depth[v] >= 0 && (u < 0 || closer(a, t, v, u)))
                u = v;
        if (u < 0)
            break;
        settled[u] = true;
        for (int i = 0; i < a->m; i++) {
            if (a->from[i] != u || compare_way(a, t, i) >= 0)
                continue;
            t->depth[a->to[i]] = 0;
            if (a->real)
                t->real[a->to[i]] = t->real[u] + a->real_weight[i];
            else
                t->integer[a->to[i]] = t->integer[u] + (unsigned __int128)a->weight[i];
        }
    }
    choose_parents(a, t, is_source);
}

static inline bool over_integer_range(const arcs *a, const tree *t) {
    bool over = false;
    for (int v = 0; v < t->n && !a->real; v++)
        over |= t->depth[v] >= 0 && t->integer[v] > INT64_MAX;
    return over;
}

/* ---- depth first, neighbours in order ---- */

static inline void dfs_from(const arcs *a, tree *t, int v, int *entered, int *left) {
    t->pre[v] = (*entered)++;
    for (;;) {
        int next = -1;
        for (int i = 0; i < a->m; i++) {
            if (a->from[i] != v || t->depth[a->to[i]] >= 0)
                continue;
            bool before = next < 0 || a->to[i] < a->to[next] ||
                          (a->to[i] == a->to[next] && a->edge[i] < a->edge[next]);
            next = before ? i : next;
        }
        if (next < 0)
            break;
        int u = a->to[next];
        t->depth[u] = t->depth[v] + 1;
        t->parent[u] = v;
        t->edge[u] = a->edge[next];
        dfs_from(a, t, u, entered, left);
    }
    t->post[v] = (*left)++;
}

/* source -1: searches from every vertex in order. */
static inline void oracle_dfs(const arcs *a, int source, tree *t) {
    int entered = 0, left = 0;
    tree_clear(t, a->n);
    for (int v = source < 0 ? 0 : source; v < (source < 0 ? a->n : source + 1); v++) {
        if (t->depth[v] >= 0)
            continue;
        t->depth[v] = 0;
        dfs_from(a, t, v, &entered, &left);
    }
    find_roots(t);
}

/* ---- the undirected simple graph ---- */

typedef struct matrix {
    int n;
    int degree[MOST_VERTICES];
    bool near[MOST_VERTICES][MOST_VERTICES];
} matrix;

static inline void matrix_of(const arcs *a, matrix *x) {
    memset(x, 0, sizeof *x);
    x->n = a->n;
    for (int i = 0; i < a->m; i++)
        if (a->from[i] != a->to[i])
            x->near[a->from[i]][a->to[i]] = x->near[a->to[i]][a->from[i]] = true;
    for (int u = 0; u < x->n; u++)
        for (int v = 0; v < x->n; v++)
            x->degree[u] += x->near[u][v];
}

static inline int oracle_triangles(const matrix *x) {
    int count = 0;
    for (int u = 0; u < x->n; u++)
        for (int v = u + 1; v < x->n; v++)
            for (int w = v + 1; w < x->n; w++)
                count += x->near[u][v] && x->near[v][w] && x->near[u][w];
    return count;
}

/* The greedy set in order of ids, or of degrees and then ids. */
static inline void oracle_mis(const matrix *x, bool by_degree, bool *member) {
    memset(member, 0, (size_t)x->n * sizeof *member);
    for (int degree = 0; degree < (by_degree ? x->n : 1); degree++) {
        for (int v = 0; v < x->n; v++) {
            bool joins = !by_degree || x->degree[v] == degree;
            for (int u = 0; u < x->n; u++)
                joins = joins && !(x->near[v][u] && member[u]);
            member[v] = member[v] || joins;
        }
    }
}

#endif
