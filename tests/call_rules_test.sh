#!/bin/sh
# Checks calls between folders by the symbols of object files: no object of gpu/ needs a symbol that a folder above its own
# (folders.sh) or ext/ defines, and no object of ext/ needs a symbol of a folder above its own. So the test also finds an upward
# call through a local declaration, which no include line shows.
# no_cuda.c replaces the .cu files of every folder, and no_distributed.c the folder distributed: their symbols are not
# checked. A descriptor names its side in distributed: gg_NAME_distributed.
# Usage: call_rules_test.sh [FOLDER]: the folder with the objects, gpu/FOLDER/NAME.c.o, NAME.cu.o and ext/.... Without FOLDER
# the test first checks that it finds violations planted in a copy, and then reads the build in GPUGRAPH_BUILD.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/folders.sh
. "$here/folders.sh"

check() {
    find gpu ext -name '*.o' | sort | xargs nm -A -g | awk -v gpu_folders="$GPU_FOLDERS" -v ext_folders="$EXT_FOLDERS" '
        BEGIN {
            n = split(gpu_folders, name, " "); for (i = 1; i <= n; i++) rank["gpu/" name[i]] = i
            n = split(ext_folders, name, " "); for (i = 1; i <= n; i++) rank["ext/" name[i]] = i
        }
        # The top of an area is above its folders, and ext/ is above gpu/.
        function height(file, part) {
            split(file, part, "/")
            return (part[1] == "ext") * 1000 + (part[3] == "" ? 999 : rank[part[1] "/" part[2]])
        }
        {
            file = $1; sub(/:.*/, "", file)
            symbol = $NF
            if (file ~ /\/no_(cuda|distributed)\.c\.o$/) {
                if ($(NF - 1) != "U") stands[symbol] = 1
            } else if ($(NF - 1) == "U") {
                uses++; user[uses] = file; used[uses] = symbol
            } else if ($(NF - 1) ~ /^[A-Zu]$/ && (!(symbol in lowest) || height(file) < height(lowest[symbol])))
                lowest[symbol] = file
        }
        END {
            for (i = 1; i <= uses; i++)
                if (!(used[i] in stands) && used[i] !~ /^gg_[a-z]+_distributed$/ && used[i] in lowest && height(user[i]) < height(lowest[used[i]])) {
                    print user[i] " needs " used[i] ", which is in " lowest[used[i]] ": that folder is above this one"
                    bad = 1
                }
            if (!uses) { print "no object files"; bad = 1 }
            exit bad
        }'
}

# The header of each function: "gpu/FOLDER/NAME.h function".
declarations() {
    # shellcheck disable=SC2016 # the program's own dollars
    (cd "$1" && find gpu -name '*.h' | sort | xargs awk '/^[a-z]/ && !/^(static|typedef|extern)/ &&
        match($0, /(gg|gpugraph)_[a-z_0-9]+\(/) { print FILENAME, substr($0, RSTART, RLENGTH - 1) }')
}

# Compares headers of the folder $1 with the objects here.
check_headers() {
    {
        find gpu -name '*.o' ! -name 'no_cuda.*' | sort | xargs nm -A -g --defined-only |
            sed -n 's/^\([^:]*\):[0-9a-f]* [A-Z] \(g[^ ]*\)$/object \1 \2/p'
        declarations "$1" | sed 's/^/header /'
    } | awk '
        function folder_of(file, part) { split(file, part, "/"); return part[3] == "" ? "" : part[2] }
        $1 == "object" { at[$3] = $2; next }
        !($3 in at) { next }
        folder_of($2) == "" && ($2 ~ /(gpugraph[a-z_]*|cells)\.h$/ || $2 ~ /\/algorithm\.h$/ || folder_of(at[$3]) == "base") { next }
        folder_of($2) != folder_of(at[$3]) { print $2 " declares " $3 ", which is in " at[$3]; bad = 1 }
        END { exit bad }'
}

if [ $# -gt 0 ]; then
    cd "$1"
    check
    exit
fi

# Lists the objects with existing sources: an old build keeps the object of a moved or deleted source.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
link() {
    (cd "$1" && find "$2" -name '*.o') | while read -r object; do
        [ -e "$here/../${object%.o}" ] || continue
        mkdir -p "$copy/${object%/*}"
        ln -s "$1/$object" "$copy/$object"
    done
}
link "$GPUGRAPH_BUILD/CMakeFiles/gpugraph_graph.dir" gpu
link "$GPUGRAPH_BUILD/CMakeFiles/gpugraph_embedded.dir" ext
"$here/call_rules_test.sh" "$copy"
cd "$copy"
check_headers "$here/.."
mkdir -p "$copy/planted/gpu/base"
echo 'void gg_enter_graph(void);' >"$copy/planted/gpu/base/planted.h"
if check_headers "$copy/planted" >"$copy/said"; then
    echo "planted, and not found: a header that declares a function of another folder"
    exit 1
fi
rm -r "$copy/planted"

# Makes an object that calls a function: plant OBJECT FUNCTION.
plant() {
    printf 'void %s(void);\nvoid gg_planted(void);\nvoid gg_planted(void) { %s(); }\n' "$2" "$2" |
        ${CC:-cc} -x c -c - -o "$copy/$1"
}
refused() {
    plant "$1" "$2"
    if "$here/call_rules_test.sh" "$copy" >"$copy/said"; then
        echo "planted in $1, and not found: $2"
        exit 1
    fi
    if ! grep -q "^$1 needs $2," "$copy/said" || [ "$(wc -l <"$copy/said")" != 1 ]; then
        cat "$copy/said"
        exit 1
    fi
    rm "$copy/$1"
}
refused gpu/base/planted.c.o gpugraph_bfs
refused gpu/graph/planted.c.o gpugraph_method_at
refused gpu/bfs/planted.c.o sqlite3_gpugraph_init
plant gpu/registry/planted.c.o gpugraph_bfs
"$here/call_rules_test.sh" "$copy"
