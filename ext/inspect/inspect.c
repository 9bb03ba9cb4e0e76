/* The scalar functions gpugraph_version and gpugraph_triangles.
**
**     gpugraph_triangles(edges)            graph_acquire -> a kept count, or a new one
**     gpugraph_triangles(query, params)    likewise, with the query's parameters */
#include "base/value.h"
#include "base/module.h"
#include "acquire/acquire.h"
#include "inspect.h"

#include <stdlib.h>
#include <string.h>

static void version(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc, (void)argv;
    sqlite3_result_text(context, GPUGRAPH_VERSION, -1, SQLITE_STATIC);
}

/* ---- triangles ---- */

static const char triangles_key[] = "triangles";

/* Counts the triangles unless the count is kept. On success *kept has a reference. */
static int count_triangles(connection *c, graph_ref *graph, search_ref **kept,
                           char **error) {
    *kept = search_find(c, graph, triangles_key, sizeof triangles_key);
    if (*kept)
        return SQLITE_OK;
    gpugraph_run run;
    connection_run(c, &run);
    uint64_t *count = malloc(sizeof *count);
    if (!count)
        return SQLITE_NOMEM;
    if (gpugraph_triangles(graph->graph, &run, count) != GPUGRAPH_OK) {
        free(count);
        return code_of_run(&run, "gpugraph_triangles", error);
    }
    *kept = search_keep(c, graph, triangles_key, sizeof triangles_key, count,
                        sizeof *count, free);
    return *kept ? SQLITE_OK : SQLITE_NOMEM;
}

static int triangles_of(connection *c, const graph_request *request, sqlite3_int64 *count,
                        char **error) {
    graph_ref *graph = NULL;
    search_ref *kept = NULL;
    int rc = graph_acquire(c, request, &graph, error);
    if (rc != SQLITE_OK)
        return rc;
    rc = count_triangles(c, graph, &kept, error);
    if (rc == SQLITE_OK) {
        *count = (sqlite3_int64) * (const uint64_t *)kept->found->result;
        search_release(c, kept);
    }
    graph_release(c, graph);
    return rc;
}

/* The text of an argument. NULL: the function has failed. */
static const char *triangle_text(sqlite3_context *context, sqlite3_value *value,
                                 const char *rule) {
    if (sqlite3_value_type(value) != SQLITE_TEXT) {
        function_fail(context,
                      sqlite3_mprintf("gpugraph_triangles: the argument %s, not %s", rule,
                                      VALUE_WRITTEN(value)));
        return NULL;
    }
    const char *text = (const char *)sqlite3_value_text(value);
    if (!text)
        sqlite3_result_error_nomem(context);
    return text;
}

/* Reads the arguments. Returns false if the function has failed. */
static bool read_triangle_arguments(sqlite3_context *context, int argc,
                                    sqlite3_value **argv, graph_request *request) {
    request->edges = triangle_text(context, argv[0],
                                   "edges must be the name of a table, a view or a query "
                                   "of edges, as in gpugraph_triangles('roads')");
    if (!request->edges)
        return false;
    request->edges_bytes = sqlite3_value_bytes(argv[0]);
    if (argc > 1 && sqlite3_value_type(argv[1]) != SQLITE_NULL) {
        request->params = triangle_text(
            context, argv[1], "params must be a JSON array, as json_array() makes it");
        if (!request->params)
            return false;
        request->params_bytes = sqlite3_value_bytes(argv[1]);
    }
    request->scope = statement_scope(context, sqlite3_user_data(context));
    if (!request->scope)
        sqlite3_result_error_nomem(context);
    return request->scope != NULL;
}

static void triangles(sqlite3_context *context, int argc, sqlite3_value **argv) {
    connection *c = sqlite3_user_data(context);
    graph_request request = {.function = "gpugraph_triangles",
                             .numbers = NUMBERS_ANY,
                             .weight = WEIGHT_NO,
                             .backend = -1};
    if (!read_triangle_arguments(context, argc, argv, &request))
        return;
    sqlite3_int64 count;
    char *error = NULL;
    timings earlier;
    watch_begin(&earlier, c);
    int rc = triangles_of(c, &request, &count, &error);
    if (rc == SQLITE_INTERRUPT && connection_is_late(c)) {
        error =
            sqlite3_mprintf("gpugraph_triangles: " LATE_FAULT, c->config.time_limit_ms);
        rc = error ? SQLITE_ERROR : SQLITE_NOMEM;
    }
    watch_end(&earlier, c);
    if (rc == SQLITE_OK)
        sqlite3_result_int64(context, count);
    else
        function_fail_with(context, rc, error);
}

/* ---- registration ---- */

int inspect_register(connection *c) {
    static const scalar_function functions[] = {
        {"gpugraph_config", 1, 0, gpugraph_config},
        {"gpugraph_config", 2, SQLITE_DIRECTONLY, gpugraph_config},
        {"gpugraph_version", 0, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, version},
        {"gpugraph_triangles", 1, SQLITE_INNOCUOUS, triangles},
        {"gpugraph_triangles", 2, SQLITE_INNOCUOUS, triangles},
    };
    int rc = scalar_functions_register(c, functions, COUNT(functions));
    return rc ? rc : lists_register(c);
}
