#!/bin/sh
# Functions work if the system gives no thread: the stock sqlite3 shell of a user with a limit of one process
# (ulimit -u, which counts threads) returns the same rows as without a limit. Only root can run this test.
set -eu
build=${GPUGRAPH_BUILD:-build}
user=64321 # unused: no other process counts
case ${GPUGRAPH_PRELOAD:-} in
?*) echo "skipped: sanitizers have threads of their own" && exit 77 ;;
esac
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
    echo "skipped: only root can become a user who may have one process"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
install -m 755 "$build"/gpugraph.so "$folder"

as_user() { # a command of one program and its threads
    (cd "$folder" && timeout 300 setpriv --reuid="$user" --regid="$user" --clear-groups "$@")
}
if as_user prlimit --nproc=1 sh -c '(true); true' 2>/dev/null; then
    echo "skipped: the limit of processes does not hold here"
    exit 77
fi

cat >"$folder/ask.sql" <<'SQL'
.load ./gpugraph
SELECT 'threads', gpugraph_config('threads', 8);
CREATE TABLE e(source, target, weight);
WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x < 299999)
INSERT INTO e SELECT x * 7919 % 50000, (x * 104729 + x / 7) % 50000, x % 100 FROM i;
CREATE TABLE t AS SELECT 'v' || source AS source, 'v' || target AS target FROM e;
SELECT 'bfs', count(*), sum(depth) FROM gpu_bfs('e', 1);
SELECT 'sssp', count(*), sum(distance) FROM gpu_sssp('e', 1);
SELECT 'texts', count(*), sum(depth) FROM gpu_bfs('t', 'v1');
SELECT 'several', count(*), sum(depth) FROM (SELECT 1 AS s UNION SELECT 2 UNION SELECT 3) JOIN gpu_bfs('e', s);
SELECT 'dfs', count(*) FROM gpu_dfs('e', 1);
SELECT 'mis', count(*), sum(vertex) FROM gpu_mis('e');
SELECT 'components', count(*), sum(component) FROM gpu_components('e');
SELECT 'strong', count(*), sum(component) FROM gpu_components('e') WHERE kind = 'strong';
SELECT 'pagerank', count(*), sum(CAST(rank * 1e12 AS INTEGER)) FROM gpu_pagerank('e');
SELECT 'labels', count(*), sum(label) FROM gpu_label_propagation('e');
SELECT 'cores', count(*), sum(core) FROM gpu_cores('e');
SELECT 'forest', count(*), sum(weight) FROM gpu_spanning_forest('e');
SELECT 'triangles', sum(triangles) FROM gpu_triangles('e');
SELECT 'path', count(*), max(distance) FROM gpu_path('e', 1, 4000);
SELECT 'paths', count(*), max(distance) FROM gpu_paths('e', 1, 4000, 3);
SELECT 'matrix', count(*), sum(distance) FROM gpu_matrix('e', '[1,2,3]', '[40,50]');
CREATE VIRTUAL TABLE g USING gpugraph(e(source, target, weight));
DELETE FROM e WHERE rowid % 1000 = 0;
SELECT 'followed', count(*), sum(depth) FROM gpu_bfs('g', 1);
SQL
as_user sqlite3 :memory: <"$folder/ask.sql" >"$folder/free"
failed=0
as_user prlimit --nproc=1 sqlite3 :memory: <"$folder/ask.sql" >"$folder/limited" 2>&1 || failed=$?
if [ "$failed" != 0 ] || ! diff "$folder/free" "$folder/limited"; then
    echo "with one process: exit status $failed"
    exit 1
fi
[ "$(wc -l <"$folder/free")" = 18 ]
