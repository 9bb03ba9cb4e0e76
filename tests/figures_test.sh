#!/bin/sh
# README's figures are those of docs/performance.md. Each row of a table under "How fast" must have a row there that
# opens with the same cell and holds all its numbers; each time that the text names must stand there, too.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
readme=${1:-$root/README.md}
performance=${2:-$root/docs/performance.md}

awk -v performance="$performance" '
    # The numbers of a text, as a set; returns how many there are.
    function numbers(text, set, n) {
        n = 0
        split("", set)
        while (match(text, /[0-9][0-9,]*([.][0-9]+)?/)) {
            set[substr(text, RSTART, RLENGTH)]
            text = substr(text, RSTART + RLENGTH)
            n++
        }
        return n
    }
    function complain(what) {
        print "README.md: " what
        bad = 1
    }
    BEGIN {
        while ((getline line < performance) > 0) {
            if (line ~ /^\|/) {
                split(line, cell, "|")
                row[cell[2], rows[cell[2]]++] = line
            }
            all = all " " line
        }
        numbers(all, known)
    }
    /^## / { inside = /^## How fast/; next }
    !inside { next }
    /^\| *`/ {
        split($0, cell, "|")
        compared += numbers(substr($0, length(cell[2]) + 3), here)
        for (i = agree = 0; i < rows[cell[2]] && !agree; i++) {
            numbers(row[cell[2], i], there)
            agree = 1
            for (n in here)
                if (!(n in there))
                    agree = 0
        }
        if (!agree)
            complain("docs/performance.md has no row" cell[2] "with all the figures of" $0)
        next
    }
    !/^\|/ {
        text = $0
        while (match(text, /[0-9][0-9.,]* (s|ms)[^a-z]/)) {
            split(substr(text, RSTART, RLENGTH), word, " ")
            compared++
            if (!(word[1] in known))
                complain(word[1] " " word[2] " is not in docs/performance.md")
            text = substr(text, RSTART + RLENGTH)
        }
    }
    END {
        if (compared < 10)
            complain("only " compared + 0 " figures under \"How fast\"")
        exit bad
    }' "$readme"
