#!/bin/sh
# Tests the scripts that install and compile. Without apt, .ci/install names the missing packages by the names of other
# systems, and accepts installed ones. .ci/progress keeps the exit status and output of a command, and shows its progress.
set -eu
ci=$(cd "$(dirname "$0")/../.ci" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin"
for tool in bash cat env; do
    ln -s "$(command -v "$tool")" "$work/bin/"
done
if PATH=$work/bin "$ci/install" build-essential xz-utils 2>"$work/said"; then
    echo "nothing was missing where nothing is"
    exit 1
fi
for words in 'apt-get install build-essential' 'dnf install gcc make' 'pacman -S base-devel' 'brew install xz'; do
    grep -q "$words" "$work/said" || { echo "not said: $words" && cat "$work/said" && exit 1; }
done
printf '#!/bin/sh\n' >"$work/bin/xz"
chmod +x "$work/bin/xz"
PATH=$work/bin "$ci/install" xz-utils

status=0
"$ci/progress" "$work/log" sh -c 'echo "[ 50%] one.c"; echo a fault in one.c; exit 3' >"$work/said" || status=$?
if [ $status != 3 ] || ! grep -q 'compiling: 50 %' "$work/said" || ! grep -q 'a fault in one.c' "$work/said"; then
    echo "a command that fails: status $status" && cat "$work/said" && exit 1
fi
"$ci/progress" "$work/log" sh -c 'echo "[3/4] one.c"; echo no fault' >"$work/said"
grep -q 'compiling: 75 %' "$work/said" && grep -q 'no fault' "$work/log" && ! grep -q 'no fault' "$work/said"
