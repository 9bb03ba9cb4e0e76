/* CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres)): the virtual table.
**
**     SELECT src, dst, weight, edge FROM g     every edge of the mirror, by edge id
**     ... WHERE src = ?                        one adjacency list
**     ... WHERE src = ? AND dst = ?            a binary search in it
**     ... WHERE edge = ?                       one edge
**     ... WHERE src IN (...)                   one list after the other
**
** The table has no xUpdate, so SQLite refuses to write. Mirrors belong to the connection,
** not to the virtual table, because a search that names g need not connect it. The
** virtual table adds a fast path: while it is connected, its schema has been neither
** detached nor loaded again. So a mirror that the virtual table has seen still
** belongs to the same file, and a check for later writes takes little time. */
#include "acquire/acquire.h"
#include "functions.h"
#include "base/value.h"
#include "table_function/graph_values.h"
#include <string.h>

typedef struct graph_table {
    sqlite3_vtab base;
    connection *c;
    char *schema, *name, *text; /* text: "schema"."name" */
    char affinity[3];           /* of src, dst and edge */
    bool named;                 /* edges have ids of their own (load/row_ids.h) */
    bool persist;               /* the graph has a table of blocks */
    bool seen;                  /* the mirror was seen through this virtual table */
    /* asks whether the table may be read; compiled after the latest statement on g */
    sqlite3_stmt *right;
} graph_table;

typedef struct graph_cursor {
    sqlite3_vtab_cursor base;
    scope scope;
    graph_ref *graph;
    const gpugraph_ids *ids;
    edges_found found; /* the position is the place of a found edge (found_edge) */
    sqlite3_int64 position, end;
    int step;           /* 1, -1 */
    gpugraph_edge edge; /* the edge at the position, looked up once for all columns */
    uint64_t number;
    bool looked;
} graph_cursor;

enum { COLUMN_SRC, COLUMN_DST, COLUMN_WEIGHT, COLUMN_EDGE };
/* A plan: the columns with a constraint, and further bits. */
enum plan {
    PLAN_SRC = 1,
    PLAN_DST = 2, /* with PLAN_SRC */
    PLAN_EDGE = 4,
    PLAN_LIST = 8,      /* src or edge is compared with a list of ids as a whole */
    PLAN_DST_LIST = 16, /* dst is compared with such a list */
    PLAN_DOWN = 32,     /* a scan in descending order */
    PLAN_WEIGHTS = 64   /* the column `weight` is used */
};
static const char *const plan_words[PLAN_DOWN] = {
    [0] = "",
    [PLAN_SRC] = "src=?",
    [PLAN_SRC | PLAN_DST] = "src=? AND dst=?",
    [PLAN_EDGE] = "edge=?",
    [PLAN_SRC | PLAN_LIST] = "src IN (?)",
    [PLAN_SRC | PLAN_DST | PLAN_LIST] = "src IN (?) AND dst=?",
    [PLAN_SRC | PLAN_DST | PLAN_DST_LIST] = "src=? AND dst IN (?)",
    [PLAN_EDGE | PLAN_LIST] = "edge IN (?)"};

/* ---- creating and dropping ---- */

static int set_error(sqlite3_vtab *vtab, int rc, char *sentence) {
    if (!sentence)
        return rc == SQLITE_ERROR ? SQLITE_NOMEM : rc;
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = sentence;
    return rc;
}

/* The columns have the declared types of the followed table, so comparisons work as they
** do there. But ids are compared by their bytes, whatever the table's collation. BLOB
** stands for an empty type: it has no affinity either, and "" would be NUMERIC. */
static int declare(graph_table *t) {
    definition d;
    table_info info = {0};
    char *error = NULL;
    const char *type[EDGE_COLUMNS] = {"BLOB", "BLOB"}, *id = "INTEGER";
    int rc = definition_read(t->c->db, t->schema, t->name, &d, &error);
    t->persist = d.persist;
    rc = rc ? rc : table_find(t->c->db, t->schema, d.source.table, &info, &error);
    for (int i = 0; rc == SQLITE_OK && i < d.source.columns; i++) {
        int column = table_column(&info, d.source.column[i]);
        type[i] = column >= 0 && *info.type[column] ? info.type[column] : "BLOB";
        if (i == EDGE_ID_COLUMN && column >= 0 && column != info.integer_primary_key)
            id = type[i];
    }
    t->affinity[0] = affinity_of_type(type[0]);
    t->affinity[1] = affinity_of_type(type[1]);
    t->affinity[2] = affinity_of_type(id);
    t->named = rc == SQLITE_OK && d.source.columns > EDGE_ID_COLUMN;
    char *sql =
        sqlite3_mprintf("CREATE TABLE x(src \"%w\", dst \"%w\", weight, edge \"%w\")",
                        type[0], type[1], id);
    /* without a table every query reports the error */
    if (rc == SQLITE_OK || (error && rc != SQLITE_NOMEM))
        rc = sql ? sqlite3_declare_vtab(t->c->db, sql) : SQLITE_NOMEM;
    definition_clear(&d);
    table_info_clear(&info);
    sqlite3_free(sql);
    sqlite3_free(error);
    return rc;
}

static void table_free(graph_table *t) {
    sqlite3_finalize(t->right);
    sqlite3_free(t->schema);
    sqlite3_free(t->name);
    sqlite3_free(t->text);
    sqlite3_free(t);
}

/* Copies the names before the first access to the database: if a full disk makes SQLite
** roll back, it frees the schema and with it the module's arguments. */
static graph_table *table_new(connection *c, const char *const *argv) {
    graph_table *t = sqlite3_malloc(sizeof *t);
    if (!t)
        return NULL;
    memset(t, 0, sizeof *t);
    t->c = c;
    t->schema = sqlite3_mprintf("%s", argv[1]);
    t->name = sqlite3_mprintf("%s", argv[2]);
    t->text = sqlite3_mprintf("\"%w\".\"%w\"", argv[1], argv[2]);
    if (t->schema && t->name && t->text)
        return t;
    table_free(t);
    return NULL;
}

/* Takes over the table, also on failure. */
static int connect_table(graph_table *t, sqlite3_vtab **made, char **error) {
    int rc = declare(t);
    rc = rc ? rc : sqlite3_vtab_config(t->c->db, SQLITE_VTAB_INNOCUOUS);
    if (rc && rc != SQLITE_NOMEM)
        *error = sqlite3_mprintf("gpugraph: cannot read the table of %s.%s: %s",
                                 t->schema, t->name, sqlite3_errstr(rc));
    if (rc) {
        table_free(t);
        return rc;
    }
    connection_addref(t->c);
    t->c->tables++;
    *made = &t->base;
    return SQLITE_OK;
}

static int table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **made, char **error) {
    (void)db, (void)argc;
    graph_table *t = table_new(aux, argv);
    return t ? connect_table(t, made, error) : SQLITE_NOMEM;
}

static int table_create(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **made, char **error) {
    (void)db;
    connection *c = aux;
    graph_table *t = table_new(c, argv);
    if (!t)
        return SQLITE_NOMEM;
    timings earlier;
    watch_begin(&earlier, c);
    int rc = follow_create(c, t->schema, t->name, argc - 3, argv + 3, error);
    watch_end(&earlier, c);
    if (rc == SQLITE_OK)
        return connect_table(t, made, error);
    table_free(t);
    return rc;
}

static int table_disconnect(sqlite3_vtab *base) {
    graph_table *t = (graph_table *)base;
    connection_table_closed(t->c);
    connection_unref(t->c);
    table_free(t);
    return SQLITE_OK;
}

static int table_destroy(sqlite3_vtab *base) {
    graph_table *t = (graph_table *)base;
    char *error = NULL;
    int rc = follow_drop(t->c->db, t->schema, t->name, t->persist, &error);
    sqlite3_free(error);
    if (rc)
        return rc;
    followed_forget_name(t->c, t->schema, t->name);
    return table_disconnect(base);
}

static int table_rename(sqlite3_vtab *base, const char *to) {
    graph_table *t = (graph_table *)base;
    char *error = NULL;
    int rc = follow_rename(t->c->db, t->schema, t->name, to, &error);
    if (rc && error)
        return set_error(base, rc, error);
    sqlite3_free(error);
    return rc;
}

static int table_shadow_name(const char *name) {
    return sqlite3_stricmp(name, "blocks") == 0;
}

/* ---- plans ---- */

/* True if the constraint is an IN (...) whose list must come as a whole. SQLite then
** compares rows with the list. SQLite would compare single values by the type of this
** column alone, but in IN (SELECT n FROM numbers) the type of n counts, too. Also, 7 and
** '7' would find each edge twice in a TEXT column. */
static bool is_whole_list(const graph_table *t, sqlite3_index_info *info, int constraint,
                          int column) {
    const char affinity = t->affinity[column == COLUMN_EDGE ? 2 : column];
    return constraint >= 0 && (affinity == 'A' || affinity == 'B') &&
           sqlite3_vtab_in(info, constraint, -1);
}

/* Finds the constraint that the table uses for each column. */
static void find_constraints(const graph_table *t, sqlite3_index_info *info, int *equal) {
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *k = &info->aConstraint[i];
        const int column = k->iColumn < 0 ? COLUMN_EDGE : k->iColumn;
        if (!k->usable || k->op != SQLITE_INDEX_CONSTRAINT_EQ ||
            column == COLUMN_WEIGHT || (k->iColumn < 0 && t->named))
            continue;
        const char *collation = sqlite3_vtab_collation(info, i);
        if (collation && sqlite3_stricmp(collation, "BINARY") != 0)
            continue;
        /* a single value is better than a list */
        if (equal[column] < 0 || !is_whole_list(t, info, i, column))
            equal[column] = i;
    }
}

static void give_graph_table(sqlite3_index_info *info, int constraint, int place,
                             bool omit) {
    info->aConstraintUsage[constraint].argvIndex = place;
    info->aConstraintUsage[constraint].omit = omit;
}

/* If an end is not exact, the look-up may return all edges, so both ends are compared. */
static bool ends_are_exact(const graph_table *t, bool both) {
    return lookup_is_exact(t->affinity[0]) && (!both || lookup_is_exact(t->affinity[1]));
}

/* Rows of a scan come in the order of edge ids, rows of one vertex in the order of
** targets if an id means one vertex. Edges' own ids may be NULL, which comes last
** here. */
static void choose_order(const graph_table *t, sqlite3_index_info *info) {
    if (info->nOrderBy != 1)
        return;
    int column = info->aOrderBy[0].iColumn;
    bool exact = ends_are_exact(t, info->idxNum & PLAN_DST);
    bool by_edge = column < 0 || (column == COLUMN_EDGE && !t->named);
    if (info->idxNum == 0 && by_edge) {
        info->orderByConsumed = 1;
        info->idxNum = info->aOrderBy[0].desc ? PLAN_DOWN : 0;
    } else if ((info->idxNum == PLAN_EDGE && !t->named) ||
               (info->idxNum == PLAN_SRC && exact && column == COLUMN_DST &&
                !info->aOrderBy[0].desc && texts_sort_as_utf8(t->c->db)) ||
               (info->idxNum == (PLAN_SRC | PLAN_DST) && exact && by_edge &&
                !info->aOrderBy[0].desc)) {
        info->orderByConsumed = 1;
    }
}

static void expect_rows(sqlite3_index_info *info, double rows) {
    if (rows < info->estimatedCost) {
        info->estimatedRows = (sqlite3_int64)rows;
        info->estimatedCost = rows;
    }
}

enum { VALUES = 25 }; /* values in a list, as SQLite estimates */

/* Uses at most one list; SQLite alone compares with the other one. */
static void plan_ends(const graph_table *t, sqlite3_index_info *info, const int *equal,
                      double degree) {
    const int from = equal[COLUMN_SRC], to = equal[COLUMN_DST];
    const bool from_list = is_whole_list(t, info, from, COLUMN_SRC),
               to_list = is_whole_list(t, info, to, COLUMN_DST),
               between = to >= 0 && !(from_list && to_list);
    info->idxNum = PLAN_SRC | (from_list ? PLAN_LIST : 0) | (between ? PLAN_DST : 0) |
                   (between && to_list ? PLAN_DST_LIST : 0);
    give_graph_table(info, from, 1, !from_list && ends_are_exact(t, between));
    if (between)
        give_graph_table(info, to, 2, !to_list && ends_are_exact(t, true));
    if (from_list || (between && to_list))
        sqlite3_vtab_in(info, from_list ? from : to, 1);
    expect_rows(info, (from_list || (between && to_list) ? VALUES : 1) *
                          (between ? 1 : 1 + degree));
}

static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    graph_table *t = (graph_table *)base;
    /* a statement is being compiled, so the authorizer must be asked again */
    sqlite3_finalize(t->right);
    t->right = NULL;
    int equal[4] = {-1, -1, -1, -1};
    double edges = 1e6, degree = 8;
    followed *f = t->seen ? followed_of(t->c, t->schema, t->name) : NULL;
    const graph_request by_graph = {.by_graph = true};
    const graph_ref *g = f ? followed_graph(f, &by_graph) : NULL;
    if (g && gpugraph_vertex_count(g->graph) > 0) {
        edges = (double)gpugraph_edge_count(g->graph);
        degree = edges / gpugraph_vertex_count(g->graph);
    }
    find_constraints(t, info, equal);
    info->estimatedRows = (sqlite3_int64)edges;
    info->estimatedCost = edges;
    const int edge = equal[COLUMN_EDGE];
    const bool list = t->named && is_whole_list(t, info, edge, COLUMN_EDGE);
    if (edge >= 0) {
        info->idxNum = PLAN_EDGE | (list ? PLAN_LIST : 0);
        give_graph_table(info, edge, 1, false);
    }
    if (list) {
        sqlite3_vtab_in(info, edge, 1);
        expect_rows(info, VALUES);
    } else if (edge >= 0) {
        info->idxFlags = t->named ? 0 : SQLITE_INDEX_SCAN_UNIQUE;
        info->estimatedRows = t->named ? 2 : 1;
        info->estimatedCost = 1;
    } else if (equal[COLUMN_SRC] >= 0) {
        plan_ends(t, info, equal, degree);
    }
    choose_order(t, info);
    info->idxStr = (char *)plan_words[info->idxNum & (PLAN_DOWN - 1)];
    if (info->colUsed & 1 << COLUMN_WEIGHT)
        info->idxNum |= PLAN_WEIGHTS;
    return SQLITE_OK;
}

/* ---- cursors ---- */

static int table_open(sqlite3_vtab *base, sqlite3_vtab_cursor **made) {
    graph_table *t = (graph_table *)base;
    graph_cursor *cur = sqlite3_malloc(sizeof *cur);
    if (!cur)
        return SQLITE_NOMEM;
    memset(cur, 0, sizeof *cur);
    int rc = scope_open(t->c, &cur->scope, t);
    if (rc) {
        sqlite3_free(cur);
        return rc;
    }
    *made = &cur->base;
    return SQLITE_OK;
}

static int table_close(sqlite3_vtab_cursor *base) {
    graph_cursor *cur = (graph_cursor *)base;
    connection *c = ((graph_table *)base->pVtab)->c;
    sqlite3_free(cur->found.edge);
    graph_release(c, cur->graph);
    scope_close(c, &cur->scope);
    sqlite3_free(cur);
    return SQLITE_OK;
}

/* Acquires the graph as the statement must see it; the cursor keeps it while it is
** open. */
static int acquire(graph_table *t, graph_cursor *cur, bool weights) {
    followed *f = followed_of(t->c, t->schema, t->name);
    char *error = NULL;
    if (!f)
        return SQLITE_NOMEM;
    bool current = t->seen && followed_is_current(t->c, f, &t->right);
    graph_request request = {.function = t->name,
                             .edges = t->text,
                             .edges_bytes = (int)strlen(t->text),
                             .weight = weights ? WEIGHT_IF_ANY : WEIGHT_NO,
                             .numbers = NUMBERS_ANY,
                             .by_graph = true,
                             .edges_here = true,
                             .backend = -1,
                             .scope = &cur->scope,
                             .followed = current ? f : NULL};
    int rc = graph_acquire(t->c, &request, &cur->graph, &error);
    if (rc) {
        cur->graph = NULL;
        return rc == SQLITE_INTERRUPT || rc == SQLITE_NOMEM
                   ? (sqlite3_free(error), rc)
                   : set_error(&t->base, rc, error);
    }
    t->seen = cur->graph == followed_graph(f, &request);
    cur->ids = gpugraph_vertex_ids(cur->graph->graph);
    return SQLITE_OK;
}

static void take_found(graph_cursor *cur, const edges_found *found) {
    sqlite3_free(cur->found.edge);
    cur->found = *found;
    cur->position = 0;
    cur->end = (sqlite3_int64)(found->all ? gpugraph_edge_count(cur->graph->graph)
                                          : found->count);
    cur->step = 1;
    cur->looked = false;
}

/* Finds the edges with this id, or with an id of the list. */
static int find_edge(graph_cursor *cur, sqlite3_value *value, bool list) {
    struct sql_number number;
    edges_found found;
    if (cur->graph->row_ids) {
        int rc = lookup_named(cur->graph, value, list, &found);
        if (rc == SQLITE_OK)
            take_found(cur, &found);
        return rc;
    }
    int rc = number_of(value, &number);
    number_to_integer(&number);
    if (rc || number.type != SQLITE_INTEGER || cur->graph->unnamed)
        return rc;
    uint64_t e = gpugraph_find_edge(cur->graph->graph, number.integer);
    if (e != GPUGRAPH_NO_EDGE) {
        cur->position = (sqlite3_int64)e;
        cur->end = cur->position + 1;
    }
    return SQLITE_OK;
}

static int find_rows(graph_table *t, graph_cursor *cur, int plan, int argc,
                     sqlite3_value **argv) {
    const int list = plan & PLAN_LIST ? 0 : plan & PLAN_DST_LIST ? 1 : -1;
    if (plan & PLAN_EDGE)
        return find_edge(cur, argv[0], plan & PLAN_LIST);
    if (plan & PLAN_SRC) {
        edges_found found;
        char *error = NULL;
        int rc =
            lookup_edges(t->c, cur->graph, t->affinity, argc, argv, list, &found, &error);
        if (rc == SQLITE_OK)
            take_found(cur, &found);
        return error ? set_error(&t->base, rc, error) : rc;
    }
    take_found(cur, &(edges_found){.all = true});
    if (plan & PLAN_DOWN) {
        cur->position = cur->end - 1;
        cur->end = cur->step = -1;
    }
    return SQLITE_OK;
}

static int table_filter(sqlite3_vtab_cursor *base, int plan, const char *words, int argc,
                        sqlite3_value **argv) {
    (void)words;
    graph_cursor *cur = (graph_cursor *)base;
    graph_table *t = (graph_table *)base->pVtab;
    const bool first = !cur->graph; /* the first look-up makes rows that are missing */
    timings earlier;
    scope_settle(t->c);
    if (first)
        watch_begin(&earlier, t->c);
    int rc = first ? acquire(t, cur, (plan & PLAN_WEIGHTS) != 0) : SQLITE_OK;
    take_found(cur, &(edges_found){.count = 0});
    rc = rc ? rc : find_rows(t, cur, plan, argc, argv);
    if (first)
        watch_end(&earlier, t->c);
    return rc;
}

static int table_next(sqlite3_vtab_cursor *base) {
    graph_cursor *cur = (graph_cursor *)base;
    cur->position += cur->step;
    cur->looked = false;
    return SQLITE_OK;
}

static int table_eof(sqlite3_vtab_cursor *base) {
    const graph_cursor *cur = (const graph_cursor *)base;
    return cur->position == cur->end;
}

static const gpugraph_edge *edge_here(graph_cursor *cur) {
    if (!cur->looked) {
        cur->number = found_edge(cur->graph->graph, &cur->found, (uint64_t)cur->position);
        cur->edge = gpugraph_edge_of(cur->graph->graph, cur->number);
        cur->looked = true;
    }
    return &cur->edge;
}

static int table_column_value(sqlite3_vtab_cursor *base, sqlite3_context *context,
                              int column) {
    graph_cursor *cur = (graph_cursor *)base;
    if (cur->found.arcs.target && column == COLUMN_DST) {
        result_vertex(context, cur->ids, cur->found.arcs.target[cur->position]);
        return SQLITE_OK;
    }
    const gpugraph_edge *edge = edge_here(cur);
    if (column == COLUMN_SRC)
        result_vertex(context, cur->ids, edge->source);
    else if (column == COLUMN_DST)
        result_vertex(context, cur->ids, edge->target);
    else if (column == COLUMN_WEIGHT)
        result_weight(context, cur->graph->graph, edge);
    else if (cur->graph->row_ids || cur->graph->unnamed)
        result_edge_id(context, cur->graph, cur->number);
    else
        sqlite3_result_int64(context, edge->id);
    return SQLITE_OK;
}

static int table_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    *rowid = edge_here((graph_cursor *)base)->id;
    return SQLITE_OK;
}

static const sqlite3_module graph_module = {
    .iVersion = 3,
    .xCreate = table_create,
    .xConnect = table_connect,
    .xBestIndex = table_best_index,
    .xDisconnect = table_disconnect,
    .xDestroy = table_destroy,
    .xOpen = table_open,
    .xClose = table_close,
    .xFilter = table_filter,
    .xNext = table_next,
    .xEof = table_eof,
    .xColumn = table_column_value,
    .xRowid = table_rowid,
    .xRename = table_rename,
    .xShadowName = table_shadow_name,
};

int graph_table_register(connection *c) {
    connection_addref(c);
    return sqlite3_create_module_v2(c->db, "gpugraph", &graph_module, c,
                                    connection_unref);
}
