#!/bin/sh
# Runs examples/quickstart.sh with the built extension: it must succeed and write a map, and the command in its last line must
# open the database. The path of both has a space, an é and an apostrophe.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${GPUGRAPH_BUILD:-$tests/../build}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
out="$folder/it's with é"
mkdir "$out"
ln -s "$build" "$out/build"
GPUGRAPH_SO="$out/build/gpugraph" OUT=$out \
    "$tests/../examples/quickstart.sh" >"$out/log" 2>&1 || {
    cat "$out/log"
    exit 1
}
if grep -i 'error' "$out/log"; then
    exit 1
fi
grep -q '</svg>' "$out/new-york.svg"
grep -q '21,362 components of 237,586 crossings</text></g></svg>' "$out/new-york-pieces.svg"
echo "SELECT 'crossings ' || count(*) FROM gpu_components('roads');" >"$out/question"
{ printf "LD_PRELOAD='%s'" "${GPUGRAPH_PRELOAD:-}" && tail -n 1 "$out/log"; } >"$out/command"
sh "$out/command" <"$out/question" | grep -x 'crossings 264346'
