#!/bin/sh
# sql_test.sh FILE.sql: runs a script in the sqlite3 shell with gpugraph loaded, once for each backend of
# GPUGRAPH_TEST_BACKENDS, and compares the output, including errors, with FILE.out.
# GPUGRAPH_WRAPPER may hold a command that runs the shell (valgrind). Each run has its own folder, with these links:
#   build      is GPUGRAPH_BUILD
#   data       is GPUGRAPH_SHARED_DATA (may be missing)
#   fixtures   is tests/data
#   oracles    is sql/oracles
# A line "-- needs: data/osm/monaco.edges.tsv.gz ..." skips the test if one of the files is missing.
set -eu
script=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
tests=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${GPUGRAPH_BUILD:-$tests/../build}" && pwd)
expected=${script%.sql}.out
# shellcheck source=/dev/null
. "$tests/sqlite_shell.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=${GPUGRAPH_SHARED_DATA:-$tests/../../shared/data}

needs=$(sed -n 's/^-- needs: //p' "$script")
for file in $needs; do
    [ -e "$data/${file#data/}" ] || {
        echo "skipped: $file is missing (set GPUGRAPH_SHARED_DATA)"
        exit 77
    }
done

for backend in ${GPUGRAPH_TEST_BACKENDS:-cpu}; do
    mkdir "$work/$backend"
    cd "$work/$backend"
    ln -s "$build" build
    ln -s "$data" data
    ln -s "$tests/data" fixtures
    ln -s "$tests/../sql/oracles" oracles
    {
        echo ".load build/gpugraph"
        echo ".output /dev/null"
        echo "SELECT gpugraph_config('backend', '$backend');"
        echo ".output"
        cat "$script"
    } >feed
    # Line numbers in messages would change with every edit of the script, so they are removed.
    { sqlite_shell -batch -init /dev/null :memory: <feed 2>&1 ||
        [ $? -lt 128 ] || echo "the shell crashed"; } | sed 's/ near line [0-9]*//' >output
    diff -u "$expected" output >differences || {
        head -n 40 differences
        echo "$(basename "$script") differs on backend $backend"
        exit 1
    }
done
