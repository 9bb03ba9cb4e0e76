/* Reads rows of a table, view or query into columns (loader.h) and makes a graph of them.
**
** There are three readers, the fastest first. The page reader (pages/reader.h) reads
** plain tables. The aggregate function gpugraph_collect reads any table; its rows never
** leave SQLite's own loop. sqlite3_step reads everything else row by row. The last two
** call take_row for each row. */
#include "loader.h"
#include "base/ext_limits.h"
#include "load.h"
#include "pages/reader.h"
#include "pages/wal_frames.h"
#include "source/source.h"
#include <stdlib.h>
#include <string.h>

/* ---- reader: whole pages ---- */

/* page_read and a device call this about fifty times a second. */
static int between_pages(void *reading) {
    loader *l = reading;
    loader_pulse(l);
    return connection_interrupted(l->c);
}

page_table loader_table(connection *c, const row_source *rows, bool weights) {
    return (page_table){
        .db = c->db,
        .schema = rows->table.schema,
        .table = rows->table.name,
        .rowid = rows->table.rowid_name,
        .column = {rows->column[SOURCE_COLUMN], rows->column[TARGET_COLUMN],
                   weights ? rows->column[WEIGHT_COLUMN] : NULL,
                   rows->column[EDGE_ID_COLUMN], rows->column[REVERSE_COLUMN]},
        .filter = rows->filter,
        .unwritten = rows->unwritten,
        .schema_version = rows->schema_version,
        .wal = &c->logs};
}

bool graph_identify(connection *c, const row_source *edges,
                    struct page_identity *identity) {
    page_table table = loader_table(c, edges, true);
    sqlite3_file *file =
        wal_file_of(c->db, edges->table.schema, SQLITE_FCNTL_FILE_POINTER);
    sqlite3_int64 size = 0;
    return edges->kind == 't' && !edges->where && !edges->filter && file &&
           file->pMethods->xFileSize(file, &size) == SQLITE_OK &&
           size >= ext_limits.graph_named_from && page_identify(&table, identity);
}

/* Records a phase within the read. */
static void record_phase(void *reading, const char *name, double ms, int64_t items,
                         const char *detail) {
    loader *l = reading;
    l->reported_ms += ms;
    timings_add(&l->c->timings, name, ms, items, detail);
}

/* Finds a device that can decode pages. NULL: none, or the host needs the columns. */
static const gg_cell_place *find_place(loader *l, gpugraph_run *run) {
    connection_run(l->c, run);
    run->backend = l->backend;
    run->interrupted = between_pages;
    run->phase = record_phase;
    run->listener = l;
    return l->two_ways || l->has_rows ? NULL : gg_cells_for(run);
}

/* Sets rowids that were not read to the edge ids or to 1, 2, 3, ... */
static int begin_rows(loader *l) {
    if (l->row)
        return SQLITE_OK;
    l->row = malloc((size_t)(l->room ? l->room : 1) * sizeof *l->row);
    if (!l->row)
        return l->rc = SQLITE_NOMEM;
    for (int64_t i = 0; i < l->count; i++)
        l->row[i] = l->rowid && l->edge_id.value ? l->edge_id.value[i] : i + 1;
    return SQLITE_OK;
}

/* Reads by pages. False: *why_not says why the rows cannot be read by pages. If the
** result is true, l->rc is set. */
static bool read_pages(loader *l, const char **why_not) {
    const row_source *rows = l->rows;
    if (rows->where && !rows->range) {
        *why_not = "a condition on rows";
        return false;
    }
    const bool keep_rows = l->has_rows || rows->range;
    gpugraph_run run;
    page_table table = loader_table(l->c, rows, l->weights != READ_NO_WEIGHTS);
    table.texts = l->texts;
    table.rows_read = &l->count;
    table.range = rows->range;
    table.place = rows->range || rows->filter ? NULL : find_place(l, &run);
    table.run = &run;
    page_columns got;
    switch (page_read(&table, l->c->config.threads, between_pages, l, &got, why_not)) {
    case PAGE_NOT_USED:
        l->count = 0;
        return false;
    case PAGE_INTERRUPTED:
        l->rc = SQLITE_INTERRUPT;
        return true;
    case PAGE_READ:
        break;
    }
    l->from_pages = true;
    l->count = l->room = got.count;
    l->cells = got.cells;
    l->edge_id.value = l->rowid ? got.rowid : got.edge_id;
    if (!l->rowid && keep_rows)
        l->row = got.rowid;
    else if (!l->rowid)
        free(got.rowid);
    for (int end = 0; end < 2; end++)
        l->id[end] = (id_array){got.id[end], got.text[end], got.id32[end]};
    /* text weights are among the slow rows */
    l->text_weight = l->weights != READ_NO_WEIGHTS && got.slow_rows > 0;
    l->weight = (number *)got.weight;
    l->weight32 = got.weight32;
    l->reverse = (number *)got.reverse;
    if (keep_rows)
        begin_rows(l);
    for (int64_t i = 0; l->has_rows && i < l->count && l->rc == SQLITE_OK; i++)
        loader_check_row(l, l->row[i]);
    if (l->rc == SQLITE_OK && half_rows_take_out(l, got.half, got.halves) == SQLITE_OK &&
        rows->range)
        loader_keep_range(l, rows->range);
    l->real_weight = got.real && l->count > 0;
    if (l->rc == SQLITE_OK && !l->two_ways)
        check_weights(l);
    free(got.half);
    return true;
}

/* ---- reader: gpugraph_collect, inside SQLite's loop ---- */

static void take_values(loader *l, int count, sqlite3_value **value) {
    if (l->edges && l->rows->filter)
        l->leaves = !sqlite3_value_int(value[--count]);
    const int ids = count - 1 - (l->row_name != NULL);
    if (l->has_rows)
        l->this_row = l->row_name || l->rowid ? sqlite3_value_int64(value[count - 1])
                                              : l->count + 1;
    take_row(l, l->has_ids ? value[ids] : NULL, value);
}

/* gpugraph_collect(source, destination [, weight [, reverse weight]] [, edge id [,
** rowid]] [, filter]), and for vertices gpugraph_collect(id). The loader is not an
** argument but a field of the connection, which saves time in each row. */
static void collect_step(sqlite3_context *context, int count, sqlite3_value **value) {
    loader *l = ((connection *)sqlite3_user_data(context))->collecting;
    if (!l || count != l->collected) {
        sqlite3_result_error(context,
                             "gpugraph_collect: only gpugraph itself calls this; call "
                             "gpu_bfs or another of its functions",
                             -1);
        return;
    }
    if (l->rc)
        return;
    l->calls++;
    if (l->take)
        l->take(l, value);
    else
        take_values(l, count, value);
    if (l->rc)
        sqlite3_result_error_code(context, l->rc);
}

static void collect_final(sqlite3_context *context) {
    loader *l = ((connection *)sqlite3_user_data(context))->collecting;
    if (l)
        sqlite3_result_int64(context, l->calls);
}

int loader_register(connection *c) {
    connection_addref(c); /* SQLite releases it, also if this fails */
    return sqlite3_create_function_v2(c->db, "gpugraph_collect", -1,
                                      SQLITE_UTF8 | SQLITE_DIRECTONLY, c, NULL,
                                      collect_step, collect_final, connection_unref);
}

/* Appends the columns to read, in the order of gpugraph_collect. Returns their number. */
static int append_columns(const loader *l, sqlite3_str *sql) {
    const char *id = l->rowid ? l->rowid : l->rows->column[EDGE_ID_COLUMN];
    int count = 0;
    for (int i = 0; i < EDGE_COLUMNS; i++) {
        if (l->rows->column[i] && i != EDGE_ID_COLUMN &&
            (i < WEIGHT_COLUMN || l->weights != READ_NO_WEIGHTS))
            sqlite3_str_appendf(sql, "%s\"%w\"", count++ ? ", " : "", l->rows->column[i]);
    }
    if (l->has_ids)
        sqlite3_str_appendf(sql, ", \"%w\"", id);
    if (l->row_name)
        sqlite3_str_appendf(sql, ", \"%w\"", l->row_name);
    const bool filtered = l->edges && l->rows->filter;
    if (filtered)
        filter_append(sql, l->rows->filter);
    return count + l->has_ids + (l->row_name != NULL) + filtered;
}

/* Sets the error after a failed step unless take_row has set it. */
static int explain(loader *l, int rc) {
    if (l->rc)
        return l->rc;
    if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT)
        return l->rc = rc;
    return loader_fail(l, rc,
                       sqlite3_mprintf("%s cannot be read: %s", l->rows->name,
                                       sqlite3_errmsg(l->c->db)));
}

static int prepare_loader(loader *l, sqlite3_str *text, sqlite3_stmt **statement) {
    char *sql = sqlite3_str_finish(text);
    *statement = NULL;
    if (!sql)
        return l->rc = SQLITE_NOMEM;
    int rc = sqlite3_prepare_v3(l->c->db, sql, -1, 0, statement, NULL);
    sqlite3_free(sql);
    return rc ? explain(l, rc) : SQLITE_OK;
}

int loader_collect(loader *l, sqlite3_stmt *scan) {
    bool finished = false;
    l->calls = 0;
    l->c->collecting = l;
    int rc = sqlite3_step(scan);
    l->c->collecting = NULL;
    if (rc == SQLITE_ROW) /* the result is the number of rows that gpugraph_collect got */
        finished = sqlite3_column_type(scan, 0) == SQLITE_INTEGER &&
                   sqlite3_column_int64(scan, 0) == l->calls;
    if (rc != SQLITE_ROW)
        explain(l, rc);
    else if (!finished)
        loader_fail(l, SQLITE_ERROR,
                    sqlite3_mprintf("another function has taken the name "
                                    "gpugraph_collect; load gpugraph after it"));
    return l->rc;
}

/* An aggregate function has no ORDER BY, so an ordered scan is a subquery. */
static int read_inside(loader *l) {
    const row_source *rows = l->rows;
    const bool ordered = rows->table.key_order != NULL;
    sqlite3_str *text = sqlite3_str_new(l->c->db);
    sqlite3_stmt *scan;
    sqlite3_str_appendall(text, OWN_SQL "SELECT gpugraph_collect(");
    l->collected = append_columns(l, text);
    sqlite3_str_appendall(text, ordered ? ") FROM (SELECT " : ") FROM ");
    if (ordered) {
        append_columns(l, text);
        sqlite3_str_appendall(text, " FROM ");
    }
    append_table_in_order(text, &rows->table, rows->where);
    sqlite3_str_appendall(text, ordered ? ")" : "");
    if (prepare_loader(l, text, &scan))
        return l->rc;
    loader_collect(l, scan);
    sqlite3_finalize(scan);
    return l->rc;
}

/* Reads again without weights after an error, for example if an authorizer denies their
** column. A search that needs no weights goes on; a search by weight reports it. */
static void read_inside_without_weights(loader *l) {
    char *why = sqlite3_mprintf("%s", l->error + strlen(l->function) + 2);
    sqlite3_free(l->error);
    l->error = NULL;
    l->rc = SQLITE_OK;
    l->count = l->halves = l->left_out = 0;
    l->missing = 0;
    l->leaves = false;
    if (l->lone)
        l->lone->count = 0;
    loader_drop_weights(l);
    l->weight_error = why;
    if (why)
        read_inside(l);
    else
        l->rc = SQLITE_NOMEM;
}

/* ---- reader: a step for each row ---- */

/* id_column: the column of the edge id, or -1. The others are in order. */
static int step_rows(loader *l, sqlite3_stmt *statement, int id_column) {
    sqlite3_value *value[EDGE_COLUMNS] = {NULL}, *id = NULL;
    int columns = sqlite3_column_count(statement), rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0, k = 0; i < columns; i++) {
            if (i == id_column)
                id = sqlite3_column_value(statement, i);
            else
                value[k++] = sqlite3_column_value(statement, i);
        }
        if (take_row(l, id, value))
            return l->rc;
    }
    return rc == SQLITE_DONE ? SQLITE_OK : explain(l, rc);
}

static int read_steps(loader *l) {
    const row_source *rows = l->rows;
    if (rows->query) {
        int rc = step_rows(l, rows->query, l->has_ids ? EDGE_ID_COLUMN : -1);
        sqlite3_reset(rows->query);
        return rc;
    }
    sqlite3_str *text = sqlite3_str_new(l->c->db);
    sqlite3_stmt *statement;
    sqlite3_str_appendall(text, OWN_SQL "SELECT ");
    append_columns(l, text);
    sqlite3_str_appendf(text, " FROM \"%w\".\"%w\"", rows->table.schema,
                        rows->table.name);
    if (prepare_loader(l, text, &statement))
        return l->rc;
    step_rows(l, statement, l->has_ids ? sqlite3_column_count(statement) - 1 : -1);
    sqlite3_finalize(statement);
    return l->rc;
}

/* ---- the load ---- */

void loader_start(loader *l, connection *c, const char *function, intern *texts,
                  const row_source *rows, bool edges, enum weight_reading weights) {
    memset(l, 0, sizeof *l);
    l->c = c;
    l->function = function;
    l->texts = texts;
    l->rows = rows;
    l->edges = edges;
    l->rowid = edges ? source_rowid(rows) : NULL;
    l->has_ids = edges && (l->rowid || rows->column[EDGE_ID_COLUMN]);
    l->backend = (gpugraph_backend)c->config.backend;
    l->has_rows = edges && source_has_row_ids(rows);
    l->row_name = l->has_rows && !l->rowid ? source_row_name(rows) : NULL;
    l->weights = edges && rows->column[2] ? weights : READ_NO_WEIGHTS;
    l->two_ways = edges && rows->column[REVERSE_COLUMN];
    l->two_ends = l->two_ways || (edges && rows->filter);
    /* closed directions matter to every function, so weights are always read */
    if (l->two_ways) {
        l->weights = READ_WEIGHTS;
        l->real_weight = two_ways_are_real(rows);
    }
    l->started_ms = gg_now_ms();
    l->next_progress_ms = l->started_ms + 1000;
}

int loader_read(loader *l) {
    static const char *const what[] = {"a query", "a view", "a virtual table",
                                       "a graph table"};
    const char kinds[] = "qvxg", *kind = strchr(kinds, l->rows->kind);
    const char *why_not = l->rows->kind == 'w' ? "a WITHOUT ROWID table" : "vertices";
    char *detail;
    l->begun_at = l->count;
    if (kind) {
        read_steps(l);
        detail =
            sqlite3_mprintf("rows: %s is read a step for each row", what[kind - kinds]);
    } else if (l->rows->kind == 't' && l->edges && read_pages(l, &why_not)) {
        detail = sqlite3_mprintf("pages: %s is a plain table of numbers%s%s",
                                 l->rows->name, l->texts->count ? " and texts" : "",
                                 l->cells ? ", decoded on the device" : "");
    } else {
        read_inside(l);
        if (l->rc && l->weights == TRY_WEIGHTS && l->rc != SQLITE_NOMEM &&
            l->rc != SQLITE_INTERRUPT)
            read_inside_without_weights(l);
        detail = sqlite3_mprintf("rows: inside SQLite's scan of %s, not pages: %s",
                                 l->rows->name, why_not);
    }
    if (l->halves)
        detail = sqlite3_mprintf("%z; %lld of its rows have a NULL end and are no edges",
                                 detail, (sqlite3_int64)l->halves);
    if (l->left_out)
        detail = sqlite3_mprintf("%z; %lld of its rows do not satisfy edge_filter and "
                                 "are no edges",
                                 detail, (sqlite3_int64)l->left_out);
    double ms = gg_now_ms() - l->started_ms - l->reported_ms;
    timings_add(&l->c->timings, "read", ms, l->count - l->begun_at, detail);
    connection_progress(l->c, "read", ms, l->count - l->begun_at);
    sqlite3_free(detail);
    return l->rc;
}

static gpugraph_id_column id_column(const id_array *id) {
    return (gpugraph_id_column){id->value, id->is_text, id->value32};
}

gpugraph_edges loader_edges(const loader *edges, intern *texts) {
    intern_close(texts);
    gpugraph_edges given = {
        .count = edges->count,
        .source = id_column(&edges->id[0]),
        .target = id_column(&edges->id[1]),
        .weight = edges->weight,
        .weight32 = edges->weight32,
        .edge_id = edges->edge_id.value,
        .texts = {.count = texts->count, .offset = texts->offset, .bytes = texts->bytes},
        .cells = edges->cells};
    if (edges->weights != READ_NO_WEIGHTS)
        given.weight_type =
            edges->real_weight ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
    return given;
}

/* A load, from rows to graphs. */
typedef struct graph_loading {
    connection *c;
    const graph_request *request;
    loader edges, vertices;
    intern texts;
    loaded *result, *other; /* as in graph_load */
    char **error;
} graph_loading;

static void run_of_load(const graph_loading *l, gpugraph_run *run) {
    connection_run(l->c, run);
    if (l->request->backend >= 0)
        run->backend = (gpugraph_backend)l->request->backend;
}

/* Makes a graph, which takes over the columns of the edges. */
static int create_graph(graph_loading *l, loader *edges, gpugraph_graph **graph) {
    gpugraph_edges given = loader_edges(edges, &l->texts);
    given.vertex_count = l->vertices.count;
    given.vertex = id_column(&l->vertices.id[0]);
    given.take_over = true;
    given.stay = !l->request->edges_here;
    gpugraph_run run;
    run_of_load(l, &run);
    memset(edges->id, 0, sizeof edges->id);
    edges->cells = NULL;
    edges->weight = NULL;
    edges->weight32 = NULL;
    edges->edge_id.value = NULL;
    if (gpugraph_create(&given, &run, graph) == GPUGRAPH_OK && l->request->edges_here)
        gpugraph_bring_edges(*graph, &run);
    return code_of_run(&run, l->request->function, l->error);
}

/* Makes a graph. If rowids are kept, it first makes the graph of rows. */
static int create_named(graph_loading *l, loader *edges, loaded *result) {
    id_array *id = &edges->edge_id;
    int rc = SQLITE_OK;
    if (edges->has_rows && edges->count && !id->value)
        rc = loader_begin_edge_ids(edges);
    if (edges->has_rows && rc == SQLITE_OK)
        rc = row_ids_make(l->c, l->request->function, edges->count, edges->row, id->value,
                          id->is_text, &l->edges.edge_texts, &result->row_ids, l->error);
    return rc ? rc : create_graph(l, edges, &result->graph);
}

/* Makes the graph of rows with a reverse weight for direction 'both' (undirected), or for
** 'out' and 'in'. */
static int create_way(graph_loading *l, bool undirected, loaded *result) {
    loader ways;
    int rc = two_ways_lay_out(&l->edges, undirected, &ways);
    rc = rc ? rc : create_named(l, &ways, result);
    loader_clear(&ways);
    return rc;
}

static int create_ways(graph_loading *l) {
    const bool undirected = l->request->undirected;
    if (!l->edges.two_ways)
        return create_named(l, &l->edges, l->result);
    int rc = create_way(l, undirected, l->result);
    return rc || !l->other ? rc : create_way(l, !undirected, l->other);
}

/* Fills the fields that describe the rows. */
static void report_rows(graph_loading *l, loaded *to) {
    loader *e = &l->edges;
    to->unnamed = !e->has_ids;
    to->has_weight = e->weights != READ_NO_WEIGHTS;
    to->has_text = l->texts.count > 0 || e->text_weight || e->edge_texts.count > 0;
    to->from_pages = e->from_pages;
    to->weight_error = e->weight_error;
    e->weight_error = NULL;
}

void loaded_clear(loaded *l) {
    gpugraph_free(l->graph);
    gpugraph_free(l->half_rows);
    gpugraph_free(l->row_ids);
    sqlite3_free(l->weight_error);
    memset(l, 0, sizeof *l);
}

/* Makes a graph of the rows with a NULL end. */
static int create_half_rows(graph_loading *l, gpugraph_graph **half_rows) {
    gpugraph_run run;
    gpugraph_edges rows = half_edges(&l->vertices, &l->texts);
    if (!l->vertices.has_ids || l->vertices.count == 0)
        return SQLITE_OK;
    connection_run(l->c, &run);
    run.phase = NULL; /* the phases of the main graph cover the rows */
    gpugraph_create(&rows, &run, half_rows);
    return code_of_run(&run, l->request->function, l->error);
}

static int read_all(graph_loading *l, const row_source *vertices) {
    loader *e = &l->edges, *v = &l->vertices;
    int rc = loader_read(e);
    if (rc == SQLITE_OK && vertices) {
        v->started_ms = gg_now_ms();
        rc = loader_read(v);
    }
    if (rc == SQLITE_OK && e->two_ways)
        rc = two_ways_close(e);
    loader *failed = e->rc ? e : v;
    *l->error = failed->error;
    failed->error = NULL;
    return rc;
}

/* *on_device says whether a device may decode pages, and afterwards whether it did. */
static int load_rows(graph_loading *l, const row_source *edges,
                     const row_source *vertices, enum weight_reading weights,
                     bool *on_device) {
    loader *e = &l->edges, *v = &l->vertices;
    const char *function = l->request->function;
    loaded *made[] = {l->result, l->other};
    gpugraph_run run;
    l->texts = (intern){0};
    for (int i = 0; i < 2 && made[i]; i++)
        *made[i] = (loaded){0};
    loader_start(e, l->c, function, &l->texts, edges, true, weights);
    loader_start(v, l->c, function, &l->texts, vertices ? vertices : edges, false,
                 READ_NO_WEIGHTS);
    e->lone = v;
    v->has_ids = edges->followed && source_row_name(edges);
    /* Starts to open a device, if the graph is worth it, while rows are read. */
    run_of_load(l, &run);
    e->backend = *on_device && !vertices ? run.backend : GPUGRAPH_CPU;
    if (gpugraph_expect(0, &run))
        gpugraph_expect((uint64_t)table_rows_at_most(l->c, edges), &run);
    int rc = read_all(l, vertices);
    *on_device = e->cells != NULL;
    if (rc == SQLITE_OK && e->edge_id.is_text) {
        e->has_rows = true; /* the library knows only INTEGER edge ids */
        rc = begin_rows(e);
    }
    for (int i = 0; i < 2 && made[i] && rc == SQLITE_OK; i++)
        rc = create_half_rows(l, &made[i]->half_rows);
    rc = rc ? rc : create_ways(l);
    double freeing = gg_now_ms();
    for (int i = 0; i < 2 && made[i]; i++) {
        if (rc != SQLITE_OK)
            loaded_clear(made[i]);
        else if (made[i]->graph)
            report_rows(l, made[i]);
    }
    int64_t count = e->count + v->count;
    loader_clear(e);
    loader_clear(v);
    intern_clear(&l->texts);
    timings_add(&l->c->timings, "free", gg_now_ms() - freeing, count,
                "the columns that were read");
    return rc;
}

/* If a device fails after it has decoded pages, the table is read again without the
** device. */
int graph_load(connection *c, const graph_request *request, const row_source *edges,
               const row_source *vertices, enum weight_reading weights, loaded *result,
               loaded *other, char **error) {
    graph_loading l = {
        .c = c, .request = request, .result = result, .other = other, .error = error};
    bool on_device = true;
    int rc = load_rows(&l, edges, vertices, weights, &on_device);
    if (rc == SQLITE_OK || rc == SQLITE_INTERRUPT || !on_device)
        return rc;
    sqlite3_free(*error);
    *error = NULL;
    on_device = false;
    return load_rows(&l, edges, vertices, weights, &on_device);
}
