#!/bin/sh
# newest_sqlite.sh FOLDER: installs the newest SQLite that the Python package apsw contains into FOLDER, as libsqlite3.so.0 and
# the shell sqlite3, and prints its version. Exit status 77: skipped, because the package is not available.
#   LD_LIBRARY_PATH=FOLDER PATH=FOLDER:$PATH ctest --test-dir build -L sqlite -E changeset_test
set -eu
folder=${1:?a folder}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if ! { python3 -m venv "$folder/venv" &&
    "$folder/venv/bin/pip" install -q --upgrade --timeout 10 --retries 1 apsw; } >"$folder/log" 2>&1; then
    echo "skipped: the package apsw cannot be installed: $(tail -n 1 "$folder/log")"
    exit 77
fi
shell=$("$folder/venv/bin/python" -m apsw.sqlite_extra --path sqlite3_shell 2>>"$folder/log") || shell=
library=$(dirname "$shell")/libsqlite3_tool.so
if ! [ -x "$shell" ] || ! [ -e "$library" ]; then
    echo "skipped: this apsw has no shell, or no library beside it"
    exit 77
fi
ln -sf "$shell" "$folder/sqlite3"
ln -sf "$library" "$folder/libsqlite3.so.0"
echo "SQLite $("$folder/sqlite3" -version | cut -d ' ' -f 1)"
