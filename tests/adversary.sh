#!/bin/sh
# Runs the adversary (adversary_test.c) for some time, in one process for each core, each with different seeds.
#   tests/adversary.sh SECONDS [FIRST_SEED [PROCESSES]]
#   GPUGRAPH_ADVERSARY_WORLDS=N tests/adversary.sh 0 [FIRST_SEED [PROCESSES]]   N seeds for each process
# GPUGRAPH_BUILD names the build folder (default build). Each process writes its report to adversary-N.log. The last
# line has the number of statements and the number of processes with a difference. The exit status is 1 if there is
# one.
set -eu
build=$(cd "${GPUGRAPH_BUILD:-$(dirname "$0")/../build}" && pwd)
seconds=${1:?how many seconds}
first=${2:-1000000}
processes=${3:-$(nproc)}
if [ "$seconds" -gt 0 ]; then
    export GPUGRAPH_ADVERSARY_SECONDS="$seconds"
else
    : "${GPUGRAPH_ADVERSARY_WORLDS:?how many seeds}"
fi
rm -f "$build"/adversary-*.log
process=0
while [ "$process" -lt "$processes" ]; do
    GPUGRAPH_ADVERSARY_SEED=$((first + process * 1000000)) \
        "$build/tests/adversary_test" >"$build/adversary-$process.log" 2>&1 &
    process=$((process + 1))
done
wait
statements=0
different=0
process=0
while [ "$process" -lt "$processes" ]; do
    log=$build/adversary-$process.log
    grep -q ', Failures: 0, Errors: 0' "$log" || { different=$((different + 1)) && cat "$log"; }
    tail -n 1 "$log"
    done_here=$(sed -n 's/^\([0-9][0-9]*\) statements, .*/\1/p' "$log" | tail -n 1)
    statements=$((statements + ${done_here:-0}))
    process=$((process + 1))
done
echo "$statements statements by $processes processes, seeds from $first on: $different with differences"
[ "$different" -eq 0 ]
