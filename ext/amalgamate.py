#!/usr/bin/env python3
"""Writes all of gpugraph, CPU backend, as one C file.

    cmake --build build --target gpugraph_amalgamation        writes build/gpugraph.c
    ext/amalgamate.py MADE OUT                                MADE: the folder of headers that the build makes

    cc -O2 -fPIC -shared gpugraph.c -o gpugraph.so -lpthread -lm        a file for .load
    cc -O2 -DSQLITE_CORE -c gpugraph.c                                  a part of a program that carries SQLite

Sources follow one another, each header before the first source that needs it. Later sources see the static names of a
source, so a name that another source or a header also has gets the source's name as a suffix.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">].*$')
# Comments, strings and characters, which stay; members, whose names belong to their struct; tags; names.
TOKENS = re.compile(
    r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?:\.|->)\s*[A-Za-z_]\w*|(?:struct|enum|union) \w+|[A-Za-z_]\w*',
    re.S)
# Declarations begin at the start of a line. The sources are formatted, so an indented line is inside a declaration.
LOCAL = [
    re.compile(r"^(?:static|INLINE) [^;={()]*?\b([A-Za-z_]\w*)\s*(?:\(|=|;|\[)", re.M),
    re.compile(r"^typedef [^;{]*?\b([A-Za-z_]\w*);", re.M),
    re.compile(r"^typedef [^;{]*?\(\*?([A-Za-z_]\w*)\)\(", re.M),
    re.compile(r"^static [^;={()]*\(\*([A-Za-z_]\w*)\)", re.M),
    re.compile(r"^\} ([A-Za-z_]\w*)(?:;|\[| =)", re.M),
]
TAG = re.compile(r"^(?:static |const |typedef )*((?:struct|enum|union) [A-Za-z_]\w*) \{", re.M)
BODY = re.compile(r"^(?:static |const |typedef )*struct[^;({=]*\{\n.*?^\}", re.M | re.S)
MEMBER = re.compile(r"\s*[;,\[:)]")
MACRO = re.compile(r"^#define ([A-Za-z_]\w*)", re.M)
ENUM = re.compile(r"^(?:typedef |static )?enum(?: \w+)? \{(.*?)\}", re.M | re.S)
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\) ?|\b_Noreturn ")
OPENING = """/* gpugraph {version}, the CPU backend, as one file, made by ext/amalgamate.py. Its sources have
** its documentation, its licence (MIT) and instructions for changes.
**
**     cc -O2 -fPIC -shared gpugraph.c -o gpugraph.so -lpthread -lm
**     cc -O2 -DSQLITE_CORE -c gpugraph.c       in a program that carries SQLite: call sqlite3_gpugraph_init */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
"""
# Products and sums are rounded separately (gpu/pagerank/steps.h), also on processors with fused operations.
HIDDEN = """
#if defined(__GNUC__) && !defined(__clang__) && (defined(__FMA__) || !defined(__x86_64__))
#pragma GCC optimize("fp-contract=off")
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#pragma GCC visibility push(hidden)
/* For a shared file that is compiled without -fPIC by a compiler that makes position-independent programs. */
#define __thread __thread __attribute__((tls_model("global-dynamic")))
/* The C library has functions of these names. */
#define clone gpugraph_clone_here
#define splice gpugraph_splice
"""
KEYWORDS = {"void", "int", "bool", "else"}
ENTRY = """struct gpugraph_arrays;
__attribute__((visibility("default"))) const struct gpugraph_arrays *gpugraph_take_arrays(sqlite3_int64 number);
__attribute__((visibility("default"))) void gpugraph_free_arrays(const struct gpugraph_arrays *arrays);
__attribute__((visibility("default"))) int sqlite3_gpugraph_init(
    sqlite3 *db, char **error, const struct sqlite3_api_routines *api);
"""


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def local_names(text):
    """Names that a source declares for itself."""
    bare = ATTRIBUTE.sub("", without_comments(text))
    found = {name for pattern in LOCAL + [TAG] for name in pattern.findall(bare)}
    for body in ENUM.findall(bare):
        found.update(re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", body))
    return found - KEYWORDS


class Amalgamation:
    def __init__(self, made):
        self.folders = [ROOT / "gpu", ROOT / "ext", made]
        self.sources = sorted(path for area in ("gpu", "ext") for path in (ROOT / area).rglob("*.c")
                              if path.name != "no_distributed.c" and path.parent != ROOT / "ext/mpi")
        self.texts = {path: path.read_text(encoding="utf-8") for path in self.sources}
        headers = [path for folder in self.folders for path in folder.rglob("*.h")]
        self.in_headers = set()
        for path in headers:
            bare = without_comments(path.read_text(encoding="utf-8"))
            self.in_headers.update(re.findall(r"[A-Za-z_]\w*", bare) + TAG.findall(bare))
        self.locals = {path: local_names(text) for path, text in self.texts.items()}
        # struct plan and enum plan are one tag to C
        self.count = collections.Counter(
            re.sub(r"^\w+ ", "tag ", name) for names in self.locals.values() for name in names)
        self.system, self.given, self.out = [], set(), []

    def find(self, name, path):
        for folder in [path.parent] + self.folders:
            if (folder / name).is_file():
                return (folder / name).resolve()
        sys.exit(f"{path} includes {name}, which is nowhere")

    def renamed(self, path, text):
        stem = "__" + "_".join(path.relative_to(ROOT).with_suffix("").parts[1:])
        change = {name for name in self.locals[path] if self.count[re.sub(r"^\w+ ", "tag ", name)] > 1 or name in self.in_headers}

        bodies = [match.span() for match in BODY.finditer(text)]

        def is_member(match):
            inside = any(start < match.start() < end for start, end in bodies)
            return inside and MEMBER.match(text, match.end())

        def settle(match):
            token = match.group()
            return token + stem if token in change and not is_member(match) else token

        return TOKENS.sub(settle, text)

    def add_header(self, header, source):
        """Adds a header. A header without a guard is a part of the source that includes it."""
        text = header.read_text(encoding="utf-8")
        once = re.search(r"^#ifndef (\w+)\n#define \1\n", text, re.M)
        if header in self.given and once:
            return
        self.given.add(header)
        self.add(header, text if once else self.renamed(source, text), source)

    def add(self, path, text, source):
        """Adds the lines of a file. Headers replace their include lines."""
        lines, conditions = text.split("\n"), []
        guard = re.match(r"\s*#ifndef \w+\n#define \w+\n", without_comments(text))
        for number, line in enumerate(lines):
            if re.match(r"#\s*if", line):
                conditions.append(line)
            elif re.match(r"#\s*endif", line):
                conditions.pop()
            include = INCLUDE.match(line)
            if include and include.group(1) == "<":
                self.keep_system(include.group(2), conditions[1 if guard else 0 :])
            elif include:
                self.add_header(self.find(include.group(2), path), source)
            elif not re.match(r"GPUGRAPH_(BEGIN|END)_DECLS|#pragma GCC visibility|#define _(GNU|POSIX_C)_SOURCE|SQLITE_EXTENSION_INIT3", line):
                self.out.append(line)

    def keep_system(self, name, conditions):
        line = f"#include <{name}>"
        if conditions and not name.startswith("sqlite3"):
            line = f"#if __has_include(<{name}>)\n{line}\n#endif"
        if line not in self.system and not name.startswith("sqlite3"):
            self.system.append(line)

    def write(self, out):
        for path in self.sources:
            self.out.append(f"\n/* ---- {path.relative_to(ROOT)} ---- */")
            text = self.renamed(path, self.texts[path])
            self.add(path, text, path)
            macros = set(MACRO.findall(text)) - {"_GNU_SOURCE", "_POSIX_C_SOURCE"}
            self.out += [f"#undef {name}" for name in sorted(macros)]
        version = re.search(r'GPUGRAPH_VERSION "(.*?)"', (ROOT / "gpu/gpugraph.h").read_text(encoding="utf-8")).group(1)
        sqlite = "#ifdef SQLITE_CORE\n#include <sqlite3.h>\n#endif\n#include <sqlite3ext.h>\n"
        with open(out, "w", encoding="utf-8") as file:
            file.write(OPENING.format(version=version) + sqlite + "\n".join(sorted(self.system)) + HIDDEN)
            file.write(ENTRY + "SQLITE_EXTENSION_INIT3\n" + "\n".join(self.out) + "\n#pragma GCC visibility pop\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Amalgamation(pathlib.Path(sys.argv[1]).resolve()).write(sys.argv[2])
