#!/usr/bin/env bash
# Builds gpugraph, loads the roads of New York, runs some queries in the sqlite3 shell, and draws a map.
#   examples/quickstart.sh
# Environment: GPUGRAPH_SO, a built extension; OUT, the folder for database and map.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd .. && pwd)

if [ -z "${GPUGRAPH_SO:-}" ]; then
    ../.ci/install build-essential cmake pkg-config libsqlite3-dev sqlite3 xz-utils
    echo "building gpugraph (log: build/quickstart.log)"
    mkdir -p ../build
    log=../build/quickstart.log
    nvcc=${CUDACXX:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)}
    [ -z "$nvcc" ] || export CUDACXX=$nvcc
    cores=$(getconf _NPROCESSORS_ONLN)
    cmake -S .. -B ../build -DGPUGRAPH_TESTS=OFF >"$log" 2>&1 || { tail -n 40 "$log" && exit 1; }
    grep -h 'CUDA backend' "$log" | sed 's/^-- //' || true
    ../.ci/progress "$log" cmake --build ../build -j "$cores"
    GPUGRAPH_SO=$root/build/gpugraph
fi
export OUT=${OUT:-$root/build}
database=$OUT/new-york.db
map=$OUT/new-york.svg
pieces=$OUT/new-york-pieces.svg

shell() {
    LD_PRELOAD=${GPUGRAPH_PRELOAD:-} sqlite3 -batch -bail -init /dev/null -cmd ".load \"$GPUGRAPH_SO\"" "$database"
}
rm -f "$database"
echo "loading the roads of New York"
sqlite3 -batch -bail -init /dev/null "$database" <new_york.sql
shell <quickstart.sql
{
    cat <<'SQL'
CREATE TEMP TABLE field AS
SELECT vertex, distance
FROM gpu_sssp('roads', (SELECT node FROM landmarks WHERE name = 'Times Square')) WHERE direction = 'both';
SQL
    cat map.sql
} | shell >"$map"
shell <pieces.sql >"$pieces"

# Quotes a word for the shell.
quoted() {
    printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}
cat <<END

The map:            $map
                    (open it in a browser; examples/map.sql has drawn it)
Its components:     $pieces
                    (by roads of less than 130 m; examples/pieces.sql)
The database:       $database

Now it is your turn:
    sqlite3 $(quoted "$database") -cmd $(quoted ".load \"$GPUGRAPH_SO\"")
END
