#!/bin/sh
# lines.sh [PAGE]: prints lines of code and comments by part of the library, and the most
# that each part may have, as a table of Markdown. With PAGE, the table replaces the one in
# PAGE that starts with the same header.
#
#     tests/lines.sh docs/architecture.md
#
# A file counts for the first part whose pattern its path matches.
set -eu
cd "$(dirname "$0")/.."
header='| part | lines | at most |'
table=$(mktemp)
trap 'rm -f "$table"' EXIT

# The lines of each file, then the file's name. Names have no spaces.
sources() {
    git ls-files "$@" | grep -E '\.(c|h|cu|cuh)$' | while read -r file; do
        [ ! -f "$file" ] || echo "$(wc -l <"$file") $file"
    done
}

{
    printf '%s\n| --- | ---: | ---: |\n' "$header"
    sources gpu ext | awk '
        BEGIN {
            part("distributed execution", 10000,
                 "^ext/mpi/|^gpu/distributed/")
            part("filters", 1600,
                 "^ext/(source/filter|acquire/induced|pages/condition)")
            part("`dynamic`", 6000, "^gpu/(dynamic|slab)/")
            part("`graph`, `update`, `store`, `ids`, derived data", 11500,
                 "^gpu/(graph|update|store|ids|derived)/")
            part("`backend`, and the choice in `device`", 1200,
                 "^gpu/(backend|choose)/|^gpu/device/(course|rent|weigh|learn|model)")
            part("`sssp`", 6500, "^gpu/sssp/")
            part("`bfs`, `mis`, `dfs`", 9000, "^gpu/(bfs|mis|dfs)/")
            part("`tree`, `path`, `paths`, `matrix`, `regions`", 6000,
                 "^gpu/(tree|path|paths|matrix|regions)/")
            part("`base`, `device`, `cells`, `pack`, `registry`", 6200,
                 "^gpu/(base|device|cells|pack|registry)/")
            part("headers in `gpu` itself", "", "^gpu/[^/]*$")
            part("other algorithms", 7500, "^gpu/")
            part("`ext`", 25000, "^ext/")
        }
        function part(name, most, pattern) {
            names[++parts] = name
            budget[parts] = most
            patterns[parts] = pattern
        }
        {
            for (i = 1; i <= parts && $2 !~ patterns[i]; i++)
                ;
            lines[i] += $1
            all += $1
        }
        END {
            for (i = 1; i <= parts; i++)
                printf "| %s | %d | %s |\n", names[i], lines[i], budget[i]
            printf "| `gpu` and `ext` in all | %d | 89600 |\n", all
        }'
    sources tests | awk '{ all += $1 } END { printf "| `tests` | %d | 72000 |\n", all }'
} >"$table"

[ $# -gt 0 ] || {
    cat "$table"
    exit
}
grep -qxF "$header" "$1" || {
    echo "$1 has no table that starts with: $header"
    exit 1
}
awk -v header="$header" -v table="$table" '
    $0 == header { while ((getline line <table) > 0) print line; inside = 1 }
    inside && !/^\|/ { inside = 0 }
    !inside' "$1" >"$table.page"
cat "$table.page" >"$1"
rm "$table.page"
