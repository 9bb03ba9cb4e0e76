/* Every allocation of a statement fails once: the statement ends with SQLITE_NOMEM or the
** right rows, nothing leaks, and the connection answers the statement when it runs again.
**
**     statement    alloc  alloc  alloc  alloc  ...        of the library, the extension
**                                                         and
**     run 1          x                                    SQLite in one count
**     run 2                 x
**     run 2b                x      x      x    ...        and all later ones fail, too
**
** support/failing_memory.c makes malloc and its kin fail. The functions below, which
** SQLITE_CONFIG_MALLOC gets, make SQLite's allocator fail. Check allocates wherever it
** asserts, so expect is used in its place. */
/* ctest: wrap=memory long */
#include "failing_memory.h"
#include "function_examples.h"
#include "base/ext_limits.h"
#include "follow/mirror.h"
#include "sql.h"

#include "expect.h"
#include "share.h"
#include "suite.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpugraph_extension.h"
#include "load/load.h"
#include "pages/reader.h"

/* ---- SQLite's allocator ---- */

static bool spare_sqlite;  /* its own allocations are not counted */
static long sqlite_blocks; /* allocations that are alive */

static sqlite3_mem_methods sqlite_memory;

static void *sqlite_malloc(int bytes) {
    void *block =
        !spare_sqlite && allocation_fails() ? NULL : sqlite_memory.xMalloc(bytes);
    if (block)
        __atomic_add_fetch(&sqlite_blocks, 1, __ATOMIC_RELAXED);
    return block;
}

static void *sqlite_realloc(void *block, int bytes) {
    return !spare_sqlite && allocation_fails() ? NULL
                                               : sqlite_memory.xRealloc(block, bytes);
}

static void sqlite_free(void *block) {
    if (block)
        __atomic_sub_fetch(&sqlite_blocks, 1, __ATOMIC_RELAXED);
    sqlite_memory.xFree(block);
}

/* Lookaside would hide most of SQLite's small allocations. */
static void take_over_sqlite(void) {
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory);
    sqlite3_mem_methods methods = sqlite_memory;
    methods.xMalloc = sqlite_malloc;
    methods.xRealloc = sqlite_realloc;
    methods.xFree = sqlite_free;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

/* ---- one statement ---- */

/* The rows as text. The function itself does not allocate. */
typedef struct rows {
    int rc; /* the error that ended them */
    size_t used;
    char text[60000];
} rows;

static void append(rows *r, const char *format, ...) {
    va_list values;
    va_start(values, format);
    size_t room = sizeof r->text - r->used;
    int length = vsnprintf(r->text + r->used, room, format, values);
    va_end(values);
    expect(length < (int)room, "more rows than there is room for");
    r->used += (size_t)length;
}

/* false: SQLite had no memory for a text. */
static bool append_value(rows *r, sqlite3_stmt *statement, int i) {
    switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER:
        append(r, "%lld|", sqlite3_column_int64(statement, i));
        return true;
    case SQLITE_FLOAT:
        append(r, "%.17g|", sqlite3_column_double(statement, i));
        return true;
    case SQLITE_NULL:
        append(r, "-|");
        return true;
    default:
        break;
    }
    const char *text = (const char *)sqlite3_column_text(statement, i);
    if (text)
        append(r, "'%s'%d|", text, sqlite3_column_bytes(statement, i));
    return text != NULL;
}

static void take_rows(const char *sql, rows *r) {
    sqlite3_stmt *statement;
    r->used = 0;
    r->text[0] = 0;
    r->rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (r->rc)
        return;
    while ((r->rc = sqlite3_step(statement)) == SQLITE_ROW) {
        size_t before = r->used;
        bool whole = true;
        for (int i = 0; i < sqlite3_column_count(statement) && whole; i++)
            whole = append_value(r, statement, i);
        if (!whole) {
            r->text[r->used = before] = 0;
            r->rc = SQLITE_NOMEM;
            break;
        }
        append(r, "\n");
    }
    sqlite3_finalize(statement);
}

static rows wanted, got;

/* The errors that a statement may have if its allocation number n has failed. */
static void judge(const char *sql, int n, bool sticky) {
    const char *how = sticky ? " and all after it" : "";
    bool done = got.rc == SQLITE_DONE;
    expect(done || got.rc == SQLITE_NOMEM || got.rc == SQLITE_IOERR_NOMEM,
           "%s\nallocation %d%s: %d, %s", sql, n, how, got.rc, sqlite3_errmsg(db));
    expect(done ? strcmp(got.text, wanted.text) == 0
                : strncmp(got.text, wanted.text, got.used) == 0,
           "%s\nallocation %d%s\n expected\n%s got\n%s", sql, n, how, wanted.text,
           got.text);
}

static void judge_again(const char *sql, int n) {
    take_rows(sql, &got);
    expect(got.rc == SQLITE_DONE && strcmp(got.text, wanted.text) == 0,
           "%s\nafter the failure of allocation %d: %d, %s\n expected\n%s got\n%s", sql,
           n, got.rc, sqlite3_errmsg(db), wanted.text, got.text);
}

/* The blocks that SQLite's own caches may have gained. A leak in every run, or in one of
** ten, is larger. */
enum { SQLITE_BREATH = 40 };

static void faults_of(const char *sql, bool sticky) {
    const size_t turn = strlen(sql); /* statements test different shares */
    long heap = heap_blocks(), held = sqlite_blocks;
    bool failed = true;
    for (int n = 1; failed; n++) {
        if (left_out(turn + (size_t)n))
            continue;
        fail_from(n, sticky);
        take_rows(sql, &got);
        failed = fail_no_more();
        judge(sql, n, sticky);
        expect(heap_blocks() == heap, "%s\nallocation %d: %ld blocks leak", sql, n,
               heap_blocks() - heap);
        judge_again(sql, n);
        expect(heap_blocks() == heap, "%s\nafter allocation %d: %ld blocks leak", sql, n,
               heap_blocks() - heap);
        expect(sqlite_blocks <= held + SQLITE_BREATH,
               "%s\nallocation %d: SQLite holds %ld blocks, had %ld", sql, n,
               sqlite_blocks, held);
    }
}

static void faults(const char *sql) {
    take_rows(sql, &wanted);
    expect(wanted.rc == SQLITE_DONE, "%s: %s", sql, sqlite3_errmsg(db));
    judge_again(sql, 0);
    faults_of(sql, false);
    faults_of(sql, true);
}

static void close_database(void) {
    sql_close();
    expect(sqlite_blocks == 0, "%ld blocks of SQLite leak", sqlite_blocks);
}

/* ---- small graphs ---- */

static void make_tables(void) {
    run("CREATE TABLE t(id INTEGER PRIMARY KEY, src, dst, weight);"
        "INSERT INTO t VALUES "
        "(1,1,2,5),(2,2,3,7),(3,1,3,20),(4,3,4,1),(5,2,2,9),(9,8,9,0),"
        "(10,4,1,2);"
        "CREATE TABLE r(src, dst, weight REAL);"
        "INSERT INTO r VALUES (1,2,0.5),(2,-3,1),(-3,9223372036854775807,0.25),(1,-3,3);"
        "CREATE TABLE x(src, dst, weight);"
        "INSERT INTO x VALUES ('a','b',1),('b','c' || char(0) || 'd',2),('b',7,2.5),"
        "('c','\xc3\xa9',4),(7,'c',0),('1',1,1),(1,'a',1);"
        "CREATE TABLE w(a TEXT, b TEXT, PRIMARY KEY(a, b)) WITHOUT ROWID;"
        "INSERT INTO w SELECT src, dst FROM t;"
        "CREATE VIEW v AS SELECT src, dst, weight FROM t WHERE id < 9;"
        "CREATE TABLE n(a, b, w, id, back);"
        "INSERT INTO n VALUES "
        "(1,2,1,'x',4),(2,3,1,NULL,-1),(3,4,1,7,0.5),(4,1,1,'y',NULL),"
        "('z',9,1,8,NULL);"
        "CREATE TABLE bought(a TEXT COLLATE NOCASE, b INTEGER);"
        "INSERT INTO bought VALUES ('a', 1), ('b', 2);"
        "CREATE TABLE two_ways(source, target, cost, reverse_cost);"
        "INSERT INTO two_ways VALUES (1, 2, 3, 4), (2, 3, -1, 5);"
        "CREATE TABLE places(id); INSERT INTO places VALUES (1),(4),(50),('lone');"
        "CREATE TABLE roads AS SELECT src, dst, weight FROM t WHERE src < dst;"
        "CREATE TABLE sink(v UNIQUE)");
    run("SELECT gpugraph_config('cache_limit', 0), gpugraph_config('threads', 1), "
        "gpugraph_config('backend', 'cpu')");
}

static const char *const functions[] = {
    "SELECT *, source FROM gpu_bfs('t', 1)",
    "SELECT vertex FROM gpu_bfs('t', 1) WHERE direction = 'both' AND max_depth = 1",
    "SELECT vertex FROM gpu_bfs('t', 1) WHERE method = 'top-down'",
    "SELECT *, source FROM gpu_sssp('t', 1)",
    "SELECT vertex FROM gpu_sssp('t', 1) WHERE method = 'dijkstra' ORDER BY distance",
    "SELECT * FROM gpu_path('t', 1, 4)",
    "SELECT * FROM gpu_path('t', 1, 4) WHERE weighted = 0",
    "SELECT *, k FROM gpu_paths('t', 1, 4, 3)",
    "SELECT * FROM gpu_paths('t', 1, 4, 3) WHERE direction = 'both' AND weighted = 0",
    "SELECT *, sources, targets FROM gpu_matrix('t', '[1, 8]', '[3, 4, 1, 99]')",
    "SELECT * FROM gpu_matrix('t', '[1, 8, 2]') WHERE method = 'contraction'",
    "SELECT * FROM gpu_matrix('t', '[1, 8, 2]') WHERE weighted = 0 ORDER BY distance",
    "SELECT * FROM gpu_dfs('t', 1) WHERE ordered = 1",
    "SELECT vertex, preorder FROM gpu_dfs('t') WHERE direction = 'both'",
    "SELECT * FROM gpu_mis('t') WHERE method = 'greedy' AND priority = 'random'",
    "SELECT * FROM gpu_pagerank('t') WHERE weighted = 1",
    "SELECT vertex, coefficient FROM gpu_triangles('t') WHERE direction = 'out'",
    "SELECT gpugraph_triangles('t')",
};

static const char *const arguments[] = {
    "SELECT *, source FROM gpu_bfs WHERE edges = 't' AND sources = '[1, 8]'",
    "SELECT * FROM gpu_sssp('t', 1) WHERE vertices = 'places(id)' AND max_distance = 12",
    "SELECT vertex FROM gpu_bfs('bought(a, b)', 2.0) WHERE direction = 'in'",
    "SELECT vertex FROM gpu_bfs('bought(a, b)', 'A')",
    "SELECT count(*) FROM gpu_sssp('two_ways', 1)",
    "SELECT vertex FROM gpu_mis('t') WHERE vertices = 'SELECT id FROM places'",
    "SELECT vertex, target FROM gpu_sssp('t', 1) WHERE target IN (3, 4, 'none')",
    "SELECT source, vertex, depth FROM gpu_bfs WHERE edges = 't' AND source IN (1, 8)",
    "SELECT *, source FROM gpu_bfs('t') WHERE source IN (1, 2, 3, 8, NULL, 99)",
    "SELECT edge FROM gpu_bfs('t') WHERE method = 'multi-source' AND source IN (1,2,8)",
    "SELECT source, vertex, depth FROM gpu_bfs('t') WHERE source IN (1, 2, 8) AND "
    "max_depth = 1",
    "SELECT source, vertex, distance FROM gpu_sssp('t') WHERE source IN (1, 2, 8) AND "
    "max_distance = 9",
    "SELECT edge FROM gpu_bfs('t') WHERE source IN (1, 2, 3, 4, 8, 9) AND max_depth = 1 "
    "UNION ALL SELECT edge FROM gpu_bfs('t') WHERE source IN (1, 2, 3, 4, 8, 9) AND "
    "max_depth = 2",
    "SELECT * FROM gpu_path('t', 1, 4) WHERE weighted = 0 AND method = 'bidirectional'",
    "SELECT * FROM gpu_path('t', 1, 4) WHERE method = 'bidirectional'",
    "SELECT target, path, vertex FROM gpu_paths('t', 1) WHERE k = 2 AND target IN (3, 4)",
    "SELECT vertex, edge FROM gpu_sssp('t', 1) WHERE edge_filter = 'weight < :w OR src = "
    "?' AND edge_params = '[8, \"x\"]'",
    "SELECT vertex FROM gpu_bfs('n(a, b, w, id, back)', 1) WHERE edge_filter = 'id > 0'",
    "SELECT edge FROM gpu_bfs('n(a, b, w, id)', 1) WHERE edge_filter = 'w' AND "
    "vertex_filter = 'SELECT id FROM places UNION VALUES (?)' AND vertex_params = '[2]'",
    "SELECT vertex, component FROM gpu_components('x') WHERE vertex_filter = 'SELECT src "
    "FROM x'",
    "SELECT p.id, s.vertex, s.depth FROM places p, gpu_bfs('t', p.id) s",
    "SELECT id, (SELECT count(*) FROM gpu_path('t', 1, places.id)) FROM places",
    "SELECT a.parent FROM gpu_bfs('t', 1) a JOIN gpu_dfs('t', 1) USING (vertex)",
    "SELECT vertex FROM gpu_bfs('t', 1) WHERE depth <= 1 ORDER BY depth LIMIT 2",
    "INSERT OR REPLACE INTO sink SELECT vertex FROM gpu_bfs('t', 1)",
};

static const char *const sources[] = {
    "SELECT * FROM gpu_sssp('r', 1)",
    "SELECT * FROM gpu_path('x', 'a', 'c')",
    "SELECT *, source FROM gpu_sssp('x') WHERE sources = '[\"a\", 1, \"none\"]'",
    "SELECT * FROM gpu_dfs('x', 'a') WHERE ordered = 1",
    "SELECT vertex FROM gpu_mis('x') WHERE vertices = 'places(id)'",
    "SELECT * FROM gpu_bfs('w(a, b)', 1)",
    "SELECT * FROM gpu_sssp('v', 1)",
    "SELECT * FROM gpu_sssp('SELECT src, dst, weight, id FROM t -- all', 1)",
    "SELECT * FROM gpu_bfs('main.\"t\"(dst, src)', 4)",
    "SELECT * FROM gpu_path('n(a, b, w, id)', 1, 4)",
    "SELECT * FROM gpu_sssp('n(a, b, w, id, back)', 1)",
    "SELECT *, (SELECT count(*) FROM gpu_sssp('SELECT a, b, w, id, back FROM n', 1) "
    "WHERE "
    "direction = "
    "'both') FROM gpu_sssp('SELECT a, b, w, id, back FROM n', 1)",
    "SELECT * FROM gpu_mis('n(a, id)')",
};

/* The other answers of the extension, without those that depend on time or the
** machine. */
static const char *const looks[] = {
    "SELECT gpugraph_version()",
    "SELECT gpugraph_config('threads'), gpugraph_config('cache_limit', 0)",
    "SELECT gpugraph_config('backend', 'cpu')",
    "SELECT name, value FROM gpugraph_settings",
    "SELECT backend FROM gpugraph_devices LIMIT 1",
    "SELECT * FROM gpugraph_methods",
    "SELECT name, kind, vertices, edges, state FROM gpugraph_graphs",
    "SELECT count(*) FROM gpugraph_timings WHERE phase = 'total'",
};

START_TEST(every_function) {
    make_tables();
    faults(functions[_i]);
}
END_TEST

START_TEST(every_example) {
    char sql[EXAMPLE_BYTES];
    make_tables();
    faults(example_of(_i, sql));
}
END_TEST

START_TEST(every_kind_of_argument) {
    make_tables();
    faults(arguments[_i]);
}
END_TEST

START_TEST(every_kind_of_source) {
    make_tables();
    faults(sources[_i]);
}
END_TEST

/* The error names a cycle by ids that the library does not know: the whole sentence, or
** no memory. */
static const char *const cycles[] = {
    "SELECT * FROM gpu_topological_order('t')",
    "SELECT * FROM gpu_topological_order('n(a, b, w, id)')",
    "SELECT * FROM gpu_topological_order('keyed')",
};

static const char *const cycle_ids[] = {"edge id(s) 1, 2, 4, 10", "through 3, 4, 1, 2",
                                        "through 1, 2, 3"};

START_TEST(a_cycle) {
    make_tables();
    run("CREATE TABLE keyed(src, dst, PRIMARY KEY(src, dst)) WITHOUT ROWID;"
        "INSERT INTO keyed VALUES (1,2),(2,3),(3,1)");
    bool failed = true;
    char sentence[500];
    take_rows(cycles[_i], &wanted);
    snprintf(sentence, sizeof sentence, "%s", sqlite3_errmsg(db));
    expect(wanted.rc == SQLITE_ERROR && strstr(sentence, cycle_ids[_i]), "%s: %d, %s",
           cycles[_i], wanted.rc, sentence);
    const long heap = heap_blocks();
    for (int sticky = 0; sticky < 2; sticky++, failed = true) {
        for (int n = 1; failed; n++) {
            fail_from(n, sticky);
            take_rows(cycles[_i], &got);
            failed = fail_no_more();
            const bool told = strcmp(sqlite3_errmsg(db), sentence) == 0;
            expect(got.rc == SQLITE_NOMEM || got.rc == SQLITE_IOERR_NOMEM ||
                       (got.rc == SQLITE_ERROR && told),
                   "%s\nallocation %d%s: %d, %s", cycles[_i], n, sticky ? "+" : "",
                   got.rc, sqlite3_errmsg(db));
            expect(got.used == 0, "%s\nallocation %d: rows", cycles[_i], n);
            expect(heap_blocks() == heap, "%s\nallocation %d: %ld blocks leak",
                   cycles[_i], n, heap_blocks() - heap);
            take_rows(cycles[_i], &got);
            expect(got.rc == SQLITE_ERROR && strcmp(sqlite3_errmsg(db), sentence) == 0,
                   "%s\nafter allocation %d: %d, %s", cycles[_i], n, got.rc,
                   sqlite3_errmsg(db));
        }
    }
}
END_TEST

START_TEST(looking_inside) {
    make_tables();
    run("SELECT count(*) FROM gpu_bfs('t', 1)");
    faults(looks[_i]);
}
END_TEST

/* A kept graph and its searches, each found again or made again. */
START_TEST(beside_the_cache) {
    static const char sql[] =
        "SELECT a.vertex, a.parent, (SELECT count(*) FROM gpu_mis('x')) FROM "
        "gpu_bfs('t', 1) a";
    make_tables();
    run("SELECT gpugraph_config('cache_limit', 100000000)");
    take_rows(sql, &wanted);
    long most = heap_blocks();
    bool failed = true;
    for (int n = 1; failed; n++) {
        if (left_out((uint64_t)n))
            continue;
        if (n % 2)
            run("UPDATE t SET src = src WHERE id = 1");
        fail_from(n, false);
        take_rows(sql, &got);
        failed = fail_no_more();
        judge(sql, n, false);
        judge_again(sql, n);
        expect(heap_blocks() <= most, "allocation %d: %ld blocks, were %ld", n,
               heap_blocks(), most);
    }
    run("SELECT gpugraph_config('cache_limit', 0)");
}
END_TEST

/* ---- a graph that two connections use ---- */

static sqlite3 *connect_to(const char *file) {
    sqlite3 *c;
    expect(sqlite3_open(file, &c) == SQLITE_OK, "%s", file);
    expect(sqlite3_gpugraph_init(c, NULL, NULL) == SQLITE_OK, "no extension");
    return c;
}

/* Another connection has read the table, or none has: a statement takes the graph, makes
** it, or fails, and holds it no longer than it runs. */
START_TEST(a_shared_graph) {
    char file[80];
    sqlite3_stmt *users;
    snprintf(file, sizeof file, "/tmp/gpugraph-faults-test-%d.db", (int)getpid());
    unlink(file);
    sql_close();
    ext_limits.page_settled_ms = 0;
    ext_limits.graph_named_from = 0;
    db = connect_to(file);
    make_tables();
    sqlite3 *other = connect_to(file);
    if (_i)
        sqlite3_exec(other, "SELECT count(*) FROM gpu_sssp('t', 1)", NULL, NULL, NULL);
    faults("SELECT vertex, distance FROM gpu_sssp('t', 1)");
    faults("SELECT vertex, depth FROM gpu_bfs('t', 1)");
    sqlite3_prepare_v2(other, "SELECT total(connections) FROM gpugraph_graphs", -1,
                       &users, NULL);
    sqlite3_step(users);
    expect(sqlite3_column_int(users, 0) == _i, "%d connections use the graph",
           sqlite3_column_int(users, 0));
    sqlite3_finalize(users);
    sqlite3_close(other);
    unlink(file);
}
END_TEST

static void expect_users(int want) {
    char *got = ask("SELECT total(connections) FROM gpugraph_graphs");
    expect(atoi(got) == want, "%s connections use the graph, not %d", got, want);
    sqlite3_free(got);
}

/* A mirror, which another connection may use, too; and a mirror that leaves its graph. */
START_TEST(a_shared_mirror) {
    char file[80];
    snprintf(file, sizeof file, "/tmp/gpugraph-faults-test-%d.db", (int)getpid());
    unlink(file);
    sql_close();
    ext_limits.page_settled_ms = 0;
    ext_limits.graph_named_from = 0;
    ext_limits.mirror_rejoins_after_ms = 1e9; /* never, in any time */
    db = connect_to(file);
    run("CREATE TABLE t(id INTEGER PRIMARY KEY, src, dst, weight);"
        "INSERT INTO t VALUES (1, 1, 2, 3), (2, 2, 3, 4), (3, 3, 1, 5), (4, 3, 4, 1);"
        "CREATE VIRTUAL TABLE m USING gpugraph(t)");
    sqlite3 *other = connect_to(file);
    if (_i)
        sqlite3_exec(other, "SELECT count(*) FROM gpu_sssp('m', 1)", NULL, NULL, NULL);
    faults("SELECT vertex, distance FROM gpu_sssp('m', 1)");
    expect_users(_i + 1);
    run("UPDATE t SET weight = 30 WHERE id = 1");
    faults("SELECT gpugraph_check('m'), max(distance) FROM gpu_sssp('m', 1)");
    expect_users(1);
    sqlite3_close(other);
    unlink(file);
}
END_TEST

/* ---- followed graphs ---- */

/* A graph catches up, or is read for the first time, with one failure after another; then
** its answers are right. */
START_TEST(catching_up) {
    static const char *const asked[] = {
        "SELECT gpugraph_check('g'), count(*) FROM gpu_bfs('g', 1)",
        "SELECT g.edge, t.id FROM t JOIN g ON g.src = t.src AND g.edge = t.id",
        "SELECT gpugraph_check('k'), gpugraph_check('xg'), gpugraph_check('late')",
        "SELECT gpugraph_save('p') > 0, gpugraph_check('p')",
        "SELECT p.id, edge FROM places p JOIN xg ON xg.src = +p.id ORDER BY 1, 2",
        "SELECT gpugraph_check('ways'), gpugraph_check('coded'), (SELECT "
        "group_concat(edge) FROM ways), count(*) FROM gpu_sssp('ways', 1) WHERE "
        "direction "
        "= 'both'",
        "SELECT gpugraph_save('ways') > 0, (SELECT count(*) FROM coded WHERE edge = 7)",
        "SELECT (SELECT count(*) FROM xg WHERE src IN (SELECT +id FROM places)), (SELECT "
        "count(*) FROM coded WHERE edge "
        "IN (7, 'a', NULL))"};
    static const char *const changes[] = {
        "UPDATE t SET src = src + 1 - 2 * (src = 5) WHERE id = 4; UPDATE n SET id = "
        "ifnull(id, 7) || 'z' WHERE a = 2",
        "BEGIN; UPDATE t SET dst = 77 WHERE id = 5; UPDATE w SET b = 7 WHERE a = '8'; "
        "UPDATE n "
        "SET back = -1, id = 7",
        "UPDATE t SET weight = 2.5 WHERE id = 1; UPDATE x SET weight = 1 WHERE src = 7; "
        "UPDATE n SET id = NULL, w = -w WHERE a = 4; INSERT INTO n VALUES (5, 1, 2, 7, "
        "3)",
        "UPDATE t SET weight = weight WHERE id = 2",
        "CREATE TEMP TABLE one(x); DROP TABLE one",
        "UPDATE x SET weight = 0.5 WHERE src = 7; PRAGMA trusted_schema = on"};
    make_tables();
    run("UPDATE n SET back = 5 WHERE back = 0.5; CREATE VIRTUAL TABLE coded USING "
        "gpugraph(n(a, b, back, id), where = 'back >= 0'); CREATE VIRTUAL TABLE ways "
        "USING gpugraph(n(a, b, w, id, back), persist = 1)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(t); CREATE VIRTUAL TABLE k USING "
        "gpugraph(w(a, "
        "b)); CREATE VIRTUAL TABLE xg USING gpugraph(x); CREATE VIRTUAL TABLE p USING "
        "gpugraph(t(src, dst), persist = 1); CREATE VIRTUAL TABLE late USING "
        "gpugraph(r); CREATE TRIGGER after_late AFTER INSERT ON r BEGIN DELETE FROM "
        "sink; END");
    bool failed = true;
    int turn = 0; /* changes */
    for (int n = 1; failed; n += 1 + (n > 100)) {
        if (left_out((uint64_t)(n + _i)))
            continue;
        if (turn % COUNT(changes) == 3 && !sqlite3_get_autocommit(db))
            run("ROLLBACK");
        run("%s", changes[turn++ % COUNT(changes)]);
        take_rows(asked[_i], &wanted);
        expect(wanted.rc == SQLITE_DONE, "%s: %s", asked[_i], sqlite3_errmsg(db));
        run("UPDATE t SET weight = weight + 1 WHERE id = 3");
        run("UPDATE n SET back = back + 1 WHERE a = 3 AND back > 0");
        bool writing = !sqlite3_get_autocommit(db);
        fail_from(n, false);
        take_rows(asked[_i], &got);
        failed = fail_no_more();
        if (writing && sqlite3_get_autocommit(db))
            continue; /* SQLite has rolled everything back */
        judge(asked[_i], n, false);
        judge_again(asked[_i], n);
    }
    if (!sqlite3_get_autocommit(db))
        run("ROLLBACK");
    run("DROP TABLE g; DROP TABLE k; DROP TABLE xg; DROP TABLE p; DROP TABLE late; DROP "
        "TABLE ways; DROP TABLE coded");
}
END_TEST

/* A change of schema fails as a whole or happens as a whole. */
START_TEST(making_and_taking_away) {
    static const char *const changes[] = {
        "CREATE VIRTUAL TABLE h USING gpugraph(t)",
        "CREATE VIRTUAL TABLE h USING gpugraph(w(a, b), persist = 1, direction = 'both')",
        "ALTER TABLE g RENAME TO h",
        "DROP TABLE g",
        "SELECT gpugraph_delete_vertex('g', 1)",
        "SELECT gpugraph_delete_vertex('q', 3)",  /* without, */
        "SELECT gpugraph_delete_vertex('q', 3)"}; /* and with rows of a search */
    static const char schema[] = "SELECT type, name, tbl_name, sql FROM sqlite_schema";
    make_tables();
    run("CREATE TABLE keyed(src, dst UNIQUE, weight); CREATE UNIQUE INDEX shout ON "
        "keyed(upper(dst) DESC, weight) WHERE weight > 2; CREATE VIRTUAL TABLE g USING "
        "gpugraph(keyed, persist = 1)");
    run("INSERT INTO keyed VALUES (7, 1, 1); CREATE TABLE plain(src, dst); INSERT INTO "
        "plain VALUES (2, 3), (5, 3), (3, 4);"
        "CREATE VIRTUAL TABLE q USING gpugraph(plain)");
    take_rows(schema, &wanted);
    bool failed = true;
    for (int n = 1; failed; n++) {
        if (left_out((uint64_t)(n + _i)))
            continue;
        if (_i == COUNT(changes) - 1)
            run("SELECT count(*) FROM gpu_bfs('q', 3) WHERE direction = 'in'");
        run("SAVEPOINT before");
        fail_from(n, false);
        take_rows(changes[_i], &got);
        failed = fail_no_more();
        expect(got.rc == SQLITE_DONE || got.rc == SQLITE_NOMEM ||
                   got.rc == SQLITE_IOERR_NOMEM,
               "%s\nallocation %d: %d, %s", changes[_i], n, got.rc, sqlite3_errmsg(db));
        if (got.rc != SQLITE_DONE && !sqlite3_get_autocommit(db))
            judge_again(schema, n);
        if (!sqlite3_get_autocommit(db))
            run("ROLLBACK TO before; RELEASE before");
        judge_again(schema, n);
        run("REPLACE INTO keyed VALUES (1, %d, 1)", n % 5);
        expect_same("SELECT src, dst, rowid FROM keyed ORDER BY rowid",
                    "SELECT src, dst, edge FROM g");
        expect_same("SELECT src, dst, rowid FROM plain ORDER BY rowid",
                    "SELECT src, dst, edge FROM q");
    }
    run("DROP TABLE g; DROP TABLE q");
}
END_TEST

/* ---- files and threads ---- */

static char file[80];

static void open_file(void) {
    snprintf(file, sizeof file, "/tmp/gpugraph-faults-test-%d.db", (int)getpid());
    unlink(file);
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    run("SELECT gpugraph_config('backend', 'cpu')");
}

static void close_file(void) {
    close_database();
    unlink(file);
}

START_TEST(pages) {
    make_tables();
    faults("SELECT * FROM gpu_bfs('t', 1)");
    faults("SELECT * FROM gpu_sssp('r', 1)");
    faults("SELECT * FROM gpu_sssp('x', 'a')"); /* reading restarts at a text */
}
END_TEST

/* Enough rows for two threads to share the work of every phase. Only the library's
** allocations fail: SQLite's allocations are counted for one thread. */
START_TEST(two_threads) {
    static const char *const sql[] = {
        "SELECT count(*), sum(depth), sum(parent), sum(edge) FROM gpu_bfs('big', 1)",
        "SELECT count(*), sum(distance), sum(parent) FROM gpu_sssp('big', 1)",
        "SELECT count(*) FROM gpu_dfs('big', 1)",
        "SELECT count(*), sum(vertex) FROM gpu_mis('big')",
        "SELECT gpugraph_triangles('big')",
    };
    run("PRAGMA synchronous = OFF; CREATE TABLE big(src, dst, weight);"
        "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < "
        "70000) "
        "INSERT INTO big SELECT i %% 30011, i * 7919 %% 30011, i %% 13 + 1 FROM c;"
        "SELECT gpugraph_config('cache_limit', 0), gpugraph_config('threads', 2)");
    take_rows(sql[_i], &wanted);
    expect(wanted.rc == SQLITE_DONE, "%s", sqlite3_errmsg(db));
    long heap = heap_blocks();
    bool failed = spare_sqlite = true;
    int judged = 0; /* about every 16th allocation */
    for (int n = 1; failed; n++) {
        if (left_out((uint64_t)(n + _i)))
            continue;
        fail_from(n, false);
        take_rows(sql[_i], &got);
        failed = fail_no_more();
        judge(sql[_i], n, false);
        expect(heap_blocks() == heap, "%s\nallocation %d: %ld blocks leak", sql[_i], n,
               heap_blocks() - heap);
        if (n / 16 > judged || !failed) {
            judge_again(sql[_i], n);
            judged = n / 16;
        }
    }
}
END_TEST

/* ---- a connection's first moments ---- */

/* Opens a connection, loads the extension and queries, with allocation n failing; then
** repeats the steps in the connection as far as it exists. */
START_TEST(loading_the_extension) {
    static const char sql[] = "SELECT * FROM gpu_bfs('VALUES (1, 2), (2, 3)', 1)";
    bool failed = true;
    strcpy(wanted.text, "1|0|-|-|\n2|1|1|-|\n3|2|2|-|\n");
    for (int n = 1; failed; n++) {
        ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
        char *error = NULL;
        fail_from(n, false);
        int rc = sqlite3_gpugraph_init(db, &error, NULL);
        if (rc == SQLITE_OK) {
            take_rows(sql, &got);
            rc = got.rc;
        }
        failed = fail_no_more();
        expect(rc == SQLITE_NOMEM || rc == SQLITE_DONE, "%d: %d, %s", n, rc,
               error ? error : sqlite3_errmsg(db));
        sqlite3_free(error);
        ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
        judge_again(sql, n);
        sql_close();
        expect(sqlite_blocks == 0, "%ld blocks of SQLite leak", sqlite_blocks);
    }
}
END_TEST

const struct suite suite = {
    "faults",
    {{"small graphs", "serial", 250, sql_open, close_database,
      .cases = {{&every_function, COUNT(functions)},
                {&every_example, .count = example_count},
                {&every_kind_of_argument, COUNT(arguments)},
                {&every_kind_of_source, COUNT(sources)},
                {&a_cycle, COUNT(cycles)},
                {&looking_inside, COUNT(looks)},
                {&beside_the_cache},
                {&a_shared_graph, 2},
                {&a_shared_mirror, 2}}},
     {"followed graphs", "serial", 250, sql_open, close_database,
      .cases = {{&catching_up, 8}, {&making_and_taking_away, 7}}},
     {"files", "serial", 250, open_file, close_file, .cases = {{&pages}}},
     {"shared work", "threads", 250, open_file, close_file, .cases = {{&two_threads, 5}}},
     {"first moments", "serial", 250, .cases = {{&loading_the_extension}}}},
    .begin = take_over_sqlite,
};
