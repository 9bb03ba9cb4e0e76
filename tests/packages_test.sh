#!/bin/sh
# Tests the results of a build in folders without the sources, with a space and an é in their path:
#   cmake --install, and with the installation: the commands of docs/embedding.md, a CMake project, ".load gpugraph"
#   add_subdirectory, with the CUDA backend off
#   gpugraph.c, the amalgamation: loaded, and in a program (CFLAGS=-O2 as for users; the default -O0 is quick)
#   names: the archive, the shared library and the extension export only public names
# Prints sizes and times, and writes them to packages.txt in the build folder.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/.." && pwd)
build=$(cd "${GPUGRAPH_BUILD:-$root/build}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
work="$folder/with space é"
mkdir "$work"
report=$build/packages.txt
: >"$report"
[ -e "$build/libgpugraph.so" ] || { echo "skipped: a build with no shared library"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no Python"; exit 77; }

# say WHAT FILE: prints a file's size without debugging data; timed WHAT COMMAND...: prints the time of a command.
say() {
    strip -S -o "$work/stripped" "$2" 2>/dev/null || cp "$2" "$work/stripped"
    printf '%-44s %8d KB\n' "$1" $(($(wc -c <"$work/stripped") / 1024)) | tee -a "$report"
}
timed() {
    what=$1 began=$(date +%s%N)
    shift
    "$@" >"$work/log" 2>&1 || { echo "$what failed:" && tail -n 40 "$work/log" && exit 1; }
    printf '%-44s %8d ms\n' "$what" $((($(date +%s%N) - began) / 1000000)) | tee -a "$report"
}
fail() {
    echo "$1"
    exit 1
}

# ---- installed ----
# An ldconfig that lists the libraries that it finds.
mkdir "$work/bin"
printf '#!/bin/sh\nls "%s"/inst/lib* >"%s/listed"\n' "$work" "$work" >"$work/bin/ldconfig"
chmod +x "$work/bin/ldconfig"
PATH=$work/bin:$PATH timed "install" cmake --install "$build" --prefix "$work/inst"
for name in gpugraph.so libsqlite3_mod_gpugraph.so libgpugraph.so; do
    grep -qx "$name" "$work/listed" || fail "ldconfig runs before $name is installed"
done
libs=$(dirname "$(find "$work/inst" -name libgpugraph.a)")
export PKG_CONFIG_PATH="$libs/pkgconfig"
headers=5 # including that of partitions
grep -q '^GPUGRAPH_DISTRIBUTED:BOOL=OFF' "$build/CMakeCache.txt" && headers=4
[ "$(find "$work/inst/include" -type f | wc -l)" = $headers ] || fail "more than the public headers, or fewer, is installed"
for header in "$work"/inst/include/gpugraph/*.h; do
    name=$(basename "$header")
    printf '#include <gpugraph/%s>\nint main(void) { return 0; }\n' "$name" | cc -Wall -Werror -I"$work/inst/include" -x c -fsyntax-only -
done
say "gpugraph.so" "$libs/gpugraph.so"
say "libgpugraph.so" "$libs/libgpugraph.so"
say "libgpugraph.a" "$libs/libgpugraph.a"
# (u: templates of CUDA headers, which C++ requires once in a process)
nm -g --defined-only "$libs/libgpugraph.a" 2>/dev/null | awk 'NF == 3 && $2 != "u" { print $3 }' >"$work/names"
nm -D --defined-only "$libs/libgpugraph.so" | awk '{ print $3 }' >>"$work/names"
if grep -vE '^(gpugraph_|sqlite3_gpugraph_init$)' "$work/names"; then
    fail "names that are not public"
fi
grep -q '^gpugraph_bfs$' "$work/names" || fail "the public names are not there"
entries='gpugraph_free_arrays gpugraph_take_arrays sqlite3_gpugraph_init'
exported() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | sort | paste -s -d ' ' -
}
[ "$(exported "$libs/gpugraph.so")" = "$entries" ] || fail "the extension's names"

# The page's compilations. The shell splits the output of $(pkg-config ...) at each space, unless eval reads the line.
mkdir "$work/page"
cd "$work/page"
cp "$root"/examples/embed.c "$root"/examples/graph.c "$root"/examples/data/manhattan-streets.csv .
sed -n 's/^    \(cc [eg].*gpugraph.*\)$/eval "\1"/p; s/^    \(.\/graph .*\)$/\1/p' "$root/docs/embedding.md" >commands
[ "$(wc -l <commands)" = 3 ] || fail "docs/embedding.md has other commands than this test knows"
timed "embed.c and graph.c, by pkg-config" sh -e commands
./embed | diff -u "$tests/data/embed.out" -
eval "cc embed.c -o static $(pkg-config --cflags --libs --static gpugraph)"
./static | diff -u "$tests/data/embed.out" -
export LD_LIBRARY_PATH="$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" # no earlier program needs it
eval "cc embed.c -o shared $(pkg-config --cflags --libs gpugraph-shared)"
ldd shared | grep -q libgpugraph || fail "gpugraph-shared links the archive"
./shared | diff -u "$tests/data/embed.out" -

mkdir "$work/project"
cd "$work/project"
cp "$root/examples/embed.c" .
{
    printf 'cmake_minimum_required(VERSION 3.22)\nproject(embed C)\nadd_executable(embed embed.c)\n'
    # shellcheck disable=SC2016 # backquotes for sed
    sed -n '/^```cmake/,/^```$/p' "$root/docs/embedding.md" | grep -v '^```'
    # shellcheck disable=SC2016 # CMake's own dollars
    printf 'add_executable(shared embed.c)\ntarget_link_libraries(shared PRIVATE gpugraph::shared SQLite::SQLite3)\nmessage(STATUS "path: ${gpugraph_EXTENSION}")\n'
} >CMakeLists.txt
timed "find_package: configure" cmake -S . -B b -DCMAKE_PREFIX_PATH="$work/inst"
grep -q "path: $libs/gpugraph.so" "$work/log" || fail "gpugraph_EXTENSION is not the extension's path"
timed "find_package: build" cmake --build b
b/embed | diff -u "$tests/data/embed.out" -
b/shared | diff -u "$tests/data/embed.out" -

printf '%s\n' '.load gpugraph' 'SELECT gpugraph_version();' >load.sql
(cd / && sqlite3 -batch -init /dev/null :memory: <"$work/project/load.sql") >"$work/log" 2>&1
grep -qx '[0-9]*[.][0-9]*[.][0-9]*' "$work/log" || { cat "$work/log" && fail ".load gpugraph"; }

# ---- in the tree of another project ----
mkdir "$work/tree"
cd "$work/tree"
ln -s "$root" gpugraph
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(embed C)
add_subdirectory(gpugraph)
add_executable(embed gpugraph/examples/embed.c)
target_link_libraries(embed PRIVATE gpugraph::gpugraph)
END
timed "add_subdirectory: configure" cmake -S . -B b
grep -q '^GPUGRAPH_CUDA:STRING=OFF' b/CMakeCache.txt || fail "CUDA is on in a project that has not asked"
grep -q '^GPUGRAPH_TESTS:BOOL=OFF' b/CMakeCache.txt || fail "tests are on in a project that has not asked"
! grep -q CMAKE_BUILD_TYPE:STRING b/CMakeCache.txt || ! grep CMAKE_BUILD_TYPE:STRING=. b/CMakeCache.txt ||
    fail "a build type is set for a project that has none"
if [ -n "${CFLAGS:-}" ]; then # takes as long as compiling the library
    timed "add_subdirectory: build" cmake --build b -j 2
    b/embed | diff -u "$tests/data/embed.out" -
fi

# ---- one file ----
mkdir "$work/one"
cd "$work/one"
python3 "$root/ext/amalgamate.py" "$build/made" gpugraph.c
sqlite=$(sed -n 's/^GPUGRAPH_SQLITE:PATH=//p' "$build/CMakeCache.txt")
# shellcheck disable=SC2086 # options
timed "gpugraph.c: compile, ${CFLAGS:=-O0}" cc $CFLAGS ${sqlite:+-I"$sqlite"} -Wall -Wextra -Werror -fopenmp -fPIC -shared gpugraph.c -o gpugraph.so
[ "$(exported gpugraph.so)" = "$entries" ] || fail "names of the one file"
# Limits that only tests change (gpu/base/limits.h) are constants in a release build.
if nm gpugraph.so | grep -E ' [BbDd] .*_limits'; then
    fail "limits of tests can be written"
fi
say "gpugraph.so of gpugraph.c" gpugraph.so
for script in les_miserables ldbc; do
    GPUGRAPH_BUILD=$work/one GPUGRAPH_TEST_BACKENDS=cpu sh "$tests/sql_test.sh" "$tests/sql/$script.sql"
done
# shellcheck disable=SC2086
timed "gpugraph.c in a program" cc $CFLAGS ${sqlite:+-I"$sqlite"} -DSQLITE_CORE -I"$work/inst/include/gpugraph" gpugraph.c "$root/examples/embed.c" \
    -o embed -lsqlite3 -lpthread -lm
./embed | diff -u "$tests/data/embed.out" -
