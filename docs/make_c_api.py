#!/usr/bin/env python3
"""Prints the page "C API", made from the comments and declarations of the public headers.

site_hooks.py adds the page to the site as c_api.html. The repository does not contain it.

A header is a sequence of pieces. A piece is a comment and the declarations that it
describes; it becomes an entry of the page. A comment that opens with a rule of dashes is a
section. Lines indented by four spaces or more are drawings.
"""

import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent
HEADERS = ("gpugraph.h", "gpugraph_types.h", "gpugraph_dynamic.h", "gpugraph_parts.h")
OPENING = """# C API

`docs/make_c_api.py` makes this page from the public headers. [Embedding](embedding.md)
says how to compile and link; [`examples/graph.c`](../examples/graph.c) is a whole program.
"""


def pieces(text):
    """Splits a header where a line is empty, and before a comment, outside of braces and comments."""
    marks = r"#ifdef __cplusplus\n.*?#endif\n|GPUGRAPH_(BEGIN|END)_DECLS\n"
    text = re.sub(marks, "", text, flags=re.S)
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
    constants = re.findall(r"^#define (\w+)", code, re.M)
    bare = re.sub(r"^#[^\n]*|\{.*?\}", "{}", code, flags=re.M | re.S)
    types = re.findall(r"(?:\{\} |^typedef struct \w+ )(\w+);", bare, re.M)
    return constants + types + re.findall(r"\b(gpugraph_\w+)\s*\((?!\*)", bare)


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


def header_paths():
    """The public headers, in the order of the page."""
    return [next((DOCS.parent / "gpu").rglob(header)) for header in HEADERS]


def page():
    parts = [OPENING]
    for path in header_paths():
        parts.append(f"# {path.name}\n")
        parts += [part for part in entries(path) if part]
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
