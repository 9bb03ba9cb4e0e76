/* Functions of followed graphs: gpugraph_check and gpugraph_save; delete.c has
** gpugraph_delete_vertex.
**
**     'g' -> the virtual table g -> its definition, the graph as the statement sees it
**
**     gpugraph_check   table -> a new graph  <-> mirror, edge by edge in the order of ids
**     gpugraph_save    mirror -> blocks in the file
**/
#include "functions.h"
#include "base/module.h"
#include "acquire/acquire.h"
#include "table_function/graph_values.h"
#include "base/scope.h"
#include "base/statement.h"
#include <string.h>

/* Finds the virtual table that the text names. */
static int find_graph_table(graph_call *call, const char *text, int bytes) {
    edge_source source;
    table_info info = {0};
    char *error = NULL;
    int rc = edge_parse(text, bytes, EDGE_COLUMNS, &source, &error);
    if (rc == SQLITE_OK && (source.query || source.columns))
        rc = SQLITE_MISMATCH;
    else if (rc == SQLITE_OK)
        rc = table_find(call->c->db, source.schema, source.table, &info, &error);
    if (rc == SQLITE_OK && info.kind != 'g')
        rc = SQLITE_MISMATCH;
    if (rc == SQLITE_OK)
        rc = definition_read(call->c->db, info.schema, info.name, &call->definition,
                             &error);
    if (rc == SQLITE_MISMATCH) {
        error = sqlite3_mprintf(
            "'%!.60s' is not a graph made by CREATE VIRTUAL TABLE ... USING gpugraph; "
            "gpugraph_graphs lists the graphs",
            text);
        rc = SQLITE_ERROR;
    }
    if (rc && error)
        call->error = sqlite3_mprintf("%s: %s", call->function, error);
    sqlite3_free(error);
    table_info_clear(&info);
    edge_source_clear(&source);
    return rc;
}

/* Acquires the graph for direction 'both' (undirected), or for the other directions. */
static int acquire_functions(graph_call *call, const scope *scope, const char *edges,
                             bool undirected, graph_ref **graph) {
    const graph_request request = {.function = call->function,
                                   .edges = edges,
                                   .edges_bytes = (int)strlen(edges),
                                   .weight = WEIGHT_NO,
                                   .undirected = undirected,
                                   .numbers = call->numbers,
                                   .edges_here = true,
                                   .backend = -1,
                                   .scope = scope};
    timings earlier;
    watch_begin(&earlier, call->c);
    int rc = graph_acquire(call->c, &request, graph, &call->error);
    watch_end(&earlier, call->c);
    return rc;
}

int graph_call_begin(graph_call *call, sqlite3_context *context, const char *function,
                     sqlite3_value *name, enum vertex_numbers numbers) {
    memset(call, 0, sizeof *call);
    call->numbers = numbers;
    call->c = sqlite3_user_data(context);
    call->function = function;
    if (sqlite3_value_type(name) != SQLITE_TEXT) {
        return fail_with(&call->error,
                         "%s: the first argument must be the name of a graph "
                         "made by CREATE VIRTUAL TABLE ... USING gpugraph",
                         function);
    }
    const char *edges = (const char *)sqlite3_value_text(name);
    const scope *scope = statement_scope(context, call->c);
    if (!edges || !scope)
        return SQLITE_NOMEM;
    int rc = find_graph_table(call, edges, sqlite3_value_bytes(name));
    if (rc == SQLITE_OK)
        rc = definition_resolve(call->c, function, scope, &call->definition, &call->rows,
                                &call->error);
    rc = rc ? rc : acquire_functions(call, scope, edges, false, &call->graph);
    if (rc == SQLITE_OK && call->graph->two_ways)
        rc = acquire_functions(call, scope, edges, true, &call->both);
    return rc;
}

void graph_call_result(sqlite3_context *context, graph_call *call, int rc) {
    if (rc != SQLITE_OK) {
        function_fail_with(context, rc, call->error);
        call->error = NULL;
    }
    graph_release(call->c, call->graph);
    graph_release(call->c, call->both);
    definition_clear(&call->definition);
    row_source_clear(&call->rows);
    sqlite3_free(call->error);
}

void graph_call_reason(graph_call *call, int rc, const char *reason) {
    if (rc && rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT && reason && !call->error)
        call->error = sqlite3_mprintf("%s: %s", call->function, reason);
}

/* ---- gpugraph_check ---- */

enum { SHOWN_DIFFERENCES = 10, CHECKED_TOGETHER = 65536 /* items between two polls */ };

typedef struct check {
    graph_call call;
    bool by_row, doubled; /* edges are reported by rowids; numbers are twice the rowids */
    sqlite3_str *said;
    sqlite3_int64 differences;
} check;

static void say_difference(check *k, const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (k->differences++ < SHOWN_DIFFERENCES) {
        sqlite3_str_appendall(k->said, k->differences > 1 ? "; " : "");
        sqlite3_str_vappendf(k->said, format, values);
    }
    va_end(values);
}

static void say_of_edge(check *k, int64_t number, const char *what) {
    say_difference(k, "%s %lld %s", k->by_row ? "row" : "edge",
                   k->doubled ? number >> 1 : number, what);
}

static bool same_id(const gpugraph_graph *graph, uint32_t v, const gpugraph_graph *other,
                    uint32_t w) {
    const gpugraph_id id = gpugraph_id_of(gpugraph_vertex_ids(graph), v),
                      of = gpugraph_id_of(gpugraph_vertex_ids(other), w);
    if (id.is_text != of.is_text || id.length != of.length)
        return false;
    return id.is_text ? memcmp(id.text, of.text, (size_t)id.length) == 0
                      : id.integer == of.integer;
}

static bool same_edge(const gpugraph_graph *graph, uint64_t e,
                      const gpugraph_graph *other, uint64_t f) {
    const gpugraph_edge edge = gpugraph_edge_of(graph, e),
                        of = gpugraph_edge_of(other, f);
    return same_id(graph, edge.source, other, of.source) &&
           same_id(graph, edge.target, other, of.target) && edge.weight == of.weight &&
           edge.real == of.real;
}

/* Two graphs whose edge ids are compared, and the graphs that have the edges if the first
** two are row_ids (load/row_ids.h). */
typedef struct check_pair {
    gpugraph_graph *read, *kept, *read_edges, *kept_edges;
} check_pair;

static bool pair_agrees(const check_pair *p, uint64_t e, uint64_t f, int64_t number) {
    if (!same_edge(p->read, e, p->kept, f))
        return false;
    if (!p->read_edges)
        return true;
    e = row_ids_edge(p->read, number);
    f = row_ids_edge(p->kept, number);
    return f < gpugraph_edge_count(p->kept_edges) &&
           same_edge(p->read_edges, e, p->kept_edges, f);
}

/* Compares the edges of both graphs in the order of their ids. */
static int compare_edges(check *k, const check_pair *p) {
    const uint64_t reads = p->read ? gpugraph_edge_count(p->read) : 0,
                   keeps = p->kept ? gpugraph_edge_count(p->kept) : 0;
    for (uint64_t e = 0, f = 0; e < reads || f < keeps;) {
        const int64_t read = e < reads ? gpugraph_edge_id_of(p->read, e) : 0,
                      kept = f < keeps ? gpugraph_edge_id_of(p->kept, f) : 0;
        const int order = e == reads   ? 1
                          : f == keeps ? -1
                                       : (read > kept) - (read < kept);
        if ((e + f) % CHECKED_TOGETHER == 0 && connection_interrupted(k->call.c))
            return SQLITE_INTERRUPT;
        if (order > 0)
            say_of_edge(k, kept, "is in the graph and not in the table");
        else if (order < 0)
            say_of_edge(k, read, "is in the table and not in the graph");
        else if (!pair_agrees(p, e, f, read))
            say_of_edge(k, read, "differs between table and graph");
        e += order <= 0;
        f += order >= 0;
    }
    return SQLITE_OK;
}

/* Checks that both graphs have equal vertices. */
static int compare_vertices(check *k, const gpugraph_graph *read,
                            const gpugraph_graph *kept) {
    const uint32_t n = gpugraph_vertex_count(read);
    const uint64_t count = gpugraph_vertex_count(kept) - gpugraph_tombstones(kept, NULL);
    uint32_t found = 0;
    for (uint32_t v = 0; v < n; v++) {
        const gpugraph_id id = gpugraph_id_of(gpugraph_vertex_ids(read), v);
        if (v % CHECKED_TOGETHER == 0 && connection_interrupted(k->call.c))
            return SQLITE_INTERRUPT;
        found += (id.is_text ? gpugraph_find_text(kept, id.text, (size_t)id.length)
                             : gpugraph_find_integer(kept, id.integer)) != GPUGRAPH_NONE;
    }
    if (found < n)
        say_difference(k, "%u vertices of the table are not in the graph", n - found);
    if (found < count)
        say_difference(k, "%llu vertices of the graph are in no row", count - found);
    return SQLITE_OK;
}

/* Compares the arcs that look-ups read, and the copy on a device, with the edges. */
static int compare_copies(check *k, gpugraph_graph *graph) {
    gpugraph_run run;
    uint64_t e;
    connection_run(k->call.c, &run);
    gpugraph_status status = gpugraph_check_arcs(graph, &run, &e);
    if (status == GPUGRAPH_INVALID && e != GPUGRAPH_NO_EDGE)
        say_of_edge(k, gpugraph_edge_id_of(graph, e),
                    "cannot be looked up in the graph by its ends");
    else if (status == GPUGRAPH_INVALID)
        say_difference(k, "%s", run.message);
    if (status != GPUGRAPH_OK && status != GPUGRAPH_INVALID)
        return code_of_status(status);
    status = gpugraph_check_copy(graph, &run);
    if (status == GPUGRAPH_INVALID)
        say_difference(k, "%s", run.message);
    return status == GPUGRAPH_INVALID ? SQLITE_OK : code_of_status(status);
}

/* Compares a graph with the table, which has just been read. */
static int check_one(check *k, const graph_ref *g, const loaded *read) {
    const check_pair edges = {read->graph, g->graph, NULL, NULL},
                     rows = {read->row_ids, g->row_ids, read->graph, g->graph},
                     halves = {read->half_rows, g->half_rows, NULL, NULL};
    k->by_row = g->row_ids != NULL;
    k->doubled = g->two_ways && !g->undirected;
    int rc = compare_edges(k, g->row_ids ? &rows : &edges);
    rc = rc ? rc : compare_copies(k, g->graph);
    k->doubled = g->two_ways;
    rc = rc ? rc : compare_edges(k, &halves);
    return rc || k->differences ? rc : compare_vertices(k, read->graph, g->graph);
}

/* Reads the table and compares the graphs with it. */
static int check_all(check *k) {
    graph_call *call = &k->call;
    const graph_request request = {
        .function = call->function, .backend = -1, .edges_here = true};
    loaded read = {.graph = NULL}, both = {.graph = NULL};
    int rc = graph_load(call->c, &request, &call->rows, NULL,
                        call->graph->has_weight ? READ_WEIGHTS : TRY_WEIGHTS, &read,
                        call->both ? &both : NULL, &call->error);
    rc = rc ? rc : check_one(k, call->graph, &read);
    if (rc == SQLITE_OK && call->both)
        rc = check_one(k, call->both, &both);
    loaded_clear(&read);
    loaded_clear(&both);
    return rc;
}

/* gpugraph_check(graph): 'ok', or the first differences. */
static void check_graph(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    check k = {.said = sqlite3_str_new(NULL)};
    int rc = graph_call_begin(&k.call, context, "gpugraph_check", argv[0], NUMBERS_ANY);
    rc = rc ? rc : check_all(&k);
    if (k.differences > SHOWN_DIFFERENCES)
        sqlite3_str_appendf(k.said, "; and %lld more", k.differences - SHOWN_DIFFERENCES);
    else if (k.differences == 0)
        sqlite3_str_appendall(k.said, "ok");
    char *said = sqlite3_str_finish(k.said);
    if (rc == SQLITE_OK && said)
        sqlite3_result_text(context, said, -1, SQLITE_TRANSIENT);
    graph_call_result(context, &k.call, rc == SQLITE_OK && !said ? SQLITE_NOMEM : rc);
    sqlite3_free(said);
}

/* ---- gpugraph_save ---- */

static int save_in_savepoint(graph_call *call, uint64_t *bytes) {
    const graph_ref *g = call->graph, *both = call->both;
    loaded graphs[2] = {
        {.graph = g->graph, .half_rows = g->half_rows, .row_ids = g->row_ids}};
    if (both)
        graphs[1] = (loaded){
            .graph = both->graph, .half_rows = both->half_rows, .row_ids = both->row_ids};
    savepoint s;
    char *error = NULL;
    int rc = savepoint_open(&s, call->c->db, call->rows.table.schema,
                            call->rows.table.name, &error);
    if (rc == SQLITE_OK)
        rc = blocks_write(call->c, &call->definition, &call->rows, graphs, bytes, &error);
    rc = savepoint_close(&s, rc, &error);
    graph_call_reason(call, rc, error);
    sqlite3_free(error);
    return rc;
}

static int check_savable(graph_call *call) {
    const definition *d = &call->definition;
    const graph_ref *g = call->graph;
    if (!d->persist) {
        char *typed = table_as_sql(d->schema, d->name);
        return typed ? fail_with(&call->error,
                                 "gpugraph_save: %s was made without persist = 1; DROP "
                                 "TABLE %z and create it with that option",
                                 d->name, typed)
                     : SQLITE_NOMEM;
    }
    if (d->trouble)
        return fail_with(&call->error, "gpugraph_save: %s is %s", d->name, d->trouble);
    if (g->weight_column && !g->has_weight)
        return fail_with(&call->error, "gpugraph_save: %s", g->weight_error);
    return SQLITE_OK;
}

/* gpugraph_save(graph): writes the packed graph to the file; returns its bytes. */
static void save_graph(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    graph_call call;
    uint64_t bytes = 0;
    if (function_is_refused(context, "gpugraph_save"))
        return;
    int rc = graph_call_begin(&call, context, "gpugraph_save", argv[0], NUMBERS_COMPACT);
    rc = rc ? rc : check_savable(&call);
    rc = rc ? rc : save_in_savepoint(&call, &bytes);
    if (rc == SQLITE_OK)
        sqlite3_result_int64(context, (sqlite3_int64)bytes);
    graph_call_result(context, &call, rc);
}

int graph_functions_register(connection *c) {
    static const scalar_function functions[] = {
        {"gpugraph_check", 1, SQLITE_INNOCUOUS, check_graph},
        {"gpugraph_delete_vertex", 2, SQLITE_DIRECTONLY, gpugraph_delete_vertex},
        {"gpugraph_save", 1, SQLITE_DIRECTONLY, save_graph},
    };
    return scalar_functions_register(c, functions, COUNT(functions));
}
