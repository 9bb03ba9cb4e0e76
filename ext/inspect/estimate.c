/* gpugraph_estimate(edges, function): the predictions that `auto` compares for an edge
** source and a function.
**
**     edges      -> a kept graph that is current, or a followed graph that is loaded
**                -> else the size of the table, by a sample (load/table_size.c)
**     function   -> the library's name of its search, and options that bound the search
**                     -> gpugraph_estimates -> a row for each backend */
#include "follow/follow.h"
#include "inspect.h"
#include "load/load.h"
#include "table_function/function.h"
#include "table_function/search.h"
#include "base/json_array.h"
#include "base/names.h"
#include "base/value.h"

#include <string.h>

#define CALL "gpugraph_estimate"

/* Sets the error to the name and the sentence, which it frees; NULL: no memory. */
static void fail_estimate(grid *g, char *sentence) {
    if (g->rc == SQLITE_OK)
        g->error = sentence ? sqlite3_mprintf(CALL ": %z", sentence) : NULL;
    else
        sqlite3_free(sentence);
    g->rc = g->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* ---- the function ---- */

static void unknown_function(grid *g, sqlite3_value *given) {
    static const char triangles[] = "gpugraph_triangles";
    nearest near = {.given = (const char *)sqlite3_value_text(given)};
    sqlite3_str *names = sqlite3_str_new(NULL);
    for (int i = 0; i < table_function_count; i++) {
        sqlite3_str_appendf(names, "%s, ", table_functions[i]->name);
        nearest_look(&near, table_functions[i]->name, table_functions[i]->name);
    }
    nearest_look(&near, triangles, triangles);
    char *list = sqlite3_str_finish(names);
    fail_estimate(
        g, list ? sqlite3_mprintf("there is no function %s to estimate; there are %s%s%s",
                                  VALUE_WRITTEN(given), list, triangles, near.told)
                : NULL);
    sqlite3_free(list);
}

/* The search that would run: its name in the library, and its options. */
struct asked {
    const table_function *function; /* NULL: gpugraph_triangles */
    const char *name;
    gpugraph_search search;
};

static bool find_function(grid *g, sqlite3_value *given, struct asked *asked) {
    const char *name = (const char *)sqlite3_value_text(given);
    *asked = (struct asked){.search = {.source_count = 1, .max_depth = GPUGRAPH_NONE}};
    for (int i = 0; i < table_function_count && !holds_zero_byte(given); i++)
        if (sqlite3_stricmp(table_functions[i]->name, name) == 0)
            asked->function = table_functions[i];
    if (asked->function)
        asked->name = asked->function->paths && !asked->function->many_paths
                          ? "path"
                          : asked->function->search->name;
    else if (sqlite3_stricmp(name, "gpugraph_triangles") == 0 && !holds_zero_byte(given))
        asked->name = "triangles";
    else
        unknown_function(g, given);
    return asked->name != NULL;
}

/* ---- options ---- */

static const char *const option_names[ESTIMATE_ARGUMENTS] = {
    [ESTIMATE_TARGET] = "target",
    [ESTIMATE_SOURCES] = "sources",
    [ESTIMATE_TARGETS] = "targets",
    [ESTIMATE_MAX_DEPTH] = "max_depth",
    [ESTIMATE_MAX_DISTANCE] = "max_distance",
    [ESTIMATE_ORDERED] = "ordered",
    [ESTIMATE_KIND] = "kind",
};

/* Counts the elements of a JSON array. */
static uint32_t count_elements(grid *g, const char *name, sqlite3_value *list) {
    json_array array;
    uint32_t count = 0;
    const char *text = (const char *)sqlite3_value_text(list);
    int rc = text ? json_array_open(g->c->db, &array, text, sqlite3_value_bytes(list))
                  : SQLITE_NOMEM;
    while (rc == SQLITE_OK && (rc = json_array_next(&array)) == SQLITE_ROW) {
        count++;
        rc = SQLITE_OK;
    }
    if (text)
        json_array_close(&array);
    if (rc == SQLITE_MISMATCH)
        fail_estimate(
            g, sqlite3_mprintf("%s must be a JSON array, as in WHERE %s = '[1, 2]'", name,
                               name));
    else if (rc != SQLITE_DONE)
        g->rc = rc;
    return count;
}

static void read_kind(grid *g, sqlite3_value *value, struct asked *asked) {
    const char *kind = (const char *)sqlite3_value_text(value);
    if (kind && sqlite3_stricmp(kind, "strong") == 0)
        asked->name = "strong_components";
    else if (kind && sqlite3_stricmp(kind, "weak") != 0)
        fail_estimate(g, sqlite3_mprintf("kind must be 'weak' or 'strong'"));
    else if (!kind)
        g->rc = SQLITE_NOMEM;
}

static void read_bound(grid *g, const char *name, sqlite3_value *value,
                       struct asked *asked) {
    const int type = sqlite3_value_numeric_type(value);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) ||
        !(sqlite3_value_double(value) >= 0))
        fail_estimate(g, sqlite3_mprintf("%s must be a number that is 0 or more", name));
    asked->search.bounded = true;
}

static void read_option(grid *g, enum estimate_argument which, struct asked *asked) {
    sqlite3_value *value = g->argument[which];
    gpugraph_search *search = &asked->search;
    if (which == ESTIMATE_TARGET)
        search->target_count = 1;
    else if (which == ESTIMATE_SOURCES)
        search->source_count = count_elements(g, option_names[which], value);
    else if (which == ESTIMATE_TARGETS)
        search->target_count = count_elements(g, option_names[which], value);
    else if (which == ESTIMATE_MAX_DEPTH || which == ESTIMATE_MAX_DISTANCE)
        read_bound(g, option_names[which], value, asked);
    else if (which == ESTIMATE_ORDERED && sqlite3_value_int(value))
        asked->name = "ordered_dfs";
    else if (which == ESTIMATE_KIND)
        read_kind(g, value, asked);
}

/* Reads the options. NULL means an option's default, as in a search. */
static void read_options(grid *g, struct asked *asked) {
    sqlite3_value *const *argument = g->argument;
    for (int k = ESTIMATE_FUNCTION + 1; k < ESTIMATE_ARGUMENTS && g->rc == SQLITE_OK;
         k++) {
        if (!argument[k] || sqlite3_value_type(argument[k]) == SQLITE_NULL)
            continue;
        if (asked->function && function_argument(asked->function, option_names[k]))
            read_option(g, (enum estimate_argument)k, asked);
        else
            fail_estimate(g, sqlite3_mprintf("%s has no option %s",
                                             asked->function ? asked->function->name
                                                             : "gpugraph_triangles",
                                             option_names[k]));
    }
    if (asked->function && asked->function->cells && !argument[ESTIMATE_TARGETS])
        asked->search.target_count = asked->search.source_count;
}

static bool read_arguments(grid *g) {
    sqlite3_value *const *argument = g->argument;
    static const char *const names[] = {"edges", "function"};
    for (int k = 0; k < 2; k++) {
        const int type = argument[k] ? sqlite3_value_type(argument[k]) : SQLITE_NULL;
        if (type == SQLITE_NULL)
            fail_estimate(g, sqlite3_mprintf("the argument %s is missing, as in " CALL
                                             "('roads', 'gpu_bfs')",
                                             names[k]));
        else if (type != SQLITE_TEXT)
            fail_estimate(g, sqlite3_mprintf("%s must be a text, not %s", names[k],
                                             VALUE_WRITTEN(argument[k])));
        else if (!sqlite3_value_text(argument[k]))
            g->rc = SQLITE_NOMEM;
    }
    return g->rc == SQLITE_OK;
}

/* ---- the graph ---- */

/* Finds a kept graph that is current and has neither params nor further vertices. */
static const graph_ref *find_kept(connection *c, const char *edges) {
    graph_ref *ref = c->graphs;
    while (ref && (ref->followed || !ref->stamp || ref->vertices || ref->params ||
                   ref->filter || strcmp(ref->edges, edges) != 0 ||
                   strcmp(graph_state(c, ref), "current") != 0))
        ref = ref->next;
    return ref;
}

/* The mirror of a followed graph if it is loaded, else NULL. */
static const graph_ref *find_mirror(connection *c, const row_source *rows) {
    const graph_request request = {.by_graph = true};
    const followed *f =
        rows->kind == 'g' ? followed_of(c, rows->table.schema, rows->table.name) : NULL;
    return f ? followed_graph(f, &request) : NULL;
}

/* Finds the mirror of a followed graph, or else estimates the size of a table. */
static const graph_ref *size_up(grid *g, gpugraph_size *size) {
    sqlite3_value *edges = g->argument[ESTIMATE_EDGES];
    const graph_ref *mirror = NULL;
    edge_source source;
    row_source rows = {0};
    scope own = {0};
    char *sentence = NULL, *error = NULL;
    table_sample sample = {0, 0, false};
    int rc = edge_parse((const char *)sqlite3_value_text(edges),
                        sqlite3_value_bytes(edges), EDGE_COLUMNS, &source, &sentence);
    if (rc == SQLITE_OK && source.query)
        sentence = sqlite3_mprintf("the number of edges of a query is unknown before it "
                                   "runs; name a table");
    if (sentence || rc) {
        fail_estimate(g, sentence);
        edge_source_clear(&source);
        return NULL;
    }
    rc = source_resolve(g->c, CALL, "edges", &own, &source, &rows, &error);
    if (rc) {
        g->rc = rc == SQLITE_ERROR && !error ? SQLITE_NOMEM : rc;
        g->error = error;
    } else if ((mirror = find_mirror(g->c, &rows)) == NULL && !strchr("tw", rows.kind)) {
        fail_estimate(
            g, sqlite3_mprintf("the number of edges of %s is unknown before it is read; "
                               "name a table, or a followed graph that is loaded",
                               rows.name));
    } else if (!mirror) {
        g->rc = table_take_sample(g->c, &rows, &sample);
    }
    *size = (gpugraph_size){.edges = (uint64_t)sample.rows,
                            .vertices = sample.vertices < GPUGRAPH_NONE - 1
                                            ? (uint32_t)sample.vertices
                                            : GPUGRAPH_NONE - 2,
                            .weighted = rows.column[WEIGHT_COLUMN] != NULL,
                            .edge_ids = !sample.counted || rows.column[EDGE_ID_COLUMN]};
    row_source_clear(&rows);
    edge_source_clear(&source);
    return mirror;
}

/* ---- the rows ---- */

static void add_row(grid *g, const gpugraph_estimate *e) {
    add_text(g, e->backend);
    add_text(g, e->method);
    add_integer(g, e->devices);
    add_integer(g, e->host_bytes);
    add_integer(g, e->device_bytes);
    add_real(g, e->ms);
    add_integer(g, e->chosen);
}

void fill_estimate(grid *g) {
    gpugraph_estimate estimate[2];
    gpugraph_size size = {0};
    gpugraph_run run;
    struct asked asked;
    if (!read_arguments(g))
        return;
    if (find_function(g, g->argument[ESTIMATE_FUNCTION], &asked))
        read_options(g, &asked);
    if (g->rc)
        return;
    const graph_ref *ref =
        find_kept(g->c, (const char *)sqlite3_value_text(g->argument[ESTIMATE_EDGES]));
    if (!ref)
        ref = size_up(g, &size);
    if (g->rc)
        return;
    connection_run(g->c, &run);
    int count = gpugraph_estimates(asked.name, &asked.search, ref ? ref->graph : NULL,
                                   &size, &run, estimate);
    for (int i = 0; i < count; i++)
        add_row(g, &estimate[i]);
}
