#!/usr/bin/env python3
"""Makes docs/c_api.md from the comments and declarations of the public headers.

    docs/make_c_api.py            writes the page
    docs/make_c_api.py --check    says whether the page is up to date, and what differs

A header is a run of pieces, each a comment and the declarations that it is about, which become an entry of the page. A
comment that opens with a rule of dashes is a section. Lines that are indented by four spaces or more are drawings.
"""

import difflib
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent
HEADERS = ("gpugraph.h", "gpugraph_types.h", "gpugraph_dynamic.h", "gpugraph_parts.h")
PAGE = DOCS / "c_api.md"
OPENING = """# C API

Made from the public headers by `docs/make_c_api.py`: change the comments there. [Embedding](embedding.md) says how to
compile and link; [`examples/graph.c`](../examples/graph.c) is a whole program.
"""


def pieces(text):
    """Splits a header where a line is empty, and before a comment, outside of braces and comments."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n|#pragma [^\n]*\n", "", text, flags=re.S)
    depth, in_comment, piece = 0, False, []
    for line in text.split("\n"):
        outside = not depth and not in_comment
        if outside and piece and (not line.strip() or line.startswith("/*")):
            yield "\n".join(piece)
            piece = []
        if line.strip():
            piece.append(line)
        elif piece:
            piece.append("")
        in_comment = "*/" not in line if "/*" in line else in_comment and "*/" not in line
        code = re.sub(r"/\*.*?\*/", "", line)
        depth += code.count("{") - code.count("}") if not in_comment else 0
    if piece:
        yield "\n".join(piece)


def split(piece):
    """The comment that a piece opens with, as lines without its marks, and the rest."""
    found = re.match(r"/\*(.*?)\*/\n?", piece, re.S)
    if not found:
        return [], piece
    lines = [re.sub(r"^\*\* ?", "", line).rstrip() for line in found.group(1).split("\n")]
    lines[0] = lines[0].strip()
    return lines, piece[found.end() :]


def prose(lines):
    """Comment lines as paragraphs; what is indented as a drawing."""
    out, drawing = [], False
    for line in lines:
        indented = line.startswith("    ")
        if indented and not drawing:
            out += ["", "```text"]
        if drawing and not indented and line:
            out += ["```", ""]
        drawing = indented or (drawing and not line)
        if not drawing:
            line = re.sub(r"\b(gpugraph_\w+|GPUGRAPH_\w+)", r"`\1`", line.replace("*", r"\*"))
        out.append(line)
    if drawing:
        out.append("```")
    text = "\n".join(out).strip("\n")
    return re.sub(r"\n+```$", "\n```", re.sub(r"\n{3,}", "\n\n", re.sub(r"\n+```\n", "\n```\n", text)), flags=re.M)


def names(code):
    """What a piece declares, in order."""
    code = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    if re.search(r"^#define", code, re.M):
        return re.findall(r"^#define (\w+)", code, re.M)
    bare = re.sub(r"\{.*?\}", "{}", code, flags=re.S)
    return re.findall(r"(?:\{\} |^typedef struct \w+ )(\w+);", bare, re.M) + re.findall(r"\b(gpugraph_\w+)\s*\((?!\*)", bare)


def section(lines):
    """A section's title, and what it says."""
    if lines[0].strip("-"):
        title, rest = lines[0].strip("- "), "\n".join(lines[1:])
    else:
        title, _, rest = re.match(r"(.*?)([.:] ?)((?s:.*))", "\n".join(lines[1:])).groups()
    rest = rest.strip("\n")
    return title[:1].upper() + title[1:], rest[:1].upper() + rest[1:]


def entries(path):
    """Markdown of one header."""
    text = path.read_text(encoding="utf-8")
    guard = re.search(r"#ifndef (GPUGRAPH_\w+)\n", text).group(1)
    for piece in pieces(text):
        lines, code = split(piece)
        code = re.sub(rf"^#(ifndef|define) {guard}\n?|^#(include|endif).*\n?", "", code, flags=re.M).strip("\n")
        if lines and lines[0].startswith("-"):
            title, rest = section(lines)
            yield f"## {title}\n" + (f"\n{prose(rest.split(chr(10)))}\n" if rest else "")
            lines = []
        if code:
            title = ", ".join(f"`{name}`" for name in names(code))
            yield f"### {title}\n\n" + (f"{prose(lines)}\n\n" if lines else "") + f"```c\n{code}\n```\n"
        elif lines and not piece.startswith("#"):
            yield f"{prose(lines)}\n"


def page():
    parts = [OPENING]
    for header in HEADERS:
        (path,) = (DOCS.parent / "gpu").rglob(header)
        parts.append(f"# {header}\n")
        parts += [part for part in entries(path) if part]
    return "\n".join(parts)


def main():
    made = page()
    if "--check" not in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    differences = list(difflib.unified_diff(
        PAGE.read_text(encoding="utf-8").splitlines(), made.splitlines(), "docs/c_api.md", "the headers", lineterm=""))
    if differences:
        print("\n".join(differences), "\ndocs/make_c_api.py writes the page again", sep="\n")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main())
