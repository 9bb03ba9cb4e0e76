/* Failures of device memory: while a statement runs, the test refuses the n-th block that
** the statement asks for, for every n. The statements call each function by each method,
** and use followed graphs. A statement returns the CPU's rows, or fails with a sentence
** about memory; the next statement returns the rows. One run refuses only one block, at
** every request for it. Another run refuses this block and all later blocks, as a full
** device does. Without a device the test is skipped.
**
** The linker sends calls of cudaMalloc here (--wrap, in CMakeLists.txt). */
extern "C" {
/* ctest: wrap=cudaMalloc */
#include "share.h"
#include "sql.h"
#include "suite.h"
}

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include <mutex>
#include <string>
#include <vector>

extern "C" cudaError_t __real_cudaMalloc(void **block, size_t bytes);
extern "C" cudaError_t __wrap_cudaMalloc(void **block, size_t bytes);

enum { ATTEMPTS = 3 /* tries of gg_take for a block */, MOST_BLOCKS = 400 };

static int countdown; /* 1: the next block is refused; 0: none */
static int refusals;
static bool for_good; /* later blocks are refused, too */
/* Devices that share searches take blocks at the same time. */
static std::mutex counting;

static bool is_refused() {
    const std::lock_guard<std::mutex> lock(counting);
    if (countdown == 0 || countdown-- > 1)
        return false;
    countdown = ++refusals < ATTEMPTS || for_good;
    return true;
}

cudaError_t __wrap_cudaMalloc(void **block, size_t bytes) {
    return is_refused() ? cudaErrorMemoryAllocation : __real_cudaMalloc(block, bytes);
}

/* ---- statements ---- */

/* Rows that are equal in every run. %Q: edges, method, backend. */
static const struct call {
    const char *function, *sql;
} calls[] = {
    {"gpu_bfs",
     "SELECT * FROM gpu_bfs(%Q, 1) WHERE method = %Q AND backend = %Q ORDER BY "
     "vertex"},
    {"gpu_bfs",
     "SELECT vertex, depth, source FROM gpu_bfs WHERE edges = %Q AND sources = "
     "'[1, 7, 30]' AND direction = 'both' AND method = %Q AND backend = %Q ORDER "
     "BY vertex"},
    {"gpu_bfs",
     "SELECT source, vertex, depth, edge FROM gpu_bfs WHERE edges = %Q AND "
     "source IN (1, 2, 3, 7) AND method = %Q AND backend = %Q ORDER BY source, "
     "vertex"},
    {"gpu_sssp", "SELECT * FROM gpu_sssp(%Q, 1) WHERE method = %Q AND backend = %Q ORDER "
                 "BY vertex"},
    {"gpu_sssp",
     "SELECT vertex, distance FROM gpu_sssp WHERE edges = %Q AND sources = "
     "'[1, 7, 30]' AND direction = 'in' AND method = %Q AND backend = %Q ORDER "
     "BY vertex"},
    {"gpu_sssp",
     "SELECT source, vertex, distance, edge FROM gpu_sssp WHERE edges = %Q AND "
     "source IN (1, 2, 3, 7) AND method = %Q AND backend = %Q ORDER BY source, "
     "vertex"},
    {"gpu_components",
     "SELECT * FROM gpu_components(%Q) WHERE method = %Q AND backend = %Q "
     "ORDER BY vertex"},
    {"gpu_components",
     "SELECT * FROM gpu_components(%Q) WHERE kind = 'strong' AND method = %Q "
     "AND backend = %Q ORDER BY vertex"},
    {"gpu_pagerank",
     "SELECT * FROM gpu_pagerank(%Q) WHERE method = %Q AND backend = %Q ORDER "
     "BY vertex"},
    {"gpu_pagerank",
     "SELECT * FROM gpu_pagerank(%Q) WHERE weighted = 1 AND sources = '[1, 7]' AND "
     "direction = 'both' AND method = %Q AND backend = %Q ORDER BY vertex"},
    {"gpu_label_propagation",
     "SELECT * FROM gpu_label_propagation(%Q) WHERE method = %Q AND backend = %Q ORDER "
     "BY vertex"},
    {"gpu_triangles",
     "SELECT * FROM gpu_triangles(%Q) WHERE method = %Q AND backend = %Q ORDER BY "
     "vertex"},
    {"gpu_triangles",
     "SELECT * FROM gpu_triangles(%Q) WHERE direction = 'out' AND method = %Q AND "
     "backend = %Q ORDER BY vertex"},
    {"gpu_paths",
     "SELECT * FROM gpu_paths(%Q, 1, 40, 3) WHERE method = %Q AND backend = %Q"},
    {"gpu_matrix",
     "SELECT * FROM gpu_matrix(%Q, '[1, 7, 30]', '[2, 40]') WHERE method = %Q AND "
     "backend = %Q ORDER BY source, target"},
    {"gpu_matrix",
     "SELECT * FROM gpu_matrix(%Q, '[1, 7, 30]') WHERE weighted = 0 AND direction = "
     "'both' AND method = %Q AND backend = %Q ORDER BY source, target"},
    {"gpu_degrees",
     "SELECT * FROM gpu_degrees(%Q) WHERE method = %Q AND backend = %Q ORDER BY vertex"},
    {"gpu_cores",
     "SELECT * FROM gpu_cores(%Q) WHERE method = %Q AND backend = %Q ORDER BY vertex"},
    {"gpu_spanning_forest",
     "SELECT * FROM gpu_spanning_forest(%Q) WHERE method = %Q AND backend = %Q ORDER BY "
     "edge"},
    {"gpu_topological_order",
     "SELECT * FROM gpu_topological_order('SELECT src, dst FROM dense WHERE src < dst') "
     "WHERE %Q <> '' AND method = %Q AND backend = %Q ORDER BY vertex"},
    {"gpu_path", "SELECT * FROM gpu_path(%Q, 1, 40) WHERE method = %Q AND backend = %Q"},
    {"gpu_path",
     "SELECT * FROM gpu_path(%Q, 1, 40) WHERE weighted = 0 AND method = %Q AND "
     "backend = %Q"},
    {"gpu_dfs", "SELECT vertex FROM gpu_dfs(%Q, 1) WHERE method = %Q AND backend = %Q "
                "ORDER BY vertex"},
    {"gpu_dfs",
     "SELECT count(*) FROM gpu_dfs(%Q) WHERE direction = 'both' AND method = %Q "
     "AND backend = %Q"},
    {"gpu_mis", "SELECT vertex FROM gpu_mis(%Q) WHERE method = %Q AND backend = %Q ORDER "
                "BY vertex"},
};

static std::string answer(const char *sql, const char *edges, const char *method,
                          const char *backend) {
    char *statement = sqlite3_mprintf(sql, edges, method, backend);
    char *rows = ask("%s", statement);
    std::string copy = rows;
    sqlite3_free(rows);
    sqlite3_free(statement);
    return copy;
}

static bool is_error(const std::string &rows) {
    return rows.rfind("error: ", 0) == 0;
}

/* Checks the answer of a statement while block n is refused. False: the statement has
** asked for fewer blocks. */
static bool with_refusal(int n, bool good, const std::string &right,
                         std::string (*ask_it)(const void *), const void *what,
                         const char *name) {
    countdown = n;
    refusals = 0;
    for_good = good;
    const std::string got = ask_it(what);
    const bool hit = refusals > 0;
    countdown = 0;
    ck_assert_msg(hit || !is_error(got), "%s, block %d not refused: %s", name, n,
                  got.c_str());
    if (is_error(got))
        ck_assert_msg(got.find("memory") != std::string::npos, "%s, block %d: %s", name,
                      n, got.c_str());
    else
        ck_assert_msg(got == right, "%s, block %d: other rows", name, n);
    return hit;
}

struct question {
    const char *sql, *edges, *method;
};

static std::string ask_device(const void *what) {
    const struct question *q = (const struct question *)what;
    return answer(q->sql, q->edges, q->method, "cuda");
}

static void refuse_each(const struct question *q, const char *name) {
    const std::string right = answer(q->sql, q->edges, "auto", "cpu");
    ck_assert_msg(!is_error(right), "%s", right.c_str());
    const std::string first = ask_device(q);
    if (is_error(first)) { /* some methods do not serve every call */
        ck_assert_msg(first.find("memory") == std::string::npos, "%s", first.c_str());
        return;
    }
    for (int good = 0; good < 2; good++) {
        bool hit = true;
        for (int n = 1; hit; n++) {
            ck_assert_msg(n < MOST_BLOCKS, "%s: blocks are asked for again and again",
                          name);
            if (left_out((uint64_t)n))
                continue;
            hit = with_refusal(n, good, right, ask_device, q, name);
            const std::string after = ask_device(q);
            ck_assert_msg(after == right, "%s: after block %d: %s", name, n,
                          after.c_str());
        }
    }
}

static std::vector<std::string> methods_of(const char *function) {
    std::vector<std::string> names(1, "auto");
    sqlite3_stmt *statement;
    ck_assert_int_eq(
        sqlite3_prepare_v2(db,
                           "SELECT method FROM gpugraph_methods WHERE function "
                           "= ? AND backend = 'cuda'",
                           -1, &statement, NULL),
        SQLITE_OK);
    sqlite3_bind_text(statement, 1, function, -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW)
        names.push_back((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return names;
}

static void setup(void) {
    sql_open();
    make_random("dense", 60, 500, 7);
    /* Ids far from each other, and texts, which are numbered by sorting. */
    run("CREATE TABLE sparse(src, dst, weight)");
    run("INSERT INTO sparse SELECT CASE WHEN src %% 5 THEN src ELSE src * 1000003 END, "
        "CASE "
        "WHEN dst %% 7 THEN dst ELSE 'v' || dst END, weight * 0.5 FROM dense");
}

static void teardown(void) {
    sql_close();
}

/* The cache keeps no graph, so each statement makes one. Loop: call, edges. */
START_TEST(each_statement) {
    const struct call *call = &calls[_i / 2];
    struct question q = {call->sql, _i % 2 ? "sparse" : "dense", NULL};
    run("SELECT gpugraph_config('cache_limit', 0)");
    for (const std::string &method : methods_of(call->function)) {
        std::string name =
            std::string(call->function) + " by " + method + " of " + q.edges;
        q.method = method.c_str();
        refuse_each(&q, name.c_str());
    }
}
END_TEST

/* Searches of a graph that stays on the device. */
START_TEST(each_search) {
    const struct call *call = &calls[_i];
    struct question q = {call->sql, "dense", NULL};
    for (const std::string &method : methods_of(call->function)) {
        q.method = method.c_str();
        refuse_each(&q, call->function);
        run("SELECT gpugraph_config('cache_limit', 0)"); /* forgets kept searches */
        run("SELECT gpugraph_config('cache_limit', 1000000000)");
    }
}
END_TEST

START_TEST(triangles) {
    struct question q = {"SELECT gpugraph_triangles(%Q) -- %Q %Q",
                         _i ? "sparse" : "dense", "auto"};
    run("SELECT gpugraph_config('cache_limit', 0), gpugraph_config('backend', 'cpu')");
    const std::string right = ask_device(&q);
    ck_assert(!is_error(right));
    run("SELECT gpugraph_config('backend', 'cuda')");
    for (int good = 0; good < 2; good++) {
        bool hit = true;
        for (int n = 1; hit && n < MOST_BLOCKS; n++) {
            hit = with_refusal(n, good, right, ask_device, &q, "gpugraph_triangles");
            ck_assert(ask_device(&q) == right);
        }
        ck_assert(!hit);
    }
}
END_TEST

/* Two devices serve the call: one refuses a block while it makes partitions, in a search,
** or in its share of the sources. Loop: call. */
START_TEST(each_on_two_devices) {
    const struct call *call = &calls[_i];
    struct question q = {call->sql, "dense", "auto"};
    if (suite_devices() < 2)
        return;
    run("SELECT gpugraph_config('cache_limit', 0), gpugraph_config('devices', '0,1')");
    refuse_each(&q, call->function);
}
END_TEST

/* Every function is among the calls. */
START_TEST(nothing_left_out) {
    sqlite3_stmt *statement;
    sqlite3_prepare_v2(db,
                       "SELECT DISTINCT function FROM gpugraph_methods WHERE backend = "
                       "'cuda' AND function <> 'gpugraph_triangles'",
                       -1, &statement, NULL);
    int functions = 0;
    for (; sqlite3_step(statement) == SQLITE_ROW; functions++) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        bool found = false;
        for (const struct call &call : calls)
            found |= strcmp(call.function, name) == 0;
        ck_assert_msg(found, "no statement for %s", name);
    }
    ck_assert_int_gt(functions, 0);
    sqlite3_finalize(statement);
}
END_TEST

/* ---- graphs that follow ---- */

static const char *const changes[] = {
    "INSERT INTO dense SELECT dst, src, 3 FROM dense WHERE rowid %% 50 = %d %% 50",
    "DELETE FROM dense WHERE rowid %% 60 = %d %% 60",
    "UPDATE dense SET weight = weight + 1, dst = dst %% 60 + 1 WHERE rowid %% 70 = %d %% "
    "70",
    "INSERT INTO dense VALUES (100 + %d, 1, 1)",
    "UPDATE dense SET weight = %d + 0.5 WHERE rowid = 8",
};

/* A change, a search that catches up while a block is refused, and a search without a
** refusal. Loop: kind of change, for good, persist. */
START_TEST(followed_graphs) {
    const int kinds = (int)(sizeof changes / sizeof *changes);
    struct question q = {
        "SELECT * FROM gpu_sssp(%Q, 1) WHERE method = %Q AND backend = %Q "
        "ORDER BY vertex",
        "g", "auto"};
    run("SELECT gpugraph_config('backend', 'cuda')");
    run("CREATE VIRTUAL TABLE g USING gpugraph(dense, persist = %d)", _i / kinds / 2);
    ck_assert(!is_error(ask_device(&q)));
    bool hit = true;
    for (int n = 1; hit; n++) {
        ck_assert_int_lt(n, MOST_BLOCKS);
        run(changes[_i % kinds], n);
        const std::string right =
            answer(q.sql, "SELECT src, dst, weight, rowid FROM dense", "auto", "cpu");
        ck_assert_msg(!is_error(right), "%s", right.c_str());
        hit = with_refusal(n, _i / kinds % 2, right, ask_device, &q, "a followed graph");
        ck_assert_msg(ask_device(&q) == right, "after block %d", n);
        expect("'ok'", "SELECT gpugraph_check('g')");
    }
}
END_TEST

/* CREATE, which moves the graph to the device, and gpugraph_save. */
START_TEST(graphs_that_are_made) {
    run("SELECT gpugraph_config('backend', 'cuda')");
    bool hit = true;
    for (int n = 1; hit; n++) {
        ck_assert_int_lt(n, MOST_BLOCKS);
        countdown = n;
        refusals = 0;
        for_good = _i % 2;
        char *made =
            ask("CREATE VIRTUAL TABLE g USING gpugraph(dense, persist = %d)", _i / 2);
        hit = refusals > 0;
        countdown = 0;
        ck_assert_msg(!*made || (hit && strstr(made, "memory")), "block %d: %s", n, made);
        if (*made) /* a failed CREATE leaves nothing in the schema */
            expect("0", "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'g%%'");
        else
            run("DROP TABLE g");
        sqlite3_free(made);
    }
    run("CREATE VIRTUAL TABLE g USING gpugraph(dense, persist = 1)");
    expect("'ok'", "SELECT gpugraph_check('g')");
}
END_TEST

const struct suite suite = {
    .name = "device_statement_faults",
    .groups = {{.name = "device_statement_faults",
                .timeout = 300,
                .setup = setup,
                .teardown = teardown,
                .cases = {{&each_statement, 2 * sizeof calls / sizeof *calls},
                          {&each_search, sizeof calls / sizeof *calls},
                          {&triangles, 2},
                          {&nothing_left_out},
                          {&followed_graphs, 4 * (sizeof changes / sizeof *changes)},
                          {&graphs_that_are_made, 4}}},
               {.name = "two_devices",
                .timeout = 300,
                .setup = setup,
                .teardown = teardown,
                .cases = {{&each_on_two_devices, sizeof calls / sizeof *calls}}}},
    .needs_device = true,
};
