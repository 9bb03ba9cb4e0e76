/* A statement for every SQL function, from the example in its descriptor: a function that is new is tested with
** the others. Examples read the table roads(src, dst, weight), whose edges have no cycle. */
#ifndef TEST_FUNCTION_EXAMPLES_H
#define TEST_FUNCTION_EXAMPLES_H

#include "table_function/function.h"

enum { EXAMPLE_BYTES = 160, MOST_EXAMPLES = 40 };

/* How many there are; for the tables of suite.h. */
int example_count(void);
/* The statement of a function by its place in table_functions. It gives equal rows on every run. */
const char *example_of(int function, char sql[EXAMPLE_BYTES]);

#endif
