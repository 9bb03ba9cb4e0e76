# shellcheck shell=sh disable=SC2034,SC2154
# The folders of gpu/ and of ext/, from the lowest to the highest: a folder may use the folders before it, not those
# after it. distributed/ is optional: a descriptor names its side in distributed (gg_NAME_distributed), and no other code
# uses this folder. ext/mpi, a separate program, uses gpu/ and ext/. include_rules_test.sh reads the include lines,
# call_rules_test.sh the symbols of object files. A folder of gpu/ that no list names is an algorithm that uses no
# other algorithm: its position is after "backend", in alphabetical order.
# A script that reads this list sets `here` to its folder.
LOWER="base device cells ids graph dynamic store update pack tree regions backend"
UPPER="mis sssp bfs components spanning_forest topological_order dfs matrix path paths distributed registry"
algorithms() {
    for folder in "$here"/../gpu/*/; do
        folder=$(basename "$folder")
        case " $LOWER $UPPER " in *" $folder "*) ;; *) printf '%s ' "$folder" ;; esac
    done
}
GPU_FOLDERS="$LOWER $(algorithms)$UPPER"
EXT_FOLDERS="base source pages load kept follow acquire table_function graph_table inspect entry mpi"
