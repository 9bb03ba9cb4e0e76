"""Completes mkdocs.yml. Pages link to files outside docs/ by their paths on the disk. The
site has copies of these files in the folder repository/.

    ../CONTRIBUTING.md     a page, with its own links followed
    ../examples/map.sql    a page that shows the file
    ../gpu/gpugraph.h      c_api.md, which make_c_api.py generates from the public headers

In the navigation a pattern stands for all pages that no other line names.
"""

import fnmatch
import os
import pathlib
import re

import make_c_api
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
C_API = "docs/c_api.md"
HEADERS = {str(path.relative_to(ROOT)) for path in make_c_api.header_paths()}
COPIES = "repository"
LANGUAGES = {".c": "c", ".h": "c", ".cu": "cuda", ".py": "python", ".sh": "bash", ".sql": "sql"}
FENCE = re.compile(r"^(```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s:#]+)(#[^()\s]*)?\)")


def place(path):
    """The site's page for a file of the repository."""
    path = C_API if path in HEADERS else path
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    # README.md of a folder would be its index, which has another address.
    page = path.replace("README.md", "about.md") if path.endswith(".md") else path + ".md"
    return f"{COPIES}/{page}"


def links(text, directory):
    """(link as written, the repository's file) of each relative link outside blocks of code."""
    for part in FENCE.split(text)[::2]:
        for link in LINK.finditer(part):
            yield link, os.path.relpath(ROOT / directory / link[1], ROOT)


def relinked(text, path):
    """The page's text, with links that hold on the site."""

    def moved(link):
        file = os.path.relpath(ROOT / os.path.dirname(path) / link[1], ROOT)
        if path.startswith("docs/") and file.startswith("docs/"):
            return link[0]
        target = os.path.relpath(place(file), os.path.dirname(place(path)))
        return f"]({target}{link[2] or ''})"

    parts = FENCE.split(text)
    parts[::2] = [LINK.sub(moved, part) for part in parts[::2]]
    return "".join(parts)


def text_of(path):
    """The text of a file of the repository, or of the generated page."""
    return make_c_api.page() if path == C_API else (ROOT / path).read_text()


def copy_of(path):
    """The text of the site's page for a file outside docs/."""
    text = text_of(path)
    if path.endswith(".md"):
        return relinked(text, path)
    language = LANGUAGES.get(pathlib.Path(path).suffix, "text")
    return f"---\nsearch:\n  exclude: true\n---\n\n# {path}\n\n````{language}\n{text}````\n"


def outside(files):
    """Every file outside docs/ that is linked to, by pages of docs/ or by pages among those files."""
    waiting = {f"docs/{file.src_uri}" for file in files.documentation_pages()}
    known = waiting | HEADERS
    while waiting:
        path = waiting.pop()
        if not path.endswith(".md"):
            continue
        for _, file in links(text_of(path), os.path.dirname(path)):
            if file not in known and (ROOT / file).is_file():
                known.add(file)
                waiting.add(file)
    return sorted(path for path in known - HEADERS if not path.startswith("docs/"))


def on_config(config):
    """Patterns of the navigation become lists of pages."""
    docs = pathlib.Path(config["docs_dir"])
    pages = sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md"))
    pages.sort(key=lambda page: not page.endswith("README.md"))
    named = set()

    def name(items):
        for item in items:
            value = next(iter(item.values())) if isinstance(item, dict) else item
            if isinstance(value, list):
                name(value)
            elif "*" not in value:
                named.add(value)

    def expanded(value):
        if isinstance(value, list):
            return [{key: expanded(v) for key, v in item.items()} if isinstance(item, dict) else item for item in value]
        if "*" not in value:
            return value
        matches = [p for p in pages if p not in named and p.count("/") == value.count("/") and fnmatch.fnmatch(p, value)]
        named.update(matches)
        return matches

    name(config["nav"])
    config["nav"] = expanded(config["nav"])
    return config


def on_files(files, config):
    files.append(File.generated(config, place(C_API), content=text_of(C_API)))
    for path in outside(files):
        files.append(File.generated(config, place(path), content=copy_of(path)))
    return files


def on_page_markdown(markdown, page, **_):
    if page.file.src_uri.startswith(COPIES):
        return markdown
    return relinked(markdown, f"docs/{page.file.src_uri}")
