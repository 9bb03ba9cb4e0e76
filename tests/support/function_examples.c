#include "function_examples.h"

#include "table_function/search.h"

#include <stdio.h>

int example_count(void) {
    return table_function_count;
}

const char *example_of(int function, char sql[EXAMPLE_BYTES]) {
    const table_function *f = table_functions[function];
    snprintf(sql, EXAMPLE_BYTES, "SELECT %s FROM %s",
             f->search->varies_by_default ? "count(*)" : "*", f->example);
    return sql;
}
