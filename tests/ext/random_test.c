/* Compares functions, in each direction and by each method and backend, with simple
** oracles (random_oracle.h), through SQL, on small graphs of many shapes.
**
**     shape       vertex 0 .. n - 1, edge 0 .. m - 1
**     ids(v, id)  the vertices' ids, ascending, so v is also the order of ids
**     g(e, src, dst, weight, code)      e + 1 is the edge id, code this id as a text
**     read as     table | its columns | view | query with the rows in another order, some
**                 with texts as edge ids, or with a second weight that is closed
**
** The table ids maps the ids in an answer back to vertex numbers. So one oracle serves
** all kinds of ids and all edge sources. */
/* ctest: wide-addresses=0 cells */
#include "sql.h"
#include "graph_data.h"

#include "expect.h"
#include "suite.h"
#include "graphs.h"
#include "share.h"
#include "random_oracle.h"
#include <stdio.h>

/* ---- graphs as tables ---- */

enum id_kind { NUMBERS, ENDS_OF_64_BITS, TEXTS, MIXED, ID_KINDS };
enum weight_kind { SMALL_WEIGHTS, LARGE_WEIGHTS, TENTHS, VAST_WEIGHTS, WEIGHT_KINDS };

static const char *const directions[] = {"out", "in", "both"};
enum { DIRECTIONS = 3, SEEDS = 2 };

static const char *const forms[] = {
    "g",
    "main.\"g\"(src, dst, weight)",
    "gv",
    "SELECT src, dst, weight, e FROM g ORDER BY e * 7919 % 1009, e",
    "g(src, dst, weight, code)",
    "g(src, dst, weight, e, closed)",
    "SELECT dst, src, closed, e, weight FROM g ORDER BY random()",
    "SELECT src, dst, weight, CASE WHEN e < 6 THEN e ELSE code END FROM g ORDER BY -e",
};
enum { FORMS = sizeof forms / sizeof *forms };

static shape s;
static enum id_kind ids;
static arcs towards[DIRECTIONS];
static matrix simple;
static char what[300]; /* the graph and statement under way, for messages */

/* Binds the v-th smallest id. */
static void bind_id(sqlite3_stmt *statement, int place, int v) {
    /* A NUL inside, bytes outside ASCII, and different lengths. */
    static const char *const heads[] = {"a\0b", "a", "\xc3\xa9",
                                        "\xe6\xbc\xa2\xe5\xad\x97"};
    static const int lengths[] = {3, 1, 2, 6};
    char text[40];
    int half = (int)s.vertices / 2, part = v * 4 / (int)s.vertices;
    memcpy(text, heads[part], (size_t)lengths[part]);
    int length = lengths[part] + snprintf(text + lengths[part], 20, "/%05d", v);
    if (ids == NUMBERS)
        sqlite3_bind_int64(statement, place, v + 1);
    else if (ids == ENDS_OF_64_BITS)
        sqlite3_bind_int64(statement, place,
                           v < half ? INT64_MIN + 3 * v
                                    : INT64_MAX - 3 * ((int)s.vertices - 1 - v));
    else if (ids == MIXED && v < half) /* a vertex 1 exists, too */
        sqlite3_bind_int64(statement, place, v - half / 2);
    else if (ids == MIXED && v < half + 2)
        sqlite3_bind_text(statement, place, v == half ? "" : "1", -1, SQLITE_STATIC);
    else
        sqlite3_bind_text(statement, place, text, length, SQLITE_TRANSIENT);
}

static void step_once(sqlite3_stmt *statement) {
    expect(sqlite3_step(statement) == SQLITE_DONE, "%s", sqlite3_errmsg(db));
    sqlite3_reset(statement);
}

static void fill_tables(const arcs *out) {
    sqlite3_stmt *id, *edge;
    run("DELETE FROM ids; DELETE FROM g");
    sqlite3_prepare_v2(db, "INSERT INTO ids VALUES (?1, ?2)", -1, &id, NULL);
    sqlite3_prepare_v2(db,
                       "INSERT INTO g(e, src, dst, weight, code) "
                       "VALUES (?1, ?2, ?3, ?4, printf('%05d', ?1))",
                       -1, &edge, NULL);
    for (int v = 0; v < out->n; v++) {
        sqlite3_bind_int(id, 1, v);
        bind_id(id, 2, v);
        step_once(id);
    }
    for (int e = 0; e < out->m; e++) {
        sqlite3_bind_int(edge, 1, e + 1);
        bind_id(edge, 2, out->from[e]);
        bind_id(edge, 3, out->to[e]);
        if (out->real)
            sqlite3_bind_double(edge, 4, out->real_weight[e]);
        else
            sqlite3_bind_int64(edge, 4, out->weight[e]);
        step_once(edge);
    }
    sqlite3_finalize(id);
    sqlite3_finalize(edge);
}

static void weigh(arcs *a, int i, enum weight_kind kind, uint64_t dice) {
    a->real = kind == TENTHS;
    a->real_weight[i] = (double)(dice % 7) / 10;
    a->weight[i] = kind == SMALL_WEIGHTS   ? (int64_t)(dice % 5)
                   : kind == LARGE_WEIGHTS ? (int64_t)(dice % ((uint64_t)1 << 52))
                                           : (int64_t)(dice >> (dice % 3 ? 30 : 1));
}

static void add_arc(arcs *a, const arcs *of, int i, bool turned) {
    int at = a->m++;
    a->from[at] = turned ? of->to[i] : of->from[i];
    a->to[at] = turned ? of->from[i] : of->to[i];
    a->edge[at] = of->edge[i];
    a->weight[at] = of->weight[i];
    a->real_weight[at] = of->real_weight[i];
}

static void make_graph(int shape_number, uint64_t seed) {
    bool more = shape_small(shape_number, seed, &s);
    expect(more && s.vertices <= MOST_VERTICES && 2 * s.edges <= MOST_ARCS, "%s is large",
           s.name);
    uint64_t dice = seed * 977 + (uint64_t)shape_number;
    enum weight_kind weights = shape_random(&dice) % WEIGHT_KINDS;
    ids = shape_random(&dice) % ID_KINDS;
    memset(towards, 0, sizeof towards);
    arcs *out = &towards[0], *in = &towards[1], *both = &towards[2];
    out->n = in->n = both->n = (int)s.vertices;
    for (int e = 0; e < s.edges; e++) {
        out->from[e] = (int)s.source[e];
        out->to[e] = (int)s.target[e];
        out->edge[e] = e;
        weigh(out, e, weights, shape_random(&dice));
    }
    out->m = (int)s.edges;
    in->real = both->real = out->real;
    for (int e = 0; e < out->m; e++) {
        add_arc(in, out, e, true);
        add_arc(both, out, e, false);
        add_arc(both, out, e, true);
    }
    matrix_of(out, &simple);
    run("BEGIN");
    fill_tables(out);
    run("COMMIT");
    shape_free(&s);
}

/* ---- answers as trees ---- */

/* The number of the id's vertex, in SQL. */
#define NUMBER_OF(column)                                                                \
    "(SELECT v FROM ids WHERE id = " column " AND typeof(id) = typeof(" column "))"

/* Reads rows of (v, depth or distance, parent, edge, pre, post, root), NULL as -1.
** Returns the number of rows, or -1 after an error. */
static int read_tree(const char *sql, bool real, bool distances, tree *t) {
    sqlite3_stmt *statement;
    int count = 0, rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    sqlite3_snprintf(sizeof what, what, "%s", sql);
    tree_clear(t, towards[0].n);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(statement);
        if (rc != SQLITE_ROW)
            break;
        int value[7], v = sqlite3_column_int(statement, 0);
        for (int i = 0; i < 7; i++)
            value[i] = sqlite3_column_type(statement, i) == SQLITE_NULL
                           ? -1
                           : sqlite3_column_int(statement, i);
        expect(value[0] >= 0 && v < t->n && t->depth[v] < 0, "%s: vertex %d twice", what,
               v);
        int type = sqlite3_column_type(statement, 1);
        expect(type == (real ? SQLITE_FLOAT : SQLITE_INTEGER), "%s: type %d", what, type);
        t->depth[v] = distances ? 0 : value[1];
        t->real[v] = sqlite3_column_double(statement, 1);
        t->integer[v] = (unsigned __int128)sqlite3_column_int64(statement, 1);
        t->parent[v] = value[2];
        t->edge[v] = value[3] < 0 ? -1 : value[3] - 1;
        t->pre[v] = value[4];
        t->post[v] = value[5];
        t->root[v] = value[6];
        count++;
    }
    sqlite3_finalize(statement);
    return rc == SQLITE_DONE ? count : -1;
}

static void expect_tree(const tree *got, const tree *wanted, bool distances, bool real) {
    for (int v = 0; v < wanted->n; v++) {
        bool equal = got->depth[v] == wanted->depth[v] &&
                     got->parent[v] == wanted->parent[v] &&
                     got->edge[v] == wanted->edge[v] && got->root[v] == wanted->root[v];
        if (equal && distances && wanted->depth[v] >= 0)
            equal = real ? got->real[v] == wanted->real[v]
                         : got->integer[v] == wanted->integer[v];
        expect(
            equal,
            "%s\nvertex %d of %d: depth %d, parent %d, edge %d, source %d, distance %g; "
            "wanted %d, %d, %d, %d, %g",
            what, v, wanted->n, got->depth[v], got->parent[v], got->edge[v], got->root[v],
            real ? got->real[v] : (double)got->integer[v], wanted->depth[v],
            wanted->parent[v], wanted->edge[v], wanted->root[v],
            real ? wanted->real[v] : (double)wanted->integer[v]);
    }
}

/* ---- methods and backends ---- */

/* The SQL conditions that choose a method and a backend for the tests below. */
static char where[120];
static uint64_t turn; /* state of the generator for forms and vertices */

static const char *form(void) {
    return forms[shape_random(&turn) % FORMS];
}

static int any_vertex(void) {
    return (int)(shape_random(&turn) % (uint64_t)towards[0].n);
}

static bool present(const char *backend) {
    const char *backends = getenv("GPUGRAPH_TEST_BACKENDS");
    return strstr(backends ? backends : "cpu", backend) != NULL;
}

static void by_each_method(const char *function, void (*check)(void)) {
    sqlite3_stmt *methods;
    sqlite3_prepare_v2(db,
                       "SELECT method, backend FROM gpugraph_methods WHERE function = ?1 "
                       "UNION ALL SELECT 'auto', 'auto'",
                       -1, &methods, NULL);
    sqlite3_bind_text(methods, 1, function, -1, SQLITE_STATIC);
    while (sqlite3_step(methods) == SQLITE_ROW) {
        const char *backend = (const char *)sqlite3_column_text(methods, 1);
        if (strcmp(backend, "auto") != 0 && !present(backend))
            continue;
        sqlite3_snprintf(sizeof where, where,
                         "vertices = 'ids(id)' AND method = '%s' AND backend = '%s'",
                         sqlite3_column_text(methods, 0), backend);
        check();
    }
    sqlite3_finalize(methods);
}

/* ---- breadth first and shortest paths ---- */

static const char *value_name(bool weighted) {
    return weighted ? "distance" : "depth";
}

/* `start` is the constraint with the sources. */
static void check_distances_from(bool weighted, int d, const char *start,
                                 const int *source, int sources) {
    static tree wanted, got;
    const arcs *a = &towards[d];
    bool real = weighted && a->real;
    (weighted ? oracle_sssp : oracle_bfs)(a, source, sources, &wanted);
    char *sql = sqlite3_mprintf(
        "SELECT " NUMBER_OF("vertex") ", %s, " NUMBER_OF(
            "parent") ", edge, NULL, NULL, " NUMBER_OF("source") " FROM gpu_%s WHERE "
                                                                 "edges = %Q AND %s AND "
                                                                 "direction = '%s' AND "
                                                                 "%s",
        value_name(weighted), weighted ? "sssp" : "bfs", form(), start, directions[d],
        where);
    int count = read_tree(sql, real, weighted, &got);
    if (weighted && over_integer_range(a, &wanted))
        expect(count < 0 && strstr(sqlite3_errmsg(db), "INTEGER range"), "%s: %d, %s",
               what, count, sqlite3_errmsg(db));
    else
        expect(count >= 0, "%s: %s", what, sqlite3_errmsg(db));
    if (count >= 0)
        expect_tree(&got, &wanted, weighted, real);
    sqlite3_free(sql);
}

/* Compares the rows up to a bound, and the target's row, with all rows. */
static void check_bounds(bool weighted, int d, int v, int target) {
    const char *function = weighted ? "sssp" : "bfs", *value = value_name(weighted);
    char *all = sqlite3_mprintf("SELECT vertex, %s, parent, edge FROM gpu_%s('g', "
                                "(SELECT id FROM ids WHERE v = %d))"
                                " WHERE direction = '%s' AND %s",
                                value, function, v, directions[d], where);
    char *middle = ask("SELECT coalesce(avg(%s), 0) FROM (%s)", value, all);
    char *bounded = sqlite3_mprintf("%s AND max_%s = CAST(%s AS INTEGER) ORDER BY vertex",
                                    all, value, middle);
    char *filtered =
        sqlite3_mprintf("SELECT * FROM (%s) WHERE +%s <= CAST(%s AS INTEGER) "
                        "ORDER BY vertex",
                        all, value, middle);
    expect_same(bounded, filtered);
    char *one =
        sqlite3_mprintf("%s AND target = (SELECT id FROM ids WHERE v = %d)", all, target);
    char *same = sqlite3_mprintf("SELECT * FROM (%s) WHERE +vertex = (SELECT id FROM ids "
                                 "WHERE v = %d)",
                                 all, target);
    expect_same(one, same);
    char *path = ask("SELECT %s FROM (%s)", value, one);
    char *end =
        ask("SELECT distance FROM gpu_path('g', (SELECT id FROM ids WHERE v = %d), "
            "(SELECT id FROM ids WHERE v = %d)) WHERE direction = '%s' AND weighted "
            "= %d AND %s ORDER BY seq DESC LIMIT 1",
            v, target, directions[d], weighted, where);
    /* Steps of cost 1 are summed as weights are: REAL if weights are REAL. */
    expect(weighted ? strcmp(path, end) == 0 : atof(path) == atof(end), "%s: %s, path %s",
           one, path, end);
    char *texts[] = {all, middle, bounded, filtered, one, same, path, end};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sqlite3_free(texts[i]);
}

static void check_distances(bool weighted) {
    char start[200];
    for (int d = 0; d < DIRECTIONS && towards[0].n > 0; d++) {
        int source[3] = {any_vertex(), any_vertex(), any_vertex()};
        sqlite3_snprintf(sizeof start, start,
                         "source = (SELECT id FROM ids WHERE v = %d)", source[0]);
        check_distances_from(weighted, d, start, source, 1);
        sqlite3_snprintf(
            sizeof start, start,
            "sources = (SELECT json_group_array(id) FROM ids WHERE v IN (%d, "
            "%d, %d))",
            source[0], source[1], source[2]);
        if (ids == NUMBERS || ids == ENDS_OF_64_BITS)
            check_distances_from(weighted, d, start, source, 3);
        static tree wanted;
        oracle_sssp(&towards[d], source, 1, &wanted);
        if (!weighted || !over_integer_range(&towards[d], &wanted))
            check_bounds(weighted, d, source[0], source[1]);
    }
}

static void check_bfs(void) {
    check_distances(false);
}

static void check_sssp(void) {
    check_distances(true);
}

/* Every row of a path is a step of the oracle's tree. */
static void check_path(void) {
    static tree wanted;
    for (int d = 0; d < DIRECTIONS && towards[0].n > 0; d++) {
        const arcs *a = &towards[d];
        int source = any_vertex(), target = any_vertex(), steps = 0, seq = 0;
        oracle_sssp(a, &source, 1, &wanted);
        if (over_integer_range(a, &wanted))
            continue;
        int chain[MOST_VERTICES];
        for (int v = wanted.depth[target] < 0 ? -1 : target; v >= 0; v = wanted.parent[v])
            chain[steps++] = v;
        char *sql = sqlite3_mprintf(
            "SELECT seq, " NUMBER_OF("vertex") ", edge, cost, distance FROM gpu_path(%Q, "
                                               "(SELECT id FROM ids WHERE v = %d), "
                                               "(SELECT id FROM ids WHERE v = %d)) WHERE "
                                               "direction = '%s' AND %s ORDER BY seq",
            form(), source, target, directions[d], where);
        sqlite3_stmt *statement;
        int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
        while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
            int v = sqlite3_column_int(statement, 1);
            expect(seq < steps && sqlite3_column_int(statement, 0) == seq &&
                       v == chain[steps - 1 - seq],
                   "%s: row %d", sql, seq);
            int edge = sqlite3_column_type(statement, 2) == SQLITE_NULL
                           ? -1
                           : sqlite3_column_int(statement, 2) - 1;
            expect(edge == wanted.edge[v], "%s: row %d: edge %d", sql, seq, edge);
            expect(a->real
                       ? sqlite3_column_double(statement, 4) == wanted.real[v]
                       : sqlite3_column_int64(statement, 4) == (int64_t)wanted.integer[v],
                   "%s: row %d: distance", sql, seq);
            seq++;
        }
        expect(seq == steps, "%s: %d rows, wanted %d: %s", sql, seq, steps,
               sqlite3_errmsg(db));
        sqlite3_finalize(statement);
        sqlite3_free(sql);
    }
}

/* ---- depth first ---- */

static int read_dfs(int d, int source, bool ordered, tree *got) {
    char start[60] = "1";
    if (source >= 0)
        sqlite3_snprintf(sizeof start, start,
                         "source = (SELECT id FROM ids WHERE v = %d)", source);
    char *sql = sqlite3_mprintf(
        "SELECT " NUMBER_OF("vertex") ", depth, " NUMBER_OF(
            "parent") ", edge, "
                      "preorder, postorder, NULL FROM gpu_dfs WHERE edges = %Q AND "
                      "ordered = %d AND direction = '%s' AND %s AND %s",
        form(), ordered, directions[d], start, where);
    int count = read_tree(sql, false, false, got);
    expect(count >= 0, "%s: %s", what, sqlite3_errmsg(db));
    sqlite3_free(sql);
    find_roots(got);
    return count;
}

/* Checks that the tree has all reachable vertices, that its edges exist, and that its
** preorder and postorder are right. */
static void expect_some_dfs(const arcs *a, int source, const tree *t, int count) {
    static tree reach;
    int size[MOST_VERTICES] = {0}, reached = 0;
    bool pre[MOST_VERTICES] = {false}, post[MOST_VERTICES] = {false};
    if (source >= 0)
        oracle_bfs(a, &source, 1, &reach);
    for (int v = 0; v < a->n; v++) {
        bool here = source < 0 || reach.depth[v] >= 0;
        expect(here == (t->depth[v] >= 0), "%s: vertex %d is reached or not", what, v);
        reached += here;
        for (int u = v; u >= 0 && here; u = t->parent[u])
            size[u]++;
    }
    expect(reached == count, "%s: %d rows", what, count);
    for (int v = 0; v < a->n; v++) {
        if (t->depth[v] < 0)
            continue;
        int up = t->parent[v], best = -1;
        expect(up < 0 ? t->depth[v] == 0 && t->edge[v] < 0 && (source < 0 || v == source)
                      : t->depth[up] == t->depth[v] - 1 && t->pre[up] < t->pre[v],
               "%s: vertex %d below %d", what, v, up);
        for (int i = 0; i < a->m; i++)
            if (a->from[i] == up && a->to[i] == v && (best < 0 || a->edge[i] < best))
                best = a->edge[i];
        expect(t->edge[v] == best, "%s: vertex %d: edge %d, not %d", what, v, t->edge[v],
               best);
        expect(t->pre[v] >= 0 && t->pre[v] < count && !pre[t->pre[v]] &&
                   t->post[v] >= 0 && t->post[v] < count && !post[t->post[v]] &&
                   t->post[v] == t->pre[v] + size[v] - 1 - t->depth[v],
               "%s: vertex %d: preorder %d, postorder %d, %d below it", what, v,
               t->pre[v], t->post[v], size[v]);
        pre[t->pre[v]] = post[t->post[v]] = true;
    }
}

static void check_dfs(void) {
    static tree wanted, got;
    bool orders = strstr(where, "'serial'") || strstr(where, "method = 'auto'");
    for (int d = 0; d < DIRECTIONS; d++) {
        for (int forest = 0; forest < 2; forest++) {
            if (!forest && towards[0].n == 0)
                continue;
            int source = forest ? -1 : any_vertex();
            int count = read_dfs(d, source, false, &got);
            expect_some_dfs(&towards[d], source, &got, count);
            if (!orders)
                continue;
            read_dfs(d, source, true, &got);
            oracle_dfs(&towards[d], source, &wanted);
            expect_tree(&got, &wanted, false, false);
            for (int v = 0; v < wanted.n; v++)
                expect(got.pre[v] == wanted.pre[v] && got.post[v] == wanted.post[v],
                       "%s: vertex %d: preorder %d, postorder %d; wanted %d, %d", what, v,
                       got.pre[v], got.post[v], wanted.pre[v], wanted.post[v]);
        }
    }
}

/* ---- sets and triangles ---- */

static void read_set(const char *source, const char *priority, int seed, bool *member) {
    static tree got;
    char *sql = sqlite3_mprintf(
        "SELECT " NUMBER_OF(
            "vertex") ", 0, NULL, NULL, NULL, NULL, NULL FROM "
                      "gpu_mis(%Q) WHERE priority = '%s' AND seed = %d AND %s",
        source, priority, seed, where);
    int count = read_tree(sql, false, false, &got);
    expect(count >= 0, "%s: %s", what, sqlite3_errmsg(db));
    for (int v = 0; v < got.n; v++)
        member[v] = got.depth[v] >= 0;
    sqlite3_free(sql);
}

/* Checks that no two members are neighbours, and that each other vertex has a member as a
** neighbour; by_degree: a member whose degree is not larger. */
static void expect_maximal(const bool *member, bool by_degree) {
    for (int v = 0; v < simple.n; v++) {
        bool beside = false;
        for (int u = 0; u < simple.n; u++) {
            if (!simple.near[v][u] || !member[u])
                continue;
            expect(!member[v], "%s: %d and %d are neighbours", what, u, v);
            beside |= !by_degree || simple.degree[u] <= simple.degree[v];
        }
        expect(member[v] || beside, "%s: %d could join", what, v);
    }
}

static bool first_set[4][2][MOST_VERTICES]; /* the answers of the first method */
static bool have_set;

static void check_mis(void) {
    static const char *const priorities[] = {"degree", "random", "id", "degree-id"};
    bool member[MOST_VERTICES] = {false}, wanted[MOST_VERTICES];
    for (int p = 0; p < 4; p++) {
        for (int seed = 0; seed < 2; seed++) {
            read_set(form(), priorities[p], seed, member);
            expect_maximal(member, p == 0 || p == 3);
            if (!have_set)
                memcpy(first_set[p][seed], member, sizeof member);
            expect(memcmp(first_set[p][seed], member,
                          (size_t)simple.n * sizeof *member) == 0,
                   "%s: another set than before", what);
            if (p < 2)
                continue;
            oracle_mis(&simple, p == 3, wanted);
            expect(memcmp(wanted, member, (size_t)simple.n * sizeof *wanted) == 0,
                   "%s: not the greedy set", what);
        }
    }
    have_set = true;
}

static void check_triangles(void) {
    for (int b = 0; b < 2; b++) {
        const char *backend = b ? "cuda" : "cpu";
        if (!present(backend))
            continue;
        run("SELECT gpugraph_config('backend', '%s')", backend);
        for (int f = 0; f < FORMS; f++) {
            char *count = ask("SELECT gpugraph_triangles(%Q)", forms[f]);
            expect(atoi(count) == oracle_triangles(&simple) && *count != 'e', "%s: %s",
                   forms[f], count);
            sqlite3_free(count);
        }
    }
    run("SELECT gpugraph_config('backend', 'auto')");
}

/* ---- tests ---- */

static void open_tables(void) {
    sql_open();
    run("CREATE TABLE ids(v INTEGER PRIMARY KEY, id); CREATE INDEX by_id ON ids(id);"
        "CREATE TABLE g(e INTEGER PRIMARY KEY, src, dst, weight, code TEXT, "
        "closed AS (CASE e %% 2 WHEN 0 THEN -1 END));"
        "CREATE VIEW gv AS SELECT src, dst, weight, e AS id FROM g ORDER BY random()");
}

static void check_shape(int shape_number, uint64_t seed) {
    turn = seed + (uint64_t)shape_number;
    make_graph(shape_number, seed);
    have_set = false;
    by_each_method("gpu_bfs", check_bfs);
    by_each_method("gpu_sssp", check_sssp);
    by_each_method("gpu_sssp", check_path);
    by_each_method("gpu_dfs", check_dfs);
    by_each_method("gpu_mis", check_mis);
    check_triangles();
}

START_TEST(every_shape) {
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (!left_out(seed + (uint64_t)_i))
            check_shape(_i, seed * 104729);
}
END_TEST

START_TEST(a_long_path) {
    run("CREATE TABLE size(n); INSERT INTO size VALUES (%d);"
        "CREATE TABLE path(src, dst, weight); WITH RECURSIVE c(i) AS (VALUES(1) UNION "
        "ALL SELECT i + 1 FROM c, size WHERE i < n - 1) INSERT INTO path SELECT i, i + "
        "1, 2 FROM c",
        1000000 / SANITIZED_PART);
    expect_same("SELECT count(*) - n, max(depth) - n, sum(depth = vertex - 1) - n, "
                "sum(edge = parent) - n FROM gpu_bfs('path', 1), size",
                "VALUES (0, -1, 0, -1)");
    expect_same("SELECT count(*) - n, sum(distance = 2 * (n - vertex)) - n FROM "
                "gpu_sssp('path', (SELECT n FROM size)), size WHERE direction = 'in'",
                "VALUES (0, 0)");
    expect_same("SELECT count(*) - n, sum(vertex = seq + 1) - n, max(distance) - 2 * n "
                "FROM gpu_path('path', 1, (SELECT n FROM size)), size",
                "VALUES (0, 0, -2)");
    for (int ordered = 0; ordered < 2; ordered++) {
        char *sql = sqlite3_mprintf(
            "SELECT count(*) - n, sum(depth = vertex - 1) - n, sum(preorder = depth) - "
            "n, sum(postorder = n - vertex) - n FROM gpu_dfs('path', 1), size WHERE "
            "ordered = %d",
            ordered);
        expect_same(sql, "VALUES (0, 0, 0, 0)");
        sqlite3_free(sql);
    }
    expect_same("SELECT 2 * count(*) - n, 2 * sum(vertex % 2) - n FROM gpu_mis('path'), "
                "size WHERE priority = 'id'",
                "VALUES (0, 0)");
}
END_TEST

/* Edge sources that query other graphs while they are read. */
START_TEST(sources_that_search) {
    make_roads();
    run("CREATE VIEW deep AS SELECT parent src, vertex dst FROM gpu_bfs('roads', 1) "
        "WHERE "
        "parent IS NOT NULL;"
        "CREATE VIEW snake AS SELECT parent src, vertex dst FROM gpu_bfs('snake', 1)");
    run("SELECT gpugraph_config('cache_limit', 0)");
    expect_same("SELECT vertex, depth FROM gpu_bfs('deep', 1)",
                "SELECT vertex, depth FROM gpu_bfs('roads', 1)");
    expect_same(
        "SELECT count(*) FROM gpu_bfs('SELECT vertices, edges FROM gpugraph_graphs "
        "WHERE vertices > 99', 1)",
        "SELECT 0");
    char *error = ask("SELECT * FROM snake");
    expect(strstr(error, "error: gpu_bfs: ") == error && strstr(error, "reads itself"),
           "%s", error);
    sqlite3_free(error);
    expect_same("SELECT count(*) FROM deep", "SELECT 3");
}
END_TEST

static int count_shapes(void) {
    int shapes = 0;
    while (shape_small(shapes, 1, &s)) {
        shape_free(&s);
        shapes++;
    }
    return shapes;
}

const struct suite suite = {
    "random",
    {{"random", .timeout = 250, .setup = open_tables, .teardown = sql_close,
      .cases = {{&every_shape, .count = count_shapes},
                {&a_long_path},
                {&sources_that_search}}}},
};
