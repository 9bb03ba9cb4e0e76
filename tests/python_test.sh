#!/bin/sh
# Runs the examples of docs/python.md by a Python whose sqlite3 loads extensions (GPUGRAPH_PYTHON, else the first found).
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${GPUGRAPH_BUILD:-$tests/../build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$build" "$work/build"
cd "$work"
for python in ${GPUGRAPH_PYTHON:-python3 /usr/bin/python3}; do
    if "$python" -c 'import sqlite3; sqlite3.Connection.enable_load_extension' 2>/dev/null; then
        "$python" "$tests/python_page.py" "$tests/../docs/python.md"
        exit
    fi
done
echo "skipped: no Python here has an sqlite3 that loads extensions"
exit 77
