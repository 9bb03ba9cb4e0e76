#!/bin/sh
# prose_rules_test.sh [FILE...]: checks pages and comments against rules for plain English.
#
# Prose is the text of *.md outside of code, and the comments of .c .h .cu .cuh .cpp .sh .py .sql and .cmake files. Lines of a
# comment that are indented by four spaces or more are drawings and are not checked. Without FILE the test checks
# all files of the repository.
#
# To add a rule, add a line to RULES: a name, a place, an extended regular expression without capitals, and the form to write
# instead. Places: "start" is the start of a sentence, except of a question, or of a table cell; "ask" also includes
# questions; "any" is anywhere. Add a sentence that breaks the rule to BROKEN.
#
# A mark overrules a rule in its own paragraph or comment. It needs a reason:
#     prose: allow RULE: REASON          in Markdown <!-- prose: allow RULE: REASON -->
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."

RULES='
of-first      | start | of (it|them|that|those|these|a|an|all|any|the|two|several|both|what|which)[ ,] | the subject first: "A third of that time is", "A vertex without an SQL row has"
who-first     | start | (who|whom|whoever|whose)[ ]                      | a noun: "A thread that ..."
what-first    | start | what [a-z ,]* (is|are|has|have|was|goes|comes|hangs)[ ] | a noun: "Rows that ...", "The value that ..."
that-of-first | start | (that|those) of [a-z]                             | the noun itself
so-many       | start | so (many|much|long|far) [a-z]                     | the quantity: "A multiple of ..."
same-first    | start | the same([ ,.;:]|$)                               | the noun, or the fact itself
would-first   | ask   | (would|is|are|does|has|have) [a-z~ ]*:     | a statement: "True if ..."
where-first   | start | where [a-z]                                       | "If ..." or "When ..."
such-first    | start | such (a |an |as )?[a-z]* (is|are|has|have|takes?|goes)[ ]  | the noun itself
none-first    | start | (nothing|nobody|none) (is|are) to be              | an active sentence: "You never need to ..."
whom          | any   | (whom|whomever)                                   | "that", or a sentence of its own
whoever       | any   | (whoever|whatever hangs)                          | a noun: "A thread that ..."
of-it         | any   | of it                                             | "its ...", or the noun
is-to-be      | any   | (is|are|was|were) to be [a-z]+                    | "must be", or an active verb
turned-round  | any   | turned (round|around)                             | "transposed" or "reversed"
told          | any   | (is|are|was|were|be|been) told                    | "received" or "reported"
hang          | any   | hangs? together                                   | "is connected", "component"
spare         | any   | spare places?                                     | "slack"
roomy         | any   | (roomy|roomier)                                   | "with slack"
anew          | any   | anew                                              | "again", "rebuilt"
vain          | any   | in vain                                           | the fact: "without a result"
less-time     | any   | (takes?|took) (a|an|one|two|three) [a-z]+ less time | "N times as fast"
who-is        | any   | (him|her|he|she) who                              | a noun with "that"
nobody        | any   | (nobody|somebody|anybody|everybody)               | a noun: "no thread", "another program"
so-does       | start | (likewise|so do|so does|so is|so are|nor) [a-z]   | a sentence with a subject and a verb
letters       | any   | letters                                           | "messages"
meet          | any   | (blocks|devices|kernels|threads|warps|all) (meet|met) | "synchronise"
home          | any   | (come|comes|came|bring|brings|brought|sent) home  | "downloaded"
founding      | any   | (founding|founded)                                | "bulk build"
thereby       | any   | (thereby|therein|thereof|whereby|wherein|hereby)  | a sentence with a subject
for-ever      | any   | for ever                                          | "forever"
'

# A sentence for each rule, which the rule must find.
# shellcheck disable=SC2016 # backquotes are text
BROKEN='
of-first      | Of it a third is spent there.
who-first     | Who falls to k by that is removed.
what-first    | What edges of the batch are that the graph has.
that-of-first | That of the target is larger.
so-many       | So many times what opening usually takes.
same-first    | The same on a device.
would-first   | Would `auto` do so: is what that takes made?
where-first   | Where all are integers distances are exact.
such-first    | Such a row is skipped.
none-first    | Nothing is to be refreshed.
whom          | Rows as those read them whom padding does not mind.
whoever       | A counter below k: whoever lowers it has it put back.
of-it         | Rows and the rest of it.
is-to-be      | They are to be written again.
turned-round  | Rows are turned round.
told          | All three corners are told.
hang          | What hangs together by short roads.
spare         | Rows with spare places.
roomy         | Roomy rows.
anew          | Rows are made anew.
vain          | The thread waits in vain.
less-time     | It takes a third less time.
who-is        | He who waits.
nobody        | Nobody waits for the device.
so-does       | So does the other kernel.
letters       | The letters of one sender.
meet          | After the round all devices meet.
home          | Depths come home as bytes.
founding      | The founding of a table.
thereby       | Vertices that enter thereby.
for-ever      | It may run for ever.
'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%s\n' "$RULES" >"$work/rules"

# Prints "FILE:LINE: RULE: ..." for each breach in the named files.
check() {
    awk -v rules="$work/rules" '
        function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }
        BEGIN {
            while ((getline line <rules) > 0) {
                count = split(line, field, / +\| +/)
                if (count < 4) continue
                rule[++known] = trim(field[1]); kind[known] = trim(field[2])
                pattern[known] = trim(field[3]); advice[known] = trim(field[4])
                if (kind[known] == "any") pattern[known] = "(^|[^a-z`_])" pattern[known] "($|[^a-z_`])"
                else pattern[known] = "\001" field[3]
                named[rule[known]] = 1
            }
        }
        # A paragraph is the text since the last flush; begin[] has where each of its lines begins, number[] its number.
        function flush(  i, low, at, line, code, allowed, mark, name, reason) {
            if (text ~ /[^ ]/) {
                split("", allowed)
                mark = text
                while (match(mark, /prose: allow [a-z-]+:?[^;]*/)) {
                    name = substr(mark, RSTART + 13, RLENGTH - 13)
                    reason = name
                    sub(/:.*/, "", name); gsub(/ .*/, "", name)
                    if (!sub(/^[a-z-]+: */, "", reason) || reason ~ /^ *(-->)?$/) {
                        print FILENAME ":" number[1] ": a mark for " name " without a reason"; bad = 1
                    }
                    if (!(name in named)) { print FILENAME ":" number[1] ": no rule " name; bad = 1 }
                    allowed[name] = 1
                    mark = substr(mark, RSTART + RLENGTH)
                }
                low = text
                # Code in backquotes and HTML comments are no prose: other characters replace them.
                while (match(low, /<!--[^>]*-->/))
                    low = substr(low, 1, RSTART - 1) sprintf("%" RLENGTH "s", "") substr(low, RSTART + RLENGTH)
                while (match(low, /`[^`]*`/)) {
                    code = sprintf("%" RLENGTH "s", "")
                    gsub(/ /, "~", code)
                    low = substr(low, 1, RSTART - 1) code substr(low, RSTART + RLENGTH)
                }
                gsub(/\|/, "\001", low)
                # The blank before a sentence becomes the mark of its start.
                while (match(low, /[.!?] +[A-Z]/)) 
                    low = substr(low, 1, RSTART) "\001" substr(low, RSTART + RLENGTH - 1)
                low = tolower("\001" substr(low, 2))
                while (match(low, /\001 /))
                    low = substr(low, 1, RSTART - 1) " \001" substr(low, RSTART + 2)
                for (i = 1; i <= known; i++) {
                    if (rule[i] in allowed || !match(low, pattern[i])) continue
                    at = substr(low, RSTART)
                    if (kind[i] == "start" && substr(at, 2) ~ /^[^.!\001]*[?]/) continue
                    at = substr(at, 1, 48)
                    gsub(/\001/, "", at)
                    for (line = 1; line < lines && begin[line + 1] <= RSTART; line++) ;
                    print FILENAME ":" number[line] ": " rule[i] ": \"" trim(at) "...\"; write " advice[i]
                    bad = 1
                }
            }
            text = ""; lines = 0
        }
        function add(line) {
            number[++lines] = FNR
            begin[lines] = length(text) + 1
            text = text " " line
        }
        FNR == 1 {
            if (NR > 1) flush()
            page = FILENAME ~ /[.]md$/; script = FILENAME ~ /[.](sh|py|sql|cmake)$|CMakeLists[.]txt$/ || FILENAME ~ /^[.]ci\//
            sql = FILENAME ~ /[.]sql$/; fence = 0; inside = 0; quoted = 0
        }
        page {
            if (/^ *```/) { flush(); fence = !fence; next }
            if (fence || /^    / || /^#/ || /^[ \t]*$/ || /^\| *-/) { flush(); next }
            if (/^\|/ || /^ *[-*] / || /^[0-9]+[.] /) flush()
            line = $0
            gsub(/\]\([^)]*\)/, "]", line)
            gsub(/[*][*]|[\[\]]/, "", line)
            sub(/^ *[-*] |^[0-9]+[.] /, "", line)
            add(line)
            if (/^\|/) flush()
            next
        }
        script {
            line = $0
            if (!sql && FILENAME ~ /[.]py$/ && gsub(/"""/, "\"\"\"", line)) {
                if (quoted || gsub(/"""/, "&", line) > 1) { gsub(/"""/, "", line); add(line); flush(); quoted = 0; next }
                quoted = 1; flush(); sub(/.*"""/, "", line); add(line); next
            }
            if (quoted) { if (line ~ /^ *$|^        /) flush(); else add(line); next }
            if (!(sql ? match(line, /(^|[ \t])-- /) : match(line, /(^|[ \t])# /))) { flush(); next }
            if (RSTART > 1 && substr(line, 1, RSTART - 1) !~ /^[ \t]*$/) flush()
            comment = substr(line, RSTART + RLENGTH)
            if (comment ~ /^    / || comment ~ /^(shellcheck|SPDX|!)/) { flush(); next }
            add(comment)
            next
        }
        {
            line = $0
            if (!inside && match(line, /\/\*/)) { inside = 1; flush(); line = substr(line, RSTART + 2) }
            else if (!inside && match(line, /(^|[ \t])\/\/ /)) { flush(); add(substr(line, RSTART + RLENGTH)); flush(); next }
            else if (!inside) next
            else sub(/^[ \t]*\*\*? ?/, "", line)
            if (line ~ /^    /) { drawing = 1 } else drawing = 0
            ends = match(line, /\*\//)
            if (ends) line = substr(line, 1, RSTART - 1)
            if (drawing || line ~ /^[ \t]*$/) flush(); else { gsub(/\*\*/, "", line); add(line) }
            if (ends) { inside = 0; flush() }
        }
        END { flush(); exit bad }' "$@"
}

# Each rule finds its sentence, and a mark overrules it.
printf '%s\n' "$BROKEN" | while IFS='|' read -r name sentence; do
    name=$(echo "$name" | tr -d ' ')
    [ "$name" ] || continue
    printf '%s\n' "$sentence" | sed 's/^ //' >"$work/$name.md"
    check "$work/$name.md" >"$work/found" || true
    grep -q ": $name: " "$work/found" || echo "the rule $name does not find:$sentence"
    printf '<!-- prose: allow %s: a test -->\n' "$name" | cat - "$work/$name.md" >"$work/allowed.md"
    check "$work/allowed.md" >"$work/found" || true
    ! grep -q ": $name: " "$work/found" || echo "a mark does not overrule the rule $name"
    sed 's/: a test//' "$work/allowed.md" >"$work/unreasoned.md"
    ! check "$work/unreasoned.md" >"$work/found" || echo "a mark for $name needs no reason"
done >"$work/rules_fail"
printf '%s\n' "$RULES" | sed -n 's/^\([a-z-]*\) *|.*/\1/p' | while read -r name; do
    printf '%s\n' "$BROKEN" | grep -q "^$name *|" || echo "BROKEN has no sentence for $name"
done >>"$work/rules_fail"
# Comments of each language are prose, and code is none.
printf '/* Rows are made anew. */\nint anew;\n' >"$work/one.c"
printf '# Rows are made anew.\nanew=1\n' >"$work/one.sh"
printf -- '-- Rows are made anew.\nSELECT anew;\n' >"$work/one.sql"
printf '"""Rows are made anew."""\nanew = 1\n' >"$work/one.py"
for file in "$work"/one.*; do
    check "$file" >"$work/found" || true
    [ "$(wc -l <"$work/found")" -eq 1 ] || echo "one sentence is wrong in ${file##*/}, and not: $(cat "$work/found")"
done >>"$work/rules_fail"
if [ -s "$work/rules_fail" ]; then
    cat "$work/rules_fail"
    exit 1
fi

if [ $# -gt 0 ]; then
    check "$@"
    exit
fi
find . -type d \( -name '.?*' ! -name .ci -o -name 'build*' -o -name shared \) -prune -o -type f \( -name '*.md' -o -name '*.c' -o -name '*.h' -o \
    -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.sh' -o -name '*.py' -o -name '*.sql' -o \
    -name '*.cmake' -o -name CMakeLists.txt -o -path './.ci/*' \) -print |
    sed 's,^\./,,' | sort >"$work/files"
# shellcheck disable=SC2046 # names have no spaces
check $(cat "$work/files")
