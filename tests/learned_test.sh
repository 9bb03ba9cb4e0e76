#!/bin/sh
# learned_test.sh: learns the tables of the choice for shortest paths again from the stored figures. Tables and choices must be
# equal to the byte. Needs a Python with numpy (GPUGRAPH_PYTHON, else the first found).
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
