#!/bin/sh
# Runs examples/quickstart.sh on the extension as built: it must end well and leave a map behind.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
GPUGRAPH_SO=${GPUGRAPH_BUILD:-$tests/../build}/gpugraph OUT=$out \
    "$tests/../examples/quickstart.sh" >"$out/log" 2>&1 || {
    cat "$out/log"
    exit 1
}
if grep -i 'error' "$out/log"; then
    exit 1
fi
grep -q '</svg>' "$out/new-york.svg"
grep -q '21,362 components of 237,586 crossings</text></g></svg>' "$out/new-york-pieces.svg"
