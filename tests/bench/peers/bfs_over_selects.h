/* A breadth-first search over prepared SELECTs, with which bench_sql compares gpu_bfs. It
** works like SQLite's ext/misc/closure.c: visited vertices are in an AVL tree and in a
** queue, and each needs one SELECT on a covering index. The search returns no rows. */
#ifndef BENCH_BFS_OVER_SELECTS_H
#define BENCH_BFS_OVER_SELECTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct seen_vertex {
    struct seen_vertex *child[2], *next; /* smaller and larger ids; the queue */
    sqlite3_int64 id;
    int depth, height;
} seen_vertex;

static int height_of(const seen_vertex *v) {
    return v ? v->height : 0;
}

static void measure_height(seen_vertex *v) {
    int a = height_of(v->child[0]), b = height_of(v->child[1]);
    v->height = 1 + (a > b ? a : b);
}

/* Rotates the child on that side up. */
static seen_vertex *rotate(seen_vertex *v, int side) {
    seen_vertex *up = v->child[side];
    v->child[side] = up->child[!side];
    up->child[!side] = v;
    measure_height(v);
    measure_height(up);
    return up;
}

static seen_vertex *balance(seen_vertex *v) {
    for (int side = 0; side < 2; side++) {
        seen_vertex *child = v->child[side];
        if (height_of(child) <= height_of(v->child[!side]) + 1)
            continue;
        if (height_of(child->child[!side]) > height_of(child->child[side]))
            v->child[side] = rotate(child, !side);
        return rotate(v, side);
    }
    measure_height(v);
    return v;
}

/* Returns the vertex `id`, and sets *added if it is new. */
static seen_vertex *see(seen_vertex **root, sqlite3_int64 id, bool *added) {
    seen_vertex **path[64];
    int length = 0;
    for (; *root && (*root)->id != id; root = &(*root)->child[id > (*root)->id])
        path[length++] = root;
    *added = !*root;
    if (!*added)
        return *root;
    seen_vertex *v = *root = sqlite3_malloc(sizeof **root);
    *v = (seen_vertex){.id = id, .height = 1};
    while (length-- > 0) {
        int before = (*path[length])->height;
        *path[length] = balance(*path[length]);
        if ((*path[length])->height == before)
            break;
    }
    return v;
}

static sqlite3_int64 free_seen(seen_vertex *v) {
    if (!v)
        return 0;
    sqlite3_int64 count = 1 + free_seen(v->child[0]) + free_seen(v->child[1]);
    sqlite3_free(v);
    return count;
}

static sqlite3_int64 bfs_over_selects(sqlite3 *db) {
    sqlite3_stmt *neighbours;
    seen_vertex *root = NULL;
    bool added;
    if (sqlite3_prepare_v2(db, "SELECT dst FROM roads WHERE src = ?", -1, &neighbours,
                           NULL) != SQLITE_OK)
        abort();
    seen_vertex *last = see(&root, 1, &added);
    for (seen_vertex *v = last; v; v = v->next) {
        sqlite3_bind_int64(neighbours, 1, v->id);
        while (sqlite3_step(neighbours) == SQLITE_ROW) {
            seen_vertex *to = see(&root, sqlite3_column_int64(neighbours, 0), &added);
            if (!added)
                continue;
            to->depth = v->depth + 1;
            last = last->next = to;
        }
        sqlite3_reset(neighbours);
    }
    sqlite3_finalize(neighbours);
    return free_seen(root);
}

#endif
