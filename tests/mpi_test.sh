#!/usr/bin/env bash
# Runs gpugraph-mpi with 1, 2, 3, 4, 6 and 9 processes on this machine: its rows equal those of the SQL functions, and a
# failure gives one sentence and a status that is not 0, and writes no incomplete table.
set -euo pipefail
build=${GPUGRAPH_BUILD:?the build folder}
here=$(cd "$(dirname "$0")" && pwd)
program=$build/gpugraph-mpi
[ -x "$program" ] || { echo "skipped: gpugraph-mpi is not built, since CMake found no MPI"; exit 77; }
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun (Debian: openmpi-bin)"; exit 77; }
command -v sqlite3 >/dev/null || { echo "skipped: there is no sqlite3"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
timeout 60 mpirun -n 2 true >/dev/null 2>&1 || { echo "skipped: mpirun starts no processes here"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
sql() {
    LD_PRELOAD=${GPUGRAPH_PRELOAD:-} sqlite3 -bail "$1" ".load \"$build/gpugraph\"" "$2"
}
# processes PROCESSES ARGUMENT...: 0 means one process without mpirun, which starts and fails sooner.
processes() {
    local count=$1
    shift
    if [ "$count" = 0 ]; then
        timeout -k 5 60 "$program" "$@"
        return
    fi
    timeout -k 5 60 mpirun -n "$count" "$program" "$@"
}

# same NAME DATABASE COUNT "CALL" "COLUMNS" ARGUMENT...: the rows of the program equal those of the call.
same() {
    local name=$1 db=$2 count=$3 call=$4 columns=$5 out=$folder/same.db differ
    shift 5
    rm -f "$out"
    processes "$count" "$@" --out "$out" --table r >"$folder/log" 2>&1 || {
        fail "$name, $count processes: $(cat "$folder/log")"
        return
    }
    differ=$(sql "$db" "ATTACH '$out' AS o;
        CREATE TEMP TABLE e AS SELECT $columns FROM $call;
        SELECT count(*) FROM (SELECT * FROM (SELECT * FROM e EXCEPT SELECT * FROM o.r) UNION ALL
            SELECT * FROM (SELECT * FROM o.r EXCEPT SELECT * FROM e));
        SELECT (SELECT count(*) FROM e) - (SELECT count(*) FROM o.r);
        SELECT count(*) = 0 FROM e")
    [ "$differ" = $'0\n0\n0' ] || fail "$name, $count processes: ${differ//$'\n'/ } rows differ, more, empty"
}

# ---- graphs ----

make_graphs() {
    sql "$folder/mixed.db" "
        CREATE TABLE e(a, b, w, name);
        WITH r(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM r WHERE i < 3000)
        INSERT INTO e SELECT
            CASE WHEN i % 97 = 0 THEN NULL WHEN x % 3 = 0 THEN 'v' || (x % 211) ELSE x % 307 - 100 END,
            CASE WHEN i % 89 = 0 THEN NULL WHEN y % 4 = 0 THEN 'v' || (y % 211) WHEN y % 5 = 0 THEN '' || (y % 307)
                ELSE y % 307 - 100 END,
            i % 23, CASE WHEN i % 7 = 0 THEN NULL WHEN i % 3 = 0 THEN 'e' || (i % 50) ELSE i % 400 - 9 END
            FROM (SELECT i, abs(i * 7919 * 104729 + i * i * 31) % 100003 AS x,
                abs(i * 6007 * 15485863 + i * i * 17) % 99991 AS y FROM r);
        DELETE FROM e WHERE rowid BETWEEN 700 AND 1400;
        INSERT INTO e(rowid, a, b, w) VALUES (-5, 'lone', NULL, 1), (1000000, 9007199254740993, -9223372036854775808, 3),
            (1000001, 1, 9007199254740993, 0), (1000002, 'v1', 'v1', 2), (1000003, 'v1', char(8364) || 'uro', 2);
        CREATE TABLE reals(a INTEGER, b INTEGER, w REAL);
        INSERT INTO reals SELECT abs(rowid * 7919) % 61, abs(rowid * 104729) % 59, abs(rowid) % 977 / 7.0 FROM e;
        CREATE TABLE huge(a INTEGER, b INTEGER, w INTEGER);
        INSERT INTO huge SELECT a, b, CAST(w * 100000000 AS INTEGER) FROM reals;
        CREATE TABLE ways(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, w INTEGER, back INTEGER);
        INSERT INTO ways(a, b, w, back) SELECT abs(rowid * 7919) % 461, abs(rowid * 104729) % 459,
            abs(rowid * 31) % 40 - 9, CASE WHEN rowid % 5 THEN abs(rowid * 17) % 30 - 5 END FROM e;
        CREATE TABLE texts(src TEXT, dst TEXT);
        INSERT INTO texts SELECT abs(rowid * 7919) % 61, abs(rowid * 104729) % 59 FROM e;
        CREATE TABLE bought(customer TEXT, item INTEGER);
        INSERT INTO bought SELECT 'c' || (abs(rowid * 7919) % 61), abs(rowid * 104729) % 59 FROM e;
        CREATE TABLE emp(id INTEGER PRIMARY KEY, manager TEXT);
        INSERT INTO emp SELECT abs(rowid), CASE rowid WHEN 1500 THEN 1600 ELSE 'm' || (rowid % 9) END FROM e WHERE rowid > 0;
        CREATE TABLE known(gid INTEGER PRIMARY KEY, source INTEGER, target INTEGER, cost INTEGER, reverse_cost INTEGER);
        INSERT INTO known SELECT * FROM ways;
        CREATE TABLE one(a, b);
        INSERT INTO one VALUES (1, 2);
        CREATE TABLE bad(a, b, w);
        INSERT INTO bad SELECT rowid, rowid + 1, CASE WHEN rowid = 2500 THEN -1 ELSE 1 END FROM e WHERE rowid > 0;
        CREATE TABLE blobs(a, b); INSERT INTO blobs VALUES (1, 2), (2, 3), (3, x'00');
        CREATE TABLE none(a, b, w);
        CREATE TABLE nulls(a, b, w); INSERT INTO nulls VALUES (NULL, NULL, 1), (7, NULL, NULL), (NULL, 'x', 1);
        CREATE VIEW seen AS SELECT a, b FROM e;"
    for part in 1 2 3 4 5; do
        sql "$folder/part-$part.db" "ATTACH '$folder/mixed.db' AS m;
            CREATE TABLE e(a, b, w, name); INSERT INTO e SELECT a, b, w, name FROM m.e WHERE rowid % 5 = $part - 1"
    done
    sql "$folder/parts.db" "CREATE TABLE all_parts(a, b, w, id, part)"
    for part in 1 2 3 4 5; do
        sql "$folder/parts.db" "ATTACH '$folder/part-$part.db' AS p;
            INSERT INTO all_parts SELECT a, b, w, rowid, $part FROM p.e ORDER BY rowid"
    done
    sqlite3 "$folder/karate.db" "CREATE TABLE k(a INTEGER, b INTEGER)" ".mode tabs" ".import \"$here/data/karate.tsv\" k"
}

compare() {
    local count
    for count in 1 2 3 4 6 9; do
        same "bfs" "$folder/mixed.db" "$count" \
            "gpu_bfs WHERE edges = 'e(a, b)' AND source = 7 AND direction = 'both'" 'vertex, depth, parent, edge' \
            bfs --db "$folder/mixed.db" --edges 'e(a, b)' --source 7 --direction both
        same "sssp" "$folder/mixed.db" "$count" \
            "gpu_sssp WHERE edges = 'e(a, b, w)' AND source = 7 AND direction = 'both'" 'vertex, distance, parent, edge' \
            sssp --db "$folder/mixed.db" --edges 'e(a, b, w)' --source 7 --direction both
    done
    for count in 1 2 3 4 6 9; do
        same "mis" "$folder/mixed.db" "$count" "gpu_mis WHERE edges = 'e(a, b)' AND seed = 5" 'vertex' \
            mis --db "$folder/mixed.db" --edges 'e(a, b)' --seed 5
        same "components" "$folder/mixed.db" "$count" "gpu_components('e(a, b)')" 'vertex, component' \
            components --db "$folder/mixed.db" --edges 'e(a, b)'
        same "pagerank" "$folder/mixed.db" "$count" "gpu_pagerank('e(a, b)')" 'vertex, rank' \
            pagerank --db "$folder/mixed.db" --edges 'e(a, b)'
    done
    same "bfs karate" "$folder/karate.db" 6 "gpu_bfs('k(a, b)', 30)" '*' \
        bfs --db "$folder/karate.db" --edges 'k(a, b)' --source 30
    same "strong" "$folder/mixed.db" 3 "gpu_components WHERE edges = 'e(a, b)' AND kind = 'strong'" 'vertex, component' \
        components --db "$folder/mixed.db" --edges 'e(a, b)' --kind strong
    same "ranks from sources" "$folder/mixed.db" 4 "gpu_pagerank WHERE edges = 'e(a, b)' AND sources = '[7, \"v1\"]'
            AND damping = 0.5 AND iterations = 7 AND tolerance = 0 AND direction = 'both'" 'vertex, rank' \
        pagerank --db "$folder/mixed.db" --edges 'e(a, b)' --sources '[7, "v1"]' --damping 0.5 --iterations 7 \
        --tolerance 0 --direction both
    same "reals" "$folder/mixed.db" 3 "gpu_sssp WHERE edges = 'reals(a, b, w)' AND source = 5 AND max_distance = 90.5" \
        'vertex, distance, parent, edge' \
        sssp --db "$folder/mixed.db" --edges 'reals(a, b, w)' --source 5 --max-distance 90.5
    same "two ways" "$folder/mixed.db" 3 "gpu_sssp('ways(a, b, w, id, back)', 5)" '*' \
        sssp --db "$folder/mixed.db" --edges 'ways(a, b, w, id, back)' --source 5
    same "edge ids" "$folder/mixed.db" 3 "gpu_bfs('e(a, b, w, name)', 'v1')" '*' \
        bfs --db "$folder/mixed.db" --edges 'e(a, b, w, name)' --source v1
    same "sources" "$folder/mixed.db" 4 \
        "gpu_bfs WHERE edges = 'e(a, b)' AND sources = '[\"v1\", 3, 999999]' AND max_depth = 2 AND direction = 'in'" \
        'vertex, depth, parent, edge' \
        bfs --db "$folder/mixed.db" --edges 'e(a, b)' --sources '["v1", 3, 999999]' --max-depth 2 --direction in
    same "text ids" "$folder/mixed.db" 2 "gpu_bfs('texts', 7)" '*' \
        bfs --db "$folder/mixed.db" --edges texts --source 7
    same "an id of the destination column" "$folder/mixed.db" 3 \
        "gpu_bfs WHERE edges = 'bought(customer, item)' AND source = 7 AND direction = 'in'" '*' \
        bfs --db "$folder/mixed.db" --edges 'bought(customer, item)' --source 7 --direction in
    same "a whole REAL" "$folder/mixed.db" 2 "gpu_bfs('texts', 7)" '*' \
        bfs --db "$folder/mixed.db" --edges texts --source 7.0
    same "reverse weights by name" "$folder/mixed.db" 3 "gpu_sssp('ways(a, b, w, id, back)', 5)" '*' \
        sssp --db "$folder/mixed.db" --edges known --source 5
    same "wide weights" "$folder/mixed.db" 3 "gpu_sssp('huge(a, b, w)', 5)" '*' \
        sssp --db "$folder/mixed.db" --edges 'huge(a, b, w)' --source 5
    same "more processes than rows" "$folder/mixed.db" 4 "gpu_bfs('one(a, b)', 1)" '*' \
        bfs --db "$folder/mixed.db" --edges 'one(a, b)' --source 1
    same "components of NULLs" "$folder/mixed.db" 3 "gpu_components('nulls(a, b)')" 'vertex, component' \
        components --db "$folder/mixed.db" --edges 'nulls(a, b)'
    for priority in degree-id random; do
        same "mis $priority" "$folder/mixed.db" 4 \
            "gpu_mis WHERE edges = 'e(a, b)' AND priority = '$priority'" 'vertex' \
            mis --db "$folder/mixed.db" --edges 'e(a, b)' --priority $priority
    done
    for count in 3 7; do # ranges of each file, and files in turn
        same "several files" "$folder/parts.db" "$count" \
            "gpu_bfs('SELECT a, b, w, id FROM all_parts ORDER BY part, id', 7)" '*' \
            bfs --db "$folder/part-*.db" --edges 'e(a, b)' --source 7
    done
    for partition in source target grid; do
        same "partition $partition" "$folder/mixed.db" 4 "gpu_bfs('e(a, b)', 7)" '*' \
            bfs --db "$folder/mixed.db" --edges 'e(a, b)' --source 7 --partition $partition
        same "mis, partition $partition" "$folder/mixed.db" 4 "gpu_mis WHERE edges = 'e(a, b)' AND seed = 5" 'vertex' \
            mis --db "$folder/mixed.db" --edges 'e(a, b)' --seed 5 --partition $partition
    done
    same "partition grid, reals" "$folder/mixed.db" 6 "gpu_sssp('reals(a, b, w)', 5)" '*' \
        sssp --db "$folder/mixed.db" --edges 'reals(a, b, w)' --source 5 --partition grid
    GPUGRAPH_TEST_PIECE=96 same "messages in pieces" "$folder/mixed.db" 3 "gpu_bfs('e(a, b)', 7)" '*' \
        bfs --db "$folder/mixed.db" --edges 'e(a, b)' --source 7
}

# same_on_devices COUNT: runs every function on devices, with COUNT processes.
same_on_devices() {
    local count=$1 mixed=$folder/mixed.db
    same "bfs on devices" "$mixed" "$count" "gpu_bfs('e(a, b)', 7)" '*' \
        bfs --db "$mixed" --edges 'e(a, b)' --source 7 --backend cuda
    same "bfs both ways on devices" "$mixed" "$count" \
        "gpu_bfs WHERE edges = 'e(a, b)' AND source = 7 AND direction = 'both' AND max_depth = 3" \
        'vertex, depth, parent, edge' \
        bfs --db "$mixed" --edges 'e(a, b)' --source 7 --direction both --max-depth 3 --backend cuda
    for priority in degree degree-id random id; do
        same "mis by $priority on devices" "$mixed" "$count" \
            "gpu_mis WHERE edges = 'e(a, b)' AND priority = '$priority' AND seed = 5" 'vertex' \
            mis --db "$mixed" --edges 'e(a, b)' --priority $priority --seed 5 --backend cuda
    done
    same "sssp on devices" "$mixed" "$count" \
        "gpu_sssp WHERE edges = 'e(a, b, w)' AND source = 7 AND direction = 'both'" 'vertex, distance, parent, edge' \
        sssp --db "$mixed" --edges 'e(a, b, w)' --source 7 --direction both --backend cuda
    same "wide weights on devices" "$mixed" "$count" "gpu_sssp('huge(a, b, w)', 5)" '*' \
        sssp --db "$mixed" --edges 'huge(a, b, w)' --source 5 --backend cuda
    same "reals on devices" "$mixed" "$count" \
        "gpu_sssp WHERE edges = 'reals(a, b, w)' AND source = 5 AND max_distance = 90.5" \
        'vertex, distance, parent, edge' \
        sssp --db "$mixed" --edges 'reals(a, b, w)' --source 5 --max-distance 90.5 --backend cuda
    same "pagerank on devices" "$mixed" "$count" "gpu_pagerank('e(a, b)')" 'vertex, rank' \
        pagerank --db "$mixed" --edges 'e(a, b)' --backend cuda
    same "ranks from sources on devices" "$mixed" "$count" \
        "gpu_pagerank WHERE edges = 'e(a, b)' AND sources = '[7, \"v1\"]' AND damping = 0.5 AND iterations = 7
            AND tolerance = 0 AND direction = 'both'" 'vertex, rank' \
        pagerank --db "$mixed" --edges 'e(a, b)' --sources '[7, "v1"]' --damping 0.5 --iterations 7 --tolerance 0 \
        --direction both --backend cuda
}

# Runs processes on devices, or checks the sentence for a machine without devices. GPUGRAPH_TEST_MPI=devices runs only this.
check_devices() {
    local count
    if ! processes 1 mis --db "$folder/mixed.db" --edges 'e(a, b)' --out "$folder/device.db" --backend cuda \
        >"$folder/log" 2>&1; then
        grep -qE '^gpugraph-mpi: .*(CUDA|device)' "$folder/log" || fail "no device: $(cat "$folder/log")"
        return
    fi
    for count in ${GPUGRAPH_TEST_COUNTS:-1 2 4}; do
        same_on_devices "$count"
    done
}

# Tests a file for each process, and the other output options.
check_output() {
    local rows columns function
    processes 3 bfs --db "$folder/mixed.db" --edges 'e(a, b)' --source 7 --out "$folder/each-%d.db" --timings \
        >"$folder/log" || fail "a file for each process"
    rows=$(for part in 0 1 2; do sqlite3 "$folder/each-$part.db" 'SELECT count(*) FROM bfs'; done | awk '{ n += $1 } END { print n }')
    [ "$rows" = "$(sql "$folder/mixed.db" "SELECT count(*) FROM gpu_bfs('e(a, b)', 7)")" ] || fail "rows of each: $rows"
    [ "$(grep -cE '^(search|memory) ' "$folder/log")" = 2 ] || fail "timings: $(cat "$folder/log")"
    columns=$(sqlite3 "$folder/each-0.db" .schema)
    [ "$columns" = 'CREATE TABLE IF NOT EXISTS "bfs"("vertex", "depth" INTEGER, "parent", "edge");' ] ||
        [ "$columns" = 'CREATE TABLE bfs("vertex", "depth" INTEGER, "parent", "edge");' ] ||
        [ "$columns" = 'CREATE TABLE "bfs"("vertex", "depth" INTEGER, "parent", "edge");' ] || fail "columns: $columns"
    for function in components mis; do # no row, and so no edge
        processes 3 "$function" --db "$folder/mixed.db" --edges 'none(a, b)' --out "$folder/no-edges.db" \
            >"$folder/log" 2>&1 || fail "$function of no edges: $(cat "$folder/log")"
        rows=$(sqlite3 "$folder/no-edges.db" "SELECT count(*) FROM $function") || true
        [ "$rows" = 0 ] || fail "$function of no edges has the rows: $rows"
    done
    processes 2 --help | grep -q 'mpirun -n P' || fail "the help"
}

# ---- failures ----

# refuses "WORDS OF THE SENTENCE" PROCESSES ARGUMENT...
refuses() {
    local words=$1 started=$SECONDS status=0
    shift
    processes "$@" >"$folder/log" 2>&1 || status=$?
    case $status in 0 | 124) fail "'$words': status $status" ;; esac
    [ "$(grep -c "^gpugraph-mpi: .*$words" "$folder/log")" = 1 ] || fail "'$words' is not said once: $(cat "$folder/log")"
    [ "$(grep -c '^gpugraph-mpi: ' "$folder/log")" = 1 ] || fail "more than a sentence: $(cat "$folder/log")"
    [ $((SECONDS - started)) -le 10 ] || fail "'$words' took $((SECONDS - started)) s"
}

check_refusals() {
    local e=(--edges 'e(a,b)') mixed=$folder/mixed.db new=$folder/new.db
    local bfs=(bfs --db "$mixed" --edges 'e(a, b)' --source 7)
    refuses 'there is no function' 2 dfs --db "$mixed"
    refuses 'mis has no option --source' 2 mis --db "$mixed" "${e[@]}" --out "$new" --source 7
    refuses 'max_depth' 2 "${bfs[@]}" --out "$new" --max-depth deep
    refuses 'there is no source; give .* by --source' 0 bfs --db "$mixed" "${e[@]}" --out "$new"
    refuses 'none.db cannot be read' 3 bfs --db "$folder/none.db" "${e[@]}" --source 7 --out "$new"
    refuses 'no file matches' 2 bfs --db "$folder/none-*.db" "${e[@]}" --source 7 --out "$new"
    refuses 'has no column' 2 bfs --db "$mixed" --edges 'e(a, c)' --source 7 --out "$new"
    refuses 'not a query' 2 bfs --db "$mixed" --edges 'SELECT a, b FROM e' --source 7 --out "$new"
    refuses 'ranges of rowids' 2 bfs --db "$mixed" --edges 'seen(a, b)' --source 7 --out "$new"
    refuses 'components do not' 2 components --db "$mixed" "${e[@]}" --out "$new" --backend cuda
    refuses 'needs --partition target' 2 pagerank --db "$mixed" "${e[@]}" --out "$new" --backend cuda --partition source
    refuses 'needs --partition source' 2 sssp --db "$mixed" --edges 'e(a, b, w)' --source 7 --out "$new" --backend cuda \
        --partition target
    refuses 'needs --partition source' 2 bfs --db "$mixed" "${e[@]}" --source 7 --out "$new" --backend cuda --partition grid
    refuses 'needs --partition source' 2 mis --db "$mixed" "${e[@]}" --out "$new" --backend cuda --partition target
    refuses 'cannot be written' 2 "${bfs[@]}" --out "$folder/no/folder.db"
    refuses 'there is no option --tabel; the nearest name is .--table' 0 "${bfs[@]}" --out "$new" --tabel x
    refuses 'there is no option --timings=1' 0 "${bfs[@]}" --out "$new" --timings=1
    refuses "'more' is no option" 0 "${bfs[@]}" --out "$new" more
    refuses 'the value of --table is missing' 0 "${bfs[@]}" --out "$new" --table
    refuses 'the value of --out is missing' 0 "${bfs[@]}" --out --timings
    refuses 'the value of --out is empty' 0 "${bfs[@]}" --out ''
    refuses 'the value of --table is empty' 0 "${bfs[@]}" --out "$new" --table ''
    refuses 'out is given more than once' 0 "${bfs[@]}" --out "$new" --out "$folder/other.db"
    refuses 'source is given more than once' 0 "${bfs[@]}" --source 8 --out "$new"
    refuses 'has %d more than once' 0 "${bfs[@]}" --out "$folder/each-%d-%d.db"
    refuses 'iterations must be an INTEGER from 0 to 4294967294' 0 pagerank --db "$mixed" "${e[@]}" --out "$new" \
        --iterations 10000000000
    refuses 'reserved for internal use' 0 "${bfs[@]}" --out "$new" --table sqlite_x
    refuses 'cannot be read: it is a folder' 0 bfs --db "$folder" "${e[@]}" --source 7 --out "$new"
    refuses 'cannot be written: it is a folder' 0 "${bfs[@]}" --out "$folder"
    mkfifo "$folder/pipe.db"
    refuses 'pipe.db cannot be read: it is not a regular file' 3 bfs --db "$folder/pipe.db" "${e[@]}" --source 7 --out "$new"
    refuses 'pipe.db cannot be written: it is not a regular file' 0 "${bfs[@]}" --out "$folder/pipe.db"
    : >"$folder/nothing.db"
    refuses "there is no table or view 'e'" 0 bfs --db "$folder/nothing.db" "${e[@]}" --source 7 --out "$new"
    refuses 'stands in double quotes' 0 bfs --db "$mixed" --edges 'my roads' --source 7 --out "$new"
    refuses 'is a BLOB; a vertex id is' 3 mis --db "$mixed" --edges 'blobs(a, b)' --out "$new"
    [ ! -e "$new" ] || fail "a file was left behind"
    sqlite3 "$folder/old.db" 'CREATE TABLE bfs(x); INSERT INTO bfs VALUES (1)'
    refuses 'has a table bfs already' 2 "${bfs[@]}" --out "$folder/old.db"
    [ "$(sqlite3 "$folder/old.db" 'SELECT x FROM bfs')" = 1 ] || fail "an old table has changed"
    echo 'no database, only words that fill a file up to some length' >"$folder/words.db"
    refuses 'the weight of edge [0-9]* in main.bad (column w) is -1' 3 sssp --db "$mixed" --edges 'bad(a, b, w)' --source 1 \
        --out "$new"
    refuses "1600 and '1600' would be two vertices, since column id of main.emp is INTEGER and column manager" 3 \
        components --db "$mixed" --edges 'emp(manager, id)' --out "$new"
    refuses 'names no third column' 2 sssp --db "$mixed" "${e[@]}" --source 7 --out "$new"
    refuses 'cannot be read' 2 bfs --db "$folder/words.db" "${e[@]}" --source 7 --out "$new"
}

# Tests a database that another process has locked: permanently, with an error after a wait, and for a moment.
check_locked() {
    local holder status=0
    cp "$folder/karate.db" "$folder/locked.db"
    mkfifo "$folder/hold"
    sqlite3 "$folder/locked.db" <"$folder/hold" &
    holder=$!
    exec 3>"$folder/hold"
    # The query below holds a lock for a moment, and the holder waits for it.
    printf '.timeout 60000\nBEGIN EXCLUSIVE; SELECT 1;\n' >&3
    until ! sqlite3 "$folder/locked.db" 'SELECT 1 FROM k' 2>/dev/null >&2; do sleep 0.1; done
    refuses 'locked.db cannot be read: database is locked' 2 mis --db "$folder/locked.db" --edges 'k(a, b)' --out "$folder/new.db"
    [ ! -e "$folder/new.db" ] || fail "a file was left behind"
    processes 2 mis --db "$folder/locked.db" --edges 'k(a, b)' --out "$folder/waited.db" >"$folder/log" 2>&1 3>&- &
    sleep 1
    exec 3>&- # the shell ends and releases the lock
    wait $holder || true
    wait $! || status=$?
    [ $status = 0 ] || fail "a lock that goes: $(cat "$folder/log")"
}

# Tests a full disk: there is space for some pages of rows.
check_full_disk() {
    sqlite3 "$folder/full.db" 'PRAGMA page_size = 512; CREATE TABLE t(x)'
    GPUGRAPH_TEST_PAGES=12 refuses 'full.db cannot be written: database or disk is full' 2 \
        bfs --db "$folder/mixed.db" --edges 'e(a, b)' --source 7 --out "$folder/full.db"
    [ "$(sqlite3 "$folder/full.db" 'SELECT group_concat(name) FROM sqlite_schema')" = t ] || fail "a half-written table"
    GPUGRAPH_TEST_PAGES=3 refuses 'new.db cannot be written: database or disk is full' 2 \
        bfs --db "$folder/mixed.db" --edges 'e(a, b)' --source 7 --out "$folder/new.db"
    [ ! -e "$folder/new.db" ] || fail "a half-written file"
}

# Kills a process at some moment: all others end soon, and the table is absent or complete.
check_killed() {
    local pid victim left rows all
    all=$(sql "$folder/large.db" "SELECT count(*) FROM gpu_mis('g(a, b)')")
    for _ in 1 2 3; do
        rm -f "$folder/killed.db"
        processes 3 mis --db "$folder/large.db" --edges 'g(a, b)' --out "$folder/killed.db" >/dev/null 2>&1 &
        pid=$!
        sleep 0.$((RANDOM % 8 + 2))
        victim=$(pgrep -f "^$program mis --db $folder/large.db" | shuf -n 1) || true
        [ -z "$victim" ] || kill -9 "$victim" 2>/dev/null || true
        for ((left = 100; left > 0; left--)); do
            kill -0 $pid 2>/dev/null || break
            sleep 0.1
        done
        [ $left -gt 0 ] || fail "a process was killed, and after 10 s others were there"
        wait $pid && victim=
        [ -z "$(pgrep -f "^$program mis --db $folder/large.db")" ] || fail "processes were left behind"
        [ -e "$folder/killed.db" ] || continue
        rows=$(sqlite3 "$folder/killed.db" "SELECT count(*) FROM sqlite_schema WHERE name = 'mis'")
        [ "$rows" = 0 ] || [ "$(sqlite3 "$folder/killed.db" 'SELECT count(*) FROM mis')" = "$all" ] ||
            fail "a table was left half-written"
    done
}

# Runs the page's examples: the output of an sh block equals the bare block that follows it.
check_page() {
    mkdir "$folder/page"
    awk -v folder="$folder/page" '
        inside && /^```/ { inside = 0; next }
        inside { print >file; next }
        /^```sh/ { inside = 1; blocks++; file = folder "/" blocks ".sh"; next }
        /^```$/ { inside = 1; file = folder "/" blocks ".out"; next }
        /^```/ { inside = 1; file = "/dev/null" }' "$here/../docs/gpugraph_mpi.md"
    for block in "$folder"/page/*.sh; do
        (cd "$folder/page" && PATH=$build:$PATH timeout 60 sh "$block" 2>&1) | diff -u "${block%.sh}.out" - ||
            fail "the page's example $(basename "$block")"
    done
}

make_graphs
if [ "${GPUGRAPH_TEST_MPI:-}" = devices ]; then
    check_devices
    [ $failures -eq 0 ] && echo "ok, on devices alone"
    exit $((failures > 0))
fi
if readelf -d "$build/gpugraph.so" | grep -qi mpi; then fail "gpugraph.so needs MPI"; fi
compare
check_devices
check_output
check_page
check_refusals
check_locked
sql "$folder/large.db" "CREATE TABLE g(a INTEGER, b INTEGER);
    WITH r(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM r WHERE i < 200000)
    INSERT INTO g SELECT abs(i * 7919 * 104729) % 50021, abs(i * 6007 * 15485863) % 49999 FROM r"
check_killed
check_full_disk
[ $failures -eq 0 ] || exit 1
echo "ok"
