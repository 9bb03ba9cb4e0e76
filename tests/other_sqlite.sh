#!/bin/sh
# Tests the extension with other versions of SQLite, from the Python packages apsw and pysqlite3-binary, and with
# two versions in one process. Run it by hand: it downloads packages. Exit status 77: skipped.
#   SEEDS=5 GPUGRAPH_BUILD=build tests/other_sqlite.sh
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
so=${GPUGRAPH_BUILD:-$tests/../build}/gpugraph.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -e "$so" ] || { echo "skipped: $so is not built"; exit 77; }
if ! { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q apsw pysqlite3-binary; } >"$work/log" 2>&1; then
    echo "skipped: apsw and pysqlite3-binary cannot be installed: $(tail -n 1 "$work/log")"
    exit 77
fi
for seed in $(seq "${SEEDS:-5}"); do
    for library in apsw pysqlite3; do
        "$work/venv/bin/python" "$tests/other_sqlite.py" "$library" "$so" "$seed"
    done
    "$work/venv/bin/python" "$tests/other_sqlite.py" two "$so"
done
