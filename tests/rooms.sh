# shellcheck shell=sh disable=SC2034,SC2154
# The rooms of gpu/ and of ext/, from the lowest to the highest: a room stands on those before it, and knows nothing of
# those behind it. distributed/ is optional: a descriptor names its side there (gg_NAME_distributed), and nothing else of
# it. ext/mpi, a program of its own, stands on gpu/ and on ext/. include_rules_test.sh reads the include lines,
# call_rules_test.sh the symbols of object files. A folder of gpu/ that no list names is an algorithm that stands on no
# other algorithm: it comes behind "backend", in alphabetical order.
# The script that reads this list sets `here` to its folder.
LOWER="base device cells ids graph dynamic store update pack tree regions backend"
UPPER="mis sssp bfs components dfs matrix path paths distributed registry"
algorithms() {
    for room in "$here"/../gpu/*/; do
        room=$(basename "$room")
        case " $LOWER $UPPER " in *" $room "*) ;; *) printf '%s ' "$room" ;; esac
    done
}
GPU_ROOMS="$LOWER $(algorithms)$UPPER"
EXT_ROOMS="base source pages load kept follow acquire table_function graph_table inspect entry mpi"
