/* gpugraph_estimate(edges, function): what `auto` weighs for a source and a function now.
**
**     edges      -> a kept graph that is current, or a followed one that is loaded
**                -> else the table: about how large it is, by a sample (load/table_size.h)
**     function   -> the library's name of its search
**                     -> gpugraph_estimates -> a row for each backend */
#include "follow/follow.h"
#include "grid.h"
#include "load/table_size.h"
#include "table_function/function.h"
#include "table_function/search.h"
#include "base/value.h"
#include "base/zero_byte.h"

#include <string.h>

#define CALL "gpugraph_estimate"

/* Sets the sentence behind the name, and frees it; NULL: no memory. */
static void fail(grid *g, char *sentence) {
    if (g->rc == SQLITE_OK)
        g->error = sentence ? sqlite3_mprintf(CALL ": %s", sentence) : NULL;
    g->rc = g->error ? SQLITE_ERROR : SQLITE_NOMEM;
    sqlite3_free(sentence);
}

/* ---- arguments ---- */

static void unknown_function(grid *g, sqlite3_value *given) {
    sqlite3_str *names = sqlite3_str_new(NULL);
    for (int i = 0; i < table_function_count; i++)
        sqlite3_str_appendf(names, "%s, ", table_functions[i]->name);
    char *list = sqlite3_str_finish(names);
    char *written = value_written(given);
    fail(g, list && written
                ? sqlite3_mprintf("there is no function %s to estimate; there are "
                                  "%sgpugraph_triangles",
                                  written, list)
                : NULL);
    sqlite3_free(written);
    sqlite3_free(list);
}

/* The library's name of what the function runs; NULL: there is no such function. */
static const char *library_name(const char *function) {
    for (int i = 0; i < table_function_count; i++) {
        const table_function *f = table_functions[i];
        if (sqlite3_stricmp(f->name, function) == 0)
            return f->paths ? "path" : f->search->name;
    }
    return sqlite3_stricmp(function, "gpugraph_triangles") == 0 ? "triangles" : NULL;
}

static bool read_arguments(grid *g, sqlite3_value *const *argument) {
    static const char *const what[] = {
        "the edge source is missing, as in " CALL "('roads', 'gpu_bfs')",
        "the function is missing, as in " CALL "('roads', 'gpu_bfs')"};
    for (int k = 0; k < 2; k++) {
        if (!argument[k] || sqlite3_value_type(argument[k]) == SQLITE_NULL) {
            fail(g, sqlite3_mprintf("%s", what[k]));
            return false;
        }
        if (sqlite3_value_type(argument[k]) != SQLITE_TEXT) {
            char *written = value_written(argument[k]);
            fail(g, written ? sqlite3_mprintf("%s must be a text, not %s",
                                              k == 0 ? "edges" : "function", written)
                            : NULL);
            sqlite3_free(written);
            return false;
        }
    }
    return true;
}

/* ---- the graph ---- */

struct looking {
    const char *edges;
    const graph_ref *found;
};

static void look_at_followed(void *looking, const char *name, const graph_ref *mirror,
                             const graph_ref *other, const char *state) {
    struct looking *l = looking;
    (void)other;
    (void)state;
    if (mirror && sqlite3_stricmp(name, l->edges) == 0)
        l->found = mirror;
}

/* Without params and further vertices, which the call does not have. */
static const graph_ref *find_graph(grid *g, connection *c, const char *edges) {
    struct looking l = {edges, NULL};
    for (graph_ref *ref = c->graphs; ref && !l.found; ref = ref->next)
        if (!ref->followed && ref->stamp && !ref->vertices && !ref->params &&
            strcmp(ref->edges, edges) == 0 && strcmp(graph_state(c, ref), "current") == 0)
            l.found = ref;
    if (!l.found)
        g->rc = followed_list(c, look_at_followed, &l);
    return l.found;
}

/* Of a table that no graph has been made of. */
static void size_up(grid *g, connection *c, sqlite3_value *edges, gpugraph_size *size) {
    edge_source source;
    row_source rows = {0};
    scope own = {0};
    char *sentence = NULL, *error = NULL;
    table_sample sample = {0, 0, false};
    int rc = edge_parse((const char *)sqlite3_value_text(edges),
                        sqlite3_value_bytes(edges), EDGE_COLUMNS, &source, &sentence);
    if (rc == SQLITE_OK && source.query)
        sentence = sqlite3_mprintf("how many edges a query gives is not known before it "
                                   "is run; name a table");
    if (sentence || rc) {
        fail(g, sentence);
        edge_source_clear(&source);
        return;
    }
    rc = source_resolve(c, CALL, "edges", &own, &source, &rows, &error);
    if (rc) {
        g->rc = rc == SQLITE_ERROR && !error ? SQLITE_NOMEM : rc;
        g->error = error;
    } else if (rows.kind != 't' && rows.kind != 'w') {
        fail(g, sqlite3_mprintf("how many edges %s gives is not known before it is read; "
                                "name a table, or a followed graph that is loaded",
                                rows.name));
    } else {
        g->rc = table_take_sample(c, &rows, &sample);
    }
    *size = (gpugraph_size){.edges = (uint64_t)sample.rows,
                            .vertices = sample.vertices < GPUGRAPH_NONE - 1
                                            ? (uint32_t)sample.vertices
                                            : GPUGRAPH_NONE - 2,
                            .weighted = rows.column[WEIGHT_COLUMN] != NULL,
                            .edge_ids = !sample.counted || rows.column[EDGE_ID_COLUMN]};
    row_source_clear(&rows);
    edge_source_clear(&source);
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

void fill_estimate(grid *g, connection *c, sqlite3_value *const *argument) {
    gpugraph_estimate estimate[2];
    gpugraph_size size = {0};
    gpugraph_run run;
    if (!read_arguments(g, argument))
        return;
    const char *edges = (const char *)sqlite3_value_text(argument[0]);
    const char *function = (const char *)sqlite3_value_text(argument[1]);
    if (!edges || !function) {
        g->rc = SQLITE_NOMEM;
        return;
    }
    const char *name = holds_zero_byte(argument[1]) ? NULL : library_name(function);
    if (!name) {
        unknown_function(g, argument[1]);
        return;
    }
    const graph_ref *ref = find_graph(g, c, edges);
    if (!ref && g->rc == SQLITE_OK)
        size_up(g, c, argument[0], &size);
    if (g->rc)
        return;
    connection_run(c, &run);
    int count = gpugraph_estimates(name, ref ? ref->graph : NULL, &size, &run, estimate);
    for (int i = 0; i < count; i++)
        add_row(g, &estimate[i]);
}
