#!/bin/sh
# Runs examples/graph.c and examples/changing.c, built without SQLite: graph.c with weights, without weights, and on
# input that it refuses.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
build=${GPUGRAPH_BUILD:-$tests/../build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() {
    # shellcheck disable=SC2086 # the wrapper is a command with its options
    ${GPUGRAPH_WRAPPER:-} "$build/$program" "$@" 2>&1 || echo "status $?"
}
program=graph
{
    run "$tests/../examples/data/manhattan-streets.csv" 186275
    run "$tests/data/karate.tsv" 1
    printf '1 2 3\n2 3 -1\n' >"$work/negative"
    run "$work/negative" 1
    run "$tests/data/karate.tsv" 99
    run "$work/nothing" 1
} | diff -u "$tests/data/graph.out" -
program=changing
run | diff -u "$tests/data/changing.out" -
