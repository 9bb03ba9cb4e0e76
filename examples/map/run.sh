#!/usr/bin/env bash
# Shows New York in a browser, by Datasette on 127.0.0.1: shortest paths, isochrones, closed roads.
#   examples/map/run.sh
# Builds gpugraph. If they are missing, installs Datasette into a virtual environment and creates the database.
# Environment: PORT (8011); GPUGRAPH_SO, a built extension; GPUGRAPH_PYTHON, a Python with Datasette;
# OUT, the folder of the database.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
port=${PORT:-8011}
export OUT=${OUT:-$root/build}
mkdir -p "$OUT" "$root/build"

if [ -z "${GPUGRAPH_SO:-}" ]; then
    "$root/.ci/install" build-essential cmake pkg-config libsqlite3-dev sqlite3 xz-utils
    echo "building gpugraph (log: build/map.log)"
    log=$root/build/map.log
    cmake -S "$root" -B "$root/build" -DGPUGRAPH_TESTS=OFF >"$log" 2>&1 || { tail -n 40 "$log" && exit 1; }
    "$root/.ci/progress" "$log" cmake --build "$root/build" -j "$(getconf _NPROCESSORS_ONLN)"
    GPUGRAPH_SO=$root/build/gpugraph
fi

python=${GPUGRAPH_PYTHON:-$root/build/map-python/bin/python}
if ! "$python" -c 'import datasette' 2>/dev/null; then
    . "$root/.ci/pythons"
    [ -n "$python" ] || { echo "no Python here has an sqlite3 that loads extensions" && exit 1; }
    [ -n "$pip" ] || { echo "there is no pip of 22.3 or later: on Debian it is the package python3-pip" && exit 1; }
    echo "installing Datasette into build/map-python"
    "$python" -m venv --without-pip "$root/build/map-python"
    python=$root/build/map-python/bin/python
    "$pip" -m pip --python "$python" install -q datasette
fi

database=$OUT/new-york-map.db
if [ ! -e "$database" ]; then
    echo "loading the roads of New York into $database"
    rm -f "$database.new"
    (cd .. && sqlite3 -batch -bail -init /dev/null "$database.new" <new_york.sql)
    sqlite3 -batch -bail -init /dev/null -cmd ".load \"$GPUGRAPH_SO\"" "$database.new" <network.sql
    mv "$database.new" "$database"
fi

# A server that cannot open its port reports this only in its log.
"$python" - "$port" "$0" <<'END'
import shlex, socket, sys

def bind(port):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", port))
        return s.getsockname()[1]

try:
    bind(int(sys.argv[1]))
except (OSError, OverflowError, ValueError) as error:
    sys.exit(f"port {sys.argv[1]} cannot be used: {error}; name another one: PORT={bind(0)} {shlex.quote(sys.argv[2])}")
END

cat <<END
The map:  http://127.0.0.1:$port/-/map
          It listens on 127.0.0.1 alone: browsers on this machine reach it, other machines do not. Ctrl-C ends it.
END
# Uses the Python package of the source tree, with this extension.
for file in "$GPUGRAPH_SO" "$GPUGRAPH_SO.so" "$GPUGRAPH_SO.dylib"; do
    [ ! -f "$file" ] || export GPUGRAPH_EXTENSION=$file
done
export PYTHONPATH=$root/ext/python:$root/ext/python/datasette-gpugraph PYTHONDONTWRITEBYTECODE=1
exec "$python" -m datasette serve "$database" --host 127.0.0.1 --port "$port" --plugins-dir plugins \
    --setting num_sql_threads 1 >"$OUT/map-server.log" 2>&1
