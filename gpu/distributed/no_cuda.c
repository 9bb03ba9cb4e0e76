/* Replaces every .cu file of this folder in a build without CUDA. Partitions run on
** threads and processes only. */
#include "algorithm.h"
#include "partition/part.h"

const struct part_services gg_part_services = {0};
const algorithm_side gg_bfs_distributed = {0}, gg_sssp_distributed = {0},
                     gg_mis_distributed = {0}, gg_pagerank_distributed = {0};
