#!/bin/sh
# Runs searches on the device under a race detector, by every method, and compares their rows with the CPU's.
#   tests/racecheck.sh BUILD [FUNCTION...]        default: all functions of question()
# BUILD was configured with -DGPUGRAPH_CUDA=ON -DGPUGRAPH_RACECHECK=ON. Environment: SANITIZER, the tool ("compute-sanitizer
# --tool racecheck"; "compute-sanitizer" alone is memcheck); METHODS, a list with commas of the methods to run; SIDE, the side of
# the grid (24). Prints a line for each method: the hazards, and whether its rows equal the CPU's. The exit status is 1 if any method fails.
set -eu
build=$(cd "${1:?the build folder}" && pwd)
shift
[ $# -gt 0 ] || set -- gpu_bfs gpu_sssp gpu_dfs gpu_mis gpu_label_propagation gpu_components gpu_pagerank gpu_triangles \
    gpu_cores gpu_spanning_forest gpu_topological_order gpu_matrix gpu_paths
side=${SIDE:-24}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
shell() {
    sqlite3 -cmd ".load \"$build/gpugraph\"" "$folder/graphs.db" "$@"
}

# A grid, and a graph in which a few vertices have most arcs; both with arcs in both directions, and weights.
shell "
CREATE TABLE one(a INTEGER, b INTEGER, w INTEGER);
WITH RECURSIVE cell(v) AS (SELECT 0 UNION ALL SELECT v + 1 FROM cell WHERE v + 1 < $side * $side)
INSERT INTO one
    SELECT v, v + 1, 1 + v * 37 % 23 FROM cell WHERE v % $side + 1 < $side
    UNION ALL SELECT v, v + $side, 1 + v * 53 % 19 FROM cell WHERE v + $side < $side * $side;
CREATE TABLE hubs(a INTEGER, b INTEGER, w INTEGER);
WITH RECURSIVE draw(i, x) AS (SELECT 0, 12345 UNION ALL
    SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM draw WHERE i < 8000)
INSERT INTO hubs SELECT DISTINCT x / 1024 % 1000 * (x / 1024 % 1000) * (x / 1024 % 1000) / 1000000,
    x / 7 % 1000, 1 + x / 64 % 255 FROM draw;
CREATE TABLE grid AS SELECT a, b, w FROM one UNION SELECT b, a, w FROM one ORDER BY 1, 2;
DROP TABLE one;
INSERT INTO hubs SELECT b, a, w FROM hubs;
CREATE TABLE both AS SELECT a, b, min(w) AS w FROM hubs WHERE a <> b GROUP BY a, b ORDER BY a, b;
DROP TABLE hubs;"

# The compared result of function $1 over table $2 by method $3. An unordered search may return any tree.
question() {
    case $1 in
    gpu_bfs) echo "SELECT count(*), sum((vertex * 2654435761 + depth) % 1000003) FROM gpu_bfs('$2(a, b)', 0)" ;;
    gpu_sssp) echo "SELECT count(*), sum((vertex * 2654435761 + distance) % 1000003) FROM gpu_sssp('$2(a, b, w)', 0)" ;;
    gpu_dfs) echo "SELECT count(*), sum(vertex) FROM gpu_dfs('$2(a, b)', 0)" ;;
    gpu_mis) echo "SELECT count(*), sum(vertex) FROM gpu_mis('$2(a, b)')" ;;
    gpu_components)
        [ "$3" = forward-backward ] && kind=strong || kind=weak
        echo "SELECT count(*), sum((vertex * 2654435761 + component) % 1000003) FROM gpu_components('SELECT a, b FROM $2 WHERE (a * 7 + b * 3) % 5 > 1') WHERE kind = '$kind'" ;;
    gpu_pagerank) echo "SELECT count(*), sum((vertex * 2654435761 + CAST(rank * 1e15 AS INTEGER)) % 1000003) FROM gpu_pagerank('$2(a, b)')" ;;
    gpu_triangles) echo "SELECT count(*), sum((vertex * 2654435761 + triangles) % 1000003) FROM gpu_triangles('$2(a, b)')" ;;
    gpu_cores) echo "SELECT count(*), sum((vertex * 2654435761 + core) % 1000003) FROM gpu_cores('$2(a, b)')" ;;
    gpu_spanning_forest) echo "SELECT count(*), sum((source * 2654435761 + target) % 1000003), sum(weight) FROM gpu_spanning_forest('$2(a, b, w)')" ;;
    gpu_topological_order) echo "SELECT count(*), sum((vertex * 2654435761 + position) % 1000003), max(level) FROM gpu_topological_order('SELECT a, b FROM $2 WHERE a < b')" ;;
    gpu_matrix) echo "SELECT count(*), sum((source * 2654435761 + target * 40503 + distance) % 1000003) FROM gpu_matrix('$2(a, b, w)', '[0, 1, 5, 77]', '[3, 5, 200, 300]')" ;;
    gpu_paths) echo "SELECT count(*), sum((vertex * 2654435761 + path * 40503 + distance) % 1000003) FROM gpu_paths('$2(a, b, w)', 0, 100, 5)" ;;
    gpu_label_propagation) echo "SELECT count(*), sum((vertex * 2654435761 + label) % 1000003) FROM gpu_label_propagation('$2(a, b)')" ;;
    *) echo "no question for $1" >&2 && return 1 ;;
    esac
}

# Runs function $1 by method $2 over both tables, in one process. memcheck prints "errors" where racecheck prints "hazards".
check() {
    one=$(question "$1" grid "$2")
    two=$(question "$1" both "$2")
    case $one in *" WHERE kind"*) and=AND ;; *) and=WHERE ;; esac
    shell "$one $and backend = 'cpu'" "$two $and backend = 'cpu'" >"$folder/right"
    how="$and backend = 'cuda' AND method = '$2'"
    # shellcheck disable=SC2086 # the tool is a command with its options
    ${SANITIZER:-compute-sanitizer --tool racecheck} sqlite3 -cmd ".load \"$build/gpugraph\"" "$folder/graphs.db" \
        "$one $how" "$two $how" >"$folder/out" 2>&1 || true
    hazards=$(sed -n 's/.*RACECHECK SUMMARY: //p; s/.*ERROR SUMMARY: //p' "$folder/out")
    rows="not the CPU's rows"
    ! grep -v '^=' "$folder/out" | cmp -s - "$folder/right" || rows="the CPU's rows"
    echo "$1 $2: ${hazards:-no summary}; $rows"
    case "$hazards; $rows" in
    "0 "*"; the CPU's rows") ;;
    *) grep -vxFf "$folder/right" "$folder/out" | sed 's/0x[0-9a-f]*//g; s/([0-9]*,[0-9]*,[0-9]*)//g' | sort | uniq -c |
        sort -rn | head -12 && false ;;
    esac
}

failed=0
for function; do
    for method in $(shell "SELECT DISTINCT method FROM gpugraph_methods WHERE backend = 'cuda' AND function = '$function'"); do
        case ",${METHODS:-$method}," in *",$method,"*) ;; *) continue ;; esac
        check "$function" "$method" || failed=1
    done
done
exit $failed
