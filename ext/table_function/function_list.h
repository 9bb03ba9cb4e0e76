/* The list of functions: NAME stands for the descriptor NAME_function, and what SQL calls
** gpu_NAME. A new one is a line here. */
#ifndef GPUGRAPH_FUNCTION_LIST_H
#define GPUGRAPH_FUNCTION_LIST_H

#include "function.h"

#define TABLE_FUNCTIONS(NAME)                                                            \
    NAME(bfs)                                                                            \
    NAME(sssp)                                                                           \
    NAME(path)                                                                           \
    NAME(dfs)                                                                            \
    NAME(mis)                                                                            \
    NAME(components)                                                                     \
    NAME(paths)                                                                          \
    NAME(matrix)                                                                         \
    NAME(pagerank)                                                                       \
    NAME(cores)                                                                          \
    NAME(spanning_forest)                                                                \
    NAME(topological_order)                                                              \
    NAME(label_propagation)                                                              \
    NAME(triangles)

#define DECLARE_FUNCTION(NAME) extern const table_function NAME##_function;
TABLE_FUNCTIONS(DECLARE_FUNCTION)
#undef DECLARE_FUNCTION

#endif
