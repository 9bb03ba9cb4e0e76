/* The names and types of columns, the list of functions, and error messages. */
#include "search.h"

#include <string.h>

static const struct {
    const char *name, *type;
} field_text[FIELDS] = {
    [F_VERTEX] = {.name = "vertex", .type = ""},
    [F_DEPTH] = {.name = "depth", .type = "INTEGER"},
    [F_DISTANCE] = {.name = "distance", .type = ""},
    [F_PARENT] = {.name = "parent", .type = ""},
    [F_EDGE] = {.name = "edge", .type = ""},
    [F_SEQ] = {.name = "seq", .type = "INTEGER"},
    [F_COST] = {.name = "cost", .type = ""},
    [F_PREORDER] = {.name = "preorder", .type = "INTEGER"},
    [F_POSTORDER] = {.name = "postorder", .type = "INTEGER"},
    [F_ARRAYS] = {.name = "arrays", .type = "INTEGER HIDDEN"},
    [F_EDGES] = {.name = "edges", .type = ""},
    [F_SOURCE] = {.name = "source", .type = ""},
    [F_TARGET] = {.name = "target", .type = ""},
    [F_SOURCES] = {.name = "sources", .type = ""},
    [F_TARGETS] = {.name = "targets", .type = ""},
    [F_MAX_DEPTH] = {.name = "max_depth", .type = ""},
    [F_MAX_DISTANCE] = {.name = "max_distance", .type = ""},
    [F_DIRECTION] = {.name = "direction", .type = ""},
    [F_WEIGHTED] = {.name = "weighted", .type = ""},
    [F_SEED] = {.name = "seed", .type = ""},
    [F_VERTICES] = {.name = "vertices", .type = ""},
    [F_PARAMS] = {.name = "params", .type = ""},
    [F_EDGE_FILTER] = {.name = "edge_filter", .type = ""},
    [F_EDGE_PARAMS] = {.name = "edge_params", .type = ""},
    [F_VERTEX_FILTER] = {.name = "vertex_filter", .type = ""},
    [F_VERTEX_PARAMS] = {.name = "vertex_params", .type = ""},
    [F_METHOD] = {.name = "method", .type = ""},
    [F_BACKEND] = {.name = "backend", .type = ""},
    [F_FURTHER] = {.name = "further", .type = ""},
};

const char *field_name(const table_function *f, int field) {
    if (field >= F_OWN && field <= F_OWN_LAST)
        return f->own[field - F_OWN].name;
    if (field >= F_OPTION && field <= F_OPTION_LAST)
        return f->options[field - F_OPTION].name;
    return field_text[field].name;
}

const char *field_type(const table_function *f, int field) {
    if (field >= F_OWN && field <= F_OWN_LAST)
        return f->own[field - F_OWN].type;
    return field_text[field].type ? field_text[field].type : "";
}

#define LIST_FUNCTION(NAME) &NAME##_function,
const table_function *const table_functions[] = {TABLE_FUNCTIONS(LIST_FUNCTION)};
#undef LIST_FUNCTION
const int table_function_count = COUNT(table_functions);

int column_count(const table_function *f) {
    return f->fields + (f->positional > 0 ? f->positional + 1 : 0) + has_arrays(f);
}

int function_argument(const table_function *f, const char *name) {
    for (int i = f->visible; i < f->fields; i++)
        if (strcmp(field_name(f, f->field[i]), name) == 0)
            return f->field[i];
    return 0;
}

bool column_is_positional(const table_function *f, int column) {
    return column >= f->visible && column <= f->visible + f->positional &&
           f->positional > 0;
}

bool function_uses(const table_function *f, const char *method_function) {
    return (f->paths && !f->many_paths && strcmp(method_function, "path") == 0) ||
           strcmp(f->search->name, method_function) == 0 ||
           (f->unweighted_search &&
            strcmp(f->unweighted_search->name, method_function) == 0);
}

/* ---- error messages of a call ---- */

static int set_call_error(const caller *by, int rc, char *error) {
    sqlite3_free(by->vtab->zErrMsg);
    by->vtab->zErrMsg = error;
    return error ? rc : SQLITE_NOMEM;
}

int caller_fail(const caller *by, int rc, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sentence = sqlite3_vmprintf(format, values);
    va_end(values);
    char *error =
        sentence ? sqlite3_mprintf("%s: %s", by->function->name, sentence) : NULL;
    sqlite3_free(sentence);
    return set_call_error(by, rc, error);
}

int caller_fail_with(const caller *by, int rc, char *error) {
    if (error && rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
        return set_call_error(by, rc, error);
    sqlite3_free(error);
    return rc;
}

void caller_forgive(const caller *by) {
    sqlite3_free(by->vtab->zErrMsg);
    by->vtab->zErrMsg = NULL;
}
