#!/bin/sh
# Tests examples/map in a headless browser: tests/python/map_test.py clicks, and compares the page with SQL and with
# tests/data/map.json. GPUGRAPH_PYTHON: a Python with Datasette and Playwright; without it both are installed into an environment.
# PICTURE=FILE.jpg keeps a screenshot; RENEW=1 rewrites tests/data/map.json.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/.." && pwd)
build=$(cd "${GPUGRAPH_BUILD:-$root/build}" && pwd)
skip() {
    echo "skipped: $1"
    exit 77
}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || skip "there is no Chromium (on Debian the package chromium)"
work=$(mktemp -d)
server=''
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
python=${GPUGRAPH_PYTHON:-$work/env/bin/python}
if ! "$python" -c 'import datasette, playwright' 2>/dev/null; then
    . "$root/.ci/pythons"
    if [ -z "$python" ] || [ -z "$pip" ]; then
        skip "no Python here has an sqlite3 that loads extensions, and a pip of 22.3 or later"
    fi
    "$python" -m venv --without-pip "$work/env"
    python=$work/env/bin/python
    "$pip" -m pip --python "$python" install -q --timeout 10 --retries 1 datasette playwright >"$work/log" 2>&1 ||
        skip "the package index is out of reach: $(tail -n 1 "$work/log")"
fi

port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export GPUGRAPH_SO="$build/gpugraph" GPUGRAPH_PYTHON="$python" OUT="$work" PORT="$port"
"$root/examples/map/run.sh" >"$work/run.log" 2>&1 &
server=$!
PYTHONPATH=$root/ext/python PYTHONDONTWRITEBYTECODE=1 GPUGRAPH_EXTENSION=$build/gpugraph.so CHROMIUM=$chromium \
    "$python" "$tests/python/map_test.py" "http://127.0.0.1:$port" "$work/new-york-map.db" "$tests/data/map.json" || {
    cat "$work/run.log" "$work/map-server.log"
    exit 1
}
grep -q 'It listens on 127.0.0.1 alone' "$work/run.log"
