/* Graphs from which the choice of a method for shortest paths is learned. The host makes
** them from a table of shapes, each with several kinds of weights, and every run makes
** equal graphs. They are small (up to some millions of arcs), of many families
** (training_families.cuh), and not among the benchmark graphs (gengraph.cuh). A graph may
** also come from an edge list in a file. */
#ifndef BENCH_TRAINING_GRAPHS_CUH
#define BENCH_TRAINING_GRAPHS_CUH

#include "gengraph.cuh"

#include <string>

/* Makes graph i of the table, i < the count; a longer table begins with the same graphs.
** `name` is family-sizes-weights. Several threads may call it at the same time. */
int training_graph_count(void);
void training_graph_make(int i, std::string *name, bench_graph *graph);
/* Reads lines of two numbers and possibly a weight; other lines are ignored. Each line is
** an edge both ways. Missing weights are drawn from 1 .. 255. Returns false if the file
** does not exist or has no edges. */
bool training_graph_read(const char *path, bench_graph *graph);

#endif
