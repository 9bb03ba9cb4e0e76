#!/bin/sh
# The page that docs/make_c_api.py generates from the public headers has an entry for every
# public function and type.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
command -v python3 >/dev/null || {
    echo "skipped: there is no python3"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$root/docs/make_c_api.py" >"$work/page"

# A function's declaration starts at the margin; a type's name ends its definition.
find "$root/gpu" -name 'gpugraph*.h' -exec sed -n \
    -e 's/^[a-z].*[ *]\(gpugraph_[a-z0-9_]*\)(.*/\1/p' \
    -e 's/^\(typedef .* \|} \)\(gpugraph_[a-z0-9_]*\);.*/\2/p' {} + | sort -u >"$work/names"
[ "$(wc -l <"$work/names")" -gt 80 ] || {
    echo "only $(wc -l <"$work/names") names were found in the public headers"
    exit 1
}
status=0
while read -r name; do
    grep -q "^### .*\`$name\`" "$work/page" || {
        echo "the page has no entry for $name"
        status=1
    }
done <"$work/names"
exit $status
