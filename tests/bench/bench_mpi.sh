#!/usr/bin/env bash
# bench_mpi.sh DATABASE TABLE SOURCE [FUNCTION...]: compares gpugraph-mpi by 1, 2 and 4 processes with the library by two
# threads, on a table TABLE(a, b, w): milliseconds, the best of three, and the largest memory of a process, less the memory
# of a process with a table of one edge. ONLY=memory: prints only the memory, with 1 and 4 processes, one run each.
#   build/bench/rmat_table r20.db 20 && tests/bench/bench_mpi.sh r20.db g 0
#   gzip -dc USA-road-d.NY.gr.gz | awk '$1 == "a" { print $2 "," $3 "," $4 }' >ny.csv
#   sqlite3 ny.db 'CREATE TABLE g(a INTEGER, b INTEGER, w INTEGER)' '.import --csv ny.csv g' &&
#       tests/bench/bench_mpi.sh ny.db g 1
set -euo pipefail
build=${GPUGRAPH_BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
db=$1 table=$2 source=$3
shift 3
functions=${*:-bfs sssp mis}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# library CALL COLUMN: prints the time of the search and the tree, on a kept graph. The tree is made if the column
# belongs to it.
library() {
    sqlite3 "$db" ".load \"$build/gpugraph\"" "SELECT gpugraph_config('threads', 2), gpugraph_config('backend', 'cpu')" \
        "SELECT count(*), sum($2) FROM $1" \
        "SELECT printf('%.1f', sum(ms)) FROM gpugraph_timings WHERE phase IN ('search', 'parents')" | tail -n 1
}
# processes COUNT FUNCTION EDGES ARGUMENT...: prints "MS BYTES SEARCH". MS includes the tree and hashes, SEARCH does not.
processes() {
    local count=$1 function=$2 edges=$3
    shift 3
    rm -f "$folder/out.db"
    mpirun -n "$count" "$build/gpugraph-mpi" "$function" --db "$db" --edges "$edges" --out "$folder/out.db" --timings "$@" |
        awk '$1 == "search" { ms = $2 } $1 == "memory" { bytes = $3 } $1 == "within" && $2 == "search" { search = $3 }
            END { print ms, bytes, search }'
}
best() {
    for _ in 1 2 3; do "$@"; done | sort -n | head -n 1
}
ratio() {
    awk "BEGIN { printf \"%.2f\", $1 / $2 }"
}

sqlite3 "$folder/one.db" "CREATE TABLE one(a, b, w); INSERT INTO one VALUES (1, 2, 3)"
bare=$(db=$folder/one.db; processes 2 mis 'one(a, b)' | cut -d' ' -f2)
# Sets edges, call, more and tree for a function.
set_calls() {
    tree=parent
    case $1 in
    bfs) edges="$table(a, b)" call="gpu_bfs('$table(a, b)', $source)" more=(--source "$source") ;;
    sssp) edges="$table(a, b, w)" call="gpu_sssp('$table(a, b, w)', $source)" more=(--source "$source") ;;
    mis) edges="$table(a, b)" call="gpu_mis('$table(a, b)')" more=() tree=vertex ;;
    esac
}
print_memory() {
    local function one four
    echo 'memory of a process beyond an empty one, MB'
    printf '%-5s %8s %8s %8s\n' '' 'P = 1' 'P = 4' '%'
    for function in $functions; do
        set_calls "$function"
        one=$(processes 1 "$function" "$edges" "${more[@]}" | cut -d' ' -f2)
        four=$(processes 4 "$function" "$edges" "${more[@]}" | cut -d' ' -f2)
        awk "BEGIN { one = $one - $bare; four = $four - $bare
            printf \"%-5s %8d %8d %8.1f\\n\", \"$function\", one / 1e6, four / 1e6, 100 * four / one }"
    done
}
print_times() {
    local function own rows count one bytes search ms memory searches
    echo 'ms of the search alone, and of all that the rows need: library with two threads, processes'
    printf '%-5s %8s %8s %6s   %8s %8s %8s %8s %6s   %s\n' '' library 'P = 2' ratio library 'P = 1' 'P = 2' 'P = 4' \
        ratio 'memory beyond an empty process, MB: P = 1, 2, 4'
    for function in $functions; do
        set_calls "$function"
        own=$(best library "$call" vertex) rows=$(best library "$call" $tree)
        ms=() memory=() searches=()
        for count in 1 2 4; do
            read -r one bytes search <<<"$(best processes "$count" "$function" "$edges" "${more[@]}")"
            ms+=("$one") memory+=($(((bytes - bare) / 1000000))) searches+=("$search")
        done
        printf '%-5s %8s %8.1f %6s   %8s %8s %8s %8s %6s   %s\n' "$function" "$own" "${searches[1]}" \
            "$(ratio "${searches[1]}" "$own")" "$rows" "${ms[@]}" "$(ratio "${ms[1]}" "$rows")" "${memory[*]}"
    done
}

if [ "${ONLY:-}" = memory ]; then print_memory; else print_times; fi
