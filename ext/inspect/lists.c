/* gpugraph_settings, gpugraph_devices, gpugraph_methods, gpugraph_graphs,
** gpugraph_timings and gpugraph_estimate: one virtual table for six lists. xFilter lets
** the list's descriptor fill a grid of cells, and the cursor reads the grid. So a list
** shows the state at one moment, whatever the statement does afterwards.
**
**     cell[0 .. columns-1]                first row
**     cell[columns .. 2 * columns - 1]    second row ... */
#include "base/module.h"
#include "base/room.h"
#include "follow/follow.h"
#include "inspect.h"
#include "table_function/function.h"

#include <string.h>

/* ---- cells ---- */

static cell *grid_add(grid *g, int type) {
    if (g->rc != SQLITE_OK)
        return NULL;
    if (!room_for_one(&g->cell, g->count, &g->room, sizeof *g->cell)) {
        g->rc = SQLITE_NOMEM;
        return NULL;
    }
    cell *added = &g->cell[g->count++];
    *added = (cell){.type = type};
    return added;
}

void add_text(grid *g, const char *text) {
    cell *added = grid_add(g, text ? SQLITE_TEXT : SQLITE_NULL);
    if (!added || !text)
        return;
    added->text = sqlite3_mprintf("%s", text);
    if (!added->text)
        g->rc = SQLITE_NOMEM;
}

void add_integer(grid *g, sqlite3_int64 integer) {
    cell *added = grid_add(g, SQLITE_INTEGER);
    if (added)
        added->integer = integer;
}

void add_real(grid *g, double real) {
    cell *added = grid_add(g, SQLITE_FLOAT);
    if (added)
        added->real = real;
}

static void grid_clear(grid *g) {
    for (sqlite3_int64 i = 0; i < g->count; i++)
        sqlite3_free(g->cell[i].text);
    for (int k = 0; k < ESTIMATE_ARGUMENTS; k++)
        sqlite3_value_free(g->argument[k]);
    sqlite3_free(g->cell);
    sqlite3_free(g->error);
    memset(g, 0, sizeof *g);
}

/* ---- the lists ---- */

/* The id counts within a backend. gpugraph_config('device', id) takes the id of a CUDA
** device. */
static void fill_devices(grid *g) {
    gpugraph_device device;
    sqlite3_int64 cuda = 0;
    for (int i = 0; gpugraph_device_at(i, &device); i++) {
        add_integer(g, strcmp(device.backend, "cuda") == 0 ? cuda++ : 0);
        add_text(g, device.backend);
        add_text(g, device.name);
        add_integer(g, device.memory);
        add_integer(g, device.free);
    }
}

static void add_methods(grid *g, const char *function, const table_function *f,
                        const char *search) {
    const gpugraph_method *m;
    for (int i = 0; (m = gpugraph_method_at(i)) != NULL; i++) {
        if (search ? strcmp(m->function, search) != 0 : !function_uses(f, m->function))
            continue;
        add_text(g, function);
        add_text(g, m->name);
        add_text(g, m->backend);
        add_text(g, m->description);
    }
}

static void fill_methods(grid *g) {
    for (int i = 0; i < table_function_count; i++)
        add_methods(g, table_functions[i]->name, table_functions[i], NULL);
    add_methods(g, "gpugraph_triangles", NULL, "triangles");
}

static void append_derived(void *text, const char *name, int device, int64_t bytes) {
    sqlite3_str *s = text;
    sqlite3_str_appendf(s, "%s\"%s", sqlite3_str_length(s) > 1 ? ", " : "", name);
    if (device >= 0)
        sqlite3_str_appendf(s, " on device %d", device);
    sqlite3_str_appendf(s, "\": %lld", (sqlite3_int64)bytes);
}

/* Adds a JSON object: the bytes of each derived structure, by name. */
static void add_derived(grid *g, const graph_ref *ref) {
    sqlite3_str *s = sqlite3_str_new(NULL);
    sqlite3_str_appendchar(s, 1, '{');
    gpugraph_list_derived(ref->graph, append_derived, s);
    sqlite3_str_appendchar(s, 1, '}');
    if (sqlite3_str_errcode(s) && g->rc == SQLITE_OK)
        g->rc = sqlite3_str_errcode(s);
    char *text = sqlite3_str_finish(s);
    add_text(g, text);
    sqlite3_free(text);
}

/* other: the graph of the other direction. ref NULL: a followed graph is not loaded. */
static void add_graph(void *of, const char *name, const graph_ref *ref,
                      const graph_ref *other, const char *state) {
    grid *g = of;
    int64_t host = 0, device = 0;
    add_text(g, name);
    add_text(g, !ref || ref->followed ? "followed" : "cached");
    if (ref) {
        graph_count_bytes(ref, false, &host, &device);
        if (other)
            graph_count_bytes(other, false, &host, &device);
        add_integer(g, (sqlite3_int64)(gpugraph_vertex_count(ref->graph) -
                                       gpugraph_tombstones(ref->graph, NULL)));
        add_integer(g, (sqlite3_int64)gpugraph_edge_count(ref->graph));
    } else {
        add_text(g, NULL);
        add_text(g, NULL);
    }
    add_integer(g, host);
    add_integer(g, device);
    add_text(g, !ref ? NULL : device > 0 ? "cuda" : "cpu");
    add_text(g, state);
    add_integer(g, !ref ? 0 : ref->shared ? shared_users(ref->shared) : 1);
    if (ref)
        add_derived(g, ref);
    else
        add_text(g, NULL);
}

static void fill_graphs(grid *g) {
    for (graph_ref *ref = g->c->graphs; ref; ref = ref->next) {
        if (ref->followed)
            continue;
        char *name = sqlite3_mprintf("%s%s%s%s", ref->edges, ref->filter ? " WHERE " : "",
                                     ref->filter ? ref->filter : "",
                                     ref->induced_from ? " (vertex_filter)" : "");
        if (!name)
            g->rc = SQLITE_NOMEM;
        add_graph(g, name, ref, NULL, graph_state(g->c, ref));
        sqlite3_free(name);
    }
    int rc = followed_list(g->c, add_graph, g);
    g->rc = g->rc ? g->rc : rc;
}

static void fill_timings(grid *g) {
    for (int i = 0; i < g->c->timings.count; i++) {
        const timing *row = &g->c->timings.row[i];
        add_text(g, row->phase);
        add_real(g, row->ms);
        add_integer(g, row->items);
        add_text(g, row->detail);
    }
}

typedef struct list {
    const char *name, *schema;
    int columns;
    int risk; /* 0 or an SQLITE_VTAB_ setting */
    void (*fill)(grid *g);
    int arguments; /* hidden columns, the last ones */
} list;

static const list lists[] = {
    {"gpugraph_settings", "CREATE TABLE x(name TEXT, value, meaning TEXT)", 3, 0,
     fill_settings, 0},
    /* DIRECTONLY, because a list of devices opens a context on each device. */
    {"gpugraph_devices",
     "CREATE TABLE x(id INTEGER, backend TEXT, name TEXT, memory INTEGER, free INTEGER)",
     5, SQLITE_VTAB_DIRECTONLY, fill_devices, 0},
    {"gpugraph_methods",
     "CREATE TABLE x(function TEXT, method TEXT, backend TEXT, description TEXT)", 4,
     SQLITE_VTAB_INNOCUOUS, fill_methods, 0},
    {"gpugraph_graphs",
     "CREATE TABLE x(name TEXT, kind TEXT, vertices INTEGER, edges INTEGER, host_bytes "
     "INTEGER,"
     " device_bytes INTEGER, backend TEXT, state TEXT, connections INTEGER HIDDEN, "
     "derived TEXT HIDDEN)",
     10, 0, fill_graphs, 0},
    {"gpugraph_timings",
     "CREATE TABLE x(phase TEXT, ms REAL, items INTEGER, detail TEXT)", 4, 0,
     fill_timings, 0},
    {"gpugraph_estimate",
     "CREATE TABLE x(backend TEXT, method TEXT, devices INTEGER, host_bytes INTEGER, "
     "device_bytes INTEGER, ms REAL, chosen INTEGER, edges BLOB HIDDEN, "
     "function BLOB HIDDEN, target BLOB HIDDEN, sources BLOB HIDDEN, targets BLOB "
     "HIDDEN, max_depth BLOB HIDDEN, max_distance BLOB HIDDEN, ordered BLOB HIDDEN, "
     "kind BLOB HIDDEN)",
     7, 0, fill_estimate, ESTIMATE_ARGUMENTS},
};

/* ---- the virtual table ---- */

typedef struct list_cursor {
    sqlite3_vtab_cursor base;
    grid grid;
    sqlite3_int64 row;
} list_cursor;

static const list *list_of(const sqlite3_vtab *base) {
    return ((const module_table *)base)->of;
}

static int list_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **made, char **error) {
    (void)db, (void)argc, (void)argv, (void)error;
    const list *l = ((const module_table *)aux)->of;
    return module_connect(aux, l->schema, l->risk, made);
}

/* Bit k of the plan: argument k is given by =. */
static int list_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    const list *l = list_of(base);
    int at[ESTIMATE_ARGUMENTS], given = 0;
    memset(at, -1, sizeof at);
    for (int i = 0; i < info->nConstraint; i++) {
        int k = info->aConstraint[i].iColumn - l->columns;
        if (k < 0 || k >= l->arguments ||
            info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT; /* another order of the join knows the value */
        at[k] = i;
    }
    for (int k = 0; k < ESTIMATE_ARGUMENTS; k++)
        if (at[k] >= 0) {
            info->aConstraintUsage[at[k]].argvIndex = ++given;
            info->aConstraintUsage[at[k]].omit = 1;
            info->idxNum |= 1 << k;
        }
    info->estimatedCost = 100;
    info->estimatedRows = 20;
    return SQLITE_OK;
}

static int list_open(sqlite3_vtab *base, sqlite3_vtab_cursor **made) {
    (void)base;
    list_cursor *cur = sqlite3_malloc64(sizeof *cur);
    if (!cur)
        return SQLITE_NOMEM;
    memset(cur, 0, sizeof *cur);
    *made = &cur->base;
    return SQLITE_OK;
}

static int list_close(sqlite3_vtab_cursor *base) {
    grid_clear(&((list_cursor *)base)->grid);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int list_filter(sqlite3_vtab_cursor *base, int plan, const char *tokens, int argc,
                       sqlite3_value **argv) {
    (void)tokens, (void)argc;
    list_cursor *cur = (list_cursor *)base;
    const list *l = list_of(base->pVtab);
    grid_clear(&cur->grid);
    cur->grid.c = ((module_table *)base->pVtab)->c;
    cur->row = 0;
    for (int k = 0, next = 0; k < l->arguments; k++) {
        if (!(plan >> k & 1))
            continue;
        cur->grid.argument[k] = sqlite3_value_dup(argv[next++]);
        if (!cur->grid.argument[k])
            return SQLITE_NOMEM;
    }
    l->fill(&cur->grid);
    if (cur->grid.error) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = cur->grid.error;
        cur->grid.error = NULL;
    }
    return cur->grid.rc;
}

static int list_next(sqlite3_vtab_cursor *base) {
    ((list_cursor *)base)->row++;
    return SQLITE_OK;
}

static int list_eof(sqlite3_vtab_cursor *base) {
    const list_cursor *cur = (const list_cursor *)base;
    return cur->row * list_of(base->pVtab)->columns >= cur->grid.count;
}

static int list_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const list_cursor *cur = (const list_cursor *)base;
    const int columns = list_of(base->pVtab)->columns;
    if (column >= columns) {
        sqlite3_value *given = cur->grid.argument[column - columns];
        if (given)
            sqlite3_result_value(context, given);
        return SQLITE_OK;
    }
    const cell *shown = &cur->grid.cell[cur->row * columns + column];
    if (shown->type == SQLITE_TEXT)
        sqlite3_result_text(context, shown->text, -1, SQLITE_TRANSIENT);
    else if (shown->type == SQLITE_INTEGER)
        sqlite3_result_int64(context, shown->integer);
    else if (shown->type == SQLITE_FLOAT)
        sqlite3_result_double(context, shown->real);
    return SQLITE_OK;
}

static int list_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    *rowid = ((list_cursor *)base)->row + 1;
    return SQLITE_OK;
}

static const sqlite3_module list_module = {
    .xConnect = list_connect,
    .xBestIndex = list_best_index,
    .xDisconnect = module_disconnect,
    .xDestroy = module_disconnect,
    .xOpen = list_open,
    .xClose = list_close,
    .xFilter = list_filter,
    .xNext = list_next,
    .xEof = list_eof,
    .xColumn = list_column,
    .xRowid = list_rowid,
};

int lists_register(connection *c) {
    int rc = SQLITE_OK;
    for (int i = 0; i < COUNT(lists) && rc == SQLITE_OK; i++)
        rc = module_register(c, lists[i].name, &list_module, &lists[i]);
    return rc;
}
