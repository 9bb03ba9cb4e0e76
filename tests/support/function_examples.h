/* A statement for every SQL function, from the example in its descriptor. Examples read
** the table roads(src, dst, weight), whose edges have no cycle. */
#ifndef TEST_FUNCTION_EXAMPLES_H
#define TEST_FUNCTION_EXAMPLES_H

#include "table_function/function.h"

enum { EXAMPLE_BYTES = 160, MOST_EXAMPLES = 40 };

/* Number of examples, for the tables of suite.h. */
int example_count(void);
/* The statement of a function by its index in table_functions. It always gives equal
** rows. */
const char *example_of(int function, char sql[EXAMPLE_BYTES]);

#endif
