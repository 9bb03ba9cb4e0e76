#!/bin/sh
# Static functions carry their noun, so that grep and ctags find one definition: only few names of static functions
# may occur in three files or more.
# Usage: names_test.sh [-v]: -v prints these names, and the number of files with each.
set -eu
cd "$(dirname "$0")/.."
MOST=${GPUGRAPH_MOST_NAMES:-20}
counts=$(find gpu ext -type f \( -name '*.c' -o -name '*.cu' \) | sort | while read -r file; do
    # A definition begins at the start of a line, and its parameters end before the brace.
    awk -v file="$file" '
        { text = text $0 "\n" }
        END {
            gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", text)
            n = split(text, line, "\n")
            for (i = 1; i <= n; i++) {
                head = line[i]
                if (head !~ /^(template[^;{]*> *)?static .*\(/ || head ~ /^[^(]*=/) continue
                for (j = i; head !~ /[;{]/ && j < i + 8; j++) head = head line[j + 1]
                if (head !~ /\)[ ]*\{/ || head ~ /;.*\{/) continue
                sub(/__launch_bounds__\([^)]*\)/, "", head)
                gsub(/__attribute__\(\([^)]*\)\)/, "", head)
                sub(/\(.*/, "", head); sub(/.*[ *]/, "", head)
                if (head != "" && !(head in seen)) { seen[head] = 1; print head }
            }
        }' "$file"
done | sort | uniq -c | awk '$1 >= 3 { print $1, $2 }' | sort -rn)
[ "${1:-}" != -v ] || echo "$counts"
names=$(printf '%s\n' "$counts" | grep -c . || true)
if [ "$names" -gt "$MOST" ]; then
    echo "$names names of static functions stand in three files or more, at most $MOST may: $(echo "$counts" | head -12 | paste -s -d ',' -)"
    exit 1
fi
