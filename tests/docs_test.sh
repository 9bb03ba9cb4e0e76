#!/bin/sh
# docs_test.sh PAGE.md: runs a page's examples. Every ```sql block is fed, in order, to one sqlite3 shell
# with gpugraph loaded and an empty database. If a bare ``` block follows next on the page, the sql block must
# print exactly this, including errors. A ```text block is not compared: it has times, and output that
# differs between machines. Links must lead to existing files and headings. A source or C function that
# the page names in backquotes (`gpu/platform.h`, `gg_choose()`) must exist.
# A line of a ```c block must occur in a program under examples, a public header, or the smallest algorithm,
# degrees. The shell runs in a folder that has build and examples, like the project's.
set -eu
page=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
tests=$(cd "$(dirname "$0")" && pwd)
build=${GPUGRAPH_BUILD:-$tests/../build}
# shellcheck source=/dev/null
. "$tests/sqlite_shell.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Splits the page: script receives the sql, with a printed mark after each block; expect/N has the expected
# output of block N.
mkdir "$work/expect" "$work/printed"
ln -s "$(cd "$build" && pwd)" "$work/build"
ln -s "$tests/../examples" "$work/examples"
awk -v work="$work" '
    BEGIN { script = work "/script"; printf "" >script }
    inside == "sql" && /^```/ {
        inside = ""; after = 1; print ".print @@" blocks >script; next
    }
    inside == "sql" { print >script; next }
    inside == "out" && /^```/ { inside = ""; close(expect); next }
    inside == "out" { print >expect; next }
    inside == "skip" { if (/^```/) inside = ""; next }
    /^```sql *$/ { inside = "sql"; blocks++; after = 0; next }
    /^``` *$/ && after {
        inside = "out"; after = 0; expect = work "/expect/" blocks; printf "" >expect; next
    }
    /^```/ { inside = "skip"; after = 0; next }
    /[^ ]/ { after = 0 }' "$page"
status=0
# The anchors of a page's headings, as GitHub makes them.
anchors() {
    # shellcheck disable=SC2016 # backticks for sed
    sed -n '/^```/,/^```/d; s/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}
# shellcheck disable=SC2013 # links have no spaces
for link in $(grep -o '](\([^):]*\))' "$page" | sed 's/^](//; s/)$//' | sort -u); do
    file=$(dirname "$page")/${link%%#*}
    [ "${link%%#*}" ] || file=$page
    [ -e "$file" ] || {
        echo "$(basename "$page") links to $link, which does not exist"
        status=1
        continue
    }
    case $link in
    *.md#* | '#'*)
        anchors "$file" | grep -qxF -- "${link#*#}" || {
            echo "$(basename "$page") links to $link, and there is no such heading"
            status=1
        }
        ;;
    esac
done
# shellcheck disable=SC2013,SC2016 # names have no spaces; backquotes for grep
for name in $(grep -o '`\(gpu\|ext\|sql\|tests\|examples\|docs\)/[A-Za-z0-9_./-]*`' "$page" | tr -d '`' | sort -u); do
    case $name in
    *NAME* | *cores*) ;;
    *)
        [ -e "$tests/../$name" ] || {
            echo "$(basename "$page") names $name, which does not exist"
            status=1
        }
        ;;
    esac
done
# shellcheck disable=SC2013,SC2016
for name in $(grep -o '`[a-z0-9_]*()`' "$page" | tr -d '`()' | sort -u); do
    grep -rqE "\\b$name\\(" "$tests/../gpu" "$tests/../ext" || {
        echo "$(basename "$page") names $name(), which does not exist"
        status=1
    }
done
# A walk is a row "| `function()` | `folder/` |", with the folder or file of the function. The walk of an inserted row names
# at most twelve files.
# shellcheck disable=SC2016 # backquotes for sed
sed -n 's/^| `\([a-z0-9_]*\)()` | `\([a-z_./]*\)` |.*/\1 \2/p' "$page" >"$work/walk"
while read -r name folder; do
    grep -rqE "^[a-z].*\\b$name\\(" "$tests/../$folder" || {
        echo "$(basename "$page") says that $name() is in $folder"
        status=1
    }
done <"$work/walk"
[ "$(grep -c '[.]c$' "$work/walk")" -le 12 ] || {
    echo "$(basename "$page"): the walk of an inserted row enters more than twelve files"
    status=1
}
awk '
    function bare(text) {
        gsub(/\/\*[^*]*\*\//, "", text)
        gsub(/[ \t\n]/, "", text)
        return text
    }
    FILENAME != page { source = source $0 "\n"; next }
    FNR == 1 { known = bare(source) }
    /^```/ { inside = /^```c *$/; next }
    inside && (line = bare($0)) != "" && line !~ /^(\/?\*\*?|#include)/ && !index(known, line) {
        print "no example, public header or degrees has the line " $0
        bad = 1
    }
    END { exit bad }' page="$page" "$tests"/../examples/*.c "$tests"/../gpu/gpugraph*.h \
    "$tests"/../gpu/degrees/degrees.[ch] "$tests"/../ext/table_function/degrees.c "$page" || status=1
[ -s "$work/script" ] || exit $status

cd "$work"
{
    echo ".load build/gpugraph"
    echo ".mode box"
    cat script
} | { sqlite_shell -batch -init /dev/null :memory: 2>&1 ||
    [ $? -lt 128 ] || echo "the shell crashed"; } |
    sed 's/ near line [0-9]*//' |
    awk 'BEGIN { n = 1 } /^@@/ { n++; next } { print >("printed/" n) }'

for expected in expect/*; do
    [ -e "$expected" ] || break
    number=${expected#expect/}
    touch "printed/$number"
    diff -u --label "$(basename "$page") says (sql block $number)" --label "the shell printed" \
        "$expected" "printed/$number" || status=1
done
exit $status
