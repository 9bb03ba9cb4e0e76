/* The scalar functions: gpugraph_version, gpugraph_config, gpugraph_triangles.
**
**     gpugraph_config(key [, value])   key -> setting -> a field of struct config
**     gpugraph_triangles(edges)        graph_acquire -> count, kept or made */
#include "table_function.h"

#include <stdlib.h>
#include <string.h>

static void version(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc, (void)argv;
    sqlite3_result_text(context, GPUGRAPH_VERSION, -1, SQLITE_STATIC);
}

void function_fail(sqlite3_context *context, char *sentence) {
    if (sentence)
        sqlite3_result_error(context, sentence, -1);
    else
        sqlite3_result_error_nomem(context);
    sqlite3_free(sentence);
}

/* ---- settings ---- */

typedef struct setting {
    const char *key;
    const char *takes; /* for sentences */
    sqlite3_int64 least, most, initial;
    size_t offset; /* in struct config */
    bool wide;     /* sqlite3_int64, else int */
} setting;

#define CONFIG(field)                                                                    \
    offsetof(config, field), sizeof((config *)0)->field == sizeof(sqlite3_int64)

static const setting settings[] = {
    {"device", "the id of a CUDA device in gpugraph_devices", 0, 1023, 0, CONFIG(device)},
    {"threads", "a number of threads up to 1024, or 0 for one for each core", 0, 1024, 0,
     CONFIG(threads)},
    {"memory_limit", "bytes of device memory, or 0 for no limit", 0, INT64_MAX, 0,
     CONFIG(memory_limit)},
    {"cache_limit", "bytes", 0, INT64_MAX, DEFAULT_CACHE_LIMIT, CONFIG(cache_limit)},
    {"progress", "0 or 1", 0, 1, 0, CONFIG(progress)},
};

/* NULL: there is none of that name. */
static const setting *setting_of(const char *key) {
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strcmp(settings[i].key, key) == 0)
            return &settings[i];
    return NULL;
}

static sqlite3_int64 setting_value(const connection *c, const setting *s) {
    const char *field = (const char *)&c->config + s->offset;
    return s->wide ? *(const sqlite3_int64 *)field : *(const int *)field;
}

static void setting_store(connection *c, const setting *s, sqlite3_int64 value) {
    char *field = (char *)&c->config + s->offset;
    if (s->wide)
        *(sqlite3_int64 *)field = value;
    else
        *(int *)field = (int)value;
}

static void unknown_key(sqlite3_context *context, const char *key) {
    sqlite3_str *sentence = sqlite3_str_new(NULL);
    sqlite3_str_appendf(
        sentence, "gpugraph_config: there is no setting '%.60s'; there are 'backend'",
        key);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_str_appendf(sentence, ", '%s'", settings[i].key);
    function_fail(context, sqlite3_str_finish(sentence));
}

/* backend is the one setting that is a word. */
static void read_backend(sqlite3_context *context, connection *c, sqlite3_value *value) {
    const char *word =
        value ? (const char *)sqlite3_value_text(value) : c->config.backend;
    if (value && sqlite3_value_type(value) == SQLITE_NULL)
        word = backend_names[0];
    bool known = false;
    for (int i = 0; i < 3 && word; i++)
        known |= strcmp(word, backend_names[i]) == 0;
    if (!word) {
        sqlite3_result_error_nomem(context);
    } else if (!known) {
        function_fail(
            context,
            sqlite3_mprintf(
                "gpugraph_config: backend must be 'auto', 'cpu' or 'cuda', not '%.60s'",
                word));
    } else {
        if (value)
            sqlite3_snprintf(sizeof c->config.backend, c->config.backend, "%s", word);
        sqlite3_result_text(context, c->config.backend, -1, SQLITE_TRANSIENT);
    }
}

/* Returns false after an error. */
static bool set_number(sqlite3_context *context, connection *c, const setting *s,
                       sqlite3_value *value) {
    struct number number;
    if (number_of(value, &number) != SQLITE_OK) {
        sqlite3_result_error_nomem(context);
        return false;
    }
    if (sqlite3_value_type(value) == SQLITE_NULL)
        number = (struct number){.type = SQLITE_INTEGER, .integer = s->initial};
    if (number.type != SQLITE_INTEGER || number.integer < s->least ||
        number.integer > s->most) {
        const char *given = (const char *)sqlite3_value_text(value);
        function_fail(context,
                      sqlite3_mprintf("gpugraph_config: %s takes %s, not '%.60s'", s->key,
                                      s->takes, given ? given : ""));
        return false;
    }
    setting_store(c, s, number.integer);
    if (s->offset == offsetof(config, cache_limit))
        cache_trim(c);
    return true;
}

/* gpugraph_config(key) and gpugraph_config(key, value): the value that now holds. NULL
** sets the default. */
static void configure(sqlite3_context *context, int argc, sqlite3_value **argv) {
    connection *c = sqlite3_user_data(context);
    const char *key = (const char *)sqlite3_value_text(argv[0]);
    sqlite3_value *value = argc > 1 ? argv[1] : NULL;
    const setting *s = key ? setting_of(key) : NULL;
    if (key && strcmp(key, "backend") == 0)
        read_backend(context, c, value);
    else if (!s)
        unknown_key(context, key ? key : "NULL");
    else if (!value || set_number(context, c, s, value))
        sqlite3_result_int64(context, setting_value(c, s));
}

/* ---- triangles ---- */

/* Names the auxiliary data of a whole statement; other functions in it may use small
** negative numbers. */
#define STATEMENT_DATA (-20230817)

/* The scope, held for as long as the statement runs. */
typedef struct statement_data {
    connection *c;
    scope scope;
} statement_data;

static void statement_data_free(void *data_pointer) {
    statement_data *data = data_pointer;
    scope_close(data->c, &data->scope);
    sqlite3_free(data);
}

const scope *statement_scope(sqlite3_context *context, connection *c) {
    statement_data *data = sqlite3_get_auxdata(context, STATEMENT_DATA);
    if (data)
        return &data->scope;
    data = sqlite3_malloc64(sizeof *data);
    if (!data)
        return NULL;
    data->c = c;
    if (scope_open(c, &data->scope) != SQLITE_OK) {
        sqlite3_free(data);
        return NULL;
    }
    sqlite3_set_auxdata(context, STATEMENT_DATA, data, statement_data_free);
    data = sqlite3_get_auxdata(context,
                               STATEMENT_DATA); /* freed already where memory is short */
    return data ? &data->scope : NULL;
}

static const char triangles_key[] = "triangles";

/* Counts, unless the count is kept. *kept holds a reference on success. */
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
        *error = sqlite3_mprintf("gpugraph_triangles: %s", run.message);
        return code_of_status(run.status);
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
        *count = (sqlite3_int64) * (const uint64_t *)kept->result;
        search_release(c, graph, kept);
    }
    graph_release(c, graph);
    return rc;
}

static void triangles(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    connection *c = sqlite3_user_data(context);
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
        function_fail(
            context,
            sqlite3_mprintf(
                "gpugraph_triangles: the argument edges must be the name of a table, a "
                "view or a query of edges, as in gpugraph_triangles('roads')"));
        return;
    }
    graph_request request = {
        .function = "gpugraph_triangles", .weight = WEIGHT_NO, .backend = -1};
    request.edges = (const char *)sqlite3_value_text(argv[0]);
    request.edges_bytes = sqlite3_value_bytes(argv[0]);
    request.scope = statement_scope(context, c);
    if (!request.edges || !request.scope) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_int64 count;
    char *error = NULL;
    search_watch watch;
    watch_begin(&watch, c);
    int rc = triangles_of(c, &request, &count, &error);
    watch_end(&watch, c);
    if (rc == SQLITE_OK)
        sqlite3_result_int64(context, count);
    else if (rc == SQLITE_NOMEM)
        sqlite3_result_error_nomem(context);
    else if (error && rc != SQLITE_INTERRUPT)
        sqlite3_result_error(context, error, -1);
    if (rc != SQLITE_OK && rc != SQLITE_NOMEM)
        sqlite3_result_error_code(context, rc);
    sqlite3_free(error);
}

/* ---- registration ---- */

int inspect_register(connection *c) {
    static const scalar_function functions[] = {
        {"gpugraph_version", 0, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, version},
        {"gpugraph_config", 1, 0, configure},
        {"gpugraph_config", 2, SQLITE_DIRECTONLY, configure},
        {"gpugraph_triangles", 1, SQLITE_INNOCUOUS, triangles},
    };
    int rc =
        scalar_functions_register(c, functions, sizeof functions / sizeof *functions);
    return rc ? rc : lists_register(c);
}
