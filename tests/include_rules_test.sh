#!/bin/sh
# Checks the include lines. folders.sh lists the folders of gpu/ and ext/, with their subfolders, from the lowest to the highest.
# A folder may include only itself and folders before it. Every folder may include the headers at the top of gpu/ and ext/, and
# these may include only the lowest folder. "folder/header.h" names another folder; a bare name is the file's own folder
# or the top. No file includes itself through others.
#   ext/*.c          the public headers at the top of gpu/; never CUDA. ext/mpi: any header of gpu/
#   gpu/*.c          never SQLite, never CUDA
#   gpu/*.cu *.cuh   never SQLite
#   examples/*.c     the public headers of gpu/, gpugraph_extension.h and SQLite
#   Only gpu/base/platform/ includes headers of the operating system; ext/ may use files (sys/stat.h, unistd.h) and the
#   time of day.
# No source includes another source.
# Usage: include_rules_test.sh [FOLDER]: the folder that contains gpu/, ext/ and examples/. Without FOLDER the test first
# checks that it finds violations planted in copies, and then reads this project.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/folders.sh
. "$here/folders.sh"
PUBLIC="cells.h gpugraph.h gpugraph_dynamic.h gpugraph_parts.h gpugraph_types.h team.h brief_lock.h hash.h mutex.h platform.h"

# Each line: a file, and the header that it names, quoted or in angle brackets.
includes() {
    # shellcheck disable=SC2016 # the program's own dollars
    find gpu ext examples -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) |
        sort | xargs awk '/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
            header = $0; sub(/^[^<"]*/, "", header); sign = substr(header, 1, 1)
            sub(/^[<"]/, "", header); sub(/[>"].*/, "", header)
            print FILENAME, sign, header
        }'
}

check() {
    includes | awk -v gpu_folders="$GPU_FOLDERS" -v ext_folders="$EXT_FOLDERS" -v public="$PUBLIC" '
        BEGIN {
            n = split(gpu_folders, name, " "); for (i = 1; i <= n; i++) rank["gpu/" name[i]] = i
            n = split(ext_folders, name, " "); for (i = 1; i <= n; i++) rank["ext/" name[i]] = i
            n = split(public, name, " "); for (i = 1; i <= n; i++) is_public[name[i]] = 1
        }
        function there(path, line) {
            if (path in opens) return opens[path]
            opens[path] = (getline line < path) >= 0
            close(path)
            return opens[path]
        }
        function refuse(why) { print $1 " includes " $3 ": " why; bad = 1 }
        {
            split($1, part, "/"); area = part[1]; header = $3
            folder = $1; sub(/\/[^\/]*$/, "", folder)
            layer = part[3] == "" ? area : area "/" part[2]
            if (layer != area && area != "examples" && !(layer in rank)) { refuse("no folder of that name is in the list"); next }
            if (header ~ /\.(c|cu|cpp)$/) { refuse("a source is not included"); next }
            if (header ~ /^(cuda.*|cub\/.*|cooperative_groups.*|thrust\/.*)$/ || header ~ /\.cuh$/)
                if (area != "gpu" || $1 ~ /\.c$/) { refuse("this side knows nothing of CUDA"); next }
            if (header ~ /^sqlite3/ && area == "gpu") { refuse("gpu/ knows nothing of SQLite"); next }
            if (!(folder == "gpu/base/platform" || folder ~ /^gpu\/distributed/ || area == "examples") &&
                (header ~ /^(pthread|sched|dlfcn|fcntl|signal)\.h$/ || header ~ /^(linux\/.*|sys\/(mman|random|syscall)\.h)$/ ||
                 (area == "gpu" && header ~ /^(time\.h|unistd\.h|sys\/.*)$/)))
                { refuse("platform.h stands for the operating system"); next }
            if ($2 != "\"") next
            if (header ~ /\.\./) { refuse("a header is named by its folder"); next }
            if (header !~ /\// && there(folder "/" header)) next # in its own folder
            if (area == "examples") {
                if (!is_public[header] && header !~ /^(gpugraph_extension|sqlite3)\.h$/)
                    refuse("examples use public headers")
                next
            }
            if (area == "ext" && is_public[header]) next
            if (there(area "/" header)) {
                if (header !~ /\//) next # the top
                split(header, part, "/"); other = area "/" part[1]
                if (other == layer) next
                if (!(other in rank)) refuse("no folder of that name is in the list")
                else if (layer == area && rank[other] > 1) refuse("the top includes only the lowest folder")
                else if (layer != area && rank[other] > rank[layer]) refuse("that folder is above this one")
                next
            }
            if (layer == "ext/mpi" && there("gpu/" header)) next
            if (area == "ext" && there("gpu/" header)) refuse("ext/ knows nothing of the inside of gpu/")
        }
        END { exit bad }'
}

# Each line: a file, and a header of this project that it includes, both by their paths.
steps() {
    includes | while read -r file sign header; do
        [ "$sign" = '"' ] || continue
        for there in "${file%/*}/$header" "${file%%/*}/$header" "gpu/$header"; do
            [ -e "$there" ] && echo "$file $there" && break
        done
    done
}

# tsort names the files of a cycle.
no_circles() {
    steps | tsort 2>&1 >/dev/null | awk '{ print "a circle of include lines: " $0 } END { exit NR > 0 }'
}

if [ $# -gt 0 ]; then
    cd "$1"
    check
    no_circles
    exit
fi
cd "$here/.."
check
no_circles

# Each violation, planted alone in a copy, is found.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
planted() {
    rm -rf "$copy/x" && mkdir "$copy/x" && cp -r gpu ext examples "$copy/x/"
    echo "$2" >>"$copy/x/$1"
    if "$here/include_rules_test.sh" "$copy/x" >"$copy/said"; then
        echo "planted in $1, and not found: $2"
        exit 1
    fi
    [ "$(wc -l <"$copy/said")" = 1 ] || { cat "$copy/said" && exit 1; }
}
planted gpu/base/run.c '#include "bfs/bfs.h"'
planted gpu/graph/csr.c '#include "sssp/choice/choice.h"'
planted gpu/graph/csr.c '#include "../ids/ids.h"'
planted gpu/graph_data.h '#include "bfs/bfs.h"'
planted gpu/graph/csr.c '#include <sqlite3.h>'
planted gpu/graph/csr.c '#include "device/cuda.cuh"'
planted gpu/graph/csr.c '#include "order.c"'
planted gpu/graph/csr.c '#include <unistd.h>'
planted ext/entry/extension.c '#include <pthread.h>'
planted ext/entry/extension.c '#include "graph_data.h"'
planted ext/entry/extension.c '#include <cuda_runtime.h>'
planted examples/embed.c '#include "graph_data.h"'

rm -rf "$copy/x" && mkdir "$copy/x" && cp -r gpu ext examples "$copy/x/"
echo '#include "gpugraph.h"' >>"$copy/x/gpu/gpugraph_dynamic.h"
if "$here/include_rules_test.sh" "$copy/x" >"$copy/said"; then
    echo "planted, and not found: a circle of two headers"
    exit 1
fi
grep -q "circle.*gpugraph_dynamic.h" "$copy/said"
