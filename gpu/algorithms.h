/* The list of algorithms: NAME stands for the descriptor gg_NAME and for what it brings to a
** device, gg_NAME_cuda. A new one is a line here. */
#ifndef GPUGRAPH_ALGORITHMS_H
#define GPUGRAPH_ALGORITHMS_H

#define GG_ALGORITHMS(NAME)                                                              \
    NAME(bfs)                                                                            \
    NAME(path)                                                                           \
    NAME(sssp)                                                                           \
    NAME(dfs)                                                                            \
    NAME(mis)                                                                            \
    NAME(triangles)                                                                      \
    NAME(components)                                                                     \
    NAME(strong_components)                                                              \
    NAME(pagerank)                                                                       \
    NAME(label_propagation)                                                              \
    NAME(vertex_triangles)                                                               \
    NAME(paths)                                                                          \
    NAME(matrix)                                                                         \
    NAME(topological_order)                                                              \
    NAME(cores)                                                                          \
    NAME(spanning_forest)                                                                \
    NAME(degrees)

#endif
