#!/bin/sh
# Who may include whom, read from the include lines:
#   ext/*.c          gpugraph.h, team.h, SQLite, the module's own headers; never gpu's private ones or CUDA
#   gpu/*.c          gpu's headers without cuda.cuh; never SQLite, never CUDA
#   gpu/*.cu *.cuh   the same, cuda.cuh and CUDA's own
#   examples/*.c     gpugraph.h, gpugraph_extension.h and SQLite
# and an algorithm's source never includes another source.
set -eu
cd "$(dirname "$0")/.."
status=0

# includes PATTERN...: "file: header" of every include line, quoted and angled alike
includes() {
    for file in "$@"; do
        [ -f "$file" ] || continue
        sed -n 's/^[ \t]*#[ \t]*include[ \t]*[<"]\([^>"]*\)[>"].*/\1/p' "$file" | sed "s|^|$file: |"
    done
}

# refuse RULE REGEX: the include lines on stdin that match are against the rule
refuse() {
    if lines=$(grep -E ": ($2)$"); then
        echo "$1:"
        echo "$lines"
        status=1
    fi
}

# Device data structures are written once for both sides, so *.h of gpu/ may carry CUDA's own headers.
cuda='cuda.*|cub/.*|cooperative_groups.*|thrust/.*|.*\.cuh'
# headers FOLDER: its private headers as a regular expression
headers() {
    for file in "$1"/*.h; do
        case $file in
        */gpugraph.h | */gpugraph_dynamic.h | */team.h) ;;
        *) basename "$file" ;;
        esac
    done | sed 's/\./\\./g' | paste -sd '|' -
}
gpu_private=$(headers gpu)
ext_headers=$(headers ext)

includes ext/*.c ext/*.h | refuse "ext/ knows nothing of gpu's inside" "(.*/)?($gpu_private)|gpu/.*"
includes ext/*.c ext/*.h | refuse "ext/ knows nothing of CUDA" "$cuda"
includes gpu/*.c gpu/*.cu gpu/*.cuh gpu/*.h |
    refuse "gpu/ knows nothing of SQLite and ext/" "sqlite3.*|(.*/)?($ext_headers)|ext/.*"
includes gpu/*.c | refuse "C files of gpu/ know nothing of CUDA" "$cuda"
includes gpu/* ext/* | refuse "sources are not included" '.*\.(c|cu|cpp)'
# The examples see what a user sees.
includes examples/*.c | grep -E ': .*\.h$' |
    grep -vE ': (gpugraph\.h|gpugraph_dynamic\.h|gpugraph_extension\.h|sqlite3\.h)$' |
    grep -E ': .*(gpu|ext|backend|tuning)' | refuse "examples use public headers" '.*'
exit $status
