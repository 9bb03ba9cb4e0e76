#!/bin/sh
# figures_test.sh [ROOT]: compares figures. The figures of README.md must occur in docs/performance.md, and the figures of
# performance.md on the lab pages that it names.
#
#   README.md "How fast"     a table row: some row with the same first cell has all its numbers;
#                            a time in the text: it occurs on the page
#   performance.md, "## "    a table row: each number occurs on one of the lab pages that the section links to
#
# performance.md has at most 150 lines.
set -eu
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}

awk -v docs="$root/docs/" '
    # Adds the numbers of a text to a set; returns their count.
    function numbers(text, set, n) {
        while (match(text, /[0-9]+(,[0-9][0-9][0-9])*([.][0-9]+)?/)) {
            set[substr(text, RSTART, RLENGTH)]
            text = substr(text, RSTART + RLENGTH)
            n++
        }
        return n
    }
    # Adds the numbers behind the first cell of a row, its name.
    function figures(line, set) {
        split("", set)
        sub(/^\|[^|]*/, "", line)
        return numbers(line, set)
    }
    function complain(what) {
        print FILENAME ": " what
        bad = 1
    }
    function check_section(n) {
        if (labs > 0)
            for (n in shown)
                if (!(n in measured))
                    complain(n " in " section " is on none of its lab pages")
        split("", shown)
        split("", measured)
        labs = 0
    }

    # performance.md
    FNR == NR && /^## / {
        check_section()
        section = $0
    }
    FNR == NR && /^\|/ {
        split($0, cell, "|")
        row[cell[2], rows[cell[2]]++] = $0
        compared += figures($0, here)
        for (n in here)
            shown[n]
    }
    FNR == NR {
        text = $0
        while (match(text, /\(lab\/[a-z_]+[.]md/)) {
            page = docs substr(text, RSTART + 1, RLENGTH - 1)
            text = substr(text, RSTART + RLENGTH)
            while ((getline line <page) > 0)
                numbers(line, measured)
            close(page)
            labs++
        }
        numbers($0, known)
        lines++
        next
    }

    # README.md
    FNR == 1 { check_section() }
    /^## / { inside = /^## How fast/; next }
    inside && /^\| *`/ {
        split($0, cell, "|")
        compared_here += figures($0, here)
        for (i = agree = 0; i < rows[cell[2]] && !agree; i++) {
            figures(row[cell[2], i], there)
            agree = 1
            for (n in here)
                if (!(n in there))
                    agree = 0
        }
        if (!agree)
            complain("docs/performance.md has no row" cell[2] "with all the figures of" $0)
    }
    inside && !/^\|/ {
        text = $0
        while (match(text, /[0-9][0-9.,]* (s|ms)[^a-z]/)) {
            split(substr(text, RSTART, RLENGTH), word, " ")
            compared_here++
            if (!(word[1] in known))
                complain(word[1] " " word[2] " is not in docs/performance.md")
            text = substr(text, RSTART + RLENGTH)
        }
    }
    END {
        if (compared < 100 || compared_here < 10)
            complain("only " compared + 0 " and " compared_here + 0 " figures were found")
        if (lines > 150)
            complain("docs/performance.md has " lines " lines; one page has 150")
        exit bad
    }' "$root/docs/performance.md" "$root/README.md"
