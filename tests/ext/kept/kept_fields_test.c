/* Two calls that differ in one argument, on one connection and in both orders: each must
** give the answer of a connection that keeps nothing. A kept search whose key lacks a
** field fails here, whatever the field.
**
**     call     function, columns, slots       SELECT columns FROM function WHERE slot AND
**                                             slot ...
**     slot     an argument or a comparison     its choices: "", "max_depth = 0", "depth <
**                                              2" ...
**     pair     two choices of one slot, all other slots the same */
/* ctest: threads-elsewhere */
#include <stdio.h>
#include <string.h>

#include "gpugraph_extension.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
#include "sql.h"

/* Weights tie, are zero and differ widely; there are loops, parallel edges, texts that
** look like numbers, and a vertex that no edge reaches. */
static const char tables[] =
    "CREATE TABLE g(src, dst, weight, dear);"
    "INSERT INTO g "
    "VALUES(1,2,0,9),(2,3,5,9),(1,3,5,1),(3,4,1,9),(2,2,9,0),(4,5,2,8),(1,2,3,0),"
    "(3,1,4,4),('1',2,1,1),(2,'1',7,2),(8,9,2,2),(9,8,3,1),(5,6,1000,1),(6,7,1,0),(3,5,"
    "30,0);"
    "CREATE TABLE r(src INTEGER, dst INTEGER, weight REAL);"
    "INSERT INTO r VALUES(1,2,0.5),(2,3,0.25),(1,3,1.0),(3,4,2.5),(4,5,0.0),(5,6,1e9);"
    "CREATE TABLE w(src, dst, weight, PRIMARY KEY(src, dst)) WITHOUT ROWID;"
    "INSERT INTO w SELECT src, dst, min(weight) FROM g GROUP BY 1, 2;"
    "CREATE TABLE big(src, dst, weight);"
    "INSERT INTO big VALUES(1,2,5000000000),(2,3,1),(3,4,9000000000);"
    "CREATE VIEW v AS SELECT src, dst, dear AS weight FROM g;"
    "CREATE TABLE places(id, other); INSERT INTO places VALUES(1, 2),(99, 98);"
    "CREATE VIRTUAL TABLE f USING gpugraph(g(src, dst, weight));"
    "CREATE TABLE value(place INTEGER PRIMARY KEY, x);"
    "CREATE TABLE answer(place INTEGER PRIMARY KEY, x)";

enum { SLOTS = 16, CHOICES = 32 };

typedef struct slot {
    const char *choice[CHOICES]; /* NULL ends the list; the usual choice comes first */
    const char *compared;        /* the part of a comparison before its value */
} slot;

typedef struct call {
    const char *function;
    const char *columns[8];
    slot slot[SLOTS];
    const char *tail[CHOICES]; /* ORDER BY, LIMIT */
} call;

#define EDGES                                                                            \
    {                                                                                    \
        .choice = {                                                                      \
            "edges = 'g'",                                                               \
            "edges = 'g(src, dst)'",                                                     \
            "edges = 'g(dst, src, weight)'",                                             \
            "edges = 'g(src, dst, dear)'",                                               \
            "edges = 'main.g'",                                                          \
            "edges = 'r'",                                                               \
            "edges = 'w'",                                                               \
            "edges = 'big'",                                                             \
            "edges = 'v'",                                                               \
            "edges = 'f'",                                                               \
            "edges = 'SELECT src, dst, weight FROM g WHERE weight < 9'",                 \
            "edges = 'SELECT src, dst, weight FROM g WHERE weight < 8'",                 \
            "edges = 'SELECT src, dst, weight FROM g WHERE weight < ?1'",                \
            "edges IN ('g', 'r')"                                                        \
        }                                                                                \
    }
#define SOURCE                                                                           \
    {                                                                                    \
        .choice = {"source = 1",         "source = '1'",                                 \
                   "source = 2",         "source = 8",                                   \
                   "source = 99",        "source = NULL",                                \
                   "source IN (1, 2)",   "source IN (1, 2, 8, '1')",                     \
                   "sources = '[1]'",    "sources = '[\"1\"]'",                          \
                   "sources = '[1, 8]'", "sources = '[8, 2]'",                           \
                   "sources = '[]'"},                                                    \
        .compared = "source = "                                                          \
    }
#define TARGET                                                                           \
    {                                                                                    \
        .choice = {"",                                                                   \
                   "target = 3",                                                         \
                   "target = 5",                                                         \
                   "target = '1'",                                                       \
                   "target = 9",                                                         \
                   "target = NULL",                                                      \
                   "target IN (3)",                                                      \
                   "target IN (3, 5)",                                                   \
                   "target IN (2, 3, 4, 5)"},                                            \
        .compared = "target = "                                                          \
    }
#define DIRECTION                                                                        \
    {                                                                                    \
        .choice = {                                                                      \
            "",                                                                          \
            "direction = 'out'",                                                         \
            "direction = 'in'",                                                          \
            "direction = 'both'",                                                        \
            "direction = NULL"                                                           \
        }                                                                                \
    }
#define VERTICES                                                                         \
    {                                                                                    \
        .choice = {                                                                      \
            "",                                                                          \
            "vertices = 'places(id)'",                                                   \
            "vertices = 'places(other)'",                                                \
            "vertices = 'SELECT 99'",                                                    \
            "vertices = NULL"                                                            \
        }                                                                                \
    }
#define BACKEND                                                                          \
    {                                                                                    \
        .choice = { "", "backend = 'auto'", "backend = 'cpu'", "backend = 'cuda'" }      \
    }
/* Edges for a query with a parameter; an error for other edges. */
#define PARAMS                                                                           \
    {                                                                                    \
        .choice = {"",                                                                   \
                   "params = '[9]'",                                                     \
                   "params = '[6]'",                                                     \
                   "params = '[2]'",                                                     \
                   "params = '[6.5]'",                                                   \
                   "params = NULL"},                                                     \
        .compared = "params = "                                                          \
    }
#define VERTEX                                                                           \
    {                                                                                    \
        .choice = {"",                                                                   \
                   "vertex = 3",                                                         \
                   "vertex = '1'",                                                       \
                   "vertex = 99",                                                        \
                   "vertex = NULL",                                                      \
                   "vertex IN (2, 3)",                                                   \
                   "vertex IN (5, 9)",                                                   \
                   "vertex <> 3",                                                        \
                   "vertex = '3'",                                                       \
                   "vertex = 3.0"},                                                      \
        .compared = "vertex = "                                                          \
    }
#define METHOD(...)                                                                      \
    {                                                                                    \
        .choice = { "", "method = 'auto'", __VA_ARGS__ }                                 \
    }
/* Bounds by name: as an argument, or as a comparison with the column. */
#define BOUND(name, is)                                                                  \
    {                                                                                    \
        .choice = {"",                                                                   \
                   name is "0",                                                          \
                   name is "1",                                                          \
                   name is "2",                                                          \
                   name is "5",                                                          \
                   name is "6",                                                          \
                   name is "0.0",                                                        \
                   name is "0.5",                                                        \
                   name is "5.5",                                                        \
                   name is "1e300",                                                      \
                   name is "9223372036854775807",                                        \
                   name is "4294967295",                                                 \
                   name is "4294967294",                                                 \
                   name is "5000000001",                                                 \
                   name is "NULL",                                                       \
                   name is "'2'",                                                        \
                   name is "'x'",                                                        \
                   name is "-1",                                                         \
                   name is "-0.5",                                                       \
                   name is "5.0"},                                                       \
        .compared = name is                                                              \
    }

static const call calls[] = {
    {.function = "gpu_bfs",
     .columns = {"quote(vertex) || ':' || depth", "quote(vertex)",
                 "quote(vertex) || quote(parent)", "quote(edge)",
                 "quote(vertex) || quote(source) || quote(max_depth)"},
     .slot = {EDGES, SOURCE, TARGET, DIRECTION, VERTICES, PARAMS, BACKEND, VERTEX,
              METHOD("method = 'top-down'", "method = 'direction-optimizing'"),
              BOUND("max_depth", " = "), BOUND("depth", " <= "), BOUND("depth", " < "),
              BOUND("depth", " = ")},
     .tail = {"", "ORDER BY depth", "ORDER BY depth DESC", "ORDER BY vertex",
              "ORDER BY vertex DESC", "ORDER BY depth LIMIT 1", "ORDER BY depth LIMIT 2",
              "ORDER BY depth LIMIT 4", "ORDER BY depth LIMIT 0",
              "ORDER BY depth LIMIT 1 OFFSET 1", "ORDER BY depth LIMIT 1 OFFSET 3",
              "ORDER BY depth LIMIT -1 OFFSET 2", "ORDER BY depth LIMIT -1",
              "ORDER BY depth DESC LIMIT 2", "ORDER BY vertex LIMIT 2",
              "ORDER BY depth, vertex LIMIT 3"}},
    {.function = "gpu_sssp",
     .columns = {"quote(vertex) || ':' || distance", "quote(vertex)",
                 "quote(vertex) || quote(parent)", "quote(edge)",
                 "quote(vertex) || quote(source) || quote(max_distance)"},
     .slot = {EDGES, SOURCE, TARGET, DIRECTION, VERTICES, PARAMS, BACKEND, VERTEX,
              METHOD("method = 'dijkstra'", "method = 'delta-stepping'"),
              BOUND("max_distance", " = "), BOUND("distance", " <= "),
              BOUND("distance", " < "), BOUND("distance", " = ")},
     .tail = {"", "ORDER BY distance", "ORDER BY distance DESC", "ORDER BY vertex",
              "ORDER BY distance LIMIT 1", "ORDER BY distance LIMIT 2",
              "ORDER BY distance LIMIT 4", "ORDER BY distance LIMIT 0",
              "ORDER BY distance LIMIT 1 OFFSET 1", "ORDER BY distance LIMIT 1 OFFSET 3",
              "ORDER BY distance LIMIT -1 OFFSET 2", "ORDER BY distance DESC LIMIT 2",
              "ORDER BY vertex LIMIT 2", "ORDER BY distance, vertex LIMIT 3"}},
    {.function = "gpu_path",
     .columns = {"seq || quote(vertex) || quote(distance)", "quote(edge)", "quote(cost)",
                 "quote(vertex) || quote(source) || quote(target) || weighted"},
     .slot = {EDGES,
              {.choice = {"source = 1", "source = '1'", "source = 2", "source = 8",
                          "source = 99", "source = NULL", "source IN (1, 2)",
                          "source IN (1, 2, 8, '1')"},
               .compared = "source = "},
              {.choice = {"target = 5", "target = 3", "target = '1'", "target = 9",
                          "target = NULL", "target IN (3)", "target IN (3, 5)",
                          "target IN (2, 3, 4, 5)"},
               .compared = "target = "},
              DIRECTION,
              VERTICES,
              PARAMS,
              BACKEND,
              VERTEX,
              METHOD("method = 'dijkstra'", "method = 'bidirectional'",
                     "method = 'top-down'"),
              {.choice = {"", "weighted = 0", "weighted = 1", "weighted = NULL"}},
              BOUND("distance", " <= "),
              BOUND("seq", " <= ")},
     .tail = {"", "ORDER BY seq", "ORDER BY seq DESC", "ORDER BY seq LIMIT 1",
              "ORDER BY seq LIMIT 0", "ORDER BY seq LIMIT 2 OFFSET 1"}},
    {.function = "gpu_dfs",
     .columns = {"quote(vertex) || ':' || depth", "quote(vertex)",
                 "quote(vertex) || quote(parent)", "quote(edge)",
                 "quote(vertex) || preorder", "quote(vertex) || postorder"},
     .slot = {{.choice = {"ordered = 1"}},
              EDGES,
              {.choice = {"", "source = 1", "source = '1'", "source = 2", "source = 8",
                          "source = NULL", "source IN (1, 8)"},
               .compared = "source = "},
              DIRECTION,
              VERTICES,
              PARAMS,
              BACKEND,
              VERTEX,
              METHOD("method = 'serial'"),
              BOUND("depth", " <= "),
              BOUND("preorder", " < ")},
     .tail = {"", "ORDER BY preorder", "ORDER BY postorder", "ORDER BY preorder DESC",
              "ORDER BY preorder LIMIT 1", "ORDER BY preorder LIMIT 3",
              "ORDER BY preorder LIMIT 2 OFFSET 1", "ORDER BY vertex"}},
    /* The vertices of an unordered tree are equal in every run. */
    {.function = "gpu_dfs",
     .columns = {"quote(vertex) || method"},
     .slot = {EDGES,
              {.choice = {"", "source = 1", "source = '1'", "source = 8",
                          "source IN (1, 8)"}},
              {.choice = {"", "ordered = 0", "ordered = 1", "ordered = NULL"}},
              DIRECTION,
              VERTICES,
              PARAMS,
              BACKEND,
              VERTEX,
              METHOD("method = 'work-stealing'", "method = 'serial'")},
     .tail = {"", "ORDER BY vertex", "ORDER BY vertex LIMIT 2"}},
    {.function = "gpu_mis",
     .columns = {"quote(vertex)"},
     .slot = {EDGES,
              {.choice = {"", "priority = 'degree'", "priority = 'degree-id'",
                          "priority = 'random'", "priority = 'id'", "priority = NULL"}},
              {.choice = {"", "seed = 0", "seed = 1", "seed = 2", "seed = 3", "seed = -1",
                          "seed = 9223372036854775807", "seed = 1.0", "seed = '2'",
                          "seed = NULL"},
               .compared = "seed = "},
              VERTICES,
              PARAMS,
              BACKEND,
              VERTEX,
              METHOD("method = 'rounds'", "method = 'greedy'")},
     .tail = {"", "ORDER BY vertex", "ORDER BY vertex DESC", "ORDER BY vertex LIMIT 1"}},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- statements ---- */

/* The common part of the calls of a pair: a choice for each slot, columns and tail. */
typedef struct setting {
    int choice[SLOTS], columns, tail;
} setting;

/* The call with one slot, or for slot -1 the tail, set to that choice. One value: all
** rows in their order. */
static char *statement_of(const call *c, const setting *usual, int slot,
                          const char *choice) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    bool first = true;
    sqlite3_str_appendf(sql,
                        "SELECT coalesce(group_concat(line, ' '), 'none') FROM (SELECT "
                        "%s AS line FROM %s",
                        c->columns[usual->columns], c->function);
    for (int i = 0; i < SLOTS && c->slot[i].choice[0]; i++) {
        const char *term = i == slot ? choice : c->slot[i].choice[usual->choice[i]];
        if (*term)
            sqlite3_str_appendf(sql, "%s%s", first ? " WHERE " : " AND ", term);
        first &= !*term;
    }
    sqlite3_str_appendf(sql, " %s)", slot < 0 ? choice : c->tail[usual->tail]);
    return sqlite3_str_finish(sql);
}

static int slots_of(const call *c) {
    int slots = 0;
    while (slots < SLOTS && c->slot[slots].choice[0])
        slots++;
    return slots;
}

static int texts_in(const char *const *list, int most) {
    int count = 0;
    while (count < most && list[count])
        count++;
    return count;
}

static void open_with_tables(void) {
    sql_open();
    run("%s", tables);
}

/* The answer of a connection that has kept nothing. */
static void forget(void) {
    run("SELECT gpugraph_config('cache_limit', 0); SELECT gpugraph_config('cache_limit', "
        "NULL)");
}

static char *ask_anew(const char *sql) {
    sqlite3 *kept = db;
    open_with_tables();
    char *rows = ask("%s", sql);
    sql_close();
    db = kept;
    return rows;
}

static bool failed(const char *rows) {
    return strncmp(rows, "error", 5) == 0;
}

static void same(const char *got, const char *want, const char *sql, const char *after) {
    ck_assert_msg(strcmp(got, want) == 0, "%s\n after %s\n got  %s\n want %s", sql, after,
                  got, want);
}

/* ---- pairs ---- */

/* The second call finds the kept search of the first. */
static void one_after_the_other(const char *first, const char *second,
                                const char *first_rows, const char *second_rows) {
    forget();
    char *got = ask("%s", first), *then = ask("%s", second);
    same(got, first_rows, first, "nothing");
    same(then, second_rows, second, first);
    sqlite3_free(got);
    sqlite3_free(then);
}

/* Both calls in one statement. */
static void side_by_side(const char *first, const char *second, const char *first_rows,
                         const char *second_rows) {
    if (failed(first_rows) || failed(second_rows))
        return;
    forget();
    char *sql = sqlite3_mprintf("SELECT (%s), (%s)", first, second);
    char *want = sqlite3_mprintf("%s|%s", first_rows, second_rows), *got = ask("%s", sql);
    same(got, want, sql, "nothing");
    sqlite3_free(sql);
    sqlite3_free(want);
    sqlite3_free(got);
}

/* The number of pairs so far; the test runs a share of them. */
static uint64_t pair;

/* Every two choices of a slot. */
static void every_pair(const call *c, const setting *usual, int slot) {
    const char *const *choice = slot < 0 ? c->tail : c->slot[slot].choice;
    const int count = texts_in(choice, CHOICES);
    char *sql[CHOICES], *rows[CHOICES];
    for (int i = 0; i < count; i++) {
        sql[i] = statement_of(c, usual, slot, choice[i]);
        rows[i] = ask_anew(sql[i]);
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            if (i == j || left_out(pair++))
                continue;
            one_after_the_other(sql[i], sql[j], rows[i], rows[j]);
            if ((i < j) == ((i ^ j) & 1)) /* one order of each pair is enough here */
                side_by_side(sql[i], sql[j], rows[i], rows[j]);
        }
    }
    for (int i = 0; i < count; i++) {
        sqlite3_free(sql[i]);
        sqlite3_free(rows[i]);
    }
}

/* Takes each value from a column of a prepared statement: `depth <= value.x`. */
static char *ask_by_value(const call *c, const setting *usual, int slot, bool backward) {
    char *term = sqlite3_mprintf("%svalue.x", c->slot[slot].compared);
    char *inner = statement_of(c, usual, slot, term);
    char *rows =
        ask("SELECT group_concat(r, ';') FROM (SELECT (%s) AS r FROM value ORDER BY "
            "place%s)",
            inner, backward ? " DESC" : "");
    sqlite3_free(term);
    sqlite3_free(inner);
    return rows;
}

/* One correlated subquery receives the values of a comparison one after the other, in
** both orders. */
static void by_value(const call *c, const setting *usual, int slot) {
    const char *const *choice = c->slot[slot].choice, *compared = c->slot[slot].compared;
    /* A statement that always fails may report it or not, because SQLite does not run
    ** conditions that cannot be true. */
    char *plain = statement_of(c, usual, slot, choice[0]), *plain_rows = ask_anew(plain);
    bool wrong = failed(plain_rows);
    sqlite3_free(plain);
    sqlite3_free(plain_rows);
    if (wrong)
        return;
    run("DELETE FROM value; DELETE FROM answer");
    for (int i = 0; i < CHOICES && choice[i]; i++) {
        if (strncmp(choice[i], compared, strlen(compared)) != 0)
            continue;
        char *sql = statement_of(c, usual, slot, choice[i]), *rows = ask_anew(sql);
        if (!failed(rows)) {
            run("INSERT INTO value(x) VALUES(%s)", choice[i] + strlen(compared));
            run("INSERT INTO answer(x) VALUES(%.*Q)", (int)strlen(rows) - 2, rows + 1);
        }
        sqlite3_free(sql);
        sqlite3_free(rows);
    }
    for (int i = 0; i < 2; i++) {
        forget();
        char *want = ask(
            "SELECT group_concat(x, ';') FROM (SELECT x FROM answer ORDER BY place%s)",
            i ? " DESC" : "");
        char *got = ask_by_value(c, usual, slot, i == 1);
        char *asked = statement_of(c, usual, slot, "?");
        same(got, want, asked, compared);
        sqlite3_free(asked);
        sqlite3_free(got);
        sqlite3_free(want);
    }
}

/* ---- the tests ---- */

static void every_slot(const call *c, const setting *usual) {
    for (int slot = -1; slot < slots_of(c); slot++) {
        every_pair(c, usual, slot);
        if (slot >= 0 && c->slot[slot].compared)
            by_value(c, usual, slot);
    }
}

START_TEST(calls_that_differ_in_one_thing_alone) {
    const call *c = &calls[_i];
    open_with_tables();
    for (setting usual = {.columns = 0}; c->columns[usual.columns]; usual.columns++)
        every_slot(c, &usual);
    sql_close();
}
END_TEST

/* Pairs of searches that may end early, whose answers serve no other call. */
START_TEST(and_have_targets) {
    const call *c = &calls[_i];
    setting usual = {.columns = 0};
    open_with_tables();
    for (int i = 0; i < slots_of(c); i++) {
        if (c->slot[i].compared && strcmp(c->slot[i].compared, "target = ") == 0) {
            usual.choice[i] = texts_in(c->slot[i].choice, CHOICES) - 1;
            every_slot(c, &usual);
        }
    }
    sql_close();
}
END_TEST

static bool is_params(const slot *s) {
    return s->compared && strcmp(s->compared, "params = ") == 0;
}

/* Pairs with a query that has a parameter: each value makes its own graph. */
START_TEST(and_have_parameters) {
    const call *c = &calls[_i];
    setting usual = {.columns = 0};
    open_with_tables();
    for (int i = 0; i < slots_of(c); i++)
        for (int k = 0; k < texts_in(c->slot[i].choice, CHOICES); k++)
            if (strstr(c->slot[i].choice[k], "?1"))
                usual.choice[i] = k;
    for (int i = 0; i < slots_of(c); i++) {
        if (is_params(&c->slot[i])) {
            every_pair(c, &usual, i);
            by_value(c, &usual, i);
            usual.choice[i] = 1;
        }
    }
    every_slot(c, &usual);
    sql_close();
}
END_TEST

/* Pairs with other choices for some of the other slots. */
START_TEST(and_in_one_thing_more_that_they_share) {
    const call *c = &calls[_i % CALLS];
    uint64_t seed = (uint64_t)_i;
    setting usual = {.columns = 0};
    if (left_out((uint64_t)_i / CALLS))
        return;
    open_with_tables();
    usual.columns = (int)(shape_random(&seed) % (uint64_t)texts_in(c->columns, 8));
    if (shape_random(&seed) % 2)
        usual.tail = (int)(shape_random(&seed) % (uint64_t)texts_in(c->tail, CHOICES));
    for (int i = 0; i < slots_of(c); i++)
        if (shape_random(&seed) % 3 == 0 && !is_params(&c->slot[i]))
            usual.choice[i] = (int)(shape_random(&seed) %
                                    (uint64_t)texts_in(c->slot[i].choice, CHOICES));
    every_slot(c, &usual);
    sql_close();
}
END_TEST

/* The function is a field of the key, too. */
START_TEST(one_question_of_two_functions) {
    static const char *const sql[] = {
        "SELECT vertex, depth, parent, edge FROM gpu_bfs('g', 1%s)",
        "SELECT vertex, distance, parent, edge FROM gpu_sssp('g', 1%s)",
        "SELECT vertex, distance FROM gpu_sssp('g', 1%s)",
        "SELECT vertex, depth FROM gpu_bfs('g', 1%s)",
        "SELECT vertex, distance, parent, edge FROM gpu_sssp('g', 1%s) WHERE "
        "max_distance = 5",
        "SELECT * FROM gpu_path('g', 1, 5)",
        "SELECT * FROM gpu_path('g', 1, 5) WHERE weighted = 0",
        "SELECT * FROM gpu_path('g', 1) WHERE target IN (3, 5)",
        "SELECT * FROM gpu_dfs('g', 1) WHERE ordered = 1",
        "SELECT vertex FROM gpu_mis('g')",
        "SELECT gpugraph_triangles('g')",
        "SELECT src, dst, weight, edge FROM f",
    };
    enum { ALL = sizeof sql / sizeof *sql };
    char *asked[2 * ALL], *rows[2 * ALL];
    open_with_tables();
    for (int i = 0; i < 2 * ALL; i++) {
        asked[i] = sqlite3_mprintf(sql[i / 2], i % 2 ? ", 5" : "");
        rows[i] = ask_anew(asked[i]);
        ck_assert_msg(!failed(rows[i]), "%s", rows[i]);
    }
    for (int i = 0; i < 2 * ALL; i++)
        for (int j = 0; j < 2 * ALL; j++)
            one_after_the_other(asked[i], asked[j], rows[i], rows[j]);
    for (int i = 0; i < 2 * ALL; i++) {
        sqlite3_free(asked[i]);
        sqlite3_free(rows[i]);
    }
    sql_close();
}
END_TEST

const struct suite suite = {
    "kept_fields",
    {{"kept_fields", .timeout = 300,
      .cases = {{&calls_that_differ_in_one_thing_alone, CALLS},
                {&and_have_targets, CALLS},
                {&and_have_parameters, CALLS},
                {&one_question_of_two_functions},
                {&and_in_one_thing_more_that_they_share, 30}}}},
};
