# shellcheck shell=sh disable=SC2034
# The rooms of gpu/ and of ext/, from the lowest to the highest: a room stands on those before it, and knows nothing of
# those behind it. distributed/ is optional: a descriptor names its side there (gg_NAME_distributed), and nothing else of
# it. ext/mpi, a program of its own, stands on gpu/ and on ext/. include_rules_test.sh reads the include lines,
# call_rules_test.sh the symbols of object files.
GPU_ROOMS="base device cells ids graph dynamic store update pack tree regions backend degrees pagerank topological_order cores spanning_forest labels triangles mis dfs sssp bfs components matrix path paths distributed registry"
EXT_ROOMS="base source pages load kept follow acquire table_function graph_table inspect entry mpi"
