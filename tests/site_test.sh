#!/bin/sh
# Builds docs/ as a site, by mkdocs in strict mode: every link and every heading in a link exists, and every page is in the
# navigation. The site loads nothing from other hosts, its search knows the pages, it contains the linked files outside docs/, and
# it has no broken link. GPUGRAPH_MKDOCS: the program, if it is not on the path.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdocs=${GPUGRAPH_MKDOCS:-$(command -v mkdocs || true)}
[ -x "$mkdocs" ] || {
    echo "skipped: there is no mkdocs (pip install mkdocs-material)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1

cd "$root"
"$mkdocs" build --strict -d "$work/site" >"$work/log" 2>&1 || {
    grep -q "not installed\|Unrecognised theme" "$work/log" && echo "skipped: there is no mkdocs-material" && exit 77
    cat "$work/log"
    exit 1
}
python3 "$root/tests/python/site_pages.py" "$work/site" "$root"

# The test can fail: a page with a broken link, and one with a broken heading.
mkdir "$work/broken"
cp -R docs mkdocs.yml README.md CONTRIBUTING.md CHANGELOG.md examples sql "$work/broken"
mkdir -p "$work/broken/gpu" "$work/broken/ext/python/datasette-gpugraph"
cp gpu/*.h "$work/broken/gpu"
cp ext/python/datasette-gpugraph/README.md "$work/broken/ext/python/datasette-gpugraph"
cd "$work/broken"
printf '\n[one](../examples/none.sql)\n[two](gpu_sssp.md#nowhere)\n' >>docs/gallery.md
"$mkdocs" build --strict -d "$work/other" >"$work/log" 2>&1 || true
grep -q "Aborted with 2 warnings" "$work/log" || {
    echo "broken links went unseen:"
    cat "$work/log"
    exit 1
}
