/* Columns of the functions, and the list of functions. */
#include "function_list.h"
#include "search.h"

#include <string.h>

const struct field_text field_text[FIELDS] = {
    [F_VERTEX] = {"vertex", ""},
    [F_DEPTH] = {"depth", "INTEGER"},
    [F_DISTANCE] = {"distance", ""},
    [F_PARENT] = {"parent", ""},
    [F_EDGE] = {"edge", ""},
    [F_SEQ] = {"seq", "INTEGER"},
    [F_COST] = {"cost", ""},
    [F_PREORDER] = {"preorder", "INTEGER"},
    [F_POSTORDER] = {"postorder", "INTEGER"},
    [F_EDGES] = {"edges", ""},
    [F_SOURCE] = {"source", ""},
    [F_TARGET] = {"target", ""},
    [F_SOURCES] = {"sources", ""},
    [F_MAX_DEPTH] = {"max_depth", ""},
    [F_MAX_DISTANCE] = {"max_distance", ""},
    [F_DIRECTION] = {"direction", ""},
    [F_WEIGHTED] = {"weighted", ""},
    [F_ORDERED] = {"ordered", ""},
    [F_PRIORITY] = {"priority", ""},
    [F_SEED] = {"seed", ""},
    [F_VERTICES] = {"vertices", ""},
    [F_PARAMS] = {"params", ""},
    [F_METHOD] = {"method", ""},
    [F_BACKEND] = {"backend", ""},
    [F_FURTHER] = {"further", ""},
};

#define LIST_FUNCTION(NAME) &NAME##_function,
const table_function *const table_functions[] = {TABLE_FUNCTIONS(LIST_FUNCTION)};
#undef LIST_FUNCTION
const int table_function_count = sizeof table_functions / sizeof *table_functions;

int column_count(const table_function *f) {
    return f->fields + (f->bracketed > 0 ? f->bracketed + 1 : 0);
}

enum field column_field(const table_function *f, int column) {
    if (column < f->visible + f->bracketed || f->bracketed == 0)
        return f->field[column];
    column -= f->bracketed + 1;
    return column < f->visible ? F_FURTHER : f->field[column];
}

bool column_is_bracketed(const table_function *f, int column) {
    return column >= f->visible && column <= f->visible + f->bracketed &&
           f->bracketed > 0;
}

bool function_uses(const table_function *f, const char *method_function) {
    return (f->paths && strcmp(method_function, "path") == 0) ||
           strcmp(f->search->name, method_function) == 0 ||
           strcmp(f->unweighted_search->name, method_function) == 0;
}
