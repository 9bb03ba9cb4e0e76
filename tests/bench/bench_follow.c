/* Measures in SQL what following costs and saves, as ratios within one run.
**
**     bench_follow FOLDER [GRAPH.gr [PARTS [EDGES [BACKEND [QUERIES [CHANGES]]]]]]
**                                               FOLDER is for databases; GRAPH.gr is a
**                                               DIMACS file, also gzip'ed, or '' for a
**                                               grid of New York's size; PARTS: digits
**                                               of parts; the other arguments: for part 6
**
** 1. writers: 1 M rows into a table with the triggers of a graph, compared with a table
**    without
** 2. readers: gpu_bfs after 1, 100 and 10,000 changed edges, compared with gpu_bfs after
**    no change
** 3. look-ups: WHERE src = ? [AND dst = ?] on the graph, compared with the table with an
**    index
** 4. opening: a graph kept by persist = 1, in a new connection, compared with
**    sqlite3_blob_read of its bytes into one small buffer; 8.2 M arcs
** 5. catching up: one row of a small table is updated and one edge looked up, on the
**    table and on the graph
** 6. changes: the first query after a change, compared with a query without a change, on
**    grids of 0.7, 8 and 60 million edges, or of EDGES. QUERIES: characters from the
**    array `queries`. For a capital one the program makes CHANGES (10,000) changes of one
**    edge, five kinds in turn, and prints the times of the query after each kind
**
** The two jobs of a pair take turns, RUNS times. The program prints medians. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "gpugraph_extension.h"

enum { RUNS = 5, ROWS = 1000000, LOOKUPS = 200000 };

static char path[512];

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        die(db, sql);
    return s;
}

/* Steps to the end, and reads the first columns. */
static sqlite3_int64 drain(sqlite3_stmt *s) {
    sqlite3_int64 sum = 0;
    int rc, columns = sqlite3_column_count(s);
    while ((rc = sqlite3_step(s)) == SQLITE_ROW)
        for (int i = 0; i < columns && i < 2; i++)
            sum += sqlite3_column_int64(s, i);
    if (rc != SQLITE_DONE)
        die(sqlite3_db_handle(s), sqlite3_sql(s));
    sqlite3_reset(s);
    return sum;
}

static sqlite3 *open_new(const char *folder, const char *name) {
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/%s.db", folder, name);
    unlink(path);
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_gpugraph_init(db, NULL, NULL) != SQLITE_OK)
        die(db, path);
    run(db,
        "PRAGMA synchronous = off; PRAGMA cache_size = -262144; PRAGMA journal_mode = "
        "wal");
    return db;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms) {
    qsort(ms, RUNS, sizeof *ms, compare);
    return ms[RUNS / 2];
}

/* ---- writers ---- */

static void fill_by_loop(sqlite3 *db) {
    sqlite3_stmt *s = prepare(db, "INSERT INTO roads(a, b, metres) VALUES (?, ?, ?)");
    for (int i = 0; i < ROWS; i++) {
        sqlite3_bind_int64(s, 1, (sqlite3_int64)i * 7919 % 264000);
        sqlite3_bind_int64(s, 2, (sqlite3_int64)i * 104729 % 264007 + i);
        sqlite3_bind_int64(s, 3, i % 9000);
        if (sqlite3_step(s) != SQLITE_DONE)
            die(db, "INSERT");
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
}

static void fill_by_select(sqlite3 *db) {
    run(db, "INSERT INTO roads(a, b, metres) SELECT a, b, metres FROM source");
}

static double fill(const char *folder, const char *table, void (*way)(sqlite3 *),
                   int followed) {
    sqlite3 *db = open_new(folder, "writers");
    run(db, table);
    if (way == fill_by_select)
        run(db,
            "CREATE TABLE source(a, b, metres); INSERT INTO source WITH RECURSIVE c(i) "
            "AS (VALUES (0) UNION ALL SELECT i + 1 FROM c WHERE i < 999999) SELECT i * "
            "7919 % 264000, i * 104729 % 264007 + i, i % 9000 FROM c");
    if (followed)
        run(db, "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    double began = now_ms();
    run(db, "BEGIN");
    way(db);
    run(db, "COMMIT");
    double ms = now_ms() - began;
    sqlite3_close(db);
    unlink(path);
    return ms;
}

static void writers(const char *folder) {
    static const struct {
        const char *what, *table;
        void (*way)(sqlite3 *);
        double most;
    } jobs[] = {
        {"prepared loop", "CREATE TABLE roads(a, b, metres)", fill_by_loop, 3},
        {"prepared loop, INTEGER PRIMARY KEY",
         "CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres)", fill_by_loop, 3},
        {"prepared loop, UNIQUE(a, b)", "CREATE TABLE roads(a, b, metres, UNIQUE(a, b))",
         fill_by_loop, 3.5},
        {"INSERT SELECT", "CREATE TABLE roads(a, b, metres)", fill_by_select, 4.5},
        {"INSERT SELECT, UNIQUE(a, b)", "CREATE TABLE roads(a, b, metres, UNIQUE(a, b))",
         fill_by_select, 4.5},
    };
    printf("1 M rows in one transaction             without    with  ratio  (at most)\n");
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        double plain[RUNS], followed[RUNS];
        for (int i = 0; i < RUNS; i++) {
            plain[i] = fill(folder, jobs[j].table, jobs[j].way, 0);
            followed[i] = fill(folder, jobs[j].table, jobs[j].way, 1);
        }
        double a = median(plain), b = median(followed);
        printf("%-36s %7.0f ms %7.0f ms %5.2f  (%.1f)\n", jobs[j].what, a, b, b / a,
               jobs[j].most);
        fflush(stdout);
    }
}

/* ---- the network ---- */

static void read_network(sqlite3 *db, const char *file) {
    char command[700], line[128];
    sqlite3_int64 a, b, metres;
    snprintf(command, sizeof command, "gzip -cdf '%s'", file);
    FILE *in = popen(command, "r");
    sqlite3_stmt *s = prepare(db, "INSERT INTO roads(a, b, metres) VALUES (?, ?, ?)");
    while (in && fgets(line, sizeof line, in)) {
        if (sscanf(line, "a %lld %lld %lld", &a, &b, &metres) != 3)
            continue;
        sqlite3_bind_int64(s, 1, a);
        sqlite3_bind_int64(s, 2, b);
        sqlite3_bind_int64(s, 3, metres);
        sqlite3_step(s);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    if (!in || pclose(in) != 0)
        die(NULL, file);
}

/* Makes 514 x 514 crossings with roads both ways. */
static void make_network(sqlite3 *db) {
    run(db,
        "WITH RECURSIVE c(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM c WHERE i < "
        "264195) INSERT INTO roads(a, b, metres) SELECT i, i + d, i * 7919 % 900 FROM c, "
        "(SELECT 1 AS d UNION SELECT 514) WHERE d = 514 AND i < 263682 OR d = 1 AND i % "
        "514 < 513");
    run(db, "INSERT INTO roads(a, b, metres) SELECT b, a, metres FROM roads");
}

/* ---- readers ---- */

static double one_bfs(sqlite3_stmt *bfs, int source) {
    sqlite3_bind_int(bfs, 1, source);
    double began = now_ms();
    drain(bfs);
    return now_ms() - began;
}

/* Updates rows: adds 1 to each weight, and moves the destination of a third of them. */
static void change_edges(sqlite3 *db, int count, int salt) {
    run(db, "BEGIN");
    sqlite3_stmt *change = prepare(
        db, "UPDATE roads SET metres = metres + 1, b = CASE WHEN ?2 THEN a + 1 ELSE "
            "b END WHERE rowid = ?1");
    for (int i = 0; i < count; i++) {
        sqlite3_bind_int64(change, 1,
                           1 + ((sqlite3_int64)i * 70001 + salt * 7919) % 700000);
        sqlite3_bind_int(change, 2, i % 3 == 0);
        if (sqlite3_step(change) != SQLITE_DONE)
            die(db, "UPDATE");
        sqlite3_reset(change);
    }
    sqlite3_finalize(change);
    run(db, "COMMIT");
}

static void readers(sqlite3 *db, const char *what, const char *sql) {
    static const struct {
        int edges;
        double most;
    } jobs[] = {{1, 1.1}, {100, 1.1}, {10000, 1.5}};
    sqlite3_stmt *bfs = prepare(db, sql);
    int source = 1;
    one_bfs(bfs, source);
    printf("\n%-40s unchanged    after  ratio  (at most)\n", what);
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        double same[RUNS], changed[RUNS];
        for (int i = 0; i < RUNS; i++) {
            one_bfs(bfs, source += 37); /* another source: no kept search */
            same[i] = one_bfs(bfs, source += 37);
            change_edges(db, jobs[j].edges, source);
            changed[i] = one_bfs(bfs, source += 37);
        }
        double a = median(same), b = median(changed);
        printf("%-36d %10.2f ms %6.2f ms %5.2f  (%.1f)\n", jobs[j].edges, a, b, b / a,
               jobs[j].most);
        fflush(stdout);
    }
    sqlite3_finalize(bfs);
}

/* ---- lookups ---- */

static double by_statements(sqlite3_stmt *s, int parameters, int count) {
    double began = now_ms();
    for (int i = 0; i < count; i++) {
        sqlite3_bind_int64(s, 1, 1 + (sqlite3_int64)i * 7919 % 264000);
        if (parameters == 2)
            sqlite3_bind_int64(s, 2, 2 + (sqlite3_int64)i * 7919 % 264000);
        drain(s);
    }
    return now_ms() - began;
}

static void lookups(sqlite3 *db) {
    static const struct {
        const char *what, *on_table, *on_graph;
        int parameters; /* 0: one statement that makes all lookups */
        int transaction;
    } jobs[] = {
        {"src = ?, a statement each", "SELECT b, metres FROM roads WHERE a = ?",
         "SELECT dst, weight FROM g WHERE src = ?", 1, 0},
        {"src = ?, in a transaction", "SELECT b, metres FROM roads WHERE a = ?",
         "SELECT dst, weight FROM g WHERE src = ?", 1, 1},
        {"src = ? AND dst = ?, a statement each",
         "SELECT metres, rowid FROM roads WHERE a = ? AND b = ?",
         "SELECT weight, edge FROM g WHERE src = ? AND dst = ?", 2, 0},
        {"src = ? AND dst = ?, in a transaction",
         "SELECT metres, rowid FROM roads WHERE a = ? AND b = ?",
         "SELECT weight, edge FROM g WHERE src = ? AND dst = ?", 2, 1},
        {"src = p.id, in a join",
         "SELECT sum(b), sum(metres) FROM probes p CROSS JOIN roads ON a = p.id",
         "SELECT sum(dst), sum(weight) FROM probes p CROSS JOIN g ON src = p.id", 0, 0},
        {"src = p.id AND dst = p.id + 1, in a join",
         "SELECT sum(metres), count(*) FROM probes p CROSS JOIN roads ON a = p.id AND b "
         "= "
         "p.id + 1",
         "SELECT sum(weight), count(*) FROM probes p CROSS JOIN g ON src = p.id AND dst "
         "= "
         "p.id + 1",
         0, 0},
        {"the same by texts, src alone",
         "SELECT count(*), sum(metres) FROM names p CROSS JOIN named ON a = p.id",
         "SELECT count(*), sum(weight) FROM names p CROSS JOIN h ON src = p.id", 0, 0},
        {"the same by texts, both",
         "SELECT count(*), sum(metres) FROM names p CROSS JOIN named ON a = p.id AND b = "
         "p.next",
         "SELECT count(*), sum(weight) FROM names p CROSS JOIN h ON src = p.id AND dst = "
         "p.next",
         0, 0},
    };
    run(db, "CREATE INDEX roads_a_b ON roads(a, b)");
    run(db, "CREATE TABLE named(a TEXT, b TEXT, metres INTEGER)");
    run(db, "INSERT INTO named SELECT 'node ' || a, 'node ' || b, metres FROM roads");
    run(db, "CREATE INDEX named_a_b ON named(a, b)");
    run(db, "CREATE VIRTUAL TABLE h USING gpugraph(named(a, b, metres))");
    run(db,
        "CREATE TEMP TABLE probes AS WITH RECURSIVE c(i) AS (VALUES (0) UNION ALL SELECT "
        "i + 1 FROM c WHERE i < 199999) SELECT 1 + i * 7919 % 264000 AS id FROM c");
    run(db, "CREATE TEMP TABLE names(id TEXT, next TEXT)");
    run(db, "INSERT INTO names SELECT 'node ' || id, 'node ' || (id + 1) FROM probes");
    drain(prepare(db, "SELECT count(*), 1 FROM g"));
    drain(prepare(db, "SELECT count(*), 1 FROM h"));
    printf("\n200,000 lookups                            table     graph  ratio\n");
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        sqlite3_stmt *table = prepare(db, jobs[j].on_table);
        sqlite3_stmt *graph = prepare(db, jobs[j].on_graph);
        double a[RUNS], b[RUNS];
        int count = jobs[j].parameters ? LOOKUPS : 1;
        if (jobs[j].transaction)
            run(db, "BEGIN");
        for (int i = 0; i < RUNS; i++) {
            a[i] = by_statements(table, jobs[j].parameters, count);
            b[i] = by_statements(graph, jobs[j].parameters, count);
        }
        if (jobs[j].transaction)
            run(db, "COMMIT");
        double on_table = median(a), on_graph = median(b);
        printf("%-40s %6.0f ms %6.0f ms %5.2f\n", jobs[j].what, on_table, on_graph,
               on_graph / on_table);
        fflush(stdout);
        sqlite3_finalize(table);
        sqlite3_finalize(graph);
    }
}

/* ---- catching up ---- */

/* Returns the microseconds of an update and a look-up. */
static double one_turn(sqlite3_stmt *update, sqlite3_stmt *look) {
    enum { TURNS = 5000 };
    double began = now_ms();
    for (int i = 0; i < TURNS; i++) {
        sqlite3_bind_int(update, 1, 1 + i * 31 % 1000);
        drain(update);
        drain(look);
    }
    return (now_ms() - began) * 1000 / TURNS;
}

static void catching_up(const char *folder) {
    double table[RUNS], graph[RUNS];
    sqlite3 *db = open_new(folder, "catching");
    run(db, "CREATE TABLE plain(a INTEGER, b INTEGER, metres INTEGER); INSERT INTO plain "
            "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < "
            "1000) SELECT i, i * 7 % 1000, i FROM c; CREATE TABLE roads AS SELECT * FROM "
            "plain; CREATE INDEX plain_a ON plain(a)");
    run(db, "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    sqlite3_stmt *on_table =
        prepare(db, "UPDATE plain SET metres = metres + 1 WHERE rowid = ?1");
    sqlite3_stmt *on_graph =
        prepare(db, "UPDATE roads SET metres = metres + 1 WHERE rowid = ?1");
    sqlite3_stmt *in_table = prepare(db, "SELECT b, metres FROM plain WHERE a = 7");
    sqlite3_stmt *in_graph = prepare(db, "SELECT dst, weight FROM g WHERE src = 7");
    for (int i = 0; i < RUNS; i++) {
        table[i] = one_turn(on_table, in_table);
        graph[i] = one_turn(on_graph, in_graph);
    }
    printf("\nupdate one row of 1000 and look: table %.1f us, graph %.1f us\n",
           median(table), median(graph));
    sqlite3_finalize(on_table);
    sqlite3_finalize(on_graph);
    sqlite3_finalize(in_table);
    sqlite3_finalize(in_graph);
    sqlite3_close(db);
    unlink(path);
}

/* ---- opening ---- */

enum { SIDE = 1431 };

/* Makes a grid of SIDE x SIDE crossings; `mixed`: not in the order of sources. */
static void make_kept(sqlite3 *db, int mixed) {
    char sql[600];
    snprintf(
        sql, sizeof sql,
        "CREATE TABLE roads(a INTEGER, b INTEGER, metres INTEGER); INSERT INTO roads "
        "WITH RECURSIVE c(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM c WHERE i < "
        "%d) SELECT i, i + d, i * 7919 %% 900 FROM c, (SELECT 1 AS d UNION SELECT -1 "
        "UNION SELECT %d UNION SELECT -%d) WHERE i + d BETWEEN 0 AND %d AND (abs(d) "
        "<> 1 OR (i + d) / %d = i / %d)%s",
        SIDE * SIDE - 1, SIDE, SIDE, SIDE * SIDE - 1, SIDE, SIDE,
        mixed ? " ORDER BY i * 7919 % 4096" : "");
    run(db, sql);
    run(db, "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), persist = 1); "
            "PRAGMA wal_checkpoint(TRUNCATE)");
}

static sqlite3 *open_again(void) {
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_gpugraph_init(db, NULL, NULL) != SQLITE_OK)
        die(db, path);
    run(db, "SELECT count(*) FROM sqlite_schema");
    return db;
}

static double read_blobs(void) {
    enum { PART = 1 << 20 };
    static char part[PART];
    sqlite3_blob *blob = NULL;
    sqlite3 *db = open_again();
    sqlite3_stmt *rows = prepare(db, "SELECT max(rowid) FROM g_blocks");
    sqlite3_step(rows);
    sqlite3_int64 last = sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    double began = now_ms();
    for (sqlite3_int64 row = 3; row <= last; row++) {
        if ((blob ? sqlite3_blob_reopen(blob, row)
                  : sqlite3_blob_open(db, "main", "g_blocks", "data", row, 0, &blob)) !=
            SQLITE_OK)
            die(db, "g_blocks");
        int bytes = sqlite3_blob_bytes(blob);
        for (int at = 0; at < bytes; at += PART)
            if (sqlite3_blob_read(blob, part, bytes - at < PART ? bytes - at : PART, at))
                die(db, "g_blocks");
    }
    double ms = now_ms() - began;
    sqlite3_blob_close(blob);
    sqlite3_close(db);
    return ms;
}

static double open_graph(void) {
    sqlite3 *db = open_again();
    sqlite3_stmt *look = prepare(db, "SELECT count(*), 1 FROM g WHERE edge = 0");
    double began = now_ms();
    drain(look);
    double ms = now_ms() - began;
    sqlite3_finalize(look);
    sqlite3_close(db);
    return ms;
}

static void opening(const char *folder) {
    printf("\nopening a graph of 8.2 M arcs             bytes     graph  ratio  (at "
           "most)\n");
    for (int mixed = 0; mixed < 2; mixed++) {
        double bytes[RUNS], graph[RUNS];
        sqlite3 *db = open_new(folder, "opening");
        make_kept(db, mixed);
        sqlite3_close(db);
        for (int i = 0; i < RUNS; i++) {
            bytes[i] = read_blobs();
            graph[i] = open_graph();
        }
        double a = median(bytes), b = median(graph);
        printf("%-37s %6.0f ms %6.0f ms %5.2f  (2.0), least %.0f and %.0f ms: %.2f\n",
               mixed ? "edges in any order" : "edges in the order of their sources", a, b,
               b / a, bytes[0], graph[0], graph[0] / bytes[0]);
        fflush(stdout);
        unlink(path);
    }
}

/* ---- changes ---- */

enum { PROBES = 50000 };

static void insert_road(sqlite3_stmt *s, int a, int b, int metres) {
    sqlite3_bind_int(s, 1, a);
    sqlite3_bind_int(s, 2, b);
    sqlite3_bind_int(s, 3, metres);
    if (sqlite3_step(s) != SQLITE_DONE)
        die(sqlite3_db_handle(s), "INSERT");
    sqlite3_reset(s);
}

/* Makes a grid with about `edges` edges: roads both ways between neighbours. Uses no
** journal, because the rows are many and written once. Returns the number of vertices. */
static int make_grid(sqlite3 *db, double edges) {
    int side = 2;
    while (4.0 * (side + 1) * side < edges)
        side++;
    run(db, "PRAGMA journal_mode = off; BEGIN");
    sqlite3_stmt *s = prepare(db, "INSERT INTO roads(a, b, metres) VALUES (?, ?, ?)");
    for (int i = 0; i < side * side; i++)
        for (int k = 0; k < 2; k++) {
            const int to = i + (k ? side : 1);
            if (k ? i / side + 1 == side : i % side + 1 == side)
                continue;
            const int metres = (int)((sqlite3_int64)i * 7919 % 900);
            insert_road(s, to, i, metres);
            insert_road(s, i, to, metres);
        }
    sqlite3_finalize(s);
    run(db, "COMMIT; PRAGMA journal_mode = wal");
    return side * side;
}

typedef struct change {
    const char *what, *sql; /* changes one edge; ?1 is a rowid, ?2 a vertex */
    int edges, turns;
} change;

static void make_changes(sqlite3 *db, const change *k, sqlite3_int64 edges, int vertices,
                         int salt) {
    run(db, "BEGIN");
    sqlite3_stmt *s = prepare(db, k->sql);
    for (int i = 0; i < k->edges; i++) {
        const sqlite3_int64 at = (sqlite3_int64)i * 70001 + (sqlite3_int64)salt * 799999;
        sqlite3_bind_int64(s, 1, 1 + at % edges);
        sqlite3_bind_int64(s, 2, at * 31 % (vertices - 1));
        if (sqlite3_step(s) != SQLITE_DONE)
            die(db, k->sql);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    run(db, "COMMIT");
}

static double one_look(sqlite3_stmt *look, int salt) {
    sqlite3_bind_int(look, 1, 1 + salt * 37);
    double began = now_ms();
    drain(look);
    return now_ms() - began;
}

/* Prints the phases of the latest search, except short ones. */
static void trace(sqlite3 *db, const char *what) {
    sqlite3_stmt *s = prepare(db, "SELECT phase, ms, detail FROM gpugraph_timings WHERE "
                                  "ms > 0.03");
    printf("  %s:", what);
    while (sqlite3_step(s) == SQLITE_ROW)
        printf(" %s %.3f (%.24s)", (const char *)sqlite3_column_text(s, 0),
               sqlite3_column_double(s, 1), (const char *)sqlite3_column_text(s, 2));
    printf("\n");
    sqlite3_finalize(s);
}

static const change changes[] = {
    {"1 inserted", "INSERT INTO roads VALUES (?2, ?2 + ?1 * 0 + 1, 5)", 1, 15},
    {"1 deleted", "DELETE FROM roads WHERE rowid = ?1", 1, 15},
    {"1 moved", "UPDATE roads SET b = ?2 WHERE rowid = ?1", 1, 15},
    {"1, other source", "UPDATE roads SET a = ?2, b = ?2 + 1 WHERE rowid = ?1", 1, 15},
    {"1 reweighted", "UPDATE roads SET metres = metres + 1 WHERE rowid = ?1 + ?2 * 0", 1,
     15},
    {"100 moved", "UPDATE roads SET b = ?2 WHERE rowid = ?1", 100, 9},
    {"10,000 moved", "UPDATE roads SET b = ?2 WHERE rowid = ?1", 10000, 5},
    {"1,000,000 inserted", "INSERT INTO roads VALUES (?2, ?2 + ?1 * 0 + 1, 5)", 1000000,
     1},
};
enum { SINGLE = 5, FEW = 7 }; /* the first kinds change one edge, or few edges */

static int salt = 1; /* for different changes */

/* Measures how much longer the first query after a change takes than a query without a
** change. Both use the changed graph, because a search may take longer after many edges
** have moved. */
static void after_changes(sqlite3 *db, const char *what, const char *sql,
                          sqlite3_int64 edges, int vertices, int many) {
    const int traced = getenv("TRACE") != NULL;
    sqlite3_stmt *look = prepare(db, sql);
    double first = one_look(look, salt++);
    printf("\n%-44s first %.1f ms\n%-18s %10s %10s %10s %10s\n", what, first, "after",
           "same", "changed", "more", "longest");
    const size_t begin = many ? FEW : 0, end = many ? FEW + 1 : FEW;
    for (size_t j = begin; j < end; j++) {
        double same[16], changed[16], longest = 0;
        const int turns = changes[j].turns;
        for (int i = 0; i < turns; i++) {
            make_changes(db, &changes[j], edges, vertices, salt);
            changed[i] = one_look(look, salt++);
            longest = changed[i] > longest ? changed[i] : longest;
            if (traced && i == turns - 1)
                trace(db, changes[j].what);
            one_look(look, salt++);
            same[i] = one_look(look, salt++);
        }
        if (traced)
            trace(db, "same");
        qsort(same, (size_t)turns, sizeof *same, compare);
        qsort(changed, (size_t)turns, sizeof *changed, compare);
        printf("%-18s %7.3f ms %7.3f ms %7.3f ms %7.3f ms\n", changes[j].what,
               same[turns / 2], changed[turns / 2], changed[turns / 2] - same[turns / 2],
               longest);
        fflush(stdout);
    }
    sqlite3_finalize(look);
}

/* Measures the longest query after each of many changes of one edge. */
static void pauses(sqlite3 *db, const char *what, const char *sql, sqlite3_int64 edges,
                   int vertices, int count) {
    sqlite3_stmt *look = prepare(db, sql);
    const int each = (count + SINGLE - 1) / SINGLE, traced = getenv("TRACE") != NULL;
    double *ms = malloc((size_t)each * SINGLE * sizeof *ms), longest[SINGLE] = {0};
    int at[SINGLE] = {0};
    if (!ms)
        die(db, "out of memory");
    one_look(look, salt++);
    for (int i = 0; i < each * SINGLE; i++) {
        const int kind = i % SINGLE;
        make_changes(db, &changes[kind], edges, vertices, salt++);
        const double took = one_look(look, salt);
        ms[kind * each + i / SINGLE] = took;
        if (took <= longest[kind])
            continue;
        longest[kind] = took;
        at[kind] = i;
        if (traced && i >= 10 * SINGLE)
            trace(db, changes[kind].what);
    }
    printf("\n%s, after each of %d changes of one edge, ms\n%-18s %9s %9s %9s %9s\n",
           what, each * SINGLE, "", "median", "99 %", "99.9 %", "longest");
    for (int kind = 0; kind < SINGLE; kind++) {
        double *of = ms + kind * each;
        qsort(of, (size_t)each, sizeof *of, compare);
        printf("%-18s %9.3f %9.3f %9.3f %9.3f  (change %d)\n", changes[kind].what,
               of[each / 2], of[each * 99 / 100], of[(int)(each * 0.999)], longest[kind],
               at[kind]);
    }
    fflush(stdout);
    free(ms);
    sqlite3_finalize(look);
}

static const struct {
    char letter;
    const char *what, *sql;
} queries[] = {
    {'j', "50,000 edge-exists by a join",
     "SELECT count(*), ?1 FROM pairs p CROSS JOIN g ON src = p.a AND dst = p.b"},
    {'v', "edges of one vertex", "SELECT count(*), sum(dst) FROM g WHERE src = ?1"},
    {'b', "gpu_bfs, two levels",
     "SELECT count(*), 1 FROM gpu_bfs('g', ?1) WHERE max_depth = 2"},
    {'p', "gpu_path, ten steps",
     "SELECT count(*), sum(vertex) FROM gpu_path('g', ?1, ?1 + 10)"},
    {'s', "gpu_sssp, near distances",
     "SELECT count(*), max(distance) FROM gpu_sssp('g', ?1) WHERE max_distance = 5000"},
    {'m', "gpu_mis",
     "SELECT count(*), ?1 FROM gpu_mis('g') WHERE seed = ?1 AND vertex = ?1"},
    {'i', "gpu_bfs, two levels, after many at once",
     "SELECT count(*), 1 FROM gpu_bfs('g', ?1) WHERE max_depth = 2"},
    {'t', "gpu_triangles",
     "SELECT triangles, ?1 FROM gpu_triangles('g') WHERE vertex = ?1"},
};

static void changes_of(const char *folder, double edges, const char *backend,
                       const char *asked, int count) {
    sqlite3 *db = open_new(folder, "changes");
    double began = now_ms();
    run(db, "CREATE TABLE roads(a INTEGER, b INTEGER, metres INTEGER)");
    const int vertices = make_grid(db, edges);
    printf("\nrows written in %.0f ms\n", now_ms() - began);
    const sqlite3_int64 rows = sqlite3_last_insert_rowid(db);
    char sql[300];
    snprintf(
        sql, sizeof sql,
        "CREATE TEMP TABLE pairs AS WITH RECURSIVE c(i) AS (VALUES (0) UNION ALL "
        "SELECT i + 1 FROM c WHERE i < %d) SELECT i * 7919 %% %d AS a, i * 7919 %% %d "
        "+ i %% 2 AS b FROM c",
        PROBES - 1, vertices, vertices);
    run(db, sql);
    began = now_ms();
    run(db, "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    drain(prepare(db, "SELECT count(*), 1 FROM g WHERE edge = 1"));
    printf("\n%lld edges, %d vertices: made and read in %.0f ms\n", (long long)rows,
           vertices, now_ms() - began);
    snprintf(sql, sizeof sql, "SELECT gpugraph_config('backend', '%s')", backend);
    run(db, sql);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        if (strchr(asked, queries[i].letter - 'a' + 'A'))
            pauses(db, queries[i].what, queries[i].sql, rows, vertices, count);
        if (strchr(asked, queries[i].letter))
            after_changes(db, queries[i].what, queries[i].sql, rows, vertices,
                          queries[i].letter == 'i');
    }
    sqlite3_close_v2(db);
    snprintf(path, sizeof path, "%s/changes.db", folder);
    unlink(path);
}

static void network(const char *folder, const char *file, const char *parts) {
    sqlite3 *db = open_new(folder, "network");
    run(db, "CREATE TABLE roads(a INTEGER, b INTEGER, metres INTEGER)");
    run(db, "BEGIN");
    if (*file)
        read_network(db, file);
    else
        make_network(db);
    run(db, "COMMIT");
    run(db, "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    if (strchr(parts, '2')) {
        readers(db, "gpu_bfs: count(*) after changed edges",
                "SELECT count(*) FROM gpu_bfs('g', ?)");
        readers(db, "gpu_bfs: all rows after changed edges",
                "SELECT vertex, depth FROM gpu_bfs('g', ?)");
    }
    if (strchr(parts, '3'))
        lookups(db);
    sqlite3_close_v2(db);
    snprintf(path, sizeof path, "%s/network.db", folder);
    unlink(path);
    printf("\n");
}

int main(int argc, char **argv) {
    const char *parts = argc > 3 ? argv[3] : "123456";
    if (argc < 2) {
        fprintf(stderr, "bench_follow FOLDER [GRAPH.gr [PARTS [EDGES [BACKEND [QUERIES "
                        "[CHANGES]]]]]]\n");
        return 1;
    }
    if (strchr(parts, '2') || strchr(parts, '3'))
        network(argv[1], argc > 2 ? argv[2] : "", parts);
    if (strchr(parts, '4'))
        opening(argv[1]);
    if (strchr(parts, '5'))
        catching_up(argv[1]);
    if (strchr(parts, '1'))
        writers(argv[1]);
    const char *backend = argc > 5 ? argv[5] : "auto";
    const char *asked = argc > 6 ? argv[6] : "jvb";
    const int count = argc > 7 ? atoi(argv[7]) : 10000;
    if (strchr(parts, '6') && argc > 4)
        changes_of(argv[1], atof(argv[4]), backend, asked, count);
    else if (strchr(parts, '6'))
        for (int i = 0; i < 3; i++)
            changes_of(argv[1], (double[]){0.7e6, 8e6, 60e6}[i], backend, asked, count);
    return 0;
}
