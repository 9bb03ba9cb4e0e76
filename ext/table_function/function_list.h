/* The descriptors of all SQL functions, which cmake finds (cmake/lists.cmake): NAME stands for NAME_function,
** and SQL calls it gpu_NAME. */
#ifndef GPUGRAPH_FUNCTION_LIST_H
#define GPUGRAPH_FUNCTION_LIST_H

#include "function.h"
#include "gpugraph_functions.h"

#define DECLARE_FUNCTION(NAME) extern const table_function NAME##_function;
TABLE_FUNCTIONS(DECLARE_FUNCTION)
#undef DECLARE_FUNCTION

#endif
