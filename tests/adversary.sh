#!/bin/sh
# The adversary for a while, on every core with other seeds: see adversary_test.c.
#   tests/adversary.sh SECONDS [FIRST_SEED]
# GPUGRAPH_BUILD: the build folder (build). Exit status 1 where a world was wrong; the report of each core
# is in build/adversary-N.log.
set -eu
cd "$(dirname "$0")/.."
build=${GPUGRAPH_BUILD:-build}
seconds=${1:?how many seconds}
first=${2:-1000000}
cores=$(nproc)
core=0
while [ "$core" -lt "$cores" ]; do
    GPUGRAPH_ADVERSARY_SECONDS=$seconds GPUGRAPH_ADVERSARY_SEED=$((first + core * 1000000)) \
        "$build/tests/adversary_test" >"$build/adversary-$core.log" 2>&1 &
    core=$((core + 1))
done
wait
status=0
for log in "$build"/adversary-?.log "$build"/adversary-??.log; do
    [ -e "$log" ] || continue
    grep -q ', Failures: 0, Errors: 0' "$log" || { status=1 && cat "$log"; }
    tail -n 1 "$log"
done
exit $status
