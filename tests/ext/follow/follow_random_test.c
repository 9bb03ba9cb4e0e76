/* A model test: several connections and another process run random statements, and after
** each statement a query on a followed graph must give the answer of the query on its
** table.
**
**     writers    A and B (with the extension), C (without), P (another process, without)
**     readers    A, B, and D, which has the file attached under another name
**
** If edges have ids of their own, or rows have two weights, the test compares searches
** over the followed graph with searches that read the rows.
**
** GPUGRAPH_FOLLOW_STATEMENTS: statements for each kind of table (default 700);
** GPUGRAPH_FOLLOW_SEED: the first seed (default 1). A failure shows the seed and the
** latest statements. */
/* ctest: serial wide=40 gaps wider-gaps long */
#include "base/ext_limits.h"
#include "expect.h"
#include "follow/mirror.h"
#include "random_sql.h"
#include "suite.h"
#include <math.h>
#include "gpugraph_extension.h"
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { A, B, C, D, CONNECTIONS };

static sqlite3 *db[CONNECTIONS];
static char file[64], saved[80];
static uint64_t seed, state;
static const char *on_device = "auto"; /* the backend of most searches over the graph */
static FILE *to_process, *from_process;
static pid_t process;
static bool rollback_journal; /* no WAL: one file has the database */

/* The current names, and properties of the table and the graph. */
static struct names {
    char table[16], a[8], b[8], w[8], graph[16];
    bool rowids, weights, defaults; /* defaults: OR REPLACE stores one for NULL */
    bool persist;
    uint32_t where; /* only_edges */
    /* The columns after the weight: ", id", ", rowid, back" and so on, and these columns
    ** without the rowid. */
    const char *further, *stored;
    const char *direction; /* the graph's own, or "" */
    bool typed;            /* weights are REAL by column type; a query's are not */
    bool mixes;            /* one column has INTEGER ids, the other one TEXT ids */
} name, at_creation;

uint32_t pick(uint32_t below) {
    return split_mix(&state) % below;
}

/* ---- the statements so far ---- */

enum { REMEMBERED = 24 };
static char *history[REMEMBERED];
static int remembered;

static void remember(const char *who, const char *sql, const char *outcome) {
    char **slot = &history[remembered++ % REMEMBERED];
    sqlite3_free(*slot);
    *slot = sqlite3_mprintf("%s: %s -> %s", who, sql, outcome);
}

static const char *recall(void) {
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int i = remembered > REMEMBERED ? remembered - REMEMBERED : 0; i < remembered;
         i++)
        sqlite3_str_appendf(text, "\n  %s", history[i % REMEMBERED]);
    return sqlite3_str_finish(text);
}

static int run_on(int who, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values), *error = NULL;
    va_end(values);
    int rc = sqlite3_exec(db[who], sql, NULL, NULL, &error);
    remember((const char *const[]){"A", "B", "C", "D"}[who], sql, error ? error : "ok");
    expect(rc != SQLITE_CORRUPT && rc != SQLITE_INTERNAL, "seed %llu: %s: %s%s",
           (unsigned long long)seed, sql, error, recall());
    sqlite3_free(error);
    sqlite3_free(sql);
    return rc;
}

/* ---- the other process reads one statement a line and answers "ok" or the error ---- */

static int be_the_process(const char *path) {
    char line[4096];
    sqlite3 *own;
    if (sqlite3_open(path, &own) != SQLITE_OK)
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        char *error = NULL;
        sqlite3_exec(own, line, NULL, NULL, &error);
        printf("%s\n", error ? error : "ok");
        fflush(stdout);
        sqlite3_free(error);
    }
    return sqlite3_close(own) != SQLITE_OK;
}

static void start_process(void) {
    int in[2], out[2];
    expect(pipe(in) == 0 && pipe(out) == 0, "no pipes");
    process = fork();
    if (process == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execl("/proc/self/exe", "follow_random_test", "--child", file, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_process = fdopen(in[1], "w");
    from_process = fdopen(out[0], "r");
}

static void stop_process(void) {
    int status;
    fclose(to_process);
    fclose(from_process);
    waitpid(process, &status, 0);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the process failed");
}

static void run_in_process(const char *sql) {
    char answer[1024] = "";
    fprintf(to_process, "%s\n", sql);
    fflush(to_process);
    expect(fgets(answer, sizeof answer, from_process), "the process is gone%s", recall());
    answer[strcspn(answer, "\n")] = 0;
    remember("P", sql, answer);
}

/* ---- graph and table agree ---- */

typedef struct listing {
    char *text; /* "1>2#3=4.0 ..."; NULL: an error */
    bool bad_ids, bad_weights;
    int rc;
    char *error;
} listing;

static bool is_id(int type) {
    return type == SQLITE_INTEGER || type == SQLITE_TEXT;
}

/* True if the value is an id, NULL, or a REAL that is an integer. */
static bool is_end(sqlite3_stmt *s, int column) {
    int type = sqlite3_column_type(s, column);
    double real = sqlite3_column_double(s, column);
    return is_id(type) || type == SQLITE_NULL ||
           (type == SQLITE_FLOAT && real == floor(real));
}

static bool has_null_end(sqlite3_stmt *s) {
    return sqlite3_column_type(s, 0) == SQLITE_NULL ||
           sqlite3_column_type(s, 1) == SQLITE_NULL;
}

/* Columns: source, destination, weight or NULL, edge id or NULL (then the row's
** number). Rows of a table with a NULL end are no edges. */
static listing list(int who, const char *sql, bool of_table) {
    listing l = {0};
    sqlite3_stmt *s = NULL;
    sqlite3_int64 row = 0;
    sqlite3_str *text = sqlite3_str_new(NULL);
    l.rc = sqlite3_prepare_v2(db[who], sql, -1, &s, NULL);
    while (l.rc == SQLITE_OK && (l.rc = sqlite3_step(s)) == SQLITE_ROW) {
        l.rc = SQLITE_OK;
        if (of_table && has_null_end(s)) {
            l.bad_ids |= !is_end(s, 0) || !is_end(s, 1);
            continue;
        }
        row++;
        int weight = sqlite3_value_numeric_type(sqlite3_column_value(s, 2));
        for (int i = 0; i < 2; i++) {
            int type = sqlite3_column_type(s, i);
            double real = sqlite3_column_double(s, i);
            const char *quote = type == SQLITE_TEXT ? "'" : "";
            bool whole = of_table && type == SQLITE_FLOAT && real == floor(real);
            l.bad_ids |= !is_id(type) && !whole;
            sqlite3_str_appendall(text, i ? ">" : " ");
            if (whole)
                sqlite3_str_appendf(text, "%lld", (sqlite3_int64)real);
            else
                sqlite3_str_appendf(text, "%s%s%s", quote, sqlite3_column_text(s, i),
                                    quote);
        }
        l.bad_weights |= (weight != SQLITE_INTEGER && weight != SQLITE_FLOAT) ||
                         sqlite3_column_double(s, 2) < 0;
        sqlite3_str_appendf(
            text, "#%lld",
            sqlite3_column_type(s, 3) == SQLITE_NULL ? row : sqlite3_column_int64(s, 3));
        if (sqlite3_column_type(s, 2) != SQLITE_NULL)
            sqlite3_str_appendf(text, "=%g", sqlite3_column_double(s, 2));
    }
    if (l.rc != SQLITE_DONE)
        l.error = sqlite3_mprintf("%s", sqlite3_errmsg(db[who]));
    sqlite3_finalize(s);
    l.text = sqlite3_str_finish(text);
    if (!l.text)
        l.text = sqlite3_mprintf("");
    return l;
}

static void list_clear(listing *l) {
    sqlite3_free(l->text);
    sqlite3_free(l->error);
}

static bool is_locked(const listing *l) {
    return (l->rc & 0xff) == SQLITE_BUSY || (l->rc & 0xff) == SQLITE_LOCKED;
}

/* The condition on rows that are edges; "": all rows. */
static char *only_edges(void) {
    return name.where == 1   ? sqlite3_mprintf("%s < 5", name.w)
           : name.where == 2 ? sqlite3_mprintf("ifnull(%s, 2) <> 3", name.a)
                             : sqlite3_mprintf("");
}

/* True if an id is a number in column a and a text in column b. */
static bool is_mixed(int who, const char *schema) {
    char *edges = only_edges();
    const char *where = *edges ? " WHERE " : "";
    char *sql = sqlite3_mprintf(
        "SELECT 1 FROM (SELECT %s AS n FROM %s.%s%s%s) JOIN (SELECT %s AS t FROM "
        "%s.%s%s%s) ON typeof(n) IN ('integer', 'real') AND typeof(t) = 'text' AND t IN "
        "(CAST(n AS INTEGER) || '', CAST(n AS INTEGER) || '.0')",
        name.a, schema, name.table, where, edges, name.b, schema, name.table, where,
        edges);
    sqlite3_stmt *s = NULL;
    bool mixed = name.mixes &&
                 sqlite3_prepare_v2(db[who], sql, -1, &s, NULL) == SQLITE_OK &&
                 sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    sqlite3_free(sql);
    sqlite3_free(edges);
    return mixed;
}

static bool mixed; /* is_mixed() of the table that is compared */

/* Compares the answers of two queries. If a row cannot be an edge, the query on the graph
** must fail. Returns false then. */
static bool compare(int who, const char *on_table, const char *on_graph, bool weights) {
    listing t = list(who, on_table, true), g = list(who, on_graph, false);
    bool bad = t.bad_ids || (weights && t.bad_weights) || mixed;
    if (!is_locked(&t) && !is_locked(&g)) {
        expect(t.rc == SQLITE_DONE, "seed %llu: %s: %s%s", (unsigned long long)seed,
               on_table, t.error, recall());
        expect(bad == (g.rc != SQLITE_DONE), "seed %llu, connection %c: %s: %s%s%s",
               (unsigned long long)seed, "ABCD"[who], on_graph, g.error ? g.error : "ok",
               t.text, recall());
        expect(bad || strcmp(t.text, g.text) == 0,
               "seed %llu, connection %c: %s\n table%s\n graph%s%s",
               (unsigned long long)seed, "ABCD"[who], on_graph, t.text, g.text, recall());
    }
    list_clear(&t);
    list_clear(&g);
    return !bad;
}

/* The SQL after the table's name in a list of edges: the condition for edges, and the
** order, by rowid or by the table's key. Without rowids the order numbers the edges, and
** SQLite may read another index. */
static char *in_order(void) {
    char *edges = only_edges();
    char *made =
        sqlite3_mprintf(name.rowids ? "%s%s ORDER BY rowid" : "%s%s ORDER BY %s, %s",
                        *edges ? " WHERE " : "", edges, name.a, name.b);
    sqlite3_free(edges);
    return made;
}

/* false: some row has an invalid id. */
static bool compare_scans(int who, const char *schema) {
    char *order = in_order();
    char *table =
        sqlite3_mprintf("SELECT %s, %s, %s, %s FROM %s.%s%s", name.a, name.b,
                        name.weights ? name.w : "NULL", name.rowids ? "rowid" : "NULL",
                        schema, name.table, order);
    char *graph = sqlite3_mprintf(
        "SELECT src, dst, weight, edge FROM %s.%s ORDER BY edge", schema, name.graph);
    compare(who, table, graph, name.weights);
    sqlite3_free(table);
    table = sqlite3_mprintf("SELECT %s, %s, NULL, %s FROM %s.%s%s", name.a, name.b,
                            name.rowids ? "rowid" : "NULL", schema, name.table, order);
    sqlite3_free(graph);
    graph = sqlite3_mprintf("SELECT src, dst, NULL, edge FROM %s.%s", schema, name.graph);
    bool good = compare(who, table, graph, false);
    sqlite3_free(table);
    sqlite3_free(graph);
    sqlite3_free(order);
    return good;
}

static void compare_lookups(int who, const char *schema) {
    const char *id = ONE_OF("1", "2", "3", "5", "'a'", "'3'", "'1'", "4.0");
    char *where = pick(2) ? sqlite3_mprintf("= %s", id)
                          : sqlite3_mprintf("= %s AND %s = %d", id, name.b, pick(9));
    char *edges = only_edges();
    char *table = sqlite3_mprintf(
        "SELECT %s, %s, NULL, rowid FROM %s.%s WHERE %s %s%s%s ORDER BY rowid", name.a,
        name.b, schema, name.table, name.a, where, *edges ? " AND " : "", edges);
    sqlite3_free(edges);
    char *found = strstr(where, " AND ");
    char *graph = sqlite3_mprintf(
        "SELECT src, dst, NULL, edge FROM %s.%s WHERE src %.*s%s%s ORDER BY edge", schema,
        name.graph, found ? (int)(found - where) : (int)strlen(where), where,
        found ? " AND dst" : "", found ? strrchr(where, '=') - 1 : "");
    if (name.rowids)
        compare(who, table, graph, false);
    sqlite3_free(where);
    sqlite3_free(table);
    sqlite3_free(graph);
}

/* Compares the rows of a search over the graph with those of a search over the table. */
static void compare_searches(int who, const char *schema) {
    bool weighted = name.weights && pick(2);
    const char *source = ONE_OF("1", "2", "3", "'a'");
    const char *function = weighted ? "gpu_sssp" : "gpu_bfs";
    const char *backend = pick(3) ? on_device : "cpu";
    char *over_graph =
        sqlite3_mprintf("SELECT * FROM %s('%s.%s', %s) WHERE backend = '%s'", function,
                        schema, name.graph, source, backend);
    char *order = in_order();
    char *over_rows =
        sqlite3_mprintf("SELECT * FROM %s('SELECT %s, %s, %s%s FROM %s.%s%s', %s)",
                        function, name.a, name.b, name.weights ? name.w : "1",
                        name.rowids ? ", rowid" : "", schema, name.table, order, source);
    sqlite3_free(order);
    char *sql = sqlite3_mprintf(
        "SELECT (SELECT count(*) FROM (%s EXCEPT %s)) + (SELECT count(*) FROM (%s EXCEPT "
        "%s)), gpugraph_check('%s.%s')",
        over_graph, over_rows, over_rows, over_graph, schema, name.graph);
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db[who], sql, -1, &s, NULL);
    if (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        expect(sqlite3_column_int(s, 0) == 0, "seed %llu, connection %c: %s%s",
               (unsigned long long)seed, "ABCD"[who], sql, recall());
        expect(strcmp((const char *)sqlite3_column_text(s, 1), "ok") == 0,
               "seed %llu, connection %c: gpugraph_check: %s%s", (unsigned long long)seed,
               "ABCD"[who], sqlite3_column_text(s, 1), recall());
    } /* else some row is no edge; compare() expects the error */
    sqlite3_finalize(s);
    sqlite3_free(over_graph);
    sqlite3_free(over_rows);
    sqlite3_free(sql);
}

/* ---- the comparison if edges have own ids, or rows two weights ---- */

/* The rows of a query as text; "error" after an error, NULL if a lock prevents the
** query. */
static char *said(int who, const char *sql) {
    sqlite3_stmt *s = NULL;
    sqlite3_str *text = sqlite3_str_new(NULL);
    int rc = sqlite3_prepare_v2(db[who], sql, -1, &s, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        rc = SQLITE_OK;
        for (int i = 0; i < sqlite3_column_count(s); i++)
            sqlite3_str_appendf(text, i ? ",%s" : " %s", sqlite3_column_text(s, i));
    }
    sqlite3_finalize(s);
    if (rc != SQLITE_DONE)
        sqlite3_str_reset(text);
    if ((rc & 0xff) == SQLITE_ERROR)
        sqlite3_str_appendall(text, "error");
    else if (rc == SQLITE_DONE)
        sqlite3_str_appendall(text, ".");
    return sqlite3_str_finish(text);
}

/* Compares two queries. False: both fail because a row is no edge, or one is locked. */
static bool same(int who, const char *on_table, const char *on_graph) {
    char *t = said(who, on_table), *g = said(who, on_graph);
    if (t && g)
        expect(strcmp(t, g) == 0,
               "seed %llu, connection %c: %s\n %s\n table%s\n graph%s%s",
               (unsigned long long)seed, "ABCD"[who], on_table, on_graph, t, g, recall());
    bool good = t && g && strcmp(t, "error") != 0;
    sqlite3_free(t);
    sqlite3_free(g);
    return good;
}

/* Compares a search over the graph with a search over the rows of its table. */
static bool same_search(int who, const char *schema, const char *function) {
    char *edges = only_edges(), *order = in_order();
    char *graph = sqlite3_mprintf("%s.%s", schema, name.graph);
    char *rows = *edges || (!name.typed && pick(2))
                     ? sqlite3_mprintf("SELECT %s, %s, %s%s FROM %s.%s%s", name.a, name.b,
                                       name.w, name.further, schema, name.table, order)
                     : sqlite3_mprintf("%s.%s(%s, %s, %s%s)", schema, name.table, name.a,
                                       name.b, name.w, name.further);
    const char *cost = strcmp(function, "gpu_bfs") ? "distance" : "depth";
    const char *direction = ONE_OF("", "out", "in", "both", "both"),
               *source = ONE_OF("1", "2", "3", "'a'");
    const char *backend = pick(3) ? on_device : "cpu",
               *sql = "SELECT quote(vertex), quote(%s), quote(parent), quote(edge) FROM "
                      "%s('%s', %s) "
                      "WHERE backend = '%s'%s%s%s ORDER BY 1";
    const char *given = *direction ? direction : name.direction;
    char *on_graph = sqlite3_mprintf(sql, cost, function, graph, source, backend,
                                     *direction ? " AND direction = '" : "", direction,
                                     *direction ? "'" : "");
    char *on_table =
        sqlite3_mprintf(sql, cost, function, rows, source, backend,
                        *given ? " AND direction = '" : "", given, *given ? "'" : "");
    bool good = same(who, on_table, on_graph);
    sqlite3_free(on_graph);
    sqlite3_free(on_table);
    sqlite3_free(graph);
    sqlite3_free(rows);
    sqlite3_free(edges);
    sqlite3_free(order);
    return good;
}

/* An id that is a REAL without a fraction is stored as an INTEGER. */
#define ID(x)                                                                            \
    "quote(CASE typeof(" x ") WHEN 'real' THEN CAST(" x " AS INTEGER) ELSE " x " END)"
#define SHOWN ID("x") ", " ID("y") ", c * 1.0, " ID("i")

/* The edges as SQL reads them from the table, in order: by id, then by row. */
static char *arcs_of_table(const char *schema, const char *id) {
    char *edges = only_edges();
    const bool ways = strstr(name.further, "back") != NULL,
               both = ways && strcmp(name.direction, "both") == 0;
    const char *row = name.rowids ? "rowid" : "0";
    char *from =
        sqlite3_mprintf("%s AS i, %s AS o, CASE WHEN typeof(%s) IN ('integer', 'real') "
                        "THEN 1 WHEN %s IS NULL THEN 3 ELSE 2 END AS t FROM %s.%s "
                        "WHERE %s IS NOT NULL AND %s IS NOT NULL%s%s",
                        id, row, id, id, schema, name.table, name.a, name.b,
                        *edges ? " AND " : "", edges);
    char *cheaper = sqlite3_mprintf("(CASE WHEN %s >= 0 AND (back IS NULL OR back < 0 OR "
                                    "%s + 0.0 <= back + 0.0) THEN "
                                    "%s ELSE back END)",
                                    name.w, name.w, name.w);
    char *forth = sqlite3_mprintf("SELECT %s AS x, %s AS y, %s AS c, 0 AS k, %s", name.a,
                                  name.b, both ? cheaper : name.w, from);
    sqlite3_free(cheaper);
    char *sql;
    if (both)
        sql = sqlite3_mprintf("SELECT " SHOWN " FROM (%s) WHERE c >= 0 "
                              "ORDER BY t, i, o",
                              forth);
    else if (ways)
        sql = sqlite3_mprintf(
            "SELECT " SHOWN " FROM (SELECT * FROM "
            "(%s) UNION ALL SELECT %s, %s, back, 1, %s) WHERE c >= 0 ORDER BY t, i, o, k",
            forth, name.b, name.a, from);
    else
        sql = sqlite3_mprintf("SELECT " SHOWN " FROM (%s) ORDER BY t, i, o", forth);
    sqlite3_free(from);
    sqlite3_free(forth);
    sqlite3_free(edges);
    return sql;
}

static void agree_with_rows(int who, const char *schema) {
    if (pick(3) == 0)
        same_search(who, schema, "gpu_bfs");
    if (!same_search(who, schema,
                     "gpu_sssp")) /* needs valid weights, as the edges below do */
        return;
    const char *id = strstr(name.further, "rowid") ? "rowid" : "id";
    char *on_table = arcs_of_table(schema, id);
    char *on_graph =
        sqlite3_mprintf("SELECT quote(src), quote(dst), weight * 1.0, quote(edge) "
                        "FROM %s.%s",
                        schema, name.graph);
    if (name.rowids)
        same(who, on_table, on_graph);
    sqlite3_free(on_table);
    sqlite3_free(on_graph);
    const char *value = ONE_OF("1", "2", "3", "'x'", "'y'", "'3'", "3.0");
    on_graph =
        sqlite3_mprintf("SELECT count(*), sum(weight * 1.0) FROM %s.%s WHERE edge = %s",
                        schema, name.graph, value);
    on_table = sqlite3_mprintf(
        "SELECT count(*), sum(weight * 1.0) FROM %s.%s WHERE (edge = %s) IS TRUE", schema,
        name.graph, value);
    same(who, on_table, on_graph);
    sqlite3_free(on_table);
    sqlite3_free(on_graph);
    on_graph = sqlite3_mprintf("SELECT gpugraph_check('%s.%s')", schema, name.graph);
    same(who, "SELECT 'ok'", on_graph);
    sqlite3_free(on_graph);
}

static void agree(int who) {
    const char *schema = who == D ? "other" : "main";
    if (*name.further) {
        agree_with_rows(who, schema);
        return;
    }
    mixed = is_mixed(who, schema);
    bool good = compare_scans(who, schema);
    if (good && pick(3) == 0)
        compare_lookups(who, schema);
    if (good && pick(6) == 0)
        compare_searches(who, schema);
}

/* ---- statements ---- */

static const char *vertex(void) {
    if (pick(300) == 0)
        return ONE_OF("2.5", "x'31'");
    if (name.mixes && pick(12))
        return ONE_OF("'a'", "'b'", "'c'", "'d'", "'e'", "'f'", "NULL");
    if (pick(10) == 0)
        return ONE_OF("NULL", "NULL", "NULL", "NULL", "NULL", "2.0");
    return ONE_OF("1", "2", "3", "4", "5", "6", "7", "8", "'a'", "'b'", "'3'",
                  "9007199254740993");
}

static const char *weight(void) {
    if (pick(200) == 0)
        return ONE_OF("NULL", "-1", "'heavy'");
    if (pick(12) == 0)
        return ONE_OF("1.5", "2.0", "'4'", "'2.5'", "5000000000");
    return ONE_OF("0", "1", "2", "3", "4", "5", "6", "7");
}

static const char *edge_id(void) {
    if (pick(300) == 0)
        return ONE_OF("2.5", "x'31'");
    return ONE_OF("1", "2", "3", "4", "5", "6", "'x'", "'y'", "'3'", "''", "NULL", "3.0");
}

static const char *way_back(void) {
    return pick(2) ? ONE_OF("-1", "NULL", "-0.5") : weight();
}

/* The values of a row after its weight. */
static const char *further_value(const char *column) {
    return column[2] == 'i' ? edge_id() : way_back();
}

/* ", value" for each of name.stored. */
static void append_further(sqlite3_str *text) {
    for (const char *at = name.stored; *at;
         at = strchr(at + 1, ',') ? strchr(at + 1, ',') : "")
        sqlite3_str_appendf(text, ", %s", further_value(at));
}

static char *values(void) {
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (uint32_t i = 0, count = 1 + pick(4); i < count; i++) {
        sqlite3_str_appendf(text, "%s(%s, %s, %s", i ? ", " : "", vertex(), vertex(),
                            weight());
        append_further(text);
        sqlite3_str_appendall(text, ")");
    }
    return sqlite3_str_finish(text);
}

static char *condition(void) {
    switch (pick(name.rowids ? 5 : 3)) {
    case 0:
        return sqlite3_mprintf("%s = %s", name.a, vertex());
    case 1:
        return sqlite3_mprintf("%s = %s AND %s < 4", name.b, vertex(), name.w);
    case 2:
        return sqlite3_mprintf(
            "typeof(%s) NOT IN ('integer', 'text') OR typeof(%s) NOT IN "
            "('integer', 'text') OR ifnull(%s, -1) < 0 OR %s = 'heavy'%s%s",
            name.a, name.b, name.w, name.w,
            strstr(name.stored, "id") ? " OR typeof(id) = 'blob' OR id = 2.5" : "",
            strstr(name.stored, "back") ? " OR back = 'heavy'" : "");
    case 3:
        return sqlite3_mprintf("rowid = (SELECT max(rowid) FROM %s)", name.table);
    default:
        return sqlite3_mprintf("rowid = %u", pick(40));
    }
}

static char *insert(void) {
    if (name.defaults && pick(6) == 0)
        return sqlite3_mprintf(
            "INSERT OR REPLACE INTO %s(%s, %s, %s) VALUES (NULL, %s, %s)", name.table,
            name.a, name.b, name.w, vertex(), weight());
    char *rows = values(), *sql;
    switch (pick(5)) {
    case 0:
        sql = sqlite3_mprintf(
            "INSERT %s INTO %s(%s, %s, %s%s) SELECT %s, %s, %s%s FROM %s LIMIT "
            "3",
            conflict(), name.table, name.a, name.b, name.w, name.stored, name.b, name.a,
            name.w, name.stored, name.table);
        break;
    case 1:
        sql = sqlite3_mprintf(
            "INSERT INTO %s(%s, %s, %s%s) VALUES %s ON CONFLICT DO UPDATE SET "
            "%s = %s",
            name.table, name.a, name.b, name.w, name.stored, rows,
            ONE_OF(name.a, name.b, name.w), weight());
        break;
    case 2:
        if (name.rowids) {
            sql = sqlite3_mprintf(
                "INSERT %s INTO %s(rowid, %s, %s, %s) VALUES (%u, %s, %s, "
                "%s)",
                conflict(), name.table, name.a, name.b, name.w, pick(40), vertex(),
                vertex(), weight());
            break;
        } /* fall through */
    default:
        sql = sqlite3_mprintf("INSERT %s INTO %s(%s, %s, %s%s) VALUES %s", conflict(),
                              name.table, name.a, name.b, name.w, name.stored, rows);
    }
    sqlite3_free(rows);
    return sql;
}

static char *update(void) {
    char *where = condition(), *sql;
    uint32_t what = pick(name.rowids ? 4 : 3);
    if (*name.stored && pick(2)) {
        const char *column = pick(2) ? strrchr(name.stored, ',') : name.stored;
        sql = sqlite3_mprintf("UPDATE %s %s SET %.*s = %s WHERE %s", conflict(),
                              name.table, (int)strcspn(column + 2, ","), column + 2,
                              further_value(column), where);
    } else if (what == 3)
        sql = sqlite3_mprintf("UPDATE %s %s SET rowid = %u WHERE %s", conflict(),
                              name.table, pick(40), where);
    else
        sql = sqlite3_mprintf("UPDATE %s %s SET %s = %s WHERE %s", conflict(), name.table,
                              what == 0   ? name.a
                              : what == 1 ? name.b
                                          : name.w,
                              what == 2 ? weight() : vertex(), where);
    sqlite3_free(where);
    return sql;
}

static char *write_statement(void) {
    switch (pick(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        return update();
    case 5:
    case 6:
    case 7: {
        char *where = condition();
        char *sql = sqlite3_mprintf("DELETE FROM %s WHERE %s", name.table, where);
        sqlite3_free(where);
        return sql;
    }
    case 8:
        return pick(6) ? insert() : sqlite3_mprintf("DELETE FROM %s", name.table);
    case 9:
        return sqlite3_mprintf("%s", ONE_OF("BEGIN", "BEGIN IMMEDIATE", "COMMIT"));
    case 10:
        return sqlite3_mprintf("%s", ONE_OF("COMMIT", "ROLLBACK", "COMMIT", "ROLLBACK"));
    case 11:
        return sqlite3_mprintf("%s",
                               ONE_OF("SAVEPOINT one", "SAVEPOINT two", "RELEASE one"));
    case 12:
        return sqlite3_mprintf("%s", ONE_OF("ROLLBACK TO one", "ROLLBACK TO two"));
    case 13:
        return sqlite3_mprintf("%s", ONE_OF("PRAGMA recursive_triggers = on",
                                            "PRAGMA recursive_triggers = off",
                                            "PRAGMA trusted_schema = on",
                                            "PRAGMA trusted_schema = off"));
    default:
        return insert();
    }
}

/* ---- changes of schema, by A ---- */

static int create_as_named(void) {
    char *edges = only_edges();
    int rc = run_on(
        A, "CREATE VIRTUAL TABLE %s USING gpugraph(%s(%s, %s%s%s%s)%s%s%s%s%s%s%s)",
        name.graph, name.table, name.a, name.b, name.weights ? ", " : "",
        name.weights ? name.w : "", name.further,
        *name.direction ? ", direction = '" : "", name.direction,
        *name.direction ? "'" : "", *edges ? ", where = '" : "", edges, *edges ? "'" : "",
        name.persist ? ", persist = 1" : "");
    sqlite3_free(edges);
    return rc;
}

static void create_graph(void) {
    struct names before = name;
    name.where = name.typed ? 0 : pick(3);
    name.persist = pick(2);
    name.direction = *name.further ? ONE_OF("", "both", "in") : "";
    int rc = create_as_named();
    if (rc && name.persist) { /* a row is no edge; with persist CREATE reads the rows */
        name.persist = false;
        rc = create_as_named();
    }
    if (rc) /* the earlier graph still exists */
        name = before;
    at_creation = name;
}

static void rename_table(void) {
    const char *to = strcmp(name.table, "roads") ? "roads" : "streets";
    if (run_on(A, "ALTER TABLE %s RENAME TO %s", name.table, to) == SQLITE_OK)
        strcpy(name.table, to);
}

static void rename_column(char *column, const char *one, const char *two) {
    const char *to = strcmp(column, one) ? one : two;
    if (run_on(A, "ALTER TABLE %s RENAME COLUMN %s TO %s", name.table, column, to) ==
        SQLITE_OK)
        strcpy(column, to);
}

static void rename_graph(void) {
    const char *to = strcmp(name.graph, "g") ? "g" : "net";
    if (run_on(A, "ALTER TABLE %s RENAME TO %s", name.graph, to) == SQLITE_OK)
        strcpy(name.graph, to);
}

/* A graph without triggers knows its table only by the names in its arguments. */
static bool names_still_hold(void) {
    return strcmp(name.table, at_creation.table) == 0 &&
           strcmp(name.a, at_creation.a) == 0 && strcmp(name.b, at_creation.b) == 0 &&
           strcmp(name.w, at_creation.w) == 0;
}

/* Changes inside a transaction that is rolled back, names included. */
static void rename_for_a_moment(void) {
    struct names before = name;
    if (run_on(A, "BEGIN IMMEDIATE") != SQLITE_OK)
        return;
    rename_column(name.b, "b", "zu");
    agree(A);
    rename_table();
    agree(A);
    char *sql = write_statement();
    if (strstr(sql, "INSERT"))
        run_on(A, "%s", sql);
    sqlite3_free(sql);
    if (sqlite3_get_autocommit(db[A])) /* OR ROLLBACK */
        name = before;
    agree(A);
    run_on(A, "ROLLBACK");
    name = before;
}

/* DROP and CREATE AS: the triggers are dropped with the table, and the graph is made
** again afterwards. */
static void replace_table(void) {
    if (!name.rowids || !names_still_hold() || run_on(A, "BEGIN IMMEDIATE") != SQLITE_OK)
        return;
    run_on(A, "CREATE TABLE keep AS SELECT %s, %s, %s%s FROM %s", name.a, name.b, name.w,
           name.stored, name.table);
    run_on(A, "DROP TABLE %s", name.table);
    run_on(A, "CREATE TABLE %s AS SELECT * FROM keep", name.table);
    run_on(A, "DROP TABLE keep");
    agree(A);
    run_on(A, "COMMIT");
    agree(A);
    run_on(A, "INSERT INTO %s(%s, %s, %s) VALUES (1, 2, 3)", name.table, name.a, name.b,
           name.w);
    agree(A);
    run_on(A, "DROP TABLE %s", name.graph);
    create_graph();
}

static void copy_database(const char *from, const char *to) {
    sqlite3 *source, *target;
    expect(sqlite3_open(from, &source) == SQLITE_OK &&
               sqlite3_open(to, &target) == SQLITE_OK,
           "no copy");
    sqlite3_backup *b = sqlite3_backup_init(target, "main", source, "main");
    int rc = b ? sqlite3_backup_step(b, -1) : SQLITE_ERROR;
    sqlite3_backup_finish(b);
    remember("backup", to, rc == SQLITE_DONE ? "ok" : "not done");
    sqlite3_close(source);
    sqlite3_close(target);
}

/* Copies a file over the database in another process, because closing the file here would
** end SQLite's locks. SQLite notices the new file only if its change counter differs. */
static void copy_bytes(const char *from, const char *to) {
    pid_t child = fork();
    if (child == 0) {
        execlp("cp", "cp", from, to, (char *)NULL);
        _exit(127);
    }
    waitpid(child, NULL, 0);
    remember("cp", to, "done");
}

/* Restores an earlier backup and writes other rows, so log entries with equal numbers
** describe different changes. */
static void go_back(void) {
    bool bytes = rollback_journal && pick(2);
    bytes ? copy_bytes(file, saved) : copy_database(file, saved);
    for (int i = 0; i < 4; i++) {
        char *sql = insert();
        run_on(C, "%s", sql);
        sqlite3_free(sql);
        agree(pick(2) ? A : B);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        run_on(i, "SELECT count(*) FROM %s.%s", i == D ? "other" : "main", name.table);
    bytes ? copy_bytes(saved, file) : copy_database(saved, file);
    for (int i = 0; i < 6 && bytes; i++)
        run_on(C, "PRAGMA user_version = %d", i);
    if (pick(2))
        agree(pick(2) ? A : B);
    for (int i = 0; i < 3; i++) {
        char *sql = insert();
        run_on(C, "%s", sql);
        sqlite3_free(sql);
    }
    unlink(saved);
}

static void finish_transactions(void) {
    for (int i = 0; i < CONNECTIONS; i++)
        if (!sqlite3_get_autocommit(db[i]))
            run_on(i, "ROLLBACK");
    run_in_process("ROLLBACK");
}

static void change_schema(void) {
    finish_transactions();
    agree(B);
    agree(D);
    switch (pick(14)) {
    case 0:
        rename_table();
        break;
    case 1:
        rename_column(name.a, "a", "von");
        break;
    case 2:
        rename_column(name.w, "w", "metres");
        break;
    case 3:
        rename_graph();
        break;
    case 4:
        rename_for_a_moment();
        break;
    case 5:
    case 12:
        run_on(A, "VACUUM");
        break;
    case 6:
        run_on(A, "DROP TABLE %s", name.graph);
        create_graph();
        break;
    /* a new key, which the triggers lack: each query reads the table until the graph is
    ** made again */
    case 7:
        run_on(A, "CREATE UNIQUE INDEX one_more ON %s(%s, %s)", name.table, name.b,
               name.w);
        agree(A);
        run_on(C,
               "INSERT OR REPLACE INTO %s(%s, %s, %s) SELECT %s, %s, %s FROM %s LIMIT 2",
               name.table, name.a, name.b, name.w, name.b, name.b, name.w, name.table);
        agree(A);
        if (pick(2)) {
            run_on(A, "DROP TABLE %s", name.graph);
            create_graph();
        } else {
            run_on(A, "DROP INDEX one_more");
        }
        break;
    case 8:
        run_on(A, "DROP INDEX IF EXISTS one_more");
        break;
    case 9:
        if (!names_still_hold())
            break;
        run_on(A, "DROP TRIGGER %s_%s", name.graph,
               ONE_OF("inserted", "deleted", "updated", "moved", "tended"));
        agree(A);
        run_on(C, "INSERT INTO %s(%s, %s, %s) VALUES (2, 3, 4)", name.table, name.a,
               name.b, name.w);
        agree(A);
        run_on(A, "DROP TABLE %s", name.graph);
        create_graph();
        break;
    case 10:
        replace_table();
        break;
    case 11:
    case 13:
        go_back();
        break;
    }
    agree(B);
    agree(D);
}

/* ---- the test ---- */

static const struct {
    const char *sql;
    bool rowids, weights;
    const char *further, *stored;
} tables[] = {
    {"CREATE TABLE roads(a, b, w)", true, true},
    {"CREATE TABLE roads(id INTEGER PRIMARY KEY, a INTEGER, b NUMERIC, w REAL)", true,
     true},
    {"CREATE TABLE roads(id INTEGER PRIMARY KEY, a INTEGER, b TEXT, w)", true, true},
    {"CREATE TABLE roads(a, b, w, UNIQUE(a, b))", true, true},
    {"CREATE TABLE roads(a NOT NULL DEFAULT 3, b UNIQUE ON CONFLICT REPLACE, w, "
     "UNIQUE(w, "
     "a) ON CONFLICT REPLACE)",
     true, true},
    {"CREATE TABLE roads(id INTEGER PRIMARY KEY AUTOINCREMENT, a, b TEXT COLLATE NOCASE, "
     "w, "
     "UNIQUE(b))",
     true, false},
    {"CREATE TABLE roads(a, b, w, PRIMARY KEY(a, b)) WITHOUT ROWID", false, true},
    {"CREATE TABLE roads(a, b, w, twice AS (w * 2) UNIQUE); CREATE UNIQUE INDEX some ON "
     "roads(a) WHERE w > 4; CREATE UNIQUE INDEX part ON roads(b COLLATE NOCASE, a)",
     true, true},
    {"CREATE TABLE roads(a, b, w); CREATE UNIQUE INDEX heavy ON roads(a) WHERE w > 4; "
     "CREATE UNIQUE INDEX some ON roads(b COLLATE NOCASE, a) WHERE b IS NOT 3 -- of them",
     true, true},
    {"CREATE TABLE roads(a, b NOT NULL DEFAULT 4, w); CREATE UNIQUE INDEX sum ON "
     "roads(ifnull(a, 0) || '|' || \"b\" COLLATE NOCASE DESC, w); CREATE UNIQUE INDEX "
     "heavy ON roads(b, CASE WHEN w > 3 THEN a END) WHERE w IS NOT 2",
     true, true},
    {"CREATE TABLE roads(a, b, w, id)", true, true, ", id", ", id"},
    {"CREATE TABLE roads(a, b, id TEXT UNIQUE, w)", true, true, ", id", ", id"},
    {"CREATE TABLE roads(a, b, w, id, back)", true, true, ", id, back", ", id, back"},
    {"CREATE TABLE roads(a, b, w INTEGER, back REAL)", true, true, ", rowid, back",
     ", back"},
    {"CREATE TABLE roads(a, b, w, id, back, PRIMARY KEY(a, b)) WITHOUT ROWID", false,
     true, ", id, back", ", id, back"},
};

static void open_all(const char *journal, const char *table) {
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-%d.db", (int)getpid());
    snprintf(saved, sizeof saved, "%s-saved", file);
    unlink(file);
    for (int i = 0; i < CONNECTIONS; i++) {
        ck_assert_int_eq(sqlite3_open(i == D ? ":memory:" : file, &db[i]), SQLITE_OK);
        if (i != C)
            ck_assert_int_eq(sqlite3_gpugraph_init(db[i], NULL, NULL), SQLITE_OK);
        if (i == A) {
            run_on(A, "PRAGMA journal_mode = %s; PRAGMA synchronous = off", journal);
            run_on(A, "%s", table);
        }
        run_on(i, "PRAGMA synchronous = off");
    }
    run_on(D, "ATTACH '%s' AS other", file);
    start_process();
}

static void close_all(void) {
    stop_process();
    for (int i = 0; i < CONNECTIONS; i++)
        ck_assert_int_eq(sqlite3_close(db[i]), SQLITE_OK);
    unlink(file);
}

static void set_names(int kind) {
    strcpy(name.table, "roads");
    strcpy(name.a, "a");
    strcpy(name.b, "b");
    strcpy(name.w, "w");
    strcpy(name.graph, "g");
    name.rowids = tables[kind].rowids;
    name.weights = tables[kind].weights;
    name.further = tables[kind].further ? tables[kind].further : "";
    name.stored = tables[kind].stored ? tables[kind].stored : "";
    name.direction = "";
    name.typed = strstr(tables[kind].sql, "back REAL") != NULL;
    name.mixes = strstr(tables[kind].sql, "b TEXT, w)") != NULL;
    name.defaults = strstr(tables[kind].sql, "DEFAULT") != NULL;
}

/* Connection B is opened again: it has no mirror and loads the saved one, if that is
** valid. */
static void open_again(void) {
    if (name.persist)
        run_on(pick(2) ? A : B, "SELECT gpugraph_save('%s')", name.graph);
    if (!sqlite3_get_autocommit(db[B]))
        run_on(B, "ROLLBACK");
    ck_assert_int_eq(sqlite3_close(db[B]), SQLITE_OK);
    ck_assert_int_eq(sqlite3_open(file, &db[B]), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db[B], NULL, NULL), SQLITE_OK);
    run_on(B, "PRAGMA synchronous = off");
    agree(B);
}

static void step(void) {
    int who = (int)pick(5);
    if (pick(25) == 0) {
        change_schema();
    } else if (pick(30) == 0) {
        open_again();
    } else if (pick(60) == 0) {
        int on = (int)pick(2);
        sqlite3_db_config(db[A], SQLITE_DBCONFIG_DEFENSIVE, on, NULL);
    } else {
        char *sql = write_statement();
        if (who == 4)
            run_in_process(sql);
        else
            run_on(who == D ? A : who, "%s", sql);
        sqlite3_free(sql);
    }
    agree(A);
    if (pick(3) == 0)
        agree(pick(2) ? B : D);
    if (pick(15) == 0)
        finish_transactions();
}

static long number_of(const char *variable, long otherwise) {
    const char *text = getenv(variable);
    return text ? atol(text) : otherwise;
}

START_TEST(graph_is_table) {
    const int count = sizeof tables / sizeof *tables, kind = _i % count;
    seed = (uint64_t)number_of("GPUGRAPH_FOLLOW_SEED", 1) * 100 + (uint64_t)_i;
    state = seed;
    set_names(kind);
    rollback_journal = _i >= count;
    open_all(rollback_journal ? "delete" : "wal", tables[kind].sql);
    if (pick(2))
        run_on(A, "INSERT INTO roads(a, b, w) VALUES (1, 2, 3), (2, 3, 4), (3, 'a', 1)");
    create_graph();
    for (long i = 0; i < number_of("GPUGRAPH_FOLLOW_STATEMENTS", 700); i++) {
        ext_limits.mirror_find_from = pick(2) ? 1 : 1000;
        step();
    }
    finish_transactions();
    close_all();
}
END_TEST

static void choose_backend(void) {
    const char *backends = getenv("GPUGRAPH_TEST_BACKENDS");
    if (backends && strstr(backends, "cuda"))
        on_device = "cuda";
}

const struct suite suite = {
    "follow_random",
    {{"models", .timeout = 600,
      .cases = {{&graph_is_table, 2 * sizeof tables / sizeof *tables}}}},
    .begin = choose_backend,
    .child = be_the_process,
};
