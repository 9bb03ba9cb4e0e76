#!/bin/sh
# python_test.sh PAGE.md: runs a page's examples with the package of ext/python, by a Python whose sqlite3 loads extensions
# (GPUGRAPH_PYTHON, else the first found).
set -eu
page=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
tests=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${GPUGRAPH_BUILD:-$tests/../build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$build" "$work/build"
cd "$work"
export PYTHONPATH="$tests/../ext/python" PYTHONDONTWRITEBYTECODE=1 GPUGRAPH_EXTENSION="$build/gpugraph.so"
for python in "${GPUGRAPH_PYTHON:-python3}" "${GPUGRAPH_PYTHON:-/usr/bin/python3}"; do
    if "$python" -c 'import sqlite3; sqlite3.Connection.enable_load_extension' 2>/dev/null; then
        "$python" "$tests/python_page.py" "$page"
        exit
    fi
done
echo "skipped: no Python here has an sqlite3 that loads extensions"
exit 77
