#!/bin/sh
# learned_test.sh: learned anew from the same figures, the tables of the choice for shortest paths and its choices come
# out the same to the byte. By a Python that has numpy (GPUGRAPH_PYTHON, else the first found).
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for python in "${GPUGRAPH_PYTHON:-python3}" "${GPUGRAPH_PYTHON:-/usr/bin/python3}"; do
    "$python" -c 'import numpy' 2>/dev/null || continue
    "$python" -B tests/bench/sssp_learn.py tests/bench/data/sssp_training.csv "$work/tables.h" "$work/chosen.txt"
    cmp "$work/tables.h" gpu/sssp/choice/learned/tables.h
    cmp "$work/chosen.txt" tests/bench/data/sssp_chosen.txt
    exit
done
echo "skipped: no Python here has numpy"
exit 77
