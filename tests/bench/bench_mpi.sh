#!/usr/bin/env bash
# bench_mpi.sh DATABASE TABLE SOURCE: gpugraph-mpi by 1, 2 and 4 processes against the library with two threads, on a
# table TABLE(a, b, w): milliseconds of the searches alone, the best of three; the largest memory of a process, less that
# of one which has a table of one edge.
#   build/bench/rmat_table r20.db 20 && tests/bench/bench_mpi.sh r20.db g 0
#   gzip -dc USA-road-d.NY.gr.gz | awk '$1 == "a" { print $2 "," $3 "," $4 }' >ny.csv
#   sqlite3 ny.db 'CREATE TABLE g(a INTEGER, b INTEGER, w INTEGER)' '.import --csv ny.csv g' &&
#       tests/bench/bench_mpi.sh ny.db g 1
set -euo pipefail
build=${GPUGRAPH_BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
db=$1 table=$2 source=$3
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# library CALL: what searches and trees took, the table being read before.
library() {
    sqlite3 "$db" ".load $build/gpugraph" "SELECT gpugraph_config('threads', 2), gpugraph_config('backend', 'cpu')" \
        "SELECT count(*), sum(vertex) FROM $1" \
        "SELECT printf('%.1f', sum(ms)) FROM gpugraph_timings WHERE phase IN ('search', 'parents')" | tail -n 1
}
# processes COUNT FUNCTION EDGES ARGUMENT...: "MS BYTES"
processes() {
    local count=$1 function=$2 edges=$3
    shift 3
    rm -f "$folder/out.db"
    mpirun -n "$count" "$build/gpugraph-mpi" "$function" --db "$db" --edges "$edges" --out "$folder/out.db" --timings "$@" |
        awk '$1 == "search" { ms = $2 } $1 == "memory" { bytes = $3 } END { print ms, bytes }'
}
best() {
    for _ in 1 2 3; do "$@"; done | sort -n | head -n 1
}

sqlite3 "$folder/one.db" "CREATE TABLE one(a, b, w); INSERT INTO one VALUES (1, 2, 3)"
bare=$(db=$folder/one.db; processes 2 mis 'one(a, b)' | cut -d' ' -f2)
printf '%-6s %10s %10s %10s %10s %8s   %s\n' function 'library 2' 'P = 1' 'P = 2' 'P = 4' 'P2 / lib' \
    'memory beyond an empty process, MB: P = 1, 2, 4'
for function in bfs sssp mis; do
    case $function in
    bfs) edges="$table(a, b)" call="gpu_bfs('$table(a, b)', $source)" more=(--source "$source") ;;
    sssp) edges="$table(a, b, w)" call="gpu_sssp('$table(a, b, w)', $source)" more=(--source "$source") ;;
    mis) edges="$table(a, b)" call="gpu_mis('$table(a, b)')" more=() ;;
    esac
    own=$(best library "$call")
    ms=() memory=()
    for count in 1 2 4; do
        read -r one bytes <<<"$(best processes $count $function "$edges" "${more[@]}")"
        ms+=("$one") memory+=($(((bytes - bare) / 1000000)))
    done
    printf '%-6s %10s %10s %10s %10s %8s   %s\n' $function "$own" "${ms[@]}" \
        "$(awk "BEGIN { printf \"%.2f\", ${ms[1]} / $own }")" "${memory[*]}"
done
