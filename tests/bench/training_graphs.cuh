/* Graphs from which the choice of a method for shortest paths is learned: a table of shapes,
** each with several kinds of weights, made on the host, the same on every run. They are
** small (up to some millions of arcs), of many families (training_families.cuh), and none
** of them is one of the benchmark's (gengraph.cuh). Beside them: edge lists in files. */
#ifndef BENCH_TRAINING_GRAPHS_CUH
#define BENCH_TRAINING_GRAPHS_CUH

#include "gengraph.cuh"

#include <string>

/* Graph i of the table, i < the count; a longer table has the same graphs first. `name` is family-sizes-weights. May be called from
** several threads at a time. */
int training_graph_count(void);
void training_graph_make(int i, std::string *name, bench_graph *graph);
/* Lines of two numbers and, with a third, a weight; others are passed over. Each line is
** an edge both ways. Without weights: 1 .. 255, drawn. False: no such file, or no edges. */
bool training_graph_read(const char *path, bench_graph *graph);

#endif
